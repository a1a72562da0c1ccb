//! Optimisers of many trajectories at once, as planners have them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use kinetic_core::{Control, Result};
use kinetic_scene::{BatchTrajectoryOptimizer, Margins, OptimizationContext, Scene, SplineProposal};

/// How often an optimiser that another plan uses is tried again.
const WAIT: Duration = Duration::from_millis(1);

/// An optimiser that planners and their clones share: one plan at a time uses it.
pub type SharedOptimizer = Arc<Mutex<dyn BatchTrajectoryOptimizer>>;

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
        let optimizer = self.optimizer.lock().unwrap_or_else(PoisonError::into_inner);
        (optimizer.control_points(), optimizer.seeds_per_batch().max(1) as u64)
    }

    /// Optimises trajectories when no other plan does.
    ///
    /// # Errors
    /// Those of the optimiser, and that of the control, also while another plan uses it.
    pub(crate) fn optimize(&self, weights: &[f64], initial: &[f64], control: &Control) -> Result<Vec<SplineProposal>> {
        let context = OptimizationContext { scene: &self.scene, group: &self.group, margins: self.margins, weights };
        self.locked(control)?.optimize(&context, initial, control)
    }

    fn locked(&self, control: &Control) -> Result<MutexGuard<'_, dyn BatchTrajectoryOptimizer + 'static>> {
        loop {
            match self.optimizer.try_lock() {
                Ok(guard) => return Ok(guard),
                Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => {}
            }
            control.check(0)?;
            std::thread::sleep(WAIT);
        }
    }
}
