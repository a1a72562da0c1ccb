//! What the library logs goes to Python's `logging`, as the logger `kinetic`.

use log::{Level, LevelFilter, Log, Metadata, Record};
use pyo3::prelude::*;

/// Passes records on. Nothing is imported until there is one.
struct PythonLog;

static PYTHON_LOG: PythonLog = PythonLog;

impl Log for PythonLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::max_level() && metadata.target().starts_with("kinetic")
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let method = match record.level() {
            Level::Error => "error",
            Level::Warn => "warning",
            Level::Info => "info",
            Level::Debug | Level::Trace => "debug",
        };
        let pass_on = |py: Python<'_>| -> PyResult<()> {
            let logger = py.import("logging")?.call_method1("getLogger", ("kinetic",))?;
            // The message is no format.
            logger.call_method1(method, ("%s", record.args().to_string())).map(drop)
        };
        // A message that Python cannot take is no reason to end the call that it is about.
        Python::attach(|py| pass_on(py).unwrap_or_else(|error| error.write_unraisable(py, None)));
    }

    fn flush(&self) {}
}

/// From now on what the library logs goes to the logger `kinetic`. Called when the package is imported.
#[pyfunction]
pub(crate) fn _log_to_python() {
    // Fails where a logger was set before, which is this one.
    if log::set_logger(&PYTHON_LOG).is_ok() {
        log::set_max_level(LevelFilter::Warn);
    }
}
