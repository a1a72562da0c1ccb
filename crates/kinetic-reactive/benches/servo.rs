//! What does a tick of a servo cost, the proof of its stop included?
//!
//!     cargo bench -p kinetic-reactive --bench servo
//!
//! The arm moves to and fro, half a second each way, among boxes at 5 cm to 1 m from it. Inputs are drawn by fixed seeds.
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape, Twist};
use kinetic_reactive::differential_ik::{TwistCommand, TwistFrame};
use kinetic_reactive::{Servo, ServoConfig};
use kinetic_robot::Robot;
use kinetic_scene::{LiveScene, Scene};
use nalgebra::Vector3;

/// Ticks in one direction.
const HALF_PERIOD: usize = 250;

fn surrounded(robot: &Arc<Robot>, q: &[f64], boxes: usize) -> LiveScene {
    let (mut scene, mut rng) = (Scene::new(robot).unwrap(), SeededRng::new(1));
    for index in 0..boxes {
        let name = format!("box {index}");
        loop {
            let pose = Pose::from_xyz(rng.uniform(-1.2, 1.2), rng.uniform(-1.2, 1.2), rng.uniform(0.0, 1.4));
            scene.add(&name, Shape::cuboid(0.03, 0.03, 0.03).unwrap(), pose).unwrap();
            if scene.min_distance(q).unwrap() > 0.05 {
                break;
            }
            scene.remove(&name);
        }
    }
    LiveScene::new(scene)
}

fn ticks(criterion: &mut Criterion) {
    for name in ["ur5e", "franka_panda"] {
        let robot = Arc::new(Robot::from_name(name).unwrap());
        let q = robot.named_pose(&robot.groups[robot.default_group], "home").unwrap().0.clone();
        for boxes in [0, 10, 100, 1000] {
            let scene = surrounded(&robot, &q, boxes);
            let mut jogged = Servo::new(scene.clone(), None, ServoConfig::teleop()).unwrap();
            jogged.set_state(&q, &vec![0.0; q.len()]).unwrap();
            let mut tick = 0_usize;
            criterion.bench_function(&format!("servo/{name}/{boxes}_boxes/jog"), |bencher| {
                bencher.iter(|| {
                    tick += 1;
                    let sign = if (tick / HALF_PERIOD).is_multiple_of(2) { 0.2 } else { -0.2 };
                    jogged.jog_joint(1, sign).unwrap();
                    jogged.tick().unwrap().scale
                });
            });
            let mut steered = Servo::new(scene, None, ServoConfig::teleop()).unwrap();
            steered.set_state(&q, &vec![0.0; q.len()]).unwrap();
            let mut tick = 0_usize;
            criterion.bench_function(&format!("servo/{name}/{boxes}_boxes/twist"), |bencher| {
                bencher.iter(|| {
                    tick += 1;
                    let sign = if (tick / HALF_PERIOD).is_multiple_of(2) { 0.1 } else { -0.1 };
                    let twist = Twist::new(Vector3::new(sign, 0.5 * sign, sign), Vector3::zeros());
                    steered.twist(&TwistCommand::new(twist, TwistFrame::Base)).unwrap();
                    steered.tick().unwrap().scale
                });
            });
        }
    }
}

criterion_group!(benches, ticks);
criterion_main!(benches);
