//! Answers of a batch: trajectories, and errors as exceptions.

use std::convert::Infallible;

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyList;
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_subscript, type_hint_union};

use crate::convert::output;
use crate::error::{Error, Result};
use crate::trajectory::PyTrajectory;

output!(
    /// A list of trajectories and of exceptions.
    Outcomes,
    Bound<'py, PyList>,
    type_hint_subscript!(
        type_hint_identifier!("builtins", "list"),
        type_hint_union!(PyTrajectory::TYPE_HINT, type_hint_identifier!("kinetic.exceptions", "KineticError"))
    )
);

impl<'py> Outcomes<'py> {
    /// The items in order; errors as the exceptions that they are raised as.
    pub(crate) fn new(py: Python<'py>, items: Vec<kinetic::core::Result<PyTrajectory>>) -> Result<Self> {
        let list = PyList::empty(py);
        for item in items {
            match item {
                Ok(trajectory) => list.append(trajectory)?,
                Err(error) => list.append(PyErr::from(Error::from(error)).into_value(py))?,
            }
        }
        Ok(Self(list))
    }
}
