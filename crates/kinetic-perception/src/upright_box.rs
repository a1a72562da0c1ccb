//! Boxes around measured points.

use kinetic_core::{KineticError, Pose, Result, Shape};
use nalgebra::{Point2, Point3, Rotation2, UnitQuaternion, Vector2, Vector3};

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
    let Rectangle { angle, low: least, high: most } = Rectangle::along(&outline, least_angle(&outline));
    let middle = Rotation2::new(angle) * nalgebra::center(&least, &most);
    let size = Vector3::new(most.x - least.x, most.y - least.y, high - low);
    let half = size.map(|length| (0.5 * length + growth).max(LEAST_HALF_LENGTH_M));
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
    let center = nalgebra::Translation3::new(middle.x, middle.y, 0.5 * (low + high));
    Ok((Shape::cuboid(half.x, half.y, half.z)?, Pose(nalgebra::Isometry3::from_parts(center, turn))))
}

/// The angle of the edge along which the rectangle around a convex outline has the least area: the corners that touch the other three
/// sides go round with the edges (rotating calipers, Toussaint 1983).
fn least_angle(outline: &[Point2<f64>]) -> f64 {
    let count = outline.len();
    let next = |index: usize| (index + 1) % count;
    let mut supports = [0; 3];
    let mut best: Option<(f64, f64)> = None;
    for (index, corner) in outline.iter().enumerate() {
        let edge = outline[next(index)] - corner;
        let sides = [edge, Vector2::new(-edge.y, edge.x), -edge];
        // The side across the edge is never before the one ahead, and the one behind never before that.
        for (side, direction) in sides.iter().enumerate() {
            let mut at = if index > 0 { supports[side] } else { supports[side.saturating_sub(1)] };
            for _ in 0..count {
                if direction.dot(&(outline[next(at)] - outline[at])) < 0.0 {
                    break;
                }
                at = next(at);
            }
            supports[side] = at;
        }
        let touching =
            [*corner, outline[next(index)], outline[supports[0]], outline[supports[1]], outline[supports[2]]];
        let found = Rectangle::along(&touching, edge.y.atan2(edge.x));
        if best.is_none_or(|(area, _)| found.area() < area) {
            best = Some((found.area(), found.angle));
        }
    }
    best.map_or(0.0, |(_, angle)| angle)
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
