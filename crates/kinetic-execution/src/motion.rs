//! What is commanded: a trajectory at a speed that may change, the way to another one, or a stop.

use kinetic_core::Result;
use kinetic_trajectory::compose::JOIN_TOLERANCE;
use kinetic_trajectory::online::Playback;
use kinetic_trajectory::{MotionLimits, MotionOptions, MotionState, StateToState};

use crate::result::StopMode;

/// Where the commands come from.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    /// The trajectory.
    Path,
    /// The way to the next trajectory, and for how long it was followed.
    Transition(f64),
    /// A jerk-limited stop, likewise.
    Brake(f64),
    /// Nothing more is to come.
    Ended,
}

/// The motion that is commanded; allocates nothing between splices.
pub(crate) struct Motion {
    playback: Playback,
    next: Option<Playback>,
    planner: StateToState,
    phase: Phase,
    state: MotionState,
    /// The speed that is wanted, and the part of it that the controller allows.
    speed: f64,
    scaling: f64,
    is_paused: bool,
    stop: Option<StopMode>,
    is_completed: bool,
}

impl Motion {
    pub(crate) fn new(playback: Playback, limits: MotionLimits, speed: f64) -> Self {
        let state = MotionState::at_rest(&playback.state().positions);
        Self {
            playback,
            next: None,
            planner: StateToState::new(limits),
            phase: Phase::Path,
            state,
            speed,
            scaling: 1.0,
            is_paused: false,
            stop: None,
            is_completed: false,
        }
    }

    /// The state to command.
    pub(crate) fn state(&self) -> &MotionState {
        &self.state
    }

    /// True when the state is the last one.
    pub(crate) fn is_ended(&self) -> bool {
        self.phase == Phase::Ended
    }

    /// True when the end of the trajectory was reached.
    pub(crate) fn is_completed(&self) -> bool {
        self.is_completed
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.is_paused
    }

    pub(crate) fn stop_mode(&self) -> Option<StopMode> {
        self.stop
    }

    /// Part of the trajectory that is done.
    pub(crate) fn fraction(&self) -> f64 {
        if self.next.is_some() { 0.0 } else { self.playback.time() / self.playback.trajectory().duration() }
    }

    /// Time on the trajectory, s; before one that is spliced in begins, 0.
    pub(crate) fn time(&self) -> f64 {
        if self.next.is_some() { 0.0 } else { self.playback.time() }
    }

    pub(crate) fn set_paused(&mut self, is_paused: bool) {
        self.is_paused = is_paused;
    }

    pub(crate) fn set_speed(&mut self, speed: f64) {
        self.speed = speed;
    }

    /// The speed of the controller; what is no number is a controller that does not move.
    pub(crate) fn set_scaling(&mut self, scaling: f64) {
        self.scaling = if scaling.is_nan() { 0.0 } else { scaling.clamp(0.0, 1.0) };
    }

    /// Seconds of the trajectory that should pass in a second. A controller that stands still altogether is waited for like one
    /// that runs.
    pub(crate) fn expected_rate(&self) -> f64 {
        let scaling = if self.scaling > 0.0 { self.scaling } else { 1.0 };
        if self.is_paused || self.stop.is_some() { 0.0 } else { self.speed * scaling }
    }

    /// Begins to stop; a stop under way is replaced by a harder one only. True when it begins.
    pub(crate) fn begin_stop(&mut self, mode: StopMode) -> Result<bool> {
        let hardness = |mode: StopMode| match mode {
            StopMode::Path => 0,
            StopMode::Jerk => 1,
            StopMode::Hard => 2,
        };
        // Between two trajectories there is no path.
        let is_between = matches!(self.phase, Phase::Transition(_));
        let mode = if is_between && mode == StopMode::Path { StopMode::Jerk } else { mode };
        if self.is_ended() || self.stop.is_some_and(|now| hardness(mode) <= hardness(now)) {
            return Ok(false);
        }
        match mode {
            // The earliest stop on the path: jerk is not bounded.
            StopMode::Path => self.playback.clear_jerk_limits(),
            StopMode::Jerk => {
                self.planner.plan_stop(&self.state)?;
                self.phase = Phase::Brake(0.0);
            }
            StopMode::Hard => self.end(),
        }
        self.stop = Some(mode);
        Ok(true)
    }

