//! Options of planning as Python has them: the table that the command line and the tests read, and what pickle stores.

use kinetic::core::config::{OptionKind, OptionValue};
use kinetic::core::{PlannerConfig, PlannerOption};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use pyo3::{IntoPyObjectExt, type_hint_identifier, type_hint_subscript, type_hint_union};

use crate::convert::{Dict, Dicts};
use crate::dynamics::payload::PyPayload;
use crate::error::{Error, Result};
use crate::planning::constraint::{Constraints, listed};

/// The options of planning, one dict each.
///
/// Returns:
///     Dicts with `name` (in Rust and in files), `keyword` (in Python), `flag` (of the command line), `kind`, `default` (None
///     for no limit and for what is not stated), `wanted` (which values it can have), `doc`, and `of_calls` (whether a call can
///     state it as well).
#[pyfunction]
pub(crate) fn _planner_options(py: Python<'_>) -> Result<Dicts<'_>> {
    Ok(Dicts::new(py, PlannerOption::all().map(|option| row(py, option)).collect::<PyResult<_>>()?)?)
}

fn row<'py>(py: Python<'py>, option: &PlannerOption) -> PyResult<Dict<'py>> {
    let default = Some(option.default()).filter(|default| *default != OptionValue::Count(u64::MAX));
    let dict = Dict::new(py).with("name", option.name)?.with("keyword", option.keyword)?.with("flag", option.flag)?;
    let dict = dict.with("kind", option.kind.name())?.with("default", default.map(Value))?;
    let dict = dict.with("wanted", option.wanted)?.with("doc", option.doc())?;
    dict.with("of_calls", PlannerOption::of_calls().any(|one| one.name == option.name))
}

/// The value of an option; lists for arrays.
struct Value(OptionValue);

impl<'py> IntoPyObject<'py> for Value {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        match self.0 {
            OptionValue::Flag(flag) => flag.into_bound_py_any(py),
            OptionValue::Count(count) => count.into_bound_py_any(py),
            OptionValue::Number(number) => number.into_bound_py_any(py),
            OptionValue::Name(name) => name.into_bound_py_any(py),
            OptionValue::Corners(corners) => corners.into_bound_py_any(py),
            OptionValue::PerJoint(values) => values.into_bound_py_any(py),
            OptionValue::Vector(values) => values.into_bound_py_any(py),
            OptionValue::Payload(entry) => PyPayload::of(entry)?.into_bound_py_any(py),
            OptionValue::Names(names) => names.into_bound_py_any(py),
            OptionValue::Constraints(constraints) => listed(&constraints).into_bound_py_any(py),
            OptionValue::Unset => Ok(py.None().into_bound(py)),
        }
    }
}

impl Value {
    fn read(kind: OptionKind, given: &Bound<'_, PyAny>) -> PyResult<OptionValue> {
        if given.is_none() {
            return Ok(OptionValue::Unset);
        }
        Ok(match kind {
            OptionKind::FlagOrName if given.cast::<PyString>().is_ok() => OptionValue::Name(given.extract()?),
            OptionKind::Flag | OptionKind::FlagOrName => OptionValue::Flag(given.extract()?),
            OptionKind::Count => OptionValue::Count(given.extract()?),
            OptionKind::Number => OptionValue::Number(given.extract()?),
            OptionKind::Name => OptionValue::Name(given.extract()?),
            OptionKind::Corners => OptionValue::Corners(given.extract()?),
            OptionKind::PerJoint => OptionValue::PerJoint(given.extract()?),
            OptionKind::Vector => OptionValue::Vector(given.extract()?),
            OptionKind::Names => OptionValue::Names(given.extract()?),
            OptionKind::Payload => OptionValue::Payload(given.cast::<PyPayload>()?.get().mounted().into()),
            OptionKind::Constraints => OptionValue::Constraints(given.extract::<Constraints>()?.0),
        })
    }
}

/// The value of an option that is true, false or a name.
pub(crate) struct FlagOrName(pub(crate) OptionValue);

impl<'py> IntoPyObject<'py> for FlagOrName {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr =
        type_hint_union!(type_hint_identifier!("builtins", "bool"), type_hint_identifier!("builtins", "str"));

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        Value(self.0).into_pyobject(py)
    }
}

/// All options, by name: what pickle stores of a planner.
pub(crate) struct StoredOptions(pub(crate) PlannerConfig);

const DICT: PyStaticExpr = type_hint_subscript!(
    type_hint_identifier!("builtins", "dict"),
    type_hint_identifier!("builtins", "str"),
    type_hint_identifier!("typing", "Any")
);

impl<'py> IntoPyObject<'py> for StoredOptions {
    type Target = PyDict;
    type Output = Bound<'py, PyDict>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = DICT;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let dict = PyDict::new(py);
        for option in PlannerOption::all() {
            dict.set_item(option.name, Value(option.get(&self.0)))?;
        }
        Ok(dict)
    }
}

impl FromPyObject<'_, '_> for StoredOptions {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = DICT;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let mut config = PlannerConfig::default();
        for (name, value) in given.cast::<PyDict>().map_err(PyErr::from)?.iter() {
            let option = PlannerOption::of_name(&name.extract::<String>()?)?;
            option.set(&mut config, Value::read(option.kind, &value)?)?;
        }
        Ok(Self(config))
    }
}
