//! `Problem`: a planning problem as a value and as a file.

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetic::planning::PlanningProblem;
use kinetic::robometrics::read_robometrics;
use pyo3::prelude::*;

use crate::convert::{Array, File, Real, Rebuild, Seed, Text, rebuild};
use crate::error::Result;
use crate::interrupt::{interruptible, stoppable};
use crate::planning::PyPlanner;
use crate::planning::goal::PyGoal;
use crate::robot::PyRobot;
use crate::scene::PyScene;
use crate::trajectory::PyTrajectory;

/// A planning problem with everything that its answer depends on: robot, scene, group, start, goal, options, seed, and a
/// budget in iterations.
///
/// Made by `Planner.problem`, which takes it as it is at that moment. The answer does not depend on time, threads or the
/// width of registers, so that its hash says whether it is the same one.
///
/// Example:
///     >>> from kinetic import Goal, Planner, Problem, Robot
///     >>> robot = Robot("ur5e")
///     >>> problem = Planner(robot, rng_seed=3).problem(robot.named_pose("home"), Goal.named("ready"))
///     >>> problem.solve().hash == problem.solve().hash
///     True
#[pyclass(frozen, module = "kinetic", name = "Problem")]
#[derive(Clone)]
pub(crate) struct PyProblem(pub(crate) Arc<PlanningProblem>);

impl PyProblem {
    pub(crate) fn new(problem: PlanningProblem) -> Self {
        Self(Arc::new(problem))
    }
}

#[pymethods]
impl PyProblem {
    /// Writes a problem file (TOML).
    ///
    /// Args:
    ///     path: Where to write it.
    ///     trajectory: The answer that `solve` gave; its hash is stored for `kinetic replay`.
    ///
    /// Raises:
    ///     InputError: An answer to another problem.
    ///     OSError: The file cannot be written.
    #[pyo3(signature = (path, trajectory=None))]
    fn save(&self, py: Python<'_>, path: File, trajectory: Option<&Bound<'_, PyTrajectory>>) -> Result<()> {
        let answer = trajectory.map(|trajectory| trajectory.get().answer()).transpose()?;
        py.detach(|| match answer {
            Some((problem, result)) => PlanningProblem::clone(&self.0).with_result(problem, result)?.save(path.0),
            None => self.0.save(path.0),
        })?;
        Ok(())
    }

    /// Reads a problem file.
    ///
    /// Raises:
    ///     InputError: A malformed or damaged file (with its line), or a robot that is not the one the problem was made with.
    ///     OSError: The file cannot be read.
    #[staticmethod]
    fn load(py: Python<'_>, path: File) -> Result<Self> {
        Ok(Self::new(py.detach(|| PlanningProblem::load(path.0))?))
    }

    /// Problems of a file in the format of robometrics, with poses of links as goals, by the names of their sets. Ctrl-C stops it.
    ///
    /// Args:
    ///     path: A YAML file.
    ///     planner: Whose robot, group and options the problems have; its scene has no part in them.
    ///
    /// Raises:
    ///     InputError: A malformed file (with its line), obstacles of a kind that is not known, a robot that the problems are not for.
    ///     OSError: The file cannot be read.
    #[staticmethod]
    fn from_robometrics(
        py: Python<'_>,
        path: File,
        planner: &Bound<'_, PyPlanner>,
    ) -> Result<BTreeMap<String, Vec<Self>>> {
        let planner = planner.get().now(py)?;
        let mut sets: BTreeMap<String, Vec<Self>> = BTreeMap::new();
        let (stop, control) = stoppable();
        for entry in interruptible(py, &stop, || read_robometrics(path.0, &planner, &control))?? {
            sets.entry(entry.set).or_default().push(Self::new(entry.problem));
        }
        Ok(sets)
    }

