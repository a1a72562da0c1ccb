//! Redundant arms: the configuration of least travel from the seed on the self-motion.

use std::f64::consts::PI;

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose, Result};
use kinetic_kinematics::KinematicChain;

use super::config::{IKConfig, IKMode};
use super::pose_problem::PoseProblem;
use super::solution::IKSolution;
use super::{least_travel, search, solve_ik};
use crate::analytic::Solution;

/// Samples of a self-motion, nearest to the seed first, from which descents start.
pub(super) const SELF_MOTION_SAMPLES: usize = 64;
/// Descents along the self-motion, at most.
const MOST_DESCENTS: usize = 8;
/// Largest travel of a sample, against that of the best configuration so far, from which a descent may still lead nearer.
const SAMPLE_TRAVEL_RATIO: f64 = 1.1;
/// Samples whose joints all differ by less lead to the same configuration.
const SAME_BRANCH_RAD_M: f64 = 0.6;

/// Travel of a configuration so near to the seed that no other is looked for, weighted rad or m.
const NEAR_SEED_TRAVEL_RAD_M: f64 = 0.5;

/// A configuration of locally least travel on the self-motion of the target, and its travel from the seed.
#[derive(Clone)]
pub(super) struct NearestOnSelfMotion {
    pub(super) travel: f64,
    pub(super) q: Vec<f64>,
}

impl NearestOnSelfMotion {
    /// Where `q`, which reaches the target of `problem`, arrives along its self-motion.
    fn of(problem: &PoseProblem<'_>, seed: &[f64], mut q: Vec<f64>) -> Self {
        search::unwind(problem, &mut q);
        least_travel::shorten(problem, seed, &mut q);
        Self { travel: problem.chain.travel(seed, &q), q }
    }

    /// Whether it is so near to the seed that another configuration as near is unlikely.
    pub(super) fn is_near(&self) -> bool {
        self.travel <= NEAR_SEED_TRAVEL_RAD_M
    }

    /// The one of less travel.
    fn or(self, other: Self) -> Self {
        if other.travel < self.travel { other } else { self }
    }
}

/// The answer that Newton's method from the seed leads to, when it is exact and so near to the seed that no other is looked
/// for, and its number of steps.
pub(super) fn near_seed(problem: &PoseProblem<'_>, seed: &[f64]) -> Option<(IKSolution, usize)> {
    let (q, steps) = least_travel::near_seed(problem, seed, NEAR_SEED_TRAVEL_RAD_M)?;
    let answer = search::closed_form(problem, q.into());
    least_travel::is_closed(&answer).then_some((answer, steps))
}

/// The configuration that a numerical descent from the seed leads to: near limits it may lie between all samples.
pub(super) fn descent(problem: &PoseProblem<'_>, base_from_tcp: &Pose, seed: &[f64]) -> Option<NearestOnSelfMotion> {
    let once = IKConfig {
        num_restarts: 0,
        seed: Some(seed.into()),
        check_limits: problem.config.check_limits,
        stop: problem.config.stop.clone(),
        ..least_travel::closed(&IKConfig::dls())
    };
    let found = solve_ik(problem.chain, base_from_tcp, &once).ok()?;
    Some(NearestOnSelfMotion::of(problem, seed, found.joints.to_vec()))
}

/// The configuration of least travel among `known` and those that the samples of a self-motion lead to, nearest first.
pub(super) fn nearest(
    problem: &PoseProblem<'_>,
    seed: &[f64],
    known: Option<NearestOnSelfMotion>,
    samples: &[Solution],
) -> Option<NearestOnSelfMotion> {
    let (mut best, mut descents) = (known, 0);
    for (index, sample) in samples.iter().enumerate() {
        let least = best.as_ref().map_or(f64::INFINITY, |best| best.travel);
        if descents == MOST_DESCENTS || problem.chain.travel(seed, &sample.q) > SAMPLE_TRAVEL_RATIO * least {
            break;
        }
        if samples[..index].iter().all(|nearer| are_apart(&nearer.q, &sample.q)) {
            descents += 1;
            let found = NearestOnSelfMotion::of(problem, seed, sample.q.to_vec());
            best = Some(match best {
                Some(best) => best.or(found),
                None => found,
            });
        }
    }
    best
}

fn are_apart(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).any(|(a, b)| (a - b).abs() > SAME_BRANCH_RAD_M)
}

/// Attempts from starts around the seed.
const SEED_ATTEMPTS: u32 = 24;

/// The answer near the seed; where there is none that near, as [`solve_ik`], then from starts around the seed, each answer
/// moved along its self-motion: the one of least travel.
///
/// # Errors
/// As [`solve_ik`].
pub(super) fn solve_near(chain: &KinematicChain, base_from_tcp: &Pose, config: &IKConfig) -> Result<IKSolution> {
    let exact = PoseProblem::new(chain, base_from_tcp, config, true);
    let seed = config.seed.as_deref().filter(|_| config.null_space.is_none());
    if let Some((answer, iterations)) = seed.and_then(|seed| near_seed(&exact, seed)) {
        return Ok(IKSolution { solver: config.numerical_solver(), iterations, attempts: 1, ..answer });
    }
    let first = solve_ik(chain, base_from_tcp, config)?;
    let Some(seed) = seed.filter(|_| first.mode_used == IKMode::Full6D) else { return Ok(first) };
    let tight = least_travel::closed(config);
    let problem = PoseProblem::new(chain, base_from_tcp, &tight, true);
    let mut best = NearestOnSelfMotion::of(&problem, seed, first.joints.to_vec());
    let (mut rng, mut spent) = (SeededRng::new(config.rng_seed), (first.iterations, first.attempts));
    let attempts = if best.is_near() { 0 } else { SEED_ATTEMPTS };
    for attempt in 0..attempts {
        if config.stop.is_out_of_time() {
            break;
        }
        let from = around(seed, PI * f64::from(attempt + 1) / f64::from(SEED_ATTEMPTS), &mut rng);
        let once = IKConfig { num_restarts: 0, seed: Some(from.into()), ..config.clone() };
        match solve_ik(chain, base_from_tcp, &once) {
            Ok(found) => {
                spent = (spent.0 + found.iterations, spent.1 + found.attempts);
                best = best.or(NearestOnSelfMotion::of(&problem, seed, found.joints.to_vec()));
            }
            Err(error @ KineticError::Cancelled { .. }) => return Err(error),
            Err(_) => spent.1 += 1,
        }
    }
    let answer = search::closed_form(&exact, best.q.into());
    Ok(IKSolution { solver: first.solver, iterations: spent.0, attempts: spent.1, ..answer })
}

/// A start with joints up to `most` away from the seed, rad or m.
fn around(seed: &[f64], most: f64, rng: &mut SeededRng) -> Vec<f64> {
    seed.iter().map(|value| value + rng.uniform(-most, most)).collect()
}
