//! Policies that are functions in Python.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use kinetic::core::KineticError;
use kinetic::reactive::rmp::{MotionPolicy, MotionState, TaskSpaces};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::convert::{Array, Numbers, Vector};
use crate::error::{Error, Result};
use crate::execution::callbacks::CallableArg;

/// Most dimensions of a task map: far more than anything can want of an arm.
const MOST_TASK_DIMENSIONS: usize = 1_000;

/// What a function raised during a call of `compute`.
#[derive(Clone, Default)]
pub(super) struct PolicyErrors(Arc<Mutex<Option<Error>>>);

impl PolicyErrors {
    fn keep(&self, error: Error) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    pub(super) fn raise(&self) -> Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }
}

/// A task map and a motion policy.
pub(super) struct FunctionPolicy {
    name: String,
    functions: [CallableArg; 2],
    raised: PolicyErrors,
}

impl fmt::Debug for FunctionPolicy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "FunctionPolicy({:?})", self.name)
    }
}

impl FunctionPolicy {
    pub(super) fn new(name: &str, functions: [CallableArg; 2], raised: &PolicyErrors) -> Self {
        Self { name: name.to_owned(), functions, raised: raised.clone() }
    }

    fn call(&self, py: Python<'_>, state: &MotionState<'_>, tasks: &mut TaskSpaces) -> Result<()> {
        py.check_signals()?;
        let [task_map, motion_policy] = &self.functions;
        let (q, qd) = (Array::vector(py, state.q)?, Array::vector(py, state.qd)?);
        let mapped = task_map.bind(py).call1((q, qd))?;
        let [x, jacobian, curvature] = self.parts(&mapped, "task map", ["x", "Jacobian", "curvature"])?;
        let x = x.extract::<Vector>()?.0;
        let (rows, dof) = (x.len(), state.dof());
        if !(1..=MOST_TASK_DIMENSIONS).contains(&rows) {
            let name = format!("x of policy \"{}\"", self.name);
            return Err(KineticError::invalid(
                name,
                format!("{rows} values"),
                format!("1 to {MOST_TASK_DIMENSIONS} values"),
            )
            .into());
        }
        let jacobian = self.numbers("Jacobian", &jacobian, &[rows, dof])?;
        let curvature = self.numbers("curvature", &curvature, &[rows])?;
        let speed = |row: &[f64]| row.iter().zip(state.qd).map(|(slope, qd)| slope * qd).sum::<f64>();
        let xd: Vec<f64> = jacobian.chunks_exact(dof).map(speed).collect();
        let wanted = motion_policy.bind(py).call1((Array::vector(py, &x)?, Array::vector(py, &xd)?))?;
        let [metric, acceleration] = self.parts(&wanted, "motion policy", ["metric", "acceleration"])?;
        let metric = self.numbers("metric", &metric, &[rows, rows])?;
        let acceleration = self.numbers("acceleration", &acceleration, &[rows])?;
        let task = tasks.add(rows);
        task.jacobian.copy_from_slice(&jacobian);
        task.curvature.copy_from_slice(&curvature);
        task.metric.copy_from_slice(&metric);
        task.acceleration.copy_from_slice(&acceleration);
        Ok(())
    }

    /// The values of a tuple of as many as there are names.
    fn parts<'py, const N: usize>(
        &self,
        answer: &Bound<'py, PyAny>,
        function: &str,
        names: [&str; N],
    ) -> Result<[Bound<'py, PyAny>; N]> {
        let given = answer.cast::<PyTuple>().map(|tuple| tuple.iter().collect::<Vec<_>>());
        if let Ok(values) = given
            && let Ok(values) = <[Bound<'py, PyAny>; N]>::try_from(values)
        {
            return Ok(values);
        }
        let kind = answer.get_type().name().map_or_else(|_| "an object".to_owned(), |name| format!("a {name}"));
        let name = format!("answer of the {function} of policy \"{}\"", self.name);
        Err(KineticError::invalid(name, kind, format!("a tuple of {N}: {}", names.join(", "))).into())
    }

    fn numbers(&self, what: &str, given: &Bound<'_, PyAny>, shape: &[usize]) -> Result<Vec<f64>> {
        let numbers = Numbers::read(given)?;
        if numbers.shape == shape {
            return Ok(numbers.values);
        }
        let name = format!("{what} of policy \"{}\"", self.name);
        Err(KineticError::invalid(name, format!("shape {:?}", numbers.shape), format!("shape {shape:?}")).into())
    }
}

impl MotionPolicy for FunctionPolicy {
    fn name(&self) -> &str {
        &self.name
    }

    fn evaluate(&mut self, state: &MotionState<'_>, tasks: &mut TaskSpaces) -> kinetic::core::Result<()> {
        let called = Python::try_attach(|py| self.call(py, state, tasks));
        let failed =
            |detail: &str| KineticError::invalid(format!("policy \"{}\"", self.name), detail, "functions that answer");
        match called {
            Some(Ok(())) => Ok(()),
            Some(Err(error)) => {
                self.raised.keep(error);
                Err(failed("an exception"))
            }
            None => Err(failed("called after Python had ended")),
        }
    }
}
