//! `RealTimeExecutor`: executions on the wall clock, by functions of Python.

use std::sync::Arc;

use kinetic::core::KineticError;
use kinetic::execution::{CommandSink, ExecutionConfig, FeedbackSource, RealTimeExecutor, WatchdogAction};
use pyo3::prelude::*;

use crate::convert::{Count, Dict, Real, Texts};
use crate::error::Result;
use crate::execution::arguments::{ActionArg, LimitsArg, config_dict, watchdog};
use crate::execution::callbacks::{CallableArg, Functions};
use crate::execution::clock::PySimulatedClock;
use crate::execution::handle::PyHandle;
use crate::execution::result::ResultDict;
use crate::execution::running::Execution;
use crate::robot::argument::RobotArg;
use crate::trajectory::PyTrajectory;

/// Sends the commands of trajectories to a function, at a fixed rate on an absolute schedule; one trajectory at a time.
///
/// The commands come from a thread that takes the GIL for calls of functions alone. A second thread, the watchdog, ends the
/// execution when a call lasts too long; it needs the GIL to call `on_stop`, so that a function which keeps the GIL while it
/// blocks cannot be helped from Python.
///
/// Args:
///     rate_hz: Commands per second, at most 10,000.
///     position_tolerance: Largest distance of a measured from the commanded position, per joint, rad or m.
///     command_timeout_ms: A command may take this long, and so may be the time between two, or without required feedback.
///     timeout_factor: The execution may last this many times as long as the trajectory at the speed that is asked for.
///     require_feedback: Whether the robot has to say where it is.
///     velocity_scale: Part of the trajectory's speed to begin with, above 0 and at most 1.
///     velocity_tolerance: Largest difference of a measured from the commanded velocity, per joint, rad/s or m/s.
///     joint_limits: What trajectories and stops have to hold: a dict with some of "lower", "upper", "velocity",
///         "acceleration" and "jerk", each (dof,). What is not stated is what the trajectory uses.
///     watchdog_timeout_ms: The watchdog fires when no command was taken for this long; None is `command_timeout_ms`.
///     watchdog_action: What it asks of `on_stop`: "zero_velocity", "hold_position" or "abort".
///     allow_unverified: Whether trajectories without a certificate are carried out; the result says so.
///     joint_names: Joints of the driver in its order; trajectories of others are refused. None when unknown.
///     real_time_priority: Requests `SCHED_FIFO` at this priority, 1 to 98, for the thread of the commands, one more for the
///         watchdog, and locked memory for the process, which stays locked. A refusal is no error: `realtime` of the result
///         says what was granted. None requests nothing.
///     clock: Simulated time, for tests.
///
/// Raises:
///     InputError: A number outside its domain (names the field), an unknown action or limit.
///
/// Example:
///     >>> import kinetic
///     >>> robot = kinetic.Robot("ur5e")
///     >>> motion = kinetic.plan(robot, "home", robot.named_pose("home") + 0.01)
///     >>> arm = []
///     >>> executor = kinetic.RealTimeExecutor(rate_hz=250.0)
///     >>> result = executor.execute(motion, lambda positions, velocities: arm.append(positions))
///     >>> result["state"], result["verified"], len(arm) == result["commands_sent"]
///     ('Completed', True, True)
#[pyclass(frozen, module = "kinetic", name = "RealTimeExecutor")]
pub(crate) struct PyRealTimeExecutor {
    pub(crate) executor: RealTimeExecutor,
    joint_names: Vec<String>,
}

impl PyRealTimeExecutor {
    fn new(
        config: ExecutionConfig,
        joint_names: Vec<String>,
        clock: Option<&Bound<'_, PySimulatedClock>>,
    ) -> Result<Self> {
        let executor = RealTimeExecutor::new(config)?;
        let executor = match clock {
            Some(clock) => executor.with_simulated_clock(Arc::clone(&clock.get().clock)),
            None => executor,
        };
        Ok(Self { executor, joint_names })
    }

    /// The functions as the parts of a driver.
    ///
    /// # Errors
    /// For a command callback that is in use, and feedback that is required and not given.
    pub(crate) fn driver(
        &self,
        py: Python<'_>,
        functions: &Functions,
        command_callback: CallableArg,
        [feedback, on_stop, speed_scaling]: [Option<CallableArg>; 3],
    ) -> Result<Driver> {
        let mut executor = self.executor.clone();
        if let Some(on_stop) = on_stop {
            executor = executor.with_stop_sink(Arc::new(functions.stop_sink(on_stop)));
        }
        if feedback.is_none() && self.executor.config().require_feedback {
            let reason = "feedback is required, and there is no function that gives it".to_owned();
            return Err(KineticError::InvalidTrajectory { reason }.into());
        }
        let feedback = functions.feedback(feedback, speed_scaling);
        let feedback = feedback.map(|feedback| Box::new(feedback) as Box<dyn FeedbackSource>);
        let sink = functions.sink(py, command_callback, self.joint_names.clone())?.ok_or_else(in_use)?;
        Ok(Driver { executor, sink: Box::new(sink), feedback })
    }

