//! Where the device is not named: the processor or an adapter, shared, and opened anew after a loss.

use std::sync::Arc;

use kinetic_core::{Control, JointValues, KineticError, ManualClock, Pose, Shape, StopFlag};
use kinetic_gpu::{
    CollisionOptions, ComputeChoice, ComputeDevice, DeviceCollisionChecker, GpuError, GpuInverseKinematics, adapters,
    gpu_available,
};
use kinetic_ik::solvers::{IKConfig, IKMode, IKSolver};
use kinetic_kinematics::{KinematicChain, forward_kinematics};
use kinetic_robot::Robot;
use kinetic_scene::{Margins, Scene};

use crate::collision::{group_of, rows_of, slacks_of, twin_of};
use crate::support::{device, turn_with_shared_device};
use crate::worlds::{MARGINS, primitive_scene};

fn choice(text: &str) -> ComputeChoice {
    text.parse().unwrap()
}

fn checker_of(scene: &Scene, device: &str) -> DeviceCollisionChecker {
    let group = group_of(scene.robot());
    DeviceCollisionChecker::new(&choice(device), scene, &group, MARGINS, CollisionOptions::default()).unwrap()
}

#[test]
fn choices_are_read_and_auto_is_the_processor_without_hardware() {
    assert_eq!(choice("auto"), ComputeChoice::Auto);
    assert_eq!(choice(" cpu "), ComputeChoice::Cpu);
    for text in ["", " ", "gpu:", "gpu:x"] {
        assert!(matches!(text.parse::<ComputeChoice>(), Err(KineticError::InvalidValue { .. })), "{text:?}");
    }
    assert_eq!(ComputeDevice::open(&ComputeChoice::Auto).unwrap().is_gpu(), gpu_available());
    let processor = ComputeDevice::open(&ComputeChoice::Cpu).unwrap();
    assert!(!processor.is_gpu() && !processor.is_lost() && processor.to_string() == "cpu");
    match ComputeDevice::open(&choice("gpu:99")) {
        Err(GpuError::UnknownDevice { available, .. }) => assert_eq!(available.len(), adapters().len()),
        Err(GpuError::NoAdapter { .. }) => assert!(adapters().is_empty()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_processor_says_what_the_twin_says_however_many_rows_there_are() {
    let scene = primitive_scene(&Arc::new(Robot::from_name("ur5e").unwrap()), 3);
    let rows = rows_of(scene.robot(), 4, 700);
    let together = slacks_of(&mut checker_of(&scene, "cpu"), &rows);
    let mut twin = twin_of(&scene);
    let one_by_one: Vec<f64> = rows.chunks_exact(6).map(|row| slacks_of(&mut twin, row)[0]).collect();
    assert_eq!(together, one_by_one);
}

#[test]
fn a_device_is_shared_and_opened_anew_after_its_loss() {
    let _turn = turn_with_shared_device();
    if device().is_none() {
        return;
    }
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let (mut scene, rows) = (primitive_scene(&robot, 1), rows_of(&robot, 2, 5));
    let (mut checker, mut other) = (checker_of(&scene, "gpu"), checker_of(&scene, "gpu:0"));
    let (ComputeDevice::Gpu(first), ComputeDevice::Gpu(second)) = (checker.device(), other.device()) else {
        panic!("the processor was not asked for")
    };
    assert!(Arc::ptr_eq(first, second), "one device by two names");
    let before = slacks_of(&mut checker, &rows);
    assert!(!checker.update(&scene).unwrap(), "nothing has changed");
    if let ComputeDevice::Gpu(device) = other.device() {
        device.destroy();
    }
    assert!(checker.device().is_lost());
    assert!(checker.clearances(&rows).is_err(), "the device is lost");
    assert!(checker.update(&scene).unwrap() && !checker.device().is_lost());
    assert_eq!(slacks_of(&mut checker, &rows), before);
    scene.add("another", Shape::sphere(0.3).unwrap(), Pose::from_xyz(0.3, 0.0, 0.5)).unwrap();
    assert!(other.update(&scene).unwrap() && checker.update(&scene).unwrap());
    assert_eq!(slacks_of(&mut checker, &rows), slacks_of(&mut other, &rows));
    assert_eq!((checker.version(), checker.group()), (scene.version(), "arm"));
}

#[test]
fn a_control_ends_a_batch_and_is_let_go() {
    let scene = Scene::new(&Arc::new(Robot::from_name("ur5e").unwrap())).unwrap();
    let group = group_of(scene.robot());
    let options = CollisionOptions::default();
    let mut checker = DeviceCollisionChecker::new(&choice("cpu"), &scene, &group, Margins::ZERO, options).unwrap();
    let stop = StopFlag::default();
    stop.stop();
    let control = Control::new(Arc::new(ManualClock::default()), f64::INFINITY, u64::MAX, stop);
    checker.obey(Some(&control));
    assert!(matches!(checker.clearances(&[0.0; 6]), Err(GpuError::Input(KineticError::Cancelled { .. }))));
    checker.obey(None);
    assert_eq!(checker.clearances(&[0.0; 6]).unwrap().len(), 1);
    assert!(checker.rounding() > 0.0);
}

fn seeds() -> impl Iterator<Item = [f64; 7]> {
    (0..12).map(|index| 0.1 * f64::from(index)).map(|t| [t, -0.5, 0.2, -2.0 + t, 0.1, 1.8, 0.5])
}

fn arm() -> (KinematicChain, Vec<Pose>) {
    let chain = KinematicChain::auto_detect(&Robot::from_name("franka_panda").unwrap()).unwrap();
    let poses = seeds().map(|q| forward_kinematics(&chain, &q).unwrap()).collect();
    (chain, poses)
}

#[test]
fn batches_by_configuration_have_the_nearest_answer_of_each_pose() {
    let Some(device) = device() else { return };
    let (chain, poses) = arm();
    let config = IKConfig { num_restarts: 7, rng_seed: 1 << 40, ..IKConfig::default() };
    let mut solver = GpuInverseKinematics::for_config(&device, &chain, &config).unwrap();
    let all = solver.solve(&poses, &config.start(&chain)).unwrap();
    let nearest = solver.solve_batch(&poses, &[], &config).unwrap();
    assert!(nearest.iter().flatten().count() >= 11);
    for (pose, (all, nearest)) in poses.iter().zip(all.iter().zip(&nearest)) {
        assert_eq!(nearest.as_ref().map(|one| &one.joints[..]), all.first().map(|one| &one.configuration[..]));
        let Some(nearest) = nearest else { continue };
        let reached = forward_kinematics(&chain, &nearest.joints).unwrap();
        assert!((reached.translation() - pose.translation()).norm() < 1e-8);
        assert!(nearest.converged && nearest.attempts == 8 && nearest.condition_number.is_finite());
    }
    // The nearest that is accepted, and those of the others where there is none.
    let low = |q: &[f64]| q[6] < 0.4;
    let accepted = solver.solve_batch_where(&poses, &[], &config, &|q| Ok(low(q))).unwrap();
    for (all, accepted) in all.iter().zip(&accepted) {
        let nearest = all.iter().find(|one| low(&one.configuration));
        assert_eq!(accepted.as_ref().map(|one| &one.joints[..]), nearest.map(|one| &one.configuration[..]));
    }
    assert_ne!(accepted, nearest);
    let fail = |_: &[f64]| Err(KineticError::Other("no".to_owned()));
    assert!(matches!(
        solver.solve_batch_where(&poses, &[], &config, &fail),
        Err(GpuError::Input(KineticError::Other(_)))
    ));
    // Each pose from the configuration that it was made of.
    let seeds: Vec<[f64; 7]> = seeds().collect();
    let rows: Vec<&[f64]> = seeds.iter().map(|seed| &seed[..]).collect();
    let one = IKConfig { num_restarts: 0, ..config.clone() };
    let mut alone = GpuInverseKinematics::for_config(&device, &chain, &one).unwrap();
    for (seed, answer) in seeds.iter().zip(alone.solve_batch(&poses, &rows, &one).unwrap()) {
        let answer = answer.unwrap();
        assert!(answer.joints.iter().zip(seed).all(|(value, seed)| (value - seed).abs() < 1e-4));
    }
    let few = alone.solve_batch(&poses, &rows[..3], &one);
    assert!(matches!(few, Err(GpuError::Input(KineticError::DimensionMismatch { .. }))));
}

#[test]
fn what_only_the_processor_has_is_refused_and_flags_are_obeyed() {
    let Some(device) = device() else { return };
    let (chain, poses) = arm();
    let defaults = IKConfig::default;
    for (config, named) in [
        (IKConfig { solver: IKSolver::CCD, ..defaults() }, "solver"),
        (IKConfig { mode: IKMode::PositionOnly, ..defaults() }, "mode"),
        (IKConfig { check_limits: false, ..defaults() }, "check_limits"),
        (IKConfig { orientation_tolerance: 1e-12, ..defaults() }, "orientation_tolerance"),
        (IKConfig { num_restarts: usize::MAX, ..defaults() }, "starts"),
        (IKConfig { max_iterations: 0, ..defaults() }, "iterations"),
    ] {
        let error = GpuInverseKinematics::for_config(&device, &chain, &config).unwrap_err();
        assert!(matches!(&error, GpuError::Input(KineticError::InvalidValue { name, .. }) if name == named), "{error}");
    }
    let mut solver = GpuInverseKinematics::for_config(&device, &chain, &defaults()).unwrap();
    let short = IKConfig { seed: Some(JointValues(vec![0.0; 3])), ..defaults() };
    assert!(matches!(solver.solve_batch(&poses, &[], &short), Err(GpuError::Input(_))));
    let late = StopFlag::default().with_timeout(Arc::new(ManualClock::default()), 0.0);
    assert_eq!(
        solver.solve_batch(&poses, &[], &IKConfig { stop: late, ..defaults() }).unwrap(),
        vec![None; poses.len()]
    );
    let stop = StopFlag::default();
    stop.stop();
    let cancelled = solver.solve_batch(&poses, &[], &IKConfig { stop, ..defaults() }).unwrap_err();
    assert!(matches!(cancelled, GpuError::Input(KineticError::Cancelled { .. })));
}
