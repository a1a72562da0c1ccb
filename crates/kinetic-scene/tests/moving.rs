//! Objects that move: checkers that take over the moves answer as those of a new scene do.

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_robot::Robot;
use kinetic_scene::{Margins, Scene, Side};
use nalgebra::{Point3, Vector3};

use crate::cases;
use crate::support::{ball_arm, boxes, built_in, random_configuration};

/// A shape of any kind.
fn shape(rng: &mut SeededRng) -> Shape {
    let mut size = || rng.uniform(0.02, 0.2);
    let corners = [[0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.2]];
    let (a, b, c) = (size(), size(), size());
    match rng.below(7) {
        0 => Shape::sphere(a),
        1 => Shape::capsule(a, b),
        2 => Shape::cylinder(a, b),
        3 => Shape::convex(&corners.map(Point3::from), 0.0),
        4 => Shape::half_space(Vector3::new(a, b, c), -2.0),
        5 => Shape::mesh(&corners.map(Point3::from), &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], true),
        _ => Shape::cuboid(a, b, c),
    }
    .unwrap()
}

/// Mostly near the robot, sometimes where nothing reaches it or single precision ends.
fn pose(rng: &mut SeededRng) -> Pose {
    let (near, _) = boxes(rng, 1)[0];
    match rng.below(400) {
        0..20 => Pose::from_xyz(50.0, 0.0, 0.0) * near,
        20 => Pose::from_xyz(0.0, 1e9, 0.0) * near,
        _ => near,
    }
}

/// The same content, built at once.
fn anew(scene: &Scene) -> Scene {
    let mut new = Scene::new(scene.robot()).unwrap();
    for (name, object) in scene.objects() {
        new.add(name, object.shape.clone(), object.pose).unwrap();
    }
    let stated = scene.margins();
    for (name, side, margin) in stated.names() {
        new.set_margin_of(name, side, margin).unwrap();
    }
    for (a, b) in scene.allowed().pairs() {
        new.allow_collision(a, b).unwrap();
    }
    new
}

/// Everything that a scene is asked, to the last bit.
fn answers(scene: &Scene, q: &[f64], to: &[f64]) -> String {
    let margins = Margins::new(0.02, 0.0);
    let many: Vec<f64> = [q, to].concat();
    [
        format!("{:?}", scene.check_collision(q)),
        format!("{:?}", scene.min_distance(q)),
        format!("{:?}", scene.contacts(q, 0.05)),
        format!("{:?}", scene.link_clearances(q)),
        format!("{:?}", scene.distance_gradient(q)),
        format!("{:?}", scene.check_motion(q, to)),
        format!("{:?}", scene.are_free(&many, q.len(), margins)),
        format!("{:?}", scene.version()),
    ]
    .join("\n")
}

/// What a planner's checker says, the work for it too.
fn proven(scene: &Scene, q: &[f64], to: &[f64]) -> String {
    let group = scene.robot().groups[scene.robot().default_group].name.clone();
    let ask = |checker: &mut kinetic_scene::Checker| {
        let before = checker.checks();
        let said = (checker.is_free(q), checker.is_motion_free(q, to), checker.first_contact(q, to));
        format!("{said:?} {:?} {}", checker.clearance(q), checker.checks() - before)
    };
    scene.ask_checker_within(&group, Margins::ZERO, None, ask).unwrap()
}

fn agrees(robot: &Arc<Robot>, seed: u64, steps: usize) {
    let mut rng = SeededRng::new(seed);
    let count = [6, 20, 60][rng.below(3)];
    let mut scene = Scene::new(robot).unwrap();
    for index in 0..count {
        scene.add(&format!("thing {index}"), shape(&mut rng), pose(&mut rng)).unwrap();
    }
    if seed % 2 == 1 {
        let link = robot.links[robot.links.len() / 2].name.clone();
        scene.set_margin_of("thing 1", Side::World, 0.05).unwrap();
        scene.allow_collision(&link, "thing 2").unwrap();
    }
    for step in 0..steps {
        // Sometimes more than are taken over one by one.
        let moves = if rng.below(20) == 0 { 100 } else { 1 };
        for _ in 0..moves {
            let name = format!("thing {}", rng.below(count));
            scene.update_pose(&name, pose(&mut rng)).unwrap();
        }
        let new = anew(&scene);
        let (q, to) = (random_configuration(robot, &mut rng), random_configuration(robot, &mut rng));
        let case = format!("{}, seed {seed}, step {step}", robot.name);
        assert_eq!(answers(&scene, &q, &to), answers(&new, &q, &to), "{case}");
        assert_eq!(proven(&scene, &q, &to), proven(&new, &q, &to), "{case}");
        // A clone keeps its own world, and the checkers with it.
        let kept = (step % 7 == 0).then(|| (scene.clone(), answers(&scene, &q, &to)));
        if let Some((clone, said)) = kept {
            scene.update_pose("thing 0", pose(&mut rng)).unwrap();
            assert_eq!(answers(&scene, &q, &to), answers(&anew(&scene), &q, &to), "{case}, after a clone");
            assert_eq!(answers(&clone, &q, &to), said, "{case}, a clone");
        }
    }
}

