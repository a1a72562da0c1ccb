//! The two threads of an execution: that of the commands, and the watchdog.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, mpsc};
use std::thread;

use kinetic_core::{KineticError, Result, TimedTrajectory};

use crate::checks::Prepared;
use crate::cycle::{Cycle, Parts, Request};
use crate::driver::{CommandSink, FeedbackSource};
use crate::group::Group;
use crate::group_driver::GroupDriver;
use crate::handle::Handle;
use crate::real_time::RealTimeExecutor;
use crate::real_time::claim::Claim;
use crate::real_time_request::request;
use crate::result::ExecutionResult;
use crate::shared::Shared;
use crate::splicing::SpliceContext;
use crate::stop_channels::StopChannels;
use crate::watchdog::Watchdog;

type Outcome = (ExecutionResult, Option<KineticError>);

/// Runs the cycles, of whatever lifetimes; a panic of a driver goes on.
fn run_cycles(cycle: Cycle<'_, '_>) -> Outcome {
    cycle.run()
}

impl RealTimeExecutor {
    /// Carries a trajectory out by one driver and returns when it has ended.
    pub(super) fn run(
        &self,
        trajectory: &TimedTrajectory,
        sink: &mut dyn CommandSink,
        feedback: Option<&mut dyn FeedbackSource>,
    ) -> Result<ExecutionResult> {
        let prepared = self.prepare(trajectory, sink.joint_names(), feedback.is_some())?;
        let _claims = self.claim([&*sink])?;
        let (requests, received) = mpsc::channel();
        let (config, joint_names, running) = (self.config.clone(), sink.joint_names().to_vec(), trajectory.clone());
        let _attached = self.splices.attach(SpliceContext { config, joint_names, running }, requests);
        let shared = Shared::new(&prepared.playback.state().positions);
        let _participant = self.participant();
        let joints: Vec<usize> = (0..trajectory.dof()).collect();
        let stops = StopChannels::new(self.stop_sink.clone(), std::iter::once((joints.clone(), None)));
        let work = || {
            let feedback = feedback.map(|feedback| feedback as &mut dyn FeedbackSource);
            let mut groups = [Group::new(joints, trajectory.joint_names(), &self.config, sink, feedback)];
            self.carry_out(&shared, prepared, &mut groups, &stops, received, run_cycles)
        };
        // A thread of its own: a priority that it is granted ends with it.
        let ended = thread::scope(|scope| scope.spawn(work).join());
        let (result, error) = ended.unwrap_or_else(|panic| resume_unwind(panic));
        error.map_or(Ok(result), Err)
    }

    /// Begins to carry a trajectory out by drivers of these joints, in a thread of its own. `joint_names` are those that
    /// trajectories which are spliced in have to have.
    pub(super) fn spawn(
        &self,
        trajectory: &TimedTrajectory,
        prepared: Prepared,
        mut drivers: Vec<GroupDriver>,
        joints: Vec<Vec<usize>>,
        joint_names: Vec<String>,
    ) -> Result<Handle> {
        let claims = self.claim(drivers.iter().map(|driver| &*driver.sink))?;
        let (requests, received) = mpsc::channel();
        let shared = Arc::new(Shared::new(&prepared.playback.state().positions));
        let (executor, theirs, participant) = (self.clone(), Arc::clone(&shared), self.participant());
        let names = trajectory.joint_names().to_vec();
        let work = move || {
            let (claims, _participant) = (claims, participant);
            let channels =
                joints.iter().zip(&drivers).map(|(joints, driver)| (joints.clone(), driver.stop_sink.clone()));
            let stops = StopChannels::new(executor.stop_sink.clone(), channels);
            let mut groups: Vec<Group<'_>> = drivers
                .iter_mut()
                .zip(joints)
                .map(|(driver, joints)| {
                    let feedback = driver.feedback.as_deref_mut().map(|feedback| feedback as &mut dyn FeedbackSource);
                    Group::new(joints, &names, &executor.config, &mut *driver.sink, feedback)
                })
                .collect();
            let run = |cycle: Cycle<'_, '_>| executor.run_or_give_up(cycle, &theirs, &stops);
            let (result, error) = executor.carry_out(&theirs, prepared, &mut groups, &stops, received, run);
            drop(claims);
            drop(groups);
            drop(drivers);
            theirs.finish(result, error);
        };
        let thread = thread::Builder::new().name("kinetic-execution".to_owned()).spawn(work);
        let thread = thread.map_err(|error| KineticError::Aborted { reason: format!("no thread: {error}") })?;
        let (config, trajectory) = (self.config.clone(), trajectory.clone());
        Ok(Handle { shared, requests, config, joint_names, trajectory, thread: Some(thread) })
    }

    /// Sends the commands from the calling thread, watched by another one; `run` runs the cycles.
    fn carry_out(
        &self,
        shared: &Shared,
        prepared: Prepared,
        groups: &mut [Group<'_>],
        stops: &StopChannels,
        requests: mpsc::Receiver<Request>,
        run: impl FnOnce(Cycle<'_, '_>) -> Outcome,
    ) -> Outcome {
        // Before the watchdog counts: locking memory takes long.
        let realtime = request(self.config.real_time_priority);
        shared.begin(self.clock.now());
        thread::scope(|scope| {
            let watchdog = Watchdog::new(shared, &*self.clock, self.participant(), stops, &self.config);
            let watchdog = scope.spawn(move || watchdog.run());
            let _ending = Ending { executor: self, shared, stops, watchdog: watchdog.thread().clone() };
            let (clock, config, stop) = (&*self.clock, &self.config, &self.stop);
            let (listener, requests) = (self.listener.as_ref(), &requests);
            let parts = Parts { clock, shared, config, stop, groups, stops, requests, listener, realtime };
            run(Cycle::new(parts, prepared.playback, prepared.limits, prepared.is_verified))
        })
    }

    /// Runs the cycles; a panic of a driver is an error.
    fn run_or_give_up(&self, cycle: Cycle<'_, '_>, shared: &Shared, stops: &StopChannels) -> Outcome {
        let partial = cycle.aborted();
        let run = catch_unwind(AssertUnwindSafe(|| cycle.run()));
        run.unwrap_or_else(|panic| {
            self.give_up(shared, stops);
            (partial, Some(panicked(&*panic)))
        })
    }

    /// Takes the executor and the drivers.
    fn claim<'s>(&self, sinks: impl IntoIterator<Item = &'s dyn CommandSink>) -> Result<Vec<Claim>> {
        let mut claims = vec![Claim::take(Some(Arc::clone(&self.is_running)), "executor")?];
        for sink in sinks {
            claims.push(Claim::take(sink.in_use(), "driver")?);
        }
        Ok(claims)
    }

    /// Sends nothing more, and stops the robots through the second channels.
    fn give_up(&self, shared: &Shared, stops: &StopChannels) {
        if shared.block() {
            stops.stop(self.config.stop_action(), shared);
        }
    }
}

fn panicked(panic: &(dyn Any + Send)) -> KineticError {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    KineticError::Aborted { reason: format!("the driver panicked: {text}") }
}

/// Ends the watchdog; where the driver panics, stops the robots as well.
struct Ending<'a> {
    executor: &'a RealTimeExecutor,
    shared: &'a Shared,
    stops: &'a StopChannels,
    watchdog: thread::Thread,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.executor.give_up(self.shared, self.stops);
        }
        self.shared.ended.stop();
        self.watchdog.unpark();
    }
}
