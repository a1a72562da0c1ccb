//! Arguments of executions: names of stops and actions, limits of joints.

use std::collections::BTreeMap;

use kinetic::core::error::check_len;
use kinetic::core::{JointLimits, KineticError};
use kinetic::execution::{ExecutionConfig, StopMode, WatchdogAction, WatchdogConfig};
use kinetic::plan_execute::{RecoveryStrategy, ReplanStrategy};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{type_hint_identifier, type_hint_subscript};

use crate::convert::{Array, Dict, Real, Text, Vector};
use crate::error::{Error, Result};

const STR: PyStaticExpr = type_hint_identifier!("builtins", "str");

/// Stops by name.
pub(crate) const STOPS: [(&str, StopMode); 3] =
    [("path", StopMode::Path), ("jerk", StopMode::Jerk), ("hard", StopMode::Hard)];

/// Actions of the watchdog by name.
const ACTIONS: [(&str, WatchdogAction); 3] = [
    ("zero_velocity", WatchdogAction::ZeroVelocity),
    ("hold_position", WatchdogAction::HoldPosition),
    ("abort", WatchdogAction::Abort),
];

/// What a table says under a name.
fn named<T: Copy>(kind: &str, table: &[(&str, T)], given: Borrowed<'_, '_, PyAny>) -> Result<T> {
    let name = given.extract::<Text>()?.0;
    let found = table.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    found.ok_or_else(|| KineticError::unknown_name(kind, name, table.iter().map(|(known, _)| *known)).into())
}

/// The name under which a table has a value.
pub(crate) fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, known)| known == value).map_or("", |(name, _)| name)
}

/// The name of an action.
pub(crate) fn action_name(action: WatchdogAction) -> &'static str {
    name_of(&ACTIONS, &action)
}

/// "path", "jerk" or "hard".
pub(crate) struct StopArg(pub(crate) StopMode);

impl FromPyObject<'_, '_> for StopArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = STR;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        named("stop", &STOPS, given).map(Self)
    }
}

/// "zero_velocity", "hold_position" or "abort".
pub(crate) struct ActionArg(pub(crate) WatchdogAction);

impl FromPyObject<'_, '_> for ActionArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = STR;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        named("watchdog action", &ACTIONS, given).map(Self)
    }
}

/// "immediate", "deferred" or "splice".
pub(crate) struct ReplanArg(pub(crate) ReplanStrategy);

impl FromPyObject<'_, '_> for ReplanArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = STR;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        named("replan strategy", &ReplanStrategy::ALL.map(|known| (known.name(), known)), given).map(Self)
    }
}

/// "abort", "hold" or "relaxed_retry".
pub(crate) struct RecoveryArg(pub(crate) RecoveryStrategy);

impl FromPyObject<'_, '_> for RecoveryArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = STR;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        named("recovery strategy", &RecoveryStrategy::ALL.map(|known| (known.name(), known)), given).map(Self)
    }
}

/// The watchdog of these keywords.
pub(crate) fn watchdog(timeout_ms: Option<Real>, action: ActionArg) -> Option<WatchdogConfig> {
    timeout_ms.map(|timeout_ms| WatchdogConfig { timeout_ms: timeout_ms.0, action: action.0 })
}

/// Limits of joints by quantity, each (dof,).
pub(crate) struct LimitsArg(pub(crate) Vec<JointLimits>);

impl LimitsArg {
    const QUANTITIES: [&'static str; 5] = ["lower", "upper", "velocity", "acceleration", "jerk"];
}

impl FromPyObject<'_, '_> for LimitsArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("builtins", "dict"),
        STR,
        type_hint_identifier!("numpy.typing", "ArrayLike")
    );

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let mut values = BTreeMap::new();
        for (name, limits) in given.cast::<PyDict>().map_err(PyErr::from)?.iter() {
            let name = named("limit", &Self::QUANTITIES.map(|known| (known, known)), name.as_borrowed())?;
            values.insert(name, limits.extract::<Vector>()?.0);
        }
        let dof = values.values().next().map_or(0, Vec::len);
        values
            .iter()
            .try_for_each(|(name, limits)| check_len(&format!("joint_limits[\"{name}\"]"), limits.len(), dof))?;
        let at = |name: &str, joint: usize| values.get(name).map(|limits| limits[joint]);
        let limits = |joint| JointLimits {
            lower: at("lower", joint).unwrap_or(f64::NEG_INFINITY),
            upper: at("upper", joint).unwrap_or(f64::INFINITY),
            velocity: at("velocity", joint).unwrap_or(f64::INFINITY),
            effort: f64::INFINITY,
            acceleration: at("acceleration", joint),
            jerk: at("jerk", joint),
        };
        Ok(Self((0..dof).map(limits).collect()))
    }
}

/// Limits of joints as they are given; what no joint has is left out, what one has not is infinite.
fn limits_dict<'py>(py: Python<'py>, limits: &[JointLimits]) -> Result<Dict<'py>> {
    let column = |pick: &dyn Fn(&JointLimits) -> f64| Array::vector(py, &limits.iter().map(pick).collect::<Vec<_>>());
    let mut dict = Dict::new(py)
        .with("lower", column(&|joint| joint.lower)?)?
        .with("upper", column(&|joint| joint.upper)?)?
        .with("velocity", column(&|joint| joint.velocity)?)?;
    if limits.iter().any(|joint| joint.acceleration.is_some()) {
        dict = dict.with("acceleration", column(&|joint| joint.acceleration.unwrap_or(f64::INFINITY))?)?;
    }
    if limits.iter().any(|joint| joint.jerk.is_some()) {
        dict = dict.with("jerk", column(&|joint| joint.jerk.unwrap_or(f64::INFINITY))?)?;
    }
    Ok(dict)
}

/// Options by the names of their keywords.
pub(crate) fn config_dict<'py>(py: Python<'py>, config: &ExecutionConfig) -> Result<Dict<'py>> {
    let limits = config.joint_limits.as_deref().map(|limits| limits_dict(py, limits)).transpose()?;
    let watchdog = config.watchdog;
    Ok(Dict::new(py)
        .with("rate_hz", config.rate_hz)?
        .with("position_tolerance", config.position_tolerance)?
        .with("velocity_tolerance", config.velocity_tolerance)?
        .with("timeout_factor", config.timeout_factor)?
        .with("joint_limits", limits)?
        .with("command_timeout_ms", config.command_timeout_ms)?
        .with("require_feedback", config.require_feedback)?
        .with("watchdog_timeout_ms", watchdog.map(|watchdog| watchdog.timeout_ms))?
        .with("watchdog_action", action_name(watchdog.map(|watchdog| watchdog.action).unwrap_or_default()))?
        .with("allow_unverified", config.allow_unverified)?
        .with("velocity_scale", config.velocity_scale)?
        .with("real_time_priority", config.real_time_priority)?)
}
