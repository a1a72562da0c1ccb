//! `PlanExecuteLoop`: planning and execution in one loop.

use std::sync::{Arc, Mutex};

use kinetic::core::{Goal, KineticError};
use kinetic::execution::{ExecutionConfig, Progress};
use kinetic::plan_execute::{
    DriverExecutor, PlanExecuteConfig, PlanExecuteLoop, PlanExecuteResult, RecoveryStrategy, ReplanStrategy,
};
use kinetic::planning::{CartesianConfig, Planner};
use pyo3::prelude::*;

use crate::convert::{Array, Count, Dict, Real, TimeLaw, Vector};
use crate::error::{Error, Result};
use crate::execution::arguments::{RecoveryArg, ReplanArg};
use crate::execution::callbacks::{CallableArg, Functions};
use crate::execution::instant::PySimExecutor;
use crate::execution::lock;
use crate::execution::real_time::{Driver, PyRealTimeExecutor};
use crate::execution::result::{ResultDict, failure};
use crate::execution::running::RunningLoop;
use crate::interrupt::interrupted;
use crate::planning::PyPlanner;
use crate::planning::cartesian::config::PyCartesianConfig;
use crate::planning::cartesian::path::CartesianPathArg;
use crate::planning::goal::GoalArg;
use crate::planning::python_planner::take_raised;
use crate::trajectory::PyTrajectory;

/// What carries the motions of a loop out.
#[derive(FromPyObject)]
enum ExecutorArg {
    RealTime(Py<PyRealTimeExecutor>),
    Simulated(Py<PySimExecutor>),
}

/// The functions of a driver, as for `RealTimeExecutor.start`.
struct Callbacks {
    command: Option<CallableArg>,
    feedback: Option<CallableArg>,
    on_stop: Option<CallableArg>,
    progress: Option<CallableArg>,
    speed_scaling: Option<CallableArg>,
}

/// Plans, executes, watches the scene and the feedback, and replans from where the robot is measured.
///
/// What is left of a motion is proven anew whenever the planner's scene was edited, by whichever thread. Where something is in the
/// way, the robot stops along its path before the contact, or leaves for another motion whose connection is proven as well; `replan`
/// says which. Functions are called as for `RealTimeExecutor.start`; the GIL is taken for them alone.
///
/// Args:
///     planner: What plans; its scene is watched.
///     executor: A `RealTimeExecutor` with a `command_callback`, or a `SimExecutor`, whose robot stands at `joints` and needs none.
///     command_callback: As for `RealTimeExecutor.start`, and so the following.
///     feedback: Between motions it says where the robot stands; without, it stands where it was last commanded to be.
///     on_stop: A second way to the robot.
///     progress: Called after every command.
///     speed_scaling: The part of the commanded speed at which the controller runs.
///     joints: Where the robot stands (dof,), for executors without feedback.
///     time_parameterize: True for the default time law, or the name of one.
///     max_replans: New motions that may follow the first one, spliced in or after a stop.
///     replan: When a blocked motion is left: "immediate" stops at once; "deferred" goes on as long as a stop still ends before the
///         contact; "splice" as well, and leaves for another motion without a stop where one is proven in time.
///     recovery: What is done when no motion is found: "abort" raises the error of the planner; "hold" waits for a change of the
///         scene; "relaxed_retry" tries once more with another seed and four times the budgets.
///     latency: Seconds from an edit of the scene to the first command of a stop or splice, at most.
///     timeout: Seconds in which the goal has to be reached; None for no limit.
///
/// Raises:
///     InputError: Options outside their domain, an unknown strategy or time law, a function that the executor does not call, or one
///         that it needs and that is not given.
///
/// Example:
///     >>> import kinetic
///     >>> robot = kinetic.Robot("ur5e")
///     >>> planner = kinetic.Planner(robot, kinetic.Scene(robot))
///     >>> loop = kinetic.PlanExecuteLoop(planner, kinetic.SimExecutor(), joints=robot.named_pose("home"))
///     >>> result = loop.move_to("ready")
///     >>> result["replans"], result["execution"]["verified"]
///     (0, True)
#[pyclass(frozen, module = "kinetic", name = "PlanExecuteLoop")]
pub(crate) struct PyPlanExecuteLoop {
    planner: Py<PyPlanner>,
    executor: ExecutorArg,
    callbacks: Callbacks,
    config: PlanExecuteConfig,
    /// Where the robot stands, as far as is known.
    joints: Mutex<Option<Vec<f64>>>,
}