    /// Leaves for another trajectory, which begins at rest; answers with the time from now to its end, s. A pause ends.
    pub(crate) fn splice(&mut self, next: Playback, limits: MotionLimits) -> Result<f64> {
        let mut planner = StateToState::new(limits);
        let target = MotionState::at_rest(&next.state().positions);
        let duration = planner.plan(&self.state, &target, &MotionOptions::default())?;
        let total = duration + next.trajectory().duration();
        (self.planner, self.next, self.phase, self.is_paused) = (planner, Some(next), Phase::Transition(0.0), false);
        Ok(total)
    }

    /// True while the speed changes along the path with bounded jerk.
    pub(crate) fn is_changing_speed(&self) -> bool {
        self.phase == Phase::Path && self.playback.is_changing_rate()
    }

    /// Goes on with a trajectory that is, `time() - from` after its beginning, where the running one is: at the speed of now.
    /// False where it is elsewhere, or where no trajectory is followed.
    pub(crate) fn take_over(&mut self, next: Playback, from: f64, limits: MotionLimits) -> Result<bool> {
        let time = self.playback.time() - from;
        let (now, then) = (self.playback.trajectory().curve(), next.trajectory().curve());
        let is_there = |order: usize| {
            let states = now.sample(self.playback.time(), order).into_iter().zip(then.sample(time, order));
            states.into_iter().all(|(now, then)| (now - then).abs() <= JOIN_TOLERANCE)
        };
        let is_within = time >= 0.0 && time < next.trajectory().duration();
        if self.phase != Phase::Path || !is_within || ![0, 1].into_iter().all(is_there) {
            return Ok(false);
        }
        self.playback = next.starting_at(time, self.playback.rate())?;
        self.planner = StateToState::new(limits);
        Ok(true)
    }

    /// Lets `dt` seconds pass.
    pub(crate) fn advance(&mut self, dt: f64) -> Result<()> {
        match self.phase {
            Phase::Path => self.advance_on_path(dt),
            Phase::Transition(time) => {
                let left = time + dt - self.planner.duration();
                if left < 0.0 {
                    self.phase = Phase::Transition(time + dt);
                    self.planner.sample_into(time + dt, &mut self.state);
                    return Ok(());
                }
                if let Some(next) = self.next.take() {
                    self.playback = next;
                }
                self.phase = Phase::Path;
                if left > 0.0 {
                    return self.advance_on_path(left);
                }
                self.take_state();
                Ok(())
            }
            Phase::Brake(time) => {
                let time = time + dt;
                self.phase = Phase::Brake(time);
                self.planner.sample_into(time.min(self.planner.duration()), &mut self.state);
                if time >= self.planner.duration() {
                    self.end();
                }
                Ok(())
            }
            Phase::Ended => Ok(()),
        }
    }

    fn advance_on_path(&mut self, dt: f64) -> Result<()> {
        let is_held = self.is_paused || self.stop.is_some();
        self.playback.set_override(if is_held { 0.0 } else { self.speed * self.scaling })?;
        self.playback.step(dt)?;
        self.take_state();
        if self.playback.is_finished() {
            let curve = self.playback.trajectory().curve();
            curve.sample_into(curve.duration(), 0, &mut self.state.positions);
            self.is_completed = true;
            self.end();
        } else if self.stop.is_some() && self.playback.rate() == 0.0 {
            self.end();
        }
        Ok(())
    }

    fn take_state(&mut self) {
        let state = self.playback.state();
        self.state.positions.copy_from_slice(&state.positions);
        self.state.velocities.copy_from_slice(&state.velocities);
        self.state.accelerations.copy_from_slice(&state.accelerations);
    }

    /// Stands still where it is.
    fn end(&mut self) {
        self.state.velocities.fill(0.0);
        self.state.accelerations.fill(0.0);
        self.phase = Phase::Ended;
    }
}
