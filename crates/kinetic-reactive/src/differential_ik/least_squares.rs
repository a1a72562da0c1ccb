//! Damped least squares without bounds: the common first step of all solvers.

use super::singular_values::{SingularValues, dot};
use super::velocity_problem::{SingularityDamping, VelocityProblem, VelocitySizes};

/// Least weight of joint velocities where there is a null space, as a part of the square of the singular value from which directions are
/// damped: large enough for a Hessian that is well-conditioned, small enough to cost tasks less than 1e-3 of their velocity.
const LEAST_REGULARIZATION: f64 = 1e-3;

/// Joint velocities of a velocity problem without bounds and rows, in two orthogonal parts.
///
/// Away from singularities one Cholesky factorisation of the smaller Gram matrix gives them; another one, shifted by the
/// threshold of the damping, proves that no singular value is below it. Only where that fails are singular values worked
/// out.
#[derive(Debug, Clone)]
pub(super) struct DampedLeastSquares {
    n: usize,
    options: SingularityDamping,
    /// Rows times the root of their weights.
    jacobian: Vec<f64>,
    wanted: Vec<f64>,
    gram: Vec<f64>,
    factor: Vec<f64>,
    right: Vec<f64>,
    values: SingularValues,
    kind: Kind,
    /// Least velocities that bring the task about, and the bias.
    pub(super) task: Vec<f64>,
    /// The posture's part in the null space.
    pub(super) null: Vec<f64>,
    /// Largest λ of a direction.
    pub(super) damping: f64,
    /// λ² of each direction.
    squared: Vec<f64>,
    rows: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// No more rows than joints, none of them lost.
    Wide,
    /// More rows than joints, none of them lost.
    Tall,
    /// By singular values.
    Damped,
}

impl DampedLeastSquares {
    pub(super) fn new(sizes: &VelocitySizes, options: SingularityDamping) -> Self {
        let (n, m) = (sizes.joints, sizes.task_rows);
        let fewer = n.min(m);
        Self {
            n,
            options,
            jacobian: vec![0.0; m * n],
            wanted: vec![0.0; m],
            gram: vec![0.0; fewer * fewer],
            factor: vec![0.0; fewer * fewer],
            right: vec![0.0; m.max(n)],
            values: SingularValues::new(m, n),
            kind: Kind::Wide,
            task: vec![0.0; n],
            null: vec![0.0; n],
            damping: 0.0,
            squared: vec![0.0; fewer],
            rows: 0,
        }
    }

    /// Finds both parts of the velocities for a problem that was checked.
    pub(super) fn solve(&mut self, problem: &VelocityProblem<'_>) {
        let n = self.n;
        self.rows = problem.num_task_rows();
        self.damping = 0.0;
        for row in 0..self.rows {
            let root = problem.weights[row].sqrt();
            self.wanted[row] = root * problem.wanted[row];
            let from = &problem.jacobian[row * n..(row + 1) * n];
            for (to, from) in self.jacobian[row * n..].iter_mut().zip(from) {
                *to = root * from;
            }
        }
        let threshold = self.options.singular_value * self.options.singular_value;
        let k = self.rows.min(n);
        self.fill_gram();
        // Shifted by the threshold it is positive definite when all squared singular values are above.
        let is_regular = factorise(&self.gram, k, threshold, &mut self.factor) && {
            factorise(&self.gram, k, 0.0, &mut self.factor)
        };
        self.kind = match (is_regular, self.rows <= n) {
            (true, true) => Kind::Wide,
            (true, false) => Kind::Tall,
            (false, _) => Kind::Damped,
        };
        match self.kind {
            Kind::Wide => self.solve_wide(problem.posture),
            Kind::Tall => self.solve_tall(),
            Kind::Damped => self.solve_damped(problem.posture),
        }
        for (task, bias) in self.task.iter_mut().zip(problem.bias) {
            *task += bias;
        }
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.jacobian[row * self.n..(row + 1) * self.n]
    }

    /// `J Jᵀ`, or `Jᵀ J` when that is smaller; lower triangle.
    fn fill_gram(&mut self) {
        let n = self.n;
        if self.rows <= n {
            for i in 0..self.rows {
                for j in 0..=i {
                    self.gram[i * self.rows + j] = dot(self.row(i), self.row(j));
                }
            }
        } else {
            self.gram.fill(0.0);
            for row in self.jacobian.chunks_exact(n).take(self.rows) {
                for i in 0..n {
                    for j in 0..=i {
                        self.gram[i * n + j] += row[i] * row[j];
                    }
                }
            }
        }
    }

    /// `J⁺ v`, and `q̇ₚ − J⁺ J q̇ₚ`.
    fn solve_wide(&mut self, posture: &[f64]) {
        let m = self.rows;
        self.right[..m].copy_from_slice(&self.wanted[..m]);
        substitute(&self.factor, m, &mut self.right);
        self.task.fill(0.0);
        add_rows(&self.jacobian, &self.right[..m], &mut self.task);
        self.project(posture);
    }

