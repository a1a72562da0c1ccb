//! Corners of continuous curvature, corners that are met, and splines: what they promise, by brute force.

use kinetic_core::curve::evaluate;
use kinetic_core::rng::SeededRng;
use kinetic_core::{PiecewisePolynomial, Trajectory};
use kinetic_trajectory::geometry::{MERGE_TOLERANCE, STRAIGHT_TOLERANCE};
use kinetic_trajectory::{CurveElement, PathGeometry};

use crate::support::{cases, degenerate_path, distance_to_polyline, largest_difference, path};

/// Rounding of positions below 100 rad.
const ROUNDING: f64 = 1e-12;

/// Rounding of curvature in the shortest elements: unit tangents over 1e-9.
const CURVATURE_ROUNDING: f64 = 1e-5;

fn at(element: &CurveElement, order: usize, offset: f64) -> Vec<f64> {
    element.shape.iter().map(|row| evaluate(row, order, offset)).collect()
}

/// The three ways to make a curve of a path, with a random deviation.
fn random_geometry(path: &Trajectory, rng: &mut SeededRng) -> (PathGeometry, f64) {
    let max_deviation = [1e-9, 1e-3, 0.05, 10.0][rng.below(4)];
    let through: Vec<usize> = (0..path.len()).filter(|_| rng.below(2) == 0).collect();
    let geometry = match rng.below(3) {
        0 => PathGeometry::polyline(path).unwrap().smoothed(max_deviation, &[], &mut |_| true),
        1 => PathGeometry::polyline(path).unwrap().smoothed(max_deviation, &through, &mut |_| true),
        _ => PathGeometry::spline(path, max_deviation, &mut |_| true),
    };
    (geometry.unwrap(), max_deviation)
}

#[test]
fn position_tangent_and_curvature_are_continuous_and_the_deviation_holds() {
    for seed in 0..cases(3000, 300_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let path = degenerate_path(&mut rng);
        let (geometry, max_deviation) = random_geometry(&path, &mut rng);
        let elements = geometry.curve_elements();
        for pair in elements.windows(2) {
            let (a, b) = (&pair[0], &pair[1]);
            assert!((a.arc_length + a.length - b.arc_length).abs() < ROUNDING, "seed {seed}: arc lengths");
            let jump = |order| largest_difference(&at(a, order, a.length), &at(b, order, 0.0));
            assert!(jump(0) < ROUNDING, "seed {seed}: position jumps by {}", jump(0));
            if !b.starts_at_rest {
                assert!(jump(1) < 1e-9, "seed {seed}: tangent jumps by {}", jump(1));
                let shortest = a.length.min(b.length);
                let allowed = CURVATURE_ROUNDING * 1e-9 / shortest.max(1e-9) + 1e-12 / shortest;
                assert!(jump(2) < allowed, "seed {seed}: curvature jumps by {} of {allowed}", jump(2));
            }
        }
        for element in elements.iter() {
            for step in 0..=16 {
                let q = at(element, 0, element.length * f64::from(step) / 16.0);
                let distance = distance_to_polyline(&path, &q);
                assert!(distance <= geometry.deviation() + ROUNDING, "seed {seed}: {distance}");
            }
        }
        assert!(geometry.deviation() <= max_deviation + 4e-6, "seed {seed}: {}", geometry.deviation());
    }
}

/// How far the rules for degenerate paths may move a waypoint.
const MOVED: f64 = 2.0 * MERGE_TOLERANCE + 2.0 * STRAIGHT_TOLERANCE;

#[test]
fn ends_and_waypoints_to_pass_through_are_met() {
    for seed in 0..cases(2000, 100_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let path = degenerate_path(&mut rng);
        let all: Vec<usize> = (0..path.len()).collect();
        let through = PathGeometry::polyline(&path).unwrap().smoothed(0.05, &all, &mut |_| true).unwrap();
        let spline = PathGeometry::spline(&path, 0.05, &mut |_| true).unwrap();
        for geometry in [through, spline] {
            let elements = geometry.curve_elements();
            let Some(last) = elements.last() else { continue };
            let mut ends: Vec<Vec<f64>> = elements.iter().map(|element| at(element, 0, 0.0)).collect();
            ends.push(at(last, 0, last.length));
            let arc_lengths: Vec<f64> = elements.iter().map(|element| element.arc_length).collect();
            for (waypoint, arc_length) in path.iter().zip(geometry.waypoint_arc_lengths()).take(1) {
                assert!(
                    *arc_length == arc_lengths[0] && largest_difference(waypoint, &ends[0]) < ROUNDING,
                    "seed {seed}"
                );
            }
            for q in path.iter() {
                let nearest =
                    elements.iter().map(|element| distance_to_element(element, q)).fold(f64::INFINITY, f64::min);
                // A waypoint is merged with one within 1e-6, and that with the goal, if it is as near; then straightened.
                assert!(nearest <= MOVED, "seed {seed}: {nearest} beside a waypoint");
            }
            assert!(
                largest_difference(&ends[ends.len() - 1], path.positions(path.len() - 1)) < ROUNDING,
                "seed {seed}"
            );
        }
    }
}

