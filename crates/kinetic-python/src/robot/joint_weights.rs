//! What joints count in distances, as an argument.

use kinetic::core::KineticError;
use kinetic::robot::Robot;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{type_hint_identifier, type_hint_subscript, type_hint_union};

use crate::convert::{Real, Text, Vector};
use crate::error::{Error, Result};

/// One weight per joint, or those of some joints by name.
pub(crate) enum JointWeights {
    Values(Vec<f64>),
    ByName(Vec<(String, f64)>),
}

impl JointWeights {
    /// Weights of a group, those that are not named as the robot has them; sizes and values are left for the planner to
    /// refuse.
    pub(crate) fn of_group(self, robot: &Robot, group: &str) -> Result<Vec<f64>> {
        let named = match self {
            Self::Values(values) => return Ok(values),
            Self::ByName(named) => named,
        };
        let group = robot.resolve_group(group)?;
        let (names, mut weights) = (robot.joint_names(&group), robot.weights(&group));
        for (name, weight) in named {
            let joint = names.iter().position(|known| *known == name).ok_or_else(|| KineticError::JointNotFound {
                name: name.clone(),
                available: names.iter().map(|name| (*name).to_owned()).collect(),
            })?;
            weights[joint] = weight;
        }
        Ok(weights)
    }
}

impl FromPyObject<'_, '_> for JointWeights {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(
        type_hint_subscript!(
            type_hint_identifier!("builtins", "dict"),
            type_hint_identifier!("builtins", "str"),
            type_hint_identifier!("builtins", "float")
        ),
        Vector::INPUT_TYPE
    );

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let Ok(dict) = given.cast::<PyDict>() else {
            return Ok(Self::Values(given.extract::<Vector>()?.0));
        };
        let pair = |(name, weight): (Bound<'_, PyAny>, Bound<'_, PyAny>)| -> Result<(String, f64)> {
            Ok((name.extract::<Text>()?.0, weight.extract::<Real>()?.0))
        };
        Ok(Self::ByName(dict.iter().map(pair).collect::<Result<_>>()?))
    }
}
