//! A motion under way in a scene that changes.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use kinetic_core::{Clock, Control, KineticError, Result, StopFlag, TimedTrajectory};
use kinetic_execution::{ExecutionResult, Progress, SpliceQueue};
use kinetic_planning::Planner;
use kinetic_scene::LiveScene;

use super::config::ReplanStrategy;
use super::executor::{ProgressListener, SupervisedExecutor};
use super::splice_search::{SpliceSearch, last_stop};

/// The first attempt to find another motion has at least this time, s, whatever latency is declared.
const LEAST_LEAD_S: f64 = 0.01;

/// A trajectory that is followed, and the time on it from which on it has to stop.
struct FollowedTrajectory {
    trajectory: TimedTrajectory,
    stop_at: f64,
}

/// How a blocked motion is left.
pub(super) struct Replanning {
    pub(super) strategy: ReplanStrategy,
    /// Seconds that pass before a stop or a splice begins.
    pub(super) latency: f64,
    /// Motions that may be spliced in.
    pub(super) splices: usize,
    /// `None` for a motion that is not left for another one.
    pub(super) search: Option<SpliceSearch>,
}

/// What watches one motion, and those that are spliced in.
pub(super) struct Supervision {
    planner: Planner,
    live: Option<LiveScene>,
    replanning: Replanning,
    /// The motion, and what was spliced in one after the other.
    followed: Mutex<Vec<FollowedTrajectory>>,
    queue: SpliceQueue,
    clock: Arc<dyn Clock>,
    /// True when time stands still while anything is worked out.
    is_simulated: bool,
    /// Stops the motion.
    stop: StopFlag,
    /// Raised when the motion has ended.
    ended: StopFlag,
    /// The content of the scene that the motion was proven in last.
    revision: AtomicU64,
    /// Which of them is followed now.
    active: AtomicUsize,
    /// Bits of the time on it that is commanded now, and of that since the start.
    now: AtomicU64,
    elapsed: AtomicU64,
}

impl Supervision {
    /// Of a trajectory that was proven in the content of that revision.
    pub(super) fn new(
        planner: &Planner,
        trajectory: TimedTrajectory,
        replanning: Replanning,
        clock: Arc<dyn Clock>,
        stop: &StopFlag,
        revision: u64,
    ) -> Self {
        Self {
            live: planner.live_scene().cloned(),
            planner: planner.clone(),
            replanning,
            followed: Mutex::new(vec![FollowedTrajectory { trajectory, stop_at: f64::INFINITY }]),
            queue: SpliceQueue::default(),
            clock,
            is_simulated: false,
            stop: stop.child(),
            ended: StopFlag::default(),
            revision: AtomicU64::new(revision),
            active: AtomicUsize::new(0),
            now: AtomicU64::new(0.0_f64.to_bits()),
            elapsed: AtomicU64::new(0.0_f64.to_bits()),
        }
    }

