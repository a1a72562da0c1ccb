//! The robot's own bodies against each other, at one configuration.

use std::marker::PhantomData;

use super::eights::{W, load, load_points};
use super::{OneConfiguration, Single};
use crate::lanes::clear_gate::beyond;
use crate::lanes::kernel::{Numbering, WIDER};
use crate::lanes::model::LaneModel;
use crate::lanes::vector::{Lanes, Outlined, Plain};

/// Gates between one cluster and eight that follow each other; unused places are never near.
#[derive(Debug, Clone)]
pub(super) struct Row {
    cluster: usize,
    /// Of the other clusters.
    eight: usize,
    /// Radii, margin and rounding without slides.
    near: Plain<W>,
    /// Rounding per metre of slides.
    per_slide: Plain<W>,
    gates: [u32; W],
}

impl Row {
    /// The gates of a model, the later cluster with the earlier ones: most of these are among the first eight.
    pub(super) fn all(model: &LaneModel) -> Vec<Self> {
        let mut rows: Vec<Self> = Vec::new();
        for (index, gate) in model.gates.iter().enumerate() {
            let (cluster, other) = (gate.small.max(gate.large), gate.small.min(gate.large));
            let (eight, lane) = (other / W, other % W);
            let known = rows.iter().position(|row| (row.cluster, row.eight) == (cluster, eight));
            let row = known.unwrap_or_else(|| {
                let (near, per_slide) = (Plain::splat(-1.0), Plain::ZERO);
                rows.push(Self { cluster, eight, near, per_slide, gates: [0; W] });
                rows.len() - 1
            });
            let row = &mut rows[row];
            (row.near.0[lane], row.per_slide.0[lane], row.gates[lane]) = (gate.near, gate.per_slide, index as u32);
        }
        rows
    }
}

/// Which spheres of two clusters may meet.
#[derive(Debug, Clone)]
pub(super) struct Meetings {
    /// Per eight of the larger cluster the spheres that may meet the smaller one.
    candidates: Vec<u16>,
    /// Per body of the larger cluster, and eight of the smaller one, the spheres of those bodies that it is paired with.
    partners: Vec<u16>,
}

impl Meetings {
    /// Those of a gate.
    pub(super) fn new(model: &LaneModel, single: &Single, gate: usize) -> Self {
        let gate = &model.gates[gate];
        let (of_large, of_small) = (single.eights[gate.large].clone(), single.eights[gate.small].clone());
        let mut candidates = vec![0; of_large.len()];
        for candidate in &model.candidates[gate.candidates.clone()] {
            let body = candidate.body as usize;
            let place = single.first_place[body] + candidate.sphere as usize - model.bodies[body].first_sphere;
            candidates[place / W] |= 1 << (place % W);
        }
        let mut partners = vec![0; model.clusters[gate.large].bodies.len() * of_small.len()];
        for pair in &model.gate_pairs[gate.pairs.clone()] {
            let first = single.rank[pair.large as usize] * of_small.len();
            for (eight, bits) in single.places_of(model, pair.small as usize) {
                partners[first + eight] |= bits;
            }
        }
        Self { candidates, partners }
    }
}

impl Single {
    /// One bit per gate of a row whose clusters are near each other.
    #[inline(always)]
    fn near_gates<L: Lanes>(&self, row: &Row) -> u16 {
        let others = load_points::<L>(&self.clusters[row.eight]);
        let apart = others.minus_fixed(self.cluster_centers[row.cluster]).norm_squared();
        let near = load::<L>(&row.per_slide).scale_add(self.slide, load(&row.near));
        (apart - near.squared_with_sign(WIDER)).not_positive()
    }
}

