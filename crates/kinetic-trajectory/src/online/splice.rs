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
/// Where a velocity would then leave its limits, because the jerk limit does not allow to take back the acceleration of the running
/// trajectory in time, that is left later, at the first moment from which they can be held. From velocities that are outside
/// the limits the motion brakes first.
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
    let mut start = MotionState::at_rest(&vec![0.0; running.dof()]);
    let leaving = leave(running, now + latency, limits, &mut start);
    let mut target = start.clone();
    sample_state(next, 0.0, &mut target);
    let transition = state_to_state(&start, &target, limits, &MotionOptions::default())?;
    joined(&[piece_between(running, now, leaving)?, transition, next.clone()], SPLICED)
}

/// The first moment, from `earliest` on, at which the running trajectory can be left within the limits, and its state there.
fn leave(running: &TimedTrajectory, earliest: f64, limits: &MotionLimits, state: &mut MotionState) -> f64 {
    let curve = running.curve();
    let inside = |piece: usize| {
        let (begin, length) = (curve.knots()[piece], curve.piece_duration(piece));
        (0..STEPS_PER_PIECE).map(move |step| begin + length * step as f64 / STEPS_PER_PIECE as f64)
    };
    let moments = std::iter::once(earliest).chain((0..curve.pieces()).flat_map(inside));
    for moment in moments.filter(|moment| *moment >= earliest && *moment < running.duration()) {
        sample_state(running, moment, state);
        if !limits.is_bound_to_leave(state) {
            return moment;
        }
    }
    sample_state(running, running.duration(), state);
    running.duration()
}

/// Moments per polynomial piece at which a running trajectory may be left.
const STEPS_PER_PIECE: usize = 16;

/// Refuses a time that is not inside the running trajectory.
pub(super) fn check_time(running: &TimedTrajectory, t: f64) -> Result<()> {
    if t >= 0.0 && t <= running.duration() {
        return Ok(());
    }
    let wanted = format!("a time in [0, {}]", running.duration());
    Err(KineticError::invalid("time on the running trajectory", t, wanted))
}
