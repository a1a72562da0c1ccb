//! Signed distance of a point from a rounded convex hull.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};

use super::primitive::PointDistance;
use crate::descent::{self, SupportSample};
use crate::hull::Hull;
use crate::vector::origin_on_triangle;

/// A convex hull enlarged by a radius, with its pose.
#[derive(Debug, Clone)]
pub(crate) struct PlacedConvex {
    pub(crate) hull: Arc<Hull>,
    pub(crate) shape_from_world: Isometry3<f64>,
    pub(crate) radius: f64,
}

impl PlacedConvex {
    /// The signed distance where it is below a limit, elsewhere a number from that limit to the distance.
    pub(crate) fn signed_distance_below(&self, point: &Point3<f64>, limit: f64) -> f64 {
        let local = self.shape_from_world * point;
        let (height, highest) = highest_plane(&self.hull, &local);
        if height - self.radius >= limit {
            height - self.radius
        } else {
            beyond(&self.hull, &local, height, highest).0 - self.radius
        }
    }
}

impl PointDistance for PlacedConvex {
    fn signed_distance(&self, point: &Point3<f64>) -> f64 {
        nearest(&self.hull, &(self.shape_from_world * point)).0 - self.radius
    }

    fn is_within(&self, point: &Point3<f64>, reach: f64) -> bool {
        let local = self.shape_from_world * point;
        let reach = reach + self.radius;
        let outside = self.hull.planes().iter().any(|plane| plane.height(&local) > reach);
        !outside && nearest(&self.hull, &local).0 <= reach
    }

    fn gradient(&self, point: &Point3<f64>) -> Vector3<f64> {
        self.shape_from_world.rotation.inverse() * nearest(&self.hull, &(self.shape_from_world * point)).1
    }
}

/// Signed distance of a point from a hull and its gradient, in the frame of the hull.
///
/// Inside minus the distance to the closest face plane, which for a convex solid is the distance to its surface;
/// outside the distance to the closest point, by descent over support points.
pub(crate) fn nearest(hull: &Hull, point: &Point3<f64>) -> (f64, Vector3<f64>) {
    let (height, highest) = highest_plane(hull, point);
    beyond(hull, point, height, highest)
}

/// The largest height of a point over the planes of a hull's faces, which is not above its distance, and that plane.
fn highest_plane(hull: &Hull, point: &Point3<f64>) -> (f64, usize) {
    let mut height = f64::NEG_INFINITY;
    let mut highest = 0;
    for (index, plane) in hull.planes().iter().enumerate() {
        let above = plane.height(point);
        if above > height {
            height = above;
            highest = index;
        }
    }
    (height, highest)
}

/// As [`nearest`], for a point of which the highest plane is known.
fn beyond(hull: &Hull, point: &Point3<f64>, height: f64, highest: usize) -> (f64, Vector3<f64>) {
    let normal = hull.planes()[highest].normal;
    if hull.dimension() == 3 && height <= 0.0 {
        return (height, normal);
    }
    let offset = closest_offset(hull, point, &normal, height);
    let distance = offset.norm();
    // On the surface the offset has no direction; the plane's normal is one of the gradients.
    if distance > 1e-12 { (distance, -offset / distance) } else { (distance, normal) }
}

/// The vector from a point that is not inside to the closest point of the hull.
fn closest_offset(hull: &Hull, point: &Point3<f64>, normal: &Vector3<f64>, height: f64) -> Vector3<f64> {
    let support = |direction: &Vector3<f64>| SupportSample { point: hull.support(direction) - point, source: () };
    let size = height.abs() + hull.extent();
    let found = descent::closest(support, normal, size).closest;
    let length = found.norm();
    // The support in this direction gives a lower bound. Where it differs from the distance, every face is tested.
    let bound = hull.support(&-found) - point;
    if length - found.dot(&bound) / length <= 1e-12 * size { found } else { closest_on_faces(hull, point, found) }
}

/// The vector to the closest point over all triangles, if one is closer than `best`.
fn closest_on_faces(hull: &Hull, point: &Point3<f64>, best: Vector3<f64>) -> Vector3<f64> {
    let offsets = hull.faces().iter().map(|face| {
        let [a, b, c] = face.map(|vertex| hull.vertices()[vertex] - point);
        origin_on_triangle(&a, &b, &c)
    });
    offsets.fold(best, |best, next| if next.norm_squared() < best.norm_squared() { next } else { best })
}
