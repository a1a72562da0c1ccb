//! Tool paths: straight segments between poses, with corners rounded to continuous curvature.
//!
//! Along a segment the position moves on a line and the orientation turns about one axis, both evenly. A corner begins and
//! ends at most its radius away from the pose; on it the position is a Bézier curve of degree 5 whose inner points lie on
//! the two segments, and the orientation the cumulative Bézier curve on rotations of Kim, Kim and Shin 1995 ("A general
//! construction scheme for unit quaternion curves") with the same points. Three points on each segment, evenly spaced,
//! make position and orientation twice continuously differentiable where lines and corners meet; lines stay lines.

use kinetic_core::{KineticError, Pose, Result};
use nalgebra::{UnitQuaternion, Vector3};

/// Metres that a rotation of one radian counts as in the length of a segment: the reach of a tool about its point.
pub const METRES_PER_RADIAN: f64 = 0.1;

/// Poses closer together than this (m, with rotations as [`METRES_PER_RADIAN`] says) are one.
pub const SAME_POSE_M: f64 = 1e-9;

/// Where the six points of a corner lie, in lengths from the corner to its end.
const CORNER_POINT_RATIOS: [f64; 6] = [-1.0, -0.6, -0.2, 0.2, 0.6, 1.0];

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
    /// Half-length of the corner after each segment but the last; 0 for a stop.
    corners: Vec<f64>,
}

/// A straight segment: where it begins, and what it moves and turns by over its length.
#[derive(Debug, Clone)]
struct Segment {
    station: f64,
    length: f64,
    position: Vector3<f64>,
    rotation: UnitQuaternion<f64>,
    move_by: Vector3<f64>,
    /// Axis times angle in the frame of the tool.
    turn_by: Vector3<f64>,
}

impl Segment {
    fn between(a: &Pose, b: &Pose, station: f64) -> Self {
        let move_by = b.translation() - a.translation();
        let turn_by = (a.rotation().inverse() * b.rotation()).scaled_axis();
        let length = move_by.norm().max(METRES_PER_RADIAN * turn_by.norm());
        Self { station, length, position: a.translation(), rotation: a.rotation(), move_by, turn_by }
    }

    fn at(&self, distance: f64) -> (Vector3<f64>, UnitQuaternion<f64>) {
        let fraction = distance / self.length;
        let turned = self.rotation * UnitQuaternion::from_scaled_axis(self.turn_by * fraction);
        (self.position + self.move_by * fraction, turned)
    }

    fn end(&self) -> f64 {
        self.station + self.length
    }
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
            let half = radius.min(0.5 * segments[index].length).min(0.5 * segments[index + 1].length);
            if half > SAME_POSE_M { half } else { 0.0 }
        };
        let corners = rounding.iter().enumerate().map(half).collect();
        Ok(Self { segments, corners })
    }

    /// Length of the segments, m; a rotation counts as [`METRES_PER_RADIAN`] says where it is longer than the translation.
    pub fn length(&self) -> f64 {
        self.segments.last().map_or(0.0, Segment::end)
    }

    /// Where the tool stops: 0, the poses that are met exactly, and the length.
    pub fn stops(&self) -> Vec<f64> {
        let inner = self.corners.iter().zip(&self.segments).filter(|(half, _)| **half == 0.0);
        let inner = inner.map(|(_, segment)| segment.end());
        [0.0].into_iter().chain(inner).chain([self.length()]).collect()
    }

    /// Where each corner begins and ends, stops excluded.
    pub fn corners(&self) -> Vec<[f64; 2]> {
        let round = self.corners.iter().zip(&self.segments).filter(|(half, _)| **half > 0.0);
        round.map(|(half, segment)| [segment.end() - half, segment.end() + half]).collect()
    }

    /// The pose at `station`, clamped to the path.
    pub fn pose_at(&self, station: f64) -> Pose {
        let station = if station > 0.0 { station.min(self.length()) } else { 0.0 };
        let index = self.segments.partition_point(|segment| segment.end() < station).min(self.segments.len() - 1);
        for corner in [index.checked_sub(1), Some(index)].into_iter().flatten() {
            let Some(half) = self.corners.get(corner) else { continue };
            let part = (station - self.segments[corner].end() + half) / (2.0 * half);
            if (0.0..=1.0).contains(&part) {
                return pose(self.corner(corner, *half, part));
            }
        }
        pose(self.segments[index].at(station - self.segments[index].station))
    }

    /// The corner after a segment at `part` of it.
    fn corner(&self, index: usize, half: f64, part: f64) -> (Vector3<f64>, UnitQuaternion<f64>) {
        let (before, after) = (&self.segments[index], &self.segments[index + 1]);
        let point = |at: f64| if at < 0.0 { before.at(before.length + at * half) } else { after.at(at * half) };
        let points = CORNER_POINT_RATIOS.map(point);
        let weights = bernstein(part);
        let position = points.iter().zip(weights).map(|((position, _), weight)| position * weight).sum();
        let mut rotation = points[0].1;
        for next in 1..CORNER_POINT_RATIOS.len() {
            let cumulative: f64 = weights[next..].iter().sum();
            let turn = (points[next - 1].1.inverse() * points[next].1).scaled_axis();
            rotation *= UnitQuaternion::from_scaled_axis(turn * cumulative);
        }
        (position, rotation)
    }
}

fn pose((position, rotation): (Vector3<f64>, UnitQuaternion<f64>)) -> Pose {
    Pose::from(nalgebra::Isometry3::from_parts(position.into(), rotation))
}

/// Bernstein polynomials of degree 5.
fn bernstein(w: f64) -> [f64; 6] {
    let u = 1.0 - w;
    [u.powi(5), 5.0 * u.powi(4) * w, 10.0 * u.powi(3) * w * w, 10.0 * u * u * w.powi(3), 5.0 * u * w.powi(4), w.powi(5)]
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
