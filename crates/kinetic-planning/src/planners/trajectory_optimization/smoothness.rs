//! The metric of smooth trajectories: how little a change of a trajectory accelerates it.
//!
//! `⟨a, b⟩ = π⁻⁴ ∫ a″ b″ dt` over changes that vanish at both ends, in differences `A = D² / π⁴`, where `D` is the negative second
//! difference. Divided by π⁴, the change `sin π t` keeps its length, so that steps do not depend on the metric's scale. Covariant
//! descent (Zucker et al. 2013) moves along `A⁻¹` times the gradient; smooth noise (Kalakrishnan et al. 2011) has the covariance `A⁻¹`.

use std::f64::consts::PI;

use kinetic_core::rng::SeededRng;

use super::Waypoints;
use crate::space::Space;

/// Rounds in which violated limits are met by smooth changes; what is left then is cut off.
const LIMIT_ROUNDS: usize = 10;

/// A change that is smaller than this part of the largest one is not scaled up to cancel a violation.
const LEAST_PART: f64 = 0.1;

/// The metric for a number of waypoints between the ends.
#[derive(Debug, Clone)]
pub(crate) struct Smoothness {
    waypoints: usize,
    /// Elimination factors of the tridiagonal matrix (−1, 2, −1).
    factors: Vec<f64>,
    /// One over the largest standard deviation of noise with covariance `A⁻¹`.
    noise_scale: f64,
    column: Vec<f64>,
}

impl Smoothness {
    /// The metric for trajectories with so many waypoints between their ends.
    pub(crate) fn new(waypoints: usize) -> Self {
        let mut factors = Vec::with_capacity(waypoints);
        let mut last = 0.0;
        for _ in 0..waypoints {
            last = 1.0 / (2.0 - last);
            factors.push(last);
        }
        let mut metric = Self { waypoints, factors, noise_scale: 1.0, column: vec![0.0; waypoints] };
        // The variance at the middle is the sum of squares of the middle row of the inverse, which is symmetric.
        let mut middle = vec![0.0; waypoints];
        middle[waypoints / 2] = 1.0;
        metric.solve_second_difference(&mut middle);
        metric.noise_scale = 1.0 / middle.iter().map(|value| value * value).sum::<f64>().sqrt();
        metric
    }

    /// Multiplies a column of values, one per waypoint, by the inverse of the second difference (−1, 2, −1).
    fn solve_second_difference(&self, column: &mut [f64]) {
        for row in 1..column.len() {
            column[row] += self.factors[row - 1] * column[row - 1];
        }
        let last = column.len() - 1;
        column[last] *= self.factors[last];
        for row in (0..last).rev() {
            column[row] = self.factors[row] * (column[row] + column[row + 1]);
        }
    }

    /// Multiplies every joint's column by `A⁻¹`; rows are waypoints.
    pub(crate) fn solve(&mut self, rows: &mut [f64]) {
        let step = 1.0 / (self.waypoints + 1) as f64;
        let scale = (PI * step).powi(4);
        self.for_each_column(rows, |metric, column| {
            metric.solve_second_difference(column);
            metric.solve_second_difference(column);
            for value in column {
                *value *= scale;
            }
        });
    }

    /// Multiplies every joint's column by `A`; rows are waypoints.
    pub(crate) fn multiply(&mut self, rows: &mut [f64]) {
        let step = 1.0 / (self.waypoints + 1) as f64;
        let scale = (PI * step).powi(-4);
        self.for_each_column(rows, |_, column| {
            second_difference(column);
            second_difference(column);
            for value in column {
                *value *= scale;
            }
        });
    }

    /// Turns independent standard normal numbers into smooth noise, whose standard deviation is 1 at the middle.
    fn smooth_noise(&mut self, rows: &mut [f64]) {
        let scale = self.noise_scale;
        self.for_each_column(rows, |metric, column| {
            metric.solve_second_difference(column);
            for value in column {
                *value *= scale;
            }
        });
    }

    fn for_each_column(&mut self, rows: &mut [f64], act: impl Fn(&Self, &mut [f64])) {
        let dof = rows.len() / self.waypoints;
        let mut column = std::mem::take(&mut self.column);
        for joint in 0..dof {
            column.iter_mut().zip(rows[joint..].iter().step_by(dof)).for_each(|(to, from)| *to = *from);
            act(self, &mut column);
            rows[joint..].iter_mut().step_by(dof).zip(&column).for_each(|(to, from)| *to = *from);
        }
        self.column = column;
    }

    /// Fills rows with smooth noise.
    pub(crate) fn draw(&mut self, rng: &mut SeededRng, rows: &mut [f64]) {
        rng.fill_normal(rows);
        self.smooth_noise(rows);
    }

