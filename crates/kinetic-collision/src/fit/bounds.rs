//! Bounding boxes and capsules of points, found by search; every point is inside.

use std::f64::consts::PI;

use kinetic_core::Shape;
use kinetic_core::error::Result;
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};

use super::samples::spiral;
use super::simplify::{HullConfig, enclosing_hull};
use crate::ball::bounding_ball;
use crate::hull::{Hull, convex_hull};
use crate::shape_kind::unknown_kind;
use crate::vector::any_perpendicular;

/// Least half-extent, radius and half-height, m: flat and straight sets get this thickness.
const MIN_HALF_EXTENT_M: f64 = 1e-6;
/// Added to every size, m: above the rounding of a pose.
const SIZE_ROUNDING_M: f64 = 1e-9;
/// Vertices of the hull on which the search runs.
const MAX_SEARCH_VERTICES: usize = 100;
/// Directions from which the axis of a capsule is sought.
const AXIS_STARTS: usize = 40;

/// A shape with its pose.
pub type Placed = (Isometry3<f64>, Shape);

/// A box of little volume around points.
///
/// The least of those with a side on a face of the hull (rotating calipers across it, Toussaint 1983), of the one along
/// the axes, and no search beyond: at most a few percent above the smallest (O'Rourke 1985).
///
/// # Errors
/// [`InvalidValue`](kinetic_core::KineticError::InvalidValue) without points, [`NotFinite`](kinetic_core::KineticError::NotFinite) for NaN or
/// infinity.
pub fn enclosing_box(points: &[Point3<f64>]) -> Result<Placed> {
    let hull = rough_hull(points)?;
    let sides = largest_normals(&hull).into_iter().filter_map(|normal| flush_frames(&hull, &normal));
    let volume = |axes: &Matrix3<f64>| extents(hull.vertices(), axes).1.product();
    let frames = std::iter::once(Matrix3::identity()).chain(straight_frame(&hull)).chain(sides);
    let axes = frames.min_by(|p, q| volume(p).total_cmp(&volume(q))).unwrap_or_else(Matrix3::identity);
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
    // Measured in the frame that is returned, over all points: what is inside does not depend on the search.
    let (center, half) = extents(points, &rotation.to_rotation_matrix().into_inner());
    let half = half.map(|value| value.max(MIN_HALF_EXTENT_M) + SIZE_ROUNDING_M);
    Ok((Isometry3::from_parts(Translation3::from(center), rotation), Shape::cuboid(half.x, half.y, half.z)?))
}

/// A capsule of little volume around points.
///
/// For an axis direction, the narrowest cylinder and the shortest segment in it are exact; the direction is sought from
/// many starts.
///
/// # Errors
/// As [`enclosing_box`].
pub fn enclosing_capsule(points: &[Point3<f64>]) -> Result<Placed> {
    let hull = rough_hull(points)?;
    let volume = |axis: &Vector3<f64>| Capsule::new(hull.vertices(), axis).volume();
    let starts = spiral(AXIS_STARTS).filter(|axis| axis.z >= 0.0).chain([Vector3::x(), Vector3::y(), Vector3::z()]);
    let mut tried: Vec<(f64, Vector3<f64>)> = starts.map(|axis| (volume(&axis), axis)).collect();
    tried.sort_by(|p, q| p.0.total_cmp(&q.0));
    let descended = tried.into_iter().take(3).map(|start| descend(start, volume));
    let axis = descended.min_by(|p, q| p.0.total_cmp(&q.0)).map_or_else(Vector3::z, |best| best.1);
    Capsule::new(points, &axis).placed(points)
}

/// A hull of few vertices that stands for many points in the search.
fn rough_hull(points: &[Point3<f64>]) -> Result<Hull> {
    let config = HullConfig { max_vertices: MAX_SEARCH_VERTICES, tolerance: 0.0 };
    match enclosing_hull(points, &config)? {
        Shape::Convex { vertices, .. } => convex_hull(&vertices),
        other => Err(unknown_kind(&other)),
    }
}

/// Centre and half-extents along orthonormal axes.
fn extents(points: &[Point3<f64>], axes: &Matrix3<f64>) -> (Vector3<f64>, Vector3<f64>) {
    let far = Vector3::repeat(f64::INFINITY);
    let along = points.iter().map(|point| axes.tr_mul(&point.coords));
    let (low, high) = along.fold((far, -far), |(low, high), x| (low.inf(&x), high.sup(&x)));
    (axes * (low + high) * 0.5, (high - low) * 0.5)
}

