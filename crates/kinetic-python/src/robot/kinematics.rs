//! `Robot`: forward and inverse kinematics.

use std::borrow::Cow;
use std::sync::Arc;

use kinetic::core::Pose;
use kinetic::core::error::check_finite;
use kinetic::kinematics::analytic::SolveOptions;
use kinetic::kinematics::{
    IKConfig, IKMode, KinematicChain, Rigid, condition_number, fk_batch_matrices, manipulability, robot_link_poses,
    solve_ik, solve_ik_auto,
};
use pyo3::prelude::*;

use crate::convert::{Array, Count, Matrix, Out, PoseArg, PoseDict, Real, Text, Vector};
use crate::error::Result;
use crate::ik::manipulator::sample_count;
use crate::ik::robot::{explained, is_long, sweeps_slowly};
use crate::interrupt::interruptible_if;
use crate::robot::{Model, PyRobot};

/// Configurations of a batch between two looks at signals: some 0.1 s on one processor.
const SHARE: usize = 1 << 20;
/// The same where each holds the other joints elsewhere, so that its chain is made anew.
pub(crate) const HELD_SHARE: usize = 1 << 12;

#[pymethods]
impl PyRobot {
    /// Pose of the group's tip in the group's base, times `tcp`.
    ///
    /// Args:
    ///     q: Joint values.
    ///     link: Link whose pose in the group's base is wanted instead, without the robot's tool.
    ///     tcp: Pose of a tool on the tip, or on `link`, instead of the robot's.
    ///
    /// Returns:
    ///     The 4×4 pose.
    #[pyo3(signature = (q, link=None, tcp=None))]
    fn fk<'py>(&self, py: Python<'py>, q: Vector, link: Option<Text>, tcp: Option<PoseArg>) -> Result<Array<'py>> {
        let model = self.model();
        if let Some(link) = link {
            let tool = tcp.map_or_else(Pose::identity, |tcp| tcp.0);
            return Array::pose(py, &(link_pose(&model, &q.0, &link.0)? * tool));
        }
        if let Some(tcp) = tcp {
            let (chain, q) = chain_at(&model, &q.0)?;
            return Array::pose(py, &chain.into_owned().with_tcp(&tcp.0).tip_pose(&q));
        }
        let mut matrix = [0.0; 16];
        write_tool_pose(&model, &q.0, &mut Vec::new(), &mut matrix)?;
        Array::new(py, &[4, 4], &matrix)
    }

    /// Poses of all links of the robot in its root frame, by name, root first.
    fn fk_all<'py>(&self, py: Python<'py>, q: Vector) -> Result<PoseDict<'py>> {
        let model = self.model();
        let poses = robot_link_poses(&model.robot, &model.robot.full_configuration(model.group(), &q.0)?)?;
        PoseDict::new(py, model.robot.links.iter().map(|link| link.name.as_str()).zip(poses))
    }

    /// Yoshikawa's manipulability of the tool, 0 at a singularity.
    fn manipulability(&self, q: Vector) -> Result<f64> {
        let model = self.model();
        let (chain, q) = chain_at(&model, &q.0)?;
        Ok(manipulability(&chain, &q)?)
    }

    /// Largest divided by smallest singular value of the Jacobian; infinite at a singularity.
    fn condition_number(&self, q: Vector) -> Result<f64> {
        let model = self.model();
        let (chain, q) = chain_at(&model, &q.0)?;
        Ok(condition_number(&chain, &q)?)
    }

    /// Joint values (dof,) inside the limits that bring the tool to a pose.
    ///
    /// In closed form where the arm has one: of all branches at all turns of 2π the one to which the joints travel least
    /// inside their limits, with the weights of `joint_weights`; arms with more than six joints are moved along their
    /// self-motion to where that is least. Otherwise, and where no branch is inside the limits,
    /// Levenberg-Marquardt from the seed, then from up to 10 random configurations. The same question gives the same
    /// answer. Collisions are not looked at.
    ///
    /// Args:
    ///     target: Pose of the tool in the group's base.
    ///     seed: Joint values to stay close to; None for the middle of the limits. In the length of the robot they
    ///         say where its other joints stand, and the solver is the numerical one.
    ///     tcp: Pose of a tool on the tip instead of the robot's.
    ///     mode: As in `ik_config`.
    ///     position_tolerance: Largest distance between reached and wanted origin, m.
    ///     orientation_tolerance: Largest angle between reached and wanted orientation, rad.
    ///
    /// Raises:
    ///     IKError: Nothing within the tolerances was found, or is proven not to exist. The message says how near the arm
    ///         comes, which joints stand at their limits there, and what arms with fewer than six joints can meet.
    #[pyo3(
        signature = (
            target, seed=None, tcp=None, *, mode=Text("full6d".to_owned()), position_tolerance=Real(1e-4),
            orientation_tolerance=Real(1e-3)
        ),
        text_signature = "($self, target, seed=None, tcp=None, *, mode='full6d', position_tolerance=0.0001, \
                          orientation_tolerance=0.001)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn ik<'py>(
        &self,
        py: Python<'py>,
        target: PoseArg,
        seed: Option<Vector>,
        tcp: Option<PoseArg>,
        mode: Text,
        position_tolerance: Real,
        orientation_tolerance: Real,
    ) -> Result<Array<'py>> {
        let mode = mode.0.parse()?;
        let (model, target) = asked(self.model(), target, tcp, mode)?;
        let config = IKConfig {
            mode,
            position_tolerance: position_tolerance.0,
            orientation_tolerance: orientation_tolerance.0,
            ..IKConfig::for_robot(&model.robot)
        };
        let dof = model.group().dof();
        let solution = match seed {
            Some(seed) if seed.0.len() != dof => {
                let (chain, seed) = chain_at(&model, &seed.0)?;
                let config = IKConfig { seed: Some((&*seed).into()), ..config };
                py.detach(|| solve_ik(&chain, &target.0, &config))?
            }
            seed => {
                let chain = model.chain()?;
                let config = IKConfig { seed: seed.map(|seed| seed.0.into()), ..config };
                let solve = || solve_ik_auto(model.closed_form().ok(), chain, &target.0, &config);
                interruptible_if(py, is_long(&model, &config), &config.stop, solve)?
                    .map_err(|error| explained(py, &model, &target.0, &config, error.into()))?
            }
        };
        Array::vector(py, &solution.joints)
    }

    /// All configurations that bring the tool to a pose, in closed form, one row each (k, dof); k is 0 for a pose out of
    /// reach. For arms with more than six joints all at the samples of their self-motion. Arms with fewer meet a part of the
    /// pose, which `Manipulator.met` names.
    ///
    /// Args:
    ///     target: Pose of the tool in the group's base.
    ///     seed: Joint values; the closest solutions come first, each with the turns of 2π that are closest.
    ///     respect_limits: Whether joints are turned into their limits and solutions outside them are dropped.
    ///     max_solutions: At most so many rows.
    ///     tcp: Pose of a tool on the tip instead of the robot's.
    ///     swivel_samples: As in `Manipulator.solve`.
    ///     samples: As in `Manipulator.solve`.
    ///     turns: As in `Manipulator.solve`: all turns of 2π inside the limits instead of the one nearest to the seed.
    ///
    /// Raises:
    ///     InputError: The arm has no closed form; the message says what has one.
    #[pyo3(signature = (
        target, seed=None, respect_limits=true, max_solutions=None, tcp=None, *, swivel_samples=None, samples=None,
        turns=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn ik_all<'py>(
        &self,
        py: Python<'py>,
        target: PoseArg,
        seed: Option<Vector>,
        respect_limits: bool,
        max_solutions: Option<Count>,
        tcp: Option<PoseArg>,
        swivel_samples: Option<Count>,
        samples: Option<Count>,
        turns: bool,
    ) -> Result<Array<'py>> {
        let model = self.model();
        let target = PoseArg(own_target(&model, target, tcp));
        let arm = model.closed_form()?;
        let options = SolveOptions {
            samples: sample_count(arm, swivel_samples, samples)?,
            seed: seed.map(|seed| seed.0.into()),
            max_solutions: max_solutions.map(|count| count.0),
            respect_limits,
            turns,
            ..SolveOptions::default()
        };
        let values =
            interruptible_if(py, sweeps_slowly(arm), &options.stop, || arm.configurations(&target.0, &options))??;
        Array::new(py, &[values.len() / arm.dof(), arm.dof()], &values)
    }

    /// `fk` for many configurations at once, on all processors.
    ///
    /// Args:
    ///     configs: Joint values, one row each (N, dof).
    ///     tcp: Pose of a tool on the tip instead of the robot's.
    ///     out: Array (N, 4, 4) to write into, which is returned.
    ///
    /// Returns:
    ///     Poses (N, 4, 4).
    #[pyo3(signature = (configs, tcp=None, *, out=None))]
    fn batch_fk<'py>(
        &self,
        py: Python<'py>,
        configs: Matrix,
        tcp: Option<PoseArg>,
        out: Option<Out<'py, f64>>,
    ) -> Result<Array<'py>> {
        let model = self.model();
        let chain = with_tool(Cow::Borrowed(model.chain()?), tcp);
        // Before the shares, so that the index is that of the whole array.
        check_finite("configurations of a batch", &configs.values)?;
        let columns = configs.num_columns().max(1);
        let rows = if columns == chain.dof() { SHARE } else { HELD_SHARE };
        Array::filled(py, &[configs.num_rows(), 4, 4], out, |out| {
            for (configs, poses) in configs.values.chunks(rows * columns).zip(out.chunks_mut(16 * rows)) {
                py.detach(|| tool_poses(&model, &chain, configs, columns, poses))?;
                py.check_signals()?;
            }
            Ok(())
        })
    }
}

