//! The loop of the commands, one cycle after another on an absolute schedule.

use std::sync::mpsc::Receiver;

use kinetic_core::{Clock, KineticError, Result, StopFlag};
use kinetic_trajectory::MotionLimits;
use kinetic_trajectory::online::Playback;

use crate::checks::Prepared;
use crate::config::ExecutionConfig;
use crate::driver::DriverError;
use crate::group::{Group, Measurement};
use crate::jitter::JitterHistogram;
use crate::motion::Motion;
use crate::privileges::RealTimePrivileges;
use crate::progress::{Listener, Progress};
use crate::result::{ExecutionResult, ExecutionState, StopMode, StopReport};
use crate::schedule::{Schedule, cycle_after};
use crate::shared::Shared;
use crate::stop_channels::StopChannels;
use crate::watchdog::overdue;

/// What is asked of a running execution.
pub(crate) enum Request {
    Pause,
    Resume,
    SetSpeed(f64),
    Stop(StopMode),
    Splice(Box<Prepared>),
    TakeOver(Box<Takeover>),
}

/// A trajectory that takes over from the running one, in whose state at `from` it begins.
pub(crate) struct Takeover {
    pub(crate) prepared: Prepared,
    pub(crate) from: f64,
}

/// One execution.
pub(crate) struct Cycle<'a, 'd> {
    schedule: Schedule<'a>,
    shared: &'a Shared,
    config: &'a ExecutionConfig,
    stop: &'a StopFlag,
    groups: &'a mut [Group<'d>],
    stops: &'a StopChannels,
    requests: &'a Receiver<Request>,
    listener: Option<&'a Listener>,
    motion: Motion,
    result: ExecutionResult,
    error: Option<KineticError>,
    /// How much of the trajectory should have passed, s.
    passed: f64,
    /// What the trajectory is left for.
    splice: Option<Box<Prepared>>,
    /// What takes over once the trajectory is where it begins.
    next: Option<Box<Takeover>>,
    /// Number of trajectories that were spliced in.
    splices: usize,
}

/// What an execution needs.
pub(crate) struct Parts<'a, 'd> {
    pub(crate) clock: &'a dyn Clock,
    pub(crate) shared: &'a Shared,
    pub(crate) config: &'a ExecutionConfig,
    /// Ends it along its path when it is raised.
    pub(crate) stop: &'a StopFlag,
    /// The drivers, which get their commands one after the other.
    pub(crate) groups: &'a mut [Group<'d>],
    pub(crate) stops: &'a StopChannels,
    pub(crate) requests: &'a Receiver<Request>,
    pub(crate) listener: Option<&'a Listener>,
    /// What the thread of the commands was granted.
    pub(crate) realtime: RealTimePrivileges,
}

impl<'a, 'd> Cycle<'a, 'd> {
    pub(crate) fn new(parts: Parts<'a, 'd>, playback: Playback, limits: MotionLimits, is_verified: bool) -> Self {
        let Parts { clock, shared, config, stop, groups, stops, requests, listener, realtime } = parts;
        let expected_duration = playback.trajectory().duration();
        shared.follow(playback.trajectory());
        let result = ExecutionResult {
            state: ExecutionState::Running,
            actual_duration: 0.0,
            expected_duration,
            max_deviation: None,
            commands_sent: 0,
            final_positions: Vec::new(),
            missed_cycles: 0,
            jitter: JitterHistogram::default(),
            realtime,
            verified: is_verified,
            stop: None,
        };
        Self {
            schedule: Schedule::new(clock),
            shared,
            config,
            stop,
            groups,
            stops,
            requests,
            listener,
            motion: Motion::new(playback, limits, config.velocity_scale),
            result,
            error: None,
            passed: 0.0,
            splice: None,
            next: None,
            splices: 0,
        }
    }

    /// What is known of an execution that ends in a panic of the driver.
    pub(crate) fn aborted(&self) -> ExecutionResult {
        let final_positions = self.motion.state().positions.clone();
        ExecutionResult { state: ExecutionState::Aborted, final_positions, ..self.result.clone() }
    }

    /// Carries the trajectory out; answers with how it went, and the error with which it ended.
    pub(crate) fn run(mut self) -> (ExecutionResult, Option<KineticError>) {
        if let Err(error) = self.cycles() {
            self.error.get_or_insert(error);
        }
        // From now on the watchdog does not fire any more; if it has, it says why.
        if !self.shared.block() && self.error.is_none() {
            self.error = self.shared.wait_for_error();
        }
        self.result.max_deviation = self.groups.iter().filter_map(Group::largest_deviation).reduce(f64::max);
        self.result.final_positions.clone_from(&self.motion.state().positions);
        self.error = self.shared.error().or(self.error);
        self.result.state = match &self.error {
            Some(_) => ExecutionState::Aborted,
            None if self.motion.is_completed() => ExecutionState::Completed,
            None => ExecutionState::Stopped,
        };
        (self.result, self.error)
    }

