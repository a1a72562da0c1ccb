//! Distances of pairs: proofs from both sides, a search over directions, and the shapes that break such algorithms.

use kinetic_collision::exact::{DISTANCE_ERROR_RATIO, Separation, distance, intersects, is_closer_than};
use kinetic_collision::{Body, PreparedShape};
use kinetic_core::Shape;
use kinetic_core::rng::SeededRng;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use crate::support::{bounded_shape, cases, cloud, direction, gap, pose, signed_distance_by_sampling, vector};

/// Rounding of poses of about a metre, and corners that hulls leave out.
const ROUNDING: f64 = 1e-9;
/// The documented shortfall for bodies of these sizes (bounding radii below 0.6 m each).
const SHORTFALL: f64 = DISTANCE_ERROR_RATIO * 1.2;

type Placed<'a> = (&'a Shape, &'a Isometry3<f64>);

fn separation(a: Placed<'_>, b: Placed<'_>) -> Separation {
    let (body_a, body_b) = (Body::new(a.0).unwrap(), Body::new(b.0).unwrap());
    distance(&body_a, a.1, &body_b, b.1, f64::INFINITY).unwrap()
}

fn assert_sane(found: &Separation, label: &str) {
    assert!(found.distance.is_finite() && (found.normal.norm() - 1.0).abs() < 1e-9, "{label}: {found:?}");
    let between = found.point_b - found.point_a;
    assert!((between - found.normal * found.distance).norm() < ROUNDING, "{label}: {found:?}");
}

/// Lower bound: the gap along the normal. Upper bound when apart: the witnesses, if they lie on the bodies.
fn assert_proven(a: Placed<'_>, b: Placed<'_>, found: &Separation, label: &str) {
    assert_sane(found, label);
    assert!((gap(a, b, &found.normal) - found.distance).abs() < ROUNDING, "{label}: not the gap, {found:?}");
    if found.distance <= 0.0 {
        return;
    }
    for ((shape, pose), point) in [(a, found.point_a), (b, found.point_b)] {
        let off = PreparedShape::new(shape, pose).unwrap().signed_distance(&point);
        assert!(off < SHORTFALL, "{label}: witness is {off} outside, {found:?}");
    }
}

#[test]
fn separated_pairs_are_proven_from_both_sides() {
    let mut separated = 0;
    for seed in 0..cases(5_000, 200_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let shapes = [seed % 5, seed / 5 % 5].map(|kind| bounded_shape(&mut rng, kind as usize));
        let (world_from_a, world_from_b) = (pose(&mut rng, 0.4), pose(&mut rng, 0.4));
        let (a, b) = ((&shapes[0], &world_from_a), (&shapes[1], &world_from_b));
        let found = separation(a, b);
        separated += usize::from(found.distance > 0.0);
        assert_proven(a, b, &found, &format!("seed {seed}, {} and {}", shapes[0].kind(), shapes[1].kind()));
    }
    assert!(separated > 1_000);
}

#[test]
fn distances_and_depths_agree_with_a_search_over_directions() {
    for seed in 0..cases(400, 10_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let shapes = [seed % 5, seed / 5 % 5].map(|kind| bounded_shape(&mut rng, kind as usize));
        let (world_from_a, world_from_b) = (pose(&mut rng, 0.1), pose(&mut rng, 0.1));
        let (a, b) = ((&shapes[0], &world_from_a), (&shapes[1], &world_from_b));
        let wanted = signed_distance_by_sampling(a, b, &mut rng);
        let found = separation(a, b);
        let label = format!("seed {seed}, {} and {}: {found:?}, search {wanted}", shapes[0].kind(), shapes[1].kind());
        assert_proven(a, b, &found, &label);
        assert!(found.distance > wanted - SHORTFALL, "{label}");
    }
}

#[test]
fn swapping_the_bodies_swaps_the_answer() {
    for seed in 0..cases(1_000, 20_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let shapes = [seed % 5, seed / 5 % 5].map(|kind| bounded_shape(&mut rng, kind as usize));
        let (world_from_a, world_from_b) = (pose(&mut rng, 0.3), pose(&mut rng, 0.3));
        let (a, b) = ((&shapes[0], &world_from_a), (&shapes[1], &world_from_b));
        let (one, other) = (separation(a, b), separation(b, a));
        assert!((one.distance - other.distance).abs() < SHORTFALL, "seed {seed}: {one:?} {other:?}");
    }
}

