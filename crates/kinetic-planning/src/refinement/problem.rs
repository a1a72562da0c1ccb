//! The least-squares problem of a motion of a fixed duration: limits that it exceeds, and clearance that it misses.
//!
//! Residuals count where a bound is missed alone. The clearance of near pairs is taken as linear around one motion, limits are
//! linear in control points anyway, so that the sum of squares is convex and piecewise quadratic: Newton steps with a line search
//! end at its least value.

use kinetic_core::{Control, Limits};

use super::banded::BandedMatrix;
use super::spline::{DIFFERENCES, MOST_POINTS, RestSpline, rates};
use crate::near_distances::NearDistances;

/// A slack of this, m, weighs as much as a limit that is exceeded by its own value.
const SLACK_SCALE_M: f64 = 0.05;

/// Weight of the distance from the motion around which clearance was taken as linear, per rad or m.
const DAMPING: f64 = 0.3;

/// Newton steps at most.
const MAX_STEPS_PER_LINEARISATION: usize = 12;

/// The shortest part of a step that is tried.
const LEAST_STEP_PART: f64 = 0.01;

/// A step that lessens the sum of squares by less than this part of it is the last.
const LEAST_DECREASE: f64 = 1e-3;

/// A sum of squares that is as good as none.
const NEGLIGIBLE: f64 = 1e-7;

/// The slack of a near pair as a linear function of control points.
#[derive(Debug, Clone)]
struct SlackRow {
    /// The first control point that matters, and how much each does.
    first: usize,
    weights: [f64; MOST_POINTS],
    /// Slack at control points of zero, m.
    constant: f64,
    /// Where its gradient by the configuration begins.
    gradient: usize,
}

/// The problem and the memory of its solution.
#[derive(Debug, Default)]
pub(super) struct RelaxationProblem {
    rows: Vec<SlackRow>,
    gradients: Vec<f64>,
    matrix: BandedMatrix,
    right: Vec<f64>,
    before: Vec<f64>,
    around: Vec<f64>,
}

impl RelaxationProblem {
    /// Removes all pairs, and takes a motion as the one around which the pairs that are added are linear.
    pub(super) fn begin(&mut self, spline: &mut RestSpline) {
        self.rows.clear();
        self.gradients.clear();
        self.around.clear();
        self.around.extend_from_slice(spline.free_mut());
    }

    /// Adds the near pairs of a configuration `q` that the motion passes at a place of an interval.
    pub(super) fn add(&mut self, spline: &RestSpline, (interval, u): (usize, f64), q: &[f64], near: &NearDistances) {
        let dof = spline.dof();
        for (pair, jacobian) in near.iter() {
            let begin = self.gradients.len();
            self.gradients.extend((0..dof).map(|joint| pair.derivative(jacobian, joint)));
            let at: f64 = self.gradients[begin..].iter().zip(q).map(|(slope, q)| slope * q).sum();
            let (weights, constant) = (spline.weights(u), pair.slack - at);
            self.rows.push(SlackRow { first: interval, weights, constant, gradient: begin });
        }
    }

    /// Moves the control points to where the sum of squares is least, for slacks of at least `buffer` (m), or until the control ends
    /// the work.
    pub(super) fn solve(
        &mut self,
        spline: &mut RestSpline,
        limits: &Limits,
        bounds: &[(f64, f64)],
        buffer: f64,
        control: &Control,
    ) {
        let mut cost = self.cost(spline, limits, buffer);
        for _ in 0..MAX_STEPS_PER_LINEARISATION {
            if cost < NEGLIGIBLE || control.check(0).is_err() || !self.newton(spline, limits, buffer) {
                return;
            }
            let earlier = cost;
            cost = self.search_line(spline, earlier, limits, bounds, buffer);
            if cost > (1.0 - LEAST_DECREASE) * earlier {
                return;
            }
        }
    }

    /// Takes the Newton step, or the longest of its halves that lessens the cost; returns the cost.
    fn search_line(
        &mut self,
        spline: &mut RestSpline,
        earlier: f64,
        limits: &Limits,
        bounds: &[(f64, f64)],
        buffer: f64,
    ) -> f64 {
        self.before.clear();
        self.before.extend_from_slice(spline.free_mut());
        let mut part = 1.0;
        while part > LEAST_STEP_PART {
            let steps = self.before.iter().zip(&self.right).enumerate();
            for ((index, (before, step)), value) in steps.zip(spline.free_mut()) {
                let (low, high) = bounds[index % bounds.len()];
                *value = (before - part * step).clamp(low, high);
            }
            let cost = self.cost(spline, limits, buffer);
            if cost < earlier {
                return cost;
            }
            part *= 0.5;
        }
        spline.free_mut().copy_from_slice(&self.before);
        earlier
    }

