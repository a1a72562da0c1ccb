//! Certified collision checking of motions: batches of intervals, split until what is left needs double precision.

use std::ops::Range;

use crate::continuous::interval_batch::{HitSink, Proof};
use crate::discrete::query::{BatchQuery, middle_bit};
use crate::engine::{Engine, Task, UndecidedInterval, Verdict};
use crate::exact_tier::{Blocked, ExactTier};
use crate::item::{Batch, Hit};
use crate::motion::{BATCH, TimedMotion};
use crate::rounding::LARGEST_COORDINATE;

/// How often a piece of a motion is halved before the rest is left to double precision.
const DEEPEST_LEVEL: u32 = 12;

/// Pieces of a motion that are looked at together at first. Many are short.
const MOST_PIECES: usize = 8;

impl Engine {
    /// Proves what can be proven of a motion. `checks` counts configurations; past `last_check` the rest is left.
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

    /// Tasks for all pieces of the motion, the first on top.
    fn start(&mut self, motion: &dyn TimedMotion) {
        self.tasks.clear();
        self.task_items.clear();
        self.undecided_intervals.clear();
        self.items.clear();
        let pieces = motion.pieces();
        let groups = pieces.div_ceil(MOST_PIECES);
        for group in (0..groups).rev() {
            let begin = group * MOST_PIECES;
            self.tasks.push(Task::of_pieces(begin..pieces.min(begin + MOST_PIECES), |piece| motion.piece(piece)));
        }
    }

    /// Fills the batch; false when a value is too large for single precision.
    fn load(&mut self, motion: &dyn TimedMotion, task: &Task) -> bool {
        let Batch { q, radius } = &mut self.batch;
        motion.boxes_around(&task.intervals, q, radius) < LARGEST_COORDINATE
    }

    /// Runs the kernel; hits are left in `self.hits`, one per item, in the order of item numbers.
    fn examine(&mut self, exact: &mut dyn ExactTier, task: &Task) -> Option<Blocked> {
        self.hits.clear();
        let blocked = match task.items {
            None => self.examine_all(exact, task),
            Some(start) => self.examine_some(exact, task, start),
        };
        self.merge_hits();
        blocked
    }

    /// Every item, with bounds on the motion that hold in every configuration: they cost next to nothing.
    fn examine_all(&mut self, exact: &mut dyn ExactTier, task: &Task) -> Option<Blocked> {
        for (width, radius) in self.widths.iter_mut().zip(&self.batch.radius) {
            *width = radius.iter().fold(0.0, |most, value| if *value > most { *value } else { most });
        }
        let mut block = BatchQuery {
            batch: &self.batch,
            used: !0,
            widths: Some(&self.widths),
            items: None,
            stops_at_hit: true,
            any_hit_will_do: false,
            hit: 0,
            hits: &mut self.hits,
        };
        if self.tier_placement.run(&self.model, BATCH, &mut block) {
            return self.hits.last().map(|hit| task.blocked_by(*hit));
        }
        // Joined first: which lane is looked at must not depend on how many go together.
        self.merge_hits();
        self.hits.iter_mut().for_each(|hit| hit.deepest = middle_bit(hit.touching));
        let (q, radius) = (&mut self.q, &mut self.radius);
        let mut confirm = Confirm { exact, batch: &self.batch, q, radius, task };
        self.hits.iter().copied().find(|hit| confirm.is_blocked_by(*hit)).map(|hit| task.blocked_by(hit))
    }

    /// The items of a task, with bounds on the motion around each configuration.
    fn examine_some(&mut self, exact: &mut dyn ExactTier, task: &Task, start: usize) -> Option<Blocked> {
        self.current.clear();
        self.current.extend(self.task_items.drain(start..));
        let (q, radius) = (&mut self.q, &mut self.radius);
        let confirm = Confirm { exact, batch: &self.batch, q, radius, task };
        let mut sink = Collect { hits: &mut self.hits, confirm, blocked: None };
        let mut proof = Proof { batch: &self.batch, items: &self.current, sink: &mut sink };
        self.tier_placement.run(&self.model, task.count, &mut proof);
        sink.blocked
    }

