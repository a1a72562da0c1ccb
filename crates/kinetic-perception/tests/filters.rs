//! Filters of clouds: neighbours against brute force, coverage of what is merged, counts.

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
    config.filtered(points.iter().copied(), &|_| false, &Control::default())
}

#[test]
fn neighbours_are_those_of_a_loop_over_all_points() {
    for seed in 0..cases(40, 1_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let count = 1 + rng.below(400);
        let points = random_points(&mut rng, count);
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
    let is_excluded = |point: &Point3<f64>| point.x > 0.895;
    let found = config.filtered(points.iter().copied(), &is_excluded, &Control::default()).unwrap().report;
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
    let nothing = good.filtered(points.iter().copied(), &|_| true, &Control::default()).unwrap();
    assert_eq!((nothing.points.len(), nothing.report.excluded), (0, 2));
    assert!(nothing.shape().unwrap().is_none());
}
