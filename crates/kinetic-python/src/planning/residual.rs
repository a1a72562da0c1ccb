//! Functions of Python as residuals of constraints. Only they take the GIL, for one call each.

use kinetic::core::{KineticError, Residual};
use pyo3::prelude::*;

use crate::convert::{Array, Matrix, Vector};
use crate::error::Result;
use crate::execution::callbacks::CallableArg;

/// A residual and its Jacobian.
pub(crate) struct PythonResidual {
    name: String,
    residual: CallableArg,
    jacobian: Option<CallableArg>,
}

impl PythonResidual {
    pub(crate) fn new(name: String, residual: CallableArg, jacobian: Option<CallableArg>) -> Self {
        Self { name, residual, jacobian }
    }

    /// What a function makes of a configuration, as numbers, with their shape in words.
    fn call<T>(
        &self,
        function: &CallableArg,
        q: &[f64],
        read: impl FnOnce(&Bound<'_, PyAny>) -> Result<T>,
    ) -> kinetic::core::Result<T> {
        let called = Python::try_attach(|py| {
            let value = function.bind(py).call1((Array::vector(py, q)?,))?;
            read(&value)
        });
        match called {
            Some(Ok(value)) => Ok(value),
            Some(Err(error)) => Err(self.failed(format!("raised {}", PyErr::from(error)))),
            None => Err(self.failed("was called after Python had ended".to_owned())),
        }
    }

    fn failed(&self, detail: String) -> KineticError {
        KineticError::ConstraintFunctionFailed { constraint: self.name.clone(), detail }
    }
}

impl Residual for PythonResidual {
    fn residual(&self, q: &[f64], out: &mut [f64]) -> kinetic::core::Result<()> {
        let values = self.call(&self.residual, q, |value| Ok(value.extract::<Vector>()?.0))?;
        if values.len() != out.len() {
            return Err(self.failed(format!("has {} values, expected {}", values.len(), out.len())));
        }
        out.copy_from_slice(&values);
        Ok(())
    }

    fn jacobian(&self, q: &[f64], out: &mut [f64]) -> kinetic::core::Result<bool> {
        let Some(jacobian) = &self.jacobian else { return Ok(false) };
        let matrix = self.call(jacobian, q, |value| value.extract::<Matrix>())?;
        let wanted = (out.len() / q.len().max(1), q.len());
        if (matrix.num_rows(), matrix.num_columns()) != wanted {
            let (rows, columns) = (matrix.num_rows(), matrix.num_columns());
            let detail = format!("has a Jacobian of {rows} x {columns} values, expected {} x {}", wanted.0, wanted.1);
            return Err(self.failed(detail));
        }
        out.copy_from_slice(&matrix.values);
        Ok(true)
    }
}
