//! The verifier of paths; [`certify`](crate::certify) is that of timed curves. Every result of a planner has passed them.

use kinetic_core::error::reason;
use kinetic_core::{Control, JointValues, KineticError, Pair, Result, Trajectory};
use kinetic_scene::Checker;

use crate::algorithm::Plan;
use crate::goal_context::LIMIT_TOLERANCE;
use crate::problem::Problem;
use crate::scene_validity::SceneValidity;
use crate::validity::Validity;

/// Edges from one look at the clock to the next.
const VERIFIED_EDGES_PER_CLOCK: usize = 256;

/// A path ends at a goal to this distance in the metric of the space, which leaves room for rounding of full turns.
const PATH_END_TOLERANCE: f64 = 1e-9;

/// Proves every segment of a path that `validity` has not proven, and its joint limits at the waypoints (which bound the
/// segments between them).
///
/// # Errors
/// [`KineticError::PlannerOutputInvalid`] or [`KineticError::CollisionDetected`]; what `control` says of long paths.
pub(crate) fn verify_path(
    path: &Trajectory,
    bounds: &[(f64, f64)],
    validity: &mut SceneValidity<'_>,
    control: &Control,
) -> Result<()> {
    for (index, q) in path.iter().enumerate() {
        check_bounds(index, q, bounds)?;
    }
    if path.len() == 1 && !validity.is_valid(path.positions(0)) {
        return Err(collision_at(0, path.positions(0), validity.checker()));
    }
    for (index, (from, to)) in path.segments().enumerate() {
        if index % VERIFIED_EDGES_PER_CLOCK == VERIFIED_EDGES_PER_CLOCK - 1 {
            control.check(0)?;
        }
        if !validity.prove(from, to) {
            // What takes too long is refused, too.
            control.check(0)?;
            check_constraints(index, (from, to), validity)?;
            return Err(collision_on(index, (from, to), validity.checker()));
        }
    }
    Ok(())
}

/// Whether the path of a plan runs from the start to the goal that it names, possibly at another turn of continuous joints.
///
/// # Errors
/// [`KineticError::PlannerOutputInvalid`].
pub(crate) fn verify_ends(problem: &Problem<'_>, plan: &Plan) -> Result<()> {
    let (path, goals) = (&plan.path, problem.goals());
    let invalid = |waypoint, reason| Err(KineticError::PlannerOutputInvalid { waypoint, reason });
    if path.is_empty() || path.positions(0) != problem.start() {
        return invalid(0, reason::PlannerOutputInvalid::NotAtStart);
    }
    let is_end =
        |goal: &JointValues| problem.space().distance(path.positions(path.len() - 1), goal) <= PATH_END_TOLERANCE;
    if !goals.get(plan.goal_index).is_some_and(is_end) {
        let (goal, goals) = (plan.goal_index, goals.len());
        return invalid(path.len() - 1, reason::PlannerOutputInvalid::NotAtGoal { goal, goals });
    }
    Ok(())
}

/// Refuses a motion for the constraint that it does not keep, if that is what it was refused for.
fn check_constraints(waypoint: usize, (from, to): (&[f64], &[f64]), validity: &mut SceneValidity<'_>) -> Result<()> {
    let Some(constraints) = validity.constraints() else { return Ok(()) };
    let middle: Vec<f64> = from.iter().zip(to).map(|(from, to)| f64::midpoint(*from, *to)).collect();
    let places = [from, to, &middle];
    // Ranges of joints hold along a motion where they hold at its ends.
    let violated = places.into_iter().filter_map(|q| constraints.violation(q));
    let mut worst = violated.max_by(|a, b| a.excess().total_cmp(&b.excess()));
    if worst.is_none() && !constraints.holds_along(from, to) {
        let tightest = places.into_iter().filter_map(|q| constraints.tightest(q));
        worst = tightest.max_by(|a, b| a.excess().total_cmp(&b.excess()));
    }
    let context = format!("motion after waypoint {waypoint}");
    worst.map_or(Ok(()), |violation| Err(constraints.error(context, &violation)))
}

