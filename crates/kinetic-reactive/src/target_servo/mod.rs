//! An arm that gets to a target: by itself as long as it comes nearer, and along a plan where it does not.
//!
//! A [`Servo`](crate::Servo) stops before a wall, and an [`Mpc`](crate::Mpc) in a dead end: both are local. Where the arm comes no
//! nearer for [`stuck_after`](TargetServoConfig::stuck_after), it brakes, and a [planner](kinetic_planning::Planner) finds the way
//! from where it stands to the target. The servo follows that plan tick by tick, each with its own proof of a stop, so that edits
//! of the scene stop the arm on a plan as anywhere; it then plans anew. At the end of the plan it goes by itself again.

mod approach;
mod config;
mod handover;
mod progress;
mod status;

use std::collections::VecDeque;
use std::sync::Arc;

use kinetic_core::{KineticError, Result, StopFlag, TimedTrajectory};
use kinetic_robot::Robot;
use kinetic_scene::LiveScene;

use crate::servo::{Servo, ServoOutput};
use crate::target::{ServoTarget, TargetError};
use approach::Approacher;
pub use config::{Approach, OnStuck, TargetServoConfig};
use handover::Handover;
use progress::Progress;
pub use status::{StuckReason, TargetStatus};

/// What of the time of a plan counts as progress, s.
const PLAN_PROGRESS_S: f64 = 0.02;

/// Gets the arm of a planning group to targets.
///
/// ```
/// use std::sync::Arc;
/// use kinetic_core::{Pose, Shape};
/// use kinetic_reactive::{ServoTarget, TargetServo, TargetServoConfig, TargetStatus};
/// use kinetic_robot::Robot;
/// use kinetic_scene::{LiveScene, Scene};
///
/// let mut scene = Scene::new(&Arc::new(Robot::from_name("ur5e")?))?;
/// scene.add("wall", Shape::box_from_size(0.4, 0.02, 0.8)?, Pose::from_xyz(0.6, 0.0, 0.4))?;
/// let mut servo = TargetServo::new(LiveScene::new(scene), None, &TargetServoConfig::default())?;
/// servo.set_state(&[-0.8, -1.2, 1.8, -2.0, -1.57, 0.0], &[0.0; 6])?;
/// servo.set_target(&ServoTarget::Joints(vec![0.8, -1.2, 1.8, -2.0, -1.57, 0.0]))?;
/// for _ in 0..10_000 {
///     servo.tick()?;
///     if servo.status() == TargetStatus::Reached {
///         break;
///     }
/// }
/// assert_eq!(servo.status(), TargetStatus::Reached);
/// assert!(servo.plans() > 0);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
pub struct TargetServo {
    config: TargetServoConfig,
    arm: Approacher,
    handover: Option<Handover>,
    target: ServoTarget,
    status: TargetStatus,
    reason: Option<StuckReason>,
    /// Motions of the plan that are still to come.
    motions: VecDeque<TimedTrajectory>,
    progress: Progress,
    plans: usize,
    /// Of the scene, when the arm last began to try.
    revision: u64,
    rest: Vec<f64>,
}

impl TargetServo {
    /// For the joints of a planning group, of the robot's default group without a name. It follows edits of the scene. The state of
    /// the arm has to be [set](Self::set_state) before the first tick.
    ///
    /// # Errors
    /// As [`Servo::new`], and [`KineticError::InvalidValue`] for options outside their domain; with [`OnStuck::Plan`]
    /// [`KineticError::ChainExtraction`] for a group that is no chain, which no planner plans for.
    pub fn new(scene: LiveScene, group: Option<&str>, config: &TargetServoConfig) -> Result<Self> {
        Self::of_robot(&scene.robot(), scene, group, config)
    }

