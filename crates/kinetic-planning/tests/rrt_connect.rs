use std::f64::consts::TAU;

use kinetic_core::rng::SeededRng;
use kinetic_core::{JointValues, KineticError};
use kinetic_planning::{Algorithm, LazyPlan, Plan, Problem, RrtConnect, RrtConnectConfig, SamplerKind, Validity};

use crate::cases;
use crate::worlds::{BUDGET, iterations};
use crate::worlds::{Liar, Query, Witness, World, balls, bent_tunnel, boxed, cube, problem_set, ring, wall_with_gap};

fn solve(config: RrtConnectConfig, query: &Query, seed: u64) -> Plan {
    let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
    RrtConnect::new(config).unwrap().plan(&problem, &mut query.world.clone(), &iterations(BUDGET)).unwrap()
}

/// A free configuration with the sign of its first coordinate given.
fn free_at(side: f64, query: &Query, rng: &mut SeededRng) -> Vec<f64> {
    let mut q = vec![0.0; query.space.dof()];
    loop {
        query.space.sample_uniform(rng, &mut q);
        q[0] = side * q[0].abs();
        if query.world.is_clear(&q, -0.01) {
            return q;
        }
    }
}

#[test]
fn hundreds_of_hard_queries_run_from_start_to_goal_through_free_space() {
    let mut hard = 0;
    for seed in 0..cases(400, 20_000) {
        let mut rng = SeededRng::new(seed);
        let mut query = Query {
            name: "random wall",
            space: cube(2, 3.0),
            world: wall_with_gap(rng.uniform(-2.0, 2.0), 0.3),
            start: Vec::new(),
            goals: Vec::new(),
        };
        query.world.offers_partial = rng.below(2) == 1;
        let side = if rng.below(2) == 1 { 1.0 } else { -1.0 };
        query.start = free_at(side, &query, &mut rng);
        query.goals = vec![free_at(-side, &query, &mut rng).into()];
        let config = RrtConnectConfig {
            range: rng.uniform(0.2, 3.0),
            balance: rng.below(2) == 1,
            sampler: if rng.below(2) == 1 { SamplerKind::Halton } else { SamplerKind::Random },
            ..RrtConnectConfig::default()
        };
        let plan = solve(config, &query, seed);
        hard += u64::from(plan.iterations > 1);
        assert_eq!(plan.path.positions(0), query.start, "seed {seed}: start");
        assert_eq!(plan.path.positions(plan.path.len() - 1), &*query.goals[0], "seed {seed}: goal");
        query.world.assert_path_is_clear(&plan.path, &format!("seed {seed}"));
        for (from, to) in plan.path.segments().skip(usize::from(plan.iterations == 0)) {
            assert!(
                query.space.distance(from, to) <= config.range * (1.0 + 1e-6),
                "seed {seed}: longer than the range"
            );
        }
    }
    assert!(hard >= cases(400, 20_000) * 8 / 10, "only {hard} queries were hard");
}

#[test]
fn a_narrow_passage_is_found_with_any_sampler_and_seed() {
    for sampler in [SamplerKind::Halton, SamplerKind::Random] {
        for seed in 0..cases(2, 40) {
            let query = Query { world: wall_with_gap(1.5, 0.03), ..problem_set().swap_remove(1) };
            let config = RrtConnectConfig { sampler, ..RrtConnectConfig::default() };
            let plan = solve(config, &query, seed);
            query.world.assert_path_is_clear(&plan.path, &format!("{sampler:?} {seed}"));
        }
    }
}

