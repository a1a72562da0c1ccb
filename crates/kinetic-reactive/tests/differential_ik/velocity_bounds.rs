//! Velocity bounds, followed cycle by cycle.

use kinetic_core::rng::SeededRng;
use kinetic_reactive::differential_ik::{JointVelocityLimits, OutsideLimits, VelocityBounds};
use kinetic_robot::Robot;

use crate::cases;

const RANGE: JointVelocityLimits = JointVelocityLimits { lower: -1.0, upper: 0.5, velocity: 2.0, acceleration: 5.0 };

#[test]
fn commands_anywhere_inside_keep_positions_velocities_and_accelerations() {
    for case in 0..cases(200, 5000) {
        let mut rng = SeededRng::new(case as u64);
        let (velocity, acceleration) = (10.0_f64.powf(rng.uniform(-2.0, 2.0)), 10.0_f64.powf(rng.uniform(-1.0, 3.0)));
        let limits = JointVelocityLimits { velocity, acceleration, ..RANGE };
        let period = 10.0_f64.powf(rng.uniform(-3.5, -1.0));
        let bounds = VelocityBounds::new(vec![limits], period, OutsideLimits::Allow).unwrap();
        let (mut q, mut speed) = (rng.uniform(-1.0, 0.5), 0.0);
        let mut direction = 1.0;
        for _ in 0..1000 {
            let (mut lower, mut upper) = ([0.0], [0.0]);
            bounds.at(&[q], Some(&[speed]), &mut lower, &mut upper).unwrap();
            assert!(lower[0] <= upper[0], "case {case}: {lower:?} {upper:?}");
            if rng.below(50) == 0 {
                direction = -direction;
            }
            // Full speed to either side, where limits are met.
            let next = if direction > 0.0 { upper[0] } else { lower[0] };
            assert!(next.abs() <= velocity * (1.0 + 1e-12), "case {case}");
            let change = (next - speed).abs();
            assert!(change <= acceleration * period * (1.0 + 1e-9) + 1e-12, "case {case}: {change}");
            (q, speed) = (q + next * period, next);
            assert!((-1.0 - 1e-12..=0.5 + 1e-12).contains(&q), "case {case}: {q}");
        }
    }
}

#[test]
fn a_joint_outside_its_limits_may_come_back_or_does_and_never_leaves_further() {
    for (start, sign) in [(0.55, -1.0), (-1.05, 1.0), (3.0, -1.0)] {
        let (mut lower, mut upper) = ([0.0], [0.0]);
        let allow = VelocityBounds::new(vec![RANGE], 0.01, OutsideLimits::Allow).unwrap();
        allow.at(&[start], None, &mut lower, &mut upper).unwrap();
        let wanted = if sign < 0.0 { (-2.0, 0.0) } else { (0.0, 2.0) };
        assert_eq!((lower[0], upper[0]), wanted);
        let back = VelocityBounds::new(vec![RANGE], 0.01, OutsideLimits::Return).unwrap();
        let (mut q, mut speed): (f64, f64) = (start, 0.0);
        let mut cycles = 0;
        while !(-1.0 - 1e-12..=0.5 + 1e-12).contains(&q) {
            back.at(&[q], Some(&[speed]), &mut lower, &mut upper).unwrap();
            // The command wants to stand; the bounds decide.
            let next = 0.0_f64.min(upper[0]).max(lower[0]);
            assert!(next * sign > 0.0, "{start}: {next} at {q}");
            assert!((next - speed).abs() <= 5.0 * 0.01 + 1e-12, "{start}: from {speed} to {next}");
            (q, speed) = (q + 0.01 * next, next);
            cycles += 1;
            assert!(cycles < 1000, "{start}: still at {q}");
        }
    }
}

#[test]
fn a_joint_that_is_too_fast_is_kept_inside_its_limits_before_its_acceleration_is() {
    let bounds = VelocityBounds::new(vec![RANGE], 0.01, OutsideLimits::Allow).unwrap();
    let (mut lower, mut upper) = ([0.0], [0.0]);
    bounds.at(&[0.499], Some(&[1.9]), &mut lower, &mut upper).unwrap();
    assert!(upper[0] * 0.01 <= 0.001 && lower[0] <= upper[0], "{lower:?} {upper:?}");
    bounds.at(&[0.0], Some(&[9.0]), &mut lower, &mut upper).unwrap();
    assert!(upper[0] <= 2.0 && lower[0] <= upper[0], "{lower:?} {upper:?}");
}

#[test]
fn limits_that_are_not_there_bind_nothing() {
    let free = JointVelocityLimits { lower: f64::NEG_INFINITY, upper: f64::INFINITY, ..RANGE };
    let instant = JointVelocityLimits { acceleration: f64::INFINITY, ..RANGE };
    let bounds = VelocityBounds::new(vec![free, instant], 0.1, OutsideLimits::Allow).unwrap();
    let (mut lower, mut upper) = ([0.0; 2], [0.0; 2]);
    bounds.at(&[1e9, 0.45], Some(&[0.0; 2]), &mut lower, &mut upper).unwrap();
    assert_eq!((lower[0], upper[0]), (-0.5, 0.5));
    assert!(lower[1] == -2.0 && (upper[1] - 0.5).abs() < 1e-12, "{lower:?} {upper:?}");
}

#[test]
fn bounds_of_a_group_are_those_of_its_robot() {
    for name in ["franka_panda", "ur5e", "fetch", "tiago"] {
        let robot = Robot::from_name(name).unwrap();
        let group = &robot.groups[robot.default_group];
        let bounds = VelocityBounds::of_group(&robot, group, 0.01, 0.5, 1.0, OutsideLimits::Allow).unwrap();
        for (limits, variable) in bounds.limits().iter().zip(&group.variables) {
            let stated = &robot.joint_limits[*variable];
            assert_eq!((limits.lower, limits.upper), (stated.lower, stated.upper), "{name}");
            assert_eq!(limits.velocity, 0.5 * stated.velocity, "{name}");
        }
        let error = VelocityBounds::of_group(&robot, group, 0.01, 1.5, 1.0, OutsideLimits::Allow);
        assert!(error.is_err());
    }
}

#[test]
fn what_is_no_limit_is_refused() {
    let new = |limits, period| VelocityBounds::new(vec![limits], period, OutsideLimits::Allow);
    for period in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(new(RANGE, period).unwrap_err().to_string().contains("period"));
    }
    assert!(new(JointVelocityLimits { velocity: 0.0, ..RANGE }, 0.1).is_err());
    assert!(new(JointVelocityLimits { acceleration: f64::NAN, ..RANGE }, 0.1).is_err());
    assert!(new(JointVelocityLimits { lower: 1.0, ..RANGE }, 0.1).is_err());
    let bounds = new(RANGE, 0.1).unwrap();
    let at = |q: &[f64], previous: Option<&[f64]>| bounds.at(q, previous, &mut [0.0], &mut [0.0]);
    assert!(at(&[0.0; 2], None).is_err() && at(&[f64::NAN], None).is_err());
    assert!(at(&[0.0], Some(&[0.0; 2])).is_err() && at(&[0.0], Some(&[f64::NAN])).is_err());
}
