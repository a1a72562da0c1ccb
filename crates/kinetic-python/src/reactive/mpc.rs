//! `Mpc`: an arm that looks ahead.

use std::sync::{Mutex, MutexGuard, PoisonError};

use kinetic::reactive::{Mpc, ServoTarget, TargetError};
use kinetic::scene::{LiveScene, Scene};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::convert::{Dict, PoseArg, Vector};
use crate::error::Result;
use crate::reactive::servo::answer;
use crate::reactive::target_keywords::NEW_MPC;
use crate::robot::argument::RobotArg;
use crate::scene::PyScene;

/// Gets an arm to targets past what is in the way, by model predictive control with sampled rollouts (MPPI).
///
/// Fifty times per second it rolls out `samples` motions over the horizon, with smooth seeded noise around the plan of before, and
/// weighs them by how near they come to the target and by the batch validity of the scene. Every tick is one of a `Servo`: limited in
/// jerk, and taken only if the stop after it is proven. One of the rollouts is the servo's own motion straight to the target, which
/// takes over where it costs least.
///
/// Args:
///     robot: A robot, or the name of a built-in one.
///     scene: What stands around it, as it is at every tick; None for nothing.
///     horizon: Steps of a rollout (32).
///     step: Time of a step, s (0.05).
///     period: Time between two optimizations, s (0.02).
///     samples: Rollouts per optimization (64).
///     spans: Spans of the spline of velocities (6).
///     noise: Standard deviation of velocities, as a part of their limits (0.4).
///     temperature: How much worse rollouts may be to count, as a part of what the best one is better than the median (0.1).
///     clearance: Distance above the stop distance that rollouts are to keep, m (0.03).
///     clearance_weight: Cost of being closer all the time, m (0.1).
///     smoothness_weight: Cost of accelerating at the limits all the time, m (0.01).
///     limit_weight: Cost of a joint at the end of its range all the time, m (0.1).
///     rotation_weight: What a turn of the tool by 1 rad counts, m (0.15).
///     seed: Seed of the noise: the same seed gives the same motion (0).
///     group: As for `Servo`, and so the following. slowdown_distance is 0.06 unless it is given.
///
/// Raises:
///     InputError: As `Servo`; options outside their domain.
///
/// Example:
///     >>> from kinetic import Mpc
///     >>> mpc = Mpc("ur5e")
///     >>> mpc.set_state([0.0, -1.57, 1.57, 0.0, 1.57, 0.0])
///     >>> mpc.set_joint_target([0.2, -1.57, 1.57, 0.0, 1.57, 0.0])
///     >>> for _ in range(1000):
///     ...     command = mpc.tick()
///     >>> round(float(mpc.error()["joints"]), 3)
///     0.0
#[pyclass(frozen, module = "kinetic", name = "Mpc")]
pub(crate) struct PyMpc {
    mpc: Mutex<Mpc>,
}

impl PyMpc {
    /// Held for a tick, and never while Python code runs.
    fn lock(&self) -> MutexGuard<'_, Mpc> {
        self.mpc.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyMpc {
    #[new]
    #[pyo3(
        signature = (robot, scene=None, *positions, **options),
        text_signature = "(robot, scene=None, horizon=None, *, step=None, period=None, samples=None, spans=None, \
            noise=None, temperature=None, clearance=None, clearance_weight=None, smoothness_weight=None, \
            limit_weight=None, rotation_weight=None, seed=0, group=None, preset=\"teleop\", rate_hz=None, method=None, \
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
        positions: &Bound<'_, PyTuple>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> Result<Self> {
        let (rollouts, shared, servo) = NEW_MPC.read_with(positions, options)?;
        let config = rollouts.config(&shared, &servo)?;
        let model = robot.handle(py)?.get().model();
        let group = servo.group.as_ref().map_or_else(|| model.group().name.clone(), |group| group.0.clone());
        let scene = scene.map(|scene| scene.get().live().clone());
        let mpc = py.detach(|| {
            let scene = scene.map_or_else(|| Scene::new(&model.robot).map(LiveScene::new), Ok)?;
            Mpc::of_robot(&model.robot, scene, Some(&group), &config)
        })?;
        Ok(Self { mpc: Mutex::new(mpc) })
    }

    /// Begins at a state that the arm has. Target and plan are forgotten.
    ///
    /// Args:
    ///     positions: (dof,), rad or m.
    ///     velocities: (dof,), rad/s or m/s; None is rest.
    ///
    /// Raises:
    ///     InputError: Wrong sizes, NaN.
    ///     PlanningError: A state in contact (names the pair).
    #[pyo3(signature = (positions, velocities=None))]
    fn set_state(&self, positions: Vector, velocities: Option<Vector>) -> Result<()> {
        let velocities = velocities.map_or_else(|| vec![0.0; positions.0.len()], |velocities| velocities.0);
        Ok(self.lock().set_state(&positions.0, &velocities)?)
    }

    /// Commands a pose of the tool in the base of the group (`Pose` or 4×4), until another target or `stop`.
    ///
    /// Raises:
    ///     InputError: NaN, a group without one tool; the last target then stays.
    fn set_target(&self, pose: PoseArg) -> Result<()> {
        Ok(self.lock().set_target(&ServoTarget::Pose(pose.0))?)
    }

    /// Commands positions of the joints (dof,), until another target or `stop`.
    ///
    /// Raises:
    ///     InputError: Wrong sizes, NaN, joints outside their limits; the last target then stays.
    fn set_joint_target(&self, positions: Vector) -> Result<()> {
        Ok(self.lock().set_target(&ServoTarget::Joints(positions.0))?)
    }

    /// Moves for one period of the servo, and optimizes first where a period of this control begins; answers as
    /// `Servo.send_twist`.
    ///
    /// Raises:
    ///     InputError: No state.
    fn tick<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        let output = py.detach(|| self.lock().tick().cloned())?;
        answer(py, &output)
    }

    /// Commands to stop: the arm brakes, and target and plan are forgotten.
    fn stop(&self) {
        self.lock().stop();
    }

    /// How far the arm is from its target: a dict with `position`, m, and `rotation`, rad, or with `joints`, the largest of them; None
    /// without a target.
    fn error<'py>(&self, py: Python<'py>) -> Result<Option<Dict<'py>>> {
        let error = self.lock().error();
        error.map(|error| remaining(py, error)).transpose()
    }

    /// Whether the arm now goes straight to its target, as a servo does by itself.
    #[getter]
    fn goes_straight(&self) -> bool {
        self.lock().goes_straight()
    }

    /// Ticks per second.
    #[getter]
    fn rate_hz(&self) -> f64 {
        self.lock().servo().config().rate_hz
    }

    /// Number of joints.
    #[getter]
    fn dof(&self) -> usize {
        self.lock().dof()
    }
}

/// An error as a dict.
pub(crate) fn remaining(py: Python<'_>, error: TargetError) -> Result<Dict<'_>> {
    match error {
        TargetError::Pose { position, rotation } => {
            Ok(Dict::new(py).with("position", position)?.with("rotation", rotation)?)
        }
        TargetError::Joints(error) => Ok(Dict::new(py).with("joints", error)?),
    }
}
