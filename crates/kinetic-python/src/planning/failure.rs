//! What an exception of planning keeps, so that its report can be worked out when somebody asks for it.

use std::sync::Arc;

use kinetic::core::{KineticError, Pair, StopFlag};
use kinetic::kinematics::LimitViolation;
use kinetic::planning::report::{
    BranchFate, Evidence, GrownTree, IkEvidence, MemberEvidence, SearchEvidence, StateEvidence,
};
use kinetic::planning::{Change, PlanningProblem, PlanningReport, ReportOptions};
use pyo3::prelude::*;

use crate::convert::{Array, Count, Dict, Dicts, Real};
use crate::error::{Error, Result, keep};
use crate::interrupt::interruptible;
use crate::planning::problem::PyProblem;

/// A problem and the error that it failed with.
#[pyclass(frozen, module = "kinetic._kinetic", name = "PlanningFailure")]
pub(crate) struct PyPlanningFailure {
    problem: Arc<PlanningProblem>,
    error: KineticError,
}

impl PyPlanningFailure {
    pub(crate) fn new(problem: &Arc<PlanningProblem>, error: KineticError) -> Self {
        Self { problem: Arc::clone(problem), error }
    }
}

/// The exception of the failure, which keeps it.
pub(crate) fn with_failure(py: Python<'_>, failure: PyPlanningFailure) -> Error {
    let error = Error::from(failure.error.clone());
    keep(py, error, "_failure", failure)
}

#[pymethods]
impl PyPlanningFailure {
    /// Evidence, suggestions and text of the report.
    ///
    /// Args:
    ///     tries: Whether changes are tried; otherwise there are no suggestions.
    ///     iterations: Iterations of each search.
    ///     timeout: Seconds of each search.
    #[pyo3(
        signature = (tries=true, iterations=Count(5_000), timeout=Real(2.0)),
        text_signature = "($self, tries=True, iterations=5000, timeout=2.0)"
    )]
    fn report<'py>(&self, py: Python<'py>, tries: bool, iterations: Count, timeout: Real) -> Result<Dict<'py>> {
        let stop = StopFlag::default();
        let options = ReportOptions { iterations: iterations.0 as u64, timeout: timeout.0, tries, stop: stop.clone() };
        let report = interruptible(py, &stop, || self.problem.explain(&self.error, &options))??;
        let dict = Dict::new(py).with("text", report.to_string())?;
        let dict = dict.with("evidence", evidence(py, &report.evidence)?)?;
        Ok(dict.with("suggestions", suggestions(py, &report)?)?)
    }

    /// The problem that failed.
    #[getter]
    fn problem(&self) -> PyProblem {
        PyProblem(Arc::clone(&self.problem))
    }
}

fn suggestions<'py>(py: Python<'py>, report: &PlanningReport) -> Result<Dicts<'py>> {
    let entry = |suggestion: &kinetic::planning::Suggestion| {
        let entry = Dict::new(py).with("change", suggestion.change.to_string())?;
        let kinds: Vec<&str> = suggestion.change.parts().iter().map(Change::kind).collect();
        let entry =
            entry.with("kind", suggestion.change.kind())?.with("kinds", kinds)?.with("tried", suggestion.tried)?;
        let entry = entry.with("solved", suggestion.solved)?.with("failure", suggestion.failure)?;
        entry.with("problem", PyProblem::new(suggestion.problem.clone()))
    };
    Ok(Dicts::new(py, report.suggestions.iter().map(entry).collect::<PyResult<_>>()?)?)
}

fn names(pair: &Pair) -> (&str, &str) {
    (&pair.link, &pair.other)
}