    fn begin(
        &self,
        py: Python<'_>,
        trajectory: &Bound<'_, PyTrajectory>,
        command_callback: CallableArg,
        [feedback, on_stop, progress, speed_scaling]: [Option<CallableArg>; 4],
    ) -> Result<PyHandle> {
        let trajectory = trajectory.get().as_timed()?;
        let functions = Functions::default();
        let driver = self.driver(py, &functions, command_callback, [feedback, on_stop, speed_scaling])?;
        let mut executor = driver.executor.with_stop_flag(functions.stop.clone());
        if let Some(progress) = progress {
            executor = executor.with_progress(functions.listener(progress));
        }
        let handle = py.detach(|| executor.start(trajectory, driver.sink, driver.feedback))?;
        Ok(PyHandle::new(Execution { handle, raised: functions.raised }))
    }
}

/// The error of a command callback that another execution uses.
pub(crate) fn in_use() -> KineticError {
    let wanted = "one that is free: an execution runs, which can be stopped, or spliced";
    KineticError::invalid("command_callback", "one that is in use", wanted)
}

/// An executor with the parts of a driver.
pub(crate) struct Driver {
    pub(crate) executor: RealTimeExecutor,
    pub(crate) sink: Box<dyn CommandSink>,
    pub(crate) feedback: Option<Box<dyn FeedbackSource>>,
}

