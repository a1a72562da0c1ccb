//! `SimExecutor` and `LogExecutor`: executions in no time.

use std::sync::Mutex;

use kinetic::execution::{ExecutionConfig, LogExecutor, LoggedCommand, SimExecutor, TrajectoryExecutor};
use pyo3::prelude::*;

use crate::convert::{Array, Dict, Dicts, Real};
use crate::error::Result;
use crate::execution::lock;
use crate::execution::result::ResultDict;
use crate::interrupt::abandonable;
use crate::trajectory::PyTrajectory;

/// Where calls take no time, any rate leaves enough of it.
fn config(rate_hz: Real) -> Result<ExecutionConfig> {
    let usual = ExecutionConfig::default();
    let command_timeout_ms = usual.command_timeout_ms.max(2e3 / rate_hz.0);
    let config = ExecutionConfig { rate_hz: rate_hz.0, command_timeout_ms, ..usual };
    config.check()?;
    Ok(config)
}

/// Carries trajectories out in no time, by the loop that drives real robots; the robot follows exactly.
///
/// It moves nothing, so that trajectories need no certificate.
///
/// Args:
///     rate_hz: Commands per second.
///
/// Raises:
///     InputError: A rate that is not positive, or above 10,000.
///
/// Example:
///     >>> from kinetic import SimExecutor, Trajectory
///     >>> motion = Trajectory.from_waypoints([[0.0], [1.0]]).time_parameterize("trapezoidal", 1.0, 1.0)
///     >>> result = SimExecutor(rate_hz=100.0).execute(motion)
///     >>> result["state"], result["final_positions"]
///     ('Completed', array([1.]))
#[pyclass(frozen, module = "kinetic", name = "SimExecutor")]
pub(crate) struct PySimExecutor(pub(crate) ExecutionConfig);

#[pymethods]
impl PySimExecutor {
    #[new]
    #[pyo3(signature = (rate_hz=Real(500.0)), text_signature = "(rate_hz=500.0)")]
    fn __new__(rate_hz: Real) -> Result<Self> {
        config(rate_hz).map(Self)
    }

    /// Carries a trajectory out.
    ///
    /// Returns:
    ///     The result, as `RealTimeExecutor.execute`.
    ///
    /// Raises:
    ///     InputError: A path without time.
    ///     ExecutionError: A trajectory that is empty, or does not begin and end at rest.
    fn execute<'py>(&self, py: Python<'py>, trajectory: &Bound<'py, PyTrajectory>) -> Result<ResultDict<'py>> {
        let (timed, config) = (trajectory.get().as_timed()?.clone(), self.0.clone());
        let result = abandonable(py, move || SimExecutor::new(config)?.execute(&timed))??;
        ResultDict::new(py, &result)
    }

    fn __repr__(&self) -> String {
        format!("SimExecutor(rate_hz={})", self.0.rate_hz)
    }
}

/// As `SimExecutor`, and keeps the commands.
///
/// Args:
///     rate_hz: Commands per second.
///
/// Raises:
///     InputError: A rate that is not positive, or above 10,000.
///
/// Example:
///     >>> from kinetic import LogExecutor, Trajectory
///     >>> motion = Trajectory.from_waypoints([[0.0], [1.0]]).time_parameterize("trapezoidal", 1.0, 1.0)
///     >>> executor = LogExecutor(rate_hz=20.0)
///     >>> result = executor.execute(motion)
///     >>> executor.num_commands == result["commands_sent"], executor.commands()[20]["time"]
///     (True, 1.0)
#[pyclass(frozen, module = "kinetic", name = "LogExecutor")]
pub(crate) struct PyLogExecutor {
    config: ExecutionConfig,
    commands: Mutex<Vec<LoggedCommand>>,
}

#[pymethods]
impl PyLogExecutor {
    #[new]
    #[pyo3(signature = (rate_hz=Real(500.0)), text_signature = "(rate_hz=500.0)")]
    fn __new__(rate_hz: Real) -> Result<Self> {
        Ok(Self { config: config(rate_hz)?, commands: Mutex::default() })
    }

    /// Carries a trajectory out and keeps its commands behind those that are there; answers and fails as `SimExecutor`.
    fn execute<'py>(&self, py: Python<'py>, trajectory: &Bound<'py, PyTrajectory>) -> Result<ResultDict<'py>> {
        let (timed, config) = (trajectory.get().as_timed()?.clone(), self.config.clone());
        let (result, executor) = abandonable(py, move || {
            let mut executor = LogExecutor::new(config)?;
            Ok::<_, kinetic::core::KineticError>((executor.execute(&timed)?, executor))
        })??;
        lock(&self.commands).extend_from_slice(executor.commands());
        ResultDict::new(py, &result)
    }

    /// The commands of all executions: dicts with `time` (s since the first command of its execution), `positions` and
    /// `velocities` (dof,).
    fn commands<'py>(&self, py: Python<'py>) -> Result<Dicts<'py>> {
        let commands = lock(&self.commands).clone();
        let dict = |command: &LoggedCommand| {
            let dict = Dict::new(py).with("time", command.time)?;
            let dict = dict.with("positions", Array::vector(py, &command.positions)?)?;
            Ok(dict.with("velocities", Array::vector(py, &command.velocities)?)?)
        };
        Ok(Dicts::new(py, commands.iter().map(dict).collect::<Result<_>>()?)?)
    }

    /// Number of commands.
    #[getter]
    fn num_commands(&self) -> usize {
        lock(&self.commands).len()
    }

    /// Forgets all commands.
    fn clear(&self) {
        lock(&self.commands).clear();
    }

    fn __len__(&self) -> usize {
        self.num_commands()
    }

    fn __repr__(&self) -> String {
        format!("LogExecutor(<{} commands, rate_hz={}>)", self.num_commands(), self.config.rate_hz)
    }
}
