//! `Servo`: an arm that follows commands while they come.

use std::sync::{Mutex, MutexGuard, TryLockError};

use kinetic::core::KineticError;
use kinetic::reactive::differential_ik::{TwistCommand, TwistFrame};
use kinetic::reactive::{Servo, ServoOutput};
use kinetic::scene::{LiveScene, Scene};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{Array, ChunkArg, Count, Dict, PoseArg, Real, Vector};
use crate::error::Result;
use crate::reactive::differential_ik::TwistArg;
use crate::reactive::keywords::{NEW_SERVO, SERVO_TWIST};
use crate::robot::argument::RobotArg;
use crate::scene::PyScene;
use crate::tasks::problem::PyTaskProblem;
use crate::trajectory::PyTrajectory;

/// Steers an arm by twists, poses and joints while it moves; from every command a stop is proven.
///
/// Velocity, acceleration, jerk and joint limits hold at every instant. A tick is taken only if the stop after it is proven, by
/// the continuous collision check, to keep `stop_distance`; otherwise less of the command is tried, and then the stop that was
/// proven before. Every `send_…` commands and moves for one period; `tick` moves on with the last command, until it is older
/// than `command_timeout`.
///
/// Args:
///     robot: A robot, or the name of a built-in one.
///     scene: What stands around it, as it is at every tick; None for nothing.
///     group: Planning group; None for the robot's selected one.
///     preset: "teleop" (500 Hz), "tracking" (200 Hz, closer to obstacles, gain 10) or "precise" (250 Hz, small steps); it says
///         what options have that are not given.
///     rate_hz: Ticks per second (500).
///     method: "qp" slides along what is in the way, "damped" keeps the direction ("qp").
///     singularity_threshold: Singular values of the Jacobian below it are damped (0.02).
///     singularity_damping: Damping at a singularity (0.05).
///     lockup_time: Time, s, after which a singularity that takes all of a command, and has no way out, is called a lock-up (1).
///     pose_tracking_gain: Part of the way to a pose that is covered per second, 1/s (5).
///     slowdown_distance: Distance to obstacles from which motion towards them slows down, m (0.15).
///     stop_distance: Distance to obstacles that every stop keeps, m (0.03); a margin that the scene states for a pair takes its
///         place.
///     self_slowdown_distance: As slowdown_distance, between links and attached bodies, m (0.01).
///     self_stop_distance: As stop_distance, between links and attached bodies, m (0.001).
///     velocity_limits: (dof,), rad/s or m/s; None for the robot's.
///     acceleration_limits: (dof,), rad/s² or m/s²; None for the robot's.
///     jerk_limits: (dof,), rad/s³ or m/s³; None for the robot's, or ten times the acceleration limits.
///     max_delta_per_tick: No joint moves farther in a tick, rad or m (0.02).
///     command_timeout: A command acts for this long, s (0.1); then the arm stops.
///     tracking_error: How far joints of the real arm may be from their commands, rad or m (0).
///     obstacle_speed: Largest speed of obstacles, m/s (0).
///     command_latency: Time until a command acts, s (0); it matters where obstacles move.
///     filter: Of twists, poses, joint velocities and positions ("none"): "exponential", "butterworth" or "one_euro".
///     filter_cutoff: Frequency above which commands are attenuated, Hz (5).
///     filter_beta: Of "one_euro": by how much the frequency rises with the speed of the command, Hz per unit per second (1).
///     filter_speed_cutoff: Of "one_euro": cut-off frequency of that speed, Hz (1).
///     blend_time: Time in which a chunk takes over from the one before, s (0.1).
///
/// Raises:
///     InputError: Unknown robots, groups, presets or methods, options outside their domain, the scene of another robot.
///
/// Example:
///     >>> from kinetic import Servo
///     >>> servo = Servo("ur5e")
///     >>> servo.set_state([0.0, -1.57, 1.57, 0.0, 1.57, 0.0])
///     >>> command = servo.send_twist([0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
///     >>> command["positions"].shape, command["status"]
///     ((6,), 'no_warning')
#[pyclass(frozen, module = "kinetic", name = "Servo")]
pub(crate) struct PyServo {
    servo: Mutex<Servo>,
}

