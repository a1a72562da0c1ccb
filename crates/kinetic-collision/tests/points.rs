//! Signed distances of points, against the definition: the largest gap between point and shape over all directions.

use kinetic_collision::{Aabb, PreparedShape};
use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Shape};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::support::{bounded_shape, cases, direction, gap, pose, signed_distance_by_sampling, vector};

/// Closed forms are exact to rounding of coordinates of about a metre.
const ROUNDING: f64 = 1e-12;
/// Corners of a hull may be left out by 1e-10 of the extent.
const HULL: f64 = 1e-10;
/// Climbing over directions stays below the maximum, on ridges by this much.
const CLIMB: f64 = 1e-3;

const POINT: Shape = Shape::Sphere { radius: 0.0 };

fn exactness(shape: &Shape) -> f64 {
    if matches!(shape, Shape::Convex { .. }) { HULL } else { ROUNDING }
}

#[test]
fn distance_gradient_and_surface_point_prove_each_other() {
    for seed in 0..cases(8_000, 200_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let shape = bounded_shape(&mut rng, seed as usize % 5);
        let world_from_shape = pose(&mut rng, 0.3);
        let prepared = PreparedShape::new(&shape, &world_from_shape).unwrap();
        let point = world_from_shape * Point3::from(vector(&mut rng, 0.4));
        let (label, tolerance) = (format!("seed {seed}, {}", shape.kind()), exactness(&shape));
        let nearest = prepared.nearest(&point);
        assert!((nearest.gradient.norm() - 1.0).abs() < ROUNDING, "{label}");
        // The gap along the gradient is a lower bound, so the distance cannot be larger than the truth.
        let at_point = Isometry3::translation(point.x, point.y, point.z);
        let bound = gap((&shape, &world_from_shape), (&POINT, &at_point), &nearest.gradient);
        assert!((bound - nearest.distance).abs() < tolerance, "{label}: {bound} and {}", nearest.distance);
        // No direction may show a larger gap, so it cannot be smaller either.
        for _ in 0..100 {
            let other = gap((&shape, &world_from_shape), (&POINT, &at_point), &direction(&mut rng));
            assert!(other <= nearest.distance + tolerance, "{label}");
        }
        assert!(prepared.signed_distance(&nearest.point).abs() < tolerance, "{label}: not on the surface");
        assert!(prepared.is_within(&point, nearest.distance + 1e-9), "{label}");
        assert!(!prepared.is_within(&point, nearest.distance - 1e-9), "{label}");
    }
}

#[test]
fn distances_agree_with_a_search_over_directions() {
    for seed in 0..cases(300, 5_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let shape = bounded_shape(&mut rng, seed as usize % 5);
        let world_from_shape = pose(&mut rng, 0.3);
        let point = world_from_shape * Point3::from(vector(&mut rng, 0.4));
        let at_point = Isometry3::translation(point.x, point.y, point.z);
        let wanted = signed_distance_by_sampling((&shape, &world_from_shape), (&POINT, &at_point), &mut rng);
        let found = PreparedShape::new(&shape, &world_from_shape).unwrap().signed_distance(&point);
        let label = format!("seed {seed}, {}: {found}, search {wanted}", shape.kind());
        assert!(found >= wanted - exactness(&shape) && found < wanted + CLIMB, "{label}");
    }
}

#[test]
fn boxes_and_balls_around_shapes_contain_them_and_touch() {
    for seed in 0..cases(2_000, 50_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let shape = bounded_shape(&mut rng, seed as usize % 5);
        let world_from_shape = pose(&mut rng, 0.3);
        let prepared = PreparedShape::new(&shape, &world_from_shape).unwrap();
        let (aabb, ball) = (prepared.aabb(), prepared.bounding_ball());
        let reach = |n: Vector3<f64>| -gap((&shape, &world_from_shape), (&POINT, &Isometry3::identity()), &n);
        for axis in 0..3 {
            let unit = Vector3::ith(axis, 1.0);
            assert!((reach(unit) - aabb.max[axis]).abs() < HULL, "seed {seed}");
            assert!((-reach(-unit) - aabb.min[axis]).abs() < HULL, "seed {seed}");
        }
        for _ in 0..50 {
            let n = direction(&mut rng);
            assert!(reach(n) <= n.dot(&ball.center.coords) + ball.radius + HULL, "seed {seed}");
        }
    }
}

