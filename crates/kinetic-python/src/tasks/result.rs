//! `TaskResult`: where a solve ended, task by task.

use kinetic::core::{KineticError, Pose};
use kinetic::kinematics::tasks::{ActiveLimit, Residual, TaskReport, TaskSolution};
use pyo3::prelude::*;

use crate::convert::{Array, Dict, Dicts, PoseParts, Rebuild, rebuild};
use crate::error::{Error, Result, with_diagnostic};

/// Where a solve of a `TaskProblem` ended: the configuration, and task by task what is missing.
#[pyclass(frozen, eq, module = "kinetic", name = "TaskResult")]
#[derive(PartialEq)]
pub(crate) struct PyTaskResult {
    solution: TaskSolution,
    joint_names: Vec<String>,
    /// The selected group's entries of the configuration.
    group: Vec<usize>,
}

impl PyTaskResult {
    pub(crate) fn new(solution: TaskSolution, joint_names: Vec<String>, group: Vec<usize>) -> Self {
        Self { solution, joint_names, group }
    }
}

#[pymethods]
impl PyTaskResult {
    /// The configuration (n,) of the whole robot, inside all limits, couplings kept exactly; `joint_names` names its
    /// entries.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, &self.solution.q)
    }

    /// The joint values (dof,) of the group that the robot had selected.
    #[getter]
    fn group_q<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, &self.group.iter().map(|variable| self.solution.q[*variable]).collect::<Vec<f64>>())
    }

    /// Names of the entries of `q`.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        self.joint_names.clone()
    }

    /// Pose of the robot's root in the world, 4×4; as at the start when the base stands.
    #[getter]
    fn world_from_root<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::pose(py, &self.solution.world_from_root)
    }

    /// True when every task is met.
    #[getter]
    fn converged(&self) -> bool {
        self.solution.converged
    }

    /// Iterations over all attempts.
    #[getter]
    fn iterations(&self) -> usize {
        self.solution.iterations
    }

    /// Attempts made.
    #[getter]
    fn attempts(&self) -> usize {
        self.solution.attempts
    }

    /// The tasks, by priority, then in the order in which they were added; each with `name`, `priority`, `met` (a task
    /// without threshold always is) and `residuals`: dicts with `what` ("position" in m, "rotation" in rad, "joints" or
    /// "error"), `value` and `tolerance`.
    #[getter]
    fn tasks<'py>(&self, py: Python<'py>) -> Result<Dicts<'py>> {
        let residual = |residual: &Residual| {
            let dict = Dict::new(py).with("what", &residual.what)?;
            dict.with("value", residual.value)?.with("tolerance", residual.tolerance)
        };
        let report = |task: &TaskReport| -> PyResult<Dict<'py>> {
            let dict =
                Dict::new(py).with("name", &task.name)?.with("priority", task.priority)?.with("met", task.met)?;
            dict.with("residuals", Dicts::new(py, task.residuals.iter().map(residual).collect::<PyResult<_>>()?)?)
        };
        Ok(Dicts::new(py, self.solution.tasks.iter().map(report).collect::<PyResult<_>>()?)?)
    }

    /// The moved joints that stand at a limit, each with `joint`, `value` (rad or m) and `upper`.
    #[getter]
    fn active_limits<'py>(&self, py: Python<'py>) -> Result<Dicts<'py>> {
        let entry = |limit: &ActiveLimit| {
            let dict = Dict::new(py).with("joint", &limit.joint)?;
            dict.with("value", limit.value)?.with("upper", limit.upper)
        };
        Ok(Dicts::new(py, self.solution.active_limits.iter().map(entry).collect::<PyResult<_>>()?)?)
    }

    /// The tasks that are not met and the joints that stand at their limits, in words; None when every task is met.
    #[getter]
    fn missing(&self) -> Option<String> {
        self.solution.what_is_missing()
    }

    /// Itself when every task is met.
    ///
    /// Raises:
    ///     IKError: The message names the tasks that are not met, how far they are off, and the joints at their limits.
    fn require_converged(slf: Bound<'_, Self>) -> Result<Bound<'_, Self>> {
        required(slf.py(), slf.get().solution.clone())?;
        Ok(slf)
    }

    fn __repr__(&self) -> String {
        let TaskSolution { iterations, attempts, .. } = self.solution;
        let head = if self.solution.converged { "converged" } else { "not converged" };
        let tasks: Vec<String> = self.solution.tasks.iter().map(TaskReport::to_string).collect();
        format!("<TaskResult: {head}, {iterations} iterations, {attempts} attempts; {}>", tasks.join("; "))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Rebuild<'py>> {
        let this = slf.get();
        let solution = &this.solution;
        let facts = (solution.converged, solution.iterations, solution.attempts);
        let place = (solution.q.clone(), PoseParts::of(&solution.world_from_root).to_vec());
        let robot = (this.joint_names.clone(), this.group.clone());
        let tasks: Vec<StoredTask> = solution.tasks.iter().map(stored_task).collect();
        let limits: Vec<StoredLimit> = solution.active_limits.iter().map(stored_limit).collect();
        Ok(rebuild(slf.get_type().into_any(), "_restore", (facts, place, robot, tasks, limits))?)
    }

    /// The result that pickle stored.
    #[staticmethod]
    fn _restore(
        facts: (bool, usize, usize),
        place: (Vec<f64>, Vec<f64>),
        robot: (Vec<String>, Vec<usize>),
        tasks: Vec<StoredTask>,
        limits: Vec<StoredLimit>,
    ) -> Result<Self> {
        let ((converged, iterations, attempts), (q, parts), (joint_names, group)) = (facts, place, robot);
        if group.iter().any(|variable| *variable >= q.len()) {
            return Err(Error::Kinetic(KineticError::invalid("stored result", "its group", "entries of its q")));
        }
        let world_from_root: Pose = PoseParts::to_pose(&parts)?;
        let tasks = tasks.into_iter().map(restored_task).collect();
        let active_limits =
            limits.into_iter().map(|(joint, value, upper)| ActiveLimit { joint, value, upper }).collect();
        let solution = TaskSolution { q, world_from_root, converged, iterations, attempts, tasks, active_limits };
        Ok(Self { solution, joint_names, group })
    }
}

/// A solution that converged, else the error that says what is missing.
pub(crate) fn required(py: Python<'_>, solution: TaskSolution) -> Result<TaskSolution> {
    let missing = solution.what_is_missing().unwrap_or_default();
    solution.require_converged().map_err(|error| with_diagnostic(py, error.into(), &missing))
}

/// Name, priority, met, and per residual what, value and tolerance.
type StoredTask = (String, usize, bool, Vec<(String, f64, f64)>);
/// Joint, value, upper.
type StoredLimit = (String, f64, bool);

fn stored_task(task: &TaskReport) -> StoredTask {
    let residual = |residual: &Residual| (residual.what.clone(), residual.value, residual.tolerance);
    (task.name.clone(), task.priority, task.met, task.residuals.iter().map(residual).collect())
}

fn restored_task((name, priority, met, residuals): StoredTask) -> TaskReport {
    let residual = |(what, value, tolerance)| Residual { what, value, tolerance };
    TaskReport { name, priority, met, residuals: residuals.into_iter().map(residual).collect() }
}

fn stored_limit(limit: &ActiveLimit) -> StoredLimit {
    (limit.joint.clone(), limit.value, limit.upper)
}
