//! Where the attempts of a batch of inverse kinematics start.

use kinetic::core::KineticError;
use kinetic::kinematics::tasks::Initial;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_identifier;

use crate::convert::{Numbers, Text};
use crate::error::{Error, Result};
use crate::robot::Model;

const ANY: PyStaticExpr = type_hint_identifier!("typing", "Any");

/// Where attempts start.
pub(crate) enum InitialArg {
    Neutral,
    Random,
    Given(Numbers),
}

impl InitialArg {
    pub(crate) fn resolve(self, model: &Model) -> Result<Initial> {
        let (robot, group) = (&model.robot, model.group());
        let numbers = match self {
            Self::Neutral => return Ok(Initial::Same(robot.neutral_configuration())),
            Self::Random => return Ok(Initial::Random(robot.neutral_configuration())),
            Self::Given(numbers) => numbers,
        };
        match numbers.shape[..] {
            [_] => Ok(Initial::Same(robot.full_configuration(group, &numbers.values)?)),
            [rows, columns] if rows == 0 || columns > 0 => {
                let rows = numbers.values.chunks_exact(columns.max(1));
                let full = rows.map(|row| robot.full_configuration(group, row));
                Ok(Initial::Each(full.collect::<kinetic::core::Result<Vec<_>>>()?))
            }
            _ => Err(numbers.wrong_shape("joint values, shape (dof,) or (N, dof)")),
        }
    }
}

impl FromPyObject<'_, '_> for InitialArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = ANY;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if given.is_none() {
            return Ok(Self::Random);
        }
        let Ok(name) = given.extract::<Text>() else { return Numbers::read(&given).map(Self::Given) };
        match name.0.as_str() {
            "current" => Ok(Self::Neutral),
            "random" => Ok(Self::Random),
            _ => Err(KineticError::unknown_name("start", name.0, ["current", "random"]).into()),
        }
    }
}