#[test]
fn half_spaces_move_with_their_pose() {
    for seed in 0..1_000 {
        let mut rng = SeededRng::new(seed);
        let (normal, offset) = (direction(&mut rng), rng.uniform(-1.0, 1.0));
        let world_from_shape = pose(&mut rng, 1.0);
        let prepared = PreparedShape::new(&Shape::half_space(normal, offset).unwrap(), &world_from_shape).unwrap();
        let local = Point3::from(vector(&mut rng, 2.0));
        let wanted = normal.dot(&local.coords) - offset;
        assert!((prepared.signed_distance(&(world_from_shape * local)) - wanted).abs() < ROUNDING, "seed {seed}");
    }
}

#[test]
fn centres_and_corners_have_finite_gradients() {
    for kind in 0..5 {
        let shape = bounded_shape(&mut SeededRng::new(kind as u64), kind);
        let prepared = PreparedShape::new(&shape, &Isometry3::identity()).unwrap();
        let on_axis = [0.0, 0.01, 0.1, 1.0].map(|z| Point3::new(0.0, 0.0, z));
        let ball = *prepared.bounding_ball();
        for point in on_axis.into_iter().chain([ball.center]) {
            let nearest = prepared.nearest(&point);
            assert!(nearest.distance.is_finite() && (nearest.gradient.norm() - 1.0).abs() < ROUNDING, "{shape:?}");
        }
    }
}

#[test]
fn flat_straight_and_single_hulls_measure_the_plain_distance() {
    let point = |x: f64, y: f64| Point3::new(x, y, 0.0);
    let above = Point3::new(0.25, 0.25, 0.5);
    let distance = |vertices: &[Point3<f64>], radius: f64, query: &Point3<f64>| {
        let shape = Shape::convex(vertices, radius).unwrap();
        PreparedShape::new(&shape, &Isometry3::identity()).unwrap().signed_distance(query)
    };
    let square = [point(0.0, 0.0), point(1.0, 0.0), point(1.0, 1.0), point(0.0, 1.0), point(0.5, 0.5)];
    assert!((distance(&square, 0.0, &above) - 0.5).abs() < ROUNDING);
    assert!((distance(&square, 0.1, &above) - 0.4).abs() < ROUNDING);
    assert!((distance(&square, 0.1, &point(0.3, 0.7)) + 0.1).abs() < ROUNDING);
    assert!((distance(&square, 0.0, &point(2.0, 0.5)) - 1.0).abs() < ROUNDING);
    let segment = [point(0.0, 0.25), point(1.0, 0.25), point(0.3, 0.25)];
    assert!((distance(&segment, 0.0, &above) - 0.5).abs() < ROUNDING);
    assert!((distance(&[above], 0.2, &above) + 0.2).abs() < ROUNDING);
}

#[test]
fn poses_with_nan_are_refused() {
    let pose = Isometry3::translation(0.0, f64::NAN, 0.0);
    let error = PreparedShape::new(&Shape::sphere(1.0).unwrap(), &pose).unwrap_err();
    assert!(matches!(error, KineticError::NotFinite { index: 1, .. }), "{error}");
}

#[test]
fn the_distance_from_a_box_along_the_axes_is_that_from_its_nearest_point_on_every_side() {
    for seed in 0..cases(2_000, 50_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let (a, b) = (Point3::from(vector(&mut rng, 1.0)), Point3::from(vector(&mut rng, 1.0)));
        let bounds = Aabb::new(a.inf(&b), a.sup(&b));
        let point = Point3::from(vector(&mut rng, 2.0));
        let nearest = point.sup(&bounds.min).inf(&bounds.max);
        let wanted = (point - nearest).norm_squared();
        assert!((bounds.distance_squared(&point) - wanted).abs() < 1e-14, "seed {seed}: {bounds:?}, {point}");
    }
    let bounds = Aabb::symmetric(Point3::new(1.0, 2.0, 3.0), Vector3::new(0.5, 0.5, 0.5));
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let mut point = bounds.center();
            point[axis] += side * 2.5;
            assert!((bounds.distance_squared(&point) - 4.0).abs() < 1e-14, "axis {axis}, side {side}");
        }
    }
    assert_eq!(Aabb::unbounded().distance_squared(&Point3::new(-9.0, 9.0, 0.0)), 0.0);
}
