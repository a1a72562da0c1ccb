//! Pursuit of a target that moves, for one joint.
//!
//! Until a target that is ahead is met, the motion to the meeting is followed as it was planned. Planning it anew would fail at its
//! end, where of a motion at the limits only one is left, and rounding decides whether it is.

use kinetic_core::Result;
use kinetic_trajectory::state::{AxisLimits, AxisState, Phases};
use kinetic_trajectory::{MotionLimits, MotionOptions, MotionState, StateToState};

use super::state::RANGE_TOLERANCE;

/// A target that is not met in time after so many tries is followed as fast as it can be.
const MEETING_TRIES: usize = 6;

/// Rounding of a duration, relative and in s.
const DURATION_ROUNDING: f64 = 1e-9;

/// A meeting this much before the end of a tick, in ticks, is at its end.
const TICK_ROUNDING: f64 = 1e-6;

/// Part of the limits of acceleration and jerk with which a target that is ahead is approached: what is left corrects for
/// targets that move otherwise meanwhile.
pub(super) const CAREFUL_RATIO: f64 = 0.9;

/// A target that is this much off from where it was expected to be met is the same, rad or m, and per second and per second².
const SAME_TARGET: [f64; 3] = [1e-10, 1e-8, 1e-6];

/// Which motion a tick is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leg {
    /// To the target in one period.
    Step,
    /// To a meeting, with all or a part of the limits.
    Chase,
    Careful,
}

/// Plans the ticks of one joint.
pub(super) struct JointPursuit {
    step: StateToState,
    chase: StateToState,
    careful: StateToState,
    range: [f64; 2],
    period: f64,
    leg: Leg,
    /// When the tick begins, in the time of the leg.
    elapsed: f64,
    /// When the target is met, s from the beginning of the tick; 0 for no meeting.
    meeting: f64,
    /// The target as it is to be met, and where the tick leads.
    met: AxisState,
    next: AxisState,
    /// Where the tick begins.
    from: AxisState,
    /// Ends of a motion that is planned.
    start: MotionState,
    goal: MotionState,
}

impl JointPursuit {
    pub(super) fn new(limits: &AxisLimits, range: [f64; 2], period: f64) -> Result<Self> {
        let planner = |limits: AxisLimits| MotionLimits::new(vec![limits]).map(StateToState::new);
        Ok(Self {
            step: planner(*limits)?,
            chase: planner(*limits)?,
            careful: planner(with_part(limits))?,
            range,
            period,
            leg: Leg::Step,
            elapsed: 0.0,
            meeting: 0.0,
            met: AxisState::default(),
            next: AxisState::default(),
            from: AxisState::default(),
            start: MotionState::at_rest(&[0.0]),
            goal: MotionState::at_rest(&[0.0]),
        })
    }

    /// The motion that the tick is a part of, and when it begins in the time of that.
    pub(super) fn motion(&self) -> (&Phases, f64) {
        (&self.planner(self.leg).motions()[0], self.elapsed)
    }

    /// Where the tick leads.
    pub(super) fn next(&self) -> AxisState {
        self.next
    }

    /// What can be met of a target, and left, inside the limits; and whether it is beyond the range of positions.
    pub(super) fn cut(&self, target: AxisState) -> (AxisState, bool) {
        let AxisLimits { velocity: [slowest, fastest], acceleration: [lowest, highest], jerk } =
            self.careful.limits().axes()[0];
        let [low, high] = self.range;
        let AxisState { mut position, mut velocity, mut acceleration } = target;
        let is_beyond = position < low - RANGE_TOLERANCE || position > high + RANGE_TOLERANCE;
        if position < low || position > high {
            (position, velocity, acceleration) = (position.clamp(low, high), 0.0, 0.0);
        }
        velocity = velocity.clamp(slowest, fastest);
        // While an acceleration comes to be, and while it ends, at the limit of jerk, velocity changes by a² / 2J.
        let room = (fastest - velocity).min(velocity - slowest);
        let most = (2.0 * room * jerk[1].min(-jerk[0])).sqrt();
        acceleration = acceleration.clamp(lowest.max(-most), highest.min(most));
        (AxisState { position, velocity, acceleration }, is_beyond)
    }

    /// Plans a tick from `state` towards a target that is at `stepped` after it, and answers for seconds from now where it is; true
    /// when it cannot be met within the tick.
    pub(super) fn plan(
        &mut self,
        state: AxisState,
        stepped: AxisState,
        mut target: impl FnMut(f64) -> AxisState,
    ) -> Result<bool> {
        // Asked again in the same tick, the motion to the same meeting stays: to plan it anew in every tick may put its beginning off
        // for ever.
        if state == self.from && self.meeting > 0.0 && is_same(self.cut(target(self.meeting)).0, self.met) {
            return Ok(true);
        }
        self.from = state;
        let left = self.meeting - self.period;
        let is_followed = left > self.period * (1.0 - TICK_ROUNDING) && state == self.next;
        let is_late = if is_followed && is_same(self.cut(target(left)).0, self.met) {
            (self.elapsed, self.meeting) = (self.elapsed + self.period, left);
            true
        } else {
            self.plan_anew(state, stepped, is_followed.then_some(left), &mut target)?
        };
        let at = self.elapsed + self.period;
        let (motion, _) = self.motion();
        self.next = motion.sample(at);
        Ok(is_late)
    }

