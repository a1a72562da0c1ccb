//! What the loop moves the robot with.

use std::sync::{Arc, Mutex, PoisonError};

use kinetic_core::{KineticError, Result, StopFlag, TimedTrajectory};
use kinetic_execution::{
    CommandSink, DriverError, ExecutionConfig, ExecutionResult, FeedbackSource, Progress, RealTimeExecutor,
    SimulatedClock, SpliceQueue,
};

/// Is called after every command.
pub type ProgressListener = Arc<dyn Fn(&Progress<'_>) + Send + Sync>;

/// An executor that can be watched and stopped while it runs.
pub trait SupervisedExecutor: Send {
    /// Carries a trajectory out. `listener` is called after every command, and the robot stops along its path from the next
    /// cycle on once `stop` is raised.
    ///
    /// # Errors
    /// [`KineticError::InvalidTrajectory`] before the first command, and those of executions.
    fn execute(
        &mut self,
        trajectory: &TimedTrajectory,
        stop: &StopFlag,
        listener: ProgressListener,
    ) -> Result<ExecutionResult>;

    /// As [`execute`](Self::execute), and takes what is spliced in by `splices`. An executor that does not, which is what this
    /// does unless it is overwritten, stops where others would have left for another motion.
    ///
    /// # Errors
    /// As [`execute`](Self::execute).
    fn execute_with_splices(
        &mut self,
        trajectory: &TimedTrajectory,
        stop: &StopFlag,
        listener: ProgressListener,
        splices: &SpliceQueue,
    ) -> Result<ExecutionResult> {
        let _ = splices;
        self.execute(trajectory, stop, listener)
    }

    /// Where the robot is measured to be, rad or m, in the order of the commands; `None` when nobody knows.
    fn measured_positions(&mut self) -> Option<Vec<f64>>;

    /// True when time stands still while `listener` works, so that it may take long.
    fn is_simulated(&self) -> bool;
}

/// A [`RealTimeExecutor`] with its driver.
pub struct DriverExecutor {
    executor: RealTimeExecutor,
    sink: Box<dyn CommandSink>,
    feedback: Option<Box<dyn FeedbackSource>>,
    /// Is told before the loop is.
    own_listener: Option<ProgressListener>,
}

impl DriverExecutor {
    /// An executor with the driver of a robot. The listener and the stop flag of `executor` are replaced by those of the loop.
    ///
    /// Between motions the feedback says where the robot stands; without, it stands where it was last commanded to be.
    pub fn new(
        executor: RealTimeExecutor,
        sink: Box<dyn CommandSink>,
        feedback: Option<Box<dyn FeedbackSource>>,
    ) -> Self {
        Self { executor, sink, feedback, own_listener: None }
    }

    /// The same executor with a listener besides that of the loop, to which the same is told, before.
    #[must_use]
    pub fn with_progress(self, listener: ProgressListener) -> Self {
        Self { own_listener: Some(listener), ..self }
    }

    /// A robot that follows its commands exactly, on simulated time, and stands at `positions`.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming a field of the options.
    pub fn simulated(config: ExecutionConfig, positions: &[f64]) -> Result<Self> {
        let executor = RealTimeExecutor::new(config)?.with_simulated_clock(SimulatedClock::new());
        let commanded = Arc::new(Mutex::new(positions.to_vec()));
        let follower = Follower { commanded: Arc::clone(&commanded), positions: positions.to_vec() };
        let sink = move |positions: &[f64], _: &[f64]| -> std::result::Result<(), DriverError> {
            commanded.lock().unwrap_or_else(PoisonError::into_inner).copy_from_slice(positions);
            Ok(())
        };
        Ok(Self::new(executor, Box::new(sink), Some(Box::new(follower))))
    }
}

/// A robot that stands where it was commanded to be.
struct Follower {
    commanded: Arc<Mutex<Vec<f64>>>,
    positions: Vec<f64>,
}

impl FeedbackSource for Follower {
    fn read_positions(&mut self) -> Option<&[f64]> {
        self.positions.clone_from(&self.commanded.lock().unwrap_or_else(PoisonError::into_inner));
        Some(&self.positions)
    }
}

impl SupervisedExecutor for DriverExecutor {
    fn execute(
        &mut self,
        trajectory: &TimedTrajectory,
        stop: &StopFlag,
        listener: ProgressListener,
    ) -> Result<ExecutionResult> {
        self.execute_with_splices(trajectory, stop, listener, &SpliceQueue::default())
    }

    fn execute_with_splices(
        &mut self,
        trajectory: &TimedTrajectory,
        stop: &StopFlag,
        listener: ProgressListener,
        splices: &SpliceQueue,
    ) -> Result<ExecutionResult> {
        let own = self.own_listener.clone();
        let tell = move |progress: &Progress<'_>| {
            if let Some(own) = &own {
                own(progress);
            }
            listener(progress);
        };
        let executor = self.executor.clone().with_stop_flag(stop.clone()).with_progress(tell);
        let executor = executor.with_splices(splices.clone());
        match &mut self.feedback {
            Some(feedback) => executor.execute_with_feedback(trajectory, &mut *self.sink, &mut **feedback),
            None => executor.execute(trajectory, &mut *self.sink),
        }
    }

    fn measured_positions(&mut self) -> Option<Vec<f64>> {
        self.feedback.as_mut()?.read_positions().map(<[f64]>::to_vec)
    }

    fn is_simulated(&self) -> bool {
        self.executor.is_on_simulated_time()
    }
}

impl std::fmt::Debug for DriverExecutor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DriverExecutor").field("config", self.executor.config()).finish_non_exhaustive()
    }
}

/// The error of a robot of which nobody knows where it is.
pub(super) fn unknown_state() -> KineticError {
    KineticError::invalid("measured positions", "none", "a feedback that knows them, or PlanExecuteLoop::with_joints")
}
