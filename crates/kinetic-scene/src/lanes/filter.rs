//! Splits a motion into batches of intervals until what is left needs double precision.

use std::ops::Range;

use super::block::{Block, Rest, middle_bit};
use super::dispatch::Workspace;
use super::kernel::{Batch, Hit, Proof, Sink};
use super::model::{LARGEST_COORDINATE, LaneModel};
use super::single::Single;
use crate::evaluation::Evaluation;
use crate::motion::{BATCH, TimedMotion};
use crate::simd::{SimdTier, detect_simd_tier};
use crate::sweep::{Blocked, Evaluator};
use crate::watch::Watch;

/// How often a piece of a motion is halved before the rest is left to the sweep.
const DEEPEST_LEVEL: u32 = 12;

/// Pieces of a motion that are looked at together at first. Many are short.
const MOST_PIECES: usize = 8;

/// An interval that is not proven, with the items that may touch in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leftover {
    pub(crate) t0: f64,
    pub(crate) t1: f64,
    /// Range in [`Filter::items`].
    pub(crate) items: (usize, usize),
}

/// What the filter found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Verdict {
    /// Single precision does not reach: everything is left.
    Unable,
    /// Proven but for the leftovers, which may be none.
    Proven,
    /// Not free.
    Blocked(Blocked),
}

/// Intervals of one batch and the items to look at in them.
#[derive(Debug, Clone, Copy)]
struct Task {
    intervals: [(f64, f64); BATCH],
    count: usize,
    /// How often a piece was halved for it.
    level: u32,
    /// Start of its items on the stack of items; `None` means all items.
    items: Option<usize>,
}

/// The compiled robot and world, and buffers; after the first motions a proof allocates nothing.
#[derive(Debug, Clone)]
pub(crate) struct Filter {
    pub(super) model: LaneModel,
    pub(super) workspace: Workspace,
    pub(super) single: Single,
    pub(super) batch: Batch,
    pub(super) q: Vec<f64>,
    pub(super) radius: Vec<f64>,
    /// Largest half-widths of the batch, per variable.
    pub(super) widths: Vec<f32>,
    tasks: Vec<Task>,
    /// Items of the tasks, those of later tasks above.
    task_items: Vec<(u32, u16)>,
    pub(super) current: Vec<(u32, u16)>,
    pub(super) hits: Vec<Hit>,
    /// Samples that are left to look at.
    pub(super) rest: Vec<f64>,
    /// What to look at in them.
    pub(super) rest_items: Rest,
    /// Intervals that are left.
    pub(crate) leftovers: Vec<Leftover>,
    /// Items of the leftovers.
    pub(crate) items: Vec<u32>,
    pub(crate) watch: Watch,
}

impl Filter {
    /// Compiles what the evaluation holds.
    pub(crate) fn new(evaluation: &Evaluation) -> Self {
        Self::with_tier(evaluation, detect_simd_tier())
    }

    pub(crate) fn with_tier(evaluation: &Evaluation, tier: SimdTier) -> Self {
        let model = LaneModel::new(evaluation);
        let dof = evaluation.program.num_variables();
        Self {
            workspace: Workspace::new(&model, tier),
            single: Single::new(&model),
            model,
            batch: Batch { q: vec![[0.0; BATCH]; dof], radius: vec![[0.0; BATCH]; dof] },
            q: vec![0.0; dof],
            radius: vec![0.0; dof],
            widths: vec![0.0; dof],
            tasks: Vec::new(),
            task_items: Vec::new(),
            current: Vec::new(),
            hits: Vec::new(),
            rest: Vec::new(),
            rest_items: Rest::default(),
            leftovers: Vec::new(),
            items: Vec::new(),
            watch: Watch::default(),
        }
    }

    /// Takes over other obstacles, of which `evaluation` says that every body keeps one distance from all of them.
    pub(crate) fn surround(&mut self, evaluation: &Evaluation) {
        self.model.surround(evaluation);
        self.single.surround(&self.model);
    }

    /// Takes over where an obstacle is now. False when that is not all that changes.
    pub(crate) fn move_obstacle(&mut self, evaluation: &Evaluation, obstacle: u32) -> bool {
        let is_all = self.model.move_obstacle(evaluation, obstacle);
        self.single.move_obstacle(&self.model, obstacle);
        is_all
    }

    /// Proves what can be proven of a motion. `checks` counts configurations; past `last_check` the rest is left.
    pub(crate) fn prove(
        &mut self,
        evaluation: &mut Evaluation,
        motion: &impl TimedMotion,
        checks: &mut u64,
        last_check: u64,
    ) -> Verdict {
        if !self.model.is_representable {
            return Verdict::Unable;
        }
        self.start(motion);
        self.watch.begin(*checks);
        while let Some(task) = self.tasks.pop() {
            if self.watch.is_over(*checks) && evaluation.num_items() > 0 {
                return Verdict::Blocked(Blocked { t: task.intervals[0].0, item: 0 });
            }
            if !self.load(motion, &task) {
                return Verdict::Unable;
            }
            *checks += task.count as u64;
            if let Some(blocked) = self.examine(evaluation, &task) {
                return Verdict::Blocked(blocked);
            }
            self.follow_up(&task, *checks >= last_check);
        }
        Verdict::Proven
    }