/// Where the first trees have bad luck with the nodes around the mouth, 100 000 iterations are often not enough.
#[test]
fn a_second_pair_of_trees_ends_the_long_tail_of_narrow_passages() {
    let query = Query { world: wall_with_gap(1.5, 0.03), ..problem_set().swap_remove(1) };
    let solve_all = |second_after| {
        let config = RrtConnectConfig { second_after, ..RrtConnectConfig::default() };
        let solve = |seed| {
            let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
            RrtConnect::new(config).unwrap().plan(&problem, &mut query.world.clone(), &iterations(BUDGET)).ok()
        };
        (10..cases(30, 300)).filter_map(solve).map(|plan| plan.iterations).collect::<Vec<u64>>()
    };
    let (alone, with_second) = (solve_all(u64::MAX), solve_all(12_000));
    assert!(alone.len() < with_second.len(), "{} solved without, {} with", alone.len(), with_second.len());
    assert_eq!(with_second.len() as u64, cases(30, 300) - 10);
    // What is solved before the second pair joins is solved the same way.
    assert!(alone.iter().filter(|count| **count <= 12_000).eq(with_second.iter().filter(|count| **count <= 12_000)));
}

#[test]
fn a_ring_is_passed_the_long_way_and_the_result_is_unwrapped_from_the_start() {
    let query = ring();
    for seed in 0..cases(50, 2_000) {
        let plan = solve(RrtConnectConfig::default(), &query, seed);
        let last = plan.path.positions(plan.path.len() - 1);
        // From 0.5 the free way leads up to 2π − 0.5, which is −0.5.
        assert!((last[0] - (TAU - 0.5)).abs() < 1e-12 && last[1] == 0.5, "seed {seed}: {last:?}");
        let steps: Vec<f64> = plan.path.segments().map(|(from, to)| (to[0] - from[0]).abs()).collect();
        assert!(steps.iter().all(|step| *step < 1.1), "seed {seed}: a jump of a turn in {steps:?}");
        query.world.assert_path_is_clear(&plan.path, &format!("seed {seed}"));
    }
}

#[test]
fn a_goal_some_turns_away_is_reached_at_the_nearest_winding() {
    let mut query = ring();
    query.start = vec![0.5 + 2.0 * TAU, 0.0];
    query.goals = vec![[1.5 - TAU, 0.0].into()];
    let plan = solve(RrtConnectConfig::default(), &query, 0);
    assert_eq!(plan.iterations, 0);
    assert!((plan.path.positions(1)[0] - (1.5 + 2.0 * TAU)).abs() < 1e-12);
}

#[test]
fn of_several_goals_a_reachable_one_is_found_and_named() {
    let query = problem_set().swap_remove(1);
    let walled_in: JointValues = [0.0, -2.0].into();
    let reachable: JointValues = [2.0, -1.0].into();
    for seed in 0..cases(20, 500) {
        let query = Query { goals: vec![walled_in.clone(), reachable.clone(), walled_in.clone()], ..query.clone() };
        let plan = solve(RrtConnectConfig::default(), &query, seed);
        assert_eq!(plan.goal_index, 1);
        assert_eq!(plan.path.positions(plan.path.len() - 1), &*reachable);
    }
    // Beyond the wall one goal, on this side another: the straight line to the second is free.
    let query = Query { goals: vec![reachable, [-2.5, 2.0].into()], ..query };
    let plan = solve(RrtConnectConfig::default(), &query, 0);
    assert_eq!((plan.goal_index, plan.iterations, plan.path.len()), (1, 0, 2));
}

#[test]
fn a_start_that_is_the_goal_is_a_path_of_two_equal_waypoints() {
    let mut query = problem_set().swap_remove(1);
    query.goals = vec![query.start.clone().into()];
    let plan = solve(RrtConnectConfig::default(), &query, 0);
    assert_eq!((plan.path.len(), plan.path.path_length(), plan.iterations), (2, 0.0, 0));
}

#[test]
fn every_edge_of_a_plan_was_proven_as_it_stands() {
    for mut query in problem_set() {
        for offers_partial in [false, true] {
            query.world.offers_partial = offers_partial;
            let mut witness = Witness::new(query.world.clone());
            let problem = Problem::new(&query.space, &query.start, &query.goals, 9).unwrap();
            let plan = RrtConnect::default().plan(&problem, &mut witness, &iterations(BUDGET)).unwrap();
            witness.assert_proven(&plan.path, query.name);
        }
    }
}