    /// Every cycle until the motion has ended.
    ///
    /// # Errors
    /// The fault after which no command is sent.
    fn cycles(&mut self) -> Result<()> {
        let period = self.config.period();
        let (mut cycle, mut before) = (0_u64, 0_u64);
        loop {
            let now = self.schedule.now();
            let dt = (cycle - before) as f64 * period;
            self.check_gap(now)?;
            self.take_requests(now)?;
            self.splice(now)?;
            self.take_over(now)?;
            self.check_feedback(now)?;
            self.check_stop(now)?;
            self.check_duration(now, dt)?;
            if cycle > 0 {
                self.motion.advance(dt)?;
            }
            self.send(cycle as f64 * period)?;
            self.tell(now);
            if self.motion.is_ended() {
                return Ok(());
            }
            before = cycle;
            cycle = (cycle + 1).max(cycle_after(self.schedule.now(), period));
            self.result.missed_cycles += cycle - before - 1;
            self.schedule.wait_until(cycle as f64 * period);
        }
    }

    /// Refuses to go on after a gap in which no command was sent: the clock has jumped, or the thread did not run.
    fn check_gap(&mut self, now: f64) -> Result<()> {
        let gap = now - self.result.actual_duration;
        let limit = self.config.period() + self.config.command_timeout();
        if gap > limit && self.result.commands_sent > 0 {
            let error = overdue(gap, limit, self.stops.reach_all());
            return Err(self.give_up(error));
        }
        Ok(())
    }

    fn take_requests(&mut self, now: f64) -> Result<()> {
        while let Ok(request) = self.requests.try_recv() {
            match request {
                Request::Pause => self.motion.set_paused(true),
                Request::Resume => self.motion.set_paused(false),
                Request::SetSpeed(speed) => self.motion.set_speed(speed),
                Request::Stop(mode) => self.begin_stop(mode, now)?,
                Request::Splice(prepared) => self.splice = Some(prepared),
                Request::TakeOver(next) => self.next = Some(next),
            }
        }
        Ok(())
    }

    /// Leaves for what was spliced in, as soon as the limits can be held from here on.
    fn splice(&mut self, now: f64) -> Result<()> {
        if self.motion.stop_mode().is_some() {
            return Ok(());
        }
        let motion = &self.motion;
        let Some(next) = self.splice.take_if(|next| !next.limits.is_bound_to_leave(motion.state())) else {
            return Ok(());
        };
        self.result.expected_duration = now + self.motion.splice(next.playback, next.limits)?;
        self.note_splice(next.is_verified);
        Ok(())
    }

    /// Goes on with what was spliced in, from the moment at which it begins on the running trajectory.
    ///
    /// Where it has left that by now, the robot stops along its path: what it was spliced in for may lie ahead. A change of the
    /// speed ends first.
    fn take_over(&mut self, now: f64) -> Result<()> {
        let is_steady = !self.motion.is_changing_speed();
        let Some(next) = self.next.take_if(|next| is_steady && self.motion.time() >= next.from) else { return Ok(()) };
        if self.motion.stop_mode().is_some() {
            return Ok(());
        }
        let Takeover { prepared: Prepared { playback, limits, is_verified }, from } = *next;
        let (trajectory, late) = (playback.trajectory().clone(), self.motion.time() - from);
        if !self.motion.take_over(playback, from, limits)? {
            let reason = format!(
                "the spliced trajectory is no longer on the one that runs {late:.3} s after {from:.3} s, at which it begins: \
                 it was asked for too late for its latency"
            );
            return self.stop_because(KineticError::Aborted { reason }, now);
        }
        self.result.expected_duration = now + trajectory.duration() - late;
        self.shared.follow(&trajectory);
        self.note_splice(is_verified);
        Ok(())
    }

    fn note_splice(&mut self, is_verified: bool) {
        self.result.verified &= is_verified;
        self.passed = 0.0;
        self.splices += 1;
    }

    fn begin_stop(&mut self, mode: StopMode, now: f64) -> Result<()> {
        if self.motion.begin_stop(mode)? {
            let mode = self.motion.stop_mode().unwrap_or(mode);
            self.result.stop = Some(StopReport { mode, began: now, within_limits: mode != StopMode::Hard });
        }
        Ok(())
    }

    /// Begins to stop along the path, because of a fault of the robot; the driver still takes commands.
    fn stop_because(&mut self, error: KineticError, now: f64) -> Result<()> {
        if self.error.is_none() {
            self.error = Some(error);
            self.begin_stop(StopMode::Path, now)?;
        }
        Ok(())
    }

    fn check_feedback(&mut self, now: f64) -> Result<()> {
        let scaling = self.working_groups().map(Group::speed_scaling);
        // What is no number is a controller that does not move; `f64::min` would pass over it.
        let scaling = scaling.fold(1.0, |a, b| if b.is_nan() { 0.0 } else { f64::min(a, b) });
        self.motion.set_scaling(scaling);
        for group in 0..self.groups.len() {
            if !self.groups[group].has_failed {
                let measurement = self.groups[group].measure(now, self.motion.state());
                self.judge(measurement, group, now)?;
            }
        }
        Ok(())
    }

