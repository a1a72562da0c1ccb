//! SRDF on top of a URDF.

use kinetic_robot::srdf::SrdfModel;
use kinetic_robot::{Robot, SkipPair};

use crate::support::{ARM, TempFolder, assert_parse_error, line_of};

const SRDF: &str = r#"<?xml version="1.0"?>
<robot name="tester">
  <virtual_joint name="floor" type="fixed" parent_frame="map" child_link="world"/>
  <group name="arm"> <chain base_link="world" tip_link="tool"/> </group>
  <group name="turning"> <joint name="elbow"/> <joint name="shoulder"/> </group>
  <group name="hand"> <link name="left"/> <link name="right"/> </group>
  <group name="all"> <group name="arm"/> <group name="hand"/> </group>
  <group name="rigid"> <link name="tool"/> </group>
  <group_state name="home" group="arm">
    <joint name="shoulder" value="0.5"/> <joint name="elbow" value="-0.5"/>
  </group_state>
  <group_state name="open" group="hand"> <joint name="finger_left" value="0.04"/> </group_state>
  <end_effector name="gripper" parent_link="tool" group="hand" parent_group="arm"/>
  <passive_joint name="rail"/>
  <disable_collisions link1="upper" link2="world" reason="Adjacent"/>
  <disable_collisions link1="left" link2="right" reason="Never"/>
  <disable_collisions link1="left" link2="camera" reason="Never"/>
</robot>
"#;

fn loaded() -> Robot {
    let mut robot = Robot::from_urdf_string(ARM).unwrap();
    SrdfModel::from_string(SRDF).unwrap().apply_to_robot(&mut robot).unwrap();
    robot
}

#[track_caller]
fn refused(old: &str, new: &str, parts: &[&str]) {
    assert!(SRDF.contains(old), "the SRDF has no {old}");
    let text = SRDF.replacen(old, new, 1);
    let result = SrdfModel::from_string(&text).and_then(|model| {
        let mut robot = Robot::from_urdf_string(ARM).unwrap();
        let before = robot.clone();
        let result = model.apply_to_robot(&mut robot);
        assert_eq!(robot, before, "a failed SRDF changed the robot");
        result
    });
    assert_parse_error(result, line_of(SRDF, old), parts);
}

#[test]
fn groups_by_chain_joints_links_and_subgroups() {
    let robot = loaded();
    let names: Vec<_> = robot.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["arm", "turning", "hand", "all"]);
    let joints = |name: &str| robot.joint_names(robot.group(name).unwrap());
    assert_eq!(joints("arm"), ["shoulder", "elbow", "rail"]);
    assert_eq!(joints("turning"), ["shoulder", "elbow"]);
    assert_eq!(joints("hand"), ["finger_left"]);
    assert_eq!(joints("all"), ["shoulder", "elbow", "rail", "finger_left"]);
    let arm = robot.group("arm").unwrap();
    assert_eq!((robot.links[arm.base_link].name.as_str(), robot.links[arm.tip_link].name.as_str()), ("world", "tool"));
    assert_eq!((robot.groups[robot.default_group].name.as_str(), robot.dof), ("arm", 3));
}

#[test]
fn states_take_neutral_values_for_joints_they_leave_out() {
    let robot = loaded();
    assert_eq!(robot.named_pose(robot.group("arm").unwrap(), "home").unwrap().0, [0.5, -0.5, 0.1]);
    assert_eq!(robot.named_pose(robot.group("hand").unwrap(), "open").unwrap().0, [0.04]);
}

#[test]
fn end_effectors_know_their_groups() {
    let robot = loaded();
    let gripper = &robot.end_effectors[0];
    assert_eq!(robot.links[gripper.parent_link].name, "tool");
    assert_eq!(gripper.parent_group.map(|group| robot.groups[group].name.as_str()), Some("arm"));
    assert_eq!(gripper.group.map(|group| robot.groups[group].name.as_str()), Some("hand"));
}

#[test]
fn disabled_pairs_keep_their_reason() {
    let robot = loaded();
    let pair = |a, b, reason: &str| SkipPair { links: (a, b), reason: reason.into() };
    assert_eq!(robot.collision.skip_pairs, [pair(0, 1, "Adjacent"), pair(5, 6, "Never")]);
}

