//! Adaptive interval subdivision (Schwarzer, Saha, Latombe 2005): batches of intervals are split until they are proven.
//!
//! Intervals whose spheres touch, and those that were halved too often, are left to double precision.

use std::ops::Range;

use super::MAX_HALVINGS;
use crate::continuous::interval_batch::{HitSink, Proof};
use crate::discrete::query::{BatchQuery, middle_bit};
use crate::engine::{Engine, Task, UndecidedInterval, Verdict};
use crate::exact_tier::{Blocked, ExactTier};
use crate::item::{Batch, Hit};
use crate::motion::{BATCH, TimedMotion};
use crate::tolerance::LARGEST_COORDINATE_M_RAD;

/// Pieces of a motion per batch at the first level. Many are so short that two intervals each are proven at once.
const MAX_PIECES_PER_BATCH: usize = 8;

impl Engine {
    /// Proves a motion free as far as single precision can. `checks` counts configurations; past `last_check`,
    /// undecided intervals are not split further.
    pub fn prove(
        &mut self,
        exact: &mut dyn ExactTier,
        motion: &dyn TimedMotion,
        checks: &mut u64,
        last_check: u64,
    ) -> Verdict {
        if !self.model.is_representable {
            return Verdict::Unable;
        }
        self.start(motion);
        self.termination.begin(*checks);
        while let Some(task) = self.tasks.pop() {
            if self.termination.is_over(*checks) && exact.num_items() > 0 {
                return Verdict::Blocked(Blocked { t: task.intervals[0].0, item: 0 });
            }
            if !self.load(motion, &task) {
                return Verdict::Unable;
            }
            *checks += task.count as u64;
            if let Some(blocked) = self.examine(exact, &task) {
                return Verdict::Blocked(blocked);
            }
            self.follow_up(&task, *checks >= last_check);
        }
        Verdict::Proven
    }

    /// Pushes tasks for all pieces of the motion, the first on top.
    fn start(&mut self, motion: &dyn TimedMotion) {
        self.tasks.clear();
        self.task_items.clear();
        self.undecided_intervals.clear();
        self.items.clear();
        let pieces = motion.pieces();
        let groups = pieces.div_ceil(MAX_PIECES_PER_BATCH);
        for group in (0..groups).rev() {
            let begin = group * MAX_PIECES_PER_BATCH;
            self.tasks
                .push(Task::of_pieces(begin..pieces.min(begin + MAX_PIECES_PER_BATCH), |piece| motion.piece(piece)));
        }
    }

    /// Fills the batch; false when a value is too large for single precision.
    fn load(&mut self, motion: &dyn TimedMotion, task: &Task) -> bool {
        let Batch { q, radius } = &mut self.batch;
        motion.boxes_around(&task.intervals, q, radius) < LARGEST_COORDINATE_M_RAD
    }

    /// Runs the kernel. Hits are in `self.hits`, one per item, in the order of item numbers.
    fn examine(&mut self, exact: &mut dyn ExactTier, task: &Task) -> Option<Blocked> {
        self.hits.clear();
        let blocked = match task.items {
            None => self.examine_all(exact, task),
            Some(start) => self.examine_some(exact, task, start),
        };
        self.merge_hits();
        blocked
    }

    /// Tests every item with motion bounds that hold in every configuration, because these are the cheapest.
    fn examine_all(&mut self, exact: &mut dyn ExactTier, task: &Task) -> Option<Blocked> {
        for (width, radius) in self.widths.iter_mut().zip(&self.batch.radius) {
            *width = radius.iter().fold(0.0, |most, value| if *value > most { *value } else { most });
        }
        let mut query = BatchQuery {
            batch: &self.batch,
            used: !0,
            widths: Some(&self.widths),
            items: None,
            stops_at_hit: true,
            any_hit_will_do: false,
            hit: 0,
            hits: &mut self.hits,
        };
        if self.dispatcher.run(&self.model, BATCH, &mut query) {
            return self.hits.last().map(|hit| task.blocked_by(*hit));
        }
        // Merged before confirming, because which lane is confirmed must not depend on the register width.
        self.merge_hits();
        self.hits.iter_mut().for_each(|hit| hit.deepest = middle_bit(hit.touching));
        let (q, radius) = (&mut self.q, &mut self.radius);
        let mut confirm = Confirm { exact, batch: &self.batch, q, radius, task };
        self.hits.iter().copied().find(|hit| confirm.is_blocked_by(*hit)).map(|hit| task.blocked_by(hit))
    }

    /// Tests the items of a task with motion bounds around each configuration, which are tighter.
    fn examine_some(&mut self, exact: &mut dyn ExactTier, task: &Task, start: usize) -> Option<Blocked> {
        self.current.clear();
        self.current.extend(self.task_items.drain(start..));
        let (q, radius) = (&mut self.q, &mut self.radius);
        let confirm = Confirm { exact, batch: &self.batch, q, radius, task };
        let mut sink = CollectUntilConfirmed { hits: &mut self.hits, confirm, blocked: None };
        let mut proof = Proof { batch: &self.batch, items: &self.current, sink: &mut sink };
        self.dispatcher.run(&self.model, task.count, &mut proof);
        sink.blocked
    }

