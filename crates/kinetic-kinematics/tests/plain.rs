//! Forward kinematics written as the URDF specification reads: one quaternion pose per joint, no compilation.

use kinetic_core::Pose;
use kinetic_robot::{JointType, Robot};
use nalgebra::{Isometry3, Translation3, UnitQuaternion};

/// Poses of all links in the root for a robot-length configuration.
pub(crate) fn link_poses(robot: &Robot, q: &[f64]) -> Vec<Pose> {
    let mut poses = vec![Pose::identity(); robot.links.len()];
    for link in 1..robot.links.len() {
        let joint = &robot.joints[robot.links[link].parent_joint.unwrap()];
        let value = match &joint.mimic {
            Some(mimic) => mimic.multiplier * q[robot.joints[mimic.joint].variable.unwrap()] + mimic.offset,
            None => joint.variable.map_or(0.0, |variable| q[variable]),
        };
        let motion = match joint.joint_type {
            JointType::Fixed => Isometry3::identity(),
            JointType::Prismatic => Translation3::from(joint.axis.into_inner() * value).into(),
            JointType::Revolute | JointType::Continuous => {
                Isometry3::from_parts(Translation3::identity(), UnitQuaternion::from_axis_angle(&joint.axis, value))
            }
        };
        poses[link] = Pose(poses[joint.parent].0 * joint.parent_from_joint.0 * motion);
    }
    poses
}
