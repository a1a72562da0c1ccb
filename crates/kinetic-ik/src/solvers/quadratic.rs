//! Small strictly convex quadratic programs.

/// `normal · x ≥ offset`.
#[derive(Debug, Clone)]
pub(super) struct ConstraintRow {
    pub(super) normal: Vec<f64>,
    pub(super) offset: f64,
}

/// A row violated by less than this holds.
const ROW_FEASIBILITY_TOLERANCE: f64 = 1e-11;

/// The minimum of `½ xᵀ H x + gᵀ x` over the rows, by the dual active-set method (Goldfarb & Idnani 1983, "A numerically
/// stable dual method for solving strictly convex quadratic programs"); `None` when the rows contradict each other.
///
/// `inverse` is `H⁻¹`, row-major. The problems have a dozen variables, so the small system of the active rows is
/// factored anew at each change.
pub(super) fn minimum(inverse: &[f64], g: &[f64], rows: &[ConstraintRow]) -> Option<Vec<f64>> {
    let x = times(inverse, g).iter().map(|value| -value).collect();
    let mut active_set = ActiveSet { inverse, rows, x, active: Vec::new(), multipliers: Vec::new() };
    // Each round adds a row for good or drops one; cycling would need degenerate ties beyond rounding.
    for _ in 0..20 * (rows.len() + 1) {
        let Some(entering) = active_set.most_violated() else {
            return Some(active_set.x);
        };
        if !active_set.enter(entering) {
            return None;
        }
    }
    None
}

/// The minimum over the active rows, and their multipliers.
struct ActiveSet<'a> {
    inverse: &'a [f64],
    rows: &'a [ConstraintRow],
    x: Vec<f64>,
    active: Vec<usize>,
    multipliers: Vec<f64>,
}

impl ActiveSet<'_> {
    /// The inactive row that is violated most; `None` when all hold.
    fn most_violated(&self) -> Option<usize> {
        let slack = |row: &usize| dot(&self.rows[*row].normal, &self.x) - self.rows[*row].offset;
        let inactive = (0..self.rows.len()).filter(|row| !self.active.contains(row));
        let worst = inactive.min_by(|a, b| slack(a).total_cmp(&slack(b)));
        worst.filter(|row| slack(row) < -ROW_FEASIBILITY_TOLERANCE)
    }

    /// Makes a row active, dropping others on the way; false when the rows contradict each other.
    fn enter(&mut self, entering: usize) -> bool {
        let ConstraintRow { normal, offset } = &self.rows[entering];
        let mut multiplier = 0.0;
        loop {
            let (direction, dual) = self.direction(normal);
            let dropping = self.first_to_drop(&dual);
            let partial = dropping.map_or(f64::INFINITY, |index| self.multipliers[index] / dual[index]);
            let slope = dot(&direction, normal);
            let violation = offset - dot(normal, &self.x);
            let full = if slope > 1e-14 { violation / slope } else { f64::INFINITY };
            let step = partial.min(full);
            if !step.is_finite() {
                return false;
            }
            self.multipliers.iter_mut().zip(&dual).for_each(|(u, r)| *u -= step * r);
            multiplier += step;
            if full.is_finite() {
                self.x.iter_mut().zip(&direction).for_each(|(x, d)| *x += step * d);
            }
            if full <= partial {
                self.active.push(entering);
                self.multipliers.push(multiplier);
                return true;
            }
            if let Some(index) = dropping {
                self.active.remove(index);
                self.multipliers.remove(index);
            }
        }
    }

    /// How `x` moves along a row's normal with the active rows kept, and how their multipliers fall.
    fn direction(&self, normal: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut direction = times(self.inverse, normal);
        let dual = self.dual_direction(&direction);
        for (row, r) in self.active.iter().zip(&dual) {
            for (d, h) in direction.iter_mut().zip(times(self.inverse, &self.rows[*row].normal)) {
                *d -= r * h;
            }
        }
        (direction, dual)
    }

    /// The place of the active row whose multiplier reaches zero first.
    fn first_to_drop(&self, dual: &[f64]) -> Option<usize> {
        let until = |index: &usize| self.multipliers[*index] / dual[*index];
        (0..self.active.len()).filter(|index| dual[*index] > 1e-12).min_by(|a, b| until(a).total_cmp(&until(b)))
    }

    /// `(Nᵀ H⁻¹ N)⁻¹ Nᵀ H⁻¹ n` over the active rows `N`, by Cholesky; `across` is `H⁻¹ n`.
    fn dual_direction(&self, across: &[f64]) -> Vec<f64> {
        let m = self.active.len();
        let mut a = vec![0.0; m * m];
        for (i, row) in self.active.iter().enumerate() {
            let column = times(self.inverse, &self.rows[*row].normal);
            for (j, other) in self.active.iter().enumerate() {
                a[i * m + j] = dot(&self.rows[*other].normal, &column);
            }
        }
        let mut b: Vec<f64> = self.active.iter().map(|row| dot(&self.rows[*row].normal, across)).collect();
        cholesky_solve(&mut a, &mut b);
        b
    }
}

