//! Execution on the wall clock.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use kinetic_core::{Clock, KineticError, Result, StopFlag, TimedTrajectory};

use crate::checks::{Prepared, invalid, prepare};
use crate::clock::MonotonicClock;
use crate::config::ExecutionConfig;
use crate::cycle::{Cycle, Parts, Request};
use crate::driver::{CommandSink, FeedbackSource, StopSink};
use crate::handle::Handle;
use crate::progress::{Listener, Progress};
use crate::real_time_request::request;
use crate::result::ExecutionResult;
use crate::shared::Shared;
use crate::simulated_clock::{Participant, SimulatedClock};
use crate::watchdog::{Watchdog, stop};

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
    is_running: Arc<AtomicBool>,
}

impl RealTimeExecutor {
    /// An executor on the machine's clock.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field of the options.
    pub fn new(config: ExecutionConfig) -> Result<Self> {
        config.check()?;
        let (clock, stop) = (Arc::new(MonotonicClock::default()), StopFlag::default());
        Ok(Self { config, clock, simulated: None, stop, stop_sink: None, listener: None, is_running: Arc::default() })
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
    /// command with [`KineticError::Aborted`].
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
    /// [`KineticError::InvalidTrajectory`] before the first command, [`KineticError::InvalidValue`] while another execution
    /// runs, and the errors of the [table](crate).
    pub fn execute_with_feedback(
        &self,
        trajectory: &TimedTrajectory,
        sink: &mut dyn CommandSink,
        feedback: &mut dyn FeedbackSource,
    ) -> Result<ExecutionResult> {
        self.run(trajectory, sink, Some(feedback))
    }

    fn run(
        &self,
        trajectory: &TimedTrajectory,
        sink: &mut dyn CommandSink,
        feedback: Option<&mut dyn FeedbackSource>,
    ) -> Result<ExecutionResult> {
        let prepared = self.prepare(trajectory, sink, feedback.is_some())?;
        let _claims = self.claim(sink)?;
        let (_requests, received) = mpsc::channel();
        let shared = Shared::new(&prepared.playback.state().positions);
        let _participant = self.participant();
        let feedback = feedback.map(|feedback| feedback as &mut dyn FeedbackSource);
        let work = || self.carry_out(&shared, prepared, sink, feedback, received, |cycle| cycle.run());
        // A thread of its own: a priority that it is granted ends with it.
        let ended = thread::scope(|scope| scope.spawn(work).join());
        let (result, error) = ended.unwrap_or_else(|panic| resume_unwind(panic));
        error.map_or(Ok(result), Err)
    }

    /// Sends the commands from the calling thread, watched by another one; `run` runs the cycles.
    fn carry_out(
        &self,
        shared: &Shared,
        prepared: Prepared,
        sink: &mut dyn CommandSink,
        feedback: Option<&mut dyn FeedbackSource>,
        requests: mpsc::Receiver<Request>,
        run: impl FnOnce(Cycle<'_>) -> (ExecutionResult, Option<KineticError>),
    ) -> (ExecutionResult, Option<KineticError>) {
        // Before the watchdog counts: locking memory takes long.
        let realtime = request(self.config.real_time_priority);
        shared.begin(self.clock.now());
        thread::scope(|scope| {
            let watchdog = self.watchdog(shared);
            let watchdog = scope.spawn(move || watchdog.run());
            let _ending = Ending { executor: self, shared, watchdog: watchdog.thread().clone() };
            let (clock, config, stop) = (&*self.clock, &self.config, &self.stop);
            let (stop_sink, listener) = (self.stop_sink.as_deref(), self.listener.as_ref());
            let (feedback, requests) = (feedback.map(|feedback| feedback as &mut dyn FeedbackSource), &requests);
            let parts = Parts { clock, shared, config, stop, sink, feedback, stop_sink, requests, listener, realtime };
            run(Cycle::new(parts, prepared.playback, prepared.limits, prepared.is_verified))
        })
    }

    /// Begins to carry a trajectory out, in a thread of its own, and answers with its handle.
    ///
    /// # Errors
    /// [`KineticError::InvalidTrajectory`], and [`KineticError::InvalidValue`] while another execution runs. Faults after that
    /// are told by [`Handle::wait`].
    pub fn start(
        &self,
        trajectory: &TimedTrajectory,
        mut sink: Box<dyn CommandSink>,
        mut feedback: Option<Box<dyn FeedbackSource>>,
    ) -> Result<Handle> {
        let prepared = self.prepare(trajectory, &*sink, feedback.is_some())?;
        let claims = self.claim(&*sink)?;
        let joint_names = sink.joint_names().to_vec();
        let (requests, received) = mpsc::channel();
        let shared = Arc::new(Shared::new(&prepared.playback.state().positions));
        let (executor, theirs) = (self.clone(), Arc::clone(&shared));
        let participant = self.participant();
        let work = move || {
            let (claims, _participant) = (claims, participant);
            let source = feedback.as_deref_mut().map(|feedback| feedback as &mut dyn FeedbackSource);
            let run = |cycle: Cycle<'_>| {
                let partial = cycle.aborted();
                let run = catch_unwind(AssertUnwindSafe(|| cycle.run()));
                run.unwrap_or_else(|panic| {
                    executor.give_up(&theirs);
                    (partial, Some(panicked(&*panic)))
                })
            };
            let (result, error) = executor.carry_out(&theirs, prepared, &mut *sink, source, received, run);
            drop(claims);
            drop((sink, feedback));
            theirs.finish(result, error);
        };
        let thread = thread::Builder::new().name("kinetic-execution".to_owned()).spawn(work);
        let thread = thread.map_err(|error| KineticError::Aborted { reason: format!("no thread: {error}") })?;
        let (config, trajectory) = (self.config.clone(), trajectory.clone());
        Ok(Handle { shared, requests, config, joint_names, trajectory, thread: Some(thread) })
    }

    fn prepare(&self, trajectory: &TimedTrajectory, sink: &dyn CommandSink, has_feedback: bool) -> Result<Prepared> {
        if self.config.require_feedback && !has_feedback {
            return Err(invalid("feedback is required, and there is no source of it"));
        }
        prepare(trajectory, &self.config, sink.joint_names())
    }

    /// Takes the executor and the driver.
    fn claim(&self, sink: &dyn CommandSink) -> Result<[Claim; 2]> {
        let executor = Claim::take(Some(Arc::clone(&self.is_running)), "executor")?;
        Ok([executor, Claim::take(sink.in_use(), "driver")?])
    }

    /// Sends nothing more, and stops the robot through the second channel.
    fn give_up(&self, shared: &Shared) {
        if shared.block() {
            let action = self.config.watchdog.map(|watchdog| watchdog.action).unwrap_or_default();
            stop(self.stop_sink.as_deref(), action, shared);
        }
    }

    fn participant(&self) -> Option<Participant> {
        self.simulated.as_ref().map(SimulatedClock::participate)
    }

    fn watchdog<'a>(&'a self, shared: &'a Shared) -> Watchdog<'a> {
        Watchdog::new(shared, &*self.clock, self.participant(), self.stop_sink.as_deref(), &self.config)
    }
}

fn panicked(panic: &(dyn Any + Send)) -> KineticError {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    KineticError::Aborted { reason: format!("the driver panicked: {text}") }
}

/// Ends the watchdog; where the driver panics, stops the robot as well.
struct Ending<'a> {
    executor: &'a RealTimeExecutor,
    shared: &'a Shared,
    watchdog: thread::Thread,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.executor.give_up(self.shared);
        }
        self.shared.ended.stop();
        self.watchdog.unpark();
    }
}

/// A flag that is true while something is in use.
struct Claim(Option<Arc<AtomicBool>>);

impl Claim {
    fn take(flag: Option<Arc<AtomicBool>>, name: &str) -> Result<Self> {
        if flag.as_ref().is_some_and(|flag| flag.swap(true, Ordering::SeqCst)) {
            let wanted = "one that is free: an execution runs, which can be stopped, or spliced";
            return Err(KineticError::invalid(name, "one that is in use", wanted));
        }
        Ok(Self(flag))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some(flag) = &self.0 {
            flag.store(false, Ordering::SeqCst);
        }
    }
}
