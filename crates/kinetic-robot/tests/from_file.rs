//! The door for files of any format.

use kinetic_robot::Robot;

use crate::support::{ARM, ARM_TOML, TempFolder, assert_parse_error};

const SDF: &str = "<sdf version='1.9'><model name='s'><link name='l'/></model></sdf>";
const MJCF: &str = "<mujoco model='m'><worldbody><body name='l'/></worldbody></mujoco>";

#[test]
fn the_ending_says_the_format_and_xml_asks_the_outermost_element() {
    let folder = TempFolder::new();
    let cases = [
        ("a.urdf", ARM, "tester"),
        ("a.URDF", ARM, "tester"),
        ("a.sdf", SDF, "s"),
        ("a.world", SDF, "s"),
        ("a.mjcf", MJCF, "m"),
        ("urdf.xml", ARM, "tester"),
        ("sdf.xml", SDF, "s"),
        ("mjcf.xml", MJCF, "m"),
    ];
    for (name, text, robot) in cases {
        assert_eq!(Robot::from_file(folder.write(name, text)).unwrap().name, robot, "{name}");
    }
}

#[test]
fn a_folder_and_its_configuration_are_the_same_robot() {
    let folder = TempFolder::new();
    folder.write("robot.urdf", ARM);
    let file = folder.write("kinetic.toml", ARM_TOML);
    let robot = Robot::from_file(file).unwrap();
    assert_eq!(robot.name, "tester_one");
    assert_eq!(Robot::from_file(&folder.0).unwrap(), robot);
}

#[test]
fn other_names_are_refused_with_what_is_possible() {
    for (name, parts) in [
        ("robot.step", ["ending .step", ".mjcf"]),
        ("robot", ["no ending", ".sdf"]),
        ("other.toml", ["ending .toml", "kinetic.toml"]),
        ("robot.urdf.xacro", ["xacro robot.xacro > robot.urdf", "Python"]),
    ] {
        let error = Robot::from_file(name).unwrap_err();
        assert_eq!(error.code(), "InvalidValue", "{name}");
        for part in parts {
            assert!(error.to_string().contains(part), "{name}: {error}");
        }
    }
    let folder = TempFolder::new();
    let file = folder.write("a.xml", "<html/>");
    assert_parse_error(Robot::from_file(file), 1, &["<html>", "<mujoco>", "<robot>", "<sdf>"]);
    assert_eq!(Robot::from_file(folder.0.join("gone.xml")).unwrap_err().code(), "Io");
}
