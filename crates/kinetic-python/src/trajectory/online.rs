//! `Tracker`, `Playback` and `ExecutionMonitor`: motion that is decided while it happens.

use std::sync::{Mutex, MutexGuard, PoisonError};

use kinetic::trajectory::MotionState;
use kinetic::trajectory::online::{DeviationLevel, ExecutionMonitor, MonitorConfig, Playback, Tracker};
use pyo3::prelude::*;

use crate::convert::{Array, Count, Dict, PerJoint, Real, Vector};
use crate::error::Result;
use crate::trajectory::PyTrajectory;
use crate::trajectory::motion::{motion_limits, ranges, state};

/// A lock that is held for one step, and never while the GIL changes hands.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn state_dict<'py>(py: Python<'py>, state: &MotionState) -> Result<Dict<'py>> {
    Ok(Dict::new(py)
        .with("positions", Array::vector(py, &state.positions)?)?
        .with("velocities", Array::vector(py, &state.velocities)?)?
        .with("accelerations", Array::vector(py, &state.accelerations)?)?)
}

/// Steers joints to a target that may change every cycle, each cycle along the fastest motion from where they are.
///
/// Velocity, acceleration and jerk stay inside their limits at every instant, between cycles too; joints arrive together.
///
/// Args:
///     positions: Where the joints are (dof,), rad or m.
///     velocity_limits: Largest velocity, one number or one per joint, rad/s or m/s.
///     acceleration_limits: Largest acceleration, likewise.
///     jerk_limits: Largest jerk, likewise; None for ten times the acceleration.
///     period: Time between two steps, s.
///     velocities: How fast the joints are (dof,); None is rest.
///     accelerations: Likewise.
///
/// Raises:
///     InputError: Wrong sizes, NaN, limits or a period that are not positive.
///
/// Example:
///     >>> from kinetic import Tracker
///     >>> tracker = Tracker([0.0], 1.0, 4.0, 40.0, period=0.002)
///     >>> for _ in range(1000):
///     ...     state = tracker.step([0.5])
///     >>> round(float(state["positions"][0]), 6)
///     0.5
#[pyclass(frozen, module = "kinetic", name = "Tracker")]
pub(crate) struct PyTracker {
    tracker: Mutex<Tracker>,
    period: f64,
}

#[pymethods]
impl PyTracker {
    #[new]
    #[pyo3(
        signature = (
            positions, velocity_limits, acceleration_limits, jerk_limits=None, *, period, velocities=None,
            accelerations=None
        )
    )]
    fn __new__(
        positions: Vector,
        velocity_limits: PerJoint,
        acceleration_limits: PerJoint,
        jerk_limits: Option<PerJoint>,
        period: Real,
        velocities: Option<Vector>,
        accelerations: Option<Vector>,
    ) -> Result<Self> {
        let limits = motion_limits(positions.0.len(), velocity_limits, acceleration_limits, jerk_limits)?;
        let tracker = Tracker::new(limits, state(positions, velocities, accelerations), period.0)?;
        Ok(Self { tracker: Mutex::new(tracker), period: period.0 })
    }

    /// Moves for one period towards a target state.
    ///
    /// Args:
    ///     positions: Of the target (dof,).
    ///     velocities: Of the target (dof,); None is rest.
    ///     accelerations: Likewise.
    ///
    /// Returns:
    ///     A dict with `positions`, `velocities` and `accelerations` (dof,) after the period.
    ///
    /// Raises:
    ///     InputError: A target outside the limits, wrong sizes, NaN; the joints are then where they were.
    #[pyo3(signature = (positions, velocities=None, accelerations=None))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        positions: Vector,
        velocities: Option<Vector>,
        accelerations: Option<Vector>,
    ) -> Result<Dict<'py>> {
        let target = state(positions, velocities, accelerations);
        let next = lock(&self.tracker).step(&target).cloned();
        state_dict(py, &next?)
    }

    /// Sets the positions that `step_velocity` keeps.
    ///
    /// Args:
    ///     lowest: One number or one per joint, rad or m; infinite where there is none, as in the beginning.
    ///     highest: Likewise.
    ///
    /// Raises:
    ///     InputError: Wrong sizes, NaN, a lowest position above the highest (names the joint).
    fn set_position_limits(&self, lowest: PerJoint, highest: PerJoint) -> Result<()> {
        let mut tracker = lock(&self.tracker);
        let ranges = ranges("position", tracker.state().dof(), highest, Some(lowest))?;
        Ok(tracker.set_position_limits(&ranges)?)
    }

    /// Moves for one period towards velocities, as fast as the limits allow and each joint for itself: velocity control.
    ///
    /// A joint comes to rest at the end of its position limits. One that is beyond them moves back in, and not further out.
    ///
    /// Args:
    ///     velocities: Of each joint (dof,), rad/s or m/s.
    ///
    /// Returns:
    ///     As `step`.
    ///
    /// Raises:
    ///     InputError: A velocity outside the limits (names the joint), wrong sizes, NaN; the joints are then where they were.
    fn step_velocity<'py>(&self, py: Python<'py>, velocities: Vector) -> Result<Dict<'py>> {
        let next = lock(&self.tracker).step_velocity(&velocities.0).cloned();
        state_dict(py, &next?)
    }

    /// Moves for one period towards rest, as fast as the limits allow; answers as `step`.
    fn step_to_rest<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        let next = lock(&self.tracker).step_to_rest().cloned();
        state_dict(py, &next?)
    }

    /// Where the joints are, and how fast: a dict as that of `step`.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        let now = lock(&self.tracker).state().clone();
        state_dict(py, &now)
    }

    /// Time to the target from where the joints were before the last step, s.
    #[getter]
    fn time_to_target(&self) -> f64 {
        lock(&self.tracker).time_to_target()
    }

    /// Time between two steps, s.
    #[getter]
    fn period(&self) -> f64 {
        self.period
    }
}

