//! What configurations cost: a name, or a function of Python. Only a function takes the GIL, for one call each.

use std::cell::RefCell;

use kinetic::core::{KineticError, StateCost};
use pyo3::exceptions::PyException;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::{type_hint_identifier, type_hint_subscript, type_hint_union};

use crate::convert::{Array, FLOAT_ARRAY, Real, Text};
use crate::error::{Error, Result};
use crate::execution::callbacks::CallableArg;

/// A name of a cost, or a function of joint values.
pub(crate) struct StateCostArg(pub(crate) StateCost);

impl FromPyObject<'_, '_> for StateCostArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(
        type_hint_identifier!("builtins", "str"),
        type_hint_subscript!(
            type_hint_identifier!("collections.abc", "Callable"),
            PyStaticExpr::List { elts: &[FLOAT_ARRAY] },
            type_hint_identifier!("builtins", "float")
        )
    );

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if given.cast::<PyString>().is_ok() {
            return Ok(Self(StateCost::from_name(&given.extract::<Text>()?.0)?));
        }
        let function = given.extract::<CallableArg>()?;
        Ok(Self(StateCost::function(move |q| cost_of(&function, q))))
    }
}

thread_local! {
    /// What a function raised in a plan of this thread.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// What a function raised in the last plan of this thread, once.
pub(crate) fn take_raised() -> Option<PyErr> {
    RAISED.take()
}

/// The error of a plan that what a function raised has ended: that itself where it is no `Exception`, as `KeyboardInterrupt` and
/// `SystemExit`, and otherwise with that as its cause.
pub(crate) fn caused(py: Python<'_>, error: Error, raised: Option<PyErr>) -> Error {
    let Some(raised) = raised else { return error };
    if !raised.is_instance_of::<PyException>(py) {
        return Error::Python(raised);
    }
    let error = PyErr::from(error);
    error.set_cause(py, Some(raised));
    Error::Python(error)
}

/// What a function makes of a configuration.
fn cost_of(function: &CallableArg, q: &[f64]) -> kinetic::core::Result<f64> {
    let called = Python::try_attach(|py| -> Result<f64> {
        let value = function.bind(py).call1((Array::vector(py, q)?,))?;
        Ok(value.extract::<Real>()?.0)
    });
    let detail = match called {
        Some(Ok(cost)) => return Ok(cost),
        Some(Err(error)) => {
            let error = PyErr::from(error);
            let detail = format!("raised {error}");
            RAISED.set(Some(error));
            detail
        }
        None => "was called after Python had ended".to_owned(),
    };
    Err(KineticError::CostFunctionFailed { detail })
}
