//! A block's clusters against each other.

use super::block::{Part, gaps, squared};
use super::gates::{Gate, GatePair, Run};
use super::kernel::Numbering;
use super::model::LaneModel;
use super::scratch::Scratch;
use super::vector::{Lanes, Outlined, one_pass_at_a_time};

/// Spheres that are compared with a ball before anyone asks which of them is near.
const TOGETHER: usize = 4;

/// Relative widening of what is asked of a whole gate: more than that of single pairs, so that a gate that is clear has no
/// pair that is not, whatever other lanes make of it.
const WIDEST: f32 = 1.0 + 1e-5;

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
        for gate in gates {
            let gate = &self.model.gates[*gate as usize];
            if given.is_some() {
                self.scratch.place_cluster(self.model, gate.small);
            }
            if !L::outline(ClearGate { model: self.model, scratch: self.scratch, gate })
                && L::outline(OpenGate { part: self, gate, near: spheres })
            {
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
}

/// Whether all pairs of a gate are clear, each with the margin and the bound on the motion of the whole gate: most are.
struct ClearGate<'p, L> {
    model: &'p LaneModel,
    scratch: &'p mut Scratch<L>,
    gate: &'p Gate,
}

impl<L: Lanes> Outlined for ClearGate<'_, L> {
    #[inline(always)]
    fn work(mut self) -> bool {
        let Self { model, gate, .. } = self;
        for body in &model.clusters[gate.large].bodies {
            self.scratch.place_spheres(model, *body);
        }
        let reach = self.scratch.bounds[gate.bound_of_small] + self.scratch.bounds[gate.bound_of_large];
        let gap = gate.margin + gate.rounding(self.scratch.slide) + reach;
        let ball = self.scratch.cluster_centers[gate.small];
        let around = model.clusters[gate.small].radius + gap;
        for run in &model.runs[gate.runs.clone()] {
            let mut first = run.spheres.start;
            while first < run.spheres.end {
                let last = (first + TOGETHER).min(run.spheres.end);
                let mut least = L::splat(f32::MAX);
                for (center, radius) in self.scratch.spheres[first..last].iter().zip(&model.radii[first..last]) {
                    least = least.min(ball.minus(*center).norm_squared_less(widened(radius + around)));
                }
                if !least.all_positive() && !self.are_clear(run, first..last, gap) {
                    return false;
                }
                first = last;
            }
        }
        true
    }
}

impl<L: Lanes> ClearGate<'_, L> {
    /// Some spheres of a run against the bodies that theirs is paired with.
    #[inline(always)]
    fn are_clear(&mut self, run: &Run, spheres: std::ops::Range<usize>, gap: f32) -> bool {
        let Self { model, gate, .. } = *self;
        let ball = self.scratch.cluster_centers[gate.small];
        let cluster = &model.clusters[gate.small];
        let is_shared = cluster.bodies.len() > 1;
        let mut least = L::splat(f32::MAX);
        for sphere in spheres {
            let (center, reach) = (self.scratch.spheres[sphere], model.radii[sphere] + gap);
            if center.minus(ball).norm_squared_less(widened(cluster.radius + reach)).all_positive() {
                continue;
            }
            for pair in &model.gate_pairs[run.pairs.clone()] {
                let small = &model.bodies[pair.small as usize];
                if is_shared {
                    self.scratch.place_center(model, pair.small as usize);
                    let apart = center.minus(self.scratch.centers[pair.small as usize]);
                    if apart.norm_squared_less(widened(small.radius + reach)).all_positive() {
                        continue;
                    }
                }
                self.scratch.place_spheres(model, pair.small as usize);
                let spheres = small.first_sphere..small.first_sphere + small.spheres.len();
                for (other, radius) in self.scratch.spheres[spheres.clone()].iter().zip(&model.radii[spheres]) {
                    least = least.min(center.minus(*other).norm_squared_less(widened(radius + reach)));
                }
            }
        }
        least.all_positive()
    }
}

/// The square of a distance, widened for the rounding of squares and more; 0 for a negative one.
#[inline(always)]
fn widened(distance: f32) -> f32 {
    let distance = if distance > 0.0 { distance } else { 0.0 };
    distance * distance * WIDEST
}

/// The pairs of a gate, one after the other. True when nothing more needs to be known.
struct OpenGate<'p, 'a, 'b, L> {
    part: &'p mut Part<'a, 'b, L>,
    gate: &'p Gate,
    /// A place to list the spheres of the larger cluster that are near the smaller one.
    near: &'p mut [u32],
}

impl<L: Lanes> Outlined for OpenGate<'_, '_, '_, L> {
    #[inline(always)]
    fn work(self) -> bool {
        let Self { part, gate, near } = self;
        let model = part.model;
        let pad = gate.rounding(part.scratch.slide);
        let reach = part.scratch.bounds[gate.bound_of_small] + part.scratch.bounds[gate.bound_of_large];
        let (ball, around) = (part.scratch.cluster_centers[gate.small], model.clusters[gate.small].radius);
        let gap = around + gate.margin + pad + reach;
        let mut count = 0;
        for index in gate.candidates.clone() {
            let candidate = &model.candidates[index];
            let apart = ball.minus(part.scratch.spheres[candidate.sphere as usize]);
            near[count] = index as u32;
            count += usize::from(!apart.norm_squared_less(squared(candidate.radius + gap)).all_positive());
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
            if is_shared && center.minus(ball).norm_squared_less(squared(small.radius + reach)).all_positive() {
                continue;
            }
            self.scratch.place_spheres(model, pair.small as usize);
            let placed = &self.scratch.spheres[spheres.clone()];
            for (other, radius) in placed.iter().zip(&model.radii[spheres.clone()]) {
                let apart = center.minus(*other).norm_squared();
                let both = candidate.radius + radius;
                for (least, gap) in least.iter_mut().zip(gaps) {
                    *least = least.min(apart.offset(-squared(both + gap)));
                }
            }
            if is_exact && self.block.any_hit_will_do && self.is_hit(least[2]) {
                break;
            }
        }
        least
    }
}
