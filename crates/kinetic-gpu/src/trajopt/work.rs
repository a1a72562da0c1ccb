//! Requests as what optimizers compute: seeds as numbers, and what became of them.

use std::sync::Arc;

use kinetic_core::Control;

use super::SplineProposal;
use super::problem::SplineProblem;
use crate::error::{GpuError, GpuResult};

/// Seeds of a problem, and what may end their optimisation.
#[derive(Debug, Clone)]
pub(super) struct Part<'a> {
    pub(super) problem: Arc<SplineProblem>,
    pub(super) initial: &'a [f64],
    pub(super) control: &'a Control,
}

/// A part that is computed: the numbers of its seeds, and the answers so far, or why there are none.
#[derive(Debug)]
pub(super) struct Work<'a> {
    pub(super) problem: Arc<SplineProblem>,
    initial: &'a [f64],
    control: &'a Control,
    packed: Vec<f32>,
    answers: GpuResult<Vec<f32>>,
}

impl<'a> Work<'a> {
    pub(super) fn new(part: &Part<'a>) -> Self {
        let Part { problem, initial, control } = part.clone();
        let (packed, answers) = match problem.pack(initial) {
            Ok(packed) => (packed, Ok(Vec::new())),
            Err(error) => (Vec::new(), Err(error.into())),
        };
        Self { problem, initial, control, packed, answers }
    }

    /// Number of its seeds.
    pub(super) fn seeds(&self) -> usize {
        self.packed.len() / self.problem.sizes.seed_floats()
    }

    /// The numbers of some seeds.
    pub(super) fn packed(&self, seeds: std::ops::Range<usize>) -> &[f32] {
        let width = self.problem.sizes.seed_floats();
        &self.packed[seeds.start * width..seeds.end * width]
    }

    /// Whether its control lets it go on, and nothing has failed.
    pub(super) fn goes_on(&mut self, iterations: u64) -> bool {
        if let Err(error) = self.control.check(iterations) {
            self.fail(&error.into());
        }
        self.is_computed()
    }

    /// False once something has failed.
    pub(super) fn is_computed(&self) -> bool {
        self.answers.is_ok()
    }

    /// Adds the answers of its next seeds.
    pub(super) fn add(&mut self, answers: &[f32]) {
        if let Ok(all) = &mut self.answers {
            all.extend_from_slice(answers);
        }
    }

    /// Ends it; of several errors the first stays.
    pub(super) fn fail(&mut self, error: &GpuError) {
        if self.is_computed() {
            self.answers = Err(error.clone());
        }
    }

    pub(super) fn finish(self) -> GpuResult<Vec<SplineProposal>> {
        Ok(self.problem.finish(self.initial, &self.answers?))
    }
}
