//! Every way to get a URDF wrong is an error with its line and the name of the element.

use std::io::ErrorKind;

use kinetic_core::KineticError;
use kinetic_robot::{Robot, UrdfOptions};

use crate::support::{ARM, TempFolder, assert_parse_error, line_of, parse_error};

/// Replaces one part of the test robot and asserts the error at the line of that part.
#[track_caller]
fn refused(old: &str, new: &str, parts: &[&str]) {
    assert!(ARM.contains(old), "the test robot has no {old}");
    let text = ARM.replacen(old, new, 1);
    assert_parse_error(Robot::from_urdf_string(&text), line_of(ARM, old), parts);
}

#[test]
fn malformed_xml_is_reported_with_its_line() {
    assert_parse_error(Robot::from_urdf_string("<robot name='r'>\n<link name='a'>\n</robot>"), 3, &["link"]);
    assert_parse_error(Robot::from_urdf_string(""), 1, &["root"]);
    assert_parse_error(Robot::from_urdf_string("not xml"), 1, &[]);
    assert_parse_error(Robot::from_urdf_string("<!DOCTYPE x [<!ENTITY a 'b'>]>\n<robot name='r'/>"), 1, &["DTD"]);
}

#[test]
fn another_outermost_element_is_named() {
    assert_parse_error(Robot::from_urdf_string("\n<mujoco/>"), 2, &["<mujoco>", "<robot>"]);
}

#[test]
fn unexpanded_macros_are_refused_rather_than_skipped() {
    let text = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n<link name='a'/>\n<xacro:arm/></robot>";
    assert_parse_error(Robot::from_urdf_string(text), 3, &["xacro", "expand"]);
}

#[test]
fn a_robot_without_links_is_no_robot() {
    let error = Robot::from_urdf_string("<robot name='empty'/>").unwrap_err();
    assert_eq!(error, KineticError::NoLinks { robot: "empty".into() });
    let soft = "<robot name='soft'>\n<deformable name='torus'/></robot>";
    assert_parse_error(Robot::from_urdf_string(soft), 2, &["no links", "<deformable>"]);
}

#[test]
fn missing_names_and_parts_are_reported() {
    refused("<link name=\"upper\"/>", "<link/>", &["\"name\" is missing"]);
    refused("<link name=\"upper\"/>", "<link name=''/>", &["\"name\" is empty"]);
    refused(
        "<joint name=\"elbow\" type=\"continuous\">",
        "<joint name='elbow'>",
        &["\"elbow\"", "\"type\" is missing"],
    );
    refused(
        "<joint name=\"mount\" type=\"fixed\"> <parent link=\"slide\"/>",
        "<joint name='mount' type='fixed'>",
        &["joint \"mount\"", "<parent> is missing"],
    );
}

#[test]
fn duplicate_names_are_reported_with_the_first_line() {
    refused("<link name=\"lower\"/>", "<link name='upper'/>", &["\"upper\" is defined twice", "line 4"]);
    refused("<joint name=\"elbow\" ", "<joint name='shoulder' ", &["joint \"shoulder\" is defined twice", "line 10"]);
}

#[test]
fn unknown_links_are_reported_with_role_and_joint() {
    let text = ARM.replace("<link name=\"slide\"/>", "");
    let line = line_of(&text, "<joint name=\"rail\"");
    assert_parse_error(Robot::from_urdf_string(&text), line, &["joint \"rail\"", "child link \"slide\""]);
    let text = ARM.replace("<parent link=\"world\"/>", "<parent link='moon'/>");
    let line = line_of(&text, "<joint name=\"shoulder\"");
    assert_parse_error(Robot::from_urdf_string(&text), line, &["joint \"shoulder\"", "parent link \"moon\""]);
}

