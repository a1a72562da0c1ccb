//! Obstacle sets against the plain loop over their shapes.

use kinetic_collision::exact::{self, Body};
use kinetic_collision::{ObstacleSet, PreparedShape};
use kinetic_core::Shape;
use kinetic_core::rng::SeededRng;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use crate::support::{bounded_shape, cases, direction, pose, vector};

fn random_set(rng: &mut SeededRng) -> Vec<(u32, PreparedShape)> {
    let count = [0, 1, 3, 8, 9, 30, 65, 200][rng.below(8)];
    let shape = |rng: &mut SeededRng| match rng.below(40) {
        0 => Shape::half_space(direction(rng), rng.uniform(-3.0, -2.0)).unwrap(),
        kind => bounded_shape(rng, kind % 5),
    };
    (0..count)
        .map(|index| {
            let (shape, world_from_shape) = (shape(rng), pose(rng, 2.0));
            // Neighbours share ids, as the pieces of one object do.
            (index / 2, PreparedShape::new(&shape, &world_from_shape).unwrap())
        })
        .collect()
}

#[test]
fn every_query_agrees_with_the_plain_loop() {
    for seed in 0..cases(400, 20_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let shapes = random_set(&mut rng);
        let set = ObstacleSet::new(shapes.clone());
        assert_eq!((set.len(), set.is_empty()), (shapes.len(), shapes.is_empty()));
        for _ in 0..20 {
            let (center, radius) = (Point3::from(vector(&mut rng, 2.5)), rng.uniform(0.0, 0.2));
            let margin = rng.uniform(-0.2, 1.0);
            let distances: Vec<_> =
                shapes.iter().map(|(id, shape)| (shape.signed_distance(&center) - radius, *id)).collect();
            let least = distances.iter().map(|item| item.0).fold(f64::INFINITY, f64::min);
            for cutoff in [f64::INFINITY, margin] {
                match set.min_distance(&center, radius, cutoff) {
                    Some((found, id)) => {
                        assert!((found - least).abs() < 1e-14 && least < cutoff, "seed {seed}");
                        assert!(distances.iter().any(|d| d.1 == id && (d.0 - found).abs() < 1e-14), "seed {seed}");
                    }
                    None => assert!(least >= cutoff - 1e-14, "seed {seed}: {least} is below {cutoff}"),
                }
            }
            assert_eq!(set.has_within(&center, radius, margin), least <= margin, "seed {seed}");
            let mut wanted: Vec<_> = distances.iter().filter(|d| d.0 + radius <= margin).map(|d| d.1).collect();
            let mut found = Vec::new();
            set.for_each_within(&center, margin, |id, _| found.push(id));
            wanted.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, wanted, "seed {seed}");
            wanted.dedup();
            assert_eq!(set.subset_within(&center, margin), wanted, "seed {seed}");
        }
    }
}

#[test]
fn what_is_just_near_enough_is_found_far_from_the_origin_and_at_it() {
    // Coordinates beyond 4096 m have steps of half a millimetre in single precision, those before it half of that.
    for (place, aside) in [(Vector3::zeros(), 0.0), (Vector3::new(4096.0, -4096.0, 4096.0), 0.01)] {
        for seed in 0..cases(400, 20_000) as u64 {
            let mut rng = SeededRng::new(seed);
            let shapes: Vec<_> = (0..30)
                .map(|id| {
                    let half = [0; 3].map(|_| rng.uniform(1e-4, 1e-3));
                    let at = place + direction(&mut rng) * rng.uniform(0.01, 0.02);
                    let shape = Shape::cuboid(half[0], half[1], half[2]).unwrap();
                    (
                        id,
                        PreparedShape::new(&shape, &Isometry3::from_parts(at.into(), UnitQuaternion::identity()))
                            .unwrap(),
                    )
                })
                .collect();
            let set = ObstacleSet::new(shapes.clone());
            let center = Point3::from(place + vector(&mut rng, aside));
            let distances: Vec<f64> = shapes.iter().map(|(_, shape)| shape.signed_distance(&center)).collect();
            let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
            for (index, distance) in distances.iter().enumerate() {
                let reach = distance + 1e-11;
                let mut found = Vec::new();
                set.for_each_within(&center, reach, |id, _| found.push(id as usize));
                assert!(found.contains(&index), "seed {seed}: {distance}");
                assert!(set.subset_within(&center, reach).contains(&(index as u32)), "seed {seed}: {distance}");
            }
            assert!(set.has_within(&center, 0.0, least + 1e-11), "seed {seed}: {least}");
            let found = set.min_distance(&center, 0.0, least + 1e-11).map(|found| found.0);
            assert!(found.is_some_and(|found| (found - least).abs() < 1e-11), "seed {seed}: {found:?}, {least}");
        }
    }
}

#[test]
fn a_culled_set_answers_like_the_whole_inside_its_ball() {
    for seed in 0..cases(100, 5_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let set = ObstacleSet::new(random_set(&mut rng));
        let (center, reach) = (Point3::from(vector(&mut rng, 2.0)), 0.8);
        let culled = set.culled(&center, reach);
        assert!(culled.len() <= set.len());
        for _ in 0..50 {
            // A ball inside the reach ball.
            let radius = rng.uniform(0.0, 0.3);
            let inner = center + direction(&mut rng) * rng.uniform(0.0, reach - radius);
            assert_eq!(culled.has_within(&inner, radius, 0.0), set.has_within(&inner, radius, 0.0), "seed {seed}");
        }
    }
}

#[test]
fn a_thousand_equal_shapes_at_one_place_are_no_trouble() {
    let ball = PreparedShape::new(&Shape::sphere(0.1).unwrap(), &Isometry3::identity()).unwrap();
    let set = ObstacleSet::new((0..1_000).map(|id| (id, ball.clone())));
    let (distance, _) = set.min_distance(&Point3::new(1.0, 0.0, 0.0), 0.2, f64::INFINITY).unwrap();
    assert!((distance - 0.7).abs() < 1e-15);
    assert_eq!(set.subset_within(&Point3::origin(), 0.0).len(), 1_000);
}

/// Regression 32: a point far away made the box and the ball around a cloud so large that their rounding left out the others.
#[test]
fn what_is_near_is_found_beside_a_point_that_is_far_away() {
    for far in [1e6, 1e15, 1e18, 1e30, 1e150] {
        let points = [Point3::new(-0.7, 0.2, 0.1), Point3::new(0.3, -0.4, 0.9), Point3::new(far, 0.0, 0.0)];
        let cloud = Shape::point_cloud(&points, 0.01).unwrap();
        let set = ObstacleSet::new([(0, PreparedShape::new(&cloud, &Isometry3::identity()).unwrap())]);
        let (body, ball) = (Body::new(&cloud).unwrap(), Body::new(&Shape::sphere(0.05).unwrap()).unwrap());
        for point in &points[..2] {
            assert!(set.has_within(point, 0.05, 0.0), "{far}: {point}");
            assert_eq!(set.subset_within(point, 0.05), [0], "{far}: {point}");
            let pose = Isometry3::from(point.coords);
            assert!(exact::intersects(&ball, &pose, &body, &Isometry3::identity(), 0.0), "{far}: {point}");
        }
    }
}