    /// Leaves the part of joint velocities in [`null`](Self::null) that the task of the last solve does not see.
    pub(super) fn project(&mut self, velocity: &[f64]) {
        self.null.copy_from_slice(velocity);
        if velocity.iter().all(|value| *value == 0.0) {
            return;
        }
        match self.kind {
            Kind::Wide => {
                for row in 0..self.rows {
                    self.right[row] = -dot(self.row(row), velocity);
                }
                substitute(&self.factor, self.rows, &mut self.right);
                add_rows(&self.jacobian, &self.right[..self.rows], &mut self.null);
            }
            Kind::Tall => self.null.fill(0.0),
            Kind::Damped => {
                for index in (0..self.values.len()).filter(|index| self.values.sigma(*index) > 0.0) {
                    let right = self.values.right(index);
                    let along = dot(right, velocity);
                    for (null, right) in self.null.iter_mut().zip(right) {
                        *null -= along * right;
                    }
                }
            }
        }
    }

    /// `(Jᵀ J)⁻¹ Jᵀ v`; there is no null space.
    fn solve_tall(&mut self) {
        self.task.fill(0.0);
        add_rows(&self.jacobian, &self.wanted[..self.rows], &mut self.task);
        substitute(&self.factor, self.n, &mut self.task);
        self.null.fill(0.0);
    }

    fn solve_damped(&mut self, posture: &[f64]) {
        self.values.decompose(&self.jacobian[..self.rows * self.n], self.n);
        self.task.fill(0.0);
        for index in 0..self.values.len() {
            let sigma = self.values.sigma(index);
            let (left, right) = (self.values.left(index), self.values.right(index));
            let wanted = dot(left, &self.wanted[..self.rows]);
            let squared = self.options.squared(sigma, wanted);
            self.squared[index] = squared;
            self.damping = self.damping.max(squared.sqrt());
            if sigma == 0.0 {
                continue;
            }
            let along = sigma * wanted / (sigma * sigma + squared);
            for (task, right) in self.task.iter_mut().zip(right) {
                *task += along * right;
            }
        }
        self.project(posture);
    }

    /// Writes the Hessian (n × n) of the least squares whose minimum without bounds is `task + null`: the squared error of the task, and
    /// the squared difference from that minimum with the weight `regularization`, or a small one.
    pub(super) fn write_hessian(&self, regularization: f64, hessian: &mut [f64]) {
        let n = self.n;
        let has_null_space = self.rows < n || self.kind == Kind::Damped;
        let threshold = self.options.singular_value * self.options.singular_value;
        let least = if has_null_space { LEAST_REGULARIZATION * threshold } else { 0.0 };
        hessian.fill(0.0);
        for i in 0..n {
            hessian[i * n + i] = regularization.max(least);
        }
        if self.kind == Kind::Damped {
            for index in 0..self.values.len() {
                let sigma = self.values.sigma(index);
                add_square(self.values.right(index), sigma * sigma + self.squared[index], hessian);
            }
        } else {
            for row in self.jacobian.chunks_exact(n).take(self.rows) {
                add_square(row, 1.0, hessian);
            }
        }
    }
}

/// `to += Σ factorᵢ · rowᵢ`.
fn add_rows(rows: &[f64], factors: &[f64], to: &mut [f64]) {
    for (row, factor) in rows.chunks_exact(to.len()).zip(factors) {
        for (to, value) in to.iter_mut().zip(row) {
            *to += factor * value;
        }
    }
}

/// Adds `weight · v vᵀ` to the lower triangle.
fn add_square(v: &[f64], weight: f64, to: &mut [f64]) {
    let n = v.len();
    for i in 0..n {
        let factor = weight * v[i];
        for (to, v) in to[i * n..=i * n + i].iter_mut().zip(v) {
            *to += factor * v;
        }
    }
}

/// Cholesky factor of the lower triangle of `matrix − shift · I`; false when that is not positive definite.
fn factorise(matrix: &[f64], k: usize, shift: f64, factor: &mut [f64]) -> bool {
    for i in 0..k {
        for j in 0..i {
            let sum = dot(&factor[i * k..i * k + j], &factor[j * k..j * k + j]);
            factor[i * k + j] = (matrix[i * k + j] - sum) / factor[j * k + j];
        }
        let pivot = matrix[i * k + i] - shift - dot(&factor[i * k..i * k + i], &factor[i * k..i * k + i]);
        if !(pivot > 0.0) {
            return false;
        }
        factor[i * k + i] = pivot.sqrt();
    }
    true
}

/// Solves `L Lᵀ y = y` in place.
fn substitute(factor: &[f64], k: usize, y: &mut [f64]) {
    for i in 0..k {
        y[i] = (y[i] - dot(&factor[i * k..i * k + i], &y[..i])) / factor[i * k + i];
    }
    for i in (0..k).rev() {
        y[i] /= factor[i * k + i];
        let value = y[i];
        for (y, l) in y[..i].iter_mut().zip(&factor[i * k..i * k + i]) {
            *y -= l * value;
        }
    }
}
