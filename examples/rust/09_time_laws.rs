//! One path, four time laws, and the files that carry a motion on.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use kinetic::prelude::*;
use kinetic::trajectory::{TIME_LAWS, TimingOptions, trajectory_from_file, trajectory_to_file};

pub fn main() -> Result<()> {
    let robot = Robot::builtin("ur5e")?;
    let group = robot.group("arm")?;
    let mut limits = robot.limits(group);
    limits.jerk = Some(limits.acceleration.iter().map(|acceleration| 10.0 * acceleration).collect());

    let (home, ready) = ([0.0, -1.57, 0.0, -1.57, 0.0, 0.0], [0.0, -1.57, 1.57, -1.57, -1.57, 0.0]);
    let via = [0.6, -1.57, 0.8, -1.57, -0.5, 0.0];
    let path = Trajectory::from_waypoints(&[home, via, ready])?;
    let options = TimingOptions { max_deviation: 0.05, ..TimingOptions::default() };
    for law in TIME_LAWS {
        // The last argument is asked whether a rounded corner is free; here there is nothing around.
        let timed = time_parameterize(&path, law.id, &limits, &options, &mut |_| true)?;
        println!("{:13} {:.3} s, {} pieces", law.id, timed.duration(), timed.curve().pieces());
    }

    // A planner times its motions with the law that it is asked for, and proves the timed curve.
    let motion = Planner::new(&robot)?.plan_timed(&home, &Goal::joints(ready), "jerk_limited")?.trajectory;
    let names: Vec<String> = group.joints.iter().map(|&joint| robot.joints[joint].name.clone()).collect();
    for ending in ["json", "csv"] {
        let file = std::env::temp_dir().join(format!("kinetic_example_09_{}.{ending}", std::process::id()));
        trajectory_to_file(&motion, &names, &file)?;
        let again = trajectory_from_file(&file)?.trajectory;
        println!("{ending}: the same curve: {}", again.curve() == motion.curve());
        std::fs::remove_file(&file).map_err(|error| KineticError::io(&file, &error))?;
    }
    Ok(())
}
