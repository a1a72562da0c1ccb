//! Joint values and positions that seem to be in other units: degrees for radians, millimetres for metres.
//!
//! Turning joints have degrees, sliding ones millimetres; a robot with both may have been given both.

use std::f64::consts::TAU;

use kinetic_core::error::reason;
use kinetic_core::{Goal, JointValues, KineticError, Result};
use kinetic_ik::metres_for_millimetres;
use kinetic_robot::JointType;

use crate::planning_problem::PlanningProblem;

/// Values of a sliding joint that are so many times farther from 0 than its limits are in millimetres.
const MILLIMETRE_RATIO: f64 = 10.0;

/// What a value of a joint is measured in.
#[derive(Debug, Clone, Copy)]
enum Unit {
    Radians,
    /// With the largest distance from 0 that the limits allow.
    Metres(f64),
}

impl Unit {
    fn is_degrees(self, value: f64) -> bool {
        matches!(self, Self::Radians) && value.abs() > TAU
    }

    fn is_millimetres(self, value: f64) -> bool {
        matches!(self, Self::Metres(most) if value.abs() > MILLIMETRE_RATIO * most)
    }
}

/// The units of the values of a configuration, in the length of the group or of the robot.
fn units(problem: &PlanningProblem, q: &[f64]) -> Vec<Unit> {
    let robot = problem.scene().robot();
    let group = robot.resolve_group(problem.group());
    let variables = match group {
        Ok(group) if q.len() == group.dof() => group.variables.clone(),
        _ => (0..robot.num_variables()).collect(),
    };
    let unit = |variable: usize| {
        let limits = &robot.joint_limits[variable];
        match robot.joints[robot.active_joints[variable]].joint_type {
            JointType::Prismatic => Unit::Metres(limits.lower.abs().max(limits.upper.abs())),
            _ => Unit::Radians,
        }
    };
    variables.into_iter().map(unit).collect()
}

/// Whether some value of a configuration is of the kind.
fn has(problem: &PlanningProblem, q: &[f64], is_it: fn(Unit, f64) -> bool) -> bool {
    units(problem, q).into_iter().zip(q).any(|(unit, value)| is_it(unit, *value))
}

/// Whether some value of start or goal seems to be in degrees, and whether some seems to be in millimetres.
pub(super) fn suspects(problem: &PlanningProblem) -> (bool, bool) {
    let ends: Vec<&[f64]> = match problem.goal() {
        Goal::Joints(values) | Goal::JointTurns(values) => vec![problem.start(), values],
        _ => vec![problem.start()],
    };
    let seems = |is_it: fn(Unit, f64) -> bool| ends.iter().any(|q| has(problem, q, is_it));
    (seems(Unit::is_degrees), seems(Unit::is_millimetres))
}

/// A problem whose start and goal have their turning joints in radians, where some of them seem to be in degrees.
pub(super) fn in_radians(problem: PlanningProblem) -> PlanningProblem {
    converted(problem, Unit::is_degrees, |unit, value| match unit {
        Unit::Radians => value.to_radians(),
        Unit::Metres(_) => value,
    })
}

/// A problem whose start and goal have their sliding joints in metres, where some of them seem to be in millimetres, and
/// so the position of a goal pose or of a relative motion.
///
/// # Errors
/// [`KineticError::UnsupportedGoal`] for a goal that has no lengths.
pub(super) fn in_metres(problem: PlanningProblem) -> Result<PlanningProblem> {
    let goal = match problem.goal() {
        Goal::Pose(pose) => Goal::Pose(metres_for_millimetres(pose)),
        Goal::Relative { offset, frame } => Goal::Relative { offset: metres_for_millimetres(offset), frame: *frame },
        Goal::Joints(_) | Goal::JointTurns(_) => problem.goal().clone(),
        other => {
            let reason = reason::UnsupportedGoal::NoLengths { kind: other.kind().to_owned() };
            return Err(KineticError::UnsupportedGoal { reason });
        }
    };
    Ok(converted(problem.with_goal(goal), Unit::is_millimetres, |unit, value| match unit {
        Unit::Radians => value,
        Unit::Metres(_) => 1e-3 * value,
    }))
}

/// Converts start and joint goal, each where it has a value of the kind.
fn converted(problem: PlanningProblem, is_it: fn(Unit, f64) -> bool, convert: fn(Unit, f64) -> f64) -> PlanningProblem {
    let change = |q: &JointValues| -> JointValues {
        if !has(&problem, q, is_it) {
            return q.clone();
        }
        units(&problem, q).into_iter().zip(q.iter()).map(|(unit, value)| convert(unit, *value)).collect()
    };
    let start = change(problem.start());
    let goal = match problem.goal() {
        Goal::Joints(values) => Goal::Joints(change(values)),
        Goal::JointTurns(values) => Goal::JointTurns(change(values)),
        other => other.clone(),
    };
    problem.with_start(start).with_goal(goal)
}
