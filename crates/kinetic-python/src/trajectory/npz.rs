//! NumPy archives: NumPy packs and unpacks them in memory, the files are read and written as all others.

use std::path::Path;

use kinetic::core::{KineticError, files};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::error::Result;

/// Writes arrays by name to the file of that very name; `function` of NumPy packs them.
pub(crate) fn write(path: &Path, function: &str, arrays: &Bound<'_, PyDict>) -> Result<()> {
    let py = arrays.py();
    let buffer = py.import("io")?.getattr("BytesIO")?.call0()?;
    py.import("numpy")?.getattr(function)?.call((&buffer,), Some(arrays))?;
    let archive: Vec<u8> = buffer.call_method0("getvalue")?.extract()?;
    Ok(py.detach(|| files::write(path, archive))?)
}

/// The archive in a file; `what` it should have been stands in the error.
pub(crate) fn read<'py>(py: Python<'py>, path: &Path, what: &str) -> Result<Bound<'py, PyAny>> {
    let bytes = py.detach(|| files::read(path))?;
    Ok(unpacked(py, &bytes).map_err(|error| no_archive(path, what, &error))?)
}

/// The error for a file that is no archive of that kind.
pub(crate) fn no_archive(path: &Path, what: &str, error: &PyErr) -> KineticError {
    let detail = format!("not {what}: {error}");
    KineticError::FileParse { file: path.display().to_string(), line: 0, detail }
}

fn unpacked<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let options = PyDict::new(py);
    options.set_item("allow_pickle", false)?;
    // NumPy would leave a file open that is no archive.
    let buffer = py.import("io")?.getattr("BytesIO")?.call1((PyBytes::new(py, bytes),))?;
    let archive = py.import("numpy")?.getattr("load")?.call((buffer,), Some(&options))?;
    let mut size = 0_u64;
    for entry in archive.getattr("zip")?.call_method0("infolist")?.try_iter()? {
        size = size.saturating_add(entry?.getattr("file_size")?.extract()?);
    }
    if size > files::MOST_FILE_BYTES {
        let message = format!("it unpacks to {size} bytes; at most {} are read", files::MOST_FILE_BYTES);
        return Err(pyo3::exceptions::PyValueError::new_err(message));
    }
    Ok(archive)
}
