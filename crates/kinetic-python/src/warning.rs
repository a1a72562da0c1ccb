//! Warnings: what was left out, or not checked, while the call went on.

use std::ffi::CString;

use kinetic::scene::Scene;
use pyo3::prelude::*;

use crate::error::Result;

pyo3::import_exception!(kinetic.exceptions, KineticWarning);

/// Warns the caller of the bound function.
pub(crate) fn warn(py: Python<'_>, message: &str) -> Result<()> {
    let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
    Ok(PyErr::warn(py, &py.get_type::<KineticWarning>(), &message, 1)?)
}

/// Warns of links that a group moves and that nothing is checked for.
pub(crate) fn warn_of_unchecked_links(py: Python<'_>, scene: &Scene, group: &str) -> Result<()> {
    let links = scene.unchecked_links(group)?;
    if links.is_empty() {
        return Ok(());
    }
    let names = links.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    warn(py, &format!("links without collision shapes: nothing is checked for {names}"))
}
