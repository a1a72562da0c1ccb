//! Attached bodies and allowed contacts are seen by every query.

use std::sync::Arc;

use kinetic_core::{KineticError, Payload, Pose, Shape};
use kinetic_robot::Robot;
use kinetic_robot::srdf::SrdfModel;
use kinetic_scene::{LiveScene, Margins, Scene};
use nalgebra::{Matrix3, Vector3};

use crate::support::{ball_arm, built_in};

#[test]
fn an_attached_body_collides_with_the_world_in_every_query() {
    let robot = ball_arm();
    let mut scene = Scene::new(&robot).unwrap();
    scene.add("wall", Shape::cuboid(0.05, 1.0, 1.0).unwrap(), Pose::from_xyz(1.5, 0.0, 0.1)).unwrap();
    let q = [0.0; 3];
    assert!(!scene.check_collision(&q).unwrap());
    let stick = Shape::capsule(0.01, 0.2).unwrap();
    // Along the link's x axis, from 0.1 to 0.5 beyond the tip joint: reaches x = 1.51.
    let pose = Pose::from_xyz_rpy(0.3, 0.0, 0.0, 0.0, std::f64::consts::FRAC_PI_2, 0.0);
    scene.attach("stick", stick, pose, "tip", &[]).unwrap();
    assert!(scene.check_collision(&q).unwrap());
    assert!((scene.min_distance(&q).unwrap() - (1.45 - 1.51)).abs() < 1e-6);
    assert_eq!(scene.contacts(&q, 0.0).unwrap()[0].pair.link, "stick");
    // A turn of the last joint swings the stick through the wall's near face.
    let contact = scene.check_motion(&[0.0, 0.0, 1.2], &[0.0, 0.0, 0.0]).unwrap();
    assert!(contact.is_some());
    assert!(scene.detach("stick", Pose::from_xyz(0.0, 0.0, 3.0)).unwrap());
    assert!(!scene.check_collision(&q).unwrap());
    assert_eq!(scene.objects().len(), 2);
}

#[test]
fn attaching_an_existing_object_keeps_its_pose_in_the_world() {
    let robot = built_in("ur5e");
    let mut scene = Scene::new(&robot).unwrap();
    let q = [0.3, -1.2, 1.1, -1.0, -1.5, 0.2];
    let tool = scene.link_poses(&q).unwrap()[robot.link_index("tool0").unwrap()];
    let object = tool * Pose::from_xyz(0.0, 0.0, 0.05);
    scene.add("box", Shape::cuboid(0.02, 0.02, 0.04).unwrap(), object).unwrap();
    scene.attach_existing("box", "tool0", &q, Some(&["wrist_3_link"])).unwrap();
    assert!(scene.objects().is_empty());
    let attached = &scene.attached()["box"];
    let pose = tool * attached.link_from_shape;
    assert!(pose.translation_distance(&object) < 1e-12);
    assert!(!scene.check_collision(&q).unwrap());
}

#[test]
fn allowed_pairs_are_not_checked_until_disallowed() {
    let robot = ball_arm();
    let mut scene = Scene::new(&robot).unwrap();
    scene.add("ball", Shape::sphere(0.2).unwrap(), Pose::from_xyz(1.1, 0.0, 0.1)).unwrap();
    let q = [0.0; 3];
    assert!(scene.check_collision(&q).unwrap());
    scene.allow_collision("tip", "ball").unwrap();
    assert!(scene.check_collision(&q).unwrap(), "the lower arm still touches");
    scene.allow_collision("ball", "lower").unwrap();
    assert!(!scene.check_collision(&q).unwrap());
    let mut checker = scene.checker("arm", Margins::ZERO).unwrap();
    assert!(checker.is_motion_free(&[-0.1, 0.0, 0.0], &[0.1, 0.0, 0.0]));
    scene.disallow_collision("ball", "tip").unwrap();
    assert!(scene.check_collision(&q).unwrap());
}

