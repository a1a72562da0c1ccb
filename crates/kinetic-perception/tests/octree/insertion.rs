//! Clouds with the clearing of rays, against a march in exact small steps of arithmetic.

use std::collections::BTreeSet;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, StopFlag};
use kinetic_perception::Octree;
use nalgebra::{Point3, Vector3};

use super::{Reference, assert_equal, center, tree};

fn cell_of(point: &Point3<f64>, resolution: f64) -> [i32; 3] {
    [0, 1, 2].map(|axis| (point[axis] / resolution).floor() as i32)
}

/// The cells of a segment without the one of its end: the pieces between all borders that it crosses, each by its middle.
fn passed(origin: &Point3<f64>, end: &Point3<f64>, resolution: f64) -> BTreeSet<[i32; 3]> {
    let mut times = vec![0.0, 1.0];
    for axis in 0..3 {
        let (from, to) = (origin[axis].min(end[axis]) / resolution, origin[axis].max(end[axis]) / resolution);
        for border in from.ceil() as i32..=to.floor() as i32 {
            times.push((f64::from(border) * resolution - origin[axis]) / (end[axis] - origin[axis]));
        }
    }
    times.retain(|time| (0.0..=1.0).contains(time));
    times.sort_by(f64::total_cmp);
    let pieces = times.windows(2).filter(|piece| piece[1] - piece[0] > 1e-9);
    let mut cells: BTreeSet<_> =
        pieces.map(|piece| cell_of(&(origin + (end - origin) * (0.5 * (piece[0] + piece[1]))), resolution)).collect();
    cells.remove(&cell_of(end, resolution));
    cells
}

/// Hits and misses of a cloud: rays to the centres of cells with points.
fn insert(
    reference: &mut Reference,
    points: &[Point3<f64>],
    origin: &Point3<f64>,
    range: f64,
    resolution: f64,
) -> [usize; 3] {
    let ends: BTreeSet<[i32; 3]> = points.iter().map(|point| cell_of(point, resolution)).collect();
    let (mut hits, mut misses) = (BTreeSet::new(), BTreeSet::new());
    for cell in &ends {
        let mut end = center(*cell, resolution);
        let length = (end - origin).norm();
        if length <= range {
            hits.insert(*cell);
        } else {
            end = origin + (end - origin) * (range / length);
        }
        misses.extend(passed(origin, &end, resolution));
    }
    let misses: BTreeSet<_> = misses.difference(&hits).copied().collect();
    for (cells, occupied) in [(&misses, false), (&hits, true)] {
        for cell in cells {
            reference.update(*cell, occupied);
        }
    }
    [ends.len(), hits.len(), misses.len()]
}

fn random_cloud(rng: &mut SeededRng, count: usize, reach: f64) -> Vec<Point3<f64>> {
    (0..count).map(|_| Point3::from(Vector3::from_fn(|_, _| rng.uniform(-reach, reach)))).collect()
}

fn assert_inserted(seed: u64, count: usize, reach: f64, resolution: f64) {
    let (mut rng, mut tree, mut reference) = (SeededRng::new(seed), tree(resolution), Reference::default());
    for scan in 0..4 {
        let origin = Point3::from(Vector3::from_fn(|_, _| rng.uniform(-0.4, 0.4) * reach));
        let points = random_cloud(&mut rng, count, reach);
        let range = if scan % 2 == 0 { f64::INFINITY } else { rng.uniform(0.3, 1.2) * reach };
        let report = tree.insert_cloud(&points, &origin, range, &Control::default()).unwrap();
        let wanted = insert(&mut reference, &points, &origin, range, resolution);
        assert_eq!([report.rays, report.cells_hit, report.cells_missed], wanted, "seed {seed}, scan {scan}");
        assert_eq!((report.points, report.not_finite, report.outside), (count, 0, 0));
    }
    assert_equal(&tree, &reference);
}

#[test]
fn clouds_hit_their_cells_and_clear_the_rays() {
    for seed in 0..12 {
        assert_inserted(seed, 1 + 40 * seed as usize, 1.0, [0.05, 0.11, 0.3][seed as usize % 3]);
    }
    // More rays than one thread takes.
    assert_inserted(50, 6_000, 2.0, 0.1);
}

