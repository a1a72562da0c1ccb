//! Optimisers of many trajectories at once, as planners have them.
//!
//! What several plans ask for while an optimiser is at work it optimises together next, as databases commit transactions in groups
//! (DeWitt et al., SIGMOD 1984): the more plans wait, the larger the batches, and one plan alone waits for nobody.

use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use kinetic_core::{Control, KineticError, Result};
use kinetic_scene::{
    BatchTrajectoryOptimizer, Margins, OptimizationContext, OptimizationRequest, Scene, SplineProposal,
};

/// How often a plan that waits looks at its control.
const WAIT: Duration = Duration::from_millis(1);

/// An optimiser that planners and their clones share. Plans that ask at the same time have their trajectories optimised together.
#[derive(Clone)]
pub struct SharedOptimizer(Arc<Shared>);

struct Shared {
    device: String,
    control_points: usize,
    seeds_per_batch: usize,
    optimizer: Mutex<Box<dyn BatchTrajectoryOptimizer>>,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<Waiting>,
    /// Whether a thread takes what waits.
    is_served: bool,
}

/// A request with what it refers to, and where its answer goes.
struct Waiting {
    in_scene: OptimizerInScene,
    weights: Vec<f64>,
    initial: Vec<f64>,
    control: Control,
    answer: Sender<Result<Vec<SplineProposal>>>,
}

impl fmt::Debug for SharedOptimizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SharedOptimizer").field(&self.0.device).finish()
    }
}

impl SharedOptimizer {
    /// Shares an optimiser.
    pub fn new(optimizer: impl BatchTrajectoryOptimizer + 'static) -> Self {
        Self(Arc::new(Shared {
            device: optimizer.device(),
            control_points: optimizer.control_points(),
            seeds_per_batch: optimizer.seeds_per_batch(),
            optimizer: Mutex::new(Box::new(optimizer)),
            queue: Mutex::default(),
        }))
    }

    /// Where it computes, for people.
    pub fn device(&self) -> &str {
        &self.0.device
    }

    /// Queues a request; a thread takes it that ends when nothing waits.
    fn ask(&self, waiting: Waiting) {
        let mut queue = locked(&self.0.queue);
        queue.waiting.push(waiting);
        if !queue.is_served {
            let serving = Serving(Arc::clone(&self.0));
            queue.is_served = thread::Builder::new().spawn(move || serving.serve()).is_ok();
            if !queue.is_served {
                // Those that wait hear that nobody answers.
                queue.waiting.clear();
            }
        }
    }
}

/// The thread that takes what waits. However it ends, the next request starts another one.
struct Serving(Arc<Shared>);

impl Serving {
    fn serve(self) {
        let mut is_served = true;
        while is_served {
            let taken = std::mem::take(&mut locked(&self.0.queue).waiting);
            let requests: Vec<_> = taken.iter().map(Waiting::request).collect();
            let answers = locked(&self.0.optimizer).optimize(&requests);
            // Said before the answers: a process that forks when it has them leaves this thread behind.
            is_served = self.goes_on();
            for (waiting, answer) in taken.iter().zip(answers) {
                // A plan that has ended since then listens no more.
                let _ = waiting.answer.send(answer);
            }
        }
    }

    /// Whether requests wait; where none do, the next one starts another thread.
    fn goes_on(&self) -> bool {
        let mut queue = locked(&self.0.queue);
        queue.is_served = !queue.waiting.is_empty();
        queue.is_served
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        if thread::panicking() {
            let mut queue = locked(&self.0.queue);
            queue.is_served = false;
            // Those that wait hear that nobody answers.
            queue.waiting.clear();
        }
    }
}

impl Waiting {
    fn request(&self) -> OptimizationRequest<'_> {
        let OptimizerInScene { scene, group, margins, .. } = &self.in_scene;
        let context = OptimizationContext { scene, group, margins: *margins, weights: &self.weights };
        OptimizationRequest { context, initial: &self.initial, control: &self.control }
    }
}

/// An optimiser in the scene of a plan.
#[derive(Debug, Clone)]
pub struct OptimizerInScene {
    pub(crate) optimizer: SharedOptimizer,
    pub(crate) scene: Scene,
    pub(crate) group: String,
    pub(crate) margins: Margins,
}

impl OptimizerInScene {
    /// Control points between the ends of a trajectory, and trajectories of a batch.
    pub(crate) fn sizes(&self) -> (usize, u64) {
        let shared = &self.optimizer.0;
        (shared.control_points, shared.seeds_per_batch.max(1) as u64)
    }

    /// Optimises trajectories, together with those of other plans that wait for the same optimiser.
    ///
    /// # Errors
    /// Those of the optimiser, and that of the control, also while the optimiser is at work for other plans.
    pub(crate) fn optimize(
        &self,
        weights: &[f64],
        initial: Vec<f64>,
        control: &Control,
    ) -> Result<Vec<SplineProposal>> {
        let (answer, answers) = channel();
        let (in_scene, weights, control_there) = (self.clone(), weights.to_vec(), control.clone());
        self.optimizer.ask(Waiting { in_scene, weights, initial, control: control_there, answer });
        received(&answers, control)
    }
}

