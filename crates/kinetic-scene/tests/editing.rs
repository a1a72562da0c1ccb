//! Editing, cloning, sizes and bad numbers.

use kinetic_core::{KineticError, Pose, Shape};
use kinetic_scene::{Margins, Scene};

use crate::support::{ball_arm, built_in};

#[test]
fn a_clone_is_independent_of_what_it_was_made_from() {
    let robot = ball_arm();
    let mut scene = Scene::new(&robot).unwrap();
    scene.add("a", Shape::sphere(0.1).unwrap(), Pose::from_xyz(1.1, 0.0, 0.1)).unwrap();
    let snapshot = scene.clone();
    let version = scene.version();
    scene.update_pose("a", Pose::from_xyz(5.0, 0.0, 0.0)).unwrap();
    assert_ne!(scene.version(), version);
    assert_eq!(snapshot.version(), version);
    assert!(snapshot.check_collision(&[0.0; 3]).unwrap());
    assert!(!scene.check_collision(&[0.0; 3]).unwrap());
    assert!(scene.remove("a"));
    assert!(!scene.remove("a"));
    assert!(scene.update_pose("a", Pose::identity()).unwrap_err().to_string().starts_with("ObjectNotFound"));
}

#[test]
fn adding_a_name_again_replaces_the_object() {
    let mut scene = Scene::new(&ball_arm()).unwrap();
    for x in [1.1, 3.0] {
        scene.add("a", Shape::sphere(0.1).unwrap(), Pose::from_xyz(x, 0.0, 0.1)).unwrap();
    }
    assert_eq!(scene.objects().len(), 1);
    assert!(!scene.check_collision(&[0.0; 3]).unwrap());
}

#[test]
fn objects_of_the_usual_shapes_are_added_in_one_call() {
    // The last ball of the stretched arm: radius 0.03 at (1.1, 0, 0.1), 0.13 beyond the next one.
    let mut scene = Scene::new(&ball_arm()).unwrap();
    let distance = |scene: &Scene| scene.min_distance(&[0.0; 3]).unwrap();
    for (axis, gap) in [(0, 0.01), (1, 0.02), (2, 0.03), (0, -0.001), (1, -0.001), (2, -0.001)] {
        let (mut size, mut middle) = ([0.06; 3], [1.1, 0.0, 0.1]);
        size[axis] = 0.2;
        middle[axis] += 0.03 + 0.1 + gap;
        scene.add_box("thing", size, Pose::from_xyz(middle[0], middle[1], middle[2])).unwrap();
        let by_size = distance(&scene);
        let half_extents = size.map(|length| length / 2.0);
        scene.add_cuboid("thing", half_extents, Pose::from_xyz(middle[0], middle[1], middle[2])).unwrap();
        assert_eq!(distance(&scene), by_size, "axis {axis}");
        assert!((distance(&scene) - gap).abs() < 1e-9, "axis {axis}: {} for {gap}", distance(&scene));
        let contacts = scene.contact_points(&[0.0; 3]).unwrap();
        assert_eq!(contacts.len(), usize::from(gap < 0.0), "{contacts:?}");
    }
    scene.add_sphere("thing", 0.1, [1.1, 0.0, 0.1 + 0.03 + 0.1 + 0.05]).unwrap();
    assert!((distance(&scene) - 0.05).abs() < 1e-9);
    scene.add_cylinder("thing", 0.05, 0.1, Pose::from_xyz(1.1, 0.0, 0.1 + 0.03 + 0.1 + 0.07)).unwrap();
    assert!((distance(&scene) - 0.07).abs() < 1e-6 && scene.objects().len() == 1);
    assert!(scene.add_box("thing", [1.0, 0.0, 1.0], Pose::identity()).unwrap_err().is_input_error());
    assert!(scene.add_sphere("", 0.1, [0.0; 3]).unwrap_err().to_string().contains("at least one character"));
}

#[test]
fn wrong_sizes_nan_and_negative_margins_are_refused() {
    let scene = Scene::new(&ball_arm()).unwrap();
    assert!(matches!(scene.check_collision(&[0.0; 2]), Err(KineticError::DimensionMismatch { got: 2, .. })));
    assert!(matches!(scene.min_distance(&[0.0, f64::NAN, 0.0]), Err(KineticError::NotFinite { index: 1, .. })));
    assert!(scene.checker("arm", Margins::new(-0.1, 0.0)).unwrap_err().is_input_error());
    assert!(scene.checker("arm", Margins::new(0.0, f64::NAN)).unwrap_err().is_input_error());
    assert!(matches!(scene.checker("leg", Margins::ZERO), Err(KineticError::GroupNotFound { .. })));
    let mut scene = scene;
    assert!(
        scene.add("a", Shape::sphere(0.1).unwrap(), Pose::from_xyz(f64::NAN, 0.0, 0.0)).unwrap_err().is_input_error()
    );
}

#[test]
fn a_robot_length_configuration_places_the_joints_outside_the_group() {
    let robot = built_in("fetch");
    let mut scene = Scene::new(&robot).unwrap();
    let arm = robot.group("arm").unwrap();
    let mut full = robot.neutral_configuration();
    let head = robot.active_joints.iter().position(|j| robot.joints[*j].name == "head_pan_joint").unwrap();
    full[head] = 0.7;
    let before = scene.link_poses(&robot.neutral_configuration()).unwrap();
    let after = scene.link_poses(&full).unwrap();
    let link = robot.link_index("head_tilt_link").unwrap();
    assert!(before[link].rotation_distance(&after[link]) > 0.5);
    scene.hold(&full).unwrap();
    assert_eq!(scene.held(), full);
    assert_eq!(scene.checker("arm", Margins::ZERO).unwrap().dof(), arm.dof());
    assert!(scene.hold(&full[1..]).is_err());
}

#[test]
fn questions_after_an_edit_are_about_what_is_there_then() {
    // What was compiled for one question serves the next, but not across edits, clones that were edited, or other joints.
    let mut robot = kinetic_robot::Robot::clone(&built_in("fetch"));
    robot.default_group = robot.groups.iter().position(|group| group.name == "arm").unwrap();
    let robot = std::sync::Arc::new(robot);
    let mut scene = Scene::new(&robot).unwrap();
    let q = robot.mid_configuration(robot.group("arm").unwrap());
    let scene_again = scene.clone();
    let mut full = robot.neutral_configuration();
    for (variable, value) in robot.group("arm").unwrap().variables.iter().zip(q.iter()) {
        full[*variable] = *value;
    }
    let torso = robot.active_joints.iter().position(|j| robot.joints[*j].name == "torso_lift_joint").unwrap();
    let fresh = |scene: &Scene, q: &[f64]| {
        let mut again = Scene::new(&robot).unwrap();
        again.load_string(&scene.to_toml().unwrap(), "copy").unwrap();
        again.min_distance(q).unwrap()
    };
    for step in 0..4 {
        for lift in [0.0, 0.2] {
            full[torso] = lift;
            assert_eq!(scene.min_distance(&full).unwrap(), fresh(&scene, &full), "step {step} lift {lift}");
            assert_eq!(scene.min_distance(&q).unwrap(), fresh(&scene, &q), "step {step}");
        }
        let name = format!("ball{step}");
        scene.add(&name, Shape::sphere(0.05).unwrap(), Pose::from_xyz(1.0, 0.2 * f64::from(step), 1.0)).unwrap();
    }
    assert_eq!(scene_again.min_distance(&q).unwrap(), f64::INFINITY);
}
