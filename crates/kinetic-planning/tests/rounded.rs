use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, ManualClock, StopFlag, Trajectory};
use kinetic_planning::{Validity, path_length, round_corners};

use crate::cases;
use crate::worlds::{Liar, Witness, World, balls, boxed};

/// Sums of some hundred square roots.
const ROUNDING: f64 = 1e-12;

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn between(a: &[f64], b: &[f64], t: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + t * (b - a)).collect()
}

/// Distance of a point from a polyline, by projection on every edge.
fn distance_to(path: &Trajectory, q: &[f64]) -> f64 {
    let edge = |(a, b): (&[f64], &[f64])| {
        let (along, square) =
            a.iter().zip(b).zip(q).fold((0.0, 0.0), |(along, square), ((a, b), q)| {
                (along + (q - a) * (b - a), square + (b - a) * (b - a))
            });
        distance(q, &between(a, b, if square > 0.0 { (along / square).clamp(0.0, 1.0) } else { 0.0 }))
    };
    path.segments().map(edge).fold(f64::INFINITY, f64::min)
}

/// The farthest that points of `path` are from `given`.
fn deviation(path: &Trajectory, given: &Trajectory) -> f64 {
    let points = path.segments().flat_map(|(a, b)| (0..=10).map(|step| between(a, b, f64::from(step) / 10.0)));
    points.map(|q| distance_to(given, &q)).fold(0.0, f64::max)
}

fn walk(seed: u64, dof: usize, count: usize) -> Trajectory {
    let mut rng = SeededRng::new(seed);
    let rows: Vec<Vec<f64>> = (0..count).map(|_| (0..dof).map(|_| rng.uniform(-3.0, 3.0)).collect()).collect();
    Trajectory::from_waypoints(&rows).unwrap()
}

#[test]
fn no_point_is_farther_from_the_path_than_allowed_and_long_edges_use_what_is_allowed() {
    for seed in 0..cases(30, 2_000) {
        let path = walk(seed, 2 + seed as usize % 6, 3 + seed as usize % 9);
        for allowed in [1e-4, 0.01, 0.1, 1.0, 10.0] {
            let rounded = round_corners(&path, allowed, &mut World::default(), &Control::default()).unwrap();
            let case = format!("seed {seed}, {allowed}");
            assert!(deviation(&rounded, &path) <= allowed + ROUNDING, "{case}: {}", deviation(&rounded, &path));
            assert!(path_length(&rounded) <= path_length(&path) * (1.0 + ROUNDING), "{case}");
            assert_eq!(rounded.positions(0), path.positions(0), "{case}");
            assert_eq!(rounded.positions(rounded.len() - 1), path.positions(path.len() - 1), "{case}");
        }
    }
}

/// At a right angle with long edges the spline misses the corner by what is allowed: `(a + 4c + b) / 6`.
#[test]
fn the_spline_misses_a_right_angle_by_the_deviation() {
    let path = Trajectory::from_waypoints(&[[0.0, 0.0], [5.0, 0.0], [5.0, 5.0]]).unwrap();
    for allowed in [0.01, 0.1, 0.5] {
        let rounded = round_corners(&path, allowed, &mut World::default(), &Control::default()).unwrap();
        let missed = rounded.iter().map(|q| distance(q, &[5.0, 0.0])).fold(f64::INFINITY, f64::min);
        assert!((missed - allowed).abs() <= ROUNDING, "{missed} for {allowed}");
        let sharpest = rounded.segments().zip(rounded.segments().skip(1)).map(|((a, b), (_, c))| {
            let (first, second) = (distance(a, b), distance(b, c));
            a.iter().zip(b).zip(c).map(|((a, b), c)| (b - a) * (c - b)).sum::<f64>() / (first * second)
        });
        assert!(sharpest.fold(1.0, f64::min) > 0.9);
    }
}

#[test]
fn every_edge_was_proven_and_corners_that_touch_stay() {
    // The corner at (1, 1) can be rounded, that at (3, 1) has an obstacle in its bend.
    let path = Trajectory::from_waypoints(&[[1.0, -2.0], [1.0, 1.0], [3.0, 1.0], [3.0, -2.0]]).unwrap();
    let world = World::new(vec![boxed(&[2.9, 0.8], &[2.9999, 0.9999])]);
    let mut witness = Witness::new(world.clone());
    let rounded = round_corners(&path, 0.1, &mut witness, &Control::default()).unwrap();
    witness.assert_proven(&rounded, "bend");
    world.assert_path_is_clear(&rounded, "bend");
    let missed = |corner: [f64; 2]| rounded.iter().map(|q| distance(q, &corner)).fold(f64::INFINITY, f64::min);
    assert_eq!(missed([3.0, 1.0]), 0.0);
    assert!(missed([1.0, 1.0]) > 0.09);
}