/// Plays a trajectory with a speed override from 0 (stop) to 1 (as planned), always on its path.
///
/// The speed goes to the override as fast as the acceleration limits allow; velocities stay below those of the trajectory
/// and accelerations inside the limits at every instant. Where the trajectory itself brakes with all it has, the change
/// waits. Acceleration may then step by twice its limit when the override changes. With `jerk_limits` acceleration is
/// continuous and jerk bounded at every instant: each step takes the earliest change of the speed that holds the limits on the
/// path ahead, and until there is one the speed stays as it is.
///
/// Args:
///     trajectory: A timed trajectory that holds the acceleration limits; with `jerk_limits` one that holds them too
///         (`jerk_limited`).
///     acceleration_limits: One number or one per joint, rad/s² or m/s².
///     jerk_limits: Likewise, rad/s³ or m/s³; None leaves jerk free.
///
/// Raises:
///     InputError: A trajectory without time, wrong sizes, or limits that the trajectory exceeds (names joint and quantity).
///
/// Example:
///     >>> from kinetic import Playback, Trajectory
///     >>> path = Trajectory.from_waypoints([[0.0], [2.0]])
///     >>> playback = Playback(path.time_parameterize("trapezoidal", 1.0, 4.0), 4.0)
///     >>> state = playback.step(1.0)
///     >>> playback.set_override(0.0)
///     >>> state = playback.step(0.5)
///     >>> playback.rate, float(state["velocities"][0])
///     (0.0, 0.0)
#[pyclass(frozen, module = "kinetic", name = "Playback")]
pub(crate) struct PyPlayback {
    playback: Mutex<Playback>,
    joint_names: Vec<String>,
}

#[pymethods]
impl PyPlayback {
    #[new]
    #[pyo3(signature = (trajectory, acceleration_limits, jerk_limits=None))]
    fn __new__(
        trajectory: &Bound<'_, PyTrajectory>,
        acceleration_limits: PerJoint,
        jerk_limits: Option<PerJoint>,
    ) -> Result<Self> {
        let trajectory = trajectory.get();
        let timed = trajectory.as_timed()?;
        let mut playback = Playback::new(timed.clone(), acceleration_limits.expand(timed.dof()))?;
        if let Some(jerk_limits) = jerk_limits {
            playback = playback.with_jerk_limits(jerk_limits.expand(timed.dof()))?;
        }
        Ok(Self { playback: Mutex::new(playback), joint_names: trajectory.joint_names.clone() })
    }

