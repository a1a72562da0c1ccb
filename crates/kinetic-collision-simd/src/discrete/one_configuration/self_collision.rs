//! Self-collision at one configuration: clusters, then spheres, then body pairs.

use std::marker::PhantomData;

use super::{OneConfiguration, PackedModel};
use crate::discrete::separated_pair::beyond;
use crate::model::KernelModel;
use crate::packed::{W, load, load_points};
use crate::tolerance::THRESHOLD_WIDENING_FACTOR;
use crate::vector::{Lanes, OutlinedKernel, Plain};

/// Cluster pairs between one cluster and a pack of others; unused lanes are never near.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    cluster: usize,
    /// Pack of the other clusters.
    pack: usize,
    /// Sum of radii, required clearance, and rounding without prismatic displacement.
    near: Plain<W>,
    /// Rounding per metre of prismatic displacement.
    per_displacement: Plain<W>,
    cluster_pairs: [u32; W],
}

impl Row {
    /// The cluster pairs of a model, by the later cluster: most earlier ones are in the first pack.
    pub(crate) fn all(model: &KernelModel) -> Vec<Self> {
        let mut rows: Vec<Self> = Vec::new();
        for (index, cluster_pair) in model.cluster_pairs.iter().enumerate() {
            let (cluster, other) =
                (cluster_pair.small.max(cluster_pair.large), cluster_pair.small.min(cluster_pair.large));
            let (pack, lane) = (other / W, other % W);
            let known = rows.iter().position(|row| (row.cluster, row.pack) == (cluster, pack));
            let row = known.unwrap_or_else(|| {
                let (near, per_displacement) = (Plain::splat(-1.0), Plain::ZERO);
                rows.push(Self { cluster, pack, near, per_displacement, cluster_pairs: [0; W] });
                rows.len() - 1
            });
            let row = &mut rows[row];
            (row.near.0[lane], row.per_displacement.0[lane], row.cluster_pairs[lane]) =
                (cluster_pair.near, cluster_pair.per_displacement, index as u32);
        }
        rows
    }
}

/// Sphere pairs of two clusters that may touch, as bit masks of packs.
#[derive(Debug, Clone)]
pub(crate) struct Meetings {
    /// Per pack of the larger cluster, the spheres that may touch the smaller one.
    candidates: Vec<u16>,
    /// Per body of the larger cluster and pack of the smaller one, the spheres of the bodies that it is paired with.
    partners: Vec<u16>,
}

impl Meetings {
    /// The masks of a cluster pair.
    pub(crate) fn new(model: &KernelModel, packed: &PackedModel, cluster_pair: usize) -> Self {
        let cluster_pair = &model.cluster_pairs[cluster_pair];
        let (of_large, of_small) = (packed.packs[cluster_pair.large].clone(), packed.packs[cluster_pair.small].clone());
        let mut candidates = vec![0; of_large.len()];
        for candidate in &model.candidates[cluster_pair.candidates.clone()] {
            let body = candidate.body as usize;
            let position = packed.first_position[body] + candidate.sphere as usize - model.bodies[body].first_sphere;
            candidates[position / W] |= 1 << (position % W);
        }
        let mut partners = vec![0; model.clusters[cluster_pair.large].bodies.len() * of_small.len()];
        for pair in &model.body_pairs[cluster_pair.pairs.clone()] {
            let first = packed.rank[pair.large as usize] * of_small.len();
            for (pack, bits) in packed.packs_of(model, pair.small as usize) {
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
        let near = load::<L>(&row.per_displacement).scale_add(self.displacement, load(&row.near));
        (apart - near.squared_with_sign(THRESHOLD_WIDENING_FACTOR)).not_positive()
    }
}

impl OneConfiguration<'_> {
    #[inline(always)]
    pub(crate) fn self_pairs<L: Lanes>(&mut self) -> bool {
        // Eight rows in one word, because the ends of many short loops are hard to predict.
        for first in (0..self.packed.rows.len()).step_by(W) {
            let mut bits = 0;
            for (row, of_row) in self.packed.rows[first..].iter().take(W).enumerate() {
                bits |= u64::from(self.packed.near_cluster_pairs::<L>(of_row)) << (W * row);
            }
            while bits != 0 {
                let position = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let cluster_pair = self.packed.rows[first + position / W].cluster_pairs[position % W] as usize;
                if !self.is_clear::<L>(cluster_pair)
                    && L::outline(ByPairs { one: self, cluster_pair, lanes: PhantomData::<L> })
                {
                    return true;
                }
            }
        }
        false
    }

    /// Whether all body pairs of a cluster pair are clear, as most are, with the largest required clearance of them.
    #[inline(always)]
    fn is_clear<L: Lanes>(&mut self, index: usize) -> bool {
        let cluster_pair = &self.model.cluster_pairs[index];
        let rounding = cluster_pair.rounding(self.packed.displacement);
        let gap = cluster_pair.margin + rounding;
        if let Some(table) = &self.model.distance_tables[index]
            && table.at_one(self.packed.frames.angles()) > beyond(gap, rounding)
        {
            return true;
        }
        self.place_cluster::<L>(cluster_pair.large);
        let ball = (self.packed.cluster_centers[cluster_pair.small], self.model.clusters[cluster_pair.small].radius);
        let large = self.packed.packs[cluster_pair.large].clone();
        for first in large.clone().step_by(W) {
            let mut bits = 0;
            for pack in first..large.end.min(first + W) {
                // Most spheres of the larger cluster are far from the bounding sphere of the smaller one.
                let near = self.packed.placed[pack].near_ball::<L>(ball, gap);
                let candidates = self.packed.meetings[index].candidates[pack - large.start];
                bits |= u64::from(near & candidates) << (W * (pack - first));
            }
            while bits != 0 {
                let position = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                self.place_cluster::<L>(cluster_pair.small);
                let sphere = (first + position / W, position % W);
                if self.packed.is_sphere_near::<L>((index, cluster_pair.small), sphere, gap) {
                    return false;
                }
            }
        }
        true
    }
}

/// Tests the body pairs of a cluster pair one by one. True when one certainly touches.
struct ByPairs<'p, 'a, L> {
    one: &'p mut OneConfiguration<'a>,
    cluster_pair: usize,
    lanes: PhantomData<L>,
}

impl<L: Lanes> OutlinedKernel for ByPairs<'_, '_, L> {
    #[inline(always)]
    fn run(self) -> bool {
        let model = self.one.model;
        let cluster_pair = &model.cluster_pairs[self.cluster_pair];
        let pad = cluster_pair.rounding(self.one.packed.displacement);
        for pair in &model.body_pairs[cluster_pair.pairs.clone()] {
            let ends = (pair.small as usize, pair.large as usize);
            if self.one.packed.are_apart::<L>(model, ends, pair.margin + pad) {
                continue;
            }
            let is_exact = model.bodies[ends.0].is_exact && model.bodies[ends.1].is_exact;
            let is_hit = is_exact && !self.one.packed.are_apart::<L>(model, ends, pair.margin - 2.0 * pad);
            if self.one.note(model.numbering().bodies + pair.pair, is_hit) {
                return true;
            }
        }
        false
    }
}

impl PackedModel {
    /// Whether a sphere of the larger cluster comes within `gap` of a sphere of the smaller one that it may touch.
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
        for (pack, mut bits) in self.packs_of(model, large) {
            let spheres = &self.placed[self.packs[model.cluster_of[large]].start + pack];
            while bits != 0 {
                let sphere = spheres.one(bits.trailing_zeros() as usize % W);
                bits &= bits - 1;
                for (pack, of_small) in self.packs_of(model, small) {
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
