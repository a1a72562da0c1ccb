//! Convex hulls.

use kinetic_collision::convex_hull;
use kinetic_core::KineticError;
use kinetic_core::rng::SeededRng;
use nalgebra::{Point3, Vector3};

use crate::support::{cases, cloud, direction, pose, vector};

/// Points may be this far outside the planes by rounding, m.
const ROUNDING: f64 = 1e-14;
/// Corners closer to the hull of the others than FLATNESS times the extent are left out.
const LEFT_OUT: f64 = 1e-9;

/// Largest and smallest reach of two point sets along random directions differ by at most the tolerance.
fn assert_same_support(points: &[Point3<f64>], vertices: &[Point3<f64>], rng: &mut SeededRng, label: &str) {
    let reach = |set: &[Point3<f64>], n: &Vector3<f64>| {
        set.iter().map(|point| point.coords.dot(n)).fold(f64::NEG_INFINITY, f64::max)
    };
    for _ in 0..50 {
        let n = direction(rng);
        assert!((reach(points, &n) - reach(vertices, &n)).abs() < LEFT_OUT, "{label}");
    }
}

fn assert_is_hull(points: &[Point3<f64>], rng: &mut SeededRng, label: &str) -> usize {
    let hull = convex_hull(points).unwrap();
    for plane in hull.planes() {
        assert!((plane.normal.norm() - 1.0).abs() < 1e-12, "{label}");
        assert!(points.iter().all(|point| plane.height(point) <= ROUNDING * 100.0), "{label}: a point is outside");
    }
    assert!(hull.vertices().iter().all(|vertex| points.contains(vertex)), "{label}: a corner of its own making");
    assert_same_support(points, hull.vertices(), rng, label);
    if hull.dimension() == 3 {
        // Euler: V - E + F = 2, and every edge is used once in each direction.
        assert_eq!(hull.faces().len(), 2 * hull.vertices().len() - 4, "{label}");
        let edge = |face: &[usize; 3], i: usize| (face[i], face[(i + 1) % 3]);
        let mut edges: Vec<_> = hull.faces().iter().flat_map(|face| (0..3).map(move |i| edge(face, i))).collect();
        edges.sort_unstable();
        let twins = edges.iter().all(|(from, to)| edges.binary_search(&(*to, *from)).is_ok());
        assert!(twins && edges.windows(2).all(|pair| pair[0] != pair[1]), "{label}: the surface has a hole");
    }
    hull.dimension()
}

#[test]
fn hulls_of_random_clouds_contain_them_and_are_closed() {
    for seed in 0..cases(500, 20_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let count = 4 + rng.below(200);
        let points = cloud(&mut rng, count);
        assert_eq!(assert_is_hull(&points, &mut rng, &format!("seed {seed}")), 3);
    }
}

#[test]
fn hulls_of_grids_prisms_and_rounded_coordinates_are_closed_too() {
    for seed in 0..cases(500, 20_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let sides = 3 + rng.below(30);
        let placed = pose(&mut rng, 0.5);
        // Rings of a lathe: many coplanar and collinear points, here with five digits as files have them.
        let ring = |k: usize, rng: &mut SeededRng| {
            let radius = [0.05, 0.1, 0.1, 0.03][k % 4];
            let turn = if rng.below(2) == 0 { 0.0 } else { 0.3 };
            (0..sides).map(move |i| {
                let angle = i as f64 / sides as f64 * std::f64::consts::TAU + turn;
                Point3::new(radius * angle.cos(), radius * angle.sin(), 0.1 * (k / 2) as f64)
            })
        };
        let mut points: Vec<_> = (0..6).flat_map(|k| ring(k, &mut rng).collect::<Vec<_>>()).collect();
        if seed % 2 == 0 {
            points = points.iter().map(|point| placed * point).collect();
        }
        if seed % 3 == 0 {
            points = points.iter().map(|point| point.map(|value| (value * 1e5).round() / 1e5)).collect();
        }
        assert_eq!(assert_is_hull(&points, &mut rng, &format!("seed {seed}")), 3);
    }
    let grid: Vec<_> =
        (0..125).map(|i| Point3::new(f64::from(i % 5), f64::from(i / 5 % 5), f64::from(i / 25))).collect();
    let hull = convex_hull(&grid).unwrap();
    assert_eq!((hull.vertices().len(), hull.planes().len()), (8, 6));
}

#[test]
fn flat_straight_and_single_sets_have_hulls_of_their_dimension() {
    for seed in 0..cases(300, 5_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let placed = pose(&mut rng, 0.5);
        for (dimension, keep) in [(0, [0.0, 0.0, 0.0]), (1, [1.0, 0.0, 0.0]), (2, [1.0, 1.0, 0.0])] {
            let keep = Vector3::from(keep);
            let count = dimension + 1 + rng.below(20);
            let mut points: Vec<_> =
                (0..count).map(|_| placed * Point3::from(vector(&mut rng, 0.2).component_mul(&keep))).collect();
            points.extend_from_within(..);
            let label = format!("seed {seed}, dimension {dimension}");
            assert_eq!(assert_is_hull(&points, &mut rng, &label), dimension, "{label}");
        }
    }
}

#[test]
fn nothing_and_nan_are_refused() {
    assert!(matches!(convex_hull(&[]), Err(KineticError::InvalidValue { .. })));
    let points = [Point3::origin(), Point3::new(0.0, f64::NAN, 0.0)];
    assert!(matches!(convex_hull(&points), Err(KineticError::NotFinite { index: 1, .. })));
}
