//! The scene's checker as the validity that planners ask.

use kinetic_scene::Checker;

use crate::validity::Validity;

/// Configurations that a proof may look at, per motion and per unit of joint-space length (rad or m). Motions that pass
/// an obstacle at a centimetre need some tens, and links that stay a little apart all along some hundreds. Proofs are
/// rare, and what hangs on an edge that is refused is lost, so that effort pays; those that need still more graze
/// something at less than a millimetre over a long stretch.
const CHECKS_PER_MOTION: u64 = 1600;
const CHECKS_PER_UNIT: f64 = 1600.0;

/// Samples of a quick look per unit of joint-space length (rad or m). Coarser ones let more pass that is refused its
/// proof, finer ones cost more.
const SAMPLES_PER_UNIT: f64 = 16.0;

/// Of a motion that is likely blocked the end is looked at first, at a small part of the cost of the samples of the whole
/// motion. It is among these samples, so that the answer is the same without. A motion is likely blocked when at least so
/// many of the last [`REMEMBERED`] were.
const LIKELY_BLOCKED: u32 = 11;
const REMEMBERED: u32 = 16;

/// Proofs that are remembered; then they are forgotten all at once.
const MOST_PROOFS: usize = 4096;

/// Adapter from [`Checker`] to [`Validity`]; every motion it accepts is proven over its whole length. Proofs are remembered,
/// so that a path which was found, shortened and verified is proven once. The checker cannot be edited meanwhile.
#[derive(Debug)]
pub struct SceneValidity<'a> {
    checker: &'a mut Checker,
    /// Which of the last motions were blocked, one per bit. Searches begin where most are.
    blocked: u32,
    /// Both ends of every motion that was proven.
    proofs: Vec<f64>,
}

impl<'a> SceneValidity<'a> {
    /// Wraps a checker.
    pub fn new(checker: &'a mut Checker) -> Self {
        Self { checker, blocked: u32::MAX, proofs: Vec::new() }
    }

    /// The checker that is asked.
    pub(crate) fn checker(&mut self) -> &mut Checker {
        self.checker
    }

    /// Proves a motion whatever it takes.
    pub(crate) fn prove(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.prove_within(from, to, u64::MAX)
    }

    fn prove_within(&mut self, from: &[f64], to: &[f64], budget: u64) -> bool {
        if self.is_remembered(from, to) {
            return true;
        }
        let is_proven = self.checker.is_motion_free_within(from, to, budget);
        if is_proven {
            self.remember(from, to);
        }
        is_proven
    }

    /// Whether the motion was proven bit for bit, in either direction.
    fn is_remembered(&self, from: &[f64], to: &[f64]) -> bool {
        let dof = self.checker.dof();
        let is_it = |ends: &[f64]| {
            let (first, second) = ends.split_at(dof);
            first == from && second == to || first == to && second == from
        };
        dof > 0 && self.proofs.chunks_exact(2 * dof).any(is_it)
    }

    fn remember(&mut self, from: &[f64], to: &[f64]) {
        if self.proofs.len() >= MOST_PROOFS * 2 * self.checker.dof() {
            self.proofs.clear();
        }
        self.proofs.extend_from_slice(from);
        self.proofs.extend_from_slice(to);
    }
}

impl Validity for SceneValidity<'_> {
    fn is_valid(&mut self, q: &[f64]) -> bool {
        self.checker.is_free(q)
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        let length = from.iter().zip(to).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        #[allow(clippy::cast_sign_loss, reason = "a length")]
        let budget = CHECKS_PER_MOTION + (CHECKS_PER_UNIT * length) as u64;
        self.prove_within(from, to, budget)
    }

    fn motion_may_be_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        let is_likely_blocked = (self.blocked & ((1 << REMEMBERED) - 1)).count_ones() >= LIKELY_BLOCKED;
        let is_blocked = is_likely_blocked && !self.checker.is_free(to)
            || !self.checker.is_motion_sampled_free(from, to, SAMPLES_PER_UNIT);
        self.blocked = self.blocked << 1 | u32::from(is_blocked);
        !is_blocked
    }

    /// Half of a blocked motion: no claim, but what the search should try next. Of a start that is boxed in, whole
    /// extensions almost never pass; asking where exactly they end costs more than trying half of them.
    fn free_fraction(&mut self, _from: &[f64], _to: &[f64]) -> f64 {
        0.5
    }

    fn checks(&self) -> u64 {
        self.checker.checks()
    }
}
