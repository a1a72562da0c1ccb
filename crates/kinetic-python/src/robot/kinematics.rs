//! `Robot`: forward kinematics.

use std::borrow::Cow;

use kinetic::core::Pose;
use kinetic::core::error::check_finite;
use kinetic::kinematics::{
    KinematicChain, Rigid, condition_number, fk_batch_matrices, manipulability, robot_link_poses,
};
use pyo3::prelude::*;

use crate::convert::{Array, Matrix, Out, PoseArg, PoseDict, Text, Vector};
use crate::error::Result;
use crate::robot::{Model, PyRobot};

/// Configurations of a batch between two looks at signals: some 0.1 s on one processor.
const CONFIGURATIONS_PER_SIGNAL_CHECK: usize = 1 << 20;
/// The same where each holds the other joints elsewhere, so that its chain is made anew.
pub(crate) const HELD_CONFIGURATIONS_PER_SIGNAL_CHECK: usize = 1 << 12;

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
        let rows =
            if columns == chain.dof() { CONFIGURATIONS_PER_SIGNAL_CHECK } else { HELD_CONFIGURATIONS_PER_SIGNAL_CHECK };
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
