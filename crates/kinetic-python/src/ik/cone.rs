//! The cone that an axis of the tool stays in, as Python gives it.

use kinetic::core::KineticError;
use kinetic::kinematics::AxisCone;
use nalgebra::{Unit, Vector3};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_identifier;

use crate::convert::{DirectionArg, Real};
use crate::error::{Error, Result};

/// A cone of an axis: the axis in the tool, the middle in the base, the largest angle.
pub(crate) struct ConeArg(pub(crate) AxisCone);

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
