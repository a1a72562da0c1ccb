//! A tool path that uses what its tolerance leaves free.

use kinetic_core::Pose;
use kinetic_kinematics::Rigid;
use nalgebra::{Rotation3, UnitQuaternion, Vector3};

use super::freedom_curve::FreedomCurve;
use super::tolerance::PathTolerance;
use super::tool_path::{PathPoint, ToolPath};

/// Distance of arc lengths over which the turning of a freed path is found, m.
const TURNING_DIFFERENCE_M: f64 = 1e-6;

/// The poses of a [`ToolPath`], moved inside a tolerance as a curve of the freedom says.
#[derive(Debug, Clone)]
pub struct FreedPath<'a> {
    path: &'a ToolPath,
    tolerance: PathTolerance,
    curve: Option<FreedomCurve>,
}

impl<'a> FreedPath<'a> {
    /// The path itself.
    pub fn strict(path: &'a ToolPath) -> Self {
        Self { path, tolerance: PathTolerance::default(), curve: None }
    }

    /// The path as `curve` uses the freedom of `tolerance`.
    pub fn new(path: &'a ToolPath, tolerance: PathTolerance, curve: FreedomCurve) -> Self {
        Self { path, tolerance, curve: Some(curve).filter(|curve| !curve.is_strict()) }
    }

    /// The path that it is freed from.
    pub fn path(&self) -> &'a ToolPath {
        self.path
    }

    /// `target_from_tool` at an arc length.
    fn offset(&self, curve: &FreedomCurve, arc_length: f64) -> Rigid {
        self.tolerance.offset(&curve.at(arc_length)[0])
    }

    /// Pose of the tool in the base at `arc_length`, clamped to the path.
    pub fn pose_at(&self, arc_length: f64) -> Pose {
        let pose = self.path.pose_at(arc_length);
        match &self.curve {
            None => pose,
            Some(curve) => Rigid::from(&pose).then(&self.offset(curve, arc_length)).to_pose(),
        }
    }

    /// The point at `arc_length`, clamped to the path, with its first derivatives; second derivatives are not worked out, and those of
    /// the path.
    pub fn point_at(&self, arc_length: f64) -> PathPoint {
        let point = self.path.point_at(arc_length);
        let Some(curve) = &self.curve else { return point };
        let rotation = point.rotation;
        let [here, ahead] =
            [arc_length, arc_length + TURNING_DIFFERENCE_M].map(|arc_length| self.offset(curve, arc_length));
        let quaternion = |rotation| UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation));
        let own = (quaternion(here.rotation).inverse() * quaternion(ahead.rotation)).scaled_axis();
        let slope = Vector3::from_column_slice(&curve.at(arc_length)[1][1..4]);
        PathPoint {
            position: point.position + rotation * here.translation,
            velocity: point.velocity + rotation * (point.turning.cross(&here.translation) + slope),
            rotation: rotation * quaternion(here.rotation),
            turning: here.rotation.transpose() * point.turning + own / TURNING_DIFFERENCE_M,
            ..point
        }
    }
}