#[pymethods]
impl PyRealTimeExecutor {
    #[new]
    #[pyo3(
        signature = (
            rate_hz=Real(500.0), position_tolerance=Real(0.1), command_timeout_ms=Real(100.0), timeout_factor=Real(2.0),
            require_feedback=false, velocity_scale=Real(1.0), *, velocity_tolerance=Real(0.5), joint_limits=None,
            watchdog_timeout_ms=None, watchdog_action=ActionArg(WatchdogAction::ZeroVelocity), allow_unverified=false,
            joint_names=None, real_time_priority=None, clock=None
        ),
        text_signature = "(rate_hz=500.0, position_tolerance=0.1, command_timeout_ms=100.0, timeout_factor=2.0, \
            require_feedback=False, velocity_scale=1.0, *, velocity_tolerance=0.5, joint_limits=None, \
            watchdog_timeout_ms=None, watchdog_action=\"zero_velocity\", allow_unverified=False, joint_names=None, \
            real_time_priority=None, clock=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn __new__(
        rate_hz: Real,
        position_tolerance: Real,
        command_timeout_ms: Real,
        timeout_factor: Real,
        require_feedback: bool,
        velocity_scale: Real,
        velocity_tolerance: Real,
        joint_limits: Option<LimitsArg>,
        watchdog_timeout_ms: Option<Real>,
        watchdog_action: ActionArg,
        allow_unverified: bool,
        joint_names: Option<Texts>,
        real_time_priority: Option<Count>,
        clock: Option<&Bound<'_, PySimulatedClock>>,
    ) -> Result<Self> {
        let config = ExecutionConfig {
            rate_hz: rate_hz.0,
            position_tolerance: position_tolerance.0,
            velocity_tolerance: velocity_tolerance.0,
            timeout_factor: timeout_factor.0,
            joint_limits: joint_limits.map(|limits| limits.0),
            command_timeout_ms: command_timeout_ms.0,
            require_feedback,
            watchdog: watchdog(watchdog_timeout_ms, watchdog_action),
            allow_unverified,
            velocity_scale: velocity_scale.0,
            real_time_priority: real_time_priority.map(|priority| u32::try_from(priority.0).unwrap_or(u32::MAX)),
        };
        Self::new(config, joint_names.unwrap_or_default().0, clock)
    }

    /// What a robot should be driven with: the limits of its model and the names of its joints are checked, feedback is
    /// required, tolerances are half as wide, and a watchdog stops it after 50 ms.
    ///
    /// Args:
    ///     robot: The robot, of which the selected group moves, or the name of a built-in one.
    ///     rate_hz: Commands per second.
    ///     position_tolerance: Largest distance of a measured from the commanded position, per joint, rad or m.
    ///     velocity_tolerance: Likewise of velocities, rad/s or m/s.
    ///     timeout_factor: As of the constructor.
    ///     velocity_scale: As of the constructor.
    ///     allow_unverified: As of the constructor.
    ///     real_time_priority: As of the constructor.
    ///     clock: Simulated time, for tests.
    ///
    /// Raises:
    ///     InputError: An unknown robot, or a number outside its domain.
    #[staticmethod]
    #[pyo3(
        signature = (
            robot, rate_hz=Real(500.0), position_tolerance=Real(0.05), *, velocity_tolerance=Real(0.3),
            timeout_factor=Real(2.0), velocity_scale=Real(1.0), allow_unverified=false,
            real_time_priority=None, clock=None
        ),
        text_signature = "(robot, rate_hz=500.0, position_tolerance=0.05, *, velocity_tolerance=0.3, \
            timeout_factor=2.0, velocity_scale=1.0, allow_unverified=False, real_time_priority=None, clock=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn safe(
        py: Python<'_>,
        robot: RobotArg<'_>,
        rate_hz: Real,
        position_tolerance: Real,
        velocity_tolerance: Real,
        timeout_factor: Real,
        velocity_scale: Real,
        allow_unverified: bool,
        real_time_priority: Option<Count>,
        clock: Option<&Bound<'_, PySimulatedClock>>,
    ) -> Result<Self> {
        let model = robot.handle(py)?.get().model();
        let group = model.group();
        let limits = group.variables.iter().map(|variable| model.robot.joint_limits[*variable]).collect();
        let names = model.robot.joint_names(group).into_iter().map(str::to_owned).collect();
        let config = ExecutionConfig {
            rate_hz: rate_hz.0,
            position_tolerance: position_tolerance.0,
            velocity_tolerance: velocity_tolerance.0,
            timeout_factor: timeout_factor.0,
            velocity_scale: velocity_scale.0,
            allow_unverified,
            real_time_priority: real_time_priority.map(|priority| u32::try_from(priority.0).unwrap_or(u32::MAX)),
            ..ExecutionConfig::safe(limits)
        };
        Self::new(config, names, clock)
    }

    /// Begins to carry a trajectory out, and returns at once.
    ///
    /// Args:
    ///     trajectory: A timed trajectory, with a certificate unless `allow_unverified`, from rest to rest.
    ///     command_callback: Called as `command_callback(positions, velocities)` once per cycle, arrays (dof,) in rad or m
    ///         and rad/s or m/s. Where it raises, no more commands are sent and `on_stop` is called.
    ///     feedback: Called once per cycle before the command; returns the measured positions (dof,), or a tuple of positions
    ///         and velocities, or None when there is nothing new. Where it raises, the robot stops along its path.
    ///     on_stop: A second way to the robot, called as `on_stop(action, positions)` when commands do not get through:
    ///         `action` as `watchdog_action`, `positions` of the last command. Without it the error is `Aborted`.
    ///     progress: Called after every command with a dict of `elapsed` (s), `fraction` (0 to 1), `state` and `positions`.
    ///         Where it raises, the robot stops along its path.
    ///     speed_scaling: Called once per cycle; returns the part of the commanded speed at which the robot's controller runs
    ///         now, 0 to 1. The trajectory is slowed down alike.
    ///
    /// Returns:
    ///     The handle of the execution.
    ///
    /// Raises:
    ///     InputError: A path without time, or an executor or callback that is in use.
    ///     ExecutionError: `InvalidTrajectory`, before the first command.
    #[pyo3(signature = (trajectory, command_callback, feedback=None, on_stop=None, progress=None, speed_scaling=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn start(
        &self,
        py: Python<'_>,
        trajectory: &Bound<'_, PyTrajectory>,
        command_callback: CallableArg,
        feedback: Option<CallableArg>,
        on_stop: Option<CallableArg>,
        progress: Option<CallableArg>,
        speed_scaling: Option<CallableArg>,
    ) -> Result<PyHandle> {
        self.begin(py, trajectory, command_callback, [feedback, on_stop, progress, speed_scaling])
    }

    /// Carries a trajectory out and returns when it has ended: `start`, then `Handle.wait`, with their arguments and errors.
    ///
    /// Returns:
    ///     A dict that can be drawn (`plot`): `state` ("Completed" or "Stopped"), `actual_duration` and `expected_duration`
    ///     (s), `commands_sent`, `final_positions` (dof,), `max_deviation` (None without feedback), `missed_cycles`, `verified`,
    ///     `stop` (None, or a dict of `mode`, `began`, `within_limits`), `jitter` (how late commands were begun: `edges` and
    ///     `counts` of a histogram, `count`, `mean`, `max`, and the quantiles `p50`, `p99` and `p999`, s) and `realtime`
    ///     (`scheduling`, `priority`, `locked_memory` in bytes, and `refused`: what was requested and not granted, and why).
    #[pyo3(signature = (trajectory, command_callback, feedback=None, on_stop=None, progress=None, speed_scaling=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn execute<'py>(
        &self,
        py: Python<'py>,
        trajectory: &Bound<'py, PyTrajectory>,
        command_callback: CallableArg,
        feedback: Option<CallableArg>,
        on_stop: Option<CallableArg>,
        progress: Option<CallableArg>,
        speed_scaling: Option<CallableArg>,
    ) -> Result<ResultDict<'py>> {
        let handle = self.begin(py, trajectory, command_callback, [feedback, on_stop, progress, speed_scaling])?;
        handle.wait_until_ended(py)
    }

    /// The options by the names of their keywords.
    #[getter]
    fn config<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        config_dict(py, self.executor.config())
    }

    /// Joints of the driver in its order; empty when unknown.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        self.joint_names.clone()
    }

    fn __repr__(&self) -> String {
        format!("RealTimeExecutor(rate_hz={})", self.executor.config().rate_hz)
    }
}
