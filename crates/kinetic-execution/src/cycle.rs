//! The loop of the commands, one cycle after another on an absolute schedule.

use std::sync::mpsc::Receiver;

use kinetic_core::{Clock, KineticError, Result, StopFlag};
use kinetic_trajectory::MotionLimits;
use kinetic_trajectory::online::Playback;

use crate::config::ExecutionConfig;
use crate::deviation::DeviationMonitor;
use crate::driver::{CommandSink, FeedbackSource, StopSink};
use crate::jitter::JitterHistogram;
use crate::motion::Motion;
use crate::privileges::RealTimePrivileges;
use crate::progress::{Listener, Progress};
use crate::result::{ExecutionResult, ExecutionState, StopMode, StopReport};
use crate::shared::Shared;
use crate::watchdog::{overdue, stop};

/// What is asked of a running execution.
pub(crate) enum Request {
    Pause,
    Resume,
    SetSpeed(f64),
    Stop(StopMode),
    Splice { playback: Box<Playback>, limits: MotionLimits, is_verified: bool },
}

/// A clock whose time never goes back, counted from the first cycle.
struct Schedule<'a> {
    clock: &'a dyn Clock,
    /// What is taken off the clock: its reading at the first cycle, less what it went back since.
    origin: f64,
    last: f64,
}

impl<'a> Schedule<'a> {
    fn new(clock: &'a dyn Clock) -> Self {
        Self { clock, origin: clock.now(), last: 0.0 }
    }

    fn now(&mut self) -> f64 {
        let now = self.clock.now() - self.origin;
        if now < self.last {
            self.origin -= self.last - now;
        }
        self.last = self.last.max(now);
        self.last
    }

    fn wait_until(&self, time: f64) {
        self.clock.wait_until(self.origin + time, &StopFlag::default());
    }
}

/// Number of the first cycle that begins at `time`, s, or later.
#[expect(clippy::cast_sign_loss, reason = "times of a schedule are not negative")]
fn cycle_after(time: f64, period: f64) -> u64 {
    (time / period).ceil() as u64
}

/// One execution.
pub(crate) struct Cycle<'a> {
    schedule: Schedule<'a>,
    shared: &'a Shared,
    config: &'a ExecutionConfig,
    stop: &'a StopFlag,
    sink: &'a mut dyn CommandSink,
    feedback: Option<&'a mut dyn FeedbackSource>,
    stop_sink: Option<&'a dyn StopSink>,
    requests: &'a Receiver<Request>,
    listener: Option<&'a Listener>,
    motion: Motion,
    monitor: DeviationMonitor,
    /// Memory for a measurement.
    measured: Vec<f64>,
    result: ExecutionResult,
    error: Option<KineticError>,
    /// When there was feedback last, and how much of the trajectory should have passed.
    heard: f64,
    passed: f64,
}

/// What an execution needs.
pub(crate) struct Parts<'a> {
    pub(crate) clock: &'a dyn Clock,
    pub(crate) shared: &'a Shared,
    pub(crate) config: &'a ExecutionConfig,
    /// Ends it along its path when it is raised.
    pub(crate) stop: &'a StopFlag,
    pub(crate) sink: &'a mut dyn CommandSink,
    pub(crate) feedback: Option<&'a mut dyn FeedbackSource>,
    pub(crate) stop_sink: Option<&'a dyn StopSink>,
    pub(crate) requests: &'a Receiver<Request>,
    pub(crate) listener: Option<&'a Listener>,
    /// What the thread of the commands was granted.
    pub(crate) realtime: RealTimePrivileges,
}

impl<'a> Cycle<'a> {
    pub(crate) fn new(parts: Parts<'a>, playback: Playback, limits: MotionLimits, is_verified: bool) -> Self {
        let Parts { clock, shared, config, stop, sink, feedback, stop_sink, requests, listener, realtime } = parts;
        let trajectory = playback.trajectory();
        let (dof, expected_duration) = (trajectory.dof(), trajectory.duration());
        let monitor = DeviationMonitor::new(trajectory.joint_names(), dof, config);
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
            sink,
            feedback,
            stop_sink,
            requests,
            listener,
            motion: Motion::new(playback, limits, config.velocity_scale),
            monitor,
            measured: vec![0.0; dof],
            result,
            error: None,
            heard: 0.0,
            passed: 0.0,
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
        self.result.max_deviation = self.monitor.largest();
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
            let error = overdue(gap, limit, self.stop_sink.is_some());
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
                Request::Splice { playback, limits, is_verified } if self.motion.stop_mode().is_none() => {
                    self.result.expected_duration = now + self.motion.splice(*playback, limits)?;
                    self.result.verified &= is_verified;
                    self.passed = 0.0;
                }
                Request::Splice { .. } => {}
            }
        }
        Ok(())
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
        let Some(feedback) = self.feedback.as_deref_mut() else { return Ok(()) };
        self.motion.set_scaling(feedback.speed_scaling());
        let commanded = self.motion.state();
        let Some(positions) = feedback.read_positions() else {
            let after = now - self.heard;
            if !self.config.require_feedback {
                return Ok(());
            }
            let lost = KineticError::FeedbackLost { after };
            return match self.result.commands_sent {
                // Nobody knows where the robot stands.
                0 => Err(lost),
                _ if after > self.config.command_timeout() => self.stop_because(lost, now),
                _ => Ok(()),
            };
        };
        self.heard = now;
        self.measured.clear();
        self.measured.extend_from_slice(positions);
        let velocities = feedback.read_velocities().map(|measured| [measured, &commanded.velocities[..]]);
        match self.monitor.check(now, [&self.measured, &commanded.positions], velocities) {
            Ok(()) => Ok(()),
            // Nothing was commanded yet: the robot stands elsewhere.
            Err(error) if self.result.commands_sent == 0 => Err(error),
            Err(error) => self.stop_because(error, now),
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
        let state = self.motion.state();
        let began = self.schedule.now();
        if !self.shared.enter_call(self.schedule.clock.now(), &state.positions) {
            return Err(self.blocked());
        }
        let sent = self.sink.send_command(&state.positions, &state.velocities);
        let is_in_time = self.shared.leave_call(self.schedule.clock.now());
        self.result.commands_sent += 1;
        self.result.jitter.add(began - scheduled);
        self.result.actual_duration = began;
        if let Err(reason) = sent {
            let error = KineticError::CommandFailed { after: began, reason: reason.to_string() };
            return Err(self.give_up(error));
        }
        if !is_in_time {
            return Err(self.blocked());
        }
        let (after, limit) = (self.schedule.now() - began, self.config.command_timeout());
        if after > limit {
            let error = overdue(after, limit, self.stop_sink.is_some());
            return Err(self.give_up(error));
        }
        Ok(())
    }

    /// Sends nothing more, and stops the robot through the second channel.
    fn give_up(&self, error: KineticError) -> KineticError {
        if self.shared.block() {
            let action = self.config.watchdog.map(|watchdog| watchdog.action).unwrap_or_default();
            stop(self.stop_sink, action, self.shared);
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
        if let Some(listener) = self.listener {
            let positions = &self.motion.state().positions;
            listener(&Progress { elapsed: now, fraction: self.motion.fraction(), state, positions });
        }
    }
}
