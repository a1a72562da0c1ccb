//! Least travel from the seed along a self-motion.
//!
//! Newton's method on the self-motion: each round takes the step that is best for its tangent, with the joints that stand
//! at a limit held there, brings the configuration back to the target, and keeps it when the travel is less.

use super::IKConfig;
use super::null_space::SelfMotion;
use super::problem::Problem;
use super::six::{Column, Gram, dot};

/// Rounds at most.
const ROUNDS: usize = 30;
/// Longest step of a joint at first, rad or m: the self-motion is curved.
const LONGEST: f64 = 0.4;
/// Shortest step that is worth a round.
const SHORTEST: f64 = 1e-6;
/// Gain of a round, relative to the travel, below which another is not worth it.
const GAIN: f64 = 1e-4;
/// Newton steps that bring a configuration back to the target.
const CORRECTIONS: usize = 8;
/// How near to the target, m and rad.
const CLOSED: f64 = 1e-11;
/// A joint as near to its limit stands at it, rad or m.
const AT_LIMIT: f64 = 1e-9;
/// Damping of the projections, relative to squared lengths of order 1.
const DAMPING: f64 = 1e-12;

/// Options with the tolerances that a closed form keeps.
pub(super) fn closed(config: &IKConfig) -> IKConfig {
    IKConfig { position_tolerance: CLOSED, orientation_tolerance: CLOSED, ..config.clone() }
}

/// Moves `q`, which reaches the target, along its self-motion to where the travel from `seed` is least nearby.
pub(super) fn shorten(problem: &Problem<'_>, seed: &[f64], q: &mut [f64]) {
    let mut motion = SelfMotion::new(problem);
    let (mut travel, mut longest) = (problem.chain.travel(seed, q), LONGEST);
    let mut trial = q.to_vec();
    motion.fill(q);
    for _ in 0..ROUNDS {
        let direction = direction(problem, &motion.columns, seed, q);
        let slope = direction.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
        if slope < SHORTEST || longest < SHORTEST {
            return;
        }
        let part = (longest / slope).min(1.0).min(room(problem, q, &direction));
        for joint in 0..q.len() {
            let (low, high) = problem.bounds[joint];
            trial[joint] = (q[joint] + part * direction[joint]).clamp(low, high);
        }
        let is_back = back(problem, &mut motion, &mut trial);
        let gain = travel - problem.chain.travel(seed, &trial);
        if is_back && gain > 0.0 {
            q.copy_from_slice(&trial);
            travel -= gain;
            if gain < GAIN * travel {
                return;
            }
            longest = (2.0 * longest).min(1.0);
        } else {
            longest = 0.3 * part * slope;
            motion.fill(q);
        }
    }
}

/// The step that a straight self-motion would need, joints at their limits held where they would leave them.
fn direction(problem: &Problem<'_>, columns: &[Column], seed: &[f64], q: &[f64]) -> Vec<f64> {
    let mut free = vec![true; q.len()];
    loop {
        let direction = projected(problem.chain.weights(), columns, seed, q, &free);
        let leaves = |joint: &usize| free[*joint] && stands_at(problem, *joint, q[*joint], direction[*joint]);
        match (0..q.len()).find(leaves) {
            Some(joint) => free[joint] = false,
            None => return direction,
        }
    }
}

/// `−W⁻¹ (1 − A⁺ A) W (q − seed)` with `A = J W⁻¹` over the free joints: in weighted joint values the travel is a length.
fn projected(weights: &[f64], columns: &[Column], seed: &[f64], q: &[f64], free: &[bool]) -> Vec<f64> {
    let (mut gram, mut moved) = (Gram::new(DAMPING), [0.0; 6]);
    for joint in (0..q.len()).filter(|joint| free[*joint]) {
        let column = columns[joint].map(|part| part / weights[joint]);
        gram.add(&column);
        (0..6).for_each(|i| moved[i] += column[i] * weights[joint] * (q[joint] - seed[joint]));
    }
    let y = gram.solve(&moved);
    let part = |joint: usize| dot(&columns[joint], &y) / weights[joint].powi(2) - (q[joint] - seed[joint]);
    (0..q.len()).map(|joint| if free[joint] { part(joint) } else { 0.0 }).collect()
}

fn stands_at(problem: &Problem<'_>, joint: usize, value: f64, step: f64) -> bool {
    let (low, high) = problem.bounds[joint];
    (step < 0.0 && value <= low + AT_LIMIT) || (step > 0.0 && value >= high - AT_LIMIT)
}

/// The part of a step after which the first joint stands at its limit.
fn room(problem: &Problem<'_>, q: &[f64], direction: &[f64]) -> f64 {
    let until = |joint: usize| {
        let ((low, high), step) = (problem.bounds[joint], direction[joint]);
        let left = if step > 0.0 { high - q[joint] } else { low - q[joint] };
        if step == 0.0 { f64::INFINITY } else { left / step }
    };
    (0..q.len()).map(until).fold(f64::INFINITY, f64::min)
}

/// Brings `q` back to the target, inside the limits; false when that fails. Leaves the Jacobian there in `motion`.
fn back(problem: &Problem<'_>, motion: &mut SelfMotion<'_>, q: &mut [f64]) -> bool {
    for _ in 0..CORRECTIONS {
        let tip = motion.fill(q);
        let miss = problem.miss(&tip);
        if problem.is_met(&miss) {
            return true;
        }
        let step = correction(problem, &motion.columns, &miss.error, q);
        for joint in 0..q.len() {
            let (low, high) = problem.bounds[joint];
            q[joint] = (q[joint] + step[joint]).clamp(low, high);
        }
    }
    false
}

/// The least weighted step that takes an error of the pose away, joints at their limits held where they would leave them.
fn correction(problem: &Problem<'_>, columns: &[Column], error: &Column, q: &[f64]) -> Vec<f64> {
    let weights = problem.chain.weights();
    let mut free = vec![true; q.len()];
    loop {
        let mut gram = Gram::new(DAMPING);
        for joint in (0..q.len()).filter(|joint| free[*joint]) {
            gram.add(&columns[joint].map(|part| part / weights[joint]));
        }
        let y = gram.solve(error);
        let part = |joint: usize| dot(&columns[joint], &y) / weights[joint].powi(2);
        let step: Vec<f64> = (0..q.len()).map(|joint| if free[joint] { part(joint) } else { 0.0 }).collect();
        match (0..q.len()).find(|joint| free[*joint] && stands_at(problem, *joint, q[*joint], step[*joint])) {
            Some(joint) => free[joint] = false,
            None => return step,
        }
    }
}
