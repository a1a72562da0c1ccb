//! Whether a gate between two clusters is clear as a whole: most are.

use super::block::{Part, squared};
use super::gates::{Candidate, Gate};
use super::kernel::Numbering;
use super::model::LaneModel;
use super::scratch::Scratch;
use super::vector::{Lanes, Outlined, one_pass_at_a_time};

/// Relative widening of what is asked of a whole gate: more than that of single pairs, so that a gate that is clear has no
/// pair that is not, whatever other lanes make of it.
const WIDEST: f32 = 1e-5;

/// Whether all pairs of a gate are clear, each with the margin and the bound on the motion of the whole gate.
///
/// The ball around the smaller cluster is turned into the frame of the larger one, where spheres stand still: only those
/// near it are placed.
pub(super) struct ClearGate<'p, 'a, 'b, L> {
    pub(super) part: &'p mut Part<'a, 'b, L>,
    /// Among all gates.
    pub(super) index: usize,
    /// A place to list the spheres of the larger cluster that are near the smaller one.
    pub(super) near: &'p mut [u32],
    /// Where to write the first sphere that is not clear, of [`LaneModel::candidates`].
    pub(super) open: &'p mut usize,
}

impl<L: Lanes> Outlined for ClearGate<'_, '_, '_, L> {
    #[inline(always)]
    fn work(self) -> bool {
        let Self { part, index, near, open } = self;
        let model = part.model;
        let gate = &model.gates[index];
        let gap = gate.margin + gate.rounding_of_turned(part.scratch.slide) + part.scratch.gate_reaches[index];
        let count = part.scratch.list_near(model, gate, gap, near);
        if count > 0 {
            for body in &model.clusters[gate.small].bodies {
                part.scratch.place_spheres(model, *body);
            }
        }
        for index in &near[..count] {
            let candidate = &model.candidates[*index as usize];
            if !part.scratch.is_clear(model, gate, candidate, gap) {
                *open = *index as usize;
                return false;
            }
        }
        true
    }
}

impl<L: Lanes> Scratch<L> {
    /// Lists the spheres of the larger cluster that are near the ball around the smaller one, and says how many. Without
    /// branches on each sphere: which are near is hard to foresee.
    #[inline(always)]
    fn list_near(&mut self, model: &LaneModel, gate: &Gate, gap: f32, near: &mut [u32]) -> usize {
        let around = model.clusters[gate.small].radius + gap;
        let radii = &model.candidate_radii[gate.candidates.clone()];
        let limits = &mut self.sphere_limits[..radii.len()];
        for (limit, radius) in limits.iter_mut().zip(radii) {
            *limit = squared(radius + around) * (1.0 + WIDEST);
        }
        let ball = self.in_frame(model.clusters[gate.large].frame, self.cluster_centers[gate.small]);
        let mut count = 0;
        let candidates = &model.candidates[gate.candidates.clone()];
        for (place, (candidate, limit)) in candidates.iter().zip(&self.sphere_limits).enumerate() {
            one_pass_at_a_time();
            let apart = ball.minus_fixed(candidate.center).norm_squared_less(L::splat(*limit));
            near[count] = (gate.candidates.start + place) as u32;
            count += usize::from(!apart.all_positive());
        }
        count
    }

    /// Whether a sphere of the larger cluster is clear of all that it can meet.
    #[inline(always)]
    fn is_clear(&self, model: &LaneModel, gate: &Gate, candidate: &Candidate, gap: f32) -> bool {
        let center = self.point_of(model.clusters[gate.large].frame, candidate.center);
        let cluster = &model.clusters[gate.small];
        let reach = candidate.radius + gap;
        // Enough for every sphere of the smaller cluster. The sum with its radius may be squared though it is negative:
        // then what is clear may be called open, which is looked at again.
        let reach = L::splat(reach + WIDEST * (reach.abs() + cluster.radius));
        let mut least = L::splat(f32::MAX);
        for partner in &model.partners[candidate.partners()] {
            one_pass_at_a_time();
            let near = L::splat(model.radii[*partner as usize]) + reach;
            let apart = center.minus(self.spheres[*partner as usize]);
            least = least.min(apart.norm_squared_less(near * near));
        }
        least.all_positive()
    }
}

/// Whether a sphere of a gate that is not clear certainly touches in a lane that counts, where that is all that is asked
/// for.
pub(super) struct Contact<'p, 'a, 'b, L> {
    pub(super) part: &'p mut Part<'a, 'b, L>,
    pub(super) gate: &'p Gate,
    /// Of [`LaneModel::candidates`].
    pub(super) candidate: usize,
}

impl<L: Lanes> Outlined for Contact<'_, '_, '_, L> {
    #[inline(always)]
    fn work(self) -> bool {
        let Self { part, gate, candidate } = self;
        let model = part.model;
        let candidate = &model.candidates[candidate];
        let center = part.scratch.point_of(model.clusters[gate.large].frame, candidate.center);
        let rounding = 2.0 * gate.rounding(part.scratch.slide);
        for pair in &model.gate_pairs[candidate.pairs()] {
            let small = &model.bodies[pair.small as usize];
            if !small.is_exact || !model.bodies[candidate.body as usize].is_exact {
                continue;
            }
            let near = candidate.radius + pair.margin - rounding;
            let mut least = L::splat(f32::MAX);
            part.scratch.place_spheres(model, pair.small as usize);
            let spheres = small.first_sphere..small.first_sphere + small.spheres.len();
            for (other, radius) in part.scratch.spheres[spheres.clone()].iter().zip(&model.radii[spheres]) {
                one_pass_at_a_time();
                least = least.min(center.minus(*other).norm_squared_less(L::splat(squared(radius + near))));
            }
            let touching = if part.is_hit(least) { least.not_positive() } else { 0 };
            if part.note(Numbering::of(model).bodies + pair.pair, [0, touching, touching]) {
                return true;
            }
        }
        false
    }
}
