//! `Robot`: inverse kinematics with all options, for many poses, and by coordinate descent.

use kinetic::core::{KineticError, Pose, StopFlag};
use kinetic::kinematics::ik::{IKConfig, IKSolution, IKSolver, in_parallel};
use kinetic::kinematics::{
    CcdOptions, IkCache, KinematicChain, LinkTarget, SOLVERS, ccd, nearest_ik, solve_ik, solve_ik_auto, what_stopped,
};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::convert::{Array, Count, Dict, Matrix, OptionalDicts, PoseArg, PoseList, Real, Seed, Text, Texts, Vector};
use crate::error::{Error, Result};
use crate::interrupt::interruptible;
use crate::robot::{Model, PyRobot};

/// Configurations that the cache of a robot starts with.
const WARM: usize = 1000;

#[pymethods]
impl PyRobot {
    /// Name of the solver that "auto" stands for: the one that the robot's configuration prefers, "analytic" for arms
    /// with a closed form, else "dls".
    #[getter]
    fn ik_solver(&self) -> &'static str {
        let model = self.model();
        let preferred = IKConfig::for_robot(&model.robot).preference;
        match model.closed_form() {
            _ if preferred.is_numerical() => preferred.id(),
            Ok(_) => IKSolver::Analytic.id(),
            Err(_) => SOLVERS[0].id,
        }
    }

    /// Inverse kinematics with every option.
    ///
    /// Args:
    ///     target: Pose of the tool in the group's base.
    ///     solver: "auto" (closed form where there is one, else "dls"), "dls", "sqp", "fabrik", "ccd", "bio_ik", "cached",
    ///         or a closed form by name: "analytic", "opw", "subproblem", "subproblem7dof".
    ///     mode: "full6d", "position_only", or "position_fallback": the pose, and the position alone where that fails.
    ///     seed: Joint values (dof,) to start from and stay close to; None for the middle of the limits.
    ///     null_space: What joints to spare are used for: None, "manipulability", "minimal_displacement" (from the
    ///         seed) or "joint_centering".
    ///     max_iterations: Iterations of one attempt.
    ///     num_restarts: Attempts after the first, from random configurations.
    ///     position_tolerance: Largest distance between reached and wanted origin, m.
    ///     orientation_tolerance: Largest angle between reached and wanted orientation, rad.
    ///     check_limits: Whether answers lie inside the joint limits.
    ///     rng_seed: Seed of everything random; None for 0, so that the same question gives the same answer.
    ///     raise_on_failure: Whether a pose that is not reached is an error. Otherwise numerical solvers answer with the
    ///         nearest configuration they met, and `converged` False.
    ///
    /// Returns:
    ///     joints (dof,), converged, position_error (m), orientation_error (rad), iterations, mode_used, solver_used,
    ///     degraded (position only instead of the pose, or a singular configuration), and condition_number of the Jacobian
    ///     (below 50 is good, above 1000 singular).
    ///
    /// Raises:
    ///     IKError: Not found (`IKNotConverged`, with the nearest pose and the joints at their limits), or proven not to
    ///         exist (`NoIKSolution`).
    ///     InputError: A closed form that does not fit the arm; the message says what fits.
    ///
    /// Example:
    ///     >>> from kinetic import Robot
    ///     >>> robot = Robot("ur5e")
    ///     >>> target = robot.fk([0.1, -1.2, 1.3, -0.4, 0.5, 0.6])
    ///     >>> robot.ik_config(target, solver="dls")["converged"]
    ///     True
    #[pyo3(signature = (target, solver=Text("auto".to_owned()), mode=Text("full6d".to_owned()), seed=None, null_space=None,
        max_iterations=Count(100), num_restarts=Count(10), position_tolerance=Real(1e-4),
        orientation_tolerance=Real(1e-3), check_limits=true, rng_seed=None, raise_on_failure=true),
        text_signature = "(self, target, solver='auto', mode='full6d', seed=None, null_space=None, max_iterations=100, \
        num_restarts=10, position_tolerance=0.0001, orientation_tolerance=0.001, check_limits=True, rng_seed=None, \
        raise_on_failure=True)")]
    #[expect(clippy::too_many_arguments, reason = "the options of the Python call")]
    fn ik_config<'py>(
        &self,
        py: Python<'py>,
        target: PoseArg,
        solver: Text,
        mode: Text,
        seed: Option<Vector>,
        null_space: Option<Text>,
        max_iterations: Count,
        num_restarts: Count,
        position_tolerance: Real,
        orientation_tolerance: Real,
        check_limits: bool,
        rng_seed: Option<Seed>,
        raise_on_failure: bool,
    ) -> Result<Dict<'py>> {
        let model = self.model();
        let config = IKConfig {
            solver: solver.0.parse()?,
            mode: mode.0.parse()?,
            seed: seed.map(|seed| seed.0.into()),
            null_space: null_space.map(|name| name.0.parse()).transpose()?,
            max_iterations: max_iterations.0,
            num_restarts: num_restarts.0,
            position_tolerance: position_tolerance.0,
            orientation_tolerance: orientation_tolerance.0,
            check_limits,
            rng_seed: rng_seed.map_or(0, |seed| seed.0),
            ..IKConfig::for_robot(&model.robot)
        };
        let solved = py.detach(|| solve(&model, &target.0, &config));
        let solution = match solved {
            Ok(solution) => solution,
            Err(error) if !raise_on_failure && is_miss(&error) => {
                let numerical = IKConfig { solver: numerical(config.solver), ..config };
                py.detach(|| nearest_ik(model.chain()?, &target.0, &numerical).map_err(Error::from))?
            }
            Err(error) => return Err(explained(py, &model, &target.0, &config, error)),
        };
        Ok(facts(py, &solution)?)
    }

    /// `ik_config` for many poses at once, on all processors.
    ///
    /// Args:
    ///     targets: Poses of the tool in the group's base (N, 4, 4), or a list of poses.
    ///     solver: As in `ik_config`; "cached" needs single calls.
    ///     num_restarts: Attempts after the first, per pose.
    ///     seeds: Joint values to start from, one row per pose (N, dof); None for the middle of the limits.
    ///
    /// Returns:
    ///     One dictionary per pose, None where there is no answer; the same as pose by pose.
    #[pyo3(signature = (targets, solver=Text("auto".to_owned()), num_restarts=Count(10), seeds=None),
        text_signature = "(self, targets, solver='auto', num_restarts=10, seeds=None)")]
    fn batch_ik<'py>(
        &self,
        py: Python<'py>,
        targets: PoseList,
        solver: Text,
        num_restarts: Count,
        seeds: Option<Matrix>,
    ) -> Result<OptionalDicts<'py>> {
        let (model, targets) = (self.model(), targets.0);
        let (chain, solver) = (model.chain()?, solver.0.parse()?);
        let config = IKConfig { solver, num_restarts: num_restarts.0, ..IKConfig::for_robot(&model.robot) };
        let seeds: Option<Vec<&[f64]>> = seeds.as_ref().map(|seeds| seeds.rows().collect());
        if let Some(seeds) = &seeds {
            kinetic::core::error::check_len("seeds", seeds.len(), targets.len())?;
        }
        let stop = StopFlag::default();
        let solve = |pose: usize| {
            if stop.is_stopped() {
                return Err(KineticError::Cancelled { elapsed: 0.0, iterations: pose as u64 });
            }
            let seed = seeds.as_ref().map(|seeds| seeds[pose].into());
            let config = IKConfig { seed, ..config.clone() };
            solve_ik_auto(model.closed_form().ok(), chain, &targets[pose], &config)
        };
        let answers = interruptible(py, &stop, || in_parallel(targets.len(), &solve))??;
        let dicts: PyResult<Vec<_>> =
            answers.iter().map(|answer| answer.as_ref().map(|solution| facts(py, solution)).transpose()).collect();
        Ok(OptionalDicts::new(py, dicts?)?)
    }

    /// Joint values at which several targets are met together, by cyclic coordinate descent: one joint at a time is moved
    /// to its best value, in closed form, inside its limits.
    ///
    /// Args:
    ///     targets: Dictionaries, each with "position" (x, y, z) in m or "rotation" (x, y, z, w) in the group's base, and
    ///         optionally "link" (a link of the chain; the tool when absent), "atol" (1e-4 m, 1e-3 rad) and "weight" (1).
    ///         A pose as a 4×4 matrix stands for the position and the rotation of the tool.
    ///     joints: Names of the joints that may move; None for all.
    ///     rtol: The descent has stalled when a sweep over the joints improves the error by less than this part.
    ///     maxiter: Sweeps at most.
    ///     line_search_maxiter: Evaluations along a joint that others follow, for which there is no closed form.
    ///     seed: Joint values (dof,) to start from; None for the middle of the limits.
    ///
    /// Returns:
    ///     Joint values (dof,).
    ///
    /// Raises:
    ///     IKError: The descent stalled or ran out of sweeps; `residual` is the largest error in m or rad.
    ///
    /// Example:
    ///     >>> from kinetic import Robot
    ///     >>> robot = Robot("ur5e")
    ///     >>> robot.ccd([{"position": [0.4, 0.2, 0.4]}]).shape
    ///     (6,)
    #[pyo3(signature = (targets, joints=None, rtol=Real(1e-6), maxiter=Count(500), line_search_maxiter=Count(500), seed=None),
        text_signature = "(self, targets, joints=None, rtol=1e-06, maxiter=500, line_search_maxiter=500, seed=None)")]
    #[expect(clippy::too_many_arguments, reason = "the options of the Python call")]
    fn ccd<'py>(
        &self,
        py: Python<'py>,
        targets: &Bound<'py, PyAny>,
        joints: Option<Texts>,
        rtol: Real,
        maxiter: Count,
        line_search_maxiter: Count,
        seed: Option<Vector>,
    ) -> Result<Array<'py>> {
        let model = self.model();
        let chain = model.chain()?;
        let targets = link_targets(&model, chain, targets)?;
        let options = CcdOptions {
            joints: joints.map(|joints| joint_indices(chain, &joints)).transpose()?,
            rtol: rtol.0,
            maxiter: maxiter.0,
            line_search_maxiter: line_search_maxiter.0,
            seed: seed.map(|seed| seed.0.into()),
        };
        let q = py.detach(|| ccd(chain, &targets, &options))?;
        Array::vector(py, &q)
    }
}

