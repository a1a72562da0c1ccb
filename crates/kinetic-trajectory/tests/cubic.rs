//! The cubic spline law. Oracles: cases worked out by hand, and what makes a clamped spline one: it meets its waypoints,
//! acceleration is continuous, and it rests at both ends (de Boor 1978: there is exactly one).

use kinetic_core::Limits;
use kinetic_core::rng::SeededRng;
use kinetic_trajectory::{TimingOptions, cubic_spline_time, limit_ratios, stretched, time_parameterize, trapezoidal};

use crate::support::{degenerate_path, largest_difference, path, random_limits};

/// Rounding of waypoints of order 1 and of the knots that they are met at.
const MET: f64 = 1e-9;

#[test]
fn it_meets_every_waypoint_with_continuous_acceleration_from_rest_to_rest() {
    for seed in 0..300 {
        let mut rng = SeededRng::new(seed);
        let dof = 1 + rng.below(6);
        let rows: Vec<Vec<f64>> =
            (0..2 + rng.below(20)).map(|_| (0..dof).map(|_| rng.uniform(-2.0, 2.0)).collect()).collect();
        let path = kinetic_core::Trajectory::from_waypoints(&rows).unwrap();
        let limits = random_limits(&mut rng, dof);
        let timed = cubic_spline_time(&path, None, Some(&limits)).unwrap();
        assert_eq!(timed.waypoint_times().len(), rows.len());
        for (waypoint, given) in timed.waypoints().iter().zip(&rows) {
            assert!(largest_difference(&waypoint.positions, given) < MET, "seed {seed}");
        }
        let curve = timed.curve();
        for piece in 1..curve.pieces() {
            for joint in 0..dof {
                for order in 0..3 {
                    let h = curve.piece_duration(piece - 1);
                    let before = kinetic_core::curve::evaluate(curve.coefficients(piece - 1, joint), order, h);
                    let after = kinetic_core::curve::evaluate(curve.coefficients(piece, joint), order, 0.0);
                    assert!((before - after).abs() < 1e-7, "seed {seed} piece {piece} order {order}");
                }
            }
        }
        for t in [0.0, timed.duration()] {
            assert!(curve.sample(t, 1).iter().all(|v| v.abs() < MET), "seed {seed}");
        }
        let ratios = limit_ratios(curve, &limits).unwrap();
        let used = ratios.velocity.max(ratios.acceleration);
        assert!(used <= 1.0 && used > 1.0 - 1e-6, "seed {seed}: one limit is used fully: {ratios:?}");
        // The bound on its distance from the polyline is one.
        for sample in 0..=500 {
            let q = curve.sample(timed.duration() * f64::from(sample) / 500.0, 0);
            let distance = crate::support::distance_to_polyline(&path, &q);
            assert!(distance <= timed.path_deviation + MET, "seed {seed}: {distance}");
        }
    }
}

#[test]
fn durations_of_single_moves_are_those_of_a_cubic() {
    // From rest to rest q̇ is at most 1.5 d / T, and q̈ at most 6 d / T².
    let duration = |v: f64, a: f64| {
        let limits = Limits::new(vec![v], vec![a]).unwrap();
        cubic_spline_time(&path(&[&[0.0], &[2.0]]), None, Some(&limits)).unwrap().duration()
    };
    assert!((duration(1.0, 100.0) - 3.0).abs() < 1e-6);
    assert!((duration(100.0, 3.0) - 2.0).abs() < 1e-6);
}

#[test]
fn a_duration_is_kept_and_one_that_the_limits_do_not_allow_is_refused() {
    let corners = path(&[&[0.0, 0.0], &[1.0, 0.4], &[1.2, 1.5]]);
    let limits = Limits::new(vec![1.0; 2], vec![3.0; 2]).unwrap();
    let fastest = cubic_spline_time(&corners, None, Some(&limits)).unwrap().duration();
    let slow = cubic_spline_time(&corners, Some(2.0 * fastest), Some(&limits)).unwrap();
    assert_eq!(slow.duration(), 2.0 * fastest);
    assert!((cubic_spline_time(&corners, Some(0.7), None).unwrap().duration() - 0.7).abs() < 1e-12);
    let error = cubic_spline_time(&corners, Some(0.5 * fastest), Some(&limits)).unwrap_err();
    assert!(error.to_string().contains("as fast as the limits allow"), "{error}");
    for duration in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(cubic_spline_time(&corners, Some(duration), None).unwrap_err().code(), "InvalidValue");
    }
    assert_eq!(cubic_spline_time(&corners, None, None).unwrap_err().code(), "InvalidValue");
    let wrong = Limits::new(vec![1.0], vec![1.0]).unwrap();
    assert_eq!(cubic_spline_time(&corners, None, Some(&wrong)).unwrap_err().code(), "DimensionMismatch");
}

#[test]
fn every_law_takes_the_duration_that_is_asked_for() {
    for law in kinetic_trajectory::TIME_LAWS {
        for seed in 0..100 {
            let mut rng = SeededRng::new(seed);
            let path = degenerate_path(&mut rng);
            let limits = random_limits(&mut rng, path.dof());
            let timed = |duration: Option<f64>| {
                let options = TimingOptions { duration, ..TimingOptions::default() };
                time_parameterize(&path, law.id, &limits, &options, &mut |_| true)
            };
            let fast = timed(None).unwrap();
            let wanted = 1.7 * fast.duration() + 0.1;
            let slow = timed(Some(wanted)).unwrap();
            assert_eq!(slow.duration(), wanted, "{} seed {seed}", law.id);
            let ratios = limit_ratios(slow.curve(), &limits).unwrap();
            assert!(ratios.velocity < 1.0 && ratios.acceleration < 1.0, "{} seed {seed}", law.id);
            for part in [0.0, 0.3, 0.77, 1.0] {
                let [a, b] = [&fast, &slow].map(|timed| timed.curve().sample(part * timed.duration(), 0));
                assert!(largest_difference(&a, &b) < 1e-9, "{} seed {seed}", law.id);
            }
            if fast.duration() > 0.0 {
                assert_eq!(timed(Some(0.9 * fast.duration())).unwrap_err().code(), "InvalidValue");
            }
        }
    }
    let timed = trapezoidal(&path(&[&[0.0], &[1.0]]), 1.0, 2.0).unwrap();
    assert_eq!(stretched(&timed, f64::NAN).unwrap_err().code(), "InvalidValue");
}

#[test]
fn a_refused_piece_gets_knots_and_finally_becomes_straight() {
    let corner = path(&[&[0.0, 0.0], &[1.0, 0.0], &[1.0, 1.0]]);
    let limits = Limits::new(vec![1.0; 2], vec![2.0; 2]).unwrap();
    let options = TimingOptions { max_deviation: 0.05, ..TimingOptions::default() };
    let timed = time_parameterize(&corner, "cubic_spline", &limits, &options, &mut |_| true).unwrap();
    assert!(timed.path_deviation <= 0.05 && timed.path_deviation > 0.0);
    assert!(timed.sample_at(timed.waypoint_times()[1]).velocities.iter().any(|v| v.abs() > 0.05), "it does not stop");
    let never = time_parameterize(&corner, "cubic_spline", &limits, &options, &mut |_| false).unwrap();
    assert!(never.path_deviation < 1e-12);
    // Two straights, each 1.5 s by velocity or √3 s by acceleration.
    assert!((never.duration() - 2.0 * 3.0_f64.sqrt()).abs() < 1e-6, "{}", never.duration());
}