fn received(answers: &Receiver<Result<Vec<SplineProposal>>>, control: &Control) -> Result<Vec<SplineProposal>> {
    loop {
        match answers.recv_timeout(WAIT) {
            Ok(answer) => return answer,
            Err(RecvTimeoutError::Timeout) => control.check(0)?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(KineticError::Other("the optimiser of trajectories gave no answer".to_owned()));
            }
        }
    }
}

fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use kinetic_core::{StopFlag, SystemClock};
    use kinetic_robot::Robot;

    use super::*;

    /// Answers each request with its first value as the cost; the first call waits until it is let go, and perhaps panics then.
    #[derive(Debug, Default)]
    struct Gate {
        calls: Vec<usize>,
        panics: bool,
        let_go: Arc<AtomicUsize>,
        asked: Arc<Mutex<Vec<usize>>>,
    }

    impl BatchTrajectoryOptimizer for Gate {
        fn device(&self) -> String {
            "gate".to_owned()
        }

        fn control_points(&self) -> usize {
            1
        }

        fn seeds_per_batch(&self) -> usize {
            1
        }

        fn optimize(&mut self, requests: &[OptimizationRequest<'_>]) -> Vec<Result<Vec<SplineProposal>>> {
            self.calls.push(requests.len());
            locked(&self.asked).push(requests.len());
            while self.let_go.load(Ordering::Acquire) == 0 {
                thread::yield_now();
            }
            assert!(!(self.panics && self.calls.len() == 1), "told to panic");
            let proposal =
                |cost| SplineProposal { path: Vec::new(), least_slack: 0.0, cost, iterations: requests.len() as u32 };
            let answer = |request: &OptimizationRequest<'_>| {
                request.control.check(0)?;
                Ok(vec![proposal(request.initial[0])])
            };
            requests.iter().map(answer).collect()
        }
    }

    struct Gated {
        in_scene: OptimizerInScene,
        let_go: Arc<AtomicUsize>,
        asked: Arc<Mutex<Vec<usize>>>,
    }

    fn gated(panics: bool) -> Gated {
        let gate = Gate { panics, ..Gate::default() };
        let (let_go, asked) = (Arc::clone(&gate.let_go), Arc::clone(&gate.asked));
        let scene = Scene::new(&Arc::new(Robot::from_name("ur5e").unwrap())).unwrap();
        let in_scene = OptimizerInScene {
            optimizer: SharedOptimizer::new(gate),
            scene,
            group: "arm".to_owned(),
            margins: Margins::ZERO,
        };
        Gated { in_scene, let_go, asked }
    }

    impl Gated {
        fn cost(&self, value: f64, control: &Control) -> Result<f64> {
            Ok(self.in_scene.optimize(&[1.0; 6], vec![value], control)?[0].cost)
        }

        /// Waits until the first call is at work and so many requests wait.
        fn wait_until_waiting(&self, count: usize) {
            while locked(&self.asked).is_empty() || locked(&self.in_scene.optimizer.0.queue).waiting.len() < count {
                thread::yield_now();
            }
        }
    }

    #[test]
    fn what_is_asked_while_it_is_at_work_is_answered_together() {
        let (gated, control) = (gated(false), Control::default());
        thread::scope(|scope| {
            let first = scope.spawn(|| gated.cost(0.5, &control));
            gated.wait_until_waiting(0);
            let (gated, control) = (&gated, &control);
            let others: Vec<_> =
                (1..6).map(|value| scope.spawn(move || gated.cost(f64::from(value), control))).collect();
            gated.wait_until_waiting(5);
            gated.let_go.store(1, Ordering::Release);
            assert_eq!(first.join().unwrap(), Ok(0.5));
            for (value, other) in (1..6).zip(others) {
                assert_eq!(other.join().unwrap(), Ok(f64::from(value)), "each its own answer");
            }
        });
        assert_eq!(*locked(&gated.asked), [1, 5]);
    }

    #[test]
    fn a_plan_that_is_stopped_waits_no_longer_and_ends_no_other() {
        let (gated, control, stop) = (gated(false), Control::default(), StopFlag::default());
        let stopped = Control::new(Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, stop.clone());
        thread::scope(|scope| {
            let at_work = scope.spawn(|| gated.cost(1.0, &stopped));
            gated.wait_until_waiting(0);
            let waiting = scope.spawn(|| gated.cost(2.0, &stopped));
            let other = scope.spawn(|| gated.cost(3.0, &control));
            gated.wait_until_waiting(2);
            stop.stop();
            // Both end while the first call is still at work.
            for ended in [at_work, waiting] {
                assert!(matches!(ended.join().unwrap(), Err(KineticError::Cancelled { .. })));
            }
            gated.let_go.store(1, Ordering::Release);
            assert_eq!(other.join().unwrap(), Ok(3.0));
        });
    }

    #[test]
    fn an_optimiser_that_panics_leaves_errors_and_is_asked_again() {
        let (gated, control) = (gated(true), Control::default());
        thread::scope(|scope| {
            let first = scope.spawn(|| gated.cost(1.0, &control));
            gated.wait_until_waiting(0);
            let second = scope.spawn(|| gated.cost(2.0, &control));
            gated.wait_until_waiting(1);
            gated.let_go.store(1, Ordering::Release);
            for plan in [first, second] {
                assert!(matches!(plan.join().unwrap(), Err(KineticError::Other(_))));
            }
        });
        assert_eq!(gated.cost(3.0, &control), Ok(3.0));
    }
}
