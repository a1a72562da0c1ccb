//! `Planner`: motions under way.

use kinetic::core::StopFlag;
use kinetic::planning::Planner;
use pyo3::prelude::*;

use crate::convert::Real;
use crate::error::Result;
use crate::interrupt::interruptible;
use crate::planning::PyPlanner;
use crate::trajectory::{Motion, PyTrajectory};

#[pymethods]
impl PyPlanner {
    /// A certified motion from the state of `running` at `now` to the end of `next`: `running` for `latency` seconds more, the
    /// fastest motion within the planner's limits to the state in which `next` begins, and `next`.
    ///
    /// As `Trajectory.splice`, and all of it is proven in the scene as it is now: the connection, which lies on neither path,
    /// and what is left of both. Times on the answer count from `now`.
    ///
    /// Args:
    ///     running: The motion under way.
    ///     now: Time on it, s.
    ///     next: The motion that takes over.
    ///     latency: Seconds until the change can take effect.
    ///
    /// Raises:
    ///     InputError: A path without time, a motion of other joints, or a time outside the motion.
    ///     PlanningError: `TrajectoryInCollision` with pair, time, distance and margin; `TrajectoryLimitExceeded` where the
    ///         connection leaves a joint range; or the timeout of the planner.
    ///
    /// Example:
    ///     >>> import kinetic
    ///     >>> planner = kinetic.Planner("ur5e")
    ///     >>> running, back = planner.plan("home", "ready"), planner.plan("ready", "home")
    ///     >>> planner.splice(running, 0.5 * running.duration, back).certificate is not None
    ///     True
    #[pyo3(
        signature = (running, now, next, *, latency=Real(0.0)),
        text_signature = "($self, running, now, next, *, latency=0.0)"
    )]
    fn splice(
        &self,
        py: Python<'_>,
        running: &Bound<'_, PyTrajectory>,
        now: Real,
        next: &Bound<'_, PyTrajectory>,
        latency: Real,
    ) -> Result<PyTrajectory> {
        let (planner, stop) = (self.now(py)?, StopFlag::default());
        running.get().check_joints("running", planner.chain().joint_names())?;
        next.get().check_joints("next", planner.chain().joint_names())?;
        let (running, next) = (running.get().as_timed()?, next.get().as_timed()?);
        let (control, joint_names) = (planner.control(stop.clone()), planner.chain().joint_names().to_vec());
        let spliced = interruptible(py, &stop, || planner.splice(running, now.0, latency.0, next, &control))??;
        Ok(PyTrajectory { motion: Motion::Timed(spliced), joint_names, problem: None, lead_in: None })
    }

    /// Proves what is left of a running motion from `now` on, in the scene as it is now: every pair keeps its margin at every
    /// instant. Joint limits do not depend on the scene and are not looked at again.
    ///
    /// Args:
    ///     running: The motion under way.
    ///     now: Time on it, s.
    ///
    /// Raises:
    ///     InputError: A path without time, a motion of other joints, or a time outside the motion.
    ///     PlanningError: `TrajectoryInCollision` with pair, distance, margin and the first time on `running` at which the margin
    ///         is missed; or the timeout of the planner.
    fn check_remaining(&self, py: Python<'_>, running: &Bound<'_, PyTrajectory>, now: Real) -> Result<()> {
        let (timed, planner, stop) = (running.get().as_timed()?, self.now(py)?, StopFlag::default());
        running.get().check_joints("running", planner.chain().joint_names())?;
        let control = planner.control(stop.clone());
        Ok(interruptible(py, &stop, || planner.check_remaining(timed, now.0, &control))??)
    }
}

impl PyPlanner {
    /// The planner of now, in its scene as others edit it.
    pub(crate) fn watching(&self, py: Python<'_>) -> Result<Planner> {
        let planner = self.now(py)?;
        Ok(match &self.scene {
            Some(scene) => planner.with_live_scene(scene.bind(py).get().live())?,
            None => planner,
        })
    }
}
