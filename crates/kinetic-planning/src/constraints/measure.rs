//! Measures of constraints: deviation, largest change, and the rows that lead back into the tolerance.

use kinetic_core::{Constraint, Result};
use kinetic_kinematics::{Rigid, TreeKinematics};
use nalgebra::{Matrix3, Rotation3, Unit, UnitQuaternion, Vector3};

use super::motion_bounds::{LinkFrame, MotionBounds, common_frame};
use super::projection::{LinkTerm, Row};

/// Directions shorter than this have none: a link on the line, a target at the sensor's origin, m or the sine of an angle.
const SHORTEST_DIRECTION: f64 = 1e-12;

/// One demand of a constraint: a deviation that is at most the tolerance.
#[derive(Debug, Clone)]
pub(super) struct Measure {
    /// Index of the constraint.
    pub(super) constraint: usize,
    /// rad or m.
    pub(super) tolerance: f64,
    quantity: Quantity,
    /// Of the link, or of both links against the frame that carries both.
    bounds: MotionBounds,
}

#[derive(Debug, Clone)]
enum Quantity {
    /// Angle between an axis of a link and a direction.
    Axis { link: LinkFrame, link_axis: Vector3<f64>, axis: Vector3<f64> },
    /// Angle of the rotation to `root_from_link`.
    Orientation { link: LinkFrame, rotation: Matrix3<f64> },
    /// Distance from the plane that a point and a normal span.
    Plane { link: LinkFrame, point: Vector3<f64>, normal: Vector3<f64> },
    /// Distance from a line.
    Line { link: LinkFrame, point: Vector3<f64>, direction: Vector3<f64> },
    /// Angle between the z axis of a link and the direction to a point.
    View { link: LinkFrame, target: Vector3<f64> },
    /// Difference between the distance of two links and one.
    Distance { links: [LinkFrame; 2], middle: f64 },
    /// Angle of the rotation to `a_from_b`.
    RelativeOrientation { links: [LinkFrame; 2], rotation: Matrix3<f64> },
    /// Distance of the origin of the second link from a point in the first.
    RelativePosition { links: [LinkFrame; 2], position: Vector3<f64> },
}

impl Measure {
    /// What a constraint demands; nothing for ranges of joints, which are bounds of the space.
    pub(super) fn of(
        tree: &TreeKinematics,
        ranges: &[(f64, f64)],
        index: usize,
        constraint: &Constraint,
    ) -> Result<Vec<Self>> {
        let program = tree.program();
        let link = |name: &str| -> Result<LinkFrame> {
            let (frame, frame_from_link) = program.link(tree.link_index(name)?);
            Ok(LinkFrame { frame, frame_from_link: *frame_from_link })
        };
        let one = |link: &LinkFrame, tolerance: f64, quantity: Quantity| {
            let bounds = MotionBounds::of(program, ranges, link, 0);
            Self { constraint: index, tolerance, quantity, bounds }
        };
        let two = |links: &[LinkFrame; 2], tolerance: f64, arm: f64, quantity: Quantity| {
            let common = common_frame(program, &links[0], &links[1]);
            let of = |link: &LinkFrame| MotionBounds::of(program, ranges, link, common);
            let bounds = of(&links[0]).of_point(arm).plus(&of(&links[1]));
            Self { constraint: index, tolerance, quantity, bounds }
        };
        let slab = |link: LinkFrame, normal: Vector3<f64>, point: Vector3<f64>, half: f64| {
            one(&link, half, Quantity::Plane { link, point, normal })
        };
        Ok(match constraint {
            Constraint::Orientation { link: name, axis, tolerance } => {
                let (link, axis) = (link(name)?, axis.normalize());
                vec![one(&link, *tolerance, Quantity::Axis { link, link_axis: Vector3::z(), axis })]
            }
            Constraint::FreeAxis { link: name, link_axis, axis, tolerance } => {
                let (link, link_axis, axis) = (link(name)?, link_axis.normalize(), axis.normalize());
                vec![one(&link, *tolerance, Quantity::Axis { link, link_axis, axis })]
            }
            Constraint::FixedOrientation { link: name, rotation, tolerance } => {
                let (link, rotation) = (link(name)?, rotation.to_rotation_matrix().into_inner());
                vec![one(&link, *tolerance, Quantity::Orientation { link, rotation })]
            }
            Constraint::PositionBound { link: name, axis, min, max } => {
                let normal = *Vector3::ith_axis(axis.index());
                vec![slab(link(name)?, normal, f64::midpoint(*min, *max) * normal, 0.5 * (max - min))]
            }
            Constraint::Plane { link: name, point, normal, tolerance } => {
                vec![slab(link(name)?, normal.normalize(), *point, *tolerance)]
            }
            Constraint::Line { link: name, point, direction, tolerance } => {
                let link = link(name)?;
                let quantity = Quantity::Line { link, point: *point, direction: direction.normalize() };
                vec![one(&link, *tolerance, quantity)]
            }
            Constraint::Box { link: name, pose, half_extents } => {
                let link = link(name)?;
                let face = |axis: usize| {
                    let normal = pose.rotation * *Vector3::ith_axis(axis);
                    slab(link, normal, pose.translation.vector, half_extents[axis])
                };
                (0..3).map(face).collect()
            }
            Constraint::Visibility { sensor_link, target, cone_angle } => {
                let link = link(sensor_link)?;
                vec![one(&link, *cone_angle, Quantity::View { link, target: *target })]
            }
            Constraint::Distance { link_a, link_b, min, max } => {
                let links = [link(link_a)?, link(link_b)?];
                let middle = f64::midpoint(*min, *max);
                vec![two(&links, 0.5 * (max - min), 0.0, Quantity::Distance { links, middle })]
            }
            Constraint::RelativePose { link_a, link_b, pose, position_tolerance, orientation_tolerance } => {
                let links = [link(link_a)?, link(link_b)?];
                let rotation = pose.rotation.to_rotation_matrix().into_inner();
                let position = pose.translation.vector;
                let arm = position.norm();
                vec![
                    two(&links, *position_tolerance, arm, Quantity::RelativePosition { links, position }),
                    two(&links, *orientation_tolerance, 0.0, Quantity::RelativeOrientation { links, rotation }),
                ]
            }
            // A range of a joint, and kinds that are none of a link.
            _ => Vec::new(),
        })
    }