#[test]
fn unknown_names_and_unbounded_bodies_are_refused() {
    let robot = ball_arm();
    let mut scene = Scene::new(&robot).unwrap();
    let ball = || Shape::sphere(0.1).unwrap();
    let error = scene.attach("a", ball(), Pose::identity(), "nowhere", &[]).unwrap_err();
    assert!(matches!(error, KineticError::LinkNotFound { .. }), "{error}");
    let error = scene.allow_collision("tip", "nothing").unwrap_err();
    assert!(matches!(error, KineticError::ObjectNotFound { .. }), "{error}");
    for error in [scene.allow_collision("tip", "tip"), scene.disallow_collision("tip", "tip")].map(Result::unwrap_err) {
        assert!(matches!(error, KineticError::InvalidValue { .. }), "{error}");
    }
    let floor = Shape::half_space(nalgebra::Vector3::z(), 0.0).unwrap();
    assert!(scene.attach("floor", floor, Pose::identity(), "tip", &[]).unwrap_err().is_input_error());
    scene.attach("a", ball(), Pose::identity(), "tip", &[]).unwrap();
    assert!(scene.attach("a", ball(), Pose::identity(), "tip", &[]).unwrap_err().is_input_error());
    assert!(scene.add("tip", ball(), Pose::identity()).unwrap_err().is_input_error());
}

#[test]
fn the_mass_of_a_body_is_content_and_survives_files_and_leaves_the_others_as_they_were() {
    let robot = ball_arm();
    let mut scene = Scene::new(&robot).unwrap();
    scene.attach("a", Shape::sphere(0.1).unwrap(), Pose::from_xyz(0.0, 0.0, 0.2), "tip", &[]).unwrap();
    let without = scene.version();
    assert_eq!(scene.payloads().count(), 0);
    let payload = Payload::new(2.5, Vector3::new(0.0, 0.1, 0.0), Matrix3::from_diagonal_element(0.01)).unwrap();
    scene.set_payload("a", Some(payload)).unwrap();
    assert_ne!(scene.version(), without);
    let found: Vec<_> = scene.payloads().collect();
    assert_eq!(found, [("tip", &Pose::from_xyz(0.0, 0.0, 0.2), &payload)]);

    let mut again = Scene::new(&robot).unwrap();
    again.load_string(&scene.to_toml().unwrap(), "scene.toml").unwrap();
    assert_eq!((again.version(), again.attached()["a"].payload), (scene.version(), Some(payload)));

    scene.set_payload("a", None).unwrap();
    assert_eq!(scene.version(), without);
    let error = scene.set_payload("b", Some(payload)).unwrap_err();
    assert!(matches!(error, KineticError::ObjectNotFound { .. }), "{error}");
    for text in ["payload = { mass = 1.0 }", "link = \"tip\"\npayload = { mass = -1.0 }"] {
        let text = format!("[[object]]\nname = \"c\"\nshape = \"sphere\"\nradius = 0.1\n{text}\n");
        let error = again.load_string(&text, "scene.toml").unwrap_err();
        assert!(error.to_string().contains("payload"), "{error}");
    }
}

#[test]
fn a_live_scene_tells_that_the_mass_of_a_body_changed() {
    let live = LiveScene::new(Scene::new(&ball_arm()).unwrap());
    live.attach("a", Shape::sphere(0.1).unwrap(), Pose::identity(), "tip", &[]).unwrap();
    let before = live.snapshot();
    live.set_payload("a", Some(Payload::point(1.0, Vector3::zeros()).unwrap())).unwrap();
    let after = live.snapshot();
    assert_ne!(before.version(), after.version());
    assert_eq!(after.payloads().count(), 1);
}

/// An arm of two joints with a hand of two fingers, along x.
fn gripper_arm() -> Arc<Robot> {
    let link = |name: &str, x: f64| {
        format!(
            "<link name=\"{name}\"><collision><origin xyz=\"{x} 0 0\"/><geometry><sphere radius=\"0.01\"/></geometry></collision></link>"
        )
    };
    let joint = |name: &str, kind: &str, parent: &str, child: &str, at: &str| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/><origin xyz=\"{at}\"/>\
             <axis xyz=\"0 0 1\"/><limit lower=\"-2\" upper=\"2\" velocity=\"1\" effort=\"1\"/></joint>"
        )
    };
    let links = ["base", "upper", "lower", "palm", "left", "right"].map(|name| link(name, 0.0));
    let joints = [
        joint("shoulder", "revolute", "base", "upper", "0 0 1"),
        joint("elbow", "revolute", "upper", "lower", "0.4 0 0"),
        joint("mount", "fixed", "lower", "palm", "0.4 0 0"),
        joint("left_finger", "prismatic", "palm", "left", "0.1 0.03 0"),
        joint("right_finger", "prismatic", "palm", "right", "0.1 -0.03 0"),
    ];
    let urdf = format!("<robot name=\"gripper_arm\">{}{}</robot>", links.concat(), joints.concat());
    let srdf = "<robot name=\"gripper_arm\"><group name=\"arm\"><chain base_link=\"base\" tip_link=\"palm\"/></group>\
                <group name=\"fingers\"><joint name=\"left_finger\"/><joint name=\"right_finger\"/></group></robot>";
    let mut robot = Robot::from_urdf_string(&urdf).unwrap();
    SrdfModel::from_string(srdf).unwrap().apply_to_robot(&mut robot).unwrap();
    Arc::new(robot)
}

