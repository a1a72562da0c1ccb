//! The loop.

use std::sync::Arc;

use kinetic_core::{Clock, Control, Goal, KineticError, PlannerConfig, Result, StopFlag, SystemClock, TimedTrajectory};
use kinetic_execution::{ExecutionResult, ExecutionState};
use kinetic_ik::CartesianPath;
use kinetic_planning::{CartesianConfig, Planner};
use kinetic_scene::LiveScene;

use super::config::{PlanExecuteConfig, RecoveryStrategy};
use super::destination::Destination;
use super::executor::{SupervisedExecutor, unknown_state};
use super::splice_search::SpliceSearch;
use super::supervision::{Replanning, Supervision};

/// How many times the budgets of a planner are those of its relaxed retry.
const RELAXED_BUDGETS: u32 = 4;

/// How a goal was reached.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanExecuteResult {
    /// The last motion, with its certificate.
    pub trajectory: TimedTrajectory,
    /// How it went.
    pub execution: ExecutionResult,
    /// Seconds of planning, holding and moving together: planning and holding on the clock of the loop, moving on that of the
    /// executor.
    pub total_duration: f64,
    /// Motions that followed the first one, those that were spliced in among them.
    pub replans: usize,
    /// Motions that the robot left for without coming to rest.
    pub splices: usize,
    /// Where the robot is measured to be, rad or m; without feedback, the last command.
    pub final_joints: Vec<f64>,
}

/// How a motion ended.
enum Outcome {
    /// At its end.
    Reached { execution: Box<ExecutionResult>, final_joints: Vec<f64> },
    /// Before; another one may follow.
    Left { cause: KineticError },
}

/// A motion that has ended: how, which was followed last, and the time on it at which it was left, s.
struct Ended {
    outcome: Outcome,
    trajectory: TimedTrajectory,
    time: f64,
}

/// What has happened on the way to a goal.
#[derive(Default)]
struct LoopTally {
    total_duration: f64,
    replans: usize,
    splices: usize,
}

/// Plans, executes, watches the scene and the feedback, and replans from the measured state.
///
/// ```
/// use std::sync::Arc;
///
/// use kinetic::prelude::*;
///
/// let planner = Planner::in_live_scene(&LiveScene::new(Scene::new(&Arc::new(Robot::from_name("ur5e")?))?))?;
/// let home = [0.0, -1.57, 0.0, -1.57, 0.0, 0.0];
/// let executor = DriverExecutor::simulated(ExecutionConfig::default(), &home)?;
/// let reached = PlanExecuteLoop::new(planner, executor).move_to(&Goal::named("ready"))?;
/// assert_eq!((reached.replans, reached.execution.verified), (0, true));
/// # Ok::<(), KineticError>(())
/// ```
pub struct PlanExecuteLoop<E> {
    planner: Planner,
    executor: E,
    config: PlanExecuteConfig,
    clock: Arc<dyn Clock>,
    stop: StopFlag,
    /// Where the robot stands, for executors that do not know.
    joints: Option<Vec<f64>>,
}

impl<E: SupervisedExecutor> PlanExecuteLoop<E> {
    /// A loop with the default options. The scene is watched where the planner is in a [`LiveScene`].
    pub fn new(planner: Planner, executor: E) -> Self {
        let (clock, stop) = (Arc::new(SystemClock::default()), StopFlag::default());
        Self { planner, executor, config: PlanExecuteConfig::default(), clock, stop, joints: None }
    }

    /// The same loop with other options.
    ///
    /// # Errors
    /// As [`PlanExecuteConfig::check`].
    pub fn with_config(self, config: PlanExecuteConfig) -> Result<Self> {
        config.check()?;
        Ok(Self { config, ..self })
    }

    /// The same loop on another clock, for planning, holding and the timeout.
    #[must_use]
    pub fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// The same loop with a flag that ends everything when it is raised: a search, a hold, and a motion by a stop along its path.
    #[must_use]
    pub fn with_stop_flag(self, stop: StopFlag) -> Self {
        Self { stop, ..self }
    }

    /// The same loop with a robot that stands at `joints` (rad or m), where the executor has no feedback.
    #[must_use]
    pub fn with_joints(self, joints: Vec<f64>) -> Self {
        Self { joints: Some(joints), ..self }
    }

    /// Where the robot was when it was last heard of, rad or m.
    pub fn joints(&self) -> Option<&[f64]> {
        self.joints.as_deref()
    }

    /// The options.
    pub fn config(&self) -> &PlanExecuteConfig {
        &self.config
    }