    fn cost(&self, spline: &mut RestSpline, limits: &Limits, buffer: f64) -> f64 {
        let moved = spline.free_mut().iter().zip(&self.around).map(|(value, around)| (value - around).powi(2));
        let mut cost = DAMPING * DAMPING * moved.sum::<f64>();
        each_excess(spline, limits, |_, _, excess, _| cost += excess * excess);
        let miss = self.rows.iter().map(|row| (buffer - self.slack(row, spline)).max(0.0) / SLACK_SCALE_M);
        cost + miss.map(|miss| miss * miss).sum::<f64>()
    }

    fn slack(&self, row: &SlackRow, spline: &RestSpline) -> f64 {
        let (dof, gradient) = (spline.dof(), &self.gradients[row.gradient..]);
        let of_point = |offset: usize| {
            let point = spline.point(row.first + offset);
            gradient[..dof].iter().zip(point).map(|(slope, value)| slope * value).sum::<f64>()
        };
        row.constant + (0..=spline.degree()).map(|offset| row.weights[offset] * of_point(offset)).sum::<f64>()
    }

    /// Leaves the Newton step, to be subtracted, on the right side; false where there is none.
    fn newton(&mut self, spline: &mut RestSpline, limits: &Limits, buffer: f64) -> bool {
        let (dof, free) = (spline.dof(), spline.free());
        self.matrix.clear(free, ((spline.degree() + 1) * dof - 1).min(free.saturating_sub(1)));
        self.right.clear();
        let damping = DAMPING * DAMPING;
        self.right.extend(spline.free_mut().iter().zip(&self.around).map(|(value, around)| damping * (value - around)));
        (0..free).for_each(|index| self.matrix.add(index, index, damping));
        let (matrix, right) = (&mut self.matrix, &mut self.right);
        each_excess(spline, limits, |first, joint, excess, slopes| {
            for (a, slope) in slopes.iter().enumerate() {
                let Some(row) = spline.column(first + a) else { continue };
                right[row + joint] += slope * excess;
                for (b, other) in slopes[..=a].iter().enumerate() {
                    let Some(column) = spline.column(first + b) else { continue };
                    matrix.add(row + joint, column + joint, slope * other);
                }
            }
        });
        self.add_slacks(spline, buffer);
        self.matrix.solve(&mut self.right)
    }

    fn add_slacks(&mut self, spline: &RestSpline, buffer: f64) {
        let dof = spline.dof();
        for row in &self.rows {
            let miss = (buffer - self.slack(row, spline)) / SLACK_SCALE_M;
            if miss <= 0.0 {
                continue;
            }
            let gradient = &self.gradients[row.gradient..row.gradient + dof];
            for a in 0..=spline.degree() {
                let Some(begin) = spline.column(row.first + a) else { continue };
                let weight = row.weights[a] / SLACK_SCALE_M;
                for (right, slope) in self.right[begin..].iter_mut().zip(gradient) {
                    *right -= weight * slope * miss;
                }
                for b in 0..=a {
                    let Some(other) = spline.column(row.first + b) else { continue };
                    add_product(&mut self.matrix, (begin, other), weight * row.weights[b] / SLACK_SCALE_M, gradient);
                }
            }
        }
    }
}

/// Adds a multiple of the product of a gradient with itself, the half on and below the diagonal.
fn add_product(matrix: &mut BandedMatrix, (row, column): (usize, usize), factor: f64, gradient: &[f64]) {
    for (joint, slope) in gradient.iter().enumerate() {
        let last = if row == column { joint } else { gradient.len() - 1 };
        for (partner, other) in gradient[..=last].iter().enumerate() {
            matrix.add(row + joint, column + partner, factor * slope * other);
        }
    }
}

