//! Measures of constraints: deviation, largest change, and the rows that lead back into the tolerance.

use kinetic_core::{Constraint, Pose, Result};
use kinetic_kinematics::{Rigid, TreeKinematics};
use nalgebra::{Matrix3, Rotation3, Unit, UnitQuaternion, Vector3};

use super::motion_bounds::{LinkFrame, MotionBounds, common_frame, sum};
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
    pub(super) quantity: Quantity,
    /// Of the link, or of both links against `fixed`.
    pub(super) bounds: MotionBounds,
    /// The last frame that carries both links; the root for one link.
    pub(super) fixed: usize,
}

/// What a deviation is the size of.
#[derive(Debug, Clone)]
pub(super) enum Quantity {
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

/// Makes the measures of one constraint.
struct MeasureCompiler<'a> {
    tree: &'a TreeKinematics,
    ranges: &'a [(f64, f64)],
    constraint: usize,
}

impl MeasureCompiler<'_> {
    fn link(&self, name: &str) -> Result<LinkFrame> {
        let (frame, frame_from_link) = self.tree.program().link(self.tree.link_index(name)?);
        Ok(LinkFrame { frame, frame_from_link: *frame_from_link })
    }

    fn of_link(&self, link: &LinkFrame, tolerance: f64, quantity: Quantity) -> Measure {
        let bounds = MotionBounds::of(self.tree.program(), self.ranges, link, 0);
        Measure { constraint: self.constraint, tolerance, quantity, bounds, fixed: 0 }
    }

    /// `arm`: how far from the origin of the first link the point is that is looked at, m.
    fn of_links(&self, links: &[LinkFrame; 2], tolerance: f64, arm: f64, quantity: Quantity) -> Measure {
        let program = self.tree.program();
        let common = common_frame(program, &links[0], &links[1]);
        let of = |link: &LinkFrame| MotionBounds::of(program, self.ranges, link, common);
        let bounds = of(&links[0]).of_point(arm).plus(of(&links[1]));
        Measure { constraint: self.constraint, tolerance, quantity, bounds, fixed: common }
    }

    fn axis(&self, name: &str, [link_axis, axis]: [&Vector3<f64>; 2], tolerance: f64) -> Result<Measure> {
        let (link, link_axis, axis) = (self.link(name)?, link_axis.normalize(), axis.normalize());
        Ok(self.of_link(&link, tolerance, Quantity::Axis { link, link_axis, axis }))
    }

    /// Within `half` of a plane.
    fn slab(&self, link: LinkFrame, normal: Vector3<f64>, point: Vector3<f64>, half: f64) -> Measure {
        self.of_link(&link, half, Quantity::Plane { link, point, normal })
    }

    fn faces(&self, name: &str, pose: &Pose, half_extents: &Vector3<f64>) -> Result<Vec<Measure>> {
        let link = self.link(name)?;
        let face = |axis: usize| {
            let normal = pose.rotation * *Vector3::ith_axis(axis);
            self.slab(link, normal, pose.translation.vector, half_extents[axis])
        };
        Ok((0..3).map(face).collect())
    }

    fn relative_pose(&self, names: [&str; 2], pose: &Pose, [away, angle]: [f64; 2]) -> Result<Vec<Measure>> {
        let links = [self.link(names[0])?, self.link(names[1])?];
        let (position, rotation) = (pose.translation.vector, pose.rotation.to_rotation_matrix().into_inner());
        let arm = position.norm();
        Ok(vec![
            self.of_links(&links, away, arm, Quantity::RelativePosition { links, position }),
            self.of_links(&links, angle, 0.0, Quantity::RelativeOrientation { links, rotation }),
        ])
    }

    fn distance(&self, names: [&str; 2], min: f64, max: f64) -> Result<Measure> {
        let links = [self.link(names[0])?, self.link(names[1])?];
        let middle = f64::midpoint(min, max);
        Ok(self.of_links(&links, 0.5 * (max - min), 0.0, Quantity::Distance { links, middle }))
    }

    /// What a constraint on the orientation of a link demands.
    fn orientation(&self, constraint: &Constraint) -> Result<Option<Measure>> {
        Ok(Some(match constraint {
            Constraint::Orientation { link, axis, tolerance } => self.axis(link, [&Vector3::z(), axis], *tolerance)?,
            Constraint::FreeAxis { link, link_axis, axis, tolerance } => {
                self.axis(link, [link_axis, axis], *tolerance)?
            }
            Constraint::FixedOrientation { link, rotation, tolerance } => {
                let (link, rotation) = (self.link(link)?, rotation.to_rotation_matrix().into_inner());
                self.of_link(&link, *tolerance, Quantity::Orientation { link, rotation })
            }
            Constraint::Visibility { sensor_link, target, cone_angle } => {
                let link = self.link(sensor_link)?;
                self.of_link(&link, *cone_angle, Quantity::View { link, target: *target })
            }
            _ => return Ok(None),
        }))
    }

    /// What another constraint demands.
    fn position(&self, constraint: &Constraint) -> Result<Vec<Measure>> {
        Ok(match constraint {
            Constraint::PositionBound { link, axis, min, max } => {
                let normal = *Vector3::ith_axis(axis.index());
                vec![self.slab(self.link(link)?, normal, f64::midpoint(*min, *max) * normal, 0.5 * (max - min))]
            }
            Constraint::Plane { link, point, normal, tolerance } => {
                vec![self.slab(self.link(link)?, normal.normalize(), *point, *tolerance)]
            }
            Constraint::Line { link, point, direction, tolerance } => {
                let link = self.link(link)?;
                let quantity = Quantity::Line { link, point: *point, direction: direction.normalize() };
                vec![self.of_link(&link, *tolerance, quantity)]
            }
            Constraint::Box { link, pose, half_extents } => self.faces(link, pose, half_extents)?,
            Constraint::Distance { link_a, link_b, min, max } => vec![self.distance([link_a, link_b], *min, *max)?],
            Constraint::RelativePose { link_a, link_b, pose, position_tolerance, orientation_tolerance } => {
                self.relative_pose([link_a, link_b], pose, [*position_tolerance, *orientation_tolerance])?
            }
            // A range of a joint is a bound of the space.
            _ => Vec::new(),
        })
    }
}