/// The chain with a tool instead of its own.
pub(crate) fn with_tool(chain: Cow<'_, KinematicChain>, tcp: Option<PoseArg>) -> Cow<'_, KinematicChain> {
    match tcp {
        Some(tcp) => Cow::Owned(chain.into_owned().with_tcp(&tcp.0)),
        None => chain,
    }
}

/// The model and the target of its tool that a question about another tool comes down to. With a closed form for whole
/// poses that is another target, so that no solver is made anew.
fn asked(model: Arc<Model>, target: PoseArg, tcp: Option<PoseArg>, mode: IKMode) -> Result<(Arc<Model>, PoseArg)> {
    if mode == IKMode::Full6D && model.closed_form().is_ok() {
        let own = own_target(&model, target, tcp);
        return Ok((model, PoseArg(own)));
    }
    Ok((model.with_tool(tcp)?, target))
}

/// Where the robot's own tool is when the tool `tcp` is at `target`.
fn own_target(model: &Model, target: PoseArg, tcp: Option<PoseArg>) -> Pose {
    let own = model.group().tip_from_tcp;
    tcp.map_or(target.0, |tcp| target.0 * tcp.0.inverse() * own)
}

/// The group's chain and group-length joint values; with a robot-length vector the other joints stand as it says.
pub(crate) fn chain_at<'a>(model: &'a Model, q: &'a [f64]) -> Result<(Cow<'a, KinematicChain>, Cow<'a, [f64]>)> {
    let (robot, group) = (&model.robot, model.group());
    if q.len() == group.dof() {
        let chain = model.chain()?;
        chain.check(q)?;
        return Ok((Cow::Borrowed(chain), Cow::Borrowed(q)));
    }
    let short = robot.group_configuration(group, q)?;
    Ok((Cow::Owned(KinematicChain::from_group_held(robot, group, q)?), Cow::Owned(short.0)))
}

