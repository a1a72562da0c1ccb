//! What cannot be checked: bad input, scenes that are too large, lost devices, calls that are ended.

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, ManualClock, Pose, Shape, StopFlag};
use kinetic_gpu::{CollisionOptions, CpuCollisionChecker, DeviceOptions, GpuCollisionChecker, GpuError};
use kinetic_robot::Robot;
use kinetic_scene::{BatchCollisionChecker, Margins, Scene};

use crate::collision::{group_of, rows_of, slacks_of, twin_of};
use crate::support::{device, opened, small_device};
use crate::worlds::{MARGINS, voxelised};

#[test]
fn bad_input_has_typed_errors_and_no_rows_are_an_answer() {
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let scene = Scene::new(&robot).unwrap();
    let mut twin = twin_of(&scene);
    assert_eq!(twin.dof(), 6);
    twin.slacks_into(&[], &mut []).unwrap();
    assert_eq!(twin.clearances(&[]).unwrap(), []);
    let mut one = [0.0];
    assert!(matches!(twin.slacks_into(&[0.0; 5], &mut one), Err(KineticError::DimensionMismatch { .. })));
    assert!(matches!(twin.slacks_into(&[f64::NAN; 6], &mut one), Err(KineticError::NotFinite { .. })));
    let short = twin.gradients_into(&[0.0; 6], &mut one, &mut [0.0; 5]);
    assert!(matches!(short, Err(KineticError::DimensionMismatch { .. })));
    for resolution in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let made = CpuCollisionChecker::new(&scene, twin.group(), MARGINS, CollisionOptions { resolution });
        assert!(matches!(made, Err(KineticError::InvalidValue { .. })), "{resolution}");
    }
    let options = CollisionOptions::default();
    let unknown = CpuCollisionChecker::new(&scene, "no such group", MARGINS, options);
    assert!(matches!(unknown, Err(KineticError::GroupNotFound { .. })));
    let negative = CpuCollisionChecker::new(&scene, twin.group(), Margins::new(-1.0, 0.0), options);
    assert!(matches!(negative, Err(KineticError::InvalidValue { .. })));
}

#[test]
fn more_than_a_buffer_holds_is_a_typed_error() {
    let Some(small) = small_device() else { return };
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let mut scene = Scene::new(&robot).unwrap();
    scene.add("cells", voxelised(1, &mut SeededRng::new(1)), Pose::identity()).unwrap();
    let of = |resolution| {
        GpuCollisionChecker::new(&small, &scene, &group_of(&robot), MARGINS, CollisionOptions { resolution })
    };
    assert!(of(0.05).is_ok());
    let error = of(0.005).unwrap_err();
    let GpuError::Input(KineticError::InvalidValue { name, wanted, .. }) = &error else { panic!("{error}") };
    assert!(name.contains("buffer") && wanted.contains("1048576"), "{error}");
    assert!(!small.is_lost());
    let (mut checker, rows) = (of(0.02).unwrap(), rows_of(&robot, 3, 20));
    let before = slacks_of(&mut checker, &rows);
    let mut larger = scene.clone();
    larger.set_padding("wrist_1_link", 0.02).unwrap();
    let far = [[0, 0, 0], [29, 29, 29]];
    larger.add("spread", Shape::voxels(&far, 0.05).unwrap(), Pose::identity()).unwrap();
    assert!(matches!(checker.update(&larger), Err(GpuError::Input(KineticError::InvalidValue { .. }))));
    assert_eq!(slacks_of(&mut checker, &rows), before, "an update that fails changes nothing");
    assert_eq!(checker.version(), scene.version());
}

#[test]
fn a_lost_device_ends_checks_with_a_typed_error() {
    let Some(device) = opened(&DeviceOptions::default()) else { return };
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let mut scene = Scene::new(&robot).unwrap();
    let options = CollisionOptions::default();
    let mut checker = GpuCollisionChecker::new(&device, &scene, &group_of(&robot), MARGINS, options).unwrap();
    let mut slacks = [0.0];
    checker.slacks_into(&[0.1; 6], &mut slacks).unwrap();
    device.destroy();
    assert!(matches!(checker.slacks_into(&[0.1; 6], &mut slacks), Err(KineticError::Other(_))));
    assert!(matches!(checker.clearances(&[0.1; 6]), Err(GpuError::DeviceLost { .. })));
    scene.add("ball", Shape::sphere(0.1).unwrap(), Pose::from_xyz(1.0, 0.0, 0.0)).unwrap();
    let version = checker.version();
    assert!(matches!(checker.update(&scene), Err(GpuError::DeviceLost { .. })));
    assert_eq!(checker.version(), version, "an update that fails changes nothing");
}

#[test]
fn a_control_ends_a_batch() {
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let scene = Scene::new(&robot).unwrap();
    let stop = StopFlag::default();
    let control = Control::new(Arc::new(ManualClock::default()), f64::INFINITY, u64::MAX, stop.clone());
    let mut twin = twin_of(&scene);
    twin.obey(Some(&control));
    let mut slacks = [0.0];
    twin.slacks_into(&[0.1; 6], &mut slacks).unwrap();
    stop.stop();
    assert!(matches!(twin.slacks_into(&[0.1; 6], &mut slacks), Err(KineticError::Cancelled { .. })));
    twin.obey(None);
    twin.slacks_into(&[0.1; 6], &mut slacks).unwrap();
    let Some(device) = device() else { return };
    let options = CollisionOptions::default();
    let mut checker = GpuCollisionChecker::new(&device, &scene, twin.group(), MARGINS, options).unwrap();
    checker.obey(Some(&control));
    assert!(matches!(checker.slacks_into(&[0.1; 6], &mut slacks), Err(KineticError::Cancelled { .. })));
}
