//! How far a motion strays from a path.

use kinetic_core::curve::{Coefficients, MAX_DEGREE};
use kinetic_core::{PiecewisePolynomial, Trajectory};

/// A bound of the distance between a curve and a path, Euclidean in joint space. The distance from a segment is convex, so that
/// over a piece it is at most that of a Bézier control point; of the segments the nearest one counts for each piece.
pub(crate) fn deviation(curve: &PiecewisePolynomial, path: &Trajectory) -> f64 {
    let of_piece = |piece: usize| {
        let points = control_points(curve, piece);
        let from_segment = |segment: usize| {
            let (from, to) = (path.positions(segment - 1), path.positions(segment));
            points.iter().map(|point| distance(point, from, to)).fold(0.0, f64::max)
        };
        (1..path.len()).map(from_segment).fold(f64::INFINITY, f64::min)
    };
    (0..curve.pieces()).map(of_piece).fold(0.0, f64::max)
}

/// The Bézier control points of a piece.
fn control_points(curve: &PiecewisePolynomial, piece: usize) -> Vec<Vec<f64>> {
    let duration = curve.piece_duration(piece);
    let rows: Vec<Coefficients> =
        (0..curve.dof()).map(|joint| bernstein(curve.coefficients(piece, joint), duration)).collect();
    (0..=MAX_DEGREE).map(|index| rows.iter().map(|row| row[index]).collect()).collect()
}

/// Bernstein coefficients on [0, duration] of a polynomial: `b_i = Σ_k C(i, k) / C(n, k) c_k dᵏ` (Farouki 2012).
fn bernstein(coefficients: &Coefficients, duration: f64) -> Coefficients {
    let mut out = Coefficients::default();
    for (index, out) in out.iter_mut().enumerate() {
        let (mut ratio, mut scale) = (1.0, 1.0);
        for (power, coefficient) in coefficients.iter().enumerate().take(index + 1) {
            *out += ratio * scale * coefficient;
            ratio *= (index - power) as f64 / (MAX_DEGREE - power).max(1) as f64;
            scale *= duration;
        }
    }
    out
}

fn distance(point: &[f64], from: &[f64], to: &[f64]) -> f64 {
    let dot = |a: &dyn Fn(usize) -> f64, b: &dyn Fn(usize) -> f64| (0..point.len()).map(|i| a(i) * b(i)).sum::<f64>();
    let (along, offset) = (|i: usize| to[i] - from[i], |i: usize| point[i] - from[i]);
    let square = dot(&along, &along);
    let t = if square > 0.0 { (dot(&along, &offset) / square).clamp(0.0, 1.0) } else { 0.0 };
    let rest = |i: usize| offset(i) - t * along(i);
    dot(&rest, &rest).sqrt()
}

#[cfg(test)]
mod tests {
    use kinetic_core::Result;

    use super::*;

    #[test]
    fn bernstein_coefficients_bound_their_polynomial_and_meet_its_ends() {
        let row = [0.3, -1.0, 0.5, 2.0, -0.7, 0.1];
        let (points, duration) = (bernstein(&row, 1.5), 1.5);
        let value = |s: f64| row.iter().rev().fold(0.0, |sum, coefficient| sum * s + coefficient);
        assert!((points[0] - value(0.0)).abs() < 1e-12 && (points[5] - value(duration)).abs() < 1e-12, "{points:?}");
        // de Casteljau at the middle.
        let mut column = points;
        for last in (0..5).rev() {
            (0..=last).for_each(|index| column[index] = 0.5 * (column[index] + column[index + 1]));
        }
        assert!((column[0] - value(0.75)).abs() < 1e-12, "{} {}", column[0], value(0.75));
    }

    #[test]
    fn the_bound_is_at_least_the_distance_of_samples_and_zero_on_the_path() -> Result<()> {
        let path = Trajectory::from_waypoints(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])?;
        let row = |c: [f64; 3]| [c[0], c[1], c[2], 0.0, 0.0, 0.0];
        let arc = PiecewisePolynomial::new(2, vec![0.0, 1.0], vec![row([0.5, 1.0, -0.5]), row([0.0, 0.0, 0.5])])?;
        let bound = deviation(&arc, &path);
        let far = |t: f64| {
            let q = arc.sample(t, 0);
            distance(&q, &[0.0, 0.0], &[1.0, 0.0]).min(distance(&q, &[1.0, 0.0], &[1.0, 1.0]))
        };
        let sampled = (0..=100).map(|step| far(0.01 * f64::from(step))).fold(0.0, f64::max);
        assert!(bound >= sampled && sampled > 0.1, "{bound} {sampled}");
        let on = PiecewisePolynomial::new(2, vec![0.0, 1.0], vec![row([0.0, 1.0, 0.0]), row([0.0, 0.0, 0.0])])?;
        assert!(deviation(&on, &path) < 1e-12);
        Ok(())
    }
}