    /// Moves the robot to a goal, from where it is measured to be; it stands when this returns.
    ///
    /// # Errors
    /// Those of the planner and of the execution; [`KineticError::Aborted`] when the scene has changed more often than
    /// [`max_replans`](PlanExecuteConfig::max_replans) allows; [`KineticError::PlanningTimeout`] and
    /// [`KineticError::Cancelled`] when the time is over or the flag is raised; [`KineticError::InvalidValue`] when nobody knows
    /// where the robot is.
    pub fn move_to(&mut self, goal: &Goal) -> Result<PlanExecuteResult> {
        self.go(Destination::Goal(goal.clone()))
    }

    /// Moves the tool along a path, from where it is measured to be, as
    /// [`plan_cartesian`](kinetic_planning::Planner::plan_cartesian) does; it stands when this returns.
    ///
    /// After a stop on the way the tool goes along [what is left](CartesianPath::remaining_from) of the path, and never around an
    /// obstacle: with [`RecoveryStrategy::Hold`] it waits until the path is free. The robot does not leave the path for another
    /// motion: [`Splice`](super::ReplanStrategy::Splice) is [`Deferred`](super::ReplanStrategy::Deferred) here.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use kinetic::prelude::*;
    ///
    /// let planner = Planner::in_live_scene(&LiveScene::new(Scene::new(&Arc::new(Robot::from_name("ur5e")?))?))?;
    /// let ready = [0.3, -1.2, 1.6, -2.0, -1.5, 0.1];
    /// let executor = DriverExecutor::simulated(ExecutionConfig::default(), &ready)?;
    /// let down = CartesianPath::new().move_by(Pose::from_xyz(0.0, 0.0, -0.1), MoveFrame::Base);
    /// let config = CartesianConfig::default();
    /// let reached = PlanExecuteLoop::new(planner, executor).move_cartesian(&down, &config)?;
    /// assert_eq!(reached.replans, 0);
    /// # Ok::<(), KineticError>(())
    /// ```
    ///
    /// # Errors
    /// As [`move_to`](Self::move_to), those of [`plan_cartesian`](kinetic_planning::Planner::plan_cartesian), and
    /// [`KineticError::CartesianPathIncomplete`] where the path cannot be followed to its end: the tool does not begin.
    pub fn move_cartesian(&mut self, path: &CartesianPath, config: &CartesianConfig) -> Result<PlanExecuteResult> {
        self.go(Destination::along(path, config))
    }

    fn go(&mut self, mut destination: Destination) -> Result<PlanExecuteResult> {
        let control = Control::new(Arc::clone(&self.clock), self.config.timeout, u64::MAX, self.stop.clone());
        let mut tally = LoopTally::default();
        loop {
            let began = self.clock.now();
            let (trajectory, revision) = self.plan(&mut destination, &control, &control.stop_flag())?;
            tally.total_duration += self.clock.now() - began;
            let replanning = self.replanning(&destination, &tally);
            let ended = self.carry_out((trajectory, revision), replanning, &control, &mut tally)?;
            let Ended { outcome, trajectory, time } = ended;
            let cause = match outcome {
                Outcome::Reached { execution, final_joints } => {
                    let (execution, LoopTally { total_duration, replans, splices }) = (*execution, tally);
                    return Ok(PlanExecuteResult {
                        trajectory,
                        execution,
                        total_duration,
                        replans,
                        splices,
                        final_joints,
                    });
                }
                Outcome::Left { cause } => cause,
            };
            control.check(0)?;
            if tally.replans >= self.config.max_replans {
                return Err(cause);
            }
            destination.stopped_at(&self.planner, time)?;
            tally.replans += 1;
        }
    }

    /// How the next motion is left where it becomes blocked.
    fn replanning(&self, destination: &Destination, tally: &LoopTally) -> Replanning {
        let search = destination.goal().map(|goal| SpliceSearch {
            planner: self.planner.clone(),
            goal: goal.clone(),
            time_law: self.config.time_law.clone(),
            clock: Arc::clone(&self.clock),
        });
        let splices = self.config.max_replans.saturating_sub(tally.replans);
        Replanning { strategy: self.config.replan, latency: self.config.latency, splices, search }
    }

