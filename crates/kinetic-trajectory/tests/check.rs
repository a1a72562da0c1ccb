//! The validator against dense sampling and against violations made on purpose.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Limits, PiecewisePolynomial, TimedTrajectory};
use kinetic_trajectory::{
    TimingOptions, TrajectoryValidator, ValidationConfig, ViolationKind, from_samples, limit_ratios, time_parameterize,
    trapezoidal,
};

use crate::support::{degenerate_path, path, random_limits};

fn curve(knots: &[f64], rows: &[[f64; 6]]) -> TimedTrajectory {
    let dof = rows.len() / (knots.len() - 1);
    let curve = PiecewisePolynomial::new(dof, knots.to_vec(), rows.to_vec()).unwrap();
    let times = knots.to_vec();
    TimedTrajectory::new(curve, times, 0.0, "handmade").unwrap()
}

fn validator(velocity: f64, acceleration: f64) -> TrajectoryValidator {
    let limits = Limits::new(vec![velocity], vec![acceleration]).unwrap();
    TrajectoryValidator::from_limits(&[-1.0], &[1.0], &limits).unwrap()
}

#[test]
fn trajectories_of_the_time_law_pass_with_their_own_limits_and_fail_with_tighter_ones() {
    for seed in 0..500 {
        let mut rng = SeededRng::new(seed);
        let path = degenerate_path(&mut rng);
        let limits = random_limits(&mut rng, path.dof());
        let timed = time_parameterize(&path, "trapezoidal", &limits, &TimingOptions::default(), &mut |_| true).unwrap();
        let (low, high) = (vec![-100.0; path.dof()], vec![100.0; path.dof()]);
        let validator = TrajectoryValidator::from_limits(&low, &high, &limits).unwrap();
        assert_eq!(validator.validate(&timed).unwrap(), [], "seed {seed}");
        let tight = ValidationConfig { safety_factor: 0.5, ..ValidationConfig::default() };
        let violations = validator.with_config(tight).unwrap().validate(&timed).unwrap();
        assert_eq!(violations.is_empty(), timed.duration() == 0.0, "seed {seed}");
    }
}

#[test]
fn random_polynomials_are_judged_as_dense_sampling_judges_them() {
    for seed in 0..2000 {
        let mut rng = SeededRng::new(seed);
        let row: [f64; 6] = std::array::from_fn(|_| rng.uniform(-1.0, 1.0));
        let timed = curve(&[0.0, 1.5], &[row]);
        let curve = timed.curve();
        let peak = |order| (0..=3000).map(move |i| curve.sample(f64::from(i) / 2000.0, order)[0]);
        let largest = |order| peak(order).fold(0.0_f64, |m, v| m.max(v.abs()));
        let limits = Limits::new(vec![largest(1)], vec![largest(2)]).unwrap().with_jerk(vec![largest(3)]).unwrap();
        let ratios = limit_ratios(timed.curve(), &limits).unwrap();
        // Sampling at h misses an extremum by at most h²/8 of the second derivative above it (below 500).
        for ratio in [ratios.velocity, ratios.acceleration, ratios.jerk.unwrap()] {
            assert!((1.0 - 1e-12..1.0 + 1e-3).contains(&ratio), "seed {seed}: {ratios:?}");
        }
        let (low, high) = (peak(0).fold(f64::INFINITY, f64::min), peak(0).fold(f64::NEG_INFINITY, f64::max));
        let loose = Limits::new(vec![largest(1) * 1.01], vec![largest(2) * 1.01]).unwrap();
        let count = |low: f64, high: f64, limits: &Limits| {
            TrajectoryValidator::from_limits(&[low], &[high], limits).unwrap().validate(&timed).unwrap().len()
        };
        assert_eq!(count(low - 1e-3, high + 1e-3, &loose), 0, "seed {seed}");
        assert_eq!(count(low + 1e-3, high + 1e-3, &loose), 1, "seed {seed}");
        assert_eq!(count(low - 1e-3, high - 1e-3, &loose), 1, "seed {seed}");
        let tight = Limits::new(vec![largest(1) * 0.99], vec![largest(2) * 0.99]).unwrap();
        assert_eq!(count(low - 1e-3, high + 1e-3, &tight), 2, "seed {seed}");
    }
}

