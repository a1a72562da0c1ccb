//! Laws that hold for all pairs of bodies, whatever their kind: symmetry, rigid motion, cutoffs, witnesses, bounds.

use kinetic_collision::exact::{Separation, distance, intersects};
use kinetic_collision::{Body, ObstacleSet, PreparedShape, convex_hull};
use kinetic_core::Shape;
use kinetic_core::rng::SeededRng;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::support::{bounded_shape, cases, cloud, direction, pose, vector};

/// Rims of cylinders are approached to a millionth of the size of a pair, which is below 3 m here.
const TOLERANCE: f64 = 3e-6;

/// Kinds of [`any_shape`].
const KINDS: usize = 10;

/// Convex kinds, then a solid and an open mesh, ground, voxels and a point cloud.
fn any_shape(rng: &mut SeededRng, kind: usize) -> Shape {
    match kind {
        0..5 => bounded_shape(rng, kind),
        5 | 6 => {
            let hull = convex_hull(&cloud(rng, 30)).unwrap();
            let faces: Vec<[u32; 3]> = hull.faces().iter().map(|face| face.map(|corner| corner as u32)).collect();
            Shape::mesh(hull.vertices(), &faces, kind == 5).unwrap()
        }
        7 => {
            let heights: Vec<f64> = (0..20).map(|_| rng.uniform(0.0, 0.2)).collect();
            Shape::height_field(&heights, [5, 4], [0.1, 0.08], -0.05).unwrap()
        }
        8 => Shape::point_cloud(&cloud(rng, 50), rng.uniform(0.0, 0.05)).unwrap(),
        _ => {
            let mut index = || i32::try_from(rng.below(5)).unwrap() - 2;
            let cells: Vec<[i32; 3]> = (0..25).map(|_| [index(), index(), index()]).collect();
            Shape::voxels(&cells, 0.07).unwrap()
        }
    }
}

/// Two bodies at poses.
struct Placed {
    a: Body,
    b: Body,
    world_from_a: Isometry3<f64>,
    world_from_b: Isometry3<f64>,
}

impl Placed {
    fn random(rng: &mut SeededRng, kinds: (usize, usize)) -> Self {
        let [a, b] = [kinds.0, kinds.1].map(|kind| Body::new(&any_shape(rng, kind)).unwrap());
        Self { a, b, world_from_a: pose(rng, 0.4), world_from_b: pose(rng, 0.4) }
    }

    fn distance(&self, cutoff: f64) -> Option<Separation> {
        distance(&self.a, &self.world_from_a, &self.b, &self.world_from_b, cutoff)
    }

    fn intersects(&self, margin: f64) -> bool {
        intersects(&self.a, &self.world_from_a, &self.b, &self.world_from_b, margin)
    }

    fn swapped(&self) -> Self {
        let Self { a, b, world_from_a, world_from_b } = self;
        Self { a: b.clone(), b: a.clone(), world_from_a: *world_from_b, world_from_b: *world_from_a }
    }

    fn moved(&self, by: &Isometry3<f64>) -> Self {
        let Self { a, b, world_from_a, world_from_b } = self;
        Self { a: a.clone(), b: b.clone(), world_from_a: by * world_from_a, world_from_b: by * world_from_b }
    }
}

/// All pairs of kinds, case after case.
fn each_pair(slice: usize, full: usize, mut check: impl FnMut(&Placed, &mut SeededRng, &str)) {
    for case in 0..cases(slice, full) {
        let kinds = (case % KINDS, case / KINDS % KINDS);
        let mut rng = SeededRng::new(case as u64);
        let placed = Placed::random(&mut rng, kinds);
        check(&placed, &mut rng, &format!("case {case}, kinds {kinds:?}"));
    }
}

#[test]
fn a_distance_is_the_same_from_both_sides_and_wherever_the_two_stand() {
    each_pair(810, 81_000, |placed, rng, label| {
        let found = placed.distance(f64::INFINITY).unwrap();
        let there = placed.moved(&pose(rng, 3.0)).distance(f64::INFINITY).unwrap();
        let from_b = placed.swapped().distance(f64::INFINITY).unwrap();
        // Depths of bodies of many pieces are lower bounds, which need not agree.
        if found.distance > 0.0 {
            assert!((found.distance - there.distance).abs() < TOLERANCE, "{label}: {found:?}, elsewhere {there:?}");
            assert!((found.distance - from_b.distance).abs() < TOLERANCE, "{label}: {found:?}, swapped {from_b:?}");
        } else {
            assert!(
                there.distance < TOLERANCE && from_b.distance < TOLERANCE,
                "{label}: {found:?}, {there:?}, {from_b:?}"
            );
        }
    });
}

