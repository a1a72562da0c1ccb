//! Blends of trajectories: joined without a stop.
//!
//! The end of one and the beginning of the next are cut off and replaced by the fastest motion between the states at
//! both cuts, within limits of velocity, acceleration and jerk: position, velocity and acceleration are continuous.

use kinetic_core::error::check_len;
use kinetic_core::{KineticError, Limits, Result, TimedTrajectory};

use crate::compose::{JOIN_TOLERANCE, joined, piece_between};
use crate::jerk::DEFAULT_JERK_PER_ACCELERATION;
use crate::online::sample_state;
use crate::state::{MotionLimits, MotionOptions, MotionState, state_to_state};

/// The law of blended trajectories.
pub const BLENDED: &str = "blended";

/// `a`, then `b`, without the stop between them: the last half of `duration` of `a` and the first half of `b` give way to a
/// motion that holds `limits`. Start and end are kept. The result has no certificate: where it cuts the corner it was not
/// checked for collisions. Its deviation covers the corner.
///
/// # Errors
/// [`KineticError::DimensionMismatch`] for different numbers of joints, [`KineticError::InvalidValue`] naming the joint when
/// `b` does not begin where `a` ends, for a duration that is not positive or longer than twice the shorter of both, or for
/// limits that do not hold where the trajectories are cut.
pub fn blend(
    a: &TimedTrajectory,
    b: &TimedTrajectory,
    duration: f64,
    limits: &MotionLimits,
) -> Result<TimedTrajectory> {
    blend_sequence(&[a.clone(), b.clone()], duration, limits)
}

/// As [`blend`], for any number of trajectories, each beginning where the one before ends.
///
/// # Errors
/// As [`blend`], and [`KineticError::InvalidValue`] for an empty list.
pub fn blend_sequence(parts: &[TimedTrajectory], duration: f64, limits: &MotionLimits) -> Result<TimedTrajectory> {
    let Some(first) = parts.first() else {
        return Err(KineticError::invalid("trajectories to blend", "none", "at least one"));
    };
    check_len("limits", limits.dof(), first.dof())?;
    let half = 0.5 * duration;
    for (index, part) in parts.iter().enumerate() {
        let cuts = usize::from(index > 0) + usize::from(index + 1 < parts.len());
        if !(half > 0.0 && cuts as f64 * half <= part.duration()) {
            let wanted = format!("positive, and halves that fit into trajectory {index} of {} s", part.duration());
            return Err(KineticError::invalid("blend duration", duration, wanted));
        }
    }
    let mut pieces = Vec::with_capacity(2 * parts.len());
    for (index, part) in parts.iter().enumerate() {
        let begin = if index > 0 { half } else { 0.0 };
        let end = if index + 1 < parts.len() { part.duration() - half } else { part.duration() };
        if index > 0 {
            let before = &parts[index - 1];
            pieces.push(corner(before, part, [before.duration() - half, half], limits)?);
        }
        pieces.push(piece_between(part, begin, end)?);
    }
    joined(&pieces, BLENDED)
}

/// Where a blend leaves the first of two trajectories, s on it, and where it enters the second; and the limits that it holds.
#[derive(Debug, Clone)]
pub struct BlendCut {
    /// When the first trajectory is left, s.
    pub leave: f64,
    /// When the second one is entered, s.
    pub enter: f64,
    /// Limits of the motion between the two.
    pub limits: MotionLimits,
}

/// The fastest motion from where `cut` leaves `a` to where it enters `b`, which begins where `a` ends.
///
/// # Errors
/// As [`blend`], for times outside the trajectories.
pub fn blend_corner(a: &TimedTrajectory, b: &TimedTrajectory, cut: &BlendCut) -> Result<TimedTrajectory> {
    for (name, time, part) in
        [("time at which a blend begins", cut.leave, a), ("time at which a blend ends", cut.enter, b)]
    {
        if !(0.0..=part.duration()).contains(&time) {
            return Err(KineticError::invalid(name, time, format!("a time in [0, {}] s", part.duration())));
        }
    }
    corner(a, b, [cut.leave, cut.enter], &cut.limits)
}

