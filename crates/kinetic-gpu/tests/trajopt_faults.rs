//! What cannot be optimised: bad input, options out of their domain, lost devices, calls that are ended.

use std::sync::Arc;

use kinetic_core::{Control, KineticError, ManualClock, Pose, Shape, StopFlag};
use kinetic_gpu::{
    CollisionOptions, CpuTrajectoryOptimizer, DeviceOptions, GpuConfig, GpuError, GpuTrajectoryOptimizer,
};
use kinetic_robot::Robot;
use kinetic_scene::{Margins, Scene};

use crate::support::{device, opened, small_device};
use crate::trajopt::{device_with, noisy_lines, short, twin_with};
use crate::worlds::far_balls;

fn empty_scene() -> Scene {
    Scene::new(&Arc::new(Robot::from_name("ur5e").unwrap())).unwrap()
}

fn seed(points: usize) -> Vec<f64> {
    noisy_lines([&[0.1; 6], &[0.3; 6]], points, 1, 0.0)
}

#[test]
fn bad_seeds_have_typed_errors_and_no_seeds_are_an_answer() {
    let (scene, control) = (empty_scene(), Control::default());
    let twin = twin_with(&scene, short(3));
    assert_eq!(twin.optimize(&[], &control).unwrap(), []);
    for length in [1, 6, 59, 61] {
        let short = twin.optimize(&vec![0.0; length], &control);
        assert!(matches!(short, Err(KineticError::DimensionMismatch { .. })), "{length}");
    }
    for bad in [f64::NAN, f64::INFINITY] {
        let mut values = seed(8);
        values[17] = bad;
        assert!(matches!(twin.optimize(&values, &control), Err(KineticError::NotFinite { .. })), "{bad}");
    }
    let mut far = seed(8);
    far[30] = 40.0;
    assert!(matches!(twin.optimize(&far, &control), Err(KineticError::InvalidValue { .. })));
    let Some(device) = device() else { return };
    let mut optimizer = device_with(&device, &scene, short(3));
    assert_eq!(optimizer.optimize(&[], &control).unwrap(), []);
    let error = optimizer.optimize(&[0.0; 59], &control).unwrap_err();
    assert!(matches!(error, GpuError::Input(KineticError::DimensionMismatch { .. })), "{error}");
}

#[test]
fn presets_are_known_by_name_and_pass_the_check() {
    for name in ["speed", "balanced", "quality"] {
        GpuConfig::from_preset(name).unwrap().check().unwrap();
    }
    assert_eq!(GpuConfig::from_preset("balanced").unwrap(), GpuConfig::default());
    let error = GpuConfig::from_preset("fast").unwrap_err();
    assert_eq!(error.to_string().matches("quality").count(), 1, "{error}");
}

#[test]
fn options_and_weights_out_of_their_domain_are_refused() {
    let scene = empty_scene();
    let of = |weights: &[f64], options| CpuTrajectoryOptimizer::new(&scene, "arm", Margins::ZERO, weights, options);
    let default = GpuConfig::default();
    let mut refused = vec![
        GpuConfig { seeds_per_batch: 0, ..default },
        GpuConfig { seeds_per_batch: 65_536, ..default },
        GpuConfig { control_points: 0, ..default },
        GpuConfig { control_points: 257, ..default },
        GpuConfig { samples_per_interval: 0, ..default },
        GpuConfig { samples_per_interval: 101, ..default },
        GpuConfig { iterations: 0, ..default },
        // Less than single precision is off by.
        GpuConfig { clearance: 1e-6, ..default },
        GpuConfig { collision: CollisionOptions { resolution: 0.0 }, ..default },
    ];
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
        refused.push(GpuConfig { clearance: value, ..default });
        refused.push(GpuConfig { smoothness_weight: value, ..default });
        refused.push(GpuConfig { largest_change: value, ..default });
    }
    for options in refused {
        assert!(matches!(of(&[1.0; 6], options), Err(KineticError::InvalidValue { .. })), "{options:?}");
    }
    for weight in [0.0, -1.0, f64::NAN] {
        assert!(matches!(of(&[weight; 6], default), Err(KineticError::InvalidValue { .. })), "{weight}");
    }
    assert!(matches!(of(&[1.0; 5], default), Err(KineticError::DimensionMismatch { .. })));
    let least = GpuConfig { control_points: 1, samples_per_interval: 1, iterations: 1, ..default };
    let twin = of(&[1.0; 6], least).unwrap();
    let proposals = twin.optimize(&seed(1), &Control::default()).unwrap();
    assert_eq!((proposals.len(), proposals[0].path.len()), (1, 5 * 6));
    assert_eq!(twin.options(), &least);
}

