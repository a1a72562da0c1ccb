//! Attached bodies and allowed contacts are seen by every query.

use kinetic_core::{KineticError, Payload, Pose, Shape};
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
    scene.attach_existing("box", "tool0", &q, &["wrist_3_link"]).unwrap();
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
