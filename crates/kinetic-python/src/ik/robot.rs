//! `Robot`: inverse kinematics with all options, for many poses, and for several answers.

use std::sync::Arc;

use kinetic::core::{KineticError, Pose, StopFlag};
use kinetic::kinematics::analytic::Manipulator;
use kinetic::kinematics::ik::{IKConfig, IKSolution, IKSolver, in_parallel};
use kinetic::kinematics::{
    AxisCone, IkCache, SOLVERS, nearest_ik, pairwise_distances, solve_ik, solve_ik_auto, solve_ik_distinct,
    what_stopped,
};
use nalgebra::{Unit, Vector3};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_identifier;

use crate::convert::{
    Array, Count, Dict, DirectionArg, Matrix, OptionalDicts, PoseArg, PoseList, Real, Seed, Text, Tuple, Vector,
};
use crate::error::{Error, Result, with_story};
use crate::ik::failure::with_question;
use crate::interrupt::{interruptible, interruptible_if};
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
    ///     tool_axis: For the solver "sqp", a cone that an axis of the tool must stay in: that axis, the middle of the cone in
    ///         the group's base ("x", "y", "z" or directions), and the largest angle between the two, 1e-3 to π rad.
    ///     damping: For the solver "dls", damping per unit of squared pose error; None for what the robot prefers.
    ///     tcp: Pose of a tool on the tip instead of the robot's.
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
        orientation_tolerance=Real(1e-3), check_limits=true, rng_seed=None, raise_on_failure=true, *, tool_axis=None,
        damping=None, tcp=None),
        text_signature = "(self, target, solver='auto', mode='full6d', seed=None, null_space=None, max_iterations=100, \
        num_restarts=10, position_tolerance=0.0001, orientation_tolerance=0.001, check_limits=True, rng_seed=None, \
        raise_on_failure=True, *, tool_axis=None, damping=None, tcp=None)")]
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
        tool_axis: Option<ConeArg>,
        damping: Option<Real>,
        tcp: Option<PoseArg>,
    ) -> Result<Dict<'py>> {
        let model = self.model().with_tool(tcp)?;
        let config = IKConfig {
            solver: with_damping(solver.0.parse()?, damping.as_ref())?,
            mode: mode.0.parse()?,
            seed: seed.map(|seed| seed.0.into()),
            null_space: null_space.map(|name| name.0.parse()).transpose()?,
            max_iterations: max_iterations.0,
            num_restarts: num_restarts.0,
            position_tolerance: position_tolerance.0,
            orientation_tolerance: orientation_tolerance.0,
            check_limits,
            rng_seed: rng_seed.map_or(0, |seed| seed.0),
            tool_axis: tool_axis.map(|cone| cone.0),
            ..IKConfig::for_robot(&model.robot)
        };
        let solution = answer(py, &model, &target.0, &config, raise_on_failure)?;
        Ok(facts(py, &solution)?)
    }

    /// `ik_config` for many poses at once, on all processors.
    ///
    /// Args:
    ///     targets: Poses of the tool in the group's base (N, 4, 4), or a list of poses.
    ///     solver: As in `ik_config`; "cached" needs single calls.
    ///     num_restarts: Attempts after the first, per pose.
    ///     seeds: Joint values to start from, one row per pose (N, dof); None for the middle of the limits.
    ///     mode: As in `ik_config`, and so the following.
    ///     position_tolerance: Largest distance between reached and wanted origin, m.
    ///     orientation_tolerance: Largest angle between reached and wanted orientation, rad.
    ///     check_limits: Whether answers lie inside the joint limits.
    ///     tcp: Pose of a tool on the tip instead of the robot's.
    ///
    /// Returns:
    ///     One dictionary per pose, None where there is no answer; the same as pose by pose.
    #[pyo3(signature = (targets, solver=Text("auto".to_owned()), num_restarts=Count(10), seeds=None, *,
        mode=Text("full6d".to_owned()), position_tolerance=Real(1e-4), orientation_tolerance=Real(1e-3),
        check_limits=true, tcp=None),
        text_signature = "(self, targets, solver='auto', num_restarts=10, seeds=None, *, mode='full6d', \
        position_tolerance=0.0001, orientation_tolerance=0.001, check_limits=True, tcp=None)")]
    #[expect(clippy::too_many_arguments, reason = "the options of the Python call")]
    fn batch_ik<'py>(
        &self,
        py: Python<'py>,
        targets: PoseList,
        solver: Text,
        num_restarts: Count,
        seeds: Option<Matrix>,
        mode: Text,
        position_tolerance: Real,
        orientation_tolerance: Real,
        check_limits: bool,
        tcp: Option<PoseArg>,
    ) -> Result<OptionalDicts<'py>> {
        let (model, targets) = (self.model().with_tool(tcp)?, targets.0);
        let (chain, solver) = (model.chain()?, solver.0.parse()?);
        let config = IKConfig {
            solver,
            num_restarts: num_restarts.0,
            mode: mode.0.parse()?,
            position_tolerance: position_tolerance.0,
            orientation_tolerance: orientation_tolerance.0,
            check_limits,
            ..IKConfig::for_robot(&model.robot)
        };
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
            let config = IKConfig { seed, stop: stop.clone(), ..config.clone() };
            solve_ik_auto(model.closed_form().ok(), chain, &targets[pose], &config)
        };
        let answers = interruptible(py, &stop, || in_parallel(targets.len(), &solve))??;
        let dicts: PyResult<Vec<_>> =
            answers.iter().map(|answer| answer.as_ref().map(|solution| facts(py, solution)).transpose()).collect();
        Ok(OptionalDicts::new(py, dicts?)?)
    }

    /// Different configurations that reach a pose, from numerical attempts with many starts, nearest to the seed first.
    ///
    /// A search: it may miss branches, which `ik_all` does not where there is a closed form. An attempt that fails does not
    /// end it.
    ///
    /// Args:
    ///     target: Pose of the tool in the group's base.
    ///     seed: Joint values (dof,) to start from; None for the middle of the limits.
    ///     solver: A numerical solver, as in `ik_config`.
    ///     mode: As in `ik_config`.
    ///     max_iterations: Iterations of one attempt.
    ///     num_restarts: Attempts after the first, from random configurations.
    ///     position_tolerance: Largest distance between reached and wanted origin, m.
    ///     orientation_tolerance: Largest angle between reached and wanted orientation, rad.
    ///     check_limits: Whether answers lie inside the joint limits.
    ///     rng_seed: Seed of the attempts; None for 0.
    ///     tcp: Pose of a tool on the tip instead of the robot's.
    ///
    /// Returns:
    ///     Joint values (k, dof), of which no two agree in all joints to 1e-3 rad or m, turns of 2π ignored; and the largest
    ///     difference of a joint between each two, (k, k).
    ///
    /// Raises:
    ///     IKError: No attempt reached the pose.
    #[pyo3(signature = (target, seed=None, *, solver=Text("dls".to_owned()), mode=Text("full6d".to_owned()),
        max_iterations=Count(100), num_restarts=Count(50), position_tolerance=Real(1e-4),
        orientation_tolerance=Real(1e-3), check_limits=true, rng_seed=None, tcp=None),
        text_signature = "($self, target, seed=None, *, solver='dls', mode='full6d', max_iterations=100, num_restarts=50, \
        position_tolerance=0.0001, orientation_tolerance=0.001, check_limits=True, rng_seed=None, tcp=None)")]
    #[expect(clippy::too_many_arguments, reason = "the options of the Python call")]
    fn ik_distinct<'py>(
        &self,
        py: Python<'py>,
        target: PoseArg,
        seed: Option<Vector>,
        solver: Text,
        mode: Text,
        max_iterations: Count,
        num_restarts: Count,
        position_tolerance: Real,
        orientation_tolerance: Real,
        check_limits: bool,
        rng_seed: Option<Seed>,
        tcp: Option<PoseArg>,
    ) -> Result<Tuple<'py>> {
        let model = self.model().with_tool(tcp)?;
        let chain = model.chain()?;
        let config = IKConfig {
            seed: seed.map(|seed| seed.0.into()),
            solver: solver.0.parse()?,
            mode: mode.0.parse()?,
            max_iterations: max_iterations.0,
            num_restarts: num_restarts.0,
            position_tolerance: position_tolerance.0,
            orientation_tolerance: orientation_tolerance.0,
            check_limits,
            rng_seed: rng_seed.map_or(0, |seed| seed.0),
            ..IKConfig::for_robot(&model.robot)
        };
        let solutions = interruptible_if(py, is_long(&model, &config), &config.stop, || {
            solve_ik_distinct(chain, &target.0, &config)
        })??;
        let values: Vec<f64> = solutions.iter().flat_map(|solution| solution.joints.iter().copied()).collect();
        let (count, apart) = (solutions.len(), pairwise_distances(chain, &solutions));
        let rows = Array::new(py, &[count, chain.dof()], &values)?;
        Ok(Tuple::new(py, (rows, Array::new(py, &[count, count], apart.as_slice())?))?)
    }
}

