//! `SafetyWatchdog`: the watchdog alone.

use std::sync::{Arc, Mutex};

use kinetic::execution::{SafetyWatchdog, WatchdogAction, WatchdogConfig};
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;

use crate::convert::{Real, Vector};
use crate::error::Result;
use crate::execution::arguments::ActionArg;
use crate::execution::callbacks::{CallableArg, Functions, Raised};
use crate::execution::clock::PySimulatedClock;
use crate::execution::lock;

/// Calls a function when it is not fed in time, from a thread of its own; for loops that send commands themselves.
///
/// It fires once. It ends when nothing refers to it any more, or with its `with` block. Executions have their own.
///
/// Args:
///     timeout_ms: It fires when it was not fed for so long.
///     on_stop: Called as `on_stop(action, positions)` with the positions (n,) that were fed last.
///     action: What `on_stop` is asked for: "zero_velocity", "hold_position" or "abort".
///     clock: Simulated time, for tests, in which the thread of the loop takes part (`with clock:`).
///
/// Raises:
///     InputError: A time that is not positive and finite, or an unknown action.
///
/// Example:
///     >>> from kinetic import SafetyWatchdog, SimulatedClock
///     >>> asked = []
///     >>> with SimulatedClock() as clock:
///     ...     watchdog = SafetyWatchdog(50.0, lambda action, positions: asked.append(action), clock=clock)
///     ...     in_time = watchdog.feed([0.1])
///     ...     clock.sleep(1.0)
///     ...     clock.sleep(1.0)
///     >>> in_time, watchdog.has_fired, asked
///     (True, True, ['zero_velocity'])
#[pyclass(frozen, module = "kinetic", name = "SafetyWatchdog")]
pub(crate) struct PySafetyWatchdog {
    watchdog: Mutex<Option<SafetyWatchdog>>,
    raised: Arc<Raised>,
}

impl PySafetyWatchdog {
    /// Something about the watchdog, or what stands in its place after its end.
    fn with<T>(&self, ended: T, ask: impl FnOnce(&SafetyWatchdog) -> T) -> T {
        lock(&self.watchdog).as_ref().map_or(ended, ask)
    }
}

#[pymethods]
impl PySafetyWatchdog {
    #[new]
    #[pyo3(
        signature = (timeout_ms, on_stop, action=ActionArg(WatchdogAction::ZeroVelocity), *, clock=None),
        text_signature = "(timeout_ms, on_stop, action=\"zero_velocity\", *, clock=None)"
    )]
    fn __new__(
        timeout_ms: Real,
        on_stop: CallableArg,
        action: ActionArg,
        clock: Option<&Bound<'_, PySimulatedClock>>,
    ) -> Result<Self> {
        let functions = Functions::default();
        let config = WatchdogConfig { timeout_ms: timeout_ms.0, action: action.0 };
        let stop_sink = Arc::new(functions.stop_sink(on_stop));
        let watchdog = match clock {
            Some(clock) => SafetyWatchdog::start_simulated(config, &[], stop_sink, &clock.get().clock),
            None => SafetyWatchdog::start(config, &[], stop_sink),
        };
        Ok(Self { watchdog: Mutex::new(Some(watchdog?)), raised: functions.raised })
    }

    /// Says that a command for these positions was taken; False once it has fired, after which no command is to be sent.
    fn feed(&self, positions: Vector) -> bool {
        self.with(false, |watchdog| watchdog.feed(&positions.0))
    }

    /// Whether `on_stop` was called, or is being called.
    #[getter]
    fn has_fired(&self) -> bool {
        self.with(false, SafetyWatchdog::has_fired)
    }

    /// What `on_stop` has raised; None when it has not.
    #[getter]
    fn error<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBaseException>> {
        self.raised.get(py).map(|(_, error)| error.into_value(py).into_bound(py))
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
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
        let ended = lock(&self.watchdog).take();
        drop(ended);
    }

    fn __repr__(&self) -> String {
        format!("SafetyWatchdog(<{}>)", if self.has_fired() { "has fired" } else { "watches" })
    }
}
