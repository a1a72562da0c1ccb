use std::f64::consts::{PI, TAU};

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Trajectory};
use kinetic_planning::Space;

use crate::cases;

/// Roundings of a few sums and a square root of values below 100.
const ROUNDING: f64 = 1e-13;

/// Three bounded joints, two continuous ones, unequal weights.
fn mixed() -> Space {
    let turning = (f64::NEG_INFINITY, f64::INFINITY);
    Space::from_bounds(&[(-3.0, 3.0), turning, (0.0, 0.4), turning, (-6.3, 6.3)])
        .unwrap()
        .with_weights(vec![1.0, 0.7, 5.0, 1.3, 1.0])
        .unwrap()
}

/// A configuration; continuous joints several turns away.
fn random(space: &Space, rng: &mut SeededRng) -> Vec<f64> {
    let mut q = vec![0.0; space.dof()];
    space.sample_uniform(rng, &mut q);
    for joint in (0..space.dof()).filter(|joint| space.is_continuous(*joint)) {
        q[joint] += TAU * (rng.below(5) as f64 - 2.0);
    }
    q
}

/// The distance by its definition: the least over all windings that could matter.
fn distance_by_search(space: &Space, a: &[f64], b: &[f64]) -> f64 {
    let step = |joint: usize| {
        let direct = (b[joint] - a[joint]).abs();
        let wound = (-6..=6).map(|turn| (b[joint] - a[joint] + TAU * f64::from(turn)).abs());
        space.weights()[joint] * if space.is_continuous(joint) { wound.fold(direct, f64::min) } else { direct }
    };
    (0..space.dof()).map(|joint| step(joint).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn distance_is_the_shortest_over_all_windings() {
    let space = mixed();
    for seed in 0..cases(2_000, 100_000) {
        let mut rng = SeededRng::new(seed);
        let (a, b) = (random(&space, &mut rng), random(&space, &mut rng));
        let (found, expected) = (space.distance(&a, &b), distance_by_search(&space, &a, &b));
        assert!((found - expected).abs() <= ROUNDING, "seed {seed}: {found} {expected}");
    }
}

#[test]
fn distance_is_a_metric() {
    let space = mixed();
    for seed in 0..cases(2_000, 100_000) {
        let mut rng = SeededRng::new(seed);
        let [a, b, c] = [(); 3].map(|()| random(&space, &mut rng));
        assert!((space.distance(&a, &b) - space.distance(&b, &a)).abs() <= ROUNDING, "seed {seed}: symmetry");
        assert_eq!(space.distance(&a, &a), 0.0, "seed {seed}");
        let detour = space.distance(&a, &b) + space.distance(&b, &c);
        assert!(space.distance(&a, &c) <= detour + ROUNDING, "seed {seed}: triangle");
    }
}

#[test]
fn interpolation_starts_at_from_ends_at_to_unwrapped_and_is_proportional() {
    let space = mixed();
    let mut out = vec![0.0; space.dof()];
    for seed in 0..cases(2_000, 100_000) {
        let mut rng = SeededRng::new(seed);
        let (a, b) = (random(&space, &mut rng), random(&space, &mut rng));
        space.interpolate(&a, &b, 0.0, &mut out);
        assert_eq!(out, a, "seed {seed}");
        space.interpolate(&a, &b, 1.0, &mut out);
        for joint in 0..space.dof() {
            let turns = (out[joint] - b[joint]) / TAU;
            let is_allowed =
                if space.is_continuous(joint) { (turns - turns.round()).abs() < 1e-12 } else { turns == 0.0 };
            assert!(is_allowed && (!space.is_continuous(joint) || (out[joint] - a[joint]).abs() <= PI + ROUNDING));
        }
        let t = rng.unit();
        space.interpolate(&a, &b, t, &mut out);
        let (part, whole) = (space.distance(&a, &out), space.distance(&a, &b));
        assert!((part - t * whole).abs() <= ROUNDING, "seed {seed}: {part} of {whole} at {t}");
        let rest = space.distance(&out, &b);
        assert!((part + rest - whole).abs() <= ROUNDING, "seed {seed}: not on the shortest way");
    }
}

#[test]
fn interpolation_near_limits_stays_inside_them() {
    let space = Space::from_bounds(&[(-0.1, 0.3)]).unwrap();
    let mut rng = SeededRng::new(3);
    let mut out = [0.0];
    for _ in 0..cases(10_000, 1_000_000) {
        let from = rng.uniform(0.3 - 1e-9, 0.3);
        space.interpolate(&[from], &[0.3], rng.unit(), &mut out);
        assert!(out[0] <= 0.3 && out[0] >= from, "{from} {out:?}");
    }
}

#[test]
fn no_fraction_of_a_motion_leaves_the_interval_of_its_ends() {
    let endless = (-1e6, 1e6);
    let space = Space::from_bounds(&[endless]).unwrap();
    let mut out = [0.0];
    for seed in 0..cases(2_000, 100_000) {
        let mut rng = SeededRng::new(seed);
        let scale = 10.0_f64.powf(rng.uniform(-6.0, 5.0));
        let (a, b) = (rng.uniform(-scale, scale), rng.uniform(-1.0, 1.0));
        for ulps in 1..20 {
            // Where rounding can pass the end.
            let t = 1.0 - f64::from(ulps) * f64::EPSILON / 2.0;
            space.interpolate(&[a], &[b], t, &mut out);
            assert!(out[0] >= a.min(b) && out[0] <= a.max(b), "seed {seed}: {out:?} of {a} to {b} at {t}");
        }
    }
}

#[test]
fn the_length_of_a_path_is_the_weighted_one_of_its_edges_as_they_stand() {
    let space = mixed();
    for seed in 0..100 {
        let mut rng = SeededRng::new(seed);
        let rows: Vec<Vec<f64>> = (0..=rng.below(5)).map(|_| random(&space, &mut rng)).collect();
        let edge = |pair: &[Vec<f64>]| {
            let steps =
                (0..space.dof()).map(|joint| (space.weights()[joint] * (pair[1][joint] - pair[0][joint])).powi(2));
            steps.sum::<f64>().sqrt()
        };
        let wanted: f64 = rows.windows(2).map(edge).sum();
        let length = space.path_length(&Trajectory::from_waypoints(&rows).unwrap());
        // A few full turns are up to 40 long.
        assert!((length - wanted).abs() < 1e-11, "seed {seed}: {length} {wanted}");
    }
}

#[test]
fn a_continuous_joint_takes_the_short_way_and_stays_unwrapped() {
    let space = Space::from_bounds(&[(f64::NEG_INFINITY, f64::INFINITY)]).unwrap();
    let mut out = [0.0];
    space.interpolate(&[3.0], &[-3.0], 1.0, &mut out);
    assert_eq!(out[0], TAU - 3.0);
    assert!((space.distance(&[3.0], &[-3.0]) - (TAU - 6.0)).abs() < ROUNDING);
    assert_eq!(space.distance(&[0.25], &[0.25 + TAU]), 0.0);
}

#[test]
fn steering_stops_at_the_largest_step_or_at_the_target() {
    let space = mixed();
    let mut out = vec![0.0; space.dof()];
    for seed in 0..cases(2_000, 100_000) {
        let mut rng = SeededRng::new(seed);
        let (a, b, step) = (random(&space, &mut rng), random(&space, &mut rng), rng.uniform(0.1, 6.0));
        let reached = space.steer(&a, &b, step, &mut out);
        let (moved, whole) = (space.distance(&a, &out), space.distance(&a, &b));
        assert_eq!(reached, whole <= step, "seed {seed}");
        assert!((moved - whole.min(step)).abs() <= ROUNDING, "seed {seed}: {moved} of {whole}, step {step}");
    }
}

#[test]
fn wrong_spaces_and_configurations_are_refused_by_name() {
    let name_of = |result: Result<Space, KineticError>| match result {
        Err(KineticError::InvalidValue { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(name_of(Space::new(vec![], vec![])), "number of joints");
    for bound in
        [(1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (f64::INFINITY, f64::NEG_INFINITY), (-1e308, 1e308)]
    {
        assert_eq!(name_of(Space::from_bounds(&[(0.0, 1.0), bound])), "bounds of joint 1");
    }
    assert_eq!(name_of(mixed().with_weights(vec![1.0, 1.0, 0.0, 1.0, 1.0])), "weight of joint 2");
    assert!(matches!(Space::new(vec![0.0], vec![]), Err(KineticError::DimensionMismatch { got: 0, .. })));
    assert!(matches!(mixed().with_weights(vec![1.0]), Err(KineticError::DimensionMismatch { got: 1, .. })));
    let too_far = mixed().check("goal", &[0.0, 100.0, 0.5, 0.0, 0.0], 1e-5);
    assert!(
        matches!(too_far, Err(KineticError::JointLimitViolation { name, value: 0.5, max: 0.4, .. }) if name == "2 of goal")
    );
    assert!(mixed().check("goal", &[0.0, 100.0, 0.4 + 1e-6, 0.0, 0.0], 1e-5).is_ok());
}

/// Regression 53: values of continuous joints beyond 10¹¹ rad lost more by their turns than goals may be missed by, and beyond
/// 10¹⁶ rad everything.
#[test]
fn continuous_values_whose_turns_cannot_be_taken_off_are_refused() -> kinetic_core::Result<()> {
    let space = Space::new(vec![f64::NEG_INFINITY; 2], vec![f64::INFINITY; 2])?;
    let mut rng = SeededRng::new(53);
    for decade in 0..9 {
        let (from, to) = (rng.uniform(-4.0, 4.0), 10_f64.powi(decade) * rng.uniform(1.0, 10.0));
        space.check("goal", &[from, -to], 0.0)?;
        let near = space.unwrapped(1, from, -to);
        assert!((near - from).abs() < 3.15, "{to}: {near}");
        // The sine and cosine of the standard library take turns off exactly.
        assert!((near.sin() + to.sin()).hypot(near.cos() - to.cos()) < 1e-7, "{to}");
    }
    for far in [1.1e9, -1e15, 1e300] {
        let refused = space.check("goal", &[0.0, far], 0.0).unwrap_err().to_string();
        assert!(refused.contains("joint 1 of goal"), "{refused}");
    }
    Ok(())
}
