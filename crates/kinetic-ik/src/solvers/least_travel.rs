//! Least travel from the seed along a self-motion, by Newton's method.
//!
//! Newton's method on the self-motion: each round takes the step that is best for its tangent, with the joints that stand
//! at a limit held there, brings the configuration back to the target, and keeps it when the travel is less.

use super::gram::{Column, Gram, dot};
use super::null_space::SelfMotion;
use super::pose_problem::PoseProblem;
use super::{IKConfig, IKSolution};
use crate::analytic::branches::MOST_JOINTS;
use crate::tolerance::CLOSED_FORM_ERROR_M_RAD;
use crate::tolerance::LIMIT_ROUNDING_RAD_M;

/// Rounds at most.
const MOST_TRAVEL_ITERATIONS: usize = 30;
/// Longest step of a joint at first, rad or m: the self-motion is curved.
const FIRST_TRAVEL_STEP_RAD_M: f64 = 0.4;
/// Shortest step that is worth a round.
const LEAST_TRAVEL_STEP_RAD_M: f64 = 1e-6;
/// Gain of a round, relative to the travel, below which another is not worth it.
const LEAST_TRAVEL_GAIN_RATIO: f64 = 1e-4;
/// Newton steps that bring a configuration back to the target.
const MOST_TRAVEL_CORRECTIONS: usize = 8;
/// A change of joint values, 0 beyond the last joint.
type TravelStep = [f64; MOST_JOINTS];
/// No change.
const NO_STEP: TravelStep = [0.0; MOST_JOINTS];
/// No error of the pose.
const NO_ERROR: Column = [0.0; 6];
/// Damping of the projections, relative to squared lengths of order 1.
const TRAVEL_PROJECTION_DAMPING: f64 = 1e-12;

/// Options with the tolerances that a closed form keeps.
pub(super) fn closed(config: &IKConfig) -> IKConfig {
    IKConfig {
        position_tolerance: CLOSED_FORM_ERROR_M_RAD,
        orientation_tolerance: CLOSED_FORM_ERROR_M_RAD,
        ..config.clone()
    }
}

/// Whether an answer keeps the tolerances of closed forms.
pub(super) fn is_closed(answer: &IKSolution) -> bool {
    answer.position_error <= CLOSED_FORM_ERROR_M_RAD && answer.orientation_error <= CLOSED_FORM_ERROR_M_RAD
}

/// Moves `q`, which reaches the target, along its self-motion to where the travel from `seed` is least nearby.
pub(super) fn shorten(problem: &PoseProblem<'_>, seed: &[f64], q: &mut [f64]) {
    let mut motion = SelfMotion::new(problem);
    let (mut travel, mut longest) = (problem.chain.travel(seed, q), FIRST_TRAVEL_STEP_RAD_M);
    let mut trial = q.to_vec();
    motion.fill(q);
    for _ in 0..MOST_TRAVEL_ITERATIONS {
        let direction = least(problem, &motion.columns, seed, q, &NO_ERROR);
        let slope = direction.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
        if slope < LEAST_TRAVEL_STEP_RAD_M || longest < LEAST_TRAVEL_STEP_RAD_M {
            return;
        }
        let fraction = (longest / slope).min(1.0).min(fraction_to_limit(problem, q, &direction));
        for joint in 0..q.len() {
            let (low, high) = problem.bounds[joint];
            trial[joint] = (q[joint] + fraction * direction[joint]).clamp(low, high);
        }
        let is_corrected = correct(problem, &mut motion, &mut trial);
        let gain = travel - problem.chain.travel(seed, &trial);
        if is_corrected && gain > 0.0 {
            q.copy_from_slice(&trial);
            travel -= gain;
            if gain < LEAST_TRAVEL_GAIN_RATIO * travel {
                return;
            }
            longest = (2.0 * longest).min(1.0);
        } else {
            longest = 0.3 * fraction * slope;
            motion.fill(q);
        }
    }
}

/// The step after which the linear model misses `error` no more and the travel from `seed` is least, joints at their limits
/// held where they would leave them. With the error [`NO_ERROR`] it goes along a straight self-motion; with `q` for the seed it
/// is the least correction.
fn least(problem: &PoseProblem<'_>, columns: &[Column], seed: &[f64], q: &[f64], error: &Column) -> TravelStep {
    let mut free = [true; MOST_JOINTS];
    loop {
        let step = projected(problem.chain.weights(), columns, seed, q, error, free);
        let leaves = |joint: &usize| free[*joint] && stands_at(problem, *joint, q[*joint], step[*joint]);
        match (0..q.len()).find(leaves) {
            Some(joint) => free[joint] = false,
            None => return step,
        }
    }
}

