//! Shortest paths through the ladder graph, by dynamic programming over labels.
//!
//! A label is a configuration with the box of turns of 2π that its joints can be on there: every turn in the box comes
//! with a path back to the first layer that stays inside the limits. Steps do not depend on the turns, so that one label
//! stands for all of them, and arms with joints of several turns cost no more than others.
//!
//! The least largest step comes from one pass; the least length from a second one that is not allowed larger steps. One
//! pass for both would keep prefixes with a smaller largest step where a later step is larger anyhow.

use std::ops::Range;

use kinetic_kinematics::KinematicChain;

use super::layers::Layers;
use super::turns::{Turns, lifted, turns_in};
use super::validity::Edges;

/// What a pass makes least.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Objective {
    /// The largest step of a joint.
    LargestStep,
    /// The sum of Euclidean lengths of steps in which no joint moves more than this.
    Length { most: f64 },
}

/// Costs are compared by the number of splits, then by the objective.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(super) struct Cost {
    pub(super) splits: u32,
    pub(super) value: f64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Label {
    /// Index of its configuration.
    pub(super) row: usize,
    /// Its predecessor in the layer before; [`NO_VERTEX`] in the first.
    pub(super) parent: usize,
    /// It starts a segment.
    pub(super) is_first: bool,
    pub(super) cost: Cost,
}

pub(super) const NO_VERTEX: usize = usize::MAX;

/// A step between configurations of neighbouring layers.
struct LadderStep {
    largest: f64,
    length: f64,
}

/// The labels of a run of layers.
pub(super) struct Ladder<'a> {
    layers: &'a Layers,
    steps: &'a [f64],
    is_rotation: Vec<bool>,
    labels: Vec<Label>,
    /// `dof` per label.
    boxes: Vec<Turns>,
    /// First label of each layer so far, and the end.
    first: Vec<usize>,
    shift: Vec<i32>,
    candidate: Vec<Turns>,
}

impl<'a> Ladder<'a> {
    pub(super) fn new(chain: &KinematicChain, layers: &'a Layers, steps: &'a [f64]) -> Self {
        let dof = layers.dof;
        Self {
            layers,
            steps,
            is_rotation: (0..dof).map(|joint| chain.is_rotation(joint)).collect(),
            labels: Vec::new(),
            boxes: Vec::new(),
            first: Vec::new(),
            shift: vec![0; dof],
            candidate: vec![(0, 0); dof],
        }
    }

    /// Labels of a whole run of layers, none of them empty: the best label of the last layer. `None` when splits are not
    /// allowed and no path reaches it.
    pub(super) fn pass(
        &mut self,
        run: &Range<usize>,
        objective: Objective,
        may_split: bool,
        edges: &mut Edges<'_, '_>,
    ) -> Option<usize> {
        self.begin(run.start);
        for layer in run.start + 1..run.end {
            if !self.advance(layer, objective, may_split, edges) {
                return None;
            }
        }
        self.best()
    }

    /// Forgets all labels and starts at a layer, on every turn inside the limits.
    pub(super) fn begin(&mut self, layer: usize) {
        self.labels.clear();
        self.boxes.clear();
        for row in self.layers.of(layer) {
            self.labels.push(Label { row, parent: NO_VERTEX, is_first: true, cost: Cost { splits: 0, value: 0.0 } });
            self.boxes.extend_from_slice(self.layers.turns(row));
        }
        self.first.clear();
        self.first.extend([0, self.labels.len()]);
    }

    /// Labels of the next layer; false when there are none.
    pub(super) fn advance(
        &mut self,
        layer: usize,
        objective: Objective,
        may_split: bool,
        edges: &mut Edges<'_, '_>,
    ) -> bool {
        let before = self.last();
        let anew = may_split.then(|| self.best()).flatten();
        for row in self.layers.of(layer) {
            let own = self.labels.len();
            self.arrive((layer, row), &before, own, objective, edges);
            if let Some(parent) = anew {
                self.split(row, parent, own);
            }
        }
        self.first.push(self.labels.len());
        !self.last().is_empty()
    }

    /// Labels of the last layer.
    pub(super) fn last(&self) -> Range<usize> {
        match self.first[..] {
            [.., start, end] => start..end,
            _ => 0..0,
        }
    }

    pub(super) fn label(&self, index: usize) -> &Label {
        &self.labels[index]
    }

    pub(super) fn turns(&self, label: usize) -> &[Turns] {
        &self.boxes[label * self.layers.dof..(label + 1) * self.layers.dof]
    }

    /// Back to the layer before, after a layer without labels.
    pub(super) fn retreat(&mut self) {
        self.first.pop();
    }

    /// The label of least cost in the last layer, the first of equals.
    pub(super) fn best(&self) -> Option<usize> {
        self.last().reduce(|best, other| if self.labels[other].cost < self.labels[best].cost { other } else { best })
    }

