//! Leaving a running trajectory for another one.

use kinetic_core::error::check_len;
use kinetic_core::{KineticError, Result, TimedTrajectory};

use super::tracker::sample_state;
use crate::compose::{joined, piece_between};
use crate::state::{MotionLimits, MotionOptions, MotionState, state_to_state};

/// The law of trajectories that were joined while they ran.
pub const SPLICED: &str = "spliced";

/// What runs from `now` on when `next` is to take over: the running trajectory for `latency` seconds, the fastest motion
/// within `limits` to the state in which `next` begins, and `next`.
///
/// Position, velocity and acceleration are continuous; the way between the two is not on either path and was not
/// checked for collisions. When `next` begins in the running trajectory's state at that moment there is no such way.
///
/// # Errors
/// [`KineticError::DimensionMismatch`] for different numbers of joints, [`KineticError::InvalidValue`] for a time outside
/// the running trajectory, a latency that is negative or not finite, or a beginning of `next` outside the limits.
pub fn splice(
    running: &TimedTrajectory,
    now: f64,
    latency: f64,
    next: &TimedTrajectory,
    limits: &MotionLimits,
) -> Result<TimedTrajectory> {
    check_len("next trajectory", next.dof(), running.dof())?;
    if !(latency >= 0.0 && latency.is_finite()) {
        return Err(KineticError::invalid("latency", latency, "a finite time of at least 0"));
    }
    check_len("limits", limits.dof(), running.dof())?;
    check_time(running, now)?;
    let leaving = (now + latency).min(running.duration());
    let mut start = MotionState::at_rest(&vec![0.0; running.dof()]);
    sample_state(running, leaving, &mut start);
    let mut target = start.clone();
    sample_state(next, 0.0, &mut target);
    let transition = state_to_state(&start, &target, limits, &MotionOptions::default())?;
    joined(&[piece_between(running, now, leaving)?, transition, next.clone()], SPLICED)
}

/// Refuses a time that is not inside the running trajectory.
pub(super) fn check_time(running: &TimedTrajectory, t: f64) -> Result<()> {
    if t >= 0.0 && t <= running.duration() {
        return Ok(());
    }
    let wanted = format!("a time in [0, {}]", running.duration());
    Err(KineticError::invalid("time on the running trajectory", t, wanted))
}
