//! Rough ways through a few poses, by dynamic programming over samples of their self-motion.

use std::f64::consts::TAU;

use super::Row;
use super::follower::Follower;
use super::knots::{Sample, turned};
use super::way::{Setting, Way, apart};
use crate::chain::KinematicChain;
use crate::path::turns::{Turns, step, turns_in};
use crate::rigid::Rigid;

/// Farthest that a joint moves between knots, rad or m.
const FARTHEST: f64 = 1.5;
/// Power of steps whose sum is least.
const EXPONENT: i32 = 6;
/// Steps that turn out to be none, at most.
const REPAIRS: usize = 24;
/// Between knots steps may be so many times larger than the largest at knots.
const STRETCH: f64 = 1.6;
/// Ways of different kind at most.
const KINDS: usize = 3;
/// Ways that differ by more at some knot are of different kind, rad or m.
const DIFFERENT: f64 = 0.8;
/// Labels of a knot that are followed to the next one, so that the self-motion is not bound to its samples.
const FOLLOWED: usize = 32;

/// A configuration of a knot with the best way to it, and the turns on which all of the way is inside the limits.
struct Label {
    row: Row,
    turns: [Turns; 8],
    cost: f64,
    parent: usize,
}

impl Label {
    fn first(sample: Sample) -> Self {
        Self { row: sample.row, turns: sample.turns, cost: 0.0, parent: 0 }
    }
}

/// The configurations that are looked at, knot after knot.
pub(super) struct Sketch<'a> {
    pub(super) chain: &'a KinematicChain,
    /// Largest step of each joint from pose to pose.
    pub(super) steps: &'a [f64],
    pub(super) knots: Vec<usize>,
    pub(super) samples: Vec<Vec<Sample>>,
    pub(super) is_rotation: Vec<bool>,
    /// Steps to a knot that look small, and are none.
    pub(super) torn: Vec<(usize, Row, Row)>,
}

