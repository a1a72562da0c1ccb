//! From [`KineticError`] to the classes of `kinetic.exceptions`: a class per family, and the fields as attributes.

pub(crate) mod examples;

use std::io::ErrorKind;

use kinetic::core::error::FieldValue;
use kinetic::core::{ErrorFamily, KineticError};
use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyIsADirectoryError, PyNotADirectoryError, PyOSError, PyPermissionError,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

pyo3::import_exception!(kinetic.exceptions, ExecutionError);
pyo3::import_exception!(kinetic.exceptions, IKError);
pyo3::import_exception!(kinetic.exceptions, InputError);
pyo3::import_exception!(kinetic.exceptions, PlanningError);

/// What a bound function fails with: an error of kinetic, or one that Python raised on the way.
pub(crate) enum Error {
    Kinetic(KineticError),
    Python(PyErr),
}

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl From<KineticError> for Error {
    fn from(error: KineticError) -> Self {
        Self::Kinetic(error)
    }
}

impl From<PyErr> for Error {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        match error {
            Error::Python(error) => error,
            // Failing to build the exception is itself an exception to raise.
            Error::Kinetic(error) => Python::attach(|py| exception(py, &error).unwrap_or_else(|failure| failure)),
        }
    }
}

/// The error with a diagnostic behind its message and as `stopped_by`.
pub(crate) fn with_diagnostic(py: Python<'_>, error: Error, diagnostic: &str) -> Error {
    let error = PyErr::from(error);
    let value = error.value(py);
    let changed = value
        .setattr("args", (format!("{value}; {diagnostic}"),))
        .and_then(|()| value.setattr("stopped_by", diagnostic));
    changed.map_or_else(Error::Python, |()| Error::Python(error))
}

/// The error with something that its exception keeps under a name.
pub(crate) fn keep<'py>(py: Python<'py>, error: Error, name: &str, kept: impl IntoPyObject<'py>) -> Error {
    let error = PyErr::from(error);
    let changed = error.value(py).setattr(name, kept);
    changed.map_or_else(Error::Python, |()| Error::Python(error))
}

/// The exception of an error, with `code`, `retryable` and the variant's fields as attributes.
fn exception(py: Python<'_>, error: &KineticError) -> PyResult<PyErr> {
    let class = class(py, error);
    let (message, fields) = (error.to_string(), fields(py, error)?);
    if error.family() != ErrorFamily::Files {
        let value = class.call((message, error.code(), error.is_retryable()), Some(&fields))?;
        return Ok(PyErr::from_value(value));
    }
    // Built-in classes take the message alone.
    let value = class.call1((message,))?;
    value.setattr("code", error.code())?;
    value.setattr("retryable", error.is_retryable())?;
    for (name, field) in fields {
        value.setattr(name.cast::<pyo3::types::PyString>()?, field)?;
    }
    Ok(PyErr::from_value(value))
}

fn class<'py>(py: Python<'py>, error: &KineticError) -> Bound<'py, PyType> {
    match error.family() {
        ErrorFamily::Input => py.get_type::<InputError>(),
        ErrorFamily::InverseKinematics => py.get_type::<IKError>(),
        ErrorFamily::Planning => py.get_type::<PlanningError>(),
        ErrorFamily::Execution => py.get_type::<ExecutionError>(),
        ErrorFamily::Files => match error {
            KineticError::Io { kind, .. } => file_class(py, *kind),
            _ => py.get_type::<PyOSError>(),
        },
    }
}

fn file_class(py: Python<'_>, kind: ErrorKind) -> Bound<'_, PyType> {
    match kind {
        ErrorKind::NotFound => py.get_type::<PyFileNotFoundError>(),
        ErrorKind::PermissionDenied => py.get_type::<PyPermissionError>(),
        ErrorKind::AlreadyExists => py.get_type::<PyFileExistsError>(),
        ErrorKind::IsADirectory => py.get_type::<PyIsADirectoryError>(),
        ErrorKind::NotADirectory => py.get_type::<PyNotADirectoryError>(),
        _ => py.get_type::<PyOSError>(),
    }
}

/// The fields of a variant by name.
fn fields<'py>(py: Python<'py>, error: &KineticError) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in error.fields() {
        match value {
            FieldValue::Text(text) => dict.set_item(name, text)?,
            FieldValue::Integer(count) => dict.set_item(name, count)?,
            FieldValue::Float(quantity) => dict.set_item(name, quantity)?,
            FieldValue::Texts(names) => dict.set_item(name, names)?,
        }
    }
    Ok(dict)
}
