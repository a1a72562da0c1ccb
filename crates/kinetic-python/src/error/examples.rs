//! Raises one example of every error, so that a test can look at what Python gets.

use kinetic::core::KineticError;
use pyo3::prelude::*;

use crate::convert::Text;
use crate::error::Result;

/// Raises an example of the error with this code; for tests of the error map.
#[pyfunction]
pub(crate) fn _raise_example(code: Text) -> Result<()> {
    let examples = KineticError::examples();
    let available: Vec<&str> = examples.iter().map(KineticError::code).collect();
    let found = examples.into_iter().find(|error| error.code() == code.0);
    let unknown = || KineticError::unknown_name("error", code.0, available);
    Err(found.unwrap_or_else(unknown).into())
}
