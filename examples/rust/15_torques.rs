//! A part of 4 kg in the hand of a UR5e: motions that its motors can follow.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use kinetic::core::Control;
use kinetic::dynamics::{TorqueLimits, check_trajectory_feasibility};
use kinetic::prelude::*;
use kinetic::trajectory::{TimingOptions, time_law};

pub fn main() -> Result<()> {
    let robot = Robot::builtin("ur5e")?;
    let group = robot.group("arm")?;
    let part = Payload::point(4.0, Vector3::new(0.0, 0.0, 0.2))?;
    let (low, high) = ([0.0; 6], [0.5, -1.0, -0.6, -0.5, 1.0, 0.0]);

    // Limits of velocity and acceleration alone know nothing of the part.
    let planner = Planner::new(&robot)?;
    let plain = planner.plan_timed(&low, &Goal::joints(high), "totp")?.trajectory;
    let model = DynamicsModel::from_group(&robot, group)?.with_mounted(&robot, group, &part.into())?;
    let control = Control::default();
    let exceeded = check_trajectory_feasibility(&model, &plain, model.effort_limits(), 1e-3, &control)?;
    for violation in &exceeded {
        println!(
            "{}: {:.1} of {:.0} Nm at {:.2} s",
            violation.joint, violation.effort, violation.limit, violation.time
        );
    }

    // With torque limits the planner slows where it must, and the certificate says how much of them is used at most.
    let config = PlannerConfig { torque_limits: true, payload: Some(part.into()), ..PlannerConfig::default() };
    let kept = planner.with_config(config)?.plan_timed(&low, &Goal::joints(high), "totp")?.trajectory;
    let proven = kept.certificate().and_then(|certificate| certificate.max_torque_ratio);
    println!("{:.3} s become {:.3} s, proven {proven:?}", plain.duration(), kept.duration());

    // The same for a path of your own. Laws other than `totp` become slower as a whole.
    let path = Trajectory::from_waypoints(&[low, high])?;
    let torques = TorqueLimits::of_description(&model)?;
    for law in ["totp", "trapezoidal", "jerk_limited"] {
        let (options, limits) = (TimingOptions::default(), robot.limits(group));
        let timed = torques.time_parameterize(time_law(law)?, (&path, &control), &limits, &options, &mut |_| true)?;
        println!("{law:12} {:.3} s, {:.1} %", timed.duration(), 100.0 * torques.peak(&timed, &control)?.ratio);
    }

    // No motion helps where a joint cannot even hold the part.
    let heavy = Payload::point(12.0, Vector3::zeros())?;
    let config = PlannerConfig { torque_limits: true, payload: Some(heavy.into()), ..PlannerConfig::default() };
    if let Err(error) = Planner::new(&robot)?.with_config(config)?.plan_timed(&low, &Goal::joints(high), "totp") {
        println!("12 kg: {error}");
    }
    Ok(())
}
