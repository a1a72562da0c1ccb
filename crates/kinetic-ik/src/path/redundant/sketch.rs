//! Rough ways through a few poses, by dynamic programming over samples of their self-motion.

use super::Row;
use super::followed;
use super::follower::Follower;
use super::knots::{Sample, samples, turned};
use super::label::Label;
use super::way::{Setting, Way, apart};
use crate::analytic::{Branches, Manipulator};

/// Knots that are added where steps turn out to be none, at most.
const REPAIRS: usize = 24;
/// Between knots steps may be so many times larger than the largest at knots.
pub(super) const STRETCH: f64 = 1.6;
/// Ways of different kind at most.
const KINDS: usize = 3;
/// Ways that differ by more at some knot are of different kind, rad or m.
const DIFFERENT: f64 = 0.8;
/// Samples stand apart: a way through them may cost so many times as much as one that was followed.
const ROUGH: f64 = 4.0;

/// The configurations that are looked at, knot after knot.
pub(super) struct Sketch<'a, 'b> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) follower: &'a mut Follower<'b>,
    /// Largest step of each joint from pose to pose.
    pub(super) steps: &'a [f64],
    pub(super) knots: Vec<usize>,
    pub(super) samples: Vec<Vec<Sample>>,
    /// The self-motion is a curve, along which samples are added where labels lead to.
    pub(super) is_curve: bool,
    /// Gives samples of every knot.
    sampler: Option<&'a Manipulator>,
    branches: Branches,
    /// Cost from which ways are not looked at.
    pub(super) bound: f64,
    /// Largest step of a way that was followed.
    pub(super) largest: f64,
}

impl<'a, 'b> Sketch<'a, 'b> {
    /// `first` are samples of the first knot: all of them, unless there is a start. A sampler gives samples of all knots.
    pub(super) fn new(
        setting: &'a Setting<'a>,
        follower: &'a mut Follower<'b>,
        steps: &'a [f64],
        knots: Vec<usize>,
        first: Vec<Sample>,
        sampler: Option<&'a Manipulator>,
        is_curve: bool,
    ) -> Self {
        let mut samples = vec![Vec::new(); knots.len()];
        samples[0] = first;
        let (branches, bound, largest) = (Branches::default(), f64::INFINITY, f64::INFINITY);
        let mut sketch = Self { setting, follower, steps, knots, samples, is_curve, sampler, branches, bound, largest };
        (0..sketch.knots.len()).for_each(|at| sketch.sample(at));
        sketch
    }

    /// Samples of a knot from the sampler, if there is one.
    fn sample(&mut self, at: usize) {
        if let Some(manipulator) = self.sampler {
            let target = &self.setting.targets[self.knots[at]];
            self.samples[at].extend(samples(manipulator, target, &mut self.branches));
        }
    }

    /// Ways through the knots in which large steps are few and small, the best first, that go on between the knots.
    pub(super) fn ways(&mut self) -> Vec<Way> {
        let followed = followed::best(self.setting, self.follower, &self.knots, &self.samples[0]);
        if let Some(way) = followed.as_ref().filter(|way| way.keeps(self.setting, self.steps)) {
            (self.bound, self.largest) = (ROUGH * way.cost(self.setting), way.largest(self.setting));
        }
        let mut layers: Vec<Vec<Label>> = Vec::with_capacity(self.knots.len());
        for _ in 0..REPAIRS {
            if self.go_on(&mut layers).is_none() {
                break;
            }
            let mut ways = self.distinct(&layers).into_iter();
            let Some(best) = ways.next() else { break };
            let Some(at) = self.torn(&best) else {
                let others: Vec<Way> = ways.filter(|way| self.torn(way).is_none()).collect();
                return std::iter::once(best).chain(others).collect();
            };
            self.knots.insert(at, usize::midpoint(self.knots[at - 1], self.knots[at]));
            self.samples.insert(at, Vec::new());
            self.sample(at);
            layers.truncate(at);
        }
        followed.into_iter().collect()
    }

    /// Labels of the layers that have none; `None` when a layer gets none, and when the search is stopped.
    fn go_on(&mut self, layers: &mut Vec<Vec<Label>>) -> Option<()> {
        for at in layers.len()..self.knots.len() {
            let mut layer = match (layers.last(), self.setting.start) {
                (Some(_), _) => self.layer(layers, at),
                (None, Some(start)) => self.layer(&[vec![Label::start(self.follower.chain(), start)]], at),
                (None, None) => self.first_layer(),
            };
            layer.retain(|label| label.cost <= self.bound);
            if layer.is_empty() || self.setting.stop.is_stopped() {
                return None;
            }
            layer.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            layers.push(layer);
        }
        Some(())
    }

    /// Ways of different kind, the best first.
    fn distinct(&mut self, layers: &[Vec<Label>]) -> Vec<Way> {
        let mut ways: Vec<Way> = Vec::new();
        for end in 0..layers.last().map_or(0, Vec::len) {
            let rows = trace(layers, end);
            let differs = |known: &Way| {
                let steps = known.rows.iter().zip(&rows).map(|(a, b)| apart(a, b, self.setting.dof));
                steps.fold(0.0, f64::max) > DIFFERENT
            };
            if ways.iter().all(differs) {
                ways.extend(self.settled(rows));
            }
            if ways.len() == KINDS {
                break;
            }
        }
        ways
    }

    /// The way through configurations that are near their poses.
    fn settled(&mut self, rows: Vec<Row>) -> Option<Way> {
        let mut way = Way { rows, knots: self.knots.clone() };
        let mut knots = way.knots.iter().zip(&mut way.rows);
        knots.all(|(knot, row)| self.follower.project(&self.setting.targets[*knot], row)).then_some(way)
    }

    /// The knot that the way only seems to lead to: between it and the one before, steps are much larger than at knots.
    fn torn(&mut self, way: &Way) -> Option<usize> {
        let largest = way.largest(self.setting);
        let gap = Setting { start: None, ..*self.setting };
        (1..way.knots.len()).find(|at| {
            let part = way.part(*at);
            let is_whole = |full: Way| full.largest(&gap) <= STRETCH * largest.max(part.largest(&gap));
            !part.full(&gap, self.follower).is_some_and(is_whole)
        })
    }
}

/// The rows of the way to a label of the last layer, first to last, on turns inside the limits.
fn trace(layers: &[Vec<Label>], end: usize) -> Vec<Row> {
    let (mut rows, mut at) = (Vec::with_capacity(layers.len()), end);
    let Some(turns) = layers.last().map(|last| last[end].turns) else { return rows };
    for layer in layers.iter().rev() {
        rows.push(turned(&layer[at].row, &turns));
        at = layer[at].parent;
    }
    rows.reverse();
    rows
}
