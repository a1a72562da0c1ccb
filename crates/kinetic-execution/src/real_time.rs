//! Execution on the wall clock.

mod claim;
mod threads;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kinetic_core::{Clock, Result, StopFlag, TimedTrajectory};

use crate::checks::{Prepared, invalid, prepare};
use crate::clock::MonotonicClock;
use crate::config::ExecutionConfig;
use crate::driver::{CommandSink, FeedbackSource, StopSink};
use crate::group_driver::{GroupDriver, joints_of};
use crate::handle::Handle;
use crate::progress::{Listener, Progress};
use crate::result::ExecutionResult;
use crate::simulated_clock::{Participant, SimulatedClock};
use crate::splicing::SpliceQueue;

/// Carries trajectories out on the wall clock, at a fixed rate on an absolute schedule; one at a time.
///
/// ```no_run
/// use kinetic_core::Trajectory;
/// use kinetic_execution::{DriverError, ExecutionConfig, ExecutionState, RealTimeExecutor};
/// use kinetic_trajectory::trapezoidal;
/// let path = Trajectory::from_waypoints(&[[0.0], [0.01]])?;
/// let config = ExecutionConfig { allow_unverified: true, ..ExecutionConfig::default() };
/// let executor = RealTimeExecutor::new(config)?;
/// let mut last = 0.0;
/// let mut driver = |positions: &[f64], _velocities: &[f64]| -> Result<(), DriverError> {
///     last = positions[0];
///     Ok(())
/// };
/// let result = executor.execute(&trapezoidal(&path, 1.0, 10.0)?, &mut driver)?;
/// assert_eq!((result.state, last), (ExecutionState::Completed, 0.01));
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Clone)]
pub struct RealTimeExecutor {
    config: ExecutionConfig,
    clock: Arc<dyn Clock>,
    simulated: Option<Arc<SimulatedClock>>,
    stop: StopFlag,
    stop_sink: Option<Arc<dyn StopSink>>,
    listener: Option<Listener>,
    splices: SpliceQueue,
    is_running: Arc<AtomicBool>,
}

impl RealTimeExecutor {
    /// An executor on the machine's clock.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`](kinetic_core::KineticError::InvalidValue) naming the field of the options.
    pub fn new(config: ExecutionConfig) -> Result<Self> {
        config.check()?;
        let (clock, stop) = (Arc::new(MonotonicClock::default()), StopFlag::default());
        let (splices, is_running) = (SpliceQueue::default(), Arc::default());
        Ok(Self { config, clock, simulated: None, stop, stop_sink: None, listener: None, splices, is_running })
    }

