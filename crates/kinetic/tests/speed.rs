//! Slower motions: limits of one call, kept at every instant, and what they do to the duration.

use kinetic::planning::BatchOptions;
use kinetic::prelude::*;

const HOME: [f64; 6] = [0.0, -1.57, 0.0, -1.57, 0.0, 0.0];

fn planned(law: &str, limits: MotionLimits) -> Result<TimedTrajectory> {
    let planner = Planner::new(&Robot::builtin("ur5e")?)?;
    let goal = Goal::joints([1.2, -0.8, 1.0, -2.0, -1.0, 2.0]);
    planner.solve(Query::new(&HOME, &goal).with_time_law(law)?.with_limits(&limits))?.into_trajectory()
}

/// Largest |derivative| / limit by samples.
fn sampled_ratio(motion: &TimedTrajectory, order: usize, limits: &[f64]) -> f64 {
    let (curve, mut row, mut most) = (motion.curve(), vec![0.0; limits.len()], 0.0_f64);
    for step in 0..=20_000 {
        curve.sample_into(curve.duration() * f64::from(step) / 20_000.0, order, &mut row);
        most = row.iter().zip(limits).fold(most, |most, (value, limit)| most.max(value.abs() / limit));
    }
    most
}

/// Rounding of an interval bound.
const ROUNDING: f64 = 1e-9;

#[test]
fn half_the_speed_is_kept_at_every_instant_and_is_used() {
    let robot = Robot::builtin("ur5e").unwrap();
    let own = robot.limits(&robot.groups[robot.default_group]);
    for law in ["totp", "trapezoidal", "jerk_limited", "cubic_spline"] {
        let motion = planned(law, MotionLimits::scaled(0.5, 0.25).unwrap()).unwrap();
        let (speed, acceleration) =
            (sampled_ratio(&motion, 1, &own.velocity), sampled_ratio(&motion, 2, &own.acceleration));
        assert!(speed <= 0.5 + ROUNDING && acceleration <= 0.25 + ROUNDING, "{law}: {speed}, {acceleration}");
        assert!(speed > 0.4 || acceleration > 0.2, "{law}: {speed}, {acceleration}");
        let certificate = motion.certificate().unwrap();
        // The certificate is about the scaled limits, and says so.
        assert!((certificate.max_velocity_ratio - speed / 0.5).abs() < 1e-3, "{law}");
        let limits = certificate.limits.as_ref().unwrap();
        assert_eq!((limits.velocity_scaling, limits.acceleration_scaling), (0.5, 0.25));
        assert_eq!(limits.proven.velocity, own.velocity.iter().map(|limit| 0.5 * limit).collect::<Vec<_>>());
    }
}

/// Time t / s keeps a path, makes velocities s and accelerations s² of what they were: the best motion stays the best.
#[test]
fn with_factors_s_and_its_square_the_motion_takes_one_over_s_of_the_time() {
    for law in ["totp", "trapezoidal"] {
        let whole = planned(law, MotionLimits::default()).unwrap();
        assert!(whole.certificate().unwrap().limits.is_none());
        for s in [0.5, 0.3] {
            let slow = planned(law, MotionLimits::scaled(s, s * s).unwrap()).unwrap();
            let expected = whole.duration() / s;
            assert!((slow.duration() - expected).abs() < 1e-6 * expected, "{law}: {} {expected}", slow.duration());
            for part in 0..=100 {
                let t = whole.duration() * f64::from(part) / 100.0;
                let (a, b) = (whole.curve().sample(t, 0), slow.curve().sample(t / s, 0));
                assert!(JointValues::from(a).distance_to(&b) < 1e-5, "{law}, {t}");
            }
        }
    }
}

#[test]
fn limits_of_a_call_stand_instead_of_those_of_the_robot() {
    let limits = MotionLimits {
        velocity: Some(vec![0.5, 0.4, 0.3, 0.6, 0.7, 0.8]),
        acceleration: Some(vec![1.0; 6]),
        jerk: Some(vec![8.0; 6]),
        ..MotionLimits::default()
    };
    let motion = planned("jerk_limited", limits.clone()).unwrap();
    for (order, values) in [(1, &limits.velocity), (2, &limits.acceleration), (3, &limits.jerk)] {
        let ratio = sampled_ratio(&motion, order, values.as_ref().unwrap());
        assert!(ratio <= 1.0 + ROUNDING && ratio > 0.5, "{order}: {ratio}");
    }
    let proven = &motion.certificate().unwrap().limits.as_ref().unwrap().proven;
    assert_eq!((Some(&proven.velocity), proven.jerk.as_ref()), (limits.velocity.as_ref(), limits.jerk.as_ref()));
}