/// The answer of the solver that was asked for; the cache is the robot's own.
fn solve(model: &Model, target: &Pose, config: &IKConfig) -> Result<IKSolution> {
    let chain = model.chain()?;
    match (config.solver, model.closed_form()) {
        (IKSolver::Cached, _) => {
            let make = || {
                let mut cache = IkCache::new(chain.clone());
                cache.warm(WARM, 0);
                std::sync::Mutex::new(cache)
            };
            let mut cache = model.cache.get_or_init(make).lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            Ok(cache.solve(target, config)?)
        }
        (_, Ok(arm)) => Ok(solve_ik_auto(Some(arm), chain, target, config)?),
        // A closed form that was asked for says itself why there is none.
        (_, Err(_)) => Ok(solve_ik(chain, target, config)?),
    }
}

/// The numerical solver that says how near the arm comes.
fn numerical(solver: IKSolver) -> IKSolver {
    if solver.is_numerical() { solver } else { IKSolver::Auto }
}

fn is_miss(error: &Error) -> bool {
    matches!(error, Error::Kinetic(KineticError::IKNotConverged { .. } | KineticError::NoIKSolution { .. }))
}

/// The error with the nearest pose and the joints that stand at their limits in its message and as `stopped_by`.
pub(crate) fn explained(py: Python<'_>, model: &Model, target: &Pose, config: &IKConfig, error: Error) -> Error {
    let Error::Kinetic(KineticError::IKNotConverged { .. }) = &error else {
        return error;
    };
    let config = IKConfig { solver: numerical(config.solver), num_restarts: 0, ..config.clone() };
    let Some(story) = model.chain().ok().and_then(|chain| {
        let nearest = nearest_ik(chain, target, &config).ok()?;
        Some(what_stopped(chain, &nearest))
    }) else {
        return error;
    };
    let error = PyErr::from(error);
    let value = error.value(py);
    let message = format!("{value}; {story}");
    let changed = value.setattr("args", (message,)).and_then(|()| value.setattr("stopped_by", story));
    changed.map_or_else(Error::Python, |()| Error::Python(error))
}

