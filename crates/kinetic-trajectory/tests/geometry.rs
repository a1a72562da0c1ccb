//! Rules for degenerate paths, and blends.

use kinetic_core::Trajectory;
use kinetic_core::rng::SeededRng;
use kinetic_trajectory::PathGeometry;
use kinetic_trajectory::geometry::MERGE_TOLERANCE;

use crate::support::{cases, degenerate_path, distance_to_polyline, path};

/// Rounding of positions below 100 rad.
const ROUNDING: f64 = 1e-12;

fn polyline(waypoints: &[&[f64]]) -> PathGeometry {
    PathGeometry::polyline(&path(waypoints)).unwrap()
}

#[test]
fn duplicates_at_any_distance_below_the_tolerance_are_one_waypoint() {
    for gap in [0.0, 1e-15, 1e-12, 1e-9, 0.9e-6] {
        let geometry = polyline(&[&[0.0, 0.0], &[1.0, 0.0], &[1.0, gap], &[1.0, 1.0]]);
        assert_eq!(geometry.waypoint_arc_lengths().len(), 3, "gap {gap}");
        assert!(geometry.deviation() >= gap && geometry.deviation() <= gap + 1e-9);
    }
    assert_eq!(polyline(&[&[0.0], &[1.0], &[1.0 + 2e-6]]).waypoint_arc_lengths().len(), 3);
}

#[test]
fn the_goal_is_reached_exactly_even_when_it_nearly_repeats_its_predecessor() {
    let goal = [1.0, 0.5e-6];
    let geometry = polyline(&[&[0.0, 0.0], &[1.0, 0.0], &goal]);
    let elements = geometry.elements();
    assert_eq!(elements.len(), 1);
    let end: Vec<f64> = elements[0].shape.iter().map(|[p, t, _]| p + t * elements[0].length).collect();
    assert!((end[0] - goal[0]).abs() < ROUNDING && (end[1] - goal[1]).abs() < ROUNDING);
}

#[test]
fn a_creep_of_tiny_steps_is_not_mistaken_for_standing_still() {
    let creep: Vec<[f64; 1]> = (0..=1000).map(|i| [f64::from(i) * MERGE_TOLERANCE / 4.0]).collect();
    let geometry = PathGeometry::polyline(&Trajectory::from_waypoints(&creep).unwrap()).unwrap();
    assert!((geometry.length() - 250.0 * MERGE_TOLERANCE).abs() < ROUNDING);
}

#[test]
fn a_motion_shorter_than_the_merge_tolerance_is_still_made() {
    assert!((polyline(&[&[0.0], &[1e-9]]).length() - 1e-9).abs() < 1e-20);
    assert_eq!(polyline(&[&[0.0], &[1e-13]]).length(), 0.0);
}

#[test]
fn reversals_are_stops_and_never_blended() {
    let geometry = polyline(&[&[0.0, 0.0], &[1.0, 0.0], &[0.5, 0.0], &[2.0, 0.0]]);
    let geometry = geometry.blended(0.1, &mut |_| true).unwrap();
    assert_eq!(geometry.blend_count(), 0);
    assert!(geometry.elements().iter().all(|element| element.starts_at_rest));
    assert!((geometry.length() - 3.0).abs() < ROUNDING);
}

#[test]
fn collinear_waypoints_are_one_element_and_keep_their_stations() {
    let geometry = polyline(&[&[0.0, 0.0], &[1.0, 2.0], &[1.5, 3.0], &[2.0, 4.0]]);
    assert_eq!(geometry.elements().len(), 1);
    let unit = 5.0_f64.sqrt();
    for (arc_length, wanted) in geometry.waypoint_arc_lengths().iter().zip([0.0, unit, 1.5 * unit, 2.0 * unit]) {
        assert!((arc_length - wanted).abs() < ROUNDING);
    }
}

#[test]
fn a_slow_bend_of_many_waypoints_is_not_straightened_away() {
    // 10,000 waypoints, each within 1e-9 of the line through its neighbours, together a quarter circle.
    let arc: Vec<[f64; 2]> = (0..=10_000).map(|i| f64::from(i) / 10_000.0 * 1.57).map(|t| [t.cos(), t.sin()]).collect();
    let path = Trajectory::from_waypoints(&arc).unwrap();
    let geometry = PathGeometry::polyline(&path).unwrap();
    assert!(geometry.deviation() <= 1e-9);
    assert!((geometry.length() - 1.57).abs() < 1e-6);
}

#[test]
fn elements_are_continuous_in_position_and_tangent_except_at_stops() {
    for seed in 0..cases(2000, 100_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let path = degenerate_path(&mut rng);
        let geometry = PathGeometry::polyline(&path).unwrap().blended(0.05, &mut |_| true).unwrap();
        let elements = geometry.elements();
        for pair in elements.windows(2) {
            let (a, b) = (&pair[0], &pair[1]);
            assert!((a.arc_length + a.length - b.arc_length).abs() < ROUNDING, "seed {seed}: arc lengths");
            for joint in 0..path.dof() {
                let [p, t, c] = a.shape[joint];
                let end = p + a.length * (t + 0.5 * c * a.length);
                assert!((end - b.shape[joint][0]).abs() < ROUNDING, "seed {seed}: position");
                let jump = (t + c * a.length - b.shape[joint][1]).abs();
                assert!(b.starts_at_rest || jump < 1e-9, "seed {seed}: tangent jumps by {jump}");
            }
        }
        for element in &elements {
            for step in 0..=8 {
                let d = element.length * f64::from(step) / 8.0;
                let q: Vec<f64> = element.shape.iter().map(|[p, t, c]| p + d * (t + 0.5 * c * d)).collect();
                let distance = distance_to_polyline(&path, &q);
                assert!(distance <= geometry.deviation() + ROUNDING, "seed {seed}: {distance}");
            }
        }
        assert!(geometry.deviation() <= 0.05 + 4e-6, "seed {seed}");
    }
}

#[test]
fn a_path_of_no_waypoints_or_of_infinite_length_is_an_error() {
    assert_eq!(PathGeometry::polyline(&Trajectory::with_dof(3)).unwrap_err().code(), "InvalidValue");
    let endless = path(&[&[-1e300], &[1e300], &[-1e300]]);
    assert_eq!(PathGeometry::polyline(&endless).unwrap_err().code(), "NotFinite");
}
