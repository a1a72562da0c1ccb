//! Poses per second of inverse kinematics from many starts, polished and verified: on the adapter and by the twin, in one run.
//!
//! 256 poses of a Panda with 16 starts of at most 60 steps each, the best of three calls. An argument chooses the adapter.
#![allow(clippy::print_stdout, reason = "a bench prints what it measures")]

mod common;

use std::time::Instant;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Result};
use kinetic_gpu::{BatchIkOptions, BatchIkSolution, CpuInverseKinematics, GpuInverseKinematics};
use kinetic_kinematics::{KinematicChain, forward_kinematics};
use kinetic_robot::Robot;

const POSES: usize = 256;
const CALLS: usize = 3;

fn measure(name: &str, mut call: impl FnMut() -> Result<Vec<Vec<BatchIkSolution>>>) -> Result<()> {
    let (mut best, mut answers) = (f64::INFINITY, call()?);
    for _ in 0..CALLS {
        let start = Instant::now();
        answers = call()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    let solved = answers.iter().filter(|answers| !answers.is_empty()).count();
    let distinct: usize = answers.iter().map(Vec::len).sum();
    println!("{name:<10}{:>10.0} poses/s, {solved} of {POSES} solved, {distinct} answers", POSES as f64 / best);
    Ok(())
}

fn main() -> Result<()> {
    let chain = KinematicChain::auto_detect(&Robot::from_name("franka_panda")?)?;
    let mut rng = SeededRng::new(1);
    let mut target = || {
        let q: Vec<f64> = chain.bounds().iter().map(|(low, high)| rng.uniform(*low, *high)).collect();
        forward_kinematics(&chain, &q)
    };
    let targets = (0..POSES).map(|_| target()).collect::<Result<Vec<Pose>>>()?;
    let start: Vec<f64> = chain.bounds().iter().map(|(low, high)| (low + high) / 2.0).collect();
    let options = BatchIkOptions::default();
    let mut twin = CpuInverseKinematics::new(&chain, options)?;
    measure("twin", || twin.solve(&targets, &start))?;
    let Some(device) = common::device()? else { return Ok(()) };
    let mut solver = GpuInverseKinematics::new(&device, &chain, options)?;
    measure("device", || Ok(solver.solve(&targets, &start)?))
}