#[test]
fn a_violation_between_waypoints_is_found_with_joint_value_limit_and_time() {
    // q = 4.4 t (1 − t): 0 at both waypoints, 1.1 in the middle; velocity ±4.4 at the ends, acceleration −8.8.
    let timed = curve(&[0.0, 1.0], &[[0.0, 4.4, -4.4, 0.0, 0.0, 0.0]]);
    let violations = validator(5.0, 10.0).validate(&timed).unwrap();
    assert_eq!(violations.len(), 1);
    let found = &violations[0];
    assert_eq!((found.kind, found.joint, found.waypoint), (ViolationKind::Position, 0, 0));
    assert!((found.value - 1.1).abs() < 1e-8 && found.limit == 1.0 && (found.time - 0.5).abs() < 1e-3);
    let violations = validator(4.0, 8.0).validate(&timed).unwrap();
    let kinds: Vec<_> = violations.iter().map(|found| found.kind).collect();
    assert!(kinds.contains(&ViolationKind::Velocity) && kinds.contains(&ViolationKind::Acceleration), "{kinds:?}");
    let acceleration = violations.iter().find(|found| found.kind == ViolationKind::Acceleration).unwrap();
    assert_eq!((acceleration.value, acceleration.limit), (-8.8, 8.0));
}

#[test]
fn steps_between_pieces_are_found_by_kind() {
    let still = |q: f64| [q, 0.0, 0.0, 0.0, 0.0, 0.0];
    let kinds = |timed: &TimedTrajectory, validator: &TrajectoryValidator| {
        let violations = validator.validate(timed).unwrap();
        violations.iter().map(|found| (found.kind, found.waypoint)).collect::<Vec<_>>()
    };
    let jump = curve(&[0.0, 1.0, 2.0], &[still(0.0), still(0.1)]);
    assert_eq!(kinds(&jump, &validator(1.0, 1.0)), [(ViolationKind::PositionStep, 1)]);
    let kick = curve(&[0.0, 1.0, 2.0], &[[0.0, 0.1, 0.0, 0.0, 0.0, 0.0], still(0.1)]);
    assert_eq!(kinds(&kick, &validator(1.0, 1.0)), [(ViolationKind::VelocityStep, 1)]);
    let push = curve(&[0.0, 1.0, 2.0], &[still(0.0), [0.0, 0.0, 0.1, 0.0, 0.0, 0.0]]);
    assert_eq!(kinds(&push, &validator(1.0, 1.0)), []);
    let jerk = ValidationConfig { max_jerk: Some(1.0), ..ValidationConfig::default() };
    let limited = validator(1.0, 1.0).with_config(jerk).unwrap();
    assert_eq!(kinds(&push, &limited), [(ViolationKind::AccelerationStep, 1)]);
    let sharp = curve(&[0.0, 1.0], &[[0.0, 0.0, 0.0, 0.2, 0.0, 0.0]]);
    assert_eq!(kinds(&sharp, &validator(1.0, 2.0).with_config(jerk).unwrap()), [(ViolationKind::Jerk, 0)]);
}

#[test]
fn a_violation_of_any_joint_on_any_piece_is_found_there_and_nowhere_else() {
    let still = |q: f64| [q, 0.0, 0.0, 0.0, 0.0, 0.0];
    for dof in 1..=14 {
        let limits = Limits::new(vec![1.0; dof], vec![4.0; dof]).unwrap().with_jerk(vec![40.0; dof]).unwrap();
        let validator = TrajectoryValidator::from_limits(&vec![-1.0; dof], &vec![1.0; dof], &limits).unwrap();
        for (joint, piece) in (0..dof).flat_map(|joint| (0..3).map(move |piece| (joint, piece))) {
            // From rest to rest in one second: 1.875 times the way is the highest speed, 5.77 times it the acceleration.
            for (way, kind) in [(0.5, None), (0.6, Some(ViolationKind::Velocity)), (f64::MAX, None)] {
                let mut rows = vec![still(0.0); 3 * dof];
                for later in piece + 1..3 {
                    rows[later * dof + joint] = still(if way < 1.0 { way } else { 0.0 });
                }
                rows[piece * dof + joint] = [0.0, 0.0, 0.0, 10.0 * way, -15.0 * way, 6.0 * way];
                if way > 1.0 {
                    rows[piece * dof + joint] = [0.0, 0.0, 0.0, 0.0, way, -way];
                }
                let found = validator.validate(&curve(&[0.0, 1.0, 2.0, 3.0], &rows)).unwrap();
                assert_eq!(found.is_empty(), way == 0.5, "{dof} {joint} {piece} {way}");
                assert!(found.iter().all(|violation| violation.joint == joint), "{dof} {joint} {piece}: {found:?}");
                assert!(kind.is_none_or(|kind| found.iter().all(|violation| violation.kind == kind)), "{found:?}");
                assert!(found.iter().all(|violation| violation.time >= piece as f64), "{found:?}");
            }
        }
    }
}