#[test]
fn a_planner_certifies_under_its_own_limits() {
    let robot = Robot::builtin("ur5e").unwrap();
    let quick = planned("totp", MotionLimits::default()).unwrap();
    let limits = MotionLimits::scaled(0.5, 0.5).unwrap();
    let slow = Planner::new(&robot).unwrap().with_config(PlannerConfig { limits, ..PlannerConfig::default() }).unwrap();
    let error = slow.certify(&quick, &slow.control(StopFlag::default())).unwrap_err();
    assert!(matches!(error, KineticError::TrajectoryLimitExceeded { .. }), "{error}");
}

#[test]
fn batches_and_problems_have_the_limits_of_their_call() {
    let planner = Planner::new(&Robot::builtin("ur5e").unwrap()).unwrap();
    let (limits, goal) = (MotionLimits::scaled(0.4, 0.3).unwrap(), Goal::named("ready"));
    let slow = planner.clone().with_limits(limits.clone()).unwrap();
    let single = slow.plan_timed(&HOME, &goal, "totp").unwrap();
    let batch = slow.plan_batch_timed(&[HOME], std::slice::from_ref(&goal), "totp", BatchOptions::default()).unwrap();
    let solved = slow.problem(&HOME, &goal).unwrap().with_time_law(Some("totp")).unwrap().solve().unwrap();
    let robot_limits = planner.limits().unwrap();
    for motion in [&single.trajectory, &batch[0].as_ref().unwrap().trajectory, solved.trajectory.as_ref().unwrap()] {
        assert!(sampled_ratio(motion, 1, &robot_limits.velocity) <= 0.4 + ROUNDING);
        assert_eq!(motion.certificate().unwrap().limits.as_ref().unwrap().velocity_scaling, 0.4);
        assert_eq!(motion.content_hash(), single.content_hash());
    }
    assert!(planner.config().limits.is_default());
    let config = PlannerConfig { limits, ..PlannerConfig::default() };
    let short = kinetic::plan_with_config("ur5e", &HOME, &goal, config).unwrap();
    assert_eq!(short.content_hash(), single.content_hash());
    let wrong = planner.with_limits(MotionLimits { velocity_scaling: 2.0, ..MotionLimits::default() });
    assert!(matches!(wrong.unwrap_err(), KineticError::InvalidValue { name, .. } if name == "velocity_scaling"));
}

#[test]
fn wrong_limits_are_told_before_anything_is_planned() {
    let is_named = |limits: MotionLimits, name: &str| {
        let error = planned("totp", limits).unwrap_err();
        assert!(matches!(&error, KineticError::InvalidValue { name: found, .. } if found.contains(name)), "{error}");
    };
    for factor in [0.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
        is_named(MotionLimits { velocity_scaling: factor, ..MotionLimits::default() }, "velocity_scaling");
        is_named(MotionLimits { acceleration_scaling: factor, ..MotionLimits::default() }, "acceleration_scaling");
        assert!(MotionLimits::scaled(1.0, factor).is_err());
    }
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        is_named(MotionLimits { velocity: Some(vec![value; 6]), ..MotionLimits::default() }, "velocity_limits");
        is_named(MotionLimits { jerk: Some(vec![value; 6]), ..MotionLimits::default() }, "jerk_limits");
    }
    // The arm can do 180°/s.
    is_named(MotionLimits { velocity: Some(vec![4.0; 6]), ..MotionLimits::default() }, "velocity_limits[0]");
    let error =
        planned("totp", MotionLimits { acceleration: Some(vec![1.0; 5]), ..MotionLimits::default() }).unwrap_err();
    assert!(
        matches!(&error, KineticError::DimensionMismatch { context, .. } if context == "acceleration_limits"),
        "{error}"
    );
}