    /// Carries the motion out while watching; answers with how it went, and with this.
    pub(super) fn run(mut self, executor: &mut dyn SupervisedExecutor) -> (Result<ExecutionResult>, Arc<Self>) {
        self.is_simulated = executor.is_simulated();
        let trajectory = self.active_trajectory();
        let shared = Arc::new(self);
        let mine = Arc::clone(&shared);
        let listener: ProgressListener = Arc::new(move |progress: &Progress<'_>| mine.hear(progress));
        let executed = thread::scope(|scope| {
            if let (Some(live), false) = (&shared.live, shared.is_simulated) {
                scope.spawn(|| shared.watch(live));
            }
            // Ends the watch in a panic, too.
            let _ending = Ending(&shared.ended);
            executor.execute_with_splices(&trajectory, &shared.stop, listener, &shared.queue)
        });
        (executed, shared)
    }

    /// After every command.
    fn hear(&self, progress: &Progress<'_>) {
        let (active, duration) = self.followed_after(progress.splices);
        let now = progress.fraction * duration;
        self.now.store(now.to_bits(), Ordering::SeqCst);
        self.active.store(active, Ordering::SeqCst);
        self.elapsed.store(progress.elapsed.to_bits(), Ordering::SeqCst);
        if self.is_simulated {
            self.check();
        }
        if now >= self.followed()[active].stop_at {
            self.stop.stop();
        }
    }

    /// Number and duration of the motion that is followed after so many splices.
    fn followed_after(&self, splices: usize) -> (usize, f64) {
        let followed = self.followed();
        let active = splices.min(followed.len() - 1);
        (active, followed[active].trajectory.duration())
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

    /// Proves the remaining motion if the scene has changed, and says when it has to stop. A motion that is yet to take over is
    /// proven as a whole.
    fn check(&self) {
        let Some(revision) = self.live.as_ref().map(LiveScene::revision) else { return };
        if self.revision.swap(revision, Ordering::SeqCst) == revision || self.stop.is_stopped() {
            return;
        }
        let (last, trajectory) = self.last();
        let now = self.now_on(last, &trajectory);
        let stop_at = match self.planner.check_remaining(&trajectory, now, &self.control()) {
            Ok(()) => f64::INFINITY,
            Err(KineticError::TrajectoryInCollision { time, .. }) if !self.stops_at_once() => {
                last_stop(&trajectory, [now, time], self.replanning.latency)
            }
            // What is not proven is not gone along.
            Err(_) => now,
        };
        self.followed()[last].stop_at = stop_at;
        if stop_at <= now {
            self.stop.stop();
        } else if stop_at.is_finite() && self.replanning.strategy == ReplanStrategy::Splice {
            self.splice(last, &trajectory, stop_at);
        }
    }

    fn stops_at_once(&self) -> bool {
        self.replanning.strategy == ReplanStrategy::Immediate
    }

    /// Leaves for another motion, if one is found before the robot has to stop. Each attempt has twice the time of the one before.
    fn splice(&self, last: usize, running: &TimedTrajectory, stop_at: f64) {
        let Some(search) = &self.replanning.search else { return };
        let mut lead = self.replanning.latency.max(LEAST_LEAD_S);
        while last < self.replanning.splices && !self.stop.is_stopped() {
            let now = self.now_on(last, running);
            if !(now + lead < stop_at) {
                return;
            }
            let timeout = (!self.is_simulated).then_some(lead);
            let Ok(next) = search.find(running, (now, lead), timeout, &self.stop) else {
                if self.is_simulated {
                    return;
                }
                lead *= 2.0;
                continue;
            };
            if self.now_on(last, running) < now + lead {
                self.offer(&next, now);
                return;
            }
            lead *= 2.0;
        }
    }

    /// Asks the executor to take a motion over, which begins at `from` on the last one.
    fn offer(&self, next: &TimedTrajectory, from: f64) {
        self.followed().push(FollowedTrajectory { trajectory: next.clone(), stop_at: f64::INFINITY });
        if self.queue.splice_at(next, from).is_err() {
            self.followed().pop();
        }
    }

    /// The motion that is followed last, and its number.
    fn last(&self) -> (usize, TimedTrajectory) {
        let followed = self.followed();
        let last = followed.len() - 1;
        (last, followed[last].trajectory.clone())
    }

    /// The time on a motion that is followed, and 0 on one that is not yet.
    fn now_on(&self, number: usize, trajectory: &TimedTrajectory) -> f64 {
        let is_active = self.active.load(Ordering::SeqCst) == number;
        let now = f64::from_bits(self.now.load(Ordering::SeqCst));
        if is_active { now.min(trajectory.duration()) } else { 0.0 }
    }

    fn followed(&self) -> MutexGuard<'_, Vec<FollowedTrajectory>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True when the motion was stopped because of the scene.
    pub(super) fn is_blocked(&self) -> bool {
        self.followed()[self.splices()..].iter().any(|one| one.stop_at.is_finite())
    }

    /// True when a motion was to take over and came too late.
    pub(super) fn has_missed_a_splice(&self) -> bool {
        self.followed().len() - 1 > self.splices()
    }

    /// Number of motions that were spliced in.
    pub(super) fn splices(&self) -> usize {
        self.active.load(Ordering::SeqCst)
    }

    /// The motion that was followed last.
    pub(super) fn active_trajectory(&self) -> TimedTrajectory {
        self.followed()[self.splices()].trajectory.clone()
    }

    /// The time on the motion that was followed last at its last command, s.
    pub(super) fn time(&self) -> f64 {
        f64::from_bits(self.now.load(Ordering::SeqCst))
    }

    /// Seconds from the start to the last command.
    pub(super) fn elapsed(&self) -> f64 {
        f64::from_bits(self.elapsed.load(Ordering::SeqCst))
    }
}

/// Raises a flag when it is dropped.
struct Ending<'a>(&'a StopFlag);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}
