//! Forward kinematics in single precision against that in double precision.

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, StopFlag};
use kinetic_gpu::{CpuKinematics, GpuError, GpuKinematics};
use kinetic_kinematics::robot_link_poses;
use kinetic_robot::Robot;

use crate::cases;
use crate::robots::{chain, random_configuration, random_robot};
use crate::support::{device, small_device};

/// Single precision over chains of 24 joints and two metres.
const TOLERANCE: f64 = 1e-5;

/// Poses in double precision, in the shape of the answers.
fn reference(robot: &Robot, configurations: &[f64]) -> Vec<f64> {
    let rows = configurations.chunks_exact(robot.num_variables());
    let of_row = |q| robot_link_poses(robot, q).unwrap();
    let matrix = |pose: kinetic_core::Pose| {
        let m = pose.0.to_homogeneous();
        (0..12).map(move |index| m[(index / 4, index % 4)])
    };
    rows.flat_map(of_row).flat_map(matrix).collect()
}

fn largest_difference(found: &[f32], wanted: &[f64]) -> f64 {
    assert_eq!(found.len(), wanted.len());
    found.iter().zip(wanted).map(|(found, wanted)| (f64::from(*found) - wanted).abs()).fold(0.0, f64::max)
}

fn rows(robot: &Robot, seed: u64, count: usize) -> Vec<f64> {
    let mut rng = SeededRng::new(seed);
    (0..count).flat_map(|_| random_configuration(robot, &mut rng)).collect()
}

#[test]
fn the_twin_agrees_with_double_precision() {
    let mut worst: f64 = 0.0;
    for seed in 0..cases(40, 1000) as u64 {
        let robot = random_robot(seed);
        let configurations = rows(&robot, seed, 10);
        let found = CpuKinematics::new(&robot).link_poses(&configurations).unwrap();
        let difference = largest_difference(&found, &reference(&robot, &configurations));
        assert!(difference < TOLERANCE, "robot {seed}: {difference:e}");
        worst = worst.max(difference);
    }
    eprintln!("twin: {worst:e}");
}

#[test]
fn the_device_agrees_with_double_precision_and_repeats_its_bytes() {
    let Some(device) = device() else { return };
    let mut worst: f64 = 0.0;
    for seed in 0..cases(25, 500) as u64 {
        let robot = random_robot(seed);
        let configurations = rows(&robot, seed, 10);
        let mut kinematics = GpuKinematics::new(&device, &robot).unwrap();
        let found = kinematics.link_poses(&configurations).unwrap();
        let difference = largest_difference(&found, &reference(&robot, &configurations));
        assert!(difference < TOLERANCE, "robot {seed}: {difference:e}");
        worst = worst.max(difference);
        let again = kinematics.link_poses(&configurations).unwrap();
        assert!(found.iter().zip(&again).all(|(a, b)| a.to_bits() == b.to_bits()), "robot {seed}");
    }
    eprintln!("{}: {worst:e}", device.info());
}

#[test]
fn batches_of_many_dispatches_have_the_rows_of_small_ones() {
    let (Some(device), Some(small)) = (device(), small_device()) else { return };
    let robot = Robot::from_name("franka_panda").unwrap();
    let configurations = rows(&robot, 5, 9000);
    let (mut whole, mut parts) =
        (GpuKinematics::new(&device, &robot).unwrap(), GpuKinematics::new(&small, &robot).unwrap());
    let found = whole.link_poses(&configurations).unwrap();
    assert!(found == parts.link_poses(&configurations).unwrap(), "limits change no bit");
    let floats = found.len() / 9000;
    for row in [0, 1, 4095, 4096, 8999] {
        let width = robot.num_variables();
        let one = whole.link_poses(&configurations[row * width..(row + 1) * width]).unwrap();
        assert!(one == found[row * floats..(row + 1) * floats], "row {row}");
    }
}

#[test]
fn bad_input_is_refused_and_no_rows_are_an_answer() {
    let robot = Robot::from_urdf_string(
        "<robot name=\"slide\"><link name=\"a\"/><link name=\"b\"/><joint name=\"j\" type=\"prismatic\">\
         <parent link=\"a\"/><child link=\"b\"/><axis xyz=\"0 0 1\"/><limit lower=\"0\" upper=\"1\"/></joint></robot>",
    )
    .unwrap();
    let mut twin = CpuKinematics::new(&robot);
    assert_eq!(twin.link_poses(&[]).unwrap(), Vec::<f32>::new());
    assert!(matches!(twin.link_poses(&[f64::NAN]), Err(KineticError::NotFinite { .. })));
    assert!(matches!(twin.link_poses(&[33.0]), Err(KineticError::InvalidValue { .. })));
    let mut arm = CpuKinematics::new(&chain(3));
    assert!(matches!(arm.link_poses(&[0.0; 4]), Err(KineticError::DimensionMismatch { .. })));
    let Some(device) = device() else { return };
    let mut kinematics = GpuKinematics::new(&device, &robot).unwrap();
    assert_eq!(kinematics.link_poses(&[]).unwrap(), Vec::<f32>::new());
    let error = kinematics.link_poses(&[0.0, f64::INFINITY]).unwrap_err();
    assert!(matches!(error, GpuError::Input(KineticError::NotFinite { index: 1, .. })), "{error}");
}

#[test]
fn a_robot_of_127_joints_fits_a_device() {
    let Some(device) = small_device() else { return };
    let robot = chain(127);
    let q = [0.01; 127];
    let found = GpuKinematics::new(&device, &robot).unwrap().link_poses(&q).unwrap();
    // The arm is 14 m long, and rounding grows with its length.
    assert!(largest_difference(&found, &reference(&robot, &q)) < 1e-4);
}

#[test]
fn a_stop_between_dispatches_ends_a_batch() {
    let Some(device) = device() else { return };
    let stop = StopFlag::default();
    let control = Control::new(Arc::new(kinetic_core::ManualClock::default()), f64::INFINITY, u64::MAX, stop.clone());
    let mut kinematics = GpuKinematics::new(&device, &chain(2)).unwrap();
    assert!(kinematics.link_poses_within(&[0.0; 4], &control).is_ok());
    stop.stop();
    let error = kinematics.link_poses_within(&[0.0; 4], &control).unwrap_err();
    assert!(matches!(error, GpuError::Input(KineticError::Cancelled { .. })), "{error}");
}
