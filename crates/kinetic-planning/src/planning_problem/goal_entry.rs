//! Goals in problem files.

use std::fmt::Write;

use kinetic_core::error::check_finite;
use kinetic_core::{Goal, JointValues, KineticError, Pose, ReferenceFrame, Result};
use serde::Deserialize;

use super::file::quoted;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GoalEntry {
    joints: Option<Vec<f64>>,
    named: Option<String>,
    pose: Option<PoseEntry>,
    relative: Option<RelativeEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PoseEntry {
    position: [f64; 3],
    quaternion_xyzw: [f64; 4],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RelativeEntry {
    position: [f64; 3],
    quaternion_xyzw: [f64; 4],
    frame: ReferenceFrame,
}

impl GoalEntry {
    pub(super) fn goal(self) -> Result<Goal> {
        match (self.joints, self.named, self.pose, self.relative) {
            (Some(values), None, None, None) => {
                check_finite("goal", &values)?;
                Ok(Goal::Joints(JointValues(values)))
            }
            (None, Some(name), None, None) => Ok(Goal::Named(name)),
            (None, None, Some(pose), None) => Ok(Goal::Pose(pose.pose()?)),
            (None, None, None, Some(RelativeEntry { position, quaternion_xyzw, frame })) => {
                Ok(Goal::Relative { offset: PoseEntry { position, quaternion_xyzw }.pose()?, frame })
            }
            _ => Err(KineticError::invalid("goal", "none or several kinds", "one of joints, named, pose, relative")),
        }
    }
}

impl PoseEntry {
    pub(super) fn pose(&self) -> Result<Pose> {
        let ([x, y, z], [qx, qy, qz, qw]) = (self.position, self.quaternion_xyzw);
        Pose::from_xyz_quat(x, y, z, qx, qy, qz, qw)
    }
}

pub(super) fn text(goal: &Goal) -> String {
    let mut out = String::from("\n[problem.goal]\n");
    // Writing into a string does not fail.
    let _ = match goal {
        Goal::Joints(values) => writeln!(out, "joints = {:?}", values.0),
        Goal::Named(name) => writeln!(out, "named = {}", quoted(name)),
        Goal::Pose(pose) => writeln!(out, "pose = {{ {} }}", pose_text(pose)),
        Goal::Relative { offset, frame } => {
            let frame = match frame {
                ReferenceFrame::Tool => "tool",
                ReferenceFrame::Base => "base",
            };
            writeln!(out, "relative = {{ {}, frame = \"{frame}\" }}", pose_text(offset))
        }
    };
    out
}

pub(super) fn pose_text(pose: &Pose) -> String {
    let (t, q) = (pose.translation(), pose.rotation().coords);
    format!("position = {:?}, quaternion_xyzw = {:?}", t.as_slice(), q.as_slice())
}
