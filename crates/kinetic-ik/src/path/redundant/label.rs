//! Labels of the dynamic program: configurations with the best path to them, and the steps between labels.

use std::f64::consts::TAU;

use kinetic_kinematics::KinematicChain;

use super::PaddedJoints;
use super::knot_path::cost;
use super::knots::KnotSample;
use crate::path::turns::{Turns, lifted, turns_in};

/// A configuration of a knot with the best path to it, and the turns on which all of the path is inside the limits.
#[derive(Debug, Clone)]
pub(super) struct KnotLabel {
    pub(super) row: PaddedJoints,
    /// On turns between −π and π.
    folded: PaddedJoints,
    pub(super) turns: [Turns; 8],
    pub(super) cost: f64,
    pub(super) parent: usize,
}

impl KnotLabel {
    pub(super) fn first(sample: &KnotSample) -> Self {
        Self { row: sample.row, folded: sample.folded, turns: sample.turns, cost: 0.0, parent: 0 }
    }

    /// Label of the first pose, without predecessor.
    pub(super) fn start(chain: &KinematicChain, row: PaddedJoints) -> Self {
        let fold = |joint: usize| lifted(row[joint], 0.0, joint < chain.dof() && chain.is_rotation(joint));
        Self { row, folded: std::array::from_fn(fold), turns: [(0, 0); 8], cost: 0.0, parent: 0 }
    }
}

/// Steps to a knot.
pub(super) struct Steps {
    /// Poses from the knot before.
    pub(super) gap: f64,
    /// Farthest that joints move.
    caps: PaddedJoints,
    /// 2π for joints that turn, infinite for others.
    periods: PaddedJoints,
}

impl Steps {
    pub(super) fn new(chain: &KinematicChain, gap: f64, cap: impl Fn(usize) -> f64) -> Self {
        let dof = chain.dof();
        let period = |joint: usize| if joint < dof && chain.is_rotation(joint) { TAU } else { f64::INFINITY };
        Self {
            gap,
            caps: std::array::from_fn(|joint| if joint < dof { cap(joint) } else { 0.0 }),
            periods: std::array::from_fn(period),
        }
    }

    /// The `N` least costs of paths over the labels to a sample, in their order and with the labels' indices: those up to the bound,
    /// and infinite ones where there are fewer. Labels are in the order of their costs.
    pub(super) fn cheapest<const N: usize>(
        &self,
        before: &[KnotLabel],
        sample: &KnotSample,
        bound: f64,
    ) -> [(f64, usize); N] {
        let mut out = [(f64::INFINITY, 0); N];
        for (parent, label) in before.iter().enumerate() {
            let most = out[N - 1].0.min(bound);
            if label.cost > most {
                break;
            }
            let Some(farthest) = self.farthest(&label.folded, &sample.folded) else { continue };
            let cost = label.cost + cost(farthest, self.gap);
            if cost <= bound && cost < out[N - 1].0 {
                let place = out.partition_point(|known| known.0 <= cost);
                out[place..].rotate_right(1);
                out[place] = (cost, parent);
            }
        }
        out
    }

    /// The largest step of a joint; `None` when one is larger than its cap.
    #[inline]
    fn farthest(&self, from: &PaddedJoints, to: &PaddedJoints) -> Option<f64> {
        let mut steps = [0.0; 8];
        for joint in 0..8 {
            let step = (from[joint] - to[joint]).abs();
            // The shorter direction of rotation, without a branch.
            steps[joint] = f64::min(step, (self.periods[joint] - step).abs());
        }
        let mut excess = f64::NEG_INFINITY;
        for joint in 0..8 {
            excess = f64::max(excess, steps[joint] - self.caps[joint]);
        }
        (excess <= 0.0).then(|| steps.iter().copied().fold(0.0, f64::max))
    }

    /// The sample on the turn that goes on from a label; `None` when a joint leaves its limits.
    pub(super) fn reached(
        &self,
        label: &KnotLabel,
        sample: &KnotSample,
        cost: f64,
        parent: usize,
    ) -> Option<KnotLabel> {
        let mut reached = KnotLabel { cost, parent, ..KnotLabel::first(sample) };
        for joint in 0..8 {
            let back = if self.periods[joint] == TAU { turns_in(sample.row[joint] - label.row[joint]) } else { 0.0 };
            #[allow(clippy::cast_possible_truncation, reason = "differences of joint values make a few turns")]
            let shift = back as i32;
            let ((low, high), own) = (label.turns[joint], sample.turns[joint]);
            let turns = (low.max(own.0 + shift), high.min(own.1 + shift));
            if turns.0 > turns.1 {
                return None;
            }
            reached.row[joint] -= TAU * back;
            reached.turns[joint] = turns;
        }
        Some(reached)
    }
}
