//! A block's clusters against each other.

use super::block::{Part, gaps, squared};
use super::gates::GatePair;
use super::kernel::Numbering;
use super::vector::{Lanes, one_pass_at_a_time};

impl<const W: usize> Part<'_, '_, W> {
    /// Gate after gate. True when nothing more needs to be known.
    #[inline(always)]
    pub(super) fn own(&mut self, near: &mut [u32], spheres: &mut [u32]) -> bool {
        let given = self.block.items;
        let count = if given.is_some() { 0 } else { self.list_gates(near) };
        let gates = given.map_or(&near[..count], |items| &items.gates);
        for gate in gates {
            if self.open_gate(*gate as usize, spheres) {
                return true;
            }
        }
        false
    }

    /// Lists the gates between clusters that are near each other, and says how many. Without branches on each gate: which
    /// are near is hard to foresee.
    #[inline(always)]
    fn list_gates(&self, near: &mut [u32]) -> usize {
        let scratch = &*self.scratch;
        let mut count = 0;
        for (index, gate) in self.model.gates.iter().enumerate() {
            one_pass_at_a_time();
            let reach = scratch.bounds[gate.bound_of_small] + scratch.bounds[gate.bound_of_large];
            let limit = squared(gate.per_slide.mul_add(scratch.slide, gate.near) + reach);
            let apart = scratch.cluster_centers[gate.small].minus(scratch.cluster_centers[gate.large]);
            near[count] = index as u32;
            count += usize::from(!apart.norm_squared_less(limit).all_positive());
        }
        count
    }

    /// Compares the spheres of the larger cluster that are near the smaller one with the spheres of its bodies.
    #[inline(always)]
    fn open_gate(&mut self, index: usize, near: &mut [u32]) -> bool {
        let model = self.model;
        let gate = &model.gates[index];
        let pad = gate.rounding(self.scratch.slide);
        let reach = self.scratch.bounds[gate.bound_of_small] + self.scratch.bounds[gate.bound_of_large];
        for body in &model.clusters[gate.large].bodies {
            self.scratch.place_spheres(model, *body);
        }
        if self.block.items.is_some() {
            self.scratch.place_cluster(model, gate.small);
        }
        let (ball, around) = (self.scratch.cluster_centers[gate.small], model.clusters[gate.small].radius);
        let gap = around + gate.margin + pad + reach;
        let mut count = 0;
        for index in gate.candidates.clone() {
            one_pass_at_a_time();
            let candidate = &model.candidates[index];
            let apart = ball.minus(self.scratch.spheres[candidate.sphere as usize]);
            near[count] = index as u32;
            count += usize::from(!apart.norm_squared_less(squared(candidate.radius + gap)).all_positive());
        }
        if count == 0 {
            return false;
        }
        let is_shared = model.clusters[gate.small].bodies.len() > 1;
        for pair in &model.gate_pairs[gate.pairs.clone()] {
            let reach = self.bound_of(pair.small as usize, gate.joints_of_small)
                + self.bound_of(pair.large as usize, gate.joints_of_large);
            if self.own_pair(pair, &near[..count], (pad, reach), is_shared) {
                return true;
            }
        }
        false
    }

    #[inline(always)]
    fn own_pair(&mut self, pair: &GatePair, near: &[u32], (pad, reach): (f32, f32), is_shared: bool) -> bool {
        let model = self.model;
        let is_exact = model.bodies[pair.small as usize].is_exact && model.bodies[pair.large as usize].is_exact;
        let mut found = [0; 3];
        for (stage, gap) in gaps(pair.margin, pad, reach).into_iter().enumerate() {
            if (stage == 0 && reach == 0.0) || (stage == 2 && !is_exact) {
                continue;
            }
            let least = self.spheres_of_pair(pair, near, gap, is_shared);
            if least.all_positive() {
                break;
            }
            found[stage] = least.not_positive();
        }
        self.note(Numbering::of(model).bodies + pair.pair, found)
    }

    /// Above 0 where all spheres of two bodies are farther apart than their radii and `gap`. `is_shared` says that `near`
    /// is what is near several bodies.
    #[inline(always)]
    fn spheres_of_pair(&mut self, pair: &GatePair, near: &[u32], gap: f32, is_shared: bool) -> Lanes<W> {
        let model = self.model;
        let small = &model.bodies[pair.small as usize];
        let spheres = small.first_sphere..small.first_sphere + small.spheres.len();
        let mut least = Lanes::splat(f32::MAX);
        if is_shared {
            self.scratch.place_center(model, pair.small as usize);
        }
        for index in near {
            let candidate = &model.candidates[*index as usize];
            if candidate.body != pair.large {
                continue;
            }
            let center = self.scratch.spheres[candidate.sphere as usize];
            let reach = candidate.radius + gap;
            let ball = self.scratch.centers[pair.small as usize];
            if is_shared && center.minus(ball).norm_squared_less(squared(small.radius + reach)).all_positive() {
                continue;
            }
            self.scratch.place_spheres(model, pair.small as usize);
            let placed = &self.scratch.spheres[spheres.clone()];
            for (other, radius) in placed.iter().zip(&model.radii[spheres.clone()]) {
                one_pass_at_a_time();
                least = least.min(center.minus(*other).norm_squared_less(squared(radius + reach)));
            }
        }
        least
    }
}
