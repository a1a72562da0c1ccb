//! Costs against shortest paths known in closed form.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use kinetic_core::{Control, Goal, KineticError, ManualClock, PlannerConfig, Pose, Shape, StopFlag};
use kinetic_planning::{
    Algorithm, Aorrtc, AorrtcConfig, Plan, Planner, PlannerContext, PlannerType, Problem, Query as PlannerQuery,
    RrtConnect, SimplifyOptions, Validity, path_length, simplify_in,
};
use kinetic_robot::Robot;
use kinetic_scene::Scene;

use crate::cases;
use crate::shortest::{ball, query, wall};
use crate::worlds::{Liar, Query, World, boxed, cube, iterations, problem_set, ring, wall_with_gap};

/// Plans, and keeps the lengths that were heard of.
fn improve(query: &Query, seed: u64, control: &Control) -> (Plan, Vec<f64>) {
    let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
    let mut lengths = Vec::new();
    let plan = Aorrtc::default()
        .improve(&problem, &mut query.world.clone(), control, &mut |plan| lengths.push(metric_length(query, plan)))
        .unwrap();
    query.world.assert_path_is_clear(&plan.path, query.name);
    let (goal, last) = (&query.goals[plan.goal_index], plan.path.positions(plan.path.len() - 1));
    assert!(query.space.distance(goal, last) < 1e-9, "goal {} is not where the path ends: {last:?}", plan.goal_index);
    assert_eq!(*lengths.last().unwrap(), metric_length(query, &plan), "the last one heard of is the one returned");
    (plan, lengths)
}

/// Length of a path in the metric of the space, by its definition.
fn metric_length(query: &Query, plan: &Plan) -> f64 {
    let edge = |(a, b): (&[f64], &[f64])| {
        (0..a.len()).map(|joint| (query.space.weights()[joint] * (b[joint] - a[joint])).powi(2)).sum::<f64>().sqrt()
    };
    plan.path.segments().map(edge).sum()
}

#[test]
fn lengths_approach_the_shortest_path_in_the_plane() {
    for (query, shortest) in [wall(), ball(2)] {
        for seed in 0..cases(4, 40) {
            let (plan, _) = improve(&query, seed, &iterations(20_000));
            let length = path_length(&plan.path);
            assert!(length >= shortest - 1e-9, "{}: {length} is shorter than the shortest, {shortest}", query.name);
            assert!(length < 1.002 * shortest, "{}, seed {seed}: {length}, shortest {shortest}", query.name);
        }
    }
}

#[test]
fn lengths_approach_the_shortest_path_in_six_dimensions() {
    let (query, shortest) = ball(6);
    for seed in 0..cases(3, 30) {
        let (plan, _) = improve(&query, seed, &iterations(6_000));
        let length = path_length(&plan.path);
        assert!(length >= shortest - 1e-9 && length < 1.02 * shortest, "seed {seed}: {length}, shortest {shortest}");
    }
}

#[test]
fn a_weighted_joint_costs_its_weight() {
    // In plain radians the ways along y and z are alike; y is cheap.
    let world = World::new(vec![boxed(&[-0.1, -2.0, -9.0], &[0.1, 1.0, 1.5])]);
    let space = cube(3, 4.0).with_weights(vec![1.0, 0.2, 1.0]).unwrap();
    let query = query("weights", space, world, &[-1.0, 0.0, 0.0], &[1.0, 0.0, 0.0]);
    // Passing at y = 1 costs 2 · √(0.9² + 0.2²) + 0.2; above, at z = 1.5, 2 · √(0.9² + 1.5²) + 0.2.
    let shortest = 2.0 * (0.9_f64.powi(2) + 0.2_f64.powi(2)).sqrt() + 0.2;
    for seed in 0..cases(3, 30) {
        let (plan, _) = improve(&query, seed, &iterations(3_000));
        let length = metric_length(&query, &plan);
        // Simplification, which does not know weights, keeps it from coming closer; the dear way costs 3.7.
        assert!(length >= shortest - 1e-9 && length < 1.1 * shortest, "seed {seed}: {length}, shortest {shortest}");
    }
}

#[test]
fn a_continuous_joint_goes_the_way_round_that_is_free() {
    let query = ring();
    let shortest = ((TAU - 1.0).powi(2) + 0.25).sqrt();
    let (plan, _) = improve(&query, 1, &iterations(3_000));
    let length = path_length(&plan.path);
    assert!(length >= shortest - 1e-9 && length < 1.001 * shortest, "{length}, shortest {shortest}");
    let last = plan.path.positions(plan.path.len() - 1);
    assert!((last[0] - (TAU - 0.5)).abs() < 1e-12 && last[0] > PI, "unwrapped from the start: {last:?}");
}