    /// Carries a motion out while the scene is watched; answers with the motion that was followed last.
    fn carry_out(
        &mut self,
        (trajectory, revision): (TimedTrajectory, u64),
        replanning: Replanning,
        control: &Control,
        tally: &mut LoopTally,
    ) -> Result<Ended> {
        let (clock, stop) = (Arc::clone(&self.clock), control.stop_flag());
        let supervision = Supervision::new(&self.planner, trajectory, replanning, clock, &stop, revision);
        let (executed, supervision) = supervision.run(&mut self.executor);
        let final_joints = self.remember(executed.as_ref().ok());
        tally.total_duration +=
            executed.as_ref().map_or_else(|_| supervision.elapsed(), |execution| execution.actual_duration);
        tally.replans += supervision.splices();
        tally.splices += supervision.splices();
        let outcome = outcome(executed, final_joints, &supervision, control)?;
        Ok(Ended { outcome, trajectory: supervision.active_trajectory(), time: supervision.time() })
    }

    /// Keeps where the robot stands after a motion.
    fn remember(&mut self, execution: Option<&ExecutionResult>) -> Option<Vec<f64>> {
        let measured = self.executor.measured_positions();
        let joints = measured.or_else(|| execution.map(|execution| execution.final_positions.clone()));
        self.joints = joints.clone().or_else(|| self.joints.take());
        joints
    }

    /// A motion from where the robot stands, and the revision of the scene before it was planned.
    fn plan(
        &mut self,
        destination: &mut Destination,
        control: &Control,
        stop: &StopFlag,
    ) -> Result<(TimedTrajectory, u64)> {
        let start = self.executor.measured_positions().or_else(|| self.joints.clone()).ok_or_else(unknown_state)?;
        let mut has_relaxed = false;
        let mut planner = self.planner.clone();
        loop {
            control.check(0)?;
            let revision = self.planner.live_scene().map_or(0, LiveScene::revision);
            let error = match self.plan_once(&planner, &start, destination, stop) {
                Ok(trajectory) => return Ok((trajectory, revision)),
                Err(error) => error,
            };
            control.check(0)?;
            match (self.config.recovery, self.planner.live_scene()) {
                (RecoveryStrategy::Hold, Some(live)) if !error.is_input_error() => {
                    if live.wait_for_change(revision, control).is_none() {
                        return Err(control.error(0));
                    }
                }
                (RecoveryStrategy::RelaxedRetry, _) if !has_relaxed && error.is_retryable() => {
                    has_relaxed = true;
                    planner = relaxed(&self.planner)?;
                }
                _ => return Err(error),
            }
        }
    }

    /// One search, within the budgets of the planner.
    fn plan_once(
        &self,
        planner: &Planner,
        start: &[f64],
        destination: &mut Destination,
        stop: &StopFlag,
    ) -> Result<TimedTrajectory> {
        let PlannerConfig { timeout, max_iterations, .. } = *planner.config();
        let control = Control::new(Arc::clone(&self.clock), timeout, max_iterations, stop.clone());
        destination.plan(planner, start, &self.config.time_law, &control)
    }
}

/// What the end of an execution means for the loop.
fn outcome(
    executed: Result<ExecutionResult>,
    final_joints: Option<Vec<f64>>,
    supervision: &Supervision,
    control: &Control,
) -> Result<Outcome> {
    match (executed, final_joints) {
        (Ok(execution), Some(final_joints)) if execution.state == ExecutionState::Completed => {
            Ok(Outcome::Reached { execution: Box::new(execution), final_joints })
        }
        (Ok(_), _) if supervision.is_blocked() => {
            let reason = "the scene has blocked the motion once more than max_replans allows".to_owned();
            Ok(Outcome::Left { cause: KineticError::Aborted { reason } })
        }
        (Ok(_), _) => {
            let reason = "the motion was stopped by somebody else".to_owned();
            Err(control.check(0).err().unwrap_or(KineticError::Aborted { reason }))
        }
        // The robot has stopped elsewhere than it should be, and says where.
        (Err(cause @ KineticError::DeviationExceeded { .. }), Some(_)) => Ok(Outcome::Left { cause }),
        // It has stopped on its path.
        (Err(cause @ KineticError::Aborted { .. }), Some(_)) if supervision.has_missed_a_splice() => {
            Ok(Outcome::Left { cause })
        }
        (Err(error), _) => Err(error),
    }
}

/// The same planner with another seed and larger budgets.
fn relaxed(planner: &Planner) -> Result<Planner> {
    let config = planner.config();
    planner.clone().with_config(PlannerConfig {
        seed: config.seed.wrapping_add(1),
        timeout: config.timeout * f64::from(RELAXED_BUDGETS),
        max_iterations: config.max_iterations.saturating_mul(u64::from(RELAXED_BUDGETS)),
        ..config.clone()
    })
}

impl<E> std::fmt::Debug for PlanExecuteLoop<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlanExecuteLoop").field("config", &self.config).finish_non_exhaustive()
    }
}
