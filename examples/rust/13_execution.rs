//! A motion sent to a driver: commands and feedback, a pause, and what happens when the driver fails.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use std::sync::{Arc, Mutex};

use kinetic::execution::{DriverError, ExecutionConfig, FeedbackSource, RealTimeExecutor, SimulatedClock};
use kinetic::prelude::*;

/// A robot that stands where it was commanded to be. A real one has its driver here.
struct Arm(Arc<Mutex<Vec<f64>>>, Vec<f64>);

impl FeedbackSource for Arm {
    fn read_positions(&mut self) -> Option<&[f64]> {
        self.1.clone_from(&*self.0.lock().ok()?);
        Some(&self.1)
    }
}

pub fn main() -> Result<()> {
    let robot = Robot::builtin("ur5e")?;
    let home = [0.0, -1.57, 0.0, -1.57, 0.0, 0.0];
    let goal = Goal::joints(home.map(|value| value + 0.3).to_vec());
    let motion = Planner::new(&robot)?.plan_timed(&home, &goal, kinetic::DEFAULT_TIME_LAW)?.trajectory;

    // Limits and feedback as a robot should have them; simulated time, so that nobody waits.
    let group = robot.group("arm")?;
    let limits = group.variables.iter().map(|variable| robot.joint_limits[*variable]).collect();
    let clock = SimulatedClock::new();
    let executor = RealTimeExecutor::new(ExecutionConfig::safe(limits))?.with_simulated_clock(Arc::clone(&clock));
    let positions = Arc::new(Mutex::new(home.to_vec()));
    let taken = Arc::clone(&positions);
    let mut send = move |positions: &[f64], _: &[f64]| -> Result<(), DriverError> {
        taken.lock().map_err(|error| error.to_string())?.copy_from_slice(positions);
        Ok(())
    };
    let result = executor.execute_with_feedback(&motion, &mut send, &mut Arm(positions, Vec::new()))?;
    let (state, seconds) = (result.state.name(), result.actual_duration);
    println!("{state} after {seconds:.2} s and {} commands; verified: {}", result.commands_sent, result.verified);

    // While it runs, a handle pauses, resumes, slows down, stops and splices.
    let config = ExecutionConfig { velocity_scale: 0.5, ..ExecutionConfig::default() };
    let slow = RealTimeExecutor::new(config)?.with_simulated_clock(clock);
    let take = |_: &[f64], _: &[f64]| -> Result<(), DriverError> { Ok(()) };
    let handle = slow.start(&motion, Box::new(take), None)?;
    handle.set_speed(1.0)?;
    println!("from half to full speed: {}", handle.join()?.state.name());

    // A driver that fails: no more commands, and an error that says when.
    let mut count = 0;
    let mut fail = move |_: &[f64], _: &[f64]| -> Result<(), DriverError> {
        count += 1;
        if count == 50 { Err("the cable is out".into()) } else { Ok(()) }
    };
    let error = slow.execute(&motion, &mut fail).expect_err("the driver fails");
    println!("{error}");
    Ok(())
}
