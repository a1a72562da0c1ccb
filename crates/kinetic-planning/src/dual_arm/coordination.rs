//! Coordination of two paths: how far each arm has come when, so that the arms do not meet (O'Donnell & Lozano-Pérez, "Deadlock-free
//! and collision-free coordination of two robot manipulators", 1989).
//!
//! The points of the coordination diagram are pairs of positions along both paths. A shortest monotone way through it from both
//! starts to both ends is sought over a grid; each step is a motion of both arms that is proven free.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use kinetic_core::error::reason;
use kinetic_core::{
    Constraint, Control, Goal, JointValues, KineticError, MotionLimits, PlannerConfig, Result, Trajectory,
};
use kinetic_robot::Robot;
use kinetic_scene::Scene;
use kinetic_trajectory::TimeLawSpec;

use super::{DualArmMode, DualArmPlanner};
use crate::planner::Planner;
use crate::query::Query;
use crate::result::{PlannedTrajectory, PlanningResult};
use crate::validity::Validity;

/// Cells of the diagram along each path at least; waypoints of the paths are grid lines too.
const CELLS: u32 = 32;

/// Pairs of goal configurations whose paths are tried, those nearest to the start.
const MOST_PAIRS: usize = 4;

/// A motion of both arms whose paths were found one by one.
pub(super) fn plan(
    planner: &DualArmPlanner,
    start: &[f64],
    goal: &Goal,
    law: &TimeLawSpec,
    control: &Control,
) -> Result<PlannedTrajectory> {
    let joined = planner.joined.now()?;
    let mut failed = no_path();
    for end in joined.goals_from(start, goal, control)?.iter().take(MOST_PAIRS) {
        let both = coordinated_paths(planner, &joined, start, end, control);
        match both {
            Ok(result) => return joined.timed(result, law, control),
            Err(error @ (KineticError::PlanningFailed { .. } | KineticError::PlanningTimeout { .. })) => failed = error,
            Err(error) => return Err(error),
        }
        control.check(0)?;
    }
    Err(failed)
}

fn no_path() -> KineticError {
    let planner = DualArmMode::Independent.id().to_owned();
    KineticError::PlanningFailed { reason: reason::PlanningFailed::NoPath { planner } }
}

/// A path of each arm for itself, and both coordinated.
fn coordinated_paths(
    planner: &DualArmPlanner,
    joined: &Planner,
    start: &[f64],
    end: &JointValues,
    control: &Control,
) -> Result<PlanningResult> {
    let (began, dof) = (control.elapsed(), planner.left.dof());
    let alone = joined.clone().with_scene(&without_each_other(planner, joined.scene(), start)?)?;
    let single = |group: &str, joints: Range<usize>| -> Result<PlanningResult> {
        let goal = Goal::joints(end[joints.clone()].to_vec());
        let own = alone.clone().with_config(config_of(joined, &joints))?.with_group(group)?;
        Ok(own.solve(Query::new(&start[joints], &goal).with_control(control))?.result)
    };
    let left = single(&planner.left.name, 0..dof)?;
    let right = single(&planner.right.name, dof..end.len())?;
    let mut validity = joined.validity(start)?;
    let path = coordinated(&left.path, &right.path, &mut validity, control)?;
    Ok(PlanningResult {
        path,
        planning_time: control.elapsed() - began,
        simplification_time: 0.0,
        goal_index: 0,
        goal_turns: [left.goal_turns, right.goal_turns].concat(),
        iterations: left.iterations + right.iterations,
        tree_size: left.tree_size + right.tree_size,
        checks: left.checks + right.checks + validity.checks(),
        chosen_by_clock: left.chosen_by_clock || right.chosen_by_clock,
        scene_version: joined.scene().version(),
        ..left
    })
}

/// The options of the search of one arm. Limits and torques are those of the joined motion; its first path is taken, since the
/// budget is for both.
fn config_of(joined: &Planner, joints: &Range<usize>) -> PlannerConfig {
    let config = joined.config().clone();
    let weights = config.joint_weights.map(|weights| match weights.get(joints.clone()) {
        Some(own) if weights.len() == joined.group().dof() => own.to_vec(),
        _ => weights,
    });
    PlannerConfig {
        joint_weights: weights,
        limits: MotionLimits::default(),
        torque_limits: false,
        payload: None,
        gravity: None,
        minimise: None,
        constraints: config.constraints.into_iter().filter_map(|one| of_arm(one, joints)).collect(),
        ..config
    }
}

/// A constraint of both arms as one of them has it: joints by their index in its own group, links as they are.
fn of_arm(constraint: Constraint, joints: &Range<usize>) -> Option<Constraint> {
    match constraint {
        Constraint::Joint { joint_index, min, max } => {
            let joint_index = joints.contains(&joint_index).then(|| joint_index - joints.start)?;
            Some(Constraint::Joint { joint_index, min, max })
        }
        of_links => Some(of_links),
    }
}

/// The scene in which the arms may touch each other, standing at their starts.
fn without_each_other(planner: &DualArmPlanner, scene: &Scene, start: &[f64]) -> Result<Scene> {
    let robot = scene.robot();
    let mut alone = scene.clone();
    let mut full = scene.held().to_vec();
    for (variable, value) in planner.joined.group().variables.iter().zip(start) {
        full[*variable] = *value;
    }
    alone.hold(&full)?;
    let [left, right] =
        [&planner.left, &planner.right].map(|group| moved_names(scene, robot, &robot.links_moved_by(group)));
    for one in &left {
        for other in right.iter().filter(|other| *other != one) {
            alone.allow_collision(one, other)?;
        }
    }
    Ok(alone)
}

