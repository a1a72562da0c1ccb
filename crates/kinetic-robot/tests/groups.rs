//! Planning groups: the automatic one, chains, lists, tools.

use kinetic_core::{KineticError, Pose};
use kinetic_robot::{Robot, RobotConfig};

use crate::support::{ARM, ARM_TOML};

fn configured() -> Robot {
    let mut robot = Robot::from_urdf_string(ARM).unwrap();
    RobotConfig::from_string(ARM_TOML).unwrap().apply_to_robot(&mut robot).unwrap();
    robot
}

#[test]
fn the_automatic_group_goes_to_the_link_with_most_moving_joints() {
    let robot = Robot::from_urdf_string(ARM).unwrap();
    let group = &robot.groups[robot.default_group];
    assert_eq!((group.name.as_str(), group.base_link), ("arm", 0));
    assert_eq!(robot.links[group.tip_link].name, "left");
    assert_eq!(robot.joint_names(group), ["shoulder", "elbow", "rail", "finger_left"]);
}

#[test]
fn a_longer_fixed_branch_does_not_win_over_a_moving_one() {
    let fixed = |name: &str, parent: &str, child: &str| {
        format!("<joint name='{name}' type='fixed'><parent link='{parent}'/><child link='{child}'/></joint>")
    };
    let robot = Robot::from_urdf_string(&format!(
        "<robot name='r'><link name='a'/><link name='b'/><link name='c'/><link name='d'/><link name='e'/>{}{}{}
         <joint name='turn' type='continuous'><parent link='a'/><child link='d'/></joint></robot>",
        fixed("ab", "a", "b"),
        fixed("bc", "b", "c"),
        fixed("de", "d", "e"),
    ))
    .unwrap();
    assert_eq!(robot.links[robot.groups[0].tip_link].name, "e");
}

#[test]
fn groups_are_found_by_name() {
    let robot = configured();
    assert_eq!(robot.group("hand").unwrap().dof(), 1);
    assert_eq!(robot.group_or_default(None).unwrap().name, "arm");
    assert_eq!(robot.group_or_default(Some("hand")).unwrap().name, "hand");
    let Err(KineticError::GroupNotFound { name, available, robot }) = robot.group("leg") else { panic!() };
    assert_eq!((name.as_str(), robot.as_str()), ("leg", "tester_one"));
    assert_eq!(available, ["hand", "arm"]);
}

#[test]
fn unknown_links_and_joints_list_those_that_exist() {
    let robot = configured();
    let Err(KineticError::LinkNotFound { available, .. }) = robot.link_index("x") else { panic!() };
    assert_eq!(available.len(), 7);
    let Err(KineticError::JointNotFound { available, .. }) = robot.joint_index("x") else { panic!() };
    assert!(available.contains(&"mount".to_owned()));
}

#[test]
fn joints_and_variables_of_a_group_agree() {
    let robot = configured();
    for group in &robot.groups {
        let joints: Vec<usize> = group.variables.iter().map(|variable| robot.active_joints[*variable]).collect();
        assert_eq!(joints, group.joints);
    }
}

#[test]
fn a_list_of_joints_acts_from_the_link_above_all_to_the_deepest() {
    let toml = ARM_TOML.replace("joints = [\"finger_left\"]", "joints = [\"rail\", \"shoulder\"]");
    let toml = toml.replace("[named_poses.hand]\nopen = [0.04]", "");
    let mut robot = Robot::from_urdf_string(ARM).unwrap();
    RobotConfig::from_string(&toml).unwrap().apply_to_robot(&mut robot).unwrap();
    let hand = robot.group("hand").unwrap();
    assert_eq!(robot.joint_names(hand), ["rail", "shoulder"]);
    assert_eq!(hand.variables, [2, 0]);
    assert_eq!(
        (robot.links[hand.base_link].name.as_str(), robot.links[hand.tip_link].name.as_str()),
        ("world", "slide")
    );
}

#[test]
fn tools_and_default_groups_can_be_changed_by_name() {
    let tip_from_tcp = Pose::from_xyz(0.0, 0.0, 0.2);
    let robot = configured().with_tcp("arm", tip_from_tcp).unwrap().with_default_group("hand").unwrap();
    assert_eq!(robot.group("arm").unwrap().tip_from_tcp, tip_from_tcp);
    assert_eq!((robot.groups[robot.default_group].name.as_str(), robot.dof), ("hand", 1));
    assert!(matches!(robot.clone().with_tcp("leg", tip_from_tcp), Err(KineticError::GroupNotFound { .. })));
    let wrong = Pose::from_xyz(f64::NAN, 0.0, 0.0);
    assert!(matches!(robot.with_tcp("arm", wrong), Err(KineticError::NotFinite { .. })));
}
