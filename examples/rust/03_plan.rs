//! A motion around an obstacle, and what was proven about it.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use std::sync::Arc;

use kinetic::prelude::*;

pub fn main() -> Result<()> {
    let robot = Arc::new(Robot::from_name("ur5e")?);
    let mut scene = Scene::new(&robot)?;
    scene.add("post", Shape::cylinder(0.05, 0.4)?, Pose::from_xyz(0.45, 0.15, 0.4))?;

    let group = robot.group("arm")?;
    let ready = robot.named_pose(group, "ready").expect("ur5e has a pose \"ready\"").clone();
    let (mut left, mut right) = (ready.clone(), ready);
    left.0[0] += 1.5;
    right.0[0] -= 1.0;

    let planner = Planner::in_scene(scene)?.with_config(PlannerConfig { seed: 1, ..PlannerConfig::default() })?;
    let motion = planner.plan_timed(&left, &Goal::joints(right), kinetic::DEFAULT_TIME_LAW)?;

    println!("{:.2} s, {} waypoints", motion.trajectory.duration(), motion.result.num_waypoints());
    if let Some(certificate) = motion.trajectory.certificate() {
        println!("{} checks", certificate.checks);
        if let Some(least) = certificate.closest_approach()? {
            println!("least clearance {:.1} mm, at {:.2} s", least.distance * 1e3, least.time);
            if let Some(pair) = &least.pair {
                println!("between {} and {}", pair.link, pair.other);
            }
        }
        println!("{:.0} % of the velocity limits used", certificate.max_velocity_ratio * 100.0);
    }
    Ok(())
}
