//! From a goal to joint values.

use kinetic_core::{Goal, JointValues, KineticError, Pose, ReferenceFrame, Result};
use kinetic_kinematics::{IKConfig, KinematicChain, solve_ik_distinct};
use kinetic_robot::{PlanningGroup, Robot};
use kinetic_scene::Checker;

/// Joint limits are compared with this tolerance, rad or m: files with five or six decimals put configurations at a
/// limit some 1e-6 outside.
pub const LIMIT_TOLERANCE: f64 = 1e-5;

/// A pose goal is met to this distance (m) and angle (rad).
const GOAL_TOLERANCE: f64 = 1e-6;

/// Restarts when all configurations of a pose goal are sought.
const GOAL_RESTARTS: usize = 32;

/// Configurations that meet `goal`, the one nearest to the start first. Inside limits; free, unless there is only one
/// way to meet the goal.
///
/// # Errors
/// [`KineticError::JointLimitViolation`], [`KineticError::NamedConfigNotFound`], [`KineticError::GoalUnreachable`],
/// [`KineticError::GoalInCollision`], or errors of sizes and numbers.
pub(crate) fn resolve(
    robot: &Robot,
    group: &PlanningGroup,
    chain: &KinematicChain,
    checker: &mut Checker,
    start: &[f64],
    goal: &Goal,
    seed: u64,
) -> Result<Vec<JointValues>> {
    match goal {
        Goal::Joints(values) => {
            let q = robot.group_configuration(group, values)?;
            robot.check_limits(group, &q, LIMIT_TOLERANCE)?;
            single(checker, q)
        }
        Goal::Named(name) => {
            let pose = robot.named_pose(group, name).ok_or_else(|| KineticError::NamedConfigNotFound {
                name: name.clone(),
                group: group.name.clone(),
                available: robot.named_pose_names(group).into_iter().map(String::from).collect(),
            })?;
            single(checker, pose.clone())
        }
        Goal::Pose(base_from_tcp) => reach(robot, chain, checker, start, base_from_tcp, seed),
        Goal::Relative { offset, frame } => {
            offset.check_finite("relative offset")?;
            reach(robot, chain, checker, start, &moved(&chain.tip_pose(start), offset, *frame), seed)
        }
    }
}

/// The tool pose after a relative motion.
fn moved(base_from_tcp: &Pose, offset: &Pose, frame: ReferenceFrame) -> Pose {
    match frame {
        ReferenceFrame::Tool => *base_from_tcp * *offset,
        ReferenceFrame::Base => {
            let mut pose = base_from_tcp.0;
            pose.translation.vector += offset.translation();
            pose.rotation = offset.rotation() * pose.rotation;
            Pose(pose)
        }
    }
}

fn single(checker: &mut Checker, q: JointValues) -> Result<Vec<JointValues>> {
    match collision(checker, &q) {
        None => Ok(vec![q]),
        Some((link, other, distance, margin)) => Err(KineticError::GoalInCollision { link, other, distance, margin }),
    }
}

/// The tightest pair at `q`, when it misses its margin: names, distance, margin.
pub(crate) fn collision(checker: &mut Checker, q: &[f64]) -> Option<(String, String, f64, f64)> {
    if checker.is_free(q) {
        return None;
    }
    let clearance = checker.clearance(q);
    let pair = clearance.pair?;
    Some((pair.link, pair.other, clearance.distance, clearance.margin))
}

/// All configurations that inverse kinematics finds for a pose and that are free.
fn reach(
    robot: &Robot,
    chain: &KinematicChain,
    checker: &mut Checker,
    start: &[f64],
    base_from_tcp: &Pose,
    seed: u64,
) -> Result<Vec<JointValues>> {
    let config = IKConfig {
        seed: Some(start.into()),
        num_restarts: GOAL_RESTARTS,
        position_tolerance: GOAL_TOLERANCE,
        orientation_tolerance: GOAL_TOLERANCE,
        rng_seed: seed,
        ..IKConfig::for_robot(robot)
    };
    let solutions = solve_ik_distinct(chain, base_from_tcp, &config).map_err(|error| match error {
        KineticError::IKNotConverged { iterations, residual } => KineticError::GoalUnreachable {
            reason: format!(
                "no configuration inside the joint limits found in {} attempts ({iterations} iterations); \
                 the nearest pose reached is off by {residual:.3e} (m or rad)",
                GOAL_RESTARTS + 1
            ),
        },
        KineticError::NoIKSolution { reason } => KineticError::GoalUnreachable { reason },
        other => other,
    })?;
    let mut blocked = None;
    let mut free = Vec::new();
    for solution in solutions {
        match collision(checker, &solution.joints) {
            None => free.push(solution.joints),
            some => blocked = blocked.or(some),
        }
    }
    match (free.is_empty(), blocked) {
        (true, Some((link, other, distance, margin))) => {
            Err(KineticError::GoalInCollision { link, other, distance, margin })
        }
        _ => Ok(free),
    }
}
