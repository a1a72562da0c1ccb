//! Boxes around measured points.

use kinetic_core::{KineticError, Pose, Result, Shape};
use nalgebra::{Point2, Point3, Rotation2, UnitQuaternion, Vector3};

/// Half of a length at least, m: a box has a volume.
const LEAST_HALF_LENGTH_M: f64 = 1e-6;

/// The box with an axis along z whose base has the least area, around points and `growth` (m) beyond them, and its pose: what stands on a
/// table. Of equal ones that by the first edge of the outline. Points that are not finite do not count.
///
/// The least rectangle has a side along an edge of the convex hull (Freeman and Shapira 1975).
///
/// # Errors
/// [`KineticError::InvalidValue`] without a finite point, or for a growth that is negative or not finite.
pub fn upright_box(points: &[Point3<f64>], growth: f64) -> Result<(Shape, Pose)> {
    if !(growth.is_finite() && growth >= 0.0) {
        return Err(KineticError::invalid("growth of a box", growth, "a finite number of at least 0 (m)"));
    }
    let finite = || points.iter().filter(|point| point.iter().all(|value| value.is_finite()));
    let (low, high) =
        finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), point| (low.min(point.z), high.max(point.z)));
    let outline = convex_outline(finite().map(|point| Point2::new(point.x, point.y)).collect());
    if outline.is_empty() {
        return Err(KineticError::invalid("points of a box", "none that is finite", "at least one"));
    }
    let mut best: Option<Rectangle> = None;
    for (index, a) in outline.iter().enumerate() {
        let edge = outline[(index + 1) % outline.len()] - a;
        let found = Rectangle::along(&outline, edge.y.atan2(edge.x));
        if best.as_ref().is_none_or(|best| found.area() < best.area()) {
            best = Some(found);
        }
    }
    let Rectangle { angle, low: least, high: most } = best.unwrap_or_else(|| Rectangle::along(&outline, 0.0));
    let middle = Rotation2::new(angle) * nalgebra::center(&least, &most);
    let size = Vector3::new(most.x - least.x, most.y - least.y, high - low);
    let half = size.map(|length| (0.5 * length + growth).max(LEAST_HALF_LENGTH_M));
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
    let center = nalgebra::Translation3::new(middle.x, middle.y, 0.5 * (low + high));
    Ok((Shape::cuboid(half.x, half.y, half.z)?, Pose(nalgebra::Isometry3::from_parts(center, turn))))
}

/// A rectangle around points, in axes that are turned by an angle.
struct Rectangle {
    angle: f64,
    low: Point2<f64>,
    high: Point2<f64>,
}

impl Rectangle {
    fn along(points: &[Point2<f64>], angle: f64) -> Self {
        let back = Rotation2::new(-angle);
        let turned = points.iter().map(|point| back * point);
        let start = (Point2::new(f64::INFINITY, f64::INFINITY), Point2::new(f64::NEG_INFINITY, f64::NEG_INFINITY));
        let (low, high) = turned.fold(start, |(low, high), point| (low.inf(&point), high.sup(&point)));
        Self { angle, low, high }
    }

    fn area(&self) -> f64 {
        let size = self.high - self.low;
        size.x * size.y
    }
}

/// The corners of the convex hull, counter-clockwise from the lowest x (Andrew 1979).
fn convex_outline(mut points: Vec<Point2<f64>>) -> Vec<Point2<f64>> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let mut outline = half_outline(points.iter());
    outline.extend(half_outline(points.iter().rev()));
    outline
}

/// One side of the hull, without its last corner.
fn half_outline<'a>(points: impl Iterator<Item = &'a Point2<f64>>) -> Vec<Point2<f64>> {
    let mut side: Vec<Point2<f64>> = Vec::new();
    for point in points {
        while let [.., a, b] = side[..] {
            if (b - a).perp(&(point - a)) > 0.0 {
                break;
            }
            side.pop();
        }
        side.push(*point);
    }
    side.pop();
    side
}
