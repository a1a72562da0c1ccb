//! Trajectories of several planning groups, carried out at the same time, as one trajectory of all their joints.

use std::collections::HashSet;

use kinetic_core::curve::{Coefficients, evaluate};
use kinetic_core::error::check_len;
use kinetic_core::{KineticError, PiecewisePolynomial, Result, TimedTrajectory, TrajectoryIdentity};

use crate::compose::{JOIN_TOLERANCE, SHORTEST_PIECE_RATIO, shifted};

/// Trajectories that begin at the same time as one trajectory of all their joints, part after part; what ends earlier holds its
/// end. The parts' knots are knots of the whole, which has no certificate: each part was proven while the joints of the others
/// stood where its scene had them.
///
/// `joint_names` are names of all joints in place of those that the parts have, as two robots of one model need them.
///
/// # Errors
/// [`KineticError::InvalidValue`] without parts, for joints whose names are not known, for a joint that two parts move, and for
/// one that ends under way before the others end; [`KineticError::DimensionMismatch`] for another number of names than joints.
pub fn stack(parts: &[TimedTrajectory], joint_names: Option<&[String]>) -> Result<TimedTrajectory> {
    if parts.is_empty() {
        return Err(KineticError::invalid("trajectories to stack", "none", "at least one"));
    }
    let identity = identity(parts, joint_names)?;
    let duration = parts.iter().map(TimedTrajectory::duration).fold(0.0, f64::max);
    parts.iter().enumerate().try_for_each(|(number, part)| check_end(number, part, duration))?;
    let times = union(parts.iter().map(TimedTrajectory::waypoint_times), duration);
    let deviation = parts.iter().map(|part| part.path_deviation.powi(2)).sum::<f64>().sqrt();
    TimedTrajectory::new(stacked_curve(parts, duration)?, times, deviation, law(parts))?.with_identity(identity)
}

fn identity(parts: &[TimedTrajectory], names: Option<&[String]>) -> Result<TrajectoryIdentity> {
    let dof = parts.iter().map(TimedTrajectory::dof).sum();
    let joint_names = if let Some(names) = names {
        check_len("joint_names", names.len(), dof)?;
        names.to_vec()
    } else {
        if let Some(number) = parts.iter().position(|part| part.joint_names().is_empty()) {
            let name = format!("joint names of trajectory {number}");
            return Err(KineticError::invalid(name, "none", "names, which say which joints it moves"));
        }
        parts.iter().flat_map(|part| part.joint_names().to_vec()).collect()
    };
    let mut seen = HashSet::new();
    if let Some(twice) = joint_names.iter().find(|name| !seen.insert(name.as_str())) {
        let wanted = "trajectories of different joints, or other joint_names";
        return Err(KineticError::invalid("joint of two trajectories", twice.as_str(), wanted));
    }
    let one_of_all = |name: fn(&TimedTrajectory) -> Option<&str>| {
        let first = name(&parts[0]);
        let same = parts.iter().all(|part| name(part) == first);
        first.filter(|_| same).map(str::to_owned)
    };
    let group = one_of_all(TimedTrajectory::group).filter(|_| parts.len() == 1);
    Ok(TrajectoryIdentity { joint_names, group, robot_name: one_of_all(TimedTrajectory::robot_name) })
}

/// Refuses a part that would be held at an end at which it moves.
fn check_end(number: usize, part: &TimedTrajectory, duration: f64) -> Result<()> {
    let velocities = part.curve().sample(part.duration(), 1);
    match velocities.iter().position(|velocity| !(velocity.abs() <= JOIN_TOLERANCE)) {
        Some(joint) if part.duration() < duration => {
            let name = format!("velocity of joint {joint} at the end of trajectory {number}");
            Err(KineticError::invalid(name, velocities[joint], "rest, as others go on"))
        }
        _ => Ok(()),
    }
}

fn law(parts: &[TimedTrajectory]) -> String {
    let mut laws: Vec<&str> = parts.iter().map(|part| part.law.as_str()).collect();
    laws.dedup();
    laws.join("+")
}

/// All times in ascending order, `end` the last; of those that rounding alone has made different, one.
fn union<'a>(times: impl Iterator<Item = &'a [f64]>, end: f64) -> Vec<f64> {
    let mut all: Vec<f64> = times.flatten().copied().collect();
    all.sort_by(f64::total_cmp);
    let shortest = SHORTEST_PIECE_RATIO * end;
    let mut kept: Vec<f64> = vec![0.0];
    kept.extend(all.into_iter().filter(|time| *time > shortest && *time < end - shortest));
    kept.dedup_by(|later, earlier| *later - *earlier <= shortest);
    if end > 0.0 {
        kept.push(end);
    }
    kept
}

fn stacked_curve(parts: &[TimedTrajectory], duration: f64) -> Result<PiecewisePolynomial> {
    let knots = union(parts.iter().map(|part| part.curve().knots()), duration);
    let dof = parts.iter().map(TimedTrajectory::dof).sum();
    let mut coefficients = Vec::with_capacity((knots.len() - 1).max(1) * dof);
    let last = knots.len().max(2) - 1;
    for piece in 0..last {
        let (begin, end) = (knots[piece], knots[(piece + 1).min(knots.len() - 1)]);
        for part in parts {
            write_piece(part.curve(), begin, end, &mut coefficients);
        }
    }
    PiecewisePolynomial::new(dof, knots, coefficients)
}

/// Coefficients of all joints between two times, between which the curve has no knot or has ended.
fn write_piece(curve: &PiecewisePolynomial, begin: f64, end: f64, coefficients: &mut Vec<Coefficients>) {
    let middle = 0.5 * (begin + end);
    let (piece, _) = curve.locate(middle);
    let begun = curve.knots()[piece];
    let row = |joint: usize| {
        let own = curve.coefficients(piece, joint);
        if middle > curve.duration() {
            [evaluate(own, 0, curve.duration() - begun), 0.0, 0.0, 0.0, 0.0, 0.0]
        } else {
            shifted(own, begin - begun)
        }
    };
    coefficients.extend((0..curve.dof()).map(row));
}
