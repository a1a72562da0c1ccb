//! The trait of numerical solvers.

use kinetic_core::rng::SeededRng;

use super::pose_problem::{PoseProblem, PoseResidual};

/// A numerical solver with its memory.
pub(crate) trait NumericalSolver {
    /// Improves `q` in place, inside the bounds of the problem, and leaves the best configuration met in it.
    fn attempt(&mut self, problem: &PoseProblem<'_>, rng: &mut SeededRng, q: &mut [f64]) -> Outcome;
}

/// Result of an attempt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome {
    pub(crate) converged: bool,
    pub(crate) iterations: usize,
    /// Residual of the best configuration.
    pub(crate) residual: PoseResidual,
}

impl Outcome {
    /// Before the first configuration was looked at.
    pub(crate) fn none() -> Self {
        let residual = PoseResidual { error: [f64::INFINITY; 6], position: f64::INFINITY, orientation: f64::INFINITY };
        Self { converged: false, iterations: 0, residual }
    }
}
