//! Servo: an arm that follows commands while they come, and is always able to stop.
//!
//! Each tick turns the last command into the next state of the joints. What is promised of every tick:
//!
//! - velocity, acceleration, jerk and position limits hold at every instant, between ticks too: the state moves along the
//!   fastest motion that jerk allows towards what is wanted ([`StateToState`]);
//! - from the state that it leads to, the fastest stop is proven to keep the stop distance to everything, by the same
//!   continuous collision check that plans are certified with. Otherwise less of what is wanted is tried, and then the stop
//!   that was proven a tick before. So an arm does not touch a world that stands still. What is commanded late is reached
//!   late, on the same path; an error of tracking is part of the proof
//!   ([`tracking_error`](ServoConfig::tracking_error)); so are obstacles with a declared
//!   [speed](ServoConfig::obstacle_speed).
//!
//! The scene is a [`LiveScene`]: edits are seen by the next tick.

mod access;
mod braking;
mod chunks;
mod command;
mod config;
mod emergency;
mod filters;
mod guard;
mod held_axes;
mod joint_pursuit;
mod motion;
mod output;
mod pursuit;
mod setup;
mod singularity_escape;
mod state;
mod tick;
mod tool;
mod trajectory;

use std::sync::Arc;

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, Pair, Pose, Result, TimedTrajectory, Twist};
use kinetic_ik::tasks::TaskProblem;
use kinetic_robot::Robot;

use crate::differential_ik::{TaskCommand, TwistCommand, TwistFrame, VelocityOutcome};
use crate::filter::CommandFilter;
pub(crate) use access::ROOM_FOR_PROOFS_M;
use command::{CommandKind, LastCommand};
pub use config::ServoConfig;
use filters::CommandFilters;
use guard::Guard;
use held_axes::HeldAxes;
use motion::Motions;
pub use output::{ServoOutput, ServoStatus};
use tick::share_of_way;
use tool::Tool;
use trajectory::TrajectoryFollower;

/// Steers the joints of a planning group.
///
/// ```
/// use std::sync::Arc;
/// use kinetic_robot::Robot;
/// use kinetic_scene::{LiveScene, Scene};
/// use kinetic_reactive::{Servo, ServoConfig};
///
/// let scene = LiveScene::new(Scene::new(&Arc::new(Robot::from_name("ur5e")?))?);
/// let mut servo = Servo::new(scene, None, ServoConfig::teleop())?;
/// servo.set_state(&[0.0, -1.57, 1.57, 0.0, 1.57, 0.0], &[0.0; 6])?;
/// servo.jog(&[0.2, 0.0, 0.0, 0.0, 0.0, 0.0])?;
/// for _ in 0..100 {
///     servo.tick()?;
/// }
/// assert!(servo.output().state.positions[0] > 0.0);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
pub struct Servo {
    config: ServoConfig,
    guard: Guard,
    motions: Motions,
    tool: Tool,
    command: LastCommand,
    filters: CommandFilters,
    trajectory: TrajectoryFollower,
    held_axes: HeldAxes,
    output: ServoOutput,
    /// Whether a state was set.
    is_placed: bool,
    /// Ticks since the servo was made.
    num_ticks: u64,
    /// For how many ticks a singularity has taken all of the command.
    halted_ticks: u64,
    /// What besides distances keeps the tick from its command.
    kept_by: Option<ServoStatus>,
    /// Whether a joint is to go beyond its range.
    is_at_bound: bool,
    /// Whether the fastest stop from the present state is proven in the scene as it is.
    has_stop: bool,
}