/// The frame along a segment, which has no faces; planes of such a hull come in opposite pairs along three axes.
fn straight_frame(hull: &Hull) -> Option<Matrix3<f64>> {
    let planes = hull.planes();
    let is_straight = hull.dimension() == 1 && planes.len() == 6;
    let frame = || Matrix3::from_columns(&[planes[0].normal, planes[2].normal, planes[4].normal]);
    is_straight.then(frame)
}

/// Normals of a hull's faces, those of the largest faces first.
fn largest_normals(hull: &Hull) -> Vec<Vector3<f64>> {
    let mut areas: Vec<Vector3<f64>> = Vec::new();
    for face in hull.faces() {
        let [a, b, c] = face.map(|vertex| hull.vertices()[vertex]);
        areas.push((b - a).cross(&(c - a)));
    }
    areas.sort_by(|p, q| q.norm_squared().total_cmp(&p.norm_squared()));
    areas.into_iter().filter_map(|area| area.try_normalize(0.0)).collect()
}

/// Frames with one axis along a normal and another across an edge of the silhouette: one of them has the least area.
fn flush_frames(hull: &Hull, normal: &Vector3<f64>) -> Option<Matrix3<f64>> {
    let u = any_perpendicular(normal);
    let v = normal.cross(&u);
    let flat: Vec<Point3<f64>> =
        hull.vertices().iter().map(|p| Point3::new(u.dot(&p.coords), v.dot(&p.coords), 0.0)).collect();
    let shadow = convex_hull(&flat).ok()?;
    let ring = shadow.vertices();
    let frame = |index: usize| {
        let edge = (ring[(index + 1) % ring.len()] - ring[index]).try_normalize(0.0)?;
        let axis = u * edge.x + v * edge.y;
        Some(Matrix3::from_columns(&[axis, normal.cross(&axis), *normal]))
    };
    let area = |axes: &Matrix3<f64>| extents(hull.vertices(), axes).1.product();
    (0..ring.len()).filter_map(frame).min_by(|p, q| area(p).total_cmp(&area(q)))
}

/// A capsule with a given axis direction.
struct Capsule {
    axis: Vector3<f64>,
    middle: Vector3<f64>,
    radius: f64,
    half_height: f64,
}

impl Capsule {
    /// The narrowest cylinder around points along an axis, closed by the caps that reach least far.
    fn new(points: &[Point3<f64>], axis: &Vector3<f64>) -> Self {
        let across: Vec<Point3<f64>> = points.iter().map(|p| p - axis * axis.dot(&p.coords)).collect();
        let circle = bounding_ball(&across);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (point, foot) in points.iter().zip(&across) {
            let along = axis.dot(&point.coords);
            let rest = (circle.radius * circle.radius - (foot - circle.center).norm_squared()).max(0.0).sqrt();
            // The lower cap holds a point if its centre is no higher than this, the upper one if no lower than that.
            (low, high) = (low.min(along + rest), high.max(along - rest));
        }
        let middle = circle.center.coords + axis * (0.5 * (low + high));
        Self { axis: *axis, middle, radius: circle.radius, half_height: (0.5 * (high - low)).max(0.0) }
    }

    fn volume(&self) -> f64 {
        PI * self.radius * self.radius * (2.0 * self.half_height + 4.0 / 3.0 * self.radius)
    }

    fn placed(&self, points: &[Point3<f64>]) -> Result<Placed> {
        let rotation = UnitQuaternion::rotation_between(&Vector3::z(), &self.axis)
            .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI));
        let pose = Isometry3::from_parts(Translation3::from(self.middle), rotation);
        // The radius is measured anew, so that rounding of the pose cannot leave a point outside.
        let distance = |point: &Point3<f64>| {
            let local = pose.inverse_transform_point(point);
            local.x.hypot(local.y).hypot((local.z.abs() - self.half_height).max(0.0))
        };
        let radius = points.iter().map(distance).fold(MIN_HALF_EXTENT_M, f64::max) + SIZE_ROUNDING_M;
        Ok((pose, Shape::capsule(radius, self.half_height.max(MIN_HALF_EXTENT_M))?))
    }
}

/// Turns an axis by ever smaller steps as long as the volume falls.
fn descend((mut least, mut axis): (f64, Vector3<f64>), volume: impl Fn(&Vector3<f64>) -> f64) -> (f64, Vector3<f64>) {
    let mut step = 0.2;
    while step > 1e-4 {
        let u = any_perpendicular(&axis);
        let v = axis.cross(&u);
        let turned = [u, -u, v, -v].map(|side| (axis + side * step).normalize());
        let best = turned.map(|axis| (volume(&axis), axis)).into_iter().min_by(|p, q| p.0.total_cmp(&q.0));
        match best.filter(|best| best.0 < least) {
            Some(best) => (least, axis) = best,
            None => step *= 0.5,
        }
    }
    (least, axis)
}