    /// The same for a version of the scene's robot with another tool or default group.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`KineticError::InvalidValue`] for the scene of another robot.
    pub fn of_robot(
        robot: &Arc<Robot>,
        scene: LiveScene,
        group: Option<&str>,
        config: &TargetServoConfig,
    ) -> Result<Self> {
        config.check()?;
        let arm = Approacher::new(robot, scene, group, &config.approach)?;
        let rest = vec![0.0; arm.servo().dof()];
        let plans = config.on_stuck == OnStuck::Plan;
        Ok(Self {
            handover: plans.then(|| Handover::new(arm.servo(), config)).transpose()?,
            config: config.clone(),
            arm,
            target: ServoTarget::Joints(rest.clone()),
            status: TargetStatus::Idle,
            reason: None,
            motions: VecDeque::new(),
            progress: Progress::new(),
            plans: 0,
            revision: 0,
            rest,
        })
    }

    /// The servo that every tick goes through.
    pub fn servo(&self) -> &Servo {
        self.arm.servo()
    }

    /// The same, to ask what it works out, or to command it while there is no target.
    pub fn servo_mut(&mut self) -> &mut Servo {
        self.arm.servo_mut()
    }

    /// What the arm does.
    pub fn status(&self) -> TargetStatus {
        self.status
    }

    /// Why it gave up; `None` unless it is [stuck](TargetStatus::Stuck).
    pub fn stuck_reason(&self) -> Option<&StuckReason> {
        self.reason.as_ref()
    }

    /// Number of plans that were made for the present target.
    pub fn plans(&self) -> usize {
        self.plans
    }

    /// Whether the next tick plans, so that it may last as long as [`plan_timeout`](TargetServoConfig::plan_timeout).
    pub fn plans_next(&self) -> bool {
        self.status == TargetStatus::Braking && self.arm.servo().is_standing()
    }

    /// How far the arm is from its target; `None` without one.
    pub fn error(&mut self) -> Option<TargetError> {
        (self.status != TargetStatus::Idle).then(|| self.measure())
    }

    fn measure(&mut self) -> TargetError {
        let pose = self.arm.servo_mut().tool_pose();
        self.target.error(pose.as_ref(), &self.arm.servo().output().state.positions)
    }

    /// Begins at a state, as [`Servo::set_state`]. The target is forgotten.
    ///
    /// # Errors
    /// As [`Servo::set_state`].
    pub fn set_state(&mut self, positions: &[f64], velocities: &[f64]) -> Result<()> {
        self.arm.set_state(positions, velocities)?;
        self.turn_to(TargetStatus::Idle);
        Ok(())
    }

    /// Commands a target, until another one or [`stop`](Self::stop).
    ///
    /// # Errors
    /// As [`Mpc::set_target`](crate::Mpc::set_target). The last target then stays.
    pub fn set_target(&mut self, target: &ServoTarget) -> Result<()> {
        self.arm.servo_mut().check_target(target)?;
        self.target.clone_from(target);
        self.plans = 0;
        self.approach()
    }

    /// Commands to stop: the arm brakes and then stands. The target is forgotten.
    pub fn stop(&mut self) {
        self.arm.stop();
        self.turn_to(TargetStatus::Idle);
    }

    /// Moves for one period of the servo. Where the arm has braked to plan, it plans first, within
    /// [`plan_timeout`](TargetServoConfig::plan_timeout), and stands for this tick.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] before a state is [set](Self::set_state).
    pub fn tick(&mut self) -> Result<&ServoOutput> {
        self.tick_until(&StopFlag::default())
    }

    /// As [`tick`](Self::tick), with a flag that ends a plan.
    ///
    /// # Errors
    /// As [`tick`](Self::tick), and [`KineticError::Cancelled`] when the flag was raised; the arm then stands, and the next tick
    /// plans again.
    pub fn tick_until(&mut self, stop: &StopFlag) -> Result<&ServoOutput> {
        match self.status {
            TargetStatus::Idle => {}
            TargetStatus::Approaching | TargetStatus::Reached => return self.approach_for_a_tick(),
            TargetStatus::Braking if self.plans_next() => self.plan(stop)?,
            TargetStatus::FollowingPlan => self.follow_plan()?,
            TargetStatus::Stuck if self.is_scene_edited() => self.try_again()?,
            TargetStatus::Braking | TargetStatus::Stuck => self.arm.servo_mut().stop(),
        }
        self.arm.servo_mut().tick()
    }

