//! Twists and wrenches: power in every frame, and the velocity of a moving body by differences.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Twist, Wrench};
use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use crate::pose::random;

const TOLERANCE: f64 = 1e-12;

fn six(rng: &mut SeededRng) -> [f64; 6] {
    std::array::from_fn(|_| rng.uniform(-1.0, 1.0))
}

#[test]
fn power_is_the_same_in_every_frame() {
    let mut rng = SeededRng::new(31);
    for case in 0..500 {
        let twist = Twist::from_slice(&six(&mut rng)).unwrap();
        let wrench = Wrench::from_slice(&six(&mut rng)).unwrap();
        let pairs = twist.to_array().iter().zip(wrench.to_array()).map(|(t, w)| t * w).sum::<f64>();
        assert!((twist.power(&wrench) - pairs).abs() < TOLERANCE, "case {case}");
        let (a, b) = (random(&mut rng), random(&mut rng));
        let (twist_a, wrench_a) = (twist.transformed(&a), wrench.transformed(&a));
        assert!((wrench_a.power(&twist_a) - pairs).abs() < TOLERANCE, "case {case}");
        // Seen through two frames as through their product.
        let (once, twice) = (twist.transformed(&(b * a)), twist_a.transformed(&b));
        assert!((once - twice).to_array().iter().all(|value| value.abs() < TOLERANCE), "case {case}");
        let (once, twice) = (wrench.transformed(&(b * a)), wrench_a.transformed(&b));
        assert!((once - twice).to_array().iter().all(|value| value.abs() < TOLERANCE), "case {case}");
    }
}

/// The 4 × 4 matrix that takes a point of the body to its velocity.
fn velocity_field(twist: &Twist) -> Matrix4<f64> {
    let mut field = twist.angular.cross_matrix().to_homogeneous();
    field.fixed_view_mut::<3, 1>(0, 3).copy_from(&twist.linear);
    field[(3, 3)] = 0.0;
    field
}

#[test]
fn a_twist_seen_from_another_frame_moves_the_same_points() {
    let mut rng = SeededRng::new(32);
    for case in 0..500 {
        let (a_from_b, twist) = (random(&mut rng), Twist::from_slice(&six(&mut rng)).unwrap());
        let wanted = a_from_b.to_matrix() * velocity_field(&twist) * a_from_b.inverse().to_matrix();
        assert!((velocity_field(&twist.transformed(&a_from_b)) - wanted).amax() < TOLERANCE, "case {case}");
    }
}

#[test]
fn a_turning_body_moves_its_points_as_differences_say() {
    let step = 1e-6;
    let twist = Twist::new(Vector3::new(0.1, -0.2, 0.3), Vector3::new(0.4, 0.5, -0.6));
    let at = |time: f64| {
        let turn = UnitQuaternion::from_scaled_axis(twist.angular * time);
        turn * Vector3::new(1.0, 2.0, 3.0) + twist.linear * time
    };
    let point = Pose::from_xyz(1.0, 2.0, 3.0).inverse();
    let velocity = (at(step) - at(-step)) / (2.0 * step);
    // Central differences: step² and rounding / step.
    assert!((twist.transformed(&point).linear - velocity).amax() < 1e-9);
}

#[test]
fn twists_are_vectors_of_six_numbers() {
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let twist = Twist::from_slice(&values).unwrap();
    assert_eq!(twist.to_array(), values);
    assert_eq!((twist + twist).to_array(), twist.scale(2.0).to_array());
    assert_eq!(twist * -1.0, -twist);
    assert_eq!((twist - twist), Twist::default());
    assert_eq!(Twist::from_slice(&values[..5]).unwrap_err().code(), "DimensionMismatch");
    let error = Wrench::from_slice(&[0.0, 0.0, 0.0, f64::NAN, 0.0, 0.0]).unwrap_err();
    assert!(error.code() == "NotFinite" && error.to_string().contains("wrench"), "{error}");
}