#[test]
fn a_link_with_two_parents_names_both_joints() {
    let text = ARM.replace("<child link=\"right\"/>", "<child link='left'/>");
    let line = line_of(&text, "<joint name=\"finger_right\"");
    assert_parse_error(Robot::from_urdf_string(&text), line, &["\"left\"", "\"finger_right\"", "\"finger_left\""]);
}

#[test]
fn several_roots_are_listed() {
    let text = ARM.replace("<link name=\"upper\"/>", "<link name='upper'/>\n<link name='lonely'/>");
    assert_parse_error(Robot::from_urdf_string(&text), 5, &["\"world\", \"lonely\"", "exactly one root"]);
}

#[test]
fn cycles_are_reported_with_their_joints() {
    let joint = |name: &str, parent: &str, child: &str| {
        format!("<joint name='{name}' type='fixed'><parent link='{parent}'/><child link='{child}'/></joint>\n")
    };
    let links = "<robot name='r'>\n<link name='a'/><link name='b'/><link name='c'/><link name='tail'/>\n";
    let (ab, bc, ca) = (joint("ab", "a", "b"), joint("bc", "b", "c"), joint("ca", "c", "a"));
    let tail = joint("ct", "c", "tail");
    let whole = format!("{links}{ab}{bc}{ca}{tail}</robot>");
    assert_parse_error(Robot::from_urdf_string(&whole), 3, &["cycle", "\"ab\" → \"bc\" → \"ca\""]);
    let beside = format!("{links}<link name='root'/>{ab}{bc}{ca}{}</robot>", joint("rt", "root", "tail"));
    assert_parse_error(Robot::from_urdf_string(&beside), 3, &["\"ab\" → \"bc\" → \"ca\""]);
    let itself = format!("<robot name='r'>\n<link name='a'/>{}</robot>", joint("aa", "a", "a"));
    assert_parse_error(Robot::from_urdf_string(&itself), 2, &["cycle: \"aa\""]);
}

#[test]
fn an_unknown_joint_type_is_named_with_those_that_work() {
    refused("type=\"continuous\"", "type='hinge'", &["\"elbow\"", "unknown joint type \"hinge\"", "revolute"]);
}

#[test]
fn limits_without_a_position_between_name_the_joint() {
    refused(
        "<axis xyz=\"0 0 1\"/> <limit lower=\"-1\" upper=\"2\"",
        "<axis xyz='0 0 1'/> <limit lower='inf' upper='inf'",
        &["joint \"shoulder\"", "no position is between inf and inf"],
    );
    refused("lower=\"-1\"", "lower='nan'", &["joint \"shoulder\"", "\"nan\"", "not a finite number"]);
}

#[test]
fn numbers_are_checked_for_count_spelling_and_finiteness() {
    refused(
        "<axis xyz=\"0 1 0\"/> <limit velocity",
        "<axis xyz='0 1'/> <limit velocity",
        &["\"elbow\"", "2 numbers; 3"],
    );
    refused("xyz=\"0.5 0 0\"", "xyz='0.5 0 zero'", &["joint \"elbow\": <origin>", "\"zero\"", "not a number"]);
    refused("xyz=\"0.5 0 0\"", "xyz='0.5 0 nan'", &["\"nan\"", "not a finite number"]);
    refused("xyz=\"0.5 0 0\"", "xyz='0.5 0 inf'", &["\"inf\"", "not a finite number"]);
    refused("effort=\"30\"", "effort='1 2'", &["\"shoulder\"", "2 numbers; 1"]);
}

#[test]
fn an_axis_of_length_zero_names_the_joint() {
    refused("<axis xyz=\"0 1 0\"/> <limit velocity", "<axis xyz='0 0 0'/> <limit velocity", &["\"elbow\"", "length 0"]);
}

#[test]
fn an_axis_of_a_fixed_joint_does_not_matter() {
    let text = ARM.replace("<origin xyz=\"0 0 0.1\"/>", "<origin xyz='0 0 0.1'/><axis xyz='0 0 0'/>");
    assert_eq!(Robot::from_urdf_string(&text).unwrap(), Robot::from_urdf_string(ARM).unwrap());
}

