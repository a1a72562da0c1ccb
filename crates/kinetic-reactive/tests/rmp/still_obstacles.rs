//! Arms among objects that stand still: targets behind them, starts near them. Every cycle is proven free by a checker of its own.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_kinematics::KinematicChain;
use kinetic_reactive::rmp::{Policy, Rmp};
use kinetic_scene::{LiveScene, Margins, Scene};

use crate::cases;
use crate::rmp::support::{ARMS, Arm, built_in, cycle_curve, free_configuration};

/// Length of a cycle, s.
const DT: f64 = 0.005;
/// Cycles of a run: 6 s.
const CYCLES: usize = 1_200;
/// Clearance of starts, m.
const CLEARANCE: f64 = 0.02;

/// A scene with boxes and balls, a start in it and a pose to reach, whatever is in the way.
fn random(name: &str, seed: u64) -> Option<(Scene, Vec<f64>, Pose)> {
    let (robot, mut rng) = (built_in(name), SeededRng::stream(seed, 12));
    let (start, end) = (free_configuration(&robot, &mut rng), free_configuration(&robot, &mut rng));
    let target = KinematicChain::auto_detect(&robot).unwrap().tip_pose(&end);
    let mut scene = Scene::new(&robot).unwrap();
    for index in 0..8 {
        let mut number = |low: f64, high: f64| rng.uniform(low, high);
        let angles = [number(-3.0, 3.0), number(-1.5, 1.5), number(-3.0, 3.0)];
        let (x, y, z) = (number(-0.8, 0.8), number(-0.8, 0.8), number(0.0, 1.2));
        let pose = Pose::from_xyz_rpy(x, y, z, angles[0], angles[1], angles[2]);
        let shape = match index % 2 {
            0 => Shape::cuboid(number(0.02, 0.15), number(0.02, 0.15), number(0.02, 0.15)),
            _ => Shape::sphere(number(0.03, 0.15)),
        };
        let mut with = scene.clone();
        with.add(&format!("object{index}"), shape.unwrap(), pose).unwrap();
        if with.min_distance(&start).unwrap() > CLEARANCE {
            scene = with;
        }
    }
    (scene.objects().len() > 3).then_some((scene, start, target))
}

#[test]
fn arms_touch_nothing_on_their_way() {
    let mut failed = Vec::new();
    for name in ARMS {
        for seed in 0..cases(6, 100) as u64 {
            let Some((scene, start, target)) = random(name, seed) else { continue };
            let robot = scene.robot().clone();
            let live = LiveScene::new(scene.clone());
            let mut rmp = Rmp::new(&robot).unwrap();
            let policies = [
                Policy::ReachTarget { target, gain: 10.0 },
                Policy::AvoidObstacles { scene: live, influence_distance: 0.2, gain: 20.0 },
                Policy::AvoidSelfCollision { gain: 20.0 },
                Policy::JointLimitAvoidance { margin: 0.1, gain: 10.0 },
                Policy::Damping { coefficient: 2.0 },
            ];
            for policy in &policies {
                rmp.add(policy).unwrap();
            }
            let group = &robot.groups[robot.default_group].name;
            let mut checker = scene.checker(group, Margins::ZERO).unwrap();
            let mut arm = Arm::at(&start);
            for cycle in 0..CYCLES {
                let before = arm.clone();
                let command = arm.step(&mut rmp, DT);
                if let Some((_, pair)) = checker.curve_contact(&cycle_curve(&before, &command, DT)) {
                    failed.push((name, seed, cycle, pair));
                    break;
                }
            }
        }
    }
    assert!(failed.is_empty(), "{} contacts: {failed:?}", failed.len());
}

#[test]
fn damping_takes_energy_out_in_every_cycle() {
    for name in ARMS {
        let robot = built_in(name);
        let mut rng = SeededRng::new(2);
        for case in 0..cases(10, 200) {
            let mut rmp = Rmp::new(&robot).unwrap();
            rmp.add(&Policy::Damping { coefficient: rng.uniform(0.1, 20.0) }).unwrap();
            let mut arm = Arm::at(&free_configuration(&robot, &mut rng));
            for (joint, bounds) in rmp.bounds().iter().enumerate() {
                let speed = 0.2 * rng.uniform(-bounds.velocity, bounds.velocity);
                let room = if speed > 0.0 { bounds.upper - arm.q[joint] } else { arm.q[joint] - bounds.lower };
                let fastest = (2.0 * bounds.acceleration * (room - 3.0 * speed.abs() * DT).max(0.0)).sqrt();
                arm.qd[joint] = speed.clamp(-fastest, fastest);
            }
            let energy = |arm: &Arm| arm.qd.iter().map(|qd| 0.5 * qd * qd).sum::<f64>();
            let mut before = energy(&arm);
            for cycle in 0..500 {
                arm.step(&mut rmp, DT);
                let after = energy(&arm);
                assert!(after <= before, "{name} {case}, cycle {cycle}: {before} to {after}");
                before = after;
            }
        }
    }
}