#[test]
fn witnesses_are_on_both_surfaces_as_far_apart_as_is_said_along_the_normal() {
    each_pair(810, 81_000, |placed, _, label| {
        let found = placed.distance(f64::INFINITY).unwrap();
        let Separation { distance, point_a, point_b, normal } = found;
        assert!((normal.norm() - 1.0).abs() < 1e-9, "{label}: {found:?}");
        assert!((point_b - point_a - normal * distance).norm() < 1e-9, "{label}: {found:?}");
        if distance <= 0.0 {
            return;
        }
        let off_a = placed.a.signed_distance(&(placed.world_from_a.inverse() * point_a)).abs();
        let off_b = placed.b.signed_distance(&(placed.world_from_b.inverse() * point_b)).abs();
        // Where a witness lies on a surface is known to the root of how well the distance is.
        assert!(off_a < 2e-3 && off_b < 2e-3, "{label}: off by {off_a} and {off_b}: {found:?}");
        // A tenth of a micrometre along the normal, no more: then nothing else comes near.
        let step = 1e-7;
        let mut apart = placed.moved(&Isometry3::identity());
        apart.world_from_b.translation.vector += normal * step;
        let after = apart.distance(f64::INFINITY).unwrap().distance;
        assert!(after <= distance + step + 1e-9 + TOLERANCE, "{label}: {after} after {distance}");
    });
}

#[test]
fn cutoffs_and_margins_on_both_sides_of_a_distance_are_told_apart() {
    each_pair(810, 81_000, |placed, rng, label| {
        let found = placed.distance(f64::INFINITY).unwrap().distance;
        if found > TOLERANCE {
            let (less, more) = (found - TOLERANCE, found + TOLERANCE);
            let within = placed.distance(more).map(|found| found.distance);
            assert!(within.is_some_and(|within| (within - found).abs() < TOLERANCE), "{label}: {within:?}, {found}");
            assert!(placed.distance(less).is_none(), "{label}: {found}");
            assert!(placed.intersects(more) && !placed.intersects(less), "{label}: {found}");
            assert!(!placed.intersects(0.0) && !placed.intersects(-0.01), "{label}: {found}");
            assert!(placed.intersects(found + rng.uniform(0.001, 1.0)), "{label}: {found}");
        } else if found < -TOLERANCE {
            assert!(placed.intersects(0.0) && placed.intersects(rng.uniform(0.0, 1.0)), "{label}: {found}");
            assert!(placed.distance(0.0).is_some(), "{label}: {found}");
        }
    });
}

#[test]
fn a_half_space_is_as_far_as_the_farthest_point_of_a_body_against_its_normal() {
    for case in 0..cases(450, 45_000) {
        let mut rng = SeededRng::new(case as u64);
        let body = Body::new(&any_shape(&mut rng, case % KINDS)).unwrap();
        let normal = direction(&mut rng);
        let plane = Body::new(&Shape::half_space(normal, rng.uniform(-1.0, 1.0)).unwrap()).unwrap();
        let (world_from_plane, world_from_body) = (pose(&mut rng, 1.0), pose(&mut rng, 1.0));
        let Shape::HalfSpace { normal, offset } = plane.shape() else { panic!("a half-space") };
        let up = world_from_plane.rotation * normal.into_inner();
        let height = offset + up.dot(&world_from_plane.translation.vector);
        let lowest = world_from_body * body.support(&world_from_body.rotation.inverse_transform_vector(&-up));
        let expected = up.dot(&lowest.coords) - height;
        let found = distance(&plane, &world_from_plane, &body, &world_from_body, f64::INFINITY).unwrap();
        let from_body = distance(&body, &world_from_body, &plane, &world_from_plane, f64::INFINITY).unwrap();
        let label = format!("case {case}, {}: {expected}, {found:?}, {from_body:?}", body.shape().kind());
        // Of many pieces, the deepest alone is known below the plane.
        assert!((found.distance - expected).abs() < 1e-9 && (from_body.distance - expected).abs() < 1e-9, "{label}");
        assert!((found.normal - up).norm() < 1e-9 && (from_body.normal + up).norm() < 1e-9, "{label}");
        for (margin, is_hit) in [(expected + 1e-6, true), (expected - 1e-6, false)] {
            assert_eq!(intersects(&plane, &world_from_plane, &body, &world_from_body, margin), is_hit, "{label}");
            assert_eq!(intersects(&body, &world_from_body, &plane, &world_from_plane, margin), is_hit, "{label}");
        }
    }
}

