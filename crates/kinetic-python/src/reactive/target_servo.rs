//! `TargetServo`: an arm that gets to targets, with a planner where it is stuck.

use std::sync::{Mutex, MutexGuard, PoisonError};

use kinetic::core::StopFlag;
use kinetic::reactive::{ServoTarget, TargetServo};
use kinetic::scene::{LiveScene, Scene};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{Dict, PoseArg, Vector};
use crate::error::Result;
use crate::interrupt::{interruptible, locked};
use crate::reactive::mpc::remaining;
use crate::reactive::servo::answer;
use crate::reactive::target_keywords::NEW_TARGET_SERVO;
use crate::robot::argument::RobotArg;
use crate::scene::PyScene;

/// Gets an arm to targets: by itself as long as it comes nearer, and along a plan where it does not.
///
/// Where the arm comes no nearer for `stuck_after` (a wall is between it and the target), it brakes, a planner finds the way, and the
/// servo follows it, each tick with its own proof of a stop; at the end the arm goes by itself again. Edits of the scene stop the arm
/// on a plan as anywhere, and it plans anew.
///
/// Args:
///     robot: A robot, or the name of a built-in one.
///     scene: What stands around it, as it is at every tick; None for nothing.
///     on_stuck: "plan", or "stop" to stand with the status "stuck" ("plan").
///     approach: How it goes by itself: "servo", straight, or "mpc", past what is in the way ("servo").
///     stuck_after: The arm is stuck when it comes no nearer for so long, s (0.5); with "mpc" for the time of its horizon longer.
///     progress: What counts as nearer, m; of joint targets rad or m (0.002).
///     position_tolerance: A target is reached within this distance, m; of joints rad or m (0.001).
///     rotation_tolerance: A target is reached within this angle, rad (0.005).
///     plan_clearance: Distance above the stop distance that plans keep where they can, m (0.01); else 1 mm.
///     plan_timeout: Time that a tick may spend on a plan, s (1).
///     max_plans: Plans per target and content of the scene (5).
///     horizon: Of "mpc" only, as for `Mpc`, and so up to limit_weight.
///     rotation_weight: What a turn of the tool by 1 rad counts, m (0.15).
///     seed: Seed of noise and plans (0).
///     group: As for `Servo`, and so the following. slowdown_distance is 0.06 unless it is given.
///
/// Raises:
///     InputError: As `Servo`; options outside their domain, and those of "mpc" without it.
///
/// Example:
///     >>> from kinetic import TargetServo
///     >>> servo = TargetServo("ur5e")
///     >>> servo.set_state([0.0, -1.57, 1.57, 0.0, 1.57, 0.0])
///     >>> servo.set_joint_target([0.2, -1.57, 1.57, 0.0, 1.57, 0.0])
///     >>> while servo.status == "approaching":
///     ...     command = servo.tick()
///     >>> servo.status
///     'reached'
#[pyclass(frozen, module = "kinetic", name = "TargetServo")]
pub(crate) struct PyTargetServo {
    servo: Mutex<TargetServo>,
}

