//! Executors: a timed trajectory sent to functions of Python, or carried out in no time.

pub(crate) mod arguments;
pub(crate) mod callbacks;
pub(crate) mod clock;
pub(crate) mod handle;
pub(crate) mod instant;
pub(crate) mod monotonic_clock;
pub(crate) mod plan_execute;
pub(crate) mod real_time;
pub(crate) mod result;
pub(crate) mod running;
pub(crate) mod together;
pub(crate) mod watchdog;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A lock under which no Python runs.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
