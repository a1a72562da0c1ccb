//! Trajectories of many scenes in one call: each has what it has alone, and ends alone.

use std::sync::Arc;

use kinetic_core::{Control, KineticError, Pose, Result, Shape};
use kinetic_gpu::{ComputeChoice, DeviceTrajectoryOptimizer, GpuConfig, SplineProposal};
use kinetic_robot::Robot;
use kinetic_scene::{BatchTrajectoryOptimizer, Margins, OptimizationContext, OptimizationRequest, Scene};

use crate::collision::{group_of, rows_of};
use crate::robots::random_robot;
use crate::support::{device, turn_with_shared_device};
use crate::trajopt::{device_with, noisy_lines, short, twin_with, weights_of};
use crate::worlds::{MARGINS, primitive_scene};

/// What a call is about.
struct Asked {
    scene: Scene,
    group: String,
    margins: Margins,
    weights: Vec<f64>,
    initial: Vec<f64>,
    control: Control,
}

impl Asked {
    fn new(scene: Scene, options: &GpuConfig, count: usize) -> Self {
        let dof = weights_of(&scene).len();
        let ends: Vec<f64> = rows_of(scene.robot(), 5, 2).iter().map(|value| value.clamp(-6.0, 6.0)).collect();
        Self {
            group: group_of(scene.robot()),
            margins: MARGINS,
            weights: weights_of(&scene),
            initial: noisy_lines([&ends[..dof], &ends[dof..]], options.control_points, count, 0.3),
            control: Control::default(),
            scene,
        }
    }

    fn request(&self) -> OptimizationRequest<'_> {
        let Self { scene, group, margins, weights, initial, control } = self;
        let context = OptimizationContext { scene, group, margins: *margins, weights };
        OptimizationRequest { context, initial, control }
    }
}

/// Panda, UR5e and random robots among obstacles, one of them holding a ball, and the first scene again.
fn asked(options: &GpuConfig) -> Vec<Asked> {
    let robot = |name: &str| Arc::new(Robot::from_name(name).unwrap());
    let panda = robot("franka_panda");
    let scene = |number: u64| primitive_scene(&panda, number);
    let mut holding = scene(3);
    let ball = Shape::sphere(0.04).unwrap();
    holding.attach("held", ball, Pose::from_xyz(0.0, 0.0, 0.15), "panda_hand", &[]).unwrap();
    let scenes = [scene(1), primitive_scene(&robot("ur5e"), 2), holding, scene(4), scene(1)];
    let random = (0..6).map(random_robot).filter(|robot| !robot.groups.is_empty());
    let random = random.enumerate().map(|(seed, robot)| primitive_scene(&robot, seed as u64));
    scenes.into_iter().chain(random).enumerate().map(|(n, scene)| Asked::new(scene, options, 1 + n % 4)).collect()
}

fn optimizer(device: &str, options: GpuConfig) -> DeviceTrajectoryOptimizer {
    DeviceTrajectoryOptimizer::new(&device.parse::<ComputeChoice>().unwrap(), options).unwrap()
}

fn answers(optimizer: &mut DeviceTrajectoryOptimizer, asked: &[Asked]) -> Vec<Result<Vec<SplineProposal>>> {
    let requests: Vec<_> = asked.iter().map(Asked::request).collect();
    optimizer.optimize(&requests)
}

/// "cpu", and "gpu" where there is one.
fn devices() -> Vec<&'static str> {
    std::iter::once("cpu").chain(device().map(|_| "gpu")).collect()
}

#[test]
fn trajectories_have_the_same_bytes_alone_and_beside_those_of_other_scenes_and_robots() {
    let _turn = turn_with_shared_device();
    let options = short(12);
    let asked = asked(&options);
    for name in devices() {
        let mut together = optimizer(name, options);
        let found = answers(&mut together, &asked);
        assert!(answers(&mut together, &asked) == found, "{name}: again");
        for (index, (asked, found)) in asked.iter().zip(&found).enumerate() {
            let alone = match device() {
                Some(device) if name == "gpu" => {
                    let mut alone = device_with(&device, &asked.scene, options);
                    alone.optimize(&asked.initial, &asked.control).unwrap()
                }
                _ => twin_with(&asked.scene, options).optimize(&asked.initial, &asked.control).unwrap(),
            };
            assert!(found.as_ref().unwrap() == &alone, "{name}, request {index}");
        }
        // Other scenes come and go; what was known before is still right.
        let few: Vec<_> = asked.iter().take(3).rev().map(Asked::request).collect();
        let expected: Vec<_> = found[..3].iter().rev().cloned().collect();
        assert!(together.optimize(&few) == expected, "{name}: some of them");
    }
}

#[test]
fn more_scenes_than_are_kept_are_all_in_a_call() {
    let _turn = turn_with_shared_device();
    let options = short(2);
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let asked: Vec<_> = (0..40).map(|seed| Asked::new(primitive_scene(&robot, seed), &options, 1)).collect();
    for name in devices() {
        let mut optimizer = optimizer(name, options);
        let found = answers(&mut optimizer, &asked);
        for (index, (asked, found)) in asked.iter().zip(found).enumerate() {
            assert!(optimizer.optimize(&[asked.request()]) == [found], "{name}, request {index}");
        }
    }
}

#[test]
fn what_is_wrong_with_a_request_is_its_own_error() {
    let _turn = turn_with_shared_device();
    let options = short(25);
    for name in devices() {
        let mut asked = asked(&options);
        let mut optimizer = optimizer(name, options);
        let expected = answers(&mut optimizer, &asked);
        asked[1].control = Control::default().with_max_iterations(0);
        asked[2].initial[10] = f64::NAN;
        asked[4].group = "legs".to_owned();
        asked[5].initial.pop();
        // Ends after some dispatches, on a device, where the others go on.
        asked[3].control = Control::default().with_max_iterations(if name == "cpu" { 0 } else { 15 });
        let found = answers(&mut optimizer, &asked);
        assert!(matches!(found[1], Err(KineticError::PlanningTimeout { .. })), "{:?}", found[1]);
        assert!(matches!(found[2], Err(KineticError::NotFinite { .. })));
        assert!(matches!(found[3], Err(KineticError::PlanningTimeout { .. })), "{:?}", found[3]);
        assert!(matches!(found[4], Err(KineticError::GroupNotFound { .. })), "{:?}", found[4]);
        assert!(matches!(found[5], Err(KineticError::DimensionMismatch { .. })));
        for index in [0].into_iter().chain(6..asked.len()) {
            assert!(found[index] == expected[index], "{name}, request {index}");
        }
    }
}

#[test]
fn a_device_that_was_lost_is_opened_again_for_all_requests() {
    let _turn = turn_with_shared_device();
    if device().is_none() {
        return;
    }
    let options = short(3);
    let (asked, mut optimizer) = (asked(&options), optimizer("gpu", options));
    let expected = answers(&mut optimizer, &asked);
    if let kinetic_gpu::ComputeDevice::Gpu(device) = optimizer.compute_device() {
        device.destroy();
    }
    let lost = answers(&mut optimizer, &asked);
    assert!(lost.iter().all(Result::is_err) || lost == expected);
    assert!(answers(&mut optimizer, &asked) == expected);
}
