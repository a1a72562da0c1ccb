//! Trajectories joined and reversed, exactly on their polynomials.

use kinetic_core::curve::{Coefficients, MAX_DEGREE, evaluate};
use kinetic_core::error::check_len;
use kinetic_core::{KineticError, PiecewisePolynomial, Result, TimedTrajectory, TrajectoryIdentity};

/// Largest step of position or velocity at a join.
pub const JOIN_TOLERANCE: f64 = 1e-9;

/// Pieces shorter than this part of the time are cut off with what is cut beside them.
pub(crate) const SHORTEST_PIECE_RATIO: f64 = 1e-13;

/// `a`, then `b`: both as they are. The result has no certificate.
///
/// # Errors
/// [`KineticError::DimensionMismatch`] for different numbers of joints, [`KineticError::InvalidValue`] naming the
/// joint when `b` does not begin where, and as fast as, `a` ends, or when they are of other joints, groups or robots.
pub fn concatenate(a: &TimedTrajectory, b: &TimedTrajectory) -> Result<TimedTrajectory> {
    check_len("appended trajectory", b.dof(), a.dof())?;
    let identity = TrajectoryIdentity::join(a.identity(), b.identity())?;
    for (order, name) in ["position", "velocity"].into_iter().enumerate() {
        let (end, begin) = (a.curve().sample(a.duration(), order), b.curve().sample(0.0, order));
        for joint in 0..a.dof() {
            if !((end[joint] - begin[joint]).abs() <= JOIN_TOLERANCE) {
                let name = format!("{name} of joint {joint} where the appended trajectory begins");
                return Err(KineticError::invalid(name, begin[joint], format!("{} as before", end[joint])));
            }
        }
    }
    let law = if a.law == b.law { a.law.clone() } else { format!("{}+{}", a.law, b.law) };
    let times = joined_times(a, b);
    let deviation = a.path_deviation.max(b.path_deviation);
    let joined = TimedTrajectory::new(joined_curve(a.curve(), b.curve())?, times, deviation, law)?;
    Ok(joined.with_shared_identity(identity))
}

/// A trajectory with another curve of as many joints; path deviation, law and names of what moves are the same.
fn with_curve(trajectory: &TimedTrajectory, curve: PiecewisePolynomial, times: Vec<f64>) -> Result<TimedTrajectory> {
    let made = TimedTrajectory::new(curve, times, trajectory.path_deviation, trajectory.law.clone())?;
    Ok(made.with_shared_identity(trajectory.identity().cloned()))
}

fn joined_curve(a: &PiecewisePolynomial, b: &PiecewisePolynomial) -> Result<PiecewisePolynomial> {
    if a.pieces() == 0 {
        return Ok(b.clone());
    }
    if b.pieces() == 0 {
        return Ok(a.clone());
    }
    let (mut knots, mut coefficients) = (a.knots().to_vec(), a.all_coefficients().to_vec());
    for piece in 0..b.pieces() {
        let end = a.duration() + b.knots()[piece + 1];
        // A piece that the clock does not resolve this late moves nothing.
        if end > knots[knots.len() - 1] {
            knots.push(end);
            coefficients.extend((0..b.dof()).map(|joint| *b.coefficients(piece, joint)));
        }
    }
    PiecewisePolynomial::new(a.dof(), knots, coefficients)
}

/// Waypoint times of both; the join is one waypoint.
fn joined_times(a: &TimedTrajectory, b: &TimedTrajectory) -> Vec<f64> {
    let mut times = a.waypoint_times().to_vec();
    let shifted = b.waypoint_times().iter().map(|time| a.duration() + time);
    let last = times.last().copied();
    times.extend(shifted.skip_while(|time| Some(*time) == last));
    times
}

/// The same motion backwards: position at `t` is that of `trajectory` at `duration − t`. No certificate.
///
/// # Errors
/// [`KineticError::InvalidValue`] when pieces are so short that their reversed knots coincide.
pub fn reverse(trajectory: &TimedTrajectory) -> Result<TimedTrajectory> {
    let (curve, duration) = (trajectory.curve(), trajectory.duration());
    let knots = curve.knots().iter().rev().map(|knot| duration - knot).collect();
    let mut coefficients = Vec::with_capacity(curve.all_coefficients().len());
    for piece in (0..curve.pieces().max(1)).rev() {
        let h = curve.piece_duration(piece);
        coefficients.extend((0..curve.dof()).map(|joint| reversed(curve.coefficients(piece, joint), h)));
    }
    let curve = PiecewisePolynomial::new(curve.dof(), knots, coefficients)?;
    let times = trajectory.waypoint_times().iter().rev().map(|time| duration - time).collect();
    with_curve(trajectory, curve, times)
}

/// The same motion evenly slower, so that it takes `duration` seconds. No certificate.
///
/// Velocities are multiplied by the ratio of the durations, accelerations by its square: limits that held, hold. A
/// trajectory of duration 0 becomes one that stays.
///
/// # Errors
/// [`KineticError::InvalidValue`] for a duration that is not finite, or shorter than that of `trajectory`.
pub fn stretched(trajectory: &TimedTrajectory, duration: f64) -> Result<TimedTrajectory> {
    let (curve, fastest) = (trajectory.curve(), trajectory.duration());
    if !(duration >= fastest && duration.is_finite()) {
        let wanted = format!("a finite time of at least {fastest} s, which is as fast as the limits allow");
        return Err(KineticError::invalid("duration", duration, wanted));
    }
    if duration == fastest {
        let times = trajectory.waypoint_times().to_vec();
        return with_curve(trajectory, curve.clone(), times);
    }
    if curve.pieces() == 0 {
        let still = PiecewisePolynomial::new(curve.dof(), vec![0.0, duration], curve.all_coefficients().to_vec())?;
        return with_curve(trajectory, still, vec![0.0, duration]);
    }
    let slower = fastest / duration;
    let slow = |time: &f64| if *time == fastest { duration } else { time / slower };
    let row = |row: &Coefficients| {
        let mut factor = 1.0;
        row.map(|value| {
            let scaled = value * factor;
            factor *= slower;
            scaled
        })
    };
    let coefficients = curve.all_coefficients().iter().map(row).collect();
    let slower_curve = PiecewisePolynomial::new(curve.dof(), curve.knots().iter().map(slow).collect(), coefficients)?;
    let times = trajectory.waypoint_times().iter().map(slow).collect();
    with_curve(trajectory, slower_curve, times)
}

