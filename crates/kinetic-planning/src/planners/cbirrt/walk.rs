//! Steps on the configurations that keep constraints: straight ahead, then projected.

use super::CbirrtConfig;
use crate::space::Space;
use crate::validity::Validity;

/// Steps that succeed lengthen the next by this factor; one that leaves the constraints halves it.
const STEP_GROWTH: f64 = 1.3;

/// A step has to come nearer to its target by this part of its length.
const LEAST_PROGRESS_RATIO: f64 = 0.1;

/// A projected step may be longer than it was by this factor.
const LONGEST_STEP_RATIO: f64 = 2.0;

/// Steps towards targets, with the length that the last ones had.
#[derive(Debug, Clone)]
pub(super) struct Walk {
    config: CbirrtConfig,
    step: f64,
    end: Vec<f64>,
}

/// A step that was made.
pub(super) struct WalkStep {
    pub(super) length: f64,
    /// Whether it ends at the target.
    pub(super) is_last: bool,
}

impl Walk {
    pub(super) fn new(space: &Space, config: CbirrtConfig) -> Self {
        Self { config, step: config.step, end: vec![0.0; space.dof()] }
    }

    /// Where the last step ended.
    pub(super) fn end(&self) -> &[f64] {
        &self.end
    }

    /// A step from `here` towards `target`, which is valid itself; `None` where none is valid or comes nearer.
    pub(super) fn step(
        &mut self,
        space: &Space,
        here: &[f64],
        target: &[f64],
        validity: &mut dyn Validity,
    ) -> Option<WalkStep> {
        let left = space.distance(here, target);
        loop {
            let is_last = space.steer(here, target, self.step, &mut self.end);
            let wanted = self.step.min(left);
            if !is_last && !validity.project(&mut self.end) {
                return None;
            }
            let length = space.distance(here, &self.end);
            let comes_nearer = space.distance(&self.end, target) <= left - LEAST_PROGRESS_RATIO * wanted;
            let is_near = comes_nearer && length <= LONGEST_STEP_RATIO * wanted;
            if is_near && validity.motion_may_be_valid(here, &self.end) {
                self.step = (STEP_GROWTH * self.step).min(self.config.step);
                return Some(WalkStep { length, is_last });
            }
            // A shorter step helps where the manifold bends, and not where something is in the way.
            let bends = !is_near || !validity.motion_keeps_constraints(here, &self.end);
            if !bends || 0.5 * wanted < self.config.min_step {
                self.step = self.step.max(self.config.min_step);
                return None;
            }
            self.step = 0.5 * wanted;
        }
    }
}