    /// Sets the speed that is wanted from now on, 0 to 1; 0 is a stop on the path, which can be left again.
    fn set_override(&self, speed: Real) -> Result<()> {
        Ok(lock(&self.playback).set_override(speed.0)?)
    }

    /// Lets `period` seconds pass.
    ///
    /// Returns:
    ///     A dict with `positions`, `velocities` and `accelerations` (dof,) at their end.
    fn step<'py>(&self, py: Python<'py>, period: Real) -> Result<Dict<'py>> {
        let next = lock(&self.playback).step(period.0).cloned();
        state_dict(py, &next?)
    }

    /// Where the joints are, and how fast: a dict as that of `step`.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        let now = lock(&self.playback).state().clone();
        state_dict(py, &now)
    }

    /// Time on the trajectory, s.
    #[getter]
    fn time(&self) -> f64 {
        lock(&self.playback).time()
    }

    /// Seconds of the trajectory per second now.
    #[getter]
    fn rate(&self) -> f64 {
        lock(&self.playback).rate()
    }

    /// The speed that is wanted.
    #[getter]
    fn speed_override(&self) -> f64 {
        lock(&self.playback).speed_override()
    }

    /// True when the end is reached.
    #[getter]
    fn is_finished(&self) -> bool {
        lock(&self.playback).is_finished()
    }

    /// The trajectory.
    #[getter]
    fn trajectory(&self) -> PyTrajectory {
        let trajectory = lock(&self.playback).trajectory().clone();
        PyTrajectory { joint_names: self.joint_names.clone(), ..PyTrajectory::timed(trajectory) }
    }
}

/// Compares measured with expected positions and forgives single outliers.
///
/// Args:
///     dof: Number of joints.
///     warning: Deviation of a joint that is worth a warning, rad or m.
///     critical: Deviation of a joint that calls for a stop, rad or m.
///     window: Measurements in a row that must be above a threshold.
///
/// Raises:
///     InputError: Thresholds that are not positive or not ascending, or an empty window.
///
/// Example:
///     >>> from kinetic import ExecutionMonitor
///     >>> monitor = ExecutionMonitor(2, warning=0.01, critical=0.1, window=2)
///     >>> [monitor.update([0.0, 1.0], [0.0, 1.05])["level"] for _ in range(2)]
///     ['normal', 'warning']
#[pyclass(frozen, module = "kinetic", name = "ExecutionMonitor")]
pub(crate) struct PyExecutionMonitor(Mutex<ExecutionMonitor>);

#[pymethods]
impl PyExecutionMonitor {
    #[new]
    #[pyo3(
        signature = (
            dof, *, warning=Real(MonitorConfig::default().warning), critical=Real(MonitorConfig::default().critical),
            window=Count(MonitorConfig::default().window)
        ),
        text_signature = "(dof, *, warning=0.02, critical=0.1, window=3)"
    )]
    fn __new__(dof: Count, warning: Real, critical: Real, window: Count) -> Result<Self> {
        let config = MonitorConfig { warning: warning.0, critical: critical.0, window: window.0 };
        Ok(Self(Mutex::new(ExecutionMonitor::new(dof.0, config)?)))
    }

    /// Judges a measurement.
    ///
    /// Args:
    ///     expected: Positions (dof,).
    ///     measured: Positions (dof,); a value that is not a number is critical at once.
    ///
    /// Returns:
    ///     A dict with `level` ("normal", "warning" or "critical"), and the `joint` that is farthest off now, by `value`.
    fn update<'py>(&self, py: Python<'py>, expected: Vector, measured: Vector) -> Result<Dict<'py>> {
        let deviation = lock(&self.0).update(&expected.0, &measured.0)?;
        let level = match deviation.level {
            DeviationLevel::Normal => "normal",
            DeviationLevel::Warning => "warning",
            DeviationLevel::Critical => "critical",
        };
        Ok(Dict::new(py).with("level", level)?.with("joint", deviation.joint)?.with("value", deviation.value)?)
    }

    /// Forgets past measurements.
    fn reset(&self) {
        lock(&self.0).reset();
    }
}
