//! The scene's checker as the validity that planners ask.

use kinetic_scene::Checker;

use crate::validity::Validity;

/// Configurations that a proof may look at, per motion and per unit of joint-space length (rad or m). Motions that pass
/// an obstacle at a centimetre need some tens; those that need more than this graze it at less than a millimetre over
/// a long stretch, where a search does better to look elsewhere.
const CHECKS_PER_MOTION: u64 = 100;
const CHECKS_PER_UNIT: f64 = 100.0;

/// Samples of a quick look per unit of joint-space length (rad or m). Coarser ones let more pass that is refused its
/// proof, finer ones cost more.
const SAMPLES_PER_UNIT: f64 = 32.0;

/// Adapter from [`Checker`] to [`Validity`]; every motion it accepts is proven over its whole length.
#[derive(Debug)]
pub struct SceneValidity<'a> {
    checker: &'a mut Checker,
}

impl<'a> SceneValidity<'a> {
    /// Wraps a checker.
    pub fn new(checker: &'a mut Checker) -> Self {
        Self { checker }
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
        self.checker.is_motion_free_within(from, to, budget)
    }

    fn motion_may_be_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.checker.is_motion_sampled_free(from, to, SAMPLES_PER_UNIT)
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