    /// The same executor on another clock. The thread of the commands and the watchdog's wait for it at the same time.
    #[must_use]
    pub fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, simulated: None, ..self }
    }

    /// The same executor on simulated time, in which its two threads take part: executions take no longer than their commands.
    #[must_use]
    pub fn with_simulated_clock(self, clock: Arc<SimulatedClock>) -> Self {
        let simulated = Some(Arc::clone(&clock));
        Self { clock, simulated, ..self }
    }

    /// The same executor with a flag that ends its executions when it is raised, by a stop along the path; before the first
    /// command with [`KineticError::Aborted`](kinetic_core::KineticError::Aborted).
    #[must_use]
    pub fn with_stop_flag(self, stop: StopFlag) -> Self {
        Self { stop, ..self }
    }

    /// The same executor with a second channel to the robot, for when the driver does not take commands.
    #[must_use]
    pub fn with_stop_sink(self, stop_sink: Arc<dyn StopSink>) -> Self {
        Self { stop_sink: Some(stop_sink), ..self }
    }

    /// The same executor with something to call after every command, which has to be quick.
    #[must_use]
    pub fn with_progress(self, listener: impl Fn(&Progress<'_>) + Send + Sync + 'static) -> Self {
        Self { listener: Some(Arc::new(listener)), ..self }
    }

    /// The same executor with splices for executions that are waited for.
    #[must_use]
    pub fn with_splices(self, splices: SpliceQueue) -> Self {
        Self { splices, ..self }
    }

    /// The options.
    pub fn config(&self) -> &ExecutionConfig {
        &self.config
    }

    /// True on [simulated time](Self::with_simulated_clock), which stands still while anything is worked out.
    pub fn is_on_simulated_time(&self) -> bool {
        self.simulated.is_some()
    }

    /// Carries a trajectory out, without feedback, and returns when it has ended.
    ///
    /// # Errors
    /// As [`execute_with_feedback`](Self::execute_with_feedback).
    pub fn execute(&self, trajectory: &TimedTrajectory, sink: &mut dyn CommandSink) -> Result<ExecutionResult> {
        self.run(trajectory, sink, None)
    }

    /// Carries a trajectory out and returns when it has ended and the driver has returned. Where the driver may not return,
    /// [`start`](Self::start) does not wait for it.
    ///
    /// # Errors
    /// [`KineticError::InvalidTrajectory`](kinetic_core::KineticError::InvalidTrajectory) before the first command, [`KineticError::InvalidValue`](kinetic_core::KineticError::InvalidValue) while another execution
    /// runs, and the errors of the [table](crate).
    pub fn execute_with_feedback(
        &self,
        trajectory: &TimedTrajectory,
        sink: &mut dyn CommandSink,
        feedback: &mut dyn FeedbackSource,
    ) -> Result<ExecutionResult> {
        self.run(trajectory, sink, Some(feedback))
    }

    /// Begins to carry a trajectory out, in a thread of its own, and answers with its handle.
    ///
    /// # Errors
    /// [`KineticError::InvalidTrajectory`](kinetic_core::KineticError::InvalidTrajectory), and [`KineticError::InvalidValue`](kinetic_core::KineticError::InvalidValue) while another execution runs. Faults after that
    /// are told by [`Handle::wait`].
    pub fn start(
        &self,
        trajectory: &TimedTrajectory,
        sink: Box<dyn CommandSink>,
        feedback: Option<Box<dyn FeedbackSource>>,
    ) -> Result<Handle> {
        let joint_names = sink.joint_names().to_vec();
        let prepared = self.prepare(trajectory, &joint_names, feedback.is_some())?;
        let joints = vec![(0..trajectory.dof()).collect()];
        let driver = GroupDriver { joint_names: joint_names.clone(), sink, feedback, stop_sink: None };
        self.spawn(trajectory, prepared, vec![driver], joints, joint_names)
    }

    /// Begins to carry out one trajectory of several groups, two arms, or an arm and a gripper, each with its own driver: in
    /// every cycle all drivers get their part of the same state, in the order in which they are given.
    ///
    /// They stop together: where a driver refuses a command, its robot is stopped through its stop sink, and the others stop on
    /// the path from the next cycle on; feedback that is lost or deviates stops all on the path; the watchdog, a panic and
    /// [stop sinks of the executor](Self::with_stop_sink) stop all at once. The speed is that of the slowest controller.
    ///
    /// The trajectory is verified where it was certified as a whole; one that was
    /// [stacked](kinetic_trajectory::stack) of parts is not.
    ///
    /// # Errors
    /// As [`start`](Self::start); [`KineticError::InvalidTrajectory`](kinetic_core::KineticError::InvalidTrajectory) for a joint without driver and a driver of other joints,
    /// [`KineticError::InvalidValue`](kinetic_core::KineticError::InvalidValue) for a joint of two drivers.
    pub fn start_together(&self, trajectory: &TimedTrajectory, drivers: Vec<GroupDriver>) -> Result<Handle> {
        let joints = joints_of(trajectory, &drivers)?;
        let joint_names = trajectory.joint_names().to_vec();
        let has_feedback = drivers.iter().all(|driver| driver.feedback.is_some());
        let prepared = self.prepare(trajectory, &joint_names, has_feedback)?;
        self.spawn(trajectory, prepared, drivers, joints, joint_names)
    }

    /// As [`start_together`](Self::start_together), and returns when it has ended and all drivers have returned.
    ///
    /// # Errors
    /// As [`start_together`](Self::start_together), and the errors of the [table](crate).
    pub fn execute_together(&self, trajectory: &TimedTrajectory, drivers: Vec<GroupDriver>) -> Result<ExecutionResult> {
        self.start_together(trajectory, drivers)?.join()
    }

    fn prepare(&self, trajectory: &TimedTrajectory, joint_names: &[String], has_feedback: bool) -> Result<Prepared> {
        if self.config.require_feedback && !has_feedback {
            return Err(invalid("feedback is required, and there is no source of it"));
        }
        prepare(trajectory, &self.config, joint_names)
    }

    fn participant(&self) -> Option<Participant> {
        self.simulated.as_ref().map(SimulatedClock::participate)
    }
}
