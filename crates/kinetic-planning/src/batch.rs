//! Batches of plans on several threads.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use kinetic_core::parallel::processors;
use kinetic_core::{Goal, KineticError, Result, StopFlag};
use kinetic_scene::Scene;

use crate::planner::Planner;
use crate::query::Query;
use crate::result::{PlannedTrajectory, PlanningResult};

/// Threads per core where an optimiser of many trajectories does most of the work.
const THREADS_WITH_OPTIMIZER: usize = 4;

/// How a batch is planned.
#[derive(Default)]
pub struct BatchOptions<'a> {
    /// Number of threads; `None` for one per core, and for planners with an optimiser of many trajectories for four per core, most
    /// of which wait until it has optimised what they all ask for. It does not change any result.
    pub threads: Option<NonZeroUsize>,
    /// The scene of each item; `None` for the planner's own.
    pub scenes: Option<&'a [Scene]>,
    /// Stops the batch: what is not planned by then is [`KineticError::Cancelled`].
    pub stop: StopFlag,
    /// Called on the calling thread with the number of plans that are done, and of all; not for those that a stop leaves
    /// undone.
    pub progress: Option<&'a mut dyn FnMut(usize, usize)>,
}

impl std::fmt::Debug for BatchOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BatchOptions").field("threads", &self.threads).finish_non_exhaustive()
    }
}

impl Planner {
    /// Plans from each start to the goal of the same index.
    ///
    /// Every item is planned as [`plan`](Self::plan) does it, with the same seed and a budget of its own that begins
    /// when its turn comes; with a budget of iterations its result does not depend on the number of threads. A planner in a
    /// live scene plans all of them in one snapshot.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] when starts, goals and scenes differ in number. What is wrong with one item is the
    /// item's error, also a scene of another robot.
    pub fn plan_batch<Q: AsRef<[f64]> + Sync>(
        &self,
        starts: &[Q],
        goals: &[Goal],
        options: BatchOptions<'_>,
    ) -> Result<Vec<Result<PlanningResult>>> {
        self.batch(starts, goals, options, |planner, query| Ok(planner.solve(query)?.result))
    }

    /// As [`plan_batch`](Self::plan_batch), each path timed with the law of that name and verified.
    ///
    /// # Errors
    /// As [`plan_batch`](Self::plan_batch), and [`KineticError::UnknownName`] for a time law that does not exist.
    pub fn plan_batch_timed<Q: AsRef<[f64]> + Sync>(
        &self,
        starts: &[Q],
        goals: &[Goal],
        law: &str,
        options: BatchOptions<'_>,
    ) -> Result<Vec<Result<PlannedTrajectory>>> {
        let law = kinetic_trajectory::time_law(law)?;
        self.batch(starts, goals, options, |planner, query| planner.solve(query.with_time_law_spec(law))?.try_into())
    }

    fn batch<Q: AsRef<[f64]> + Sync, T: Send>(
        &self,
        starts: &[Q],
        goals: &[Goal],
        mut options: BatchOptions<'_>,
        plan: impl Fn(&Self, Query<'_>) -> Result<T> + Sync,
    ) -> Result<Vec<Result<T>>> {
        check_one_per_start("goals", goals.len(), starts.len())?;
        check_one_per_start("scenes", options.scenes.map_or(starts.len(), <[Scene]>::len), starts.len())?;
        let planners = match options.scenes {
            None => BatchPlanners::OfAll(Box::new(self.now_with_known_roadmap()?.into_owned())),
            Some(scenes) => BatchPlanners::OfEach(scenes.iter().map(|scene| self.in_scene_of_batch(scene)).collect()),
        };
        let stop = options.stop.clone();
        let item = |index: usize| {
            let control = self.control(stop.clone());
            // Before anything is compiled: the rest of a stopped batch costs nothing.
            if stop.is_stopped() {
                return Err(control.error(0));
            }
            plan(planners.at(index)?, Query::new(starts[index].as_ref(), &goals[index]).with_control(&control))
        };
        let threads = options.threads.map_or_else(|| self.threads_of_batch(), NonZeroUsize::get);
        let threads = threads.min(starts.len().max(1));
        let mut done = 0;
        Ok(side_by_side(starts.len(), threads, item, &mut |result, total| {
            if matches!(result, Err(KineticError::Cancelled { .. })) {
                return;
            }
            done += 1;
            if let Some(progress) = &mut options.progress {
                progress(done, total);
            }
        }))
    }
}

impl Planner {
    fn in_scene_of_batch(&self, scene: &Scene) -> Result<Self> {
        Ok(self.clone().with_scene(scene)?.now_with_known_roadmap()?.into_owned())
    }

    fn threads_of_batch(&self) -> usize {
        processors() * if self.optimizer().is_some() { THREADS_WITH_OPTIMIZER } else { 1 }
    }
}

/// The planners of the items of a batch.
enum BatchPlanners {
    OfAll(Box<Planner>),
    OfEach(Vec<Result<Planner>>),
}

impl BatchPlanners {
    fn at(&self, index: usize) -> Result<&Planner> {
        match self {
            Self::OfAll(planner) => Ok(planner),
            Self::OfEach(planners) => planners[index].as_ref().map_err(KineticError::clone),
        }
    }
}

fn check_one_per_start(what: &str, got: usize, starts: usize) -> Result<()> {
    if got == starts {
        return Ok(());
    }
    let (context, expected) = (format!("list of {what}"), format!("{starts}, one per start"));
    Err(KineticError::DimensionMismatch { context, expected, got })
}

/// `item(0)`, `item(1)`, …, computed by several threads; which one computes what is not seen in the results.
fn side_by_side<T: Send>(
    count: usize,
    threads: usize,
    item: impl Fn(usize) -> T + Sync,
    progress: &mut dyn FnMut(&T, usize),
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        for _ in 0..threads {
            let (sender, next, item) = (sender.clone(), &next, &item);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    // Nobody listens any more when the receiving thread panicked.
                    if index >= count || sender.send((index, item(index))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (index, result) in &receiver {
            progress(&result, count);
            results[index] = Some(result);
        }
    });
    // Every index was sent once: a thread that panics instead takes the scope with it.
    results.into_iter().flatten().collect()
}
