//! Worlds that more than one bench measures in.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_robot::Robot;
use kinetic_scene::Scene;
use std::sync::Arc;

/// `count` small spheres at random places of a hollow ball around a robot at `q`. Only where the robot is not: a query that
/// ends at the first contact says nothing about growth.
pub(crate) fn spheres_around(robot: &Arc<Robot>, q: &[f64], count: usize) -> Scene {
    let mut probe = Scene::new(robot).unwrap();
    let mut scene = Scene::new(robot).unwrap();
    let mut rng = SeededRng::new(9);
    let mut added = 0;
    while added < count {
        let [x, y, z] = [0; 3].map(|_| rng.uniform(-0.8, 0.8));
        let pose = Pose::from_xyz(x, y, z + 0.4);
        probe.add("probe", Shape::sphere(0.12).unwrap(), pose).unwrap();
        if !probe.check_collision(q).unwrap() {
            scene.add(&format!("s{added}"), Shape::sphere(0.005).unwrap(), pose).unwrap();
            added += 1;
        }
    }
    scene
}

/// Sixty-four configurations near one.
pub(crate) fn near(q: &[f64]) -> Vec<Vec<f64>> {
    let mut rng = SeededRng::new(10);
    (0..64).map(|_| q.iter().map(|q| q + rng.uniform(-0.05, 0.05)).collect()).collect()
}
