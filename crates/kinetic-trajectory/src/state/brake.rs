//! Brake phase of a joint that begins outside its limits, or on its way out of them.
//!
//! The rule: acceleration outside its range returns to it at full jerk. Velocity outside its range, or bound to leave it
//! even at full jerk, is brought to the limit as fast as acceleration and jerk allow, yet never so hard that the
//! opposite velocity limit could not be held any more. What follows begins there and holds every limit.

use super::axis::{AxisLimits, AxisState};

/// Up to two phases: duration and jerk.
pub(crate) type BrakePhases = [(f64, f64); 2];

/// What has to be done before the limits can be held; durations 0 where nothing has to.
pub(crate) fn braking(state: &AxisState, limits: &AxisLimits) -> BrakePhases {
    let [lowest, highest] = limits.acceleration;
    if state.acceleration > highest {
        acceleration_brake(state, limits)
    } else if state.acceleration < lowest {
        mirrored(acceleration_brake(&state.mirrored(), &limits.mirrored()))
    } else if leaves_above(state, limits) {
        velocity_brake(state, limits)
    } else if leaves_above(&state.mirrored(), &limits.mirrored()) {
        mirrored(velocity_brake(&state.mirrored(), &limits.mirrored()))
    } else {
        [(0.0, 0.0); 2]
    }
}

fn mirrored(braking: BrakePhases) -> BrakePhases {
    braking.map(|(duration, jerk)| (duration, -jerk))
}

/// Above the highest velocity and not already braking too hard, or bound to get there.
fn leaves_above(state: &AxisState, limits: &AxisLimits) -> bool {
    let [slowest, fastest] = limits.velocity;
    let rest = state.velocity_where_acceleration_ends(limits);
    if state.acceleration > 0.0 { rest > fastest } else { state.velocity > fastest && rest > slowest }
}

/// Acceleration above its range.
fn acceleration_brake(state: &AxisState, limits: &AxisLimits) -> BrakePhases {
    let ([slowest, fastest], highest, jerk) = (limits.velocity, limits.acceleration[1], limits.jerk[0]);
    if state.velocity_where_acceleration_ends(limits) > fastest {
        return velocity_brake(state, limits);
    }
    let time = (highest - state.acceleration) / jerk;
    let velocity = state.after(time, jerk).velocity;
    // Below the lowest velocity it keeps the highest acceleration, as long as that does not lead too far.
    let to_slowest = (slowest - velocity) / highest;
    let to_fastest = (fastest - velocity) / highest + highest / (2.0 * jerk);
    [(time, jerk), (to_slowest.min(to_fastest).max(0.0), 0.0)]
}

/// Velocity above its range.
fn velocity_brake(state: &AxisState, limits: &AxisLimits) -> BrakePhases {
    let ([slowest, fastest], lowest, fall) = (limits.velocity, limits.acceleration[0], -limits.jerk[0]);
    let (v, a, rise) = (state.velocity, state.acceleration, limits.jerk[1]);
    let to_fastest = (a + (a * a + 2.0 * fall * (v - fastest)).max(0.0).sqrt()) / fall;
    // Where the velocity, with acceleration taken back from there on, ends at the lowest: v + a²/2J⁻ − x²/m.
    let m = 2.0 / (1.0 / rise + 1.0 / fall);
    let to_slowest = (a + (m * (v + a * a / (2.0 * fall) - slowest)).max(0.0).sqrt()) / fall;
    let (to_lowest, time) = ((a - lowest) / fall, to_fastest.min(to_slowest).max(0.0));
    if time <= to_lowest {
        return [(time, -fall), (0.0, 0.0)];
    }
    let reached = state.after(to_lowest, -fall).velocity;
    let hold_to_fastest = (reached - fastest) / -lowest;
    let hold_to_slowest = (reached - slowest - lowest * lowest / (2.0 * rise)) / -lowest;
    [(to_lowest.max(0.0), -fall), (hold_to_fastest.min(hold_to_slowest).max(0.0), 0.0)]
}