    /// Deviation, rad or m, at least 0.
    pub(super) fn deviation(&self, frames: &[Rigid]) -> f64 {
        match &self.quantity {
            Quantity::Axis { link, link_axis, axis } => angle(&(link.pose(frames).rotation * link_axis), axis),
            Quantity::Orientation { link, rotation } => turn(rotation, &link.pose(frames).rotation).norm(),
            Quantity::Plane { link, point, normal } => normal.dot(&(link.pose(frames).translation - point)).abs(),
            Quantity::Line { link, point, direction } => {
                off_line(&(link.pose(frames).translation - point), direction).norm()
            }
            Quantity::View { link, target } => {
                let pose = link.pose(frames);
                angle(&pose.z_axis(), &(target - pose.translation))
            }
            Quantity::Distance { links, middle } => {
                let [a, b] = links.map(|link| link.pose(frames).translation);
                ((b - a).norm() - middle).abs()
            }
            Quantity::RelativeOrientation { links, rotation } => {
                let [a, b] = links.map(|link| link.pose(frames).rotation);
                turn(&(a * rotation), &b).norm()
            }
            Quantity::RelativePosition { links, position } => {
                let [a, b] = links.map(|link| link.pose(frames));
                (a.point(position) - b.translation).norm()
            }
        }
    }

    /// How much the deviation can change while no joint moves farther than `radii` from where `frames` are.
    pub(super) fn largest_change(&self, frames: &[Rigid], radii: &[f64]) -> f64 {
        let sum = |weights: &[f64]| weights.iter().zip(radii).map(|(weight, radius)| weight * radius).sum::<f64>();
        let (rotation, translation) = (&self.bounds.rotation, &self.bounds.translation);
        match &self.quantity {
            Quantity::Axis { .. } | Quantity::Orientation { .. } | Quantity::RelativeOrientation { .. } => {
                sum(rotation)
            }
            Quantity::Plane { .. }
            | Quantity::Line { .. }
            | Quantity::Distance { .. }
            | Quantity::RelativePosition { .. } => sum(translation),
            Quantity::View { link, target } => {
                let (way, distance) = (sum(translation), (target - link.pose(frames).translation).norm());
                // A point that is `distance` away and moves by `way` is seen to turn by at most asin(way / distance).
                if way < distance { sum(rotation) + (way / distance).asin() } else { f64::INFINITY }
            }
        }
    }

