//! Pursuit of a target that moves.
//!
//! A target that moves inside the limits is met after one period, and then in every tick. One that is ahead is met where a
//! motion to where it will be takes no longer than the target itself: the two go on together from there, and nothing
//! overshoots. Until then the motion is followed as it was planned. Planning it anew would fail at its end, where of a motion
//! at the limits only one is left, and rounding decides whether it is.

use kinetic_core::Result;
use kinetic_trajectory::state::{AxisLimits, AxisState, Phases};
use kinetic_trajectory::{MotionLimits, MotionOptions, MotionState, StateToState};

use super::state::{RANGE_TOLERANCE, copy_state};

/// A target that is not met in time after so many tries is followed as fast as it can be.
const MEETING_TRIES: usize = 6;

/// Rounding of a duration, relative and in s.
const DURATION_ROUNDING: f64 = 1e-9;

/// Part of the limits of acceleration and jerk with which a target that is ahead is approached: what is left corrects for
/// targets that move otherwise meanwhile.
const CAREFUL_RATIO: f64 = 0.9;

/// A target that is this much off from where it was expected to be met is the same, rad or m, and per second and per second².
const SAME_TARGET: [f64; 3] = [1e-10, 1e-8, 1e-6];

/// How a tick follows a target.
#[derive(Debug, Clone, Copy)]
pub(super) struct PursuitStep {
    /// Whether it cannot be met within the tick.
    pub(super) is_late: bool,
    /// Whether it is beyond the range of a joint; the end of the range is approached then.
    pub(super) is_beyond: bool,
}

/// Which motion a tick is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leg {
    /// To the target in one period.
    Step,
    /// To a meeting, with all or a part of the limits.
    Chase,
    Careful,
}

/// Plans ticks towards a target.
pub(super) struct Pursuit {
    step: StateToState,
    chase: StateToState,
    careful: StateToState,
    /// From where targets end.
    stop: StateToState,
    ranges: Vec<[f64; 2]>,
    period: f64,
    leg: Leg,
    /// When the tick begins, in the time of the leg.
    elapsed: f64,
    /// When the target is met, s from the beginning of the tick; 0 for no meeting.
    meeting: f64,
    /// Where the tick leads.
    next: MotionState,
    /// The target that is asked for, and as it was to be met.
    target: MotionState,
    met: MotionState,
}

impl Pursuit {
    /// With these limits and ranges of positions.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::InvalidValue`] for limits that are too small to be a part of.
    pub(super) fn new(limits: &MotionLimits, ranges: Vec<[f64; 2]>, period: f64) -> Result<Self> {
        let still = MotionState::at_rest(&vec![0.0; limits.dof()]);
        let part = MotionLimits::new(limits.axes().iter().map(|axis| with_part(axis, CAREFUL_RATIO)).collect())?;
        Ok(Self {
            step: StateToState::new(limits.clone()),
            chase: StateToState::new(limits.clone()),
            careful: StateToState::new(part.clone()),
            stop: StateToState::new(part),
            ranges,
            period,
            leg: Leg::Step,
            elapsed: 0.0,
            meeting: 0.0,
            next: still.clone(),
            target: still.clone(),
            met: still,
        })
    }

    /// Motions that the tick is a part of, and when it begins in their time.
    pub(super) fn motions(&self) -> (&[Phases], f64) {
        (self.planner(self.leg).motions(), self.elapsed)
    }

    /// Where the tick leads.
    pub(super) fn next(&self) -> &MotionState {
        &self.next
    }

    /// Where a stop leads from a target, which is cut to what can be met.
    pub(super) fn rest_after(&mut self, target: &mut MotionState, rest: &mut MotionState) -> Result<()> {
        cut(target, &self.ranges, self.careful.limits().axes());
        let duration = self.stop.plan_stop(target)?;
        self.stop.sample_into(duration, rest);
        Ok(())
    }

    /// Plans a tick from `state` towards a target that `target` writes for seconds from now.
    pub(super) fn plan(
        &mut self,
        state: &MotionState,
        mut target: impl FnMut(f64, &mut MotionState),
    ) -> Result<PursuitStep> {
        let left = self.meeting - self.period;
        let is_followed = left > self.period * (1.0 + DURATION_ROUNDING) && *state == self.next;
        let approach = if is_followed && self.is_expected(left, &mut target) {
            (self.elapsed, self.meeting) = (self.elapsed + self.period, left);
            let is_beyond = self.place_target(self.period, &mut target);
            PursuitStep { is_late: true, is_beyond }
        } else {
            self.plan_anew(state, is_followed.then_some(left), &mut target)?
        };
        let at = self.elapsed + self.period;
        let planner = match self.leg {
            Leg::Step => &self.step,
            Leg::Chase => &self.chase,
            Leg::Careful => &self.careful,
        };
        planner.sample_into(at, &mut self.next);
        Ok(approach)
    }

    /// Whether the target will be where it was to be met.
    fn is_expected(&mut self, left: f64, target: &mut impl FnMut(f64, &mut MotionState)) -> bool {
        self.place_target(left, target);
        let same = |own: &[f64], other: &[f64], tolerance: f64| {
            own.iter().zip(other).all(|(own, other)| (own - other).abs() <= tolerance)
        };
        let [position, velocity, acceleration] = SAME_TARGET;
        same(&self.target.positions, &self.met.positions, position)
            && same(&self.target.velocities, &self.met.velocities, velocity)
            && same(&self.target.accelerations, &self.met.accelerations, acceleration)
    }

