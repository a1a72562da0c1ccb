//! Self-motion curves of arms with seven joints, by predictor–corrector continuation (Allgower & Georg 1990).
//!
//! The predictor is the tangent of the curve in joint space, the corrector Newton's method of least norm. Samples are evenly
//! spaced along the curve, also where a locked joint would turn back, and cost the same for all classes of arms.

use kinetic_kinematics::{KinematicChain, Rigid};

use super::PaddedJoints;
use super::knots::KnotSample;
use super::projector::PoseProjector;
use crate::path::turns::step;

/// Least part of a step, where the curve is bent.
const LEAST_STEP_RATIO: f64 = 0.04;
/// Part of a step by which the curve may leave its tangent.
const TANGENT_DEVIATION_RATIO: f64 = 0.4;
/// Steps after which a curve may have closed.
const CLOSING_STEPS: f64 = 3.0;
/// Length in each direction, at most, rad or m: several times that of a self-motion.
const MOST_LENGTH_RAD_M: f64 = 30.0;
/// Part of a step up to which a configuration lies between two neighbouring samples.
const NEIGHBOUR_STEP_RATIO: f64 = 0.7;

/// Adds samples on both sides of a configuration of the pose, `step` (rad or m) apart, until the curve closes or leaves the limits.
pub(super) fn sample_curve(
    from: &KnotSample,
    step: f64,
    target: &Rigid,
    projector: &mut PoseProjector<'_>,
    samples: &mut Vec<KnotSample>,
) {
    samples.push(from.clone());
    for sign in [1.0, -1.0] {
        if continue_curve(from, sign * step, target, projector, samples) {
            return;
        }
    }
}

/// The direction of the sign of a step; true when the curve has closed.
fn continue_curve(
    from: &KnotSample,
    step: f64,
    target: &Rigid,
    projector: &mut PoseProjector<'_>,
    samples: &mut Vec<KnotSample>,
) -> bool {
    let chain = projector.chain();
    let (mut row, mut heading, mut gone) = (from.row, None, 0.0);
    let (sign, most) = (step.signum(), step.abs());
    let mut length = most;
    while gone < MOST_LENGTH_RAD_M {
        let direction = projector.directions::<1>(&row).map(|[value]| value);
        let along = heading.map_or(sign, |heading| dot(&heading, &direction).signum());
        let tangent = direction.map(|value| value * along);
        let Some((mut next, used)) = advance(&row, &tangent, (length, LEAST_STEP_RATIO * most), target, projector)
        else {
            return false;
        };
        let Some(sample) = KnotSample::of(chain, next) else {
            // The limit itself is a place that paths run along.
            samples.extend(projector.project(target, &mut next).then(|| KnotSample::of(chain, next)).flatten());
            return false;
        };
        gone += used;
        if gone > CLOSING_STEPS * most && is_near(&from.row, &next, most, chain) {
            return true;
        }
        samples.push(sample);
        (row, heading, length) = (next, Some(tangent), (2.0 * used).min(most));
    }
    false
}

/// A step along the tangent, as long as the curve allows, between a length and the least one; and its length.
fn advance(
    row: &PaddedJoints,
    tangent: &PaddedJoints,
    (mut length, least): (f64, f64),
    target: &Rigid,
    projector: &mut PoseProjector<'_>,
) -> Option<(PaddedJoints, f64)> {
    while length >= least {
        let predicted: PaddedJoints = std::array::from_fn(|joint| row[joint] + length * tangent[joint]);
        let mut next = predicted;
        let is_there = projector.approach(target, &mut next);
        let aside: PaddedJoints = std::array::from_fn(|joint| next[joint] - predicted[joint]);
        if is_there && dot(&aside, &aside).sqrt() <= TANGENT_DEVIATION_RATIO * length {
            return Some((next, length));
        }
        length *= 0.5;
    }
    None
}

/// Whether a configuration lies between the samples already, which are so far apart.
pub(super) fn is_known(row: &PaddedJoints, samples: &[KnotSample], apart: f64, chain: &KinematicChain) -> bool {
    samples.iter().any(|known| is_near(&known.row, row, apart, chain))
}

fn is_near(a: &PaddedJoints, b: &PaddedJoints, apart: f64, chain: &KinematicChain) -> bool {
    let mut squares = 0.0;
    for joint in 0..chain.dof() {
        squares += step(a[joint], b[joint], chain.is_rotation(joint)).powi(2);
        if squares > (NEIGHBOUR_STEP_RATIO * apart) * (NEIGHBOUR_STEP_RATIO * apart) {
            return false;
        }
    }
    true
}

fn dot(a: &PaddedJoints, b: &PaddedJoints) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