/// Distance of `q` to an element: at its ends, and for straights by projection.
fn distance_to_element(element: &CurveElement, q: &[f64]) -> f64 {
    let norm = |p: &[f64]| p.iter().zip(q).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let (start, end) = (at(element, 0, 0.0), at(element, 0, element.length));
    let ends = norm(&start).min(norm(&end));
    if element.degree() > 1 {
        return ends;
    }
    ends.min(distance_to_polyline(&Trajectory::from_waypoints(&[start, end]).unwrap(), q))
}

#[test]
fn a_cut_corner_uses_the_deviation_that_is_allowed_and_a_met_one_returns_to_it() {
    let corner = path(&[&[0.0, 0.0], &[1.0, 0.0], &[1.0, 1.0]]);
    let cut = PathGeometry::polyline(&corner).unwrap().smoothed(0.05, &[], &mut |_| true).unwrap();
    let nearest = |geometry: &PathGeometry| {
        let distance = |q: &[f64]| (q[0] - 1.0).hypot(q[1]);
        let points = geometry.curve_elements().into_owned();
        let along = |element: &CurveElement| {
            (0..=1000)
                .map(|i| distance(&at(element, 0, element.length * f64::from(i) / 1e3)))
                .fold(f64::INFINITY, f64::min)
        };
        points.iter().map(along).fold(f64::INFINITY, f64::min)
    };
    assert!((nearest(&cut) - 0.05).abs() < 1e-6 && (cut.deviation() - 0.05).abs() < 1e-12);
    let met = PathGeometry::polyline(&corner).unwrap().smoothed(0.05, &[1], &mut |_| true).unwrap();
    assert!(nearest(&met) < ROUNDING);
    let farthest = |element: &CurveElement| {
        let distance = |i| distance_to_polyline(&corner, &at(element, 0, element.length * f64::from(i) / 1e4));
        (0..=10_000).map(distance).fold(0.0, f64::max)
    };
    // The bound compares equal parameters; the polyline is nearer by the angle of the swing, 45° here.
    let used = met.curve_elements().iter().map(farthest).fold(0.0, f64::max);
    assert!(used <= met.deviation() && used > 0.999 * met.deviation() / 2.0_f64.sqrt(), "{used} {}", met.deviation());
}

#[test]
fn the_length_of_a_spline_without_corners_is_that_of_one_natural_spline() {
    // Three knots by hand: with h = 1 the moment in the middle is 6 (p0 − 2 p1 + p2) / 4.
    let bend = path(&[&[0.0, 0.0], &[1.0, 0.0], &[2.0, 0.02]]);
    let geometry = PathGeometry::spline(&bend, 1.0, &mut |_| true).unwrap();
    let elements = geometry.curve_elements();
    assert_eq!(elements.len(), 2);
    let moment = 2.0 * elements[1].shape[1][2];
    assert!((moment - 1.5 * 0.02).abs() < 1e-5, "{moment}");
    assert!(elements[0].shape[1][2] == 0.0, "natural at its ends");
}

#[test]
fn what_is_driven_was_accepted_and_refused_corners_become_stops() {
    for seed in 0..cases(300, 10_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let path = degenerate_path(&mut rng);
        for shape in 0..3 {
            let mut judge = SeededRng::new(seed);
            let mut accepted: Vec<PiecewisePolynomial> = Vec::new();
            let mut accept = |curve: &PiecewisePolynomial| {
                let verdict = judge.below(3) == 0;
                if verdict {
                    accepted.push(curve.clone());
                }
                verdict
            };
            let all: Vec<usize> = (0..path.len()).collect();
            let geometry = match shape {
                0 => PathGeometry::polyline(&path).unwrap().smoothed(0.05, &[], &mut accept),
                1 => PathGeometry::polyline(&path).unwrap().smoothed(0.05, &all, &mut accept),
                _ => PathGeometry::spline(&path, 0.05, &mut accept),
            }
            .unwrap();
            for element in geometry.curve_elements().iter().filter(|element| element.degree() > 1) {
                let known = |curve: &PiecewisePolynomial| {
                    (0..curve.pieces()).any(|piece| {
                        (0..curve.dof()).all(|joint| *curve.coefficients(piece, joint) == element.shape[joint])
                    })
                };
                assert!(accepted.iter().any(known), "seed {seed}, shape {shape}: an element nobody accepted");
            }
        }
        let never = PathGeometry::spline(&path, 0.05, &mut |_| false).unwrap();
        assert!(never.curve_elements().iter().all(|element| element.degree() <= 1), "seed {seed}");
    }
}

#[test]
fn a_deviation_that_is_no_distance_is_refused() {
    let line = path(&[&[0.0], &[1.0]]);
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(
            PathGeometry::polyline(&line).unwrap().smoothed(bad, &[], &mut |_| true).unwrap_err().code(),
            "InvalidValue"
        );
        assert_eq!(PathGeometry::spline(&line, bad, &mut |_| true).unwrap_err().code(), "InvalidValue");
    }
}
