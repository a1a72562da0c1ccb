//! `Robot`: Jacobians of several links, velocities, masses.

use kinetic::core::{AxisMask, Pose};
use kinetic::kinematics::{Expressed, MoveTarget, TreeKinematics, VirtualBase};
use kinetic::robot::Robot;
use nalgebra::{DMatrix, Vector3};
use pyo3::prelude::*;

use crate::convert::{Array, BaseArg, Dict, MaskArg, PoseArg, Text, Texts, Vector};
use crate::error::Result;
use crate::robot::{Model, PyRobot};

#[pymethods]
impl PyRobot {
    /// Centre of gravity (3,) of the whole robot in its root frame, m.
    ///
    /// Raises:
    ///     InputError: No link of the model has a mass.
    fn com<'py>(&self, py: Python<'py>, q: Vector) -> Result<Array<'py>> {
        let (tree, q) = tree_at(&self.model(), &q.0)?;
        Array::vector(py, tree.com(&q)?.as_slice())
    }

    /// Jacobian (3, dof) of the centre of gravity over the group's joints, in the root frame.
    ///
    /// Args:
    ///     q: Joint values.
    ///     axes: Rows that are wanted: True for all, "xy" (2 rows), "z" (1 row) ..., or three flags.
    ///     base: False or "fixed", or "planar" or "floating" for 3 or 6 columns of a moving base in front.
    ///
    /// Raises:
    ///     InputError: No link of the model has a mass.
    #[pyo3(
        signature = (q, axes=MaskArg(AxisMask::ALL), base=BaseArg(VirtualBase::Fixed)),
        text_signature = "($self, q, axes=True, base=False)"
    )]
    fn com_jacobian<'py>(&self, py: Python<'py>, q: Vector, axes: MaskArg, base: BaseArg) -> Result<Array<'py>> {
        let (tree, q) = tree_at(&self.model(), &q.0)?;
        let tree = tree.with_base(base.0);
        let mut frames = tree.frame_buffer();
        tree.place(&q, &mut frames)?;
        let mut out = DMatrix::zeros(axes.0.count(), tree.num_columns());
        tree.com_jacobian_into(&frames, axes.0, 0, &mut out)?;
        matrix(py, &out)
    }

    /// Mass of the whole robot, its centre of gravity, and its inertia as if it were rigid.
    ///
    /// Returns:
    ///     A dict with `mass` (kg), `com` (3,) in the root frame (m) and `inertia` (3, 3) about it in the root's axes (kg m²).
    ///
    /// Raises:
    ///     InputError: No link of the model has a mass.
    fn mass_properties<'py>(&self, py: Python<'py>, q: Vector) -> Result<Dict<'py>> {
        let (tree, q) = tree_at(&self.model(), &q.0)?;
        let found = tree.mass_properties(&q)?;
        let inertia = Array::new(py, &[3, 3], found.inertia.as_slice())?;
        let dict = Dict::new(py).with("mass", found.mass)?;
        Ok(dict.with("com", Array::vector(py, found.com.as_slice())?)?.with("inertia", inertia)?)
    }

    /// Jacobian of one or several links over joints of choice, one below the other, in the robot's root frame.
    ///
    /// Args:
    ///     q: Joint values.
    ///     links: Names of the links.
    ///     joints: Names of the joints, one column each; None for those of the group. Joints that do not move a link have
    ///         columns of zeros.
    ///     translation: Linear rows per link: True for all, False for none, letters such as "xy", or three flags.
    ///     rotation: Angular rows per link, in the same ways.
    ///     frame: Link in whose axes rows are expressed; None for the root's.
    ///     tcp: Pose of a tool on each link.
    ///     base: False or "fixed", or "planar" or "floating" for 3 or 6 columns of a moving base in front.
    ///
    /// Returns:
    ///     An array (rows, columns).
    #[pyo3(
        signature = (
            q, links, joints=None, translation=MaskArg(AxisMask::ALL), rotation=MaskArg(AxisMask::ALL), frame=None,
            tcp=None, base=BaseArg(VirtualBase::Fixed)
        ),
        text_signature = "($self, q, links, joints=None, translation=True, rotation=True, frame=None, tcp=None, \
            base=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn jacobian_of<'py>(
        &self,
        py: Python<'py>,
        q: Vector,
        links: Texts,
        joints: Option<Texts>,
        translation: MaskArg,
        rotation: MaskArg,
        frame: Option<Text>,
        tcp: Option<PoseArg>,
        base: BaseArg,
    ) -> Result<Array<'py>> {
        let model = self.model();
        let (tree, q) = match joints {
            None => tree_at(&model, &q.0)?,
            Some(joints) => tree_over(&model.robot, &full(&model, &q.0)?, &joints.as_strs())?,
        };
        let tree = tree.with_base(base.0);
        let expressed = frame.map_or(Expressed::Root, |frame| Expressed::Link(frame.0));
        let tool = tcp.map_or_else(Pose::identity, |tcp| tcp.0);
        let target = |link: String| {
            let target = MoveTarget::new(link).with_offset(tool).with_rows(translation.0, rotation.0);
            target.expressed_in(expressed.clone())
        };
        let targets: Vec<MoveTarget> = links.0.into_iter().map(target).collect();
        matrix(py, &tree.jacobian(&q, &targets)?)
    }

    /// Time derivative (6, dof) of the Jacobian of a link in the root frame, for joint velocities `qd`: the acceleration
    /// of the link is `J @ qdd + derivative @ qd`.
    ///
    /// Args:
    ///     q: Joint values.
    ///     qd: Joint velocities (dof,).
    ///     link: Name of the link; None for the group's tip with its tool.
    ///     tcp: Pose of a tool on the link.
    #[pyo3(signature = (q, qd, link=None, tcp=None))]
    fn jacobian_derivative<'py>(
        &self,
        py: Python<'py>,
        q: Vector,
        qd: Vector,
        link: Option<Text>,
        tcp: Option<PoseArg>,
    ) -> Result<Array<'py>> {
        let model = self.model();
        let (tree, q) = tree_at(&model, &q.0)?;
        let (link, tool) = carrier(&model, link, tcp);
        let slope = tree.jacobian_derivative(&q, &qd.0, &link, &tool)?;
        matrix(py, &DMatrix::from_column_slice(6, slope.ncols(), slope.as_slice()))
    }

    /// Velocity (6,) of a point on a link in the root frame: linear, then angular.
    ///
    /// Args:
    ///     q: Joint values.
    ///     qd: Joint velocities (dof,).
    ///     link: Name of the link; None for the group's tip.
    ///     point: Point (x, y, z) in the link's frame, m; None for its origin, or for the tool when `link` is None.
    #[pyo3(signature = (q, qd, link=None, point=None))]
    fn velocity<'py>(
        &self,
        py: Python<'py>,
        q: Vector,
        qd: Vector,
        link: Option<Text>,
        point: Option<Vector>,
    ) -> Result<Array<'py>> {
        let model = self.model();
        let (tree, q) = tree_at(&model, &q.0)?;
        let (link, tool) = carrier(&model, link, None);
        let point = match point {
            None => tool.translation(),
            Some(point) => {
                kinetic::core::error::check_len("point", point.0.len(), 3)?;
                Vector3::from_column_slice(&point.0)
            }
        };
        Array::vector(py, tree.point_velocity(&q, &qd.0, &link, &point)?.as_slice())
    }
}

