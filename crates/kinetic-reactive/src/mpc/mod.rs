//! Model predictive control of an arm: many rollouts of its future are judged, fifty times per second, and the best of them is
//! what it does next.
//!
//! Model predictive path integral control (MPPI; Williams, Aldrich, Theodorou 2017, and Bhardwaj et al. 2021, "STORM", for arms).
//! A rollout is a spline of joint velocities that acceleration limits follow; the batch validity of the scene says where it would
//! have to stop. It looks a second or two ahead and so leaves obstacles aside that a [`Servo`](crate::Servo) halts at; it is local
//! all the same, and a wall that needs a longer way around is left to
//! a planner, which [`TargetServo`](crate::TargetServo) asks.
//!
//! From inside the stop distance (an obstacle came) it first goes where distances grow.
//!
//! What it finds is a wish: every tick of it is one of a [`Servo`](crate::Servo), limited in jerk, whose stop is proven.

mod config;
mod model;
mod obstacles;
mod optimizer;
mod rollout_target;
mod spline;
mod straight;

use std::sync::Arc;

use kinetic_core::Result;
use kinetic_robot::Robot;
use kinetic_scene::LiveScene;

use crate::servo::{ROOM_FOR_PROOFS_M, Servo, ServoOutput};
use crate::target::{ServoTarget, TargetError};
pub use config::MpcConfig;
use model::JointModel;
use obstacles::RolloutValidity;
use optimizer::{BestMotion, Optimizer};
use rollout_target::RolloutTarget;
use straight::StraightMotion;

/// Gets the arm of a planning group to targets, past obstacles that are in the way.
///
/// ```
/// use std::sync::Arc;
/// use kinetic_core::{Pose, Shape};
/// use kinetic_reactive::{Mpc, MpcConfig, ServoTarget};
/// use kinetic_robot::Robot;
/// use kinetic_scene::{LiveScene, Scene};
///
/// let mut scene = Scene::new(&Arc::new(Robot::from_name("ur5e")?))?;
/// scene.add("post", Shape::cuboid(0.03, 0.03, 0.6)?, Pose::from_xyz(0.5, 0.0, 0.3))?;
/// let mut mpc = Mpc::new(LiveScene::new(scene), None, &MpcConfig::default())?;
/// mpc.set_state(&[-0.8, -1.2, 1.8, -2.0, -1.57, 0.0], &[0.0; 6])?;
/// mpc.set_target(&ServoTarget::Joints(vec![0.8, -1.2, 1.8, -2.0, -1.57, 0.0]))?;
/// for _ in 0..100 {
///     mpc.tick()?;
/// }
/// assert!(mpc.error().is_some());
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
pub struct Mpc {
    servo: Servo,
    optimizer: Optimizer,
    goal: RolloutTarget,
    has_target: bool,
    best: BestMotion,
    /// Ticks in a period, and those since the last optimization.
    ticks_per_period: usize,
    ticks: usize,
    velocities: Vec<f64>,
}

impl Mpc {
    /// For the joints of a planning group, of the robot's default group without a name. It follows edits of the scene. The state of
    /// the arm has to be [set](Self::set_state) before the first tick.
    ///
    /// # Errors
    /// As [`Servo::new`], and [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for options outside their domain.
    pub fn new(scene: LiveScene, group: Option<&str>, config: &MpcConfig) -> Result<Self> {
        Self::of_robot(&scene.robot(), scene, group, config)
    }

