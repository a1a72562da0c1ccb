//! Groups that are made of other groups, and tips.

use kinetic_core::KineticError;
use kinetic_robot::srdf::SrdfModel;
use kinetic_robot::{Robot, joined_group_name};

/// A torso that turns, with two arms of two joints each and a head.
fn torso() -> Robot {
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            "<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{child}'/><axis xyz='0 0 1'/>
             <limit lower='-1' upper='1' velocity='1' effort='1'/></joint><link name='{child}'/>"
        )
    };
    let joints = [
        joint("waist", "base", "torso"),
        joint("l1", "torso", "left_upper"),
        joint("l2", "left_upper", "left_lower"),
        joint("r1", "torso", "right_upper"),
        joint("r2", "right_upper", "right_lower"),
        joint("neck", "torso", "head"),
    ];
    let mut robot =
        Robot::from_urdf_string(&format!("<robot name='t'><link name='base'/>{}</robot>", joints.concat())).unwrap();
    let srdf = "<robot name='t'>
        <group name='left'><chain base_link='torso' tip_link='left_lower'/></group>
        <group name='right'><chain base_link='torso' tip_link='right_lower'/></group>
        <group name='trunk'><joint name='waist'/></group>
        <group name='trunk_and_left'><chain base_link='base' tip_link='left_lower'/></group>
        <group name='arms'><group name='left'/><group name='right'/></group>
        <group name='chains'><chain base_link='torso' tip_link='left_lower'/>
            <chain base_link='torso' tip_link='right_lower'/></group>
        <group_state name='up' group='left'><joint name='l1' value='0.5'/><joint name='l2' value='0.25'/></group_state>
        <group_state name='up' group='right'><joint name='r1' value='-0.5'/><joint name='r2' value='-0.25'/></group_state>
        <group_state name='out' group='right'><joint name='r1' value='0.1'/></group_state>
        </robot>";
    SrdfModel::from_string(srdf).unwrap().apply_to_robot(&mut robot).unwrap();
    robot
}

#[test]
fn a_joined_name_is_the_group_of_all_joints_in_the_order_of_the_names() {
    let robot = torso();
    let group = robot.resolve_group(&joined_group_name(&["right", "left"])).unwrap();
    assert_eq!(robot.joint_names(&group), ["r1", "r2", "l1", "l2"]);
    assert_eq!((group.name.as_str(), robot.links[group.base_link].name.as_str()), ("right+left", "torso"));
    let three = robot.resolve_group("left+trunk+right").unwrap();
    assert_eq!(robot.joint_names(&three), ["l1", "l2", "waist", "r1", "r2"]);
    assert_eq!(robot.links[three.base_link].name, "base");
}

#[test]
fn groups_of_several_arms_have_several_tips_and_say_so() {
    let robot = torso();
    for name in ["arms", "chains", "left+right"] {
        let group = robot.resolve_group(name).unwrap();
        let Err(KineticError::SeveralTips { group, tips, available }) = robot.check_single_tip(&group) else {
            panic!("{name}")
        };
        assert_eq!((group.as_str(), tips), (name, vec!["left_lower".to_owned(), "right_lower".to_owned()]));
        assert_eq!(available, ["left", "right"]);
    }
    // One after the other on one chain.
    let chain = robot.resolve_group("trunk+left").unwrap();
    robot.check_single_tip(&chain).unwrap();
    assert_eq!(robot.links[chain.tip_link].name, "left_lower");
    for group in ["left", "right", "trunk", "trunk_and_left"] {
        robot.check_single_tip(robot.group(group).unwrap()).unwrap();
    }
}

#[test]
fn groups_that_share_a_joint_or_are_unknown_or_named_twice_are_refused() {
    let robot = torso();
    let shared = robot.resolve_group("right+trunk+trunk_and_left").unwrap_err();
    let (group, other, joint) = ("trunk".to_owned(), "trunk_and_left".to_owned(), "waist".to_owned());
    assert_eq!(shared, KineticError::GroupsShareJoint { group, other, joint });
    let Err(KineticError::GroupNotFound { name, .. }) = robot.resolve_group("left+tail") else { panic!() };
    assert_eq!(name, "tail");
    for empty in ["", "+", "left+"] {
        assert!(matches!(robot.resolve_group(empty), Err(KineticError::GroupNotFound { .. })), "{empty}");
    }
    assert!(matches!(robot.resolve_group("left+left"), Err(KineticError::InvalidValue { .. })));
}

#[test]
fn poses_that_all_parts_have_are_poses_of_the_whole() {
    let robot = torso();
    let group = robot.resolve_group("right+left").unwrap().into_owned();
    assert_eq!(robot.named_configuration(&group, "up").unwrap().0, [-0.5, -0.25, 0.5, 0.25]);
    assert_eq!(robot.named_configuration(&group, "out"), None);
    assert_eq!(robot.named_pose_names(&group), ["up"]);
}

#[test]
fn a_joined_group_can_be_the_default_one() {
    let robot = torso().with_default_group("left+right").unwrap();
    assert_eq!((robot.dof, robot.groups[robot.default_group].name.as_str()), (4, "left+right"));
    let group = robot.group("left+right").unwrap();
    assert_eq!(robot.named_configuration(group, "up").unwrap().0, [0.5, 0.25, -0.5, -0.25]);
    assert_eq!(robot.clone().with_default_group("left+right").unwrap(), robot);
}
