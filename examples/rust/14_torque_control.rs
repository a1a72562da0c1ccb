//! An arm driven at 500 Hz by efforts that its dynamics compute, and how well it tracks. The arm is simulated by its dynamics.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use std::sync::{Arc, Mutex};

use kinetic::execution::{CommandSink, DriverError, ExecutionConfig, FeedbackSource, RealTimeExecutor, SimulatedClock};
use kinetic::prelude::*;

const PERIOD: f64 = 0.002;
/// Of the error's dynamics `e″ + KD e′ + KP e = 0`: both poles at −50/s.
const KP: f64 = 2500.0;
const KD: f64 = 100.0;

/// Positions and velocities of the simulated arm.
type State = Arc<Mutex<(Vec<f64>, Vec<f64>)>>;

struct Arm {
    model: DynamicsModel,
    state: State,
    wanted: Vec<f64>,
    largest_error: Arc<Mutex<f64>>,
}

impl CommandSink for Arm {
    fn send_command(&mut self, positions: &[f64], velocities: &[f64]) -> Result<(), DriverError> {
        let (mut data, dof) = (self.model.data(), positions.len());
        let mut state = self.state.lock().map_err(|error| error.to_string())?;
        let (q, qd) = &mut *state;
        // Computed torque (Luh, Walker and Paul 1980): an acceleration that leads back to the trajectory, and its efforts.
        let towards = |joint: usize| {
            let feed_forward = (velocities[joint] - self.wanted[joint]) / PERIOD;
            feed_forward + KD * (velocities[joint] - qd[joint]) + KP * (positions[joint] - q[joint])
        };
        let wanted: Vec<f64> = (0..dof).map(towards).collect();
        let (mut efforts, mut accelerations) = (vec![0.0; dof], vec![0.0; dof]);
        self.model.inverse_dynamics_into(&mut data, [&q[..], &qd[..], &wanted[..]], &[], &mut efforts)?;
        // The arm: what these efforts do to it, by semi-implicit Euler steps.
        self.model.forward_dynamics_into(&mut data, [&q[..], &qd[..], &efforts[..]], &[], &mut accelerations)?;
        let mut largest = self.largest_error.lock().map_err(|error| error.to_string())?;
        for joint in 0..dof {
            qd[joint] += PERIOD * accelerations[joint];
            q[joint] += PERIOD * qd[joint];
            *largest = largest.max((q[joint] - positions[joint]).abs());
        }
        self.wanted.copy_from_slice(velocities);
        Ok(())
    }
}

struct Encoders(State, Vec<f64>);

impl FeedbackSource for Encoders {
    fn read_positions(&mut self) -> Option<&[f64]> {
        self.1.clone_from(&self.0.lock().ok()?.0);
        Some(&self.1)
    }
}

pub fn main() -> Result<()> {
    let robot = Robot::builtin("ur5e")?;
    let group = robot.group("arm")?;
    let home = [0.0, -1.57, 0.0, -1.57, 0.0, 0.0];
    let motion = Planner::new(&robot)?.plan_timed(&home, &Goal::named("ready"), kinetic::DEFAULT_TIME_LAW)?.trajectory;

    let state: State = Arc::new(Mutex::new((home.to_vec(), vec![0.0; 6])));
    let largest_error = Arc::new(Mutex::new(0.0));
    let model = DynamicsModel::from_group(&robot, group)?;
    let mut arm =
        Arm { model, state: Arc::clone(&state), wanted: vec![0.0; 6], largest_error: Arc::clone(&largest_error) };
    let config = ExecutionConfig { require_feedback: true, ..ExecutionConfig::default() };
    let executor = RealTimeExecutor::new(config)?.with_simulated_clock(SimulatedClock::new());
    let result = executor.execute_with_feedback(&motion, &mut arm, &mut Encoders(state, Vec::new()))?;
    let error = 1e3 * largest_error.lock().map_or(f64::NAN, |error| *error);
    println!("{}, {} commands, error {error:.2} mrad at most", result.state.name(), result.commands_sent);
    Ok(())
}
