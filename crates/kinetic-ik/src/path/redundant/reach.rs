//! From the configurations of one knot to those of the next.

use super::Row;
use super::knots::{Sample, turned};
use super::label::{Label, Steps};
use super::sketch::{STRETCH, Sketch};
use super::traced::{is_known, walk_along};
use super::way::{apart, between};

/// Configurations as near as this go on from each other mostly, rad or m.
const NEAR: f64 = 0.1;
/// And half way to a sample, joints may be so far off, rad or m: samples stand apart.
const OFF: f64 = 0.05;
/// Farthest that a joint moves between knots, rad or m.
const FARTHEST: f64 = 1.5;
/// Labels that are tried before a sample counts as out of reach.
const TRIES: usize = 4;
/// Labels of a knot that are followed to the next one, so that the self-motion is not bound to its samples.
const FOLLOWED: usize = 32;
/// Where samples are added along curves.
const FOLLOWED_ALONG: usize = 16;
/// Samples on both ends of a step may be so far beside the best ones together, rad or m.
const APART: f64 = 0.25;

impl Sketch<'_, '_> {
    /// All configurations of the first knot that are known.
    pub(super) fn first_layer(&mut self) -> Vec<Label> {
        if self.is_curve {
            let found = std::mem::take(&mut self.samples[0]);
            self.trace(0, &found);
        }
        self.samples[0].iter().map(Label::first).collect()
    }

    /// The configurations of knot `at` that the last of the layers leads to.
    pub(super) fn layer(&mut self, layers: &[Vec<Label>], at: usize) -> Vec<Label> {
        let followed = self.follow(layers, at);
        if self.is_curve {
            self.trace(at, &followed);
        }
        let steps = self.steps_to(at);
        let mut scratch = Vec::new();
        let mut out = Vec::with_capacity(self.samples[at].len() + followed.len());
        for index in 0..self.samples[at].len() + followed.len() {
            let known = self.samples[at].len();
            let sample = if index < known { self.samples[at][index].clone() } else { followed[index - known].clone() };
            out.extend(self.arrive(&layers[layers.len() - 1], &sample, at, &steps, &mut scratch));
        }
        out
    }

    fn steps_to(&self, at: usize) -> Steps {
        let gap = if at > 0 { self.knots[at] - self.knots[at - 1] } else { self.knots[at] + 1 } as f64;
        Steps::new(self.follower.chain(), gap, |joint| {
            self.steps[joint].min(self.largest + APART / gap).min(FARTHEST / gap) * gap
        })
    }

    /// The best way to a sample of knot `at` that goes on between the knots. Labels stand in the order of their costs.
    fn arrive(
        &mut self,
        before: &[Label],
        sample: &Sample,
        at: usize,
        steps: &Steps,
        scratch: &mut Vec<(f64, usize)>,
    ) -> Option<Label> {
        steps.list(before, sample, self.bound, scratch);
        for _ in 0..TRIES {
            let least = (0..scratch.len()).min_by(|a, b| scratch[*a].0.total_cmp(&scratch[*b].0))?;
            let (cost, parent) = scratch.swap_remove(least);
            let from = &before[parent];
            if let Some(label) = steps.reached(from, sample, cost, parent)
                && self.goes_on(at, &from.row, &label.row, steps)
            {
                return Some(label);
            }
        }
        None
    }

    /// Whether half way between two configurations the arm is about half way.
    fn goes_on(&mut self, at: usize, from: &Row, to: &Row, steps: &Steps) -> bool {
        let most = apart(from, to, self.setting.dof);
        if at == 0 || self.knots[at] - self.knots[at - 1] < 2 || most < NEAR {
            return true;
        }
        let middle = usize::midpoint(self.knots[at - 1], self.knots[at]);
        let part = (middle - self.knots[at - 1]) as f64 / steps.gap;
        let mut row = between(from, to, part);
        self.follower.approach(&self.setting.targets[middle], &mut row)
            && apart(from, &row, self.setting.dof) <= STRETCH * most * part + OFF
            && apart(&row, to, self.setting.dof) <= STRETCH * most * (1.0 - part) + OFF
    }

    /// Adds the curves through configurations of a knot that have none yet.
    fn trace(&mut self, at: usize, from: &[Sample]) {
        let target = &self.setting.targets[self.knots[at]];
        for sample in from {
            if !is_known(&sample.row, &self.samples[at], self.follower.chain()) {
                walk_along(sample, target, self.follower, &mut self.samples[at]);
            }
        }
    }

    /// Where labels go on: from where they stand, and with the motion that led there, which goes straight through
    /// singularities at which branches meet.
    fn follow(&mut self, layers: &[Vec<Label>], at: usize) -> Vec<Sample> {
        let before = &layers[layers.len() - 1];
        let most = if self.is_curve { FOLLOWED_ALONG } else { FOLLOWED };
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

    fn go_to(&mut self, at: usize, mut row: Row, out: &mut Vec<Sample>) {
        if self.follower.project(&self.setting.targets[self.knots[at]], &mut row) {
            out.extend(Sample::of(self.follower.chain(), row));
        }
    }
}
