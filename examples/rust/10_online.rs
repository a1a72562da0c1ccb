//! While the robot moves: slower and on again, a stop, another motion in its place.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use kinetic::prelude::*;
use kinetic::trajectory::MotionLimits;
use kinetic::trajectory::online::{Playback, splice, stop, stop_on_path};

const PERIOD: f64 = 0.002;

pub fn main() -> Result<()> {
    let robot = Robot::builtin("ur5e")?;
    let mut limits = robot.limits(robot.group("arm")?);
    limits.jerk = Some(limits.acceleration.iter().map(|acceleration| 10.0 * acceleration).collect());
    let planner = Planner::new(&robot)?;
    let home = [0.0, -1.57, 0.0, -1.57, 0.0, 0.0];
    let motion = planner.plan_timed(&home, &Goal::named("ready"), kinetic::DEFAULT_TIME_LAW)?.trajectory;

    // A speed override: the robot is late on its path, never beside it.
    let mut playback = Playback::new(motion.clone(), limits.acceleration.clone())?;
    let (mut cycles, mut slowest) = (0_u32, 1.0_f64);
    while !playback.is_finished() {
        match cycles {
            100 => playback.set_override(0.2)?,
            500 => playback.set_override(1.0)?,
            _ => {}
        }
        playback.step(PERIOD)?;
        slowest = slowest.min(playback.rate());
        cycles += 1;
    }
    let late = f64::from(cycles) * PERIOD;
    println!("override: {late:.2} s instead of {:.2} s, rate down to {slowest:.2}", motion.duration());

    // The earliest stop on the path, and the jerk-limited stop of each joint, which leaves it.
    let (now, limits) = (0.5 * motion.duration(), MotionLimits::symmetric(&limits)?);
    for found in [stop_on_path(&motion, now, &limits)?, stop(&motion, now, &limits)?] {
        println!("stop: {:.3} s, {:.1e} rad from the path", found.trajectory.duration(), found.deviation);
    }

    // Another goal while under way: the new motion takes over after 20 ms, and the whole is proven.
    let mut rest = motion.curve().sample(now, 0);
    rest[0] += 0.4;
    let detour = planner.plan_timed(&rest, &Goal::named("home"), kinetic::DEFAULT_TIME_LAW)?.trajectory;
    let spliced = splice(&motion, now, 0.02, &detour, &limits)?;
    let proven = planner.certify(&spliced, &Control::default())?;
    println!("spliced: {:.2} s, proven: {}", proven.duration(), proven.certificate().is_some());
    Ok(())
}
