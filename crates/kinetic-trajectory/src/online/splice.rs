//! Leaving a running trajectory: for another one, or for a stop.

use kinetic_core::error::check_len;
use kinetic_core::{KineticError, Result, TimedTrajectory};

use super::tracker::sample_state;
use super::violations::violations;
use crate::check::TrajectoryViolation;
use crate::compose::{joined, piece_between};
use crate::polyline::distance_to_segment;
use crate::state::{MotionLimits, MotionOptions, MotionState, StateToState, state_to_state};

/// The law of trajectories that were joined while they ran.
pub const SPLICED: &str = "spliced";

/// A stop of a running trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct Stop {
    /// From the moment of the stop to rest.
    pub trajectory: TimedTrajectory,
    /// Largest distance of the stop from the path that the running trajectory has still to go, Euclidean in joint space,
    /// at 500 moments; on the path a bound, which rounding makes. A stop beside the path was not checked for collisions.
    pub deviation: f64,
    /// True when the stop stays on the path.
    pub on_path: bool,
    /// The worst excess over each limit of velocity, acceleration and jerk that the stop cannot hold, joint by joint, with
    /// its time on the stop: where the running trajectory is outside the limits or bound to leave them, no stop holds all.
    /// Empty on the path.
    pub violations: Vec<TrajectoryViolation>,
}

/// Moments at which the deviation of a stop is looked at, and points of the path that it is compared with.
const MOMENTS: usize = 500;

/// The fastest stop of `running` from its state at `t`, each joint for itself within `limits`.
///
/// For an emergency in which staying on the path would take longer; [`stop_on_path`](super::stop_on_path) stays on it.
/// What is outside the limits, or bound to leave them whatever is done, returns to them as fast as acceleration and jerk
/// allow; [`Stop::violations`] says which joint exceeds what, and by how much.
///
/// # Errors
/// [`KineticError::DimensionMismatch`] for limits of another number of joints, [`KineticError::InvalidValue`] for a time
/// that is not inside the trajectory.
pub fn stop(running: &TimedTrajectory, t: f64, limits: &MotionLimits) -> Result<Stop> {
    let start = state_at(running, t, limits)?;
    let mut planner = StateToState::new(limits.clone());
    let duration = planner.plan_stop(&start)?;
    let times = if duration > 0.0 { vec![0.0, duration] } else { vec![0.0] };
    let trajectory = TimedTrajectory::new(planner.curve()?, times, 0.0, SPLICED)?;
    let deviation = distance_from_path(&trajectory, running, t);
    let violations = violations(trajectory.curve(), limits);
    Ok(Stop { trajectory, deviation, on_path: false, violations })
}

/// Largest distance of a stop from the chords of the path that `running` goes from `t` on while it could last.
fn distance_from_path(stop: &TimedTrajectory, running: &TimedTrajectory, t: f64) -> f64 {
    let samples = |curve: &TimedTrajectory, from: f64, to: f64| -> Vec<Vec<f64>> {
        let at = |moment: usize| from + (to - from) * moment as f64 / MOMENTS as f64;
        (0..=MOMENTS).map(|moment| curve.curve().sample(at(moment), 0)).collect()
    };
    let path = samples(running, t, running.duration().min(t + stop.duration()));
    let to_chord = |q: &[f64], chord: &[Vec<f64>]| distance_to_segment(q, &chord[0], &chord[1]);
    let nearest = |q: &Vec<f64>| path.windows(2).map(|chord| to_chord(q, chord)).fold(f64::INFINITY, f64::min);
    samples(stop, 0.0, stop.duration()).iter().map(nearest).fold(0.0, f64::max)
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
    let transition = state_to_state(&start, &target, limits, &MotionOptions::default())?;
    joined(&[piece_between(running, now, leaving)?, transition, next.clone()], SPLICED)
}

pub(super) fn state_at(running: &TimedTrajectory, t: f64, limits: &MotionLimits) -> Result<MotionState> {
    check_len("limits", limits.dof(), running.dof())?;
    if !(t >= 0.0 && t <= running.duration()) {
        let wanted = format!("a time in [0, {}]", running.duration());
        return Err(KineticError::invalid("time on the running trajectory", t, wanted));
    }
    let mut state = MotionState::at_rest(&vec![0.0; running.dof()]);
    sample_state(running, t, &mut state);
    Ok(state)
}