fn full(model: &Model, q: &[f64]) -> Result<Vec<f64>> {
    Ok(model.robot.full_configuration(model.group(), q)?)
}

/// The group's joints, with the others where `q` says, and the group's values.
fn tree_at(model: &Model, q: &[f64]) -> Result<(TreeKinematics, Vec<f64>)> {
    let held = full(model, q)?;
    let short = model.robot.group_configuration(model.group(), q)?;
    Ok((TreeKinematics::from_group(&model.robot, model.group(), &held)?, short.0))
}

/// Joints by name, and their values in a robot-length configuration.
fn tree_over(robot: &Robot, full: &[f64], names: &[&str]) -> Result<(TreeKinematics, Vec<f64>)> {
    let tree = TreeKinematics::from_joints(robot, names, full)?;
    let value = |name: &String| Ok(robot.joints[robot.joint_index(name)?].variable.map_or(0.0, |index| full[index]));
    let q = tree.joint_names().iter().map(value).collect::<Result<_>>()?;
    Ok((tree, q))
}

/// A link and a tool on it; the tip and the robot's tool where none is named.
fn carrier(model: &Model, link: Option<Text>, tcp: Option<PoseArg>) -> (String, Pose) {
    let group = model.group();
    let own = if link.is_none() { group.tip_from_tcp } else { Pose::identity() };
    let name = link.map_or_else(|| model.robot.links[group.tip_link].name.clone(), |link| link.0);
    (name, tcp.map_or(own, |tcp| tcp.0))
}

fn matrix<'py>(py: Python<'py>, values: &DMatrix<f64>) -> Result<Array<'py>> {
    Array::new(py, &[values.nrows(), values.ncols()], values.transpose().as_slice())
}