#[test]
fn what_is_not_used_is_noted() {
    let notes = loaded().notes.join("\n");
    for part in ["\"floor\"", "\"rail\"", "\"rigid\"", "\"camera\""] {
        assert!(notes.contains(part), "{part} is not in {notes}");
    }
}

#[test]
fn doubtful_states_are_noted_and_the_last_word_counts() {
    let state = "<group_state name=\"home\" group=\"arm\">";
    let doubtful = "<group_state name='home' group='hand'><joint name='finger_left' value='9'/></group_state>\
                    <group_state name='home' group='hand'><joint name='finger_left' value='0.01'/>\
                    <joint name='finger_left' value='0.02'/></group_state>";
    assert!(SRDF.contains(state), "{SRDF}");
    let srdf = SRDF.replacen(state, &format!("{doubtful}{state}"), 1);
    let mut robot = Robot::from_urdf_string(ARM).unwrap();
    SrdfModel::from_string(&srdf).unwrap().apply_to_robot(&mut robot).unwrap();
    let hand = robot.group("hand").unwrap();
    assert_eq!(robot.named_pose(hand, "home").unwrap().0, [0.02]);
    assert_eq!(robot.named_poses.iter().filter(|pose| pose.name == "home").count(), 2, "one per group");
    let notes = robot.notes.join("\n");
    for part in ["is given more than once", "gives joint \"finger_left\" more than once", "at 9, outside its limits"] {
        assert!(notes.contains(part), "{part} is not in {notes}");
    }
    assert!(notes.contains("group_state \"home\" of group \"arm\" leaves out joint"), "{notes}");
}

#[test]
fn files_give_the_same_robot_as_strings() {
    let folder = TempFolder::new();
    let (urdf, srdf) = (folder.write("r.urdf", ARM), folder.write("r.srdf", SRDF));
    assert_eq!(Robot::from_urdf_srdf(urdf, srdf).unwrap(), loaded());
}

#[test]
fn mistakes_are_reported_with_their_line() {
    refused("tip_link=\"tool\"", "tip_link='moon'", &["group \"arm\"", "no link \"moon\""]);
    refused("base_link=\"world\" tip_link=\"tool\"", "base_link='tool' tip_link='world'", &["group \"arm\"", "swap"]);
    refused("<joint name=\"elbow\"/>", "<joint name='knee'/>", &["group \"turning\"", "no joint \"knee\""]);
    refused("<link name=\"right\"/>", "<link name='moon'/>", &["group \"hand\"", "no link \"moon\""]);
    refused("<group name=\"arm\"/>", "<group name='leg'/>", &["group \"all\"", "no group \"leg\""]);
    refused("<group name=\"arm\"/>", "<group name='all'/>", &["group \"all\"", "contains itself"]);
    refused("<group name=\"turning\">", "<group name='arm'>", &["\"arm\" is defined twice", "line 4"]);
    refused(
        "group_state name=\"open\" group=\"hand\"",
        "group_state name='open' group='x'",
        &["\"open\"", "no group \"x\""],
    );
    refused(
        "<joint name=\"finger_left\" value=\"0.04\"/>",
        "<joint name='x' value='1'/>",
        &["\"open\"", "no joint \"x\""],
    );
    refused("value=\"0.04\"", "value='wide'", &["\"wide\"", "not a number"]);
    refused("parent_link=\"tool\"", "parent_link='x'", &["end_effector \"gripper\"", "no link \"x\""]);
    refused("parent_group=\"arm\"", "parent_group='x'", &["end_effector \"gripper\"", "no group \"x\""]);
    refused("link2=\"world\" ", "", &["<disable_collisions>", "\"link2\" is missing"]);
}

#[test]
fn a_group_that_contains_itself_through_others_is_refused() {
    let text = SRDF.replace("<link name=\"right\"/>", "<group name='all'/>");
    let mut robot = Robot::from_urdf_string(ARM).unwrap();
    let result = SrdfModel::from_string(&text).unwrap().apply_to_robot(&mut robot);
    assert_parse_error(result, line_of(SRDF, "<group name=\"hand\">"), &["\"hand\"", "contains itself"]);
}

#[test]
fn an_srdf_without_groups_keeps_those_of_the_robot() {
    let mut robot = Robot::from_urdf_string(ARM).unwrap();
    let before = robot.groups.clone();
    SrdfModel::from_string("<robot name='tester'/>").unwrap().apply_to_robot(&mut robot).unwrap();
    assert_eq!(robot.groups, before);
}
