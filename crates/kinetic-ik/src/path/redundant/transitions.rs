//! Transitions of the dynamic program: the configurations of a knot that those of the knot before lead to.

use super::PaddedJoints;
use super::coarse_search::{BETWEEN_KNOTS_STEP_RATIO, CoarseSearch};
use super::knot_path::{apart, between};
use super::knots::{KnotSample, turned};
use super::label::{KnotLabel, Steps};
use super::self_motion_curve::{is_known, sample_curve};

/// Configurations as near as this are continuous without a test.
const CONTINUOUS_STEP_RAD_M: f64 = 0.1;
/// Deviation of a joint half way to a sample: samples are apart from each other.
const MIDPOINT_DEVIATION_RAD_M: f64 = 0.05;
/// Farthest that a joint moves between knots, rad or m.
const LARGEST_KNOT_STEP_RAD_M: f64 = 1.5;
/// Labels that are tried before a sample counts as out of reach.
const LABELS_TRIED: usize = 4;
/// Labels of a knot that are continued to the next one, so that the self-motion is not bound to its samples.
const MOST_CONTINUED_LABELS: usize = 32;
/// Labels of a knot that are continued where samples are added along curves.
const MOST_LABELS_CONTINUED_ON_CURVE: usize = 16;
/// Distance of the samples at both ends of a step from the best configurations, together.
const SAMPLE_DISTANCE_RAD_M: f64 = 0.25;

impl CoarseSearch<'_, '_, '_> {
    /// All configurations of the first knot that are known.
    pub(super) fn first_layer(&mut self) -> Vec<KnotLabel> {
        if self.is_curve {
            let found = std::mem::take(&mut self.samples[0]);
            self.trace(0, &found);
        }
        let labels: Vec<KnotLabel> = self.samples[0].iter().map(KnotLabel::first).collect();
        labels.into_iter().filter(|label| self.accepts(label)).collect()
    }

    /// The configurations of knot `at` that the last of the layers leads to.
    pub(super) fn layer(&mut self, layers: &[Vec<KnotLabel>], at: usize) -> Vec<KnotLabel> {
        let continued = self.continue_from(layers, at);
        if self.is_curve {
            self.trace(at, &continued);
        }
        let steps = self.steps_to(at);
        let mut out = Vec::with_capacity(self.samples[at].len() + continued.len());
        for index in 0..self.samples[at].len() + continued.len() {
            let known = self.samples[at].len();
            let sample = if index < known { self.samples[at][index].clone() } else { continued[index - known].clone() };
            let arrived = self.arrive(&layers[layers.len() - 1], &sample, at, &steps);
            out.extend(arrived.filter(|label| self.accepts(label)));
        }
        out
    }

    fn steps_to(&self, at: usize) -> Steps {
        let gap = if at > 0 { self.knots[at] - self.knots[at - 1] } else { self.knots[at] + 1 } as f64;
        Steps::new(self.projector.chain(), gap, |joint| {
            self.steps[joint].min(self.largest + SAMPLE_DISTANCE_RAD_M / gap).min(LARGEST_KNOT_STEP_RAD_M / gap) * gap
        })
    }

    /// The best path to a sample of knot `at` that is continuous between the knots. Labels are in the order of their costs.
    fn arrive(&mut self, before: &[KnotLabel], sample: &KnotSample, at: usize, steps: &Steps) -> Option<KnotLabel> {
        let cheapest = steps.cheapest::<LABELS_TRIED>(before, sample, self.bound);
        for (cost, parent) in cheapest.into_iter().take_while(|(cost, _)| cost.is_finite()) {
            let from = &before[parent];
            if let Some(label) = steps.reached(from, sample, cost, parent)
                && self.is_continuous(at, &from.row, &label.row, steps)
            {
                return Some(label);
            }
        }
        None
    }

    /// Whether the configuration projected onto the pose half way is about half way between two configurations.
    fn is_continuous(&mut self, at: usize, from: &PaddedJoints, to: &PaddedJoints, steps: &Steps) -> bool {
        let most = apart(from, to, self.problem.dof);
        if at == 0 || self.knots[at] - self.knots[at - 1] < 2 || most < CONTINUOUS_STEP_RAD_M {
            return true;
        }
        let middle = usize::midpoint(self.knots[at - 1], self.knots[at]);
        let part = (middle - self.knots[at - 1]) as f64 / steps.gap;
        let mut row = between(from, to, part);
        self.projector.approach(&self.problem.targets[middle], &mut row)
            && apart(from, &row, self.problem.dof) <= BETWEEN_KNOTS_STEP_RATIO * most * part + MIDPOINT_DEVIATION_RAD_M
            && apart(&row, to, self.problem.dof)
                <= BETWEEN_KNOTS_STEP_RATIO * most * (1.0 - part) + MIDPOINT_DEVIATION_RAD_M
    }

    /// Adds the curves through configurations of a knot that have none yet.
    fn trace(&mut self, at: usize, from: &[KnotSample]) {
        let target = &self.problem.targets[self.knots[at]];
        for sample in from {
            if !is_known(&sample.row, &self.samples[at], self.spacing, self.projector.chain()) {
                sample_curve(sample, self.spacing, target, self.projector, &mut self.samples[at]);
            }
        }
    }

    /// Continuation of labels to the next knot: from their configurations, and extrapolated by the motion that led to them,
    /// which goes straight through singularities at which branches meet.
    fn continue_from(&mut self, layers: &[Vec<KnotLabel>], at: usize) -> Vec<KnotSample> {
        let before = &layers[layers.len() - 1];
        let most = if self.is_curve { MOST_LABELS_CONTINUED_ON_CURVE } else { MOST_CONTINUED_LABELS };
        // Samples along a curve begin anywhere on it; on surfaces the best labels count.
        let stride = if self.is_curve { before.len().div_ceil(most) } else { 1 };
        let mut out = Vec::with_capacity(2 * most);
        for label in before.iter().step_by(stride).take(most) {
            let row = turned(&label.row, &label.turns);
            self.go_to(at, row, &mut out);
            if at >= 2 {
                let parent = &layers[at - 2][label.parent];
                let gaps = [at - 1, at].map(|at| (self.knots[at] - self.knots[at - 1]) as f64);
                let motion = |joint: usize| (label.row[joint] - parent.row[joint]) * gaps[1] / gaps[0];
                self.go_to(at, std::array::from_fn(|joint| row[joint] + motion(joint)), &mut out);
            }
        }
        out
    }

    fn go_to(&mut self, at: usize, mut row: PaddedJoints, out: &mut Vec<KnotSample>) {
        if self.projector.project(&self.problem.targets[self.knots[at]], &mut row) {
            out.extend(KnotSample::of(self.projector.chain(), row));
        }
    }
}