    /// Leaves to the sweep what touches, and splits the other open intervals.
    fn follow_up(&mut self, task: &Task, is_last: bool) {
        let used = if task.count == BATCH { !0 } else { (1_u16 << task.count) - 1 };
        let gives_up = is_last || task.level >= DEEPEST_LEVEL;
        self.hits.iter_mut().for_each(|hit| hit.open &= used);
        for lane in 0..task.count {
            let begin = self.items.len();
            let bit = 1 << lane;
            let is_left = |hit: &&Hit| (if gives_up { hit.open } else { hit.touching & hit.open }) & bit != 0;
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

    /// Splits the intervals that are open without touching, into as many parts as fill a batch.
    fn split(&mut self, task: &Task) {
        let open = self.hits.iter().fold(0, |all, hit| all | (hit.open & !hit.touching));
        let count = open.count_ones() as usize;
        if count == 0 {
            return;
        }
        let parts = (BATCH / count).max(2);
        let parts = 1 << parts.ilog2();
        let per_task = BATCH / parts;
        let lanes: [usize; BATCH] = open_lanes(open);
        // Later intervals first: the stack turns the order round.
        for chunk in lanes[..count].chunks(per_task).rev() {
            self.push_parts(task, chunk, parts);
        }
    }

    fn push_parts(&mut self, task: &Task, lanes: &[usize], parts: usize) {
        // Unused lanes repeat the first interval.
        let mut intervals = [task.intervals[lanes[0]]; BATCH];
        for (place, lane) in lanes.iter().enumerate() {
            let (t0, t1) = task.intervals[*lane];
            for part in 0..parts {
                let at = |k: usize| if k == parts { t1 } else { t0 + (t1 - t0) * k as f64 / parts as f64 };
                intervals[place * parts + part] = (at(part), at(part + 1));
            }
        }
        let start = self.task_items.len();
        let block = if parts == BATCH { !0 } else { (1_u16 << parts) - 1 };
        for hit in &self.hits {
            let open = hit.open & !hit.touching;
            let mask = lanes.iter().enumerate().fold(0_u16, |mask, (place, lane)| {
                if open >> lane & 1 == 1 { mask | block << (place * parts) } else { mask }
            });
            if mask != 0 {
                self.task_items.push((hit.item, mask));
            }
        }
        let level = task.level + parts.ilog2();
        self.tasks.push(Task { intervals, count: lanes.len() * parts, level, items: Some(start) });
    }
}

/// Positions of the set bits, lowest first.
fn open_lanes(mask: u16) -> [usize; BATCH] {
    let mut lanes = [0; BATCH];
    let mut bits = mask;
    for place in &mut lanes {
        if bits == 0 {
            break;
        }
        *place = bits.trailing_zeros() as usize;
        bits &= bits - 1;
    }
    lanes
}

impl Task {
    /// Some pieces of a motion, each divided into as many intervals as go together.
    fn of_pieces(pieces: Range<usize>, piece: impl Fn(usize) -> (f64, f64)) -> Self {
        let parts: usize = 1 << (BATCH / pieces.len()).ilog2();
        let count = pieces.len() * parts;
        let interval = |place: usize| {
            // Unused lanes repeat the last interval.
            let place = place.min(count - 1);
            let (t0, t1) = piece(pieces.start + place / parts);
            let at = |k: usize| if k == parts { t1 } else { t0 + (t1 - t0) * k as f64 / parts as f64 };
            (at(place % parts), at(place % parts + 1))
        };
        Self { intervals: std::array::from_fn(interval), count, level: parts.ilog2(), items: None }
    }

    fn blocked_by(&self, hit: Hit) -> Blocked {
        let (t0, t1) = self.intervals[(hit.deepest as usize).min(self.count - 1)];
        Blocked { t: f64::midpoint(t0, t1), item: hit.item }
    }
}

/// Looks at touching items in double precision, deepest lane first: most motions that are not free end here.
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
struct Collect<'a> {
    hits: &'a mut Vec<Hit>,
    confirm: Confirm<'a>,
    blocked: Option<Blocked>,
}

impl HitSink for Collect<'_> {
    fn report(&mut self, hit: Hit) -> bool {
        self.hits.push(hit);
        let is_blocked = self.confirm.is_blocked_by(hit);
        if is_blocked {
            self.blocked = Some(self.confirm.task.blocked_by(hit));
        }
        is_blocked
    }
}