impl PyTargetServo {
    /// For calls without the GIL; others wait by `locked`, since a tick that plans takes long.
    fn wait(&self) -> MutexGuard<'_, TargetServo> {
        self.servo.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyTargetServo {
    #[new]
    #[pyo3(
        signature = (robot, scene=None, **options),
        text_signature = "(robot, scene=None, *, on_stuck=\"plan\", approach=\"servo\", stuck_after=None, \
            progress=None, position_tolerance=None, rotation_tolerance=None, plan_clearance=None, plan_timeout=None, \
            max_plans=None, horizon=None, step=None, period=None, samples=None, spans=None, noise=None, \
            temperature=None, clearance=None, clearance_weight=None, smoothness_weight=None, limit_weight=None, \
            rotation_weight=None, seed=0, group=None, preset=\"teleop\", rate_hz=None, method=None, \
            singularity_threshold=None, singularity_damping=None, lockup_time=None, pose_tracking_gain=None, \
            slowdown_distance=None, stop_distance=None, self_slowdown_distance=None, self_stop_distance=None, \
            velocity_limits=None, acceleration_limits=None, jerk_limits=None, max_delta_per_tick=None, command_timeout=None, \
            tracking_error=None, obstacle_speed=None, command_latency=None, filter=None, filter_cutoff=None, \
            filter_beta=None, filter_speed_cutoff=None, blend_time=None)"
    )]
    fn __new__(
        py: Python<'_>,
        robot: RobotArg<'_>,
        scene: Option<&Bound<'_, PyScene>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> Result<Self> {
        let (target, (rollouts, shared), servo) = NEW_TARGET_SERVO.read(options)?;
        let config = target.config(&rollouts, &shared, &servo)?;
        let model = robot.handle(py)?.get().model();
        let group = servo.group.as_ref().map_or_else(|| model.group().name.clone(), |group| group.0.clone());
        let scene = scene.map(|scene| scene.get().live().clone());
        let servo = py.detach(|| {
            let scene = scene.map_or_else(|| Scene::new(&model.robot).map(LiveScene::new), Ok)?;
            TargetServo::of_robot(&model.robot, scene, Some(&group), &config)
        })?;
        Ok(Self { servo: Mutex::new(servo) })
    }

    /// Begins at a state that the arm has. The target is forgotten.
    ///
    /// Args:
    ///     positions: (dof,), rad or m.
    ///     velocities: (dof,), rad/s or m/s; None is rest.
    ///
    /// Raises:
    ///     InputError: Wrong sizes, NaN.
    ///     PlanningError: A state in contact (names the pair).
    #[pyo3(signature = (positions, velocities=None))]
    fn set_state(&self, py: Python<'_>, positions: Vector, velocities: Option<Vector>) -> Result<()> {
        let velocities = velocities.map_or_else(|| vec![0.0; positions.0.len()], |velocities| velocities.0);
        Ok(locked(py, &self.servo)?.set_state(&positions.0, &velocities)?)
    }

    /// Commands a pose of the tool in the base of the group (`Pose` or 4×4), until another target or `stop`.
    ///
    /// Raises:
    ///     InputError: NaN, a group without one tool; the last target then stays.
    fn set_target(&self, py: Python<'_>, pose: PoseArg) -> Result<()> {
        Ok(locked(py, &self.servo)?.set_target(&ServoTarget::Pose(pose.0))?)
    }

    /// Commands positions of the joints (dof,), until another target or `stop`.
    ///
    /// Raises:
    ///     InputError: Wrong sizes, NaN, joints outside their limits; the last target then stays.
    fn set_joint_target(&self, py: Python<'_>, positions: Vector) -> Result<()> {
        Ok(locked(py, &self.servo)?.set_target(&ServoTarget::Joints(positions.0))?)
    }

    /// Moves for one period of the servo; answers as `Servo.send_twist`. Where `plans_next`, it plans first, for `plan_timeout` at
    /// most, and the arm stands for this tick.
    ///
    /// Raises:
    ///     InputError: No state.
    ///     KeyboardInterrupt: Ctrl-C while it plans; the arm then stands, and the next tick plans again.
    fn tick<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        let output = if locked(py, &self.servo)?.plans_next() {
            let stop = StopFlag::default();
            interruptible(py, &stop, || self.wait().tick_until(&stop).cloned())??
        } else {
            py.detach(|| self.wait().tick().cloned())?
        };
        answer(py, &output)
    }

    /// Commands to stop: the arm brakes, and the target is forgotten.
    fn stop(&self, py: Python<'_>) -> Result<()> {
        locked(py, &self.servo)?.stop();
        Ok(())
    }

    /// "idle", "approaching", "braking", "following_plan", "reached" or "stuck".
    #[getter]
    fn status(&self, py: Python<'_>) -> Result<&'static str> {
        Ok(locked(py, &self.servo)?.status().name())
    }

    /// Why the arm gave up; None unless it is stuck. An edit of the scene makes it try again.
    #[getter]
    fn stuck_reason(&self, py: Python<'_>) -> Result<Option<String>> {
        Ok(locked(py, &self.servo)?.stuck_reason().map(ToString::to_string))
    }

    /// Number of plans that were made for the present target.
    #[getter]
    fn plans(&self, py: Python<'_>) -> Result<usize> {
        Ok(locked(py, &self.servo)?.plans())
    }

    /// Whether the next tick plans.
    #[getter]
    fn plans_next(&self, py: Python<'_>) -> Result<bool> {
        Ok(locked(py, &self.servo)?.plans_next())
    }

    /// As `Mpc.error`.
    fn error<'py>(&self, py: Python<'py>) -> Result<Option<Dict<'py>>> {
        let error = locked(py, &self.servo)?.error();
        error.map(|error| remaining(py, error)).transpose()
    }

    /// Ticks per second.
    #[getter]
    fn rate_hz(&self, py: Python<'_>) -> Result<f64> {
        Ok(locked(py, &self.servo)?.servo().config().rate_hz)
    }

    /// Number of joints.
    #[getter]
    fn dof(&self, py: Python<'_>) -> Result<usize> {
        Ok(locked(py, &self.servo)?.servo().dof())
    }
}
