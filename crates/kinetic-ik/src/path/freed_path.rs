//! A tool path that uses what its tolerance leaves free.

use kinetic_core::Pose;
use kinetic_kinematics::Rigid;
use nalgebra::Vector3;

use super::freedom_curve::FreedomCurve;
use super::tolerance::{POSITION, PathTolerance};
use super::tool_path::{PathPoint, ToolPath};

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
        let (rotation, [freedom, slope]) = (point.rotation, curve.at(arc_length));
        let (turned, own) = self.tolerance.rotation(&freedom, &slope);
        let [away, slope] = [freedom, slope].map(|freedom| Vector3::from_column_slice(&freedom[POSITION]));
        PathPoint {
            position: point.position + rotation * away,
            velocity: point.velocity + rotation * (point.turning.cross(&away) + slope),
            rotation: rotation * turned,
            turning: turned.inverse_transform_vector(&point.turning) + own,
            ..point
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn derivatives_are_those_of_differences() {
        let poses =
            [Pose::from_xyz_rpy(0.4, 0.0, 0.3, 0.1, 0.4, -0.2), Pose::from_xyz_rpy(0.6, 0.1, 0.2, 0.9, 0.1, 0.5)];
        let path = ToolPath::new(&poses, &[]).expect("two poses");
        let axis = Vector3::new(0.3, -0.5, 0.8);
        let tolerance = PathTolerance { axis, angle: PI, cone: 0.5, position: Vector3::repeat(0.02) };
        // From no swing at all, over small ones, to large ones.
        let point = |knot: u32| {
            let part = f64::from(knot) / 6.0;
            [2.0 * part, 0.02 * part, -0.01 * part, 0.02 * part.sin(), 0.4 * part * part, -0.3 * part.powi(3)]
        };
        let freed =
            FreedPath::new(&path, tolerance, FreedomCurve::new(path.length() / 6.0, (0..=6).map(point).collect()));
        let h = 1e-6;
        for sample in 1..400 {
            let arc_length = path.length() * f64::from(sample) / 400.0;
            let [behind, here, ahead] = [-h, 0.0, h].map(|by| freed.point_at(arc_length + by));
            let velocity = (ahead.position - behind.position) / (2.0 * h);
            let turning = (behind.rotation.inverse() * ahead.rotation).scaled_axis() / (2.0 * h);
            assert!((velocity - here.velocity).norm() < 1e-7, "{arc_length} {velocity} {}", here.velocity);
            assert!((turning - here.turning).norm() < 1e-6, "{arc_length} {turning} {}", here.turning);
            assert!((here.rotation.norm() - 1.0).abs() < 1e-12);
            let pose = freed.pose_at(arc_length);
            assert!((pose.translation() - here.position).norm() < 1e-15);
            assert!(pose.rotation().angle_to(&here.rotation) < 1e-7);
        }
    }
}