    /// Leaves touching intervals to double precision, and splits the other undecided ones.
    fn follow_up(&mut self, task: &Task, is_last: bool) {
        let used = if task.count == BATCH { !0 } else { (1_u16 << task.count) - 1 };
        let gives_up = is_last || task.level >= MAX_HALVINGS;
        self.hits.iter_mut().for_each(|hit| hit.undecided &= used);
        for lane in 0..task.count {
            let begin = self.items.len();
            let bit = 1 << lane;
            let is_left = |hit: &&Hit| (if gives_up { hit.undecided } else { hit.touching & hit.undecided }) & bit != 0;
            self.items.extend(self.hits.iter().filter(is_left).map(|hit| hit.item));
            if self.items.len() > begin {
                let (t0, t1) = task.intervals[lane];
                self.undecided_intervals.push(UndecidedInterval { t0, t1, items: (begin, self.items.len()) });
            }
        }
        if !gives_up {
            self.split(task);
        }
    }

    /// Splits the undecided intervals that do not touch, into as many subintervals as fill a batch.
    fn split(&mut self, task: &Task) {
        let undecided = self.hits.iter().fold(0, |all, hit| all | (hit.undecided & !hit.touching));
        let count = undecided.count_ones() as usize;
        if count == 0 {
            return;
        }
        let parts = (BATCH / count).max(2);
        let parts = 1 << parts.ilog2();
        let per_task = BATCH / parts;
        let lanes: [usize; BATCH] = set_bits(undecided);
        // Later intervals first, because the stack reverses the order.
        for chunk in lanes[..count].chunks(per_task).rev() {
            self.push_parts(task, chunk, parts);
        }
    }

    fn push_parts(&mut self, task: &Task, lanes: &[usize], parts: usize) {
        // Unused lanes repeat the first interval.
        let mut intervals = [task.intervals[lanes[0]]; BATCH];
        for (position, lane) in lanes.iter().enumerate() {
            let (t0, t1) = task.intervals[*lane];
            for part in 0..parts {
                let at = |k: usize| if k == parts { t1 } else { t0 + (t1 - t0) * k as f64 / parts as f64 };
                intervals[position * parts + part] = (at(part), at(part + 1));
            }
        }
        let start = self.task_items.len();
        let all_parts = if parts == BATCH { !0 } else { (1_u16 << parts) - 1 };
        for hit in &self.hits {
            let undecided = hit.undecided & !hit.touching;
            let mask = lanes.iter().enumerate().fold(0_u16, |mask, (position, lane)| {
                if undecided >> lane & 1 == 1 { mask | all_parts << (position * parts) } else { mask }
            });
            if mask != 0 {
                self.task_items.push((hit.item, mask));
            }
        }
        let level = task.level + parts.ilog2();
        self.tasks.push(Task { intervals, count: lanes.len() * parts, level, items: Some(start) });
    }
}

/// Indices of the set bits, lowest first.
fn set_bits(mask: u16) -> [usize; BATCH] {
    let mut lanes = [0; BATCH];
    let mut bits = mask;
    for position in &mut lanes {
        if bits == 0 {
            break;
        }
        *position = bits.trailing_zeros() as usize;
        bits &= bits - 1;
    }
    lanes
}

impl Task {
    /// Intervals of some pieces of a motion, each piece divided evenly so that together they fill a batch.
    fn of_pieces(pieces: Range<usize>, piece: impl Fn(usize) -> (f64, f64)) -> Self {
        let parts: usize = 1 << (BATCH / pieces.len()).ilog2();
        let count = pieces.len() * parts;
        let interval = |position: usize| {
            // Unused lanes repeat the last interval.
            let position = position.min(count - 1);
            let (t0, t1) = piece(pieces.start + position / parts);
            let at = |k: usize| if k == parts { t1 } else { t0 + (t1 - t0) * k as f64 / parts as f64 };
            (at(position % parts), at(position % parts + 1))
        };
        Self { intervals: std::array::from_fn(interval), count, level: parts.ilog2(), items: None }
    }

    fn blocked_by(&self, hit: Hit) -> Blocked {
        let (t0, t1) = self.intervals[(hit.deepest as usize).min(self.count - 1)];
        Blocked { t: f64::midpoint(t0, t1), item: hit.item }
    }
}

/// Confirms contacts in double precision in the deepest lane, because most motions that are not free are decided by it.
struct Confirm<'a> {
    exact: &'a mut dyn ExactTier,
    batch: &'a Batch,
    q: &'a mut Vec<f64>,
    radius: &'a mut Vec<f64>,
    task: &'a Task,
}

impl Confirm<'_> {
    fn is_blocked_by(&mut self, hit: Hit) -> bool {
        if hit.touching == 0 {
            return false;
        }
        for (variable, value) in self.q.iter_mut().enumerate() {
            *value = self.batch.q[variable][hit.deepest as usize];
        }
        self.radius.fill(0.0);
        self.exact.place(self.q, self.radius);
        self.exact.misses_margin(hit.item)
    }
}

/// Collects hits until one is confirmed.
struct CollectUntilConfirmed<'a> {
    hits: &'a mut Vec<Hit>,
    confirm: Confirm<'a>,
    blocked: Option<Blocked>,
}

impl HitSink for CollectUntilConfirmed<'_> {
    fn report(&mut self, hit: Hit) -> bool {
        self.hits.push(hit);
        let is_blocked = self.confirm.is_blocked_by(hit);
        if is_blocked {
            self.blocked = Some(self.confirm.task.blocked_by(hit));
        }
        is_blocked
    }
}
