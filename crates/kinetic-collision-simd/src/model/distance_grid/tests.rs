//! Bounds of the grid against the nearest of all points.

use kinetic_collision::Compound;
use kinetic_core::Shape;
use kinetic_core::rng::SeededRng;
use nalgebra::{Point3, Vector3};

use super::*;
use crate::rounding::single;
use crate::vector::Plain;

/// Places per cloud: a slice, or all with `KINETIC_FULL=1`.
fn count() -> usize {
    if std::env::var_os("KINETIC_FULL").is_some() { 100_000 } else { 2_000 }
}

/// A cloud of each kind: in a volume, on surfaces, in a plane, on a line, in one place, with one far away, far from the origin.
fn clouds(rng: &mut SeededRng) -> Vec<Vec<Point3<f64>>> {
    let mut cloud = |points: usize, size: [f64; 3], around: f64| -> Vec<Point3<f64>> {
        let point = |rng: &mut SeededRng| Vector3::from_fn(|axis, _| around + rng.uniform(-0.5, 0.5) * size[axis]);
        (0..points).map(|_| Point3::from(point(rng))).collect()
    };
    let mut walls = cloud(1_500, [1.5, 1.0, 0.0], 0.0);
    walls.extend(cloud(1_500, [1.5, 0.0, 1.0], 0.4));
    let mut with_far = cloud(1_000, [0.5, 0.5, 0.5], 0.0);
    with_far.push(Point3::new(300.0, 0.0, 0.0));
    vec![
        cloud(3_000, [0.8, 1.0, 0.6], 0.2),
        walls,
        cloud(500, [1.0, 0.0, 0.7], -0.3),
        cloud(100, [0.0, 2.0, 0.0], 0.1),
        cloud(3, [0.0, 0.0, 0.0], 0.7),
        with_far,
        cloud(2_000, [1.0, 1.0, 1.0], 90.0),
    ]
}

fn grid_of(points: &[Point3<f64>]) -> DistanceGrid {
    let compound = Compound::new(&Shape::point_cloud(points, 0.01).unwrap()).unwrap();
    let (leaves, levels) = compound.point_nodes().unwrap();
    DistanceGrid::new(leaves, levels.last().unwrap()[0].corners()).expect("a box of some metres")
}

/// A place among the points or around their box.
fn random_place(points: &[Point3<f64>], rng: &mut SeededRng) -> Point3<f64> {
    let near = points[rng.below(points.len())];
    let spread = [0.02, 0.1, 0.5][rng.below(3)];
    near + Vector3::from_fn(|_, _| rng.uniform(-spread, spread))
}

#[test]
fn the_nearest_point_is_between_the_bounds_and_these_are_few_cells_apart() {
    let mut rng = SeededRng::new(11);
    for (number, points) in clouds(&mut rng).into_iter().enumerate() {
        let grid = grid_of(&points);
        let edge = f64::from(1.0 / grid.cells_per_m);
        // As the tree holds them; its rounding is not the grid's.
        let rounded: Vec<Vector3<f64>> =
            points.iter().map(|point| Vector3::from(single(&point.coords).map(f64::from))).collect();
        let mut known = 0;
        for _ in 0..count() {
            let place = single(&random_place(&points, &mut rng).coords);
            let seen = Vector3::from(place.map(f64::from));
            let nearest = rounded.iter().map(|point| (point - seen).norm()).fold(f64::INFINITY, f64::min);
            let DistanceBounds { least, most } = grid.bounds(Point::<Plain<8>>::splat(place));
            let (least, most) = (f64::from(least.0[0]).sqrt(), f64::from(most.0[0]).sqrt());
            assert!(least <= nearest && nearest <= most, "cloud {number}: {least} ≤ {nearest} ≤ {most} at {seen}");
            if most < 1e6 {
                known += 1;
                assert!(most - least <= 2.0 * 3.0_f64.sqrt() * edge * 1.02, "cloud {number}: {least} to {most}");
            }
        }
        // Places around a box are bounded from below only.
        assert!(known > count() / 20 || number > 1, "cloud {number}: {known} bounded from above");
    }
}

#[test]
fn a_box_too_large_for_single_precision_has_no_grid() {
    let leaf = [PointNode([[0.0; CHILDREN_PER_NODE]; 3])];
    assert!(DistanceGrid::new(&leaf, ([-3e38; 3], [3e38; 3])).is_none());
    assert!(DistanceGrid::new(&leaf, ([1e7; 3], [1e7 + 1.0; 3])).is_none());
}
