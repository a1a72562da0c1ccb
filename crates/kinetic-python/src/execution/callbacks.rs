//! Functions of Python as the parts of a driver. Only they take the GIL, for one call each.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use kinetic::core::StopFlag;
use kinetic::execution::{CommandSink, DriverError, FeedbackSource, Progress, StopRequest, StopSink};
use pyo3::exceptions::PyTypeError;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyModule, PyTuple};
use pyo3::{type_hint_identifier, type_hint_subscript};

use crate::convert::{Array, Dict, Real, Vector};
use crate::error::Result;
use crate::execution::arguments::action_name;
use crate::execution::lock;

/// Something to call.
pub(crate) struct CallableArg(Py<PyAny>);

impl CallableArg {
    pub(crate) fn bind<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.0.bind(py)
    }

    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Self {
        Self(self.0.clone_ref(py))
    }
}

impl FromPyObject<'_, '_> for CallableArg {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("collections.abc", "Callable"),
        PyStaticExpr::Constant { value: pyo3::inspect::PyStaticConstant::Ellipsis },
        type_hint_identifier!("builtins", "object")
    );

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if given.is_callable() {
            return Ok(Self(given.to_owned().unbind()));
        }
        let kind = given.get_type().name()?;
        Err(PyTypeError::new_err(format!("a function is wanted, not an object of type {kind}")))
    }
}

