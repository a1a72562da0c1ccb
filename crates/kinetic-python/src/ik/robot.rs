//! `Robot`: one configuration that reaches a pose.

use std::sync::Arc;

use kinetic::core::Pose;
use kinetic::kinematics::SOLVERS;
use kinetic::kinematics::ik::{IKConfig, IKMode, IKSolver};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::convert::{Array, Dict, PoseArg, Vector};
use crate::error::Result;
use crate::ik::answer::{answer, facts};
use crate::ik::options::{IK, IkOptions};
use crate::robot::{Model, PyRobot};

#[pymethods]
impl PyRobot {
    /// Name of the solver that "auto" stands for: the one that the robot's configuration prefers, "analytic" for arms
    /// with a closed form, else "dls".
    #[getter]
    fn ik_solver(&self) -> &'static str {
        let model = self.model();
        match model.ik() {
            Ok(ik) => ik.auto_solver().id(),
            Err(_) => match IKConfig::for_robot(&model.robot).preference {
                preferred if preferred.is_numerical() => preferred.id(),
                _ => SOLVERS[0].id,
            },
        }
    }

    /// Joint values (dof,) inside the limits that bring the tool to a pose.
    ///
    /// In closed form where the arm has one: of all branches at all turns of 2π the one to which the joints travel least
    /// inside their limits, with the weights of `joint_weights`; arms with more than six joints are moved along their
    /// self-motion to where that is least. Otherwise, and where no branch is inside the limits,
    /// Levenberg-Marquardt from the seed, then from up to 10 random configurations. The same query gives the same
    /// answer. Collisions are not looked at.
    ///
    /// Args:
    ///     target: Pose of the tool in the group's base.
    ///     seed: Joint values to stay close to; None for the middle of the limits. In the length of the robot they
    ///         say where its other joints stand, and the solver is the numerical one.
    ///     tcp: Pose of a tool on the tip instead of the robot's.
    ///     options: Of `kinetic.IKOptions`: `solver`, `mode`, `null_space`, `max_iterations`, `num_restarts`,
    ///         `position_tolerance`, `orientation_tolerance`, `check_limits`, `rng_seed`, `tool_axis`, `damping`, `timeout`,
    ///         and `raise_on_failure`: False for the nearest configuration where the pose is not reached (`ik_config` tells
    ///         the two apart).
    ///
    /// Raises:
    ///     IKError: Nothing within the tolerances was found, or is proven not to exist. The message says how near the arm
    ///         comes, which joints stand at their limits there, and what arms with fewer than six joints can meet.
    ///     InputError: A closed form that does not fit the arm; the message says what fits.
    ///
    /// Example:
    ///     >>> from kinetic import Robot
    ///     >>> robot = Robot("ur5e")
    ///     >>> target = robot.fk([0.1, -1.2, 1.3, -0.4, 0.5, 0.6])
    ///     >>> robot.ik(target).shape, robot.ik(target, solver="sqp", rng_seed=3, timeout=1.0).shape
    ///     ((6,), (6,))
    #[pyo3(signature = (target, seed=None, tcp=None, **options))]
    fn ik<'py>(
        &self,
        py: Python<'py>,
        target: PoseArg,
        seed: Option<Vector>,
        tcp: Option<PoseArg>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<Array<'py>> {
        let model = self.model();
        let config = IKConfig { seed: seed.map(|seed| seed.0.into()), ..model.ik()?.config() };
        let options = IkOptions::read(&IK, config, options)?;
        let (model, target) = asked(model, target, tcp, &options.config)?;
        let solution = answer(py, &model, &target.0, options)?;
        Array::vector(py, &solution.joints)
    }

    /// `ik` with what is known about its answer.
    ///
    /// Args:
    ///     target: Pose of the tool in the group's base.
    ///     arguments: Options by position: `solver`, `mode`, `seed`, `null_space`, `max_iterations`, `num_restarts`,
    ///         `position_tolerance`, `orientation_tolerance`, `check_limits`, `rng_seed`, `raise_on_failure`.
    ///     seed: As in `ik`.
    ///     tcp: Pose of a tool on the tip instead of the robot's.
    ///     options: As of `ik`. With `raise_on_failure=False` a pose that is not reached is answered by the nearest
    ///         configuration that a numerical solver met, and `converged` False.
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
    #[pyo3(signature = (target, *arguments, seed=None, tcp=None, **options))]
    fn ik_config<'py>(
        &self,
        py: Python<'py>,
        target: PoseArg,
        arguments: &Bound<'py, PyTuple>,
        seed: Option<Vector>,
        tcp: Option<PoseArg>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<Dict<'py>> {
        let model = self.model();
        let config = IKConfig { seed: seed.map(|seed| seed.0.into()), ..model.ik()?.config() };
        let options = IkOptions::read_with_positions(config, arguments, options)?;
        let model = model.with_tool(tcp)?;
        let solution = answer(py, &model, &target.0, options)?;
        Ok(facts(py, &solution)?)
    }
}

/// The model and the target of its tool that a query about another tool comes down to. With a closed form for whole
/// poses that is another target, so that no solver is made anew.
fn asked(model: Arc<Model>, target: PoseArg, tcp: Option<PoseArg>, config: &IKConfig) -> Result<(Arc<Model>, PoseArg)> {
    let by_branches = config.mode == IKMode::Full6D && config.solver == IKSolver::Auto;
    if by_branches && model.closed_form().is_ok() {
        let own = own_target(&model, target, tcp);
        return Ok((model, PoseArg(own)));
    }
    Ok((model.with_tool(tcp)?, target))
}

/// Where the robot's own tool is when the tool `tcp` is at `target`.
pub(crate) fn own_target(model: &Model, target: PoseArg, tcp: Option<PoseArg>) -> Pose {
    let own = model.group().tip_from_tcp;
    tcp.map_or(target.0, |tcp| target.0 * tcp.0.inverse() * own)
}
