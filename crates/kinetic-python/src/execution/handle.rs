//! `Handle`: control of a running execution.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kinetic::core::KineticError;
use kinetic::execution::StopMode;
use pyo3::exceptions::PyTimeoutError;
use pyo3::prelude::*;

use crate::convert::Real;
use crate::error::Result;
use crate::execution::arguments::StopArg;
use crate::execution::result::{ResultDict, failure};
use crate::execution::running::{Execution, POLL, forget_ended, remember};
use crate::trajectory::PyTrajectory;

/// A running execution, which `RealTimeExecutor.start` returns. What is asked is done from the next cycle on.
///
/// When nothing refers to it any more, the robot stops along its path.
#[pyclass(frozen, module = "kinetic", name = "Handle")]
pub(crate) struct PyHandle(Arc<Execution>);

impl PyHandle {
    pub(crate) fn new(execution: Execution) -> Self {
        let execution = Arc::new(execution);
        remember(&execution);
        Self(execution)
    }

    /// Waits for the end; a signal whose handler raises stops the robot along its path first.
    pub(crate) fn wait_for_the_end<'py>(
        &self,
        py: Python<'py>,
        timeout: Option<Duration>,
    ) -> Result<Option<ResultDict<'py>>> {
        let (handle, began) = (&self.0.handle, Instant::now());
        loop {
            let left = timeout.map_or(POLL, |timeout| timeout.saturating_sub(began.elapsed()));
            if let Some(outcome) = py.detach(|| handle.wait(Some(left.min(POLL)))) {
                return self.outcome(py, outcome).map(Some);
            }
            if let Err(raised) = py.check_signals() {
                handle.stop(StopMode::Path);
                py.detach(|| handle.wait(None));
                return Err(raised.into());
            }
            if timeout.is_some_and(|timeout| began.elapsed() >= timeout) {
                return Ok(None);
            }
        }
    }

    /// Waits for the end, however long it takes.
    pub(crate) fn wait_until_ended<'py>(&self, py: Python<'py>) -> Result<ResultDict<'py>> {
        loop {
            if let Some(result) = self.wait_for_the_end(py, None)? {
                return Ok(result);
            }
        }
    }

    fn outcome<'py>(
        &self,
        py: Python<'py>,
        outcome: kinetic::core::Result<kinetic::execution::ExecutionResult>,
    ) -> Result<ResultDict<'py>> {
        let (execution, result) = (&self.0, self.0.handle.result());
        match outcome {
            Ok(result) if execution.raised.get(py).is_none() => ResultDict::new(py, &result),
            outcome => Err(failure(py, outcome.err(), &execution.raised, result.as_ref())),
        }
    }
}

impl Drop for PyHandle {
    fn drop(&mut self) {
        self.0.handle.stop(StopMode::Path);
        forget_ended();
    }
}

#[pymethods]
impl PyHandle {
    /// Slows down to a halt along the path, which `resume` leaves again.
    fn pause(&self) {
        self.0.handle.pause();
    }

    /// Goes on after a pause.
    fn resume(&self) {
        self.0.handle.resume();
    }

    /// Ends the execution.
    ///
    /// Args:
    ///     mode: "path" slows down along the path within the acceleration limits; "jerk" slows down each joint for itself,
    ///         as fast as limits of acceleration and jerk allow, and leaves the path; "hard" stops at once, outside all
    ///         limits. A stop under way is replaced by a harder one only.
    ///
    /// Raises:
    ///     InputError: Another mode.
    #[pyo3(signature = (mode=StopArg(StopMode::Path)), text_signature = "($self, mode=\"path\")")]
    fn stop(&self, mode: StopArg) {
        self.0.handle.stop(mode.0);
    }

    /// Goes on at a part of the trajectory's speed, 0 to 1; accelerations stay inside their limits.
    ///
    /// Raises:
    ///     InputError: A number outside 0 to 1.
    fn set_speed(&self, speed: Real) -> Result<()> {
        Ok(self.0.handle.set_speed(speed.0)?)
    }

    /// Goes on with another trajectory, which begins at rest anywhere, by the fastest motion there within the limits.
    ///
    /// A pause ends; where it stops already, nothing happens. The way there was not checked for collisions, so that it takes
    /// an executor with `allow_unverified`, and the result is not verified.
    ///
    /// Raises:
    ///     InputError: A path without time, a trajectory of other joints, or after the end.
    ///     ExecutionError: A trajectory that cannot be carried out, or an executor without `allow_unverified`.
    fn splice(&self, py: Python<'_>, trajectory: &Bound<'_, PyTrajectory>) -> Result<()> {
        let trajectory = trajectory.get().as_timed()?;
        Ok(py.detach(|| self.0.handle.splice(trajectory))?)
    }

    /// "Running", "Paused" (slows down to a pause, or holds still in one), "Stopping", "Completed", "Stopped" or "Aborted".
    #[getter]
    fn state(&self) -> &'static str {
        self.0.handle.state().name()
    }

    /// Whether the watchdog has ended it.
    #[getter]
    fn watchdog_has_fired(&self) -> bool {
        self.0.handle.watchdog_has_fired()
    }

    /// Waits for the end. Ctrl-C stops the robot along its path, and is raised after that.
    ///
    /// Args:
    ///     timeout: Seconds to wait at most; None waits as long as it takes.
    ///
    /// Returns:
    ///     The result, as `RealTimeExecutor.execute`.
    ///
    /// Raises:
    ///     TimeoutError: It has not ended in time, and goes on.
    ///     ExecutionError: What ended it, see the table of faults. `error.result` is the result so far, or None while a call
    ///         of the driver has not returned; `error.__cause__` is what a function has raised.
    #[pyo3(signature = (timeout=None))]
    fn wait<'py>(&self, py: Python<'py>, timeout: Option<Real>) -> Result<ResultDict<'py>> {
        let refused = |given: f64| KineticError::invalid("timeout", given, "a number of at least 0, or None");
        let timeout = timeout.map(|timeout| {
            let longest = timeout.0.min(f64::from(u32::MAX));
            Duration::try_from_secs_f64(longest).map_err(|_| refused(timeout.0))
        });
        let ended = self.wait_for_the_end(py, timeout.transpose()?)?;
        ended.ok_or_else(|| PyTimeoutError::new_err("the execution has not ended in time; it goes on").into())
    }

    fn __repr__(&self) -> String {
        format!("Handle(<{}>)", self.state())
    }
}
