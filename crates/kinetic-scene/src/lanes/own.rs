//! A block's clusters against each other.

use super::block::Part;
use super::clear_gate::{ClearGate, Contact};
use super::open_gate::OpenGate;
use super::vector::{Lanes, Outlined, one_pass_at_a_time};

/// A block's clusters against each other, with places to list gates and spheres that are near.
pub(super) struct Own<'p, 'a, 'b, L> {
    pub(super) part: &'p mut Part<'a, 'b, L>,
    pub(super) gates: &'p mut [u32],
    pub(super) spheres: &'p mut [u32],
}

impl<L: Lanes> Outlined for Own<'_, '_, '_, L> {
    #[inline(always)]
    fn work(self) -> bool {
        self.part.own(self.gates, self.spheres)
    }
}

impl<L: Lanes> Part<'_, '_, L> {
    /// Gate after gate. True when nothing more needs to be known.
    #[inline(always)]
    fn own(&mut self, near: &mut [u32], spheres: &mut [u32]) -> bool {
        let given = self.block.items;
        let count = if given.is_some() { 0 } else { self.list_gates(near) };
        let gates = given.map_or(&near[..count], |items| &items.gates);
        for index in gates {
            let gate = &self.model.gates[*index as usize];
            if given.is_some() {
                self.scratch.place_cluster(self.model, gate.small);
            }
            let mut open = 0;
            let clear = ClearGate { part: self, index: *index as usize, open: &mut open };
            if L::outline(clear) {
                continue;
            }
            let is_hit = self.block.any_hit_will_do && L::outline(Contact { part: self, gate, candidate: open });
            if is_hit || L::outline(OpenGate { part: self, index: *index as usize, near: spheres }) {
                return true;
            }
        }
        false
    }

    /// Lists the gates between clusters that are near each other, and says how many. Without branches on each gate: which
    /// are near is hard to foresee.
    #[inline(always)]
    fn list_gates(&self, near: &mut [u32]) -> usize {
        // Slices, so that where they lie is looked up once.
        let (centers, limits) = (&self.scratch.cluster_centers[..], &self.scratch.gate_limits[..]);
        let mut count = 0;
        for (index, (gate, limit)) in self.model.gates.iter().zip(limits).enumerate() {
            one_pass_at_a_time();
            let apart = centers[gate.small].minus(centers[gate.large]);
            near[count] = index as u32;
            count += usize::from(!apart.norm_squared_less(L::splat(*limit)).all_positive());
        }
        count
    }
}