/// Trajectories one after the other: with their `corners` where there are any between two, at rest elsewhere. A corner is that of its
/// cut, as [`blend_corner`] makes it.
///
/// # Errors
/// As [`blend`], and [`KineticError::InvalidValue`] for cuts of a trajectory that overlap; [`KineticError::DimensionMismatch`] for
/// another number of corners than there are places between two.
pub fn join_corners(
    parts: &[TimedTrajectory],
    corners: &[Option<(BlendCut, TimedTrajectory)>],
) -> Result<TimedTrajectory> {
    check_len("corners between trajectories", corners.len(), parts.len().saturating_sub(1))?;
    let mut pieces = Vec::with_capacity(2 * parts.len());
    for (index, part) in parts.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| corners[before].as_ref());
        let after = corners.get(index).and_then(|corner| corner.as_ref());
        let begin = before.map_or(0.0, |(cut, _)| cut.enter);
        let end = after.map_or(part.duration(), |(cut, _)| cut.leave);
        if !(begin <= end) {
            let wanted = format!("at most {end} s, where the next blend begins");
            return Err(KineticError::invalid(format!("end of the blend into trajectory {index}"), begin, wanted));
        }
        pieces.extend(before.map(|(_, corner)| corner.clone()));
        pieces.push(piece_between(part, begin, end)?);
    }
    joined(&pieces, BLENDED)
}

/// The motion from the cut of `a` at the first time to the cut of `b` at the second.
fn corner(a: &TimedTrajectory, b: &TimedTrajectory, cuts: [f64; 2], limits: &MotionLimits) -> Result<TimedTrajectory> {
    check_len("blended trajectory", b.dof(), a.dof())?;
    let (end, begin) = (a.curve().sample(a.duration(), 0), b.curve().sample(0.0, 0));
    for joint in 0..a.dof() {
        if !((end[joint] - begin[joint]).abs() <= JOIN_TOLERANCE) {
            let name = format!("position of joint {joint} where the blended trajectory begins");
            return Err(KineticError::invalid(name, begin[joint], format!("{} as before", end[joint])));
        }
    }
    let mut start = MotionState::at_rest(&end);
    let mut target = start.clone();
    sample_state(a, cuts[0], &mut start);
    sample_state(b, cuts[1], &mut target);
    limits.check_start(&start)?;
    let mut transition = state_to_state(&start, &target, limits, &MotionOptions::default())?;
    transition.path_deviation = farthest(&transition, &end);
    Ok(transition)
}

/// Bound on the distance of a curve from a point: the largest of the Bernstein points of its pieces.
fn farthest(transition: &TimedTrajectory, point: &[f64]) -> f64 {
    let curve = transition.curve();
    let mut farthest = 0.0_f64;
    for piece in 0..curve.pieces() {
        let mut square = 0.0;
        for (joint, centre) in point.iter().enumerate() {
            let row = curve.coefficients(piece, joint);
            let (low, high) = kinetic_core::curve::enclosure(row, 0, 0.0, curve.piece_duration(piece));
            square += (high - centre).abs().max((low - centre).abs()).powi(2);
        }
        farthest = farthest.max(square.sqrt());
    }
    farthest
}

/// The limits that trajectories use: for blends that are as gentle as what they join. Jerk is the largest inside pieces,
/// and at least [`DEFAULT_JERK_PER_ACCELERATION`] times the acceleration.
///
/// # Errors
/// [`KineticError::DimensionMismatch`] for different numbers of joints, [`KineticError::InvalidValue`] for an empty list.
pub fn limits_used(parts: &[TimedTrajectory]) -> Result<MotionLimits> {
    let Some(first) = parts.first() else {
        return Err(KineticError::invalid("trajectories to blend", "none", "at least one"));
    };
    let mut used = [(); 3].map(|()| vec![0.0_f64; first.dof()]);
    for part in parts {
        check_len("blended trajectory", part.dof(), first.dof())?;
        for joint in 0..first.dof() {
            for (order, used) in used.iter_mut().enumerate() {
                used[joint] = used[joint].max(largest(part, joint, order + 1));
            }
        }
    }
    let [velocity, acceleration, jerk] = used;
    // A joint that stands still has no limit to take over; those of the others bound it as well.
    let least = |list: &[f64]| list.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let filled = |list: Vec<f64>| -> Vec<f64> {
        let most = least(&list);
        list.into_iter().map(|value| if value > 0.0 { value } else { most }).collect()
    };
    let (velocity, acceleration) = (filled(velocity), filled(acceleration));
    let jerk = jerk.iter().zip(&acceleration).map(|(jerk, a)| jerk.max(DEFAULT_JERK_PER_ACCELERATION * a)).collect();
    MotionLimits::symmetric(&Limits::new(velocity, acceleration)?.with_jerk(jerk)?)
}

/// Largest absolute value of a derivative of a joint.
fn largest(part: &TimedTrajectory, joint: usize, order: usize) -> f64 {
    let curve = part.curve();
    let bound = |piece: usize| {
        let h = curve.piece_duration(piece);
        let range = kinetic_core::curve::extremes(curve.coefficients(piece, joint), order, 0.0, h, 1e-9);
        range.high.max(-range.low)
    };
    (0..curve.pieces()).map(bound).fold(0.0, f64::max)
}
