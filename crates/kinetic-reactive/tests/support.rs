//! Robots, scenes and random commands.

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_robot::Robot;
use kinetic_scene::{LiveScene, Margins, Scene};

pub(crate) fn scene_of(robot: &str) -> Scene {
    Scene::new(&Arc::new(Robot::from_name(robot).unwrap())).unwrap()
}

pub(crate) fn live(scene: Scene) -> LiveScene {
    LiveScene::new(scene)
}

/// Boxes and balls around the robot, and a configuration that is at least `clearance` from all of them.
pub(crate) fn cluttered(robot: &str, objects: usize, clearance: f64, rng: &mut SeededRng) -> (Scene, Vec<f64>) {
    loop {
        let scene = random_scene(robot, objects, rng);
        if let Some(q) = free_configuration(&scene, clearance, rng) {
            return (scene, q);
        }
    }
}

fn random_scene(robot: &str, objects: usize, rng: &mut SeededRng) -> Scene {
    let mut scene = scene_of(robot);
    for index in 0..objects {
        let (radius, angle) = (rng.uniform(0.3, 1.0), rng.uniform(-3.0, 3.0));
        let pose = Pose::from_xyz(radius * angle.cos(), radius * angle.sin(), rng.uniform(-0.2, 1.2));
        let shape = if rng.below(2) == 0 {
            Shape::box_from_size(rng.uniform(0.05, 0.3), rng.uniform(0.05, 0.3), rng.uniform(0.05, 0.3)).unwrap()
        } else {
            Shape::sphere(rng.uniform(0.03, 0.15)).unwrap()
        };
        scene.add(&format!("object {index}"), shape, pose).unwrap();
    }
    scene
}

pub(crate) fn free_configuration(scene: &Scene, clearance: f64, rng: &mut SeededRng) -> Option<Vec<f64>> {
    let robot = scene.robot();
    let group = robot.group_or_default(None).unwrap();
    let ranges = robot.position_limits(group);
    let mut checker = scene.checker(&group.name, Margins::new(clearance, 0.0)).unwrap();
    let mut draw = || ranges.iter().map(|(low, high)| rng.uniform(low.max(-3.0), high.min(3.0))).collect::<Vec<f64>>();
    (0..200).map(|_| draw()).find(|q| checker.is_free(q))
}
