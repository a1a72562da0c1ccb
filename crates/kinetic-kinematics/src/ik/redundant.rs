//! The answer nearest to the seed for arms with more joints than a pose asks for.

use std::f64::consts::PI;

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose, Result};

use super::config::{IKConfig, IKMode};
use super::problem::Problem;
use super::solution::IKSolution;
use super::{search, solve_ik, travel};
use crate::analytic::Solution;
use crate::chain::KinematicChain;

/// Samples of a self-motion, nearest to the seed first, among which its near ends are looked for.
pub(super) const SAMPLES: usize = 64;
/// Ends of the self-motion that are looked for.
const ENDS: usize = 8;
/// Samples that differ by more in no joint lead to one end, rad or m.
const TOGETHER: f64 = 0.6;

/// The configuration of least travel from `seed` that the samples of a self-motion lead to; they come nearest first.
pub(super) fn nearest(
    chain: &KinematicChain,
    base_from_tcp: &Pose,
    config: &IKConfig,
    seed: &[f64],
    samples: &[Solution],
) -> Option<Vec<f64>> {
    let tight = travel::closed(config);
    let problem = Problem::new(chain, base_from_tcp, &tight, true);
    let is_first = |index: &usize| samples[..*index].iter().all(|nearer| are_apart(&nearer.q, &samples[*index].q));
    let firsts = (0..samples.len()).filter(is_first).take(ENDS).map(|index| samples[index].q.to_vec());
    let ends = descent(chain, base_from_tcp, config, seed).into_iter().chain(firsts).map(|mut q| {
        search::unwind(&problem, &mut q);
        travel::shorten(&problem, seed, &mut q);
        (chain.travel(seed, &q), q)
    });
    ends.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, q)| q)
}

/// Where a numerical descent from the seed arrives: beside limits the near end may lie between all samples.
fn descent(chain: &KinematicChain, base_from_tcp: &Pose, config: &IKConfig, seed: &[f64]) -> Option<Vec<f64>> {
    let once = IKConfig {
        num_restarts: 0,
        seed: Some(seed.into()),
        stop: config.stop.clone(),
        ..travel::closed(&IKConfig::dls())
    };
    let once = IKConfig { check_limits: config.check_limits, ..once };
    solve_ik(chain, base_from_tcp, &once).ok().map(|found| found.joints.to_vec())
}

fn are_apart(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).any(|(a, b)| (a - b).abs() > TOGETHER)
}

/// Attempts beside the seed.
const ATTEMPTS: u32 = 24;

/// As [`solve_ik`], then from starts around the seed, each answer moved along its self-motion: the one of least travel.
///
/// # Errors
/// As [`solve_ik`].
pub(super) fn solve_near(chain: &KinematicChain, base_from_tcp: &Pose, config: &IKConfig) -> Result<IKSolution> {
    let first = solve_ik(chain, base_from_tcp, config)?;
    let Some(seed) = config.seed.as_ref().filter(|_| config.null_space.is_none() && first.mode_used == IKMode::Full6D)
    else {
        return Ok(first);
    };
    let tight = travel::closed(config);
    let problem = Problem::new(chain, base_from_tcp, &tight, true);
    let shortened = |found: &IKSolution| {
        let mut q = found.joints.to_vec();
        search::unwind(&problem, &mut q);
        travel::shorten(&problem, seed, &mut q);
        (chain.travel(seed, &q), q)
    };
    let mut best = shortened(&first);
    let (mut rng, mut spent) = (SeededRng::new(config.rng_seed), (first.iterations, first.attempts));
    for attempt in 0..ATTEMPTS {
        let from = beside(seed, PI * f64::from(attempt + 1) / f64::from(ATTEMPTS), &mut rng);
        let once = IKConfig { num_restarts: 0, seed: Some(from.into()), ..config.clone() };
        match solve_ik(chain, base_from_tcp, &once) {
            Ok(found) => {
                spent = (spent.0 + found.iterations, spent.1 + found.attempts);
                let found = shortened(&found);
                best = if found.0 < best.0 { found } else { best };
            }
            Err(error @ KineticError::Cancelled { .. }) => return Err(error),
            Err(_) => spent.1 += 1,
        }
    }
    let exact = Problem::new(chain, base_from_tcp, config, true);
    let answer = search::closed_form(&exact, best.1.into());
    Ok(IKSolution { solver: first.solver, iterations: spent.0, attempts: spent.1, ..answer })
}

/// A start with joints up to `most` away from the seed, rad or m.
fn beside(seed: &[f64], most: f64, rng: &mut SeededRng) -> Vec<f64> {
    seed.iter().map(|value| value + rng.uniform(-most, most)).collect()
}
