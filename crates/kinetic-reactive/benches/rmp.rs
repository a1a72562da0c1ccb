//! What does a cycle of Riemannian motion policies cost?
//!
//!     cargo bench -p kinetic-reactive --bench rmp
//!
//! Six policies among ten boxes around the arm: `still` with a scene that nobody edits, `moving` with one box that moves a
//! millimetre before every cycle, towards the arm and back. Inputs are drawn by fixed seeds.
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_kinematics::KinematicChain;
use kinetic_reactive::rmp::{JointCommand, Policy, Rmp};
use kinetic_robot::Robot;
use kinetic_scene::{LiveScene, Scene};

/// Boxes at a distance of 5 to 40 cm from the arm.
fn surrounded(robot: &Arc<Robot>, q: &[f64]) -> LiveScene {
    let (mut scene, mut rng) = (Scene::new(robot).unwrap(), SeededRng::new(1));
    let mut count = 0;
    while count < 10 {
        let pose = Pose::from_xyz(rng.uniform(-0.9, 0.9), rng.uniform(-0.9, 0.9), rng.uniform(0.0, 1.2));
        let mut with = scene.clone();
        with.add(&format!("box{count}"), Shape::cuboid(0.05, 0.05, 0.05).unwrap(), pose).unwrap();
        if (0.05..0.4).contains(&with.min_distance(q).unwrap()) {
            scene = with;
            count += 1;
        }
    }
    LiveScene::new(scene)
}

fn cycles(criterion: &mut Criterion) {
    for name in ["ur5e", "franka_panda"] {
        let robot = Arc::new(Robot::from_name(name).unwrap());
        let group = &robot.groups[robot.default_group];
        let q = robot.named_pose(group, "home").unwrap().0.clone();
        let qd = vec![0.05; q.len()];
        let live = surrounded(&robot, &q);
        let mut rmp = Rmp::new(&robot).unwrap();
        let target = KinematicChain::auto_detect(&robot).unwrap().tip_pose(&q);
        let policies = [
            Policy::ReachTarget { target, gain: 10.0 },
            Policy::AvoidObstacles { scene: live.clone(), influence_distance: 0.3, gain: 20.0 },
            Policy::AvoidSelfCollision { gain: 20.0 },
            Policy::JointLimitAvoidance { margin: 0.1, gain: 10.0 },
            Policy::SingularityAvoidance { threshold: 0.05, gain: 10.0 },
            Policy::Damping { coefficient: 1.0 },
        ];
        for policy in &policies {
            rmp.add(policy).unwrap();
        }
        let mut command = JointCommand::default();
        criterion.bench_function(&format!("rmp/{name}/ten_boxes/still"), |bencher| {
            bencher.iter(|| rmp.compute_into(black_box(&q), &qd, 0.002, &mut command).unwrap());
        });
        let start = live.snapshot().object("box0").unwrap().pose;
        let mut cycle = 0;
        criterion.bench_function(&format!("rmp/{name}/ten_boxes/moving"), |bencher| {
            bencher.iter(|| {
                cycle = (cycle + 1) % 100;
                let shift = 0.001 * f64::from(if cycle < 50 { cycle } else { 100 - cycle });
                live.edit(|scene| scene.update_pose("box0", start * Pose::from_xyz(shift, 0.0, 0.0))).unwrap();
                rmp.compute_into(black_box(&q), &qd, 0.002, &mut command).unwrap();
            });
        });
    }
}

criterion_group!(benches, cycles);
criterion_main!(benches);