#[test]
fn without_touch_links_those_of_the_hand_may_touch_a_body() {
    let robot = gripper_arm();
    let names = |link: &str| -> Vec<String> {
        let hand = robot.hand_links(robot.link_index(link).unwrap());
        hand.into_iter().map(|link| robot.links[link].name.clone()).collect()
    };
    for link in ["lower", "palm", "left", "right"] {
        assert_eq!(names(link), ["lower", "palm", "left", "right"], "{link}");
    }
    assert_eq!(names("upper"), ["upper"]);
    assert_eq!(names("base"), ["base"]);
    // A block between the fingers, which it touches.
    let mut scene = Scene::new(&robot).unwrap();
    scene.add("block", Shape::cuboid(0.02, 0.025, 0.02).unwrap(), Pose::from_xyz(0.9, 0.0, 1.0)).unwrap();
    let q = [0.0; 2];
    let mut strict = scene.clone();
    let found = scene.attach_existing("block", "palm", &q, None).unwrap();
    assert_eq!(found.touch_links, ["lower", "left", "right"]);
    assert!(!scene.check_collision(&q).unwrap());
    let found = strict.attach_existing("block", "palm", &q, Some(&[])).unwrap();
    assert!(found.touch_links.is_empty() && strict.version() != scene.version());
    // The rest of the arm stays an obstacle.
    let mut long = Scene::new(&robot).unwrap();
    long.add("rod", Shape::cuboid(0.95, 0.005, 0.005).unwrap(), Pose::from_xyz(0.9, 0.0, 1.0)).unwrap();
    long.attach_existing("rod", "palm", &q, None).unwrap();
    assert!(long.check_collision(&q).unwrap(), "it reaches the upper arm");
}

#[test]
fn a_body_is_released_from_what_it_stands_on_and_not_drawn_through_it() {
    let robot = gripper_arm();
    let mut scene = Scene::new(&robot).unwrap();
    let q = [0.0; 2];
    // A table at y below the block: the arm swings in the plane. Two millimetres are between them, and 50 to the wall.
    scene.add("block", Shape::cuboid(0.02, 0.025, 0.02).unwrap(), Pose::from_xyz(0.9, 0.0, 1.0)).unwrap();
    scene.add("table", Shape::cuboid(0.3, 0.1, 0.3).unwrap(), Pose::from_xyz(0.9, -0.127, 1.0)).unwrap();
    scene.add("wall", Shape::cuboid(0.3, 0.1, 0.3).unwrap(), Pose::from_xyz(0.9, 0.175, 1.0)).unwrap();
    scene.allow_collision("right", "table").unwrap();
    let before = scene.clone();
    let found = scene.attach_existing("block", "palm", &q, None).unwrap();
    assert_eq!(found.released.len(), 1);
    let (table, margin) = &found.released[0];
    assert!(table == "table" && (margin - 0.001).abs() < 1e-6, "{found:?}");
    assert!(found.touching.is_empty());
    let mut checker = scene.checker("arm", Margins::new(0.01, 0.0)).unwrap();
    assert!(checker.is_free(&q), "a margin of a centimetre does not count");
    assert!(checker.is_motion_free(&q, &[0.02, 0.0]));
    // A turn by -0.01 rad lowers the block by 9 mm: through the table.
    assert!(!checker.is_motion_free(&q, &[-0.01, 0.0]) && !checker.is_motion_free(&q, &[-0.002, 0.0]));
    // A scene that was saved meanwhile knows it too.
    let mut loaded = Scene::new(&robot).unwrap();
    loaded.load_string(&scene.to_toml().unwrap(), "scene.toml").unwrap();
    assert_eq!(loaded.version(), scene.version());
    assert_eq!(loaded.to_toml().unwrap(), scene.to_toml().unwrap());
    loaded.detach("block", Pose::from_xyz(0.9, 0.0, 1.0)).unwrap();
    assert_eq!(loaded.version(), before.version());
    // Put down where it was, nothing is left of it.
    scene.detach("block", Pose::from_xyz(0.9, 0.0, 1.0)).unwrap();
    assert_eq!(scene.version(), before.version());
    // What is stated stays; what touches is named.
    let mut stated = before.clone();
    stated.set_margin("block", "table", 0.0015).unwrap();
    assert!(stated.attach_existing("block", "palm", &q, None).unwrap().released.is_empty());
    let mut touching = before.clone();
    touching.update_pose("table", Pose::from_xyz(0.9, -0.125, 1.0)).unwrap();
    let found = touching.attach_existing("block", "palm", &q, None).unwrap();
    assert_eq!((found.released.len(), found.touching), (0, vec!["table".to_owned()]));
    // A call that fails changes nothing.
    let version = touching.version();
    assert!(touching.attach_existing("wall", "nowhere", &q, None).is_err());
    assert_eq!(touching.version(), version);
}

