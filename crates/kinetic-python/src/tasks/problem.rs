//! `TaskProblem`: what moves, what is wanted of it, and the solve. The tasks stand in `task_builders`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kinetic::core::{Control, KineticError, Pose, SystemClock};
use kinetic::kinematics::VirtualBase;
use kinetic::kinematics::tasks::{LimitTable, Model, Task, TaskOptions, TaskProblem};
use kinetic::robot::Robot;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{BaseArg, Count, Matrix, Real, Text, Texts, Vector};
use crate::error::Result;
use crate::interrupt::interruptible;
use crate::robot::PyRobot;
use crate::robot::argument::RobotArg;
use crate::tasks::function::{Failure, TaskFunction};
use crate::tasks::keywords::SOLVE;
use crate::tasks::result::PyTaskResult;

/// Inverse kinematics with several tasks: poses of any number of frames, looking, balance, postures, and tasks of your own,
/// with weights, strict priorities and couplings of joints.
///
/// Tasks are added by name. Levels are solved by ascending `priority`, 0 first; a level never gives way to a later one, and
/// within a level errors count by `weight` times their squares. Targets are in the world, where the root of the robot stands
/// at `world_from_root`, unless a task names a `reference` link. For one pose of one arm `Robot.ik` is simpler and faster.
///
/// Args:
///     robot: A robot, or the name of a built-in one. A frame without link is the tool of its selected group.
///     joints: Names of the joints that move, of any group; None for those of the selected group.
///     base: False or "fixed"; True or "planar": the root moves along x and y and turns about z; "floating": it moves
///         freely. It has no limits.
///     base_weights: How dear the motion of the base is, 3 or 6 numbers, compared with joints of weight 1; None for 1.
///     joint_weights: The same per joint that moves; None for 1.
///
/// Raises:
///     InputError: Unknown robots or joints, joints given twice, weights that are not positive or of the wrong number.
///
/// Example:
///     >>> from kinetic import TaskProblem
///     >>> problem = TaskProblem("franka_panda").add_position("reach", [0.5, 0.2, 0.4])
///     >>> result = problem.add_posture("rest", [0.0] * 7, priority=1).solve()
///     >>> result.converged
///     True
#[pyclass(frozen, module = "kinetic", name = "TaskProblem")]
pub(crate) struct PyTaskProblem {
    robot: Py<PyRobot>,
    /// The robot as it was when the problem was made.
    pub(crate) model: Arc<crate::robot::Model>,
    parts: Mutex<TaskParts>,
}

/// What the methods change.
#[derive(Clone)]
struct TaskParts {
    moves: Arc<Model>,
    entries: Vec<TaskEntry>,
}

/// A task with its level and weight.
#[derive(Clone)]
struct TaskEntry {
    what: What,
    priority: usize,
    weight: f64,
}

/// A task of the library, or one in Python, which every solve gets for itself.
#[derive(Clone)]
pub(crate) enum What {
    Known(Arc<dyn Task>),
    Function(Arc<TaskFunction>),
}

impl What {
    fn for_solve(&self, moves: &Arc<Model>, robot: &Arc<Robot>, failure: &Arc<Failure>) -> Arc<dyn Task> {
        match self {
            Self::Known(task) => Arc::clone(task),
            Self::Function(function) => Arc::new(TaskFunction::call_for(function, moves, robot, failure)),
        }
    }
}

impl TaskParts {
    fn problem(&self, robot: &Arc<Robot>, failure: &Arc<Failure>) -> Result<TaskProblem> {
        let mut problem = TaskProblem::new(Arc::clone(&self.moves));
        for entry in &self.entries {
            let task = entry.what.for_solve(&self.moves, robot, failure);
            problem.add_shared(task, entry.priority, entry.weight)?;
        }
        Ok(problem)
    }

    fn has_functions(&self) -> bool {
        self.entries.iter().any(|entry| matches!(entry.what, What::Function(_)))
    }
}

impl PyTaskProblem {
    fn lock(&self) -> MutexGuard<'_, TaskParts> {
        // Every change is one assignment or one push.
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a task once a problem of its own has taken it.
    pub(crate) fn add(&self, what: What, priority: &Count, weight: &Real) -> Result<()> {
        let entry = TaskEntry { what, priority: priority.0, weight: weight.0 };
        let moves = Arc::clone(&self.lock().moves);
        TaskParts { moves, entries: vec![entry.clone()] }.problem(&self.model.robot, &Arc::default())?;
        self.lock().entries.push(entry);
        Ok(())
    }

    /// Changes what moves, when that succeeds.
    fn change(&self, change: impl FnOnce(Model) -> kinetic::core::Result<Model>) -> Result<()> {
        let mut parts = self.lock();
        parts.moves = Arc::new(change(Model::clone(&parts.moves))?);
        Ok(())
    }