impl PyServo {
    /// Held for a call. It is free unless a task that is a function of Python calls the servo that evaluates it.
    fn lock(&self) -> Result<MutexGuard<'_, Servo>> {
        match self.servo.try_lock() {
            Ok(servo) => Ok(servo),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                let wanted = "a call after the one that evaluates its tasks";
                Err(KineticError::invalid("servo", "in use", wanted).into())
            }
        }
    }

    /// Commands something, and moves for one period.
    fn send<'py>(
        &self,
        py: Python<'py>,
        command: impl FnOnce(&mut Servo) -> kinetic::core::Result<()>,
    ) -> Result<Dict<'py>> {
        let mut servo = self.lock()?;
        command(&mut servo)?;
        answer(py, servo.tick()?)
    }
}

#[pymethods]
impl PyServo {
    #[new]
    #[pyo3(
        signature = (robot, scene=None, **options),
        text_signature = "(robot, scene=None, *, group=None, preset=\"teleop\", rate_hz=None, method=None, \
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
        let options = NEW_SERVO.read(options)?;
        let config = options.config()?;
        let model = robot.handle(py)?.get().model();
        let group = options.group.as_ref().map_or_else(|| model.group().name.clone(), |group| group.0.clone());
        let scene = scene.map(|scene| scene.get().live().clone());
        let servo = py.detach(|| {
            let scene = scene.map_or_else(|| Scene::new(&model.robot).map(LiveScene::new), Ok)?;
            Servo::of_robot(&model.robot, scene, Some(&group), config)
        })?;
        Ok(Self { servo: Mutex::new(servo) })
    }

    /// Begins at a state that the arm has. The last command is forgotten.
    ///
    /// Args:
    ///     positions: (dof,), rad or m. Outside limits, or closer to something than the stop distance, motion leads back only.
    ///     velocities: (dof,), rad/s or m/s; None is rest.
    ///
    /// Raises:
    ///     InputError: Wrong sizes, NaN.
    ///     PlanningError: A state in contact (names the pair); the servo is then as before.
    #[pyo3(signature = (positions, velocities=None))]
    fn set_state(&self, positions: Vector, velocities: Option<Vector>) -> Result<()> {
        let velocities = velocities.map_or_else(|| vec![0.0; positions.0.len()], |velocities| velocities.0);
        Ok(self.lock()?.set_state(&positions.0, &velocities)?)
    }

    /// Commands a velocity of the tool, and moves for one period.
    ///
    /// Args:
    ///     twist: Velocity of the tool's origin, m/s, and angular velocity, rad/s (6,); or a `Twist`. Along linear components that are
    ///         zero the tool is held to where it came to rest, as long as the axes do not turn, and its rotation where all of it is.
    ///     frame: "base" (of the group), "tool", or the name of a link, along whose axes the twist is.
    ///     position_mask: Linear components that are commanded; others are free.
    ///     rotation_mask: Angular components that are commanded; others are free.
    ///
    /// Returns:
    ///     A dict: `positions`, `velocities`, `accelerations` (dof,) at the end of the period; `status`, what kept it from what was
    ///     wanted ("no_warning", "decelerate_for_collision", "halt_for_collision", "decelerate_for_singularity",
    ///     "halt_for_singularity", "singularity_lockup", "joint_bound", "decelerate_for_limits", "no_command", "emergency_stop");
    ///     `emergency_stop`, whether it is the last;
    ///     `exceeds_limits`, whether the tick exceeds the limits of jerk to stop; `scale`, the part of the wanted velocity;
    ///     `joint_deviations` (dof,), rad or m, and `tool_deviation` (2,), m and rad, how far it is from what chunks want;
    ///     `min_distance` and `min_self_distance`, m, to objects and between links, infinite beyond the slowdown distance.
    ///
    /// Raises:
    ///     InputError: Wrong sizes, NaN, unknown links, no components, a group without one tool, no state; the last command then
    ///         goes on.
    #[pyo3(
        signature = (twist, **options),
        text_signature = "($self, twist, *, frame=\"base\", position_mask=True, rotation_mask=True)"
    )]
    fn send_twist<'py>(
        &self,
        py: Python<'py>,
        twist: TwistArg,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<Dict<'py>> {
        let components = SERVO_TWIST.read(options)?;
        self.send(py, |servo| {
            servo.twist(&TwistCommand {
                frame: TwistFrame::by_name(servo.robot(), &components.frame.0)?,
                position_mask: components.position_mask.0,
                rotation_mask: components.rotation_mask.0,
                ..TwistCommand::new(twist.0, TwistFrame::Base)
            })
        })
    }

    /// Commands a pose of the tool in the base of the group (`Pose` or 4×4), and moves for one period towards it; answers as
    /// `send_twist`.
    fn track_pose<'py>(&self, py: Python<'py>, target: PoseArg) -> Result<Dict<'py>> {
        self.send(py, |servo| servo.track_pose(&target.0))
    }

    /// Commands the joint velocities that bring the tasks of a `TaskProblem` about from where the arm is now, and moves for one
    /// period. To be called in every period.
    ///
    /// Args:
    ///     problem: Tasks over the joints of the group, of several links, a gaze, a posture; at most two priority levels. Targets are in
    ///         the frame of the robot's root.
    ///     gain: Part of the errors that is to vanish per second, 1/s.
    ///
    /// Returns:
    ///     A dict as that of `send_twist`, and `achieved`, the part of what the first level wants that the velocities bring about.
    ///
    /// Raises:
    ///     InputError: Other joints, a base that moves, more than two levels, a gain outside (0, rate_hz], no state.
    #[pyo3(signature = (problem, gain=Real(5.0)), text_signature = "($self, problem, gain=5.0)")]
    fn track_tasks<'py>(&self, py: Python<'py>, problem: &Bound<'py, PyTaskProblem>, gain: Real) -> Result<Dict<'py>> {
        // Tasks may be functions of Python, which find the servo in use.
        let mut servo = self.lock()?;
        let mut velocities = vec![0.0; servo.dof()];
        // A function that raises must not have commanded anything.
        let outcome = problem.get().with_problem(|problem| servo.task_velocities(problem, gain.0, &mut velocities))?;
        servo.jog(&velocities)?;
        Ok(answer(py, servo.tick()?)?.with("achieved", outcome.achieved)?)
    }

    /// Commands the velocity of one joint, rad/s or m/s, and moves for one period; answers as `send_twist`.
    fn send_joint_jog<'py>(&self, py: Python<'py>, joint_index: Count, velocity: Real) -> Result<Dict<'py>> {
        self.send(py, |servo| servo.jog_joint(joint_index.0, velocity.0))
    }

    /// Commands velocities of all joints (dof,), rad/s or m/s, and moves for one period; answers as `send_twist`.
    fn send_joint_velocities<'py>(&self, py: Python<'py>, velocities: Vector) -> Result<Dict<'py>> {
        self.send(py, |servo| servo.jog(&velocities.0))
    }

    /// Commands positions of all joints (dof,) for the end of the period, and the velocities with which they go on from there
    /// (None: they stand), and moves for one period; answers as `send_twist`.
    #[pyo3(signature = (positions, velocities=None))]
    fn track_joints<'py>(&self, py: Python<'py>, positions: Vector, velocities: Option<Vector>) -> Result<Dict<'py>> {
        let velocities = velocities.map_or_else(|| vec![0.0; positions.0.len()], |velocities| velocities.0);
        self.send(py, |servo| servo.track_joints(&positions.0, &velocities))
    }

    /// Commands an action chunk, as learned policies give them: targets ahead. `tick` moves.
    ///
    /// Natural cubic splines lie between the targets. A chunk that comes while another one is followed takes over at its first
    /// time, or now if that is past, along a blend of `blend_time` seconds. After the last time the arm stops. Where the limits
    /// do not allow to be where the chunk wants, the arm catches up with it.
    ///
    /// Args:
    ///     chunk: Joint positions (n, dof), or poses of the tool in the base of the group (n, 4, 4), also a sequence of `Pose`.
    ///     times: (n,), growing, s in the `time` of the servo.
    ///
    /// Raises:
    ///     InputError: Wrong sizes, NaN, times that do not grow, a chunk that is over, poses for a group without one tool; the last
    ///         command then goes on.
    fn stream(&self, chunk: ChunkArg, times: Vector) -> Result<()> {
        let mut servo = self.lock()?;
        match chunk {
            ChunkArg::Joints(positions) => servo.stream_joints(&positions, &times.0)?,
            ChunkArg::Poses(poses) => servo.stream_poses(&poses, &times.0)?,
        }
        Ok(())
    }

    /// Commands to follow a timed trajectory, from its start to its end. `tick` moves.
    ///
    /// Where it begins elsewhere, the arm goes to its start first. Where something is near or the trajectory is faster than the
    /// limits, its time slows with the arm, which stays on the path as far as limits let it; an edit of the scene stops the arm,
    /// and it goes on when the way is free. Away from everything, the arm's own links included, a trajectory within nine tenths of
    /// the limits of acceleration and jerk is followed exactly.
    ///
    /// Args:
    ///     trajectory: A `Trajectory` with times, of the joints of the group.
    ///
    /// Raises:
    ///     InputError: A path without times, other joints, no state; the last command then goes on.
    fn follow_trajectory(&self, trajectory: &Bound<'_, PyTrajectory>) -> Result<()> {
        Ok(self.lock()?.follow_trajectory(trajectory.get().as_timed()?.clone())?)
    }

    /// How far along the trajectory that is followed the arm is, s; None when none is, or its end is reached.
    #[getter]
    fn trajectory_time(&self) -> Result<Option<f64>> {
        Ok(self.lock()?.trajectory_time())
    }

    /// Moves for one period with the last command; answers as `send_twist`.
    fn tick<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        answer(py, self.lock()?.tick()?)
    }

    /// Commands to stop, and moves for one period; answers as `send_twist`.
    fn stop<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        self.send(py, |servo| {
            servo.stop();
            Ok(())
        })
    }

    /// Where the arm is.
    ///
    /// Returns:
    ///     A dict: `joint_positions`, `joint_velocities` (dof,); `ee_pose`, base_from_tool (4, 4), and `manipulability`, None for a
    ///     group without one tool; `near_singularity`, `near_collision`, `is_stopped`; `min_obstacle_distance`, m, infinite
    ///     beyond the slowdown distance; `nearest_pair`, the names of the two that have the least room, or None.
    fn state<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        let mut servo = self.lock()?;
        let (pose, output) = (servo.tool_pose(), servo.output().clone());
        let manipulability = servo.manipulability().ok();
        let pair = servo.nearest_pair();
        Ok(Dict::new(py)
            .with("joint_positions", Array::vector(py, &output.state.positions)?)?
            .with("joint_velocities", Array::vector(py, &output.state.velocities)?)?
            .with("ee_pose", pose.map(|pose| Array::pose(py, &pose)).transpose()?)?
            .with("manipulability", manipulability)?
            .with("near_singularity", output.status.is_singularity())?
            .with("near_collision", pair.is_some())?
            .with("is_stopped", output.state.velocities.iter().all(|velocity| velocity.abs() < 1e-9))?
            .with("min_obstacle_distance", output.min_distance)?
            .with("nearest_pair", pair.map(|pair| (pair.link, pair.other)))?)
    }

    /// Time of the servo, s: its ticks since it was made, times the period.
    #[getter]
    fn time(&self) -> Result<f64> {
        Ok(self.lock()?.time())
    }

    /// The options that act, by name: what was given, and what the preset says for the rest. Limits that are those of the robot
    /// are empty.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        let servo = self.lock()?;
        let config = servo.config();
        let mut options = Dict::new(py)
            .with("rate_hz", config.rate_hz)?
            .with("method", &config.method)?
            .with("velocity_limits", Array::vector(py, &config.velocity_limits)?)?
            .with("acceleration_limits", Array::vector(py, &config.acceleration_limits)?)?
            .with("jerk_limits", Array::vector(py, &config.jerk_limits)?)?
            .with("filter", &config.filter)?;
        for (name, value) in config.numbers() {
            options = options.with(name, value)?;
        }
        Ok(options)
    }

    /// Ticks per second.
    #[getter]
    fn rate_hz(&self) -> Result<f64> {
        Ok(self.lock()?.config().rate_hz)
    }

    /// Number of joints.
    #[getter]
    fn dof(&self) -> Result<usize> {
        Ok(self.lock()?.dof())
    }
}

/// The answer of a tick as a dict.
pub(crate) fn answer<'py>(py: Python<'py>, output: &ServoOutput) -> Result<Dict<'py>> {
    Ok(Dict::new(py)
        .with("positions", Array::vector(py, &output.state.positions)?)?
        .with("velocities", Array::vector(py, &output.state.velocities)?)?
        .with("accelerations", Array::vector(py, &output.state.accelerations)?)?
        .with("status", output.status.name())?
        .with("emergency_stop", output.status == kinetic::reactive::ServoStatus::EmergencyStop)?
        .with("exceeds_limits", output.exceeds_limits)?
        .with("scale", output.scale)?
        .with("joint_deviations", Array::vector(py, &output.joint_deviations)?)?
        .with("tool_deviation", Array::vector(py, &output.tool_deviation)?)?
        .with("min_distance", output.min_distance)?
        .with("min_self_distance", output.min_self_distance)?)
}
