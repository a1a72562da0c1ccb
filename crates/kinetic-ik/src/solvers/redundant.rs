//! The answer nearest to the seed for arms with more joints than a pose asks for.

use std::f64::consts::PI;

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose, Result};
use kinetic_kinematics::KinematicChain;

use super::config::{IKConfig, IKMode};
use super::problem::Problem;
use super::solution::IKSolution;
use super::{search, solve_ik, travel};
use crate::analytic::Solution;

/// Samples of a self-motion, nearest to the seed first, among which its near ends are looked for.
pub(super) const SAMPLES: usize = 64;
/// Ends of the self-motion that are looked for.
const ENDS: usize = 8;
/// A sample whose travel is so many times that of the best end is not worth a look, since the nearest of its end is as near.
const WORTH: f64 = 1.1;
/// Samples that differ by more in no joint lead to one end, rad or m.
const TOGETHER: f64 = 0.6;

/// Travel to an end so near to the seed that no other is looked for, rad or m.
const BESIDE_SEED: f64 = 0.5;

/// A configuration that reaches the target, and its travel from the seed.
#[derive(Clone)]
pub(super) struct End {
    pub(super) travel: f64,
    pub(super) q: Vec<f64>,
}

impl End {
    /// Where `q`, which reaches the target of `problem`, arrives along its self-motion.
    fn of(problem: &Problem<'_>, seed: &[f64], mut q: Vec<f64>) -> Self {
        search::unwind(problem, &mut q);
        travel::shorten(problem, seed, &mut q);
        Self { travel: problem.chain.travel(seed, &q), q }
    }

    /// Whether it is so near to the seed that there is hardly another end as near.
    pub(super) fn is_near(&self) -> bool {
        self.travel <= BESIDE_SEED
    }

    /// The one of less travel.
    fn or(self, other: Self) -> Self {
        if other.travel < self.travel { other } else { self }
    }
}

/// The answer that Newton's method from the seed leads to, when it is exact and so near to the seed that no other is looked
/// for, and its number of steps.
pub(super) fn beside(problem: &Problem<'_>, seed: &[f64]) -> Option<(IKSolution, usize)> {
    let (q, steps) = travel::beside(problem, seed, BESIDE_SEED)?;
    let answer = search::closed_form(problem, q.into());
    travel::is_closed(&answer).then_some((answer, steps))
}

/// The end that a numerical descent from the seed leads to: beside limits the near end may lie between all samples.
pub(super) fn descent(problem: &Problem<'_>, base_from_tcp: &Pose, seed: &[f64]) -> Option<End> {
    let once = IKConfig {
        num_restarts: 0,
        seed: Some(seed.into()),
        check_limits: problem.config.check_limits,
        stop: problem.config.stop.clone(),
        ..travel::closed(&IKConfig::dls())
    };
    let found = solve_ik(problem.chain, base_from_tcp, &once).ok()?;
    Some(End::of(problem, seed, found.joints.to_vec()))
}

/// The end of least travel of `known` and those that the samples of a self-motion lead to; they come nearest first.
pub(super) fn nearest(problem: &Problem<'_>, seed: &[f64], known: Option<End>, samples: &[Solution]) -> Option<End> {
    let (mut best, mut ends) = (known, 0);
    for (index, sample) in samples.iter().enumerate() {
        let least = best.as_ref().map_or(f64::INFINITY, |best| best.travel);
        if ends == ENDS || problem.chain.travel(seed, &sample.q) > WORTH * least {
            break;
        }
        if samples[..index].iter().all(|nearer| are_apart(&nearer.q, &sample.q)) {
            ends += 1;
            let end = End::of(problem, seed, sample.q.to_vec());
            best = Some(match best {
                Some(best) => best.or(end),
                None => end,
            });
        }
    }
    best
}

fn are_apart(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).any(|(a, b)| (a - b).abs() > TOGETHER)
}

/// Attempts beside the seed.
const ATTEMPTS: u32 = 24;

/// The answer beside the seed; where there is none that near, as [`solve_ik`], then from starts around the seed, each answer
/// moved along its self-motion: the one of least travel.
///
/// # Errors
/// As [`solve_ik`].
pub(super) fn solve_near(chain: &KinematicChain, base_from_tcp: &Pose, config: &IKConfig) -> Result<IKSolution> {
    let exact = Problem::new(chain, base_from_tcp, config, true);
    let seed = config.seed.as_deref().filter(|_| config.null_space.is_none());
    if let Some((answer, iterations)) = seed.and_then(|seed| beside(&exact, seed)) {
        return Ok(IKSolution { solver: config.numerical_solver(), iterations, attempts: 1, ..answer });
    }
    let first = solve_ik(chain, base_from_tcp, config)?;
    let Some(seed) = seed.filter(|_| first.mode_used == IKMode::Full6D) else { return Ok(first) };
    let tight = travel::closed(config);
    let problem = Problem::new(chain, base_from_tcp, &tight, true);
    let mut best = End::of(&problem, seed, first.joints.to_vec());
    let (mut rng, mut spent) = (SeededRng::new(config.rng_seed), (first.iterations, first.attempts));
    let attempts = if best.is_near() { 0 } else { ATTEMPTS };
    for attempt in 0..attempts {
        let from = around(seed, PI * f64::from(attempt + 1) / f64::from(ATTEMPTS), &mut rng);
        let once = IKConfig { num_restarts: 0, seed: Some(from.into()), ..config.clone() };
        match solve_ik(chain, base_from_tcp, &once) {
            Ok(found) => {
                spent = (spent.0 + found.iterations, spent.1 + found.attempts);
                best = best.or(End::of(&problem, seed, found.joints.to_vec()));
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