    /// What `work` makes of the tasks as they are now; errors of tasks in Python come first.
    pub(crate) fn with_problem<T>(&self, work: impl FnOnce(&TaskProblem) -> kinetic::core::Result<T>) -> Result<T> {
        let (parts, failure) = (self.lock().clone(), Arc::<Failure>::default());
        let problem = parts.problem(&self.model.robot, &failure)?;
        let done = work(&problem);
        failure.raise()?;
        Ok(done?)
    }

    /// A joint that moves on its own, as an index into configurations.
    pub(crate) fn variable(&self, name: &str) -> Result<usize> {
        variable(&self.model.robot, name)
    }
}

/// What moves.
#[pymethods]
impl PyTaskProblem {
    #[new]
    #[pyo3(
        signature = (robot, joints=None, *, base=BaseArg(VirtualBase::Fixed), base_weights=None, joint_weights=None),
        text_signature = "(robot, joints=None, *, base=False, base_weights=None, joint_weights=None)"
    )]
    fn __new__(
        py: Python<'_>,
        robot: RobotArg<'_>,
        joints: Option<Texts>,
        base: BaseArg,
        base_weights: Option<Vector>,
        joint_weights: Option<Vector>,
    ) -> Result<Self> {
        let robot = robot.handle(py)?;
        let model = robot.get().model();
        let variables = match joints {
            Some(names) => {
                names.as_strs().into_iter().map(|name| variable(&model.robot, name)).collect::<Result<_>>()?
            }
            None => model.group().variables.clone(),
        };
        let moves = Model::new(&model.robot, &variables)?;
        let moves = moves.with_base(base.0, base_weights.as_ref().map(|weights| weights.0.as_slice()))?;
        let moves = match joint_weights {
            Some(weights) => moves.with_joint_weights(&weights.0)?,
            None => moves,
        };
        let parts = Mutex::new(TaskParts { moves: Arc::new(moves), entries: Vec::new() });
        Ok(Self { robot: robot.unbind(), model, parts })
    }

    /// Couples two moving joints: `follower = multiplier * leader + offset`, exactly, in every configuration that a solve
    /// passes; 1 and 0 for interlocking pairs. The limits of the follower bind the leader.
    ///
    /// Returns:
    ///     The problem.
    ///
    /// Raises:
    ///     InputError: Unknown joints, joints that do not move, or a follower that follows or leads already.
    #[pyo3(
        signature = (leader, follower, multiplier=Real(1.0), offset=Real(0.0)),
        text_signature = "($self, leader, follower, multiplier=1.0, offset=0.0)"
    )]
    fn couple(
        slf: Bound<'_, Self>,
        leader: Text,
        follower: Text,
        multiplier: Real,
        offset: Real,
    ) -> Result<Bound<'_, Self>> {
        let this = slf.get();
        let (leader, follower) = (this.variable(&leader.0)?, this.variable(&follower.0)?);
        this.change(|moves| moves.with_coupling(leader, follower, multiplier.0, offset.0))?;
        Ok(slf)
    }

    /// Limits one joint by where another stands.
    ///
    /// Args:
    ///     joint: Name of the joint that is limited.
    ///     by: Name of the joint that decides.
    ///     rows: Rows (value of the deciding joint, lower limit, upper limit), shape (n, 3), ascending; lines between them,
    ///         constant beyond.
    ///
    /// Returns:
    ///     The problem.
    ///
    /// Raises:
    ///     InputError: Unknown joints, no rows, rows that do not ascend, or limits in the wrong order.
    fn limit_by(slf: Bound<'_, Self>, joint: Text, by: Text, rows: Matrix) -> Result<Bound<'_, Self>> {
        let this = slf.get();
        rows.check_columns("row of a limit table", 3)?;
        let rows = rows.rows().map(|row| (row[0], row[1], row[2])).collect();
        let table = LimitTable::new(this.variable(&joint.0)?, this.variable(&by.0)?, rows)?;
        this.change(|moves| moves.with_limit_table(table))?;
        Ok(slf)
    }

    /// The robot.
    #[getter]
    fn robot(&self, py: Python<'_>) -> Py<PyRobot> {
        self.robot.clone_ref(py)
    }

    /// Names of the entries of configurations: the independent moving joints of the whole robot.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        self.lock().moves.joint_names().to_vec()
    }

    /// What a solve may change, in the order of the columns of Jacobians: ways of the base ("base x" … "base yaw"), then
    /// names of joints that follow no other.
    #[getter]
    fn columns(&self) -> Vec<String> {
        columns(&self.lock().moves)
    }

    /// Names of the tasks, in the order in which they were added.
    #[getter]
    fn tasks(&self) -> Vec<String> {
        self.lock().entries.iter().map(|entry| entry.what.name().to_owned()).collect()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.robot)?;
        // A problem that is being changed or solved is in use, and so is what it holds.
        let Ok(parts) = self.parts.try_lock() else { return Ok(()) };
        parts.entries.iter().filter_map(|entry| entry.what.function()).try_for_each(|function| visit.call(function))
    }

    fn __clear__(&self) {
        let dropped = std::mem::take(&mut self.lock().entries);
        // What goes may ask the problem something as it goes: the lock is free again.
        drop(dropped);
    }

    fn __repr__(&self) -> String {
        let parts = self.lock();
        let entry = |entry: &TaskEntry| format!("\"{}\" (priority {})", entry.what.name(), entry.priority);
        let tasks: Vec<String> = parts.entries.iter().map(entry).collect();
        let (robot, columns) = (&self.model.robot.name, parts.moves.num_columns());
        format!("<TaskProblem: {robot}, {columns} columns, tasks: {}>", tasks.join(", "))
    }
}

