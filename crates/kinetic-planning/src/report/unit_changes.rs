//! Changes that put values into other units.

use kinetic_core::Goal;
use kinetic_ik::is_millimetres;

use super::{Change, units};
use crate::planner::Planner;
use crate::planning_problem::PlanningProblem;

/// The changes of units that would explain values of start or goal.
pub(super) fn changes(problem: &PlanningProblem, planner: &Planner) -> Vec<Change> {
    let mut found = match units::suspects(problem) {
        (true, true) => vec![Change::MetresAndRadians],
        (true, false) => vec![Change::RadiansForDegrees],
        (false, true) => vec![Change::MetresForMillimetres],
        (false, false) => Vec::new(),
    };
    if let Goal::Pose(pose) | Goal::Relative { offset: pose, .. } = problem.goal()
        && is_millimetres(planner.chain(), pose)
        && !found.contains(&Change::MetresForMillimetres)
    {
        found.push(Change::MetresForMillimetres);
    }
    found
}
