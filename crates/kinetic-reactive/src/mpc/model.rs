//! The model of the arm in a rollout: joints that follow velocities as fast as their acceleration allows.

use kinetic_trajectory::MotionState;
use kinetic_trajectory::state::AxisLimits;

/// Limits of the joints, and the time of a step.
#[derive(Debug, Clone)]
pub(super) struct JointModel {
    limits: Vec<AxisLimits>,
    ranges: Vec<[f64; 2]>,
    step: f64,
}

/// What a rollout did besides moving.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Effort {
    /// Squares of accelerations as parts of their limits, meant over steps and joints.
    pub(super) acceleration: f64,
    /// Joints at the end of their range, meant over steps.
    pub(super) joints_at_limits: f64,
}

impl JointModel {
    pub(super) fn new(limits: &[AxisLimits], ranges: &[[f64; 2]], step: f64) -> Self {
        Self { limits: limits.to_vec(), ranges: ranges.to_vec(), step }
    }

    pub(super) fn dof(&self) -> usize {
        self.ranges.len()
    }

    pub(super) fn step(&self) -> f64 {
        self.step
    }

    /// Largest velocity of a joint, rad/s or m/s.
    pub(super) fn fastest(&self, joint: usize) -> f64 {
        self.limits[joint].velocity[1]
    }

    /// Writes the positions after each step (one row per step) of an arm that begins at `start` and is to have the velocities which
    /// `wanted` writes for the step of that number and the positions before it. `velocity` is memory.
    pub(super) fn roll_out(
        &self,
        start: &MotionState,
        positions: &mut [f64],
        [velocity, wish]: [&mut [f64]; 2],
        mut wanted: impl FnMut(usize, &[f64], &mut [f64]),
    ) -> Effort {
        let (dof, mut effort) = (self.dof(), Effort::default());
        let steps = positions.len() / dof;
        velocity.copy_from_slice(&start.velocities);
        for step in 0..steps {
            let (before, rest) = positions.split_at_mut(step * dof);
            let before = if step == 0 { &start.positions[..] } else { &before[(step - 1) * dof..] };
            wanted(step, before, wish);
            for joint in 0..dof {
                self.move_joint(joint, before[joint], wish[joint], &mut rest[joint], &mut velocity[joint], &mut effort);
            }
        }
        effort.acceleration /= (steps * dof) as f64;
        effort.joints_at_limits /= steps as f64;
        effort
    }

    /// One step of one joint: velocity changes at a constant acceleration, and a joint at the end of its range stands.
    fn move_joint(&self, joint: usize, from: f64, wish: f64, to: &mut f64, velocity: &mut f64, effort: &mut Effort) {
        let (limits, [low, high]) = (&self.limits[joint], self.ranges[joint]);
        let [brake, drive] = limits.acceleration;
        let wish = wish.clamp(limits.velocity[0], limits.velocity[1]);
        let next = wish.clamp(*velocity + brake * self.step, *velocity + drive * self.step);
        let part = (next - *velocity) / (drive * self.step);
        effort.acceleration += part * part;
        let moved = from + 0.5 * (*velocity + next) * self.step;
        // What begins outside its range may stay there, and not go further.
        *to = moved.clamp(low.min(from), high.max(from));
        let is_at_limit = *to != moved;
        *velocity = if is_at_limit { 0.0 } else { next };
        effort.joints_at_limits += f64::from(u8::from(is_at_limit));
    }
}
