//! `Robot`: cells, tool links, locked joints, and URDF out.

use kinetic::core::{KineticError, Pose};
use kinetic::robot::{CellMember, Geometry, GeometryShape, Link, Robot};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pyo3::{type_hint_identifier, type_hint_subscript};

use crate::convert::{File, PoseArg, Real, Text};
use crate::error::{Error, Result};
use crate::geometry::shape::PyShape;
use crate::robot::PyRobot;
use crate::robot::argument::RobotArg;

/// Robots with their base poses, by prefix.
pub(crate) struct Members<'py>(Vec<(String, Bound<'py, PyRobot>, Pose)>);

impl<'py> FromPyObject<'_, 'py> for Members<'py> {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("builtins", "dict"),
        type_hint_identifier!("builtins", "str"),
        type_hint_identifier!("typing", "Any")
    );

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> Result<Self> {
        let wrong =
            |given: String| KineticError::invalid("robots", given, "a dict: prefix to robot, or to (robot, base pose)");
        let Ok(dict) = given.cast::<PyDict>() else {
            return Err(wrong(format!("a {}", given.get_type().name()?)).into());
        };
        let member =
            |(prefix, member): (Bound<'py, PyAny>, Bound<'py, PyAny>)| -> Result<(String, Bound<'py, PyRobot>, Pose)> {
                let (robot, pose) = match member.cast::<PyTuple>() {
                    Ok(pair) if pair.len() == 2 => (pair.get_item(0)?, pair.get_item(1)?.extract::<PoseArg>()?.0),
                    Ok(tuple) => return Err(wrong(format!("a tuple of {}", tuple.len())).into()),
                    Err(_) => (member, Pose::identity()),
                };
                Ok((prefix.extract::<Text>()?.0, robot.extract::<RobotArg<'py>>()?.handle(prefix.py())?, pose))
            };
        Ok(Self(dict.iter().map(member).collect::<Result<_>>()?))
    }
}

/// Joint values by name.
pub(crate) struct JointsByName(Vec<(String, f64)>);

impl FromPyObject<'_, '_> for JointsByName {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("builtins", "dict"),
        type_hint_identifier!("builtins", "str"),
        type_hint_identifier!("builtins", "float")
    );

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let Ok(dict) = given.cast::<PyDict>() else {
            let kind = given.get_type().name()?.to_string();
            return Err(KineticError::invalid("joints", format!("a {kind}"), "a dict: joint name to value").into());
        };
        let pair = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| -> Result<(String, f64)> {
            Ok((name.extract::<Text>()?.0, value.extract::<Real>()?.0))
        };
        Ok(Self(dict.iter().map(pair).collect::<Result<_>>()?))
    }
}

#[pymethods]
impl PyRobot {
    /// Several robots as one: a cell. Its root is a link "world"; names of links, joints, groups and end effectors get the prefix
    /// of their robot. Joint vectors of the whole cell list the robots one after the other; pairs of links of different
    /// robots are all checked for collisions.
    ///
    /// Args:
    ///     name: Name of the cell.
    ///     robots: For each prefix a robot (or the name of a built-in one) at the origin, or a tuple of a robot and the pose of its
    ///         root link.
    ///
    /// Raises:
    ///     InputError: No robot, or names that two robots share.
    ///
    /// Example:
    ///     >>> from kinetic import Pose, Robot
    ///     >>> cell = Robot.compose("cell", {"a_": "ur5e", "b_": ("ur5e", Pose.from_xyz(1.0, 0.0, 0.0))})
    ///     >>> cell.groups
    ///     ['a_arm', 'b_arm']
    #[staticmethod]
    fn compose(py: Python<'_>, name: Text, robots: Members<'_>) -> Result<Self> {
        let models: Vec<_> =
            robots.0.into_iter().map(|(prefix, robot, pose)| (prefix, robot.get().model(), pose)).collect();
        Self::load(py, || {
            let members: Vec<CellMember<'_>> = models
                .iter()
                .map(|(prefix, model, pose)| CellMember { prefix, robot: &model.robot, world_from_root: *pose })
                .collect();
            Robot::compose(&name.0, &members)
        })
    }

