//! Where the tool is, and joint values that put it elsewhere.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use kinetic::prelude::*;

pub fn main() -> Result<()> {
    let robot = Robot::from_name("ur5e")?;
    let group = robot.group("arm")?;
    let chain = KinematicChain::from_group(&robot, group)?;
    let q = robot.named_pose(group, "ready").expect("ur5e has a pose \"ready\"").clone();

    let base_from_tool = forward_kinematics(&chain, &q)?;
    println!("tool at {:.3?} m", base_from_tool.translation().as_slice());
    println!("manipulability {:.4}", manipulability(&chain, &q)?);

    // Ten centimetres lower, same orientation; the search starts at q.
    let target = Pose::from_xyz(0.0, 0.0, -0.10).compose(&base_from_tool);
    let solution = solve_ik(&chain, &target, &IKConfig { seed: Some(q), ..IKConfig::default() })?;
    let reached = forward_kinematics(&chain, &solution.joints)?;
    println!("joints {:.3?} rad", solution.joints.0);
    println!("off by {:.1e} m", reached.translation_distance(&target));
    Ok(())
}