    fn turn_to(&mut self, status: TargetStatus) {
        self.status = status;
        (self.reason, self.progress) = (None, Progress::new());
        self.motions.clear();
    }

    fn give_up(&mut self, reason: StuckReason) {
        self.arm.stop();
        self.turn_to(TargetStatus::Stuck);
        self.reason = Some(reason);
    }

    fn is_scene_edited(&self) -> bool {
        self.revision != self.arm.servo().scene().revision()
    }

    /// Begins to go by itself.
    fn approach(&mut self) -> Result<()> {
        self.turn_to(TargetStatus::Approaching);
        self.revision = self.arm.servo().scene().revision();
        self.arm.begin(&self.target, &self.rest)
    }

    /// After an edit of the scene, with as many plans as before the first one.
    fn try_again(&mut self) -> Result<()> {
        self.plans = 0;
        self.approach()
    }

    fn approach_for_a_tick(&mut self) -> Result<&ServoOutput> {
        self.arm.tick(&self.target, &self.rest)?;
        let (error, config) = (self.measure(), &self.config);
        if error.is_within(config.position_tolerance, config.rotation_tolerance) {
            if self.status == TargetStatus::Approaching {
                self.turn_to(TargetStatus::Reached);
            }
            return Ok(self.arm.servo().output());
        }
        if self.status == TargetStatus::Reached {
            self.turn_to(TargetStatus::Approaching);
        }
        if self.arm.servo().is_leaving_singularity() {
            // The tool comes no nearer while the joints turn to where it can.
            return Ok(self.arm.servo().output());
        }
        let patience = self.config.stuck_after + self.config.approach.lookahead();
        let distance = distance(error, self.config.rotation_weight);
        if self.progress.note(distance, self.config.progress, self.arm.servo().config().period()) >= patience {
            self.handle_stuck();
        }
        Ok(self.arm.servo().output())
    }

    /// Brakes to plan, or gives up.
    fn handle_stuck(&mut self) {
        if self.is_scene_edited() {
            self.plans = 0;
            self.revision = self.arm.servo().scene().revision();
        }
        if self.handover.is_none() {
            return self.give_up(StuckReason::NoProgress);
        }
        if self.plans >= self.config.max_plans {
            return self.give_up(StuckReason::PlansUsed(self.plans));
        }
        self.arm.stop();
        self.turn_to(TargetStatus::Braking);
    }

    /// Plans from where the arm stands.
    fn plan(&mut self, stop: &StopFlag) -> Result<()> {
        self.arm.servo_mut().stop();
        let Some(handover) = &self.handover else { return Ok(()) };
        let outcome = handover.plan(self.arm.servo(), &self.target, stop);
        match outcome {
            Ok(motions) => {
                self.plans += 1;
                self.turn_to(TargetStatus::FollowingPlan);
                self.motions = motions.into();
            }
            Err(error @ KineticError::Cancelled { .. }) => return Err(error),
            Err(error) => self.give_up(StuckReason::NoPlan(error)),
        }
        Ok(())
    }

    /// Goes on with the plan; at its end the arm goes by itself, and where the servo comes no farther, it plans again.
    fn follow_plan(&mut self) -> Result<()> {
        let servo = self.arm.servo_mut();
        let Some(time) = servo.trajectory_time() else {
            let Some(motion) = self.motions.pop_front() else { return self.approach() };
            self.progress = Progress::new();
            return servo.follow_trajectory(motion);
        };
        let period = servo.config().period();
        if self.progress.note(-time, PLAN_PROGRESS_S, period) >= self.config.stuck_after {
            self.handle_stuck();
        }
        Ok(())
    }
}

/// How far a target is, as one number: m with turns of the tool by `rotation_weight` m per rad, of joints rad or m.
fn distance(error: TargetError, rotation_weight: f64) -> f64 {
    match error {
        TargetError::Pose { position, rotation } => position + rotation_weight * rotation,
        TargetError::Joints(error) => error,
    }
}
