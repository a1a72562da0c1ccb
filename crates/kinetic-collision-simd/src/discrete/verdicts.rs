//! Collision verdicts about configurations: single precision first, double precision for undecided items.

use crate::discrete::one_configuration::OneConfiguration;
use crate::discrete::query::BatchQuery;
use crate::engine::Engine;
use crate::exact_tier::ExactTier;
use crate::model::cluster::Cluster;
use crate::motion::BATCH;
use crate::samples::LoadSamples;
use crate::tolerance::LARGEST_COORDINATE_M_RAD;

/// Number of obstacles from which on a box around several configurations can contain far more of them than a box around
/// each.
const MIN_OBSTACLES_ONE_BY_ONE: usize = 500;

/// Motion of a body between configurations, m, beyond which these have few near obstacles in common.
const MIN_MOTION_ONE_BY_ONE_M: f32 = 0.5;

/// The kind of a query about a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QueryKind {
    /// Which of some configurations are free.
    Configurations,
    /// Whether samples of a motion are free.
    Samples,
    /// Whether samples of a motion are free, and which items are clear until the next samples.
    SamplesWithMotion,
    /// Whether later samples are free of the items that were not clear until them.
    Remainder,
}

impl Engine {
    /// Whether a configuration is free; `None` when a value is too large for single precision, or the processor would
    /// be slow.
    pub fn is_free(&mut self, exact: &mut dyn ExactTier, q: &[f64]) -> Option<bool> {
        if !self.model.is_representable || !self.dispatcher.has_fused_multiply_add() || !are_small(q) {
            return None;
        }
        let mut one = OneConfiguration { model: &self.model, packed: &mut self.packed, q, is_hit: false };
        self.dispatcher.run_pack(&mut one);
        let is_hit = one.is_hit;
        if is_hit || self.packed.undecided.is_empty() {
            return Some(!is_hit);
        }
        self.radius.fill(0.0);
        exact.place(q, &self.radius);
        Some(!self.packed.undecided.iter().any(|item| exact.misses_margin(*item)))
    }

    /// Bit `i` is set when configuration `i` of `rows` is free; `None` when a value is too large for single precision.
    pub fn free_configurations(&mut self, exact: &mut dyn ExactTier, rows: &[f64], count: usize) -> Option<u16> {
        let dof = self.q.len();
        if !self.model.is_representable || !are_small(rows) {
            return None;
        }
        if self.is_one_by_one(&rows[..count * dof]) {
            return self.free_one_by_one(exact, &rows[..count * dof]);
        }
        self.load_rows(rows, count);
        let used = lowest(count);
        let hit = self.run_query(used, QueryKind::Configurations);
        let touching = self.hits.iter().fold(0, |all, hit| all | hit.undecided);
        Some(used & !hit & !self.blocked(exact, touching & !hit, false))
    }

    /// Whether at most [`BATCH`] configurations of `rows`, near each other as samples of a motion are, are all free; `None` when
    /// a value is too large for single precision.
    pub fn are_all_free(&mut self, exact: &mut dyn ExactTier, rows: &[f64]) -> Option<bool> {
        if !self.model.is_representable || !are_small(rows) {
            return None;
        }
        let count = rows.len() / self.q.len().max(1);
        self.load_rows(rows, count);
        Some(!self.is_some_blocked(exact, lowest(count), QueryKind::Samples))
    }

