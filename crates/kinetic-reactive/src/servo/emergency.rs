//! The stop that is left when none inside the limits of jerk is proven.

use kinetic_trajectory::MotionState;
use kinetic_trajectory::state::AxisLimits;

/// Moves `state` by `period`: every joint brakes at its highest deceleration from the beginning of the tick on, as if jerk had
/// no limit, until it is at rest.
pub(super) fn brake_hard(state: &MotionState, limits: &[AxisLimits], period: f64, next: &mut MotionState) {
    for (joint, limits) in limits.iter().enumerate() {
        let (position, velocity) = (state.positions[joint], state.velocities[joint]);
        let deceleration = if velocity > 0.0 { limits.acceleration[0] } else { limits.acceleration[1] };
        let time = if velocity == 0.0 { 0.0 } else { -velocity / deceleration };
        let (braking, moves_on) = (time.min(period), time > period);
        next.positions[joint] = position + braking * (velocity + 0.5 * deceleration * braking);
        next.velocities[joint] = if moves_on { velocity + deceleration * period } else { 0.0 };
        next.accelerations[joint] = if moves_on { deceleration } else { 0.0 };
    }
}
