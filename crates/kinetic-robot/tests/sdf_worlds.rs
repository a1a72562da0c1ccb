//! Whole worlds of SDF: which models there are, where they stand, and what is refused.

use std::f64::consts::FRAC_PI_2;

use kinetic_core::{KineticError, Pose, Shape};
use kinetic_robot::{GeometryShape, JointType, Robot, UrdfOptions, World, WorldModel};
use nalgebra::Vector3;

use crate::support::{TempFolder, assert_parse_error, line_of};

/// Products of a few poses of some metres, whose rotations are quarter turns written with 16 digits.
const POSE_ROUNDING: f64 = 1e-12;

/// A table, a can beside a frame of the world, an included shelf, a cart that carries a crate, the ground, an arm.
const WORLD: &str = r#"<sdf version="1.9">
<world name="kitchen">
  <physics type="ode"/><gravity>0 0 -9.8</gravity>
  <light type="directional" name="sun"/>
  <actor name="cook"/>
  <plugin name="p" filename="p.so"/>
  <population name="cans"/>
  <frame name="corner"><pose>1 2 0 0 0 1.5707963267948966</pose></frame>
  <model name="table"><static>true</static><pose>0 3 0.5 0 0 0</pose>
    <link name="top"><pose>0 0 0.25 0 0 0</pose>
      <collision name="c"><geometry><box><size>2 1 0.5</size></box></geometry></collision></link>
  </model>
  <model name="can"><pose relative_to="corner">1 0 0.2 0 0 0</pose>
    <link name="body"><collision name="c"><geometry><cylinder><radius>0.1</radius><length>0.4</length></cylinder></geometry></collision></link>
  </model>
  <include><uri>shelf</uri><name>left_shelf</name><pose relative_to="table">5 0 0 0 0 0</pose></include>
  <model name="cart"><pose>0 -4 0 0 0 3.141592653589793</pose>
    <link name="bed"/>
    <model name="crate"><pose>1 0 0.5 0 0 0</pose>
      <link name="box"><collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision></link></model>
    <joint name="strap" type="fixed"><parent>bed</parent><child>crate::box</child></joint>
  </model>
  <model name="ground"><static>1</static>
    <link name="plane"><collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>
  <model name="arm"><pose>3 0 0 0 0 0</pose>
    <link name="upper"/><link name="lower"><pose>0 0 1 0 0 0</pose></link><link name="hand"><pose>0 0 2 0 0 0</pose></link>
    <joint name="a" type="revolute"><parent>upper</parent><child>lower</child><axis><xyz>0 1 0</xyz></axis></joint>
    <joint name="b" type="prismatic"><parent>lower</parent><child>hand</child><axis><xyz>0 0 1</xyz>
      <limit><lower>0.5</lower><upper>1</upper></limit></axis></joint>
  </model>
</world></sdf>"#;

const SHELF: &str = r#"<sdf version="1.8"><model name="shelf"><static>true</static>
  <link name="board"><pose>0 0 1 0 0 0</pose>
    <collision name="c"><geometry><box><size>1 0.2 0.02</size></box></geometry></collision></link></model></sdf>"#;

fn kitchen() -> World {
    let folder = TempFolder::new();
    folder.write("shelf/model.config", "<model><name>shelf</name><sdf version='1.8'>shelf.sdf</sdf></model>");
    folder.write("shelf/shelf.sdf", SHELF);
    World::from_sdf(folder.write("kitchen.sdf", WORLD)).unwrap()
}

fn of(content: &str) -> String {
    format!("<sdf version='1.9'><world name='w'>\n{content}\n</world></sdf>")
}