/// Calls `act` for every limit that the control points of a derivative exceed: with the first control point, the joint, by how
/// much, as a part of the limit, and the slopes by that control point and its successors.
fn each_excess(spline: &RestSpline, limits: &Limits, mut act: impl FnMut(usize, usize, f64, &[f64])) {
    let (dof, points) = (spline.dof(), spline.points());
    for (order, limits) in rates(limits, spline.degree()) {
        let scale = spline.step.powi(-i32::try_from(order).unwrap_or(0));
        let weights = DIFFERENCES[order - 1];
        for first in 0..points.len() / dof - order {
            for (joint, limit) in limits.iter().enumerate() {
                let terms = weights.iter().enumerate();
                let rate: f64 = terms.map(|(offset, weight)| weight * points[(first + offset) * dof + joint]).sum();
                let ratio = rate * scale / limit;
                if ratio.abs() > 1.0 {
                    let mut slopes = [0.0; MOST_POINTS];
                    let factor = ratio.signum() * scale / limit;
                    slopes.iter_mut().zip(weights).for_each(|(slope, weight)| *slope = factor * weight);
                    act(first, joint, ratio.abs() - 1.0, &slopes[..=order]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;
    use kinetic_core::{PiecewisePolynomial, Result};

    use super::*;
    use crate::near_distances::NearPair;

    /// A motion that exceeds limits and misses clearance, with its problem.
    fn problem(degree: usize, seed: u64) -> Result<(RestSpline, Limits, RelaxationProblem)> {
        let line = PiecewisePolynomial::new(2, vec![0.0, 1.0], vec![[0.0, 0.0, 3.0, -2.0, 0.0, 0.0]; 2])?;
        let (mut spline, mut rng) = (RestSpline::along(&line, degree, 10), SeededRng::new(seed));
        let (mut problem, mut near, mut q) = (RelaxationProblem::default(), NearDistances::default(), vec![0.0; 2]);
        problem.begin(&mut spline);
        for interval in [2, 5, 6] {
            spline.position_into(interval, 0.5, &mut q);
            near.clear(2);
            let jacobian = near.push(NearPair { slack: -0.05, direction: [0.6, 0.8, 0.0], bias: [0.0; 3] });
            jacobian.fill_with(|| rng.unit() - 0.5);
            problem.add(&spline, (interval, 0.5), &q, &near);
        }
        spline.free_mut().iter_mut().for_each(|value| *value += 0.05 * rng.unit());
        let limits = Limits { velocity: vec![1.2, 1.0], acceleration: vec![4.0, 5.0], jerk: Some(vec![60.0, 50.0]) };
        Ok((spline, limits, problem))
    }

    #[test]
    fn the_newton_step_solves_the_equations_of_central_differences() -> Result<()> {
        for (degree, seed) in [(2, 1), (3, 2), (2, 3), (3, 4)] {
            let (mut spline, limits, mut problem) = problem(degree, seed)?;
            let free = spline.free();
            let half_cost =
                |spline: &mut RestSpline, problem: &RelaxationProblem| 0.5 * problem.cost(spline, &limits, 0.01);
            let gradient = |spline: &mut RestSpline, problem: &RelaxationProblem| -> Vec<f64> {
                let slope = |index: usize| {
                    let value = spline.free_mut()[index];
                    let sides = [1e-6, -1e-6].map(|by| {
                        spline.free_mut()[index] = value + by;
                        half_cost(spline, problem)
                    });
                    spline.free_mut()[index] = value;
                    (sides[0] - sides[1]) / 2e-6
                };
                (0..free).map(slope).collect()
            };
            let here = gradient(&mut spline, &problem);
            assert!(problem.newton(&mut spline, &limits, 0.01));
            let step = problem.right.clone();
            // The Hessian times a short step is the change of the gradient, as no residual sets in or ends on it.
            let part = 1e-6;
            spline.free_mut().iter_mut().zip(&step).for_each(|(value, step)| *value -= part * step);
            let there = gradient(&mut spline, &problem);
            let scale = here.iter().fold(0.0_f64, |most, slope| most.max(slope.abs()));
            for (index, (here, there)) in here.iter().zip(&there).enumerate() {
                let left = here + (there - here) / part;
                assert!(left.abs() < 1e-2 * scale, "degree {degree}, seed {seed}, {index}: {left} of {scale}");
            }
        }
        Ok(())
    }

    #[test]
    fn the_solution_lowers_the_cost_to_where_no_direction_lowers_it() -> Result<()> {
        let mut left = 0;
        for (degree, seed) in [(2, 1), (3, 2), (2, 3), (3, 4)] {
            let (mut spline, limits, mut problem) = problem(degree, seed)?;
            let before = problem.cost(&mut spline, &limits, 0.01);
            let mut bounded = spline.clone();
            problem.solve(&mut spline, &limits, &[(-9.0, 9.0); 2], 0.01, &Control::default());
            let after = problem.cost(&mut spline, &limits, 0.01);
            assert!(after < 0.5 * before, "degree {degree}: {before} {after}");
            let (mut rng, at) = (SeededRng::new(seed), spline.free_mut().to_vec());
            for _ in 0..50 {
                spline.free_mut().iter_mut().zip(&at).for_each(|(value, at)| *value = at + 0.01 * (rng.unit() - 0.5));
                let there = problem.cost(&mut spline, &limits, 0.01);
                assert!(there > 0.98 * after, "degree {degree}: {after} {there}");
            }
            // A range that the motion has, and that the solution would leave.
            let of =
                |values: &[f64]| values.iter().fold((9.0_f64, -9.0_f64), |range, x| (range.0.min(*x), range.1.max(*x)));
            let (range, solved) = (of(bounded.free_mut()), of(&at));
            problem.solve(&mut bounded, &limits, &[range; 2], 0.01, &Control::default());
            let kept = of(bounded.free_mut());
            assert!(kept.0 >= range.0 && kept.1 <= range.1, "{kept:?} {range:?}, free {solved:?}");
            left += usize::from(solved.0 < range.0 || solved.1 > range.1);
        }
        assert!(left > 0, "no range was in the way");
        Ok(())
    }
}
