//! Tool paths: segments between poses, with corners rounded to continuous curvature.
//!
//! Along a straight segment the position moves on a line and the orientation turns about one axis, both evenly; other segments
//! are arcs of circles and screws. A corner begins and ends at most its radius away from the pose; on it the position is a
//! Bézier curve of degree 5 and the orientation the cumulative Bézier curve on rotations (Kim, Kim and Shin 1995). Position and
//! orientation are twice continuously differentiable where segments and corners meet; lines stay lines.

mod bounds;
mod corner;
mod segment;

use kinetic_core::{KineticError, Pose, Result};
use nalgebra::Vector3;

pub use bounds::MotionBounds;
use corner::Corner;
pub use segment::PathPoint;
use segment::{Rotation, Segment, Translation};

/// Metres that a rotation of one radian counts as in the length of a segment: the reach of a tool about its point.
pub const METRES_PER_RADIAN: f64 = 0.1;

/// Poses closer together than this (m, with rotations as [`METRES_PER_RADIAN`] says) are one.
pub const SAME_POSE_M: f64 = 1e-9;

/// A path of the tool, parametrised by its length along the segments between the poses. See the module for its shape.
///
/// ```
/// use kinetic_core::Pose;
/// use kinetic_ik::ToolPath;
/// let poses = [(0.4, 0.0), (0.5, 0.0), (0.5, 0.1)].map(|(x, y)| Pose::from_xyz(x, y, 0.3));
/// let path = ToolPath::new(&poses, &[0.02])?;
/// assert!((path.length() - 0.2).abs() < 1e-12);
/// // On the line before the corner, and never more than 3/8 of the radius from the pose in the corner's middle.
/// assert!((path.pose_at(0.07).translation().x - 0.47).abs() < 1e-12);
/// assert!(path.pose_at(0.1).translation_distance(&poses[1]) < 0.375 * 0.02);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ToolPath {
    segments: Vec<Segment>,
    /// The corner after each segment but the last; `None` for a stop.
    corners: Vec<Option<Corner>>,
}

impl ToolPath {
    /// The path through `poses` (of the tool in the base), whose inner poses are rounded within `radii` (m), one for each
    /// inner pose; 0 passes exactly through the pose, with a stop. A corner takes at most half of a segment. Poses that
    /// repeat the one before are one with it, with the smaller radius.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for less than two different poses, or a radius that is negative or not finite;
    /// [`KineticError::DimensionMismatch`] for a wrong number of radii; [`KineticError::NotFinite`].
    pub fn new(poses: &[Pose], radii: &[f64]) -> Result<Self> {
        check_radii(poses, radii)?;
        let (mut segments, mut rounding) = (Vec::<Segment>::new(), Vec::new());
        let mut last_pose: Option<&Pose> = None;
        // The radius of a pose that repeats the last distinct one.
        let mut least = f64::INFINITY;
        for (index, pose) in poses.iter().enumerate() {
            pose.check_finite(&format!("pose {index} of the tool path"))?;
            let radius =
                if index == 0 { f64::INFINITY } else { radii.get(index - 1).copied().unwrap_or(f64::INFINITY) };
            let Some(last) = last_pose else {
                last_pose = Some(pose);
                continue;
            };
            let segment = Segment::between(last, pose, segments.last().map_or(0.0, Segment::end));
            if segment.length > SAME_POSE_M {
                if !segments.is_empty() {
                    rounding.push(least);
                }
                segments.push(segment);
                (last_pose, least) = (Some(pose), radius);
            } else {
                least = least.min(radius);
            }
        }
        if segments.is_empty() {
            let wanted = "at least two poses that differ";
            return Err(KineticError::invalid("poses of a tool path", format!("{} that are one", poses.len()), wanted));
        }
        let half = |(index, radius): (usize, &f64)| {
            radius.min(0.5 * segments[index].length).min(0.5 * segments[index + 1].length)
        };
        let halves: Vec<f64> = rounding.iter().enumerate().map(half).collect();
        Ok(Self::rounded(segments, &halves))
    }

    /// Segments that follow each other, with a corner of these half-lengths after each but the last; 0 is a stop.
    fn rounded(segments: Vec<Segment>, halves: &[f64]) -> Self {
        let corner = |(pair, half): (&[Segment], &f64)| {
            (*half > SAME_POSE_M).then(|| Corner::between(&pair[0], &pair[1], *half))
        };
        let corners = segments.windows(2).zip(halves).map(corner).collect();
        Self { segments, corners }
    }

    /// Length of the segments, m; a rotation counts as [`METRES_PER_RADIAN`] says where it is longer than the translation.
    pub fn length(&self) -> f64 {
        self.segments.last().map_or(0.0, Segment::end)
    }

    /// Where the tool stops: 0, the poses that are met exactly, and the length.
    pub fn stops(&self) -> Vec<f64> {
        let inner = self.corners.iter().zip(&self.segments).filter(|(corner, _)| corner.is_none());
        let inner = inner.map(|(_, segment)| segment.end());
        [0.0].into_iter().chain(inner).chain([self.length()]).collect()
    }

    /// Where each corner begins and ends, stops excluded.
    pub fn corners(&self) -> Vec<[f64; 2]> {
        self.corners.iter().flatten().map(|corner| [corner.begin, corner.end]).collect()
    }

    /// Where the segments end.
    pub fn segment_ends(&self) -> Vec<f64> {
        self.segments.iter().map(Segment::end).collect()
    }

