//! States per second of inverse dynamics: in double precision, by the scalar twin, and on the adapter, in one run.
//!
//! The arm of a Panda, 131 072 random states, the best of five calls each. Arguments choose the adapter:
//! `cargo bench -p kinetic-gpu --bench inverse_dynamics -- gpu:0`.
#![allow(clippy::print_stdout, reason = "a bench prints what it measures")]

mod common;

use std::time::Instant;

use kinetic_core::Result;
use kinetic_core::rng::SeededRng;
use kinetic_dynamics::DynamicsModel;
use kinetic_gpu::{CpuInverseDynamics, GpuInverseDynamics};
use kinetic_robot::Robot;

const ROWS: usize = 131_072;

fn main() -> Result<()> {
    let robot = Robot::from_name("franka_panda")?;
    let model = DynamicsModel::from_group(&robot, &robot.groups[robot.default_group])?;
    let mut rng = SeededRng::new(1);
    let mut numbers = || (0..ROWS * model.dof()).map(|_| rng.uniform(-2.0, 2.0)).collect();
    let [q, v, a]: [Vec<f64>; 3] = [numbers(), numbers(), numbers()];
    let (states, mut tau) = ([&q[..], &v[..], &a[..]], vec![0.0; q.len()]);
    common::measure("double precision (SIMD)", (ROWS, "states"), || model.inverse_dynamics_batch(states, &mut tau))?;
    let twin = CpuInverseDynamics::new(&model);
    common::measure("twin", (ROWS, "states"), || twin.efforts(states).map(|_| ()))?;
    let Some(device) = common::device()? else { return Ok(()) };
    let start = Instant::now();
    let mut dynamics = GpuInverseDynamics::new(&device, &model)?;
    println!("{:<34}{:>12.3} s to compile and upload", "", start.elapsed().as_secs_f64());
    common::measure("device", (ROWS, "states"), || Ok(dynamics.efforts(states).map(|_| ())?))
}
