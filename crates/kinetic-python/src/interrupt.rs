//! Long calls: without the GIL, and stopped by Ctrl-C.

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use kinetic::core::{Control, StopFlag, SystemClock};
use pyo3::prelude::*;

use crate::error::Result;

/// How often signals are looked at. Python's own handlers run between bytecodes; people do not notice 20 ms.
pub(crate) const SIGNAL_INTERVAL: Duration = Duration::from_millis(20);

/// A control that a flag stops, and nothing else.
pub(crate) fn stoppable() -> (StopFlag, Control) {
    let stop = StopFlag::default();
    let control = Control::new(Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, stop.clone());
    (stop, control)
}

/// Runs `work` on another thread without the GIL while this one, which may be Python's main thread, looks for signals.
///
/// When a handler raises (`KeyboardInterrupt` for Ctrl-C), `stop` is set, the end of `work` is awaited, and what the
/// handler raised is the error.
pub(crate) fn interruptible<T: Send>(py: Python<'_>, stop: &StopFlag, work: impl FnOnce() -> T + Send) -> Result<T> {
    let (value, raised) = interrupted(py, stop, work);
    raised.map_or(Ok(value), |raised| Err(raised.into()))
}

/// As [`interruptible`], with what the work came to until a handler raised, and what it raised.
pub(crate) fn interrupted<T: Send>(
    py: Python<'_>,
    stop: &StopFlag,
    work: impl FnOnce() -> T + Send,
) -> (T, Option<PyErr>) {
    py.detach(|| {
        std::thread::scope(|scope| {
            let (alive, ended) = channel::<()>();
            let worker = scope.spawn(move || {
                // Dropped when the work ends, by a panic too: then the other side is told.
                let _alive = alive;
                work()
            });
            let raised = loop {
                match ended.recv_timeout(SIGNAL_INTERVAL) {
                    Err(RecvTimeoutError::Timeout) =>
                    {
                        #[expect(clippy::redundant_closure_for_method_calls, reason = "the lifetime must be general")]
                        if let Err(raised) = Python::attach(|py| py.check_signals()) {
                            stop.stop();
                            break Some(raised);
                        }
                    }
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => break None,
                }
            };
            let value = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
            (value, raised)
        })
    })
}

/// Runs `work` that cannot be stopped on another thread without the GIL, while this one looks for signals.
///
/// When a handler raises, what it raised is the error at once. The work, which owns all that it needs, ends unheard: files
/// and meshes have a largest size, so it does end.
pub(crate) fn abandonable<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    py.detach(|| {
        let (sender, ended) = channel();
        let worker = std::thread::spawn(move || {
            // Nobody listens any more when the wait was ended by a signal.
            let _ = sender.send(work());
        });
        loop {
            match ended.recv_timeout(SIGNAL_INTERVAL) {
                Ok(value) => return Ok(value),
                #[expect(clippy::redundant_closure_for_method_calls, reason = "the lifetime must be general")]
                Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals())?,
                Err(RecvTimeoutError::Disconnected) => {
                    let panic = worker.join().err();
                    resume_unwind(panic.unwrap_or_else(|| Box::new("the work ended without a result")));
                }
            }
        }
    })
}

/// As [`interruptible`] for calls that may be long; others run on this thread, which takes less than to start one.
pub(crate) fn interruptible_if<T: Send>(
    py: Python<'_>,
    is_long: bool,
    stop: &StopFlag,
    work: impl FnOnce() -> T + Send,
) -> Result<T> {
    if is_long { interruptible(py, stop, work) } else { Ok(py.detach(work)) }
}

/// How often a lock that another thread holds is tried again.
const LOCK_INTERVAL: Duration = Duration::from_millis(1);

/// Locks what a long call on another thread may hold. It waits without the GIL, which that call needs to look for signals, and no
/// longer than until a handler raises.
pub(crate) fn locked<'a, T>(py: Python<'_>, mutex: &'a Mutex<T>) -> Result<MutexGuard<'a, T>> {
    loop {
        match mutex.try_lock() {
            Ok(guard) => return Ok(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {}
        }
        py.detach(|| std::thread::sleep(LOCK_INTERVAL));
        py.check_signals()?;
    }
}