fn evidence<'py>(py: Python<'py>, evidence: &Evidence) -> Result<Dict<'py>> {
    let mut dict = headline(Dict::new(py), evidence)?;
    for (name, state) in [("start", &evidence.start), ("goal", &evidence.goal)] {
        if let Some(state) = state {
            dict = dict.with(name, state_dict(py, state)?)?;
        }
    }
    if !evidence.members.is_empty() {
        let members = evidence.members.iter().map(|member| member_dict(py, member)).collect::<Result<_>>()?;
        dict = dict.with("goals", Dicts::new(py, members)?)?;
    }
    if let Some(ik) = &evidence.ik {
        dict = dict.with("ik_counts", ik_counts(py, ik)?)?.with("branches", branches(py, ik)?)?;
        dict = self_motion(py, nearest(py, dict, ik)?, ik)?;
    }
    if let Some(search) = &evidence.search {
        dict = search_evidence(py, dict, search)?;
    }
    Ok(dict)
}

/// What the failure is about as entries of the report's own: one pair with its numbers, one joint with its.
fn headline<'py>(dict: Dict<'py>, evidence: &Evidence) -> PyResult<Dict<'py>> {
    let mut dict = dict;
    if let Some(pair) = evidence.pair() {
        dict = dict.with("pair", names(pair))?;
    }
    if let Some(contact) = evidence.tightest() {
        dict =
            dict.with("depth", contact.depth())?.with("distance", contact.distance)?.with("margin", contact.margin)?;
    } else if let Some((_, distance)) = evidence.ik.as_ref().and_then(IkEvidence::nearest_to_free) {
        dict = dict.with("depth", (-distance).max(0.0))?.with("distance", distance)?;
    }
    if let Some(miss) = evidence.outside() {
        let limit = if miss.value > miss.max { miss.max } else { miss.min };
        dict = dict.with("joint", miss.joint.as_str())?.with("value", miss.value)?;
        dict = dict.with("limit", limit)?.with("amount", miss.amount())?;
    }
    Ok(dict)
}

/// A member of a set of goals: a configuration as `start` and `goal` have it, or a pose with its branches.
fn member_dict<'py>(py: Python<'py>, member: &MemberEvidence) -> Result<Dict<'py>> {
    let mut dict = match &member.goal {
        Some(state) => state_dict(py, state)?,
        None => Dict::new(py),
    };
    if let Some(ik) = &member.ik {
        dict = dict.with("ik_counts", ik_counts(py, ik)?)?.with("branches", branches(py, ik)?)?;
        dict = self_motion(py, nearest(py, dict, ik)?, ik)?;
    }
    Ok(dict.with("index", member.index)?)
}

pub(crate) fn misses<'py>(py: Python<'py>, outside: &[LimitViolation]) -> PyResult<Dicts<'py>> {
    let entry = |miss: &LimitViolation| {
        let entry = Dict::new(py).with("joint", miss.joint.as_str())?.with("value", miss.value)?;
        entry.with("min", miss.min)?.with("max", miss.max)?.with("amount", miss.amount())
    };
    Dicts::new(py, outside.iter().map(entry).collect::<PyResult<_>>()?)
}

fn state_dict<'py>(py: Python<'py>, state: &StateEvidence) -> Result<Dict<'py>> {
    let contact = |contact: &kinetic::planning::report::ContactEvidence| -> Result<Dict<'py>> {
        let entry = Dict::new(py).with("pair", names(&contact.pair))?.with("distance", contact.distance)?;
        let entry = entry.with("depth", contact.depth())?.with("margin", contact.margin)?;
        let entry = entry.with("point_on_link", Array::vector(py, contact.point_on_link.coords.as_slice())?)?;
        Ok(entry.with("point_on_other", Array::vector(py, contact.point_on_other.coords.as_slice())?)?)
    };
    let contacts = state.contacts.iter().map(contact).collect::<Result<_>>()?;
    let dict = Dict::new(py).with("joints", Array::vector(py, &state.joints)?)?;
    Ok(dict.with("contacts", Dicts::new(py, contacts)?)?.with("outside", misses(py, &state.outside)?)?)
}

fn ik_counts<'py>(py: Python<'py>, ik: &IkEvidence) -> PyResult<Dict<'py>> {
    let dict = Dict::new(py).with("found", ik.fates.len())?.with("outside_limits", ik.outside_limits())?;
    dict.with("in_collision", ik.in_collision())?.with("free", ik.free())
}