impl Sketch<'_> {
    /// Ways through the knots in which large steps are few and small, the best first, that go on between the knots.
    pub(super) fn ways(&mut self, setting: &Setting<'_>, follower: &mut Follower<'_>) -> Vec<Way> {
        let mut layers: Vec<Vec<Label>> = Vec::with_capacity(self.knots.len());
        for _ in 0..REPAIRS {
            if self.go_on(setting, follower, &mut layers).is_none() {
                break;
            }
            let mut ways = self.distinct(&layers, setting.dof).into_iter();
            let Some(best) = ways.next() else { break };
            let Some(at) = torn(&best, setting, follower) else {
                let others = ways.filter(|way| torn(way, setting, follower).is_none());
                return std::iter::once(best).chain(others).collect();
            };
            self.torn.push((at, best.rows[at - 1], best.rows[at]));
            layers.truncate(at);
        }
        Vec::new()
    }

    /// Labels of the layers that have none; `None` when a layer gets none, and when the search is stopped.
    fn go_on(&self, setting: &Setting<'_>, follower: &mut Follower<'_>, layers: &mut Vec<Vec<Label>>) -> Option<()> {
        let start = setting.start.map(|row| vec![Label::first(Sample { row, turns: [(0, 0); 8] })]);
        for at in layers.len()..self.knots.len() {
            let mut layer: Vec<Label> = match layers.last().or(start.as_ref()) {
                Some(before) => {
                    let followed = self.follow(before, &setting.targets[self.knots[at]], follower);
                    let samples = self.samples[at].iter().chain(&followed);
                    samples.filter_map(|sample| self.arrive(before, sample, at)).collect()
                }
                None => self.samples[at].iter().cloned().map(Label::first).collect(),
            };
            if layer.is_empty() || setting.stop.is_stopped() {
                return None;
            }
            layer.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            layers.push(layer);
        }
        Some(())
    }

    /// The best way to a sample of knot `at`. Labels stand in the order of their costs.
    fn arrive(&self, before: &[Label], sample: &Sample, at: usize) -> Option<Label> {
        let gap = if at > 0 { self.knots[at] - self.knots[at - 1] } else { self.knots[at] + 1 } as f64;
        let mut caps = [0.0; 8];
        for (cap, step) in caps.iter_mut().zip(self.steps) {
            *cap = (step * gap).min(FARTHEST);
        }
        let mut best: Option<Label> = None;
        for (parent, label) in before.iter().enumerate() {
            let least = best.as_ref().map_or(f64::INFINITY, |best| best.cost);
            if least <= label.cost {
                break;
            }
            let Some(most) = self.farthest(&label.row, &sample.row, &caps) else { continue };
            let cost = label.cost + gap * (most / gap).powi(EXPONENT);
            if cost >= least {
                continue;
            }
            let Some(reached) = self.reached(label, sample) else { continue };
            if !self.is_torn(at, &label.row, &reached.row) {
                best = Some(Label { row: reached.row, turns: reached.turns, cost, parent });
            }
        }
        best
    }

    /// The largest step of a joint; `None` when one is larger than its cap.
    #[inline]
    fn farthest(&self, from: &Row, to: &Row, caps: &Row) -> Option<f64> {
        let mut most = 0.0_f64;
        for (joint, is_rotation) in self.is_rotation.iter().enumerate() {
            let step = step(from[joint], to[joint], *is_rotation).abs();
            if step > caps[joint] {
                return None;
            }
            most = most.max(step);
        }
        Some(most)
    }

    /// The sample on the turn that goes on from a label; `None` when a joint leaves its limits.
    fn reached(&self, label: &Label, sample: &Sample) -> Option<Sample> {
        let mut reached = sample.clone();
        for (joint, is_rotation) in self.is_rotation.iter().enumerate() {
            let back = if *is_rotation { turns_in(sample.row[joint] - label.row[joint]) } else { 0.0 };
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

    fn is_torn(&self, at: usize, from: &Row, to: &Row) -> bool {
        let is_same = |a: &Row, b: &Row| {
            self.is_rotation.iter().enumerate().all(|(joint, turns)| step(a[joint], b[joint], *turns).abs() < 1e-9)
        };
        self.torn.iter().any(|torn| torn.0 == at && is_same(&torn.1, from) && is_same(&torn.2, to))
    }

    /// Where the best labels go on.
    fn follow(&self, before: &[Label], target: &Rigid, follower: &mut Follower<'_>) -> Vec<Sample> {
        let followed = |label: &Label| {
            let mut row = turned(&label.row, &label.turns);
            follower.project(target, &mut row).then(|| Sample::of(self.chain, row)).flatten()
        };
        before.iter().take(FOLLOWED).filter_map(followed).collect()
    }

    /// Ways of different kind, the best first.
    fn distinct(&self, layers: &[Vec<Label>], dof: usize) -> Vec<Way> {
        let mut ways: Vec<Way> = Vec::new();
        for end in 0..layers.last().map_or(0, Vec::len) {
            let rows = trace(layers, end);
            let differs = |known: &Way| {
                let steps = known.rows.iter().zip(&rows).map(|(a, b)| apart(a, b, dof));
                steps.fold(0.0, f64::max) > DIFFERENT
            };
            if ways.iter().all(differs) {
                ways.push(Way { rows, knots: self.knots.clone() });
            }
            if ways.len() == KINDS {
                break;
            }
        }
        ways
    }
}

/// The knot that the way only seems to lead to: between it and the one before, steps are much larger than at knots.
fn torn(way: &Way, setting: &Setting<'_>, follower: &mut Follower<'_>) -> Option<usize> {
    let largest = way.largest(setting);
    let gap = Setting { start: None, ..*setting };
    (1..way.knots.len()).find(|at| {
        let part = way.part(*at);
        let is_whole = |full: Way| full.largest(&gap) <= STRETCH * largest.max(part.largest(&gap));
        !part.full(&gap, follower).is_some_and(is_whole)
    })
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
