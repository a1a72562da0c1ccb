//! The smallest ball around points.

use kinetic_collision::bounding_ball;
use kinetic_core::rng::SeededRng;
use nalgebra::{Point3, Vector3};

use crate::support::{cases, direction, vector};

/// Radii are found to rounding of the coordinates; the centre is the square root of that.
const TOLERANCE: f64 = 1e-9;

/// The smallest ball is unique: its centre is a convex combination of the points on its surface. So no direction leads
/// away from all of them, which a climb over directions checks.
fn is_smallest(points: &[Point3<f64>], center: &Point3<f64>, radius: f64, rng: &mut SeededRng) -> bool {
    (0..200).all(|_| {
        let moved = center + direction(rng) * 1e-3 * radius;
        let needed = points.iter().map(|point| (point - moved).norm()).fold(0.0, f64::max);
        needed >= radius - TOLERANCE
    })
}

#[test]
fn the_bounding_ball_contains_all_points_and_no_smaller_one_does() {
    for seed in 0..cases(300, 20_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let count = 1 + rng.below(40);
        let flatten = Vector3::from_fn(|_, _| if rng.below(4) == 0 { 0.0 } else { 1.0 });
        let points: Vec<_> =
            (0..count).map(|_| Point3::from(vector(&mut rng, 1.0).component_mul(&flatten) + flatten * 3.0)).collect();
        let ball = bounding_ball(&points);
        let farthest = points.iter().map(|point| (point - ball.center).norm()).fold(0.0, f64::max);
        assert!(farthest <= ball.radius * (1.0 + 1e-15), "seed {seed}");
        assert!(is_smallest(&points, &ball.center, ball.radius, &mut rng), "seed {seed}: {ball:?}");
    }
}

#[test]
fn the_bounding_ball_of_a_box_is_through_its_corners() {
    let corners: Vec<_> = (0..8)
        .map(|bits| Point3::new(f64::from(bits & 1), f64::from(bits >> 1 & 1) * 2.0, f64::from(bits >> 2) * 2.0))
        .collect();
    let ball = bounding_ball(&corners);
    assert!((ball.radius - 1.5).abs() < 1e-12 && (ball.center - Point3::new(0.5, 1.0, 1.0)).norm() < 1e-12);
}

#[test]
fn duplicates_single_points_and_nothing_have_a_ball() {
    let point = Point3::new(1.0, 2.0, 3.0);
    assert_eq!(bounding_ball(&[point; 5]).radius, 0.0);
    assert_eq!(bounding_ball(&[point; 5]).center, point);
    assert_eq!(bounding_ball(&[]).radius, 0.0);
}
