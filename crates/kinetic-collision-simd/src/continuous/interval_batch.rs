//! Motion-bound tests of a batch of intervals (Schwarzer, Saha, Latombe 2005), one interval per lane. Each lane holds
//! an interval of a motion: its middle configuration and a box around it. The motion bound is computed as in the exact
//! tier of `kinetic-scene`. For every item the kernel determines in which lanes it is *proven* clear for the whole
//! interval, and in which its spheres *touch* at the middle. Every threshold is widened by a bound on the rounding, so
//! that a proof in single precision is a proof.

use crate::dispatch::BatchKernel;
use crate::item::{Batch, Hit};
use crate::model::constant_distance::is_set;
use crate::model::tree_search::Stop;
use crate::model::{KernelModel, KernelPair};
use crate::placement::Placement;
use crate::tolerance::{DIFFERENCE_ROUNDING_RATIO, SUM_WIDENING_FACTOR, THRESHOLD_WIDENING_FACTOR};
use crate::vector::Lanes;

/// Lanes per report. It is the narrowest register width, so that reports do not depend on the width.
const LANES_PER_REPORT: usize = 8;

/// Differences of squared distances and thresholds of one item, per lane: above 0 where it is clear.
struct Signs<L> {
    /// For the whole interval.
    interval: L,
    /// At its middle.
    middle: L,
}

impl<L: Lanes> Signs<L> {
    #[inline(always)]
    fn clear() -> Self {
        Self { interval: L::splat(f32::MAX), middle: L::splat(f32::MAX) }
    }

    #[inline(always)]
    fn lower(&mut self, interval: L, middle: L) {
        self.interval = self.interval.min(interval);
        self.middle = self.middle.min(middle);
    }
}

/// Receives the hits of the kernel.
pub(crate) trait HitSink {
    /// Receives a hit whose lanes are numbered in the batch. Returns true to stop.
    fn report(&mut self, hit: Hit) -> bool;
}

/// Tests items in a batch of intervals and reports those that are not proven.
pub(crate) struct Proof<'a, S> {
    pub(crate) batch: &'a Batch,
    /// Items and the lanes to test them in.
    pub(crate) items: &'a [(u32, u16)],
    pub(crate) sink: &'a mut S,
}

impl<S: HitSink> BatchKernel for Proof<'_, S> {
    #[inline(always)]
    fn run_chunk<L: Lanes>(
        &mut self,
        model: &KernelModel,
        placement: &mut Placement<L>,
        first: usize,
        stride: usize,
    ) -> bool {
        placement.place(model, self.batch, first, stride);
        Kernel { model, placement, sink: self.sink, first, stride }.work_off(self.items)
    }
}

struct Kernel<'a, L, S> {
    model: &'a KernelModel,
    placement: &'a mut Placement<L>,
    sink: &'a mut S,
    first: usize,
    stride: usize,
}