/// A solver with another damping, which only damped least squares has.
fn with_damping(solver: IKSolver, damping: Option<&Real>) -> Result<IKSolver> {
    match (solver, damping) {
        (solver, None) => Ok(solver),
        (IKSolver::DLS { .. }, Some(damping)) => Ok(IKSolver::DLS { damping: damping.0 }),
        (solver, Some(_)) => {
            Err(KineticError::invalid("solver with a damping", solver.id(), "dls, which is what is damped").into())
        }
    }
}

/// A cone of an axis: the axis in the tool, the middle in the base, the largest angle.
struct ConeArg(AxisCone);

impl FromPyObject<'_, '_> for ConeArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_identifier!("typing", "Any");

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let parts: Vec<Bound<'_, PyAny>> = given.extract()?;
        kinetic::core::error::check_len("tool_axis: axis, middle and angle", parts.len(), 3)?;
        let direction = |part: &Bound<'_, PyAny>| unit(&part.extract::<DirectionArg>()?.0);
        let (tool_axis, base_axis) = (direction(&parts[0])?, direction(&parts[1])?);
        Ok(Self(AxisCone { tool_axis, base_axis, max_angle: parts[2].extract::<Real>()?.0 }))
    }
}

fn unit(direction: &Vector3<f64>) -> Result<Unit<Vector3<f64>>> {
    let given = || format!("{:?}", direction.as_slice());
    let unit = Unit::try_new(*direction, 1e-9);
    Ok(unit.ok_or_else(|| KineticError::invalid("direction of tool_axis", given(), "a vector that has a direction"))?)
}

