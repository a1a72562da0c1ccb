//! Whole worlds as objects, where sums by hand put them.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use kinetic_core::{Control, KineticError, Pose, StopFlag, SystemClock};
use kinetic_robot::{Robot, World};
use kinetic_scene::Scene;
use nalgebra::Vector3;

use crate::support::built_in;

/// Products of a few poses of some metres, whose rotations are quarter turns written with 16 digits.
const POSE_ROUNDING: f64 = 1e-12;

/// Distances of a ball to solids in f64, metres apart.
const DISTANCE_ROUNDING: f64 = 1e-9;

const WORLD: &str = r#"<sdf version="1.9"><world name="kitchen">
  <light type="directional" name="sun"/>
  <frame name="corner"><pose>0 4 0 0 0 1.5707963267948966</pose></frame>
  <model name="table"><static>true</static><pose>2 0 0.4 0 0 0</pose>
    <link name="top"><pose>0 0 0.2 0 0 0</pose>
      <collision name="c"><geometry><box><size>1 2 0.4</size></box></geometry></collision></link></model>
  <model name="can"><pose relative_to="corner">1 0 0.5 0 0 0</pose>
    <link name="body"><collision name="c"><geometry><cylinder><radius>0.1</radius><length>1</length></cylinder></geometry></collision></link></model>
  <include><uri>shelf</uri><pose>-3 0 0 0 0 0</pose></include>
  <model name="cart"><pose>0 -4 0 0 0 3.141592653589793</pose>
    <link name="bed"/>
    <model name="crate"><pose>1 0 0.5 0 0 0</pose>
      <link name="box"><collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision></link></model>
    <joint name="strap" type="fixed"><parent>bed</parent><child>crate::box</child></joint></model>
  <model name="ground"><static>true</static>
    <link name="plane"><collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>
  <model name="arm"><pose>5 5 0 0 0 0</pose>
    <link name="upper"/>
    <link name="lower"><pose>0 0 1 0 0 0</pose>
      <collision name="c"><geometry><sphere><radius>0.2</radius></sphere></geometry></collision></link>
    <link name="hand"><pose>0 0 2 0 0 0</pose>
      <collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>
      <collision name="d"><pose>0 0 0.3 0 0 0</pose><geometry><sphere><radius>0.1</radius></sphere></geometry></collision></link>
    <joint name="a" type="revolute"><parent>upper</parent><child>lower</child><axis><xyz>0 1 0</xyz></axis></joint>
    <joint name="b" type="prismatic"><parent>lower</parent><child>hand</child><axis><xyz>0 0 1</xyz>
      <limit><lower>0.5</lower><upper>1</upper></limit></axis></joint></model>
  <model name="lamp"><link name="shade"/></model>
</world></sdf>"#;

const SHELF: &str = r#"<sdf version="1.9"><model name="shelf"><static>true</static><link name="board"><pose>0 0 1 0 0 0</pose>
  <collision name="c"><geometry><box><size>1 0.2 0.02</size></box></geometry></collision></link></model></sdf>"#;

/// What the world becomes. The root sees the point (x, y, z) of the world at (10 - y, x, z - 1), see [`root_from_world`].
const OBJECTS: [(&str, [f64; 3]); 8] = [
    ("table/top", [10.0, 2.0, -0.4]),
    // One metre along y from the corner, which is turned by a quarter.
    ("can/body", [5.0, 0.0, -0.5]),
    ("shelf/board", [10.0, -3.0, 0.0]),
    ("cart/crate::box", [14.0, -1.0, -0.5]),
    ("ground/plane", [10.0, 0.0, -1.0]),
    ("arm/lower", [5.0, 5.0, 0.0]),
    // Half a metre above where the file puts the hand: its joint cannot stand at 0.
    ("arm/hand/0", [5.0, 5.0, 1.5]),
    ("arm/hand/1", [5.0, 5.0, 1.8]),
];

fn root_from_world() -> Pose {
    Pose::from_xyz_rpy(10.0, 0.0, -1.0, 0.0, 0.0, FRAC_PI_2)
}

fn kitchen() -> World {
    let folder =
        std::env::temp_dir().join(format!("kinetic_worlds_{}_{:?}", std::process::id(), std::thread::current().id()));
    std::fs::create_dir_all(folder.join("shelf")).unwrap();
    let manifest = "<model><name>shelf</name><sdf version='1.9'>board.sdf</sdf></model>";
    for (name, text) in [("shelf/model.config", manifest), ("shelf/board.sdf", SHELF), ("kitchen.sdf", WORLD)] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let world = World::from_sdf(folder.join("kitchen.sdf"));
    std::fs::remove_dir_all(folder).unwrap();
    world.unwrap()
}

/// A ball of radius 0.1 that slides along x, y and z from the origin.
fn probe() -> Arc<Robot> {
    let slide = |name: &str, parent: &str, child: &str, axis: &str| {
        format!(
            "<joint name=\"{name}\" type=\"prismatic\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <axis xyz=\"{axis}\"/><limit lower=\"-20\" upper=\"20\" velocity=\"1\" effort=\"1\"/></joint>"
        )
    };
    let urdf = format!(
        "<robot name=\"probe\"><link name=\"base\"/><link name=\"along_x\"/><link name=\"along_y\"/>\
         <link name=\"ball\"><collision><geometry><sphere radius=\"0.1\"/></geometry></collision></link>{}{}{}</robot>",
        slide("x", "base", "along_x", "1 0 0"),
        slide("y", "along_x", "along_y", "0 1 0"),
        slide("z", "along_y", "ball", "0 0 1"),
    );
    Arc::new(Robot::from_urdf_string(&urdf).unwrap())
}

