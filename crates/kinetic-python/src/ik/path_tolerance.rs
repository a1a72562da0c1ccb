//! `PathTolerance`, and tolerances of paths as Python gives them.

use kinetic::core::{KineticError, ToolFreedom};
use kinetic::kinematics::PathTolerance;
use nalgebra::Vector3;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_subscript, type_hint_union};

use crate::convert::{Array, PerJoint, Real, Text, Vector};
use crate::error::{Error, Result};

/// What a pose of a path leaves free: a turn about an axis of the tool, a cone about that axis, and a box of positions.
///
/// Args:
///     axis: "x", "y", "z", or a direction in the frame of the tool; the axis about which the tool may turn.
///     angle: Largest turn in either direction, rad; None for any turn when there is an axis.
///     position: Half lengths of the box along the axes of the target, m; one number for all three.
///     cone: Largest angle between the axis and where the target has it, rad, up to π/2.
///
/// Raises:
///     InputError: A direction of no length, an angle outside [0, π], a cone outside [0, π/2], or lengths that are negative or not
///         finite.
///
/// Example:
///     >>> from kinetic import PathTolerance
///     >>> PathTolerance("z")
///     PathTolerance(axis=[0.0, 0.0, 1.0], angle=3.141592653589793, position=[0.0, 0.0, 0.0], cone=0.0)
#[pyclass(frozen, eq, module = "kinetic", name = "PathTolerance")]
#[derive(PartialEq)]
pub(crate) struct PyPathTolerance(pub(crate) PathTolerance);

#[pymethods]
impl PyPathTolerance {
    #[new]
    #[pyo3(signature = (axis=None, angle=None, position=None, cone=None))]
    fn __new__(
        axis: Option<Axis>,
        angle: Option<Real>,
        position: Option<PerJoint>,
        cone: Option<Real>,
    ) -> Result<Self> {
        for (name, given) in [("angle of tolerance", angle.is_some()), ("cone of tolerance", cone.is_some())] {
            if given && axis.is_none() {
                return Err(KineticError::invalid(name, "no axis", "an axis of the tool").into());
            }
        }
        let free = if axis.is_some() { std::f64::consts::PI } else { 0.0 };
        let position = position.map_or_else(|| vec![0.0; 3], |position| position.expand(3));
        kinetic::core::error::check_len("position of tolerance", position.len(), 3)?;
        let tolerance = PathTolerance {
            axis: axis.map_or_else(Vector3::z, |axis| axis.0),
            angle: angle.map_or(free, |angle| angle.0),
            cone: cone.map_or(0.0, |cone| cone.0),
            position: Vector3::from_column_slice(&position),
        };
        tolerance.check()?;
        Ok(Self(tolerance))
    }

    /// Axis of the tool about which it may turn (3,).
    #[getter]
    fn axis<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, self.0.axis.as_slice())
    }

    /// Largest turn in either direction, rad.
    #[getter]
    fn angle(&self) -> f64 {
        self.0.angle
    }

    /// Half lengths of the box of positions (3,), m.
    #[getter]
    fn position<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, self.0.position.as_slice())
    }

    /// Largest angle between the axis and where the target has it, rad.
    #[getter]
    fn cone(&self) -> f64 {
        self.0.cone
    }

    fn __getnewargs__(&self) -> ([f64; 3], f64, [f64; 3], f64) {
        (self.0.axis.into(), self.0.angle, self.0.position.into(), self.0.cone)
    }

    pub(crate) fn __repr__(&self) -> String {
        let (axis, position): ([f64; 3], [f64; 3]) = (self.0.axis.into(), self.0.position.into());
        let PathTolerance { angle, cone, .. } = self.0;
        format!("PathTolerance(axis={axis:?}, angle={angle:?}, position={position:?}, cone={cone:?})")
    }
}

impl PyPathTolerance {
    /// The freedom of a path that a certificate states.
    pub(crate) fn of(freedom: &ToolFreedom) -> Self {
        let ToolFreedom { axis, angle, cone, position } = *freedom;
        Self(PathTolerance { axis: axis.into(), angle, cone, position: position.into() })
    }
}

/// An axis by name, or a direction.
pub(crate) struct Axis(Vector3<f64>);

impl FromPyObject<'_, '_> for Axis {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr =
        type_hint_union!(type_hint_identifier!("builtins", "str"), type_hint_identifier!("numpy.typing", "ArrayLike"));

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if let Ok(name) = given.extract::<Text>() {
            return match name.0.as_str() {
                "x" => Ok(Self(Vector3::x())),
                "y" => Ok(Self(Vector3::y())),
                "z" => Ok(Self(Vector3::z())),
                _ => Err(KineticError::unknown_name("axis", name.0, ["x", "y", "z"]).into()),
            };
        }
        let direction = given.extract::<Vector>()?.0;
        kinetic::core::error::check_len("axis of tolerance", direction.len(), 3)?;
        Ok(Self(Vector3::from_column_slice(&direction)))
    }
}

/// One tolerance for all poses, or a list with one per pose, where None is none.
pub(crate) struct PathTolerances(pub(crate) Vec<PathTolerance>);

impl FromPyObject<'_, '_> for PathTolerances {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(
        PyPathTolerance::TYPE_HINT,
        type_hint_subscript!(
            type_hint_identifier!("collections.abc", "Sequence"),
            type_hint_union!(PyPathTolerance::TYPE_HINT, type_hint_identifier!("builtins", "None"))
        )
    );

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if let Ok(one) = given.cast::<PyPathTolerance>() {
            return Ok(Self(vec![one.get().0]));
        }
        let mut all = Vec::new();
        for item in given.try_iter()? {
            let item: Option<Bound<'_, PyPathTolerance>> = item?.extract().map_err(PyErr::from)?;
            all.push(item.map_or_else(PathTolerance::default, |tolerance| tolerance.get().0));
        }
        Ok(Self(all))
    }
}
