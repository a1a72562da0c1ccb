//! A gate that is not clear: what every one of its pairs is.

use super::block::{Part, gaps, squared};
use super::gates::GatePair;
use super::kernel::Numbering;
use super::vector::{Lanes, Outlined};

/// The pairs of a gate, one after the other. True when nothing more needs to be known.
pub(super) struct OpenGate<'p, 'a, 'b, L> {
    pub(super) part: &'p mut Part<'a, 'b, L>,
    /// Among all gates.
    pub(super) index: usize,
    /// A place to list the spheres of the larger cluster that are near the smaller one.
    pub(super) near: &'p mut [u32],
}

impl<L: Lanes> Outlined for OpenGate<'_, '_, '_, L> {
    #[inline(always)]
    fn work(self) -> bool {
        let Self { part, index, near } = self;
        let model = part.model;
        let gate = &model.gates[index];
        for body in &model.clusters[gate.large].bodies {
            part.scratch.place_spheres(model, *body);
        }
        let pad = gate.rounding(part.scratch.slide);
        let reach = part.scratch.bounds_of_gates(model)[index];
        let (ball, around) = (part.scratch.cluster_centers[gate.small], model.clusters[gate.small].radius);
        let gap = around + gate.margin + pad + reach;
        let mut count = 0;
        for index in gate.candidates.clone() {
            let candidate = &model.candidates[index];
            let apart = ball.minus(part.scratch.spheres[candidate.sphere as usize]);
            near[count] = index as u32;
            count += usize::from(!apart.norm_squared_less(L::splat(squared(candidate.radius + gap))).all_positive());
        }
        let is_shared = model.clusters[gate.small].bodies.len() > 1;
        for pair in &model.gate_pairs[gate.pairs.clone()] {
            let reach = part.bound_of(pair.small as usize, gate.joints_of_small)
                + part.bound_of(pair.large as usize, gate.joints_of_large);
            if part.own_pair(pair, &near[..count], gaps(pair.margin, pad, reach), is_shared) {
                return true;
            }
        }
        false
    }
}

impl<L: Lanes> Part<'_, '_, L> {
    #[inline(always)]
    fn own_pair(&mut self, pair: &GatePair, near: &[u32], gaps: [f32; 3], is_shared: bool) -> bool {
        let model = self.model;
        let is_exact = model.bodies[pair.small as usize].is_exact && model.bodies[pair.large as usize].is_exact;
        let [open, touching, hit] = self.spheres_of_pair(pair, near, gaps, is_shared, is_exact);
        let hit = if is_exact { hit.not_positive() } else { 0 };
        self.note(Numbering::of(model).bodies + pair.pair, [open.not_positive(), touching.not_positive(), hit])
    }

    /// Above 0 where all spheres of two bodies are farther apart than their radii and each of the gaps, the largest one
    /// first; less is looked at when one contact of bodies that are their spheres is all that is asked for. `is_shared`
    /// says that `near` is what is near several bodies.
    #[inline(always)]
    fn spheres_of_pair(
        &mut self,
        pair: &GatePair,
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
            self.scratch.place_center(model, pair.small as usize);
        }
        for index in near {
            let candidate = &model.candidates[*index as usize];
            if candidate.body != pair.large {
                continue;
            }
            let center = self.scratch.spheres[candidate.sphere as usize];
            let reach = candidate.radius + gaps[0];
            let ball = self.scratch.centers[pair.small as usize];
            if is_shared && center.minus(ball).norm_squared_less(L::splat(squared(small.radius + reach))).all_positive()
            {
                continue;
            }
            self.scratch.place_spheres(model, pair.small as usize);
            let placed = &self.scratch.spheres[spheres.clone()];
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