    /// Moves a trajectory into the bounds by smooth changes: `A⁻¹` times the violations of a joint, as large as cancels the largest
    /// one, again and again (Zucker et al. 2013, section 3.5).
    pub(crate) fn enforce_bounds(&mut self, space: &Space, waypoints: &mut Waypoints) {
        let dof = waypoints.dof();
        let outside =
            |index: usize, value: f64| value.clamp(space.lower()[index % dof], space.upper()[index % dof]) - value;
        for _ in 0..LIMIT_ROUNDS {
            let violations: Vec<f64> =
                waypoints.inner().iter().enumerate().map(|(index, value)| outside(index, *value)).collect();
            if violations.iter().all(|violation| *violation == 0.0) {
                return;
            }
            let mut change = violations.clone();
            self.solve(&mut change);
            for joint in 0..dof {
                let of_joint = (joint..violations.len()).step_by(dof);
                let by_size = |a: &usize, b: &usize| violations[*a].abs().total_cmp(&violations[*b].abs());
                let Some(worst) = of_joint.clone().max_by(by_size).filter(|worst| violations[*worst] != 0.0) else {
                    continue;
                };
                let largest = of_joint.clone().map(|index| change[index].abs()).fold(0.0, f64::max);
                let scale = violations[worst] / change[worst];
                // Violations on both sides may leave next to nothing where the largest one is: that one is cut off.
                if !(scale > 0.0 && change[worst].abs() >= LEAST_PART * largest) {
                    continue;
                }
                of_joint.for_each(|index| waypoints.inner_mut()[index] += scale * change[index]);
            }
        }
        let clamped = |index: usize, value: f64| value.clamp(space.lower()[index % dof], space.upper()[index % dof]);
        waypoints.inner_mut().iter_mut().enumerate().for_each(|(index, value)| *value = clamped(index, *value));
    }
}

/// The negative second difference (−1, 2, −1) of values that are 0 at both ends.
fn second_difference(column: &mut [f64]) {
    let mut before = 0.0;
    for row in 0..column.len() {
        let here = column[row];
        column[row] = 2.0 * here - before - column.get(row + 1).copied().unwrap_or(0.0);
        before = here;
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;

    /// The metric as a matrix, written from its definition.
    fn matrix(waypoints: usize) -> DMatrix<f64> {
        let step = 1.0 / (waypoints + 1) as f64;
        let difference = DMatrix::from_fn(waypoints, waypoints, |row, column| match row.abs_diff(column) {
            0 => 2.0 / (step * step),
            1 => -1.0 / (step * step),
            _ => 0.0,
        });
        &difference * &difference / PI.powi(4)
    }

    #[test]
    fn it_solves_the_metric_column_by_column() {
        let mut rng = SeededRng::new(3);
        for (waypoints, dof) in [(1, 1), (2, 3), (17, 2), (50, 7)] {
            let mut metric = Smoothness::new(waypoints);
            let rows: Vec<f64> = (0..waypoints * dof).map(|_| rng.uniform(-1.0, 1.0)).collect();
            let mut solved = rows.clone();
            metric.solve(&mut solved);
            let back = matrix(waypoints) * DMatrix::from_row_slice(waypoints, dof, &solved);
            let error = (back - DMatrix::from_row_slice(waypoints, dof, &rows)).abs().max();
            assert!(error < 1e-8, "{waypoints} waypoints: {error}");
            metric.multiply(&mut solved);
            let error = solved.iter().zip(&rows).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error < 1e-8, "{waypoints} waypoints: {error} after the metric");
        }
    }

    #[test]
    fn the_first_sine_keeps_its_length() {
        let mut rows: Vec<f64> = (1..=99).map(|index| (PI * f64::from(index) / 100.0).sin()).collect();
        let before = rows.clone();
        Smoothness::new(99).solve(&mut rows);
        let error = rows.iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error < 1e-3, "{error}");
    }

    #[test]
    fn noise_has_the_inverse_of_the_metric_as_covariance() {
        let (waypoints, draws) = (9, 20_000);
        let mut metric = Smoothness::new(waypoints);
        let inverse = matrix(waypoints).try_inverse().unwrap_or_else(|| panic!("a metric"));
        let scale = 1.0 / inverse[(waypoints / 2, waypoints / 2)];
        let mut rng = SeededRng::new(5);
        let mut covariance = DMatrix::<f64>::zeros(waypoints, waypoints);
        for _ in 0..draws {
            let mut column = vec![0.0; waypoints];
            metric.draw(&mut rng, &mut column);
            let column = DMatrix::from_row_slice(waypoints, 1, &column);
            covariance += &column * column.transpose() / f64::from(draws);
        }
        // Standard errors are at most √2 / √draws = 0.01.
        let error = (covariance - inverse * scale).abs().max();
        assert!(error < 0.05, "{error}");
    }

    #[test]
    fn bounds_hold_and_what_is_inside_stays() {
        let space = Space::new(vec![-1.0, -1.0], vec![1.0, 1.0]).unwrap_or_else(|error| panic!("{error}"));
        let mut metric = Smoothness::new(20);
        let straight = Waypoints::straight(&space, &[-1.0, 0.5], &[1.0, 0.5], 20);
        let mut same = straight.clone();
        metric.enforce_bounds(&space, &mut same);
        assert_eq!(same.inner(), straight.inner());
        let mut rng = SeededRng::new(8);
        for case in 0..200 {
            let mut moved = straight.clone();
            let mut noise = vec![0.0; moved.inner().len()];
            metric.draw(&mut rng, &mut noise);
            moved.inner_mut().iter_mut().zip(&noise).for_each(|(value, noise)| *value += noise);
            metric.enforce_bounds(&space, &mut moved);
            assert!(moved.inner().iter().all(|value| value.abs() <= 1.0), "case {case}");
        }
    }
}
