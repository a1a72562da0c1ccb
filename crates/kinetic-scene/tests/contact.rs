//! Plain contact questions, asked again and again.

use kinetic_core::KineticError;
use kinetic_core::rng::SeededRng;
use kinetic_scene::{Margins, SimdTier, detect_simd_tier};

use crate::support::{ball_arm, boxes, built_in, random_configuration, with_boxes};

#[test]
fn repeated_questions_are_answered_as_a_checker_for_any_configuration_does_inside_and_outside_the_limits() {
    for robot in [ball_arm(), built_in("ur5e")] {
        let mut rng = SeededRng::new(31);
        let scene = with_boxes(&robot, &boxes(&mut rng, 6));
        let group = &robot.groups[robot.default_group];
        let mut checker = scene.checker(&group.name, Margins::ZERO).unwrap();
        let (mut free, mut outside) = (0, 0);
        for case in 0..200 {
            let stretch = if case % 2 == 0 { 1.0 } else { 3.0 };
            let q: Vec<f64> = random_configuration(&robot, &mut rng).iter().map(|q| q * stretch).collect();
            let expected = checker.is_free(&q);
            assert_eq!(scene.check_collision(&q).unwrap(), !expected, "{} case {case}", robot.name);
            free += usize::from(expected);
            outside += usize::from(robot.check_limits(group, &q, 0.0).is_err());
        }
        assert!(free > 5 && free < 195 && outside > 20, "{}: {free} free, {outside} outside", robot.name);
    }
}

#[test]
fn vectors_that_are_no_configurations_are_refused() {
    let robot = ball_arm();
    let scene = with_boxes(&robot, &[]);
    let error = scene.check_collision(&[0.0, 0.0]).unwrap_err();
    assert!(matches!(error, KineticError::DimensionMismatch { got: 2, .. }), "{error}");
    let error = scene.check_collision(&[0.0, f64::NAN, 0.0]).unwrap_err();
    assert!(matches!(error, KineticError::NotFinite { .. }), "{error}");
}

#[test]
fn every_width_of_the_processor_can_be_chosen_and_no_other() {
    use SimdTier::{Avx2, Avx512, Avx512Half, Neon, Scalar};
    let robot = ball_arm();
    let group = &robot.groups[robot.default_group].name;
    let checker = with_boxes(&robot, &[]).checker(group, Margins::ZERO).unwrap();
    let available = SimdTier::available();
    assert_eq!(available[0], detect_simd_tier());
    assert!(available.contains(&SimdTier::BASELINE));
    for tier in [Avx512, Avx512Half, Avx2, Neon, Scalar] {
        assert_eq!(checker.clone().with_simd_tier(tier).is_ok(), available.contains(&tier), "{tier:?}");
    }
}