#[test]
fn ghosts_may_be_touched_until_they_are_solid_removed_or_attached() {
    let robot = ball_arm();
    let solid = {
        let mut scene = Scene::new(&robot).unwrap();
        scene.add("ball", Shape::sphere(0.2).unwrap(), Pose::from_xyz(1.1, 0.0, 0.1)).unwrap();
        scene
    };
    let q = [0.0; 3];
    assert!(solid.check_collision(&q).unwrap());
    let mut scene = solid.clone();
    scene.set_ghost("ball", true).unwrap();
    assert!(scene.is_ghost("ball") && !scene.check_collision(&q).unwrap());
    assert_eq!(scene.min_distance(&q).unwrap(), f64::INFINITY);
    assert!(scene.checker("arm", Margins::ZERO).unwrap().is_motion_free(&[-0.1, 0.0, 0.0], &[0.1, 0.0, 0.0]));
    let reasons: Vec<String> =
        scene.explain(&q, Margins::ZERO, 0.5).unwrap().unchecked.into_iter().map(|pair| pair.reason).collect();
    assert!(reasons.iter().any(|reason| reason == "the object is a ghost"), "{reasons:?}");
    // Its version and its file are others, and come back alike.
    assert_ne!(scene.version(), solid.version());
    let mut read = Scene::new(&robot).unwrap();
    read.load_string(&scene.to_toml().unwrap(), "ghost.toml").unwrap();
    assert!(read.is_ghost("ball") && read.version() == scene.version());
    assert!(scene.diff(&solid).unwrap().allowed);
    // Moved or replaced it stays a ghost.
    scene.update_pose("ball", Pose::from_xyz(1.0, 0.0, 0.1)).unwrap();
    scene.add("ball", Shape::sphere(0.3).unwrap(), Pose::from_xyz(1.1, 0.0, 0.1)).unwrap();
    assert!(!scene.check_collision(&q).unwrap());
    scene.set_ghost("ball", false).unwrap();
    assert!(scene.check_collision(&q).unwrap());
    // A new object under the name of a ghost that went is solid, and so is what is attached.
    for end in [|scene: &mut Scene| assert!(scene.remove("ball")), Scene::clear] {
        scene.set_ghost("ball", true).unwrap();
        end(&mut scene);
        scene.add("ball", Shape::sphere(0.2).unwrap(), Pose::from_xyz(1.1, 0.0, 0.1)).unwrap();
        assert!(scene.check_collision(&q).unwrap());
    }
    assert_eq!(scene.version(), solid.version());
    scene.set_ghost("ball", true).unwrap();
    scene.attach_existing("ball", "tip", &q, Some(&[])).unwrap();
    assert!(scene.ghosts().next().is_none() && scene.check_collision(&q).unwrap());
    for name in ["ball", "tip", "nothing"] {
        assert!(matches!(scene.set_ghost(name, true).unwrap_err(), KineticError::ObjectNotFound { .. }), "{name}");
    }
    let text = "[[object]]\nname = \"a\"\nshape = \"sphere\"\nradius = 0.1\nlink = \"tip\"\nghost = true\n";
    assert!(scene.load_string(text, "bad.toml").unwrap_err().to_string().contains("ghost"));
}
