//! Pose-to-pose continuation: paths that start at a configuration and take the shortest step to every pose (Whitney 1969).

use super::PaddedJoints;
use super::knot_path::{KnotPath, PathProblem};
use super::knots::{KnotSample, turned};
use super::projector::PoseProjector;

/// Configurations of the first pose that are continued where there is no start, at most.
const MOST_FIRST_CONFIGURATIONS: usize = 8;
/// Steps from knot to knot, at least, where there are so many poses.
const STEPS_BETWEEN_KNOTS: usize = 4;

/// The path with the smallest steps among those from the start or, without one, from configurations of the first pose;
/// `None` where none goes on inside the limits.
pub(super) fn best(
    problem: &PathProblem<'_>,
    projector: &mut PoseProjector<'_>,
    knots: &[usize],
    firsts: &[KnotSample],
) -> Option<KnotPath> {
    let stride = firsts.len().div_ceil(MOST_FIRST_CONFIGURATIONS).max(1);
    let others = firsts.iter().step_by(stride).filter(|_| problem.start.is_none());
    let firsts: Vec<PaddedJoints> =
        problem.start.into_iter().chain(others.map(|sample| turned(&sample.row, &sample.turns))).collect();
    let paths = firsts.into_iter().filter_map(|first| path(problem, projector, knots, first));
    paths.map(|path| (path.cost(problem), path)).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, path)| path)
}

/// The path from one configuration; `None` where it does not go on inside the limits.
fn path(
    problem: &PathProblem<'_>,
    projector: &mut PoseProjector<'_>,
    knots: &[usize],
    mut row: PaddedJoints,
) -> Option<KnotPath> {
    let mut path = KnotPath { knots: Vec::with_capacity(knots.len()), rows: Vec::with_capacity(knots.len()) };
    let mut at = 0;
    for knot in knots {
        let stride = (knot - at).div_ceil(STEPS_BETWEEN_KNOTS).max(1);
        while at < *knot {
            at = (at + stride).min(*knot);
            if !projector.project(&problem.targets[at], &mut row) || problem.stop.is_stopped() {
                return None;
            }
        }
        // The first pose is its own knot.
        if at == 0 && !projector.project(&problem.targets[0], &mut row) {
            return None;
        }
        path.knots.push(*knot);
        path.rows.push(row);
    }
    Some(path)
}
