//! Self-collision of a chunk: its clusters against each other.

use super::overlapping_pair::OverlappingPair;
use super::separated_pair::{Contact, SeparatedPair};
use crate::discrete::query::Chunk;
use crate::vector::{Lanes, OutlinedKernel, prevent_loop_vectorization};

/// Tests the clusters of a chunk against each other, with buffers for near cluster pairs and spheres.
pub(crate) struct SelfCollision<'p, 'a, 'b, L> {
    pub(crate) chunk: &'p mut Chunk<'a, 'b, L>,
    pub(crate) cluster_pairs: &'p mut [u32],
    pub(crate) spheres: &'p mut [u32],
}

impl<L: Lanes> OutlinedKernel for SelfCollision<'_, '_, '_, L> {
    #[inline(always)]
    fn run(self) -> bool {
        self.chunk.self_collision(self.cluster_pairs, self.spheres)
    }
}

impl<L: Lanes> Chunk<'_, '_, L> {
    /// Tests one cluster pair after the other. True when the query is answered.
    #[inline(always)]
    fn self_collision(&mut self, near: &mut [u32], spheres: &mut [u32]) -> bool {
        let given = self.query.items;
        let count = if given.is_some() { 0 } else { self.list_cluster_pairs(near) };
        let cluster_pairs = given.map_or(&near[..count], |items| &items.cluster_pairs);
        for index in cluster_pairs {
            let cluster_pair = &self.model.cluster_pairs[*index as usize];
            if given.is_some() {
                self.placement.place_cluster(self.model, cluster_pair.small);
            }
            let mut undecided_candidate = 0;
            let clear =
                SeparatedPair { chunk: self, index: *index as usize, undecided_candidate: &mut undecided_candidate };
            if L::outline(clear) {
                continue;
            }
            let is_hit = self.query.any_hit_will_do
                && L::outline(Contact { chunk: self, cluster_pair, candidate: undecided_candidate });
            if is_hit || L::outline(OverlappingPair { chunk: self, index: *index as usize, near: spheres }) {
                return true;
            }
        }
        false
    }

    /// Lists the cluster pairs whose clusters are near each other, and returns their number. The loop has no branch on
    /// each pair, because which pairs are near is hard to predict.
    #[inline(always)]
    fn list_cluster_pairs(&self, near: &mut [u32]) -> usize {
        // Slices, so that their addresses are loaded once.
        let (centers, limits) = (&self.placement.cluster_centers[..], &self.placement.cluster_pair_limits[..]);
        let mut count = 0;
        for (index, (cluster_pair, limit)) in self.model.cluster_pairs.iter().zip(limits).enumerate() {
            prevent_loop_vectorization();
            let apart = centers[cluster_pair.small].minus(centers[cluster_pair.large]);
            near[count] = index as u32;
            count += usize::from(!apart.norm_squared_less(L::splat(*limit)).all_positive());
        }
        count
    }
}
