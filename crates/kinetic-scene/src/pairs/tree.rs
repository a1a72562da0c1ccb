//! Which joints lie between two links.

use std::collections::BTreeSet;

use kinetic_robot::Robot;

/// The active joints, as indices into the robot's active joints, that move two links against each other; ascending.
pub(super) fn variables_between(robot: &Robot, a: usize, b: usize) -> Vec<usize> {
    let (above_a, above_b) = (joints_above(robot, a), joints_above(robot, b));
    let variables: BTreeSet<usize> =
        above_a.symmetric_difference(&above_b).filter_map(|joint| variable_of(robot, *joint)).collect();
    variables.into_iter().collect()
}

fn joints_above(robot: &Robot, mut link: usize) -> BTreeSet<usize> {
    let mut joints = BTreeSet::new();
    while let Some(joint) = robot.links[link].parent_joint {
        joints.insert(joint);
        link = robot.joints[joint].parent;
    }
    joints
}

/// The active joint that drives a joint; `None` for a fixed one.
fn variable_of(robot: &Robot, joint: usize) -> Option<usize> {
    let joint = &robot.joints[joint];
    match &joint.mimic {
        Some(mimic) => robot.joints[mimic.joint].variable,
        None => joint.variable,
    }
}