#[test]
fn shapes_with_wrong_sizes_name_link_and_size() {
    let shape = |shape: &str| {
        let body = format!("<collision><geometry>\n{shape}</geometry></collision>");
        Robot::from_urdf_string(&format!("<robot name='r'><link name='a'>{body}</link></robot>"))
    };
    assert_parse_error(shape("<box size='1 -1 1'/>"), 2, &["link \"a\": <box>", "size_y = -1", "positive"]);
    assert_parse_error(shape("<sphere radius='-1'/>"), 2, &["link \"a\": <sphere>", "radius = -1"]);
    assert_parse_error(shape("<cylinder radius='1'/>"), 2, &["<cylinder>", "\"length\" is missing"]);
    assert_parse_error(shape("<mesh scale='1 1 1'/>"), 2, &["<mesh>", "\"filename\" is missing"]);
    assert_parse_error(shape("<mesh filename='a.stl' scale='1 0 1'/>"), 2, &["<mesh>", "flattens"]);
    let known = "known are box, cylinder, sphere, capsule, mesh";
    assert_parse_error(shape(""), 1, &["link \"a\": <geometry>", "no shape inside", known]);
}

#[test]
fn inertials_with_missing_parts_or_negative_mass_are_refused() {
    let inertial = |body: &str| {
        let text = format!("<robot name='r'><link name='a'><inertial>\n{body}</inertial></link></robot>");
        Robot::from_urdf_string(&text)
    };
    let tensor = "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>";
    assert_parse_error(inertial(tensor), 1, &["link \"a\": <inertial>", "<mass> is missing"]);
    assert_parse_error(inertial(&format!("<mass value='-1'/>{tensor}")), 2, &["mass -1 is negative"]);
    assert_parse_error(inertial("<mass value='1'/><inertia ixx='1'/>"), 2, &["\"iyy\" is missing"]);
}

#[test]
fn the_file_is_named() {
    let folder = TempFolder::new();
    let path = folder.write("wrong.urdf", "<robot name='r'>\n\n<link/></robot>");
    let (file, line, _) = parse_error(Robot::from_urdf(&path).unwrap_err());
    assert_eq!((file, line), (path.display().to_string(), 3));
    assert_eq!(parse_error(Robot::from_urdf_string("<x/>").unwrap_err()).0, "<string>");
}

#[test]
fn a_missing_file_and_a_binary_file_are_told_apart() {
    let folder = TempFolder::new();
    match Robot::from_urdf(folder.0.join("none.urdf")).unwrap_err() {
        KineticError::Io { path, kind, .. } => {
            assert_eq!((path, kind), (folder.0.join("none.urdf"), ErrorKind::NotFound));
        }
        other => panic!("{other}"),
    }
    let binary = folder.write("binary.urdf", b"<robot\nname='\xff'/>");
    assert_parse_error(Robot::from_urdf(binary), 2, &["UTF-8"]);
}

#[test]
fn unusable_base_and_tip_say_why() {
    let group = |base: &str, tip: &str| {
        let options = UrdfOptions { base: Some(base.into()), tip: Some(tip.into()), ..UrdfOptions::default() };
        Robot::from_urdf_string_with(ARM, &options).unwrap_err()
    };
    let reason = |error| match error {
        KineticError::ChainExtraction { reason, .. } => reason.to_string(),
        other => panic!("{other}"),
    };
    assert!(reason(group("tool", "upper")).contains("swap"));
    assert!(reason(group("left", "right")).contains("part at \"tool\""));
    assert!(reason(group("slide", "tool")).contains("no joint moves"));
    assert!(reason(group("tool", "tool")).contains("no joint moves"));
    assert!(matches!(group("moon", "tool"), KineticError::LinkNotFound { name, .. } if name == "moon"));
}
