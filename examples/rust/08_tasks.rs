//! Inverse kinematics with several tasks: what must hold, and what is wished for besides.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use std::f64::consts::PI;

use kinetic::kinematics::tasks::{FrameOn, LookAt, Model, PoseTask, Posture, TaskOptions, TaskProblem, TaskSolution};
use kinetic::prelude::*;

fn show(what: &str, solution: &TaskSolution) {
    println!("{what}: {}", solution.what_is_missing().unwrap_or_else(|| "every task is met".to_owned()));
    for task in &solution.tasks {
        for residual in &task.residuals {
            println!("  {}: {} off by {:.1e}", task.name, residual.what, residual.value);
        }
    }
}

/// One arm: the tool at a point, its axis towards another point, and the joints near a posture as far as that allows.
fn one_arm() -> Result<()> {
    let robot = Robot::from_name("franka_panda")?;
    let group = robot.group("arm")?;
    let tool = FrameOn { link: group.tip_link, link_from_frame: group.tip_from_tcp };
    let (point, threshold) = (Vector3::new(0.5, 0.2, 0.0), 1e-3);

    let mut problem = TaskProblem::new(Model::new(&robot, &group.variables)?);
    problem.add(PoseTask::position("reach", tool.clone(), Vector3::new(0.5, 0.2, 0.4)), 0, 1.0)?;
    problem.add(
        LookAt { name: "watch".to_owned(), frame: tool.clone(), axis: Vector3::z(), point, threshold },
        0,
        1.0,
    )?;
    let (joints, target) = (group.variables.clone(), robot.mid_configuration(group).0);
    problem.add(Posture { name: "rest".to_owned(), joints, target, threshold: None }, 1, 1.0)?;

    let solution = problem.solve(&robot.neutral_configuration(), &Pose::identity(), &TaskOptions::default())?;
    show("one arm", &solution);
    Ok(())
}

/// Two arms: one hand at a place, the other one opposite to it, whatever the first one does.
fn two_arms() -> Result<()> {
    let robot = Robot::from_name("baxter_left")?;
    let group = robot.group("both_arms")?;
    let hand = |name| robot.link_index(name).map(FrameOn::link);
    let (left, right) = (hand("left_gripper")?, hand("right_gripper")?);

    let mut problem = TaskProblem::new(Model::new(&robot, &group.variables)?);
    let opposite = Pose::from_xyz_rpy(0.0, 0.0, 0.3, PI, 0.0, 0.0);
    problem.add(PoseTask::relative("grasp", left.clone(), right, opposite), 0, 1.0)?;
    problem.add(PoseTask::position("lift", left, Vector3::new(0.6, 0.0, 0.2)), 0, 1.0)?;

    let options = TaskOptions { attempts: 30, ..TaskOptions::default() };
    show("two arms", &problem.solve(&robot.neutral_configuration(), &Pose::identity(), &options)?);
    Ok(())
}

pub fn main() -> Result<()> {
    one_arm()?;
    two_arms()
}
