//! All configurations that put the tool at one pose, and which of them to take.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use std::sync::Arc;

use kinetic::kinematics::analytic::{Manipulator, SolveOptions, TolerancePolicy};
use kinetic::prelude::*;

pub fn main() -> Result<()> {
    let robot = Arc::new(Robot::from_name("ur5e")?);
    let mut scene = Scene::new(&robot)?;
    scene.add_box("table", [1.0, 1.2, 0.04], Pose::from_xyz(0.70, 0.0, -0.02))?;

    let arm = Manipulator::from_robot(&robot, None, TolerancePolicy::default())?;
    println!("{}", arm.dispatch_plan().reason);
    let now = [0.3, -1.2, 1.4, -0.7, 0.9, 0.1];
    let target = arm.fk(&[0.1, -1.0, 1.2, -0.5, 0.8, 0.2])?;

    // The closed form lists every branch, the nearest to the seed first; shoulder, elbow and wrist each have two ways.
    let options = SolveOptions { seed: Some(JointValues::from(now)), ..SolveOptions::default() };
    let branches = arm.solve(&target, &options)?;
    let values: Vec<f64> = branches.iter().flat_map(|branch| branch.q.0.clone()).collect();
    let free = scene.are_free(&values, robot.dof, Margins { world: 0.02, own: 0.0 })?;
    for (branch, free) in branches.iter().zip(free) {
        println!("{:6.2?} off by {:.0e}, free: {free}", branch.q.0, branch.fk_residual);
    }
    let every_turn = SolveOptions { turns: true, ..SolveOptions::default() };
    println!("{} branches; {} at all turns", branches.len(), arm.solve(&target, &every_turn)?.len());

    // A pose goal means all branches: the planner takes one that it can reach.
    let planner = Planner::in_scene(scene)?;
    let motion = planner.plan_timed(&now, &Goal::pose(target), kinetic::DEFAULT_TIME_LAW)?.trajectory;
    let taken = motion.curve().sample(motion.duration(), 0);
    println!("planned in {:.2} s to {taken:.2?}", motion.duration());
    Ok(())
}
