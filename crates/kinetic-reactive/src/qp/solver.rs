//! Dual active-set method (Arnström, Bemporad & Axehill 2022, algorithm 1), warm-started and without allocation.

use kinetic_core::{KineticError, Result};

use super::cholesky::factorise;
use super::problem::{QpRow, QuadraticProgram};
use super::scaled_rows::ScaledRows;
use super::vector::{add_scaled, dot, largest, padded};
use super::working_set::{ActiveRow, Entry, Side, WorkingSet};

/// Corrections of the active rows after a solve; the first removes nearly all that rounding left.
const MOST_REFINEMENTS: usize = 3;
/// Active rows are corrected until they are this part of the tolerance off.
const REFINED_TOLERANCE: f64 = 0.01;
/// Rows contradict each other when they miss each other by this many tolerances.
const CONTRADICTION: f64 = 100.0;
/// The objective of the dual grows by at least this part in an iteration that makes progress.
const LEAST_RELATIVE_PROGRESS: f64 = 1e-14;

/// Options of an [`ActiveSetSolver`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QpOptions {
    /// Iterations after which a solve ends with [`QpStatus::IterationLimit`]: factorisations and changes of the working set.
    pub max_iterations: usize,
    /// By how much a bound or row may be exceeded that counts as kept, for rows whose largest entry is 1. It is relative
    /// to bounds larger than 1.
    pub tolerance: f64,
}

impl Default for QpOptions {
    fn default() -> Self {
        Self { max_iterations: 1000, tolerance: 1e-11 }
    }
}

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum QpStatus {
    /// At the minimum.
    Solved,
    /// No point keeps all bounds and hard rows: this one cannot hold together with others. A row is named rather than a
    /// bound; which of several rows that contradict each other is not determined.
    Infeasible(QpRow),
    /// The iterations ran out; the last point is not the minimum.
    IterationLimit,
}

/// Solver of strictly convex quadratic programs of one size. It remembers the active rows for the next solve.
///
/// ```
/// use kinetic_reactive::qp::{ActiveSetSolver, QpOptions, QpStatus, QuadraticProgram};
///
/// // The point of the half-plane x + y ≥ 2 that is nearest to (0, 3), with y at most 1.
/// let program = QuadraticProgram {
///     hessian: &[1.0, 0.0, 0.0, 1.0],
///     gradient: &[0.0, -3.0],
///     lower: &[f64::NEG_INFINITY; 2],
///     upper: &[f64::INFINITY, 1.0],
///     rows: &[1.0, 1.0],
///     row_lower: &[2.0],
///     row_upper: &[f64::INFINITY],
///     slack_weights: &[],
/// };
/// let mut solver = ActiveSetSolver::new(2, 1, QpOptions::default())?;
/// assert_eq!(solver.solve(&program)?, QpStatus::Solved);
/// assert!(solver.x().iter().all(|value| (value - 1.0).abs() < 1e-12));
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ActiveSetSolver {
    n: usize,
    max_rows: usize,
    stride: usize,
    options: QpOptions,
    factor: Vec<f64>,
    reciprocals: Vec<f64>,
    /// Rows of `L⁻ᵀ`.
    inverse: Vec<f64>,
    /// Minimum without bounds and rows.
    unconstrained: Vec<f64>,
    x: Vec<f64>,
    scratch: Vec<f64>,
    rows: ScaledRows,
    /// Active rows, and those in `held`.
    is_active: Vec<bool>,
    /// Rows that are combinations of the active ones and hold with them up to rounding.
    held: Vec<usize>,
    working: WorkingSet,
    /// Active rows of the last solve, with multipliers of the rows as they were given.
    previous: Vec<ActiveRow>,
    multipliers: Vec<f64>,
    iterations: usize,
}

impl ActiveSetSolver {
    /// A solver for `num_variables` variables and at most `max_rows` rows.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for no variables, no iterations, or a tolerance that is not positive.
    pub fn new(num_variables: usize, max_rows: usize, options: QpOptions) -> Result<Self> {
        for (name, value) in
            [("variables of a quadratic program", num_variables), ("max_iterations", options.max_iterations)]
        {
            if value == 0 {
                return Err(KineticError::invalid(name, value, "at least 1"));
            }
        }
        if !(options.tolerance > 0.0 && options.tolerance.is_finite()) {
            return Err(KineticError::invalid(
                "tolerance of a quadratic program",
                options.tolerance,
                "a positive number",
            ));
        }
        let (n, stride, all) = (num_variables, padded(num_variables), num_variables + max_rows);
        Ok(Self {
            n,
            max_rows,
            stride,
            options,
            factor: vec![0.0; n * stride],
            reciprocals: vec![0.0; n],
            inverse: vec![0.0; n * stride],
            unconstrained: vec![0.0; stride],
            x: vec![0.0; stride],
            scratch: vec![0.0; stride],
            rows: ScaledRows::new(n, stride, max_rows),
            is_active: vec![false; all],
            held: Vec::with_capacity(all),
            working: WorkingSet::new(all, stride),
            previous: Vec::with_capacity(all),
            multipliers: vec![0.0; all],
            iterations: 0,
        })
    }

