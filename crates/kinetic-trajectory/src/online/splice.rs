//! Leaving a running trajectory: for another one, or for a stop.

use kinetic_core::error::check_len;
use kinetic_core::{KineticError, Result, TimedTrajectory};

use super::tracker::sample_state;
use crate::compose::{joined, piece_between};
use crate::state::{MotionLimits, MotionOptions, MotionState, StateToState, state_to_state};

/// The law of trajectories that were joined while they ran.
pub const SPLICED: &str = "spliced";

/// A stop of a running trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct Stop {
    /// From the moment of the stop to rest.
    pub trajectory: TimedTrajectory,
    /// Largest distance of the stop from where the running trajectory is at the same moment or, when that is over, ends;
    /// Euclidean in joint space, at 1000 moments. The stop is not on the path: it was not checked for collisions.
    pub deviation: f64,
}

/// Moments at which the deviation of a stop is looked at.
const MOMENTS: usize = 1000;

/// The fastest stop of `running` from its state at `t`, each joint for itself within `limits`.
///
/// For an emergency in which staying on the path would take longer.
///
/// # Errors
/// [`KineticError::DimensionMismatch`] for limits of another number of joints, [`KineticError::InvalidValue`] for a time
/// that is not inside the trajectory.
pub fn stop(running: &TimedTrajectory, t: f64, limits: &MotionLimits) -> Result<Stop> {
    let start = state_at(running, t, limits)?;
    let mut planner = StateToState::new(limits.clone());
    let duration = planner.plan_stop(&start)?;
    let (mut state, mut path) = (start.clone(), start);
    let mut deviation = 0.0_f64;
    for moment in 0..=MOMENTS {
        let after = duration * moment as f64 / MOMENTS as f64;
        planner.sample_into(after, &mut state);
        sample_state(running, t + after, &mut path);
        let square = state.positions.iter().zip(&path.positions).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        deviation = deviation.max(square.sqrt());
    }
    let times = if duration > 0.0 { vec![0.0, duration] } else { vec![0.0] };
    Ok(Stop { trajectory: TimedTrajectory::new(planner.curve()?, times, 0.0, SPLICED)?, deviation })
}

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
    state_at(running, now, limits)?;
    let leaving = (now + latency).min(running.duration());
    let start = state_at(running, leaving, limits)?;
    let mut target = start.clone();
    sample_state(next, 0.0, &mut target);
    let way = state_to_state(&start, &target, limits, &MotionOptions::default())?;
    joined(&[piece_between(running, now, leaving)?, way, next.clone()], SPLICED)
}

fn state_at(running: &TimedTrajectory, t: f64, limits: &MotionLimits) -> Result<MotionState> {
    check_len("limits", limits.dof(), running.dof())?;
    if !(t >= 0.0 && t <= running.duration()) {
        let wanted = format!("a time in [0, {}]", running.duration());
        return Err(KineticError::invalid("time on the running trajectory", t, wanted));
    }
    let mut state = MotionState::at_rest(&vec![0.0; running.dof()]);
    sample_state(running, t, &mut state);
    Ok(state)
}
