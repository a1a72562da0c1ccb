//! Convex programmes: linear inequalities and norms, solved by the interior-point solver Clarabel (Goulart and Chen 2024).

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SolverStatus, SupportedConeT,
    ZeroConeT,
};
use kinetic_core::Control;

/// A programme with a linear objective: rows `b − A x` that are zero, not negative, or form second-order cones.
#[derive(Debug)]
pub(crate) struct Program {
    variables: usize,
    objective: Vec<f64>,
    entries: (Vec<usize>, Vec<usize>, Vec<f64>),
    offsets: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

impl Program {
    /// Without constraints, and nothing to minimise.
    pub(crate) fn new(variables: usize) -> Self {
        Self {
            variables,
            objective: vec![0.0; variables],
            entries: (Vec::new(), Vec::new(), Vec::new()),
            offsets: Vec::new(),
            cones: Vec::new(),
        }
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
        let (rows, columns, values) = &mut self.entries;
        for (variable, factor) in terms.filter(|(_, factor)| *factor != 0.0) {
            rows.push(self.offsets.len());
            columns.push(variable);
            values.push(factor);
        }
        self.offsets.push(offset);
    }

    /// A solution; `None` where there is none, or the solver does not find it.
    pub(crate) fn solve(self) -> Option<Vec<f64>> {
        self.optimum(&Control::default()).map(|found| found.values)
    }

    /// A solution with its bound; `None` where there is none, or the solver does not find it before `control` ends it.
    pub(crate) fn optimum(self, control: &Control) -> Option<Optimum> {
        let (rows, columns, values) = self.entries;
        let matrix = CscMatrix::new_from_triplets(self.offsets.len(), self.variables, rows, columns, values);
        let quadratic = CscMatrix::zeros((self.variables, self.variables));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The point of a half-plane that is nearest to two others in sum: on the straight line between them where that passes through, the
    /// mirror point (Heron) where it does not.
    #[test]
    fn sums_of_distances_have_herons_minimum() {
        let ends = [[-1.0, 1.0], [2.0, 1.0]];
        // Variables: x, y, and two distances; y ≤ 0.
        let mut program = Program::new(4);
        program.at_most([(1, 1.0)].into_iter(), 0.0);
        for (index, end) in ends.iter().enumerate() {
            program.minimise(2 + index, 1.0);
            program.norm_at_most((0..2).map(|axis| (-end[axis], vec![(axis, 1.0)])), 2 + index);
        }
        let found = program.solve().unwrap_or_else(|| panic!("a solution"));
        assert!((found[0] - 0.5).abs() < 1e-6 && found[1].abs() < 1e-6, "{found:?}");
        let length = found[2] + found[3];
        assert!((length - 13.0_f64.sqrt()).abs() < 1e-6, "{length}");
    }

    #[test]
    fn contradictions_have_no_solution() {
        let mut program = Program::new(1);
        program.at_most([(0, 1.0)].into_iter(), 0.0);
        program.at_most([(0, -1.0)].into_iter(), -1.0);
        assert_eq!(program.solve(), None);
    }
}