#[test]
fn every_length_heard_of_is_below_those_before_and_a_larger_budget_begins_with_the_same() {
    let (query, _) = wall();
    let mut improvements = 0;
    for seed in 0..cases(5, 50) {
        let (_, short) = improve(&query, seed, &iterations(1_000));
        let (_, long) = improve(&query, seed, &iterations(20_000));
        assert!(long.is_sorted_by(|a, b| b < a), "{long:?}");
        assert!(long.starts_with(&short), "{short:?} {long:?}");
        improvements += long.len() - 1;
    }
    assert!(improvements > 5, "{improvements} improvements");
}

#[test]
fn the_goal_with_the_shorter_way_is_found_though_another_one_is_nearer() {
    let world = wall_with_gap(2.9, 0.2);
    let mut query = query("two goals", cube(2, 3.0), world, &[-0.5, -1.0], &[0.5, -1.0]);
    query.goals.push([-2.5, 0.0].into());
    let (plan, _) = improve(&query, 3, &iterations(1_000));
    assert_eq!(plan.goal_index, 1);
    assert!(path_length(&plan.path) < 1.001 * 5.0_f64.sqrt());
}

#[test]
fn a_free_straight_line_is_the_end_of_the_search() {
    let query = query("empty", cube(2, 3.0), World::default(), &[-2.0, 0.0], &[2.0, 1.0]);
    let (plan, lengths) = improve(&query, 0, &Control::default());
    assert_eq!((plan.iterations, lengths.len(), plan.path.len()), (0, 1, 2));
}

#[test]
fn a_goal_that_is_blocked_keeps_no_search_going() {
    let world = World::new(vec![boxed(&[-1.0, -1.0], &[1.0, 1.0])]);
    let mut query = query("a blocked goal", cube(2, 3.0), world, &[-2.0, 0.0], &[-0.9, 0.0]);
    query.goals.extend([[-2.0, 2.8].into(), [-2.0, 2.5].into()]);
    let (plan, _) = improve(&query, 0, &iterations(500));
    assert_eq!((plan.goal_index, plan.iterations), (2, 0));
}

#[test]
fn a_validity_whose_quick_answers_lie_still_gives_proven_and_shorter_paths() {
    for query in problem_set() {
        for seed in 0..cases(2, 100) {
            let case = format!("{}, seed {seed}", query.name);
            let mut liar = Liar::new(query.world.clone(), 2);
            let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
            let mut paths = Vec::new();
            // Rounds of searches that find something before simplification does.
            let control = iterations(2_000);
            Aorrtc::default()
                .improve(&problem, &mut liar, &control, &mut |plan| paths.push(plan.path.clone()))
                .unwrap();
            for path in &paths {
                liar.witness.assert_proven(path, &case);
            }
        }
    }
}

#[test]
fn the_budget_is_used_up_and_its_end_is_no_error_once_there_is_a_path() {
    let (query, _) = wall();
    let (plan, _) = improve(&query, 0, &iterations(700));
    assert_eq!(plan.iterations, 700);
    // Time: every reading of the clock takes 10 µs.
    let clock = Arc::new(ManualClock::with_step(10_000));
    let control = Control::new(clock, 0.1, u64::MAX, StopFlag::default());
    let (plan, _) = improve(&query, 0, &control);
    assert!(control.elapsed() < 0.105 && plan.iterations > 0, "{}", control.elapsed());
}

/// Regression 29: the first path was simplified up to twenty times before it was reported, a hundred times as long as it took to find.
#[test]
fn the_first_path_is_reported_when_rrt_connect_would_return_it() {
    for query in problem_set() {
        let problem = Problem::new(&query.space, &query.start, &query.goals, 3).unwrap();
        let mut validity = query.world.clone();
        let first = RrtConnect::default().plan(&problem, &mut validity, &Control::default()).unwrap();
        let options = SimplifyOptions::default();
        simplify_in(&query.space, &first.path, &options, &mut validity, &Control::default()).unwrap();
        let (budget, mut checks) = (iterations(first.iterations + 200), Vec::new());
        let mut report = |plan: &Plan| checks.push(plan.checks);
        Aorrtc::default().improve(&problem, &mut query.world.clone(), &budget, &mut report).unwrap();
        assert_eq!(checks[0], validity.checks(), "{}", query.name);
    }
}

