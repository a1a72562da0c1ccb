//! Where packages are looked for besides the folders near a description, and what missing meshes mean.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use kinetic_core::KineticError;
use kinetic_robot::{MeshResolver, MissingMeshes, Robot, SearchPaths, UrdfOptions};

use crate::support::TempFolder;

fn paths(variables: &[(&str, &Path)]) -> SearchPaths {
    let variables: BTreeMap<_, _> =
        variables.iter().map(|(name, value)| (*name, OsString::from(value.as_os_str()))).collect();
    SearchPaths::from_variables(|name| variables.get(name).cloned())
}

fn found(uri: &str, paths: &SearchPaths) -> PathBuf {
    MeshResolver::default().resolve_in(uri, paths).unwrap()
}

#[test]
fn variables_name_folders_of_packages_in_order() {
    let found = paths(&[
        ("ROS_PACKAGE_PATH", Path::new("/a::/b")),
        ("AMENT_PREFIX_PATH", Path::new("/opt/ros")),
        ("HOME", Path::new("/home/me")),
    ]);
    assert_eq!(found.ros, ["/a", "/b", "/opt/ros/share"].map(PathBuf::from));
    assert_eq!(found.robot_descriptions, Some(PathBuf::from("/home/me/.cache/robot_descriptions")));
    let cache = paths(&[("ROBOT_DESCRIPTIONS_CACHE", Path::new("/cache")), ("HOME", Path::new("/home/me"))]);
    assert_eq!(cache.robot_descriptions, Some(PathBuf::from("/cache")));
    assert_eq!(paths(&[]), SearchPaths::default());
}

#[test]
fn packages_are_found_through_the_environment() {
    let folder = TempFolder::new();
    let direct = folder.write("install/share/arm/a.stl", "");
    let deep = folder.write("ws/src/repository/hand_files/a.stl", "");
    folder.write("ws/src/repository/hand_files/package.xml", "<package><name>hand</name></package>");
    let cached = folder.write("cache/repository/robots/leg/a.stl", "");
    assert_eq!(found("package://arm/a.stl", &paths(&[("AMENT_PREFIX_PATH", &folder.0.join("install"))])), direct);
    assert_eq!(found("package://hand/a.stl", &paths(&[("ROS_PACKAGE_PATH", &folder.0.join("ws/src"))])), deep);
    let cache = paths(&[("ROBOT_DESCRIPTIONS_CACHE", &folder.0.join("cache"))]);
    assert_eq!(found("package://leg/a.stl", &cache), cached);
    assert_eq!(found("package://leg\\a.stl", &cache), cached);
}

#[test]
fn explicit_folders_win_over_neighbours_and_those_over_the_environment() {
    let folder = TempFolder::new();
    let places = ["explicit/arm/a.stl", "robots/arm/a.stl", "share/arm/a.stl"].map(|name| folder.write(name, ""));
    let environment = paths(&[("ROS_PACKAGE_PATH", &folder.0.join("share"))]);
    let mut resolver =
        MeshResolver { base_dir: Some(folder.0.join("robots/urdf")), package_dirs: vec![folder.0.join("explicit")] };
    let found = |resolver: &MeshResolver| resolver.resolve_in("package://arm/a.stl", &environment).unwrap();
    assert_eq!(found(&resolver), places[0]);
    resolver.package_dirs.clear();
    assert_eq!(found(&resolver), places[1]);
    resolver.base_dir = None;
    assert_eq!(found(&resolver), places[2]);
}

#[test]
fn every_place_of_the_environment_is_listed_when_nothing_is_found() {
    let environment = paths(&[
        ("ROS_PACKAGE_PATH", Path::new("/none/ros")),
        ("AMENT_PREFIX_PATH", Path::new("/none/ament")),
        ("ROBOT_DESCRIPTIONS_CACHE", Path::new("/none/cache")),
    ]);
    let error = MeshResolver::default().resolve_in("package://arm/a.stl", &environment).unwrap_err();
    let KineticError::Io { detail, .. } = error else { panic!() };
    for place in ["/none/ros/arm/a.stl", "/none/ament/share/arm/a.stl", "arm below /none/ros", "arm below /none/cache"]
    {
        assert!(detail.contains(place), "{place} is not in {detail}");
    }
}

const WITH_MESHES: &str = "<robot name='r'><link name='a'>
  <visual><geometry><mesh filename='nowhere/v.stl'/></geometry></visual>
  <collision><geometry><mesh filename='nowhere/c.stl'/></geometry></collision>
  <collision><geometry><sphere radius='1'/></geometry></collision></link></robot>";

#[test]
fn missing_meshes_are_noted_and_left_out_on_request() {
    let robot = Robot::from_urdf_string(WITH_MESHES).unwrap();
    assert_eq!(robot.links[0].collisions.len(), 2);
    assert_eq!(robot.notes.len(), 2, "{:?}", robot.notes);
    assert!(robot.notes[0].contains("visual meshes are missing") && robot.notes[0].contains("v.stl\" (link \"a\")"));
    assert!(robot.notes[1].contains("collision meshes are missing") && robot.notes[1].contains("refuse"));
    let options = UrdfOptions { missing_meshes: MissingMeshes::Ignore, ..UrdfOptions::default() };
    let robot = Robot::from_urdf_string_with(WITH_MESHES, &options).unwrap();
    assert_eq!((robot.links[0].visuals.len(), robot.links[0].collisions.len()), (1, 1));
    assert!(robot.notes[1].contains("\"nowhere/c.stl\" of link \"a\" is missing and left out"), "{:?}", robot.notes);
}
