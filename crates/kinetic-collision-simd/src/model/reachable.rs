//! Obstacles that a body can reach inside the joint limits.

use kinetic_core::JointLimits;
use kinetic_kinematics::{JointProgram, Motion};
use nalgebra::Point3;

use crate::collision_model::{CollisionModel, MovingBody};

/// Ids of the obstacles of a body, ascending. Where configurations are promised to be inside the joint limits,
/// obstacles are left out that no body on its frame can reach, so that all bodies of a frame have the same obstacles.
pub(crate) fn reachable_obstacles(input: &CollisionModel, body: &MovingBody) -> Vec<u32> {
    let mut ids: Vec<u32> = body.obstacles(&input.sets).collect();
    ids.sort_unstable();
    ids.dedup();
    let Some(limits) = &input.limits else { return ids };
    let Some(center) = shoulder(input, body) else { return ids };
    let reachable_radii: Vec<(&MovingBody, f64)> = reachable_radii(input, body, limits).collect();
    ids.retain(|id| is_near(input, &center, reachable_radii.iter().copied(), *id));
    ids
}

/// Whether one obstacle is among the [`reachable_obstacles`] of a body.
pub(crate) fn is_reachable(input: &CollisionModel, body: &MovingBody, obstacle: u32) -> bool {
    let mut sets = body.world.iter().map(|group| &input.sets[group.set]);
    if !sets.any(|set| set.index_of(obstacle).is_some()) {
        return false;
    }
    let Some(limits) = &input.limits else { return true };
    let Some(center) = shoulder(input, body) else { return true };
    is_near(input, &center, reachable_radii(input, body, limits), obstacle)
}

/// Origin of the first moving frame above a body, which is fixed in the root.
fn shoulder(input: &CollisionModel, body: &MovingBody) -> Option<Point3<f64>> {
    let root = body.ancestors.last()?;
    Some(Point3::from(input.program.frames()[root - 1].parent_from_frame.translation))
}

/// The bodies on the frame of a body, with the largest distance of their points from the [`shoulder`].
fn reachable_radii<'a>(
    input: &'a CollisionModel,
    body: &MovingBody,
    limits: &'a [JointLimits],
) -> impl Iterator<Item = (&'a MovingBody, f64)> {
    let frame = body.frame;
    let on_frame = input.bodies.iter().filter(move |other| other.frame == frame);
    on_frame.map(|other| (other, reachable_radius(&input.program, other, limits)))
}

fn is_near<'a>(
    input: &CollisionModel,
    center: &Point3<f64>,
    reachable_radii: impl Iterator<Item = (&'a MovingBody, f64)>,
    obstacle: u32,
) -> bool {
    let near = reachable_radii
        .map(|(other, reachable_radius)| reachable_radius + other.margin_to(obstacle))
        .fold(0.0, f64::max);
    // A hundredth of a millimetre for the tolerance of limits, and for rounding.
    input.world[obstacle as usize].shape.is_within(center, near + 1e-5)
}

/// Largest distance of a body's points from the origin of the first moving frame above it, inside the limits.
fn reachable_radius(program: &JointProgram, body: &MovingBody, limits: &[JointLimits]) -> f64 {
    let mut reachable_radius = body.center.norm() + body.radius;
    for (slot, index) in body.ancestors.iter().enumerate() {
        let frame = &program.frames()[index - 1];
        if frame.motion == Motion::Translation {
            let limits = &limits[frame.variable];
            let farthest = limits.lower.abs().max(limits.upper.abs());
            reachable_radius += frame.multiplier.abs() * farthest + frame.offset.abs();
        }
        if slot + 1 < body.ancestors.len() {
            reachable_radius += frame.parent_from_frame.translation.norm();
        }
    }
    reachable_radius
}
