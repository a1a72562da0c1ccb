//! Boxes of poses.

use std::f64::consts::PI;

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose, PoseRegion};

/// Rounding of a product of poses of a metre, and of the logarithm of a rotation by nearly π.
const ROUNDING: f64 = 1e-7;

fn centre() -> Pose {
    Pose::from_xyz_rpy(0.4, -0.2, 0.3, 0.5, -1.1, 2.0)
}

#[test]
fn every_place_is_inside_also_where_rotations_exceed_half_a_turn() {
    for orientation in [[0.1, 0.2, 0.3], [0.0, 0.0, PI], [PI, PI, PI], [PI, 0.5, 0.0]] {
        let region = PoseRegion::new(centre(), [0.1, 0.0, 0.3], orientation).unwrap();
        let mut rng = SeededRng::new(7);
        for _ in 0..1000 {
            let pose = region.at([(); 6].map(|()| rng.unit()));
            assert!(region.contains(&pose, ROUNDING), "{orientation:?} {pose:?}");
            assert!(!region.contains(&(pose * Pose::from_xyz(0.0, 0.0, 0.7)), ROUNDING));
        }
    }
}

#[test]
fn the_middle_is_the_centre_and_the_ends_are_the_corners() {
    let region = PoseRegion::new(Pose::from_xyz(1.0, 2.0, 3.0), [0.1, 0.2, 0.3], [0.0, 0.0, 0.4]).unwrap();
    assert_eq!(region.at([0.5; 6]), Pose::from_xyz(1.0, 2.0, 3.0));
    let corner = region.at([0.0, 1.0, 1.0, 0.5, 0.5, 1.0]);
    let by_hand = Pose::from_xyz_rpy(0.9, 2.2, 3.3, 0.0, 0.0, 0.4);
    assert!(corner.translation_distance(&by_hand) < 1e-15 && corner.rotation_distance(&by_hand) < ROUNDING);
    assert!(!region.contains(&Pose::from_xyz(1.0, 2.21, 3.0), 0.0));
    assert!(!region.contains(&Pose::from_xyz_rpy(1.0, 2.0, 3.0, 0.01, 0.0, 0.0), 0.0));
}

#[test]
fn numbers_outside_their_domain_are_refused_by_name() {
    let new = |position, orientation| PoseRegion::new(centre(), position, orientation).unwrap_err();
    assert!(matches!(new([0.1, -0.1, 0.0], [0.0; 3]),
        KineticError::InvalidValue { name, .. } if name == "position_tolerance"));
    assert!(matches!(new([0.0; 3], [0.0, 0.0, 3.2]),
        KineticError::InvalidValue { name, .. } if name == "orientation_tolerance"));
    assert!(matches!(new([f64::NAN; 3], [0.0; 3]),
        KineticError::NotFinite { context, .. } if context == "position_tolerance"));
    assert!(matches!(new([0.0; 3], [f64::INFINITY; 3]),
        KineticError::NotFinite { context, .. } if context == "orientation_tolerance"));
}
