//! Limits: domains and scaling.

use kinetic_core::{JointLimits, Limits};

#[test]
fn limits_that_are_not_positive_and_finite_are_refused_with_the_joint() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Limits::new(vec![1.0, bad], vec![1.0; 2]).unwrap_err();
        assert!(error.code() == "InvalidValue" && error.to_string().contains("velocity limit of joint 1"), "{error}");
        let error = Limits::new(vec![1.0; 2], vec![bad, 1.0]).unwrap_err();
        assert!(error.to_string().contains("acceleration limit of joint 0"), "{error}");
        let error = Limits::new(vec![1.0; 2], vec![1.0; 2]).unwrap().with_jerk(vec![1.0, bad]).unwrap_err();
        assert!(error.to_string().contains("jerk limit of joint 1"), "{error}");
    }
    assert_eq!(Limits::new(vec![1.0; 2], vec![1.0]).unwrap_err().code(), "DimensionMismatch");
    let limits = Limits::new(vec![1.0; 2], vec![1.0; 2]).unwrap();
    assert_eq!(limits.dof(), 2);
    assert_eq!(limits.with_jerk(vec![1.0]).unwrap_err().code(), "DimensionMismatch");
}

#[test]
fn scaling_multiplies_and_never_loosens() {
    let limits = Limits::new(vec![2.0, 4.0], vec![10.0, 20.0]).unwrap().with_jerk(vec![5.0, 5.0]).unwrap();
    let scaled = limits.scaled(0.5, 0.1).unwrap();
    assert_eq!((scaled.velocity, scaled.acceleration), (vec![1.0, 2.0], vec![1.0, 2.0]));
    assert_eq!(scaled.jerk, limits.jerk);
    assert_eq!(limits.scaled(1.0, 1.0).unwrap(), limits);
    for (velocity, acceleration) in [(0.0, 1.0), (1.05, 1.0), (1.0, -0.1), (1.0, f64::NAN)] {
        assert_eq!(limits.scaled(velocity, acceleration).unwrap_err().code(), "InvalidValue");
    }
}

#[test]
fn a_joint_range_contains_its_ends_and_a_tolerance_beyond() {
    let range = |lower, upper| JointLimits { lower, upper, velocity: 1.0, effort: 1.0, acceleration: None, jerk: None };
    let joint = range(-1.0, 2.0);
    assert!(joint.contains(-1.0, 0.0) && joint.contains(2.0, 0.0) && joint.contains(2.05, 0.1));
    assert!(!joint.contains(2.05, 0.0) && !joint.contains(-1.2, 0.1) && !joint.contains(f64::NAN, 1.0));
    assert!(range(f64::NEG_INFINITY, f64::INFINITY).contains(1e9, 0.0));
}
