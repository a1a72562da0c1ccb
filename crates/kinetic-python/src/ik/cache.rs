//! `IkCache`: inverse kinematics that remembers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kinetic::core::StopFlag;
use kinetic::kinematics::{IKConfig, IkCache, InverseKinematics};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{Array, Count, Dict, File, PoseArg, Real, Seed, Tuple, Vector};
use crate::error::Result;
use crate::ik::answer::facts;
use crate::ik::options::{CACHE_SOLVE, IkOptions};
use crate::interrupt::{interruptible, interruptible_if};
use crate::robot::PyRobot;

/// Poses of a robot's tool with the configurations that reach them: the nearest one is where a solve starts.
///
/// Poses are points in six dimensions: position in parts of the reach, orientation as an angle. Answers are those of the
/// numerical solver, so they meet the tolerances whatever the cache holds. Threads may share it.
///
/// Args:
///     robot: The robot; its selected group and tool count, as they are now.
///     hit_radius: Distance up to which a known pose is taken, in parts of the reach and rad together; None for 0.5.
///
/// Raises:
///     InputError: A group that is no chain, or a radius that is not positive.
///
/// Example:
///     >>> from kinetic import IkCache, Robot
///     >>> robot = Robot("ur5e")
///     >>> cache = IkCache(robot)
///     >>> cache.warm(1000)
///     >>> cache.solve(robot.fk([0.1, -1.2, 1.3, -0.4, 0.5, 0.6]))["solver_used"]
///     'cached'
#[pyclass(frozen, module = "kinetic", name = "IkCache")]
pub(crate) struct PyIkCache {
    name: String,
    cache: Mutex<IkCache>,
    ik: Arc<InverseKinematics>,
}

impl PyIkCache {
    fn made(
        robot: &PyRobot,
        make: impl FnOnce(kinetic::kinematics::KinematicChain) -> Result<IkCache>,
    ) -> Result<Self> {
        let model = robot.model();
        let ik = Arc::clone(model.ik()?);
        let cache = Mutex::new(make(ik.chain().clone())?);
        Ok(Self { name: model.robot.name.clone(), cache, ik })
    }

    /// Only to be called without the GIL, so that a thread that waits here keeps nobody else.
    fn lock(&self) -> MutexGuard<'_, IkCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyIkCache {
    #[new]
    #[pyo3(signature = (robot, hit_radius=None))]
    fn __new__(robot: &Bound<'_, PyRobot>, hit_radius: Option<Real>) -> Result<Self> {
        Self::made(robot.get(), |chain| match hit_radius {
            Some(radius) => Ok(IkCache::new(chain).with_hit_radius(radius.0)?),
            None => Ok(IkCache::new(chain)),
        })
    }

    /// Adds random configurations inside the limits.
    ///
    /// Args:
    ///     count: How many.
    ///     rng_seed: Their seed; None for 0.
    #[pyo3(signature = (count, rng_seed=None))]
    fn warm(&self, py: Python<'_>, count: Count, rng_seed: Option<Seed>) -> Result<()> {
        let stop = StopFlag::default();
        let seed = rng_seed.map_or(0, |seed| seed.0);
        interruptible(py, &stop, || self.lock().warm_until(count.0, seed, &stop))
    }

    /// Solves from the nearest known configuration, from `seed` where none is near, and remembers the answer.
    ///
    /// Args:
    ///     target: Pose of the tool in the group's base.
    ///     seed: Joint values (dof,) to start from where no known pose is near; None for the middle of the limits.
    ///     options: Of `kinetic.IKOptions`: `mode`, `max_iterations`, `num_restarts`, `position_tolerance`,
    ///         `orientation_tolerance`, `check_limits`, `rng_seed`, `timeout`.
    ///
    /// Returns:
    ///     The dictionary of `Robot.ik_config`.
    ///
    /// Raises:
    ///     IKError: Not found, or proven not to exist.
    #[pyo3(signature = (target, seed=None, **options))]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        target: PoseArg,
        seed: Option<Vector>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<Dict<'py>> {
        let config = IKConfig { seed: seed.map(|seed| seed.0.into()), ..self.ik.config() };
        let config = IkOptions::read(&CACHE_SOLVE, config, options)?.config;
        let solve = || self.lock().solve(&target.0, &config);
        let solution = interruptible_if(py, self.ik.may_take_long(&config), &config.stop, solve)??;
        Ok(facts(py, &solution)?)
    }

    /// The known configuration (dof,) whose pose is nearest, and how far that is, in parts of the reach and rad together;
    /// None for an empty cache.
    fn nearest<'py>(&self, py: Python<'py>, target: PoseArg) -> Result<Option<Tuple<'py>>> {
        let found = py.detach(|| self.lock().nearest(&target.0).map(|(q, distance)| (q.clone(), distance)));
        let pair =
            |(q, distance): (kinetic::core::JointValues, f64)| Ok(Tuple::new(py, (Array::vector(py, &q)?, distance))?);
        found.map(pair).transpose()
    }

    /// How many solves began at a known configuration.
    #[getter]
    fn hits(&self, py: Python<'_>) -> u64 {
        py.detach(|| self.lock().statistics().hits)
    }

    /// How many solves found none near enough.
    #[getter]
    fn misses(&self, py: Python<'_>) -> u64 {
        py.detach(|| self.lock().statistics().misses)
    }

    /// Writes the configurations as text, one per line, in full precision.
    ///
    /// Raises:
    ///     OSError: The file cannot be written.
    fn save(&self, py: Python<'_>, path: File) -> Result<()> {
        Ok(py.detach(|| self.lock().save(&path.0))?)
    }

    /// The cache that `save` wrote for the same joints; poses are computed anew, for the tool of the robot.
    ///
    /// Args:
    ///     robot: The robot.
    ///     path: The file.
    ///
    /// Raises:
    ///     InputError: A file that is no cache, or one for other joints.
    ///     OSError: The file cannot be read.
    #[staticmethod]
    fn load(py: Python<'_>, robot: &Bound<'_, PyRobot>, path: File) -> Result<Self> {
        let robot = robot.get();
        py.detach(|| Self::made(robot, |chain| Ok(IkCache::load(chain, &path.0)?)))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.lock().len())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let (count, statistics) = py.detach(|| {
            let cache = self.lock();
            (cache.len(), cache.statistics())
        });
        format!("<IkCache: {}, {count} poses, {} hits, {} misses>", self.name, statistics.hits, statistics.misses)
    }
}
