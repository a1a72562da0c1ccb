//! What MJCF documents are refused for: every message names line and element.

use std::fmt::Write;

use kinetic_core::KineticError;
use kinetic_robot::Robot;

use crate::support::{TempFolder, assert_parse_error, parse_error};

/// Reads a document whose second line is `content`.
#[track_caller]
fn refused(content: &str, parts: &[&str]) {
    assert_parse_error(Robot::from_mjcf_string(&format!("<mujoco>\n{content}\n</mujoco>")), 2, parts);
}

/// The same with `content` inside the world.
#[track_caller]
fn refused_in_world(content: &str, parts: &[&str]) {
    refused(&format!("<worldbody>{content}</worldbody>"), parts);
}

#[test]
fn other_documents_are_refused() {
    assert_parse_error(Robot::from_mjcf_string("<robot name='a'/>"), 1, &["<mujoco>"]);
    assert_parse_error(Robot::from_mjcf_string("<mujoco>\n<a></b></mujoco>"), 2, &[]);
    assert_parse_error(Robot::from_mjcf_string(""), 1, &[]);
}

#[test]
fn what_moves_in_ways_we_do_not_know_is_refused_by_name() {
    refused_in_world("<body><composite/></body>", &["<composite>", "not supported"]);
    refused_in_world("<flexcomp name='f'/>", &["flexcomp \"f\"", "not supported"]);
    refused_in_world("<frame scale='2'><body/></frame>", &["<frame>", "\"scale\""]);
    refused("<compiler coordinate='global'/>", &["<compiler>", "global"]);
}

#[test]
fn shapes_we_do_not_know_are_refused_by_name() {
    refused_in_world("<geom name='g' type='sdf'/>", &["geom \"g\"", "sdf"]);
    refused_in_world("<geom type='cone'/>", &["<geom>", "cone"]);
    refused_in_world("<geom type='mesh' mesh='m'/>", &["mesh \"m\" does not exist"]);
    refused_in_world("<geom type='box' size='1 0 1'/>", &["<geom>", "half_y"]);
    refused_in_world("<geom type='capsule' size='1' fromto='0 0 0 0 0 0'/>", &["fromto"]);
    refused("<asset><mesh name='m' builtin='sphere'/></asset>", &["mesh \"m\"", "builtin"]);
    refused("<asset><mesh name='m' vertex='0 0 0 1'/></asset>", &["mesh \"m\"", "4 numbers"]);
    refused("<asset><mesh name='m' vertex='0 0 0' face='0 0 1'/></asset>", &["\"face\""]);
    refused("<asset><mesh name='m' file='a.stl' scale='0 1 1'/></asset>", &["flattens"]);
    let fitted =
        "<asset><mesh name='m' vertex='0 0 0'/></asset><worldbody><geom name='g' type='box' mesh='m'/></worldbody>";
    refused(fitted, &["geom \"g\"", "cannot be fitted"]);
    refused(&format!("<compiler fitaabb='true'/>{fitted}"), &["geom \"g\"", "fitaabb"]);
}

#[test]
fn wrong_numbers_are_refused_with_their_attribute() {
    refused_in_world("<body name='a' pos='1 2'/>", &["body \"a\"", "\"pos\" has 2 numbers; 3 are needed"]);
    refused_in_world("<body pos='1 2 x'/>", &["\"pos\" has \"x\""]);
    refused_in_world("<body pos='1 2 1e999'/>", &["\"1e999\""]);
    refused_in_world("<body quat='0 0 0 0'/>", &["quat"]);
    refused_in_world("<body quat='1 0 0 0' euler='0 0 0'/>", &["quat, euler"]);
    refused_in_world("<body><joint axis='0 0 0'/></body>", &["<joint>", "axis"]);
    refused_in_world("<body><joint range='1 -1'/></body>", &["range"]);
    refused_in_world("<body><joint limited='yes'/></body>", &["\"yes\""]);
    refused_in_world("<body><inertial pos='0 0 0' mass='-1'/></body>", &["<inertial>", "negative"]);
    refused("<compiler eulerseq='xyw'/>", &["xyw"]);
    refused("<compiler angle='grad'/>", &["grad"]);
}

#[test]
fn poses_beyond_the_range_of_numbers_are_refused() {
    refused_in_world(
        "<frame pos='1e308 0 0'><body name='a' pos='1e308 0 0'/></frame>",
        &["body \"a\"", "range of numbers"],
    );
}

#[test]
fn wrong_names_are_refused() {
    refused_in_world("<body name='a'/><body name='a'/>", &["body \"a\"", "twice"]);
    refused_in_world("<body><joint class='none'/></body>", &["class \"none\" does not exist", "\"main\""]);
    refused("<default><default/></default>", &["<default>", "class"]);
    refused("<worldbody><attach model='m' prefix='a'/></worldbody>", &["<attach>", "model \"m\""]);
}

#[test]
fn joints_where_none_can_be_are_refused() {
    refused_in_world("<joint/>", &["<joint>", "world"]);
    refused_in_world("<body><body><freejoint/></body></body>", &["<freejoint>", "children of the world"]);
    refused_in_world("<body name='b'><freejoint/><joint/></body>", &["body \"b\"", "no other joint"]);
}

#[test]
fn errors_in_included_files_name_these_files() {
    let folder = TempFolder::new();
    let part = folder.write("part.xml", "<mujoco>\n\n<body pos='x'/></mujoco>");
    let main = folder.write("main.xml", "<mujoco><worldbody>\n<include file='part.xml'/></worldbody></mujoco>");
    let (file, line, detail) = parse_error(Robot::from_mjcf(&main).unwrap_err());
    assert_eq!((file, line), (part.display().to_string(), 3));
    assert!(detail.contains("\"pos\""), "{detail}");
}

#[test]
fn files_that_include_themselves_or_one_twice_are_refused() {
    let folder = TempFolder::new();
    let main = folder.write("main.xml", "<mujoco>\n<include file='a.xml'/></mujoco>");
    folder.write("a.xml", "<mujoco>\n<include file='a.xml'/></mujoco>");
    assert_parse_error(Robot::from_mjcf(&main), 2, &["<include>", "a.xml", "twice"]);
}

#[test]
fn a_model_that_attaches_itself_is_refused() {
    let folder = TempFolder::new();
    let text = "<mujoco><asset><model name='m' file='main.xml'/></asset><worldbody>\n<attach model='m' prefix='p'/>
        </worldbody></mujoco>";
    let main = folder.write("main.xml", text);
    assert_parse_error(Robot::from_mjcf(&main), 1, &["model \"m\"", "deep"]);
}

#[test]
fn a_missing_file_is_named_with_the_places_tried() {
    let folder = TempFolder::new();
    let main = folder.write("main.xml", "<mujoco><include file='gone.xml'/></mujoco>");
    let error = Robot::from_mjcf(&main).unwrap_err();
    assert!(matches!(&error, KineticError::Io { detail, .. } if detail.contains("gone.xml")), "{error}");
}

#[test]
fn documents_that_would_exhaust_memory_or_stack_are_refused() {
    let mut nested = String::new();
    let mut closed = String::new();
    for _ in 0..30 {
        let _ = write!(nested, "<replicate count='1000'>");
        closed.push_str("</replicate>");
    }
    refused_in_world(&format!("{nested}<body/>{closed}"), &["<replicate>", "copies"]);
    let deep = format!("{}{}", "<body>".repeat(100_000), "</body>".repeat(100_000));
    refused_in_world(&deep, &["<body>", "deep"]);
}
