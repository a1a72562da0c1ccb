//! `timeout` and `stop` of calls that do no more than a piece of work.

use std::sync::Arc;

use kinetic::core::control::SystemClock;
use kinetic::core::{Control, KineticError, StopFlag};
use pyo3::prelude::*;

use crate::convert::{Real, keywords};
use crate::error::Result;
use crate::stop_flag::PyStopFlag;

keywords! {
    /// Of `Planner.build_roadmap`, `Planner.prove_roadmap` and `Planner.decomposition_of`.
    pub(crate) struct ControlKeywords {
        timeout: Option<Real> = None,
        stop: Option<Py<PyStopFlag>> = None,
    }
}

impl ControlKeywords {
    pub(crate) fn control(&self) -> Result<(Control, StopFlag)> {
        control_of(self.timeout.as_ref(), self.stop.as_ref())
    }
}

/// The control of work that ends after some seconds, if any, and when it is stopped; and what stops it.
pub(crate) fn control_of(timeout: Option<&Real>, stop: Option<&Py<PyStopFlag>>) -> Result<(Control, StopFlag)> {
    let stop = stop.map_or_else(StopFlag::default, |stop| stop.get().0.child());
    let timeout = timeout.map_or(f64::INFINITY, |timeout| timeout.0);
    if !(timeout > 0.0) {
        return Err(KineticError::invalid("timeout", timeout, "a positive number of seconds, or None").into());
    }
    Ok((Control::new(Arc::new(SystemClock::default()), timeout, u64::MAX, stop.clone()), stop))
}
