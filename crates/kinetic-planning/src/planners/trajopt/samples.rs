//! Where a uniform cubic B-spline is looked at.
//!
//! The spline is at rest at both ends, which three equal control points are (de Boor 1978): the first and the last row
//! of the control points count three times.

use crate::planners::trajectory_optimization::Waypoints;

/// Rows that count in an interval.
pub(super) const SUPPORT: usize = 4;

/// Intervals of a spline with so many rows of control points, ends included.
pub(super) fn intervals(rows: usize) -> usize {
    rows + 1
}

/// A place of the spline: four rows of control points with their weights in the position and its derivatives by time, where the whole
/// takes one unit of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SplineSample {
    /// Time, from 0 to 1.
    pub(super) time: f64,
    /// Rows of control points, the ends as often as they count.
    pub(super) rows: [usize; SUPPORT],
    /// Weights of the rows in the position.
    pub(super) weights: [f64; SUPPORT],
    /// Weights of the rows in the velocity.
    pub(super) slopes: [f64; SUPPORT],
    /// Weights of the rows in the acceleration.
    pub(super) bends: [f64; SUPPORT],
}

impl SplineSample {
    /// At a time from 0 to 1 of a spline with so many rows, ends included.
    pub(super) fn at(time: f64, rows: usize) -> Self {
        let intervals = intervals(rows);
        let place = time * intervals as f64;
        #[allow(clippy::cast_sign_loss, reason = "a time inside the spline")]
        let interval = (place as usize).min(intervals - 1);
        let u = place - interval as f64;
        let v = 1.0 - u;
        let middle = |x: f64| (3.0 * x * x * x - 6.0 * x * x + 4.0) / 6.0;
        let slope = |x: f64| 1.5 * x * x - 2.0 * x;
        let per_interval = intervals as f64;
        Self {
            time,
            rows: std::array::from_fn(|offset| (interval + offset).saturating_sub(2).min(rows - 1)),
            weights: [v * v * v / 6.0, middle(u), middle(v), u * u * u / 6.0],
            slopes: [-0.5 * v * v, slope(u), -slope(v), 0.5 * u * u].map(|slope| slope * per_interval),
            bends: [v, 3.0 * u - 2.0, 3.0 * v - 2.0, u].map(|bend| bend * per_interval * per_interval),
        }
    }

    /// Writes the combination of the rows with some weights.
    pub(super) fn combine(&self, weights: &[f64; SUPPORT], control: &Waypoints, out: &mut [f64]) {
        out.fill(0.0);
        for (row, weight) in self.rows.iter().zip(weights) {
            out.iter_mut().zip(control.at(*row)).for_each(|(sum, value)| *sum += weight * value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_passes_straight_lines_begins_and_ends_at_rest_and_its_slope_is_the_derivative() {
        let rows = 7;
        let value = |row: usize| (row * row) as f64;
        let control = Waypoints::of_values(1, (0..rows).map(value).collect());
        let at = |time: f64| {
            let sample = SplineSample::at(time, rows);
            let (mut position, mut velocity) = ([0.0], [0.0]);
            sample.combine(&sample.weights, &control, &mut position);
            sample.combine(&sample.slopes, &control, &mut velocity);
            let mut acceleration = [0.0];
            sample.combine(&sample.bends, &control, &mut acceleration);
            (position[0], velocity[0], acceleration[0])
        };
        for (time, row) in [(0.0, 0), (1.0, rows - 1)] {
            let (position, velocity, acceleration) = at(time);
            assert!((position - value(row)).abs() < 1e-12, "{position}");
            assert!(velocity.abs() < 1e-12 && acceleration.abs() < 1e-9, "{velocity} {acceleration}");
        }
        for step in 1..100 {
            let time = f64::from(step) / 100.0 + 1e-3;
            let difference = (at(time + 1e-6).0 - at(time - 1e-6).0) / 2e-6;
            assert!((difference - at(time).1).abs() < 1e-6 * 36.0, "{time}: {difference} {}", at(time).1);
            let difference = (at(time + 1e-6).1 - at(time - 1e-6).1) / 2e-6;
            assert!((difference - at(time).2).abs() < 1e-4 * 36.0, "{time}: {difference} {}", at(time).2);
            let sum: f64 = SplineSample::at(time, rows).weights.iter().sum();
            assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        }
    }
}
