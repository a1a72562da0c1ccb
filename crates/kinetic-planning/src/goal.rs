//! From a goal to joint values.

use kinetic_core::{Goal, JointValues, KineticError, Pose, ReferenceFrame, Result};
use kinetic_kinematics::analytic::Manipulator;
use kinetic_kinematics::{IKConfig, IKSolution, KinematicChain, solve_ik_branches};
use kinetic_robot::Robot;
use kinetic_scene::Checker;

use crate::goal_set::Surroundings;

/// Joint limits are compared with this tolerance, rad or m: files with five or six decimals put configurations at a
/// limit some 1e-6 outside.
pub const LIMIT_TOLERANCE: f64 = 1e-5;

/// A pose goal is met to this distance (m) and angle (rad).
const GOAL_TOLERANCE: f64 = 1e-6;

/// Restarts when all configurations of a pose goal are sought.
const GOAL_RESTARTS: usize = 32;

/// What inverse kinematics of a pose goal needs.
pub(crate) struct Reach<'a> {
    pub(crate) robot: &'a Robot,
    pub(crate) chain: &'a KinematicChain,
    /// The closed form of the chain; asked for when there is a pose to reach.
    pub(crate) closed_form: &'a dyn Fn() -> Option<&'a Manipulator>,
    pub(crate) seed: u64,
}

/// Configurations that meet `goal`, which is neither a set nor a region, the one nearest to the start first. Inside
/// limits, and free.
///
/// # Errors
/// [`KineticError::JointLimitViolation`], [`KineticError::NamedConfigNotFound`], [`KineticError::GoalUnreachable`],
/// [`KineticError::GoalInCollision`], or errors of sizes and numbers.
pub(crate) fn resolve(around: &Surroundings<'_>, checker: &mut Checker, goal: &Goal) -> Result<Vec<JointValues>> {
    let Surroundings { reach, group, start, .. } = around;
    let robot = reach.robot;
    match goal {
        Goal::Joints(values) => {
            let q = own_values(around, values)?;
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
        Goal::Pose(base_from_tcp) => free_branches(reach, checker, start, base_from_tcp),
        Goal::Relative { offset, frame } => {
            offset.check_finite("relative offset")?;
            let base_from_tcp = moved(&reach.chain.tip_pose(start), offset, *frame);
            free_branches(reach, checker, start, &base_from_tcp)
        }
        Goal::Region(_) | Goal::Any(_) => {
            let reason = format!("a goal of kind \"{}\" has no list of configurations", goal.kind());
            Err(KineticError::UnsupportedGoal { reason })
        }
    }
}

/// The group's values of a joint goal. One in robot length cannot move the other joints.
fn own_values(around: &Surroundings<'_>, values: &[f64]) -> Result<JointValues> {
    let (robot, group, held) = (around.reach.robot, around.group, around.held);
    let short = robot.group_configuration(group, values)?;
    if values.len() != group.dof() {
        let is_elsewhere = |v: &usize| (values[*v] - held[*v]).abs() > LIMIT_TOLERANCE && !group.variables.contains(v);
        if let Some(variable) = (0..held.len()).find(is_elsewhere) {
            let joint = &robot.joints[robot.active_joints[variable]].name;
            let wanted = format!("{}, where it stands: group \"{}\" does not move it", held[variable], group.name);
            return Err(KineticError::invalid(format!("joint \"{joint}\" of the goal"), values[variable], wanted));
        }
    }
    Ok(short)
}

/// The tool pose after a relative motion.
pub(crate) fn moved(base_from_tcp: &Pose, offset: &Pose, frame: ReferenceFrame) -> Pose {
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
fn free_branches(
    reach: &Reach<'_>,
    checker: &mut Checker,
    start: &[f64],
    base_from_tcp: &Pose,
) -> Result<Vec<JointValues>> {
    let solutions = branches(reach, start, base_from_tcp, GOAL_RESTARTS)?;
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

/// All configurations that inverse kinematics finds for a pose: every branch of the closed form, where there is one.
pub(crate) fn branches(
    reach: &Reach<'_>,
    start: &[f64],
    base_from_tcp: &Pose,
    restarts: usize,
) -> Result<Vec<IKSolution>> {
    let config = IKConfig {
        seed: Some(start.into()),
        num_restarts: restarts,
        position_tolerance: GOAL_TOLERANCE,
        orientation_tolerance: GOAL_TOLERANCE,
        rng_seed: reach.seed,
        ..IKConfig::for_robot(reach.robot)
    };
    let found = solve_ik_branches((reach.closed_form)(), reach.chain, base_from_tcp, &config);
    found.map_err(|error| match error {
        KineticError::IKNotConverged { iterations, residual } => KineticError::GoalUnreachable {
            reason: format!(
                "no configuration inside the joint limits found in {} attempts ({iterations} iterations); \
                 the nearest pose reached is off by {residual:.3e} (m or rad)",
                restarts + 1
            ),
        },
        KineticError::NoIKSolution { reason } => KineticError::GoalUnreachable { reason },
        other => other,
    })
}
