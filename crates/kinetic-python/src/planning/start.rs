//! Where a plan begins.

use kinetic::core::KineticError;
use kinetic::planning::Planner;
use kinetic::robot::{PlanningGroup, Robot};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::{type_hint_identifier, type_hint_union};

use crate::convert::{Text, Vector};
use crate::error::{Error, Result};

/// Joint values, or the name of a pose of the planning group.
pub(crate) enum StartArg {
    Values(Vec<f64>),
    Named(String),
}

impl StartArg {
    /// The joint values.
    pub(crate) fn values(self, planner: &Planner) -> Result<Vec<f64>> {
        self.values_of(planner.scene().robot(), planner.group())
    }

    /// The joint values of a group.
    pub(crate) fn values_of(self, robot: &Robot, group: &PlanningGroup) -> Result<Vec<f64>> {
        let name = match self {
            Self::Values(values) => return Ok(values),
            Self::Named(name) => name,
        };
        let pose = robot.named_configuration(group, &name).ok_or_else(|| KineticError::NamedConfigNotFound {
            name: name.clone(),
            group: group.name.clone(),
            available: robot.named_pose_names(group).into_iter().map(String::from).collect(),
        })?;
        Ok(pose.0)
    }
}

impl FromPyObject<'_, '_> for StartArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(type_hint_identifier!("builtins", "str"), Vector::INPUT_TYPE);

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if given.cast::<PyString>().is_ok() {
            return Ok(Self::Named(given.extract::<Text>()?.0));
        }
        Ok(Self::Values(given.extract::<Vector>()?.0))
    }
}
