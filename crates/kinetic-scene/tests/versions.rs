//! Versions of scenes: equal for equal content, and for nothing else.

use std::collections::BTreeSet;
use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{ContentHash, Pose, Shape};
use kinetic_scene::{Scene, Side};
use nalgebra::Point3;

use crate::support::{ball_arm, built_in};

fn sphere(radius: f64) -> Shape {
    Shape::sphere(radius).unwrap()
}

fn at(x: f64) -> Pose {
    Pose::from_xyz(x, 2.0, 3.0)
}

/// Every kind of edit, each with what takes it back.
type Edit = (&'static str, fn(&mut Scene), fn(&mut Scene));

const EDITS: &[Edit] = &[
    ("add", |s| s.add("new", sphere(0.2), at(1.0)).unwrap(), |s| assert!(s.remove("new"))),
    ("replace", |s| s.add("a", sphere(0.2), at(1.0)).unwrap(), |s| s.add("a", sphere(0.1), at(1.0)).unwrap()),
    ("move", |s| s.update_pose("a", at(1.5)).unwrap(), |s| s.update_pose("a", at(1.0)).unwrap()),
    ("remove", |s| assert!(s.remove("a")), |s| s.add("a", sphere(0.1), at(1.0)).unwrap()),
    ("clear", Scene::clear, |s| *s = world()),
    (
        "attach",
        |s| s.attach("body", sphere(0.1), at(0.0), "tip", &["lower"]).unwrap(),
        |s| {
            s.detach("body", at(0.0)).unwrap();
            s.remove("body");
        },
    ),
    ("allow", |s| s.allow_collision("a", "tip").unwrap(), |s| s.disallow_collision("a", "tip").unwrap()),
    ("margin of a pair", |s| s.set_margin("a", "tip", 0.1).unwrap(), |s| s.set_margin("a", "tip", None).unwrap()),
    (
        "margin",
        |s| s.set_margin_of("tip", Side::Own, 0.1).unwrap(),
        |s| s.set_margin_of("tip", Side::Own, None).unwrap(),
    ),
    (
        "margin of the other side",
        |s| s.set_margin_of("tip", Side::World, 0.1).unwrap(),
        |s| s.set_margin_of("tip", Side::World, None).unwrap(),
    ),
    ("padding", |s| s.set_padding("tip", 0.1).unwrap(), |s| s.set_padding("tip", None).unwrap()),
    ("scale", |s| s.set_scale("tip", 1.1).unwrap(), |s| s.set_scale("tip", None).unwrap()),
    ("hold", |s| s.hold(&[0.1, 0.0, 0.0]).unwrap(), |s| s.hold(&[0.0; 3]).unwrap()),
];

fn world() -> Scene {
    let mut scene = Scene::new(&ball_arm()).unwrap();
    scene.add("a", sphere(0.1), at(1.0)).unwrap();
    scene.add("b", sphere(0.1), at(-1.0)).unwrap();
    scene
}

#[test]
fn every_edit_makes_another_version_and_taking_it_back_the_same() {
    let before = world().version();
    let mut versions = BTreeSet::from([before]);
    for (name, edit, undo) in EDITS {
        let mut scene = world();
        edit(&mut scene);
        assert!(versions.insert(scene.version()), "\"{name}\" gives a version that was met before");
        undo(&mut scene);
        assert_eq!(scene.version(), before, "after \"{name}\" was taken back");
    }
}

#[test]
fn clones_that_were_edited_differently_have_different_versions() {
    let scene = world();
    let (mut left, mut right) = (scene.clone(), scene.clone());
    left.update_pose("a", at(5.0)).unwrap();
    right.update_pose("a", at(6.0)).unwrap();
    assert_ne!(left.version(), right.version());
    assert!(left.version() != scene.version() && right.version() != scene.version());
    right.update_pose("a", at(5.0)).unwrap();
    assert_eq!(left.version(), right.version());
}

/// Two objects that exchange poses, of which one coordinate or sign alone differs: in a plain sum they would cancel.
#[test]
fn objects_that_change_places_are_another_content() {
    let version = |a: Pose, b: Pose| {
        let mut scene = Scene::new(&ball_arm()).unwrap();
        scene.add("a", sphere(0.1), a).unwrap();
        scene.add("b", sphere(0.1), b).unwrap();
        scene.version()
    };
    let turned = |sign: f64| Pose::from_xyz_quat(0.0, 0.0, 2.0, 0.0, 0.0, 0.0, sign).unwrap();
    let poses: Vec<[Pose; 2]> = (0..200)
        .map(|seed| {
            let mut rng = SeededRng::new(seed);
            let (x, y) = (rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0));
            [Pose::from_xyz(x, y, 2.0), Pose::from_xyz(x, y, 2.0_f64.next_up())]
        })
        .chain([[turned(1.0), turned(-1.0)]])
        .collect();
    for (seed, [a, b]) in poses.into_iter().enumerate() {
        let versions = BTreeSet::from([version(a, b), version(b, a), version(a, a), version(b, b)]);
        assert_eq!(versions.len(), 4, "seed {seed}");
    }
}

#[test]
fn the_order_of_edits_and_a_file_change_no_version() {
    let robot = built_in("ur5e");
    let shapes = [
        sphere(0.1),
        Shape::cuboid(0.1, 0.2, 0.3).unwrap(),
        Shape::voxels(&[[0, 0, 0], [1, 0, 0]], 0.05).unwrap(),
        Shape::point_cloud(&[Point3::origin(), Point3::new(0.1, 0.0, 0.0)], 0.05).unwrap(),
        Shape::half_space(nalgebra::Vector3::z(), -2.0).unwrap(),
    ];
    let scene_in = |order: &[usize]| {
        let mut scene = Scene::new(&robot).unwrap();
        for index in order {
            scene.add(&format!("thing {index}"), shapes[*index].clone(), at(*index as f64)).unwrap();
        }
        scene
    };
    let scene = scene_in(&[0, 1, 2, 3]);
    assert_eq!(scene.version(), scene_in(&[3, 1, 0, 2]).version());
    let mut read = Scene::new(&robot).unwrap();
    read.load_string(&scene.to_toml().unwrap(), "scene.toml").unwrap();
    assert_eq!(scene.version(), read.version());
}

#[test]
fn scenes_of_other_robots_and_of_other_limits_differ() {
    let version = |robot: &Arc<kinetic_robot::Robot>| Scene::new(robot).unwrap().version();
    let ur5e = built_in("ur5e");
    let mut faster = kinetic_robot::Robot::clone(&ur5e);
    faster.joint_limits[0].velocity += 1.0;
    let tool = kinetic_robot::Robot::clone(&ur5e).with_tcp("arm", Pose::from_xyz(0.0, 0.0, 0.1)).unwrap();
    let robots = [ur5e, built_in("ur10e"), built_in("franka_panda"), ball_arm(), Arc::new(faster), Arc::new(tool)];
    let versions: BTreeSet<ContentHash> = robots.iter().map(version).collect();
    assert_eq!(versions.len(), robots.len());
    assert_eq!(version(&robots[0]), version(&built_in("ur5e")));
}
