//! Constraints that are functions of the user's own: a residual of the configuration that stays near zero.

use std::fmt;
use std::sync::Arc;

use super::ConstraintValue;
use super::record::{ConstraintField, Fields, take};
use crate::error::{KineticError, Result, check_finite};

/// A vector that depends on the configuration of a planning group, and is zero where a constraint holds exactly.
pub trait Residual: Send + Sync {
    /// Writes the residual at `q` (group length) into `out`, which has the dimension of the constraint.
    ///
    /// # Errors
    /// What the function reports; planning ends with it.
    fn residual(&self, q: &[f64], out: &mut [f64]) -> Result<()>;

    /// Writes its derivative at `q`, row by row, dimension × dof; false where it has none, and differences are taken.
    ///
    /// # Errors
    /// As [`residual`](Self::residual).
    fn jacobian(&self, q: &[f64], out: &mut [f64]) -> Result<bool> {
        let _ = (q, out);
        Ok(false)
    }
}

impl<F: Fn(&[f64], &mut [f64]) -> Result<()> + Send + Sync> Residual for F {
    fn residual(&self, q: &[f64], out: &mut [f64]) -> Result<()> {
        self(q, out)
    }
}

/// A constraint that a function states. Two are equal when they have one function and equal values.
#[derive(Clone)]
pub struct CustomConstraint {
    name: String,
    dimension: usize,
    rates: Vec<f64>,
    tolerance: f64,
    /// `None` where it was read from a file.
    residual: Option<Arc<dyn Residual>>,
}

impl CustomConstraint {
    /// See [`Constraint::custom`](super::Constraint::custom).
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] or [`KineticError::NotFinite`] for an empty name, a dimension of 0, rates that are negative,
    /// or a tolerance that is not positive.
    pub fn new(
        name: impl Into<String>,
        dimension: usize,
        rates: Vec<f64>,
        tolerance: f64,
        residual: Arc<dyn Residual>,
    ) -> Result<Self> {
        let new = Self { name: name.into(), dimension, rates, tolerance, residual: Some(residual) };
        new.check()?;
        Ok(new)
    }

    /// What it is called in errors and certificates.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of values of the residual.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Largest change of the residual per unit of motion of each joint of the group.
    pub fn rates(&self) -> &[f64] {
        &self.rates
    }

    /// Largest norm of the residual.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// The function.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a constraint that was read from a file, which holds no functions.
    pub fn residual(&self) -> Result<&Arc<dyn Residual>> {
        let wanted = "a constraint with its function: files hold its name, rates and tolerance alone";
        self.residual.as_ref().ok_or_else(|| {
            KineticError::invalid("constraint \"custom\"", format!("\"{}\" without a function", self.name), wanted)
        })
    }

    pub(super) fn check(&self) -> Result<()> {
        let invalid = |field: &str, value: String, wanted: &str| {
            Err(KineticError::invalid(format!("{field} of constraint \"custom\""), value, wanted))
        };
        check_finite("rates of constraint \"custom\"", &self.rates)?;
        check_finite("tolerance of constraint \"custom\"", &[self.tolerance])?;
        if self.name.is_empty() {
            return invalid("name", "\"\"".to_owned(), "a name");
        }
        if self.dimension == 0 {
            return invalid("dimension", "0".to_owned(), "an integer of at least 1");
        }
        if let Some(rate) = self.rates.iter().find(|rate| **rate < 0.0) {
            return invalid("rates", rate.to_string(), "numbers of at least 0, one per joint of the group");
        }
        if !(self.tolerance > 0.0) {
            return invalid("tolerance", self.tolerance.to_string(), "a positive number");
        }
        Ok(())
    }

    pub(super) fn fields(&self) -> Vec<(&'static str, ConstraintValue)> {
        vec![
            ("name", self.name.value()),
            ("dimension", self.dimension.value()),
            ("rates", self.rates.value()),
            ("tolerance", self.tolerance.value()),
        ]
    }

    /// The record of a constraint, without its function.
    pub(super) fn from_record(fields: &mut Fields) -> Result<Self> {
        let kind = "custom";
        let (name, dimension) = (take(kind, "name", fields)?, take(kind, "dimension", fields)?);
        let (rates, tolerance) = (take(kind, "rates", fields)?, take(kind, "tolerance", fields)?);
        Ok(Self { name, dimension, rates, tolerance, residual: None })
    }

    pub(super) fn scale_tolerance(&mut self, factor: f64) {
        self.tolerance *= factor;
    }
}

impl fmt::Debug for CustomConstraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, dimension, rates, tolerance, .. } = self;
        let mut all = f.debug_struct("CustomConstraint");
        all.field("name", name).field("dimension", dimension).field("rates", rates).field("tolerance", tolerance);
        all.finish_non_exhaustive()
    }
}

impl PartialEq for CustomConstraint {
    fn eq(&self, other: &Self) -> bool {
        let is_same = match (&self.residual, &other.residual) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        let values = |one: &Self| (one.name.clone(), one.dimension, one.rates.clone(), one.tolerance);
        is_same && values(self) == values(other)
    }
}