#[test]
fn a_control_ends_an_optimisation() {
    let (scene, stop) = (empty_scene(), StopFlag::default());
    let control = Control::new(Arc::new(ManualClock::default()), f64::INFINITY, u64::MAX, stop.clone());
    let twin = twin_with(&scene, short(3));
    twin.optimize(&seed(8), &control).unwrap();
    stop.stop();
    assert!(matches!(twin.optimize(&seed(8), &control), Err(KineticError::Cancelled { .. })));
    let Some(device) = device() else { return };
    let mut optimizer = device_with(&device, &scene, short(30));
    let error = optimizer.optimize(&seed(8), &control).unwrap_err();
    assert!(matches!(error, GpuError::Input(KineticError::Cancelled { .. })), "{error}");
    // Ends between the second dispatch and the third.
    let few = Control::default().with_max_iterations(15);
    let error = optimizer.optimize(&seed(8), &few).unwrap_err();
    assert!(matches!(error, GpuError::Input(KineticError::PlanningTimeout { iterations: 20, .. })), "{error}");
    optimizer.optimize(&seed(8), &Control::default()).unwrap();
}

#[test]
fn a_lost_device_ends_an_optimisation_with_a_typed_error() {
    let Some(device) = opened(&DeviceOptions::default()) else { return };
    let scene = empty_scene();
    let mut optimizer = device_with(&device, &scene, short(3));
    optimizer.optimize(&seed(8), &Control::default()).unwrap();
    device.destroy();
    let error = optimizer.optimize(&seed(8), &Control::default()).unwrap_err();
    assert!(matches!(error, GpuError::DeviceLost { .. }), "{error}");
    let version = optimizer.version();
    let mut edited = scene.clone();
    edited.set_padding("wrist_1_link", 0.02).unwrap();
    assert!(matches!(optimizer.update(&edited), Err(GpuError::DeviceLost { .. })));
    assert_eq!(optimizer.version(), version, "an update that fails changes nothing");
    let made = GpuTrajectoryOptimizer::new(&device, &scene, "arm", Margins::ZERO, &[1.0; 6], short(3));
    assert!(matches!(made, Err(GpuError::DeviceLost { .. })));
}

#[test]
fn a_seed_that_is_larger_than_a_buffer_is_a_typed_error() {
    let Some(small) = small_device() else { return };
    let options = GpuConfig { control_points: 256, samples_per_interval: 100, iterations: 1, ..short(1) };
    let scene = Scene::new(&Arc::new(Robot::from_name("franka_panda").unwrap())).unwrap();
    let mut optimizer = device_with(&small, &scene, options);
    let line = noisy_lines([&[-0.5; 7], &[-0.6; 7]], 256, 1, 0.0);
    let error = optimizer.optimize(&line, &Control::default()).map(|proposals| proposals.len()).unwrap_err();
    assert!(matches!(error, GpuError::Input(KineticError::InvalidValue { .. })), "{error}");
    assert!(!small.is_lost());
}

/// Regression 31, as of checkers: samples that were not looked at were free.
#[test]
fn scenes_that_a_driver_cannot_look_at_in_one_thread_are_refused() {
    let Some(device) = device() else { return };
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let mut scene = far_balls(&robot, 10_000);
    scene.add("in the way", Shape::sphere(0.3).unwrap(), Pose::from_xyz(0.5, 0.1, 0.4)).unwrap();
    let wanted = twin_with(&scene, short(2)).optimize(&seed(8), &Control::default()).unwrap();
    match device_with(&device, &scene, short(2)).optimize(&seed(8), &Control::default()) {
        Ok(found) => assert!((found[0].least_slack - wanted[0].least_slack).abs() < 1e-4),
        Err(error) => {
            let of_scene = |name: &str| name == "obstacles of the scene";
            assert!(
                matches!(&error, GpuError::Input(KineticError::InvalidValue { name, .. }) if of_scene(name)),
                "{error}"
            );
            assert!(device.info().is_software());
        }
    }
}
