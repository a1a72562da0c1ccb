//! Continuous collision checking by interval subdivision (Schwarzer, Saha, Latombe 2005), in double precision.
//!
//! An interval of the motion is represented by its middle configuration and a box around it. For every pair that may
//! touch, the box bounds how far the two can approach each other inside the interval (see [`exact`](crate::exact)). A
//! pair whose distance at the middle exceeds that bound is proven for the whole interval and is not tested again in its
//! halves; the other pairs are. This is conservative advancement (Mirtich 1996; Schwarzer, Saha, Latombe 2005 "Adaptive
//! dynamic collision checking") in bisection form, which tests the whole motion coarsely first and so finds collisions
//! early.

use kinetic_collision_simd::{Blocked, Engine, ExactTier, Termination, TimedMotion};

/// Motion bound beyond which an interval is only tested for contact and split, m. Little can be proven there, and
/// computing such large distances costs more than it saves.
const MAX_PROVABLE_MOTION_M: f64 = 0.25;

/// Signed distances and motion bounds of the items at a placed configuration.
pub(crate) trait DistanceQueries: ExactTier {
    /// Whether an item is a self-collision pair.
    fn is_self(&self, item: u32) -> bool;

    /// Bound on the change of the item's distance inside the box.
    fn motion_bound(&mut self, item: u32) -> f64;

    /// Slack of the item, its distance minus its required clearance: exact when at most `cutoff`, otherwise any value
    /// above it.
    fn slack(&mut self, item: u32, cutoff: f64) -> f64;

    /// True when the slack of the item is at most `cutoff`.
    fn is_within(&mut self, item: u32, cutoff: f64) -> bool {
        self.slack(item, cutoff) <= cutoff
    }

    /// Appends to `undecided` the item, or finer items that it stands for, whose slack is at most `cutoff`. Returns an
    /// item that violates its required clearance, if there is one.
    fn narrow(&mut self, item: u32, cutoff: f64, undecided: &mut Vec<u32>) -> Option<u32>;
}

/// The partners that clearances are measured to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Partners {
    /// Everything.
    All,
    /// Objects of the scene.
    World,
    /// Links of the robot and attached bodies.
    Robot,
}

/// The least clearance along a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeastClearance<Item> {
    /// Distance minus required clearance, m; infinite when no pair can touch.
    pub slack: f64,
    /// Parameter of the motion at which it occurs.
    pub t: f64,
    /// The pair.
    pub item: Option<Item>,
}

#[derive(Debug, Clone, Copy)]
struct MotionInterval {
    t0: f64,
    t1: f64,
    /// Range of unproven items in the level's item list.
    items: (usize, usize),
}

/// Buffers of continuous checks; reused, so that a proof allocates nothing once they have grown.
#[derive(Debug, Clone, Default)]
pub(crate) struct ContinuousCheck {
    q: Vec<f64>,
    radius: Vec<f64>,
    intervals: Vec<MotionInterval>,
    next_intervals: Vec<MotionInterval>,
    items: Vec<u32>,
    next_items: Vec<u32>,
    /// Configurations evaluated since creation.
    pub(crate) checks: u64,
    pub(crate) termination: Termination,
}

impl ContinuousCheck {
    pub(crate) fn new(dof: usize) -> Self {
        Self { q: vec![0.0; dof], radius: vec![0.0; dof], ..Self::default() }
    }

    /// True when every item keeps its margin at `q`.
    pub(crate) fn is_free(&mut self, evaluator: &mut impl DistanceQueries, q: &[f64]) -> bool {
        self.first_blocked(evaluator, q).is_none()
    }

    /// The first item, in exact order, that misses its margin at `q`.
    pub(crate) fn first_blocked(&mut self, evaluator: &mut impl DistanceQueries, q: &[f64]) -> Option<u32> {
        self.checks += 1;
        self.radius.fill(0.0);
        evaluator.place(q, &self.radius);
        self.next_items.clear();
        (0..evaluator.num_items() as u32).find_map(|item| evaluator.narrow(item, 0.0, &mut self.next_items))
    }

    /// Proves the current level and those below it.
    pub(crate) fn finish(
        &mut self,
        evaluator: &mut impl DistanceQueries,
        motion: &impl TimedMotion,
        last_check: u64,
    ) -> Option<Blocked> {
        while !self.intervals.is_empty() {
            for index in 0..self.intervals.len() {
                let interval = self.intervals[index];
                if let Some(blocked) = self.examine(evaluator, motion, interval) {
                    return Some(blocked);
                }
                if self.checks >= last_check && !self.next_items.is_empty() {
                    return Some(Blocked { t: interval.t0, item: self.next_items[self.next_items.len() - 1] });
                }
                if interval.items.0 < interval.items.1 && self.termination.is_over(self.checks) {
                    return Some(Blocked { t: interval.t0, item: self.items[interval.items.0] });
                }
            }
            self.descend();
        }
        None
    }

