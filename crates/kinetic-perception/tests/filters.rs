//! Filters of clouds: neighbours against brute force, coverage of what is merged, counts.

use std::collections::BTreeSet;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, Result};
use kinetic_perception::{CropBox, FilteredCloud, NeighborTree, OutlierFilter, PointCloudConfig};
use nalgebra::{Point3, Vector3};

pub(crate) fn cases(slice: usize, full: usize) -> usize {
    if std::env::var("KINETIC_FULL").is_ok_and(|value| value == "1") { full } else { slice }
}

fn random_points(rng: &mut SeededRng, count: usize) -> Vec<Point3<f64>> {
    // A third on a plane, a third on a coarse grid with many equal points.
    let mut point = |kind: usize| {
        let free = Vector3::from_fn(|_, _| rng.uniform(-0.5, 0.5));
        Point3::from(match kind % 3 {
            0 => free,
            1 => Vector3::new(free.x, free.y, 0.1),
            _ => free.map(|value| (value * 4.0).round() / 4.0),
        })
    };
    (0..count).map(&mut point).collect()
}

fn filtered(config: &PointCloudConfig, points: &[Point3<f64>]) -> Result<FilteredCloud> {
    config.filtered(points.iter().copied(), &[], &mut |_| false, &Control::default())
}

#[test]
fn neighbours_are_those_of_a_loop_over_all_points() {
    for seed in 0..cases(40, 1_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let count = 1 + rng.below(400);
        let mut points = random_points(&mut rng, count);
        if seed % 4 == 0 {
            // Invalid pixels of some cameras.
            points.extend([Point3::origin(); 100]);
        }
        let tree = NeighborTree::new(&points);
        for number in 0..points.len().min(40) {
            let (k, radius, enough) = (1 + rng.below(12), rng.uniform(0.0, 0.3), 1 + rng.below(9));
            let mut wanted: Vec<f64> = (0..points.len())
                .filter(|other| *other != number)
                .map(|other| (points[other] - points[number]).norm_squared())
                .collect();
            wanted.sort_by(f64::total_cmp);
            let within = wanted.iter().filter(|squared| **squared <= radius * radius).count();
            wanted.truncate(k);
            assert_eq!(tree.nearest_squared(&points[number], k, Some(number as u32)), wanted, "seed {seed}");
            let counted = tree.count_within(&points[number], radius, enough, Some(number as u32));
            assert_eq!(counted, within.min(enough), "seed {seed}");
        }
    }
    // More neighbours than there are points, and none.
    let tree = NeighborTree::new(&[Point3::origin(), Point3::new(1.0, 0.0, 0.0)]);
    assert_eq!(tree.nearest_squared(&Point3::origin(), usize::MAX, None), [0.0, 1.0]);
    assert_eq!(tree.nearest_squared(&Point3::origin(), usize::MAX, Some(0)), [1.0]);
    assert!(NeighborTree::new(&[]).nearest_squared(&Point3::origin(), 3, None).is_empty());
}

#[test]
fn outliers_are_those_of_the_definitions() {
    for seed in 0..cases(10, 200) as u64 {
        let mut rng = SeededRng::new(seed);
        let points = random_points(&mut rng, 300);
        let distances = |number: usize| {
            let mut all: Vec<f64> = (0..points.len())
                .filter(|other| *other != number)
                .map(|other| (points[other] - points[number]).norm())
                .collect();
            all.sort_by(f64::total_cmp);
            all
        };
        let means: Vec<f64> =
            (0..points.len()).map(|number| distances(number)[..8].iter().sum::<f64>() / 8.0).collect();
        let average = means.iter().sum::<f64>() / 300.0;
        let deviation = (means.iter().map(|mean| (mean - average).powi(2)).sum::<f64>() / 299.0).sqrt();
        let filter = OutlierFilter::Statistical { neighbors: 8, std_ratio: 1.5 };
        let found = filter.inliers(&points, &Control::default()).unwrap();
        for (number, is_inlier) in found.iter().enumerate() {
            let limit = average + 1.5 * deviation;
            assert!(*is_inlier == (means[number] <= limit) || (means[number] - limit).abs() < 1e-12, "seed {seed}");
        }
        assert!(found.iter().any(|is_inlier| !is_inlier) && found.iter().any(|is_inlier| *is_inlier), "seed {seed}");
        let filter = OutlierFilter::Radius { radius: 0.1, min_neighbors: 4 };
        let found = filter.inliers(&points, &Control::default()).unwrap();
        for (number, is_inlier) in found.iter().enumerate() {
            let within = distances(number).iter().filter(|distance| **distance <= 0.1).count();
            assert_eq!(*is_inlier, within >= 4, "seed {seed}, {number}");
        }
    }
}

