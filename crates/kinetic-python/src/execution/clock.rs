//! `SimulatedClock`: time for tests.

use std::sync::{Arc, Mutex};

use kinetic::core::{Clock, KineticError, StopFlag};
use kinetic::execution::{Participant, SimulatedClock};
use pyo3::prelude::*;

use crate::convert::Real;
use crate::error::Result;
use crate::execution::lock;
use crate::execution::monotonic_clock::check_time;

/// Time that goes on without waiting, for tests of drivers and of faults.
///
/// It begins at 0 and stands still until both threads of an execution wait for it, and then goes on to the first time that is
/// waited for: trajectories are carried out as fast as their commands are taken. A driver that sleeps on the clock in its
/// callback is one that takes that long. A loop of one's own takes part in it with `with clock:`.
///
/// Example:
///     >>> from kinetic import RealTimeExecutor, SimulatedClock, Trajectory
///     >>> motion = Trajectory.from_waypoints([[0.0], [1.0]]).time_parameterize("trapezoidal", 1.0, 1.0)
///     >>> clock = SimulatedClock()
///     >>> executor = RealTimeExecutor(allow_unverified=True, clock=clock)
///     >>> executor.execute(motion, lambda positions, velocities: None)["state"]
///     'Completed'
///     >>> round(clock.now, 1)
///     2.0
#[pyclass(frozen, module = "kinetic", name = "SimulatedClock")]
pub(crate) struct PySimulatedClock {
    pub(crate) clock: Arc<SimulatedClock>,
    /// Of the `with` blocks that are open.
    participants: Mutex<Vec<Participant>>,
}

#[pymethods]
impl PySimulatedClock {
    #[new]
    fn __new__() -> Self {
        Self { clock: SimulatedClock::new(), participants: Mutex::default() }
    }

    /// Seconds since it was made.
    #[getter]
    fn now(&self) -> f64 {
        self.clock.now()
    }

    /// Waits for `seconds` of simulated time.
    ///
    /// Raises:
    ///     InputError: A number that is negative or not finite.
    fn sleep(&self, py: Python<'_>, seconds: Real) -> Result<()> {
        if !(seconds.0 >= 0.0 && seconds.0.is_finite()) {
            return Err(KineticError::invalid("seconds", seconds.0, "a finite number of at least 0").into());
        }
        py.detach(|| self.clock.wait_until(self.clock.now() + seconds.0, &StopFlag::default()));
        Ok(())
    }

    /// Waits until `now` is at least `time`, s; not at all for a time that has passed. It takes the place of that of
    /// `MonotonicClock` in tests of loops.
    ///
    /// Raises:
    ///     InputError: A time that is not finite.
    fn wait_until(&self, py: Python<'_>, time: Real) -> Result<()> {
        check_time(time.0)?;
        py.detach(|| self.clock.wait_until(time.0, &StopFlag::default()));
        Ok(())
    }

    /// Lets `seconds` pass at once: a clock that jumps, or that was set back where they are negative.
    ///
    /// Raises:
    ///     InputError: A number that is not finite.
    fn advance(&self, seconds: Real) -> Result<()> {
        if !seconds.0.is_finite() {
            return Err(KineticError::invalid("seconds", seconds.0, "a finite number").into());
        }
        self.clock.advance(seconds.0);
        Ok(())
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        let participant = slf.get().clock.participate();
        lock(&slf.get().participants).push(participant);
        slf
    }

    #[pyo3(signature = (exception_type=None, exception=None, traceback=None))]
    fn __exit__(
        &self,
        exception_type: Option<Bound<'_, PyAny>>,
        exception: Option<Bound<'_, PyAny>>,
        traceback: Option<Bound<'_, PyAny>>,
    ) {
        let _ = (exception_type, exception, traceback);
        let participant = lock(&self.participants).pop();
        drop(participant);
    }

    fn __repr__(&self) -> String {
        format!("SimulatedClock(<at {} s>)", self.clock.now())
    }
}