/// Coefficients of p(h − s): Taylor coefficients at h with alternating sign.
fn reversed(coefficients: &Coefficients, h: f64) -> Coefficients {
    let (mut factorial, mut sign) = (1.0, 1.0);
    let mut result = [0.0; MAX_DEGREE + 1];
    for (order, value) in result.iter_mut().enumerate() {
        *value = sign * evaluate(coefficients, order, h) / factorial;
        factorial *= (order + 1) as f64;
        sign = -sign;
    }
    result
}

/// What is left of a trajectory from `from` seconds on, without its certificate.
///
/// # Errors
/// [`KineticError::InvalidValue`] for a time outside the trajectory.
pub fn remaining(trajectory: &TimedTrajectory, from: f64) -> Result<TimedTrajectory> {
    if !(from >= 0.0 && from <= trajectory.duration()) {
        let wanted = format!("a time in [0, {}]", trajectory.duration());
        return Err(KineticError::invalid("time on the trajectory", from, wanted));
    }
    piece_between(trajectory, from, trajectory.duration())
}

/// The part of a trajectory between two times, `from` at most `to`, both inside it.
pub(crate) fn piece_between(trajectory: &TimedTrajectory, from: f64, to: f64) -> Result<TimedTrajectory> {
    let curve = trajectory.curve();
    let (mut knots, mut coefficients) = (Vec::new(), Vec::new());
    write_between(curve, from, to, &mut knots, &mut coefficients);
    let curve = PiecewisePolynomial::new(curve.dof(), knots, coefficients)?;
    let inside = trajectory.waypoint_times().iter().filter(|time| **time > from && **time < to).map(|time| time - from);
    let end = (to > from).then_some(to - from);
    let times = [0.0].into_iter().chain(inside).chain(end).collect();
    with_curve(trajectory, curve, times)
}

/// Knots and coefficients of the part of a curve between two times, in place of what the vectors hold.
pub(crate) fn write_between(
    curve: &PiecewisePolynomial,
    from: f64,
    to: f64,
    knots: &mut Vec<f64>,
    coefficients: &mut Vec<Coefficients>,
) {
    knots.clear();
    coefficients.clear();
    knots.push(0.0);
    if !(to > from) {
        let (piece, offset) = curve.locate(from);
        let position = |joint: usize| evaluate(curve.coefficients(piece, joint), 0, offset);
        coefficients.extend((0..curve.dof()).map(|joint| [position(joint), 0.0, 0.0, 0.0, 0.0, 0.0]));
        return;
    }
    for piece in 0..curve.pieces() {
        let (begin, end) = (curve.knots()[piece].max(from), curve.knots()[piece + 1].min(to));
        let last = piece + 1 == curve.pieces() || curve.knots()[piece + 1] >= to;
        if end - begin > SHORTEST_PIECE_RATIO * to || (last && end > begin && end - from > knots[knots.len() - 1]) {
            knots.push(end - from);
            let skipped = begin - curve.knots()[piece];
            coefficients.extend((0..curve.dof()).map(|joint| shifted(curve.coefficients(piece, joint), skipped)));
        }
    }
}

/// Coefficients of p(`begin` + s): Taylor coefficients at `begin`.
pub(crate) fn shifted(coefficients: &Coefficients, begin: f64) -> Coefficients {
    let mut factorial = 1.0;
    let mut result = [0.0; MAX_DEGREE + 1];
    for (order, value) in result.iter_mut().enumerate() {
        *value = evaluate(coefficients, order, begin) / factorial;
        factorial *= (order + 1) as f64;
    }
    result
}

/// Trajectories one after another, each beginning in the state in which the one before ends.
pub(crate) fn joined(parts: &[TimedTrajectory], law: &str) -> Result<TimedTrajectory> {
    let Some(first) = parts.iter().find(|part| part.duration() > 0.0).or(parts.first()) else {
        return Err(KineticError::invalid("trajectories to join", "none", "at least one"));
    };
    let mut curve: Option<PiecewisePolynomial> = None;
    let (mut times, mut deviation) = (vec![0.0], 0.0_f64);
    let mut identity = None;
    for part in parts {
        identity = TrajectoryIdentity::join(identity.as_ref(), part.identity())?;
    }
    for part in parts.iter().filter(|part| part.duration() > 0.0) {
        let begin = curve.as_ref().map_or(0.0, PiecewisePolynomial::duration);
        times.extend(part.waypoint_times().iter().map(|time| begin + time).filter(|time| *time > begin));
        deviation = deviation.max(part.path_deviation);
        curve = Some(match &curve {
            Some(curve) => joined_curve(curve, part.curve())?,
            None => part.curve().clone(),
        });
    }
    let joined = TimedTrajectory::new(curve.unwrap_or_else(|| first.curve().clone()), times, deviation, law)?;
    Ok(joined.with_shared_identity(identity))
}
