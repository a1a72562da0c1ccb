//! The machine's monotonic clock, with absolute sleeps.

use kinetic_core::{Clock, StopFlag, SystemClock};

/// The last part of a wait is slept at one go, s; before it, the stop flag is looked at and the thread can be woken.
#[cfg(target_os = "linux")]
const UNINTERRUPTED_SLEEP_S: f64 = 0.005;

/// `CLOCK_MONOTONIC`, counted from its creation.
///
/// On Linux the end of a wait is `clock_nanosleep` with an absolute time (POSIX.1-2008): being interrupted between reading the
/// clock and falling asleep does not delay it. Elsewhere waits are those of [`SystemClock`].
#[derive(Debug, Clone, Default)]
pub struct MonotonicClock {
    system: SystemClock,
}

impl Clock for MonotonicClock {
    fn now(&self) -> f64 {
        self.system.now()
    }

    #[cfg(not(target_os = "linux"))]
    fn wait_until(&self, time: f64, stop: &StopFlag) -> bool {
        self.system.wait_until(time, stop)
    }

    #[cfg(target_os = "linux")]
    fn wait_until(&self, time: f64, stop: &StopFlag) -> bool {
        if !self.system.wait_until(time - UNINTERRUPTED_SLEEP_S, stop) {
            return false;
        }
        while !stop.is_stopped() {
            let left = time - self.now();
            if !(left > 0.0) {
                return true;
            }
            sleep_until(left);
        }
        false
    }
}

/// Sleeps until `left` seconds from now, as an absolute time.
#[cfg(target_os = "linux")]
fn sleep_until(left: f64) {
    use rustix::time::{ClockId, Timespec, clock_gettime};

    const NANOSECONDS: i64 = 1_000_000_000;
    let now = clock_gettime(ClockId::Monotonic);
    let nanoseconds = now.tv_nsec + (left * NANOSECONDS as f64) as i64;
    let until = Timespec { tv_sec: now.tv_sec + nanoseconds / NANOSECONDS, tv_nsec: nanoseconds % NANOSECONDS };
    // Interrupted by a signal, it is tried again by who waits.
    let _ = rustix::thread::clock_nanosleep_absolute(ClockId::Monotonic, &until);
}