fn branches<'py>(py: Python<'py>, ik: &IkEvidence) -> Result<Dicts<'py>> {
    let entry = |(branch, fate): (&kinetic::kinematics::BranchReport, &BranchFate)| -> Result<Dict<'py>> {
        let entry = Dict::new(py).with("joints", Array::vector(py, &branch.joints)?)?;
        Ok(match fate {
            BranchFate::Free => entry.with("fate", "free")?,
            BranchFate::OutsideLimits(outside) => {
                entry.with("fate", "outside_limits")?.with("outside", misses(py, outside)?)?
            }
            BranchFate::InCollision(pair, distance) => {
                entry.with("fate", "in_collision")?.with("pair", names(pair))?.with("distance", *distance)?
            }
        })
    };
    let entries = ik.report.branches.iter().zip(&ik.fates).map(entry).collect::<Result<_>>()?;
    Ok(Dicts::new(py, entries)?)
}

fn nearest<'py>(py: Python<'py>, dict: Dict<'py>, ik: &IkEvidence) -> Result<Dict<'py>> {
    let report = &ik.report;
    let dict = dict.with("nearest_pose", Array::pose(py, &report.nearest_pose)?)?;
    let dict = dict.with("nearest_joints", Array::vector(py, &report.nearest.joints)?)?;
    let dict = dict.with("position_error", report.nearest.position_error)?;
    let dict = dict.with("orientation_error", report.nearest.orientation_error)?;
    Ok(dict.with("out_of_reach", report.out_of_reach.as_deref())?)
}

/// What was tried of a redundant arm's self-motion, where it was.
fn self_motion<'py>(py: Python<'py>, dict: Dict<'py>, ik: &IkEvidence) -> PyResult<Dict<'py>> {
    let Some(tried) = &ik.self_motion else { return Ok(dict) };
    let colliding: Vec<(&str, &str, u64)> =
        tried.colliding.iter().map(|(pair, count)| (pair.link.as_str(), pair.other.as_str(), *count)).collect();
    let entry = Dict::new(py).with("places", tried.places)?.with("configurations", tried.configurations)?;
    let entry = entry.with("inside_limits", tried.inside_limits)?.with("in_collision", tried.in_collision)?;
    dict.with("self_motion", entry.with("colliding", colliding)?)
}

fn search_evidence<'py>(py: Python<'py>, dict: Dict<'py>, search: &SearchEvidence) -> Result<Dict<'py>> {
    let trees = search.trees.iter().map(|tree| tree_dict(py, tree)).collect::<Result<_>>()?;
    let blocking: Vec<(&str, &str, u64)> =
        search.blocking.iter().map(|(pair, count)| (pair.link.as_str(), pair.other.as_str(), *count)).collect();
    let dict = dict.with("search_iterations", search.iterations)?.with("search_time", search.elapsed)?;
    let dict = dict.with("motions", search.motions)?.with("trees", Dicts::new(py, trees)?)?;
    let dict = dict.with("blocking", blocking)?.with("gap", search.gap.as_ref().map(names))?;
    let Some((from, to, distance)) = &search.approach else {
        return Ok(dict);
    };
    let approach = Dict::new(py).with("from", Array::vector(py, from)?)?.with("to", Array::vector(py, to)?)?;
    Ok(dict.with("approach", approach.with("distance", *distance)?)?)
}

/// Nodes (N, dof), parents (−1 for roots) and tool positions (N, 3) of a tree.
fn tree_dict<'py>(py: Python<'py>, tree: &GrownTree) -> Result<Dict<'py>> {
    let dof = tree.nodes.first().map_or(0, |node| node.len());
    let values: Vec<f64> = tree.nodes.iter().flat_map(|node| node.iter().copied()).collect();
    let parents: Vec<isize> = tree.parents.iter().map(|parent| parent.map_or(-1, usize::cast_signed)).collect();
    let dict = Dict::new(py).with("nodes", Array::new(py, &[tree.nodes.len(), dof], &values)?)?;
    let dict = dict.with("parents", parents)?;
    Ok(dict.with("tools", Array::new(py, &[tree.tools.len(), 3], tree.tools.as_flattened())?)?)
}
