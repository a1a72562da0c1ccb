//! `Trajectory`: leaving it while it runs.

use kinetic::trajectory::online::{splice, stop, stop_on_path};
use pyo3::prelude::*;

use crate::convert::{Dict, PerJoint, Real};
use crate::error::Result;
use crate::trajectory::PyTrajectory;
use crate::trajectory::motion::motion_limits;
use crate::trajectory::timing::violation_dicts;

#[pymethods]
impl PyTrajectory {
    /// What runs from `now` on when `other` is to take over: this motion for `latency` seconds, the fastest motion to where
    /// `other` begins, and `other`.
    ///
    /// Position, velocity and acceleration are continuous; the way between the two was not checked for collisions. Where the jerk
    /// limit does not allow to take back this motion's acceleration before a velocity leaves its limits, this motion is
    /// left later, at the first moment from which they can be held. From velocities outside the limits it brakes first.
    ///
    /// Args:
    ///     other: A timed trajectory.
    ///     now: Time on this one, s.
    ///     latency: Seconds until the change can take effect.
    ///     velocity_limits: Largest velocity on the way between, one number or one per joint, rad/s or m/s.
    ///     acceleration_limits: Largest acceleration, likewise.
    ///     jerk_limits: Largest jerk, likewise; None for ten times the acceleration.
    #[pyo3(signature = (other, now, latency, velocity_limits, acceleration_limits, jerk_limits=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn splice(
        &self,
        py: Python<'_>,
        other: &Bound<'_, Self>,
        now: Real,
        latency: Real,
        velocity_limits: PerJoint,
        acceleration_limits: PerJoint,
        jerk_limits: Option<PerJoint>,
    ) -> Result<Self> {
        let (running, next) = (self.as_timed()?, other.get().as_timed()?);
        let limits = motion_limits(running.dof(), velocity_limits, acceleration_limits, jerk_limits)?;
        let spliced = py.detach(|| splice(running, now.0, latency.0, next, &limits))?;
        Ok(Self { joint_names: self.joint_names.clone(), ..Self::timed(spliced) })
    }

    /// The stop of this motion from time `t` on.
    ///
    /// On the path it is the earliest that the limits of acceleration allow; of a motion that holds the limits of jerk, one that
    /// holds them too, where it is found. Where no speed along the path holds the limits, because the motion was made for
    /// others, and with `on_path=False`, it is the fastest jerk-limited stop of each joint, which leaves the path.
    ///
    /// Args:
    ///     t: Time on this motion, s.
    ///     velocity_limits: Largest velocity, one number or one per joint, rad/s or m/s.
    ///     acceleration_limits: Largest acceleration, likewise.
    ///     jerk_limits: Largest jerk, likewise; None for ten times the acceleration.
    ///     on_path: Whether to stay on the path where that is possible.
    ///
    /// Returns:
    ///     A dict with `trajectory` (from `t` to rest), `deviation` (largest distance from the path, Euclidean in joint
    ///     space), `on_path`, `jerk_bounded` (whether jerk is inside its limits at every instant), and `violations`, entries as those of `validate`: beside the path the worst excess over each limit
    ///     that the stop cannot hold, because the motion is outside the limits or bound to leave them.
    #[pyo3(signature = (t, velocity_limits, acceleration_limits, jerk_limits=None, *, on_path=true))]
    fn stop<'py>(
        &self,
        py: Python<'py>,
        t: Real,
        velocity_limits: PerJoint,
        acceleration_limits: PerJoint,
        jerk_limits: Option<PerJoint>,
        on_path: bool,
    ) -> Result<Dict<'py>> {
        let running = self.as_timed()?;
        let limits = motion_limits(running.dof(), velocity_limits, acceleration_limits, jerk_limits)?;
        let make = if on_path { stop_on_path } else { stop };
        let found = py.detach(|| make(running, t.0, &limits))?;
        let trajectory = Self { joint_names: self.joint_names.clone(), ..Self::timed(found.trajectory) };
        let dict = Dict::new(py).with("trajectory", Bound::new(py, trajectory)?)?;
        let dict = dict.with("deviation", found.deviation)?.with("on_path", found.on_path)?;
        let dict = dict.with("jerk_bounded", found.jerk_bounded)?;
        Ok(dict.with("violations", violation_dicts(py, &found.violations)?)?)
    }
}
