//! What the shader of inverse kinematics proposes, step by step, against its twin.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test may panic, and says why it cannot run")]

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, Pose};
use kinetic_kinematics::KinematicChain;
use kinetic_robot::Robot;

use crate::batch_ik::{BatchIkOptions, CpuInverseKinematics, GpuInverseKinematics};
use crate::choice::DeviceChoice;
use crate::device::GpuDevice;

/// Drivers divide by reciprocals, and next to singularities every step enlarges what that differs by.
const TOLERANCE: f32 = 1e-3;

#[test]
fn the_first_steps_of_inverse_kinematics_are_those_of_the_twin() {
    let device = match GpuDevice::open(&DeviceChoice::Auto) {
        Ok(device) => device,
        Err(error) => {
            eprintln!("skipped: {error}");
            return;
        }
    };
    let chain = KinematicChain::auto_detect(&Robot::from_name("franka_panda").unwrap()).unwrap();
    let mut rng = SeededRng::new(3);
    let mut target = || {
        let q: Vec<f64> = chain.bounds().iter().map(|(low, high)| rng.uniform(*low, *high)).collect();
        chain.tip_pose(&q)
    };
    let targets: Vec<Pose> = (0..20).map(|_| target()).collect();
    let start: Vec<f64> = chain.bounds().iter().map(|(low, high)| (low + high) / 2.0).collect();
    for iterations in 1..=2 {
        let options = BatchIkOptions { starts: 8, iterations, seed: 5 };
        let wanted = CpuInverseKinematics::new(&chain, options).unwrap().propose(&targets, &start);
        let mut solver = GpuInverseKinematics::new(&device, &chain, options).unwrap();
        let found = solver.propose(&targets, (0, &start), &Control::default()).unwrap();
        assert_eq!(found.len(), wanted.len());
        let worst = found.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        eprintln!("{iterations} steps: {worst:e}");
        assert!(worst < TOLERANCE, "{iterations} steps: {worst}");
    }
}
