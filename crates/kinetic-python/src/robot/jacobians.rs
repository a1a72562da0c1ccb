//! `Robot`: Jacobians of its tool and of its links.

use std::borrow::Cow;

use kinetic::core::Pose;
use kinetic::core::error::check_finite;
use kinetic::kinematics::{LinkJacobian, jacobian, jacobian_batch};
use nalgebra::Matrix6xX;
use pyo3::prelude::*;

use crate::convert::{Array, Matrix, Out, PoseArg, Text, Vector};
use crate::error::Result;
use crate::robot::kinematics::{HELD_CONFIGURATIONS_PER_SIGNAL_CHECK, chain_at, with_tool};
use crate::robot::{Model, PyRobot};

/// Configurations between two looks at signals: some 0.1 s on one processor.
const JACOBIANS_PER_SIGNAL_CHECK: usize = 1 << 18;

#[pymethods]
impl PyRobot {
    /// Geometric Jacobian (6, dof) of the tool in the group's base frame: linear rows first, then angular.
    ///
    /// Args:
    ///     q: Joint values.
    ///     link: Link whose origin is meant instead of the tool.
    ///     tcp: Pose of a tool on the tip, or on `link`, instead of the robot's.
    #[pyo3(signature = (q, link=None, tcp=None))]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        q: Vector,
        link: Option<Text>,
        tcp: Option<PoseArg>,
    ) -> Result<Array<'py>> {
        let model = self.model();
        let found = JacobianSource::new(&model, link, tcp)?.at(&q.0)?;
        Array::new(py, &[6, found.ncols()], found.transpose().as_slice())
    }

    /// `jacobian` for many configurations at once, on all processors.
    ///
    /// Args:
    ///     configs: Joint values, one row each (N, dof).
    ///     link: Link whose origin is meant instead of the tool.
    ///     tcp: Pose of a tool on the tip, or on `link`, instead of the robot's.
    ///     out: Array (N, 6, dof) to write into, which is returned.
    ///
    /// Returns:
    ///     Jacobians (N, 6, dof), with the bits of single calls.
    ///
    /// Example:
    ///     >>> import numpy as np
    ///     >>> from kinetic import Robot
    ///     >>> robot = Robot("ur5e")
    ///     >>> configs = np.zeros((1000, 6))
    ///     >>> robot.batch_jacobian(configs).shape
    ///     (1000, 6, 6)
    #[pyo3(signature = (configs, link=None, *, tcp=None, out=None))]
    fn batch_jacobian<'py>(
        &self,
        py: Python<'py>,
        configs: Matrix,
        link: Option<Text>,
        tcp: Option<PoseArg>,
        out: Option<Out<'py, f64>>,
    ) -> Result<Array<'py>> {
        let (model, dof) = (self.model(), self.dof());
        check_finite("configurations of a batch", &configs.values)?;
        let source = JacobianSource::new(&model, link, tcp)?;
        let columns = configs.num_columns().max(1);
        Array::filled(py, &[configs.num_rows(), 6, dof], out, |out| {
            let rows = if columns == dof { JACOBIANS_PER_SIGNAL_CHECK } else { HELD_CONFIGURATIONS_PER_SIGNAL_CHECK };
            let shares = configs.values.chunks(rows * columns).zip(out.chunks_mut(6 * dof.max(1) * rows));
            for (configs, jacobians) in shares {
                py.detach(|| source.batch(configs, columns, jacobians))?;
                py.check_signals()?;
            }
            Ok(())
        })
    }
}

/// What Jacobians are about: the tool, or a link.
enum JacobianSource<'a> {
    Tool { model: &'a Model, tcp: Option<Pose> },
    Link(Box<LinkJacobian<'a>>),
}

impl<'a> JacobianSource<'a> {
    fn new(model: &'a Model, link: Option<Text>, tcp: Option<PoseArg>) -> Result<Self> {
        let tcp = tcp.map(|tcp| tcp.0);
        let Some(link) = link else { return Ok(Self::Tool { model, tcp }) };
        let tool = tcp.unwrap_or_else(Pose::identity);
        Ok(Self::Link(Box::new(LinkJacobian::new(&model.robot, model.group(), &link.0, &tool)?)))
    }

    fn at(&self, q: &[f64]) -> Result<Matrix6xX<f64>> {
        match self {
            Self::Link(link) => Ok(link.at(q)?),
            Self::Tool { model, tcp } => {
                let (chain, q) = chain_at(model, q)?;
                Ok(jacobian(&with_tool(chain, tcp.map(PoseArg)), &q)?)
            }
        }
    }

    /// The Jacobians of rows of `columns` values. Rows in the robot's length each hold the other joints elsewhere.
    fn batch(&self, configs: &[f64], columns: usize, out: &mut [f64]) -> Result<()> {
        match self {
            Self::Link(link) => Ok(link.batch(configs, columns, out)?),
            Self::Tool { model, tcp } if columns == model.group().dof() => {
                let chain = with_tool(Cow::Borrowed(model.chain()?), tcp.map(PoseArg));
                Ok(jacobian_batch(&chain, configs, out)?)
            }
            Self::Tool { model, .. } => {
                let width = 6 * model.group().dof();
                for (q, out) in configs.chunks_exact(columns).zip(out.chunks_exact_mut(width)) {
                    out.copy_from_slice(self.at(q)?.transpose().as_slice());
                }
                Ok(())
            }
        }
    }
}