#[test]
fn edges_are_as_short_as_the_range_and_shorter_in_spaces_of_many_joints() {
    for (dof, range) in [(8, 1.0), (12, 8.0 / 12.0), (16, 0.5)] {
        let query = Query { world: balls(dof, 40, 5), space: cube(dof, 3.0), ..problem_set().swap_remove(4) };
        let query = Query { start: vec![-1.8; dof], goals: vec![vec![1.8; dof].into()], ..query };
        for seed in 0..3 {
            let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
            let plan = RrtConnect::default().plan(&problem, &mut query.world.clone(), &iterations(BUDGET)).unwrap();
            let longest = plan.path.segments().map(|(a, b)| query.space.distance(a, b)).fold(0.0, f64::max);
            assert!(longest <= range + 1e-9, "{dof} joints, seed {seed}: {longest}");
        }
    }
}

#[test]
fn a_start_in_a_tunnel_gets_out_by_free_parts_of_blocked_extensions_where_they_are_offered() {
    // No whole step fits before the bend, and samples in the tunnel are rare.
    let mut query = Query { world: bent_tunnel(), start: vec![-2.5, -2.5], ..problem_set().swap_remove(1) };
    let config = RrtConnectConfig { range: 4.0, partial_after: 4, ..RrtConnectConfig::default() };
    let mut sums = [0, 0];
    for (offers_partial, sum) in [false, true].into_iter().zip(&mut sums) {
        query.world.offers_partial = offers_partial;
        *sum = (0..20).map(|seed| solve(config, &query, seed).iterations).sum::<u64>();
    }
    assert!(2 * sums[1] < sums[0], "{sums:?}");
}

#[test]
fn a_start_in_a_tunnel_gets_out_along_its_walls_where_distances_are_known() {
    // A straight step of the usual length fits in one direction out of eighty.
    let walls = [[0.04, 3.0], [-3.0, -0.04]].map(|[low, high]| boxed(&[-3.0, low, -3.0], &[1.0, high, 3.0]));
    let world = World::new(walls.into());
    let query = Query { space: cube(3, 3.0), world, start: vec![-2.5, 0.01, 0.0], ..problem_set().swap_remove(0) };
    let query = Query { goals: vec![[2.5, 1.0, 1.0].into()], ..query };
    let iterations = |along_after| {
        let config = RrtConnectConfig { along_after, ..RrtConnectConfig::default() };
        (0..40).map(|seed| solve(config, &query, seed).iterations).sum::<u64>()
    };
    let (along, straight) = (iterations(4), iterations(u32::MAX));
    assert!(2 * along < straight, "{along} and {straight}");
}

#[test]
fn a_start_in_a_tunnel_gets_out_however_large_the_space_around_is() {
    // Of the samples of so large a space next to none fall into the dynamic domain of a boxed-in start.
    let query = Query { world: bent_tunnel(), start: vec![-2.5, -2.5], ..problem_set().swap_remove(1) };
    let query = Query { space: cube(2, 1000.0), ..query };
    let config = RrtConnectConfig { radius: 1.0, min_radius: 0.3, alpha: 1e-2, ..RrtConnectConfig::default() };
    for seed in 0..20 {
        let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
        let found = RrtConnect::new(config).unwrap().plan(&problem, &mut query.world.clone(), &iterations(20_000));
        assert!(found.is_ok(), "seed {seed}: {:?}", found.err());
    }
}

