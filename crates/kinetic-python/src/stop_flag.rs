//! `StopFlag`: ends a plan from another thread.

use kinetic::core::StopFlag;
use pyo3::prelude::*;

/// Ends plans that were given it, from any thread.
///
/// Stopping is for good: a plan that begins with a stopped flag ends at once.
///
/// Example:
///     >>> import kinetic
///     >>> stop = kinetic.StopFlag()
///     >>> stop.is_stopped
///     False
///     >>> stop.stop()
///     >>> robot = kinetic.Robot("ur5e")
///     >>> home, ready = robot.named_pose("home"), robot.named_pose("ready")
///     >>> try:
///     ...     kinetic.Planner(robot).plan(home, ready, stop=stop)
///     ... except kinetic.PlanningError as error:
///     ...     print(error.code)
///     Cancelled
#[pyclass(frozen, module = "kinetic", name = "StopFlag")]
#[derive(Default)]
pub(crate) struct PyStopFlag(pub(crate) StopFlag);

#[pymethods]
impl PyStopFlag {
    #[new]
    fn __new__() -> Self {
        Self::default()
    }

    /// Asks all plans that were given this flag to end.
    fn stop(&self) {
        self.0.stop();
    }

    /// Whether a stop was asked for.
    #[getter]
    fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }

    fn __repr__(&self) -> &'static str {
        if self.is_stopped() { "<StopFlag, stopped>" } else { "<StopFlag>" }
    }
}
