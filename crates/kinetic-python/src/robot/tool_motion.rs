//! `Robot.tool_motion`: timed motion along lines of the tool with rounded corners.

use kinetic::core::{Limits, StopFlag};
use kinetic::kinematics::ToolPath;
use kinetic::kinematics::analytic::{Manipulator, TolerancePolicy};
use kinetic::planning::{ToolMotionOptions, tool_motion};
use pyo3::prelude::*;

use crate::convert::{Dict, PerJoint, PoseList, Real, Text, Vector};
use crate::error::Result;
use crate::interrupt::interruptible;
use crate::robot::PyRobot;
use crate::robot::kinematics::chain_at;
use crate::trajectory::PyTrajectory;
use crate::trajectory::timing::check_jerk_limits;

#[pymethods]
impl PyRobot {
    /// A timed motion in which the tool passes poses on straight lines, with rounded corners and without stops.
    ///
    /// Along a line the tool turns evenly about one axis. A corner begins and ends at most its radius away from the pose;
    /// position and rotation are twice continuously differentiable there, and the tool stays within 3/8 of the radius from
    /// the pose. A radius of 0 is a stop at the pose itself. Joint limits hold at every instant. Collisions are not looked
    /// at.
    ///
    /// Args:
    ///     poses: Poses of the tool in the group's base (N, 4, 4), or a list of them; at least two that differ.
    ///     blend_radius: One radius for all inner poses, or one for each (N - 2,), m; a corner takes half a line at most.
    ///     q_start: Where the arm stands, in the length of the group or of the robot, which also says where its other joints
    ///         stand; None for any configuration of the first pose.
    ///     velocity_limits: Largest speed, one number or one per joint; None for the robot's.
    ///     acceleration_limits: Likewise.
    ///     jerk_limits: Likewise, for laws that bound it.
    ///     profile: Name of the time law.
    ///     tolerance: Largest distance of the tool from its path, m; a rotation of 1 rad counts as 0.1 m.
    ///
    /// Returns:
    ///     A dict with `trajectory`, `deviation` (of the tool from its path, m) and `angle` (rad).
    ///
    /// Raises:
    ///     IKError: No continuous path of joints; the message says where, and what is in the way.
    ///     InputError: Wrong sizes, a radius that is negative, a tolerance that cannot be met, unknown names.
    ///
    /// Example:
    ///     >>> import numpy as np
    ///     >>> from kinetic import Robot
    ///     >>> robot = Robot("ur5e")
    ///     >>> q_start = robot.named_pose("home")
    ///     >>> poses = np.repeat(robot.fk(q_start)[None], 3, axis=0)
    ///     >>> poses[1, 2, 3] -= 0.1
    ///     >>> poses[2, :3, 3] += [0.0, 0.1, -0.1]
    ///     >>> motion = robot.tool_motion(poses, 0.03, q_start=q_start)
    ///     >>> motion["deviation"] < 1e-4
    ///     True
    #[pyo3(
        signature = (
            poses, blend_radius, *, q_start=None, velocity_limits=None, acceleration_limits=None, jerk_limits=None,
            profile=Text(kinetic::DEFAULT_TIME_LAW.to_owned()), tolerance=Real(1e-4)
        ),
        text_signature = "($self, poses, blend_radius, *, q_start=None, velocity_limits=None, \
                          acceleration_limits=None, jerk_limits=None, profile='totp', tolerance=0.0001)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn tool_motion<'py>(
        &self,
        py: Python<'py>,
        poses: PoseList,
        blend_radius: PerJoint,
        q_start: Option<Vector>,
        velocity_limits: Option<PerJoint>,
        acceleration_limits: Option<PerJoint>,
        jerk_limits: Option<PerJoint>,
        profile: Text,
        tolerance: Real,
    ) -> Result<Dict<'py>> {
        let model = self.model();
        check_jerk_limits(&profile, jerk_limits.as_ref())?;
        let (own, dof) = (model.robot.limits(model.group()), model.group().dof());
        let given = |values: Option<PerJoint>, own: Vec<f64>| values.map_or(own, |values| values.expand(dof));
        let limits = Limits {
            velocity: given(velocity_limits, own.velocity),
            acceleration: given(acceleration_limits, own.acceleration),
            jerk: jerk_limits.map(|jerk| jerk.expand(dof)).or(own.jerk),
        };
        let path = ToolPath::new(&poses.0, &blend_radius.expand(poses.0.len().saturating_sub(2)))?;
        let stop = StopFlag::default();
        let start = q_start.as_ref().map(|q| chain_at(&model, &q.0).map(|at| (q.0.len() != dof, at))).transpose()?;
        let options = ToolMotionOptions {
            start: start.as_ref().map(|(_, (_, short))| (&**short).into()),
            law: profile.0,
            tolerance: tolerance.0,
            stop: stop.clone(),
        };
        // With the robot's length, joints between base and tip may be held elsewhere.
        let held = start.as_ref().filter(|(is_whole, _)| *is_whole).map(|(_, (chain, _))| chain);
        let of_held =
            held.and_then(|chain| Manipulator::from_chain(chain.clone().into_owned(), TolerancePolicy::default()).ok());
        let (chain, closed_form) = match held {
            Some(chain) => (&**chain, of_held.as_ref()),
            None => (model.chain()?, model.closed_form().ok()),
        };
        let motion = interruptible(py, &stop, || tool_motion(closed_form, chain, &path, &limits, &options))??;
        let joint_names = chain.joint_names().to_vec();
        let trajectory = PyTrajectory { joint_names, ..PyTrajectory::timed(motion.trajectory) };
        let dict = Dict::new(py).with("trajectory", Bound::new(py, trajectory)?)?;
        Ok(dict.with("deviation", motion.deviation)?.with("angle", motion.angle)?)
    }
}
