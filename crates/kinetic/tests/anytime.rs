//! Paths that get shorter until the budget ends.

use std::sync::Arc;

use kinetic::core::{ManualClock, PoseRegion};
use kinetic::planning::PlannerType;
use kinetic::prelude::*;

use crate::support::{assert_dense_free, workcell};

const START: [f64; 6] = [0.4, -1.6, 1.5, -1.5, -1.57, 0.0];
const FAR: [f64; 6] = [-2.0, -1.6, 1.5, -1.5, -1.57, 0.0];

fn planner() -> Planner {
    Planner::in_scene(workcell()).unwrap().with_planner_type(PlannerType::AORRTC)
}

fn iterations(limit: u64) -> Control {
    Control::new(Arc::new(ManualClock::default()), 1.0, limit, StopFlag::default())
}

#[test]
fn every_path_heard_of_is_free_goes_to_the_goal_and_is_shorter_than_those_before() {
    let planner = planner();
    let mut heard: Vec<Improvement> = Vec::new();
    let (goal, control) = (Goal::joints(FAR), iterations(2_000));
    let mut hear = |improvement| heard.push(improvement);
    let query = Query::new(&START, &goal).with_control(&control).on_improvement(&mut hear);
    let result = planner.solve(query).unwrap().result;
    assert!(heard.is_sorted_by(|a, b| b.path_length < a.path_length));
    for improvement in &heard {
        let path = &improvement.path;
        assert_eq!((path.positions(0), path.positions(path.len() - 1)), (&START[..], &FAR[..]));
        assert_dense_free(planner.scene(), "arm", path, 0.02 - 1e-9);
    }
    assert_eq!(heard.last().unwrap().path, result.path);
    assert_eq!((result.planner_used, result.iterations), ("aorrtc", 2_000));
    let plain = planner.with_planner_type(PlannerType::RRTConnect).plan(&START, &Goal::joints(FAR)).unwrap();
    assert!(result.path_length < plain.path_length, "{} {}", result.path_length, plain.path_length);
}

#[test]
fn the_same_seed_and_iterations_give_the_same_bytes() {
    let goal = Goal::region(PoseRegion::new(planner().fk(&FAR).unwrap(), [0.05; 3], [0.1; 3]).unwrap());
    for goal in [Goal::joints(FAR), goal] {
        let plan = || {
            let control = iterations(1_500);
            planner().solve(Query::new(&START, &goal).with_control(&control)).unwrap().result
        };
        let (first, again) = (plan(), plan());
        assert_eq!(first.path.as_slice(), again.path.as_slice());
        assert_eq!((first.iterations, first.checks), (again.iterations, again.checks));
    }
}

#[test]
fn a_planner_that_stops_at_its_first_path_is_heard_of_once() {
    let planner = planner().with_planner_type(PlannerType::RRTConnect);
    let mut heard = Vec::new();
    let (goal, control) = (Goal::joints(FAR), iterations(u64::MAX));
    let mut hear = |improvement: Improvement| heard.push(improvement.path);
    let query = Query::new(&START, &goal).with_time_law("totp").unwrap();
    let solution = planner.solve(query.with_control(&control).on_improvement(&mut hear)).unwrap();
    assert!(solution.trajectory.is_some());
    assert_eq!(heard, [solution.result.path]);
}

#[test]
fn a_stop_ends_an_anytime_planner_with_its_best_path() {
    let stop = StopFlag::default();
    let control = Control::new(Arc::new(ManualClock::default()), 1.0, u64::MAX, stop.clone());
    let (goal, mut hear) = (Goal::joints(FAR), |_: Improvement| stop.stop());
    let query = Query::new(&START, &goal).with_control(&control).on_improvement(&mut hear);
    assert!(planner().solve(query).is_ok());
}

#[test]
fn without_any_budget_an_anytime_planner_is_refused() {
    let config = PlannerConfig { timeout: f64::INFINITY, ..PlannerConfig::default() };
    let error = planner().with_config(config).unwrap().plan(&START, &Goal::joints(FAR)).unwrap_err();
    assert!(matches!(error, KineticError::InvalidValue { ref name, .. } if name == "timeout"), "{error}");
}
