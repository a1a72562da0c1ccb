//! `SequenceResult`: what a sequence came to.

use kinetic::core::TimedTrajectory;
use kinetic::planning::{PlanningResult, SequenceBlend, SequenceOutcome, SequencePart, SequenceResult};
use pyo3::prelude::*;

use crate::convert::{Array, Dict, Dicts};
use crate::error::Result;
use crate::planning::cartesian::result::PyCartesianResult;
use crate::trajectory::PyTrajectory;

/// A sequence of motions as one.
#[pyclass(frozen, module = "kinetic", name = "SequenceResult")]
pub(crate) struct PySequenceResult {
    trajectory: Py<PyTrajectory>,
    boundaries: Vec<f64>,
    parts: Vec<Part>,
}

/// An item as Python sees it.
struct Part {
    trajectory: Py<PyTrajectory>,
    outcome: Outcome,
    blend: Option<SequenceBlend>,
}

enum Outcome {
    Free { result: Box<PlanningResult>, starts: [u64; 2] },
    Cartesian(Py<PyCartesianResult>),
}

impl PySequenceResult {
    pub(crate) fn new(py: Python<'_>, planned: SequenceResult, joint_names: &[String]) -> Result<Self> {
        let boundaries = planned.boundaries();
        let timed = |motion: TimedTrajectory| {
            let joint_names = joint_names.to_vec();
            Py::new(py, PyTrajectory { joint_names, ..PyTrajectory::timed(motion) })
        };
        let part = |part: SequencePart| -> Result<Part> {
            let trajectory = timed(part.trajectory)?;
            let outcome = match part.outcome {
                SequenceOutcome::Free { result, starts_tried, starts_followed } => {
                    Outcome::Free { result, starts: [starts_tried, starts_followed] }
                }
                SequenceOutcome::Cartesian(result) => {
                    let trajectory = trajectory.clone_ref(py);
                    Outcome::Cartesian(Py::new(py, PyCartesianResult { result: *result, trajectory })?)
                }
            };
            Ok(Part { trajectory, outcome, blend: part.blend })
        };
        let parts = planned.parts.into_iter().map(part).collect::<Result<_>>()?;
        Ok(Self { trajectory: timed(planned.trajectory)?, boundaries, parts })
    }
}

#[pymethods]
impl PySequenceResult {
    /// All items, one after the other, with one certificate; without where an item does not avoid collisions.
    #[getter]
    fn trajectory<'py>(&self, py: Python<'py>) -> Bound<'py, PyTrajectory> {
        self.trajectory.bind(py).clone()
    }

    /// When each item begins, and when the last one ends (items + 1,), s; in the middle of blends where there are some.
    #[getter]
    fn boundaries<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, &self.boundaries)
    }

    /// One dict per item: `begin` and `end` (s), `trajectory` (its motion alone, with its own certificate), `cartesian` (its
    /// `CartesianResult`, or None), `blend_radius` (m, inside of which its end is rounded into the next item; 0 where it stops) and
    /// `blend_reason` (why that is less than what was asked for, or None). Of motions through free space also `goal_index` (which member of a set of goals is met),
    /// `planner_used`, `starts_tried` (configurations at the goal from which the Cartesian items that follow were planned) and
    /// `starts_followed` (from how many of them these can be followed).
    #[getter]
    fn items<'py>(&self, py: Python<'py>) -> Result<Dicts<'py>> {
        let entry = |(part, moments): (&Part, &[f64])| -> Result<Dict<'py>> {
            let dict = Dict::new(py).with("begin", moments[0])?.with("end", moments[1])?;
            let dict = dict.with("trajectory", part.trajectory.bind(py).clone())?;
            let reason = part.blend.as_ref().and_then(|blend| blend.reason.as_ref()).map(ToString::to_string);
            let dict = dict.with("blend_radius", part.blend.as_ref().map_or(0.0, |blend| blend.radius))?;
            let dict = dict.with("blend_reason", reason)?;
            Ok(match &part.outcome {
                Outcome::Cartesian(result) => dict.with("cartesian", result.bind(py).clone())?,
                Outcome::Free { result, starts: [tried, followed] } => dict
                    .with("cartesian", py.None())?
                    .with("goal_index", result.goal_index)?
                    .with("planner_used", result.planner_used)?
                    .with("starts_tried", *tried)?
                    .with("starts_followed", *followed)?,
            })
        };
        let entries = self.parts.iter().zip(self.boundaries.windows(2)).map(entry);
        Ok(Dicts::new(py, entries.collect::<Result<_>>()?)?)
    }

    fn __len__(&self) -> usize {
        self.parts.len()
    }

    fn __repr__(&self) -> String {
        let duration = self.boundaries.last().copied().unwrap_or_default();
        format!("<SequenceResult: {} items, {duration:.3} s>", self.parts.len())
    }
}