/// A square matrix (row-major) times a vector.
fn times(matrix: &[f64], v: &[f64]) -> Vec<f64> {
    matrix.chunks_exact(v.len()).map(|row| dot(row, v)).collect()
}

/// The inverse of a symmetric positive definite matrix (row-major, n × n).
pub(super) fn inverse(matrix: &[f64], n: usize) -> Vec<f64> {
    let mut out = vec![0.0; n * n];
    for column in 0..n {
        let mut unit = vec![0.0; n];
        unit[column] = 1.0;
        cholesky_solve(&mut matrix.to_vec(), &mut unit);
        for row in 0..n {
            out[row * n + column] = unit[row];
        }
    }
    out
}

/// Solves `A x = b` in place for a symmetric positive definite `A` (row-major).
pub(super) fn cholesky_solve(a: &mut [f64], b: &mut [f64]) {
    let n = b.len();
    for i in 0..n {
        for j in 0..=i {
            let mut sum = a[i * n + j];
            for k in 0..j {
                sum -= a[i * n + k] * a[j * n + k];
            }
            // Rounding may take a pivot of a nearly dependent row below zero.
            a[i * n + j] = if i == j { sum.max(1e-300).sqrt() } else { sum / a[j * n + j] };
        }
        let mut sum = b[i];
        for k in 0..i {
            sum -= a[i * n + k] * b[k];
        }
        b[i] = sum / a[i * n + i];
    }
    for i in (0..n).rev() {
        let mut sum = b[i];
        for k in i + 1..n {
            sum -= a[k * n + i] * b[k];
        }
        b[i] = sum / a[i * n + i];
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::*;

    /// Projected gradient descent on the dual, slow and simple.
    fn reference(h: &[f64], g: &[f64], rows: &[ConstraintRow]) -> Vec<f64> {
        let n = g.len();
        let inverse = inverse(h, n);
        let mut u = vec![0.0; rows.len()];
        let primal = |u: &[f64]| -> Vec<f64> {
            let pull: Vec<f64> =
                (0..n).map(|i| rows.iter().zip(u).map(|(row, u)| u * row.normal[i]).sum::<f64>() - g[i]).collect();
            inverse.chunks_exact(n).map(|row| dot(row, &pull)).collect()
        };
        for _ in 0..200_000 {
            let x = primal(&u);
            for (u, row) in u.iter_mut().zip(rows) {
                *u = (*u + 0.05 * (row.offset - dot(&row.normal, &x))).max(0.0);
            }
        }
        primal(&u)
    }

    #[test]
    fn the_minimum_is_that_of_projected_gradients_on_the_dual() {
        for case in 0..20 {
            let mut rng = SeededRng::new(case);
            let n = 4;
            let factor: Vec<f64> = (0..n * n).map(|_| rng.uniform(-1.0, 1.0)).collect();
            let mut h = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..n {
                    h[i * n + j] = (0..n).map(|k| factor[i * n + k] * factor[j * n + k]).sum::<f64>();
                }
                h[i * n + i] += 1.0;
            }
            let g: Vec<f64> = (0..n).map(|_| rng.uniform(-3.0, 3.0)).collect();
            let mut rows = Vec::new();
            for joint in 0..n {
                for sign in [-1.0, 1.0] {
                    let mut normal = vec![0.0; n];
                    normal[joint] = sign;
                    rows.push(ConstraintRow { normal, offset: -rng.uniform(0.1, 0.6) });
                }
            }
            rows.push(ConstraintRow { normal: (0..n).map(|_| rng.uniform(-1.0, 1.0)).collect(), offset: -0.05 });
            let x = minimum(&inverse(&h, n), &g, &rows).unwrap();
            let expected = reference(&h, &g, &rows);
            for (a, b) in x.iter().zip(&expected) {
                assert!((a - b).abs() < 1e-6, "case {case}: {x:?} and {expected:?}");
            }
        }
    }

    #[test]
    fn rows_that_contradict_each_other_have_no_minimum() {
        let rows =
            [ConstraintRow { normal: vec![1.0], offset: 1.0 }, ConstraintRow { normal: vec![-1.0], offset: 1.0 }];
        assert_eq!(minimum(&[1.0], &[0.0], &rows), None);
    }
}
