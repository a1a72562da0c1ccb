//! `Problem`: solving it.

use std::sync::Arc;

use kinetic::core::StopFlag;
use kinetic::planning::ProblemSolution;
use pyo3::prelude::*;

use crate::convert::Dict;
use crate::error::Result;
use crate::interrupt::interruptible;
use crate::planning::failure::{PyPlanningFailure, with_failure};
use crate::planning::problem::PyProblem;
use crate::trajectory::PyTrajectory;

impl PyProblem {
    /// Answers it with `solve`, which ends when the flag is set.
    fn answered<T: Send>(
        &self,
        py: Python<'_>,
        solve: impl FnOnce(StopFlag) -> kinetic::core::Result<T> + Send,
    ) -> Result<T> {
        let stop = StopFlag::default();
        let answer = interruptible(py, &stop, || solve(stop.clone()))?;
        answer.map_err(|error| with_failure(py, PyPlanningFailure::new(&self.0, error)))
    }

    fn trajectory(&self, solution: &ProblemSolution) -> Result<PyTrajectory> {
        let mut trajectory = match &solution.trajectory {
            Some(timed) => PyTrajectory::timed(timed.clone()),
            None => PyTrajectory::path(solution.result.path.clone()),
        };
        trajectory.joint_names = self.0.planner()?.chain().joint_names().to_vec();
        trajectory.problem = Some(Arc::clone(&self.0));
        trajectory.lead_in = solution.result.lead_in.clone().map(Arc::new);
        Ok(trajectory)
    }
}

#[pymethods]
impl PyProblem {
    /// Solves it; what is returned has passed verification. Ctrl-C stops it.
    ///
    /// Raises:
    ///     InputError: Unknown names, joint values outside their limits.
    ///     PlanningError: Start or goal in collision, goal out of reach, iterations used up.
    fn solve(&self, py: Python<'_>) -> Result<PyTrajectory> {
        let solution = self.answered(py, |stop| self.0.solve_controlled(&self.0.control(stop)))?;
        self.trajectory(&solution)
    }

    /// Solves it again and compares the answer with the one that its file holds; of a race for the first answer, that of each
    /// planner until one is the same.
    ///
    /// Returns:
    ///     `trajectory`; `found`, the hash of this answer; `expected`, that of the stored one, and `same`: both None when the
    ///     problem was saved without an answer.
    ///
    /// Raises:
    ///     InputError, PlanningError: As `solve`.
    fn replay<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        let replay = self.answered(py, |stop| self.0.replay(stop))?;
        let dict = Dict::new(py).with("trajectory", self.trajectory(&replay.solution)?)?;
        let dict = dict.with("found", replay.solution.result_hash.to_string())?;
        let dict = dict.with("expected", replay.expected.map(|hash| hash.to_string()))?;
        Ok(dict.with("same", replay.is_same())?)
    }
}
