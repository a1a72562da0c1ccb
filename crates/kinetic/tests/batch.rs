//! Many plans at once.

use std::num::NonZeroUsize;

use kinetic::planning::BatchOptions;
use kinetic::prelude::*;

use crate::budgets::caged;
use crate::support::workcell;

const HOME: [f64; 6] = [0.4, -1.6, 1.5, -1.5, -1.57, 0.0];
const FAR: [f64; 6] = [-2.0, -1.6, 1.5, -1.5, -1.57, 0.0];

fn planner() -> Planner {
    let config = PlannerConfig { max_iterations: 20_000, timeout: f64::INFINITY, ..PlannerConfig::default() };
    Planner::in_scene(workcell()).unwrap().with_config(config).unwrap()
}

/// Twelve queries, one with a start of the wrong size and one with a goal in collision.
fn queries() -> (Vec<Vec<f64>>, Vec<Goal>) {
    let goal = |index: i32| Goal::joints([-2.0 + 0.1 * f64::from(index), -1.6, 1.5, -1.5, -1.57, 0.0]);
    let mut starts = vec![HOME.to_vec(); 12];
    let mut goals: Vec<Goal> = (0..12).map(goal).collect();
    starts[3].pop();
    goals[7] = Goal::joints([0.0, 0.3, 0.3, -1.5, -1.57, 0.0]);
    (starts, goals)
}

fn threads<'a>(count: usize) -> BatchOptions<'a> {
    BatchOptions { threads: NonZeroUsize::new(count), ..BatchOptions::default() }
}

#[test]
fn every_item_is_the_single_plan_byte_for_byte_on_any_number_of_threads() {
    let planner = planner();
    let (starts, goals) = queries();
    let single: Vec<_> =
        starts.iter().zip(&goals).map(|(start, goal)| planner.plan_timed(start, goal, "totp")).collect();
    for count in [1, 2, 8] {
        let batch = planner.plan_batch_timed(&starts, &goals, "totp", threads(count)).unwrap();
        assert_eq!(batch.len(), single.len());
        for (index, (found, wanted)) in batch.iter().zip(&single).enumerate() {
            match (found, wanted) {
                (Ok(found), Ok(wanted)) => assert_eq!(found.trajectory, wanted.trajectory, "item {index}"),
                (Err(found), Err(wanted)) => assert_eq!(found.to_string(), wanted.to_string()),
                other => panic!("item {index} on {count} threads: {other:?}"),
            }
        }
        assert_eq!(batch[3].as_ref().unwrap_err().code(), "DimensionMismatch");
        assert_eq!(batch[7].as_ref().unwrap_err().code(), "GoalInCollision");
    }
}

#[test]
fn progress_counts_every_item_once_on_the_calling_thread() {
    let (starts, goals) = queries();
    let caller = std::thread::current().id();
    let mut heard = Vec::new();
    let mut progress = |done, total| {
        assert_eq!(std::thread::current().id(), caller);
        heard.push((done, total));
    };
    let options = BatchOptions { progress: Some(&mut progress), ..threads(3) };
    planner().plan_batch(&starts, &goals, options).unwrap();
    assert_eq!(heard, (1..=12).map(|done| (done, 12)).collect::<Vec<_>>());
}

#[test]
fn a_stopped_batch_keeps_what_is_done_and_cancels_the_rest() {
    // The first item is done at once; the others would run for ever.
    let (planner, start, unreachable) = caged();
    let endless = PlannerConfig { timeout: f64::INFINITY, ..PlannerConfig::default() };
    let planner = planner.with_config(endless).unwrap();
    let mut goals = vec![unreachable; 6];
    goals[0] = Goal::joints(start);
    for count in [1, 3] {
        let stop = StopFlag::default();
        let flag = stop.clone();
        let mut heard = Vec::new();
        let mut progress = |done, total| {
            heard.push((done, total));
            flag.stop();
        };
        let options = BatchOptions { stop, progress: Some(&mut progress), ..threads(count) };
        let batch = planner.plan_batch(&[start; 6], &goals, options).unwrap();
        assert!(batch[0].is_ok());
        assert_eq!(heard, [(1, 6)], "what is not planned is not counted as done");
        assert!(batch[1..].iter().all(|item| matches!(item, Err(KineticError::Cancelled { .. }))), "{batch:?}");
    }
}

#[test]
fn wrong_batches_are_refused_and_an_empty_one_is_empty() {
    let planner = planner();
    let error = planner.plan_batch(&[HOME, FAR], &[Goal::named("home")], threads(2)).unwrap_err();
    assert!(matches!(error, KineticError::DimensionMismatch { got: 1, .. }), "{error}");
    let error = planner.plan_batch_timed(&[HOME], &[Goal::joints(FAR)], "warp", threads(2)).unwrap_err();
    assert_eq!(error.code(), "UnknownName");
    assert!(planner.plan_batch::<[f64; 6]>(&[], &[], BatchOptions::default()).unwrap().is_empty());
}