    /// Whether configurations are so far apart, among so many obstacles, that the box around all of them contains far
    /// more obstacles than the boxes around each. They are then faster one by one.
    fn is_one_by_one(&mut self, rows: &[f64]) -> bool {
        let model = &self.model;
        if model.obstacles.len() < MIN_OBSTACLES_ONE_BY_ONE || !self.dispatcher.has_fused_multiply_add() {
            return false;
        }
        let dof = self.q.len();
        for (variable, width) in self.widths.iter_mut().enumerate() {
            let values = rows.iter().skip(variable).step_by(dof);
            let (low, high) =
                values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), q| (low.min(*q), high.max(*q)));
            *width = (0.5 * (high - low)) as f32;
        }
        let widths = &self.widths;
        let moved = |cluster: &Cluster| cluster.ancestors.iter().map(|joint| joint.bound(widths, 0.0)).sum::<f32>();
        model.clusters.iter().map(moved).fold(0.0, f32::max) > MIN_MOTION_ONE_BY_ONE_M
    }

    fn free_one_by_one(&mut self, exact: &mut dyn ExactTier, rows: &[f64]) -> Option<u16> {
        let mut free = 0;
        for (lane, q) in rows.chunks_exact(self.q.len()).enumerate() {
            free |= u16::from(self.is_free(exact, q)?) << lane;
        }
        Some(free)
    }

    /// Whether `rakes` times [`BATCH`] samples of a segment are free; `None` when a value is too large for single
    /// precision.
    ///
    /// The first samples span the whole segment, each later batch lies as much before the one before it (the rake of
    /// Thomason, Kingston, Kavraki 2024). Items that are clear of the first samples by more than the motion until the
    /// next ones are not tested again, nor are samples between which all items are clear.
    pub fn is_sampled_free(
        &mut self,
        exact: &mut dyn ExactTier,
        (from, to): (&[f64], &[f64]),
        rakes: u32,
        checks: &mut u64,
    ) -> Option<bool> {
        if !self.model.is_representable || !are_small(from) || !are_small(to) {
            return None;
        }
        let step = 1.0 / (f64::from(rakes) * BATCH as f64);
        for (width, (from, to)) in self.widths.iter_mut().zip(from.iter().zip(to)) {
            *width = (f64::from(rakes - 1) * step * (to - from).abs()) as f32;
        }
        *checks += BATCH as u64;
        self.load_samples((from, to), &std::array::from_fn(|lane| (lane + 1) as f64 / BATCH as f64));
        // Nothing lies between the samples of a single batch.
        let kind = if rakes == 1 { QueryKind::Samples } else { QueryKind::SamplesWithMotion };
        if self.is_some_blocked(exact, !0, kind) {
            return Some(false);
        }
        self.list_remaining_samples(rakes, step);
        let mut begin = 0;
        while begin < self.remaining_samples.len() {
            let count = (self.remaining_samples.len() - begin).min(BATCH);
            *checks += count as u64;
            let t = std::array::from_fn(|lane| self.remaining_samples[begin + lane.min(count - 1)]);
            self.load_samples((from, to), &t);
            if self.is_some_blocked(exact, lowest(count), QueryKind::Remainder) {
                return Some(false);
            }
            begin += count;
        }
        Some(true)
    }

    /// How many of `rakes` times [`BATCH`] samples of a segment are free in a row, from its start; `None` when a value
    /// is too large for single precision.
    pub fn free_samples(
        &mut self,
        exact: &mut dyn ExactTier,
        (from, to): (&[f64], &[f64]),
        rakes: u32,
        checks: &mut u64,
    ) -> Option<u32> {
        if !self.model.is_representable || !are_small(from) || !are_small(to) {
            return None;
        }
        let samples = rakes * BATCH as u32;
        for first in (0..samples).step_by(BATCH) {
            *checks += BATCH as u64;
            let t = std::array::from_fn(|lane| f64::from(first + lane as u32 + 1) / f64::from(samples));
            self.load_samples((from, to), &t);
            let hit = self.run_query(!0, QueryKind::Configurations);
            let touching = self.hits.iter().fold(0, |all, hit| all | hit.undecided);
            // Only what precedes the first certain contact has to be decided.
            let before = if hit == 0 { !0 } else { (1 << hit.trailing_zeros()) - 1 };
            let blocked = hit | self.blocked(exact, touching & !hit & before, true);
            if blocked != 0 {
                return Some(first + blocked.trailing_zeros());
            }
        }
        Some(samples)
    }

    /// Loads the first `count` configurations, at most a batch.
    fn load_rows(&mut self, rows: &[f64], count: usize) {
        // Row by row, because compilers turn a walk down each column into indexed loads.
        for (lane, row) in rows.chunks_exact(self.q.len().max(1)).take(count.min(BATCH)).enumerate() {
            for (lanes, value) in self.batch.q.iter_mut().zip(row) {
                lanes[lane % BATCH] = *value;
            }
        }
        // Unused lanes repeat the last configuration. The second half of a batch that is at most half full is not used.
        let loaded = if count <= BATCH / 2 { BATCH / 2 } else { BATCH };
        if count < loaded {
            for lanes in &mut self.batch.q {
                let last = lanes[count - 1];
                lanes[count..loaded].fill(last);
            }
        }
    }

    fn load_samples(&mut self, (from, to): (&[f64], &[f64]), t: &[f64; BATCH]) {
        self.dispatcher.run_pack(&mut LoadSamples { from, to, t, lanes: &mut self.batch.q });
    }

    /// Lists the samples before those of the first batch that are not clear, and the items to test there.
    fn list_remaining_samples(&mut self, rakes: u32, step: f64) {
        self.remaining_samples.clear();
        if rakes == 1 {
            return;
        }
        self.merge_hits();
        self.list_remainder();
        let undecided = self.hits.iter().fold(0, |all, hit| all | hit.undecided);
        for rake in 1..rakes {
            let lanes = (0..BATCH).filter(|lane| undecided >> lane & 1 == 1);
            let before = f64::from(rake) * step;
            self.remaining_samples.extend(lanes.map(|lane| (lane + 1) as f64 / BATCH as f64 - before));
        }
    }

    /// Lists the items of the hits.
    fn list_remainder(&mut self) {
        let Self { remainder, model, hits, .. } = self;
        remainder.list(model, hits.iter().map(|hit| hit.item));
    }

    fn is_some_blocked(&mut self, exact: &mut dyn ExactTier, used: u16, kind: QueryKind) -> bool {
        if self.run_query(used, kind) != 0 {
            return true;
        }
        let touching = self.hits.iter().fold(0, |all, hit| all | hit.touching);
        self.blocked(exact, touching, true) != 0
    }

    /// Runs a query and returns the lanes that certainly touch. `self.hits` are the items that are undecided, or not
    /// clear in the box around the samples.
    fn run_query(&mut self, used: u16, kind: QueryKind) -> u16 {
        self.hits.clear();
        let is_motion = kind != QueryKind::Configurations;
        let mut query = BatchQuery {
            batch: &self.batch,
            used,
            widths: (kind == QueryKind::SamplesWithMotion).then_some(&self.widths),
            items: (kind == QueryKind::Remainder).then_some(&self.remainder),
            stops_at_hit: is_motion,
            any_hit_will_do: is_motion,
            hit: 0,
            hits: &mut self.hits,
        };
        self.dispatcher.run(&self.model, used.count_ones() as usize, &mut query);
        query.hit
    }

    /// Which of some lanes are not free, in double precision; only the first one with `is_one_enough`.
    fn blocked(&mut self, exact: &mut dyn ExactTier, lanes: u16, is_one_enough: bool) -> u16 {
        let (mut undecided, mut blocked) = (lanes, 0);
        while undecided != 0 && !(is_one_enough && blocked != 0) {
            let lane = undecided.trailing_zeros();
            undecided &= undecided - 1;
            blocked |= u16::from(self.misses_margin(exact, lane)) << lane;
        }
        blocked
    }

    /// Tests the undecided items of a lane in double precision.
    fn misses_margin(&mut self, exact: &mut dyn ExactTier, lane: u32) -> bool {
        for (variable, value) in self.q.iter_mut().enumerate() {
            *value = self.batch.q[variable][lane as usize];
        }
        self.radius.fill(0.0);
        exact.place(&self.q, &self.radius);
        let mut touching = self.hits.iter().filter(|hit| hit.touching >> lane & 1 == 1);
        touching.any(|hit| exact.misses_margin(hit.item))
    }
}

/// The lowest `count` bits, of at most [`BATCH`].
fn lowest(count: usize) -> u16 {
    if count == BATCH { !0 } else { (1 << count) - 1 }
}

/// True when all values are numbers that are small enough for single precision.
fn are_small(values: &[f64]) -> bool {
    // A loop without an early exit, which is vectorized, unlike `all`.
    let mut are_small = true;
    for value in values {
        are_small &= value.abs() < LARGEST_COORDINATE_M_RAD;
    }
    are_small
}
