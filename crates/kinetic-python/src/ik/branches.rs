//! `Robot`: several configurations that reach one pose.

use kinetic::core::Pose;
use kinetic::kinematics::analytic::SolveOptions;
use kinetic::kinematics::ik::{IKConfig, pairwise_distances};
use kinetic::scene::Scene;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{Array, Count, PoseArg, Tuple, Vector};
use crate::error::Result;
use crate::ik::manipulator::MANY;
use crate::ik::manipulator_keywords::sample_count;
use crate::ik::options::{IK_ALL, IK_DISTINCT, IkOptions};
use crate::ik::robot::own_target;
use crate::interrupt::interruptible_if;
use crate::robot::{Model, PyRobot};

/// Attempts of `ik_distinct` after the first.
const RESTARTS: usize = 50;

#[pymethods]
impl PyRobot {
    /// All configurations that bring the tool to a pose, in closed form, one row each (k, dof); k is 0 for a pose out of
    /// reach. For arms with more than six joints all at the samples of their self-motion. Arms with fewer meet a part of the
    /// pose, which `Manipulator.met` names.
    ///
    /// Args:
    ///     target: Pose of the tool in the group's base.
    ///     seed: Joint values; the closest solutions come first, each with the turns of 2π that are closest.
    ///     respect_limits: Whether joints are turned into their limits and solutions outside them are dropped; the option
    ///         `check_limits` of other calls is the same.
    ///     max_solutions: At most so many rows.
    ///     tcp: Pose of a tool on the tip instead of the robot's.
    ///     options: Of `kinetic.IKOptions`: `swivel_samples`, `samples` and `turns` as in `Manipulator.solve` (all turns of
    ///         2π inside the limits instead of the one nearest to the seed); `scene`, of which only the configurations
    ///         without collision are wanted, with `collision_margin` and `self_margin`; `check_limits`, `timeout`.
    ///
    /// Raises:
    ///     InputError: The arm has no closed form (the message says what has one), or a scene of another robot.
    ///     IKError: The time was over before all were known (`IKTimeout`).
    ///
    /// Example:
    ///     >>> from kinetic import Pose, Robot, Scene, Shape
    ///     >>> robot = Robot("ur5e")
    ///     >>> target = robot.fk([0.1, -1.2, 1.3, -0.4, 0.5, 0.6])
    ///     >>> scene = Scene(robot)
    ///     >>> scene.add("shelf", Shape.box(2.0, 2.0, 0.02), Pose.from_xyz(0.0, 0.0, 0.6))
    ///     >>> len(robot.ik_all(target)), len(robot.ik_all(target, scene=scene))
    ///     (8, 6)
    #[pyo3(signature = (target, seed=None, respect_limits=true, max_solutions=None, tcp=None, **options))]
    #[expect(clippy::too_many_arguments, reason = "arguments by position in Python")]
    fn ik_all<'py>(
        &self,
        py: Python<'py>,
        target: PoseArg,
        seed: Option<Vector>,
        respect_limits: bool,
        max_solutions: Option<Count>,
        tcp: Option<PoseArg>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<Array<'py>> {
        let model = self.model();
        let arm = model.closed_form()?;
        let config =
            IKConfig { seed: seed.map(|seed| seed.0.into()), check_limits: respect_limits, ..IKConfig::default() };
        let mut options = IkOptions::read(&IK_ALL, config, options)?;
        let target = own_target(&model, target, tcp);
        let wanted = SolveOptions {
            samples: sample_count(arm, options.swivel_samples.take(), options.samples.take())?,
            seed: options.config.seed.clone(),
            max_solutions: max_solutions.map(|count| count.0),
            respect_limits: options.config.check_limits,
            turns: options.turns,
            stop: options.config.stop.clone(),
            ..SolveOptions::default()
        };
        let solve = || match &options.scene {
            None => Ok(arm.configurations(&target, &wanted)?),
            Some(scene) => collision_free(&model, scene, &target, &wanted, &options),
        };
        let is_long = arm.sweeps_slowly() || wanted.samples.is_some_and(|count| count > MANY);
        let values = interruptible_if(py, is_long, &wanted.stop, solve)??;
        Array::new(py, &[values.len() / arm.dof(), arm.dof()], &values)
    }

    /// Different configurations that reach a pose, from numerical attempts with many starts, nearest to the seed first.
    ///
    /// A search: it may miss branches, which `ik_all` does not where there is a closed form. An attempt that fails does not
    /// end it.
    ///
    /// Args:
    ///     target: Pose of the tool in the group's base.
    ///     seed: Joint values (dof,) to start from; None for the middle of the limits.
    ///     tcp: Pose of a tool on the tip instead of the robot's.
    ///     options: Of `kinetic.IKOptions`, as of `ik`: the `solver` is a numerical one, "dls" unless stated, and
    ///         `num_restarts` is 50. With a `timeout` the answer is what was found by then.
    ///
    /// Returns:
    ///     Joint values (k, dof), of which no two agree in all joints to 1e-3 rad or m, turns of 2π ignored; and the largest
    ///     difference of a joint between each two, (k, k).
    ///
    /// Raises:
    ///     IKError: No attempt reached the pose.
    #[pyo3(signature = (target, seed=None, *, tcp=None, **options))]
    fn ik_distinct<'py>(
        &self,
        py: Python<'py>,
        target: PoseArg,
        seed: Option<Vector>,
        tcp: Option<PoseArg>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<Tuple<'py>> {
        let model = self.model();
        let config = IKConfig {
            solver: IKConfig::dls().solver,
            num_restarts: RESTARTS,
            seed: seed.map(|seed| seed.0.into()),
            ..model.ik()?.config()
        };
        let config = IkOptions::read(&IK_DISTINCT, config, options)?.config;
        let model = model.with_tool(tcp)?;
        let ik = model.ik()?;
        let solve = || ik.solve_distinct(&target.0, &config);
        let solutions = interruptible_if(py, ik.may_take_long(&config), &config.stop, solve)??;
        let values: Vec<f64> = solutions.iter().flat_map(|solution| solution.joints.iter().copied()).collect();
        let (count, apart) = (solutions.len(), pairwise_distances(ik.chain(), &solutions));
        let rows = Array::new(py, &[count, ik.chain().dof()], &values)?;
        Ok(Tuple::new(py, (rows, Array::new(py, &[count, count], apart.as_slice())?))?)
    }
}

/// The configurations without collision, one after the other.
fn collision_free(
    model: &Model,
    scene: &Scene,
    target: &Pose,
    wanted: &SolveOptions,
    options: &IkOptions,
) -> Result<Vec<f64>> {
    let scene = scene.with_robot(&model.robot)?;
    let found = scene.collision_free_branches(model.ik()?, target, wanted, options.margins)?;
    Ok(found.iter().flat_map(|solution| solution.q.iter().copied()).collect())
}
