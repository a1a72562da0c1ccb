//! Joint vectors of both lengths, special configurations, limits.

use kinetic_core::KineticError;
use kinetic_core::rng::SeededRng;
use kinetic_robot::limits::SECONDS_TO_FULL_SPEED;
use kinetic_robot::{Robot, RobotConfig, VectorKind};

use crate::support::{ARM, ARM_TOML};

fn configured() -> Robot {
    let mut robot = Robot::from_urdf_string(ARM).unwrap();
    RobotConfig::from_string(ARM_TOML).unwrap().apply_to_robot(&mut robot).unwrap();
    robot
}

#[test]
fn both_lengths_are_accepted_and_told_apart() {
    let robot = configured();
    let arm = robot.group("arm").unwrap();
    assert_eq!(robot.vector_kind(arm, &[0.0; 3]).unwrap(), VectorKind::Group);
    assert_eq!(robot.vector_kind(arm, &[0.0; 4]).unwrap(), VectorKind::Robot);
    assert_eq!(robot.group_configuration(arm, &[0.1, 0.2, 0.3]).unwrap().0, [0.1, 0.2, 0.3]);
    assert_eq!(robot.group_configuration(arm, &[0.1, 0.2, 0.3, 0.4]).unwrap().0, [0.1, 0.2, 0.3]);
    let hand = robot.group("hand").unwrap();
    assert_eq!(robot.group_configuration(hand, &[0.1, 0.2, 0.3, 0.4]).unwrap().0, [0.4]);
    assert_eq!(robot.full_configuration(arm, &[0.1, 0.2, 0.3, 0.4]).unwrap(), [0.1, 0.2, 0.3, 0.4]);
}

#[test]
fn joints_outside_the_group_are_at_home() {
    let robot = configured();
    let hand = robot.group("hand").unwrap();
    // The arm's home is (0, -1, 0.15).
    assert_eq!(robot.full_configuration(hand, &[0.02]).unwrap(), [0.0, -1.0, 0.15, 0.02]);
}

/// What a call with a joint vector answers, if it refuses.
type Call = fn(&Robot, &[f64]) -> Option<KineticError>;

#[test]
fn wrong_lengths_and_nan_are_refused_everywhere() {
    let robot = configured();
    let calls: [Call; 4] = [
        |robot, q| robot.full_configuration(&robot.groups[robot.default_group], q).err(),
        |robot, q| robot.group_configuration(&robot.groups[robot.default_group], q).err(),
        |robot, q| robot.clip(&robot.groups[robot.default_group], q).err(),
        |robot, q| robot.check_limits(&robot.groups[robot.default_group], q, 0.0).err(),
    ];
    for call in calls {
        match call(&robot, &[0.0; 5]).unwrap() {
            KineticError::DimensionMismatch { expected, got, .. } => {
                assert_eq!(got, 5);
                assert!(expected.contains("3 (group \"arm\")") && expected.contains("4 (robot"), "{expected}");
            }
            other => panic!("{other}"),
        }
        for wrong in [f64::NAN, f64::INFINITY] {
            let error = call(&robot, &[0.0, wrong, 0.2]).unwrap();
            assert!(matches!(error, KineticError::NotFinite { index: 1, .. }), "{error}");
        }
        assert!(call(&robot, &[]).is_some());
    }
}

#[test]
fn neutral_is_zero_moved_into_the_limits_and_home_where_given() {
    let bare = Robot::from_urdf_string(ARM).unwrap();
    assert_eq!(bare.neutral_configuration(), [0.0, 0.0, 0.1, 0.0]);
    assert_eq!(configured().neutral_configuration(), [0.0, -1.0, 0.15, 0.0]);
}