#[pymethods]
impl PyPlanExecuteLoop {
    #[new]
    #[pyo3(
        signature = (
            planner, executor, command_callback=None, feedback=None, on_stop=None, progress=None, speed_scaling=None, *,
            joints=None, time_parameterize=TimeLaw::default_law(), max_replans=Count(5),
            replan=ReplanArg(ReplanStrategy::Immediate), recovery=RecoveryArg(RecoveryStrategy::Abort), latency=Real(0.05),
            timeout=None
        ),
        text_signature = "(planner, executor, command_callback=None, feedback=None, on_stop=None, progress=None, \
            speed_scaling=None, *, joints=None, time_parameterize=True, max_replans=5, replan=\"immediate\", \
            recovery=\"abort\", latency=0.05, timeout=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn __new__(
        planner: Py<PyPlanner>,
        executor: ExecutorArg,
        command_callback: Option<CallableArg>,
        feedback: Option<CallableArg>,
        on_stop: Option<CallableArg>,
        progress: Option<CallableArg>,
        speed_scaling: Option<CallableArg>,
        joints: Option<Vector>,
        time_parameterize: TimeLaw,
        max_replans: Count,
        replan: ReplanArg,
        recovery: RecoveryArg,
        latency: Real,
        timeout: Option<Real>,
    ) -> Result<Self> {
        let callbacks = Callbacks { command: command_callback, feedback, on_stop, progress, speed_scaling };
        callbacks.check(&executor)?;
        let untimed = || KineticError::invalid("time_parameterize", false, "True or the name of a time law");
        let config = PlanExecuteConfig {
            time_law: time_parameterize.0.ok_or_else(untimed)?,
            max_replans: max_replans.0,
            replan: replan.0,
            recovery: recovery.0,
            latency: latency.0,
            timeout: timeout.map_or(f64::INFINITY, |timeout| timeout.0),
        };
        config.check()?;
        Ok(Self { planner, executor, callbacks, config, joints: Mutex::new(joints.map(|joints| joints.0)) })
    }

    /// Moves the robot to a goal, from where it is measured to be; it stands when this returns or raises.
    ///
    /// Ctrl-C stops the robot along its path, and is raised after that.
    ///
    /// Args:
    ///     goal: As for `Planner.plan`.
    ///
    /// Returns:
    ///     A dict of `trajectory` (the last motion, with its certificate), `execution` (how it went, as
    ///     `RealTimeExecutor.execute`), `total_duration` (s, planning, holding and moving together), `replans` (motions that
    ///     followed the first one), `splices` (those among them without a stop) and `final_joints` (dof,).
    ///
    /// Raises:
    ///     PlanningError: No motion is found, or the time is over; the robot stands.
    ///     ExecutionError: What ended an execution, see the table of faults; `Aborted` when the scene has blocked motions more
    ///         often than `max_replans`. `error.__cause__` is what a function has raised.
    ///     InputError: Nobody knows where the robot stands, or the command callback is in use.
    fn move_to<'py>(&self, py: Python<'py>, goal: GoalArg) -> Result<Dict<'py>> {
        let goal: Goal = goal.0;
        self.go(py, |moving, _| moving.move_to(&goal))
    }

    /// Moves the tool along a path, from where it is measured to be, as `Planner.plan_cartesian` does; the robot stands when this
    /// returns or raises.
    ///
    /// After a stop on the way the tool goes along what is left of the path, and never around an obstacle: with recovery "hold" it
    /// waits until the path is free. The robot does not leave the path for another motion: "splice" is "deferred" here.
    ///
    /// Args:
    ///     path: A `CartesianPath`, or a pose to go to on a line.
    ///     config: A `CartesianConfig`; None for the margins of the planner.
    ///
    /// Returns:
    ///     As `move_to`.
    ///
    /// Raises:
    ///     PlanningError, ExecutionError, InputError: As `move_to` and `Planner.plan_cartesian`; `CartesianPathIncomplete` where the
    ///         path cannot be followed to its end: the tool does not begin.
    #[pyo3(signature = (path, config=None), text_signature = "($self, path, config=None)")]
    fn move_cartesian<'py>(
        &self,
        py: Python<'py>,
        path: CartesianPathArg,
        config: Option<&Bound<'_, PyCartesianConfig>>,
    ) -> Result<Dict<'py>> {
        let config = config.map(|config| config.get().0.clone());
        self.go(py, |moving, planner| {
            let config = config.as_ref().map_or_else(|| CartesianConfig::of(planner.config()), Clone::clone);
            moving.move_cartesian(&path.0, &config)
        })
    }

    /// Where the robot was when it was last heard of (dof,), or None.
    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> Result<Option<Array<'py>>> {
        lock(&self.joints).as_ref().map(|joints| Array::vector(py, joints)).transpose()
    }

    /// The options by the names of their keywords.
    #[getter]
    fn config<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        let PlanExecuteConfig { time_law, max_replans, replan, recovery, latency, timeout } = &self.config;
        let dict = Dict::new(py).with("time_parameterize", time_law)?.with("max_replans", *max_replans)?;
        let dict = dict.with("replan", replan.name())?.with("recovery", recovery.name())?.with("latency", *latency)?;
        Ok(dict.with("timeout", Some(*timeout).filter(|timeout| timeout.is_finite()))?)
    }

    fn __repr__(&self) -> String {
        let (replan, recovery) = (self.config.replan.name(), self.config.recovery.name());
        format!("PlanExecuteLoop(<replan={replan:?}, recovery={recovery:?}>)")
    }
}

