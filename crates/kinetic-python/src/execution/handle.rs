//! `Handle`: control of a running execution.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kinetic::core::{KineticError, StopFlag};
use kinetic::execution::StopMode;
use pyo3::exceptions::PyTimeoutError;
use pyo3::prelude::*;

use crate::convert::Real;
use crate::error::Result;
use crate::execution::arguments::StopArg;
use crate::execution::result::{ResultDict, failure};
use crate::execution::running::{Execution, POLL, forget_ended, remember};
use crate::interrupt::interruptible;
use crate::planning::PyPlanner;
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

    /// Goes on with another trajectory.
    ///
    /// With `planner`, the robot leaves for it `latency` seconds from now, by the fastest motion within the planner's limits to
    /// where it begins, and all of that is proven in the scene as it is now: `planner.splice` from the running trajectory. With
    /// `at`, the trajectory is one that `planner.splice(running, at, ...)` has answered with. Such a splice keeps the result verified
    /// and a pause a pause. One that comes too late for its latency stops the robot along its path, with the error `Aborted`.
    ///
    /// Without both, the trajectory begins at rest anywhere, and the way there is the fastest motion within the limits. It was not
    /// checked for collisions, so that it takes an executor with `allow_unverified`, and the result is not verified; a pause ends.
    /// Where the jerk limit does not allow to take back an acceleration before a velocity leaves its limits, the robot leaves a few
    /// cycles later.
    ///
    /// Where the robot stops already, nothing happens.
    ///
    /// Args:
    ///     trajectory: What takes over.
    ///     planner: Plans and proves the way to it.
    ///     latency: Seconds until the robot can leave: what the proof takes, and two cycles.
    ///     at: Time on the running trajectory at which `trajectory` begins, s.
    ///
    /// Raises:
    ///     InputError: A path without time, a trajectory of other joints, both `planner` and `at`, or after the end.
    ///     PlanningError: As `Planner.splice`.
    ///     ExecutionError: A trajectory that cannot be carried out, or one without a certificate and an executor without
    ///         `allow_unverified`.
    #[pyo3(
        signature = (trajectory, *, planner=None, latency=Real(0.1), at=None),
        text_signature = "($self, trajectory, *, planner=None, latency=0.1, at=None)"
    )]
    fn splice(
        &self,
        py: Python<'_>,
        trajectory: &Bound<'_, PyTrajectory>,
        planner: Option<&Bound<'_, PyPlanner>>,
        latency: Real,
        at: Option<Real>,
    ) -> Result<()> {
        let (trajectory, handle) = (trajectory.get().as_timed()?, &self.0.handle);
        match (planner, at) {
            (None, None) => Ok(py.detach(|| handle.splice(trajectory))?),
            (None, Some(at)) => Ok(py.detach(|| handle.splice_at(trajectory, at.0))?),
            (Some(planner), None) => {
                let (planner, stop) = (planner.get().now(py)?, StopFlag::default());
                let control = planner.control(stop.clone());
                interruptible(py, &stop, || {
                    let (running, now) = handle.running();
                    let spliced = planner.splice(&running, now, latency.0, trajectory, &control)?;
                    handle.splice_at(&spliced, now)
                })??;
                Ok(())
            }
            (Some(_), Some(at)) => {
                let wanted = "none with a planner, which finds the time itself";
                Err(KineticError::invalid("at", at.0, wanted).into())
            }
        }
    }

    /// The trajectory that is followed; after a splice, what was spliced in.
    #[getter]
    fn trajectory(&self) -> PyTrajectory {
        let (trajectory, _) = self.0.handle.running();
        let joint_names = trajectory.joint_names().to_vec();
        PyTrajectory { joint_names, ..PyTrajectory::timed(trajectory) }
    }

    /// Time on `trajectory` of the last command, s.
    #[getter]
    fn time(&self) -> f64 {
        self.0.handle.running().1
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
