//! Control of a running execution.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;
use std::time::Duration;

use kinetic_core::error::check_len;
use kinetic_core::{KineticError, Result, TimedTrajectory, TrajectoryIdentity};

use crate::checks::{Prepared, invalid, prepare};
use crate::config::ExecutionConfig;
use crate::cycle::Request;
use crate::result::{ExecutionResult, ExecutionState, StopMode};
use crate::shared::Shared;
use crate::splicing::SpliceContext;

/// A running execution. What is asked is done from the next cycle on.
///
/// Where it is dropped, the robot stops along its path, and the thread of the commands ends with that; [`detach`](Self::detach)
/// lets it go on.
#[derive(Debug)]
pub struct Handle {
    pub(crate) shared: Arc<Shared>,
    pub(crate) requests: Sender<Request>,
    pub(crate) config: ExecutionConfig,
    pub(crate) joint_names: Vec<String>,
    pub(crate) trajectory: TimedTrajectory,
    pub(crate) thread: Option<JoinHandle<()>>,
}

impl Handle {
    /// Slows down to a halt along the path, which [`resume`](Self::resume) leaves again.
    pub fn pause(&self) {
        self.ask(Request::Pause);
    }

    /// Goes on after a pause.
    pub fn resume(&self) {
        self.ask(Request::Resume);
    }

    /// Goes on at a part of the trajectory's speed, 0 to 1; accelerations stay inside their limits.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a number outside 0 to 1.
    pub fn set_speed(&self, speed: f64) -> Result<()> {
        if !(0.0..=1.0).contains(&speed) {
            return Err(KineticError::invalid("speed", speed, "a number from 0 to 1"));
        }
        self.ask(Request::SetSpeed(speed));
        Ok(())
    }

    /// Ends the execution; [`StopMode`] says how. A stop under way is replaced by a harder one only.
    pub fn stop(&self, mode: StopMode) {
        self.ask(Request::Stop(mode));
    }

    /// Goes on with another trajectory, which begins at rest anywhere: by the fastest motion there within the limits, from
    /// wherever the robot is commanded to be in the next cycle. Where a velocity would then leave its limits, because the jerk limit does
    /// not allow to take back the acceleration of the running trajectory in time, it is left a few cycles later. A pause ends; where
    /// it stops already, nothing happens.
    ///
    /// The way there was not checked for collisions, so that it takes
    /// [`allow_unverified`](ExecutionConfig::allow_unverified), and the result is not verified;
    /// [`splice_at`](Self::splice_at) does without.
    ///
    /// # Errors
    /// [`KineticError::InvalidTrajectory`], [`KineticError::DimensionMismatch`], or [`KineticError::InvalidValue`] for one of
    /// another robot, or after the end.
    pub fn splice(&self, trajectory: &TimedTrajectory) -> Result<()> {
        if self.state().is_final() {
            return Err(KineticError::invalid("splice", self.state().name(), "an execution that runs"));
        }
        check_len("spliced trajectory", trajectory.dof(), self.trajectory.dof())?;
        TrajectoryIdentity::join(self.trajectory.identity(), trajectory.identity())?;
        if !self.config.allow_unverified {
            return Err(invalid("the way to a spliced trajectory was not checked; allow_unverified does without"));
        }
        let prepared = Prepared { is_verified: false, ..prepare(trajectory, &self.config, &self.joint_names)? };
        self.ask(Request::Splice(Box::new(prepared)));
        Ok(())
    }

    /// Goes on with a trajectory that begins under way, in the state of the [running](Self::running) one at `from` seconds: what
    /// `Planner::splice` proves, connection included. It takes over when the running trajectory is there, at the speed of then;
    /// a pause stays one. Where it stops already, nothing happens.
    ///
    /// It has to lie on the running trajectory for as long as it takes to be heard of (the `latency` of `Planner::splice`): where
    /// it has left it by then, the robot stops along its path, and the error is [`KineticError::Aborted`].
    ///
    /// # Errors
    /// As [`splice`](Self::splice); [`KineticError::InvalidTrajectory`] for one without a certificate, unless
    /// [`allow_unverified`](ExecutionConfig::allow_unverified) does without.
    pub fn splice_at(&self, spliced: &TimedTrajectory, from: f64) -> Result<()> {
        if self.state().is_final() {
            return Err(KineticError::invalid("splice", self.state().name(), "an execution that runs"));
        }
        let (config, joint_names, running) = (self.config.clone(), self.joint_names.clone(), self.trajectory.clone());
        self.ask(SpliceContext { config, joint_names, running }.request(spliced, from)?);
        Ok(())
    }

    /// The trajectory that is followed, and the time on it of the last command, s: where a splice can begin.
    pub fn running(&self) -> (TimedTrajectory, f64) {
        self.shared.followed().unwrap_or_else(|| (self.trajectory.clone(), 0.0))
    }

    /// What is going on.
    pub fn state(&self) -> ExecutionState {
        self.shared.state()
    }

    /// Waits for the end: of the commands, or with the watchdog, while a call of the driver may still not have returned.
    /// `None` when it has not come within `timeout`.
    ///
    /// # Errors
    /// The fault with which it has ended.
    pub fn wait(&self, timeout: Option<Duration>) -> Option<Result<ExecutionResult>> {
        self.shared.wait(timeout)
    }

    /// How it went, after an error too; `None` until the thread of the commands has ended.
    pub fn result(&self) -> Option<ExecutionResult> {
        self.shared.result()
    }

    /// True when the thread of the commands has ended, and with it all calls of the driver.
    pub fn has_ended(&self) -> bool {
        self.shared.has_ended()
    }

    /// True when the watchdog has ended it.
    pub fn watchdog_has_fired(&self) -> bool {
        self.shared.has_fired()
    }

    /// Lets the execution go on without a handle.
    pub fn detach(mut self) {
        self.thread = None;
    }

    /// Waits until the thread of the commands has ended, which it does not while a call of the driver does not return.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn join(mut self) -> Result<ExecutionResult> {
        if let Some(thread) = self.thread.take() {
            // A panic of the driver was caught; it stands in the result.
            let _ = thread.join();
        }
        self.shared.wait(None).unwrap_or_else(|| Err(invalid("it has not ended")))
    }

    /// What has ended hears nothing any more.
    fn ask(&self, request: Request) {
        let _ = self.requests.send(request);
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.ask(Request::Stop(StopMode::Path));
        }
    }
}
