//! `Constraint`: conditions that motions keep.

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetic::core::constraint::Axis;
use kinetic::core::{Constraint, ConstraintValue, CustomConstraint, KineticError};
use pyo3::PyTypeInfo;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_subscript;

use crate::convert::{Array, Count, Dict, PoseArg, Real, Rebuild, Text, Triple, Vector, rebuild};
use crate::error::{Error, Result};
use crate::execution::callbacks::CallableArg;
use crate::planning::residual::PythonResidual;

/// A condition that a motion keeps at every instant: `Planner(robot, constraints=[…])` or `planner.plan_constrained`.
///
/// Links by name; points and directions in the robot's root frame unless another one is named. The position of a link is that
/// of its origin. Tolerances are angles in rad or distances in m.
///
/// Example:
///     >>> from kinetic import Constraint
///     >>> upright = Constraint.orientation("tool0", [0, 0, -1], 0.1)
///     >>> upright.kind
///     'orientation'
#[pyclass(frozen, eq, module = "kinetic", name = "Constraint")]
#[derive(Clone, PartialEq)]
pub(crate) struct PyConstraint(pub(crate) Constraint);

impl PyConstraint {
    fn checked(constraint: Constraint) -> Result<Self> {
        constraint.check()?;
        Ok(Self(constraint))
    }
}

#[pymethods]
impl PyConstraint {
    /// The z axis of a link stays within `tolerance` (rad) of the direction `axis` (3,).
    #[staticmethod]
    fn orientation(link: Text, axis: Triple, tolerance: Real) -> Result<Self> {
        Self::checked(Constraint::Orientation { link: link.0, axis: axis.0, tolerance: tolerance.0 })
    }

    /// The axis `link_axis` (3,) of a link, in its own frame, stays within `tolerance` (rad) of the direction `axis` (3,); rotation
    /// about it is free.
    #[staticmethod]
    fn free_axis(link: Text, link_axis: Triple, axis: Triple, tolerance: Real) -> Result<Self> {
        let (link, link_axis, axis) = (link.0, link_axis.0, axis.0);
        Self::checked(Constraint::FreeAxis { link, link_axis, axis, tolerance: tolerance.0 })
    }

    /// The orientation of a link stays within `tolerance` (rad) of that of `pose` (`Pose` or 4×4).
    #[staticmethod]
    fn fixed_orientation(link: Text, pose: PoseArg, tolerance: Real) -> Result<Self> {
        let rotation = pose.0.rotation();
        Self::checked(Constraint::FixedOrientation { link: link.0, rotation, tolerance: tolerance.0 })
    }

    /// One coordinate (`"x"`, `"y"` or `"z"`) of the position of a link stays in an interval, m.
    #[staticmethod]
    fn position_bound(link: Text, axis: Text, min: Real, max: Real) -> Result<Self> {
        let axis = Axis::from_name(&axis.0)?;
        Self::checked(Constraint::PositionBound { link: link.0, axis, min: min.0, max: max.0 })
    }

    /// A link stays within `tolerance` (m) of the plane through `point` (3,) with that `normal` (3,).
    #[staticmethod]
    fn plane(link: Text, point: Triple, normal: Triple, tolerance: Real) -> Result<Self> {
        let (link, point, normal) = (link.0, point.0, normal.0);
        Self::checked(Constraint::Plane { link, point, normal, tolerance: tolerance.0 })
    }

    /// A link stays within `tolerance` (m) of the line through `point` (3,) along `direction` (3,).
    #[staticmethod]
    fn line(link: Text, point: Triple, direction: Triple, tolerance: Real) -> Result<Self> {
        let (link, point, direction) = (link.0, point.0, direction.0);
        Self::checked(Constraint::Line { link, point, direction, tolerance: tolerance.0 })
    }

