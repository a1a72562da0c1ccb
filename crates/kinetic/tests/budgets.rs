//! Time, iterations and cancellation, on an injected clock.

use std::sync::Arc;

use kinetic::core::ManualClock;
use kinetic::prelude::*;

use crate::support::walled;

/// A goal in a closed cage cannot be reached.
pub(crate) fn caged() -> (Planner, [f64; 6], Goal) {
    let (start, goal) = ([-2.0, -1.6, 1.5, -1.5, -1.57, 0.0], [0.9, -1.3, 1.6, -1.8, -1.57, 0.4]);
    (Planner::in_scene(walled(&goal)).unwrap(), start, Goal::joints(goal))
}

#[test]
fn the_deadline_is_kept_and_reported() {
    let (planner, start, goal) = caged();
    // Every reading of the clock costs a millisecond.
    let clock = Arc::new(ManualClock::with_step(1_000_000));
    let control = Control::new(clock, 0.25, u64::MAX, StopFlag::default());
    let error = planner.solve(Query::new(&start, &goal).with_control(&control)).unwrap_err();
    let KineticError::PlanningTimeout { elapsed, iterations } = error else { panic!("{error}") };
    assert!((0.25..0.255).contains(&elapsed), "{elapsed}");
    assert!(iterations > 0);
    assert!(error_is_retryable(&planner, &start, &goal));
}

fn error_is_retryable(planner: &Planner, start: &[f64], goal: &Goal) -> bool {
    let control = Control::new(Arc::new(ManualClock::default()), 1.0, 50, StopFlag::default());
    planner.solve(Query::new(start, goal).with_control(&control)).unwrap_err().is_retryable()
}

#[test]
fn the_iteration_budget_is_kept() {
    let (planner, start, goal) = caged();
    let control = Control::new(Arc::new(ManualClock::default()), 1.0, 200, StopFlag::default());
    let error = planner.solve(Query::new(&start, &goal).with_control(&control)).unwrap_err();
    assert!(matches!(error, KineticError::PlanningTimeout { iterations: 200, .. }), "{error}");
}

#[test]
fn a_stop_flag_cancels() {
    let (planner, start, goal) = caged();
    let stop = StopFlag::default();
    stop.stop();
    let control = Control::new(Arc::new(ManualClock::default()), 1.0, u64::MAX, stop);
    let error = planner.solve(Query::new(&start, &goal).with_control(&control)).unwrap_err();
    assert!(matches!(error, KineticError::Cancelled { .. }), "{error}");
}

#[test]
fn options_for_one_call_are_its_own() {
    let (planner, start, goal) = caged();
    let config = PlannerConfig { max_iterations: 70, ..planner.config().clone() };
    let error = planner.plan_with_config(&start, &goal, config).unwrap_err();
    assert!(matches!(error, KineticError::PlanningTimeout { iterations: 70, .. }), "{error}");
    assert_eq!(planner.config().max_iterations, PlannerConfig::default().max_iterations);
    let wrong = PlannerConfig { timeout: -1.0, ..PlannerConfig::default() };
    assert!(planner.plan_with_config(&start, &goal, wrong).unwrap_err().is_input_error());
}
