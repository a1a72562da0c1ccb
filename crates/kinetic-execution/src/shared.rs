//! What the thread of the commands, the watchdog and the handle share. No lock is held while the driver is called.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kinetic_core::{KineticError, Result, StopFlag, TimedTrajectory};

use crate::result::{ExecutionResult, ExecutionState};

/// No call of the driver is under way.
const OPEN: u8 = 0;
/// One is.
const IN_CALL: u8 = 1;
/// None may begin any more.
const BLOCKED: u8 = 2;

/// What is known of an execution.
#[derive(Debug)]
struct Status {
    state: ExecutionState,
    error: Option<KineticError>,
    result: Option<ExecutionResult>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    status: Mutex<Status>,
    changed: Condvar,
    gate: AtomicU8,
    fired: AtomicBool,
    /// Bits of the times at which the last call began and at which the driver took the last command.
    call_began: AtomicU64,
    command_taken: AtomicU64,
    positions: Mutex<Vec<f64>>,
    /// The trajectory that is followed, and the time on it.
    followed: Mutex<Option<(TimedTrajectory, f64)>>,
    /// Raised when the last command was sent: the watchdog ends.
    pub(crate) ended: StopFlag,
}

/// A panic of a listener leaves nothing half-done in what these locks hold.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Of an execution that is about to [begin](Self::begin), by a robot that stands at `positions`.
    pub(crate) fn new(positions: &[f64]) -> Self {
        Self {
            status: Mutex::new(Status { state: ExecutionState::Running, error: None, result: None }),
            changed: Condvar::new(),
            gate: AtomicU8::new(OPEN),
            fired: AtomicBool::new(false),
            call_began: AtomicU64::new(0),
            command_taken: AtomicU64::new(0),
            positions: Mutex::new(positions.to_vec()),
            followed: Mutex::new(None),
            ended: StopFlag::default(),
        }
    }

    /// Says that the execution begins now.
    pub(crate) fn begin(&self, now: f64) {
        self.command_taken.store(now.to_bits(), Ordering::SeqCst);
    }

    /// Says that a call of the driver begins; false when none may.
    pub(crate) fn enter_call(&self, now: f64, positions: &[f64]) -> bool {
        lock(&self.positions).copy_from_slice(positions);
        self.call_began.store(now.to_bits(), Ordering::SeqCst);
        self.gate.compare_exchange(OPEN, IN_CALL, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    /// Says that the driver has taken the command; false when the watchdog has fired meanwhile.
    pub(crate) fn leave_call(&self, now: f64) -> bool {
        self.command_taken.store(now.to_bits(), Ordering::SeqCst);
        self.gate.compare_exchange(IN_CALL, OPEN, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    /// When the call that is under way began.
    pub(crate) fn call_began(&self) -> Option<f64> {
        // The gate first: the time of a call is written before the gate says that it is under way.
        let is_in_call = self.gate.load(Ordering::SeqCst) == IN_CALL;
        is_in_call.then(|| f64::from_bits(self.call_began.load(Ordering::SeqCst)))
    }

    /// When the driver took the last command, or the execution began.
    pub(crate) fn command_taken(&self) -> f64 {
        f64::from_bits(self.command_taken.load(Ordering::SeqCst))
    }

    /// No call of the driver begins from now on. True when it was possible before.
    pub(crate) fn block(&self) -> bool {
        self.gate.swap(BLOCKED, Ordering::SeqCst) != BLOCKED
    }

    /// No call of the driver begins from now on, because of the watchdog. False when that was so before.
    pub(crate) fn fire(&self) -> bool {
        let is_first = self.block();
        self.fired.store(is_first, Ordering::SeqCst);
        is_first
    }

    /// True when the watchdog has ended the execution.
    pub(crate) fn has_fired(&self) -> bool {
        self.fired.load(Ordering::SeqCst)
    }

    /// Positions of the last command that was begun.
    pub(crate) fn positions(&self) -> Vec<f64> {
        lock(&self.positions).clone()
    }

    /// Says which trajectory is followed from now on.
    pub(crate) fn follow(&self, trajectory: &TimedTrajectory) {
        *lock(&self.followed) = Some((trajectory.clone(), 0.0));
    }

    /// Says where on the trajectory the last command was, s.
    pub(crate) fn set_time(&self, time: f64) {
        if let Some((_, now)) = &mut *lock(&self.followed) {
            *now = time;
        }
    }

    /// The trajectory that is followed, and the time on it of the last command, s; `None` before the first one.
    pub(crate) fn followed(&self) -> Option<(TimedTrajectory, f64)> {
        lock(&self.followed).clone()
    }

    pub(crate) fn state(&self) -> ExecutionState {
        lock(&self.status).state
    }

    /// Says what is going on; what has ended stays so.
    pub(crate) fn set_state(&self, state: ExecutionState) {
        let mut status = lock(&self.status);
        if !status.state.is_final() {
            status.state = state;
        }
    }

    /// Ends with an error, before the thread of the commands does. The first error stays.
    pub(crate) fn fail(&self, error: &KineticError) {
        let mut status = lock(&self.status);
        status.state = ExecutionState::Aborted;
        status.error.get_or_insert_with(|| error.clone());
        self.changed.notify_all();
    }

    /// The error with which it has ended so far.
    pub(crate) fn error(&self) -> Option<KineticError> {
        lock(&self.status).error.clone()
    }

    /// Waits for the error of the watchdog, which has blocked the driver and is about to say why.
    pub(crate) fn wait_for_error(&self) -> Option<KineticError> {
        let waiting = self.changed.wait_while(lock(&self.status), |status| status.error.is_none());
        waiting.unwrap_or_else(PoisonError::into_inner).error.clone()
    }

    /// Keeps the result of the thread of the commands.
    pub(crate) fn finish(&self, result: ExecutionResult, error: Option<KineticError>) {
        let mut status = lock(&self.status);
        status.error = status.error.take().or(error);
        status.state = if status.error.is_some() { ExecutionState::Aborted } else { result.state };
        status.result = Some(result);
        self.changed.notify_all();
    }

    /// The result, once the thread of the commands has ended.
    pub(crate) fn result(&self) -> Option<ExecutionResult> {
        lock(&self.status).result.clone()
    }

    /// True when the thread of the commands has ended.
    pub(crate) fn has_ended(&self) -> bool {
        lock(&self.status).result.is_some()
    }

    /// Waits for the end; `None` when it has not come in time.
    pub(crate) fn wait(&self, timeout: Option<Duration>) -> Option<Result<ExecutionResult>> {
        let is_open = |status: &mut Status| status.error.is_none() && status.result.is_none();
        let status = lock(&self.status);
        let status = match timeout {
            None => self.changed.wait_while(status, is_open).unwrap_or_else(PoisonError::into_inner),
            Some(timeout) => {
                let waited = self.changed.wait_timeout_while(status, timeout, is_open);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        match (&status.error, &status.result) {
            (Some(error), _) => Some(Err(error.clone())),
            (None, Some(result)) => Some(Ok(result.clone())),
            (None, None) => None,
        }
    }
}