    /// The pose at `arc_length`, clamped to the path.
    pub fn pose_at(&self, arc_length: f64) -> Pose {
        let PathPoint { position, rotation, .. } = self.point_at(arc_length);
        Pose::from(nalgebra::Isometry3::from_parts(position.into(), rotation))
    }

    /// The point at `arc_length`, clamped to the path. On corners the derivative of the rotation per metre is not worked out, and 0.
    pub fn point_at(&self, arc_length: f64) -> PathPoint {
        let arc_length = if arc_length > 0.0 { arc_length.min(self.length()) } else { 0.0 };
        let index = self.segments.partition_point(|segment| segment.end() < arc_length).min(self.segments.len() - 1);
        let near = [index.checked_sub(1), Some(index)].into_iter().flatten();
        let corner = near.filter_map(|corner| self.corners.get(corner)?.as_ref());
        match corner.into_iter().find(|corner| (corner.begin..=corner.end).contains(&arc_length)) {
            Some(corner) => corner.at(arc_length),
            None => self.segments[index].at(arc_length - self.segments[index].arc_length),
        }
    }

    /// Bounds on the derivatives between two arc lengths.
    pub fn bounds_between(&self, from: f64, to: f64) -> MotionBounds {
        let meets = |begin: f64, end: f64| begin <= to && end >= from;
        let first = self.segments.partition_point(|segment| segment.end() < from).saturating_sub(1);
        let near = || self.segments[first..].iter().take_while(|segment| segment.arc_length <= to);
        let lines = near().filter(|segment| meets(segment.arc_length, segment.end())).map(Segment::bounds);
        let corners = self.corners[first.min(self.corners.len())..].iter().flatten();
        let corners = corners.take_while(|corner| corner.begin <= to);
        let corners = corners.filter(|corner| meets(corner.begin, corner.end)).map(Corner::bounds);
        lines.chain(corners).fold(MotionBounds::default(), MotionBounds::or)
    }
}

/// Refuses radii that are no lengths, or too many or few of them: one per pose between the first and the last.
fn check_radii(poses: &[Pose], radii: &[f64]) -> Result<()> {
    kinetic_core::error::check_len("blend radii", radii.len(), poses.len().saturating_sub(2))?;
    match radii.iter().enumerate().find(|(_, radius)| !(**radius >= 0.0 && radius.is_finite())) {
        Some((index, radius)) => {
            let name = format!("blend radius of pose {}", index + 1);
            Err(KineticError::invalid(name, radius, "a finite length of at least 0"))
        }
        None => Ok(()),
    }
}

/// Centre, unit axis and angle of an arc.
pub(super) type Arc = (Vector3<f64>, Vector3<f64>, f64);

/// A path that grows segment by segment from a pose.
pub(super) struct Growing {
    tip: Pose,
    segments: Vec<Segment>,
}

impl Growing {
    pub(super) fn from(start: Pose) -> Self {
        Self { tip: start, segments: Vec::new() }
    }

    /// The pose that it has grown to.
    pub(super) fn tip(&self) -> &Pose {
        &self.tip
    }

    /// Length of the last segment.
    pub(super) fn last_length(&self) -> f64 {
        self.segments.last().map_or(0.0, |segment| segment.length)
    }

    fn push(&mut self, translation: Translation, rotation: Rotation) {
        let arc_length = self.segments.last().map_or(0.0, Segment::end);
        self.segments.push(Segment::new(translation, rotation, arc_length));
        let PathPoint { position, rotation, .. } = self.segments[self.segments.len() - 1].at(self.last_length());
        self.tip = Pose::from(nalgebra::Isometry3::from_parts(position.into(), rotation));
    }

    /// A line to a pose, which is then the tip exactly.
    pub(super) fn line_to(&mut self, goal: &Pose) {
        let arc_length = self.segments.last().map_or(0.0, Segment::end);
        self.segments.push(Segment::between(&self.tip, goal, arc_length));
        self.tip = *goal;
    }

    /// The arc of a circle about `center` by `angle` about the unit vector `axis`, with the orientation of each pose that is
    /// given; `via` is the part of the arc at which the first of two is met.
    pub(super) fn arc_to(&mut self, (center, axis, angle): Arc, via: Option<(f64, &Pose)>, goal: &Pose) {
        let x = self.tip.translation() - center;
        let translation = Translation::Helix { center, x, y: axis.cross(&x), angle, advance: Vector3::zeros() };
        let from = self.tip.rotation();
        let turn = |a: &Pose, b: &Pose| (a.rotation().inverse() * b.rotation()).scaled_axis();
        let rotation = match via {
            Some((part, via)) => {
                Rotation::Via { from, first: turn(&self.tip, via), second: turn(via, goal), via: part }
            }
            None => Rotation::Even { from, by: turn(&self.tip, goal) },
        };
        self.push(translation, rotation);
        self.tip = *goal;
    }

    /// A screw: a rotation by `angle` about the unit vector `axis` through `point`, and `advance` (m) along it. The tool turns
    /// with it.
    pub(super) fn screw(&mut self, point: Vector3<f64>, axis: Vector3<f64>, angle: f64, advance: f64) {
        let arm = self.tip.translation() - point;
        let along = axis * arm.dot(&axis);
        let x = arm - along;
        let translation =
            Translation::Helix { center: point + along, x, y: axis.cross(&x), angle, advance: axis * advance };
        let from = self.tip.rotation();
        self.push(translation, Rotation::Even { from, by: from.inverse_transform_vector(&axis) * angle });
    }

    /// The path, with corners of these half-lengths after each segment but the last.
    pub(super) fn rounded(self, halves: &[f64]) -> ToolPath {
        ToolPath::rounded(self.segments, halves)
    }
}