#[test]
fn a_model_that_is_left_out_needs_not_be_readable() {
    let unreadable = "<model name='odd'><pose>1 0 0 0 0 1.5707963267948966</pose><link name='l'/><link name='l'/></model>\n\
                      <include><uri>nowhere</uri><name>lost</name></include>\n\
                      <include><uri>https://example.org/robot</uri><name>remote</name><pose relative_to='odd'>0 1 0 0 0 0</pose></include>";
    let can = "<model name='can'><pose relative_to='odd'>2 0 0 0 0 0</pose><link name='body'/></model>\n\
               <model name='cup'><pose relative_to='remote'>0 0 3 0 0 0</pose><link name='body'/></model>";
    let text = of(&format!("{unreadable}\n{can}"));
    let options = UrdfOptions::default();
    let world = World::from_sdf_string_with(&text, &options, &["odd", "lost", "remote"]).unwrap();
    let names: Vec<&str> = world.models.iter().map(|model| model.name.as_str()).collect();
    assert_eq!(names, ["can", "cup"]);
    // Where the frames of what is left out put them: a quarter turn at x = 1.
    for (model, wanted) in world.models.iter().zip([[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]]) {
        let off = (model.world_from_root.translation() - Vector3::from(wanted)).norm();
        assert!(off < POSE_ROUNDING, "{} is off by {off}", model.name);
    }
    assert_parse_error(World::from_sdf_string(&text), 3, &["nowhere"]);
    assert_parse_error(
        World::from_sdf_string_with(&text, &options, &["lost", "remote"]),
        2,
        &["\"l\" is defined twice"],
    );
    let unknown = World::from_sdf_string_with(&text, &options, &["odd", "lost", "remote", "table"]).unwrap_err();
    assert!(matches!(&unknown, KineticError::UnknownName { name, .. } if name == "table"), "{unknown}");
    assert!(unknown.to_string().contains("\"cup\""), "{unknown}");
    // Names are taken by what is left out as well, and a world may be left empty.
    let twice = of("<model name='a'/>\n<model name='a'><link name='l'/></model>");
    assert_parse_error(World::from_sdf_string_with(&twice, &options, &["a"]), 3, &["\"a\" is taken"]);
    let one = World::from_sdf_string_with(&of("<model name='a'><link name='l'/></model>"), &options, &["a"]).unwrap();
    assert!(one.models.is_empty());
}

#[test]
fn a_model_that_its_own_file_names_is_left_out_by_that_name() {
    let folder = TempFolder::new();
    folder.write("shelf/model.config", "<model><name>shelf</name><sdf version='1.8'>shelf.sdf</sdf></model>");
    folder.write("shelf/shelf.sdf", SHELF);
    let text = of(
        "<include><uri>shelf</uri></include><model name='can'><pose relative_to='shelf'>0 1 0 0 0 0</pose><link name='l'/></model>",
    );
    let file = folder.write("main.sdf", &text);
    let world = World::from_sdf_with(file, &UrdfOptions::default(), &["shelf"]).unwrap();
    assert_eq!(world.models.iter().map(|model| model.name.as_str()).collect::<Vec<_>>(), ["can"]);
}

fn model<'a>(world: &'a World, name: &str) -> &'a WorldModel {
    world.models.iter().find(|model| model.name == name).unwrap()
}

/// Pose in the world of a link, with all joints at 0.
fn world_from_link(placed: &WorldModel, name: &str) -> Pose {
    let robot: &Robot = &placed.model;
    let mut poses = vec![placed.world_from_root; robot.links.len()];
    for joint in &robot.joints {
        poses[joint.child] = poses[joint.parent] * joint.parent_from_joint;
    }
    poses[robot.link_index(name).unwrap()]
}

#[track_caller]
fn assert_place(world: &World, (name, link): (&str, &str), xyz: [f64; 3], yaw: f64) {
    let found = world_from_link(model(world, name), link);
    let wanted = Pose::from_xyz_rpy(xyz[0], xyz[1], xyz[2], 0.0, 0.0, yaw);
    let off = wanted.translation_distance(&found).max(wanted.rotation_distance(&found));
    assert!(off < POSE_ROUNDING, "{name}: {found:?} is off by {off}");
}