fn facts<'py>(py: Python<'py>, solution: &IKSolution) -> PyResult<Dict<'py>> {
    Dict::new(py)
        .with("joints", Array::vector(py, &solution.joints)?)?
        .with("converged", solution.converged)?
        .with("position_error", solution.position_error)?
        .with("orientation_error", solution.orientation_error)?
        .with("iterations", solution.iterations)?
        .with("mode_used", solution.mode_used.id())?
        .with("solver_used", solution.solver.id())?
        .with("degraded", solution.degraded)?
        .with("condition_number", solution.condition_number)
}

/// Joints of the chain by name.
fn joint_indices(chain: &KinematicChain, names: &Texts) -> Result<Vec<usize>> {
    let index = |name: &String| {
        chain.joint_names().iter().position(|known| known == name).ok_or_else(|| {
            Error::Kinetic(KineticError::JointNotFound { name: name.clone(), available: chain.joint_names().to_vec() })
        })
    };
    names.0.iter().map(index).collect()
}

/// Targets from dictionaries, and from poses of the tool.
fn link_targets(model: &Model, chain: &KinematicChain, given: &Bound<'_, PyAny>) -> Result<Vec<LinkTarget>> {
    if let Ok(pose) = given.extract::<PoseArg>() {
        return Ok(pose_targets(&pose.0));
    }
    let mut targets = Vec::new();
    for item in given.cast::<PyList>().map_err(PyErr::from)? {
        match item.extract::<PoseArg>() {
            Ok(pose) => targets.extend(pose_targets(&pose.0)),
            Err(_) => targets.push(link_target(model, chain, &item)?),
        }
    }
    Ok(targets)
}

