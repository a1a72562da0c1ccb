//! Spheres at a constant distance from all spheres of another body. When two joints lie between two bodies, and a
//! sphere of each has its centre on the axis of the joint next to it, neither joint changes their distance. Many
//! shoulders are built like this. Motion bounds do not account for it: such spheres, a few millimetres apart, would
//! force motions to be subdivided into intervals with motion bounds of a few millimetres. They are therefore compared
//! once, in double precision, and skipped in all configurations.

use kinetic_kinematics::{Frame, JointProgram, Motion};
use nalgebra::Vector3;

use crate::collision_model::{MovingBody, SelfPair};

/// Distance up to which a centre counts as on an axis, m. The distance of spheres changes by at most twice as much.
const AXIS_DISTANCE_TOLERANCE_M: f64 = 1e-5;

/// Excess of a constant distance over the required clearance, m. It covers the offset of both spheres from their axes,
/// and rounding.
const CONSTANT_DISTANCE_SLACK_M: f64 = 5e-5;

/// Masks of the spheres of a pair's bodies whose distance from every sphere of the other body is constant and larger
/// than the required clearance; bit `i` is sphere `i`, of at most 64.
pub(crate) fn constant_distance_spheres(program: &JointProgram, bodies: &[MovingBody], pair: &SelfPair) -> (u64, u64) {
    let (a, b) = (&bodies[pair.a], &bodies[pair.b]);
    match pair.below {
        (0, 1 | 2) => JointedBodies::new(program, a, b, pair.below.1).constant(pair.margin),
        (1 | 2, 0) => {
            let (of_b, of_a) = JointedBodies::new(program, b, a, pair.below.0).constant(pair.margin);
            (of_a, of_b)
        }
        _ => (0, 0),
    }
}

/// Two bodies with one or two joints between them.
struct JointedBodies<'a> {
    upper: &'a MovingBody,
    lower: &'a MovingBody,
    /// First and last joint from the upper body to the lower one, which may be the same.
    first: &'a Frame,
    last: &'a Frame,
    is_one: bool,
}

impl<'a> JointedBodies<'a> {
    fn new(program: &'a JointProgram, upper: &'a MovingBody, lower: &'a MovingBody, joints: usize) -> Self {
        let frame = |slot: usize| &program.frames()[lower.ancestors[slot] - 1];
        Self { upper, lower, first: frame(joints - 1), last: frame(0), is_one: joints == 1 }
    }

    fn constant(&self, margin: f64) -> (u64, u64) {
        if [self.first, self.last].iter().any(|frame| frame.motion != Motion::Rotation) {
            return (0, 0);
        }
        let is_constant_pair = |upper: &(Vector3<f64>, f64), lower: &(Vector3<f64>, f64)| {
            let (is_upper, is_lower) =
                (self.is_on_first_axis(&upper.0), lower.0.xy().norm() < AXIS_DISTANCE_TOLERANCE_M);
            let is_constant = if self.is_one { is_upper || is_lower } else { is_upper && is_lower };
            is_constant
                && (self.placed(&lower.0) - upper.0).norm()
                    > upper.1 + lower.1 + margin.max(0.0) + CONSTANT_DISTANCE_SLACK_M
        };
        let (above, below) = (&self.upper.spheres, &self.lower.spheres);
        (
            bits(above.iter().map(|upper| below.iter().all(|lower| is_constant_pair(upper, lower)))),
            bits(below.iter().map(|lower| above.iter().all(|upper| is_constant_pair(upper, lower)))),
        )
    }

    /// Whether a point of the upper body is on the axis of the joint next to it, the z axis of the frame that the joint
    /// rotates.
    fn is_on_first_axis(&self, point: &Vector3<f64>) -> bool {
        let pose = &self.first.parent_from_frame;
        let axis: Vector3<f64> = pose.rotation.column(2).into_owned();
        axis.cross(&(point - pose.translation)).norm() < AXIS_DISTANCE_TOLERANCE_M
    }

    /// A point of the lower body in the frame of the upper one, with both joints at zero.
    fn placed(&self, point: &Vector3<f64>) -> Vector3<f64> {
        let through = |frame: &Frame, point: &Vector3<f64>| {
            frame.parent_from_frame.rotation * point + frame.parent_from_frame.translation
        };
        let point = through(self.last, point);
        if self.is_one { point } else { through(self.first, &point) }
    }
}

fn bits(of: impl Iterator<Item = bool>) -> u64 {
    of.take(64).enumerate().fold(0, |bits, (index, is_set)| bits | u64::from(is_set) << index)
}

/// Whether a bit is set; false for indices beyond the mask.
pub(crate) fn is_set(bits: u64, index: usize) -> bool {
    index < 64 && bits >> index & 1 == 1
}

#[cfg(test)]
mod tests;