impl<L: Lanes, S: HitSink> Kernel<'_, L, S> {
    #[inline(always)]
    fn work_off(&mut self, work: &[(u32, u16)]) -> bool {
        let numbering = self.model.numbering();
        for (item, lanes) in work {
            let mut signs = Signs::clear();
            if *item < numbering.bodies + numbering.pairs {
                self.self_pair((*item - numbering.bodies) as usize, &mut signs);
            } else {
                let index = *item - numbering.bodies - numbering.pairs;
                self.body_against_obstacle(
                    (index / numbering.obstacles) as usize,
                    index % numbering.obstacles,
                    &mut signs,
                );
            }
            if !signs.interval.all_positive() && self.report(*item, &signs, *lanes) {
                return true;
            }
        }
        false
    }

    /// Tests the bounding sphere of the body first, then its spheres.
    #[inline(always)]
    fn body_against_obstacle(&mut self, body: usize, obstacle: u32, signs: &mut Signs<L>) {
        let model = self.model;
        let (this, other) = (&model.bodies[body], &model.obstacles[obstacle as usize]);
        self.placement.place_body(model, body);
        let motion_bound = self.placement.motion_bound(this);
        let rounding = self.placement.rounding(this)
            + DIFFERENCE_ROUNDING_RATIO * (other.extent + this.extent + self.placement.displacement);
        let fixed = this.margin_to(obstacle) + other.radius + rounding;
        let (mut center, mut radius) = (self.placement.centers[body], this.radius);
        let mut next = 0;
        loop {
            let near = radius + fixed;
            let (limit, limit_of_middle) = (threshold(near, motion_bound), threshold(near, L::ZERO));
            // Of the bounding sphere only the sign counts.
            let stop = if next == 0 { Stop::Decided } else { Stop::Exhausted };
            let found = other.distances(center, (limit, limit_of_middle), stop);
            let interval = found.beyond(limit);
            if next > 0 {
                signs.lower(interval, found.beyond(limit_of_middle));
            } else if interval.all_positive() {
                return;
            } else {
                self.placement.place_spheres(model, body);
            }
            if next == this.spheres.len() {
                return;
            }
            (center, radius) = (self.placement.spheres[this.first_sphere + next], this.spheres[next].1);
            next += 1;
        }
    }

    #[inline(always)]
    fn self_pair(&mut self, pair: usize, signs: &mut Signs<L>) {
        let model = self.model;
        let pair: &KernelPair = &model.pairs[pair];
        let (small, large) = (&model.bodies[pair.small], &model.bodies[pair.large]);
        self.placement.place_body(model, pair.small);
        self.placement.place_body(model, pair.large);
        let motion_bound =
            self.placement.bound(pair.motion_bound_of_small) + self.placement.bound(pair.motion_bound_of_large);
        let motion_bound = motion_bound.scale(SUM_WIDENING_FACTOR);
        let fixed = pair.margin + self.placement.rounding(small) + self.placement.rounding(large);
        let ball = self.placement.centers[pair.small];
        let apart = ball.minus(self.placement.centers[pair.large]).norm_squared();
        if is_beyond(apart, small.radius + large.radius + fixed, motion_bound).all_positive() {
            return;
        }
        self.placement.place_spheres(model, pair.large);
        for (index, (_, radius)) in large.spheres.iter().enumerate() {
            if is_set(pair.constant_of_large, index) {
                continue;
            }
            let center = self.placement.spheres[large.first_sphere + index];
            // Most spheres of the larger body are far from the bounding sphere of the smaller one.
            let apart = ball.minus(center).norm_squared();
            if is_beyond(apart, radius + small.radius + fixed, motion_bound).all_positive() {
                continue;
            }
            self.placement.place_spheres(model, pair.small);
            for (other, (_, other_radius)) in small.spheres.iter().enumerate() {
                let apart = center.minus(self.placement.spheres[small.first_sphere + other]).norm_squared();
                let near = radius + other_radius + fixed;
                signs.lower(is_beyond(apart, near, motion_bound), is_beyond(apart, near, L::ZERO));
            }
        }
    }

    /// Reports the lanes that are not clear, in groups of the same size for every register width: the sink confirms one
    /// lane per hit, and which one must not depend on the width.
    #[inline(never)]
    fn report(&mut self, item: u32, signs: &Signs<L>, lanes: u16) -> bool {
        let (undecided, touching) = (signs.interval.not_positive(), signs.middle.not_positive());
        let groups = L::WIDTH / LANES_PER_REPORT;
        for group in 0..groups {
            let hit = self.hit(item, undecided, touching, signs, (group, groups)).masked(lanes);
            if hit.undecided != 0 && self.sink.report(hit) {
                return true;
            }
        }
        false
    }

    /// The hit of a group: of every `groups`-th lane from `group` on.
    fn hit(&self, item: u32, undecided: u16, touching: u16, signs: &Signs<L>, (group, groups): (usize, usize)) -> Hit {
        let (mut deepest, mut hit) = (group, Hit { item, undecided: 0, touching: 0, deepest: 0 });
        let mut lane = group;
        let middle = signs.middle.lanes();
        while lane < L::WIDTH {
            if middle[lane] < middle[deepest] {
                deepest = lane;
            }
            let batch_lane = self.first + lane * self.stride;
            hit.undecided |= (undecided >> lane & 1) << batch_lane;
            hit.touching |= (touching >> lane & 1) << batch_lane;
            lane += groups;
        }
        hit.deepest = (self.first + deepest * self.stride) as u8;
        hit
    }
}

impl Hit {
    /// Restricts a hit to some lanes.
    fn masked(mut self, lanes: u16) -> Self {
        self.undecided &= lanes;
        self.touching &= lanes;
        if self.touching >> self.deepest & 1 == 0 && self.touching != 0 {
            self.deepest = self.touching.trailing_zeros() as u8;
        }
        self
    }
}

/// Distance below which an item is not proven clear: fixed part plus motion bound, widened for rounding.
#[inline(always)]
fn threshold<L: Lanes>(fixed: f32, motion_bound: L) -> L {
    motion_bound.offset(fixed.max(0.0)).scale(THRESHOLD_WIDENING_FACTOR)
}

/// Above 0 where a squared distance exceeds the square of a threshold.
#[inline(always)]
fn is_beyond<L: Lanes>(squared: L, fixed: f32, motion_bound: L) -> L {
    let threshold = threshold(fixed, motion_bound);
    squared - threshold * threshold
}
