//! What does a tick of a servo cost, the proof of its stop included?
//!
//!     cargo bench -p kinetic-reactive --bench servo
//!
//! The arm moves to and fro, half a second each way, and begins anew from a regular configuration, among boxes at 5 cm to 1 m from
//! it. Inputs are drawn by fixed seeds.
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use kinetic_core::rng::SeededRng;
use kinetic_core::{Limits, Pose, Shape, TimedTrajectory, Twist};
use kinetic_reactive::differential_ik::{TwistCommand, TwistFrame};
use kinetic_reactive::{Servo, ServoConfig};
use kinetic_robot::Robot;
use kinetic_scene::{LiveScene, Scene};
use kinetic_trajectory::{MotionLimits, MotionOptions, MotionState, StateToState};
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

/// 10⁵ points of a table and a wall, as a camera sees them, in cells of 1 cm.
fn clouded(robot: &Arc<Robot>, q: &[f64]) -> LiveScene {
    let (mut scene, mut rng) = (Scene::new(robot).unwrap(), SeededRng::new(3));
    let mut cells: Vec<[i32; 3]> = (0..100_000)
        .map(|index| {
            let [a, b, noise] = [rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0), rng.uniform(0.0, 0.02)];
            let point = if index % 2 == 0 { [a, b, noise - 0.3] } else { [0.9 + noise, a, 0.5 + b] };
            point.map(|value| (value / 0.01).floor() as i32)
        })
        .collect();
    cells.sort_unstable();
    cells.dedup();
    scene.add("cloud", Shape::voxels(&cells, 0.01).unwrap(), Pose::identity()).unwrap();
    assert!(scene.min_distance(q).unwrap() > 0.05);
    LiveScene::new(scene)
}

/// A servo at `q`.
fn servo(scene: &LiveScene, q: &[f64]) -> Servo {
    let mut servo = Servo::new(scene.clone(), None, ServoConfig::teleop()).unwrap();
    servo.set_state(q, &vec![0.0; q.len()]).unwrap();
    servo
}

/// To and fro.
fn direction(tick: usize) -> f64 {
    if (tick / HALF_PERIOD).is_multiple_of(2) { 1.0 } else { -1.0 }
}

fn jog(servo: &mut Servo, tick: usize) -> f64 {
    servo.jog_joint(1, 0.2 * direction(tick)).unwrap();
    servo.tick().unwrap().scale
}

fn twist(servo: &mut Servo, tick: usize) -> f64 {
    let speed = 0.1 * direction(tick);
    let twist = Twist::new(Vector3::new(speed, 0.5 * speed, speed), Vector3::zeros());
    servo.twist(&TwistCommand::new(twist, TwistFrame::Base)).unwrap();
    servo.tick().unwrap().scale
}

/// A noisy policy at 25 Hz, with ten targets 50 ms apart around a wave.
fn chunks(servo: &mut Servo, tick: usize, q: &[f64], rng: &mut SeededRng) -> f64 {
    if tick % 20 == 1 {
        let times: Vec<f64> = (0..10).map(|index| servo.time() + 0.05 * f64::from(index)).collect();
        let at = |time: &f64, noise: f64| q.iter().map(|value| value + 0.05 * (2.0 * time).sin() + noise).collect();
        let targets: Vec<Vec<f64>> = times.iter().map(|time| at(time, rng.uniform(-1e-3, 1e-3))).collect();
        servo.stream_joints(&targets, &times).unwrap();
    }
    servo.tick().unwrap().scale
}

/// There and back again, joint after joint at nine tenths of the limits.
fn ways(robot: &Robot, q: &[f64]) -> [TimedTrajectory; 2] {
    let limits = robot.limits(&robot.groups[robot.default_group]);
    let part = |values: Vec<f64>| values.iter().map(|value| 0.9 * value).collect::<Vec<f64>>();
    let jerk = limits.jerk.unwrap_or_else(|| limits.acceleration.iter().map(|value| 10.0 * value).collect());
    let limits = Limits::new(part(limits.velocity), part(limits.acceleration)).unwrap().with_jerk(part(jerk)).unwrap();
    let mut motion = StateToState::new(MotionLimits::symmetric(&limits).unwrap());
    let there: Vec<f64> = q.iter().map(|value| value + 0.1).collect();
    let mut way = |from: &[f64], to: &[f64]| {
        let duration = motion.plan(&MotionState::at_rest(from), &MotionState::at_rest(to), &MotionOptions::default());
        let times = vec![0.0, duration.unwrap()];
        TimedTrajectory::new(motion.curve().unwrap(), times, 0.0, "state_to_state").unwrap()
    };
    [way(q, &there), way(&there, q)]
}

/// There and back again.
fn trajectory(servo: &mut Servo, [there, back]: &[TimedTrajectory; 2], is_back: &mut bool) -> f64 {
    if servo.trajectory_time().is_none() {
        *is_back = !*is_back;
        servo.follow_trajectory(if *is_back { back.clone() } else { there.clone() }).unwrap();
    }
    servo.tick().unwrap().scale
}

fn bench(criterion: &mut Criterion, name: &str, mut servo: Servo, mut drive: impl FnMut(&mut Servo, usize) -> f64) {
    let start = servo.output().state.positions.clone();
    let still = vec![0.0; start.len()];
    let mut tick = 0_usize;
    criterion.bench_function(name, |bencher| {
        bencher.iter(|| {
            if tick.is_multiple_of(2 * HALF_PERIOD) {
                servo.set_state(&start, &still).unwrap();
            }
            tick += 1;
            drive(&mut servo, tick)
        });
    });
}

fn ticks(criterion: &mut Criterion) {
    for robot_name in ["ur5e", "franka_panda"] {
        let robot = Arc::new(Robot::from_name(robot_name).unwrap());
        let q = robot.named_pose(&robot.groups[robot.default_group], "ready").unwrap().0.clone();
        for boxes in [0, 10, 100, 1000] {
            let scene = surrounded(&robot, &q, boxes);
            bench(criterion, &format!("servo/{robot_name}/{boxes}_boxes/jog"), servo(&scene, &q), jog);
            bench(criterion, &format!("servo/{robot_name}/{boxes}_boxes/twist"), servo(&scene, &q), twist);
            let (mut rng, name) = (SeededRng::new(2), format!("servo/{robot_name}/{boxes}_boxes/chunks"));
            bench(criterion, &name, servo(&scene, &q), |servo, tick| chunks(servo, tick, &q, &mut rng));
            let (ways, mut is_back, name) =
                (ways(&robot, &q), true, format!("servo/{robot_name}/{boxes}_boxes/trajectory"));
            bench(criterion, &name, servo(&scene, &q), |servo, _| trajectory(servo, &ways, &mut is_back));
        }
        let scene = clouded(&robot, &q);
        bench(criterion, &format!("servo/{robot_name}/cloud/jog"), servo(&scene, &q), jog);
        bench(criterion, &format!("servo/{robot_name}/cloud/twist"), servo(&scene, &q), twist);
    }
}

criterion_group!(benches, ticks);
criterion_main!(benches);
