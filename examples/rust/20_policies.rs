//! Motion policies: an arm that reaches for a target while a ball flies by, and holds a joint by a policy of its own.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use std::sync::Arc;

use kinetic::kinematics::KinematicChain;
use kinetic::prelude::*;
use kinetic::reactive::rmp::{MotionPolicy, MotionState, Policy, Rmp, TaskSpaces};
use kinetic::scene::LiveScene;

const DT: f64 = 0.004;
const START: [f64; 6] = [0.0, -1.6, 1.2, -1.4, -1.5, 0.2];

pub fn main() -> Result<()> {
    let robot = Arc::new(Robot::from_name("ur5e")?);
    let scene = LiveScene::new(Scene::new(&robot)?);
    scene.edit(|own| own.add("ball", Shape::sphere(0.08)?, Vector3::new(0.55, 0.8, 0.4)))?;
    let chain = KinematicChain::from_robot(&robot, None)?;
    let target = chain.tip_pose(&[0.4, -1.3, 1.5, -1.7, -1.5, 0.0]);

    // Each wish about the motion is a policy; a cycle weighs all of them and answers with a command inside the limits.
    let mut rmp = Rmp::new(&robot)?;
    rmp.add(&Policy::ReachTarget { target, gain: 10.0 })?;
    rmp.add(&Policy::AvoidObstacles { scene: scene.clone(), influence_distance: 0.3, gain: 20.0 })?;
    rmp.add(&Policy::AvoidSelfCollision { gain: 20.0 })?;
    rmp.add(&Policy::JointLimitAvoidance { margin: 0.1, gain: 20.0 })?;
    rmp.add(&Policy::Damping { coefficient: 1.0 })?;
    let (mut q, mut qd, mut nearest) = (START.to_vec(), vec![0.0; 6], f64::INFINITY);
    for cycle in 0..2500 {
        // Across the way of the tool, at 0.3 m/s; objects that are moved count from the next cycle on.
        let way = 0.3 * DT * f64::from(cycle);
        scene.edit(|own| own.update_pose("ball", Vector3::new(0.55, 0.8 - way, 0.4)))?;
        let command = rmp.compute(&q, &qd, DT)?;
        (q, qd) = (command.positions.to_vec(), command.velocities.to_vec());
        nearest = nearest.min(scene.snapshot().min_distance(&q)?);
    }
    let left = chain.tip_pose(&q).translation_distance(&target);
    println!("reached to {:.3} mm, {:.0} mm from the ball at the nearest", 1e3 * left, 1e3 * nearest);
    assert!(left < 1e-3 && nearest > 0.0);

    // A policy of one's own: where it acts, and which acceleration it wants there.
    let mut turning = Rmp::new(&robot)?;
    turning.add_custom(Box::new(FirstJoint(0.5)));
    let (mut q, mut qd) = (START.to_vec(), vec![0.0; 6]);
    for _ in 0..1000 {
        let command = turning.compute(&q, &qd, DT)?;
        (q, qd) = (command.positions.to_vec(), command.velocities.to_vec());
    }
    println!("base at {:.4} rad", q[0]);
    assert!((q[0] - 0.5).abs() < 1e-3);
    Ok(())
}

/// A damped spring at the first joint, about a position (rad).
#[derive(Debug)]
struct FirstJoint(f64);

impl MotionPolicy for FirstJoint {
    fn name(&self) -> &'static str {
        "turn the base"
    }

    fn evaluate(&mut self, state: &MotionState<'_>, tasks: &mut TaskSpaces) -> Result<()> {
        let task = tasks.add(1);
        task.jacobian[0] = 1.0;
        task.metric[0] = 1.0;
        task.acceleration[0] = 25.0 * (self.0 - state.q[0]) - 10.0 * state.qd[0];
        Ok(())
    }
}
