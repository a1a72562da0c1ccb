//! The robot's own bodies against each other, at one configuration.

use std::marker::PhantomData;

use super::{OneConfiguration, PackedModel};
use crate::discrete::separated_pair::beyond;
use crate::model::KernelModel;
use crate::packed::{W, load, load_points};
use crate::rounding::THRESHOLD_WIDENING;
use crate::vector::{Lanes, OutlinedKernel, Plain};

/// Cluster pairs between one cluster and eight that follow each other; unused places are never near.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    cluster: usize,
    /// Of the other clusters.
    pack: usize,
    /// Radii, margin and rounding without slides.
    near: Plain<W>,
    /// Rounding per metre of slides.
    per_slide: Plain<W>,
    cluster_pairs: [u32; W],
}

impl Row {
    /// The cluster pairs of a model, the later cluster with the earlier ones: most of these are among the first eight.
    pub(crate) fn all(model: &KernelModel) -> Vec<Self> {
        let mut rows: Vec<Self> = Vec::new();
        for (index, cluster_pair) in model.cluster_pairs.iter().enumerate() {
            let (cluster, other) =
                (cluster_pair.small.max(cluster_pair.large), cluster_pair.small.min(cluster_pair.large));
            let (pack, lane) = (other / W, other % W);
            let known = rows.iter().position(|row| (row.cluster, row.pack) == (cluster, pack));
            let row = known.unwrap_or_else(|| {
                let (near, per_slide) = (Plain::splat(-1.0), Plain::ZERO);
                rows.push(Self { cluster, pack, near, per_slide, cluster_pairs: [0; W] });
                rows.len() - 1
            });
            let row = &mut rows[row];
            (row.near.0[lane], row.per_slide.0[lane], row.cluster_pairs[lane]) =
                (cluster_pair.near, cluster_pair.per_slide, index as u32);
        }
        rows
    }
}

/// Which spheres of two clusters may meet.
#[derive(Debug, Clone)]
pub(crate) struct Meetings {
    /// Per eight of the larger cluster the spheres that may meet the smaller one.
    candidates: Vec<u16>,
    /// Per body of the larger cluster, and eight of the smaller one, the spheres of those bodies that it is paired with.
    partners: Vec<u16>,
}

impl Meetings {
    /// Those of a cluster pair.
    pub(crate) fn new(model: &KernelModel, single: &PackedModel, cluster_pair: usize) -> Self {
        let cluster_pair = &model.cluster_pairs[cluster_pair];
        let (of_large, of_small) = (single.packs[cluster_pair.large].clone(), single.packs[cluster_pair.small].clone());
        let mut candidates = vec![0; of_large.len()];
        for candidate in &model.candidates[cluster_pair.candidates.clone()] {
            let body = candidate.body as usize;
            let place = single.first_place[body] + candidate.sphere as usize - model.bodies[body].first_sphere;
            candidates[place / W] |= 1 << (place % W);
        }
        let mut partners = vec![0; model.clusters[cluster_pair.large].bodies.len() * of_small.len()];
        for pair in &model.body_pairs[cluster_pair.pairs.clone()] {
            let first = single.rank[pair.large as usize] * of_small.len();
            for (pack, bits) in single.places_of(model, pair.small as usize) {
                partners[first + pack] |= bits;
            }
        }
        Self { candidates, partners }
    }
}

impl PackedModel {
    /// One bit per cluster pair of a row whose clusters are near each other.
    #[inline(always)]
    fn near_cluster_pairs<L: Lanes>(&self, row: &Row) -> u16 {
        let others = load_points::<L>(&self.clusters[row.pack]);
        let apart = others.minus_fixed(self.cluster_centers[row.cluster]).norm_squared();
        let near = load::<L>(&row.per_slide).scale_add(self.slide, load(&row.near));
        (apart - near.squared_with_sign(THRESHOLD_WIDENING)).not_positive()
    }
}

