//! How an execution went, as `kinetic.execution.ExecutionResult`, a dictionary that can be drawn.

use std::convert::Infallible;

use kinetic::core::KineticError;
use kinetic::execution::{ExecutionResult, JitterHistogram, RealTimePrivileges, SchedulingPolicy, StopReport};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_identifier;

use crate::convert::{Array, Dict, Indices, output};
use crate::error::{Error, Result, keep};
use crate::execution::arguments::{STOPS, name_of};
use crate::execution::callbacks::Raised;

output!(
    /// A result of an execution.
    ResultDict,
    Bound<'py, PyAny>,
    type_hint_identifier!("kinetic.execution", "ExecutionResult")
);

impl<'py> ResultDict<'py> {
    pub(crate) fn new(py: Python<'py>, result: &ExecutionResult) -> Result<Self> {
        let dict = Dict::new(py)
            .with("state", result.state.name())?
            .with("actual_duration", result.actual_duration)?
            .with("expected_duration", result.expected_duration)?
            .with("commands_sent", result.commands_sent)?
            .with("final_positions", Array::vector(py, &result.final_positions)?)?
            .with("max_deviation", result.max_deviation)?
            .with("missed_cycles", result.missed_cycles)?
            .with("verified", result.verified)?
            .with("stop", result.stop.as_ref().map(|stop| stop_dict(py, stop)).transpose()?)?
            .with("jitter", jitter_dict(py, &result.jitter)?)?
            .with("realtime", realtime_dict(py, &result.realtime)?)?;
        Ok(Self(py.import("kinetic.execution")?.getattr("ExecutionResult")?.call1((dict,))?))
    }
}

fn stop_dict<'py>(py: Python<'py>, stop: &StopReport) -> Result<Dict<'py>> {
    let dict = Dict::new(py).with("mode", name_of(&STOPS, &stop.mode))?;
    Ok(dict.with("began", stop.began)?.with("within_limits", stop.within_limits)?)
}

fn jitter_dict<'py>(py: Python<'py>, jitter: &JitterHistogram) -> Result<Dict<'py>> {
    let counts: Vec<i64> = jitter.counts().iter().map(|count| i64::try_from(*count).unwrap_or(i64::MAX)).collect();
    let mut edges = vec![0.0];
    edges.extend((0..counts.len()).map(JitterHistogram::upper_edge));
    let dict = Dict::new(py).with("edges", Array::vector(py, &edges)?)?;
    let dict = dict.with("counts", Indices::vector(py, &counts))?.with("count", jitter.count())?;
    let dict = dict.with("mean", jitter.mean())?.with("max", jitter.max())?;
    let dict = dict.with("p50", jitter.quantile(0.5))?.with("p99", jitter.quantile(0.99))?;
    Ok(dict.with("p999", jitter.quantile(0.999))?)
}

fn realtime_dict<'py>(py: Python<'py>, granted: &RealTimePrivileges) -> Result<Dict<'py>> {
    let scheduling = match granted.scheduling {
        SchedulingPolicy::Unknown => "unknown",
        SchedulingPolicy::Other => "other",
        SchedulingPolicy::Fifo => "fifo",
        SchedulingPolicy::RoundRobin => "round_robin",
        SchedulingPolicy::Deadline => "deadline",
    };
    let dict = Dict::new(py).with("scheduling", scheduling)?;
    let dict = dict.with("priority", granted.priority)?.with("locked_memory", granted.locked_memory)?;
    Ok(dict.with("refused", granted.refused.clone())?)
}

/// The error of an execution, with the exception of a function as its cause and what is known of the execution as `result`.
pub(crate) fn failure(
    py: Python<'_>,
    error: Option<KineticError>,
    raised: &Raised,
    result: Option<&ExecutionResult>,
) -> Error {
    let raised = raised.get(py);
    let aborted = || {
        let reason = raised.as_ref().map(|(name, error)| format!("{name} raised {error}"));
        KineticError::Aborted { reason: reason.unwrap_or_default() }
    };
    // A function that raises ends the execution by its stop flag; what it raised says more than that.
    let error = error.filter(|error| raised.is_none() || !matches!(error, KineticError::Aborted { .. }));
    let error = PyErr::from(Error::from(error.unwrap_or_else(aborted)));
    if let Some((_, cause)) = raised {
        error.set_cause(py, Some(cause));
    }
    match result.map(|result| ResultDict::new(py, result)).transpose() {
        Ok(result) => keep(py, error.into(), "result", result),
        Err(failure) => failure,
    }
}