#[test]
fn answers_after_moves_are_those_of_a_new_scene() {
    for seed in 0..cases(6, 400) as u64 {
        for robot in [ball_arm(), built_in("franka_panda"), built_in("ur5e")] {
            agrees(&robot, seed, 20);
        }
    }
    // Here a proof takes more work among the trees of before.
    agrees(&built_in("franka_panda"), 74, 20);
}

/// Small balls beside the base, where every link reaches.
fn with_balls(robot: &Arc<Robot>, count: usize) -> Scene {
    let mut scene = Scene::new(robot).unwrap();
    for index in 0..count {
        let angle = 0.1 * index as f64;
        let pose = Pose::from_xyz(0.3 * angle.cos(), 0.3 * angle.sin(), 0.02 * (index % 5) as f64);
        scene.add(&format!("ball {index:02}"), Shape::sphere(0.01).unwrap(), pose).unwrap();
    }
    scene
}

#[test]
fn an_object_is_seen_where_it_moves_and_no_more_where_it_was() {
    let robot = built_in("ur5e");
    let mut rng = SeededRng::new(11);
    // A few are looked at side by side, more in a tree.
    for count in [6, 30, 60] {
        let mut scene = with_balls(&robot, count);
        let group = robot.groups[robot.default_group].name.clone();
        for step in 0..cases(40, 2_000) {
            let (q, to) = (random_configuration(&robot, &mut rng), random_configuration(&robot, &mut rng));
            if scene.check_collision(&q).unwrap() {
                continue;
            }
            let name = format!("ball {:02}", rng.below(count));
            let rest = scene.object(&name).unwrap().pose;
            let links = ["wrist_1_link", "wrist_2_link", "forearm_link"];
            let link = robot.link_index(links[rng.below(3)]).unwrap();
            scene.update_pose(&name, scene.link_poses(&q).unwrap()[link]).unwrap();
            let case = format!("{count} balls, step {step}, {name} at {q:?}");
            assert!(scene.check_collision(&q).unwrap(), "{case}");
            assert!(scene.min_distance(&q).unwrap() < 0.0, "{case}");
            assert!(scene.contacts(&q, 0.0).unwrap().iter().any(|contact| contact.pair.other == name), "{case}");
            assert_eq!(scene.are_free(&q, q.len(), Margins::ZERO).unwrap(), [false], "{case}");
            let free = scene.ask_checker_within(&group, Margins::ZERO, None, |checker| checker.is_free(&q)).unwrap();
            assert!(!free, "{case}");
            assert_eq!(proven(&scene, &to, &q), proven(&anew(&scene), &to, &q), "{case}");
            scene.update_pose(&name, rest).unwrap();
            assert!(!scene.check_collision(&q).unwrap(), "{case}, which is back");
        }
    }
}

#[test]
fn of_two_objects_at_the_same_place_the_same_one_is_named_whatever_moved() {
    let robot = built_in("ur5e");
    let mut rng = SeededRng::new(12);
    for step in 0..cases(60, 3_000) {
        let mut scene = with_balls(&robot, 20);
        let shape = shape(&mut rng);
        for name in ["ball 05", "ball 15", "ball 10"] {
            let beside = boxes(&mut rng, 1)[0].0;
            scene.add(name, shape.clone(), Pose::from_xyz(0.2, 0.0, 0.0) * beside).unwrap();
        }
        let (q, to) = (random_configuration(&robot, &mut rng), random_configuration(&robot, &mut rng));
        let _ = answers(&scene, &q, &to);
        let place = boxes(&mut rng, 1)[0].0;
        for name in ["ball 10", "ball 05", "ball 15"] {
            scene.update_pose(name, place).unwrap();
        }
        let new = anew(&scene);
        let said = |scene: &Scene| [answers(scene, &q, &to), proven(scene, &q, &to)];
        let (given, expected) = (said(&scene), said(&new));
        assert_eq!(given, expected, "step {step}, {shape:?} at {place:?}");
    }
}

#[test]
fn an_object_that_nothing_reached_is_seen_where_it_comes_to() {
    let robot = built_in("ur5e");
    let mut scene = Scene::new(&robot).unwrap();
    for index in 0..40 {
        scene
            .add(&format!("far {index}"), Shape::sphere(0.1).unwrap(), Pose::from_xyz(9.0, 0.0, 0.3 * f64::from(index)))
            .unwrap();
    }
    let q = robot.neutral_configuration();
    assert!(!scene.check_collision(&q).unwrap());
    let elbow = scene.link_poses(&q).unwrap()[robot.link_index("wrist_1_link").unwrap()];
    for index in (0..40).rev() {
        let name = format!("far {index}");
        scene.update_pose(&name, elbow).unwrap();
        assert!(scene.check_collision(&q).unwrap(), "{name} is not seen");
        scene.update_pose(&name, Pose::from_xyz(9.0, 0.0, 0.0)).unwrap();
        assert!(!scene.check_collision(&q).unwrap(), "{name} is still seen");
    }
}
