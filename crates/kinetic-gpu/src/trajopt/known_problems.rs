//! Problems of the last scenes, so that a scene which is asked for again is not prepared again.

use std::collections::VecDeque;
use std::sync::Arc;

use kinetic_core::Result;
use kinetic_scene::OptimizationContext;

use super::GpuConfig;
use super::problem::SplineProblem;

/// Problems that are kept.
const MOST_KNOWN: usize = 16;

/// The problems that were asked for last, the latest at the end.
#[derive(Debug, Default)]
pub(super) struct KnownProblems(VecDeque<Arc<SplineProblem>>);

impl KnownProblems {
    /// The problem of a context: a known one, one with the grids of a known one, or another one.
    ///
    /// # Errors
    /// As [`SplineProblem::new`].
    pub(super) fn get(&mut self, context: &OptimizationContext<'_>, options: GpuConfig) -> Result<Arc<SplineProblem>> {
        let version = context.scene.version();
        let same = |known: &Arc<SplineProblem>| known.is_of(context) && known.snapshot.version == version;
        let problem = match self.0.iter().position(same).and_then(|place| self.0.remove(place)) {
            Some(problem) => problem,
            None => self.made(context, options)?,
        };
        if self.0.len() == MOST_KNOWN {
            self.0.pop_front();
        }
        self.0.push_back(Arc::clone(&problem));
        Ok(problem)
    }

    fn made(&self, context: &OptimizationContext<'_>, options: GpuConfig) -> Result<Arc<SplineProblem>> {
        let Some(known) = self.0.iter().rfind(|known| known.is_of(context)) else {
            return Ok(Arc::new(SplineProblem::new(context, options)?));
        };
        Ok(known.updated(context.scene)?.map_or_else(|| Arc::clone(known), Arc::new))
    }
}