impl Measure {
    /// What a constraint demands; nothing for ranges of joints, which are bounds of the space.
    pub(super) fn of(
        tree: &TreeKinematics,
        ranges: &[(f64, f64)],
        constraint: usize,
        data: &Constraint,
    ) -> Result<Vec<Self>> {
        let compiler = MeasureCompiler { tree, ranges, constraint };
        match compiler.orientation(data)? {
            Some(measure) => Ok(vec![measure]),
            None => compiler.position(data),
        }
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
        let [rotation, translation] = [&self.bounds.rotation, &self.bounds.translation].map(|rates| sum(rates, radii));
        match &self.quantity {
            Quantity::Axis { .. } | Quantity::Orientation { .. } | Quantity::RelativeOrientation { .. } => rotation,
            Quantity::Plane { .. }
            | Quantity::Line { .. }
            | Quantity::Distance { .. }
            | Quantity::RelativePosition { .. } => translation,
            Quantity::View { link, target } => {
                let (way, distance) = (translation, (target - link.pose(frames).translation).norm());
                // A point that is `distance` away and moves by `way` is seen to turn by at most asin(way / distance).
                if way < distance { rotation + (way / distance).asin() } else { f64::INFINITY }
            }
        }
    }

    /// Appends rows of which a solution reduces the deviation to `target`, in the first order.
    pub(super) fn rows(&self, frames: &[Rigid], target: f64, out: &mut Vec<Row>) {
        match &self.quantity {
            Quantity::Axis { link, link_axis, axis } => out.extend(axis_rows(frames, link, [link_axis, axis], target)),
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
                out.extend(line_rows(frames, link, [point, direction], target));
            }
            Quantity::View { link, target: seen } => out.push(view_row(frames, link, seen, target)),
            Quantity::Distance { links, middle } => out.push(distance_row(frames, links, *middle, target)),
            Quantity::RelativeOrientation { links, rotation } => {
                let [a, b] = links.map(|link| link.pose(frames).rotation);
                let wanted = shortened(&turn(&(a * rotation), &b), target);
                out.extend(axes().map(|axis| Row {
                    terms: [LinkTerm::turn(links[0].frame, -axis), LinkTerm::turn(links[1].frame, axis)],
                    wanted: axis.dot(&wanted),
                }));
            }
            Quantity::RelativePosition { links, position } => {
                out.extend(relative_position_rows(frames, links, position, target));
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

fn axis_rows(frames: &[Rigid], link: &LinkFrame, [link_axis, axis]: [&Vector3<f64>; 2], target: f64) -> [Row; 2] {
    let now = link.pose(frames).rotation * link_axis;
    let about = perpendicular(&now, axis);
    let rotates = |axis: Vector3<f64>, wanted| Row::one(LinkTerm::turn(link.frame, axis), wanted);
    [rotates(about, angle(&now, axis) - target), rotates(now.cross(&about), 0.0)]
}

fn line_rows(frames: &[Rigid], link: &LinkFrame, [point, direction]: [&Vector3<f64>; 2], target: f64) -> [Row; 2] {
    let origin = link.pose(frames).translation;
    let wanted = -shortened(&off_line(&(origin - point), direction), target);
    let first = perpendicular(direction, &wanted);
    let towards = |axis: Vector3<f64>| Row::one(LinkTerm::shift(link.frame, origin, axis), axis.dot(&wanted));
    [towards(first), towards(direction.cross(&first))]
}

fn view_row(frames: &[Rigid], link: &LinkFrame, seen: &Vector3<f64>, target: f64) -> Row {
    let pose = link.pose(frames);
    let (z, to_target) = (pose.z_axis(), seen - pose.translation);
    let distance = to_target.norm().max(SHORTEST_DIRECTION);
    let about = perpendicular(&z, &to_target);
    let away = about.cross(&(to_target / distance)) / distance;
    let term = LinkTerm { frame: link.frame, point: pose.translation, linear: away, angular: about };
    Row::one(term, angle(&z, &to_target) - target)
}

fn distance_row(frames: &[Rigid], links: &[LinkFrame; 2], middle: f64, target: f64) -> Row {
    let [a, b] = links.map(|link| link.pose(frames).translation);
    let (along, off) = (direction_of(&(b - a)), (b - a).norm() - middle);
    let terms = [LinkTerm::shift(links[0].frame, a, -along), LinkTerm::shift(links[1].frame, b, along)];
    Row { terms, wanted: off.clamp(-target, target) - off }
}

fn relative_position_rows(frames: &[Rigid], links: &[LinkFrame; 2], position: &Vector3<f64>, target: f64) -> [Row; 3] {
    let [a, b] = links.map(|link| link.pose(frames));
    let there = a.point(position);
    let wanted = shortened(&(there - b.translation), target);
    // A point that is fixed on the first link moves with it.
    let shift = |axis: Vector3<f64>| {
        [LinkTerm::shift(links[0].frame, there, -axis), LinkTerm::shift(links[1].frame, b.translation, axis)]
    };
    axes().map(|axis| Row { terms: shift(axis), wanted: axis.dot(&wanted) })
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

pub(super) fn off_line(offset: &Vector3<f64>, direction: &Vector3<f64>) -> Vector3<f64> {
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
