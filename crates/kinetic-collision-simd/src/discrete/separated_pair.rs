//! Whether a cluster pair between two clusters is clear as a whole: most are.

use crate::discrete::query::Chunk;
use crate::model::KernelModel;
use crate::model::cluster_pair::{Candidate, ClusterPair};
use crate::model::obstacle::outside;
use crate::rounding::{THRESHOLD_WIDENING, squared};
use crate::vector::{Lanes, OutlinedKernel, Point, one_pass_at_a_time};

/// Relative widening of what is asked of a whole cluster pair: more than that of single pairs, so that a cluster pair that is clear has no
/// pair that is not, whatever other lanes make of it.
const WIDEST: f32 = 1e-5;

/// Spheres whose bits are looked at together.
const TOGETHER: usize = 64;

/// A distance beyond which spheres are farther apart than a gap, by more than what rounding can make of theirs.
#[inline(always)]
pub(crate) fn beyond(gap: f32, rounding: f32) -> f32 {
    gap + rounding + WIDEST * gap.abs()
}

/// Whether all pairs of a cluster pair are clear, each with the margin and the bound on the motion of the whole cluster pair.
///
/// The ball around the smaller cluster is turned into the frame of the larger one, where spheres stand still, and compared
/// with the box around these: they are often in a row, which a ball does not tell. Only spheres near it are placed.
pub(crate) struct SeparatedPair<'p, 'a, 'b, L> {
    pub(crate) chunk: &'p mut Chunk<'a, 'b, L>,
    /// Among all cluster pairs.
    pub(crate) index: usize,
    /// Where to write the first sphere that is not clear, of [`KernelModel::candidates`].
    pub(crate) open: &'p mut usize,
}

impl<L: Lanes> OutlinedKernel for SeparatedPair<'_, '_, '_, L> {
    #[inline(always)]
    fn work(self) -> bool {
        let Self { chunk, index, open } = self;
        let (model, placement) = (chunk.model, &mut *chunk.placement);
        let cluster_pair = &model.cluster_pairs[index];
        let rounding = cluster_pair.rounding_of_turned(placement.slide);
        let gap = cluster_pair.margin + rounding + placement.bounds_of_cluster_pairs(model)[index];
        if let Some(table) = &model.distance_tables[index]
            && table.at(&placement.angles).less(beyond(gap, rounding)).all_positive()
        {
            return true;
        }
        let around = model.clusters[cluster_pair.small].radius + gap;
        let ball =
            placement.in_frame(model.clusters[cluster_pair.large].frame, placement.cluster_centers[cluster_pair.small]);
        let (center, half) = &cluster_pair.around;
        if outside(ball.minus_fixed(*center), half).less(widest(around)).all_positive() {
            return true;
        }
        for first in cluster_pair.candidates.clone().step_by(TOGETHER) {
            let candidates = &model.candidates[first..cluster_pair.candidates.end.min(first + TOGETHER)];
            let mut bits = near(ball, around, candidates);
            if bits != 0 {
                for body in &model.clusters[cluster_pair.small].bodies {
                    placement.place_spheres(model, *body);
                }
            }
            let frame = placement.frame(model.clusters[cluster_pair.large].frame);
            let radius = model.clusters[cluster_pair.small].radius;
            let partners = Partners { model, placed: &placement.spheres, gap, radius };
            while bits != 0 {
                let place = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let candidate = &candidates[place];
                if !partners.are_clear_of(candidate, frame.point(candidate.center)) {
                    *open = first + place;
                    return false;
                }
            }
        }
        true
    }
}

/// One bit per sphere that is near a ball of this radius. Without branches on each: which are near is hard to foresee.
#[inline(always)]
fn near<L: Lanes>(ball: Point<L>, radius: f32, spheres: &[Candidate]) -> u64 {
    let mut bits = 0;
    for (place, sphere) in spheres.iter().enumerate() {
        one_pass_at_a_time();
        let limit = L::splat(widest(sphere.radius + radius));
        let is_clear = ball.minus_fixed(sphere.center).norm_squared_less(limit).all_positive();
        bits |= u64::from(!is_clear) << place;
    }
    bits
}

/// The square of a distance, widened; of a negative one that of 0, below which hardly anything is.
#[inline(always)]
fn widest(distance: f32) -> f32 {
    // Not `f32::max`, which asks for NaN.
    let distance = if distance > 0.0 { distance } else { 0.0 };
    distance * distance * (THRESHOLD_WIDENING * (1.0 + WIDEST))
}

/// Spheres of the smaller cluster of a cluster pair that are placed, and what a sphere of the larger one must keep from them.
struct Partners<'a, L> {
    model: &'a KernelModel,
    placed: &'a [Point<L>],
    gap: f32,
    /// Radius of the smaller cluster.
    radius: f32,
}

impl<L: Lanes> Partners<'_, L> {
    /// Whether a sphere of the larger cluster is clear of all that it can meet.
    #[inline(always)]
    fn are_clear_of(&self, candidate: &Candidate, center: Point<L>) -> bool {
        let reach = candidate.radius + self.gap;
        // Enough for every sphere of the smaller cluster. The sum with its radius may be squared though it is negative:
        // then what is clear may be called open, which is looked at again.
        let reach = reach + WIDEST * (reach.abs() + self.radius);
        let (model, range) = (self.model, candidate.partners());
        let mut least = L::splat(f32::MAX);
        for (partner, radius) in model.partners[range.clone()].iter().zip(&model.partner_radii[range]) {
            one_pass_at_a_time();
            let near = radius + reach;
            let apart = center.minus(self.placed[*partner as usize]);
            least = least.min(apart.norm_squared_less(L::splat(near * near)));
        }
        least.all_positive()
    }
}

/// Whether a sphere of a cluster pair that is not clear certainly touches in a lane that counts, where that is all that is asked
/// for.
pub(crate) struct Contact<'p, 'a, 'b, L> {
    pub(crate) chunk: &'p mut Chunk<'a, 'b, L>,
    pub(crate) cluster_pair: &'p ClusterPair,
    /// Of [`KernelModel::candidates`].
    pub(crate) candidate: usize,
}

impl<L: Lanes> OutlinedKernel for Contact<'_, '_, '_, L> {
    #[inline(always)]
    fn work(self) -> bool {
        let Self { chunk, cluster_pair, candidate } = self;
        let model = chunk.model;
        let candidate = &model.candidates[candidate];
        let center = chunk.placement.point_of(model.clusters[cluster_pair.large].frame, candidate.center);
        let rounding = 2.0 * cluster_pair.rounding(chunk.placement.slide);
        for pair in &model.body_pairs[candidate.pairs()] {
            let small = &model.bodies[pair.small as usize];
            if !small.is_exact || !model.bodies[candidate.body as usize].is_exact {
                continue;
            }
            let near = candidate.radius + pair.margin - rounding;
            let mut least = L::splat(f32::MAX);
            chunk.placement.place_spheres(model, pair.small as usize);
            let spheres = small.first_sphere..small.first_sphere + small.spheres.len();
            for (other, radius) in chunk.placement.spheres[spheres.clone()].iter().zip(&model.radii[spheres]) {
                one_pass_at_a_time();
                least = least.min(center.minus(*other).norm_squared_less(L::splat(squared(radius + near))));
            }
            let touching = if chunk.is_hit(least) { least.not_positive() } else { 0 };
            if chunk.note(model.numbering().bodies + pair.pair, [0, touching, touching]) {
                return true;
            }
        }
        false
    }
}
