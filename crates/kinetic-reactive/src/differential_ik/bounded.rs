//! Least squares with bounds and rows as the inequalities of a quadratic program (Kanoun, Lamiraux & Wieber 2011).

use kinetic_core::Result;

use super::damped::clamp;
use super::least_squares::DampedLeastSquares;
use super::velocity_problem::{
    SingularityDamping, VelocityLimit, VelocityOutcome, VelocityProblem, VelocitySizes, is_at_end,
};
use super::velocity_solver::VelocitySolver;
use crate::qp::{ActiveSetSolver, QpOptions, QpRow, QpStatus, QuadraticProgram};

/// The solver `qp`: the least squared error that bounds and rows allow. It slides along what is in the way.
#[derive(Debug)]
pub(super) struct BoundedLeastSquares {
    sizes: VelocitySizes,
    squares: DampedLeastSquares,
    program: ActiveSetSolver,
    hessian: Vec<f64>,
    gradient: Vec<f64>,
    /// Rows have no upper bound.
    row_upper: Vec<f64>,
    /// The Jacobian without joints that stand at their ends.
    reduced: Vec<f64>,
}

impl BoundedLeastSquares {
    pub(super) fn new(sizes: &VelocitySizes, damping: SingularityDamping) -> Result<Self> {
        let n = sizes.joints;
        Ok(Self {
            sizes: *sizes,
            squares: DampedLeastSquares::new(sizes, damping),
            program: ActiveSetSolver::new(n, sizes.rows, QpOptions::default())?,
            hessian: vec![0.0; n * n],
            gradient: vec![0.0; n],
            row_upper: vec![f64::INFINITY; sizes.rows],
            reduced: Vec::with_capacity(sizes.task_rows * n),
        })
    }

    /// Solves without bounds and rows, and without joints that would go beyond the ends at which they stand. Such joints are no part of
    /// the arm: what they would have brought about may be lost, and is damped then, where bounds alone would let others be as fast as
    /// they can. Answers with the one that wants to go fastest.
    fn solve_movable(&mut self, problem: &VelocityProblem<'_>) -> Option<VelocityLimit> {
        let n = self.sizes.joints;
        self.squares.solve(problem);
        let wanted = |joint: usize| self.squares.task[joint] + self.squares.null[joint];
        let is_blocked = |joint: &usize| is_at_end(wanted(*joint), [problem.lower[*joint], problem.upper[*joint]]);
        let fastest = (0..n).filter(is_blocked).max_by(|a, b| wanted(*a).abs().total_cmp(&wanted(*b).abs()))?;
        let movable = |(index, value): (usize, &f64)| if is_blocked(&(index % n)) { 0.0 } else { *value };
        self.reduced.clear();
        self.reduced.extend(problem.jacobian.iter().enumerate().map(movable));
        self.squares.solve(&VelocityProblem { jacobian: &self.reduced, ..*problem });
        Some(VelocityLimit::Joint(fastest))
    }

    /// Moves `velocity`, the minimum without bounds and rows, to the one inside them. A row that cannot hold is returned.
    fn minimise(&mut self, problem: &VelocityProblem<'_>, velocity: &mut [f64]) -> Result<Option<usize>> {
        let n = self.sizes.joints;
        self.squares.write_hessian(problem.regularization, &mut self.hessian);
        // The gradient that has its zero at the minimum without bounds, from the lower triangle.
        for i in 0..n {
            let value = -velocity[i];
            self.gradient[i] = self.hessian[i * n + i] * value;
            for j in 0..i {
                let h = self.hessian[i * n + j];
                self.gradient[i] -= h * velocity[j];
                self.gradient[j] += h * value;
            }
        }
        let status = self.program.solve(&QuadraticProgram {
            hessian: &self.hessian,
            gradient: &self.gradient,
            lower: problem.lower,
            upper: problem.upper,
            rows: problem.rows,
            row_lower: problem.row_bounds,
            row_upper: &self.row_upper[..problem.num_rows()],
            slack_weights: problem.row_weights,
        })?;
        match status {
            QpStatus::Solved => {
                velocity.copy_from_slice(self.program.x());
                Ok(None)
            }
            QpStatus::Infeasible(QpRow::Row(row)) => Ok(Some(row)),
            // Bounds were checked, so that what contradicts itself has a row in it; rows that nearly contradict each other
            // may use up the iterations.
            QpStatus::Infeasible(QpRow::Bound(_)) | QpStatus::IterationLimit => {
                Ok(most_missed(problem, self.program.x()))
            }
        }
    }

    /// The bound or row with the largest multiplier, in the units of the problem.
    fn strongest(&self, num_rows: usize) -> Option<VelocityLimit> {
        let (mut most, mut limit) = (0.0, None);
        let bounds = self.program.bound_multipliers().iter().enumerate();
        let rows = self.program.row_multipliers()[..num_rows].iter().enumerate();
        let named = bounds.map(|(joint, value)| (VelocityLimit::Joint(joint), value));
        for (name, value) in named.chain(rows.map(|(row, value)| (VelocityLimit::Row(row), value))) {
            if value.abs() > most {
                (most, limit) = (value.abs(), Some(name));
            }
        }
        limit
    }
}

/// The hard row that is missed most.
fn most_missed(problem: &VelocityProblem<'_>, velocity: &[f64]) -> Option<usize> {
    let is_hard = |row: &usize| problem.row_weights.get(*row).is_none_or(|weight| weight.is_infinite());
    let gap = |row: &usize| problem.row_bounds[*row] - problem.row_value(*row, velocity);
    (0..problem.num_rows()).filter(is_hard).max_by(|a, b| gap(a).total_cmp(&gap(b)))
}

/// True when bounds and rows hold.
fn is_inside(problem: &VelocityProblem<'_>, velocity: &[f64]) -> bool {
    let bounds = problem.lower.iter().zip(problem.upper);
    velocity.iter().zip(bounds).all(|(value, (lower, upper))| value >= lower && value <= upper)
        && problem.row_bounds.iter().enumerate().all(|(row, least)| problem.row_value(row, velocity) >= *least)
}

impl VelocitySolver for BoundedLeastSquares {
    fn solve(&mut self, problem: &VelocityProblem<'_>, velocity: &mut [f64]) -> Result<VelocityOutcome> {
        problem.check(&self.sizes)?;
        let at_end = self.solve_movable(problem);
        for (to, (task, null)) in velocity.iter_mut().zip(self.squares.task.iter().zip(&self.squares.null)) {
            *to = task + null;
        }
        let (mut limit, mut infeasible_row) = (None, None);
        if !is_inside(problem, velocity) {
            infeasible_row = self.minimise(problem, velocity)?;
            if infeasible_row.is_some() {
                velocity.fill(0.0);
                limit = infeasible_row.map(VelocityLimit::Row);
            } else {
                limit = self.strongest(problem.num_rows());
            }
            clamp(problem, velocity);
        }
        let achieved = problem.achieved(velocity);
        Ok(VelocityOutcome { achieved, damping: self.squares.damping, limit: limit.or(at_end), infeasible_row })
    }

    fn reset(&mut self) {
        self.program.reset();
    }
}
