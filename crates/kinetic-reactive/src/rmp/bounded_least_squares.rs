//! Least squares with bounds on every variable, by a primal active-set method (Nocedal and Wright 2006, algorithm 16.3).
//!
//! Where a limit forbids a joint its part of the wanted acceleration, the other joints take it over in the metric of the policies:
//! cutting every joint off by itself would turn an evasive motion into another direction.
//!
//! The dual method of [`qp`](crate::qp) starts from the unbounded minimum and needs it to be accurate: it refuses metrics as ill
//! conditioned as those near obstacles (policies differ by 1e12). The primal method goes from one point inside the bounds to a
//! better one, whatever the condition.

/// A multiplier below this part of the largest gradient ends no bound: rounding.
const MULTIPLIER_TOLERANCE: f64 = 1e-12;

/// Memory of the solver.
#[derive(Debug, Clone, Default)]
pub(super) struct BoxLeastSquares {
    factor: Vec<f64>,
    step: Vec<f64>,
    free: Vec<usize>,
    /// Whether each variable stands on a bound.
    is_fixed: Vec<bool>,
}

impl BoxLeastSquares {
    /// Minimises `½ xᵀ A x − bᵀ x` with `lower ≤ x ≤ upper` for a positive definite `A` (row after row). `x` is always inside the
    /// bounds; it is the minimum unless the number of steps, which the theory bounds far below in practice, was used up.
    pub(super) fn solve(&mut self, matrix: &[f64], vector: &[f64], bounds: &[(f64, f64)], x: &mut [f64]) {
        let dof = x.len();
        self.is_fixed.clear();
        self.is_fixed.resize(dof, false);
        for (value, (lower, upper)) in x.iter_mut().zip(bounds) {
            *value = 0.0_f64.clamp(*lower, *upper);
        }
        for _ in 0..8 * dof + 8 {
            self.minimise_free(matrix, vector, x);
            if self.advance(bounds, x) {
                continue;
            }
            if !self.release(matrix, vector, bounds, x) {
                return;
            }
        }
    }

    /// Writes the step to the minimum over the free variables.
    fn minimise_free(&mut self, matrix: &[f64], vector: &[f64], x: &[f64]) {
        let dof = x.len();
        self.free.clear();
        self.free.extend((0..dof).filter(|index| !self.is_fixed[*index]));
        let count = self.free.len();
        self.factor.clear();
        self.step.clear();
        for row in &self.free {
            self.factor.extend(self.free.iter().map(|column| matrix[row * dof + column]));
            self.step.push(-gradient(matrix, vector, x, *row));
        }
        cholesky(&mut self.factor, count);
        solve(&self.factor, &mut self.step);
    }

    /// Makes the step up to the first bound; true when it met one.
    fn advance(&mut self, bounds: &[(f64, f64)], x: &mut [f64]) -> bool {
        let mut blocking: Option<(f64, usize, f64)> = None;
        for (step, index) in self.step.iter().zip(&self.free) {
            let (lower, upper) = bounds[*index];
            let bound = if *step > 0.0 { upper } else { lower };
            let target = x[*index] + step;
            if target > upper || target < lower {
                let part = ((bound - x[*index]) / step).clamp(0.0, 1.0);
                if blocking.is_none_or(|(least, _, _)| part < least) {
                    blocking = Some((part, *index, bound));
                }
            }
        }
        let part = blocking.map_or(1.0, |(part, _, _)| part);
        for (step, index) in self.step.iter().zip(&self.free) {
            let (lower, upper) = bounds[*index];
            x[*index] = (x[*index] + part * step).clamp(lower, upper);
        }
        let Some((_, index, bound)) = blocking else { return false };
        x[index] = bound;
        self.is_fixed[index] = true;
        true
    }

    /// Frees the variable whose bound hinders the descent most; false at the minimum.
    fn release(&mut self, matrix: &[f64], vector: &[f64], bounds: &[(f64, f64)], x: &[f64]) -> bool {
        let mut most: Option<(f64, usize)> = None;
        for index in (0..x.len()).filter(|index| self.is_fixed[*index]) {
            let slope = gradient(matrix, vector, x, index);
            let (lower, upper) = bounds[index];
            let scale = vector[index].abs() + (matrix[index * x.len() + index] * x[index]).abs();
            let inward = if x[index] >= upper { slope } else { -slope };
            let is_hindered = lower < upper && inward > MULTIPLIER_TOLERANCE * scale;
            if is_hindered && most.is_none_or(|(largest, _)| inward > largest) {
                most = Some((inward, index));
            }
        }
        let Some((_, index)) = most else { return false };
        self.is_fixed[index] = false;
        true
    }
}

