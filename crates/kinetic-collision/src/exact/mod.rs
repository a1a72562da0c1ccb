//! Exact signed distances between bodies, by closed forms, GJK and EPA.
//!
//! Pairs with a sphere, a half-space or two capsules have closed forms. All others go through GJK and EPA on the
//! cores, and every answer is checked against a proof that needs only support functions: for any unit direction `n`,
//! the gap `min n·b − max n·a` is at most the signed distance. The reported distance *is* that gap, so it never
//! exceeds the true one by more than rounding; how far it can be below is [`DISTANCE_ERROR_RATIO`].
//!
//! The distance of compounds is that of their nearest pieces (see [`compound`](crate::compound)).

mod body;
mod closed_form;
mod compound_pair;
mod convex;
mod core_pair;
mod expansion;

use nalgebra::{Isometry3, Point3, Vector3};

pub use crate::tolerance::DISTANCE_ERROR_RATIO;
pub use body::Body;
pub(crate) use body::Core;
pub(crate) use convex::{CorePair, Witness};

/// Signed distance and witness points of two bodies, in the world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Separation {
    /// Signed distance, m: the gap between the surfaces, or minus the least translation that separates them. Minus
    /// infinity for two half-spaces that no translation separates, and for poses with NaN.
    pub distance: f64,
    /// Witness point on the surface of the first body.
    pub point_a: Point3<f64>,
    /// Witness point on the surface of the second body, at `point_a + normal * distance`.
    pub point_b: Point3<f64>,
    /// Unit direction from the first body to the second: moving the second along it increases the distance fastest.
    pub normal: Vector3<f64>,
}

impl Separation {
    /// The same pair seen from the other body.
    fn swapped(self) -> Self {
        Self { distance: self.distance, point_a: self.point_b, point_b: self.point_a, normal: -self.normal }
    }

    /// The result for an invalid pose: infinite depth, so that it is never taken for free space.
    fn unknown() -> Self {
        let origin = Point3::origin();
        Self { distance: f64::NEG_INFINITY, point_a: origin, point_b: origin, normal: Vector3::z() }
    }

    fn placed(self, world_from_local: &Isometry3<f64>) -> Self {
        Self {
            distance: self.distance,
            point_a: world_from_local * self.point_a,
            point_b: world_from_local * self.point_b,
            normal: world_from_local.rotation * self.normal,
        }
    }
}

/// Signed distance of two bodies with witnesses; `None` when it is more than `cutoff` (which may be infinite). Depths
/// of compounds are lower bounds.
pub fn distance(
    a: &Body,
    world_from_a: &Isometry3<f64>,
    b: &Body,
    world_from_b: &Isometry3<f64>,
    cutoff: f64,
) -> Option<Separation> {
    let a_from_b = world_from_a.inv_mul(world_from_b);
    if !is_finite(&a_from_b) {
        return Some(Separation::unknown());
    }
    if ball_gap(a, b, &a_from_b) > cutoff {
        return None;
    }
    if a.compound().is_some() || b.compound().is_some() {
        return compound_pair::separation(a, b, &a_from_b, cutoff).map(|found| found.placed(world_from_a));
    }
    let separation = match closed_form::separation(a, b, &a_from_b) {
        Some(separation) => separation,
        None => core_pair::separation(a.into(), b.into(), &a_from_b, cutoff)?,
    };
    (separation.distance <= cutoff).then(|| separation.placed(world_from_a))
}

/// True unless the two bodies are proven to be farther apart than `margin` (m, may be negative).
///
/// `axis` is a direction in the frame of `a` that is tried first; on return it holds the direction of the proof. Cached
/// per pair, it reduces most calls to two support functions, because bodies that move a little stay separated along it.
/// Compounds do not change it.
pub fn is_closer_than(
    a: &Body,
    world_from_a: &Isometry3<f64>,
    b: &Body,
    world_from_b: &Isometry3<f64>,
    margin: f64,
    axis: &mut Vector3<f64>,
) -> bool {
    let a_from_b = world_from_a.inv_mul(world_from_b);
    if !is_finite(&a_from_b) {
        return true;
    }
    if ball_gap(a, b, &a_from_b) > margin {
        return false;
    }
    if a.compound().is_some() || b.compound().is_some() {
        return compound_pair::is_closer_than(a, b, &a_from_b, margin);
    }
    if let Some(separation) = closed_form::separation(a, b, &a_from_b) {
        return separation.distance <= margin;
    }
    core_pair::is_closer_than(a.into(), b.into(), &a_from_b, margin, axis)
}

/// True when the bodies touch or come within `margin` of each other.
pub fn intersects(
    a: &Body,
    world_from_a: &Isometry3<f64>,
    b: &Body,
    world_from_b: &Isometry3<f64>,
    margin: f64,
) -> bool {
    is_closer_than(a, world_from_a, b, world_from_b, margin, &mut Vector3::zeros())
}

/// Lower bound of the distance from the bounding balls, less the rounding of its terms; minus infinity with a half-space.
fn ball_gap(a: &Body, b: &Body, a_from_b: &Isometry3<f64>) -> f64 {
    let (ball_a, ball_b) = (a.bounding_ball(), b.bounding_ball());
    let center = a_from_b * ball_b.center;
    let size = center.coords.amax() + ball_a.center.coords.amax() + ball_a.radius + ball_b.radius;
    (center - ball_a.center).norm() - ball_a.radius - ball_b.radius - 8.0 * f64::EPSILON * size
}

fn is_finite(pose: &Isometry3<f64>) -> bool {
    let sum = pose.translation.vector.sum() + pose.rotation.coords.sum();
    sum.is_finite()
}