#[test]
fn the_home_of_the_default_group_wins_over_that_of_another() {
    let toml = ARM_TOML
        .replace("joints = [\"finger_left\"]", "joints = [\"shoulder\", \"finger_left\"]")
        .replace("open = [0.04]", "home = [1.5, 0.03]");
    let mut robot = Robot::from_urdf_string(ARM).unwrap();
    RobotConfig::from_string(&toml).unwrap().apply_to_robot(&mut robot).unwrap();
    assert_eq!(robot.neutral_configuration(), [0.0, -1.0, 0.15, 0.03]);
    let hand_first = robot.with_default_group("hand").unwrap();
    assert_eq!(hand_first.neutral_configuration(), [1.5, -1.0, 0.15, 0.03]);
}

#[test]
fn special_configurations_have_group_length_and_the_right_values() {
    let robot = configured();
    let arm = robot.group("arm").unwrap();
    assert_eq!(robot.zero_configuration(arm).0, [0.0; 3]);
    assert_eq!(robot.mid_configuration(arm).0, [0.5, 0.0, 0.25]);
    assert_eq!(robot.clip(arm, &[9.0, 9.0, -9.0]).unwrap().0, [2.0, 9.0, 0.1]);
}

#[test]
fn random_configurations_are_inside_the_limits_and_repeat_with_the_seed() {
    let robot = configured();
    let arm = robot.group("arm").unwrap();
    let mut rng = SeededRng::new(3);
    for _ in 0..1000 {
        let q = robot.random_configuration(arm, &mut rng);
        robot.check_limits(arm, &q, 0.0).unwrap();
        assert!(q[1].abs() <= std::f64::consts::PI);
    }
    let draw = |seed| robot.random_configuration(arm, &mut SeededRng::new(seed));
    assert_eq!(draw(7), draw(7));
    assert_ne!(draw(7), draw(8));
}

#[test]
fn a_value_outside_names_joint_value_and_range() {
    let robot = configured();
    let arm = robot.group("arm").unwrap();
    let violation = KineticError::JointLimitViolation { name: "rail".into(), value: 0.5, min: 0.1, max: 0.4 };
    assert_eq!(robot.check_limits(arm, &[0.0, 99.0, 0.5], 0.0).unwrap_err(), violation);
    assert_eq!(robot.check_limits(arm, &[0.0, 99.0, 0.5, 0.0], 0.0).unwrap_err(), violation);
    assert!(robot.check_limits(arm, &[0.0, 99.0, 0.5], 0.2).is_ok());
    // A robot-length vector is checked beyond the group, too.
    let outside = robot.check_limits(arm, &[0.0, 0.0, 0.2, 7.0], 0.0).unwrap_err();
    assert!(matches!(outside, KineticError::JointLimitViolation { name, .. } if name == "finger_left"));
}

#[test]
fn limits_of_a_group_are_in_group_order_with_defaults() {
    let robot = configured();
    let arm = robot.group("arm").unwrap();
    assert_eq!(robot.velocity_limits(arm), [2.0, 3.0, 0.2]);
    // Only the shoulder's acceleration is stated.
    let expected = [7.0, 3.0 / SECONDS_TO_FULL_SPEED, 0.2 / SECONDS_TO_FULL_SPEED];
    assert_eq!(robot.acceleration_limits(arm), expected);
    assert_eq!(robot.effort_limits(arm), [30.0, 20.0, 10.0]);
    assert_eq!(robot.position_limits(arm)[1], (f64::NEG_INFINITY, f64::INFINITY));
    assert_eq!(robot.limits(arm).jerk, Some(vec![70.0, 80.0, 90.0]));
    assert_eq!(robot.limits(robot.group("hand").unwrap()).jerk, None);
}

#[test]
fn named_poses_belong_to_their_group() {
    let robot = configured();
    let (arm, hand) = (robot.group("arm").unwrap(), robot.group("hand").unwrap());
    assert_eq!(robot.named_pose_names(arm), ["ready", "home"]);
    assert_eq!(robot.named_pose(arm, "home").unwrap().0, [0.0, -1.0, 0.15]);
    assert_eq!(robot.named_pose(hand, "home"), None);
    assert_eq!(robot.named_pose_names(hand), ["open"]);
}
