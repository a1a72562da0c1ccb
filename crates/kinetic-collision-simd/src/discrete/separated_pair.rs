//! Broad phase of a cluster pair: whether the two clusters are separated as a whole, as most are.

use crate::discrete::query::Chunk;
use crate::model::KernelModel;
use crate::model::cluster_pair::{Candidate, ClusterPair};
use crate::model::obstacle::outside;
use crate::rounding::squared;
use crate::tolerance::THRESHOLD_WIDENING_FACTOR;
use crate::vector::{Lanes, OutlinedKernel, Point, prevent_loop_vectorization};

/// Relative widening of the threshold of a whole cluster pair. It exceeds that of body pairs, so that a separated
/// cluster pair has no undecided body pair, whatever the other lanes of the chunk hold.
const CLUSTER_PAIR_WIDENING_RATIO: f32 = 1e-5;

/// Candidate spheres per mask of near ones.
const CANDIDATES_PER_MASK: usize = 64;

/// The distance beyond which spheres are farther apart than a gap even after rounding.
#[inline(always)]
pub(crate) fn beyond(gap: f32, rounding: f32) -> f32 {
    gap + rounding + CLUSTER_PAIR_WIDENING_RATIO * gap.abs()
}

/// Tests whether all body pairs of a cluster pair are clear, with the largest required clearance and the motion bound
/// of the cluster pair. The bounding sphere of the smaller cluster is transformed into the frame of the larger one,
/// where the spheres are fixed, and compared with the bounding box of these: spheres are often in a row, which a box
/// fits better than a sphere. Only spheres near it are placed.
pub(crate) struct SeparatedPair<'p, 'a, 'b, L> {
    pub(crate) chunk: &'p mut Chunk<'a, 'b, L>,
    /// Index of the cluster pair.
    pub(crate) index: usize,
    /// Output: the first sphere that is not clear, an index in [`KernelModel::candidates`].
    pub(crate) undecided_candidate: &'p mut usize,
}

impl<L: Lanes> OutlinedKernel for SeparatedPair<'_, '_, '_, L> {
    #[inline(always)]
    fn run(self) -> bool {
        let Self { chunk, index, undecided_candidate } = self;
        let (model, placement) = (chunk.model, &mut *chunk.placement);
        let cluster_pair = &model.cluster_pairs[index];
        let rounding = cluster_pair.rounding_of_transformed(placement.displacement);
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
        if outside(ball.minus_fixed(*center), half).less(widened_square(around)).all_positive() {
            return true;
        }
        for first in cluster_pair.candidates.clone().step_by(CANDIDATES_PER_MASK) {
            let candidates = &model.candidates[first..cluster_pair.candidates.end.min(first + CANDIDATES_PER_MASK)];
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
                let index = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let candidate = &candidates[index];
                if !partners.are_clear_of(candidate, frame.point(candidate.center)) {
                    *undecided_candidate = first + index;
                    return false;
                }
            }
        }
        true
    }
}

/// One bit per candidate sphere that is near a sphere of this radius. The loop has no branch on each, because which are
/// near is hard to predict.
#[inline(always)]
fn near<L: Lanes>(ball: Point<L>, radius: f32, spheres: &[Candidate]) -> u64 {
    let mut bits = 0;
    for (index, sphere) in spheres.iter().enumerate() {
        prevent_loop_vectorization();
        let limit = L::splat(widened_square(sphere.radius + radius));
        let is_clear = ball.minus_fixed(sphere.center).norm_squared_less(limit).all_positive();
        bits |= u64::from(!is_clear) << index;
    }
    bits
}

/// The square of a distance, widened; 0 for a negative one.
#[inline(always)]
fn widened_square(distance: f32) -> f32 {
    // A comparison, because `f32::max` also tests for NaN.
    let distance = if distance > 0.0 { distance } else { 0.0 };
    distance * distance * (THRESHOLD_WIDENING_FACTOR * (1.0 + CLUSTER_PAIR_WIDENING_RATIO))
}

/// The placed spheres of the smaller cluster, and the gap that a sphere of the larger one must have from them.
struct Partners<'a, L> {
    model: &'a KernelModel,
    placed: &'a [Point<L>],
    gap: f32,
    /// Radius of the smaller cluster.
    radius: f32,
}

impl<L: Lanes> Partners<'_, L> {
    /// Whether a sphere of the larger cluster is clear of all spheres that it can touch.
    #[inline(always)]
    fn are_clear_of(&self, candidate: &Candidate, center: Point<L>) -> bool {
        let radius_and_gap = candidate.radius + self.gap;
        // The widening suffices for every sphere of the smaller cluster. The sum with its radius may be squared
        // although it is negative. A clear sphere may then count as undecided, and the body pairs are tested.
        let radius_and_gap = radius_and_gap + CLUSTER_PAIR_WIDENING_RATIO * (radius_and_gap.abs() + self.radius);
        let (model, range) = (self.model, candidate.partners());
        let mut least = L::splat(f32::MAX);
        for (partner, radius) in model.partners[range.clone()].iter().zip(&model.partner_radii[range]) {
            prevent_loop_vectorization();
            let near = radius + radius_and_gap;
            let apart = center.minus(self.placed[*partner as usize]);
            least = least.min(apart.norm_squared_less(L::splat(near * near)));
        }
        least.all_positive()
    }
}

/// Tests whether the first undecided sphere certainly touches in a used lane. It is tried first where any contact
/// answers the query.
pub(crate) struct Contact<'p, 'a, 'b, L> {
    pub(crate) chunk: &'p mut Chunk<'a, 'b, L>,
    pub(crate) cluster_pair: &'p ClusterPair,
    /// Index in [`KernelModel::candidates`].
    pub(crate) candidate: usize,
}

impl<L: Lanes> OutlinedKernel for Contact<'_, '_, '_, L> {
    #[inline(always)]
    fn run(self) -> bool {
        let Self { chunk, cluster_pair, candidate } = self;
        let model = chunk.model;
        let candidate = &model.candidates[candidate];
        let center = chunk.placement.point_of(model.clusters[cluster_pair.large].frame, candidate.center);
        let rounding = 2.0 * cluster_pair.rounding(chunk.placement.displacement);
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
                prevent_loop_vectorization();
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
