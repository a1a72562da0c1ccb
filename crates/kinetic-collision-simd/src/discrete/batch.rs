//! Batches of configurations: every cluster of bodies against the obstacles, then the clusters against each other.

use super::self_collision::SelfCollision;
use super::world::World;
use crate::discrete::query::{BatchQuery, Chunk};
use crate::dispatch::BatchKernel;
use crate::model::KernelModel;
use crate::placement::Placement;
use crate::vector::Lanes;

impl BatchKernel for BatchQuery<'_> {
    #[inline(always)]
    fn part<L: Lanes>(
        &mut self,
        model: &KernelModel,
        placement: &mut Placement<L>,
        first: usize,
        stride: usize,
    ) -> bool {
        placement.place_frames(model, self.batch, first, stride);
        placement.bound_motions(model, self.widths);
        // Places that are written to while the rest of the buffers is read.
        let mut world = std::mem::take(&mut placement.world);
        let mut cluster_pairs = std::mem::take(&mut placement.near_cluster_pairs);
        let mut spheres = std::mem::take(&mut placement.near_spheres);
        let mut chunk = Chunk { model, placement, block: self, first, stride };
        let is_over = L::outline(World { chunk: &mut chunk, work: &mut world })
            || L::outline(SelfCollision {
                chunk: &mut chunk,
                cluster_pairs: &mut cluster_pairs,
                spheres: &mut spheres,
            });
        placement.world = world;
        placement.near_cluster_pairs = cluster_pairs;
        placement.near_spheres = spheres;
        is_over
    }
}
