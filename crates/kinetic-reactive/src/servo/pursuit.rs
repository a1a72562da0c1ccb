//! Pursuit of a target that moves.
//!
//! A target that moves inside the limits is met after one period, and then in every tick. One that is ahead is met where a
//! motion to where it will be takes no longer than the target itself: the two go on together from there, and nothing
//! overshoots. Joints do so each for itself, so that one that is late does not lead the others away from their targets.

use kinetic_core::Result;
use kinetic_trajectory::state::Phases;
use kinetic_trajectory::{MotionLimits, MotionState, StateToState};

use super::joint_pursuit::{JointPursuit, with_part};

/// How a tick follows a target.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PursuitStep {
    /// Whether a joint cannot meet it within the tick.
    pub(super) is_late: bool,
    /// Whether it is beyond the range of a joint; the end of the range is approached then.
    pub(super) is_beyond: bool,
}

/// Plans ticks towards a target.
pub(super) struct Pursuit {
    joints: Vec<JointPursuit>,
    /// From where targets end.
    stop: StateToState,
    period: f64,
    /// The target after the tick, and at another time.
    stepped: MotionState,
    later: MotionState,
}

impl Pursuit {
    /// With these limits and ranges of positions.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::InvalidValue`] for limits that are too small to be a part of.
    pub(super) fn new(limits: &MotionLimits, ranges: &[[f64; 2]], period: f64) -> Result<Self> {
        let still = MotionState::at_rest(&vec![0.0; limits.dof()]);
        let joints = limits.axes().iter().zip(ranges);
        let part = MotionLimits::new(limits.axes().iter().map(with_part).collect())?;
        Ok(Self {
            joints: joints.map(|(axis, range)| JointPursuit::new(axis, *range, period)).collect::<Result<_>>()?,
            stop: StateToState::new(part),
            period,
            stepped: still.clone(),
            later: still,
        })
    }

    /// Motion of each joint that the tick is a part of, and when it begins in the time of that.
    pub(super) fn motions(&self) -> impl Iterator<Item = (&Phases, f64)> {
        self.joints.iter().map(JointPursuit::motion)
    }

    /// Writes where the tick leads.
    pub(super) fn write_next(&self, next: &mut MotionState) {
        for (index, joint) in self.joints.iter().enumerate() {
            let state = joint.next();
            next.positions[index] = state.position;
            next.velocities[index] = state.velocity;
            next.accelerations[index] = state.acceleration;
        }
    }

    /// Cuts a target to what can be met and left inside the limits.
    pub(super) fn cut(&self, target: &mut MotionState) {
        for (index, joint) in self.joints.iter().enumerate() {
            let (state, _) = joint.cut(target.axis(index));
            target.positions[index] = state.position;
            target.velocities[index] = state.velocity;
            target.accelerations[index] = state.acceleration;
        }
    }

    /// Where a stop leads from a target, which is cut to what can be met.
    pub(super) fn rest_after(&mut self, target: &mut MotionState, rest: &mut MotionState) -> Result<()> {
        self.cut(target);
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
        let Self { joints, stepped, later, .. } = self;
        target(self.period, stepped);
        let mut step = PursuitStep::default();
        for (index, joint) in joints.iter_mut().enumerate() {
            let (wanted, is_beyond) = joint.cut(stepped.axis(index));
            step.is_beyond |= is_beyond;
            step.is_late |= joint.plan(state.axis(index), wanted, |after| {
                target(after, later);
                later.axis(index)
            })?;
        }
        Ok(step)
    }
}