    /// Appends rows of which a solution reduces the deviation to `target`, in the first order.
    pub(super) fn rows(&self, frames: &[Rigid], target: f64, out: &mut Vec<Row>) {
        match &self.quantity {
            Quantity::Axis { link, link_axis, axis } => {
                let (frame, now) = (link.frame, link.pose(frames).rotation * link_axis);
                let about = perpendicular(&now, axis);
                let rotates = |axis: Vector3<f64>, wanted| Row::one(LinkTerm::turn(frame, axis), wanted);
                out.push(rotates(about, angle(&now, axis) - target));
                out.push(rotates(now.cross(&about), 0.0));
            }
            Quantity::Orientation { link, rotation } => {
                let wanted = shortened(&turn(rotation, &link.pose(frames).rotation), target);
                out.extend(axes().map(|axis| Row::one(LinkTerm::turn(link.frame, axis), axis.dot(&wanted))));
            }
            Quantity::Plane { link, point, normal } => {
                let origin = link.pose(frames).translation;
                let height = normal.dot(&(origin - point));
                let wanted = height.clamp(-target, target) - height;
                out.push(Row::one(LinkTerm::shift(link.frame, origin, *normal), wanted));
            }
            Quantity::Line { link, point, direction } => {
                let origin = link.pose(frames).translation;
                let wanted = -shortened(&off_line(&(origin - point), direction), target);
                let first = perpendicular(direction, &wanted);
                for axis in [first, direction.cross(&first)] {
                    out.push(Row::one(LinkTerm::shift(link.frame, origin, axis), axis.dot(&wanted)));
                }
            }
            Quantity::View { link, target: seen } => {
                let pose = link.pose(frames);
                let (z, to_target) = (pose.z_axis(), seen - pose.translation);
                let distance = to_target.norm().max(SHORTEST_DIRECTION);
                let about = perpendicular(&z, &to_target);
                let away = about.cross(&(to_target / distance)) / distance;
                let term = LinkTerm { frame: link.frame, point: pose.translation, linear: away, angular: about };
                out.push(Row::one(term, angle(&z, &to_target) - target));
            }
            Quantity::Distance { links, middle } => {
                let [a, b] = links.map(|link| link.pose(frames).translation);
                let distance = (b - a).norm();
                let along = direction_of(&(b - a));
                let wanted = (distance - middle).clamp(-target, target) - (distance - middle);
                out.push(Row {
                    terms: [LinkTerm::shift(links[0].frame, a, -along), LinkTerm::shift(links[1].frame, b, along)],
                    wanted,
                });
            }
            Quantity::RelativeOrientation { links, rotation } => {
                let [a, b] = links.map(|link| link.pose(frames).rotation);
                let wanted = shortened(&turn(&(a * rotation), &b), target);
                out.extend(axes().map(|axis| Row {
                    terms: [LinkTerm::turn(links[0].frame, -axis), LinkTerm::turn(links[1].frame, axis)],
                    wanted: axis.dot(&wanted),
                }));
            }
            Quantity::RelativePosition { links, position } => {
                let [a, b] = links.map(|link| link.pose(frames));
                let there = a.point(position);
                let wanted = shortened(&(there - b.translation), target);
                // A point that is fixed on the first link moves with it.
                out.extend(axes().map(|axis| Row {
                    terms: [
                        LinkTerm::shift(links[0].frame, there, -axis),
                        LinkTerm::shift(links[1].frame, b.translation, axis),
                    ],
                    wanted: axis.dot(&wanted),
                }));
            }
        }
    }

    /// Most rows that it appends.
    pub(super) fn max_rows(&self) -> usize {
        match &self.quantity {
            Quantity::Plane { .. } | Quantity::View { .. } | Quantity::Distance { .. } => 1,
            Quantity::Axis { .. } | Quantity::Line { .. } => 2,
            Quantity::Orientation { .. } | Quantity::RelativeOrientation { .. } | Quantity::RelativePosition { .. } => {
                3
            }
        }
    }
}

fn axes() -> [Vector3<f64>; 3] {
    [Vector3::x(), Vector3::y(), Vector3::z()]
}

/// Angle between two directions, exact for small ones and for those near π.
fn angle(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    a.cross(b).norm().atan2(a.dot(b))
}

/// Rotation vector of the rotation from `from` to `to`, in the axes of the root.
fn turn(to: &Matrix3<f64>, from: &Matrix3<f64>) -> Vector3<f64> {
    // By way of a quaternion, which has no acos: small angles are exact, and rounding makes no NaN.
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(to * from.transpose())).scaled_axis()
}

/// The part of a vector beyond the length `target`.
fn shortened(vector: &Vector3<f64>, target: f64) -> Vector3<f64> {
    let length = vector.norm();
    if length > target { vector * (1.0 - target / length) } else { Vector3::zeros() }
}

fn off_line(offset: &Vector3<f64>, direction: &Vector3<f64>) -> Vector3<f64> {
    offset - direction * direction.dot(offset)
}

/// The axis about which `from` turns towards `to`; any one at right angles to `from` where they are parallel.
fn perpendicular(from: &Vector3<f64>, to: &Vector3<f64>) -> Vector3<f64> {
    let axis = from.cross(to);
    Unit::try_new(axis, SHORTEST_DIRECTION * to.norm().max(SHORTEST_DIRECTION)).map_or_else(
        || {
            let least = from.iamin();
            from.cross(&Vector3::ith_axis(least)).normalize()
        },
        Unit::into_inner,
    )
}

/// The direction of a vector; x where it has none.
fn direction_of(vector: &Vector3<f64>) -> Vector3<f64> {
    Unit::try_new(*vector, SHORTEST_DIRECTION).map_or_else(Vector3::x, Unit::into_inner)
}
