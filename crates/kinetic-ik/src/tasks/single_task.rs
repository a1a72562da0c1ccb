//! Problems with a single task: look at a point, move the tool relatively.

use kinetic_core::{Pose, Result};
use kinetic_kinematics::robot_link_poses;
use kinetic_robot::{PlanningGroup, Robot};
use nalgebra::Vector3;

use super::look_at::LookAt;
use super::model::Model;
use super::pose_task::{FrameOn, PoseTask};
use super::problem::{TaskOptions, TaskProblem, TaskSolution};
use super::task::Task;

/// Points an axis of a frame (the group's tool when none) at a point in the group's base, m, from a configuration of the
/// length of the robot. Where the frame goes is free. The solution says whether it converged;
/// [`TaskSolution::require_converged`] makes an error of it.
///
/// # Errors
/// Input errors.
pub fn look_at(
    robot: &Robot,
    group: &PlanningGroup,
    q: &[f64],
    (frame, axis): (Option<FrameOn>, Vector3<f64>),
    point: &Vector3<f64>,
    options: &TaskOptions,
) -> Result<TaskSolution> {
    let root_from_base = robot_link_poses(robot, q)?[group.base_link];
    let point = root_from_base.transform_point(&(*point).into()).coords;
    let frame = frame.unwrap_or_else(|| tool(group));
    solve(robot, group, q, LookAt { name: "look at".to_owned(), frame, axis, point, threshold: 1e-4 }, options)
}

/// Brings the group's tool from where it is in a configuration (of the length of the robot) to another pose in the
/// group's base, by the shortest motion of the joints: for relative moves, with [`Pose::translated`] and
/// [`Pose::rotated`] of the present pose. The solution says whether it converged.
///
/// # Errors
/// Input errors.
pub fn move_end(
    robot: &Robot,
    group: &PlanningGroup,
    q: &[f64],
    change: impl Fn(&Pose) -> Pose,
    options: &TaskOptions,
) -> Result<TaskSolution> {
    let root_from = robot_link_poses(robot, q)?;
    let base_from_tool = root_from[group.base_link].inverse() * root_from[group.tip_link] * group.tip_from_tcp;
    let target = root_from[group.base_link] * change(&base_from_tool);
    solve(robot, group, q, PoseTask::new("move", tool(group), target), options)
}

fn tool(group: &PlanningGroup) -> FrameOn {
    FrameOn { link: group.tip_link, link_from_frame: group.tip_from_tcp }
}

fn solve(
    robot: &Robot,
    group: &PlanningGroup,
    q: &[f64],
    task: impl Task + 'static,
    options: &TaskOptions,
) -> Result<TaskSolution> {
    let mut problem = TaskProblem::new(Model::new(robot, &group.variables)?);
    problem.add(task, 0, 1.0)?;
    problem.solve(q, &Pose::identity(), options)
}