impl PyPlanExecuteLoop {
    /// Moves the robot, without the GIL.
    fn go<'py>(
        &self,
        py: Python<'py>,
        motion: impl FnOnce(&mut PlanExecuteLoop<DriverExecutor>, &Planner) -> kinetic::core::Result<PlanExecuteResult>
        + Send,
    ) -> Result<Dict<'py>> {
        let planner = self.planner.bind(py).get().watching(py)?;
        let joint_names = planner.chain().joint_names().to_vec();
        let functions = Functions::default();
        let driver = self.driver(py, &functions)?;
        let mut moving = PlanExecuteLoop::new(planner.clone(), driver).with_config(self.config.clone())?;
        moving = moving.with_stop_flag(functions.stop.clone());
        if let Some(joints) = lock(&self.joints).clone() {
            moving = moving.with_joints(joints);
        }
        let ((outcome, joints, raised_by_planner), interrupt) = interrupted(py, &functions.stop, || {
            let _running = RunningLoop::begin(&functions.stop);
            let outcome = motion(&mut moving, &planner);
            let joints = moving.joints().map(<[f64]>::to_vec);
            drop(moving);
            (outcome, joints, take_raised())
        });
        *lock(&self.joints) = joints;
        if let Some(raised) = interrupt.or(raised_by_planner) {
            return Err(raised.into());
        }
        match outcome {
            Ok(result) if functions.raised.get(py).is_none() => result_dict(py, result, joint_names),
            outcome => Err(failed(py, outcome.err(), &functions)),
        }
    }

    /// The executor with the functions of this loop.
    fn driver(&self, py: Python<'_>, functions: &Functions) -> Result<DriverExecutor> {
        let clone = |call: &Option<CallableArg>| call.as_ref().map(|call| call.clone_ref(py));
        let Callbacks { command, feedback, on_stop, progress, speed_scaling } = &self.callbacks;
        let driver = match &self.executor {
            ExecutorArg::Simulated(executor) => self.simulated(&executor.bind(py).get().0)?,
            ExecutorArg::RealTime(executor) => {
                let command = clone(command).ok_or_else(no_command)?;
                let others = [clone(feedback), clone(on_stop), clone(speed_scaling)];
                let Driver { executor, sink, feedback } =
                    executor.bind(py).get().driver(py, functions, command, others)?;
                DriverExecutor::new(executor, sink, feedback)
            }
        };
        let listener = clone(progress).map(|progress| functions.listener(progress));
        Ok(match listener {
            Some(listener) => driver.with_progress(Arc::new(move |progress: &Progress<'_>| listener(progress))),
            None => driver,
        })
    }

    fn simulated(&self, config: &ExecutionConfig) -> Result<DriverExecutor> {
        let joints = lock(&self.joints).clone();
        let unknown = || KineticError::invalid("joints", "none", "where the robot of a SimExecutor stands");
        Ok(DriverExecutor::simulated(config.clone(), &joints.ok_or_else(unknown)?)?)
    }
}

fn no_command() -> KineticError {
    KineticError::invalid("command_callback", "none", "a function that takes the commands of a RealTimeExecutor")
}

impl Callbacks {
    /// Refuses functions that the executor does not call.
    fn check(&self, executor: &ExecutorArg) -> Result<()> {
        let is_simulated = matches!(executor, ExecutorArg::Simulated(_));
        if !is_simulated && self.command.is_none() {
            return Err(no_command().into());
        }
        let of_drivers = [
            ("command_callback", &self.command),
            ("feedback", &self.feedback),
            ("on_stop", &self.on_stop),
            ("speed_scaling", &self.speed_scaling),
        ];
        match of_drivers.iter().find(|(_, call)| is_simulated && call.is_some()) {
            None => Ok(()),
            Some((name, _)) => {
                let wanted = "none with a SimExecutor, which drives nothing; progress is called";
                Err(KineticError::invalid(*name, "a function", wanted).into())
            }
        }
    }
}

fn result_dict(py: Python<'_>, result: PlanExecuteResult, joint_names: Vec<String>) -> Result<Dict<'_>> {
    let mut trajectory = PyTrajectory::timed(result.trajectory);
    trajectory.joint_names = joint_names;
    let dict = Dict::new(py).with("trajectory", trajectory)?;
    let dict = dict.with("execution", ResultDict::new(py, &result.execution)?)?;
    let dict = dict.with("total_duration", result.total_duration)?.with("replans", result.replans)?;
    let dict = dict.with("splices", result.splices)?;
    Ok(dict.with("final_joints", Array::vector(py, &result.final_joints)?)?)
}

/// The error of a loop; where a function has raised, that is its cause.
fn failed(py: Python<'_>, error: Option<KineticError>, functions: &Functions) -> Error {
    match error {
        Some(error) if functions.raised.get(py).is_none() => error.into(),
        // It ended because of the function.
        Some(KineticError::Cancelled { .. }) => failure(py, None, &functions.raised, None),
        error => failure(py, error, &functions.raised, None),
    }
}