#[test]
fn what_is_left_covers_what_was_not_dropped() {
    for seed in 0..cases(60, 2_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let points = random_points(&mut rng, 2_000);
        let most = 20 + rng.below(1_000);
        let config = PointCloudConfig {
            sphere_radius: rng.uniform(0.0, 0.02),
            voxel_size: (seed % 2 == 0).then(|| rng.uniform(0.01, 0.2)),
            max_points: (seed % 3 != 0).then_some(most),
            ..PointCloudConfig::default()
        };
        let FilteredCloud { points: left, report } = filtered(&config, &points).unwrap();
        assert_eq!((report.kept, report.kept + report.merged), (left.len(), points.len()), "seed {seed}: {report:?}");
        assert!(config.max_points.is_none_or(|most| left.len() <= most), "seed {seed}: {report:?}");
        assert!(left.iter().all(|point| points.contains(point)), "seed {seed}: a point that nobody measured");
        let reach = report.radius - config.sphere_radius;
        for point in &points {
            let nearest = left.iter().map(|kept| (kept - point).norm()).fold(f64::INFINITY, f64::min);
            assert!(nearest <= reach + 1e-12, "seed {seed}: {nearest} from {point}, grown by {reach}");
        }
        if let (Some(size), None) = (config.voxel_size, config.max_points) {
            assert!(reach <= size * 3.0_f64.sqrt(), "seed {seed}: {reach} in cells of {size}");
        }
    }
}

/// Cells begin at multiples of their size, whatever else is in the picture.
#[test]
fn points_far_away_do_not_change_what_is_kept() {
    let mut rng = SeededRng::new(3);
    let points = random_points(&mut rng, 500);
    let config = PointCloudConfig { voxel_size: Some(0.07), max_points: None, ..PointCloudConfig::default() };
    let alone = filtered(&config, &points).unwrap();
    let mut more = points.clone();
    more.push(Point3::new(-33.3, 12.1, 5.0));
    let beside = filtered(&config, &more).unwrap();
    assert!(alone.points.iter().all(|point| beside.points.contains(point)));
    assert_eq!(alone.points.len() + 1, beside.points.len());
}

/// Too many points, one of them far away: the others are merged no more than without it.
#[test]
fn a_point_far_away_makes_no_balls_larger() {
    let mut rng = SeededRng::new(6);
    let mut points: Vec<Point3<f64>> =
        (0..20_000).map(|_| Point3::new(rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5), 0.3)).collect();
    let config = PointCloudConfig { max_points: Some(1_000), ..PointCloudConfig::default() };
    let near = filtered(&config, &points).unwrap().report;
    // A square metre has a thousand cells of 3 cm.
    assert!(near.radius < 0.06 && near.kept > 300, "{near:?}");
    for distance in [10.0, 1e3] {
        points.push(Point3::new(distance, 0.0, 0.0));
        let far = filtered(&config, &points).unwrap().report;
        assert!(far.radius < 0.06 && far.kept > 300, "{distance}: {far:?}");
        points.pop();
    }
}

#[test]
fn every_stage_counts_what_it_drops() {
    let mut points: Vec<Point3<f64>> = (0..1_000)
        .map(|index| Point3::new(f64::from(index % 100) * 0.01, f64::from(index / 100) * 0.01, 0.5))
        .collect();
    points.push(Point3::new(f64::NAN, 0.0, 0.0));
    points.push(Point3::new(0.0, f64::INFINITY, 0.0));
    points.push(Point3::new(0.0, 0.0, 9.0));
    points.push(Point3::new(0.5, 0.05, 0.9));
    let config = PointCloudConfig {
        crop: Some(CropBox { min: Point3::new(-1.0, -1.0, 0.0), max: Point3::new(2.0, 1.0, 1.0) }),
        outliers: Some(OutlierFilter::Radius { radius: 0.02, min_neighbors: 2 }),
        voxel_size: Some(0.0201),
        ..PointCloudConfig::default()
    };
    let mut is_excluded = |point: &Point3<f64>| point.x > 0.895;
    let found = config.filtered(points.iter().copied(), &[], &mut is_excluded, &Control::default()).unwrap().report;
    assert_eq!((found.given, found.not_finite, found.cropped, found.excluded, found.outliers), (1_004, 2, 1, 100, 1));
    assert_eq!(found.kept + found.merged, 900);
    assert!(found.kept < 400 && found.radius > 0.01, "{found:?}");
}

