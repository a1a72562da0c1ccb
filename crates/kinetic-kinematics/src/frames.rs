//! A robot's links in a frame tree.

use kinetic_core::{FrameTree, Result};
use kinetic_robot::Robot;

use crate::robot_link_poses;

/// Sets the pose of every link in its parent link, for a robot-length configuration, at time `stamp` (s). Frames have
/// the names of the links; links that hang by a static transform are left alone.
///
/// # Errors
/// [`kinetic_core::KineticError::DimensionMismatch`] or [`kinetic_core::KineticError::NotFinite`].
pub fn update_frame_tree(tree: &FrameTree, robot: &Robot, q: &[f64], stamp: f64) -> Result<()> {
    let root_from = robot_link_poses(robot, q)?;
    let transforms = robot.joints.iter().map(|joint| {
        let parent_from_child = root_from[joint.parent].inverse() * root_from[joint.child];
        (robot.links[joint.parent].name.as_str(), robot.links[joint.child].name.as_str(), parent_from_child)
    });
    tree.update_from_fk(transforms, stamp)
}
