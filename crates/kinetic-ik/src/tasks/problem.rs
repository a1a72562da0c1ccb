//! Task problems: a model and tasks on priority levels, and solutions.

use std::fmt;
use std::sync::Arc;

use kinetic_core::digits::short;
use kinetic_core::{KineticError, Pose, Result};

use super::model::Model;
use super::state::State;
use super::task::Task;

/// One task with its level and weight.
#[derive(Debug, Clone)]
pub(super) struct TaskEntry {
    pub(super) task: Arc<dyn Task>,
    pub(super) priority: usize,
    pub(super) weight: f64,
}

/// Tasks for a model.
#[derive(Debug, Clone)]
pub struct TaskProblem {
    pub(super) model: Arc<Model>,
    /// By priority, then in the order in which they were added.
    pub(super) entries: Vec<TaskEntry>,
}

/// Options of a solve.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskOptions {
    /// Iterations of one attempt.
    pub max_iterations: usize,
    /// Attempts; those after the first start at random configurations.
    pub attempts: usize,
    /// Whether the first attempt starts at a random configuration too.
    pub random_start: bool,
    /// Part of the joint ranges, around their middles, in which attempts start: more than 0, at most 1.
    pub random_range: f64,
    /// Seed of the attempts.
    pub rng_seed: u64,
    /// First length of the line search, as a part of the full step: more than 0, at most 1.
    pub step: f64,
    /// Largest change of a column in one iteration, rad or m.
    pub largest_step: f64,
    /// Error of a level that one iteration is asked to remove at most: a norm over its weighted rows.
    pub largest_error: f64,
    /// Singular values below this one are damped.
    pub singular_value: f64,
    /// Damping at a singular value of 0.
    pub damping: f64,
}

impl Default for TaskOptions {
    fn default() -> Self {
        Self {
            max_iterations: 100,
            attempts: 1,
            random_start: false,
            random_range: 1.0,
            rng_seed: 0,
            step: 1.0,
            largest_step: 1.0,
            largest_error: 1.0,
            singular_value: 0.1,
            damping: 0.1,
        }
    }
}

impl TaskOptions {
    pub(super) fn check(&self) -> Result<()> {
        for (name, value) in [("max_iterations", self.max_iterations), ("attempts", self.attempts)] {
            if value == 0 {
                return Err(KineticError::invalid(name, 0, "at least 1"));
            }
        }
        for (name, value) in [("step", self.step), ("random_range", self.random_range)] {
            if !(value > 0.0 && value <= 1.0) {
                return Err(KineticError::invalid(name, value, "more than 0 and at most 1"));
            }
        }
        let positive = [
            ("largest_step", self.largest_step),
            ("largest_error", self.largest_error),
            ("singular_value", self.singular_value),
        ];
        for (name, value) in positive {
            if !(value > 0.0 && value.is_finite()) {
                return Err(KineticError::invalid(name, value, "a positive finite number"));
            }
        }
        if !(self.damping >= 0.0 && self.damping.is_finite()) {
            return Err(KineticError::invalid("damping", self.damping, "a finite number of at least 0"));
        }
        Ok(())
    }
}

/// How far one limit of a task is from being met.
#[derive(Debug, Clone, PartialEq)]
pub struct Residual {
    /// `position` (m), `rotation` (rad) or another word of the task.
    pub what: String,
    /// Norm of the rows of the limit, where the solve ended.
    pub value: f64,
    /// Largest norm that meets it.
    pub tolerance: f64,
}

/// The result for one task.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskReport {
    /// Its name.
    pub name: String,
    /// Its level.
    pub priority: usize,
    /// True when all its limits are met; so is a task without limits.
    pub met: bool,
    /// Per limit how far it is from being met.
    pub residuals: Vec<Residual>,
}

impl fmt::Display for TaskReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "task \"{}\" is {}met", self.name, if self.met { "" } else { "not " })?;
        for Residual { what, value, tolerance } in &self.residuals {
            write!(out, ", {what} off by {} where {} is allowed", short(*value), short(*tolerance))?;
        }
        Ok(())
    }
}