#[test]
fn bad_options_and_blind_sensors_are_refused_by_name() {
    let points = [Point3::origin(), Point3::new(1.0, 2.0, 3.0)];
    let good = PointCloudConfig::default();
    let outliers = |filter: OutlierFilter| PointCloudConfig { outliers: Some(filter), ..good.clone() };
    let crop = CropBox { min: Point3::new(1.0, 0.0, 0.0), max: Point3::origin() };
    let bad = [
        (PointCloudConfig { sphere_radius: -0.1, ..good.clone() }, "sphere_radius"),
        (PointCloudConfig { sphere_radius: f64::NAN, ..good.clone() }, "sphere_radius"),
        (PointCloudConfig { voxel_size: Some(0.0), ..good.clone() }, "voxel_size"),
        (PointCloudConfig { voxel_size: Some(1e-9), ..good.clone() }, "voxel_size"),
        (PointCloudConfig { max_points: Some(0), ..good.clone() }, "max_points"),
        (PointCloudConfig { crop: Some(crop), ..good.clone() }, "crop"),
        (PointCloudConfig { hysteresis: true, ..good.clone() }, "hysteresis"),
        (outliers(OutlierFilter::Radius { radius: 0.0, min_neighbors: 1 }), "radius"),
        (outliers(OutlierFilter::Radius { radius: 0.1, min_neighbors: 0 }), "min_neighbors"),
        (outliers(OutlierFilter::Statistical { neighbors: 0, std_ratio: 1.0 }), "neighbors"),
        (outliers(OutlierFilter::Statistical { neighbors: 5, std_ratio: f64::NAN }), "std_ratio"),
    ];
    for (config, name) in bad {
        let error = filtered(&config, &points).unwrap_err().to_string();
        assert!(error.contains(name), "{name}: {error}");
    }
    for blind in [&[][..], &[Point3::new(f64::NAN, 0.0, 0.0)]] {
        let error = filtered(&good, blind).unwrap_err().to_string();
        assert!(error.contains("finite"), "{error}");
    }
    // Nothing left is no error: the sensor sees, and what it sees does not count.
    let nothing = good.filtered(points.iter().copied(), &[], &mut |_| true, &Control::default()).unwrap();
    assert_eq!((nothing.points.len(), nothing.report.excluded), (0, 2));
    assert!(nothing.shape().unwrap().is_none());
}

/// Cells by their definition, one by one.
fn cells(points: &[Point3<f64>], size: f64) -> BTreeSet<[i64; 3]> {
    points.iter().map(|point| [0, 1, 2].map(|axis| (point[axis] / size).floor() as i64)).collect()
}

fn middles(cells: &BTreeSet<[i64; 3]>, size: f64) -> Vec<Point3<f64>> {
    cells.iter().map(|cell| Point3::from(cell.map(|index| (index as f64 + 0.5) * size))).collect()
}

fn with_hysteresis(size: f64) -> PointCloudConfig {
    PointCloudConfig { voxel_size: Some(size), max_points: None, hysteresis: true, ..PointCloudConfig::default() }
}

#[test]
fn cells_stay_while_a_point_is_in_one_of_the_cells_around_them() {
    for seed in 0..cases(30, 1_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let size = rng.uniform(0.02, 0.3);
        let config = with_hysteresis(size);
        let mut before: Vec<Point3<f64>> = Vec::new();
        for picture in 0..4 {
            let (count, shift) = (1 + rng.below(300), Vector3::x() * rng.uniform(-1.5, 1.5) * size);
            let points: Vec<Point3<f64>> = random_points(&mut rng, count).iter().map(|point| point + shift).collect();
            let occupied = cells(&points, size);
            let is_near =
                |cell: &[i64; 3]| occupied.iter().any(|other| (0..3).all(|axis| (other[axis] - cell[axis]).abs() <= 1));
            let earlier = cells(&before, size);
            let wanted: BTreeSet<[i64; 3]> =
                earlier.into_iter().filter(is_near).chain(occupied.iter().copied()).collect();
            let found = config.filtered(points.iter().copied(), &before, &mut |_| false, &Control::default()).unwrap();
            assert_eq!(found.points, middles(&wanted, size), "seed {seed}, picture {picture}");
            let report = found.report;
            assert_eq!((report.kept, report.carried_over), (wanted.len(), wanted.len() - occupied.len()));
            assert_eq!(report.given + report.carried_over, report.merged + report.kept);
            for point in &points {
                let nearest = found.points.iter().map(|kept| (kept - point).norm()).fold(f64::INFINITY, f64::min);
                assert!(nearest + config.sphere_radius <= report.radius, "seed {seed}: {nearest} from {point}");
            }
            before = found.points;
        }
    }
}

#[test]
fn noise_on_the_border_of_cells_changes_nothing_after_some_pictures() {
    let mut rng = SeededRng::new(11);
    let (mut before, mut last_change) = (Vec::new(), 0);
    for picture in 0..200 {
        // A plane between two layers of cells.
        let mut wall = |index: i32| {
            let mut noise = Vector3::zeros();
            rng.fill_normal(noise.as_mut_slice());
            Point3::new(f64::from(index % 100) * 0.01, f64::from(index / 100) * 0.01, 0.4) + 0.002 * noise
        };
        let points: Vec<Point3<f64>> = (0..10_000).map(&mut wall).collect();
        let found = with_hysteresis(0.02).filtered(points.into_iter(), &before, &mut |_| false, &Control::default());
        let found = found.unwrap().points;
        if found != before {
            (before, last_change) = (found, picture);
        }
    }
    assert!(last_change < 100, "{last_change}");
}