#[test]
fn every_model_of_a_world_stands_where_the_file_puts_it() {
    let world = kitchen();
    let names: Vec<&str> = world.models.iter().map(|model| model.name.as_str()).collect();
    assert_eq!(names, ["table", "can", "left_shelf", "cart", "ground", "arm"]);
    assert_place(&world, ("table", "top"), [0.0, 3.0, 0.75], 0.0);
    // The corner is turned by a quarter: its x is the world's y.
    assert_place(&world, ("can", "body"), [1.0, 3.0, 0.2], FRAC_PI_2);
    assert_place(&world, ("left_shelf", "board"), [5.0, 3.0, 1.5], 0.0);
    // The cart is turned by half a turn.
    assert_place(&world, ("cart", "crate::box"), [-1.0, -4.0, 0.5], std::f64::consts::PI);
    assert_place(&world, ("arm", "hand"), [3.0, 0.0, 2.0], 0.0);
}

#[test]
fn models_are_robots_with_roots_of_their_own() {
    let world = kitchen();
    for (name, root, joints) in [("table", "world", 1), ("can", "body", 0), ("cart", "bed", 1), ("arm", "upper", 2)] {
        let robot = &model(&world, name).model;
        assert_eq!((robot.name.as_str(), robot.links[0].name.as_str(), robot.joints.len()), (name, root, joints));
    }
    let arm = &model(&world, "arm").model;
    assert_eq!(arm.moving_joint_names(true), ["a", "b"]);
    assert_eq!(arm.neutral_configuration(), [0.0, 0.5]);
    assert_eq!(model(&world, "table").world_from_root, Pose::identity());
    let plane = &model(&world, "ground").model.links[1].collisions[0].shape;
    assert_eq!(*plane, GeometryShape::Shape(Shape::half_space(Vector3::z(), 0.0).unwrap()));
}

#[test]
fn what_is_no_model_is_noted() {
    let notes = kitchen().notes;
    for tag in ["<light>", "<actor>", "<plugin>", "<population>"] {
        assert!(notes.iter().any(|note| note.contains(tag)), "{tag}: {notes:?}");
    }
    assert!(!notes.iter().any(|note| note.contains("physics") || note.contains("gravity")), "{notes:?}");
}

#[test]
fn a_model_that_is_read_alone_is_the_same_robot() {
    let alone = r#"<model name="can"><link name="body"><collision name="c"><geometry><sphere><radius>1</radius></sphere></geometry></collision></link></model>"#;
    let robot = Robot::from_sdf_string(&of(alone)).unwrap();
    let world =
        World::from_sdf_string(&of(&format!("{alone}<model name='other'><link name='body'/></model>"))).unwrap();
    assert_eq!(model(&world, "can").model, robot);
}

#[test]
fn models_outside_of_a_world_and_of_several_worlds_are_one_world() {
    let a_model = |name: &str| format!("<model name='{name}'><link name='l'/></model>");
    let (a, b, c) = (a_model("a"), a_model("b"), a_model("c"));
    let text = format!("<sdf version='1.9'><world name='1'>{a}</world>{b}<world name='2'>{c}</world></sdf>");
    let world = World::from_sdf_string(&text).unwrap();
    assert_eq!(world.models.iter().map(|model| model.name.as_str()).collect::<Vec<_>>(), ["b", "a", "c"]);
    assert!(world.notes.iter().any(|note| note.contains("2 worlds")), "{:?}", world.notes);
}

