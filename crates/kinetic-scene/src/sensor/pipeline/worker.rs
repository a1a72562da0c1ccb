//! A thread that makes measurements part of the scene as they arrive.

use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use kinetic_core::{Control, KineticError, Result, StopFlag};

use super::{PerceptionPipeline, lock};

/// How often the thread looks for transforms that others have set, which nothing tells it of.
const FRAMES_INTERVAL: Duration = Duration::from_millis(10);

/// The thread of a pipeline. It ends when this is dropped.
#[derive(Debug)]
pub struct PipelineWorker {
    stop: StopFlag,
    pipeline: PerceptionPipeline,
    thread: Option<JoinHandle<()>>,
}

impl PerceptionPipeline {
    /// Starts a thread that processes measurements as they arrive. Calls of [`process`](Self::process) may go on meanwhile.
    ///
    /// # Errors
    /// [`KineticError::Other`] where the system has no thread to give.
    pub fn start(&self) -> Result<PipelineWorker> {
        let (stop, pipeline) = (StopFlag::default(), self.clone());
        let control = Control::new(Arc::clone(&self.0.clock), f64::INFINITY, u64::MAX, stop.clone());
        let (own, named) = (self.clone(), std::thread::Builder::new().name("kinetic-perception".to_owned()));
        let thread = named
            .spawn(move || own.run(&control))
            .map_err(|error| KineticError::Other(format!("no thread for a perception pipeline: {error}")))?;
        Ok(PipelineWorker { stop, pipeline, thread: Some(thread) })
    }

    /// Processes measurements until the control ends it.
    fn run(&self, control: &Control) {
        let mut seen = 0;
        while self.process(control).is_ok() && !control.is_over(0) {
            let mut arrivals = lock(&self.0.arrivals);
            if *arrivals == seen {
                let woken = self.0.arrived.wait_timeout(arrivals, FRAMES_INTERVAL);
                arrivals = woken.unwrap_or_else(PoisonError::into_inner).0;
            }
            seen = *arrivals;
        }
    }
}

impl PipelineWorker {
    /// Whether the thread runs: not after a panic.
    pub fn is_running(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// Ends the thread, after the measurement that it works on was given up.
    ///
    /// # Errors
    /// [`KineticError::Other`] when the thread has panicked.
    pub fn stop(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        self.stop.stop();
        self.pipeline.arrive();
        let panicked = |_| KineticError::Other("the thread of a perception pipeline panicked".to_owned());
        self.thread.take().map_or(Ok(()), |thread| thread.join().map_err(panicked))
    }
}

impl Drop for PipelineWorker {
    fn drop(&mut self) {
        // Who drops it does not ask how it went; `stop` says so.
        let _ = self.end();
    }
}
