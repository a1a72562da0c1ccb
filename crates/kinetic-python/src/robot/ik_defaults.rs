//! Defaults of numerical inverse kinematics, for the test that compares signatures with them.

use kinetic::ik::IKConfig;
use pyo3::prelude::*;

use crate::convert::Dict;
use crate::error::Result;

/// Defaults of numerical inverse kinematics by the keywords that stand for them.
#[pyfunction]
pub(crate) fn _ik_defaults(py: Python<'_>) -> Result<Dict<'_>> {
    let config = IKConfig::default();
    let dict = Dict::new(py).with("solver", config.solver.id())?.with("mode", config.mode.id())?;
    let dict = dict.with("max_iterations", config.max_iterations)?.with("num_restarts", config.num_restarts)?;
    let dict = dict.with("position_tolerance", config.position_tolerance)?;
    let dict = dict.with("orientation_tolerance", config.orientation_tolerance)?;
    Ok(dict.with("check_limits", config.check_limits)?)
}
