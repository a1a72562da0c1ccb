//! The watchdog: a thread that stops the robot when the driver does not take commands.

use kinetic_core::{Clock, KineticError};

use crate::config::{ExecutionConfig, WatchdogAction};
use crate::real_time_request::request;
use crate::shared::Shared;
use crate::simulated_clock::Participant;
use crate::stop_channels::StopChannels;

/// How long it waits, and what it does then.
pub(crate) struct Watchdog<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) clock: &'a dyn Clock,
    /// Of a clock of simulated time, which waits for this thread as long as it watches.
    _participant: Option<Participant>,
    pub(crate) stops: &'a StopChannels,
    /// A call may last this long, s.
    call_limit: f64,
    /// From one command that was taken to the next, s.
    taken_limit: f64,
    action: WatchdogAction,
    /// Above that of the thread of the commands, which may keep a core to itself.
    real_time_priority: Option<u32>,
}

impl<'a> Watchdog<'a> {
    pub(crate) fn new(
        shared: &'a Shared,
        clock: &'a dyn Clock,
        participant: Option<Participant>,
        stops: &'a StopChannels,
        config: &ExecutionConfig,
    ) -> Self {
        let call_limit = config.command_timeout();
        let taken_limit = config.watchdog.map_or(f64::INFINITY, |watchdog| watchdog.timeout_ms * 1e-3);
        let taken_limit = taken_limit.min(config.period() + call_limit);
        let action = config.stop_action();
        let real_time_priority = config.real_time_priority.map(|priority| priority + 1);
        Self { shared, clock, _participant: participant, stops, call_limit, taken_limit, action, real_time_priority }
    }

    /// Watches until the execution has ended.
    pub(crate) fn run(&self) {
        // What is refused here was refused to the thread of the commands, which tells.
        request(self.real_time_priority);
        loop {
            let taken = self.shared.command_taken();
            let call = self.shared.call_began().unwrap_or(f64::INFINITY);
            let due = (taken + self.taken_limit).min(call + self.call_limit);
            // The end is looked at first: a wait for a time that has passed says so.
            if !self.clock.wait_until(due, &self.shared.ended) {
                return;
            }
            let is_same = self.shared.command_taken() == taken;
            let now = self.clock.now();
            if is_same && now >= due {
                self.fire(now - taken);
                return;
            }
        }
    }

    fn fire(&self, after: f64) {
        if !self.shared.fire() {
            return;
        }
        self.stops.stop(self.action, self.shared);
        self.shared.fail(&overdue(after, self.call_limit.min(self.taken_limit), self.stops.reach_all()));
    }
}

/// The error of a command that was not taken in time.
pub(crate) fn overdue(after: f64, limit: f64, is_stopped: bool) -> KineticError {
    if is_stopped {
        return KineticError::CommandTimeout { after, limit };
    }
    let reason = format!(
        "no command was taken for {after:.3} s (at most {limit} s); without a stop sink the robot was not told to stop, and no \
         more commands are sent"
    );
    KineticError::Aborted { reason }
}
