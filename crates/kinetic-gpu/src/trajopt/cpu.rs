//! The scalar twin as an optimizer.

use std::sync::Arc;

use kinetic_core::parallel::{in_chunks, processors};
use kinetic_core::{ContentHash, Control, KineticError, Result};
use kinetic_scene::{Margins, OptimizationContext, Scene};

use super::problem::SplineProblem;
use super::work::{Part, Work};
use super::{GpuConfig, SplineProposal};
use crate::error::GpuResult;
use crate::twin::spline_cost::SplineArrays;
use crate::twin::spline_descent::SplineDescent;

/// As [`GpuTrajectoryOptimizer`](super::GpuTrajectoryOptimizer), on the processor: the same arithmetic in the same order. Seeds are
/// shared among threads, and results do not depend on how many there are.
#[derive(Debug, Clone)]
pub struct CpuTrajectoryOptimizer {
    problem: Arc<SplineProblem>,
}

impl CpuTrajectoryOptimizer {
    /// For a planning group of a scene as it is now. `weights` are those of the joints in the metric, one each.
    ///
    /// # Errors
    /// As [`Scene::checker`]; [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for options or weights out of their domain, and
    /// [`DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch) for weights.
    pub fn new(scene: &Scene, group: &str, margins: Margins, weights: &[f64], options: GpuConfig) -> Result<Self> {
        let context = OptimizationContext { scene, group, margins, weights };
        Ok(Self { problem: Arc::new(SplineProblem::new(&context, options)?) })
    }

    /// The scene that it was made of, or last updated to.
    pub fn version(&self) -> ContentHash {
        self.problem.snapshot.version
    }

    /// Its options.
    pub fn options(&self) -> &GpuConfig {
        &self.problem.options
    }

    /// Follows the scene to another version; false when it is the version that it has.
    ///
    /// # Errors
    /// As [`new`](Self::new); the optimizer then stays as it was.
    pub fn update(&mut self, scene: &Scene) -> Result<bool> {
        let updated = self.problem.updated(scene)?;
        Ok(updated.map(|problem| self.problem = Arc::new(problem)).is_some())
    }

    /// As [`GpuTrajectoryOptimizer::optimize`](super::GpuTrajectoryOptimizer::optimize); the control is looked at between as many seeds
    /// as there are processors.
    ///
    /// # Errors
    /// [`DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch) for incomplete seeds,
    /// [`NotFinite`](kinetic_core::KineticError::NotFinite), [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for joint values
    /// farther than 32 rad or m from the turn of the start, and that of the control.
    pub fn optimize(&self, initial: &[f64], control: &Control) -> Result<Vec<SplineProposal>> {
        let part = Part { problem: Arc::clone(&self.problem), initial, control };
        descend(&[part]).pop().unwrap_or_else(|| Ok(Vec::new())).map_err(KineticError::from)
    }

    /// Cost and gradient at the first seed.
    ///
    /// # Errors
    /// As [`optimize`](Self::optimize).
    #[cfg(test)]
    pub(crate) fn cost_and_gradient(&self, initial: &[f64]) -> Result<(f32, Vec<f32>)> {
        let packed = self.problem.pack(initial)?;
        let scene = &self.problem.snapshot.packed;
        let arrays =
            SplineArrays { scene: scene.arrays(), sizes: self.problem.sizes, plan: &self.problem.plan, seed: &packed };
        let ([cost, _], gradient) = SplineDescent::new(arrays, scene.robot.num_frames()).evaluated();
        Ok((cost, gradient))
    }
}

/// Optimises all seeds of some parts; the same for each part, whatever the others are.
pub(super) fn descend(parts: &[Part<'_>]) -> Vec<GpuResult<Vec<SplineProposal>>> {
    let mut works: Vec<Work<'_>> = parts.iter().map(Work::new).collect();
    let seeds = works.iter().enumerate().flat_map(|(index, work)| (0..work.seeds()).map(move |seed| (index, seed)));
    for round in seeds.collect::<Vec<_>>().chunks(processors()) {
        let round: Vec<_> = round.iter().filter(|(index, _)| works[*index].goes_on(0)).copied().collect();
        let mut answers = vec![Vec::new(); round.len()];
        in_chunks(&mut answers, 1, 1, |first, out| {
            let (index, seed) = round[first];
            out[0] = descended(&works[index], seed);
        });
        round.iter().zip(&answers).for_each(|((index, _), answer)| works[*index].add(answer));
    }
    works.into_iter().map(Work::finish).collect()
}

fn descended(work: &Work<'_>, seed: usize) -> Vec<f32> {
    let problem = &work.problem;
    let (scene, seed) = (&problem.snapshot.packed, work.packed(seed..seed + 1));
    let arrays = SplineArrays { scene: scene.arrays(), sizes: problem.sizes, plan: &problem.plan, seed };
    SplineDescent::new(arrays, scene.robot.num_frames()).run(problem.options.iterations)
}