impl Servo {
    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.motions.dof()
    }

    /// The robot.
    pub fn robot(&self) -> &Arc<Robot> {
        self.tool.robot()
    }

    /// Options.
    pub fn config(&self) -> &ServoConfig {
        &self.config
    }

    /// Where the joints are, how fast, and how much of it was wanted: the answer of the last tick.
    pub fn output(&self) -> &ServoOutput {
        &self.output
    }

    /// Begins at a state without acceleration, which the arm has or is measured to have. The last command is forgotten.
    ///
    /// A state outside limits, or closer to something than the stop distance, is no error: motion may lead back.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`], or [`KineticError::StartInCollision`] for a state in
    /// contact; the servo is then as before.
    pub fn set_state(&mut self, positions: &[f64], velocities: &[f64]) -> Result<()> {
        let dof = self.dof();
        check_len("positions", positions.len(), dof)?;
        check_len("velocities", velocities.len(), dof)?;
        check_finite("positions", positions)?;
        check_finite("velocities", velocities)?;
        self.guard.follow_scene()?;
        self.guard.check_contact(positions)?;
        let state = &mut self.output.state;
        state.positions.copy_from_slice(positions);
        state.velocities.copy_from_slice(velocities);
        state.accelerations.fill(0.0);
        self.command.begin(CommandKind::Stand);
        self.filters.forget();
        self.held_axes.forget();
        self.tool.forget_escape();
        (self.is_placed, self.has_stop) = (true, false);
        Ok(())
    }

    /// Commands velocities of all joints, rad/s or m/s. Larger ones than the limits are made smaller, all by the same factor.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`]; the last command then goes on.
    pub fn jog(&mut self, velocities: &[f64]) -> Result<()> {
        check_len("joint velocities", velocities.len(), self.dof())?;
        check_finite("joint velocities", velocities)?;
        let factor = self.motions.factor_inside_limits(velocities);
        for (own, velocity) in self.command.velocities.iter_mut().zip(velocities) {
            *own = factor * velocity;
        }
        self.command.begin(CommandKind::JointJog);
        Ok(())
    }

    /// Commands the velocity of one joint, the others stand.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a joint that there is not, [`KineticError::NotFinite`].
    pub fn jog_joint(&mut self, joint: usize, velocity: f64) -> Result<()> {
        if joint >= self.dof() {
            let wanted = format!("the index of one of {} joints", self.dof());
            return Err(KineticError::invalid("joint", joint, wanted));
        }
        check_finite("joint velocity", &[velocity])?;
        self.command.velocities.fill(0.0);
        self.command.velocities[joint] = velocity * self.motions.factor_of_joint(joint, velocity);
        self.command.begin(CommandKind::JointJog);
        Ok(())
    }

    /// Commands positions for the end of the next tick, and velocities with which they go on from there: of a leader arm. Positions
    /// outside limits are met at the limit, velocities outside are cut.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`]; the last command then goes on.
    pub fn track_joints(&mut self, positions: &[f64], velocities: &[f64]) -> Result<()> {
        check_len("positions", positions.len(), self.dof())?;
        check_len("velocities", velocities.len(), self.dof())?;
        check_finite("positions", positions)?;
        check_finite("velocities", velocities)?;
        self.command.track(positions, velocities, self.config.period(), self.motions.limits());
        Ok(())
    }

    /// Commands a velocity of the tool: m/s and rad/s at its origin, along the axes of a frame. Components that `position_mask` and
    /// `rotation_mask` leave out are free. The tool does not drift along components that are zero: it is held to where it came to rest
    /// along them, linear components as long as the axes do not turn, the rotation where all of it is zero.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`]; [`KineticError::InvalidValue`] for no components or a link that there is not;
    /// [`KineticError::ChainExtraction`] for a group without one tool. The last command then goes on.
    pub fn twist(&mut self, command: &TwistCommand<'static>) -> Result<()> {
        if command.num_rows() == 0 {
            return Err(KineticError::invalid("components of the twist", "none", "at least one"));
        }
        self.tool.check(&self.output.state.positions, command)?;
        self.command.twist = *command;
        self.command.begin(CommandKind::Twist);
        Ok(())
    }

    /// Commands the joint velocities that bring tasks about from where the arm is now: of several links, a gaze, a posture in the null
    /// space. Nothing near is approached faster than its distance allows. Targets are in the frame of the robot's root. To be given
    /// anew in every tick; evaluating tasks allocates.
    ///
    /// # Errors
    /// As [`task_velocities`](Self::task_velocities). The last command then goes on.
    pub fn track_tasks(&mut self, problem: &TaskProblem, gain: f64) -> Result<VelocityOutcome> {
        let mut velocities = vec![0.0; self.dof()];
        let outcome = self.task_velocities(problem, gain, &mut velocities)?;
        self.jog(&velocities)?;
        Ok(outcome)
    }

    /// The joint velocities that [`track_tasks`](Self::track_tasks) commands; commands nothing.
    ///
    /// # Errors
    /// As [`DifferentialIk::tasks`](crate::differential_ik::DifferentialIk::tasks), and [`KineticError::InvalidValue`] before a state
    /// is set.
    pub fn task_velocities(
        &mut self,
        problem: &TaskProblem,
        gain: f64,
        velocities: &mut [f64],
    ) -> Result<VelocityOutcome> {
        self.check_placed()?;
        self.see_scene()?;
        let Self { tool, guard, motions, output, num_ticks, .. } = self;
        let wish = TaskCommand::new(problem, gain);
        let limits = motions.accelerations();
        let outcome = tool.task_velocities(&output.state.positions, &wish, (guard, limits), *num_ticks, velocities)?;
        motions.want(velocities);
        motions.fit_to_arrive(gain * share_of_way(&outcome));
        velocities.copy_from_slice(motions.wanted());
        Ok(outcome)
    }

    /// Commands a pose of the tool, `base_from_tool`: it is approached straight, by
    /// [`pose_tracking_gain`](ServoConfig::pose_tracking_gain) times what is left per second.
    ///
    /// # Errors
    /// As [`twist`](Self::twist).
    pub fn track_pose(&mut self, base_from_tool: &Pose) -> Result<()> {
        base_from_tool.check_finite("target pose")?;
        let all = TwistCommand::new(Twist::default(), TwistFrame::Base);
        self.tool.check(&self.output.state.positions, &all)?;
        self.command.pose = *base_from_tool;
        self.command.begin(CommandKind::PoseTracking);
        Ok(())
    }

    /// Commands to follow a timed trajectory of the group's joints, from its start to its end. Where it begins elsewhere, the arm goes to
    /// its start first; where something is near or the trajectory is faster than the limits, its time slows with the arm, which stays on
    /// the path as far as limits let it. Every tick is proven as any other, so that an edit of the scene stops the arm, and it goes on
    /// when the way is free. Away from everything, the arm's own links included, a trajectory within nine tenths of the limits of
    /// acceleration and jerk is followed exactly.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] for another number of joints; [`KineticError::InvalidValue`] for a trajectory that names
    /// other joints, and before a state is [set](Self::set_state). The last command then goes on.
    pub fn follow_trajectory(&mut self, trajectory: TimedTrajectory) -> Result<()> {
        self.check_trajectory(&trajectory)?;
        self.check_placed()?;
        self.trajectory.begin(trajectory, &self.output.state);
        self.command.begin(CommandKind::Trajectory);
        Ok(())
    }

    /// How far along the trajectory that is followed the arm is, s; `None` when none is, or its end is reached.
    pub fn trajectory_time(&self) -> Option<f64> {
        let is_followed = self.command.kind == CommandKind::Trajectory && !self.trajectory.is_over(&self.output.state);
        is_followed.then(|| self.trajectory.time())
    }

    /// Takes filters of one's own in place of the one in the options: of joint velocities and positions (one number per joint),
    /// and of twists and poses (six: the twist, or position and rotation vector from the first pose). `None` filters nothing.
    pub fn set_filters(&mut self, joints: Option<Box<dyn CommandFilter>>, tool: Option<Box<dyn CommandFilter>>) {
        self.filters.replace(joints, tool);
    }

    /// Pose of the tool in the base of the group, `base_from_tool`; `None` for a group without one tool.
    pub fn tool_pose(&mut self) -> Option<Pose> {
        self.tool.pose(&self.output.state.positions)
    }

    /// Product of the singular values of the tool's Jacobian (Yoshikawa 1985).
    ///
    /// # Errors
    /// [`KineticError::ChainExtraction`] for a group without one tool.
    pub fn manipulability(&mut self) -> Result<f64> {
        self.tool.manipulability(&self.output.state.positions)
    }

    /// Commands to stop: the arm brakes and then stands.
    pub fn stop(&mut self) {
        self.command.begin(CommandKind::Stand);
    }

    /// The pair that was nearest where the last tick began; `None` when nothing was within the slowdown distance.
    pub fn nearest_pair(&self) -> Option<Pair> {
        self.guard.nearest().map(|pair| self.guard.names(pair))
    }
}
