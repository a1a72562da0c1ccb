//! Convex programmes: linear inequalities and norms. Those of few variables, or of chains, are solved by an interior-point method of band
//! matrices; large ones by Clarabel (Goulart and Chen 2024), which gives a bound as well.

mod band_matrix;
mod band_rows;
mod cone;
mod interior_point;
mod sparse_rows;
#[cfg(test)]
#[allow(clippy::unwrap_used)] // Tests fail by panicking.
mod tests;
mod vector;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SolverStatus, SupportedConeT,
    ZeroConeT,
};
use kinetic_core::Control;

use cone::Cone;
use interior_point::{InteriorPoint, Outcome};
use sparse_rows::SparseRows;

/// A programme with a linear objective: rows `b − A x` that are zero, not negative, or form second-order cones.
#[derive(Debug)]
pub(crate) struct Program {
    objective: Vec<f64>,
    rows: SparseRows,
    offsets: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

impl Program {
    /// Without constraints, and nothing to minimise.
    pub(crate) fn new(variables: usize) -> Self {
        Self { objective: vec![0.0; variables], rows: SparseRows::new(), offsets: Vec::new(), cones: Vec::new() }
    }

    /// Sets the coefficient of a variable in the objective.
    pub(crate) fn minimise(&mut self, variable: usize, coefficient: f64) {
        self.objective[variable] = coefficient;
    }

    /// `Σ aᵢ xᵢ ≤ b`.
    pub(crate) fn at_most(&mut self, terms: impl Iterator<Item = (usize, f64)>, bound: f64) {
        self.row(terms, bound);
        match self.cones.last_mut() {
            Some(NonnegativeConeT(rows)) => *rows += 1,
            _ => self.cones.push(NonnegativeConeT(1)),
        }
    }

    /// `Σ aᵢ xᵢ = b`.
    pub(crate) fn equal(&mut self, terms: impl Iterator<Item = (usize, f64)>, bound: f64) {
        self.row(terms, bound);
        match self.cones.last_mut() {
            Some(ZeroConeT(rows)) => *rows += 1,
            _ => self.cones.push(ZeroConeT(1)),
        }
    }

    /// `‖v‖ ≤ x` for a variable, where each row of `v` is `c + Σ aᵢ xᵢ`.
    pub(crate) fn norm_at_most(&mut self, rows: impl Iterator<Item = (f64, Vec<(usize, f64)>)>, variable: usize) {
        self.row([(variable, -1.0)].into_iter(), 0.0);
        let mut count = 1;
        for (constant, terms) in rows {
            self.row(terms.into_iter().map(|(index, factor)| (index, -factor)), constant);
            count += 1;
        }
        self.cones.push(SecondOrderConeT(count));
    }

    fn row(&mut self, terms: impl Iterator<Item = (usize, f64)>, offset: f64) {
        self.rows.push(terms);
        self.offsets.push(offset);
    }

    /// A solution; `None` where there is none, or the solver does not find it. It takes steps of time linear in the variables where no row
    /// and no norm has variables with distant numbers.
    pub(crate) fn solve(&self) -> Option<Vec<f64>> {
        let search =
            |cones: Vec<Cone>| InteriorPoint::new(&self.objective, &self.rows, &self.offsets, &cones).minimum();
        match self.cones().map(search) {
            Some(Outcome::Solved(values)) => Some(values),
            Some(Outcome::Infeasible) => None,
            // Its homogeneous embedding solves what is nearly infeasible or has many solutions, and it takes equations.
            Some(Outcome::Stalled) | None => self.optimum(&Control::default()).map(|found| found.values),
        }
    }

    /// Rows by their cones; `None` where rows are to be zero.
    fn cones(&self) -> Option<Vec<Cone>> {
        let mut start = 0;
        let of_kind = |kind: &SupportedConeT<f64>| {
            let (NonnegativeConeT(count) | SecondOrderConeT(count)) = kind else { return None };
            let rows = start..start + count;
            start = rows.end;
            Some(if matches!(kind, NonnegativeConeT(_)) { Cone::Nonnegative(rows) } else { Cone::SecondOrder(rows) })
        };
        self.cones.iter().map(of_kind).collect()
    }

    /// A solution with its bound; `None` where there is none, or the solver does not find it before `control` ends it.
    pub(crate) fn optimum(&self, control: &Control) -> Option<Optimum> {
        let variables = self.objective.len();
        let (rows, columns, values) = self.rows.triplets();
        let matrix = CscMatrix::new_from_triplets(self.offsets.len(), variables, rows, columns, values);
        let quadratic = CscMatrix::zeros((variables, variables));
        let settings = DefaultSettings { verbose: false, max_threads: 1, ..DefaultSettings::default() };
        let mut solver =
            DefaultSolver::new(&quadratic, &self.objective, &matrix, &self.offsets, &self.cones, settings).ok()?;
        let control = control.clone();
        solver.set_termination_callback(move |_| control.is_over(0));
        solver.solve();
        let (primal, dual) = (solver.solution.obj_val, solver.solution.obj_val_dual);
        let bound = match solver.solution.status {
            SolverStatus::Solved => primal.min(dual),
            // Accurate enough for a point, not for a claim.
            SolverStatus::AlmostSolved => f64::NEG_INFINITY,
            _ => return None,
        };
        Some(Optimum { values: solver.solution.x.clone(), bound })
    }
}

/// A solution of a programme.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Optimum {
    /// The variables.
    pub(crate) values: Vec<f64>,
    /// What the objective is at least, to 1e-8 of it; −∞ where the solver has stopped before that accuracy.
    pub(crate) bound: f64,
}