impl OneConfiguration<'_> {
    #[inline(always)]
    pub(crate) fn self_pairs<L: Lanes>(&mut self) -> bool {
        // Avx8 rows in one word: where a short loop ends is hard to foresee, and one long loop ends once.
        for first in (0..self.single.rows.len()).step_by(W) {
            let mut bits = 0;
            for (row, of_row) in self.single.rows[first..].iter().take(W).enumerate() {
                bits |= u64::from(self.single.near_cluster_pairs::<L>(of_row)) << (W * row);
            }
            while bits != 0 {
                let place = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let cluster_pair = self.single.rows[first + place / W].cluster_pairs[place % W] as usize;
                if !self.is_clear::<L>(cluster_pair)
                    && L::outline(ByPairs { one: self, cluster_pair, lanes: PhantomData::<L> })
                {
                    return true;
                }
            }
        }
        false
    }

    /// Whether all pairs of a cluster pair are clear, each with the margin of the whole cluster pair: most are.
    #[inline(always)]
    fn is_clear<L: Lanes>(&mut self, index: usize) -> bool {
        let cluster_pair = &self.model.cluster_pairs[index];
        let rounding = cluster_pair.rounding(self.single.slide);
        let gap = cluster_pair.margin + rounding;
        if let Some(table) = &self.model.distance_tables[index]
            && table.at_one(self.single.frames.angles()) > beyond(gap, rounding)
        {
            return true;
        }
        self.place_cluster::<L>(cluster_pair.large);
        let ball = (self.single.cluster_centers[cluster_pair.small], self.model.clusters[cluster_pair.small].radius);
        let large = self.single.packs[cluster_pair.large].clone();
        for first in large.clone().step_by(W) {
            let mut bits = 0;
            for pack in first..large.end.min(first + W) {
                // Most spheres of the larger cluster are far from the whole smaller one.
                let near = self.single.placed[pack].near_ball::<L>(ball, gap);
                let candidates = self.single.meetings[index].candidates[pack - large.start];
                bits |= u64::from(near & candidates) << (W * (pack - first));
            }
            while bits != 0 {
                let place = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                self.place_cluster::<L>(cluster_pair.small);
                let sphere = (first + place / W, place % W);
                if self.single.is_sphere_near::<L>((index, cluster_pair.small), sphere, gap) {
                    return false;
                }
            }
        }
        true
    }
}

/// Looks at the pairs of a cluster pair one by one. True when one certainly touches.
struct ByPairs<'p, 'a, L> {
    one: &'p mut OneConfiguration<'a>,
    cluster_pair: usize,
    lanes: PhantomData<L>,
}

impl<L: Lanes> OutlinedKernel for ByPairs<'_, '_, L> {
    #[inline(always)]
    fn work(self) -> bool {
        let model = self.one.model;
        let cluster_pair = &model.cluster_pairs[self.cluster_pair];
        let pad = cluster_pair.rounding(self.one.single.slide);
        for pair in &model.body_pairs[cluster_pair.pairs.clone()] {
            let ends = (pair.small as usize, pair.large as usize);
            if self.one.single.are_apart::<L>(model, ends, pair.margin + pad) {
                continue;
            }
            let is_exact = model.bodies[ends.0].is_exact && model.bodies[ends.1].is_exact;
            let is_hit = is_exact && !self.one.single.are_apart::<L>(model, ends, pair.margin - 2.0 * pad);
            if self.one.note(model.numbering().bodies + pair.pair, is_hit) {
                return true;
            }
        }
        false
    }
}

impl PackedModel {
    /// Whether a sphere of the larger cluster of a cluster pair comes within `gap` of one that it may meet.
    #[inline(always)]
    fn is_sphere_near<L: Lanes>(
        &self,
        (cluster_pair, small): (usize, usize),
        (large, lane): (usize, usize),
        gap: f32,
    ) -> bool {
        let sphere = self.placed[large].one(lane);
        let others = &self.placed[self.packs[small].clone()];
        let first = self.ranks[large][lane] as usize * others.len();
        let mut near = 0;
        for (others, partners) in others.iter().zip(&self.meetings[cluster_pair].partners[first..]) {
            near |= others.near_ball::<L>(sphere, gap) & partners;
        }
        near != 0
    }

    /// Whether the spheres of two bodies, whose clusters are placed, are farther apart than their radii and `gap`.
    #[inline(always)]
    fn are_apart<L: Lanes>(&self, model: &KernelModel, (small, large): (usize, usize), gap: f32) -> bool {
        for (pack, mut bits) in self.places_of(model, large) {
            let spheres = &self.placed[self.packs[model.cluster_of[large]].start + pack];
            while bits != 0 {
                let sphere = spheres.one(bits.trailing_zeros() as usize % W);
                bits &= bits - 1;
                for (pack, of_small) in self.places_of(model, small) {
                    let others = &self.placed[self.packs[model.cluster_of[small]].start + pack];
                    if others.near_ball::<L>(sphere, gap) & of_small != 0 {
                        return false;
                    }
                }
            }
        }
        true
    }
}