#[test]
fn poses_are_relative_to_frames_inside_other_models_and_placed_by_frames_of_their_own() {
    let world = World::from_sdf_string(&of("<model name='a'><pose>1 0 0 0 0 1.5707963267948966</pose><link name='l'>
        <pose>0 0 1 0 0 0</pose></link></model>
        <frame name='on_a' attached_to='a::l'><pose>2 0 0 0 0 0</pose></frame>
        <model name='b' placement_frame='handle'><pose relative_to='on_a'>0 1 0 0 0 0</pose><link name='l'/>
        <frame name='handle'><pose>0 0 0.5 0 0 0</pose></frame></model>"))
    .unwrap();
    // on_a is at (1, 2, 1) and turned by a quarter; the handle is 1 m to its left, at (0, 2, 1), and b hangs below.
    assert_place(&world, ("b", "l"), [0.0, 2.0, 0.5], FRAC_PI_2);
}

#[test]
fn bodies_that_no_joint_joins_are_held_in_the_world() {
    let text =
        "<model name='dice'><pose>1 0 0 0 0 0</pose><link name='a'/><link name='b'><pose>0 1 0 0 0 0</pose></link>
        <link name='c'/><joint name='j' type='revolute'><parent>b</parent><child>c</child><axis/></joint></model>
        <model name='empty'><static>true</static></model>";
    let world = World::from_sdf_string(&of(text)).unwrap();
    assert_eq!(world.models.len(), 1);
    assert!(world.notes.iter().any(|note| note.contains("\"empty\"")), "{:?}", world.notes);
    assert_place(&world, ("dice", "a"), [1.0, 0.0, 0.0], 0.0);
    assert_place(&world, ("dice", "b"), [1.0, 1.0, 0.0], 0.0);
    let robot = &world.models[0].model;
    assert_eq!(robot.moving_joint_names(true), ["j"]);
    assert_eq!(robot.joints.iter().filter(|joint| joint.joint_type == JointType::Fixed).count(), 2);
    assert!(robot.notes.iter().any(|note| note.contains("\"a\", \"b\"")), "{:?}", robot.notes);
}

#[test]
fn a_name_that_two_things_of_a_world_have_is_refused_with_both_lines() {
    let (first, second) = ("<model name='a'><link name='l'/></model>", "<model name='a'><link name='m'/></model>");
    let folder = TempFolder::new();
    folder.write("part/model.sdf", "<sdf version='1.9'><model name='a'><link name='l'/></model></sdf>");
    let include = "<include><uri>part</uri></include>";
    let frame = "<frame name='a'/>";
    for (first, second) in [(first, second), (first, include), (frame, first), (frame, frame)] {
        let world = folder.write("main.sdf", of(&format!("{first}\n{second}")));
        assert_parse_error(World::from_sdf(world), 3, &["\"a\" is taken", "(line 2)"]);
    }
    let renamed = include.replace("</uri>", "</uri><name>b</name>");
    let world = World::from_sdf(folder.write("main.sdf", of(&format!("{first}\n{renamed}")))).unwrap();
    assert_eq!(world.models[1].name, "b");
}

#[test]
fn mistakes_in_worlds_are_named_with_their_line() {
    let collision = "<model name='hill'><link name='l'><collision name='c'>\n<geometry><heightmap/></geometry></collision></link></model>";
    let cases: [(&str, u32, &[&str]); 5] = [
        ("<light name='sun'/>", 1, &["no <model>"]),
        ("<model name='a'>\n<pose relative_to='b'/><link name='l'/></model>", 2, &["no frame \"b\"", "a"]),
        (collision, 3, &["<heightmap>", "not supported"]),
        ("<include merge='true'><uri>part</uri></include>", 2, &["merge"]),
        (
            "<model name='a'><pose>1e308 0 0 0 0 0</pose>\n<link name='l'><pose>1e308 0 0 0 0 0</pose></link></model>",
            3,
            &["\"a\"", "too large"],
        ),
    ];
    for (content, line, parts) in cases {
        assert_parse_error(World::from_sdf_string(&of(content)), line, parts);
    }
    let text =
        of("<model name='a'><link name='l'/></model>\n<model name='b'><link name='l'/>\n<link name='l'/></model>");
    let line = line_of(&text, "<link name='l'/></model>\n</world>");
    assert_parse_error(World::from_sdf_string(&text), line, &["\"l\" is defined twice"]);
}
