//! RRT\* and its bidirectional form: costs against shortest paths that are known, and what tells the two apart.

use std::f64::consts::TAU;
use std::sync::Arc;

use kinetic_core::{Control, KineticError, ManualClock, Minimise, PlannerConfig, StopFlag};
use kinetic_planning::{
    Algorithm, BiRrtStar, BiRrtStarConfig, Plan, PlannerContext, PlannerType, Problem, RrtConnect, RrtStar,
    RrtStarConfig, SimplifyOptions, path_length,
};

use crate::cases;
use crate::shortest::{large_ball, maze, query, wall};
use crate::worlds::{Liar, Query, World, cube, iterations, problem_set, ring, wall_with_gap};

fn both() -> [(&'static str, Box<dyn Algorithm>); 2] {
    [("rrt_star", Box::<RrtStar>::default()), ("bi_rrt_star", Box::<BiRrtStar>::default())]
}

/// Options with which no path is shortened.
fn nothing_shortened() -> SimplifyOptions {
    SimplifyOptions { shortcut_iterations: 0, smooth: false, ..SimplifyOptions::default() }
}

/// Planners that return what their trees hold: costs fall by rewiring alone.
fn both_without_shortening() -> [(&'static str, Box<dyn Algorithm>); 2] {
    let (simplify, range) = (nothing_shortened(), 1.0);
    let (one, two) =
        (RrtStar::new(RrtStarConfig { range, simplify }), BiRrtStar::new(BiRrtStarConfig { range, simplify }));
    [
        ("rrt_star, nothing shortened", Box::new(one.unwrap())),
        ("bi_rrt_star, nothing shortened", Box::new(two.unwrap())),
    ]
}

/// Plans, and keeps the plans that were heard of.
fn improve(planner: &mut dyn Algorithm, query: &Query, seed: u64, limit: u64) -> Vec<Plan> {
    let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
    let mut heard = Vec::new();
    let plan = planner
        .improve(&problem, &mut query.world.clone(), &iterations(limit), &mut |plan| heard.push(plan.clone()))
        .unwrap_or_else(|error| panic!("{}, seed {seed}: {error}", query.name));
    query.world.assert_path_is_clear(&plan.path, query.name);
    let (goal, last) = (&query.goals[plan.goal_index], plan.path.positions(plan.path.len() - 1));
    assert!(query.space.distance(goal, last) < 1e-9, "goal {} is not where the path ends: {last:?}", plan.goal_index);
    assert_eq!(heard.last().map(|last| &last.path), Some(&plan.path), "the last one heard of is the one returned");
    heard
}

fn lengths(plans: &[Plan]) -> Vec<f64> {
    plans.iter().map(|plan| path_length(&plan.path)).collect()
}

#[test]
fn costs_fall_towards_the_shortest_path_of_a_maze() {
    let mazes: Vec<_> = (0..100).filter_map(|seed| Some((seed, maze(seed)?))).collect();
    assert!(mazes.len() > 30, "{} mazes have a path", mazes.len());
    for (seed, (query, shortest)) in mazes.into_iter().take(cases(6, 40) as usize) {
        for (name, mut planner) in both().into_iter().chain(both_without_shortening()) {
            let lengths = lengths(&improve(&mut *planner, &query, seed, 12_000));
            let (first, last) = (lengths[0], lengths[lengths.len() - 1]);
            assert!(lengths.is_sorted_by(|a, b| b < a), "{name}, maze {seed}: {lengths:?}");
            assert!(last >= shortest - 1e-6, "{name}, maze {seed}: {last} is shorter than the shortest, {shortest}");
            assert!(last < 1.03 * shortest, "{name}, maze {seed}: {last} from {first}, shortest {shortest}");
        }
    }
}

#[test]
fn costs_fall_towards_the_shortest_path_around_a_ball_in_six_dimensions() {
    let (query, shortest) = large_ball(6);
    let planners = || both().into_iter().chain(both_without_shortening()).enumerate();
    let (mut firsts, mut lasts) = ([0.0; 4], [0.0; 4]);
    for seed in 0..cases(3, 20) {
        for (which, (name, mut planner)) in planners() {
            let lengths = lengths(&improve(&mut *planner, &query, seed, 40_000));
            let (first, last) = (lengths[0] - shortest, lengths[lengths.len() - 1] - shortest);
            assert!(lengths.is_sorted_by(|a, b| b < a), "{name}, seed {seed}: {lengths:?}");
            assert!(last > -1e-9 && last < 0.25 * shortest, "{name}, seed {seed}: {lengths:?}, shortest {shortest}");
            firsts[which] += first;
            lasts[which] += last;
        }
    }
    let part = |which: usize| lasts[which] / firsts[which];
    assert!(part(0) < 0.25 && part(1) < 0.25, "excess {lasts:?}, of the first paths {firsts:?}");
    // By rewiring alone.
    assert!(part(2) < 0.85 && part(3) < 0.85, "excess {lasts:?}, of the first paths {firsts:?}");
    assert!(lasts[3] < lasts[2], "two trees come nearer: {lasts:?}");
}

#[test]
fn the_first_path_takes_no_more_than_twice_the_checks_of_rrt_connect() {
    let (mut reference, mut first) = (0, [0, 0]);
    for (query, _) in (0..cases(16, 80)).filter_map(maze) {
        for seed in 0..2 {
            let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
            let plan = RrtConnect::default().plan(&problem, &mut query.world.clone(), &iterations(16_000));
            reference += plan.unwrap().checks;
            for (which, (_, mut planner)) in both().into_iter().enumerate() {
                first[which] += improve(&mut *planner, &query, seed, 2_000)[0].checks;
            }
        }
    }
    assert!(first.iter().all(|checks| *checks < 2 * reference), "{first:?}, rrt_connect {reference}");
}

#[test]
fn a_larger_budget_begins_with_the_same_paths() {
    let (query, _) = wall();
    let mut more = 0;
    for seed in 0..cases(3, 50) {
        for (name, mut planner) in both().into_iter().chain(both_without_shortening()) {
            let short = lengths(&improve(&mut *planner, &query, seed, 500));
            let long = lengths(&improve(&mut *planner, &query, seed, 4_000));
            assert!(long.starts_with(&short), "{name}, seed {seed}: {long:?} {short:?}");
            more += long.len() - short.len();
        }
    }
    assert!(more > 0, "nothing is found with the rest of the budget");
}

#[test]
fn a_continuous_joint_goes_the_way_round_that_is_free() {
    let query = ring();
    let shortest = ((TAU - 1.0).powi(2) + 0.25).sqrt();
    for seed in 0..cases(4, 100) {
        for (name, mut planner) in both() {
            let plans = improve(&mut *planner, &query, seed, 3_000);
            let path = &plans[plans.len() - 1].path;
            let (length, last) = (path_length(path), path.positions(path.len() - 1));
            assert!(length >= shortest - 1e-9 && length < 1.01 * shortest, "{name}, seed {seed}: {length}, {shortest}");
            assert!((last[0] - (TAU - 0.5)).abs() < 1e-12, "unwrapped from the start: {last:?}");
        }
    }
}

#[test]
fn the_goal_with_the_shorter_way_is_found_though_another_one_is_nearer() {
    let mut query = query("two goals", cube(2, 3.0), wall_with_gap(2.9, 0.2), &[-0.5, -1.0], &[0.5, -1.0]);
    query.goals.push([-2.5, 0.0].into());
    query.goals.push([0.0, -1.0].into());
    for (name, mut planner) in both() {
        let plans = improve(&mut *planner, &query, 3, 1_000);
        assert_eq!(plans[plans.len() - 1].goal_index, 1, "{name}");
    }
}

#[test]
fn a_free_straight_line_to_the_nearest_goal_is_the_end_of_the_search() {
    let query = query("empty", cube(2, 3.0), World::default(), &[-2.0, 0.0], &[2.0, 1.0]);
    for (_, mut planner) in both() {
        let plans = improve(&mut *planner, &query, 0, u64::MAX);
        assert_eq!((plans.len(), plans[0].iterations, plans[0].path.len()), (1, 0, 2));
    }
}

#[test]
fn a_validity_whose_quick_answers_lie_still_gives_proven_and_shorter_paths() {
    for query in problem_set() {
        for seed in 0..cases(2, 60) {
            for (name, mut planner) in both() {
                let case = format!("{name} on {}, seed {seed}", query.name);
                let mut liar = Liar::new(query.world.clone(), 2);
                let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
                let mut paths = Vec::new();
                let outcome =
                    planner.improve(&problem, &mut liar, &iterations(3_000), &mut |plan| paths.push(plan.path.clone()));
                if let Err(error) = outcome {
                    assert!(
                        matches!(error, KineticError::PlanningTimeout { iterations: 3_000, .. }),
                        "{case}: {error}"
                    );
                }
                for path in &paths {
                    liar.witness.assert_proven(path, &case);
                }
                let lengths: Vec<f64> = paths.iter().map(path_length).collect();
                assert!(lengths.is_sorted_by(|a, b| b < a), "{case}: {lengths:?}");
            }
        }
    }
}

#[test]
fn a_stop_or_a_deadline_after_the_first_path_returns_the_best_one() {
    let (query, _) = wall();
    let problem = Problem::new(&query.space, &query.start, &query.goals, 0).unwrap();
    for (name, mut planner) in both() {
        let stop = StopFlag::default();
        let control = Control::new(Arc::new(ManualClock::default()), f64::INFINITY, u64::MAX, stop.clone());
        let mut heard = 0;
        let plan = planner.improve(&problem, &mut query.world.clone(), &control, &mut |_| {
            heard += 1;
            stop.stop();
        });
        assert!(plan.is_ok() && heard == 1, "{name}: {heard}");
        // Every reading of the clock takes 10 µs.
        let control = Control::new(Arc::new(ManualClock::with_step(10_000)), 0.1, u64::MAX, StopFlag::default());
        let plan = planner.plan(&problem, &mut query.world.clone(), &control).unwrap();
        assert!(control.elapsed() < 0.101 && plan.iterations > 100, "{name}: {}", control.elapsed());
    }
}

#[test]
fn every_option_is_read() {
    let query = problem_set().swap_remove(1);
    let star = |config| improve(&mut RrtStar::new(config).unwrap(), &query, 1, 1_000);
    let base = RrtStarConfig::default();
    for variant in [RrtStarConfig { range: 0.3, ..base }, RrtStarConfig { simplify: nothing_shortened(), ..base }] {
        assert_ne!(star(base), star(variant), "{variant:?}");
    }
    let two = |config| improve(&mut BiRrtStar::new(config).unwrap(), &query, 1, 1_000);
    let base = BiRrtStarConfig::default();
    for variant in [BiRrtStarConfig { range: 0.3, ..base }, BiRrtStarConfig { simplify: nothing_shortened(), ..base }] {
        assert_ne!(two(base), two(variant), "{variant:?}");
    }
}

#[test]
fn options_outside_their_domain_are_refused_by_name() {
    let name = |refused: Result<(), KineticError>| match refused {
        Err(KineticError::InvalidValue { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    for range in [0.0, f64::NAN, f64::INFINITY] {
        assert_eq!(name(RrtStar::new(RrtStarConfig { range, ..RrtStarConfig::default() }).map(|_| ())), "range");
        assert_eq!(name(BiRrtStar::new(BiRrtStarConfig { range, ..BiRrtStarConfig::default() }).map(|_| ())), "range");
    }
    let endless = PlannerConfig { timeout: f64::INFINITY, ..PlannerConfig::default() };
    let by_time = PlannerConfig { minimise: Some(Minimise::Time), ..PlannerConfig::default() };
    for planner in [PlannerType::RRTStar, PlannerType::BiRRTStar] {
        let build = |config| (planner.spec().build)(&PlannerContext::without_robot(config)).map(|_| ());
        assert_eq!(name(build(&endless)), "timeout");
        assert_eq!(name(build(&by_time)), "minimise");
    }
}
