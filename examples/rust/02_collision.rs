//! What is near, what touches, which motion is free.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use std::sync::Arc;

use kinetic::prelude::*;

pub fn main() -> Result<()> {
    let robot = Arc::new(Robot::from_name("ur5e")?);
    let mut scene = Scene::new(&robot)?;
    scene.add("post", Shape::cylinder(0.05, 0.4)?, Pose::from_xyz(0.45, 0.15, 0.4))?;

    let group = robot.group("arm")?;
    let ready = robot.named_pose(group, "ready").expect("ur5e has a pose \"ready\"").clone();
    let turned = |pan: f64| {
        let mut q = ready.0.clone();
        q[0] += pan;
        q
    };

    for pan in [-1.0, 0.0, 0.3, 1.5] {
        let q = turned(pan);
        let distance = scene.min_distance(&q)? * 1e3;
        println!("pan {pan:4.1} rad: {distance:6.1} mm, touches: {}", scene.check_collision(&q)?);
    }

    match scene.check_motion(&turned(1.5), &turned(-1.0))? {
        None => println!("the sweep from left to right is free"),
        Some(part) => println!("the sweep from left to right is blocked after {:.0} % of the way", part * 100.0),
    }
    Ok(())
}