/// Names of links and of the bodies that they carry.
fn moved_names(scene: &Scene, robot: &Robot, links: &[usize]) -> Vec<String> {
    let bodies = scene.attached().iter().filter(|(_, body)| links.contains(&body.link)).map(|(name, _)| name.clone());
    links.iter().map(|link| robot.links[*link].name.clone()).chain(bodies).collect()
}

/// The shortest monotone way through the coordination diagram of two paths, as a path of both.
fn coordinated(
    left: &Trajectory,
    right: &Trajectory,
    validity: &mut dyn Validity,
    control: &Control,
) -> Result<Trajectory> {
    let (rows, columns) = (samples(left), samples(right));
    let at = |(row, column): Node| [&rows[row].q[..], &columns[column].q[..]].concat();
    let goal = (rows.len() - 1, columns.len() - 1);
    let width = columns.len();
    let mut known: Vec<Option<(f64, Node)>> = vec![None; rows.len() * width];
    let mut frontier = BinaryHeap::from([Reverse((0_u64, (0, 0)))]);
    known[0] = Some((0.0, (0, 0)));
    let mut is_done = vec![false; known.len()];
    while let Some(Reverse((_, node))) = frontier.pop() {
        if node == goal {
            return way_to(goal, &known, width, &at);
        }
        if std::mem::replace(&mut is_done[node.0 * width + node.1], true) {
            continue;
        }
        control.check(0)?;
        let cost = known[node.0 * width + node.1].map_or(0.0, |(cost, _)| cost);
        for next in [(node.0 + 1, node.1 + 1), (node.0 + 1, node.1), (node.0, node.1 + 1)] {
            if next.0 > goal.0 || next.1 > goal.1 {
                continue;
            }
            // Both move at once, so that the longer of two ways is what a step takes.
            let step = (rows[next.0].s - rows[node.0].s).max(columns[next.1].s - columns[node.1].s);
            let slot = next.0 * width + next.1;
            let is_better = known[slot].is_none_or(|(known, _)| cost + step < known);
            if !is_done[slot] && is_better && validity.is_motion_valid(&at(node), &at(next)) {
                known[slot] = Some((cost + step, node));
                frontier.push(Reverse(((cost + step).to_bits(), next)));
            }
        }
    }
    Err(no_path())
}

/// Row and column in the diagram.
type Node = (usize, usize);

/// The waypoints of both arms on the way to a node, without those on straight parts.
fn way_to(
    goal: Node,
    known: &[Option<(f64, Node)>],
    width: usize,
    at: &dyn Fn(Node) -> Vec<f64>,
) -> Result<Trajectory> {
    let mut way = vec![goal];
    while let Some((_, before)) = known[way[way.len() - 1].0 * width + way[way.len() - 1].1] {
        if before == way[way.len() - 1] {
            break;
        }
        way.push(before);
    }
    way.reverse();
    let mut waypoints: Vec<Vec<f64>> = Vec::new();
    for q in way.into_iter().map(at) {
        while let [.., before, last] = waypoints.as_slice()
            && is_between(before, last, &q)
        {
            waypoints.pop();
        }
        waypoints.push(q);
    }
    Trajectory::from_waypoints(&waypoints)
}

/// Rounding of a point on a straight segment, rad or m.
const ON_SEGMENT: f64 = 1e-12;

/// Whether a configuration lies on the segment between two others: then proofs of both parts are a proof of the whole.
fn is_between(from: &[f64], q: &[f64], to: &[f64]) -> bool {
    let way: f64 = from.iter().zip(to).map(|(from, to)| (to - from).powi(2)).sum();
    let part: f64 = from.iter().zip(to).zip(q).map(|((from, to), q)| (to - from) * (q - from)).sum();
    let t = if way > 0.0 { part / way } else { 0.0 };
    from.iter().zip(to).zip(q).all(|((from, to), q)| (from + t * (to - from) - q).abs() <= ON_SEGMENT)
}

/// A point of a path.
struct Sample {
    q: Vec<f64>,
    /// Way from the start, Euclidean in joint space.
    s: f64,
}

/// The waypoints of a path and points between them, evenly along each segment.
fn samples(path: &Trajectory) -> Vec<Sample> {
    let cell = path.path_length() / f64::from(CELLS);
    let mut all = vec![Sample { q: path.positions(0).to_vec(), s: 0.0 }];
    for (from, to) in path.segments() {
        let length = from.iter().zip(to).map(|(from, to)| (to - from).powi(2)).sum::<f64>().sqrt();
        if length == 0.0 {
            continue;
        }
        let is_fine = |parts: &u32| f64::from(*parts) * cell >= length;
        let (parts, before) = ((1..=CELLS).find(is_fine).unwrap_or(CELLS), all[all.len() - 1].s);
        for part in 1..=parts {
            let t = f64::from(part) / f64::from(parts);
            let inside = from.iter().zip(to).map(|(from, to)| from + t * (to - from));
            let q = if part == parts { to.to_vec() } else { inside.collect() };
            all.push(Sample { q, s: before + t * length });
        }
    }
    all
}
