use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, ManualClock, PlannerConfig, StopFlag, Trajectory};
use kinetic_planning::{
    Algorithm, Problem, RrtConnect, SimplifyOptions, Validity, path_length, shortcut, shortcut_in, simplify,
    simplify_in, smooth_bspline,
};

use crate::cases;
use crate::worlds::{BUDGET, Liar, Query, Witness, World, balls, cube, iterations, problem_set, wall_with_gap};

/// Sums of up to a hundred square roots.
const ROUNDING: f64 = 1e-12;

/// No joint leaves the range that it has on the path given, which lies inside any limits.
fn assert_inside_box(result: &Trajectory, given: &Trajectory, case: &str) {
    for joint in 0..given.dof() {
        let low = given.iter().map(|q| q[joint]).fold(f64::INFINITY, f64::min);
        let high = given.iter().map(|q| q[joint]).fold(f64::NEG_INFINITY, f64::max);
        assert!(result.iter().all(|q| q[joint] >= low && q[joint] <= high), "{case}: joint {joint}");
    }
}

/// A raw path of RRT-Connect and its world.
fn raw(query: &Query, seed: u64) -> Trajectory {
    let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
    RrtConnect::default().plan(&problem, &mut query.world.clone(), &iterations(BUDGET)).unwrap().path
}

fn queries() -> Vec<Query> {
    let mut queries = problem_set();
    queries.push(Query { world: wall_with_gap(1.5, 0.05), ..queries[1].clone() });
    for seed in 0..4 {
        let mut query = Query { world: balls(7, 60, seed), ..queries[4].clone() };
        query.start = vec![-2.5; 7];
        query.goals = vec![[2.5; 7].into()];
        queries.push(query);
    }
    queries
}

type Operation = fn(&Trajectory, u64, &mut dyn Validity, &Control) -> Result<Trajectory, KineticError>;

const OPERATIONS: [(&str, Operation); 5] = [
    ("simplify", |path, seed, validity, control| {
        let options = SimplifyOptions { seed, ..SimplifyOptions::default() };
        simplify(path, &options, validity, control).map(|simplified| simplified.path)
    }),
    ("simplify without smoothing", |path, seed, validity, control| {
        let options = SimplifyOptions { seed, smooth: false, per_joint: false, ..SimplifyOptions::default() };
        simplify(path, &options, validity, control).map(|simplified| simplified.path)
    }),
    ("simplify without shortcuts", |path, seed, validity, control| {
        let options = SimplifyOptions { seed, shortcut_iterations: 0, ..SimplifyOptions::default() };
        simplify(path, &options, validity, control).map(|simplified| simplified.path)
    }),
    ("shortcut", |path, seed, validity, control| shortcut(path, 50, seed, validity, control)),
    ("smooth_bspline", |path, _, validity, control| smooth_bspline(path, 0.01, validity, control)),
];

#[test]
fn results_keep_their_ends_are_never_longer_and_every_edge_was_proven_as_it_stands() {
    for query in queries() {
        for seed in 0..cases(3, 50) {
            let path = raw(&query, seed);
            for (name, operation) in OPERATIONS {
                let case = format!("{name} on {}, seed {seed}", query.name);
                let mut witness = Witness::new(query.world.clone());
                let result = operation(&path, seed, &mut witness, &Control::default()).unwrap();
                assert_eq!(result.positions(0), path.positions(0), "{case}");
                assert_eq!(result.positions(result.len() - 1), path.positions(path.len() - 1), "{case}");
                assert!(path_length(&result) <= path_length(&path) * (1.0 + ROUNDING), "{case}");
                witness.assert_proven(&result, &case);
                query.world.assert_path_is_clear(&result, &case);
                let again = operation(&path, seed, &mut query.world.clone(), &Control::default()).unwrap();
                assert_eq!(result, again, "{case}: same seed, other path");
            }
        }
    }
}

