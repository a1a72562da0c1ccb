//! Closed-form distances: pairs with a sphere or a half-space, and two capsules.

use nalgebra::{Isometry3, Point3, Vector3};

use super::Separation;
use super::body::{Body, Core};
use crate::vector::{any_perpendicular, segment_parameters};

/// Distance and witness points in the frame of `a`; `None` when the pair has no closed form.
pub(super) fn separation(a: &Body, b: &Body, a_from_b: &Isometry3<f64>) -> Option<Separation> {
    match (&a.core, &b.core) {
        (Core::HalfSpace { normal, offset }, Core::HalfSpace { normal: other, offset: other_offset }) => {
            let other = (a_from_b.rotation * other, other_offset);
            Some(half_spaces((normal, *offset), (&other.0, *other.1), &a_from_b.translation.vector))
        }
        (Core::HalfSpace { normal, offset }, core) => Some(half_space((normal, *offset), core, b.radius, a_from_b)),
        (core, Core::HalfSpace { normal, offset }) => {
            let found = half_space((normal, *offset), core, a.radius, &a_from_b.inverse());
            Some(found.swapped().placed(a_from_b))
        }
        (_, Core::Point) => Some(sphere(a, Point3::from(a_from_b.translation.vector), b.radius)),
        (Core::Point, _) => {
            let center = Point3::from(a_from_b.inverse().translation.vector);
            Some(sphere(b, center, a.radius).swapped().placed(a_from_b))
        }
        (Core::Segment { half_height: half_a }, Core::Segment { half_height: half_b }) => {
            Some(capsules((*half_a, a.radius), (*half_b, b.radius), a_from_b))
        }
        _ => None,
    }
}

/// A body against a ball, in the frame of the body.
fn sphere(body: &Body, center: Point3<f64>, radius: f64) -> Separation {
    let nearest = body.local.nearest(&center);
    Separation {
        distance: nearest.distance - radius,
        point_a: nearest.point,
        point_b: center - nearest.gradient * radius,
        normal: nearest.gradient,
    }
}

/// A half-space against a bounded core with a rounding, in the frame of the half-space.
pub(super) fn half_space(
    (normal, offset): (&Vector3<f64>, f64),
    core: &Core,
    radius: f64,
    a_from_b: &Isometry3<f64>,
) -> Separation {
    let towards = a_from_b.rotation.inverse_transform_vector(&-normal);
    let point_b = a_from_b * Point3::from(core.support(&towards) + towards * radius);
    let distance = normal.dot(&point_b.coords) - offset;
    Separation { distance, point_a: point_b - normal * distance, point_b, normal: *normal }
}

/// Two half-spaces are apart only when they face each other exactly.
fn half_spaces(
    (normal, offset): (&Vector3<f64>, f64),
    (other, other_offset): (&Vector3<f64>, f64),
    translation: &Vector3<f64>,
) -> Separation {
    let other_offset = other_offset + other.dot(translation);
    // Directions that agree to rounding; any larger angle makes the planes meet.
    let distance = if (normal + other).norm() <= 1e-12 { -offset - other_offset } else { f64::NEG_INFINITY };
    let point_a = Point3::from(normal * offset);
    Separation { distance, point_a, point_b: Point3::from(other * other_offset), normal: *normal }
}

/// Two capsules, in the frame of the first.
fn capsules((half_a, radius_a): (f64, f64), (half_b, radius_b): (f64, f64), a_from_b: &Isometry3<f64>) -> Separation {
    let (axis_a, axis_b) = (Vector3::z(), a_from_b.rotation * Vector3::z());
    let between = a_from_b.translation.vector;
    let (s, t) = segment_parameters(&between, (&axis_a, half_a), (&axis_b, half_b));
    let (on_a, on_b) = (axis_a * s, between + axis_b * t);
    let offset = on_b - on_a;
    let gap = offset.norm();
    let normal = if gap > 1e-14 { offset / gap } else { crossing_normal(&axis_a, &axis_b) };
    Separation {
        distance: gap - radius_a - radius_b,
        point_a: Point3::from(on_a + normal * radius_a),
        point_b: Point3::from(on_b - normal * radius_b),
        normal,
    }
}

/// A direction across both axes: the shortest way out when the segments meet.
fn crossing_normal(axis_a: &Vector3<f64>, axis_b: &Vector3<f64>) -> Vector3<f64> {
    axis_a.cross(axis_b).try_normalize(1e-9).unwrap_or_else(|| any_perpendicular(axis_a))
}