    /// Adds the labels of configuration `row` that come from those `before`; `own` is its first label.
    #[inline]
    fn arrive(
        &mut self,
        (layer, row): (usize, usize),
        before: &Range<usize>,
        own: usize,
        objective: Objective,
        edges: &mut Edges<'_, '_>,
    ) {
        let mut label = before.start;
        while label < before.end {
            let from = self.labels[label].row;
            let step = self.step(from, row, objective);
            // Labels of one configuration stand together and share the step.
            while label < before.end && self.labels[label].row == from {
                if let Some(step) = &step
                    && self.turn(label, row)
                    && edges.may_be_valid(layer, (from, row), || self.motion((from, row), &self.candidate))
                {
                    self.extend(label, row, own, step, objective);
                }
                label += 1;
            }
        }
    }

    /// The turns of configuration `row` that a label leads to, as the candidate; false when there are none.
    fn turn(&mut self, parent: usize, row: usize) -> bool {
        for joint in 0..self.layers.dof {
            let (low, high) = self.turns(parent)[joint];
            let (least, most) = self.layers.turns(row)[joint];
            let turns = ((low + self.shift[joint]).max(least), (high + self.shift[joint]).min(most));
            if turns.0 > turns.1 {
                return false;
            }
            self.candidate[joint] = turns;
        }
        true
    }

    /// Both ends of a step, inside the limits where the second is on one of these `turns`.
    fn motion(&self, (from, to): (usize, usize), turns: &[Turns]) -> [Vec<f64>; 2] {
        let to = on_turns(self.layers.row(to), turns);
        let from = self.layers.row(from).iter().zip(&to).zip(&self.is_rotation);
        [from.map(|((from, to), is_rotation)| lifted(*from, *to, *is_rotation)).collect(), to]
    }

    /// Both ends of the step to a label that is not the first of its segment.
    pub(super) fn motion_to(&self, label: usize) -> [Vec<f64>; 2] {
        let Label { row, parent, .. } = self.labels[label];
        self.motion((self.labels[parent].row, row), self.turns(label))
    }

    /// Adds the label of the candidate.
    fn extend(&mut self, parent: usize, row: usize, own: usize, step: &LadderStep, objective: Objective) {
        let Cost { splits, value } = self.labels[parent].cost;
        let value = match objective {
            Objective::LargestStep => value.max(step.largest),
            Objective::Length { .. } => value + step.length,
        };
        self.insert(Label { row, parent, is_first: false, cost: Cost { splits, value } }, own);
    }

    /// The label of a new segment.
    fn split(&mut self, row: usize, parent: usize, own: usize) {
        self.candidate.copy_from_slice(self.layers.turns(row));
        let Cost { splits, value } = self.labels[parent].cost;
        self.insert(Label { row, parent, is_first: true, cost: Cost { splits: splits + 1, value } }, own);
    }

    /// Adds a label of the candidate box, unless one of the same configuration costs no more and allows as many turns.
    fn insert(&mut self, label: Label, own: usize) {
        let dof = self.layers.dof;
        for known in own..self.labels.len() {
            let turns = &self.boxes[known * dof..(known + 1) * dof];
            let cost = self.labels[known].cost;
            if cost <= label.cost && covers(turns, &self.candidate) {
                return;
            }
            if label.cost <= cost && covers(&self.candidate, turns) {
                self.labels[known] = label;
                self.boxes[known * dof..(known + 1) * dof].copy_from_slice(&self.candidate);
                return;
            }
        }
        self.labels.push(label);
        self.boxes.extend_from_slice(&self.candidate);
    }

    /// The step between two configurations, its turns in `shift`; `None` when a joint moves too far.
    #[inline]
    fn step(&mut self, from: usize, to: usize, objective: Objective) -> Option<LadderStep> {
        let (mut largest, mut squares) = (0.0_f64, 0.0);
        let (from, to) = (self.layers.row(from), self.layers.row(to));
        for (joint, (a, b)) in from.iter().zip(to).enumerate() {
            let difference = b - a;
            let turns = if self.is_rotation[joint] { turns_in(difference) } else { 0.0 };
            let step = (difference - std::f64::consts::TAU * turns).abs();
            if step > self.steps[joint] {
                return None;
            }
            self.shift[joint] = whole(-turns);
            largest = largest.max(step);
            squares += step * step;
        }
        match objective {
            Objective::Length { most } if largest > most => None,
            _ => Some(LadderStep { largest, length: squares.sqrt() }),
        }
    }

    /// The labels from the first layer to `last`.
    pub(super) fn path_to(&self, last: usize) -> Vec<usize> {
        let mut path = vec![last];
        let mut label = last;
        while self.labels[label].parent != NO_VERTEX {
            label = self.labels[label].parent;
            path.push(label);
        }
        path.reverse();
        path
    }
}

/// A configuration on the least of the turns it can be on.
pub(super) fn on_turns(row: &[f64], turns: &[Turns]) -> Vec<f64> {
    let value = |(value, (low, high)): (&f64, &Turns)| value + std::f64::consts::TAU * f64::from(0.clamp(*low, *high));
    row.iter().zip(turns).map(value).collect()
}

#[inline]
fn covers(outer: &[Turns], inner: &[Turns]) -> bool {
    outer.iter().zip(inner).all(|(outer, inner)| outer.0 <= inner.0 && outer.1 >= inner.1)
}

#[allow(clippy::cast_possible_truncation, reason = "differences of joint values make a few turns")]
#[inline]
fn whole(turns: f64) -> i32 {
    turns as i32
}
