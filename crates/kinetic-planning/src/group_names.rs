//! What a stored structure is of: robot, planning group, joints.

use kinetic_core::TrajectoryIdentity;

/// Names; empty where the space is not a robot's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct GroupNames {
    pub(crate) robot: String,
    pub(crate) group: String,
    pub(crate) joints: Vec<String>,
}

impl GroupNames {
    pub(crate) fn of(identity: &TrajectoryIdentity) -> Self {
        let name = |name: &Option<String>| name.clone().unwrap_or_default();
        Self { robot: name(&identity.robot_name), group: name(&identity.group), joints: identity.joint_names.clone() }
    }
}

impl std::fmt::Display for GroupNames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let joints = self.joints.join(", ");
        write!(f, "of group \"{}\" ({joints}) of robot \"{}\"", self.group, self.robot)
    }
}