#[test]
fn a_stop_after_the_first_path_returns_it() {
    let (query, _) = wall();
    let problem = Problem::new(&query.space, &query.start, &query.goals, 0).unwrap();
    let stop = StopFlag::default();
    let control = Control::new(Arc::new(ManualClock::default()), f64::INFINITY, u64::MAX, stop.clone());
    let mut heard = 0;
    let plan = Aorrtc::default().improve(&problem, &mut query.world.clone(), &control, &mut |_| {
        heard += 1;
        stop.stop();
    });
    assert!(plan.is_ok());
    assert_eq!(heard, 1);
}

#[test]
fn options_outside_their_domain_are_refused_by_name() {
    let name = |config: AorrtcConfig| match Aorrtc::new(config) {
        Err(KineticError::InvalidValue { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(name(AorrtcConfig { cost_weight: f64::NAN, ..AorrtcConfig::default() }), "cost_weight");
    assert_eq!(name(AorrtcConfig { restart_nodes: 1, ..AorrtcConfig::default() }), "restart_nodes");
    let endless = PlannerConfig { timeout: f64::INFINITY, ..PlannerConfig::default() };
    let refused = (PlannerType::AORRTC.spec().build)(&PlannerContext::without_robot(&endless)).map(|_| ());
    assert!(matches!(refused, Err(KineticError::InvalidValue { name, .. }) if name == "timeout"));
}

/// Regression 48: of a path that goes taut around something, the proof of rounded corners took longer than what the budget left,
/// and the plan was lost.
#[test]
fn a_path_is_timed_in_the_time_that_is_left_however_long_its_corners_would_take() {
    let mut scene = Scene::new(&Arc::new(Robot::from_name("ur5e").unwrap())).unwrap();
    scene.add("wall", Shape::cuboid(0.02, 0.4, 0.5).unwrap(), Pose::from_xyz(0.0, 0.7, 0.5)).unwrap();
    let planner = Planner::in_scene(scene).unwrap().with_planner_type(PlannerType::AORRTC);
    let (start, goal) = ([2.5, -1.2, 1.4, -1.7, -1.57, 0.0], Goal::joints([0.6, -1.2, 1.4, -1.7, -1.57, 0.0]));
    for law in ["totp", "jerk_limited", "trapezoidal"] {
        let timed = |step: u64| {
            let control = Control::new(Arc::new(ManualClock::with_step(step)), 1.0, u64::MAX, StopFlag::default());
            let query = PlannerQuery::new(&start, &goal).with_time_law(law).unwrap().with_control(&control);
            let solution = planner.solve(query).unwrap_or_else(|error| panic!("{law} {step} {error:?}"));
            assert!(solution.result.path.len() > 2, "{law}: nothing is in the way");
            solution.trajectory.unwrap()
        };
        for step in [20_000, 100_000] {
            assert!(timed(step).certificate().is_some(), "{law}, {step} ns for each look at the clock");
        }
    }
}

/// Regression 65: the search left no time to prove corners, so that the motion stopped at all of them, or was lost.
#[test]
fn an_anytime_search_leaves_time_to_round_corners() {
    let mut scene = Scene::new(&Arc::new(Robot::from_name("ur5e").unwrap())).unwrap();
    scene.add("wall", Shape::cuboid(0.02, 0.4, 0.5).unwrap(), Pose::from_xyz(0.0, 0.7, 0.5)).unwrap();
    let (start, goal) = ([2.5, -1.2, 1.4, -1.7, -1.57, 0.0], Goal::joints([0.6, -1.2, 1.4, -1.7, -1.57, 0.0]));
    let law = kinetic_trajectory::time_law("totp").unwrap();
    let planner = Planner::in_scene(scene).unwrap().with_planner_type(PlannerType::AORRTC);
    for step in [500_000, 1_000_000, 2_000_000, 4_000_000] {
        let control = Control::new(Arc::new(ManualClock::with_step(step)), 1.0, u64::MAX, StopFlag::default());
        let query = PlannerQuery::new(&start, &goal).with_time_law(law.id).unwrap().with_control(&control);
        let solution = planner.solve(query).unwrap_or_else(|error| panic!("{step}: {error}"));
        let exact = kinetic_trajectory::TimingOptions::exact();
        let path = &solution.result.path;
        let stopping =
            kinetic_trajectory::time_parameterize(path, law.id, &planner.limits().unwrap(), &exact, &mut |_| true);
        let (duration, stopping) = (solution.trajectory.unwrap().duration(), stopping.unwrap().duration());
        assert!(path.len() > 2 && duration < 0.9 * stopping, "{step}: {duration} against {stopping}");
    }
}
