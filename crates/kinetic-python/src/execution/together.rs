//! Executions of several groups on one clock.

use std::sync::Arc;

use kinetic::core::KineticError;
use kinetic::execution::{FeedbackSource, GroupDriver};
use pyo3::prelude::*;

use crate::convert::Texts;
use crate::error::Result;
use crate::execution::callbacks::{CallableArg, Functions};
use crate::execution::handle::PyHandle;
use crate::execution::real_time::{PyRealTimeExecutor, in_use};
use crate::execution::result::ResultDict;
use crate::execution::running::Execution;
use crate::trajectory::PyTrajectory;

/// The driver of one group of joints, an arm or a gripper, for executions of several groups on one clock
/// (`RealTimeExecutor.execute_together`).
///
/// `GroupDriver(names, **kinetic.drivers.functions(driver))` is one of a driver object.
///
/// Args:
///     joint_names: Names of its joints in the trajectory, in the order of its commands.
///     command_callback: Called as `command_callback(positions, velocities)` once per cycle with the values of its joints, as
///         in `RealTimeExecutor.start`. Where it raises, it gets no more commands, its `on_stop` is called, and the other
///         groups stop along their path.
///     feedback: As in `RealTimeExecutor.start`, of its joints.
///     on_stop: Likewise.
///     speed_scaling: Likewise; the slowest controller says how fast all go.
#[pyclass(frozen, module = "kinetic", name = "GroupDriver")]
pub(crate) struct PyGroupDriver {
    joint_names: Vec<String>,
    command_callback: CallableArg,
    feedback: Option<CallableArg>,
    on_stop: Option<CallableArg>,
    speed_scaling: Option<CallableArg>,
}

impl PyGroupDriver {
    /// The driver for one execution, in use from now on.
    fn begin(&self, py: Python<'_>, functions: &Functions) -> Result<GroupDriver> {
        let copy = |call: &Option<CallableArg>| call.as_ref().map(|call| call.clone_ref(py));
        let sink = functions.sink(py, self.command_callback.clone_ref(py), self.joint_names.clone())?;
        let mut driver = GroupDriver::new(self.joint_names.clone(), Box::new(sink.ok_or_else(in_use)?));
        if let Some(feedback) = functions.feedback(copy(&self.feedback), copy(&self.speed_scaling)) {
            driver = driver.with_feedback(Box::new(feedback) as Box<dyn FeedbackSource>);
        }
        if let Some(on_stop) = copy(&self.on_stop) {
            driver = driver.with_stop_sink(Arc::new(functions.stop_sink(on_stop)));
        }
        Ok(driver)
    }
}

#[pymethods]
impl PyGroupDriver {
    #[new]
    #[pyo3(signature = (joint_names, command_callback, feedback=None, on_stop=None, speed_scaling=None))]
    fn __new__(
        joint_names: Texts,
        command_callback: CallableArg,
        feedback: Option<CallableArg>,
        on_stop: Option<CallableArg>,
        speed_scaling: Option<CallableArg>,
    ) -> Self {
        Self { joint_names: joint_names.0, command_callback, feedback, on_stop, speed_scaling }
    }

    /// Names of its joints, in the order of its commands.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        self.joint_names.clone()
    }

    fn __repr__(&self) -> String {
        format!("GroupDriver({:?}, <functions>)", self.joint_names)
    }
}

impl PyRealTimeExecutor {
    fn begin_together(
        &self,
        py: Python<'_>,
        trajectory: &Bound<'_, PyTrajectory>,
        drivers: Vec<Bound<'_, PyGroupDriver>>,
        progress: Option<CallableArg>,
    ) -> Result<PyHandle> {
        let trajectory = trajectory.get().as_named()?;
        let functions = Functions::default();
        let mut executor = self.executor.clone().with_stop_flag(functions.stop.clone());
        if let Some(progress) = progress {
            executor = executor.with_progress(functions.listener(progress));
        }
        if executor.config().require_feedback && drivers.iter().any(|driver| driver.get().feedback.is_none()) {
            let reason = "feedback is required, and a driver has no function that gives it".to_owned();
            return Err(KineticError::InvalidTrajectory { reason }.into());
        }
        let drivers = drivers.iter().map(|driver| driver.get().begin(py, &functions)).collect::<Result<Vec<_>>>()?;
        let handle = py.detach(|| executor.start_together(&trajectory, drivers))?;
        Ok(PyHandle::new(Execution { handle, raised: functions.raised }))
    }
}

#[pymethods]
impl PyRealTimeExecutor {
    /// Begins to carry out one trajectory of several groups, two arms, or arm and gripper, each with a driver of its own, and
    /// returns at once. In every cycle all drivers get their part of the same state.
    ///
    /// They stop together: where a `command_callback` raises, its `on_stop` is called and the others stop along the path from
    /// the next cycle on; feedback that is lost or deviates, Ctrl-C and `Handle.stop` stop all on the path; the watchdog calls
    /// every `on_stop`. A trajectory that was certified as a whole is verified; one of `Trajectory.stack` is not.
    ///
    /// Args:
    ///     trajectory: A timed trajectory of all joints, with their names.
    ///     drivers: The drivers, in the order in which they are called; every joint has one.
    ///     progress: As in `start`, of all joints.
    ///
    /// Returns:
    ///     The handle of the execution.
    ///
    /// Raises:
    ///     InputError: A joint of two drivers, an executor or callback that is in use, a path without time.
    ///     ExecutionError: `InvalidTrajectory`, also for a joint without driver and a driver of other joints.
    #[pyo3(signature = (trajectory, drivers, progress=None))]
    fn start_together(
        &self,
        py: Python<'_>,
        trajectory: &Bound<'_, PyTrajectory>,
        drivers: Vec<Bound<'_, PyGroupDriver>>,
        progress: Option<CallableArg>,
    ) -> Result<PyHandle> {
        self.begin_together(py, trajectory, drivers, progress)
    }

    /// Carries out one trajectory of several groups and returns when it has ended: `start_together`, then `Handle.wait`.
    ///
    /// Returns:
    ///     The result, as `execute`, of all joints together.
    ///
    /// Example:
    ///     >>> from kinetic import GroupDriver, RealTimeExecutor, SimulatedClock, Trajectory
    ///     >>> move = Trajectory.from_waypoints([[0.0], [1.0]]).time_parameterize("trapezoidal", 1.0, 1.0)
    ///     >>> both = Trajectory.stack([move, move], joint_names=["left", "right"])
    ///     >>> left, right = [], []
    ///     >>> drivers = [
    ///     ...     GroupDriver(["left"], lambda q, qd: left.append(q)),
    ///     ...     GroupDriver(["right"], lambda q, qd: right.append(q)),
    ///     ... ]
    ///     >>> executor = RealTimeExecutor(allow_unverified=True, clock=SimulatedClock())
    ///     >>> executor.execute_together(both, drivers)["state"], left == right
    ///     ('Completed', True)
    #[pyo3(signature = (trajectory, drivers, progress=None))]
    fn execute_together<'py>(
        &self,
        py: Python<'py>,
        trajectory: &Bound<'py, PyTrajectory>,
        drivers: Vec<Bound<'py, PyGroupDriver>>,
        progress: Option<CallableArg>,
    ) -> Result<ResultDict<'py>> {
        self.begin_together(py, trajectory, drivers, progress)?.wait_until_ended(py)
    }
}