#[test]
fn the_models_of_a_world_are_objects_where_the_file_puts_them() {
    let mut scene = Scene::new(&built_in("ur5e")).unwrap();
    let names = scene.add_world(&kitchen(), &[], root_from_world(), &Control::default()).unwrap();
    assert_eq!(names, OBJECTS.map(|(name, _)| name));
    for (name, wanted) in OBJECTS {
        let off = (scene.object(name).unwrap().pose.translation() - Vector3::from(wanted)).norm();
        assert!(off < POSE_ROUNDING, "{name} is off by {off}");
    }
    let turned = root_from_world().rotation().angle_to(&scene.object("table/top").unwrap().pose.rotation());
    assert!(turned < POSE_ROUNDING, "{turned}");
    let before = scene.clone();
    scene.add_world(&kitchen(), &[], root_from_world(), &Control::default()).unwrap();
    assert!(scene.diff(&before).unwrap().is_empty());
}

#[test]
fn a_ball_is_as_far_from_the_models_as_it_is_by_hand() {
    let mut scene = Scene::new(&probe()).unwrap();
    scene.add_world(&kitchen(), &[], root_from_world(), &Control::default()).unwrap();
    // Centre of the ball in the root; gap between it and the nearest model.
    let cases = [
        // 0.3 above the table's top, which is at 0.8 in the world.
        ([10.0, 2.0, 0.1], 0.2),
        // 0.5 beside the axis of the can, of radius 0.1.
        ([5.5, 0.0, -0.5], 0.3),
        // 0.5 above the middle of the board, which is 0.02 thick.
        ([10.0, -3.0, 0.5], 0.39),
        // 0.3 above the crate's top, which is at 1 in the world.
        ([14.0, -1.0, 0.3], 0.2),
        // 0.25 above the ground, far from all else.
        ([18.0, 3.0, -0.75], 0.15),
        // 0.3 below the middle of the hand's lower ball, of radius 0.1.
        ([5.0, 5.0, 1.2], 0.1),
    ];
    for (q, wanted) in cases {
        let found = scene.min_distance(&q).unwrap();
        assert!((found - wanted).abs() < DISTANCE_ROUNDING, "{q:?}: {found} instead of {wanted}");
        assert!(!scene.check_collision(&q).unwrap(), "{q:?}");
    }
    // Below the ground, which is solid however deep, and inside the table.
    for q in [[18.0, 3.0, -0.95], [18.0, 3.0, -9.0], [10.0, 2.0, -0.4]] {
        assert!(scene.check_collision(&q).unwrap(), "{q:?}");
    }
}

#[test]
fn models_are_left_out_by_name() {
    let (world, control) = (kitchen(), Control::default());
    let mut scene = Scene::new(&probe()).unwrap();
    let names = scene.add_world(&world, &["arm", "ground", "lamp"], root_from_world(), &control).unwrap();
    assert_eq!(names, ["table/top", "can/body", "shelf/board", "cart/crate::box"]);
    assert_eq!(scene.objects().len(), 4);
    assert!(!scene.check_collision(&[18.0, 3.0, -9.0]).unwrap());
    let every_one: Vec<&str> = world.models.iter().map(|model| model.name.as_str()).collect();
    assert!(scene.add_world(&world, &every_one, root_from_world(), &control).unwrap().is_empty());
    let before = scene.version();
    let error = scene.add_world(&world, &["arm", "robot"], root_from_world(), &control).unwrap_err();
    let KineticError::UnknownName { kind, name, available, .. } = &error else { panic!("{error:?}") };
    assert_eq!((kind.as_str(), name.as_str()), ("model", "robot"));
    assert_eq!(*available, every_one);
    assert_eq!(scene.version(), before);
}

#[test]
fn a_world_that_cannot_be_added_leaves_the_scene_as_it_was() {
    let (world, control) = (kitchen(), Control::default());
    let urdf = "<robot name='r'><link name='cart/crate::box'/></robot>";
    let mut scene = Scene::new(&Arc::new(Robot::from_urdf_string(urdf).unwrap())).unwrap();
    let before = scene.version();
    let clash = scene.add_world(&world, &[], root_from_world(), &control).unwrap_err();
    assert!(matches!(&clash, KineticError::InvalidValue { value, .. } if value.contains("cart/crate::box")), "{clash}");
    let without = ["cart"];
    let lost = Pose::from_xyz(f64::NAN, 0.0, 0.0);
    assert!(matches!(scene.add_world(&world, &without, lost, &control), Err(KineticError::NotFinite { .. })));
    let stop = StopFlag::default();
    stop.stop();
    let stopped = Control::new(Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, stop);
    assert!(scene.add_world(&world, &without, root_from_world(), &stopped).is_err());
    let mut twice = world.clone();
    twice.models.push(world.models[0].clone());
    let mut nameless = world.clone();
    nameless.models[1].name.clear();
    let unseen = World { models: vec![world.models.last().unwrap().clone()], notes: Vec::new() };
    for (world, without, part) in [
        (&twice, without.as_slice(), "twice"),
        (&nameless, &without, "name of a model"),
        (&unseen, &[], "collision shapes of a world"),
    ] {
        let error = scene.add_world(world, without, root_from_world(), &control).unwrap_err();
        assert!(matches!(error, KineticError::InvalidValue { .. }) && error.to_string().contains(part), "{error}");
    }
    assert_eq!(scene.version(), before);
    assert_eq!(scene.add_world(&world, &without, root_from_world(), &control).unwrap().len(), OBJECTS.len() - 1);
}