#[test]
fn distant_samples_are_a_jump_and_long_segments_of_a_time_law_are_not() {
    let limits = Limits::new(vec![10.0], vec![100.0]).unwrap();
    let validator = TrajectoryValidator::from_limits(&[-10.0], &[10.0], &limits).unwrap();
    let sampled = from_samples(&[0.0, 1.0, 2.0], &[[0.0], [0.1], [0.9]], None).unwrap();
    let violations = validator.validate(&sampled).unwrap();
    assert_eq!(violations.iter().map(|v| (v.kind, v.waypoint)).collect::<Vec<_>>(), [(ViolationKind::PositionJump, 1)]);
    let config = ValidationConfig { max_position_jump: 1.0, ..ValidationConfig::default() };
    assert_eq!(validator.clone().with_config(config).unwrap().validate(&sampled).unwrap(), []);
    assert_eq!(validator.validate(&trapezoidal(&path(&[&[0.0], &[5.0]]), 1.0, 1.0).unwrap()).unwrap(), []);
}

#[test]
fn positions_at_their_limit_pass_and_a_standing_robot_outside_fails() {
    let validator = validator(1.0, 1.0);
    assert_eq!(validator.validate(&trapezoidal(&path(&[&[-1.0], &[1.0]]), 1.0, 1.0).unwrap()).unwrap(), []);
    let outside = trapezoidal(&path(&[&[1.1]]), 1.0, 1.0).unwrap();
    assert_eq!(validator.validate(&outside).unwrap()[0].kind, ViolationKind::Position);
}

#[test]
fn bad_configurations_of_the_validator_are_refused() {
    let limits = Limits::new(vec![1.0], vec![1.0]).unwrap();
    let build = |low: &[f64], high: &[f64], limits: &Limits| TrajectoryValidator::from_limits(low, high, limits);
    assert_eq!(build(&[1.0], &[-1.0], &limits).unwrap_err().code(), "InvalidValue");
    assert_eq!(build(&[f64::NAN], &[1.0], &limits).unwrap_err().code(), "InvalidValue");
    assert_eq!(build(&[], &[1.0], &limits).unwrap_err().code(), "DimensionMismatch");
    let zero = Limits { velocity: vec![0.0], ..limits.clone() };
    assert_eq!(build(&[-1.0], &[1.0], &zero).unwrap_err().code(), "InvalidValue");
    let default = ValidationConfig::default();
    for config in [
        // A factor that loosens is the trap of this trade.
        ValidationConfig { safety_factor: 1.05, ..default },
        ValidationConfig { safety_factor: 0.0, ..default },
        ValidationConfig { max_position_jump: f64::NAN, ..default },
        ValidationConfig { max_jerk: Some(-1.0), ..default },
    ] {
        assert_eq!(validator(1.0, 1.0).with_config(config).unwrap_err().code(), "InvalidValue");
    }
    let two = trapezoidal(&path(&[&[0.0, 0.0]]), 1.0, 1.0).unwrap();
    assert_eq!(validator(1.0, 1.0).validate(&two).unwrap_err().code(), "DimensionMismatch");
    assert_eq!(limit_ratios(two.curve(), &limits).unwrap_err().code(), "DimensionMismatch");
}

#[test]
fn names_of_violations_are_distinct() {
    use ViolationKind as K;
    let all = [
        K::Position,
        K::Velocity,
        K::Acceleration,
        K::Jerk,
        K::PositionJump,
        K::PositionStep,
        K::VelocityStep,
        K::AccelerationStep,
    ];
    let names: std::collections::BTreeSet<_> = all.iter().map(|kind| kind.name()).collect();
    assert_eq!(names.len(), all.len());
}
