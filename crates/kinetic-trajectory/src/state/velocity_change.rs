//! The fastest change of one joint's velocity.
//!
//! Jerk, no jerk at the highest acceleration, jerk back: the velocity interface of Ruckig (Berscheid and Kröger 2021), in closed
//! form.

use super::axis::{AxisLimits, AxisState, Phases};
use super::brake::braking;

/// Writes the fastest way from `start`, which may be outside the limits, to `velocity` without acceleration over `motion`,
/// wherever that leads.
pub fn write_velocity_change(start: &AxisState, velocity: f64, limits: &AxisLimits, motion: &mut Phases) {
    motion.restart(*start);
    if start.velocity == velocity && start.acceleration == 0.0 {
        return;
    }
    for (duration, jerk) in braking(start, limits) {
        motion.push(duration, jerk);
    }
    let braked = motion.end();
    let is_up = velocity > braked.velocity_where_acceleration_ends(limits);
    let (seen, sign) = if is_up { (*limits, 1.0) } else { (limits.mirrored(), -1.0) };
    let (rise, fall, highest) = (seen.jerk[1], -seen.jerk[0], seen.acceleration[1]);
    let (acceleration, change) = (sign * braked.acceleration, sign * (velocity - braked.velocity));
    // Up from a to p and down to 0, velocity changes by (p² − a²) / 2J⁺ + p² / 2J⁻.
    let m = 2.0 / (1.0 / rise + 1.0 / fall);
    let square = m * (change + acceleration * acceleration / (2.0 * rise));
    // Where both ramps are one, rounding may leave less than the acceleration that there is: it has to end at 0 all the same.
    let peak = square.max(0.0).sqrt().max(acceleration).min(highest);
    let hold = (square - peak * peak) / (m * peak);
    motion.push((peak - acceleration) / rise, sign * rise);
    motion.push(hold, 0.0);
    motion.push(peak / fall, -sign * fall);
}
