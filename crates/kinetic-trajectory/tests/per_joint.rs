//! Limits as one number or as a list.

use kinetic_trajectory::{PerJoint, trapezoidal};

use crate::support::path;

#[test]
fn a_number_and_every_form_of_list_mean_the_same() {
    let path = path(&[&[0.0, 0.0], &[1.0, 2.0]]);
    let scalar = trapezoidal(&path, 1.0, 2.0).unwrap();
    let list = vec![1.0, 1.0];
    for other in [
        trapezoidal(&path, [1.0, 1.0], [2.0, 2.0]),
        trapezoidal(&path, &list, 2.0),
        trapezoidal(&path, list.as_slice(), 2.0),
        trapezoidal(&path, list.clone(), 2.0),
    ] {
        assert_eq!(other.unwrap(), scalar);
    }
}

#[test]
fn a_bad_limit_is_named_with_its_joint_and_its_quantity() {
    let path = path(&[&[0.0, 0.0], &[1.0, 2.0]]);
    for (velocity, acceleration, said) in [
        (PerJoint::from([1.0, 0.0]), PerJoint::from(1.0), "velocity limit of joint 1 = 0"),
        (PerJoint::from(1.0), PerJoint::from([-2.0, 1.0]), "acceleration limit of joint 0 = -2"),
        (PerJoint::from(f64::NAN), PerJoint::from(1.0), "velocity limit of joint 0 = NaN"),
        (PerJoint::from([1.0; 3]), PerJoint::from(1.0), "velocity limits has 3 values, expected 2"),
    ] {
        let error = trapezoidal(&path, velocity, acceleration).unwrap_err();
        assert!(error.is_input_error() && error.to_string().contains(said), "{error}");
    }
}