#[test]
fn a_validity_whose_quick_answers_lie_still_gives_proven_bends() {
    for seed in 0..cases(20, 1_000) {
        let world = balls(3, 6, seed);
        let path = Trajectory::from_waypoints(&[[-3.0, 0.0, 3.0], [-3.0, 3.0, 3.0], [3.0, 3.0, 3.0], [3.0, 3.0, -3.0]]);
        let (path, mut liar) = (path.unwrap(), Liar::new(world, seed % 3));
        if let Ok(rounded) = round_corners(&path, 1.0, &mut liar, &Control::default()) {
            liar.witness.assert_proven(&rounded, &format!("seed {seed}"));
        }
    }
}

/// Proves whole edges of a path and short motions, and no long part of an edge.
struct WholeEdges(Trajectory);

impl Validity for WholeEdges {
    fn is_valid(&mut self, _: &[f64]) -> bool {
        true
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        distance(from, to) < 0.5 || self.0.segments().any(|edge| edge == (from, to))
    }

    fn checks(&self) -> u64 {
        0
    }
}

#[test]
fn where_what_bends_leave_of_an_edge_is_refused_both_its_corners_stay() {
    let path = Trajectory::from_waypoints(&[[0.0, 0.0], [0.0, 2.0], [2.0, 2.0], [2.0, 0.0], [4.0, 0.0]]).unwrap();
    let rounded = round_corners(&path, 0.1, &mut WholeEdges(path.clone()), &Control::default()).unwrap();
    assert_eq!(rounded, path);
}

#[test]
fn a_stop_leaves_the_corners_that_were_not_reached() {
    let path = Trajectory::from_waypoints(&[[0.0, 0.0], [0.0, 2.0], [2.0, 2.0]]).unwrap();
    let stop = StopFlag::default();
    stop.stop();
    let control = Control::new(Arc::new(ManualClock::default()), f64::INFINITY, u64::MAX, stop);
    assert_eq!(round_corners(&path, 0.1, &mut World::default(), &control).unwrap(), path);
}

#[test]
fn a_corner_that_touches_is_rounded_less() {
    let path = Trajectory::from_waypoints(&[[1.0, 1.0], [3.0, 1.0], [3.0, -2.0]]).unwrap();
    let world = World::new(vec![boxed(&[2.0, 0.0], &[2.96, 0.96])]);
    let rounded = round_corners(&path, 0.1, &mut world.clone(), &Control::default()).unwrap();
    world.assert_path_is_clear(&rounded, "bend");
    let missed = rounded.iter().map(|q| distance(q, &[3.0, 1.0])).fold(f64::INFINITY, f64::min);
    // Half of what is allowed stays free of the obstacle, whose corner is 0.057 away.
    assert!((missed - 0.05).abs() < ROUNDING, "{missed}");
}

#[test]
fn random_paths_among_balls_stay_free() {
    for seed in 0..cases(30, 2_000) {
        let world = balls(3, 6, seed);
        let path = walk(seed, 3, 2);
        let detour = [path.positions(0), &[0.0, 4.0, 0.0], &[0.0, 4.0, 4.0], path.positions(1)];
        let path = Trajectory::from_waypoints(&detour).unwrap();
        let mut witness = Witness::new(world.clone());
        match round_corners(&path, 0.3, &mut witness, &Control::default()) {
            Ok(rounded) => witness.assert_proven(&rounded, &format!("seed {seed}")),
            Err(error) => assert!(matches!(error, KineticError::PlannerOutputInvalid { .. }), "seed {seed}: {error}"),
        }
    }
}

#[test]
fn paths_without_corners_and_without_deviation_come_back() {
    let straight = Trajectory::from_waypoints(&[[0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [3.0, 3.0]]).unwrap();
    let one = Trajectory::from_waypoints(&[[0.0, 0.0]]).unwrap();
    let bent = walk(0, 3, 6);
    for (path, allowed) in [(&straight, 0.1), (&one, 0.1), (&bent, 0.0), (&bent, f64::MIN_POSITIVE)] {
        let rounded = round_corners(path, allowed, &mut World::default(), &Control::default()).unwrap();
        assert!(deviation(path, &rounded).max(deviation(&rounded, path)) <= ROUNDING, "{path:?}");
        assert_eq!(rounded.positions(rounded.len() - 1), path.positions(path.len() - 1));
    }
}

#[test]
fn deviations_that_are_none_are_refused() {
    for wrong in [-0.1, f64::NAN, f64::INFINITY] {
        let refused = round_corners(&walk(0, 2, 4), wrong, &mut World::default(), &Control::default());
        assert!(matches!(refused, Err(KineticError::InvalidValue { name, .. }) if name == "max_deviation"));
    }
}