    /// Makes the intervals that the engine left undecided the first level.
    pub(crate) fn resume(&mut self, engine: &Engine) {
        self.next_intervals.clear();
        self.next_items.clear();
        self.items.clear();
        self.items.extend_from_slice(&engine.items);
        self.intervals.clear();
        self.intervals.extend(engine.undecided_intervals.iter().map(|left| MotionInterval {
            t0: left.t0,
            t1: left.t1,
            items: left.items,
        }));
    }

    /// Fills the first level: the pieces of the motion, all items each.
    pub(crate) fn start(&mut self, evaluator: &impl DistanceQueries, motion: &impl TimedMotion) {
        self.next_intervals.clear();
        self.next_items.clear();
        self.items.clear();
        self.items.extend(0..evaluator.num_items() as u32);
        self.intervals.clear();
        for piece in 0..motion.pieces() {
            let (t0, t1) = motion.piece(piece);
            self.intervals.push(MotionInterval { t0, t1, items: (0, self.items.len()) });
        }
    }

    /// Removes the items of other partners.
    fn keep_only(&mut self, evaluator: &impl DistanceQueries, partners: Partners) {
        self.items.retain(|item| match partners {
            Partners::All => true,
            Partners::World => !evaluator.is_self(*item),
            Partners::Robot => evaluator.is_self(*item),
        });
        for interval in &mut self.intervals {
            interval.items = (0, self.items.len());
        }
    }

    /// Tests the items of an interval and schedules its halves with the unproven ones.
    fn examine(
        &mut self,
        evaluator: &mut impl DistanceQueries,
        motion: &impl TimedMotion,
        interval: MotionInterval,
    ) -> Option<Blocked> {
        self.checks += 1;
        motion.box_around(interval.t0, interval.t1, &mut self.q, &mut self.radius);
        evaluator.place(&self.q, &self.radius);
        let middle = f64::midpoint(interval.t0, interval.t1);
        let begin = self.next_items.len();
        for index in interval.items.0..interval.items.1 {
            let item = self.items[index];
            let motion_bound = evaluator.motion_bound(item);
            let before = self.next_items.len();
            let is_provable = motion_bound <= MAX_PROVABLE_MOTION_M;
            let cutoff = if is_provable { motion_bound } else { 0.0 };
            if let Some(item) = evaluator.narrow(item, cutoff, &mut self.next_items) {
                return Some(Blocked { t: middle, item });
            }
            if !is_provable {
                self.next_items.truncate(before);
                self.next_items.push(item);
            } else if motion_bound < motion.resolution() && self.next_items.len() > before {
                return Some(Blocked { t: middle, item: self.next_items[before] });
            }
        }
        self.schedule_halves(interval, middle, begin);
        None
    }

    /// Schedules both halves of an interval with the items appended since `begin`; nothing when there are none.
    fn schedule_halves(&mut self, interval: MotionInterval, middle: f64, begin: usize) {
        let items = (begin, self.next_items.len());
        if items.0 < items.1 {
            self.next_intervals.push(MotionInterval { t0: interval.t0, t1: middle, items });
            self.next_intervals.push(MotionInterval { t0: middle, t1: interval.t1, items });
        }
    }

    /// Makes the scheduled level the current one.
    fn descend(&mut self) {
        std::mem::swap(&mut self.intervals, &mut self.next_intervals);
        std::mem::swap(&mut self.items, &mut self.next_items);
        self.next_intervals.clear();
        self.next_items.clear();
    }

    /// The first contact in an interval, of some items or all of them.
    pub(crate) fn first_contact_in(
        &mut self,
        evaluator: &mut impl DistanceQueries,
        motion: &impl TimedMotion,
        interval: (f64, f64),
        items: Option<&[u32]>,
    ) -> Option<Blocked> {
        self.items.clear();
        match items {
            Some(items) => self.items.extend_from_slice(items),
            None => self.items.extend(0..evaluator.num_items() as u32),
        }
        self.first_in(evaluator, motion, interval)
    }

    /// The first parameter at which the motion is not free, to the resolution of the proof.
    pub(crate) fn first_contact(
        &mut self,
        evaluator: &mut impl DistanceQueries,
        motion: &impl TimedMotion,
    ) -> Option<Blocked> {
        self.start(evaluator, motion);
        let intervals = std::mem::take(&mut self.intervals);
        let found = intervals
            .iter()
            .find_map(|interval| self.first_contact_in(evaluator, motion, (interval.t0, interval.t1), None));
        self.intervals = intervals;
        found
    }