#[test]
fn a_detour_in_free_space_becomes_the_straight_line() {
    let path = Trajectory::from_waypoints(&[[0.0, 0.0], [1.0, 2.0], [2.0, -1.0], [3.0, 0.0]]).unwrap();
    let result = simplify(&path, &SimplifyOptions::default(), &mut World::default(), &Control::default()).unwrap();
    assert_eq!(result.path, Trajectory::from_waypoints(&[[0.0, 0.0], [3.0, 0.0]]).unwrap());
    assert_eq!((result.length, result.length_before), (3.0, path_length(&path)));
}

/// A unit square obstacle between start and goal, and a path far around its upper corners.
fn around_a_square() -> (World, Trajectory, f64) {
    let square = crate::worlds::Obstacle::Box { low: vec![-0.5, -4.0], high: vec![0.5, 1.0] };
    let path = Trajectory::from_waypoints(&[[-2.0, 0.0], [-2.0, 2.5], [2.0, 2.5], [2.0, 0.0]]).unwrap();
    // The taut string over the corners (±0.5, 1).
    let shortest = 2.0 * (1.5_f64.powi(2) + 1.0).sqrt() + 1.0;
    (World::new(vec![square]), path, shortest)
}

#[test]
fn the_way_around_a_square_comes_near_the_taut_string() {
    let (world, path, shortest) = around_a_square();
    for seed in 0..cases(20, 1_000) {
        let options = SimplifyOptions { seed, ..SimplifyOptions::default() };
        let result = simplify(&path, &options, &mut world.clone(), &Control::default()).unwrap();
        assert!(result.length >= shortest && result.length < 1.2 * shortest, "seed {seed}: {}", result.length);
    }
}

/// Cosine of the turn at the sharpest corner.
fn sharpest_turn(path: &Trajectory) -> f64 {
    let directions: Vec<Vec<f64>> = path
        .segments()
        .map(|(a, b)| {
            let length = a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
            a.iter().zip(b).map(|(x, y)| (y - x) / length).collect()
        })
        .collect();
    directions.windows(2).map(|w| w[0].iter().zip(&w[1]).map(|(a, b)| a * b).sum()).fold(1.0, f64::min)
}

#[test]
fn corner_cutting_turns_right_angles_into_gentle_curves() {
    let path = Trajectory::from_waypoints(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [2.0, 1.0]]).unwrap();
    let smooth = smooth_bspline(&path, 1e-3, &mut World::default(), &Control::default()).unwrap();
    assert!(sharpest_turn(&path).abs() < 1e-12);
    assert!(sharpest_turn(&smooth) > 0.95, "{}", sharpest_turn(&smooth));
    let coarse = smooth_bspline(&path, 0.1, &mut World::default(), &Control::default()).unwrap();
    assert!(coarse.len() < smooth.len());
    let untouched = smooth_bspline(&path, 10.0, &mut World::default(), &Control::default()).unwrap();
    assert_eq!(untouched, path);
}

#[test]
fn every_option_is_read() {
    let base = SimplifyOptions::default();
    let variants = [
        SimplifyOptions { shortcut_iterations: 0, ..base },
        SimplifyOptions { shortcut_iterations: 1, ..base },
        SimplifyOptions { per_joint: false, ..base },
        SimplifyOptions { smooth: false, ..base },
        SimplifyOptions { tolerance: 0.01, ..base },
        SimplifyOptions { max_rounds: 1, ..base },
        SimplifyOptions { seed: 99, ..base },
    ];
    let inputs: Vec<_> = queries().into_iter().map(|query| (raw(&query, 0), query.world)).collect();
    for variant in variants {
        let run = |options, (path, world): &(Trajectory, World)| {
            simplify(path, &options, &mut world.clone(), &Control::default()).unwrap().path
        };
        assert!(inputs.iter().any(|input| run(base, input) != run(variant, input)), "{variant:?} changes nothing");
    }
}

