//! Every row of the registry of robot formats.

use std::collections::BTreeSet;

use kinetic_robot::{FORMATS, Robot, RobotFormat};

use crate::support::{ARM, ARM_TOML, TempFolder};

/// A document of each format and the name of its robot; none where a file has to be expanded first.
fn document(format: &str) -> Option<(&'static str, &'static str)> {
    match format {
        "URDF" => Some((ARM, "tester")),
        "SDF" => Some(("<sdf version='1.9'><model name='s'><link name='l'/></model></sdf>", "s")),
        "MJCF" => Some(("<mujoco model='m'><worldbody><body name='l'/></worldbody></mujoco>", "m")),
        "kinetic.toml" => Some((ARM_TOML, "tester_one")),
        "xacro" => None,
        other => panic!("no document of the format {other}; add one"),
    }
}

#[test]
fn every_format_reads_a_file_of_every_name_it_has() {
    for format in &FORMATS {
        let folder = TempFolder::new();
        folder.write("robot.urdf", ARM);
        let endings = format.endings.iter().map(|ending| format!("a.{ending}"));
        for name in endings.chain(format.file_name.map(str::to_owned)) {
            let Some((text, robot)) = document(format.name) else {
                assert_eq!(RobotFormat::of(&name).unwrap().name, format.name);
                assert_eq!(Robot::from_file(&name).unwrap_err().code(), "InvalidValue");
                continue;
            };
            let file = folder.write(&name, text);
            assert_eq!(RobotFormat::of(&file).unwrap().name, format.name, "{name}");
            assert_eq!(Robot::from_file(&file).unwrap().name, robot, "{name}");
            assert_eq!(format.read(&file).unwrap().name, robot, "{name}");
        }
    }
}

#[test]
fn the_outermost_element_of_an_xml_file_is_that_of_one_format() {
    let folder = TempFolder::new();
    for format in FORMATS.iter().filter(|format| !format.root_elements.is_empty()) {
        let (text, robot) = document(format.name).unwrap();
        let file = folder.write("a.xml", text);
        assert_eq!(RobotFormat::of(&file).unwrap().name, format.name);
        assert_eq!(Robot::from_file(&file).unwrap().name, robot);
        for root in format.root_elements {
            assert_eq!(RobotFormat::of(folder.write("b.xml", format!("<{root}/>"))).unwrap().name, format.name);
        }
    }
}

#[test]
fn no_two_formats_have_a_name_an_ending_or_an_element_in_common() {
    let is_without_repetition = |words: Vec<&str>| words.iter().collect::<BTreeSet<_>>().len() == words.len();
    assert!(is_without_repetition(FORMATS.iter().map(|format| format.name).collect()));
    assert!(is_without_repetition(FORMATS.iter().filter_map(|format| format.file_name).collect()));
    assert!(is_without_repetition(FORMATS.iter().flat_map(|format| format.endings).copied().collect()));
    assert!(is_without_repetition(FORMATS.iter().flat_map(|format| format.root_elements).copied().collect()));
    for format in &FORMATS {
        assert!(!format.summary.is_empty() && !format.name_endings().is_empty(), "{}", format.name);
    }
}

#[test]
fn a_name_of_no_format_is_refused_with_all_endings() {
    let error = Robot::from_file("robot.step").unwrap_err().to_string();
    for ending in FORMATS.iter().flat_map(|format| format.endings) {
        assert!(error.contains(&format!(".{ending}")), "{error}");
    }
}