    /// The first contact of the items in `self.items` inside an interval: depth first, the earlier half first, and in
    /// each half only the items that are not proven for the whole.
    fn first_in(
        &mut self,
        evaluator: &mut impl DistanceQueries,
        motion: &impl TimedMotion,
        (t0, t1): (f64, f64),
    ) -> Option<Blocked> {
        self.next_intervals.clear();
        self.next_intervals.push(MotionInterval { t0, t1, items: (0, self.items.len()) });
        while let Some(MotionInterval { t0, t1, items }) = self.next_intervals.pop() {
            // Items of later intervals lie below those of earlier ones.
            self.items.truncate(items.1);
            if items.0 < items.1 && self.termination.is_over(self.checks) {
                return Some(Blocked { t: t0, item: self.items[items.0] });
            }
            let Some(motion_bound) = self.keep_unproven(evaluator, motion, (t0, t1), items) else { continue };
            if motion_bound < motion.resolution() {
                return Some(Blocked { t: t0, item: self.tightest(evaluator, items.0) });
            }
            let (middle, end) = (f64::midpoint(t0, t1), self.items.len());
            self.items.extend_from_within(items.0..end);
            self.next_intervals.push(MotionInterval { t0: middle, t1, items: (items.0, end) });
            self.next_intervals.push(MotionInterval { t0, t1: middle, items: (end, self.items.len()) });
        }
        None
    }

    /// Retains those of the last items that are not proven in an interval. Returns their largest motion bound, `None`
    /// without any.
    fn keep_unproven(
        &mut self,
        evaluator: &mut impl DistanceQueries,
        motion: &impl TimedMotion,
        (t0, t1): (f64, f64),
        (begin, end): (usize, usize),
    ) -> Option<f64> {
        self.checks += 1;
        motion.box_around(t0, t1, &mut self.q, &mut self.radius);
        evaluator.place(&self.q, &self.radius);
        let (mut kept, mut widest) = (begin, 0.0_f64);
        for index in begin..end {
            let item = self.items[index];
            let motion_bound = evaluator.motion_bound(item);
            if evaluator.is_within(item, motion_bound) {
                self.items[kept] = item;
                kept += 1;
                widest = widest.max(motion_bound);
            }
        }
        self.items.truncate(kept);
        (kept > begin).then_some(widest)
    }

    /// The item with the least slack at the placed configuration, of those from `begin` on.
    fn tightest(&self, evaluator: &mut impl DistanceQueries, begin: usize) -> u32 {
        let (mut tightest, mut least) = (self.items[begin], f64::INFINITY);
        for item in &self.items[begin..] {
            let slack = evaluator.slack(*item, least);
            if slack < least {
                (tightest, least) = (*item, slack);
            }
        }
        tightest
    }

    /// The least slack along the motion, at most `tolerance` above the true minimum, by branch and bound.
    pub(crate) fn least_clearance(
        &mut self,
        evaluator: &mut impl DistanceQueries,
        motion: &impl TimedMotion,
        tolerance: f64,
        partners: Partners,
    ) -> LeastClearance<u32> {
        let mut least = LeastClearance { slack: f64::INFINITY, t: motion.piece(0).0, item: None };
        self.start(evaluator, motion);
        self.keep_only(evaluator, partners);
        self.termination.begin(self.checks);
        while !self.intervals.is_empty() {
            for index in 0..self.intervals.len() {
                let interval = self.intervals[index];
                if self.termination.is_over(self.checks) {
                    return least;
                }
                self.bound(evaluator, motion, interval, tolerance, &mut least);
            }
            self.descend();
        }
        least
    }

    /// Updates `least` at the middle of an interval and schedules its halves with the items that could lower it further.
    fn bound(
        &mut self,
        evaluator: &mut impl DistanceQueries,
        motion: &impl TimedMotion,
        interval: MotionInterval,
        tolerance: f64,
        least: &mut LeastClearance<u32>,
    ) {
        self.checks += 1;
        motion.box_around(interval.t0, interval.t1, &mut self.q, &mut self.radius);
        evaluator.place(&self.q, &self.radius);
        let middle = f64::midpoint(interval.t0, interval.t1);
        let begin = self.next_items.len();
        for index in interval.items.0..interval.items.1 {
            let item = self.items[index];
            let motion_bound = evaluator.motion_bound(item);
            let slack = evaluator.slack(item, least.slack + motion_bound);
            if slack < least.slack {
                *least = LeastClearance { slack, t: middle, item: Some(item) };
            }
            if slack - motion_bound < least.slack - tolerance && motion_bound > 0.0 {
                self.next_items.push(item);
            }
        }
        self.schedule_halves(interval, middle, begin);
    }
}
