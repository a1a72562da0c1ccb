//! Narrow phase of a cluster pair that is not separated as a whole: each of its body pairs is tested.

use crate::discrete::query::{Chunk, gaps};
use crate::model::cluster_pair::BodyPair;
use crate::rounding::squared;
use crate::vector::{Lanes, OutlinedKernel};

/// Tests the body pairs of a cluster pair one after the other. True when the query is answered.
pub(crate) struct OverlappingPair<'p, 'a, 'b, L> {
    pub(crate) chunk: &'p mut Chunk<'a, 'b, L>,
    /// Index of the cluster pair.
    pub(crate) index: usize,
    /// Buffer for the spheres of the larger cluster that are near the smaller one.
    pub(crate) near: &'p mut [u32],
}

impl<L: Lanes> OutlinedKernel for OverlappingPair<'_, '_, '_, L> {
    #[inline(always)]
    fn run(self) -> bool {
        let Self { chunk, index, near } = self;
        let model = chunk.model;
        let cluster_pair = &model.cluster_pairs[index];
        for body in &model.clusters[cluster_pair.large].bodies {
            chunk.placement.place_spheres(model, *body);
        }
        let pad = cluster_pair.rounding(chunk.placement.displacement);
        let motion_bound = chunk.placement.bounds_of_cluster_pairs(model)[index];
        let (ball, around) =
            (chunk.placement.cluster_centers[cluster_pair.small], model.clusters[cluster_pair.small].radius);
        let gap = around + cluster_pair.margin + pad + motion_bound;
        let mut count = 0;
        for index in cluster_pair.candidates.clone() {
            let candidate = &model.candidates[index];
            let apart = ball.minus(chunk.placement.spheres[candidate.sphere as usize]);
            near[count] = index as u32;
            count += usize::from(!apart.norm_squared_less(L::splat(squared(candidate.radius + gap))).all_positive());
        }
        let is_shared = model.clusters[cluster_pair.small].bodies.len() > 1;
        for pair in &model.body_pairs[cluster_pair.pairs.clone()] {
            let motion_bound = chunk.bound_of(pair.small as usize, cluster_pair.joints_of_small)
                + chunk.bound_of(pair.large as usize, cluster_pair.joints_of_large);
            if chunk.self_pair(pair, &near[..count], gaps(pair.margin, pad, motion_bound), is_shared) {
                return true;
            }
        }
        false
    }
}

impl<L: Lanes> Chunk<'_, '_, L> {
    #[inline(always)]
    fn self_pair(&mut self, pair: &BodyPair, near: &[u32], gaps: [f32; 3], is_shared: bool) -> bool {
        let model = self.model;
        let is_exact = model.bodies[pair.small as usize].is_exact && model.bodies[pair.large as usize].is_exact;
        let [undecided, touching, hit] = self.spheres_of_pair(pair, near, gaps, is_shared, is_exact);
        let hit = if is_exact { hit.not_positive() } else { 0 };
        self.note(model.numbering().bodies + pair.pair, [undecided.not_positive(), touching.not_positive(), hit])
    }

    /// Above 0 where all spheres of two bodies are farther apart than their radii and each of the gaps, which descend.
    /// The test ends early when any contact answers the query and the spheres are exact. `is_shared` means that `near`
    /// was found for several bodies.
    #[inline(always)]
    fn spheres_of_pair(
        &mut self,
        pair: &BodyPair,
        near: &[u32],
        gaps: [f32; 3],
        is_shared: bool,
        is_exact: bool,
    ) -> [L; 3] {
        let model = self.model;
        let small = &model.bodies[pair.small as usize];
        let spheres = small.first_sphere..small.first_sphere + small.spheres.len();
        let mut least = [L::splat(f32::MAX); 3];
        if is_shared {
            self.placement.place_center(model, pair.small as usize);
        }
        for index in near {
            let candidate = &model.candidates[*index as usize];
            if candidate.body != pair.large {
                continue;
            }
            let center = self.placement.spheres[candidate.sphere as usize];
            let radius_and_gap = candidate.radius + gaps[0];
            let ball = self.placement.centers[pair.small as usize];
            if is_shared
                && center.minus(ball).norm_squared_less(L::splat(squared(small.radius + radius_and_gap))).all_positive()
            {
                continue;
            }
            self.placement.place_spheres(model, pair.small as usize);
            let placed = &self.placement.spheres[spheres.clone()];
            for (other, radius) in placed.iter().zip(&model.radii[spheres.clone()]) {
                let apart = center.minus(*other).norm_squared();
                let both = candidate.radius + radius;
                for (least, gap) in least.iter_mut().zip(gaps) {
                    *least = least.min(apart.less(squared(both + gap)));
                }
            }
            if is_exact && self.query.any_hit_will_do && self.is_hit(least[2]) {
                break;
            }
        }
        least
    }
}