    /// Plans to be at the target after the tick, or to meet it.
    fn plan_anew(
        &mut self,
        state: AxisState,
        stepped: AxisState,
        left: Option<f64>,
        target: &mut impl FnMut(f64) -> AxisState,
    ) -> Result<bool> {
        self.elapsed = 0.0;
        if self.meets(Leg::Step, state, self.period, stepped)?.is_none() {
            self.meeting = 0.0;
            return Ok(false);
        }
        let first = self.plan_meeting(state, target)?;
        let Some(left) = left.filter(|left| first > left * (1.0 + DURATION_ROUNDING)) else { return Ok(true) };
        // Later than planned, as rounding or a change of the target has it: all of the limits may do.
        let planned = self.cut(target(left)).0;
        for leg in [Leg::Careful, Leg::Chase] {
            if self.can_begin(leg, state) && self.meets(leg, state, left, planned)?.is_none() {
                return Ok(true);
            }
        }
        self.plan_meeting(state, target)?;
        Ok(true)
    }

    /// Plans to meet a target as early as it can be, if possible at the end of a tick; answers when. One that escapes is followed.
    fn plan_meeting(&mut self, state: AxisState, target: &mut impl FnMut(f64) -> AxisState) -> Result<f64> {
        let leg = if self.can_begin(Leg::Careful, state) { Leg::Careful } else { Leg::Chase };
        let mut meeting = self.period;
        for _ in 0..MEETING_TRIES {
            let wanted = self.cut(target(meeting)).0;
            match self.meets(leg, state, meeting, wanted)? {
                Some(duration) => meeting = duration,
                None => break,
            }
        }
        // At the end of a tick the next one begins on the target. A stop that may take no longer is an exception.
        let mut duration = meeting;
        for _ in 0..MEETING_TRIES {
            let ticks = (duration / self.period - DURATION_ROUNDING).ceil() * self.period;
            let wanted = self.cut(target(ticks)).0;
            match self.meets(leg, state, ticks, wanted)? {
                Some(longer) => duration = longer,
                None => return Ok(ticks),
            }
        }
        let wanted = self.cut(target(meeting)).0;
        self.meets(leg, state, meeting, wanted)?;
        Ok(meeting)
    }

    /// Plans the motion that meets a target after some time; answers how long the fastest one takes where that is longer.
    fn meets(&mut self, leg: Leg, state: AxisState, meeting: f64, wanted: AxisState) -> Result<Option<f64>> {
        (self.leg, self.meeting, self.met) = (leg, meeting, wanted);
        set(&mut self.start, state);
        set(&mut self.goal, wanted);
        let options = MotionOptions { minimum_duration: meeting, ..MotionOptions::default() };
        let planner = match leg {
            Leg::Step => &mut self.step,
            Leg::Chase => &mut self.chase,
            Leg::Careful => &mut self.careful,
        };
        let duration = planner.plan(&self.start, &self.goal, &options)?;
        Ok((duration > meeting * (1.0 + DURATION_ROUNDING) + DURATION_ROUNDING).then_some(duration))
    }

    /// A state that takes all of the limits to be left inside them is no start for less.
    fn can_begin(&self, leg: Leg, state: AxisState) -> bool {
        leg != Leg::Careful || can_be_left(state, &self.careful.limits().axes()[0])
    }

    fn planner(&self, leg: Leg) -> &StateToState {
        match leg {
            Leg::Step => &self.step,
            Leg::Chase => &self.chase,
            Leg::Careful => &self.careful,
        }
    }
}

fn set(own: &mut MotionState, state: AxisState) {
    (own.positions[0], own.velocities[0], own.accelerations[0]) = (state.position, state.velocity, state.acceleration);
}

fn is_same(one: AxisState, other: AxisState) -> bool {
    let [position, velocity, acceleration] = SAME_TARGET;
    (one.position - other.position).abs() <= position
        && (one.velocity - other.velocity).abs() <= velocity
        && (one.acceleration - other.acceleration).abs() <= acceleration
}

/// The limits with which targets that are ahead are approached.
pub(super) fn with_part(limits: &AxisLimits) -> AxisLimits {
    let scale = |range: [f64; 2]| range.map(|bound| CAREFUL_RATIO * bound);
    AxisLimits { velocity: limits.velocity, acceleration: scale(limits.acceleration), jerk: scale(limits.jerk) }
}

/// Whether a state is inside limits, and can be left without a velocity outside.
fn can_be_left(state: AxisState, limits: &AxisLimits) -> bool {
    let within = |value: f64, [low, high]: [f64; 2]| value >= low && value <= high;
    let AxisState { velocity, acceleration, .. } = state;
    let jerk = if acceleration > 0.0 { limits.jerk[0] } else { limits.jerk[1] };
    let reached = velocity - acceleration * acceleration / (2.0 * jerk);
    within(velocity, limits.velocity) && within(reached, limits.velocity) && within(acceleration, limits.acceleration)
}
