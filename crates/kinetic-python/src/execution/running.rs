//! What runs in this process, so that it ends before Python does.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kinetic::core::StopFlag;
use kinetic::execution::{Handle, StopMode};
use pyo3::prelude::*;

use crate::execution::callbacks::Raised;
use crate::execution::lock;

/// How long one wait for an end is, where the end is waited for in turns.
pub(crate) const POLL: Duration = Duration::from_millis(20);

/// How long the end of Python waits for a call of a driver that the watchdog has given up: a thread that is inside of Python
/// when it ends takes the process with it. One that never returns is left alone.
const GRACE: Duration = Duration::from_millis(500);

/// An execution and what its functions have raised.
pub(crate) struct Execution {
    pub(crate) handle: Handle,
    pub(crate) raised: Arc<Raised>,
}

static RUNNING: Mutex<Vec<Arc<Execution>>> = Mutex::new(Vec::new());

/// Remembers an execution until it has ended.
pub(crate) fn remember(execution: &Arc<Execution>) {
    forget_ended();
    lock(&RUNNING).push(Arc::clone(execution));
}

/// Forgets what has ended. It is dropped without the lock: that may run Python.
pub(crate) fn forget_ended() {
    let ended: Vec<Arc<Execution>> = {
        let mut running = lock(&RUNNING);
        running.extract_if(.., |execution| execution.handle.has_ended()).collect()
    };
    drop(ended);
}

/// The flags that end the loops of planning and execution which run, with their numbers.
static LOOPS: Mutex<Vec<(u64, StopFlag)>> = Mutex::new(Vec::new());
static NEXT_LOOP: AtomicU64 = AtomicU64::new(0);

/// A loop runs, as long as this is kept.
pub(crate) struct RunningLoop(u64);

impl RunningLoop {
    /// With the flag that ends it.
    pub(crate) fn begin(stop: &StopFlag) -> Self {
        let number = NEXT_LOOP.fetch_add(1, Ordering::Relaxed);
        lock(&LOOPS).push((number, stop.clone()));
        Self(number)
    }
}

impl Drop for RunningLoop {
    fn drop(&mut self) {
        lock(&LOOPS).retain(|(number, _)| *number != self.0);
    }
}

/// Stops all executions along their paths and waits for their ends: Python is about to end.
#[pyfunction]
pub(crate) fn _end_executions(py: Python<'_>) {
    let running = std::mem::take(&mut *lock(&RUNNING));
    lock(&LOOPS).iter().for_each(|(_, stop)| stop.stop());
    py.detach(|| {
        while !lock(&LOOPS).is_empty() {
            std::thread::sleep(POLL);
        }
        for execution in &running {
            execution.handle.stop(StopMode::Path);
        }
        for execution in &running {
            // The watchdog ends those whose driver does not return.
            while execution.handle.wait(Some(POLL)).is_none() {}
        }
        let began = Instant::now();
        while began.elapsed() < GRACE && running.iter().any(|execution| !execution.handle.has_ended()) {
            std::thread::sleep(Duration::from_millis(1));
        }
    });
}