    /// Number of variables.
    pub fn num_variables(&self) -> usize {
        self.n
    }

    /// Largest number of rows.
    pub fn max_rows(&self) -> usize {
        self.max_rows
    }

    /// The point where the last solve ended: the minimum after [`QpStatus::Solved`]. Bounds of variables are kept exactly.
    pub fn x(&self) -> &[f64] {
        &self.x[..self.n]
    }

    /// Multipliers of the bounds at the minimum, one per variable: positive at the upper, negative at the lower bound.
    /// With those of the rows, `H x + f + bound_multipliers + Aᵀ row_multipliers = 0`.
    pub fn bound_multipliers(&self) -> &[f64] {
        &self.multipliers[..self.n]
    }

    /// Multipliers of the rows at the minimum, with signs as those of the bounds. That of a soft row, over its weight, is
    /// by how much it is exceeded.
    pub fn row_multipliers(&self) -> &[f64] {
        &self.multipliers[self.n..]
    }

    /// Iterations of the last solve.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Forgets the active rows: the next solve starts from none.
    pub fn reset(&mut self) {
        self.previous.clear();
    }

    /// Finds the minimum.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`] or [`KineticError::InvalidValue`] for sizes other
    /// than those of the solver, NaN, a Hessian that is not positive definite, or weights that are not positive.
    pub fn solve(&mut self, program: &QuadraticProgram<'_>) -> Result<QpStatus> {
        program.check(self.n, self.max_rows)?;
        factorise(program.hessian, self.n, self.stride, &mut self.factor, &mut self.reciprocals, &mut self.inverse)?;
        self.find_unconstrained(program.gradient);
        self.iterations = 0;
        self.multipliers.fill(0.0);
        self.working.clear();
        let rounding = 16.0 * f64::EPSILON * largest(&self.unconstrained);
        let status = if let Some(row) = self.rows.load(program, rounding, self.options.tolerance) {
            QpStatus::Infeasible(row)
        } else {
            self.warm_start();
            self.iterate()
        };
        self.remember();
        Ok(status)
    }

    /// `−H⁻¹ f`.
    fn find_unconstrained(&mut self, gradient: &[f64]) {
        self.scratch.fill(0.0);
        for (value, row) in gradient.iter().zip(self.inverse.chunks_exact(self.stride)) {
            add_scaled(&mut self.scratch, -value, row);
        }
        for (value, row) in self.unconstrained.iter_mut().zip(self.inverse.chunks_exact(self.stride)) {
            *value = dot(row, &self.scratch);
        }
        self.x.copy_from_slice(&self.unconstrained);
    }

    /// Equalities, and what was active before: any multipliers with the right signs are a start of the dual.
    fn warm_start(&mut self) {
        self.is_active.fill(false);
        self.held.clear();
        for index in 0..self.rows.len {
            if self.rows.is_equality(index) {
                self.enter(index, Side::Equal, 0.0);
            }
        }
        for position in 0..self.previous.len() {
            let ActiveRow { index, side, multiplier, .. } = self.previous[position];
            let is_free = index < self.rows.len && !self.is_active[index] && side != Side::Equal;
            if is_free && self.rows.bound(index, side).is_finite() {
                let multiplier = if side.wrong(multiplier) > 0.0 { 0.0 } else { multiplier * self.rows.scale[index] };
                self.enter(index, side, multiplier);
            }
        }
    }

    /// Makes a row active, with a multiplier of the scaled row, unless it depends on those that are.
    fn enter(&mut self, index: usize, side: Side, multiplier: f64) -> Entry {
        let unit = self.working.next_unit();
        if index < self.n {
            unit.copy_from_slice(&self.inverse[index * self.stride..(index + 1) * self.stride]);
        } else {
            unit.fill(0.0);
            for (value, row) in self.rows.row(index).iter().zip(self.inverse.chunks_exact(self.stride)) {
                add_scaled(unit, *value, row);
            }
        }
        let (length, softness) = self.working.normalise(self.rows.softness[index]);
        let bound = self.rows.bound(index, side);
        let multiplier = multiplier * length;
        let entry = self.working.enter(ActiveRow { index, side, bound, length, softness, multiplier });
        if entry == Entry::Entered {
            self.is_active[index] = true;
        }
        entry
    }

