//! Goals of links: configurations that bring links of a group to their poses, all of them at once.
//!
//! One link that does not move against the tip of the group is a pose of the tool, with all branches of its closed form. Other
//! links, and several of them, are tasks of equal priority, solved from the start and from random configurations.

use std::collections::BTreeMap;

use kinetic_core::error::reason;
use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, JointValues, KineticError, Pose, Result};
use kinetic_ik::tasks::{FrameOn, Model, PoseTask, TaskOptions, TaskProblem, TaskSolution};
use kinetic_kinematics::robot_link_poses;
use kinetic_robot::{PlanningGroup, Robot};

use crate::goal_context::{GoalContext, LIMIT_TOLERANCE, POSE_GOAL_TOLERANCE_RAD_M};

/// So many times as many random configurations are tried while none has led to the poses.
const MORE_RESTARTS_WHILE_NONE: usize = 8;

/// Configurations nearer to each other than this, Euclidean in joint space, are one.
const SAME_CONFIGURATION: f64 = 1e-4;

/// The tool pose that is meant where the poses are that of one link which is rigid with the only tip of the group.
///
/// # Errors
/// [`KineticError::LinkNotFound`]; [`KineticError::InvalidValue`] for no link, or one that the group does not move;
/// [`KineticError::NotFinite`].
pub(crate) fn tool_pose(around: &GoalContext<'_>, base_from_links: &BTreeMap<String, Pose>) -> Result<Option<Pose>> {
    let (robot, group) = (around.ik.robot, around.group);
    let links = indices(robot, group, base_from_links)?;
    let [(link, base_from_link)] = links[..] else { return Ok(None) };
    let is_rigid = moving_ancestors(robot, group, link) == moving_ancestors(robot, group, group.tip_link);
    if !is_rigid || robot.check_single_tip(group).is_err() {
        return Ok(None);
    }
    let root_from = robot_link_poses(robot, &full_start(around))?;
    let link_from_tip = root_from[link].inverse() * root_from[group.tip_link];
    Ok(Some(base_from_link * link_from_tip * around.ik.chain.tcp()))
}

/// Configurations inside limits that bring all links to their poses, the nearest to the start first; collisions are not
/// looked at.
///
/// # Errors
/// As [`tool_pose`], [`KineticError::GoalUnreachable`], and what `control` says.
pub(crate) fn configurations(
    around: &GoalContext<'_>,
    base_from_links: &BTreeMap<String, Pose>,
    restarts: usize,
    control: &Control,
) -> Result<Vec<JointValues>> {
    let (problem, q) = problem(around, base_from_links)?;
    let (mut found, mut best, mut iterations) = (Vec::<JointValues>::new(), f64::INFINITY, 0);
    let most = MORE_RESTARTS_WHILE_NONE * restarts;
    for attempt in 0..=most as u64 {
        control.check(0)?;
        if attempt > restarts as u64 && !found.is_empty() {
            break;
        }
        let rng_seed = SeededRng::stream(around.ik.seed, attempt).next_u64();
        let options = TaskOptions { random_start: attempt > 0, rng_seed, ..TaskOptions::default() };
        let solution = problem.solve_with(&q, &Pose::identity(), &options, &control.with_max_iterations(u64::MAX))?;
        iterations += solution.iterations;
        best = best.min(residual(&solution));
        let values: JointValues = around.group.variables.iter().map(|variable| solution.q[*variable]).collect();
        let is_known = |known: &JointValues| around.ik.chain.travel(known, &values) < SAME_CONFIGURATION;
        let is_inside = around.ik.robot.check_limits(around.group, &values, LIMIT_TOLERANCE).is_ok();
        if solution.converged && is_inside && !found.iter().any(is_known) {
            found.push(values);
        }
    }
    if found.is_empty() {
        let reason = reason::GoalUnreachable::NotConverged { attempts: most + 1, iterations, residual: best };
        return Err(KineticError::GoalUnreachable { reason });
    }
    let way = |q: &JointValues| around.ik.chain.travel(around.start, q);
    // Stable: of equally near ones the first stays first.
    found.sort_by(|one, other| way(one).total_cmp(&way(other)));
    Ok(found)
}

/// One task per link, and the start in robot length.
fn problem(around: &GoalContext<'_>, base_from_links: &BTreeMap<String, Pose>) -> Result<(TaskProblem, Vec<f64>)> {
    let (robot, group, q) = (around.ik.robot, around.group, full_start(around));
    let root_from_base = robot_link_poses(robot, &q)?[group.base_link];
    let mut problem = TaskProblem::new(Model::new(robot, &group.variables)?);
    for (link, base_from_link) in indices(robot, group, base_from_links)? {
        let name = &robot.links[link].name;
        let task = PoseTask {
            position_threshold: POSE_GOAL_TOLERANCE_RAD_M,
            rotation_threshold: POSE_GOAL_TOLERANCE_RAD_M,
            ..PoseTask::new(name, FrameOn::link(link), root_from_base * base_from_link)
        };
        problem.add(task, 0, 1.0)?;
    }
    Ok((problem, q))
}

/// The links by index, each moved by the group.
fn indices(
    robot: &Robot,
    group: &PlanningGroup,
    base_from_links: &BTreeMap<String, Pose>,
) -> Result<Vec<(usize, Pose)>> {
    if base_from_links.is_empty() {
        return Err(KineticError::invalid("goal", "no link", "the pose of at least one link"));
    }
    let entry = |(name, base_from_link): (&String, &Pose)| {
        let link = robot.link_index(name)?;
        base_from_link.check_finite(&format!("goal pose of link \"{name}\""))?;
        if moving_ancestors(robot, group, link).is_empty() {
            let moved = robot.links_moved_by(group).into_iter().map(|link| robot.links[link].name.as_str());
            let wanted = format!("one that group \"{}\" moves: {}", group.name, moved.collect::<Vec<_>>().join(", "));
            return Err(KineticError::invalid("link of the goal", format!("\"{name}\""), wanted));
        }
        Ok((link, *base_from_link))
    };
    base_from_links.iter().map(entry).collect()
}

/// Joints of the group above a link, and those that follow them, the nearest first.
fn moving_ancestors(robot: &Robot, group: &PlanningGroup, link: usize) -> Vec<usize> {
    let parent = |link: &usize| robot.links[*link].parent_joint.map(|joint| robot.joints[joint].parent);
    let joints = std::iter::successors(Some(link), parent).filter_map(|link| robot.links[link].parent_joint);
    let leader = |joint: usize| robot.joints[joint].mimic.map_or(joint, |mimic| mimic.joint);
    joints.filter(|joint| group.joints.contains(&leader(*joint))).collect()
}

/// The start in robot length.
fn full_start(around: &GoalContext<'_>) -> Vec<f64> {
    let mut q = around.held.to_vec();
    for (variable, value) in around.group.variables.iter().zip(around.start) {
        q[*variable] = *value;
    }
    q
}

/// The largest error that is left, m or rad.
fn residual(solution: &TaskSolution) -> f64 {
    let all = solution.tasks.iter().flat_map(|task| &task.residuals);
    all.map(|residual| residual.value).fold(0.0, f64::max)
}
