//! Quadratic programs as borrowed data.

use std::fmt;

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, Result};

use super::vector::all_finite;

/// A strictly convex quadratic program, borrowed from the caller. See [`qp`](crate::qp) for what it states.
///
/// Bounds are `−∞` and `∞` where there are none; equal ones fix the value.
#[derive(Debug, Clone, Copy)]
pub struct QuadraticProgram<'a> {
    /// `H`, n × n, row after row; symmetric and positive definite. The lower triangle is read.
    pub hessian: &'a [f64],
    /// `f`, n numbers.
    pub gradient: &'a [f64],
    /// Lower bounds of the variables, n numbers.
    pub lower: &'a [f64],
    /// Upper bounds of the variables, n numbers.
    pub upper: &'a [f64],
    /// `A`, m × n, row after row.
    pub rows: &'a [f64],
    /// Lower bounds of the rows, m numbers.
    pub row_lower: &'a [f64],
    /// Upper bounds of the rows, m numbers.
    pub row_upper: &'a [f64],
    /// Per row `w`: ∞ for a hard row; a soft row may be exceeded by `s`, which costs `½ w s²`. Empty when all are hard.
    pub slack_weights: &'a [f64],
}

/// A bound or a row of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QpRow {
    /// The bounds of a variable.
    Bound(usize),
    /// A row.
    Row(usize),
}

impl fmt::Display for QpRow {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bound(variable) => write!(out, "bounds of variable {variable}"),
            Self::Row(row) => write!(out, "row {row}"),
        }
    }
}

impl QuadraticProgram<'_> {
    /// Number of rows.
    pub fn num_rows(&self) -> usize {
        self.row_lower.len()
    }

    /// Refuses wrong sizes, NaN, and weights that are not positive.
    pub(super) fn check(&self, n: usize, max_rows: usize) -> Result<()> {
        let m = self.num_rows();
        if m > max_rows {
            let wanted = format!("at most the {max_rows} that the solver was made for");
            return Err(KineticError::invalid("rows of a quadratic program", m, wanted));
        }
        check_len("Hessian of a quadratic program", self.hessian.len(), n * n)?;
        check_len("gradient of a quadratic program", self.gradient.len(), n)?;
        check_len("lower bounds of a quadratic program", self.lower.len(), n)?;
        check_len("upper bounds of a quadratic program", self.upper.len(), n)?;
        check_len("rows of a quadratic program", self.rows.len(), m * n)?;
        check_len("upper bounds of rows", self.row_upper.len(), m)?;
        if !self.slack_weights.is_empty() {
            check_len("slack weights of rows", self.slack_weights.len(), m)?;
        }
        self.check_values()
    }

    fn check_values(&self) -> Result<()> {
        finite("Hessian of a quadratic program", self.hessian)?;
        finite("gradient of a quadratic program", self.gradient)?;
        finite("rows of a quadratic program", self.rows)?;
        not_nan("lower bounds of a quadratic program", self.lower, f64::INFINITY)?;
        not_nan("upper bounds of a quadratic program", self.upper, f64::NEG_INFINITY)?;
        not_nan("lower bounds of rows", self.row_lower, f64::INFINITY)?;
        not_nan("upper bounds of rows", self.row_upper, f64::NEG_INFINITY)?;
        match self.slack_weights.iter().find(|weight| !(**weight > 0.0)) {
            Some(weight) => {
                Err(KineticError::invalid("slack weight of a row", weight, "a positive number, or infinity"))
            }
            None => Ok(()),
        }
    }
}

/// Finite numbers, without a branch per number.
fn finite(context: &str, values: &[f64]) -> Result<()> {
    if all_finite(values) { Ok(()) } else { check_finite(context, values) }
}

/// Bounds that may be infinite, but no NaN, and not such that nothing could be inside.
fn not_nan(context: &str, values: &[f64], forbidden: f64) -> Result<()> {
    match values.iter().position(|value| value.is_nan() || *value == forbidden) {
        None => Ok(()),
        Some(index) => Err(KineticError::NotFinite { context: context.to_owned(), index, value: values[index] }),
    }
}