    /// The same for a version of the scene's robot with another tool or default group.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`kinetic_core::KineticError::InvalidValue`] for the scene of another robot.
    pub fn of_robot(robot: &Arc<Robot>, scene: LiveScene, group: Option<&str>, config: &MpcConfig) -> Result<Self> {
        config.check()?;
        let servo = Servo::of_robot(robot, scene.clone(), group, config.servo.clone())?;
        let model = JointModel::new(servo.axis_limits(), servo.position_ranges(), config.step);
        let group = servo.group();
        let straight = StraightMotion::new(robot, group, servo.held(), config)?;
        let most = (config.samples + 1) * config.horizon;
        let validity = RolloutValidity::new(&scene, &group.name, servo.stop_margins(), config, most)?;
        let dof = servo.dof();
        Ok(Self {
            optimizer: Optimizer::new(config, model, straight, validity),
            goal: RolloutTarget::joints(&vec![0.0; dof]),
            has_target: false,
            best: BestMotion::Plan,
            ticks_per_period: config.ticks_per_period(),
            ticks: 0,
            velocities: vec![0.0; dof],
            servo,
        })
    }

    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.servo.dof()
    }

    /// The servo that every tick goes through: its options, its answer of the last tick and what is near.
    pub fn servo(&self) -> &Servo {
        &self.servo
    }

    /// The same, to ask what it works out, or to command it while there is no target.
    pub fn servo_mut(&mut self) -> &mut Servo {
        &mut self.servo
    }

    /// Begins at a state, as [`Servo::set_state`]. Target, plan and noise are forgotten.
    ///
    /// # Errors
    /// As [`Servo::set_state`].
    pub fn set_state(&mut self, positions: &[f64], velocities: &[f64]) -> Result<()> {
        self.servo.set_state(positions, velocities)?;
        self.optimizer.restart();
        (self.has_target, self.ticks) = (false, 0);
        Ok(())
    }

    /// Commands a target, until another one or [`stop`](Self::stop). The next optimization begins at the plan of before.
    ///
    /// # Errors
    /// [`DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch), [`NotFinite`](kinetic_core::KineticError::NotFinite);
    /// [`JointLimitViolation`](kinetic_core::KineticError::JointLimitViolation) for joints outside their limits;
    /// [`ChainExtraction`](kinetic_core::KineticError::ChainExtraction) for a pose and a group without one tool. The last target
    /// then stays.
    pub fn set_target(&mut self, target: &ServoTarget) -> Result<()> {
        self.servo.check_target(target)?;
        self.goal.set(target);
        if !self.has_target {
            (self.has_target, self.ticks) = (true, 0);
        }
        Ok(())
    }

    /// Commands to stop: the arm brakes and then stands. The plan is forgotten.
    pub fn stop(&mut self) {
        self.has_target = false;
        self.optimizer.restart();
        self.servo.stop();
    }

    /// How far the arm is from its target; `None` without one.
    pub fn error(&mut self) -> Option<TargetError> {
        if !self.has_target {
            return None;
        }
        let pose = self.servo.tool_pose();
        Some(self.goal.target().error(pose.as_ref(), &self.servo.output().state.positions))
    }

    /// Whether the arm now goes straight to its target, as a servo does by itself: that costs less than every rollout.
    pub fn goes_straight(&self) -> bool {
        self.has_target && self.best == BestMotion::Straight
    }

    /// Moves for one period of the servo. Where a period of this control begins, it optimizes first.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::InvalidValue`] before a state is [set](Self::set_state).
    pub fn tick(&mut self) -> Result<&ServoOutput> {
        if self.has_target && self.servo.is_placed() {
            if self.ticks == 0 {
                self.best = self.optimizer.optimize(&self.servo.output().state, &self.goal)?;
            }
            self.ticks += 1;
            let time = self.ticks as f64 * self.servo.config().period();
            self.command(time)?;
            if self.ticks >= self.ticks_per_period {
                self.optimizer.advance(time);
                self.ticks = 0;
            }
        }
        self.servo.tick()
    }

    /// Commands what the servo is to do `time` after the last optimization.
    fn command(&mut self, time: f64) -> Result<()> {
        match (self.best, self.goal.target()) {
            (BestMotion::Out, _) if self.servo.write_escape(2.0 * ROOM_FOR_PROOFS_M, &mut self.velocities) => {
                self.servo.jog(&self.velocities)
            }
            (BestMotion::Plan | BestMotion::Out, _) => {
                self.optimizer.velocities(time, &mut self.velocities);
                self.servo.jog(&self.velocities)
            }
            (BestMotion::Straight, ServoTarget::Pose(pose)) => self.servo.track_pose(pose),
            (BestMotion::Straight, ServoTarget::Joints(positions)) => {
                self.velocities.fill(0.0);
                self.servo.track_joints(positions, &self.velocities)
            }
        }
    }
}
