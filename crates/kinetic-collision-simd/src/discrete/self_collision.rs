//! A block's clusters against each other.

use super::overlapping_pair::OverlappingPair;
use super::separated_pair::{Contact, SeparatedPair};
use crate::discrete::query::Chunk;
use crate::vector::{Lanes, OutlinedKernel, one_pass_at_a_time};

/// A block's clusters against each other, with places to list cluster pairs and spheres that are near.
pub(crate) struct SelfCollision<'p, 'a, 'b, L> {
    pub(crate) chunk: &'p mut Chunk<'a, 'b, L>,
    pub(crate) cluster_pairs: &'p mut [u32],
    pub(crate) spheres: &'p mut [u32],
}

impl<L: Lanes> OutlinedKernel for SelfCollision<'_, '_, '_, L> {
    #[inline(always)]
    fn work(self) -> bool {
        self.chunk.own(self.cluster_pairs, self.spheres)
    }
}

impl<L: Lanes> Chunk<'_, '_, L> {
    /// One cluster pair after the other. True when nothing more needs to be known.
    #[inline(always)]
    fn own(&mut self, near: &mut [u32], spheres: &mut [u32]) -> bool {
        let given = self.block.items;
        let count = if given.is_some() { 0 } else { self.list_cluster_pairs(near) };
        let cluster_pairs = given.map_or(&near[..count], |items| &items.cluster_pairs);
        for index in cluster_pairs {
            let cluster_pair = &self.model.cluster_pairs[*index as usize];
            if given.is_some() {
                self.placement.place_cluster(self.model, cluster_pair.small);
            }
            let mut open = 0;
            let clear = SeparatedPair { chunk: self, index: *index as usize, open: &mut open };
            if L::outline(clear) {
                continue;
            }
            let is_hit =
                self.block.any_hit_will_do && L::outline(Contact { chunk: self, cluster_pair, candidate: open });
            if is_hit || L::outline(OverlappingPair { chunk: self, index: *index as usize, near: spheres }) {
                return true;
            }
        }
        false
    }

    /// Lists the cluster pairs between clusters that are near each other, and says how many. Without branches on each cluster pair: which
    /// are near is hard to foresee.
    #[inline(always)]
    fn list_cluster_pairs(&self, near: &mut [u32]) -> usize {
        // Slices, so that where they lie is looked up once.
        let (centers, limits) = (&self.placement.cluster_centers[..], &self.placement.cluster_pair_limits[..]);
        let mut count = 0;
        for (index, (cluster_pair, limit)) in self.model.cluster_pairs.iter().zip(limits).enumerate() {
            one_pass_at_a_time();
            let apart = centers[cluster_pair.small].minus(centers[cluster_pair.large]);
            near[count] = index as u32;
            count += usize::from(!apart.norm_squared_less(L::splat(*limit)).all_positive());
        }
        count
    }
}