impl OneConfiguration<'_> {
    #[inline(always)]
    pub(super) fn own_pairs<L: Lanes>(&mut self) -> bool {
        // Eight rows in one word: where a short loop ends is hard to foresee, and one long loop ends once.
        for first in (0..self.single.rows.len()).step_by(W) {
            let mut bits = 0;
            for (row, of_row) in self.single.rows[first..].iter().take(W).enumerate() {
                bits |= u64::from(self.single.near_gates::<L>(of_row)) << (W * row);
            }
            while bits != 0 {
                let place = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let gate = self.single.rows[first + place / W].gates[place % W] as usize;
                if !self.is_clear::<L>(gate) && L::outline(ByPairs { one: self, gate, lanes: PhantomData::<L> }) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether all pairs of a gate are clear, each with the margin of the whole gate: most are.
    #[inline(always)]
    fn is_clear<L: Lanes>(&mut self, index: usize) -> bool {
        let gate = &self.model.gates[index];
        let rounding = gate.rounding(self.single.slide);
        let gap = gate.margin + rounding;
        if let Some(table) = &self.model.clearances[index]
            && table.at_one(self.single.frames.angles()) > beyond(gap, rounding)
        {
            return true;
        }
        self.place_cluster::<L>(gate.large);
        let ball = (self.single.cluster_centers[gate.small], self.model.clusters[gate.small].radius);
        let large = self.single.eights[gate.large].clone();
        for first in large.clone().step_by(W) {
            let mut bits = 0;
            for eight in first..large.end.min(first + W) {
                // Most spheres of the larger cluster are far from the whole smaller one.
                let near = self.single.placed[eight].near_ball::<L>(ball, gap);
                let candidates = self.single.meetings[index].candidates[eight - large.start];
                bits |= u64::from(near & candidates) << (W * (eight - first));
            }
            while bits != 0 {
                let place = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                self.place_cluster::<L>(gate.small);
                let sphere = (first + place / W, place % W);
                if self.single.is_sphere_near::<L>((index, gate.small), sphere, gap) {
                    return false;
                }
            }
        }
        true
    }
}

/// Looks at the pairs of a gate one by one. True when one certainly touches.
struct ByPairs<'p, 'a, L> {
    one: &'p mut OneConfiguration<'a>,
    gate: usize,
    lanes: PhantomData<L>,
}

impl<L: Lanes> Outlined for ByPairs<'_, '_, L> {
    #[inline(always)]
    fn work(self) -> bool {
        let model = self.one.model;
        let gate = &model.gates[self.gate];
        let pad = gate.rounding(self.one.single.slide);
        for pair in &model.gate_pairs[gate.pairs.clone()] {
            let ends = (pair.small as usize, pair.large as usize);
            if self.one.single.are_apart::<L>(model, ends, pair.margin + pad) {
                continue;
            }
            let is_exact = model.bodies[ends.0].is_exact && model.bodies[ends.1].is_exact;
            let is_hit = is_exact && !self.one.single.are_apart::<L>(model, ends, pair.margin - 2.0 * pad);
            if self.one.note(Numbering::of(model).bodies + pair.pair, is_hit) {
                return true;
            }
        }
        false
    }
}

impl Single {
    /// Whether a sphere of the larger cluster of a gate comes within `gap` of one that it may meet.
    #[inline(always)]
    fn is_sphere_near<L: Lanes>(&self, (gate, small): (usize, usize), (large, lane): (usize, usize), gap: f32) -> bool {
        let sphere = self.placed[large].one(lane);
        let others = &self.placed[self.eights[small].clone()];
        let first = self.ranks[large][lane] as usize * others.len();
        let mut near = 0;
        for (others, partners) in others.iter().zip(&self.meetings[gate].partners[first..]) {
            near |= others.near_ball::<L>(sphere, gap) & partners;
        }
        near != 0
    }

    /// Whether the spheres of two bodies, whose clusters are placed, are farther apart than their radii and `gap`.
    #[inline(always)]
    fn are_apart<L: Lanes>(&self, model: &LaneModel, (small, large): (usize, usize), gap: f32) -> bool {
        for (eight, mut bits) in self.places_of(model, large) {
            let spheres = &self.placed[self.eights[model.cluster_of[large]].start + eight];
            while bits != 0 {
                let sphere = spheres.one(bits.trailing_zeros() as usize % W);
                bits &= bits - 1;
                for (eight, of_small) in self.places_of(model, small) {
                    let others = &self.placed[self.eights[model.cluster_of[small]].start + eight];
                    if others.near_ball::<L>(sphere, gap) & of_small != 0 {
                        return false;
                    }
                }
            }
        }
        true
    }
}