/// Writes the pose of the tool as a 4 × 4 matrix, row after row; `frames` is scratch memory.
fn write_tool_pose(model: &Model, q: &[f64], frames: &mut Vec<Rigid>, out: &mut [f64]) -> Result<()> {
    if q.len() == model.group().dof() {
        let chain = model.chain()?;
        chain.check(q)?;
        write_tip(chain, q, frames, out);
    } else {
        let (chain, q) = chain_at(model, q)?;
        write_tip(&chain, &q, frames, out);
    }
    Ok(())
}

fn write_tip(chain: &KinematicChain, q: &[f64], frames: &mut Vec<Rigid>, out: &mut [f64]) {
    frames.resize(chain.program().num_frames(), Rigid::identity());
    chain.tip_rigid(q, frames).write_matrix(out);
}

fn link_pose(model: &Model, q: &[f64], link: &str) -> Result<Pose> {
    let (robot, group) = (&model.robot, model.group());
    let link = robot.link_index(link)?;
    let root_from = robot_link_poses(robot, &robot.full_configuration(group, q)?)?;
    Ok(root_from[group.base_link].inverse() * root_from[link])
}

/// Tool poses of all rows, each as 16 numbers. Rows in the robot's length each hold the other joints elsewhere.
fn tool_poses(model: &Model, chain: &KinematicChain, configs: &[f64], columns: usize, poses: &mut [f64]) -> Result<()> {
    if columns == chain.dof() {
        return Ok(fk_batch_matrices(chain, configs, poses)?);
    }
    for (q, pose) in configs.chunks_exact(columns).zip(poses.chunks_exact_mut(16)) {
        let (held, q) = chain_at(model, q)?;
        let held = held.into_owned().with_tcp(&chain.tcp());
        held.tip_rigid(&q, &mut held.frame_buffer()).write_matrix(pose);
    }
    Ok(())
}