#[test]
fn bounds_of_bodies_hold_all_of_their_points() {
    for case in 0..cases(450, 45_000) {
        let mut rng = SeededRng::new(case as u64);
        let shape = any_shape(&mut rng, case % KINDS);
        let body = Body::new(&shape).unwrap();
        let world_from_body = pose(&mut rng, 1.0);
        let prepared = PreparedShape::new(&shape, &world_from_body).unwrap();
        let center = Point3::from(vector(&mut rng, 0.5));
        let reach = body.reach_from(&center);
        for _ in 0..40 {
            let local = body.support(&direction(&mut rng));
            let (ball, placed) = (body.bounding_ball(), world_from_body * local);
            let label = format!("case {case}, {}: {local}", shape.kind());
            assert!((local - ball.center).norm() <= ball.radius + 1e-9, "{label} is outside of {ball:?}");
            assert!((local - center).norm() <= reach + 1e-9, "{label} is beyond {reach} of {center}");
            let aabb = prepared.aabb();
            let is_inside = (0..3).all(|k| aabb.min[k] - 1e-9 <= placed[k] && placed[k] <= aabb.max[k] + 1e-9);
            assert!(is_inside, "{label} is outside of {aabb:?}");
            let ball = prepared.bounding_ball();
            assert!((placed - ball.center).norm() <= ball.radius + 1e-9, "{label} is outside of {ball:?}");
            // The surface is where the distance is 0.
            assert!(body.signed_distance(&local).abs() < 1e-6, "{label}: {}", body.signed_distance(&local));
        }
    }
}

/// Rounding grows with the distance from the origin; what lies near must be found there too.
#[test]
fn what_is_near_far_away_from_the_origin_is_found() {
    for seed in 0..cases(60, 6_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let far = 10.0_f64.powf(rng.uniform(0.0, 5.0));
        let origin = direction(&mut rng) * far;
        let mut shapes = Vec::new();
        for index in 0..80_u32 {
            let mut place = pose(&mut rng, 0.8);
            place.translation.vector += origin;
            let shape = any_shape(&mut rng, index as usize % KINDS);
            shapes.push((index, PreparedShape::new(&shape, &place).unwrap()));
        }
        let plane = Shape::half_space(direction(&mut rng), -far - 2.0).unwrap();
        shapes.push((80, PreparedShape::new(&plane, &Isometry3::identity()).unwrap()));
        let set = ObstacleSet::new(shapes.iter().cloned());
        for query in 0..20 {
            let center = Point3::from(origin + vector(&mut rng, 1.0));
            let mut all: Vec<(f64, u32)> =
                shapes.iter().map(|(id, shape)| (shape.signed_distance(&center), *id)).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            // Reaches that end just at a shape.
            let (distance, _) = all[rng.below(8)];
            let room = 1e-12 * far.max(1.0) * 100.0;
            let (radius, label) = (rng.uniform(0.0, 0.05), format!("seed {seed}, query {query}, {far:e} m away"));
            let expected: Vec<u32> = all.iter().filter(|(d, _)| *d <= distance).map(|(_, id)| *id).collect();
            let mut found = Vec::new();
            set.for_each_id_within(&center, distance + room, |id| found.push(id));
            assert!(expected.iter().all(|id| found.contains(id)), "{label}: {found:?} lacks some of {expected:?}");
            assert!(set.has_within(&center, radius, distance - radius + room), "{label}");
            let least = all[0].0 - radius;
            let nearest = set.min_distance(&center, radius, least + 1e-3).map(|(found, _)| found);
            assert!(nearest.is_some_and(|found| (found - least).abs() <= room), "{label}: {nearest:?}, {least}");
            let nearest = set.min_distance(&center, radius, f64::INFINITY).map(|(found, _)| found);
            assert!(nearest.is_some_and(|found| (found - least).abs() <= room), "{label}: {nearest:?}, {least}");
        }
    }
}

#[test]
fn no_pose_without_numbers_is_free_space() {
    let mut rng = SeededRng::new(1);
    for kinds in (0..KINDS).flat_map(|a| (0..KINDS).map(move |b| (a, b))) {
        let mut placed = Placed::random(&mut rng, kinds);
        placed.world_from_b.translation.vector = Vector3::new(5.0, f64::NAN, 0.0);
        assert!(placed.intersects(0.0), "{kinds:?}");
        assert_eq!(placed.distance(0.0).map(|found| found.distance), Some(f64::NEG_INFINITY), "{kinds:?}");
        assert!(placed.swapped().intersects(0.0), "{kinds:?}");
        placed.world_from_b = Isometry3::translation(5.0, 0.0, 0.0);
        placed.world_from_b.rotation.as_mut_unchecked().coords[1] = f64::NAN;
        assert!(placed.intersects(0.0) && placed.swapped().intersects(0.0), "{kinds:?}, rotation");
    }
}
