//! Maximum of a sinusoid between two angles.

use std::f64::consts::TAU;

/// The angle in `[from, to]` at which `a cos δ + b sin δ` is largest; of several the one nearest to 0. The interval must
/// hold 0.
pub(super) fn best_angle(a: f64, b: f64, from: f64, to: f64) -> f64 {
    let peak = b.atan2(a);
    // Turns of the peak that may lie inside, nearest first.
    for turned in [peak, peak - TAU.copysign(peak)] {
        if from <= turned && turned <= to {
            return turned;
        }
    }
    let value = |angle: f64| a * angle.cos() + b * angle.sin();
    if value(from) >= value(to) { from } else { to }
}
