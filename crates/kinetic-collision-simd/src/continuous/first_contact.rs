//! The first intervals of a motion that are not proven, in the order of time.
//!
//! Avx16 intervals at once, as in a proof, but the earliest that is open is looked at before any later one, and a
//! contact that is found early says nothing before all that lies before it is proven.

use crate::discrete::query::BatchQuery;
use crate::engine::{Engine, Verdict};
use crate::exact_tier::Blocked;
use crate::motion::{BATCH, TimedMotion};
use crate::rounding::LARGEST_COORDINATE;

/// Halvings after which an interval is left to double precision: three batches deep.
const DEEPEST_LEVEL: u32 = 12;

/// An interval, with what may touch in it.
#[derive(Debug, Clone, Copy)]
struct Part {
    t0: f64,
    t1: f64,
    /// Halvings that led to it.
    level: u32,
    /// Where its items begin, which reach to the end of all; `None` for every item there is.
    items: Option<usize>,
    /// To be left to double precision.
    is_last: bool,
}

/// The parts that wait, the earliest last.
#[derive(Debug, Default)]
struct Waiting {
    parts: Vec<Part>,
    items: Vec<u32>,
    /// Of the part that was taken.
    current: Vec<u32>,
}

impl Waiting {
    /// The earliest part; its items are then the current ones.
    fn take(&mut self) -> Option<Part> {
        let part = self.parts.pop()?;
        self.current.clear();
        self.current.extend(self.items.drain(part.items.unwrap_or(self.items.len())..));
        Some(part)
    }
}

impl Engine {
    /// Hands the intervals that are not proven to `look`, with the items that may touch in them (`None` for all), the
    /// earliest first, until it says where the motion is blocked. `checks` counts configurations.
    pub fn first_blocked(
        &mut self,
        motion: &dyn TimedMotion,
        checks: &mut u64,
        mut look: impl FnMut((f64, f64), Option<&[u32]>) -> Option<Blocked>,
    ) -> Verdict {
        if !self.model.is_representable {
            return Verdict::Unable;
        }
        let mut waiting = Waiting::default();
        for piece in (0..motion.pieces()).rev() {
            let (t0, t1) = motion.piece(piece);
            waiting.parts.push(Part { t0, t1, level: 0, items: None, is_last: false });
        }
        while let Some(part) = waiting.take() {
            if !part.is_last {
                *checks += BATCH as u64;
                if !self.split_first(motion, part, &mut waiting) {
                    return Verdict::Unable;
                }
                continue;
            }
            let items = part.items.map(|_| waiting.current.as_slice());
            if let Some(blocked) = look((part.t0, part.t1), items) {
                return Verdict::Blocked(blocked);
            }
        }
        Verdict::Proven
    }

    /// Looks at sixteen parts of an interval and lets those wait that are not proven; false when a value is too large for
    /// single precision.
    fn split_first(&mut self, motion: &dyn TimedMotion, part: Part, waiting: &mut Waiting) -> bool {
        let Part { t0, t1, level, .. } = part;
        let at = |k: usize| if k == BATCH { t1 } else { t0 + (t1 - t0) * k as f64 / BATCH as f64 };
        let intervals = std::array::from_fn(|k| (at(k), at(k + 1)));
        let largest = motion.boxes_around(&intervals, &mut self.batch.q, &mut self.batch.radius);
        if !(largest < LARGEST_COORDINATE) {
            return false;
        }
        let level = level + BATCH.ilog2();
        if self.run_first(part, waiting) {
            // All of it touches, and not every item was looked at: the first contact is before the first middle.
            let (t0, t1) = intervals[0];
            waiting.parts.push(Part { t0, t1, level, items: None, is_last: true });
            return true;
        }
        for (lane, (t0, t1)) in intervals.into_iter().enumerate().rev() {
            let begin = waiting.items.len();
            let open = self.hits.iter().filter(|hit| hit.open >> lane & 1 == 1);
            waiting.items.extend(open.map(|hit| hit.item));
            if waiting.items.len() > begin {
                let touches = self.hits.iter().any(|hit| hit.open & hit.touching & 1 << lane != 0);
                let is_last = touches || level >= DEEPEST_LEVEL;
                waiting.parts.push(Part { t0, t1, level, items: Some(begin), is_last });
            }
        }
        true
    }

    /// Runs the kernel on the batch; true when it ended before it had seen everything.
    fn run_first(&mut self, part: Part, waiting: &Waiting) -> bool {
        for (width, radius) in self.widths.iter_mut().zip(&self.batch.radius) {
            *width = radius.iter().fold(0.0, |most, value| if *value > most { *value } else { most });
        }
        self.hits.clear();
        self.rest_items.list(&self.model, waiting.current.iter().copied());
        let mut block = BatchQuery {
            batch: &self.batch,
            used: !0,
            widths: Some(&self.widths),
            items: part.items.map(|_| &self.rest_items),
            stops_at_hit: false,
            any_hit_will_do: false,
            hit: 0,
            hits: &mut self.hits,
        };
        self.tier_placement.run(&self.model, BATCH, &mut block);
        let is_over = block.hit == !0;
        self.merge_hits();
        is_over
    }
}