    /// A planner for it, with all of its options.
    ///
    /// Args:
    ///     planner_type: Another planner than the problem's.
    ///     rng_seed: Another seed than the problem's.
    ///     timeout: Seconds; None for the budget in iterations alone, as in `solve`.
    ///
    /// Raises:
    ///     InputError: An unknown planner, options that another planner does not take.
    #[pyo3(signature = (planner_type=None, rng_seed=None, timeout=None))]
    fn planner(
        &self,
        py: Python<'_>,
        planner_type: Option<Text>,
        rng_seed: Option<Seed>,
        timeout: Option<Real>,
    ) -> Result<PyPlanner> {
        let planner_type = match planner_type {
            Some(name) => name.0.parse()?,
            None => self.0.planner_type(),
        };
        let mut config = self.0.config().clone();
        config.timeout = timeout.map_or(f64::INFINITY, |timeout| timeout.0);
        config.seed = rng_seed.map_or(config.seed, |seed| seed.0);
        let (robot, scene) = (Bound::new(py, self.robot(py)?)?, Bound::new(py, self.scene())?);
        PyPlanner::build(py, &robot, Some(scene), planner_type, config, Some(self.0.group().to_owned()))
    }

    /// Hash of everything that the answer depends on: "fnv1a128:" and 32 hexadecimal digits.
    #[getter]
    fn hash(&self, py: Python<'_>) -> Result<String> {
        Ok(py.detach(|| self.0.hash())?.to_string())
    }

    /// Hash of the answer that the file holds; None when it was saved without one.
    #[getter]
    fn stored_result(&self) -> Option<String> {
        self.0.stored().and_then(|stored| stored.result).map(|hash| hash.to_string())
    }

    /// The robot.
    #[getter]
    fn robot(&self, py: Python<'_>) -> Result<PyRobot> {
        let (robot, group) = (Arc::clone(self.0.scene().robot()), self.0.group().to_owned());
        PyRobot::load(py, move || kinetic::robot::Robot::clone(&robot).with_default_group(&group))
    }

    /// What stands around it: a copy.
    #[getter]
    fn scene(&self) -> PyScene {
        PyScene::new(self.0.scene().clone())
    }

    /// The planning group.
    #[getter]
    fn group(&self) -> &str {
        self.0.group()
    }

    /// Joint values at which the motion begins.
    #[getter]
    fn start<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, self.0.start())
    }

    /// What it should reach.
    #[getter]
    fn goal(&self) -> PyGoal {
        PyGoal(self.0.goal().clone())
    }

    /// The planner that was asked for.
    #[getter]
    fn planner_type(&self) -> &'static str {
        self.0.planner_type().id()
    }

    /// Name of the time law; None for a path without time.
    #[getter]
    fn time_law(&self) -> Option<&str> {
        self.0.time_law()
    }

    /// Iteration budget of the search.
    #[getter]
    fn max_iterations(&self) -> u64 {
        self.0.config().max_iterations
    }

    /// Seed of everything random.
    #[getter]
    fn rng_seed(&self) -> u64 {
        self.0.config().seed
    }

    /// Distance to keep from the world, m.
    #[getter]
    fn collision_margin(&self) -> f64 {
        self.0.config().collision_margin
    }

    /// Distance to keep between links of the robot, m.
    #[getter]
    fn self_margin(&self) -> f64 {
        self.0.config().self_margin
    }

    fn __repr__(&self) -> String {
        let (robot, objects) = (&self.0.scene().robot().name, self.0.scene().objects().len());
        format!("Problem({robot:?}, group={:?}, goal={:?}, objects={objects})", self.0.group(), self.0.goal().kind())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Rebuild<'py>> {
        let text = py.detach(|| self.0.to_toml())?;
        Ok(rebuild(py.get_type::<Self>().into_any(), "_restore", (text,))?)
    }

    /// The problem that pickle stored as the text of its file.
    #[staticmethod]
    fn _restore(py: Python<'_>, text: Text) -> Result<Self> {
        Ok(Self::new(py.detach(|| PlanningProblem::from_toml(&text.0, "<pickle>"))?))
    }
}

#[pymethods]
impl PyTrajectory {
    /// The problem that it answers; None for a motion that was not planned, or was changed or read from a file.
    #[getter]
    fn problem(&self) -> Option<PyProblem> {
        self.problem.clone().map(PyProblem)
    }
}
