//! Objects in clouds: clusters against all pairs, boxes against all angles, objects over frames.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, Shape};
use kinetic_perception::{ClusterConfig, ObjectTracker, TrackerConfig, upright_box};
use nalgebra::{Point3, Vector3};

use crate::filters::cases;

fn cloud(rng: &mut SeededRng, count: usize, spread: f64) -> Vec<Point3<f64>> {
    let middles: Vec<_> = (0..4).map(|_| Vector3::from_fn(|_, _| rng.uniform(-spread, spread))).collect();
    (0..count)
        .map(|index| Point3::from(middles[index % 4] + Vector3::from_fn(|_, _| rng.uniform(-0.05, 0.05))))
        .collect()
}

/// Clusters by looking at all pairs.
fn by_all_pairs(points: &[Point3<f64>], tolerance: f64, min_points: usize) -> Vec<Vec<u32>> {
    let mut labels: Vec<usize> = (0..points.len()).collect();
    loop {
        let mut is_changed = false;
        for a in 0..points.len() {
            for b in 0..points.len() {
                if labels[a] < labels[b] && (points[a] - points[b]).norm_squared() <= tolerance * tolerance {
                    labels[b] = labels[a];
                    is_changed = true;
                }
            }
        }
        if !is_changed {
            break;
        }
    }
    let of_label =
        |label: usize| (0..points.len()).filter(|i| labels[*i] == label).map(|i| i as u32).collect::<Vec<_>>();
    let mut clusters: Vec<Vec<u32>> =
        (0..points.len()).map(of_label).filter(|one| one.len() >= min_points.max(1)).collect();
    clusters.sort_by_key(|cluster| (usize::MAX - cluster.len(), cluster[0]));
    clusters
}

#[test]
fn clusters_are_what_chains_of_near_points_join() {
    for seed in 0..cases(30, 2_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let (spread, tolerance) = (rng.uniform(0.0, 0.4), rng.uniform(0.002, 0.08));
        let mut points = cloud(&mut rng, 120, spread);
        points.push(points[3]);
        let config = ClusterConfig { tolerance, min_points: rng.below(4), max_points: None };
        let found = config.clusters(&points, &Control::default()).unwrap();
        assert_eq!(found, by_all_pairs(&points, tolerance, config.min_points), "seed {seed}");
        let largest = found.first().map_or(0, Vec::len);
        let smaller = ClusterConfig { max_points: Some(largest.saturating_sub(1)), ..config };
        let rest = smaller.clusters(&points, &Control::default()).unwrap();
        assert!(rest.iter().all(|cluster| cluster.len() < largest), "seed {seed}");
    }
}

#[test]
fn points_exactly_at_the_tolerance_hang_together_and_those_that_are_not_finite_do_not_count() {
    let line: Vec<_> = (0..8).map(|step| Point3::new(f64::from(step) * 0.25, 0.0, 0.0)).collect();
    let with = |tolerance: f64| ClusterConfig { tolerance, min_points: 1, max_points: None };
    assert_eq!(with(0.25).clusters(&line, &Control::default()).unwrap().len(), 1);
    assert_eq!(with(0.249).clusters(&line, &Control::default()).unwrap().len(), 8);
    let lost = [Point3::new(f64::NAN, 0.0, 0.0), Point3::origin(), Point3::new(0.0, f64::INFINITY, 0.0)];
    assert_eq!(with(1.0).clusters(&lost, &Control::default()).unwrap(), [[1]]);
    assert!(with(1.0).clusters(&[], &Control::default()).unwrap().is_empty());
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(with(tolerance).clusters(&line, &Control::default()).is_err());
    }
    assert!(with(1e-6).clusters(&[Point3::new(1e3, 0.0, 0.0)], &Control::default()).is_err());
}

