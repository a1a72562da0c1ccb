//! Bad input is refused before any search, with what was given, wanted and possible.

use std::sync::Arc;

use kinetic::prelude::*;
use kinetic::robot::UrdfOptions;

use crate::support::{robot, workcell};

const FREE: [f64; 6] = [0.4, -1.6, 1.5, -1.5, -1.57, 0.0];

fn planner() -> Planner {
    Planner::in_scene(workcell()).unwrap()
}

#[test]
fn unknown_robots_come_with_close_names() {
    let error = kinetic::plan("ur5", &FREE, &Goal::joints(FREE)).unwrap_err();
    let KineticError::RobotConfigNotFound { close, .. } = &error else { panic!("{error}") };
    assert!(close.contains(&"ur5e".to_owned()), "{error}");
}

#[test]
fn wrong_sizes_and_nan_are_refused() {
    let error = planner().plan(&FREE[..5], &Goal::joints(FREE)).unwrap_err();
    assert!(matches!(error, KineticError::DimensionMismatch { got: 5, .. }), "{error}");
    let error = planner().plan(&FREE, &Goal::joints([0.0; 7])).unwrap_err();
    assert!(matches!(error, KineticError::DimensionMismatch { got: 7, .. }), "{error}");
    let mut nan = FREE;
    nan[3] = f64::NAN;
    let error = planner().plan(&nan, &Goal::joints(FREE)).unwrap_err();
    assert!(matches!(error, KineticError::NotFinite { index: 3, .. }), "{error}");
    let error = planner().plan(&FREE, &Goal::pose(Pose::from_xyz(f64::INFINITY, 0.0, 0.0))).unwrap_err();
    assert!(error.is_input_error(), "{error}");
}

#[test]
fn a_goal_outside_the_limits_names_joint_value_and_range() {
    let mut outside = FREE;
    outside[2] = 3.5;
    let error = planner().plan(&FREE, &Goal::joints(outside)).unwrap_err();
    let KineticError::JointLimitViolation { name, value, max, .. } = &error else { panic!("{error}") };
    assert_eq!((name.as_str(), *value), ("elbow_joint", 3.5));
    assert!((max - std::f64::consts::PI).abs() < 1e-9);
}

#[test]
fn start_and_goal_in_collision_name_the_pair_and_the_depth() {
    let buried = [0.0, 0.1, 0.3, -1.5, -1.57, 0.0];
    let error = planner().plan(&buried, &Goal::joints(FREE)).unwrap_err();
    let KineticError::StartInCollision { link, other, distance, margin } = &error else { panic!("{error}") };
    assert!(robot("ur5e").link_index(link).is_ok(), "{link}");
    assert!(workcell().objects().contains_key(other), "{other}");
    assert!(*distance < *margin && *margin == 0.02);
    let error = planner().plan(&FREE, &Goal::joints(buried)).unwrap_err();
    assert!(matches!(error, KineticError::GoalInCollision { .. }), "{error}");
}

#[test]
fn options_outside_their_domain_are_refused() {
    for (config, word) in [
        (PlannerConfig { timeout: 0.0, ..PlannerConfig::default() }, "timeout"),
        (PlannerConfig { timeout: f64::NAN, ..PlannerConfig::default() }, "timeout"),
        (PlannerConfig { max_iterations: 0, ..PlannerConfig::default() }, "max_iterations"),
        (PlannerConfig { collision_margin: -0.01, ..PlannerConfig::default() }, "collision_margin"),
        (PlannerConfig { self_margin: f64::INFINITY, ..PlannerConfig::default() }, "self_margin"),
    ] {
        let error = planner().with_config(config).unwrap_err();
        assert!(error.is_input_error() && error.to_string().contains(word), "{error}");
    }
    let error = planner().plan_timed(&FREE, &Goal::named("ready"), "fastest").unwrap_err();
    assert!(matches!(error, KineticError::UnknownName { .. }), "{error}");
    assert!(planner().with_group("leg").is_err());
    assert!(planner().with_scene(&Scene::new(&robot("ur10e")).unwrap()).unwrap_err().is_input_error());
}

#[test]
fn a_self_margin_that_no_pose_keeps_is_reported_with_the_pair() {
    let config = PlannerConfig { self_margin: 0.02, ..PlannerConfig::default() };
    let error = planner().with_config(config).unwrap().plan(&FREE, &Goal::named("ready")).unwrap_err();
    // The base and the upper arm of a UR5e come within 18 mm in every pose.
    let KineticError::StartInCollision { margin, distance, .. } = &error else { panic!("{error}") };
    assert!(*margin == 0.02 && *distance < 0.02 && *distance > 0.0);
}

#[test]
fn planning_with_a_slide_without_limits_names_the_joint() {
    let text = "<robot name='r'><link name='world'/><link name='base'/><joint name='root' type='planar'>
        <parent link='world'/><child link='base'/><axis xyz='0 0 1'/></joint></robot>";
    let options =
        UrdfOptions { base: Some("world".to_owned()), tip: Some("base".to_owned()), ..UrdfOptions::default() };
    let robot = Arc::new(Robot::from_urdf_string_with(text, &options).unwrap());
    let error = Planner::new(&robot).unwrap().plan(&[0.0; 3], &Goal::joints([1.0, 0.0, 0.0])).unwrap_err();
    let KineticError::InvalidValue { name, value, .. } = &error else { panic!("{error}") };
    assert_eq!((name.as_str(), value.as_str()), ("limits of sliding joint \"root/x\"", "[-inf, inf]"));
}
