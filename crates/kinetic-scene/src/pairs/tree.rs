//! The kinematic tree: the joints between two links.

use kinetic_robot::Robot;

/// The chains of joints from the root to every link, computed once for all pairs.
pub(super) struct JointTree {
    /// Per link the joints from the root to it, as indices into the robot's joints, with the active joint that drives each.
    above: Vec<Vec<(usize, Option<usize>)>>,
}

impl JointTree {
    pub(super) fn new(robot: &Robot) -> Self {
        let mut above: Vec<Vec<(usize, Option<usize>)>> = Vec::with_capacity(robot.links.len());
        // Parents come before children.
        for link in &robot.links {
            let joints = link.parent_joint.map(|joint| {
                let mut joints = above[robot.joints[joint].parent].clone();
                joints.push((joint, variable_of(robot, joint)));
                joints
            });
            above.push(joints.unwrap_or_default());
        }
        Self { above }
    }

    /// The active joints, as indices into the robot's active joints, that move two links relative to each other; ascending.
    pub(super) fn variables_between(&self, a: usize, b: usize) -> Vec<usize> {
        let (above_a, above_b) = (&self.above[a], &self.above[b]);
        let common = above_a.iter().zip(above_b).take_while(|(a, b)| a == b).count();
        let apart = above_a[common..].iter().chain(&above_b[common..]);
        let mut variables: Vec<usize> = apart.filter_map(|(_, variable)| *variable).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }
}

/// The active joint that drives a joint; `None` for a fixed one.
fn variable_of(robot: &Robot, joint: usize) -> Option<usize> {
    let joint = &robot.joints[joint];
    match &joint.mimic {
        Some(mimic) => robot.joints[mimic.joint].variable,
        None => joint.variable,
    }
}
