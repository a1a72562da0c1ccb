//! Simplified convex hulls: few vertices around many points.

use kinetic_core::Shape;
use kinetic_core::error::{KineticError, Result, check_finite};
use nalgebra::{Point3, Vector3};

use crate::distance::convex;
use crate::hull::{Hull, convex_hull};

/// Configuration of simplified hulls: number of vertices and tolerance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HullConfig {
    /// Most vertices, at least 4; distances between bodies take time in proportion.
    pub max_vertices: usize,
    /// Rounding up to which vertices are left out, m.
    pub tolerance: f64,
}

impl Default for HullConfig {
    /// Up to 64 vertices, until the rounding is 0.2 mm.
    fn default() -> Self {
        Self { max_vertices: 64, tolerance: 2e-4 }
    }
}

/// A convex shape that contains all points: the hull of some of them, enlarged by how far the others are outside.
///
/// Vertices are chosen as quickhull does, the farthest first, until the rest is close enough.
///
/// # Errors
/// [`InvalidValue`](KineticError::InvalidValue) without points or for a configuration outside its domain,
/// [`NotFinite`](KineticError::NotFinite) for NaN or infinity.
pub fn enclosing_hull(points: &[Point3<f64>], config: &HullConfig) -> Result<Shape> {
    if config.max_vertices < 4 {
        return Err(KineticError::invalid("max_vertices", config.max_vertices, "at least 4"));
    }
    if !(config.tolerance >= 0.0) {
        return Err(KineticError::invalid("hull tolerance", config.tolerance, "a number of at least 0 (m)"));
    }
    if points.is_empty() {
        return Err(KineticError::invalid("points to enclose", "none", "at least one point"));
    }
    for point in points {
        check_finite("point to enclose", point.coords.as_slice())?;
    }
    let mut chosen = first_points(points);
    let mut outside: Vec<Point3<f64>> = points.to_vec();
    loop {
        let hull = convex_hull(&chosen)?;
        let farthest = keep_outside(&hull, &mut outside);
        let height = farthest.iter().map(|(height, _)| *height).fold(0.0, f64::max);
        let room = config.max_vertices.saturating_sub(hull.vertices().len());
        if height <= config.tolerance || room == 0 {
            let distance = |point: &Point3<f64>| convex::nearest(&hull, point).0.max(0.0);
            let radius = outside.iter().map(distance).fold(0.0, f64::max);
            return Shape::convex(hull.vertices(), radius);
        }
        // All that are far out at once: one by one, the hull would be built as often as it has vertices.
        let far = farthest.into_iter().filter(|(above, _)| *above > 0.5 * height).take(room);
        chosen = hull.vertices().to_vec();
        chosen.extend(far.map(|(_, point)| point));
    }
}

/// The outermost points along the axes.
fn first_points(points: &[Point3<f64>]) -> Vec<Point3<f64>> {
    let axes = (0..3).flat_map(|axis| [Vector3::ith(axis, 1.0), Vector3::ith(axis, -1.0)]);
    let farthest = |direction: Vector3<f64>| {
        points.iter().max_by(|p, q| direction.dot(&p.coords).total_cmp(&direction.dot(&q.coords))).copied()
    };
    let mut first: Vec<Point3<f64>> = axes.filter_map(farthest).collect();
    // Four of them are needed for a solid, and a budget of four must not be spent on more.
    first.truncate(4);
    first
}

/// Drops the points inside a hull and gives the highest over each of its planes with its height, highest first.
fn keep_outside(hull: &Hull, points: &mut Vec<Point3<f64>>) -> Vec<(f64, Point3<f64>)> {
    let mut highest: Vec<Option<(f64, Point3<f64>)>> = vec![None; hull.planes().len()];
    points.retain(|point| {
        let heights = hull.planes().iter().map(|plane| plane.height(point)).enumerate();
        let (plane, height) = heights.fold((0, 0.0), |best, next| if next.1 > best.1 { next } else { best });
        if height > 0.0 && highest[plane].is_none_or(|(above, _)| height > above) {
            highest[plane] = Some((height, *point));
        }
        height > 0.0
    });
    let mut found: Vec<(f64, Point3<f64>)> = highest.into_iter().flatten().collect();
    found.sort_by(|p, q| q.0.total_cmp(&p.0));
    found
}
