//! A base that moves.

use kinetic::core::KineticError;
use kinetic::kinematics::VirtualBase;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::{type_hint_identifier, type_hint_union};

use super::Text;
use crate::error::{Error, Result};

/// False or "fixed", True or "planar", or "floating".
pub(crate) struct BaseArg(pub(crate) VirtualBase);

impl FromPyObject<'_, '_> for BaseArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr =
        type_hint_union!(type_hint_identifier!("builtins", "bool"), type_hint_identifier!("builtins", "str"));

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if let Ok(moves) = given.extract::<bool>() {
            return Ok(Self(if moves { VirtualBase::Planar } else { VirtualBase::Fixed }));
        }
        match given.extract::<Text>()?.0.as_str() {
            "fixed" => Ok(Self(VirtualBase::Fixed)),
            "planar" => Ok(Self(VirtualBase::Planar)),
            "floating" => Ok(Self(VirtualBase::Floating)),
            name => Err(KineticError::unknown_name("base", name, ["fixed", "planar", "floating"]).into()),
        }
    }
}
