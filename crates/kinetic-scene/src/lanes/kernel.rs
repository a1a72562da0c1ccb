//! The loop over frames, bodies, obstacles and pairs for several configurations at once.
//!
//! Each lane is an interval of a motion: its middle configuration and a box around it (see
//! [`evaluation`](crate::evaluation) for the motion bound, which is computed here in the same way). For every item the
//! kernel says in which lanes it is *proven* clear for the whole interval, and in which its spheres *touch* at the
//! middle. Every threshold is wider by a bound on the rounding, so that a proof in single precision is a proof.

use super::dispatch::Work;
use super::model::{LaneModel, LanePair};
use super::scratch::Scratch;
use super::steady::is_set;
use super::vector::Lanes;
use crate::motion::BATCH;

/// Configurations of a batch, joint by joint.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    /// Middle of each interval, per variable.
    pub(super) q: Vec<[f64; BATCH]>,
    /// Half-widths of the box around it, per variable.
    pub(super) radius: Vec<[f32; BATCH]>,
}

/// One item that is not proven clear in some lanes of a batch; bit `i` is lane `i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) item: u32,
    /// Not proven clear for the interval.
    pub(super) open: u16,
    /// Spheres touch at the middle, or are too close for single precision to tell.
    pub(super) touching: u16,
    /// A lane in which they touch deepest.
    pub(super) deepest: u8,
}

/// Which item numbers mean what; the numbering of [`Evaluation`](crate::evaluation::Evaluation).
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbering {
    pub(super) bodies: u32,
    pub(super) pairs: u32,
    pub(super) obstacles: u32,
}

impl Numbering {
    #[inline]
    pub(super) fn of(model: &LaneModel) -> Self {
        Self {
            bodies: model.bodies.len() as u32,
            pairs: model.numbered_pairs as u32,
            obstacles: model.obstacles.len() as u32,
        }
    }

    #[inline]
    pub(super) fn obstacle(&self, body: usize, obstacle: u32) -> u32 {
        self.bodies + self.pairs + body as u32 * self.obstacles + obstacle
    }
}

/// Relative widening of thresholds: squares and sums of a few terms.
pub(super) const WIDER: f32 = 1.0 + 1e-6;

/// Lanes that are reported together: the narrowest width.
const REPORTED: usize = 8;

/// Rounding of the difference of two points and of an obstacle's coordinates, per metre of extent.
pub(super) const DIFFERENCE: f32 = 8.0 * f32::EPSILON;

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
pub(super) trait Sink {
    /// Lanes of `hit` are numbered in the batch. Returns true to stop.
    fn report(&mut self, hit: Hit) -> bool;
}

/// Looks for what is not proven in a batch of intervals.
pub(super) struct Proof<'a, S> {
    pub(super) batch: &'a Batch,
    /// Items and the lanes to look at them in.
    pub(super) items: &'a [(u32, u16)],
    pub(super) sink: &'a mut S,
}

impl<S: Sink> Work for Proof<'_, S> {
    #[inline(always)]
    fn part<L: Lanes>(&mut self, model: &LaneModel, scratch: &mut Scratch<L>, first: usize, stride: usize) -> bool {
        scratch.place(model, self.batch, first, stride);
        Kernel { model, scratch, sink: self.sink, first, stride }.work_off(self.items)
    }
}

struct Kernel<'a, L, S> {
    model: &'a LaneModel,
    scratch: &'a mut Scratch<L>,
    sink: &'a mut S,
    first: usize,
    stride: usize,
}

impl<L: Lanes, S: Sink> Kernel<'_, L, S> {
    #[inline(always)]
    fn work_off(&mut self, work: &[(u32, u16)]) -> bool {
        let numbering = Numbering::of(self.model);
        for (item, lanes) in work {
            let mut signs = Signs::clear();
            if *item < numbering.bodies + numbering.pairs {
                self.own_pair((*item - numbering.bodies) as usize, &mut signs);
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
        self.scratch.place_body(model, body);
        let reach = self.scratch.reach(this);
        let rounding = self.scratch.rounding(this) + DIFFERENCE * (other.extent + this.extent + self.scratch.slide);
        let fixed = this.margin_to(obstacle) + other.radius + rounding;
        let (mut center, mut radius) = (self.scratch.centers[body], this.radius);
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
                self.scratch.place_spheres(model, body);
            }
            if next == this.spheres.len() {
                return;
            }
            (center, radius) = (self.scratch.spheres[this.first_sphere + next], this.spheres[next].1);
            next += 1;
        }
    }

    #[inline(always)]
    fn own_pair(&mut self, pair: usize, signs: &mut Signs<L>) {
        let model = self.model;
        let pair: &LanePair = &model.pairs[pair];
        let (small, large) = (&model.bodies[pair.small], &model.bodies[pair.large]);
        self.scratch.place_body(model, pair.small);
        self.scratch.place_body(model, pair.large);
        let reach = self.scratch.bound(pair.reach_of_small) + self.scratch.bound(pair.reach_of_large);
        let reach = reach.scale(1.0 + 1e-5);
        let fixed = pair.margin + self.scratch.rounding(small) + self.scratch.rounding(large);
        let ball = self.scratch.centers[pair.small];
        let apart = ball.minus(self.scratch.centers[pair.large]).norm_squared();
        if is_beyond(apart, small.radius + large.radius + fixed, reach).all_positive() {
            return;
        }
        self.scratch.place_spheres(model, pair.large);
        for (index, (_, radius)) in large.spheres.iter().enumerate() {
            if is_set(pair.steady_of_large, index) {
                continue;
            }
            let center = self.scratch.spheres[large.first_sphere + index];
            // Most spheres of the larger body are far from the whole smaller one.
            let apart = ball.minus(center).norm_squared();
            if is_beyond(apart, radius + small.radius + fixed, reach).all_positive() {
                continue;
            }
            self.scratch.place_spheres(model, pair.small);
            for (other, (_, other_radius)) in small.spheres.iter().enumerate() {
                let apart = center.minus(self.scratch.spheres[small.first_sphere + other]).norm_squared();
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
    reach.offset(fixed.max(0.0)).scale(WIDER)
}

/// Above 0 where a squared distance exceeds a threshold.
#[inline(always)]
fn is_beyond<L: Lanes>(squared: L, fixed: f32, reach: L) -> L {
    let threshold = threshold(fixed, reach);
    squared - threshold * threshold
}
