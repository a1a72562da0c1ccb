//! The trait of tasks.

use std::fmt::Debug;
use std::ops::Range;

use kinetic_core::Result;

use super::model::Model;
use super::state::State;

/// Some rows of a task that must become small together.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// Quantity of the rows: `position` (m), `rotation` (rad) or a word of the task's own.
    pub what: &'static str,
    /// Rows of the task that it is about.
    pub rows: Range<usize>,
    /// Largest Euclidean norm of these rows.
    pub tolerance: f64,
}

/// Error and Jacobian that a task writes.
pub struct Rows<'a> {
    /// By how much each row must still change.
    pub error: &'a mut [f64],
    /// How each row changes with each column, row after row. `jacobian · step = error` would meet the task.
    pub jacobian: &'a mut [f64],
    /// Number of columns.
    pub columns: usize,
    /// Scratch memory for two Jacobians of [`State::point_jacobian`], 6 numbers per column each.
    pub scratch: &'a mut [f64],
}

impl Rows<'_> {
    /// The entries of one row of the Jacobian.
    pub fn row(&mut self, row: usize) -> &mut [f64] {
        &mut self.jacobian[row * self.columns..(row + 1) * self.columns]
    }

    /// A task that has met one of its rows, and does not want it held either, leaves it.
    pub fn free(&mut self, row: usize) {
        self.error[row] = 0.0;
        self.row(row).fill(0.0);
    }

    /// One row within a tolerance: nothing to do inside, the distance to its edge outside.
    pub fn apply_tolerance(&mut self, row: usize, tolerance: f64) {
        let error = self.error[row];
        if error.abs() <= tolerance && tolerance > 0.0 {
            self.free(row);
        } else {
            self.error[row] = error - tolerance.copysign(error);
        }
    }
}

/// Something to bring about: rows of an error with their derivatives. The crate's own tasks and those of others are the
/// same to the solver.
pub trait Task: Debug + Send + Sync {
    /// Name in reports.
    fn name(&self) -> &str;

    /// Number of rows.
    fn num_rows(&self) -> usize;

    /// When it is met. A task without limits is followed as well as possible, and never stands in the way of success.
    fn limits(&self) -> Vec<Limit>;

    /// Writes error and Jacobian. Every row of `rows` must be written; they hold what was there before.
    fn evaluate(&self, state: &State<'_>, rows: &mut Rows<'_>);

    /// Refuses what it cannot work with, before the first evaluation.
    ///
    /// # Errors
    /// Input errors.
    fn check(&self, model: &Model) -> Result<()>;
}
