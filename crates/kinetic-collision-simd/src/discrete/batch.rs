//! Discrete checks of a batch of configurations: clusters of bodies against the obstacles, then against each other.

use super::self_collision::SelfCollision;
use super::world::World;
use crate::discrete::query::{BatchQuery, Chunk};
use crate::dispatch::BatchKernel;
use crate::model::KernelModel;
use crate::placement::Placement;
use crate::vector::Lanes;

impl BatchKernel for BatchQuery<'_> {
    #[inline(always)]
    fn run_chunk<L: Lanes>(
        &mut self,
        model: &KernelModel,
        placement: &mut Placement<L>,
        first: usize,
        stride: usize,
    ) -> bool {
        placement.place_frames(model, self.batch, first, stride);
        placement.bound_motions(model, self.widths);
        // Taken out, because these buffers are written while the others are read.
        let mut world = std::mem::take(&mut placement.world);
        let mut cluster_pairs = std::mem::take(&mut placement.near_cluster_pairs);
        let mut spheres = std::mem::take(&mut placement.near_spheres);
        let mut chunk = Chunk { model, placement, query: self, first, stride };
        let is_over = L::outline(World { chunk: &mut chunk, near_items: &mut world })
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
