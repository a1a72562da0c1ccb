//! Callbacks in Python of a plan while it is made.

use kinetic::core::StopFlag;
use kinetic::planning::Improvement;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_subscript};

use crate::error::Result;
use crate::trajectory::PyTrajectory;

/// Something to call with a path.
pub(crate) struct OnImprovement(Py<PyAny>);

impl FromPyObject<'_, '_> for OnImprovement {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("collections.abc", "Callable"),
        PyStaticExpr::List { elts: &[PyTrajectory::TYPE_HINT] },
        type_hint_identifier!("builtins", "object")
    );

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        Ok(Self(given.to_owned().unbind()))
    }
}

/// Hands paths to Python; what that raises stops the plan and is kept.
pub(crate) struct Listener<'a> {
    call: Option<OnImprovement>,
    joint_names: &'a [String],
    stop: &'a StopFlag,
    raised: Option<PyErr>,
}

impl<'a> Listener<'a> {
    pub(crate) fn new(call: Option<OnImprovement>, joint_names: &'a [String], stop: &'a StopFlag) -> Self {
        Self { call, joint_names, stop, raised: None }
    }

    pub(crate) fn report(&mut self, improvement: Improvement) {
        let Some(call) = self.call.as_ref().filter(|_| self.raised.is_none()) else { return };
        let mut path = PyTrajectory::path(improvement.path);
        path.joint_names = self.joint_names.to_vec();
        self.raised = Python::attach(|py| call.0.call1(py, (path,))).err();
        if self.raised.is_some() {
            self.stop.stop();
        }
    }

    /// What the function raised.
    pub(crate) fn raised(self) -> Result<()> {
        self.raised.map_or(Ok(()), |raised| Err(raised.into()))
    }
}
