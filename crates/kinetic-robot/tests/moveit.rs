//! Import of MoveIt configurations: what is written, read back, is what SRDF and limits say.

use kinetic_robot::Robot;
use kinetic_robot::moveit::MoveItConfig;

use crate::support::{ARM, TempFolder, assert_parse_error};

const SRDF: &str = "<robot name='tester'>
  <group name='arm'><chain base_link='world' tip_link='tool'/></group>
  <group name='hand'><link name='left'/><joint name='finger_right'/></group>
  <group name='all'><group name='arm'/><group name='hand'/></group>
  <group name='two'><joint name='rail'/><joint name='shoulder'/></group>
  <group_state name='ho\"me' group='arm'><joint name='elbow' value='1.25'/><joint name='rail' value='0.3'/></group_state>
  <group_state name='far' group='arm'><joint name='shoulder' value='1.5'/></group_state>
  <end_effector name='grip' parent_link='tool' group='hand' parent_group='arm'/>
  <disable_collisions link1='left' link2='right' reason='Never'/>
  <disable_collisions link1='upper' link2='tool' reason=''/>
  <virtual_joint name='v' type='fixed' parent_frame='map' child_link='world'/>
</robot>";

const LIMITS: &str = "# as the setup assistant writes it
default_velocity_scaling_factor: 0.1
joint_limits:
  shoulder:
    has_position_limits: true
    min_position: -0.5
    max_position: 1.0
    has_velocity_limits: true
    max_velocity: 1.5
    has_acceleration_limits: false
    max_acceleration: 9
  elbow:
    has_velocity_limits: false
    max_velocity: 0.1
    has_acceleration_limits: true
    max_acceleration: 4
    has_jerk_limits: true
    max_jerk: 40.0
    max_position: 3.0
  rail: {max_position: 0.5, angle_wraparound: false}
  finger_right: {max_velocity: 1.0}
  ghost: {max_velocity: 1.0}
";

const KINEMATICS: &str = "/**:
  ros__parameters:
    robot_description_kinematics:
      arm:
        kinematics_solver: kdl_kinematics_plugin/KDLKinematicsPlugin
        kinematics_solver_timeout: 0.05
";

fn written(limits: &str, kinematics: &str) -> (TempFolder, MoveItConfig) {
    let folder = TempFolder::new();
    let urdf = folder.write("description/robot.urdf", ARM);
    folder.write("moveit/config/tester.srdf", SRDF);
    folder.write("moveit/config/joint_limits.yaml", limits);
    folder.write("moveit/config/kinematics.yaml", kinematics);
    let config = MoveItConfig::find(folder.0.join("moveit"), urdf).unwrap();
    (folder, config)
}

#[test]
fn groups_states_end_effectors_and_pairs_are_those_of_the_srdf() {
    let (folder, config) = written("", "");
    let notes = config.import(folder.0.join("out/new")).unwrap();
    let robot = Robot::from_path(folder.0.join("out/new")).unwrap();
    let wanted = Robot::from_urdf_srdf(&config.urdf, &config.srdf).unwrap();
    assert_eq!(robot.groups, wanted.groups);
    assert_eq!(robot.end_effectors, wanted.end_effectors);
    assert_eq!(robot.collision, wanted.collision);
    assert_eq!(robot.joint_limits, wanted.joint_limits);
    assert_eq!(robot.named_poses.len(), 2);
    for pose in &robot.named_poses {
        assert!(wanted.named_poses.contains(pose), "{pose:?}");
    }
    assert!(notes.iter().any(|note| note.contains("virtual joint \"v\"")), "{notes:?}");
}

#[test]
fn limits_count_when_their_flags_do_not_switch_them_off() {
    let (folder, config) = written(LIMITS, KINEMATICS);
    let notes = config.import(folder.0.join("out")).unwrap();
    let robot = Robot::from_path(folder.0.join("out")).unwrap();
    let limits = |name: &str| robot.joints[robot.joint_index(name).unwrap()].limits.unwrap();
    let shoulder = limits("shoulder");
    assert_eq!((shoulder.lower, shoulder.upper, shoulder.velocity, shoulder.acceleration), (-0.5, 1.0, 1.5, None));
    let elbow = limits("elbow");
    assert_eq!((elbow.velocity, elbow.acceleration, elbow.jerk), (3.0, Some(4.0), Some(40.0)));
    assert_eq!((limits("rail").lower, limits("rail").upper), (0.1, 0.4));
    assert_eq!(robot.ik_preference.solver, "dls");
    assert!(robot.named_poses.iter().all(|pose| pose.name != "far"));
    for part in [
        "default_velocity_scaling_factor",
        "\"elbow\": max_position = 3",
        "\"rail\": max_position = 0.5 is not used: it is wider",
        "angle_wraparound",
        "\"finger_right\" does not move by itself",
        "no joint \"ghost\"",
        "kinematics_solver_timeout",
        "state \"far\" of group \"arm\" is outside the limits of joint \"shoulder\"",
    ] {
        assert!(notes.iter().any(|note| note.contains(part)), "{part}: {notes:#?}");
    }
}

#[test]
fn mistakes_in_yaml_have_their_line() {
    for (limits, line, parts) in [
        ("joint_limits:\n  shoulder:\n    max_velocity: fast", 3, ["\"fast\"", "finite number"]),
        (
            "joint_limits:\n  shoulder:\n    has_velocity_limits: perhaps\n    max_velocity: 1",
            3,
            ["perhaps", "true or false"],
        ),
        ("joint_limits:\n  shoulder: [1]", 2, ["shoulder", "names with values"]),
        ("joint_limits:\n  a: {b: 1\n  c", 4, ["malformed YAML", ""]),
        ("a: &x 1\nb: *x", 2, ["aliases", "not supported"]),
        ("joint_limits:\n  shoulder: {}\n  shoulder: {}", 3, ["shoulder", "twice"]),
    ] {
        let (folder, config) = written(limits, "");
        assert_parse_error(config.import(folder.0.join("out")), line, &parts);
    }
    let deep = format!("joint_limits: {}", "[".repeat(100_000));
    let (folder, config) = written(&deep, "");
    assert_eq!(config.import(folder.0.join("out")).unwrap_err().code(), "FileParse");
}

#[test]
fn a_solver_without_counterpart_is_noted() {
    let (folder, config) =
        written("", "arm:\n  kinematics_solver: trac_ik_kinematics_plugin/TRAC_IKKinematicsPlugin\n");
    let notes = config.import(folder.0.join("out")).unwrap();
    assert_eq!(Robot::from_path(folder.0.join("out")).unwrap().ik_preference.solver, "auto");
    assert!(notes.iter().any(|note| note.contains("trac_ik")), "{notes:?}");
}

#[test]
fn a_folder_needs_one_srdf() {
    let folder = TempFolder::new();
    let error = MoveItConfig::find(&folder.0, "robot.urdf").unwrap_err();
    assert!(error.to_string().contains("no .srdf file"), "{error}");
    folder.write("a.srdf", "");
    folder.write("config/b.srdf", "");
    let error = MoveItConfig::find(&folder.0, "robot.urdf").unwrap_err();
    assert!(error.to_string().contains("b.srdf"), "{error}");
}