/// Tolerances of a target that states none, m and rad.
const ATOL: (f64, f64) = (1e-4, 1e-3);

fn pose_targets(pose: &Pose) -> Vec<LinkTarget> {
    vec![LinkTarget::position(pose.translation(), ATOL.0), LinkTarget::rotation(pose.rotation(), ATOL.1)]
}

fn link_target(model: &Model, chain: &KinematicChain, item: &Bound<'_, PyAny>) -> Result<LinkTarget> {
    let read = |key: &str| -> Result<Option<Bound<'_, PyAny>>> {
        Ok(if item.contains(key)? { Some(item.get_item(key)?) } else { None })
    };
    let vector = |key: &str, size: usize| -> Result<Option<Vec<f64>>> {
        let Some(value) = read(key)? else { return Ok(None) };
        let values = value.extract::<Vector>()?.0;
        kinetic::core::error::check_len(&format!("{key} of a target"), values.len(), size)?;
        Ok(Some(values))
    };
    let mut target = match (vector("position", 3)?, vector("rotation", 4)?) {
        (Some(p), None) => LinkTarget::position(Pose::from_xyz(p[0], p[1], p[2]).translation(), ATOL.0),
        (None, Some(q)) => {
            let pose = Pose::from_xyz_quat(0.0, 0.0, 0.0, q[0], q[1], q[2], q[3])?;
            LinkTarget::rotation(pose.rotation(), ATOL.1)
        }
        _ => return Err(KineticError::invalid("target", item.repr()?, "either \"position\" or \"rotation\"").into()),
    };
    if let Some(atol) = read("atol")? {
        target.atol = atol.extract::<Real>()?.0;
    }
    if let Some(weight) = read("weight")? {
        target.weight = weight.extract::<Real>()?.0;
    }
    if let Some(link) = read("link")? {
        target.link = Some(link_on_chain(model, chain, &link.extract::<Text>()?.0)?);
    }
    Ok(target)
}

/// Position of a link on the chain, its base being 0.
fn link_on_chain(model: &Model, chain: &KinematicChain, name: &str) -> Result<usize> {
    let robot = &model.robot;
    let base = model.group().base_link;
    let links: Vec<usize> =
        std::iter::once(base).chain(chain.all_joints().iter().map(|joint| robot.joints[*joint].child)).collect();
    let link = robot.link_index(name)?;
    links.iter().position(|known| *known == link).ok_or_else(|| {
        let available = links.iter().map(|link| robot.links[*link].name.clone()).collect();
        Error::Kinetic(KineticError::LinkNotFound { name: name.to_owned(), available })
    })
}
