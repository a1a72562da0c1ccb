//! Splices that leave the running trajectory from its own path: what takes over begins in its state.

use std::fmt;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use kinetic_core::error::check_len;
use kinetic_core::{KineticError, Result, TimedTrajectory, TrajectoryIdentity};

use crate::checks::prepare_splice;
use crate::config::ExecutionConfig;
use crate::cycle::{Request, Takeover};

/// What a spliced trajectory is compared with before an execution is asked to take it.
#[derive(Debug, Clone)]
pub(crate) struct SpliceContext {
    pub(crate) config: ExecutionConfig,
    pub(crate) joint_names: Vec<String>,
    /// A trajectory of the execution.
    pub(crate) running: TimedTrajectory,
}

impl SpliceContext {
    /// The request to take `spliced` over, which begins in the state of the running trajectory at `from`.
    pub(crate) fn request(&self, spliced: &TimedTrajectory, from: f64) -> Result<Request> {
        check_len("spliced trajectory", spliced.dof(), self.running.dof())?;
        TrajectoryIdentity::join(self.running.identity(), spliced.identity())?;
        if !(from >= 0.0 && from.is_finite()) {
            let wanted = "a time on the running trajectory, s";
            return Err(KineticError::invalid("beginning of the spliced trajectory", from, wanted));
        }
        let prepared = prepare_splice(spliced, &self.config, &self.joint_names)?;
        Ok(Request::TakeOver(Box::new(Takeover { prepared, from })))
    }
}

/// Splices for an execution that its thread [waits for](crate::RealTimeExecutor::execute), from other threads or from its
/// listener: what [`Handle::splice_at`](crate::Handle::splice_at) is where there is a handle. Clones are of the same execution.
#[derive(Clone, Default)]
pub struct SpliceQueue(Arc<Mutex<Option<Execution>>>);

/// An execution that takes splices, and how they reach it.
type Execution = (SpliceContext, Sender<Request>);

impl SpliceQueue {
    /// As [`Handle::splice_at`](crate::Handle::splice_at).
    ///
    /// # Errors
    /// As there.
    pub fn splice_at(&self, spliced: &TimedTrajectory, from: f64) -> Result<()> {
        let attached = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some((context, requests)) = attached else {
            return Err(KineticError::invalid("splice", "no execution", "an execution that runs"));
        };
        let request = context.request(spliced, from)?;
        // What has ended meanwhile hears nothing any more.
        let _ = requests.send(request);
        Ok(())
    }

    /// Gives the splices to an execution, until what is returned is dropped.
    pub(crate) fn attach(&self, context: SpliceContext, requests: Sender<Request>) -> Attached<'_> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((context, requests));
        Attached(self)
    }
}

impl fmt::Debug for SpliceQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_attached = self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        f.debug_struct("SpliceQueue").field("is_attached", &is_attached).finish()
    }
}

/// An execution takes splices of a queue.
pub(crate) struct Attached<'a>(&'a SpliceQueue);

impl Drop for Attached<'_> {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
