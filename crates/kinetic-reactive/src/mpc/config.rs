//! Options of model predictive control.

use kinetic_core::{KineticError, Result};

use crate::servo::ServoConfig;

/// Most rollouts and most steps of a rollout: more take longer than any control cycle.
const MOST_SAMPLES: usize = 65_536;
const MOST_STEPS: usize = 1024;

/// Options of an [`Mpc`](crate::Mpc).
#[derive(Debug, Clone, PartialEq)]
pub struct MpcConfig {
    /// Options of the servo that every command goes through: its rate, its limits and the distance that its stops keep.
    pub servo: ServoConfig,
    /// Steps of a rollout.
    pub horizon: usize,
    /// Time of a step, s.
    pub step: f64,
    /// Time between two optimizations, s; the servo ticks at its own rate in between.
    pub period: f64,
    /// Rollouts per optimization.
    pub samples: usize,
    /// Spans of the spline that a rollout's velocities follow: more of them turn sooner, fewer are smoother.
    pub spans: usize,
    /// Standard deviation of sampled velocities, as a part of the velocity limits.
    pub noise: f64,
    /// How much better than the median a rollout has to be to count, as a part of what the best one is better: 0 takes the best
    /// one alone.
    pub temperature: f64,
    /// What a turn of the tool by 1 rad counts, m.
    pub rotation_weight: f64,
    /// Distance above the stop distance that rollouts are to keep, m.
    pub clearance: f64,
    /// Cost of a rollout that is closer than the clearance all the time, m.
    pub clearance_weight: f64,
    /// Cost of a rollout whose joints accelerate at their limits all the time, m.
    pub smoothness_weight: f64,
    /// Cost of a rollout with a joint at the end of its range all the time, m per joint.
    pub limit_weight: f64,
    /// Seed of the noise.
    pub seed: u64,
}

impl Default for MpcConfig {
    fn default() -> Self {
        Self {
            servo: ServoConfig { slowdown_distance: 0.06, ..ServoConfig::teleop() },
            horizon: 32,
            step: 0.05,
            period: 0.02,
            samples: 64,
            spans: 6,
            noise: 0.4,
            temperature: 0.1,
            rotation_weight: 0.15,
            clearance: 0.03,
            clearance_weight: 0.1,
            smoothness_weight: 0.01,
            limit_weight: 0.1,
            seed: 0,
        }
    }
}

impl MpcConfig {
    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the option.
    pub fn check(&self) -> Result<()> {
        self.servo.check()?;
        check_count("horizon", self.horizon, 2, MOST_STEPS)?;
        check_count("samples", self.samples, 8, MOST_SAMPLES)?;
        check_count("spans", self.spans, 1, self.horizon)?;
        for (name, value) in [("step", self.step), ("noise", self.noise), ("period", self.period)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(KineticError::invalid(name, value, "a positive finite number"));
            }
        }
        for (name, value) in [
            ("temperature", self.temperature),
            ("rotation_weight", self.rotation_weight),
            ("clearance", self.clearance),
            ("clearance_weight", self.clearance_weight),
            ("smoothness_weight", self.smoothness_weight),
            ("limit_weight", self.limit_weight),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(KineticError::invalid(name, value, "a finite number of at least 0"));
            }
        }
        let (shortest, longest) = (self.servo.period(), self.span());
        if self.period >= shortest && self.period <= longest {
            return Ok(());
        }
        let wanted = format!("at least a tick of the servo, {shortest}, and at most a span of the spline, {longest}");
        Err(KineticError::invalid("period", self.period, wanted))
    }

    /// Ticks of the servo in a period.
    #[expect(clippy::cast_sign_loss, reason = "both are positive")]
    pub(super) fn ticks_per_period(&self) -> usize {
        (self.period * self.servo.rate_hz).round() as usize
    }

    /// Time of a span of the spline, s.
    pub(super) fn span(&self) -> f64 {
        self.horizon as f64 * self.step / self.spans as f64
    }
}

fn check_count(name: &str, value: usize, least: usize, most: usize) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(KineticError::invalid(name, value, format!("a whole number from {least} to {most}")))
}