#[test]
fn half_spaces_meet_every_kind() {
    for seed in 0..cases(1_000, 20_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let shape = bounded_shape(&mut rng, seed as usize % 5);
        let (normal, offset) = (direction(&mut rng), rng.uniform(-0.5, 0.5));
        let half_space = Shape::half_space(normal, offset).unwrap();
        let (world_from_a, world_from_b) = (pose(&mut rng, 0.5), pose(&mut rng, 0.5));
        let found = separation((&half_space, &world_from_a), (&shape, &world_from_b));
        assert_sane(&found, &format!("seed {seed}"));
        // The definition of a half-space and of a support, nothing else.
        let plane = world_from_a.rotation * normal;
        let lowest = gap((&Shape::Sphere { radius: 0.0 }, &Isometry3::identity()), (&shape, &world_from_b), &plane);
        let wanted = lowest - offset - plane.dot(&world_from_a.translation.vector);
        assert!((found.distance - wanted).abs() < ROUNDING, "seed {seed}: {found:?}, {wanted}");
    }
    let up = Body::new(&Shape::half_space(Vector3::z(), 0.0).unwrap()).unwrap();
    let down = Body::new(&Shape::half_space(-Vector3::z(), -0.5).unwrap()).unwrap();
    let origin = Isometry3::identity();
    let apart = distance(&up, &origin, &down, &origin, f64::INFINITY).unwrap();
    assert!((apart.distance - 0.5).abs() < ROUNDING);
    let tilted = Isometry3::rotation(Vector3::x() * 0.1);
    assert_eq!(distance(&up, &origin, &down, &tilted, 1.0).unwrap().distance, f64::NEG_INFINITY);
}

#[test]
fn half_spaces_that_face_each_other_overlap_by_what_their_planes_are_past_each_other() {
    for seed in 0..cases(500, 10_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let (normal, here) = (direction(&mut rng), rng.uniform(-1.0, 1.0));
        let apart = rng.uniform(-0.5, 0.5);
        // One is below its plane, the other one above a plane that is `apart` higher.
        let below = Body::new(&Shape::half_space(normal, here).unwrap()).unwrap();
        let above = Body::new(&Shape::half_space(-normal, -(here + apart)).unwrap()).unwrap();
        let at = Isometry3::translation(rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0));
        for (a, b) in [(&below, &above), (&above, &below)] {
            let found = distance(a, &at, b, &at, f64::INFINITY).unwrap();
            assert!((found.distance - apart).abs() < ROUNDING, "seed {seed}: {found:?}, {apart}");
            assert_eq!(intersects(a, &at, b, &at, 0.0), apart <= 0.0, "seed {seed}: {apart}");
            assert!(is_closer_than(a, &at, b, &at, apart + 1e-6, &mut Vector3::zeros()), "seed {seed}");
            assert!(!is_closer_than(a, &at, b, &at, apart - 1e-6, &mut Vector3::zeros()), "seed {seed}");
        }
        // Two with the same side up share all that is deep enough.
        let found = distance(&below, &at, &below, &at, f64::INFINITY).unwrap();
        assert_eq!(found.distance, f64::NEG_INFINITY, "seed {seed}");
    }
}

