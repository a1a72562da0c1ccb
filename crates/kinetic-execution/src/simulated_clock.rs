//! Simulated time for several threads.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

use kinetic_core::{Clock, StopFlag};

/// Time that goes on without waiting, for tests of drivers and of faults.
///
/// It stands still until all threads that take part in it wait, and then goes on to the first time that is waited for. The
/// threads of an execution [take part](crate::RealTimeExecutor::with_simulated_clock); a driver that waits for the clock in
/// a call is one that takes that long.
///
/// ```
/// use kinetic_core::{Clock, StopFlag};
/// let clock = kinetic_execution::SimulatedClock::new();
/// assert!(clock.wait_until(3600.0, &StopFlag::default()));
/// assert_eq!(clock.now(), 3600.0);
/// ```
#[derive(Debug, Default)]
pub struct SimulatedClock(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    now: f64,
    participants: usize,
    waiters: Vec<(f64, Thread)>,
}

impl State {
    fn wake(&self) {
        self.waiters.iter().for_each(|(_, thread)| thread.unpark());
    }

    /// Goes on to the first time that is waited for; false when somebody does not wait yet, or all wait for ever.
    fn go_on(&mut self) -> bool {
        let next = self.waiters.iter().map(|(time, _)| *time).fold(f64::INFINITY, f64::min);
        let is_possible = self.waiters.len() >= self.participants && next.is_finite();
        if is_possible {
            self.now = next;
            self.wake();
            self.waiters.retain(|(time, _)| *time > next);
        }
        is_possible
    }
}

impl SimulatedClock {
    /// A clock that stands at 0.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Lets `seconds` pass at once; a negative number is a clock that was set back.
    pub fn advance(&self, seconds: f64) {
        let mut state = self.lock();
        state.now += seconds;
        state.wake();
    }

    /// Says that a thread will wait for this clock, until what is returned is dropped.
    pub(crate) fn participate(self: &Arc<Self>) -> Participant {
        self.lock().participants += 1;
        Participant(Arc::clone(self))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No call of others happens under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for SimulatedClock {
    fn now(&self) -> f64 {
        self.lock().now
    }

    fn wait_until(&self, time: f64, stop: &StopFlag) -> bool {
        let me = thread::current();
        loop {
            let mut state = self.lock();
            let is_over = !(time > state.now);
            if is_over || stop.is_stopped() {
                state.waiters.retain(|(_, thread)| thread.id() != me.id());
                return !stop.is_stopped();
            }
            if state.waiters.iter().all(|(_, thread)| thread.id() != me.id()) {
                state.waiters.push((time, me.clone()));
            }
            if !state.go_on() {
                drop(state);
                thread::park();
            }
        }
    }
}

/// A thread that waits for the clock.
pub(crate) struct Participant(Arc<SimulatedClock>);

impl Drop for Participant {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.participants -= 1;
        state.wake();
    }
}
