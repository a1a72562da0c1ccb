//! Joining and reversing.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Limits, TimedTrajectory};
use kinetic_trajectory::{TimingOptions, concatenate, from_samples, reverse, time_parameterize, trapezoidal};

use crate::support::{degenerate_path, largest_difference, path, random_limits};

/// Taylor shifts of coefficients of order 10 round a few times.
const TOLERANCE: f64 = 1e-11;

fn random(seed: u64) -> TimedTrajectory {
    let mut rng = SeededRng::new(seed);
    let path = degenerate_path(&mut rng);
    let limits = random_limits(&mut rng, path.dof());
    time_parameterize(&path, "trapezoidal", &limits, &TimingOptions::default(), &mut |_| true).unwrap()
}

#[test]
fn a_reversed_trajectory_is_the_same_motion_backwards() {
    for seed in 0..300 {
        let forward = random(seed);
        let backward = reverse(&forward).unwrap();
        let end = forward.duration();
        assert_eq!(backward.duration(), end);
        assert_eq!(backward.waypoint_times().len(), forward.waypoint_times().len());
        for step in 0..=100 {
            // Away from knots, where one-sided derivatives differ.
            let t = end * (f64::from(step) + 0.377) / 101.0;
            for (order, sign) in [(0, 1.0), (1, -1.0), (2, 1.0)] {
                let wanted: Vec<f64> = forward.curve().sample(end - t, order).iter().map(|v| v * sign).collect();
                let gap = largest_difference(&backward.curve().sample(t, order), &wanted);
                // Accelerations step at knots; elsewhere they agree.
                assert!(gap < TOLERANCE || order == 2 && near_knot(&forward, end - t), "seed {seed} t {t}: {gap}");
            }
        }
    }
}

fn near_knot(timed: &TimedTrajectory, t: f64) -> bool {
    timed.curve().knots().iter().any(|knot| (knot - t).abs() < 1e-12)
}

#[test]
fn a_concatenation_is_one_then_the_other() {
    let a = trapezoidal(&path(&[&[0.0, 0.0], &[1.0, 0.5], &[1.0, 1.0]]), 1.0, 2.0).unwrap();
    let b = trapezoidal(&path(&[&[1.0, 1.0], &[0.0, 0.0]]), 1.0, 2.0).unwrap();
    let both = concatenate(&a, &b).unwrap();
    assert_eq!(both.duration(), a.duration() + b.duration());
    assert_eq!(both.waypoints().len(), 4);
    assert_eq!(both.law, "trapezoidal");
    assert!(both.certificate().is_none());
    for step in 0..=50 {
        let part = f64::from(step) / 50.0;
        let (ta, tb) = (part * a.duration(), part * b.duration());
        assert!(largest_difference(&both.curve().sample(ta, 0), &a.curve().sample(ta, 0)) < TOLERANCE);
        assert!(largest_difference(&both.curve().sample(a.duration() + tb, 0), &b.curve().sample(tb, 0)) < TOLERANCE);
    }
}

#[test]
fn a_configuration_is_neutral_in_concatenation() {
    let a = trapezoidal(&path(&[&[0.0], &[1.0]]), 1.0, 2.0).unwrap();
    let (start, end) =
        (trapezoidal(&path(&[&[0.0]]), 1.0, 2.0).unwrap(), trapezoidal(&path(&[&[1.0]]), 1.0, 2.0).unwrap());
    assert_eq!(concatenate(&start, &a).unwrap(), a);
    assert_eq!(concatenate(&a, &end).unwrap(), a);
}

#[test]
fn a_gap_a_kick_or_another_robot_is_an_error_that_names_the_joint() {
    let to = |goal: f64| trapezoidal(&path(&[&[0.0, 0.0], &[0.0, goal]]), 1.0, 2.0).unwrap();
    let error = concatenate(&to(1.0), &to(1.0)).unwrap_err();
    assert!(error.to_string().contains("position of joint 1"), "{error}");
    let moving = from_samples(&[0.0, 1.0], &[[0.0, 1.0], [0.0, 2.0]], None).unwrap();
    let error = concatenate(&to(1.0), &moving).unwrap_err();
    assert!(error.to_string().contains("velocity of joint 1"), "{error}");
    let limits = Limits::new(vec![1.0], vec![1.0]).unwrap();
    let other = time_parameterize(&path(&[&[0.0]]), "trapezoidal", &limits, &TimingOptions::exact(), &mut |_| true);
    assert_eq!(concatenate(&to(1.0), &other.unwrap()).unwrap_err().code(), "DimensionMismatch");
}