#[test]
fn capsules_whose_axes_cross_part_across_both() {
    for seed in 0..cases(500, 10_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let [half_a, half_b, radius_a, radius_b] = [0; 4].map(|_| rng.uniform(0.03, 0.3));
        let (a, b) = (Shape::capsule(radius_a, half_a).unwrap(), Shape::capsule(radius_b, half_b).unwrap());
        let world_from_a = pose(&mut rng, 0.3);
        // Every third pair is parallel: any direction across parts those.
        let turn = if seed % 3 == 0 { 0.0 } else { rng.uniform(0.05, 3.0) };
        let across = Vector3::new(rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0), 0.0).normalize();
        let rotation = UnitQuaternion::from_scaled_axis(across * turn);
        let on_b = rotation * Vector3::z() * (half_b * rng.uniform(-0.9, 0.9));
        let on_a = Vector3::z() * (half_a * rng.uniform(-0.9, 0.9));
        let world_from_b = world_from_a * Isometry3::from_parts((on_a - on_b).into(), rotation);
        let (first, second) = ((&a, &world_from_a), (&b, &world_from_b));
        let label = format!("seed {seed}, turned by {turn}");
        for (one, other) in [(first, second), (second, first)] {
            let found = separation(one, other);
            assert!((found.distance + radius_a + radius_b).abs() < ROUNDING, "{label}: {found:?}");
            assert_proven(one, other, &found, &label);
            for pose in [&world_from_a, &world_from_b] {
                let along = found.normal.dot(&(pose.rotation * Vector3::z()));
                assert!(along.abs() < 1e-6, "{label}: along an axis, {found:?}");
            }
        }
    }
}

/// Boxes in exact contact, at exact multiples, concentric, parallel: values worked out by hand.
#[test]
fn aligned_boxes_give_the_distance_of_their_faces() {
    let cube = Shape::cuboid(0.1, 0.1, 0.1).unwrap();
    let corners: Vec<_> = (0..8)
        .map(|bits| Point3::new(f64::from(bits & 1), f64::from(bits >> 1 & 1), f64::from(bits >> 2)))
        .map(|corner| Point3::from((corner.coords * 2.0 - Vector3::repeat(1.0)) * 0.1))
        .collect();
    let hull = Shape::convex(&corners, 0.0).unwrap();
    let offsets = [
        ([0.3, 0.0, 0.0], 0.1),
        ([0.2, 0.0, 0.0], 0.0),
        ([0.2, 0.2, 0.0], 0.0),
        ([0.2, 0.2, 0.2], 0.0),
        ([0.2 + 1e-12, 0.0, 0.0], 1e-12),
        ([0.2 - 1e-12, 0.0, 0.0], -1e-12),
        ([0.15, 0.0, 0.0], -0.05),
        ([0.0, 0.0, 0.0], -0.2),
        ([1e-14, 0.0, 0.0], -0.2),
        ([0.23, 0.24, 0.0], 0.05),
        ([0.05, 0.12, 0.01], -0.08),
    ];
    for (offset, wanted) in offsets {
        for shapes in [[&cube, &cube], [&cube, &hull], [&hull, &cube], [&hull, &hull]] {
            let there = Isometry3::translation(offset[0], offset[1], offset[2]);
            let found = separation((shapes[0], &Isometry3::identity()), (shapes[1], &there));
            assert_sane(&found, &format!("{offset:?}"));
            assert!((found.distance - wanted).abs() < ROUNDING, "{offset:?}: {found:?}, wanted {wanted}");
        }
    }
}

/// Cores without volume: points, segments, polygons, in general and in special position, touching and crossing.
#[test]
fn flat_and_degenerate_hulls_are_proven_too() {
    for seed in 0..cases(1_000, 100_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let mut flat = |kind: u64| {
            let keep = Vector3::from([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]][kind as usize % 3]);
            let count = 1 + rng.below(8);
            let mut points = cloud(&mut rng, count);
            for point in &mut points {
                point.coords.component_mul_assign(&keep);
            }
            points.extend_from_within(..);
            let radius = if rng.below(2) == 0 { 0.0 } else { 0.02 };
            Shape::convex(&points, radius).unwrap()
        };
        let shapes = [flat(seed), flat(seed / 3)];
        // Half of the pairs in the same plane or line, on a grid that makes exact contacts.
        let special = Isometry3::translation((rng.below(5) as f64 - 2.0) * 0.1, 0.0, 0.0);
        let placed = if seed % 2 == 0 { special } else { pose(&mut rng, 0.2) };
        let (a, b) = ((&shapes[0], &Isometry3::identity()), (&shapes[1], &placed));
        let found = separation(a, b);
        assert_proven(a, b, &found, &format!("seed {seed}"));
        let wanted = signed_distance_by_sampling(a, b, &mut rng);
        assert!(found.distance > wanted - SHORTFALL, "seed {seed}: {found:?}, search {wanted}");
    }
}

