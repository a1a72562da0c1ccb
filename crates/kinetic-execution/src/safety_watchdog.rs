//! A watchdog for loops that send commands on their own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Thread};

use kinetic_core::{Clock, KineticError, Result, StopFlag};

use crate::clock::MonotonicClock;
use crate::config::{WatchdogAction, WatchdogConfig};
use crate::driver::{StopRequest, StopSink};
use crate::simulated_clock::SimulatedClock;

/// Stops the robot through a [`StopSink`] when it is not fed in time; for servo loops, which no executor drives. Executions
/// have their own.
///
/// It is a thread of its own, which shares no lock with calls of the driver. It fires once; dropping it ends it.
pub struct SafetyWatchdog {
    shared: Arc<WatchdogShared>,
    clock: Arc<dyn Clock>,
    thread: Thread,
}

#[derive(Debug)]
struct WatchdogShared {
    fed: Mutex<Fed>,
    has_fired: AtomicBool,
    /// Raised when nobody is to be watched any more.
    ended: StopFlag,
}

#[derive(Debug)]
struct Fed {
    at: f64,
    positions: Vec<f64>,
}

impl WatchdogShared {
    /// What was fed last; the lock is held for copies alone.
    fn with_fed<T>(&self, act: impl FnOnce(&mut Fed) -> T) -> T {
        act(&mut self.fed.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl SafetyWatchdog {
    /// Begins to watch, on the machine's clock. `positions` are where the robot stands, rad or m.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a time that is not positive, [`KineticError::Aborted`] without a thread.
    pub fn start(config: WatchdogConfig, positions: &[f64], stop_sink: Arc<dyn StopSink>) -> Result<Self> {
        let clock = Arc::new(MonotonicClock::default());
        Self::watch(config, positions, stop_sink, clock, || ())
    }

    /// Begins to watch on simulated time, in which its thread takes part. The thread of the loop has to
    /// [take part](SimulatedClock::participate) as well.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_simulated(
        config: WatchdogConfig,
        positions: &[f64],
        stop_sink: Arc<dyn StopSink>,
        clock: &Arc<SimulatedClock>,
    ) -> Result<Self> {
        let participant = clock.participate();
        Self::watch(config, positions, stop_sink, Arc::clone(clock) as Arc<dyn Clock>, move || drop(participant))
    }

    fn watch(
        config: WatchdogConfig,
        positions: &[f64],
        stop_sink: Arc<dyn StopSink>,
        clock: Arc<dyn Clock>,
        at_the_end: impl FnOnce() + Send + 'static,
    ) -> Result<Self> {
        config.check()?;
        let fed = Mutex::new(Fed { at: clock.now(), positions: positions.to_vec() });
        let shared = Arc::new(WatchdogShared { fed, has_fired: AtomicBool::new(false), ended: StopFlag::default() });
        let (theirs, time) = (Arc::clone(&shared), Arc::clone(&clock));
        let work = move || {
            watch(&theirs, &*time, config.timeout_ms * 1e-3, config.action, &*stop_sink);
            at_the_end();
        };
        let thread = thread::Builder::new().name("kinetic-watchdog".to_owned()).spawn(work);
        let thread = thread.map_err(|error| KineticError::Aborted { reason: format!("no thread: {error}") })?;
        Ok(Self { shared, clock, thread: thread.thread().clone() })
    }

    /// Says that a command for these positions, rad or m, was taken; false once the watchdog has fired, after which no command
    /// is to be sent.
    pub fn feed(&self, positions: &[f64]) -> bool {
        let at = self.clock.now();
        self.shared.with_fed(|fed| {
            fed.at = at;
            positions.clone_into(&mut fed.positions);
        });
        !self.has_fired()
    }

    /// True when the robot was told to stop, or is being told.
    pub fn has_fired(&self) -> bool {
        self.shared.has_fired.load(Ordering::SeqCst)
    }
}

impl Drop for SafetyWatchdog {
    fn drop(&mut self) {
        self.shared.ended.stop();
        self.thread.unpark();
    }
}

fn watch(shared: &WatchdogShared, clock: &dyn Clock, timeout: f64, action: WatchdogAction, stop_sink: &dyn StopSink) {
    loop {
        let due = shared.with_fed(|fed| fed.at) + timeout;
        if !clock.wait_until(due, &shared.ended) {
            return;
        }
        if shared.with_fed(|fed| fed.at) + timeout <= clock.now() {
            shared.has_fired.store(true, Ordering::SeqCst);
            let positions = shared.with_fed(|fed| fed.positions.clone());
            stop_sink.stop(&StopRequest { action, positions: &positions });
            return;
        }
    }
}
