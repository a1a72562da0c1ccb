//! Control of long computations and of loops in real time: clock, deadline, cancellation and progress, all injected.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{KineticError, Result};

/// A thread that waits looks at its stop flag at least this often, s.
const MAX_PARK_S: f64 = 0.01;

/// A source of time that can be waited for. Tests inject their own, so that no test waits.
pub trait Clock: Send + Sync {
    /// Seconds since a fixed moment; never decreases.
    fn now(&self) -> f64;

    /// Blocks until [`now`](Self::now) is at least `time`, or `stop` is raised. True when the time was reached, false when the
    /// flag was raised before, which is looked at first. A time that has passed, and NaN, is reached at once.
    ///
    /// The time is absolute: a loop that waits for the multiples of its period does not drift, however late each of its cycles
    /// is. [`Thread::unpark`](thread::Thread::unpark) wakes the thread to look at the flag; without, it does so every 10 ms.
    ///
    /// This implementation parks the thread, and is as exact as the timers of the operating system. Clocks of simulated time
    /// have their own.
    fn wait_until(&self, time: f64, stop: &StopFlag) -> bool {
        loop {
            if stop.is_stopped() {
                return false;
            }
            let left = time - self.now();
            if !(left > 0.0) {
                return true;
            }
            thread::park_timeout(Duration::from_secs_f64(left.min(MAX_PARK_S)));
        }
    }
}

/// The machine's monotonic clock, counted from its creation.
#[derive(Debug, Clone)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// A clock that advances by a fixed step at every reading, and to the time that is waited for: time without waiting.
///
/// For one thread: where two wait, each would move the other's time.
#[derive(Debug, Default)]
pub struct ManualClock {
    nanoseconds: AtomicU64,
    step: u64,
}

impl ManualClock {
    /// A clock that starts at 0 and advances by `step` nanoseconds per reading.
    pub fn with_step(step_nanoseconds: u64) -> Self {
        Self { nanoseconds: AtomicU64::new(0), step: step_nanoseconds }
    }

    /// Moves the clock forward.
    pub fn advance(&self, nanoseconds: u64) {
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> f64 {
        self.nanoseconds.fetch_add(self.step, Ordering::Relaxed) as f64 * 1e-9
    }

    fn wait_until(&self, time: f64, stop: &StopFlag) -> bool {
        if stop.is_stopped() {
            return false;
        }
        let whole = Duration::try_from_secs_f64(time).map(|duration| u64::try_from(duration.as_nanos()));
        // Negative times and NaN have passed; what is too large for a duration never comes.
        let mut nanoseconds = whole.map_or(if time > 0.0 { u64::MAX } else { 0 }, |whole| whole.unwrap_or(u64::MAX));
        // Rounding must not leave the clock before the time that was waited for.
        while (nanoseconds as f64 * 1e-9) < time && nanoseconds < u64::MAX {
            nanoseconds += 1;
        }
        self.nanoseconds.fetch_max(nanoseconds, Ordering::Relaxed);
        true
    }
}

/// A flag that asks a computation to stop; clones share it, so that another thread (or Ctrl-C) can set it.
#[derive(Debug, Clone, Default)]
pub struct StopFlag {
    stopped: Arc<AtomicBool>,
    parent: Option<Box<StopFlag>>,
    deadline: Option<Deadline>,
}

/// A moment on a clock.
#[derive(Clone)]
struct Deadline {
    clock: Arc<dyn Clock>,
    at: f64,
}

impl fmt::Debug for Deadline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deadline").field("at", &self.at).finish_non_exhaustive()
    }
}

impl StopFlag {
    /// A flag that is stopped with this one, and can be stopped without it.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { stopped: Arc::default(), parent: Some(Box::new(self.clone())), deadline: None }
    }

    /// A flag that is stopped with this one, and once `seconds` have passed on `clock` from now on.
    #[must_use]
    pub fn with_timeout(&self, clock: Arc<dyn Clock>, seconds: f64) -> Self {
        let at = clock.now() + seconds;
        Self { deadline: Some(Deadline { clock, at }), ..self.child() }
    }

    /// Asks to stop.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// True once a stop was asked for or the time is over, here or of a flag that this one is a child of.
    pub fn is_stopped(&self) -> bool {
        self.is_cancelled() || self.is_out_of_time()
    }

    /// True once a stop was asked for, here or of a flag that this one is a child of.
    pub fn is_cancelled(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_cancelled())
    }

    /// True once the time of [`with_timeout`](Self::with_timeout) is over, here or of a flag that this one is a child of.
    pub fn is_out_of_time(&self) -> bool {
        self.deadline.as_ref().is_some_and(|deadline| deadline.clock.now() >= deadline.at)
            || self.parent.as_ref().is_some_and(|parent| parent.is_out_of_time())
    }
}