    fn leave(&mut self, position: usize) {
        let row = self.working.remove(position);
        self.is_active[row.index] = false;
        for index in self.held.drain(..) {
            self.is_active[index] = false;
        }
    }

    /// Adds the row that is exceeded most until none is.
    fn iterate(&mut self) -> QpStatus {
        let mut objective = f64::NEG_INFINITY;
        let mut stalled = 0;
        while self.iterations < self.options.max_iterations {
            self.iterations += 1;
            self.prepare_candidate();
            let reached = self.working.solve();
            if let Some(position) = self.working.move_to_candidate() {
                self.leave(position);
                continue;
            }
            self.update_point();
            // Each minimum over a working set is above the last; where rounding hides that, the first row that is exceeded
            // enters instead of the worst, which ends cycles (Bland 1977).
            stalled = if reached > objective + LEAST_RELATIVE_PROGRESS * objective.abs() { 0 } else { stalled + 1 };
            objective = objective.max(reached);
            let Some((index, side)) = self.rows.violated(&self.x, &self.is_active, stalled > self.rows.len) else {
                return QpStatus::Solved;
            };
            if let Some(status) = self.enter_violated(index, side) {
                return status;
            }
        }
        QpStatus::IterationLimit
    }

    /// Makes an exceeded row active; active rows that it depends on make room.
    fn enter_violated(&mut self, index: usize, side: Side) -> Option<QpStatus> {
        let side = if self.rows.is_equality(index) { Side::Equal } else { side };
        let is_above = self.rows.value(index, &self.x) > self.rows.bound(index, side);
        let sign = if is_above { 1.0 } else { -1.0 };
        let mut multiplier = 0.0;
        while self.enter(index, side, multiplier) == Entry::Dependent {
            self.iterations += 1;
            let Some((position, reach)) = self.working.release_for_dependent(sign) else {
                let violation = (self.rows.value(index, &self.x) - self.rows.bound(index, side)).abs();
                if violation <= CONTRADICTION * self.options.tolerance * self.working.amplification() {
                    // The active rows hold it up to rounding.
                    self.is_active[index] = true;
                    self.held.push(index);
                    return None;
                }
                let row = if index < self.n { self.working.contradicted(self.n).unwrap_or(index) } else { index };
                return Some(QpStatus::Infeasible(self.rows.name(row)));
            };
            self.leave(position);
            // Of the scaled row; the working set counts in rows of length 1.
            multiplier += sign * reach / self.working.last_length;
        }
        None
    }

    /// By how much the active rows are exceeded at the unconstrained minimum.
    fn prepare_candidate(&mut self) {
        let working = &mut self.working;
        for (value, row) in working.candidate.iter_mut().zip(&working.rows) {
            *value = (self.rows.value(row.index, &self.unconstrained) - row.bound) / row.length;
        }
    }

    /// The point of the multipliers; what rounding leaves of the active rows is solved for again.
    fn update_point(&mut self) {
        self.working.combine(self.working.rows.iter().map(|row| row.multiplier), &mut self.scratch);
        self.x.copy_from_slice(&self.unconstrained);
        self.step_back();
        for _ in 0..MOST_REFINEMENTS {
            let mut worst: f64 = 0.0;
            let working = &mut self.working;
            for (value, row) in working.candidate.iter_mut().zip(&working.rows) {
                let gap = self.rows.value(row.index, &self.x) - row.bound;
                *value = gap / row.length - row.softness * row.multiplier;
                worst = worst.max((*value * row.length).abs() / (1.0 + row.bound.abs()));
            }
            if !(worst > REFINED_TOLERANCE * self.options.tolerance) {
                break;
            }
            working.solve();
            for (row, change) in working.rows.iter_mut().zip(&working.candidate) {
                row.multiplier += change;
            }
            working.combine(working.candidate.iter().copied().take(working.rows.len()), &mut self.scratch);
            self.step_back();
        }
    }

    /// `x −= L⁻ᵀ · scratch`.
    fn step_back(&mut self) {
        for (value, row) in self.x.iter_mut().zip(self.inverse.chunks_exact(self.stride)) {
            *value -= dot(row, &self.scratch);
        }
    }

    /// Multipliers of the rows as they were given, bounds of variables exact, active rows kept for the next solve.
    fn remember(&mut self) {
        self.previous.clear();
        for row in &self.working.rows {
            let multiplier = row.multiplier / (row.length * self.rows.scale[row.index]);
            self.multipliers[row.index] = multiplier;
            self.previous.push(ActiveRow { multiplier, ..*row });
        }
        for (index, value) in self.x[..self.n].iter_mut().enumerate() {
            // Where bounds contradict each other the lower one is kept.
            *value = value.min(self.rows.upper[index]).max(self.rows.lower[index]);
        }
    }
}
