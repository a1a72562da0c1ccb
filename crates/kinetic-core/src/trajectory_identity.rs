//! Trajectory identity: the joints, planning group and robot of a motion.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{KineticError, Result};

/// Which joints a path or trajectory is of, as far as it is known: as `joint_names` of a `trajectory_msgs/JointTrajectory`, and
/// group and robot of MoveIt's `RobotTrajectory`.
///
/// Motions are compared and hashed without it: it says what the numbers belong to, not what they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrajectoryIdentity {
    /// Names of the joints, in the order of the values; empty when unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joint_names: Vec<String>,
    /// Planning group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Name of the robot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robot_name: Option<String>,
}

impl TrajectoryIdentity {
    /// True when nothing is known.
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }

    /// What is known of a motion that consists of two: what either says.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] where both say different things.
    pub fn joined(&self, other: &Self) -> Result<Self> {
        let joint_names = match (&self.joint_names[..], &other.joint_names[..]) {
            ([], names) | (names, []) => names.to_vec(),
            (a, b) if a == b => a.to_vec(),
            (a, b) => return Err(other_than("joints", &a.join(", "), &b.join(", "))),
        };
        let one = |name: &str, a: &Option<String>, b: &Option<String>| match (a, b) {
            (Some(a), Some(b)) if a != b => Err(other_than(name, a, b)),
            (a, b) => Ok(a.clone().or_else(|| b.clone())),
        };
        let group = one("planning group", &self.group, &other.group)?;
        Ok(Self { joint_names, group, robot_name: one("robot", &self.robot_name, &other.robot_name)? })
    }

    /// As [`joined`](Self::joined), of motions that may not say anything.
    ///
    /// # Errors
    /// As [`joined`](Self::joined).
    pub fn join(a: Option<&Arc<Self>>, b: Option<&Arc<Self>>) -> Result<Option<Arc<Self>>> {
        match (a, b) {
            (Some(a), Some(b)) if a != b => Ok(Some(Arc::new(a.joined(b)?))),
            (a, b) => Ok(a.or(b).cloned()),
        }
    }
}

fn other_than(name: &str, wanted: &str, given: &str) -> KineticError {
    KineticError::invalid(format!("{name} of the joined trajectory"), given, format!("{wanted}, as before"))
}
