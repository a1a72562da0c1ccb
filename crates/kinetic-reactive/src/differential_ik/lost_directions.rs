//! What a twist wants along each singular vector, and what is too fast of it.

use super::singular_values::{SingularValues, dot};
use super::velocity_problem::SingularityDamping;

/// Part of the limits of acceleration: half of it brakes, and the rest is for joints that are late and for turns on the way.
const PART_OF_ACCELERATION: f64 = 0.5;

/// The components of a twist along the singular vectors of a Jacobian, with the memory to work them out.
#[derive(Debug)]
pub(super) struct LostDirections {
    pub(super) values: SingularValues,
    pub(super) wanted: Vec<f64>,
    pub(super) q: Vec<f64>,
}

impl LostDirections {
    /// For so many joints of a group and of the robot.
    pub(super) fn new(rows: usize, joints: usize, all_joints: usize) -> Self {
        let values = SingularValues::new(rows, joints);
        Self { values, wanted: vec![0.0; rows], q: Vec::with_capacity(all_joints) }
    }

    /// Takes from the wish along a direction what is too fast there; answers with the part that is left of it.
    pub(super) fn slow_down(
        &mut self,
        index: usize,
        slope: f64,
        accelerations: &[f64],
        damping: &SingularityDamping,
    ) -> f64 {
        let (sigma, left) = (self.values.sigma(index), self.values.left(index));
        let joints = self.values.right(index).iter().zip(accelerations);
        let strongest = joints.map(|(part, limit)| limit / part.abs()).fold(f64::INFINITY, f64::min);
        let along = dot(left, &self.wanted);
        let speed = (sigma * along / (sigma * sigma + damping.squared(sigma, along))).abs();
        let fastest = (PART_OF_ACCELERATION * strongest * sigma / slope.abs()).sqrt();
        if !(speed > fastest) {
            return 1.0;
        }
        let part = fastest / speed;
        for (wanted, left) in self.wanted.iter_mut().zip(left) {
            *wanted -= (1.0 - part) * along * left;
        }
        part
    }
    /// Takes the wish along directions away of which damping leaves less than half.
    pub(super) fn forgo(&mut self, damping: &SingularityDamping) {
        for index in 0..self.values.len() {
            let (sigma, left) = (self.values.sigma(index), self.values.left(index));
            let along = dot(left, &self.wanted);
            if sigma * sigma <= damping.squared(sigma, along) {
                self.wanted.iter_mut().zip(left).for_each(|(wanted, left)| *wanted -= along * left);
            }
        }
    }
}