#[test]
fn bodies_of_one_millimetre_and_of_ten_metres_are_measured_alike() {
    for seed in 0..cases(500, 20_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let shapes = [0, 1].map(|_| cloud(&mut rng, 12));
        let placed = pose(&mut rng, 0.3);
        let measure = |scale: f64| {
            let scaled = |points: &[Point3<f64>]| {
                Shape::convex(&points.iter().map(|point| point * scale).collect::<Vec<_>>(), 0.0).unwrap()
            };
            let there = Isometry3::from_parts((placed.translation.vector * scale).into(), placed.rotation);
            let (a, b) = (scaled(&shapes[0]), scaled(&shapes[1]));
            separation((&a, &Isometry3::identity()), (&b, &there)).distance / scale
        };
        let (tiny, plain, huge) = (measure(3e-3), measure(1.0), measure(30.0));
        assert!((tiny - plain).abs() < 1e-8 && (huge - plain).abs() < 1e-8, "seed {seed}: {tiny} {plain} {huge}");
    }
}

#[test]
fn cutoffs_only_hide_what_is_farther() {
    for seed in 0..cases(2_000, 50_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let shapes = [seed % 5, seed / 5 % 5].map(|kind| bounded_shape(&mut rng, kind as usize));
        let [a, b] = shapes.each_ref().map(|shape| Body::new(shape).unwrap());
        let (world_from_a, world_from_b) = (pose(&mut rng, 0.5), pose(&mut rng, 0.5));
        let whole = distance(&a, &world_from_a, &b, &world_from_b, f64::INFINITY).unwrap().distance;
        let cutoff = rng.uniform(-0.1, 0.4);
        match distance(&a, &world_from_a, &b, &world_from_b, cutoff) {
            Some(found) => assert!((found.distance - whole).abs() < SHORTFALL, "seed {seed}"),
            None => assert!(whole > cutoff - SHORTFALL, "seed {seed}: {whole} is below {cutoff}"),
        }
        let hit = intersects(&a, &world_from_a, &b, &world_from_b, cutoff);
        assert!(hit == (whole <= cutoff) || (whole - cutoff).abs() < SHORTFALL, "seed {seed}");
    }
}

#[test]
fn a_remembered_axis_never_changes_the_verdict() {
    for seed in 0..cases(200, 5_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let shapes = [1 + seed % 4, 1 + seed / 4 % 4].map(|kind| bounded_shape(&mut rng, kind as usize));
        let [a, b] = shapes.each_ref().map(|shape| Body::new(shape).unwrap());
        // Whatever it held before, also things that are no direction.
        let mut axis = [Vector3::zeros(), Vector3::repeat(f64::NAN), vector(&mut rng, 100.0)][rng.below(3)];
        let world_from_a = pose(&mut rng, 0.2);
        let mut world_from_b = pose(&mut rng, 0.5);
        for _ in 0..20 {
            world_from_b = Isometry3::from_parts(
                (world_from_b.translation.vector + vector(&mut rng, 0.05)).into(),
                UnitQuaternion::from_scaled_axis(vector(&mut rng, 0.1)) * world_from_b.rotation,
            );
            let with_axis = is_closer_than(&a, &world_from_a, &b, &world_from_b, 0.01, &mut axis);
            let exact = distance(&a, &world_from_a, &b, &world_from_b, f64::INFINITY).unwrap().distance;
            assert!(with_axis == (exact <= 0.01) || (exact - 0.01).abs() < SHORTFALL, "seed {seed}");
        }
    }
}

#[test]
fn a_pose_with_nan_counts_as_contact() {
    let body = Body::new(&Shape::cuboid(0.1, 0.1, 0.1).unwrap()).unwrap();
    let nowhere = Isometry3::translation(f64::NAN, 0.0, 0.0);
    assert!(intersects(&body, &Isometry3::identity(), &body, &nowhere, 0.0));
    assert_eq!(distance(&body, &nowhere, &body, &Isometry3::identity(), 1.0).unwrap().distance, f64::NEG_INFINITY);
}