/// The first exception that a function of an execution has raised, and which function that was.
#[derive(Default)]
pub(crate) struct Raised(Mutex<Option<(&'static str, PyErr)>>);

impl Raised {
    fn keep(&self, name: &'static str, error: PyErr) {
        let mut kept = lock(&self.0);
        if kept.is_none() {
            *kept = Some((name, error));
        }
    }

    pub(crate) fn get(&self, py: Python<'_>) -> Option<(&'static str, PyErr)> {
        lock(&self.0).as_ref().map(|(name, error)| (*name, error.clone_ref(py)))
    }
}

/// A function, and where what it raises is kept.
struct Callback {
    call: Py<PyAny>,
    name: &'static str,
    raised: Arc<Raised>,
}

impl Callback {
    /// Does something with the function.
    ///
    /// # Errors
    /// The text of what it raised.
    fn run<T>(&self, act: impl FnOnce(&Bound<'_, PyAny>) -> Result<T>) -> Result<T, String> {
        let done = Python::try_attach(|py| {
            act(self.call.bind(py)).map_err(|error| {
                let error = PyErr::from(error);
                let text = error.to_string();
                self.raised.keep(self.name, error);
                text
            })
        });
        done.unwrap_or_else(|| Err("Python has ended".to_owned()))
    }
}

/// The functions of one execution, which share what they raise and the flag that ends it.
#[derive(Default, Clone)]
pub(crate) struct Functions {
    pub(crate) raised: Arc<Raised>,
    pub(crate) stop: StopFlag,
}

impl Functions {
    fn callback(&self, name: &'static str, call: CallableArg) -> Callback {
        Callback { call: call.0, name, raised: Arc::clone(&self.raised) }
    }

    /// The command callback, in use from now on; `None` when another execution uses it.
    pub(crate) fn sink(&self, py: Python<'_>, call: CallableArg, joint_names: Vec<String>) -> Result<Option<Sink>> {
        let Some(in_use) = InUse::take(call.0.bind(py))? else { return Ok(None) };
        Ok(Some(Sink { callback: self.callback("command_callback", call), joint_names, _in_use: in_use }))
    }

    pub(crate) fn feedback(&self, call: Option<CallableArg>, scaling: Option<CallableArg>) -> Option<Feedback> {
        if call.is_none() && scaling.is_none() {
            return None;
        }
        let call = call.map(|call| self.callback("feedback", call));
        let scaling = scaling.map(|call| self.callback("speed_scaling", call));
        Some(Feedback { call, scaling, stop: self.stop.clone(), positions: Vec::new(), velocities: None })
    }

    pub(crate) fn stop_sink(&self, call: CallableArg) -> OnStop {
        OnStop(self.callback("on_stop", call))
    }

    pub(crate) fn listener(&self, call: CallableArg) -> impl Fn(&Progress<'_>) + Send + Sync + 'static {
        let (callback, stop) = (self.callback("progress", call), self.stop.clone());
        move |progress| {
            let told = callback.run(|call| {
                call.call1((progress_dict(call.py(), progress)?,))?;
                Ok(())
            });
            if told.is_err() {
                stop.stop();
            }
        }
    }
}

fn progress_dict<'py>(py: Python<'py>, progress: &Progress<'_>) -> Result<Dict<'py>> {
    Ok(Dict::new(py)
        .with("elapsed", progress.elapsed)?
        .with("fraction", progress.fraction)?
        .with("state", progress.state.name())?
        .with("positions", Array::vector(py, progress.positions)?)?)
}

/// Drivers that executions use: a function, or the object whose method it is, by its address.
static DRIVERS: Mutex<Option<HashSet<usize>>> = Mutex::new(None);

/// A driver is in use; it lives as long as its callback, which is dropped with this.
struct InUse(usize);

impl InUse {
    fn take(call: &Bound<'_, PyAny>) -> Result<Option<Self>> {
        let owner =
            call.getattr_opt("__self__")?.filter(|owner| !owner.is_none() && !owner.is_instance_of::<PyModule>());
        let address = owner.as_ref().unwrap_or(call).as_ptr() as usize;
        Ok(lock(&DRIVERS).get_or_insert_default().insert(address).then(|| Self(address)))
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        if let Some(drivers) = lock(&DRIVERS).as_mut() {
            drivers.remove(&self.0);
        }
    }
}

/// Sends commands by a function.
pub(crate) struct Sink {
    callback: Callback,
    joint_names: Vec<String>,
    _in_use: InUse,
}

impl CommandSink for Sink {
    fn send_command(&mut self, positions: &[f64], velocities: &[f64]) -> Result<(), DriverError> {
        let sent = self.callback.run(|call| {
            let py = call.py();
            call.call1((Array::vector(py, positions)?, Array::vector(py, velocities)?))?;
            Ok(())
        });
        Ok(sent?)
    }

    fn joint_names(&self) -> &[String] {
        &self.joint_names
    }
}

/// Reads by functions where the robot is, and at which speed its controller runs. What they raise ends the execution along
/// its path.
pub(crate) struct Feedback {
    call: Option<Callback>,
    scaling: Option<Callback>,
    stop: StopFlag,
    positions: Vec<f64>,
    velocities: Option<Vec<f64>>,
}

/// Positions, or a tuple of positions and velocities.
fn measurement(answer: &Bound<'_, PyAny>) -> Result<(Vec<f64>, Option<Vec<f64>>)> {
    if let Ok(pair) = answer.cast::<PyTuple>()
        && pair.len() == 2
        && pair.get_item(0)?.len().is_ok()
        && !pair.get_item(0)?.is_instance_of::<PyFloat>()
    {
        let (positions, velocities): (Vector, Vector) = (pair.get_item(0)?.extract()?, pair.get_item(1)?.extract()?);
        return Ok((positions.0, Some(velocities.0)));
    }
    Ok((answer.extract::<Vector>()?.0, None))
}

impl FeedbackSource for Feedback {
    fn read_positions(&mut self) -> Option<&[f64]> {
        self.velocities = None;
        let read = self.call.as_ref()?.run(|call| {
            let answer = call.call0()?;
            if answer.is_none() { Ok(None) } else { measurement(&answer).map(Some) }
        });
        let Ok(read) = read else {
            self.stop.stop();
            return None;
        };
        (self.positions, self.velocities) = read?;
        Some(&self.positions)
    }

    fn read_velocities(&mut self) -> Option<&[f64]> {
        self.velocities.as_deref()
    }

    fn speed_scaling(&mut self) -> f64 {
        let Some(scaling) = &self.scaling else { return 1.0 };
        scaling.run(|call| Ok(call.call0()?.extract::<Real>()?.0)).unwrap_or_else(|_| {
            self.stop.stop();
            1.0
        })
    }
}

/// Stops the robot by a function.
pub(crate) struct OnStop(Callback);

impl StopSink for OnStop {
    fn stop(&self, request: &StopRequest<'_>) {
        // What it raises is told at the end; there is nothing else to be done about it here.
        let _ = self.0.run(|call| {
            call.call1((action_name(request.action), Array::vector(call.py(), request.positions)?))?;
            Ok(())
        });
    }
}
