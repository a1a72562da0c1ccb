//! A cluster pair that is not clear: what every one of its pairs is.

use crate::discrete::query::{Chunk, gaps};
use crate::model::cluster_pair::BodyPair;
use crate::rounding::squared;
use crate::vector::{Lanes, OutlinedKernel};

/// The pairs of a cluster pair, one after the other. True when nothing more needs to be known.
pub(crate) struct OverlappingPair<'p, 'a, 'b, L> {
    pub(crate) chunk: &'p mut Chunk<'a, 'b, L>,
    /// Among all cluster pairs.
    pub(crate) index: usize,
    /// A place to list the spheres of the larger cluster that are near the smaller one.
    pub(crate) near: &'p mut [u32],
}

impl<L: Lanes> OutlinedKernel for OverlappingPair<'_, '_, '_, L> {
    #[inline(always)]
    fn work(self) -> bool {
        let Self { chunk, index, near } = self;
        let model = chunk.model;
        let cluster_pair = &model.cluster_pairs[index];
        for body in &model.clusters[cluster_pair.large].bodies {
            chunk.placement.place_spheres(model, *body);
        }
        let pad = cluster_pair.rounding(chunk.placement.slide);
        let reach = chunk.placement.bounds_of_cluster_pairs(model)[index];
        let (ball, around) =
            (chunk.placement.cluster_centers[cluster_pair.small], model.clusters[cluster_pair.small].radius);
        let gap = around + cluster_pair.margin + pad + reach;
        let mut count = 0;
        for index in cluster_pair.candidates.clone() {
            let candidate = &model.candidates[index];
            let apart = ball.minus(chunk.placement.spheres[candidate.sphere as usize]);
            near[count] = index as u32;
            count += usize::from(!apart.norm_squared_less(L::splat(squared(candidate.radius + gap))).all_positive());
        }
        let is_shared = model.clusters[cluster_pair.small].bodies.len() > 1;
        for pair in &model.body_pairs[cluster_pair.pairs.clone()] {
            let reach = chunk.bound_of(pair.small as usize, cluster_pair.joints_of_small)
                + chunk.bound_of(pair.large as usize, cluster_pair.joints_of_large);
            if chunk.self_pair(pair, &near[..count], gaps(pair.margin, pad, reach), is_shared) {
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
        let [open, touching, hit] = self.spheres_of_pair(pair, near, gaps, is_shared, is_exact);
        let hit = if is_exact { hit.not_positive() } else { 0 };
        self.note(model.numbering().bodies + pair.pair, [open.not_positive(), touching.not_positive(), hit])
    }

    /// Above 0 where all spheres of two bodies are farther apart than their radii and each of the gaps, the largest one
    /// first; less is looked at when one contact of bodies that are their spheres is all that is asked for. `is_shared`
    /// says that `near` is what is near several bodies.
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
            let reach = candidate.radius + gaps[0];
            let ball = self.placement.centers[pair.small as usize];
            if is_shared && center.minus(ball).norm_squared_less(L::splat(squared(small.radius + reach))).all_positive()
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
            if is_exact && self.block.any_hit_will_do && self.is_hit(least[2]) {
                break;
            }
        }
        least
    }
}
