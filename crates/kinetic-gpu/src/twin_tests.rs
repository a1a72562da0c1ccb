//! What the shader of inverse kinematics proposes, step by step, against its twin.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test may panic, and says why it cannot run")]

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, Pose, Shape};
use kinetic_kinematics::KinematicChain;
use kinetic_robot::Robot;
use kinetic_scene::{Margins, Scene};

use crate::batch_ik::{BatchIkOptions, CpuInverseKinematics, GpuInverseKinematics};
use crate::choice::DeviceChoice;
use crate::collision::CollisionOptions;
use crate::device::GpuDevice;

/// Drivers divide by reciprocals, and next to singularities every step enlarges what that differs by.
const TOLERANCE: f32 = 1e-3;

/// Balls around an arm, some of which it touches.
fn among_balls(robot: &Arc<Robot>) -> Scene {
    let (mut scene, mut rng) = (Scene::new(robot).unwrap(), SeededRng::new(8));
    for index in 0..12 {
        let [x, y] = [(); 2].map(|()| rng.uniform(-0.6, 0.6));
        let at = Pose::from_xyz(x, y, rng.uniform(0.0, 0.9));
        scene.add(&format!("ball {index}"), Shape::sphere(0.1).unwrap(), at).unwrap();
    }
    scene
}

#[test]
fn the_first_steps_of_inverse_kinematics_are_those_of_the_twin() {
    let device = match GpuDevice::open(&DeviceChoice::Auto) {
        Ok(device) => device,
        Err(error) => {
            eprintln!("skipped: {error}");
            return;
        }
    };
    let robot = Arc::new(Robot::from_name("franka_panda").unwrap());
    let (chain, scene) = (KinematicChain::auto_detect(&robot).unwrap(), among_balls(&robot));
    let mut rng = SeededRng::new(3);
    let mut target = || {
        let q: Vec<f64> = chain.bounds().iter().map(|(low, high)| rng.uniform(*low, *high)).collect();
        chain.tip_pose(&q)
    };
    let targets: Vec<Pose> = (0..20).map(|_| target()).collect();
    let start: Vec<f64> = chain.bounds().iter().map(|(low, high)| (low + high) / 2.0).collect();
    let collision = CollisionOptions::default();
    for (iterations, in_scene) in [(1, false), (2, false), (2, true), (4, true)] {
        let options = BatchIkOptions { starts: 8, iterations, seed: 5 };
        let mut twin = CpuInverseKinematics::new(&chain, options).unwrap();
        let mut solver = GpuInverseKinematics::new(&device, &chain, options).unwrap();
        if in_scene {
            twin = twin.in_scene(&scene, chain.name(), Margins::ZERO, collision).unwrap();
            solver = solver.in_scene(&scene, chain.name(), Margins::ZERO, collision).unwrap();
        }
        let wanted = twin.propose(&targets, &start);
        let found = solver.propose(&targets, (0, &start), &Control::default()).unwrap();
        assert_eq!(found.len(), wanted.len());
        let worst = found.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        eprintln!("{iterations} steps, in a scene: {in_scene}: {worst:e}");
        assert!(worst < TOLERANCE, "{iterations} steps, in a scene: {in_scene}: {worst}");
    }
}
