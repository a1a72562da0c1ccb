//! Stop path: where an arm passes that brakes each joint as hard as its limits allow.
//!
//! Barriers see a distance and its rate, and not that the derivative of the distance grows while a fast joint is braked. So a command
//! must leave the arm a way to stop without contact, as far as its samples tell; else the arm brakes (a backup controller, as in
//! Gurriet et al. 2018, "Towards a framework for realizable safety critical control through active set invariance"). By induction an
//! arm among obstacles that stand still keeps such a way, if it begins with one.

use super::acceleration_bounds::JointBounds;

/// Samples of a path: what a checker tests at once.
const NUM_SAMPLES: usize = 16;

/// Configurations on a way to rest, row after row, evenly spaced in time.
#[derive(Debug, Clone, Default)]
pub struct StopPath {
    rows: Vec<f64>,
}

impl StopPath {
    /// The way to rest from positions and velocities.
    pub(super) fn set(&mut self, q: &[f64], qd: &[f64], bounds: &[JointBounds]) {
        let rest = |(qd, bounds): (&f64, &JointBounds)| qd.abs() / bounds.acceleration;
        let duration = qd.iter().zip(bounds).map(rest).fold(0.0, f64::max);
        self.rows.clear();
        for sample in 0..NUM_SAMPLES {
            let time = duration * sample as f64 / (NUM_SAMPLES - 1) as f64;
            self.rows.extend(q.iter().zip(qd).zip(bounds).map(|((q, qd), bounds)| {
                let braked = time.min(qd.abs() / bounds.acceleration);
                q + (qd - 0.5 * qd.signum() * bounds.acceleration * braked) * braked
            }));
        }
    }

    /// The configurations, row after row; the first one is where the way begins.
    pub fn rows(&self) -> &[f64] {
        &self.rows
    }

    /// Whether a checker finds every sample free.
    pub(super) fn is_free(&self, checker: &mut kinetic_scene::Checker) -> bool {
        let mut free = [false; NUM_SAMPLES];
        checker.are_free_into(&self.rows, &mut free);
        free.iter().all(|is_free| *is_free)
    }
}