/// Element of `A x − b`.
fn gradient(matrix: &[f64], vector: &[f64], x: &[f64], row: usize) -> f64 {
    matrix[row * x.len()..(row + 1) * x.len()].iter().zip(x).map(|(a, x)| a * x).sum::<f64>() - vector[row]
}

/// Lower Cholesky factor in place, row after row. Pivots that rounding makes too small are replaced: their variables then hardly
/// move.
fn cholesky(matrix: &mut [f64], count: usize) {
    for row in 0..count {
        for column in 0..=row {
            let mut sum = matrix[row * count + column];
            for index in 0..column {
                sum -= matrix[row * count + index] * matrix[column * count + index];
            }
            let pivot = if row == column {
                let least = f64::EPSILON * matrix[row * count + row].abs() + f64::MIN_POSITIVE;
                sum.max(least).sqrt()
            } else {
                sum / matrix[column * count + column]
            };
            matrix[row * count + column] = pivot;
        }
    }
}

/// Solves `L Lᵀ x = b` in place.
fn solve(factor: &[f64], x: &mut [f64]) {
    let count = x.len();
    for row in 0..count {
        let known: f64 = (0..row).map(|index| factor[row * count + index] * x[index]).sum();
        x[row] = (x[row] - known) / factor[row * count + row];
    }
    for row in (0..count).rev() {
        let known: f64 = (row + 1..count).map(|index| factor[index * count + row] * x[index]).sum();
        x[row] = (x[row] - known) / factor[row * count + row];
    }
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::*;

    /// The minimum by trying every choice of bounds (3ⁿ): the plain way.
    fn by_enumeration(matrix: &[f64], vector: &[f64], bounds: &[(f64, f64)]) -> Vec<f64> {
        let n = vector.len();
        let value = |x: &[f64]| (0..n).map(|i| 0.5 * x[i] * (gradient(matrix, vector, x, i) - vector[i])).sum::<f64>();
        let mut best: Option<(f64, Vec<f64>)> = None;
        for choice in 0..3_usize.pow(n as u32) {
            let side = |i: usize| choice / 3_usize.pow(i as u32) % 3;
            let free: Vec<usize> = (0..n).filter(|i| side(*i) == 0).collect();
            let mut x: Vec<f64> = (0..n).map(|i| [0.0, bounds[i].0, bounds[i].1][side(i)]).collect();
            let a = nalgebra::DMatrix::from_fn(free.len(), free.len(), |r, c| matrix[free[r] * n + free[c]]);
            let b = nalgebra::DVector::from_fn(free.len(), |r, _| -gradient(matrix, vector, &x, free[r]));
            if !free.is_empty() {
                let Some(found) = a.lu().solve(&b) else { continue };
                free.iter().zip(found.iter()).for_each(|(i, found)| x[*i] = *found);
            }
            let is_inside = (0..n).all(|i| x[i] >= bounds[i].0 - 1e-12 && x[i] <= bounds[i].1 + 1e-12);
            if is_inside && best.as_ref().is_none_or(|(least, _)| value(&x) < *least) {
                best = Some((value(&x), x));
            }
        }
        best.map(|(_, x)| x).unwrap_or_default()
    }

    #[test]
    fn the_minimum_is_that_of_all_choices_of_bounds() {
        let mut solver = BoxLeastSquares::default();
        let mut rng = SeededRng::new(0);
        for case in 0..300 {
            let n = 1 + rng.below(5);
            let rows = n + rng.below(3);
            let j: Vec<f64> = (0..rows * n).map(|_| rng.uniform(-1.0, 1.0)).collect();
            let product = |r: usize, c: usize| (0..rows).map(|k| j[k * n + r] * j[k * n + c]).sum::<f64>();
            let matrix: Vec<f64> =
                (0..n * n).map(|i| product(i / n, i % n) + if i / n == i % n { 1e-3 } else { 0.0 }).collect();
            let vector: Vec<f64> = (0..n).map(|_| rng.uniform(-2.0, 2.0)).collect();
            let bounds: Vec<(f64, f64)> = (0..n).map(|_| (rng.uniform(-1.0, 0.2), rng.uniform(0.2, 1.0))).collect();
            let mut x = vec![0.0; n];
            solver.solve(&matrix, &vector, &bounds, &mut x);
            let expected = by_enumeration(&matrix, &vector, &bounds);
            for (x, expected) in x.iter().zip(&expected) {
                assert!((x - expected).abs() < 1e-8, "case {case}: {x} instead of {expected}");
            }
        }
    }
}
