use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_kinematics::JointProgram;
use kinetic_robot::Robot;

use crate::{Checker, Margins, Scene};

/// A forearm and a hand that turns about two axes, with balls that can meet and balls that cannot.
const WRIST: &str = "<robot name=\"wrist\">\
    <link name=\"forearm\">\
    <collision><origin xyz=\"0 0 0\"/><geometry><sphere radius=\"0.05\"/></geometry></collision>\
    <collision><origin xyz=\"0 0 -0.2\"/><geometry><sphere radius=\"0.05\"/></geometry></collision></link>\
    <link name=\"knuckle\"/>\
    <link name=\"hand\">\
    <collision><origin xyz=\"0.14 0 0\"/><geometry><sphere radius=\"0.03\"/></geometry></collision>\
    <collision><origin xyz=\"0.03 0.02 0\"/><geometry><sphere radius=\"0.03\"/></geometry></collision></link>\
    <joint name=\"bend\" type=\"revolute\"><parent link=\"forearm\"/><child link=\"knuckle\"/>\
    <origin xyz=\"0 0 0.1\"/><axis xyz=\"0 1 0\"/><limit lower=\"-2\" upper=\"2\" velocity=\"1\" effort=\"1\"/></joint>\
    <joint name=\"turn\" type=\"continuous\"><parent link=\"knuckle\"/><child link=\"hand\"/>\
    <origin xyz=\"0.02 0 0\" rpy=\"0 0.3 0\"/><axis xyz=\"1 0 0\"/></joint></robot>";

fn robots() -> Vec<Arc<Robot>> {
    let built_in =
        ["ur5e", "franka_panda", "fetch", "abb_yumi_left"].map(|name| Robot::from_name(name).expect("built in"));
    let wrist = Robot::from_urdf_string(WRIST).expect("a robot");
    built_in.into_iter().chain([wrist]).map(Arc::new).collect()
}

#[test]
fn spheres_that_are_called_far_keep_their_distance_in_random_configurations() {
    let samples = if std::env::var_os("KINETIC_FULL").is_some() { 100_000 } else { 2_000 };
    let mut found = 0;
    for robot in robots() {
        let scene = Scene::new(&robot).expect("geometry");
        let (geometry, far) = (scene.geometry(), scene.geometry().sphere_distances(&robot));
        found += far.pairs.len();
        let all: Vec<usize> = (0..robot.active_joints.len()).collect();
        let program = JointProgram::compile(&robot, &all, &robot.neutral_configuration());
        let mut rng = SeededRng::new(3);
        for _ in 0..samples {
            let q: Vec<f64> = robot
                .joint_limits
                .iter()
                .map(|limits| rng.uniform(limits.lower.max(-3.2), limits.upper.min(3.2)))
                .collect();
            let poses = program.link_poses(&q);
            for ((a, b), bounds) in &far.pairs {
                let (of_a, of_b) = (&geometry.links()[*a].spheres, &geometry.links()[*b].spheres);
                for (i, first) in of_a.iter().enumerate() {
                    for (j, second) in of_b.iter().enumerate() {
                        let apart = poses[*a].0 * first.center - poses[*b].0 * second.center;
                        let distance = apart.norm() - first.radius - second.radius;
                        assert!(
                            distance > f64::from(bounds.distance(i, j)) - 1e-9 || bounds.distance(i, j) < 0.0,
                            "{}: spheres {i} of link {a} and {j} of link {b}, {distance} at {q:?}",
                            robot.name
                        );
                    }
                }
            }
        }
    }
    assert!(found >= 5, "{found} pairs of links");
}

#[test]
fn of_a_wrist_just_the_balls_that_cannot_meet_are_far() {
    let robot = Arc::new(Robot::from_urdf_string(WRIST).expect("a robot"));
    let scene = Scene::new(&robot).expect("geometry");
    let bounds = scene.geometry().sphere_distances(&robot).pair((0, 2)).expect("a forearm and a hand");
    // The hand's balls swing around the knuckle within 0.17 m: the forearm's first ball is 0.1 m from it, the second 0.3 m.
    let meets = [0, 1].map(|of_forearm| [0, 1].map(|of_hand| bounds.distance(of_forearm, of_hand) < 0.0));
    assert_eq!(meets, [[true, true], [false, false]], "{bounds:?}");
}

fn checkers(robot: &Arc<Robot>) -> [Checker; 2] {
    let scene = Scene::new(robot).expect("geometry");
    let group = &robot.groups[robot.default_group].name;
    let within = scene.checker_within(group, Margins::ZERO, None).expect("a group");
    [within, scene.checker(group, Margins::ZERO).expect("a group")]
}

#[test]
fn checkers_that_leave_out_far_spheres_answer_as_the_others() {
    let samples = if std::env::var_os("KINETIC_FULL").is_some() { 100_000 } else { 2_000 };
    for robot in robots() {
        let [mut within, mut plain] = checkers(&robot);
        let group = &robot.groups[robot.default_group];
        let mut rng = SeededRng::new(4);
        let mut contacts = 0;
        for _ in 0..samples / 8 {
            let rows: Vec<Vec<f64>> = (0..8).map(|_| robot.random_configuration(group, &mut rng).0).collect();
            let (one, other) = (within.are_free(&rows.concat()), plain.are_free(&rows.concat()));
            assert_eq!(one, other, "{}: {rows:?}", robot.name);
            for (q, is_free) in rows.iter().zip(&one) {
                assert_eq!(within.is_free(q), *is_free, "{}: {q:?}", robot.name);
                contacts += usize::from(!is_free);
            }
            for pair in rows.windows(2) {
                let proofs = [&mut within, &mut plain].map(|checker| checker.is_motion_free(&pair[0], &pair[1]));
                assert_eq!(proofs[0], proofs[1], "{}: {pair:?}", robot.name);
            }
        }
        assert!(contacts > samples / 1000, "{}: {contacts} contacts", robot.name);
    }
}
