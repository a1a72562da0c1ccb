//! Several tasks at once. Oracles: central differences, the plain forward kinematics of the tests, values by hand.

mod batch;
mod control;
mod derivatives;
mod models;
mod priorities;
mod solving;

use kinetic_core::Pose;
use kinetic_ik::tasks::{FrameOn, PoseTask};
use kinetic_robot::{PlanningGroup, Robot};

use crate::plain;

/// A built-in robot and its default group.
pub(crate) fn robot(name: &str) -> (Robot, PlanningGroup) {
    let robot = Robot::from_name(name).unwrap();
    let group = robot.groups[robot.default_group].clone();
    (robot, group)
}

/// The group's tool as a frame.
pub(crate) fn tool(group: &PlanningGroup) -> FrameOn {
    FrameOn { link: group.tip_link, link_from_frame: group.tip_from_tcp }
}

/// Pose of a frame in the root, by plain forward kinematics.
pub(crate) fn reached(robot: &Robot, q: &[f64], frame: &FrameOn) -> Pose {
    plain::link_poses(robot, q)[frame.link] * frame.link_from_frame
}

/// A full pose of the tool to 1e-7.
pub(crate) fn exact(group: &PlanningGroup, target: Pose) -> PoseTask {
    PoseTask { position_threshold: 1e-7, rotation_threshold: 1e-7, ..PoseTask::new("tool", tool(group), target) }
}