/// `W⁻¹ (A⁺ error − (1 − A⁺ A) W (q − seed))` with `A = J W⁻¹` over the free joints: in weighted joint values the travel is
/// a length.
fn projected(
    weights: &[f64],
    columns: &[Column],
    seed: &[f64],
    q: &[f64],
    error: &Column,
    free: [bool; MOST_JOINTS],
) -> TravelStep {
    let (mut gram, mut moved) = (Gram::new(TRAVEL_PROJECTION_DAMPING), *error);
    for joint in (0..q.len()).filter(|joint| free[*joint]) {
        let column = columns[joint].map(|part| part / weights[joint]);
        gram.add(&column);
        (0..6).for_each(|i| moved[i] += column[i] * weights[joint] * (q[joint] - seed[joint]));
    }
    let (y, mut step) = (gram.solve(&moved), [0.0; MOST_JOINTS]);
    for joint in (0..q.len()).filter(|joint| free[*joint]) {
        step[joint] = dot(&columns[joint], &y) / weights[joint].powi(2) - (q[joint] - seed[joint]);
    }
    step
}

fn stands_at(problem: &PoseProblem<'_>, joint: usize, value: f64, step: f64) -> bool {
    let (low, high) = problem.bounds[joint];
    (step < 0.0 && value <= low + LIMIT_ROUNDING_RAD_M) || (step > 0.0 && value >= high - LIMIT_ROUNDING_RAD_M)
}

/// The fraction of a step after which the first joint stands at its limit.
fn fraction_to_limit(problem: &PoseProblem<'_>, q: &[f64], direction: &[f64]) -> f64 {
    let until = |joint: usize| {
        let ((low, high), step) = (problem.bounds[joint], direction[joint]);
        let left = if step > 0.0 { high - q[joint] } else { low - q[joint] };
        if step == 0.0 { f64::INFINITY } else { left / step }
    };
    (0..q.len()).map(until).fold(f64::INFINITY, f64::min)
}

/// Brings `q` back to the target, inside the limits; false when that fails. Leaves the Jacobian there in `motion`.
fn correct(problem: &PoseProblem<'_>, motion: &mut SelfMotion<'_>, q: &mut [f64]) -> bool {
    for _ in 0..MOST_TRAVEL_CORRECTIONS {
        let tip = motion.fill(q);
        let residual = problem.residual(&tip);
        if problem.is_met(&residual) {
            return true;
        }
        let step = least(problem, &motion.columns, q, q, &residual.error);
        apply(problem, &step, q);
    }
    false
}

/// Takes a step, as far as the limits let each joint.
fn apply(problem: &PoseProblem<'_>, step: &TravelStep, q: &mut [f64]) {
    for (joint, value) in q.iter_mut().enumerate() {
        let (low, high) = problem.bounds[joint];
        *value = (*value + step[joint]).clamp(low, high);
    }
}

/// Steps towards a configuration near the seed.
const MOST_APPROACH_STEPS: usize = 10;
/// Part of the travel below which a step moves the end so little that its travel stays the least: what is missing to it
/// counts squared.
const CONVERGED_TRAVEL_RATIO: f64 = 0.02;
/// Largest travel on the way to a configuration, against that of the configuration: near singularities steps overshoot.
const OVERSHOOT_RATIO: f64 = 2.0;
/// Length of a correction whose square is no error any more, rad or m.
const LAST_CORRECTION_RAD_M: f64 = 1e-6;

/// The configuration that reaches the target with the least travel from the seed, and the number of steps to it; `None`
/// when that is farther than `most`, or not found in a few steps. The caller checks whether it is exact.
///
/// Newton's method on the target whose steps end, of all that the linear model allows, nearest to the seed instead of
/// nearest to where they begin; once they are short they are plain corrections.
pub(super) fn near_seed(problem: &PoseProblem<'_>, seed: &[f64], most: f64) -> Option<(Vec<f64>, usize)> {
    let mut motion = SelfMotion::new(problem);
    let (mut q, mut has_converged) = (problem.seed.clone(), false);
    for steps in 1..=MOST_APPROACH_STEPS {
        let tip = motion.fill(&q);
        let from = if has_converged { &q[..] } else { seed };
        let step = least(problem, &motion.columns, from, &q, &problem.residual(&tip).error);
        apply(problem, &step, &mut q);
        let (travel, length) = (problem.chain.travel(seed, &q), problem.chain.travel(&NO_STEP, &step));
        if travel > OVERSHOOT_RATIO * most {
            return None;
        }
        if has_converged && length <= LAST_CORRECTION_RAD_M {
            return (travel <= most).then_some((q, steps));
        }
        has_converged |= length <= CONVERGED_TRAVEL_RATIO * travel;
    }
    None
}