#[test]
fn options_come_from_the_planner_configuration() {
    let config = PlannerConfig { shortcut_iterations: 7, smooth: false, seed: 5, ..PlannerConfig::default() };
    let options = SimplifyOptions::from(&config);
    assert_eq!((options.shortcut_iterations, options.smooth, options.seed), (7, false, 5));
}

#[test]
fn without_time_the_given_path_comes_back_proven() {
    let (world, path, _) = around_a_square();
    let stopped = Control::new(Arc::new(ManualClock::default()), 0.0, u64::MAX, StopFlag::default());
    for (name, operation) in OPERATIONS {
        let mut witness = Witness::new(world.clone());
        assert_eq!(operation(&path, 0, &mut witness, &stopped).unwrap(), path, "{name}");
        assert_eq!(witness.proofs.len(), 3, "{name}");
    }
}

#[test]
fn a_given_path_that_is_not_valid_is_refused_with_its_waypoint() {
    let (world, _, _) = around_a_square();
    let path = Trajectory::from_waypoints(&[[-2.0, 0.0], [-2.0, 0.0], [-1.0, 0.0], [2.0, 0.0]]).unwrap();
    for (name, operation) in OPERATIONS {
        let error = operation(&path, 0, &mut world.clone(), &Control::default()).unwrap_err();
        assert!(matches!(error, KineticError::PlannerOutputInvalid { waypoint: 2, .. }), "{name}: {error}");
    }
}

/// Refuses every motion shorter than the shortest given to it at first: a proof that does not extend to pieces.
struct Coarse {
    world: World,
    shortest: f64,
}

impl Validity for Coarse {
    fn is_valid(&mut self, q: &[f64]) -> bool {
        self.world.is_valid(q)
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        let length = from.iter().zip(to).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        length >= self.shortest && self.world.is_motion_valid(from, to)
    }

    fn checks(&self) -> u64 {
        self.world.checks
    }
}

#[test]
fn where_a_piece_of_a_proven_edge_is_refused_the_given_path_comes_back() {
    let (world, path, _) = around_a_square();
    // Cut corners at 45° are longer than the straight pieces left beside them.
    let mut coarse = Coarse { world, shortest: 1.3 };
    let result = smooth_bspline(&path, 0.01, &mut coarse, &Control::default()).unwrap();
    assert_eq!(result, path);
}

#[test]
fn paths_of_one_waypoint_of_none_and_of_equal_ones_come_back() {
    let paths: [&[[f64; 2]]; 3] = [&[[0.0, 3.0]], &[[0.0, 3.0], [0.0, 3.0]], &[[0.0, 3.0], [1.0, 3.0]]];
    let mut given: Vec<_> = paths.iter().map(|points| Trajectory::from_waypoints(points).unwrap()).collect();
    given.push(Trajectory::with_dof(2));
    for path in given {
        for (name, operation) in OPERATIONS {
            let result = operation(&path, 0, &mut World::default(), &Control::default()).unwrap();
            assert_eq!(result, path, "{name}");
        }
    }
}

#[test]
fn a_tolerance_that_is_no_length_is_refused() {
    let (mut world, path, _) = around_a_square();
    for tolerance in [-1.0, f64::NAN] {
        let refused = smooth_bspline(&path, tolerance, &mut world, &Control::default());
        assert!(matches!(refused, Err(KineticError::InvalidValue { name, .. }) if name == "tolerance"));
        let options = SimplifyOptions { tolerance, ..SimplifyOptions::default() };
        assert!(simplify(&path, &options, &mut world, &Control::default()).is_err());
    }
}

