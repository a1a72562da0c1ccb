//! Measures of constraints that users state as functions: residual, Jacobian, and what was said about both.

use std::sync::{Arc, OnceLock};

use kinetic_core::{CustomConstraint, KineticError, Result, StopFlag};

use super::motion_bounds::sum;

/// Step of central differences, rad or m: the error of the third order and the rounding of residuals near 1 are alike there.
const DIFFERENCE_STEP_RAD_M: f64 = 1e-5;

/// A change of the residual may exceed what the rates allow by this part of it, and by this much: rounding of the residual, and
/// of Jacobians that are differences.
const RATE_ROUNDING_RATIO: f64 = 1e-3;
const RATE_ROUNDING: f64 = 1e-7;

/// The first failure of a function, and the flag that ends the work then. Clones share both.
#[derive(Debug, Clone, Default)]
pub(crate) struct FunctionFailures {
    first: Arc<OnceLock<KineticError>>,
    stop: StopFlag,
}

impl FunctionFailures {
    /// Failures that raise `stop`.
    pub(crate) fn stopping(stop: StopFlag) -> Self {
        Self { first: Arc::default(), stop }
    }

    /// The first one.
    pub(crate) fn first(&self) -> Option<KineticError> {
        self.first.get().cloned()
    }

    fn record(&self, error: KineticError) {
        // Others follow from the first.
        let _ = self.first.set(error);
        self.stop.stop();
    }
}

/// A constraint that is a function, with memory for its values.
#[derive(Debug, Clone)]
pub(super) struct CustomMeasure {
    /// Index of the constraint.
    pub(super) constraint: usize,
    function: CustomConstraint,
    value: Vec<f64>,
    jacobian: Vec<f64>,
    /// Configuration and residual of the evaluation before; empty before the first.
    before: [Vec<f64>; 2],
}

impl CustomMeasure {
    /// # Errors
    /// [`KineticError::DimensionMismatch`] for rates of another number of joints; [`KineticError::InvalidValue`] for a record
    /// without its function.
    pub(super) fn new(constraint: usize, function: &CustomConstraint, dof: usize) -> Result<Self> {
        kinetic_core::error::check_len("rates of constraint \"custom\"", function.rates().len(), dof)?;
        function.residual()?;
        let (value, jacobian) = (vec![0.0; function.dimension()], vec![0.0; function.dimension() * dof]);
        Ok(Self { constraint, function: function.clone(), value, jacobian, before: Default::default() })
    }

    pub(super) fn tolerance(&self) -> f64 {
        self.function.tolerance()
    }

    /// Norm of the residual at `q`; NaN once a function failed.
    pub(super) fn deviation(&mut self, q: &[f64], failures: &FunctionFailures) -> f64 {
        if failures.first.get().is_some() {
            return f64::NAN;
        }
        match self.evaluate(q).and_then(|()| self.check_change(q)) {
            Ok(()) => norm(&self.value),
            Err(error) => {
                failures.record(error);
                f64::NAN
            }
        }
    }

    /// How much the deviation can change while joints move by `radii`.
    pub(super) fn largest_change(&self, radii: &[f64]) -> f64 {
        sum(self.function.rates(), radii)
    }

    /// Residual and Jacobian at `q`, where the deviation was evaluated last; `None` where that fails.
    pub(super) fn linearised(&mut self, q: &[f64], failures: &FunctionFailures) -> Option<(&[f64], &[f64])> {
        if let Err(error) = self.differentiate(q).and_then(|()| self.check_jacobian(q.len())) {
            failures.record(error);
            return None;
        }
        Some((&self.before[1], &self.jacobian))
    }

    pub(super) fn dimension(&self) -> usize {
        self.function.dimension()
    }

    fn evaluate(&mut self, q: &[f64]) -> Result<()> {
        self.value.fill(f64::NAN);
        self.function.residual()?.residual(q, &mut self.value)?;
        match self.value.iter().position(|value| !value.is_finite()) {
            None => Ok(()),
            Some(index) => Err(self.failed(format!("is {} at index {index}", self.value[index]))),
        }
    }

    fn failed(&self, detail: String) -> KineticError {
        KineticError::ConstraintFunctionFailed { constraint: self.function.name().to_owned(), detail }
    }

    /// Compares the change since the evaluation before with the rates.
    fn check_change(&mut self, q: &[f64]) -> Result<()> {
        let [before, residual] = &mut self.before;
        let was_evaluated = before.len() == q.len();
        let distance = |(a, b): (&f64, &f64)| (a - b).abs();
        let steps = before.iter().zip(q).map(distance);
        let allowed: f64 = steps.zip(self.function.rates()).map(|(step, rate)| step * rate).sum();
        let change = residual.iter().zip(&self.value).map(|pair| distance(pair).powi(2)).sum::<f64>().sqrt();
        q.clone_into(before);
        residual.clone_from(&self.value);
        if was_evaluated && change > allowed * (1.0 + RATE_ROUNDING_RATIO) + RATE_ROUNDING {
            let detail =
                format!("changes by {change:.3e} between two configurations, and its rates allow {allowed:.3e}");
            return Err(self.failed(detail));
        }
        Ok(())
    }

    fn differentiate(&mut self, q: &[f64]) -> Result<()> {
        self.jacobian.fill(f64::NAN);
        if self.function.residual()?.jacobian(q, &mut self.jacobian)? {
            return Ok(());
        }
        let (dof, mut moved) = (q.len(), q.to_vec());
        for joint in 0..dof {
            for side in [-1.0, 1.0] {
                moved[joint] = q[joint] + side * DIFFERENCE_STEP_RAD_M;
                self.evaluate(&moved)?;
                for (row, value) in self.value.iter().enumerate() {
                    let entry = &mut self.jacobian[row * dof + joint];
                    let before = if side < 0.0 { 0.0 } else { *entry };
                    *entry = before + side * value / (2.0 * DIFFERENCE_STEP_RAD_M);
                }
            }
            moved[joint] = q[joint];
        }
        Ok(())
    }

    /// Compares the columns of the Jacobian with the rates.
    fn check_jacobian(&self, dof: usize) -> Result<()> {
        if let Some(index) = self.jacobian.iter().position(|value| !value.is_finite()) {
            let (row, column, value) = (index / dof.max(1), index % dof.max(1), self.jacobian[index]);
            return Err(self.failed(format!("has {value} in row {row}, column {column} of its Jacobian")));
        }
        for (joint, rate) in self.function.rates().iter().enumerate() {
            let column = self.jacobian.iter().skip(joint).step_by(dof).map(|entry| entry * entry).sum::<f64>().sqrt();
            if column > rate * (1.0 + RATE_ROUNDING_RATIO) + RATE_ROUNDING {
                let detail =
                    format!("changes at the rate {column:.3e} with joint {joint}, whose stated rate is {rate:.3e}");
                return Err(self.failed(detail));
            }
        }
        Ok(())
    }
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}