    /// The same robot with a link fixed to another one: a gripper, a camera. The tip of the group stays; `with_tip` changes it.
    ///
    /// Args:
    ///     name: Name of the new link; its joint is called so with "_joint" behind it.
    ///     parent: The link that carries it.
    ///     parent_from_link: Where it is mounted, a pose in the frame of `parent`, m; None for the same frame.
    ///     shape: What it looks like and collides with; None for nothing.
    ///     link_from_shape: Where the shape stands in the link, m; None for its origin.
    ///
    /// Raises:
    ///     InputError: Unknown parent, or a name that is taken.
    ///
    /// Example:
    ///     >>> from kinetic import Pose, Robot, Shape
    ///     >>> robot = Robot("ur5e")
    ///     >>> robot.with_link("torch", robot.tip_link, Pose.from_xyz(0.0, 0.0, 0.1), shape=Shape.sphere(0.03)).link_names[-1]
    ///     'torch'
    #[pyo3(signature = (name, parent, parent_from_link=None, *, shape=None, link_from_shape=None))]
    fn with_link(
        &self,
        py: Python<'_>,
        name: Text,
        parent: Text,
        parent_from_link: Option<PoseArg>,
        shape: Option<&Bound<'_, PyShape>>,
        link_from_shape: Option<PoseArg>,
    ) -> Result<Self> {
        let pose = |pose: Option<PoseArg>| pose.map_or_else(Pose::identity, |pose| pose.0);
        let link_from_shape = pose(link_from_shape);
        let placed = shape.map(|shape| Geometry::new(link_from_shape, GeometryShape::Shape(shape.get().0.clone())));
        let shapes: Vec<Geometry> = placed.into_iter().collect();
        let link =
            Link { name: name.0, parent_joint: None, inertial: None, visuals: shapes.clone(), collisions: shapes };
        let (model, mount) = (self.model(), pose(parent_from_link));
        Self::load(py, || Robot::clone(&model.robot).with_link(&parent.0, mount, link))
    }

    /// The same robot with another link at the tip of its group, without a tool frame: one that does not move against the tip.
    ///
    /// Raises:
    ///     InputError: Unknown link, or one that moves against the tip.
    fn with_tip(&self, py: Python<'_>, link: Text) -> Result<Self> {
        let model = self.model();
        Self::load(py, || Robot::clone(&model.robot).with_tip(&model.group().name, &link.0))
    }

    /// The same robot with some joints fixed at values, and those that follow them. Joint vectors, groups and named poses lose
    /// their entries.
    ///
    /// Args:
    ///     joints: Value of each joint by its name, rad or m.
    ///
    /// Raises:
    ///     InputError: Unknown joints, ones that do not move or follow others, values outside their limits.
    ///
    /// Example:
    ///     >>> from kinetic import Robot
    ///     >>> Robot("fetch").with_locked_joints({"torso_lift_joint": 0.2}).dof
    ///     7
    fn with_locked_joints(&self, py: Python<'_>, joints: JointsByName) -> Result<Self> {
        let model = self.model();
        Self::load(py, || {
            let joints: Vec<(&str, f64)> = joints.0.iter().map(|(name, value)| (name.as_str(), *value)).collect();
            Robot::clone(&model.robot).with_locked_joints(&joints)
        })
    }

    /// The robot as a URDF document: links with mass properties and shapes, joints with limits, dynamics and followers.
    ///
    /// A link with a collision shape that URDF has no element for (a hull) is written with the balls of the robot's sphere
    /// model, which cover it. Groups, named poses, tools and rotor inertias have no place in the format.
    ///
    /// Raises:
    ///     InputError: A link whose shapes can be written in neither way.
    ///
    /// Example:
    ///     >>> from kinetic import Robot
    ///     >>> Robot.from_urdf(Robot("ur5e").to_urdf()).num_joints == Robot("ur5e").num_joints
    ///     True
    fn to_urdf(&self, py: Python<'_>) -> Result<String> {
        let model = self.model();
        Ok(py.detach(|| model.robot.to_urdf())?)
    }

    /// Writes `to_urdf` to a file.
    ///
    /// Raises:
    ///     InputError: As `to_urdf`.
    ///     OSError: The file cannot be written.
    fn save_urdf(&self, py: Python<'_>, path: File) -> Result<()> {
        let model = self.model();
        Ok(py.detach(|| model.robot.save_urdf(path.0))?)
    }
}
