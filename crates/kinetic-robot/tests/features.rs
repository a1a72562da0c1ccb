//! What a robot crate without its features says about names and files that it does not know.
//!
//! `make features` runs it with `--no-default-features`; with all features there is nothing to say.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(not(any(feature = "builtin-robots", feature = "mjcf", feature = "sdf")))]

use kinetic_core::KineticError;
use kinetic_robot::Robot;

#[test]
fn names_of_robots_are_unknown() {
    assert!(kinetic_robot::builtin::names().is_empty());
    let error = Robot::from_name("ur5e").unwrap_err();
    assert!(matches!(error, KineticError::RobotConfigNotFound { .. }), "{error}");
    assert!(error.to_string().contains("builtin-robots"), "{error}");
}

#[test]
fn files_of_formats_that_are_left_out_name_the_feature() {
    for (file, feature) in [("arm.mjcf", "mjcf"), ("arm.sdf", "sdf"), ("arm.world", "sdf")] {
        let error = Robot::from_file(file).unwrap_err();
        assert!(matches!(&error, KineticError::InvalidValue { wanted, .. } if wanted.contains(feature)), "{error}");
    }
}

#[test]
fn urdf_documents_are_read() {
    let robot = Robot::from_urdf_string(r#"<robot name="one"><link name="base"/></robot>"#).unwrap();
    assert_eq!(robot.links.len(), 1);
}
