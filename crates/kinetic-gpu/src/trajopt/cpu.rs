//! The scalar twin as an optimizer.

use kinetic_core::parallel::{in_chunks, processors};
use kinetic_core::{ContentHash, Control, Result};
use kinetic_scene::{Margins, Scene};

use super::problem::SplineProblem;
use super::{SplineProposal, TrajoptOptions};
use crate::twin::spline_cost::SplineArrays;
use crate::twin::spline_descent::SplineDescent;

/// As [`GpuTrajectoryOptimizer`](super::GpuTrajectoryOptimizer), on the processor: the same arithmetic in the same order. Seeds are
/// shared among threads, and results do not depend on how many there are.
#[derive(Debug, Clone)]
pub struct CpuTrajectoryOptimizer {
    problem: SplineProblem,
}

impl CpuTrajectoryOptimizer {
    /// For a planning group of a scene as it is now. `weights` are those of the joints in the metric, one each.
    ///
    /// # Errors
    /// As [`Scene::checker`]; [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for options or weights out of their domain, and
    /// [`DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch) for weights.
    pub fn new(scene: &Scene, group: &str, margins: Margins, weights: &[f64], options: TrajoptOptions) -> Result<Self> {
        Ok(Self { problem: SplineProblem::new(scene, group, margins, weights, options)? })
    }

    /// The scene that it was made of, or last updated to.
    pub fn version(&self) -> ContentHash {
        self.problem.snapshot.version
    }

    /// Its options.
    pub fn options(&self) -> &TrajoptOptions {
        &self.problem.options
    }

    /// Follows the scene to another version; false when it is the version that it has.
    ///
    /// # Errors
    /// As [`new`](Self::new); the optimizer then stays as it was.
    pub fn update(&mut self, scene: &Scene) -> Result<bool> {
        let updated = self.problem.updated(scene)?;
        Ok(updated.map(|problem| self.problem = problem).is_some())
    }

    /// As [`GpuTrajectoryOptimizer::optimize`](super::GpuTrajectoryOptimizer::optimize); the control is looked at between as many seeds
    /// as there are processors.
    ///
    /// # Errors
    /// [`DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch) for incomplete seeds,
    /// [`NotFinite`](kinetic_core::KineticError::NotFinite), [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for joint values
    /// farther than 32 rad or m from the turn of the start, and that of the control.
    pub fn optimize(&self, initial: &[f64], control: &Control) -> Result<Vec<SplineProposal>> {
        let packed = self.problem.pack(initial)?;
        let (sizes, plan) = (self.problem.sizes, self.problem.plan());
        let width = sizes.answer_floats();
        let mut answers = vec![0.0; packed.len() / sizes.seed_floats() * width];
        for (round, part) in answers.chunks_mut(width * processors()).enumerate() {
            control.check(0)?;
            in_chunks(part, width, 1, |first, out| {
                let seed = (round * processors() + first) * sizes.seed_floats();
                out.copy_from_slice(&self.descended(&plan, &packed[seed..seed + sizes.seed_floats()]));
            });
        }
        Ok(self.problem.finish(initial, &answers))
    }

    fn descended(&self, plan: &[f32], seed: &[f32]) -> Vec<f32> {
        let scene = &self.problem.snapshot.packed;
        let arrays = SplineArrays { scene: scene.arrays(), sizes: self.problem.sizes, plan, seed };
        SplineDescent::new(arrays, scene.robot.num_frames()).run(self.problem.options.iterations)
    }

    /// Cost and gradient at the first seed.
    ///
    /// # Errors
    /// As [`optimize`](Self::optimize).
    #[cfg(test)]
    pub(crate) fn cost_and_gradient(&self, initial: &[f64]) -> Result<(f32, Vec<f32>)> {
        let (packed, plan) = (self.problem.pack(initial)?, self.problem.plan());
        let scene = &self.problem.snapshot.packed;
        let arrays = SplineArrays { scene: scene.arrays(), sizes: self.problem.sizes, plan: &plan, seed: &packed };
        let ([cost, _], gradient) = SplineDescent::new(arrays, scene.robot.num_frames()).evaluated();
        Ok((cost, gradient))
    }
}