#[test]
fn hysteresis_reads_no_points_of_others() {
    let points = [Point3::new(0.3, -0.2, 0.1), Point3::new(-0.01, 0.0, 0.0)];
    let found = |before: &[Point3<f64>]| {
        with_hysteresis(0.1).filtered(points.iter().copied(), before, &mut |_| false, &Control::default()).unwrap()
    };
    let alone = found(&[]);
    // Measured points, middles of cells of another size, cells that are far away, and beyond the ends of any grid.
    let others = [
        vec![Point3::new(0.3, -0.2, 0.12)],
        middles(&cells(&points, 0.03), 0.03),
        vec![Point3::new(0.05, 0.05, 0.05), Point3::new(0.05, 0.05, 0.051)],
        middles(&cells(&[Point3::new(30.0, 0.0, 0.0), Point3::new(-30.0, 0.0, 0.0)], 0.1), 0.1),
        middles(&cells(&[Point3::new(3e5, 0.0, 0.0), Point3::new(0.0, -3e9, 0.0)], 0.1), 0.1),
        vec![Point3::new(1e300, f64::NAN, f64::INFINITY)],
    ];
    for before in others {
        assert_eq!(found(&before), alone, "{before:?}");
    }
    // One that counts, twice, beside one that is far away and in another order.
    let near = [Point3::new(30.05, 0.05, 0.05), Point3::new(0.05, 0.05, 0.05), Point3::new(0.05, 0.05, 0.05)];
    assert_eq!(found(&near).report.carried_over, 1);
}

#[test]
fn cells_with_hysteresis_are_enlarged_until_they_are_few_enough() {
    let mut rng = SeededRng::new(12);
    let points = random_points(&mut rng, 3_000);
    let config = PointCloudConfig { max_points: Some(100), ..with_hysteresis(0.02) };
    let found = filtered(&config, &points).unwrap();
    assert!(found.points.len() <= 100 && found.report.radius > 0.05, "{:?}", found.report);
    for point in &points {
        assert!(found.points.iter().any(|kept| (kept - point).norm() <= found.report.radius - 0.01));
    }
}

/// A dense surface with stray points, as most pictures are: near the origin, and where cells are not told apart.
#[test]
fn stray_points_beside_dense_ones_are_those_of_a_loop_over_all_points() {
    for seed in 0..cases(12, 400) as u64 {
        let mut rng = SeededRng::new(seed);
        let offset = [0.0, 3.0, 1e6, 1e9][seed as usize % 4];
        let (radius, min_neighbors) = (rng.uniform(0.03, 0.1), 1 + rng.below(4));
        let mut point = |index: usize| {
            let free = Vector3::from_fn(|_, _| rng.uniform(-0.3, 0.3));
            let surface = Vector3::new(free.x, free.y, 0.02 * free.z);
            Point3::from(if index.is_multiple_of(12) { 3.0 * free } else { surface } + Vector3::x() * offset)
        };
        let points: Vec<Point3<f64>> = (0..4_000).map(&mut point).collect();
        let within = |a: &Point3<f64>| points.iter().filter(|b| (*b - a).norm_squared() <= radius * radius).count() - 1;
        let wanted: Vec<bool> = points.iter().map(|point| within(point) >= min_neighbors).collect();
        let filter = OutlierFilter::Radius { radius, min_neighbors };
        assert_eq!(filter.inliers(&points, &Control::default()).unwrap(), wanted, "seed {seed}");
        assert!(wanted.contains(&false) && wanted.iter().filter(|is_inlier| **is_inlier).count() > 3_000);
    }
}

#[test]
fn pairs_across_a_cell_are_neighbours_as_far_as_the_radius() {
    let (mut rng, radius) = (SeededRng::new(4), 0.1);
    let (mut points, mut wanted) = (Vec::new(), Vec::new());
    for index in 0..4_000_u32 {
        let place =
            [index % 16, index / 16 % 16, index / 256].map(|step| f64::from(step) * 0.5 + rng.uniform(0.0, 0.2));
        let factor = [0.9999, 1.0001, 1.15][rng.below(3)];
        points.extend([Point3::from(place), Point3::from(place.map(|value| value + factor * radius / 3.0_f64.sqrt()))]);
        wanted.extend([factor < 1.0; 2]);
    }
    let filter = OutlierFilter::Radius { radius, min_neighbors: 1 };
    assert_eq!(filter.inliers(&points, &Control::default()).unwrap(), wanted);
}
