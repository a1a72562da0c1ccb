//! Obstacles that a body can reach at all.

use kinetic_core::JointLimits;
use kinetic_kinematics::{JointProgram, Motion};
use nalgebra::Point3;

use crate::evaluation::{Evaluation, MovingBody};

/// Ids of the obstacles of a body, ascending. Where configurations are promised to be inside the joint limits, those are
/// left out that nothing on its frame can reach: bodies of one frame keep the same obstacles.
pub(super) fn reachable_obstacles(evaluation: &Evaluation, body: &MovingBody) -> Vec<u32> {
    let mut ids: Vec<u32> = body.obstacles().collect();
    ids.sort_unstable();
    ids.dedup();
    let Some(limits) = &evaluation.limits else { return ids };
    let on_frame = evaluation.bodies.iter().filter(|other| other.frame == body.frame);
    let reaches: Vec<(&MovingBody, f64)> =
        on_frame.map(|other| (other, reach(&evaluation.program, other, limits))).collect();
    let near = |id: u32| reaches.iter().map(|(other, reach)| reach + other.margin_to(id)).fold(0.0, f64::max);
    let Some(root) = body.ancestors.last() else { return ids };
    let center = Point3::from(evaluation.program.frames()[root - 1].parent_from_frame.translation);
    // A hundredth of a millimetre for the room that limits have, and for rounding.
    ids.retain(|id| evaluation.world[*id as usize].shape.is_within(&center, near(*id) + 1e-5));
    ids
}

/// Largest distance of a body's points from the origin of the first moving frame above it, inside the limits.
fn reach(program: &JointProgram, body: &MovingBody, limits: &[JointLimits]) -> f64 {
    let mut reach = body.center.norm() + body.radius;
    for (place, index) in body.ancestors.iter().enumerate() {
        let frame = &program.frames()[index - 1];
        if frame.motion == Motion::Translation {
            let limits = &limits[frame.variable];
            let farthest = limits.lower.abs().max(limits.upper.abs());
            reach += frame.multiplier.abs() * farthest + frame.offset.abs();
        }
        if place + 1 < body.ancestors.len() {
            reach += frame.parent_from_frame.translation.norm();
        }
    }
    reach
}
