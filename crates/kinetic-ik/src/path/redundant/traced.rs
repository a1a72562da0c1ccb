//! The self-motion of a pose of seven joints, walked along in equal steps.
//!
//! A curve in joint space, followed by predictor (its tangent) and corrector (Newton's method of least norm). Samples
//! stand evenly along the curve, also where a locked joint would turn back, and cost as little for arms without a class of
//! their own as for others.

use kinetic_kinematics::{KinematicChain, Rigid};

use super::Row;
use super::follower::Follower;
use super::knots::Sample;
use crate::path::turns::step;

/// Length of a step along the curve, rad or m.
pub(super) const STEP: f64 = 0.25;
/// Least, where the curve is bent.
const LEAST: f64 = 0.01;
/// Part of a step by which the curve may leave its tangent.
const BENT: f64 = 0.4;
/// Length after which a curve may have closed.
const FAR: f64 = 3.0 * STEP;
/// Steps in each direction, at most: several times the length of a self-motion.
const MOST: usize = 120;
/// Part of a step up to which a configuration lies between two neighbouring samples.
const BETWEEN: f64 = 0.7;

/// Adds samples on both sides of a configuration of the pose, until the curve closes or leaves the limits.
pub(super) fn walk_along(from: &Sample, target: &Rigid, follower: &mut Follower<'_>, samples: &mut Vec<Sample>) {
    samples.push(from.clone());
    for sign in [1.0, -1.0] {
        if walk(from, sign, target, follower, samples) {
            return;
        }
    }
}

/// One direction; true when the curve has closed.
fn walk(from: &Sample, sign: f64, target: &Rigid, follower: &mut Follower<'_>, samples: &mut Vec<Sample>) -> bool {
    let chain = follower.chain();
    let (mut row, mut heading, mut length, mut gone) = (from.row, None, STEP, 0.0);
    for _ in 0..MOST {
        let direction = follower.directions::<1>(&row).map(|[value]| value);
        let along = heading.map_or(sign, |heading| dot(&heading, &direction).signum());
        let tangent = direction.map(|value| value * along);
        let Some((mut next, used)) = advance(&row, &tangent, length, target, follower) else { return false };
        let Some(sample) = Sample::of(chain, next) else {
            // The limit itself is a place that paths run along.
            samples.extend(follower.project(target, &mut next).then(|| Sample::of(chain, next)).flatten());
            return false;
        };
        gone += used;
        if gone > FAR && is_near(&from.row, &next, chain) {
            return true;
        }
        samples.push(sample);
        (row, heading, length) = (next, Some(tangent), (2.0 * used).min(STEP));
    }
    false
}

/// A step along the tangent, as long as the curve allows, and its length.
fn advance(
    row: &Row,
    tangent: &Row,
    mut length: f64,
    target: &Rigid,
    follower: &mut Follower<'_>,
) -> Option<(Row, f64)> {
    while length >= LEAST {
        let predicted: Row = std::array::from_fn(|joint| row[joint] + length * tangent[joint]);
        let mut next = predicted;
        let is_there = follower.approach(target, &mut next);
        let aside: Row = std::array::from_fn(|joint| next[joint] - predicted[joint]);
        if is_there && dot(&aside, &aside).sqrt() <= BENT * length {
            return Some((next, length));
        }
        length *= 0.5;
    }
    None
}

/// Whether a configuration lies between the samples already.
pub(super) fn is_known(row: &Row, samples: &[Sample], chain: &KinematicChain) -> bool {
    samples.iter().any(|known| is_near(&known.row, row, chain))
}

fn is_near(a: &Row, b: &Row, chain: &KinematicChain) -> bool {
    let mut squares = 0.0;
    for joint in 0..chain.dof() {
        squares += step(a[joint], b[joint], chain.is_rotation(joint)).powi(2);
        if squares > (BETWEEN * STEP) * (BETWEEN * STEP) {
            return false;
        }
    }
    true
}

fn dot(a: &Row, b: &Row) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
