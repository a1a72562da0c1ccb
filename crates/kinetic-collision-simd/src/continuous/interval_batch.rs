//! The loop over frames, bodies, obstacles and pairs for several configurations at once.
//!
//! Each lane is an interval of a motion: its middle configuration and a box around it (see
//! the exact tier of `kinetic-scene` for the motion bound, which is computed here in the same way). For every item the
//! kernel says in which lanes it is *proven* clear for the whole interval, and in which its spheres *touch* at the
//! middle. Every threshold is wider by a bound on the rounding, so that a proof in single precision is a proof.

use crate::dispatch::BatchKernel;
use crate::item::{Batch, Hit};
use crate::model::constant_distance::is_set;
use crate::model::{KernelModel, KernelPair};
use crate::placement::Placement;
use crate::rounding::{DIFFERENCE_ROUNDING, THRESHOLD_WIDENING};
use crate::vector::Lanes;

/// Lanes that are reported together: the narrowest width.
const REPORTED: usize = 8;

/// Signs per lane of one item: above 0 where it is clear.
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

/// Where the kernel reports to.
pub(crate) trait HitSink {
    /// Lanes of `hit` are numbered in the batch. Returns true to stop.
    fn report(&mut self, hit: Hit) -> bool;
}

/// Looks for what is not proven in a batch of intervals.
pub(crate) struct Proof<'a, S> {
    pub(crate) batch: &'a Batch,
    /// Items and the lanes to look at them in.
    pub(crate) items: &'a [(u32, u16)],
    pub(crate) sink: &'a mut S,
}

impl<S: HitSink> BatchKernel for Proof<'_, S> {
    #[inline(always)]
    fn part<L: Lanes>(
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

    /// First the ball around the body, then its spheres.
    #[inline(always)]
    fn body_against_obstacle(&mut self, body: usize, obstacle: u32, signs: &mut Signs<L>) {
        let model = self.model;
        let (this, other) = (&model.bodies[body], &model.obstacles[obstacle as usize]);
        self.placement.place_body(model, body);
        let reach = self.placement.reach(this);
        let rounding =
            self.placement.rounding(this) + DIFFERENCE_ROUNDING * (other.extent + this.extent + self.placement.slide);
        let fixed = this.margin_to(obstacle) + other.radius + rounding;
        let (mut center, mut radius) = (self.placement.centers[body], this.radius);
        let mut next = 0;
        loop {
            let near = radius + fixed;
            let (limit, limit_of_middle) = (threshold(near, reach), threshold(near, L::ZERO));
            let found = other.clearances_within(center, limit, limit_of_middle);
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
        let reach = self.placement.bound(pair.motion_bound_of_small) + self.placement.bound(pair.motion_bound_of_large);
        let reach = reach.scale(1.0 + 1e-5);
        let fixed = pair.margin + self.placement.rounding(small) + self.placement.rounding(large);
        let ball = self.placement.centers[pair.small];
        let apart = ball.minus(self.placement.centers[pair.large]).norm_squared();
        if is_beyond(apart, small.radius + large.radius + fixed, reach).all_positive() {
            return;
        }
        self.placement.place_spheres(model, pair.large);
        for (index, (_, radius)) in large.spheres.iter().enumerate() {
            if is_set(pair.constant_of_large, index) {
                continue;
            }
            let center = self.placement.spheres[large.first_sphere + index];
            // Most spheres of the larger body are far from the whole smaller one.
            let apart = ball.minus(center).norm_squared();
            if is_beyond(apart, radius + small.radius + fixed, reach).all_positive() {
                continue;
            }
            self.placement.place_spheres(model, pair.small);
            for (other, (_, other_radius)) in small.spheres.iter().enumerate() {
                let apart = center.minus(self.placement.spheres[small.first_sphere + other]).norm_squared();
                let near = radius + other_radius + fixed;
                signs.lower(is_beyond(apart, near, reach), is_beyond(apart, near, L::ZERO));
            }
        }
    }

    /// Hands on the lanes that are not clear, eight at a time whatever the width: what the sink looks at, a lane per hit,
    /// must not depend on it.
    #[inline(never)]
    fn report(&mut self, item: u32, signs: &Signs<L>, lanes: u16) -> bool {
        let (open, touching) = (signs.interval.not_positive(), signs.middle.not_positive());
        let groups = L::WIDTH / REPORTED;
        for group in 0..groups {
            let hit = self.hit(item, open, touching, signs, (group, groups)).masked(lanes);
            if hit.open != 0 && self.sink.report(hit) {
                return true;
            }
        }
        false
    }

    /// The hit in every `groups`-th lane from `group` on.
    fn hit(&self, item: u32, open: u16, touching: u16, signs: &Signs<L>, (group, groups): (usize, usize)) -> Hit {
        let (mut deepest, mut hit) = (group, Hit { item, open: 0, touching: 0, deepest: 0 });
        let mut lane = group;
        let middle = signs.middle.lanes();
        while lane < L::WIDTH {
            if middle[lane] < middle[deepest] {
                deepest = lane;
            }
            let place = self.first + lane * self.stride;
            hit.open |= (open >> lane & 1) << place;
            hit.touching |= (touching >> lane & 1) << place;
            lane += groups;
        }
        hit.deepest = (self.first + deepest * self.stride) as u8;
        hit
    }
}

impl Hit {
    /// Only these lanes.
    fn masked(mut self, lanes: u16) -> Self {
        self.open &= lanes;
        self.touching &= lanes;
        if self.touching >> self.deepest & 1 == 0 && self.touching != 0 {
            self.deepest = self.touching.trailing_zeros() as u8;
        }
        self
    }
}

/// Distance below which something is near: fixed part and motion bound, widened for rounding.
#[inline(always)]
fn threshold<L: Lanes>(fixed: f32, reach: L) -> L {
    reach.offset(fixed.max(0.0)).scale(THRESHOLD_WIDENING)
}

/// Above 0 where a squared distance exceeds a threshold.
#[inline(always)]
fn is_beyond<L: Lanes>(squared: L, fixed: f32, reach: L) -> L {
    let threshold = threshold(fixed, reach);
    squared - threshold * threshold
}
