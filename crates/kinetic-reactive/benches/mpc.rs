//! What does an optimization of model predictive control cost?
//!
//!     cargo bench -p kinetic-reactive --bench mpc
//!
//! Arms of 6 and 7 joints among boxes at 10 cm to 1 m from them, 32 steps; every tick is one with an optimization and a proven stop.
//! Inputs are drawn by fixed seeds.
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_reactive::{Mpc, MpcConfig, ServoTarget};
use kinetic_robot::Robot;
use kinetic_scene::{LiveScene, Scene};

/// Optimizations towards one target.
const HALF_PERIOD: usize = 50;

fn surrounded(robot: &Arc<Robot>, q: &[f64], boxes: usize) -> LiveScene {
    let (mut scene, mut rng) = (Scene::new(robot).unwrap(), SeededRng::new(1));
    for index in 0..boxes {
        let name = format!("box {index}");
        loop {
            let pose = Pose::from_xyz(rng.uniform(-1.2, 1.2), rng.uniform(-1.2, 1.2), rng.uniform(0.0, 1.4));
            scene.add(&name, Shape::cuboid(0.03, 0.03, 0.03).unwrap(), pose).unwrap();
            if scene.min_distance(q).unwrap() > 0.1 {
                break;
            }
            scene.remove(&name);
        }
    }
    LiveScene::new(scene)
}

fn optimizations(criterion: &mut Criterion) {
    for name in ["ur5e", "franka_panda"] {
        let robot = Arc::new(Robot::from_name(name).unwrap());
        let q = robot.named_pose(&robot.groups[robot.default_group], "home").unwrap().0.clone();
        let targets = [-0.6, 0.6].map(|turn| {
            let mut target = q.clone();
            target[0] += turn;
            ServoTarget::Joints(target)
        });
        for (boxes, samples) in [(0, 64), (10, 64), (100, 64), (10, 256)] {
            // One optimization per tick.
            let mut config = MpcConfig { samples, ..MpcConfig::default() };
            config.servo.rate_hz = 50.0;
            config.servo.max_delta_per_tick = 0.2;
            let mut mpc = Mpc::new(surrounded(&robot, &q, boxes), None, &config).unwrap();
            mpc.set_state(&q, &vec![0.0; q.len()]).unwrap();
            let mut tick = 0_usize;
            criterion.bench_function(&format!("mpc/{name}/{boxes}_boxes/{samples}_samples"), |bencher| {
                bencher.iter(|| {
                    if tick.is_multiple_of(HALF_PERIOD) {
                        mpc.set_target(&targets[tick / HALF_PERIOD % 2]).unwrap();
                    }
                    tick += 1;
                    mpc.tick().unwrap().scale
                });
            });
        }
    }
}

criterion_group!(benches, optimizations);
criterion_main!(benches);
