//! Verdicts about configurations: single precision first, what it leaves undecided in double precision.

use crate::discrete::one_configuration::OneConfiguration;
use crate::discrete::query::BatchQuery;
use crate::engine::Engine;
use crate::exact_tier::ExactTier;
use crate::model::cluster::Cluster;
use crate::motion::BATCH;
use crate::rounding::LARGEST_COORDINATE;
use crate::samples::LoadSamples;

/// From here on the number of obstacles around several configurations can exceed that around each by much.
const MANY_OBSTACLES: usize = 500;

/// Configurations between which a body moves farther, m, have few obstacles in common.
const FAR_APART: f32 = 0.5;

/// What a batch is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// Which of some configurations are free.
    Configurations,
    /// Whether samples of a motion are free.
    Samples,
    /// That, and what is clear of them until the next ones.
    ObstacleGroup,
    /// Whether samples are free of what was not clear until them.
    Remainder,
}

impl Engine {
    /// Whether a configuration is free; `None` when single precision does not reach, or would be slow.
    pub fn is_free(&mut self, exact: &mut dyn ExactTier, q: &[f64]) -> Option<bool> {
        if !self.model.is_representable || !self.tier_placement.has_fused_multiply_add() || !are_small(q) {
            return None;
        }
        let mut one = OneConfiguration { model: &self.model, single: &mut self.single, q, is_hit: false };
        self.tier_placement.run_eight(&mut one);
        let is_hit = one.is_hit;
        if is_hit || self.single.undecided.is_empty() {
            return Some(!is_hit);
        }
        self.radius.fill(0.0);
        exact.place(q, &self.radius);
        Some(!self.single.undecided.iter().any(|item| exact.misses_margin(*item)))
    }