/// Flags are equal when both or neither are stopped, so that options which hold one compare by value.
impl PartialEq for StopFlag {
    fn eq(&self, other: &Self) -> bool {
        self.is_stopped() == other.is_stopped()
    }
}

/// Budget and cancellation of one computation.
#[derive(Clone)]
pub struct Control {
    clock: Arc<dyn Clock>,
    started: f64,
    timeout: f64,
    stop: StopFlag,
    max_iterations: u64,
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("timeout", &self.timeout)
            .field("max_iterations", &self.max_iterations)
            .field("stop", &self.stop)
            .finish_non_exhaustive()
    }
}

impl Default for Control {
    fn default() -> Self {
        Self::new(Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, StopFlag::default())
    }
}

impl Control {
    /// A control whose time starts now.
    pub fn new(clock: Arc<dyn Clock>, timeout: f64, max_iterations: u64, stop: StopFlag) -> Self {
        let started = clock.now();
        Self { clock, started, timeout, stop, max_iterations }
    }

    /// The stop flag and the deadline as one flag, for searches that take a flag, such as those of inverse kinematics.
    pub fn stop_flag(&self) -> StopFlag {
        if self.timeout == f64::INFINITY {
            return self.stop.child();
        }
        self.stop.with_timeout(Arc::clone(&self.clock), self.timeout - self.elapsed())
    }

    /// The same budget with a stop flag of its own, which is stopped with this one's; and that flag.
    #[must_use]
    pub fn with_own_stop(&self) -> (Self, StopFlag) {
        let stop = self.stop.child();
        (Self { stop: stop.clone(), ..self.clone() }, stop)
    }

    /// Seconds since the start.
    pub fn elapsed(&self) -> f64 {
        self.clock.now() - self.started
    }

    /// The iteration budget.
    pub fn max_iterations(&self) -> u64 {
        self.max_iterations
    }

    /// The same clock, deadline and stop flag with an iteration budget of at most `iterations`.
    #[must_use]
    pub fn with_max_iterations(&self, iterations: u64) -> Self {
        Self { max_iterations: self.max_iterations.min(iterations), ..self.clone() }
    }

    /// The same clock and stop flag with an equal share, one of `parts`, of the time that is left and of the iterations that are
    /// left after `used`.
    #[must_use]
    pub fn share(&self, used: u64, parts: u32) -> Self {
        let max_iterations = match self.max_iterations {
            u64::MAX => u64::MAX,
            most => most.saturating_sub(used) / u64::from(parts.max(1)),
        };
        Self { max_iterations, ..self.with_share(parts) }
    }

    /// The same clock with a deadline that is at least `seconds` away: for short work that turns what was found in the last
    /// moment into something that can be used. Where the stop flag is raised already, it is exactly that far away, and the
    /// flag is not looked at again: an anytime planner that was stopped hands out the best that it found.
    #[must_use]
    pub fn with_grace(&self, seconds: f64) -> Self {
        let end = self.elapsed() + seconds;
        if self.stop.is_stopped() {
            return Self { timeout: end, stop: StopFlag::default(), ..self.clone() };
        }
        Self { timeout: self.timeout.max(end), ..self.clone() }
    }

    /// The same clock and stop flag with a deadline after one of `parts` equal parts of the time that is left: for one of several
    /// works that would each use all of it.
    #[must_use]
    pub fn with_share(&self, parts: u32) -> Self {
        let elapsed = self.elapsed();
        Self { timeout: elapsed + (self.timeout - elapsed).max(0.0) / f64::from(parts.max(1)), ..self.clone() }
    }

    /// The same clock and stop flag with a deadline that leaves this part of the time that is left, at most `seconds`, to what follows.
    #[must_use]
    pub fn with_reserve(&self, part: f64, seconds: f64) -> Self {
        let left = (self.timeout - self.elapsed()).max(0.0);
        Self { timeout: self.timeout - (part * left).min(seconds), ..self.clone() }
    }

    /// True when the search should end: stopped, out of time, or out of iterations.
    pub fn is_over(&self, iterations: u64) -> bool {
        iterations >= self.max_iterations || self.stop.is_stopped() || self.elapsed() >= self.timeout
    }

    /// The error that says why the search ended.
    pub fn error(&self, iterations: u64) -> KineticError {
        let elapsed = self.elapsed();
        if self.stop.is_cancelled() {
            return KineticError::Cancelled { elapsed, iterations };
        }
        KineticError::PlanningTimeout { elapsed, iterations }
    }

    /// # Errors
    /// [`error`](Self::error) when [`is_over`](Self::is_over).
    pub fn check(&self, iterations: u64) -> Result<()> {
        if self.is_over(iterations) { Err(self.error(iterations)) } else { Ok(()) }
    }
}
