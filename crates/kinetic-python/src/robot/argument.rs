//! Arguments that name a robot or are one.

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_union};

use crate::convert::Text;
use crate::error::{Error, Result};
use crate::robot::PyRobot;

/// A robot, or the name of a built-in one.
pub(crate) enum RobotArg<'py> {
    Handle(Bound<'py, PyRobot>),
    Name(String),
}

impl<'py> RobotArg<'py> {
    /// The robot, loaded when it was named.
    pub(crate) fn handle(self, py: Python<'py>) -> Result<Bound<'py, PyRobot>> {
        match self {
            Self::Handle(robot) => Ok(robot),
            Self::Name(name) => Ok(Bound::new(py, PyRobot::builtin(py, name, None)?)?),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for RobotArg<'py> {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(type_hint_identifier!("builtins", "str"), PyRobot::TYPE_HINT);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> Result<Self> {
        match given.cast::<PyRobot>() {
            Ok(robot) => Ok(Self::Handle(robot.to_owned())),
            Err(_) => Ok(Self::Name(given.extract::<Text>()?.0)),
        }
    }
}