    /// Bit `i` is set when configuration `i` of `rows` is free; `None` when single precision does not reach.
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
        let hit = self.run_block(used, Look::Configurations);
        let touching = self.hits.iter().fold(0, |all, hit| all | hit.open);
        Some(used & !hit & !self.blocked(exact, touching & !hit, false))
    }

    /// Whether configurations are so far from each other, among so many obstacles, that the box around all of them holds
    /// far more obstacles than the boxes around each.
    fn is_one_by_one(&mut self, rows: &[f64]) -> bool {
        let model = &self.model;
        if model.obstacles.len() < MANY_OBSTACLES || !self.tier_placement.has_fused_multiply_add() {
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
        model.clusters.iter().map(moved).fold(0.0, f32::max) > FAR_APART
    }

    fn free_one_by_one(&mut self, exact: &mut dyn ExactTier, rows: &[f64]) -> Option<u16> {
        let mut free = 0;
        for (lane, q) in rows.chunks_exact(self.q.len()).enumerate() {
            free |= u16::from(self.is_free(exact, q)?) << lane;
        }
        Some(free)
    }

    /// Whether `rakes` times [`BATCH`] samples of a segment are free; `None` when single precision does not reach.
    ///
    /// The first samples span the whole segment, each later batch lies as much before the one before it (the rake of
    /// Thomason, Kingston, Kavraki 2024). What is clear of the first samples by more than it can move until the next
    /// ones is not looked at again, nor are samples between which all is clear.
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
        let look = if rakes == 1 { Look::Samples } else { Look::ObstacleGroup };
        if self.is_some_blocked(exact, !0, look) {
            return Some(false);
        }
        self.list_rest(rakes, step);
        let mut begin = 0;
        while begin < self.rest.len() {
            let count = (self.rest.len() - begin).min(BATCH);
            *checks += count as u64;
            let t = std::array::from_fn(|lane| self.rest[begin + lane.min(count - 1)]);
            self.load_samples((from, to), &t);
            if self.is_some_blocked(exact, lowest(count), Look::Remainder) {
                return Some(false);
            }
            begin += count;
        }
        Some(true)
    }

    /// How many of `rakes` times [`BATCH`] samples of a segment are free in a row, from its start; `None` when single
    /// precision does not reach.
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
            let hit = self.run_block(!0, Look::Configurations);
            let touching = self.hits.iter().fold(0, |all, hit| all | hit.open);
            // Only what precedes the first certain contact has to be decided.
            let before = if hit == 0 { !0 } else { (1 << hit.trailing_zeros()) - 1 };
            let blocked = hit | self.blocked(exact, touching & !hit & before, true);
            if blocked != 0 {
                return Some(first + blocked.trailing_zeros());
            }
        }
        Some(samples)
    }

    /// The first `count` configurations, at most a batch.
    fn load_rows(&mut self, rows: &[f64], count: usize) {
        // Row after row: what goes down a column counts its steps.
        for (lane, row) in rows.chunks_exact(self.q.len().max(1)).take(count.min(BATCH)).enumerate() {
            for (lanes, value) in self.batch.q.iter_mut().zip(row) {
                lanes[lane % BATCH] = *value;
            }
        }
        // Unused lanes repeat the last configuration; of a batch that is at most half full the rest is not looked at.
        let loaded = if count <= BATCH / 2 { BATCH / 2 } else { BATCH };
        if count < loaded {
            for lanes in &mut self.batch.q {
                let last = lanes[count - 1];
                lanes[count..loaded].fill(last);
            }
        }
    }

    fn load_samples(&mut self, (from, to): (&[f64], &[f64]), t: &[f64; BATCH]) {
        self.tier_placement.run_eight(&mut LoadSamples { from, to, t, lanes: &mut self.batch.q });
    }

    /// Samples before those of the first batch that are not clear until there, and items to look at.
    fn list_rest(&mut self, rakes: u32, step: f64) {
        self.rest.clear();
        if rakes == 1 {
            return;
        }
        self.merge_hits();
        self.list_rest_items();
        let open = self.hits.iter().fold(0, |all, hit| all | hit.open);
        for rake in 1..rakes {
            let lanes = (0..BATCH).filter(|lane| open >> lane & 1 == 1);
            let before = f64::from(rake) * step;
            self.rest.extend(lanes.map(|lane| (lane + 1) as f64 / BATCH as f64 - before));
        }
    }

    /// What the hits are about.
    fn list_rest_items(&mut self) {
        let Self { rest_items, model, hits, .. } = self;
        rest_items.list(model, hits.iter().map(|hit| hit.item));
    }

    fn is_some_blocked(&mut self, exact: &mut dyn ExactTier, used: u16, look: Look) -> bool {
        if self.run_block(used, look) != 0 {
            return true;
        }
        let touching = self.hits.iter().fold(0, |all, hit| all | hit.touching);
        self.blocked(exact, touching, true) != 0
    }

    /// Lanes that certainly touch; `self.hits` is what is undecided, or not clear in the box around the samples.
    fn run_block(&mut self, used: u16, look: Look) -> u16 {
        self.hits.clear();
        let is_motion = look != Look::Configurations;
        let mut block = BatchQuery {
            batch: &self.batch,
            used,
            widths: (look == Look::ObstacleGroup).then_some(&self.widths),
            items: (look == Look::Remainder).then_some(&self.rest_items),
            stops_at_hit: is_motion,
            any_hit_will_do: is_motion,
            hit: 0,
            hits: &mut self.hits,
        };
        self.tier_placement.run(&self.model, used.count_ones() as usize, &mut block);
        block.hit
    }

    /// Which of some lanes are not free, in double precision; the first suffices for `is_one_enough`.
    fn blocked(&mut self, exact: &mut dyn ExactTier, lanes: u16, is_one_enough: bool) -> u16 {
        let (mut open, mut blocked) = (lanes, 0);
        while open != 0 && !(is_one_enough && blocked != 0) {
            let lane = open.trailing_zeros();
            open &= open - 1;
            blocked |= u16::from(self.misses_margin(exact, lane)) << lane;
        }
        blocked
    }

    /// Looks at the undecided items of a lane in double precision.
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

/// True when all are numbers that single precision can be asked about.
fn are_small(values: &[f64]) -> bool {
    // Not `all`, which looks at one after the other.
    let mut are_small = true;
    for value in values {
        are_small &= value.abs() < LARGEST_COORDINATE;
    }
    are_small
}
