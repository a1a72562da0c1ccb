//! Action chunks of a policy, late, noisy and one that would collide, made safe by a servo.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetic::core::rng::SeededRng;
use kinetic::kinematics::KinematicChain;
use kinetic::prelude::*;
use kinetic::reactive::{Servo, ServoConfig};
use kinetic::scene::LiveScene;

const START: [f64; 6] = [0.0, -1.57, 1.57, 0.0, 1.57, 0.0];
/// Of the wave, by joint, rad.
const AMPLITUDES: [f64; 6] = [0.4, 0.0, 0.2, 0.0, 0.0, 0.4];
const DURATION_S: f64 = 8.0;

pub fn main() -> Result<()> {
    let robot = Arc::new(Robot::from_name("ur5e")?);
    let scene = LiveScene::new(cell(&robot)?);
    // Seams between chunks that do not agree take time, since jerk is limited.
    let config = ServoConfig { blend_time: 0.3, ..ServoConfig::teleop() };
    let mut servo = Servo::new(scene.clone(), None, config)?;
    servo.set_state(&START, &[0.0; 6])?;
    let (mut rng, mut call, mut nearest) = (SeededRng::new(1), 0_u32, f64::INFINITY);
    let mut statuses = BTreeMap::new();
    while servo.time() < DURATION_S {
        // A policy at 10 Hz.
        if servo.time() >= 0.1 * f64::from(call) {
            let (positions, times) = act(servo.time(), call, &mut rng);
            servo.stream_joints(&positions, &times)?;
            call += 1;
        }
        let output = servo.tick()?;
        *statuses.entry(output.status.name()).or_insert(0) += 1;
        nearest = nearest.min(scene.snapshot().min_distance(&output.state.positions)?);
    }
    println!("{call} chunks, {:.0} mm from the post at the nearest; ticks: {statuses:?}", 1e3 * nearest);
    assert!(nearest > 0.0298 && statuses["no_warning"] > 1000);
    Ok(())
}

/// Stands for a learned policy: it waves the arm, looks 0.8 s ahead, and is not always right. Positions and their times, s.
fn act(now: f64, call: u32, rng: &mut SeededRng) -> (Vec<Vec<f64>>, Vec<f64>) {
    let late = if call % 5 == 4 { 0.15 } else { 0.0 };
    let times: Vec<f64> = (1..=16).map(|step| now - late + 0.05 * f64::from(step)).collect();
    // No two chunks agree: each is off by some milliradians.
    let offsets = START.map(|_| rng.uniform(-0.005, 0.005));
    let target = |time: f64| {
        let mut q: Vec<f64> = START.iter().zip(AMPLITUDES).map(|(q, most)| q + most * (0.8 * time).sin()).collect();
        if now > 3.0 && now < 4.0 {
            // It has gone astray: at 1 rad/s towards the post and through it.
            q[0] = 0.4 + (time - 3.0);
        }
        q.iter().zip(offsets).map(|(value, offset)| value + offset).collect()
    };
    (times.iter().map(|time| target(*time)).collect(), times)
}

/// A post beside the arm, where the tool would be after a turn of the base by 1.2 rad.
fn cell(robot: &Arc<Robot>) -> Result<Scene> {
    let mut turned = START;
    turned[0] += 1.2;
    let tool = KinematicChain::from_robot(robot, None)?.tip_pose(&turned).translation();
    let mut scene = Scene::new(robot)?;
    scene.add("post", Shape::cylinder(0.05, 0.5)?, Vector3::new(tool.x, tool.y, 0.5))?;
    Ok(scene)
}
