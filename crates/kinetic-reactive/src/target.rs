//! Where an arm is to get, and how far from it it is.

use kinetic_core::Pose;

/// What an arm gets to.
#[derive(Debug, Clone, PartialEq)]
pub enum ServoTarget {
    /// A pose of the tool in the base of the group, `base_from_tool`.
    Pose(Pose),
    /// Positions of the joints, rad or m.
    Joints(Vec<f64>),
}

impl ServoTarget {
    /// How far an arm with its tool at `base_from_tool` and its joints at `q` is; infinite for a pose and a group without one tool.
    pub(crate) fn error(&self, base_from_tool: Option<&Pose>, q: &[f64]) -> TargetError {
        match (self, base_from_tool) {
            (Self::Pose(target), Some(now)) => TargetError::Pose {
                position: target.translation_distance(now),
                rotation: target.rotation_distance(now),
            },
            (Self::Pose(_), None) => TargetError::Pose { position: f64::INFINITY, rotation: f64::INFINITY },
            (Self::Joints(wanted), _) => {
                TargetError::Joints(wanted.iter().zip(q).map(|(wanted, q)| (wanted - q).abs()).fold(0.0, f64::max))
            }
        }
    }
}

/// How far an arm is from its target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TargetError {
    /// Of the tool.
    Pose {
        /// Distance between the origins, m.
        position: f64,
        /// Angle between the orientations, rad.
        rotation: f64,
    },
    /// Largest of the joints, rad or m.
    Joints(f64),
}

impl TargetError {
    /// Whether it is at most `position` (m; of joints rad or m) and `rotation` (rad).
    pub fn is_within(&self, position: f64, rotation: f64) -> bool {
        match self {
            Self::Pose { position: distance, rotation: angle } => *distance <= position && *angle <= rotation,
            Self::Joints(error) => *error <= position,
        }
    }
}