    /// Plans to be at the target after the tick, or when it was to be met before, or for the first time.
    fn plan_anew(
        &mut self,
        state: &MotionState,
        left: Option<f64>,
        target: &mut impl FnMut(f64, &mut MotionState),
    ) -> Result<PursuitStep> {
        (self.elapsed, self.meeting) = (0.0, self.period);
        let is_beyond = self.place_target(self.period, target);
        let soonest = self.plan_leg(Leg::Step, state)?;
        let is_late = !is_in_time(soonest, self.period);
        if is_late {
            // Where the target has come nearer, half of the time may do.
            let kept = left.filter(|left| soonest > 0.5 * left);
            let is_kept = kept.map_or(Ok(false), |left| self.keeps_meeting(state, left, target))?;
            if !is_kept {
                self.plan_meeting(state, target)?;
            }
            copy_state(&self.target, &mut self.met);
        }
        Ok(PursuitStep { is_late, is_beyond })
    }

    /// Plans to meet a target when it was planned before; answers whether that is possible.
    fn keeps_meeting(
        &mut self,
        state: &MotionState,
        left: f64,
        target: &mut impl FnMut(f64, &mut MotionState),
    ) -> Result<bool> {
        self.meeting = left;
        self.place_target(left, target);
        for leg in [Leg::Careful, Leg::Chase] {
            if self.can_begin(leg, state) && is_in_time(self.plan_leg(leg, state)?, left) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Plans to meet a target for the first time. One that escapes is followed.
    fn plan_meeting(&mut self, state: &MotionState, target: &mut impl FnMut(f64, &mut MotionState)) -> Result<()> {
        let leg = if self.can_begin(Leg::Careful, state) { Leg::Careful } else { Leg::Chase };
        self.meeting = self.period;
        for _ in 0..MEETING_TRIES {
            self.place_target(self.meeting, target);
            let duration = self.plan_leg(leg, state)?;
            if is_in_time(duration, self.meeting) {
                break;
            }
            self.meeting = duration;
        }
        Ok(())
    }

    /// A state that takes all of the limits to be left inside them is no start for less.
    fn can_begin(&self, leg: Leg, state: &MotionState) -> bool {
        leg != Leg::Careful || can_be_left(state, self.careful.limits().axes())
    }

    /// Asks for the target after some time, and cuts it to what can be met; answers whether it is beyond the range of a joint.
    fn place_target(&mut self, after: f64, target: &mut impl FnMut(f64, &mut MotionState)) -> bool {
        target(after, &mut self.target);
        cut(&mut self.target, &self.ranges, self.careful.limits().axes())
    }

    fn planner(&self, leg: Leg) -> &StateToState {
        match leg {
            Leg::Step => &self.step,
            Leg::Chase => &self.chase,
            Leg::Careful => &self.careful,
        }
    }

    /// Plans the fastest motion to the target that takes at least until the meeting; answers how long it takes.
    fn plan_leg(&mut self, leg: Leg, state: &MotionState) -> Result<f64> {
        self.leg = leg;
        let options = MotionOptions { minimum_duration: self.meeting, ..MotionOptions::default() };
        let planner = match leg {
            Leg::Step => &mut self.step,
            Leg::Chase => &mut self.chase,
            Leg::Careful => &mut self.careful,
        };
        planner.plan(state, &self.target, &options)
    }
}

fn is_in_time(duration: f64, wanted: f64) -> bool {
    duration <= wanted * (1.0 + DURATION_ROUNDING) + DURATION_ROUNDING
}

/// Cuts a target to what can be met and left inside the limits; answers whether it is beyond the range of a joint.
fn cut(target: &mut MotionState, ranges: &[[f64; 2]], limits: &[AxisLimits]) -> bool {
    let mut is_beyond = false;
    for (joint, ([low, high], limits)) in ranges.iter().zip(limits).enumerate() {
        let AxisLimits { velocity: [slowest, fastest], acceleration: [lowest, highest], jerk } = *limits;
        let MotionState { positions, velocities, accelerations } = target;
        let (position, velocity, acceleration) =
            (&mut positions[joint], &mut velocities[joint], &mut accelerations[joint]);
        if *position < *low || *position > *high {
            is_beyond |= *position < low - RANGE_TOLERANCE || *position > high + RANGE_TOLERANCE;
            (*position, *velocity, *acceleration) = (position.clamp(*low, *high), 0.0, 0.0);
        }
        *velocity = velocity.clamp(slowest, fastest);
        // While an acceleration comes to be, and while it ends, at the limit of jerk, velocity changes by a² / 2J.
        let room = (fastest - *velocity).min(*velocity - slowest);
        let most = (2.0 * room * jerk[1].min(-jerk[0])).sqrt();
        *acceleration = acceleration.clamp(lowest.max(-most), highest.min(most));
    }
    is_beyond
}

fn with_part(limits: &AxisLimits, part: f64) -> AxisLimits {
    let scale = |range: [f64; 2]| range.map(|bound| part * bound);
    AxisLimits { velocity: limits.velocity, acceleration: scale(limits.acceleration), jerk: scale(limits.jerk) }
}

/// Whether a state is inside limits, and can be left without a velocity outside.
fn can_be_left(state: &MotionState, limits: &[AxisLimits]) -> bool {
    let within = |value: f64, [low, high]: [f64; 2]| value >= low && value <= high;
    limits.iter().enumerate().all(|(joint, limits)| {
        let AxisState { velocity, acceleration, .. } = state.axis(joint);
        let jerk = if acceleration > 0.0 { limits.jerk[0] } else { limits.jerk[1] };
        let reached = velocity - acceleration * acceleration / (2.0 * jerk);
        within(velocity, limits.velocity)
            && within(reached, limits.velocity)
            && within(acceleration, limits.acceleration)
    })
}