#[test]
fn every_option_is_read() {
    let query = Query { world: balls(4, 60, 2), space: cube(4, 3.0), ..problem_set().swap_remove(4) };
    let mut query = Query { start: vec![-1.8; 4], goals: vec![[1.8; 4].into()], ..query };
    query.world.offers_partial = true;
    let base =
        RrtConnectConfig { partial_after: 2, radius: 1.0, alpha: 0.1, min_radius: 0.5, ..RrtConnectConfig::default() };
    let variants = [
        RrtConnectConfig { range: 0.3, ..base },
        RrtConnectConfig { radius: 0.6, ..base },
        RrtConnectConfig { alpha: 0.5, ..base },
        RrtConnectConfig { min_radius: 0.99, ..base },
        RrtConnectConfig { balance: false, ..base },
        RrtConnectConfig { second_after: 5, ..base },
        RrtConnectConfig { second_after: 5, second_range: 0.9, ..base },
        RrtConnectConfig { along_after: 1, ..base },
        RrtConnectConfig { partial_after: 1, ..base },
        RrtConnectConfig { partial_after: 1, min_partial: 0.9, ..base },
        RrtConnectConfig { sampler: SamplerKind::Random, ..base },
    ];
    for variant in variants {
        let differs = (0..30).any(|seed| solve(base, &query, seed) != solve(variant, &query, seed));
        assert!(differs, "{variant:?} plans like {base:?}");
    }
}

#[test]
fn options_outside_their_domain_are_refused_by_name() {
    let good = RrtConnectConfig::default();
    let bad = [
        ("range", RrtConnectConfig { range: 0.0, ..good }),
        ("range", RrtConnectConfig { range: f64::INFINITY, ..good }),
        ("radius", RrtConnectConfig { radius: f64::NAN, ..good }),
        ("alpha", RrtConnectConfig { alpha: 1.0, ..good }),
        ("min_radius", RrtConnectConfig { min_radius: 5.0, ..good }),
        ("along_after", RrtConnectConfig { along_after: 0, ..good }),
        ("partial_after", RrtConnectConfig { partial_after: 0, ..good }),
        ("min_partial", RrtConnectConfig { min_partial: 0.0, ..good }),
        ("second_range", RrtConnectConfig { second_range: 1.1, ..good }),
    ];
    for (field, config) in bad {
        let refused = RrtConnect::new(config).map(|_| ());
        assert!(matches!(refused, Err(KineticError::InvalidValue { name, .. }) if name == field), "{config:?}");
    }
    assert!(RrtConnect::new(RrtConnectConfig { radius: f64::INFINITY, ..good }).is_ok());
}

#[test]
fn a_validity_whose_quick_answers_lie_still_gives_proven_paths() {
    for query in problem_set() {
        for honest_once_in in [0, 2] {
            for seed in 0..cases(2, 100) {
                let case = format!("{}, honest once in {honest_once_in}, seed {seed}", query.name);
                let mut liar = Liar::new(query.world.clone(), honest_once_in);
                let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
                let plan = RrtConnect::default().plan(&problem, &mut liar, &iterations(BUDGET)).unwrap();
                liar.witness.assert_proven(&plan.path, &case);
            }
        }
    }
}

#[test]
fn a_lazy_plan_asks_for_no_proof_and_says_so_by_its_type() {
    let mut unproven = 0;
    for query in problem_set() {
        for seed in 0..cases(4, 100) {
            let mut liar = Liar::new(query.world.clone(), 2);
            let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
            let LazyPlan { unproven: plan } =
                RrtConnect::default().plan_lazily(&problem, &mut liar, &iterations(BUDGET)).unwrap();
            assert!(liar.witness.proofs.is_empty(), "{}, seed {seed}", query.name);
            assert_eq!(plan.path.positions(0), query.start, "{}, seed {seed}", query.name);
            unproven += plan.path.segments().filter(|(from, to)| !liar.is_motion_valid(from, to)).count();
        }
    }
    assert!(unproven > 0, "the validity was not wrong once");
}

#[test]
fn where_no_path_exists_a_lying_validity_ends_with_the_budget() {
    let query = Query { world: wall_with_gap(0.0, 0.0), ..problem_set().swap_remove(1) };
    let mut liar = Liar::new(query.world.clone(), 0);
    let problem = Problem::new(&query.space, &query.start, &query.goals, 0).unwrap();
    let refused = RrtConnect::default().plan(&problem, &mut liar, &iterations(3_000)).unwrap_err();
    assert!(matches!(refused, KineticError::PlanningTimeout { iterations: 3_000, .. }), "{refused}");
}
