//! The two tiers of a collision query: SIMD kernels in single precision, then exact distances for undecided items.

use kinetic_collision_simd::{BATCH, Blocked, CollisionModel, Engine, ExactTier, SimdTier, TimedMotion, Verdict};
use kinetic_core::Control;

use crate::continuous::{ContinuousCheck, LeastClearance, Partners};
use crate::exact::PlacedModel;

/// A compiled collision model with both tiers. Verdicts are those of the exact tier alone.
#[derive(Debug, Clone)]
pub(crate) struct CollisionTiers {
    pub(crate) exact: PlacedModel,
    pub(crate) continuous: ContinuousCheck,
    pub(crate) engine: Engine,
}

impl CollisionTiers {
    pub(crate) fn new(model: CollisionModel) -> Self {
        let exact = PlacedModel::new(model);
        let continuous = ContinuousCheck::new(exact.model.program.num_variables());
        let engine = Engine::new(&exact.model);
        let mut tiers = Self { exact, continuous, engine };
        tiers.weigh();
        tiers
    }

    /// Takes in how much work obstacles are, after they were replaced.
    pub(crate) fn weigh(&mut self) {
        self.continuous.termination.weigh(&self.exact.model.world);
        self.engine.termination.weigh(&self.exact.model.world);
    }

    /// Uses the instructions of a tier.
    pub(crate) fn set_tier(&mut self, tier: SimdTier) {
        self.exact.separation.set_tier(tier);
        let termination = std::mem::take(&mut self.engine.termination);
        self.engine = Engine::with_tier(&self.exact.model, tier);
        self.engine.termination = termination;
    }

    /// Sets the control that ends long queries.
    pub(crate) fn obey(&mut self, control: Option<&Control>) {
        self.continuous.termination.obey(control);
        self.engine.termination.obey(control);
    }

    /// True when every item keeps its required clearance at `q`.
    pub(crate) fn is_free(&mut self, q: &[f64]) -> bool {
        match self.engine.is_free(&mut self.exact, q) {
            Some(is_free) => {
                self.continuous.checks += 1;
                is_free
            }
            None => self.is_free_in_double(q),
        }
    }

    /// As [`is_free`](Self::is_free), in the exact tier alone.
    pub(crate) fn is_free_in_double(&mut self, q: &[f64]) -> bool {
        self.continuous.is_free(&mut self.exact, q)
    }

    /// Whether each of up to [`BATCH`] configurations (row after row) is free.
    pub(crate) fn are_free(&mut self, rows: &[f64], free: &mut [bool]) {
        debug_assert!(free.len() <= BATCH, "one batch at a time");
        let dof = self.exact.model.program.num_variables();
        self.continuous.checks += free.len() as u64;
        match self.engine.free_configurations(&mut self.exact, rows, free.len()) {
            Some(bits) => free.iter_mut().enumerate().for_each(|(lane, free)| *free = bits >> lane & 1 == 1),
            None => free.iter_mut().enumerate().for_each(|(row, free)| {
                *free = self.continuous.is_free(&mut self.exact, &rows[row * dof..(row + 1) * dof]);
            }),
        }
    }

    /// Whether up to [`BATCH`] configurations (row after row) that are near each other are all free.
    pub(crate) fn are_all_free(&mut self, rows: &[f64]) -> bool {
        let dof = self.exact.model.program.num_variables();
        self.continuous.checks += (rows.len() / dof) as u64;
        let answer = self.engine.are_all_free(&mut self.exact, rows);
        answer.unwrap_or_else(|| rows.chunks_exact(dof).all(|q| self.continuous.is_free(&mut self.exact, q)))
    }

    /// Whether `rakes` times [`BATCH`] samples of a segment are free; see [`Engine::is_sampled_free`].
    pub(crate) fn is_sampled_free(&mut self, ends: (&[f64], &[f64]), rakes: u32) -> Option<bool> {
        self.engine.is_sampled_free(&mut self.exact, ends, rakes, &mut self.continuous.checks)
    }

    /// How many of `rakes` times [`BATCH`] samples of a segment are free in a row from its start; see
    /// [`Engine::free_samples`].
    pub(crate) fn free_samples(&mut self, ends: (&[f64], &[f64]), rakes: u32) -> Option<u32> {
        self.engine.free_samples(&mut self.exact, ends, rakes, &mut self.continuous.checks)
    }

    /// Proves the motion free; otherwise returns where it is not (not necessarily the first such parameter). After
    /// `budget` configurations without a proof it returns the parameter that it had reached.
    pub(crate) fn prove(&mut self, motion: &impl TimedMotion, budget: u64) -> Option<Blocked> {
        let Self { exact, continuous, engine } = self;
        let last_check = continuous.checks.saturating_add(budget);
        continuous.termination.begin(continuous.checks);
        match engine.prove(exact, motion, &mut continuous.checks, last_check) {
            Verdict::Blocked(blocked) => return Some(blocked),
            Verdict::Unable => continuous.start(exact, motion),
            Verdict::Proven => continuous.resume(engine),
        }
        continuous.finish(exact, motion, last_check)
    }

    /// The first parameter at which the motion is not free, to the resolution of the proof.
    pub(crate) fn first_contact(&mut self, motion: &impl TimedMotion) -> Option<Blocked> {
        let Self { exact, continuous, engine } = self;
        let mut checks = 0;
        continuous.termination.begin(continuous.checks);
        let found = engine.first_blocked(motion, &mut checks, |interval, items| {
            continuous.first_contact_in(exact, motion, interval, items)
        });
        continuous.checks += checks;
        match found {
            Verdict::Blocked(blocked) => Some(blocked),
            Verdict::Proven => None,
            Verdict::Unable => continuous.first_contact(exact, motion),
        }
    }

    /// The least slack along the motion, at most `tolerance` above the true minimum, of all pairs with such partners,
    /// including those that proofs do not check.
    pub(crate) fn least_clearance(
        &mut self,
        motion: &impl TimedMotion,
        tolerance: f64,
        partners: Partners,
    ) -> LeastClearance<u32> {
        self.exact.is_complete = true;
        let least = self.continuous.least_clearance(&mut self.exact, motion, tolerance, partners);
        self.exact.is_complete = false;
        least
    }

    /// Places the bodies at `q`.
    pub(crate) fn place(&mut self, q: &[f64]) {
        let still = vec![0.0; q.len()];
        self.exact.place(q, &still);
    }
}
