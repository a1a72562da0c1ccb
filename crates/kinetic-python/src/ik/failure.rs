//! What an exception of inverse kinematics keeps, so that its report can be worked out when somebody asks for it.

use std::sync::Arc;

use kinetic::core::{Pose, StopFlag};
use kinetic::kinematics::{BranchReport, IKConfig, IkReport, IkSuggestion, InverseKinematics};
use pyo3::prelude::*;

use crate::convert::{Array, Dict, Dicts};
use crate::error::{Error, Result, keep};
use crate::interrupt::interruptible;
use crate::planning::failure::misses;

/// A query to inverse kinematics that has no answer.
#[pyclass(frozen, module = "kinetic._kinetic", name = "IkFailure")]
pub(crate) struct PyIkFailure {
    ik: Arc<InverseKinematics>,
    target: Pose,
    config: IKConfig,
}

/// The exception, which keeps the query.
pub(crate) fn with_question(
    py: Python<'_>,
    error: Error,
    ik: &Arc<InverseKinematics>,
    target: &Pose,
    config: &IKConfig,
) -> Error {
    let failure = PyIkFailure { ik: Arc::clone(ik), target: *target, config: config.clone() };
    keep(py, error, "_failure", failure)
}

#[pymethods]
impl PyIkFailure {
    /// Evidence, suggestions and text of the report.
    #[pyo3(signature = (tries=true))]
    fn report<'py>(&self, py: Python<'py>, tries: bool) -> Result<Dict<'py>> {
        let explain = if tries { InverseKinematics::explain } else { InverseKinematics::look_into };
        let config = IKConfig { stop: StopFlag::default(), ..self.config.clone() };
        let report = interruptible(py, &config.stop, || explain(&self.ik, &self.target, &config))??;
        let dict = Dict::new(py).with("text", report.to_string())?;
        Ok(dict.with("evidence", evidence(py, &report)?)?.with("suggestions", suggestions(py, &report)?)?)
    }
}

fn evidence<'py>(py: Python<'py>, report: &IkReport) -> Result<Dict<'py>> {
    let outside = report.outside_limits();
    let counts = Dict::new(py).with("found", report.branches.len())?.with("outside_limits", outside)?;
    let branch = |branch: &BranchReport| -> Result<Dict<'py>> {
        let entry = Dict::new(py).with("joints", Array::vector(py, &branch.joints)?)?;
        Ok(entry.with("outside", misses(py, &branch.outside)?)?)
    };
    let branches = report.branches.iter().map(branch).collect::<Result<_>>()?;
    let dict = Dict::new(py).with("target", Array::pose(py, &report.target)?)?;
    let dict = dict.with("nearest_pose", Array::pose(py, &report.nearest_pose)?)?;
    let dict = dict.with("nearest_joints", Array::vector(py, &report.nearest.joints)?)?;
    let dict = dict.with("position_error", report.nearest.position_error)?;
    let dict = dict.with("orientation_error", report.nearest.orientation_error)?;
    let dict = dict.with("at_limits", misses(py, &report.at_limits)?)?;
    let dict = dict.with("out_of_reach", report.out_of_reach.as_deref())?.with("solver", report.solver.as_deref())?;
    Ok(dict.with("ik_counts", counts)?.with("branches", Dicts::new(py, branches)?)?)
}

fn suggestions<'py>(py: Python<'py>, report: &IkReport) -> Result<Dicts<'py>> {
    let entry = |suggestion: &IkSuggestion| -> Result<Dict<'py>> {
        let entry = Dict::new(py).with("change", suggestion.change.to_string())?;
        let entry = entry.with("kind", suggestion.change.kind())?.with("tried", true)?;
        let entry = entry.with("solved", suggestion.answer.is_some())?;
        let joints = suggestion.answer.as_ref().map(|joints| Array::vector(py, joints)).transpose()?;
        Ok(entry.with("joints", joints)?.with("target", Array::pose(py, &suggestion.target)?)?)
    };
    Ok(Dicts::new(py, report.suggestions.iter().map(entry).collect::<Result<_>>()?)?)
}