/// Boxes with too many cells for bits give the same.
#[test]
fn wide_boxes_are_marked_in_a_list() {
    for seed in 0..3 {
        assert_inserted(seed, 25, 20.0, 0.05);
    }
}

/// Points far beyond the range clear up to it, beside those that are hit.
#[test]
fn far_points_clear_up_to_the_range() {
    let (mut rng, mut tree, mut reference) = (SeededRng::new(8), tree(0.05), Reference::default());
    let mut points = random_cloud(&mut rng, 200, 1.5);
    points.extend(random_cloud(&mut rng, 100, 500.0));
    // No segment to the centre of a cell passes an edge of others.
    let origin = Point3::new(0.110_357, -0.232_911, 0.071_523);
    for range in [1.3, 0.04] {
        let report = tree.insert_cloud(&points, &origin, range, &Control::default()).unwrap();
        let wanted = insert(&mut reference, &points, &origin, range, 0.05);
        assert_eq!([report.rays, report.cells_hit, report.cells_missed], wanted);
    }
    assert_equal(&tree, &reference);
}

#[test]
fn what_cannot_be_inserted_is_counted() {
    let mut tree = tree(0.1);
    let mut points = vec![Point3::new(1.0, 0.05, 0.05)];
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -3_276.9, 3_276.81] {
        points.push(Point3::new(0.0, bad, 0.0));
    }
    let report = tree.insert_cloud(&points, &Point3::origin(), f64::INFINITY, &Control::default()).unwrap();
    assert_eq!((report.points, report.not_finite, report.outside, report.rays), (7, 3, 3, 1));
    assert_eq!((report.cells_hit, tree.num_leaves()), (1, report.cells_missed + 1));
    let report = tree.insert_cloud(&[], &Point3::origin(), 1.0, &Control::default()).unwrap();
    assert_eq!((report.rays, report.cells_hit, report.cells_missed), (0, 0, 0));
}

#[test]
fn rays_of_length_nothing_and_along_axes() {
    let mut tree = tree(0.1);
    let origin = Point3::new(0.05, 0.05, 0.05);
    let insert = |tree: &mut Octree, point| tree.insert_cloud(&[point], &origin, 9.0, &Control::default()).unwrap();
    let report = insert(&mut tree, origin);
    assert_eq!((report.cells_hit, report.cells_missed), (1, 0));
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let mut point = origin;
            point[axis] += sign;
            let report = insert(&mut tree, point);
            assert_eq!((report.cells_hit, report.cells_missed), (1, 10));
        }
    }
    // The corner of cells, with points behind and on corners.
    let corner = Point3::origin();
    for value in [-0.1, 0.1] {
        let point = Point3::new(value, value, value);
        tree.insert_cloud(&[point], &corner, f64::INFINITY, &Control::default()).unwrap();
        assert!(tree.log_odds(&point).is_some());
    }
}

#[test]
fn sensors_outside_and_ranges_that_are_none_are_refused() {
    let mut tree = tree(0.1);
    let point = [Point3::new(1.0, 0.0, 0.0)];
    for origin in [Point3::new(f64::NAN, 0.0, 0.0), Point3::new(0.0, 4e3, 0.0)] {
        let error = tree.insert_cloud(&point, &origin, 1.0, &Control::default()).unwrap_err();
        assert!(error.to_string().contains("sensor_origin"), "{error}");
    }
    for range in [0.0, -1.0, f64::NAN] {
        let error = tree.insert_cloud(&point, &Point3::origin(), range, &Control::default()).unwrap_err();
        assert!(error.to_string().contains("max_range"), "{error}");
    }
    let stop = StopFlag::default();
    stop.stop();
    let control = Control::new(std::sync::Arc::new(kinetic_core::SystemClock::default()), f64::INFINITY, 1, stop);
    assert!(tree.insert_cloud(&point, &Point3::origin(), 2.0, &control).is_err());
    assert!(tree.is_empty(), "nothing is inserted by a call that fails");
}
