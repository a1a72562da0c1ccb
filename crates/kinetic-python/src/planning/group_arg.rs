//! Arguments that name a planning group, or several that are planned together.

use kinetic::core::KineticError;
use kinetic::robot::joined_group_name;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::{type_hint_identifier, type_hint_subscript, type_hint_union};

use crate::convert::Text;
use crate::error::{Error, Result};

/// The name of a group; of several the joined name.
pub(crate) struct GroupArg(pub(crate) String);

impl FromPyObject<'_, '_> for GroupArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(
        type_hint_identifier!("builtins", "str"),
        type_hint_subscript!(
            type_hint_identifier!("collections.abc", "Sequence"),
            type_hint_identifier!("builtins", "str")
        )
    );

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if given.cast::<PyString>().is_ok() {
            return Ok(Self(given.extract::<Text>()?.0));
        }
        let names: Vec<String> = given.try_iter()?.map(|name| Ok(name?.extract::<Text>()?.0)).collect::<Result<_>>()?;
        if names.is_empty() {
            return Err(KineticError::invalid("groups", "none", "at least one group").into());
        }
        Ok(Self(joined_group_name(&names)))
    }
}
