//! From a goal to joint values.

use kinetic_core::digits::short;
use kinetic_core::{Control, Goal, JointValues, KineticError, Pose, ReferenceFrame, Result};
use kinetic_kinematics::analytic::Manipulator;
use kinetic_kinematics::{IKConfig, IKSolution, KinematicChain, solve_ik_branches};
use kinetic_robot::Robot;
use kinetic_scene::Checker;

use crate::goal_set::Surroundings;
use crate::self_motion::SelfMotion;
use crate::turns;

/// Joint limits are compared with this tolerance, rad or m: files with five or six decimals put configurations at a
/// limit some 1e-6 outside.
pub const LIMIT_TOLERANCE: f64 = 1e-5;

/// A pose goal is met to this distance (m) and angle (rad).
const GOAL_TOLERANCE: f64 = 1e-6;

/// Restarts when all configurations of a pose goal are sought.
const GOAL_RESTARTS: usize = 32;

/// Configurations full turns apart that one goal stands for at most; the nearest ones.
pub(crate) const MOST_TURNED: usize = 256;

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
pub(crate) fn resolve(
    around: &Surroundings<'_>,
    checker: &mut Checker,
    goal: &Goal,
    control: &Control,
) -> Result<Vec<JointValues>> {
    let Surroundings { reach, group, start, .. } = around;
    let robot = reach.robot;
    match goal {
        Goal::Joints(values) => {
            let q = own_values(around, values)?;
            robot.check_limits(group, &q, LIMIT_TOLERANCE)?;
            single(checker, q)
        }
        Goal::JointTurns(values) => {
            let q = own_values(around, values)?;
            let turned = turns::equivalents(reach.chain, &q, start, MOST_TURNED);
            if turned.is_empty() {
                robot.check_limits(group, &q, LIMIT_TOLERANCE)?;
            }
            those_free(checker, turned)
        }
        Goal::Named(name) => {
            let pose = robot.named_pose(group, name).ok_or_else(|| KineticError::NamedConfigNotFound {
                name: name.clone(),
                group: group.name.clone(),
                available: robot.named_pose_names(group).into_iter().map(String::from).collect(),
            })?;
            single(checker, pose.clone())
        }
        Goal::Pose(base_from_tcp) => free_branches(reach, checker, start, base_from_tcp, control),
        Goal::Relative { offset, frame } => {
            offset.check_finite("relative offset")?;
            let base_from_tcp = moved(&reach.chain.tip_pose(start), offset, *frame);
            free_branches(reach, checker, start, &base_from_tcp, control)
        }
        Goal::Region(_) | Goal::Any(_) => {
            let reason = format!("a goal of kind \"{}\" has no list of configurations", goal.kind());
            Err(KineticError::UnsupportedGoal { reason })
        }
    }
}

/// The values that a joint goal or a named goal states, in group length.
pub(crate) fn stated(around: &Surroundings<'_>, goal: &Goal) -> Option<JointValues> {
    match goal {
        Goal::Joints(values) | Goal::JointTurns(values) => own_values(around, values).ok(),
        Goal::Named(name) => around.reach.robot.named_pose(around.group, name).cloned(),
        Goal::Pose(_) | Goal::Relative { .. } | Goal::Region(_) | Goal::Any(_) => None,
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
    those_free(checker, vec![q])
}

/// Those that are free.
fn those_free(checker: &mut Checker, candidates: Vec<JointValues>) -> Result<Vec<JointValues>> {
    let (mut free, mut blocked, mut tried) = (Vec::new(), None, 0);
    for q in candidates {
        tried += 1;
        match collision(checker, &q) {
            None => free.push(q),
            some => blocked = blocked.or(some),
        }
    }
    match (free.is_empty(), blocked) {
        (true, Some(blocked)) => Err(in_collision(blocked, tried)),
        _ => Ok(free),
    }
}

fn in_collision((link, other, distance, margin): (String, String, f64, f64), tried: u64) -> KineticError {
    KineticError::GoalInCollision { link, other, distance, margin, tried }
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

/// All configurations that inverse kinematics finds for a pose and that are free. Where none of them is, the self-motion of a
/// redundant arm is sampled finer and finer.
fn free_branches(
    reach: &Reach<'_>,
    checker: &mut Checker,
    start: &[f64],
    base_from_tcp: &Pose,
    control: &Control,
) -> Result<Vec<JointValues>> {
    let solutions = branches(reach, start, base_from_tcp, GOAL_RESTARTS)?;
    let found = those_free(checker, solutions.into_iter().map(|solution| solution.joints).collect());
    let Err(KineticError::GoalInCollision { link, other, distance, margin, tried: first }) = found else {
        return found;
    };
    let Some(self_motion) = SelfMotion::of((reach.closed_form)(), base_from_tcp, start) else {
        return Err(in_collision((link, other, distance, margin), first));
    };
    let (free, tried) = self_motion.free(checker, control)?;
    if free.is_empty() {
        return Err(in_collision((link, other, distance, margin), first + tried.in_collision));
    }
    Ok(free)
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
                 the nearest pose reached is off by {} (m or rad)",
                restarts + 1,
                short(residual)
            ),
        },
        KineticError::NoIKSolution { reason } => KineticError::GoalUnreachable { reason },
        other => other,
    })
}
