//! First contacts of segments, paths and timed curves.

use kinetic_core::{KineticError, PiecewisePolynomial, Pose, Shape, TimedTrajectory, Trajectory};
use kinetic_robot::Robot;
use kinetic_scene::{CCDConfig, ContinuousCollisionDetector, Margins, Scene};

/// A ball of 0.1 m on a rail along x.
fn slider() -> Scene {
    let urdf = "<robot name=\"slider\"><link name=\"rail\"/><link name=\"ball\"><collision><geometry><sphere \
        radius=\"0.1\"/></geometry></collision></link><joint name=\"slide\" type=\"prismatic\"><parent link=\"rail\"/>\
        <child link=\"ball\"/><axis xyz=\"1 0 0\"/><limit lower=\"-9\" upper=\"9\" velocity=\"1\" effort=\"1\"/></joint>\
        </robot>";
    let mut scene = Scene::new(&std::sync::Arc::new(Robot::from_urdf_string(urdf).unwrap())).unwrap();
    scene.add("wall", Shape::cuboid(5e-5, 1.0, 1.0).unwrap(), Pose::from_xyz(3.0, 0.0, 0.0)).unwrap();
    scene
}

fn detector(scene: &Scene, margin: f64) -> ContinuousCollisionDetector {
    let config = CCDConfig { margins: Margins::new(margin, 0.0), ..CCDConfig::default() };
    ContinuousCollisionDetector::new(scene, &config).unwrap()
}

fn path(values: &[f64]) -> Trajectory {
    let mut path = Trajectory::with_dof(1);
    for value in values {
        path.push_waypoint(&[*value]).unwrap();
    }
    path
}

#[test]
fn a_path_names_segment_fraction_and_pair_of_its_first_contact() {
    let scene = slider();
    for margin in [0.0, 0.2] {
        let mut detector = detector(&scene, margin);
        let found = detector.check_path(&path(&[0.0, 1.0, -1.0, 4.0, 0.0])).unwrap().unwrap();
        assert_eq!((found.segment, found.time), (2, None));
        // On the third segment, from -1 to 4, the ball meets the wall at x = 3 less half the plate, radius and margin.
        let wanted = (3.0 - 5e-5 - 0.1 - margin + 1.0) / 5.0;
        assert!((found.fraction - wanted).abs() < 1e-5, "{} but {wanted}", found.fraction);
        assert_eq!((found.pair.link.as_str(), found.pair.other.as_str()), ("ball", "wall"));
        assert_eq!(detector.check_path(&path(&[0.0, 2.0, -1.0])).unwrap(), None);
        assert!(detector.check_path(&path(&[3.0])).unwrap().is_some());
    }
}

#[test]
fn a_timed_trajectory_names_the_time_and_the_waypoints_around_it() {
    // From 0 to 1 in the first second, with x = t²; then x = 1 + 2 (t − 1).
    let rows = [[0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [1.0, 2.0, 0.0, 0.0, 0.0, 0.0]];
    let curve = PiecewisePolynomial::new(1, vec![0.0, 1.0, 3.0], rows.to_vec()).unwrap();
    let timed = TimedTrajectory::new(curve, vec![0.0, 1.0, 3.0], 0.0, "handmade").unwrap();
    let scene = slider();
    for margin in [0.0, 0.5] {
        let found = detector(&scene, margin).check_trajectory(&timed).unwrap().unwrap();
        let wanted = 1.0 + (3.0 - 5e-5 - 0.1 - margin - 1.0) / 2.0;
        assert_eq!(found.segment, 1);
        assert!((found.time.unwrap() - wanted).abs() < 1e-4, "{found:?} but {wanted}");
        assert!((found.fraction - (wanted - 1.0) / 2.0).abs() < 1e-4, "{found:?}");
    }
    let mut far = scene.clone();
    far.update_pose("wall", Pose::from_xyz(5.2, 0.0, 0.0)).unwrap();
    assert_eq!(detector(&far, 0.0).check_trajectory(&timed).unwrap(), None);
}

#[test]
fn wrong_sizes_and_nan_are_refused() {
    let mut detector = detector(&slider(), 0.0);
    assert!(matches!(detector.check_segment(&[0.0], &[0.0, 1.0]), Err(KineticError::DimensionMismatch { .. })));
    assert!(matches!(detector.check_segment(&[f64::NAN], &[0.0]), Err(KineticError::NotFinite { .. })));
    assert!(matches!(detector.check_path(&path(&[])), Err(KineticError::InvalidValue { .. })));
    let config = CCDConfig { group: Some("leg".to_owned()), ..CCDConfig::default() };
    assert!(matches!(ContinuousCollisionDetector::new(&slider(), &config), Err(KineticError::GroupNotFound { .. })));
}

#[test]
fn the_instructions_in_use_are_ones_that_the_processor_has() {
    let flags = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let tier = kinetic_scene::simd::detect_simd_tier();
    if flags.contains("avx2") && flags.contains(" fma") {
        assert_eq!(tier.name() == "avx512", flags.contains("avx512f") && flags.contains("avx512vl"), "{tier:?}");
        assert!(tier >= kinetic_scene::simd::SimdTier::Avx2);
    } else if cfg!(target_arch = "x86_64") && !flags.is_empty() {
        assert_eq!(tier.name(), "scalar");
    }
}