fn check_bounds(waypoint: usize, q: &[f64], bounds: &[(f64, f64)]) -> Result<()> {
    for (joint, (value, (low, high))) in q.iter().zip(bounds).enumerate() {
        if !(*value >= low - LIMIT_TOLERANCE && *value <= high + LIMIT_TOLERANCE) {
            let reason = reason::PlannerOutputInvalid::OutsideLimits { joint, value: *value, min: *low, max: *high };
            return Err(KineticError::PlannerOutputInvalid { waypoint, reason });
        }
    }
    Ok(())
}

/// The first contact of an edge; the tightest pair at its begin where the edge touches nothing and could not be proven.
fn collision_on(waypoint_index: usize, (from, to): (&[f64], &[f64]), checker: &mut Checker) -> KineticError {
    match checker.first_contact(from, to) {
        Some((_, Pair { link, other })) => KineticError::CollisionDetected { waypoint_index, link, other },
        None => collision_at(waypoint_index, from, checker),
    }
}

/// What a configuration touches; that the motion is not valid where nothing is known to touch.
fn collision_at(waypoint_index: usize, q: &[f64], checker: &mut Checker) -> KineticError {
    if let Some(Pair { link, other }) = checker.clearance(q).pair {
        return KineticError::CollisionDetected { waypoint_index, link, other };
    }
    let reason = reason::PlannerOutputInvalid::MotionInvalid;
    KineticError::PlannerOutputInvalid { waypoint: waypoint_index, reason }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kinetic_core::{Pose, Shape};
    use kinetic_robot::Robot;
    use kinetic_scene::{Margins, Scene};

    use super::*;

    const BOUNDS: [(f64, f64); 6] = [(-1.0, 1.0); 6];

    /// Verifies a path of a ur5e beside a wall that it meets with `shoulder_pan_joint` at about 0.
    fn verify(waypoints: &[[f64; 6]]) -> Result<()> {
        let mut scene = Scene::new(&Arc::new(Robot::from_name("ur5e")?))?;
        scene.add("wall", Shape::cuboid(0.1, 0.02, 0.4)?, Pose::from_xyz(0.7, 0.0, 0.2))?;
        let mut checker = scene.checker("arm", Margins::ZERO)?;
        let path = Trajectory::from_waypoints(waypoints)?;
        verify_path(&path, &BOUNDS, &mut SceneValidity::new(&mut checker), &Control::default())
    }

    fn at(pan: f64) -> [f64; 6] {
        [pan, 0.0, 0.0, 0.0, 0.0, 0.0]
    }

    #[test]
    fn a_path_is_refused_for_its_limits_its_only_waypoint_and_its_edges() {
        assert_eq!(verify(&[at(0.6), at(1.0)]), Ok(()));
        for (waypoint, path) in
            [(0, [at(-1.1), at(-0.6)]), (1, [at(0.6), at(1.0 + 2.0 * LIMIT_TOLERANCE)]), (1, [at(-0.6), at(f64::MIN)])]
        {
            let error = verify(&path).err();
            let is_meant =
                matches!(error, Some(KineticError::PlannerOutputInvalid { waypoint: at, .. }) if at == waypoint);
            assert!(is_meant, "{error:?}");
        }
        for path in [&[at(0.0)][..], &[at(-0.6), at(0.6)], &[at(-1.0), at(-0.6), at(0.6)]] {
            let error = verify(path).err();
            let edge = path.len().saturating_sub(2);
            // Regression 17: the pair was the tightest one where the edge begins, not the one that collides.
            let is_meant = matches!(&error, Some(KineticError::CollisionDetected { waypoint_index: at, other, .. })
                if *at == edge && other == "wall");
            assert!(is_meant, "{error:?}");
        }
    }
}