    /// A link stays in the box with its centre and axes at `pose` (`Pose` or 4×4) and half the lengths `half_extents` (3,), m.
    #[staticmethod]
    fn r#box(link: Text, pose: PoseArg, half_extents: Triple) -> Result<Self> {
        Self::checked(Constraint::Box { link: link.0, pose: pose.0, half_extents: half_extents.0 })
    }

    /// The joint of that index in the planning group stays in an interval, rad or m.
    #[staticmethod]
    fn joint(joint_index: Count, min: Real, max: Real) -> Result<Self> {
        Self::checked(Constraint::Joint { joint_index: joint_index.0, min: min.0, max: max.0 })
    }

    /// The point `target` (3,) stays inside the viewing cone of a sensor: within `cone_angle` (rad) of the link's z axis.
    #[staticmethod]
    fn visibility(sensor_link: Text, target: Triple, cone_angle: Real) -> Result<Self> {
        let (sensor_link, target) = (sensor_link.0, target.0);
        Self::checked(Constraint::Visibility { sensor_link, target, cone_angle: cone_angle.0 })
    }

    /// The distance between the positions of two links stays in an interval, m.
    #[staticmethod]
    fn distance(link_a: Text, link_b: Text, min: Real, max: Real) -> Result<Self> {
        Self::checked(Constraint::Distance { link_a: link_a.0, link_b: link_b.0, min: min.0, max: max.0 })
    }

    /// The pose of `link_b` in `link_a` stays near `pose` (`Pose` or 4×4), within `position_tolerance` (m) and
    /// `orientation_tolerance` (rad): a closed chain, as of two grippers on one rigid object.
    #[staticmethod]
    fn relative_pose(
        link_a: Text,
        link_b: Text,
        pose: PoseArg,
        position_tolerance: Real,
        orientation_tolerance: Real,
    ) -> Result<Self> {
        let (link_a, link_b, pose) = (link_a.0, link_b.0, pose.0);
        let (position_tolerance, orientation_tolerance) = (position_tolerance.0, orientation_tolerance.0);
        Self::checked(Constraint::RelativePose { link_a, link_b, pose, position_tolerance, orientation_tolerance })
    }

    /// A function of the user's own: the Euclidean norm of its residual stays within `tolerance`.
    ///
    /// Functions run without the GIL held elsewhere, on another thread, one call at a time per plan. What one raises, a residual of another
    /// size and NaN end the plan with `ConstraintFunctionFailed`. A function cannot be pickled or saved in a problem file.
    ///
    /// Args:
    ///     residual: Of the joint values of the planning group (dof,): an array (dimension,), zero where the condition holds.
    ///     dimension: Number of its values.
    ///     rates: How much the residual changes at most, in its norm, while each joint of the group moves by 1 rad or 1 m, anywhere
    ///         in the joint ranges: (dof,), a Lipschitz bound. Motions are proven with it, so that a certificate is as good as these
    ///         numbers; changes that planning sees are compared with them.
    ///     tolerance: Largest norm.
    ///     jacobian: The derivative (dimension, dof) of the same joint values; None for differences.
    ///     name: What errors and certificates call it.
    ///
    /// Example:
    ///     >>> from kinetic import Constraint
    ///     >>> coupled = Constraint.custom(lambda q: [q[0] - q[1]], 1, [1, 1, 0, 0, 0, 0], 0.01, name="coupled")
    ///     >>> coupled.kind
    ///     'custom'
    #[staticmethod]
    #[pyo3(
        signature = (residual, dimension, rates, tolerance, *, jacobian=None, name=Text("custom".to_owned())),
        text_signature = "(residual, dimension, rates, tolerance, *, jacobian=None, name='custom')"
    )]
    fn custom(
        residual: CallableArg,
        dimension: Count,
        rates: Vector,
        tolerance: Real,
        jacobian: Option<CallableArg>,
        name: Text,
    ) -> Result<Self> {
        let function = Arc::new(PythonResidual::new(name.0.clone(), residual, jacobian));
        let constraint = CustomConstraint::new(name.0, dimension.0, rates.0, tolerance.0, function)?;
        Ok(Self(Constraint::Custom(constraint)))
    }

    /// The name of its constructor.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    /// Its values by name; a rotation as the quaternion x, y, z, w, a pose as its position, then its rotation.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        self.0.fields().into_iter().try_fold(Dict::new(py), |dict, (name, value)| {
            Ok(match value {
                ConstraintValue::Count(count) => dict.with(name, count)?,
                ConstraintValue::Number(number) => dict.with(name, number)?,
                ConstraintValue::Text(text) => dict.with(name, text)?,
                ConstraintValue::Numbers(numbers) => dict.with(name, Array::vector(py, &numbers)?)?,
            })
        })
    }

    fn __repr__(&self) -> String {
        let values: Vec<String> = self.0.fields().into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("Constraint.{}({})", self.0.kind(), values.join(", "))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Rebuild<'py>> {
        if matches!(self.0, Constraint::Custom(_)) {
            let wanted = "a constraint that is data: a function cannot be stored";
            return Err(KineticError::invalid("pickled constraint", &self.0, wanted).into());
        }
        let text = serde_json::to_string(&self.0).map_err(|error| KineticError::Other(error.to_string()))?;
        Ok(rebuild(py.get_type::<Self>().into_any(), "_restore", (text,))?)
    }

    /// The constraint of a record as JSON, which pickle stores and the command line takes.
    #[staticmethod]
    fn _restore(record: Text) -> Result<Self> {
        let wanted = r#"JSON with "kind" and the arguments, as {"kind":"joint","joint_index":2,"min":-1.0,"max":1.0}"#;
        let wrong = || KineticError::invalid("constraint", &record.0, wanted);
        let mut values: BTreeMap<String, ConstraintValue> = serde_json::from_str(&record.0).map_err(|_| wrong())?;
        let Some(ConstraintValue::Text(kind)) = values.remove("kind") else { return Err(wrong().into()) };
        Ok(Self(Constraint::from_fields(&kind, values)?))
    }
}

/// A sequence of constraints.
pub(crate) struct Constraints(pub(crate) Vec<Constraint>);

impl FromPyObject<'_, '_> for Constraints {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr =
        type_hint_subscript!(pyo3::type_hint_identifier!("collections.abc", "Sequence"), PyConstraint::TYPE_HINT);

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let one = |item: PyResult<Bound<'_, PyAny>>| -> Result<Constraint> {
            let item = item?;
            Ok(item.cast::<PyConstraint>().map_err(PyErr::from)?.get().0.clone())
        };
        Ok(Self(given.try_iter()?.map(one).collect::<Result<_>>()?))
    }
}

/// A list of constraints, as they are shown.
pub(crate) fn listed(constraints: &[Constraint]) -> Vec<PyConstraint> {
    constraints.iter().cloned().map(PyConstraint).collect()
}