    /// Tasks for all pieces of the motion, the first on top.
    fn start(&mut self, motion: &impl TimedMotion) {
        self.tasks.clear();
        self.task_items.clear();
        self.leftovers.clear();
        self.items.clear();
        let pieces = motion.pieces();
        let groups = pieces.div_ceil(MOST_PIECES);
        for group in (0..groups).rev() {
            let begin = group * MOST_PIECES;
            self.tasks.push(Task::of_pieces(begin..pieces.min(begin + MOST_PIECES), |piece| motion.piece(piece)));
        }
    }

    /// Fills the batch; false when a value is too large for single precision.
    fn load(&mut self, motion: &impl TimedMotion, task: &Task) -> bool {
        let Batch { q, radius } = &mut self.batch;
        motion.boxes_around(&task.intervals, q, radius) < LARGEST_COORDINATE
    }

    /// Runs the kernel; hits are left in `self.hits`, one per item, in the order of item numbers.
    fn examine(&mut self, evaluation: &mut Evaluation, task: &Task) -> Option<Blocked> {
        self.hits.clear();
        let blocked = match task.items {
            None => self.examine_all(evaluation, task),
            Some(start) => self.examine_some(evaluation, task, start),
        };
        self.merge_hits();
        blocked
    }

    /// Every item, with bounds on the motion that hold in every configuration: they cost next to nothing.
    fn examine_all(&mut self, evaluation: &mut Evaluation, task: &Task) -> Option<Blocked> {
        for (width, radius) in self.widths.iter_mut().zip(&self.batch.radius) {
            *width = radius.iter().fold(0.0, |most, value| if *value > most { *value } else { most });
        }
        let mut block = Block {
            batch: &self.batch,
            used: !0,
            widths: Some(&self.widths),
            items: None,
            stops_at_hit: true,
            any_hit_will_do: false,
            hit: 0,
            hits: &mut self.hits,
        };
        if self.workspace.run(&self.model, BATCH, &mut block) {
            return self.hits.last().map(|hit| task.blocked_by(*hit));
        }
        // Joined first: which lane is looked at must not depend on how many go together.
        self.merge_hits();
        self.hits.iter_mut().for_each(|hit| hit.deepest = middle_bit(hit.touching));
        let (q, radius) = (&mut self.q, &mut self.radius);
        let mut confirm = Confirm { evaluation, batch: &self.batch, q, radius, task };
        self.hits.iter().copied().find(|hit| confirm.is_blocked_by(*hit)).map(|hit| task.blocked_by(hit))
    }

    /// The items of a task, with bounds on the motion around each configuration.
    fn examine_some(&mut self, evaluation: &mut Evaluation, task: &Task, start: usize) -> Option<Blocked> {
        self.current.clear();
        self.current.extend(self.task_items.drain(start..));
        let (q, radius) = (&mut self.q, &mut self.radius);
        let confirm = Confirm { evaluation, batch: &self.batch, q, radius, task };
        let mut sink = Collect { hits: &mut self.hits, confirm, blocked: None };
        let mut proof = Proof { batch: &self.batch, items: &self.current, sink: &mut sink };
        self.workspace.run(&self.model, task.count, &mut proof);
        sink.blocked
    }

    /// The parts of a batch report separately: one hit per item.
    pub(super) fn merge_hits(&mut self) {
        self.hits.sort_unstable_by_key(|hit| hit.item);
        self.hits.dedup_by(|next, kept| {
            let is_same = next.item == kept.item;
            if is_same {
                kept.open |= next.open;
                kept.touching |= next.touching;
            }
            is_same
        });
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
                self.leftovers.push(Leftover { t0, t1, items: (begin, self.items.len()) });
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
    evaluation: &'a mut Evaluation,
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
        self.evaluation.place(self.q, self.radius);
        self.evaluation.misses_margin(hit.item)
    }
}

/// Collects hits until one is confirmed.
struct Collect<'a> {
    hits: &'a mut Vec<Hit>,
    confirm: Confirm<'a>,
    blocked: Option<Blocked>,
}

impl Sink for Collect<'_> {
    fn report(&mut self, hit: Hit) -> bool {
        self.hits.push(hit);
        let is_blocked = self.confirm.is_blocked_by(hit);
        if is_blocked {
            self.blocked = Some(self.confirm.task.blocked_by(hit));
        }
        is_blocked
    }
}
