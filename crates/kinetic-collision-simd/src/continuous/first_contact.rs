//! First contact of a motion, by subdivision of its earliest undecided interval. A batch of intervals is tested at
//! once, as in a proof. Unlike there, the earliest undecided interval is always tested next, because a contact is the
//! first one only when everything before it is proven.

use super::MAX_HALVINGS;
use crate::discrete::query::BatchQuery;
use crate::engine::{Engine, Verdict};
use crate::exact_tier::Blocked;
use crate::motion::{BATCH, TimedMotion};
use crate::tolerance::LARGEST_COORDINATE_M_RAD;

/// An interval with the items that may touch in it.
#[derive(Debug, Clone, Copy)]
struct PendingInterval {
    t0: f64,
    t1: f64,
    /// Halvings that led to it.
    level: u32,
    /// Start of its items, which extend to the end of the stack of items; `None` means all items.
    items: Option<usize>,
    /// True when it is left to double precision.
    is_last: bool,
}

/// Stack of undecided intervals, the earliest on top.
#[derive(Debug, Default)]
struct PendingIntervals {
    intervals: Vec<PendingInterval>,
    items: Vec<u32>,
    /// Items of the interval that was taken last.
    current: Vec<u32>,
}

impl PendingIntervals {
    /// Takes the earliest interval, whose items become the current ones.
    fn take(&mut self) -> Option<PendingInterval> {
        let interval = self.intervals.pop()?;
        self.current.clear();
        self.current.extend(self.items.drain(interval.items.unwrap_or(self.items.len())..));
        Some(interval)
    }
}

impl Engine {
    /// Passes the undecided intervals to `decide`, the earliest first, with the items that may touch in them (`None`
    /// for all), until it returns where the motion is blocked. `checks` counts configurations.
    pub fn first_blocked(
        &mut self,
        motion: &dyn TimedMotion,
        checks: &mut u64,
        mut decide: impl FnMut((f64, f64), Option<&[u32]>) -> Option<Blocked>,
    ) -> Verdict {
        if !self.model.is_representable {
            return Verdict::Unable;
        }
        let mut pending = PendingIntervals::default();
        for piece in (0..motion.pieces()).rev() {
            let (t0, t1) = motion.piece(piece);
            pending.intervals.push(PendingInterval { t0, t1, level: 0, items: None, is_last: false });
        }
        while let Some(interval) = pending.take() {
            if !interval.is_last {
                *checks += BATCH as u64;
                if !self.split_first(motion, interval, &mut pending) {
                    return Verdict::Unable;
                }
                continue;
            }
            let items = interval.items.map(|_| pending.current.as_slice());
            if let Some(blocked) = decide((interval.t0, interval.t1), items) {
                return Verdict::Blocked(blocked);
            }
        }
        Verdict::Proven
    }

    /// Tests a batch of subintervals and pushes those that are not proven; false when a value is too large for single
    /// precision.
    fn split_first(
        &mut self,
        motion: &dyn TimedMotion,
        interval: PendingInterval,
        pending: &mut PendingIntervals,
    ) -> bool {
        let PendingInterval { t0, t1, level, .. } = interval;
        let at = |k: usize| if k == BATCH { t1 } else { t0 + (t1 - t0) * k as f64 / BATCH as f64 };
        let intervals = std::array::from_fn(|k| (at(k), at(k + 1)));
        let largest = motion.boxes_around(&intervals, &mut self.batch.q, &mut self.batch.radius);
        if !(largest < LARGEST_COORDINATE_M_RAD) {
            return false;
        }
        let level = level + BATCH.ilog2();
        if self.run_first(interval, pending) {
            // Every lane touches, so that not every item was tested. The first contact is before the first middle.
            let (t0, t1) = intervals[0];
            pending.intervals.push(PendingInterval { t0, t1, level, items: None, is_last: true });
            return true;
        }
        for (lane, (t0, t1)) in intervals.into_iter().enumerate().rev() {
            let begin = pending.items.len();
            let undecided = self.hits.iter().filter(|hit| hit.undecided >> lane & 1 == 1);
            pending.items.extend(undecided.map(|hit| hit.item));
            if pending.items.len() > begin {
                let touches = self.hits.iter().any(|hit| hit.undecided & hit.touching & 1 << lane != 0);
                let is_last = touches || level >= MAX_HALVINGS;
                pending.intervals.push(PendingInterval { t0, t1, level, items: Some(begin), is_last });
            }
        }
        true
    }

    /// Runs the kernel on the batch; true when it ended before it had tested every item.
    fn run_first(&mut self, interval: PendingInterval, pending: &PendingIntervals) -> bool {
        for (width, radius) in self.widths.iter_mut().zip(&self.batch.radius) {
            *width = radius.iter().fold(0.0, |most, value| if *value > most { *value } else { most });
        }
        self.hits.clear();
        self.remainder.list(&self.model, pending.current.iter().copied());
        let mut query = BatchQuery {
            batch: &self.batch,
            used: !0,
            widths: Some(&self.widths),
            items: interval.items.map(|_| &self.remainder),
            stops_at_hit: false,
            any_hit_will_do: false,
            hit: 0,
            hits: &mut self.hits,
        };
        self.dispatcher.run(&self.model, BATCH, &mut query);
        let is_over = query.hit == !0;
        self.merge_hits();
        is_over
    }
}
