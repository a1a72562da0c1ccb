//! A motion under way in a scene that changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use kinetic_core::{Clock, Control, KineticError, Result, StopFlag, TimedTrajectory};
use kinetic_execution::{ExecutionResult, Progress};
use kinetic_planning::Planner;
use kinetic_scene::LiveScene;
use kinetic_trajectory::blending::limits_used;
use kinetic_trajectory::online::StopPlanner;

use super::config::ReplanStrategy;
use super::executor::{ProgressListener, SupervisedExecutor};

/// Halvings of the time in which the last moment to stop lies: a thousandth of a second of a minute.
const STOP_HALVINGS: usize = 16;

/// What watches one motion.
pub(super) struct Supervision {
    planner: Planner,
    live: Option<LiveScene>,
    trajectory: TimedTrajectory,
    strategy: ReplanStrategy,
    /// Seconds that pass before a stop begins.
    latency: f64,
    clock: Arc<dyn Clock>,
    /// Stops the motion.
    stop: StopFlag,
    /// Raised when the motion has ended.
    ended: StopFlag,
    /// The content of the scene that the motion was proven in last.
    revision: AtomicU64,
    /// Bits of the time on the trajectory that is commanded now, and of that from which on it has to stop.
    now: AtomicU64,
    stop_at: AtomicU64,
}

impl Supervision {
    /// Of a trajectory that was proven in the content of that revision.
    pub(super) fn new(
        planner: &Planner,
        trajectory: TimedTrajectory,
        (strategy, latency): (ReplanStrategy, f64),
        clock: Arc<dyn Clock>,
        stop: &StopFlag,
        revision: u64,
    ) -> Self {
        Self {
            live: planner.live_scene().cloned(),
            planner: planner.clone(),
            trajectory,
            strategy,
            latency,
            clock,
            stop: stop.child(),
            ended: StopFlag::default(),
            revision: AtomicU64::new(revision),
            now: AtomicU64::new(0.0_f64.to_bits()),
            stop_at: AtomicU64::new(f64::INFINITY.to_bits()),
        }
    }

    /// Carries the motion out while watching.
    pub(super) fn run(self: &Arc<Self>, executor: &mut dyn SupervisedExecutor) -> Result<ExecutionResult> {
        let (mine, checks) = (Arc::clone(self), executor.is_simulated());
        let listener: ProgressListener = Arc::new(move |progress: &Progress<'_>| mine.hear(progress, checks));
        thread::scope(|scope| {
            if let (Some(live), false) = (&self.live, checks) {
                scope.spawn(|| self.watch(live));
            }
            // Ends the watch in a panic, too.
            let _ending = Ending(&self.ended);
            executor.execute(&self.trajectory, &self.stop, listener)
        })
    }

    /// After every command.
    fn hear(&self, progress: &Progress<'_>, checks: bool) {
        let now = progress.fraction * self.trajectory.duration();
        self.now.store(now.to_bits(), Ordering::SeqCst);
        if checks {
            self.check();
        }
        if now >= self.stop_at() {
            self.stop.stop();
        }
    }

    /// Proves the remaining motion after every change of the scene.
    fn watch(&self, live: &LiveScene) {
        let control = self.control();
        while live.wait_for_change(self.revision.load(Ordering::SeqCst), &control).is_some() {
            self.check();
        }
    }

    /// Ends with the motion.
    fn control(&self) -> Control {
        Control::new(Arc::clone(&self.clock), f64::INFINITY, u64::MAX, self.ended.clone())
    }

    /// Proves the remaining motion if the scene has changed, and says when it has to stop.
    fn check(&self) {
        let Some(revision) = self.live.as_ref().map(LiveScene::revision) else { return };
        if self.revision.swap(revision, Ordering::SeqCst) == revision || self.stop.is_stopped() {
            return;
        }
        let now = f64::from_bits(self.now.load(Ordering::SeqCst)).min(self.trajectory.duration());
        let stop_at = match self.planner.check_remaining(&self.trajectory, now, &self.control()) {
            Ok(()) => f64::INFINITY,
            Err(KineticError::TrajectoryInCollision { time, .. }) => self.last_stop(now, time),
            // What is not proven is not gone along.
            Err(_) => now,
        };
        self.stop_at.store(stop_at.to_bits(), Ordering::SeqCst);
        if stop_at <= now {
            self.stop.stop();
        }
    }

    fn stop_at(&self) -> f64 {
        f64::from_bits(self.stop_at.load(Ordering::SeqCst))
    }

    /// The time on the trajectory at which to begin to stop before `contact`; `now` where there is no later one.
    fn last_stop(&self, now: f64, contact: f64) -> f64 {
        if self.strategy == ReplanStrategy::Immediate {
            return now;
        }
        let limits = limits_used(std::slice::from_ref(&self.trajectory));
        let planner = limits.and_then(|limits| StopPlanner::new(self.trajectory.clone(), limits));
        let Ok(mut planner) = planner else { return now };
        // A stop is slower than the trajectory, so that it is at most as far along it as the time that it takes.
        let mut is_before = |from: f64| {
            planner
                .stop_on_path(from)
                .is_ok_and(|duration| planner.is_on_path() && from + self.latency + duration < contact)
        };
        let (mut early, mut late) = (now, contact);
        for _ in 0..STOP_HALVINGS {
            let middle = f64::midpoint(early, late);
            (early, late) = if is_before(middle) { (middle, late) } else { (early, middle) };
        }
        early
    }

    /// True when the motion was stopped because of the scene.
    pub(super) fn is_blocked(&self) -> bool {
        self.stop_at().is_finite()
    }
}

/// Raises a flag when it is dropped.
struct Ending<'a>(&'a StopFlag);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}
