//! An arm that is steered while it moves: twists, a pose, joints, an obstacle that stops it, silence.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use std::sync::Arc;

use kinetic::core::Twist;
use kinetic::prelude::*;
use kinetic::reactive::differential_ik::{TwistCommand, TwistFrame};
use kinetic::reactive::{Servo, ServoConfig};
use kinetic::scene::LiveScene;

const START: [f64; 6] = [0.0, -1.57, 1.57, 0.0, 1.57, 0.0];

pub fn main() -> Result<()> {
    // Edits of the scene are seen by the next tick.
    let scene = LiveScene::new(Scene::new(&Arc::new(Robot::from_name("ur5e")?))?);
    let mut servo = Servo::new(scene.clone(), None, ServoConfig::teleop())?;
    servo.set_state(&START, &[0.0; 6])?;

    // A twist: 0.1 m/s back for a second. Each command acts for 0.1 s; each tick is a period, of 2 ms here.
    let before = tool(&mut servo);
    steer(&mut servo, 500, &twist([-0.1, 0.0, 0.0], [0.0; 3], TwistFrame::Base))?;
    let back = before.x - tool(&mut servo).x;
    println!("back {back:.3} m, {:?}", servo.output().status);

    // A turn about the axis of the tool.
    steer(&mut servo, 250, &twist([0.0; 3], [0.0, 0.0, 0.5], TwistFrame::Tool))?;

    // A ball above: motion towards it slows down and stops before it.
    let above = tool(&mut servo) + Vector3::new(0.0, 0.0, 0.3);
    scene.edit(|own| own.add("ball", Shape::sphere(0.05)?, above))?;
    steer(&mut servo, 600, &twist([0.0, 0.0, 0.3], [0.0; 3], TwistFrame::Base))?;
    let (distance, pair) = (servo.output().min_distance, servo.nearest_pair());
    println!("before the ball: {:.1} mm from {:?}", 1e3 * distance, pair.map(|pair| (pair.link, pair.other)));
    assert!((0.0298..0.1).contains(&distance));
    scene.edit(|own| Ok(own.remove("ball")))?;

    // Joints, and silence: the arm stops.
    servo.jog_joint(5, 0.5)?;
    for _ in 0..500 {
        servo.tick()?;
    }
    println!("silence: {:?}, velocities {:?}", servo.output().status, servo.output().state.velocities);

    // A pose is approached; joints are led back to the start.
    let target = Pose::from_xyz(0.0, 0.05, -0.1) * servo.tool_pose().unwrap_or_default();
    for _ in 0..2000 {
        servo.track_pose(&target)?;
        servo.tick()?;
    }
    println!("pose: {:.3} mm left", 1e3 * (tool(&mut servo) - target.translation()).norm());
    for _ in 0..3000 {
        servo.track_joints(&START, &[0.0; 6])?;
        servo.tick()?;
    }
    println!("back at {:?}", servo.output().state.positions);
    Ok(())
}

fn tool(servo: &mut Servo) -> Vector3<f64> {
    servo.tool_pose().unwrap_or_default().translation()
}

fn twist(linear: [f64; 3], angular: [f64; 3], frame: TwistFrame) -> TwistCommand<'static> {
    TwistCommand::new(Twist::new(linear.into(), angular.into()), frame)
}

fn steer(servo: &mut Servo, ticks: usize, command: &TwistCommand<'static>) -> Result<()> {
    for _ in 0..ticks {
        servo.twist(command)?;
        servo.tick()?;
    }
    Ok(())
}