#[test]
fn random_polylines_in_random_worlds_stay_valid() {
    for seed in 0..cases(100, 5_000) {
        let mut rng = SeededRng::new(seed);
        let world = balls(3, 8, seed);
        let space = cube(3, 3.0);
        let mut path = Trajectory::with_dof(3);
        let mut q = vec![0.0; 3];
        for _ in 0..400 {
            space.sample_uniform(&mut rng, &mut q);
            let from = if path.is_empty() { q.clone() } else { path.positions(path.len() - 1).to_vec() };
            if world.clone().is_motion_valid(&from, &q) && path.len() < 12 {
                path.push_waypoint(&q).unwrap();
            }
        }
        let options = SimplifyOptions { seed, ..SimplifyOptions::default() };
        let result = simplify(&path, &options, &mut world.clone(), &Control::default()).unwrap();
        world.assert_path_is_clear(&result.path, &format!("seed {seed}"));
        assert!(result.length <= result.length_before * (1.0 + ROUNDING), "seed {seed}");
    }
}

#[test]
fn a_validity_whose_quick_answers_lie_still_gives_proven_paths() {
    for query in queries() {
        for honest_once_in in [0, 2] {
            for (name, operation) in OPERATIONS {
                let case = format!("{name} on {}, honest once in {honest_once_in}", query.name);
                let path = raw(&query, 0);
                let mut liar = Liar::new(query.world.clone(), honest_once_in);
                let result = operation(&path, 0, &mut liar, &Control::default()).unwrap();
                liar.witness.assert_proven(&result, &case);
                assert_inside_box(&result, &path, &case);
                assert!(path_length(&result) <= path_length(&path) * (1.0 + ROUNDING), "{case}");
            }
        }
    }
}

/// A world whose joints are counted in other units: so many of them make one of the world's.
struct Scaled {
    world: World,
    units: Vec<f64>,
}

impl Scaled {
    fn down(&self, q: &[f64]) -> Vec<f64> {
        q.iter().zip(&self.units).map(|(value, unit)| value / unit).collect()
    }

    fn up(&self, path: &Trajectory) -> Trajectory {
        let row = |q: &[f64]| q.iter().zip(&self.units).map(|(value, unit)| value * unit).collect::<Vec<f64>>();
        Trajectory::from_waypoints(&path.iter().map(row).collect::<Vec<_>>()).unwrap()
    }
}

impl Validity for Scaled {
    fn is_valid(&mut self, q: &[f64]) -> bool {
        let q = self.down(q);
        self.world.is_valid(&q)
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        let (from, to) = (self.down(from), self.down(to));
        self.world.is_motion_valid(&from, &to)
    }

    fn checks(&self) -> u64 {
        self.world.checks
    }
}

/// Weights are units: powers of two change no digit of what is computed.
#[test]
fn a_weighted_space_shortens_as_one_whose_joints_are_counted_in_other_units() {
    for query in problem_set().into_iter().filter(|query| !query.world.first_joint_wraps) {
        let units: Vec<f64> = (0..query.space.dof()).map(|joint| [4.0, 0.5, 1.0, 2.0][joint % 4]).collect();
        let space = query.space.clone().with_weights(units.clone()).unwrap();
        let mut scaled = Scaled { world: query.world.clone(), units };
        for seed in 0..cases(2, 50) {
            let (path, case) = (raw(&query, seed), format!("{}, seed {seed}", query.name));
            let options = SimplifyOptions { seed, ..SimplifyOptions::default() };
            let (control, given) = (Control::default(), scaled.up(&path));
            let weighted = simplify_in(&space, &path, &options, &mut query.world.clone(), &control).unwrap();
            let other = simplify(&given, &options, &mut scaled, &control).unwrap();
            assert_eq!((scaled.up(&weighted.path), weighted.length), (other.path, other.length), "{case}");
            assert_eq!(weighted.length_before, path_length(&given), "{case}");
            let weighted = shortcut_in(&space, &path, 50, seed, &mut query.world.clone(), &control).unwrap();
            let other = shortcut(&given, 50, seed, &mut scaled, &control).unwrap();
            assert_eq!(scaled.up(&weighted), other, "{case}");
        }
    }
}
