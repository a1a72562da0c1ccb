//! `MonotonicClock`: the machine's time, for loops of one's own.

use kinetic::core::{Clock, KineticError, StopFlag};
use kinetic::execution::MonotonicClock;
use pyo3::prelude::*;

use crate::convert::Real;
use crate::error::Result;
use crate::interrupt::SIGNAL_INTERVAL;

/// The clock that executors run on: the machine's monotonic time, with absolute waits; for servo loops of one's own.
///
/// A loop that waits for the multiples of its period does not drift, however late each of its cycles is. `SimulatedClock` takes
/// its place in tests.
///
/// Example:
///     >>> from kinetic import MonotonicClock
///     >>> clock = MonotonicClock()
///     >>> begin = clock.now
///     >>> for cycle in range(3):
///     ...     clock.wait_until(begin + 0.002 * cycle)
///     >>> clock.now >= begin + 0.004
///     True
#[pyclass(frozen, module = "kinetic", name = "MonotonicClock")]
pub(crate) struct PyMonotonicClock {
    clock: MonotonicClock,
}

#[pymethods]
impl PyMonotonicClock {
    #[new]
    fn __new__() -> Self {
        Self { clock: MonotonicClock::default() }
    }

    /// Seconds since it was made; never decreases.
    #[getter]
    fn now(&self) -> f64 {
        self.clock.now()
    }

    /// Waits until `now` is at least `time`, s, without the GIL; not at all for a time that has passed. Ctrl-C ends the wait.
    ///
    /// Raises:
    ///     InputError: A time that is not finite.
    fn wait_until(&self, py: Python<'_>, time: Real) -> Result<()> {
        check_time(time.0)?;
        loop {
            let until = time.0.min(self.clock.now() + SIGNAL_INTERVAL.as_secs_f64());
            py.detach(|| self.clock.wait_until(until, &StopFlag::default()));
            py.check_signals()?;
            if until >= time.0 {
                return Ok(());
            }
        }
    }

    fn __repr__(&self) -> String {
        format!("MonotonicClock(<at {} s>)", self.clock.now())
    }
}

/// Refuses a time that never comes.
pub(crate) fn check_time(time: f64) -> kinetic::core::Result<()> {
    if time.is_finite() { Ok(()) } else { Err(KineticError::invalid("time", time, "a finite number")) }
}
