//! States of the joints.

use kinetic_trajectory::MotionState;

/// A joint counts as outside its range from here on, rad or m.
pub(super) const RANGE_TOLERANCE: f64 = 1e-9;

/// A velocity or an acceleration below it is none, rad/s, m/s, rad/s² or m/s².
const REST_TOLERANCE: f64 = 1e-9;

/// Copies without allocation.
pub(super) fn copy_state(from: &MotionState, to: &mut MotionState) {
    to.positions.copy_from_slice(&from.positions);
    to.velocities.copy_from_slice(&from.velocities);
    to.accelerations.copy_from_slice(&from.accelerations);
}

/// Whether no joint moves, but for the rounding at the end of a stop.
pub(super) fn is_at_rest(state: &MotionState) -> bool {
    state.velocities.iter().chain(&state.accelerations).all(|value| value.abs() < REST_TOLERANCE)
}
