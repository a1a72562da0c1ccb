//! Arguments of dynamics: states of one or of many, wrenches on links.

use std::collections::BTreeMap;

use kinetic::core::error::check_len;
use kinetic::core::{KineticError, Wrench};
use kinetic::dynamics::{DynamicsModel, ExternalWrench, WrenchAxes};
use numpy::PyArray1;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_subscript, type_hint_union};

use crate::convert::{Numbers, Text, Vector};
use crate::error::{Error, Result};
use crate::geometry::twist::PyWrench;

const ARRAY_LIKE: PyStaticExpr = type_hint_identifier!("numpy.typing", "ArrayLike");

/// One vector (dof,), or one per row (N, dof).
pub(crate) struct Rows {
    /// Number of rows; `None` for one vector.
    count: Option<usize>,
    pub(crate) values: Vec<f64>,
}

impl Rows {
    /// The shape of what each row becomes.
    pub(crate) fn shape(&self, of_row: &[usize]) -> Vec<usize> {
        self.count.iter().chain(of_row).copied().collect()
    }

    pub(crate) fn is_batch(&self) -> bool {
        self.count.is_some()
    }

    /// Refuses rows of another length, and other numbers of rows than `like` has.
    pub(crate) fn check(&self, context: &str, dof: usize, like: &Self) -> Result<()> {
        if self.count.is_some() != like.count.is_some() {
            let (wanted, given) = (like.shape_text(dof), self.shape_text(self.values.len()));
            return Err(KineticError::invalid(context, given, format!("{wanted}, as the configurations")).into());
        }
        if let (Some(count), Some(wanted)) = (self.count, like.count) {
            check_len(&format!("rows of {context}"), count, wanted)?;
        }
        Ok(check_len(context, self.values.len(), self.count.unwrap_or(1) * dof)?)
    }

    fn shape_text(&self, dof: usize) -> String {
        if self.is_batch() { "one vector per row".to_owned() } else { format!("one vector ({dof},)") }
    }
}

impl FromPyObject<'_, '_> for Rows {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = ARRAY_LIKE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if given.cast::<PyArray1<f64>>().is_ok() {
            return Ok(Self { count: None, values: given.extract::<Vector>()?.0 });
        }
        let numbers = Numbers::read(&given)?;
        let count = match numbers.shape[..] {
            [_] => None,
            [rows, _] => Some(rows),
            _ => return Err(numbers.wrong_shape("a vector (dof,), or one per row (N, dof)")),
        };
        Ok(Self { count, values: numbers.values })
    }
}

/// Wrenches by the names of the links that they act on.
pub(crate) struct ExternalArg(BTreeMap<String, Wrench>);

impl ExternalArg {
    pub(crate) fn resolve(given: Option<Self>, model: &DynamicsModel, axes: WrenchAxes) -> Result<Vec<ExternalWrench>> {
        let wrenches = given.map_or_else(BTreeMap::new, |given| given.0);
        let on = |(link, wrench): (String, Wrench)| Ok(ExternalWrench { axes, ..model.external(&link, wrench)? });
        wrenches.into_iter().map(on).collect()
    }
}

impl FromPyObject<'_, '_> for ExternalArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("builtins", "dict"),
        type_hint_identifier!("builtins", "str"),
        type_hint_union!(PyWrench::TYPE_HINT, ARRAY_LIKE)
    );

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let mut wrenches = BTreeMap::new();
        for (link, wrench) in given.cast::<PyDict>().map_err(PyErr::from)?.iter() {
            let wrench = match wrench.cast::<PyWrench>() {
                Ok(wrench) => wrench.get().0,
                Err(_) => Wrench::from_slice(&wrench.extract::<Vector>()?.0)?,
            };
            wrenches.insert(link.extract::<Text>()?.0, wrench);
        }
        Ok(Self(wrenches))
    }
}

/// "link" or "root".
pub(crate) struct AxesArg(pub(crate) WrenchAxes);

impl FromPyObject<'_, '_> for AxesArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_identifier!("builtins", "str");

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let name = given.extract::<Text>()?.0;
        match name.as_str() {
            "link" => Ok(Self(WrenchAxes::Link)),
            "root" => Ok(Self(WrenchAxes::Root)),
            _ => Err(KineticError::unknown_name("axes", name, ["link", "root"]).into()),
        }
    }
}