/// What the solver finds, or where it ends when that is wanted, or why there is nothing.
fn answer(py: Python<'_>, model: &Arc<Model>, target: &Pose, config: &IKConfig, raise: bool) -> Result<IKSolution> {
    let is_long = is_long(model, config);
    if let Some(Ok(found)) = is_long.then(|| at_once(py, model, target, config)).flatten() {
        return Ok(found);
    }
    match interruptible_if(py, is_long, &config.stop, || solve(model, target, config))? {
        Err(error) if !raise && is_miss(&error) => {
            let numerical = IKConfig { solver: numerical(config.solver), ..config.clone() };
            interruptible_if(py, is_long, &config.stop, || Ok(nearest_ik(model.chain()?, target, &numerical)?))?
        }
        Err(error) => Err(explained(py, model, target, config, error)),
        Ok(solution) => Ok(solution),
    }
}

/// Iterations that a call is not watched for: they take some ten milliseconds.
pub(crate) const SHORT: usize = 2_000;

/// What the first attempts find, as many as a call is not watched for: they are those of the whole search, which ends at the
/// first that arrives. To start a thread takes as long as several of them.
fn at_once(py: Python<'_>, model: &Model, target: &Pose, config: &IKConfig) -> Option<Result<IKSolution>> {
    let num_restarts = (SHORT / config.max_iterations.max(1)).checked_sub(1)?;
    let few = IKConfig { num_restarts, ..config.clone() };
    (!is_long(model, &few)).then(|| py.detach(|| solve(model, target, &few)))
}

/// Whether Ctrl-C has to be looked for: many iterations, or a self-motion whose samples cost an eigenproblem each.
pub(crate) fn is_long(model: &Model, config: &IKConfig) -> bool {
    let iterations = config.num_restarts.saturating_add(1).saturating_mul(config.max_iterations);
    iterations > SHORT || model.closed_form().is_ok_and(sweeps_slowly)
}

/// Whether a sweep over the self-motion of an arm takes long.
pub(crate) fn sweeps_slowly(arm: &Manipulator) -> bool {
    !arm.ranges().is_empty() && arm.dispatch_plan().tier > 0
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

/// Solvers that answer by numbers where there is no branch.
fn is_open(solver: IKSolver) -> bool {
    matches!(solver, IKSolver::Auto | IKSolver::Cached)
}

fn is_miss(error: &Error) -> bool {
    matches!(error, Error::Kinetic(KineticError::IKNotConverged { .. } | KineticError::NoIKSolution { .. }))
}

/// The error with the nearest pose and the joints that stand at their limits in its message and as `stopped_by`, and with
/// the question, from which its report is worked out.
pub(crate) fn explained(py: Python<'_>, model: &Arc<Model>, target: &Pose, config: &IKConfig, error: Error) -> Error {
    if !is_miss(&error) {
        return error;
    }
    with_question(py, told(py, model, target, config, error), model, target, config)
}

fn told(py: Python<'_>, model: &Model, target: &Pose, config: &IKConfig, error: Error) -> Error {
    let is_told = match &error {
        Error::Kinetic(KineticError::IKNotConverged { .. }) => false,
        // A closed form that was asked for knows its branches, not what is near.
        Error::Kinetic(KineticError::NoIKSolution { .. }) => config.solver.is_numerical() || is_open(config.solver),
        _ => true,
    };
    if is_told {
        return error;
    }
    let config = IKConfig { solver: numerical(config.solver), num_restarts: 0, ..config.clone() };
    let Ok(chain) = model.chain() else { return error };
    match interruptible_if(py, is_long(model, &config), &config.stop, || nearest_ik(chain, target, &config)) {
        Ok(Ok(nearest)) => with_story(py, error, &what_stopped(chain, &nearest)),
        Ok(Err(_)) => error,
        Err(interrupted) => interrupted,
    }
}

pub(crate) fn facts<'py>(py: Python<'py>, solution: &IKSolution) -> PyResult<Dict<'py>> {
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