/// A joint that stands at a limit.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveLimit {
    /// Name of the joint.
    pub joint: String,
    /// Value of the joint, rad or m.
    pub value: f64,
    /// True at the upper limit.
    pub upper: bool,
}

impl fmt::Display for ActiveLimit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.upper { "upper" } else { "lower" };
        write!(out, "\"{}\" stands at its {side} limit {:.4}", self.joint, self.value)
    }
}

/// The solution of a task problem.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskSolution {
    /// The configuration, of the length of the robot; inside all limits, couplings kept exactly.
    pub q: Vec<f64>,
    /// Pose of the robot's root in the world.
    pub world_from_root: Pose,
    /// True when every task is met.
    pub converged: bool,
    /// Iterations over all attempts.
    pub iterations: usize,
    /// Attempts made.
    pub attempts: usize,
    /// The tasks, by priority, then in the order in which they were added.
    pub tasks: Vec<TaskReport>,
    /// The moved joints that stand at a limit.
    pub active_limits: Vec<ActiveLimit>,
}

impl TaskSolution {
    /// The tasks that are not met and the joints at their limits, in words; `None` when every task is met.
    pub fn what_is_missing(&self) -> Option<String> {
        let unmet = self.tasks.iter().filter(|task| !task.met).map(TaskReport::to_string);
        let stopped = self.active_limits.iter().map(ActiveLimit::to_string);
        (!self.converged).then(|| unmet.chain(stopped).collect::<Vec<_>>().join("; "))
    }

    /// Itself when every task is met, else the error that says how far the worst is off.
    ///
    /// # Errors
    /// [`KineticError::IKNotConverged`].
    pub fn require_converged(self) -> Result<Self> {
        if self.converged {
            return Ok(self);
        }
        let residuals = self.tasks.iter().filter(|task| !task.met).flat_map(|task| &task.residuals);
        let residual = residuals.map(|residual| residual.value).fold(0.0, f64::max);
        Err(KineticError::IKNotConverged { iterations: self.iterations, residual })
    }
}

impl TaskProblem {
    /// A problem without tasks. Problems may share a model.
    pub fn new(model: impl Into<Arc<Model>>) -> Self {
        Self { model: model.into(), entries: Vec::new() }
    }

    /// The model of the problem.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Adds a task. Levels are solved by ascending `priority`, 0 first; a level never gives way to a later one. Within a
    /// level errors are weighed by `weight` times their squares.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a weight that is not positive, and what the task refuses.
    pub fn add(&mut self, task: impl Task + 'static, priority: usize, weight: f64) -> Result<()> {
        self.add_shared(Arc::new(task), priority, weight)
    }

    /// As [`add`](Self::add), for a task that several problems share.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn add_shared(&mut self, task: Arc<dyn Task>, priority: usize, weight: f64) -> Result<()> {
        if !(weight > 0.0 && weight.is_finite()) {
            let name = format!("weight of task \"{}\"", task.name());
            return Err(KineticError::invalid(name, weight, "a positive finite number"));
        }
        task.check(&self.model)?;
        let place = self.entries.partition_point(|entry| entry.priority <= priority);
        self.entries.insert(place, TaskEntry { task, priority, weight });
        Ok(())
    }

    /// The tasks with their priorities and weights, by priority, then in the order in which they were added.
    pub fn tasks(&self) -> impl Iterator<Item = (&dyn Task, usize, f64)> {
        self.entries.iter().map(|entry| (entry.task.as_ref(), entry.priority, entry.weight))
    }

    /// The joints that stand at a limit.
    pub(super) fn active_limits(&self, state: &State<'_>) -> Vec<ActiveLimit> {
        let mut active = Vec::new();
        for variable in (0..self.model.num_variables()).filter(|variable| self.model.column(*variable).is_some()) {
            let ((low, high), value) = (self.model.bounds_at(variable, state.q()), state.q()[variable]);
            if value <= low || value >= high {
                let joint = self.model.joint_names()[variable].clone();
                active.push(ActiveLimit { joint, value, upper: value >= high });
            }
        }
        active
    }
}