    fn working_groups(&mut self) -> impl Iterator<Item = &mut Group<'d>> {
        self.groups.iter_mut().filter(|group| !group.has_failed)
    }

    /// Stops on the path for what was measured of a group, or was not.
    fn judge(&mut self, measurement: Measurement, group: usize, now: f64) -> Result<()> {
        match measurement {
            Measurement::Silent(after) if self.config.require_feedback => {
                // Before the first command nobody knows where the robot stands.
                let is_first = self.result.commands_sent == 0;
                if !is_first && after <= self.config.command_timeout() {
                    return Ok(());
                }
                let lost = KineticError::FeedbackLost { after, joints: self.groups[group].joint_names() };
                if is_first { Err(lost) } else { self.stop_because(lost, now) }
            }
            // Nothing was commanded yet: the robot stands elsewhere.
            Measurement::Deviates(error) if self.result.commands_sent == 0 => Err(error),
            Measurement::Deviates(error) => self.stop_because(error, now),
            Measurement::Fine | Measurement::Silent(_) => Ok(()),
        }
    }

    /// Begins to stop when the flag is raised, which a source of feedback may do as well.
    fn check_stop(&mut self, now: f64) -> Result<()> {
        if !self.stop.is_stopped() || self.motion.stop_mode().is_some() {
            return Ok(());
        }
        if self.result.commands_sent == 0 {
            return Err(KineticError::Aborted { reason: "a stop was asked for before the first command".to_owned() });
        }
        self.begin_stop(StopMode::Path, now)
    }

    fn check_duration(&mut self, now: f64, dt: f64) -> Result<()> {
        self.passed += dt * self.motion.expected_rate();
        let limit = self.config.timeout_factor * self.result.expected_duration;
        // The last cycle ends up to a period after the trajectory.
        if self.passed > limit + 2.0 * self.config.period() && self.motion.stop_mode().is_none() {
            return self.stop_because(KineticError::ExecutionTimeout { after: now, limit }, now);
        }
        Ok(())
    }

    /// Sends the state that is due at `scheduled`.
    fn send(&mut self, scheduled: f64) -> Result<()> {
        let began = self.schedule.now();
        let mut is_sent = false;
        for group in 0..self.groups.len() {
            if self.groups[group].has_failed {
                continue;
            }
            let call_began = self.schedule.now();
            if !self.shared.enter_call(self.schedule.clock.now(), &self.motion.state().positions) {
                return Err(self.blocked());
            }
            let sent = self.groups[group].send(self.motion.state());
            let is_in_time = self.shared.leave_call(self.schedule.clock.now());
            if !is_sent {
                self.count(began, scheduled);
                is_sent = true;
            }
            if let Err(reason) = sent {
                self.driver_failed(group, call_began, reason)?;
            }
            self.check_call(call_began, is_in_time)?;
        }
        Ok(())
    }

    fn count(&mut self, began: f64, scheduled: f64) {
        self.result.commands_sent += 1;
        self.result.jitter.add(began - scheduled);
        self.result.actual_duration = began;
    }

    /// Refuses to go on after a call that lasted too long.
    fn check_call(&mut self, began: f64, is_in_time: bool) -> Result<()> {
        if !is_in_time {
            return Err(self.blocked());
        }
        let (after, limit) = (self.schedule.now() - began, self.config.command_timeout());
        if after > limit {
            let error = overdue(after, limit, self.stops.reach_all());
            return Err(self.give_up(error));
        }
        Ok(())
    }

    /// A driver has refused a command: it gets no other one, and its robot is stopped through the second channel. The other
    /// groups stop on their path, from the next cycle on.
    ///
    /// # Errors
    /// The fault, where there is no other group, or their robots cannot be told apart.
    fn driver_failed(&mut self, group: usize, began: f64, reason: DriverError) -> Result<()> {
        self.groups[group].has_failed = true;
        let error = KineticError::CommandFailed { after: began, reason: reason.to_string() };
        if self.working_groups().next().is_none() || !self.stops.are_separate() {
            return Err(self.give_up(error));
        }
        self.stops.stop_group(group, self.config.stop_action(), self.shared);
        self.stop_because(error, began + self.config.period())
    }

    /// Sends nothing more, and stops the robots through the second channels.
    fn give_up(&self, error: KineticError) -> KineticError {
        if self.shared.block() {
            self.stops.stop(self.config.stop_action(), self.shared);
        }
        error
    }

    /// The error of the watchdog, which has fired.
    fn blocked(&self) -> KineticError {
        let reason = || "no more commands are sent: the watchdog has fired".to_owned();
        self.shared.wait_for_error().unwrap_or_else(|| KineticError::Aborted { reason: reason() })
    }

    fn tell(&self, now: f64) {
        let state = match (self.motion.stop_mode(), self.motion.is_paused()) {
            (Some(_), _) => ExecutionState::Stopping,
            (None, true) => ExecutionState::Paused,
            (None, false) => ExecutionState::Running,
        };
        self.shared.set_state(state);
        self.shared.set_time(self.motion.time());
        if let Some(listener) = self.listener {
            let (positions, fraction, splices) = (&self.motion.state().positions, self.motion.fraction(), self.splices);
            listener(&Progress { elapsed: now, fraction, splices, state, positions });
        }
    }
}