#[test]
fn boxes_hold_their_points_and_no_angle_has_a_smaller_base() {
    for seed in 0..cases(30, 2_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let mut points: Vec<_> = (0..=rng.below(40))
            .map(|_| Point3::from(Vector3::from_fn(|axis, _| rng.uniform(-0.1, 0.3) * (axis + 1) as f64)))
            .collect();
        if seed % 3 == 0 {
            // An outline of thousands of corners; some edges are along others, and some points are the same.
            let circle = |k: u32| 0.2 * f64::from(k % 2_500) * std::f64::consts::TAU / 2_500.0;
            points.extend((0..3_000).map(|k| Point3::new(0.4 * circle(k).cos(), 0.3 * circle(k).sin(), 0.1)));
        }
        let growth = rng.uniform(0.0, 0.02);
        let (shape, pose) = upright_box(&points, growth).unwrap();
        let Shape::Cuboid { half_extents } = shape else { panic!("{shape:?}") };
        for point in &points {
            let inside = pose.0.inverse() * point;
            let gap = inside.coords.abs() - half_extents;
            assert!(gap.max() <= -growth + 1e-9, "seed {seed}: {gap} beyond");
        }
        let area = (2.0 * (half_extents.x - growth)) * (2.0 * (half_extents.y - growth));
        for step in 0..360 {
            let (sin, cos) = (f64::from(step) * std::f64::consts::PI / 720.0).sin_cos();
            let along = |x: f64, y: f64| points.iter().map(move |point| x * point.x + y * point.y);
            let extent = |x: f64, y: f64| {
                along(x, y).fold(f64::NEG_INFINITY, f64::max) - along(x, y).fold(f64::INFINITY, f64::min)
            };
            let other = extent(cos, sin) * extent(-sin, cos);
            assert!(area <= other + 1e-5, "seed {seed}: {area} and {other}");
        }
    }
    assert!(upright_box(&[], 0.0).is_err() && upright_box(&[Point3::new(f64::NAN, 0.0, 0.0)], 0.0).is_err());
    assert!(upright_box(&[Point3::origin()], -1.0).is_err() && upright_box(&[Point3::origin()], f64::NAN).is_err());
}

#[test]
fn objects_keep_their_numbers_while_they_move_and_cross() {
    let mut tracker = ObjectTracker::new(TrackerConfig::default()).unwrap();
    // Two objects that pass each other 6 cm apart, delivered in an order that changes.
    let at = |step: i32| {
        let t = f64::from(step) * 0.1;
        [Point3::new(-0.5 + 0.5 * t, 0.0, 0.0), Point3::new(0.5 - 0.5 * t, 0.06, 0.0)]
    };
    for step in 0..20 {
        let [a, b] = at(step);
        let (positions, wanted) = if step % 2 == 0 { ([a, b], [0, 1]) } else { ([b, a], [1, 0]) };
        let update = tracker.update(&positions, f64::from(step) * 0.1).unwrap();
        assert_eq!(update.ids, wanted, "frame {step}");
        assert_eq!(update.confirmed.len(), if step == 2 { 2 } else { 0 }, "frame {step}");
    }
    let first = tracker.objects()[0];
    assert!((first.velocity - Vector3::new(0.5, 0.0, 0.0)).norm() < 1e-9 && tracker.is_confirmed(&first));
    assert_eq!((first.born, first.hits), (0.0, 20));
}

#[test]
fn objects_are_born_hidden_for_a_while_and_lost() {
    let config = TrackerConfig { forget_after: 0.35, ..TrackerConfig::default() };
    let mut tracker = ObjectTracker::new(config).unwrap();
    let here = [Point3::new(0.3, 0.0, 0.0)];
    let mut stamp = 0.0;
    let mut frame = |tracker: &mut ObjectTracker, positions: &[Point3<f64>]| {
        stamp += 0.1;
        tracker.update(positions, stamp).unwrap()
    };
    for _ in 0..3 {
        frame(&mut tracker, &here);
    }
    // Two frames without it, and it is the same one.
    frame(&mut tracker, &[]);
    frame(&mut tracker, &[]);
    assert_eq!(frame(&mut tracker, &here).ids, [0]);
    // Longer, and it is lost; who stands there later is another one. One that was seen once is never reported.
    assert_eq!(frame(&mut tracker, &[Point3::new(2.0, 0.0, 0.0)]).ids, [1]);
    let lost: Vec<u64> = (0..4).flat_map(|_| frame(&mut tracker, &[]).lost).collect();
    assert_eq!(lost, [0]);
    assert!(tracker.objects().is_empty());
    assert_eq!(frame(&mut tracker, &here).ids, [2]);
    assert!(tracker.update(&here, 0.5).is_err() && tracker.update(&here, f64::NAN).is_err());
    assert!(tracker.update(&[Point3::new(f64::NAN, 0.0, 0.0)], 99.0).is_err());
    assert_eq!(tracker.update(&here, 99.0).unwrap().lost, Vec::<u64>::new());
    // Gone is gone, also where no frame came meanwhile.
    let again = tracker.update(&here, 600.0).unwrap();
    assert_eq!((again.ids, tracker.objects()[0].born), (vec![4], 600.0));
    for bad in [0.0, f64::NAN, f64::INFINITY] {
        assert!(ObjectTracker::new(TrackerConfig { max_distance: bad, ..config }).is_err());
        assert!(ObjectTracker::new(TrackerConfig { forget_after: bad, ..config }).is_err());
    }
}