/// The solve.
#[pymethods]
impl PyTaskProblem {
    /// Solves. What does not converge is an answer too: the best that was found, and how far each task is from being met.
    ///
    /// Tasks in Python are called on this thread; everything else runs without the GIL. Ctrl-C ends it.
    ///
    /// Args:
    ///     seed: Joint values to start from, in the length of the group or of the whole robot; joints that do not move stay
    ///         there. None for the neutral configuration of the robot.
    ///     world_from_root: Where the base stands at the start; None for the identity.
    ///     max_iterations: Iterations of one attempt.
    ///     attempts: Attempts; those after the first start at random configurations.
    ///     random_start: Whether the first attempt starts at a random configuration too.
    ///     random_range: Part of the joint ranges, around their middles, in which attempts start: more than 0, at most 1.
    ///     rng_seed: Seed of the attempts; None for 0.
    ///     step: First length of the line search, as a part of the full step: more than 0, at most 1.
    ///     largest_step: Largest change of a column in one iteration, rad or m.
    ///     largest_error: Error of a level that one iteration is asked to remove at most.
    ///     singular_value: Singular values below this one are damped.
    ///     damping: Damping at a singular value of 0.
    ///
    /// Raises:
    ///     InputError: Wrong lengths, NaN, options outside their domain, no task, nothing that moves, or a task in Python
    ///         whose answer has the wrong shape or NaN; the message names the task.
    #[pyo3(
        signature = (seed=None, **options),
        text_signature = "($self, seed=None, *, world_from_root=None, max_iterations=100, attempts=1, random_start=False, \
            random_range=1.0, rng_seed=None, step=1.0, largest_step=1.0, largest_error=1.0, singular_value=0.1, \
            damping=0.1)"
    )]
    fn solve(&self, py: Python<'_>, seed: Option<Vector>, options: Option<&Bound<'_, PyDict>>) -> Result<PyTaskResult> {
        let options = SOLVE.read(options)?;
        let start = self.start(seed.as_ref())?;
        let world_from_root = options.world_from_root.as_ref().map(|pose| pose.0).unwrap_or_default();
        self.run(py, &start, &world_from_root, &options.options())
    }
}

impl PyTaskProblem {
    fn start(&self, seed: Option<&Vector>) -> Result<Vec<f64>> {
        let robot = &self.model.robot;
        match seed {
            Some(seed) => Ok(robot.full_configuration(self.model.group(), &seed.0)?),
            None => Ok(robot.neutral_configuration()),
        }
    }

    fn run(&self, py: Python<'_>, q: &[f64], world_from_root: &Pose, options: &TaskOptions) -> Result<PyTaskResult> {
        let (parts, failure) = (self.lock().clone(), Arc::<Failure>::default());
        let problem = parts.problem(&self.model.robot, &failure)?;
        let stop = failure.stop.clone();
        let control = Control::new(Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, stop.clone());
        let solve = || problem.solve_with(q, world_from_root, options, &control);
        // A task in Python sees signals itself when it runs where Python handles them.
        let solution = if parts.has_functions() { py.detach(solve) } else { interruptible(py, &stop, solve)? };
        failure.raise()?;
        Ok(PyTaskResult::new(solution?, parts.moves.joint_names().to_vec(), self.model.group().variables.clone()))
    }
}

impl What {
    fn name(&self) -> &str {
        match self {
            Self::Known(task) => task.name(),
            Self::Function(function) => &function.name,
        }
    }

    /// The function in Python, which may hold the problem in turn.
    fn function(&self) -> Option<&Py<PyAny>> {
        match self {
            Self::Known(_) => None,
            Self::Function(function) => Some(&function.function),
        }
    }
}

/// An entry of configurations by the name of its joint.
fn variable(robot: &Robot, name: &str) -> Result<usize> {
    let names = robot.moving_joint_names(false);
    let found = names.iter().position(|known| *known == name);
    let available = || names.iter().map(|name| (*name).to_owned()).collect();
    Ok(found.ok_or_else(|| KineticError::JointNotFound { name: name.to_owned(), available: available() })?)
}

fn columns(moves: &Model) -> Vec<String> {
    let base: &[&str] = match moves.base() {
        VirtualBase::Fixed => &[],
        VirtualBase::Planar => &["x", "y", "yaw"],
        VirtualBase::Floating => &["x", "y", "z", "roll", "pitch", "yaw"],
    };
    let mut names: Vec<String> = base.iter().map(|way| format!("base {way}")).collect();
    names.extend(moves.leaders().map(|variable| moves.joint_names()[variable].clone()));
    names
}
