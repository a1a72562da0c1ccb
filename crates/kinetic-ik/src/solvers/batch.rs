//! Batched inverse kinematics: many poses in one call, on all processors.

use kinetic_core::parallel::in_chunks;
use kinetic_core::{Pose, Result};
use kinetic_kinematics::KinematicChain;

use super::config::IKConfig;
use super::failure::is_unsolved;
use super::solution::IKSolution;
use super::solve_ik;

/// Fewer poses than this are done before a thread has started.
const POSES_PER_SOLVER_CHUNK: usize = 16;

/// One answer per pose, `None` where there is none: the same as [`solve_ik`] pose by pose, for any number of
/// processors. A pose that fails does not end the batch.
///
/// # Errors
/// Options and poses that cannot be used.
pub fn solve_ik_batch(
    chain: &KinematicChain,
    base_from_tcp: &[Pose],
    config: &IKConfig,
) -> Result<Vec<Option<IKSolution>>> {
    in_parallel(base_from_tcp.len(), &|pose| solve_ik(chain, &base_from_tcp[pose], config).map(Some))
}

/// `solve(0)` to `solve(count - 1)` on all processors; errors other than bad input become `None`.
///
/// # Errors
/// The first that says that the input cannot be used.
pub fn in_parallel(
    count: usize,
    solve: &(dyn Fn(usize) -> Result<Option<IKSolution>> + Sync),
) -> Result<Vec<Option<IKSolution>>> {
    let mut answers: Vec<Result<Option<IKSolution>>> = vec![Ok(None); count];
    in_chunks(&mut answers, 1, POSES_PER_SOLVER_CHUNK, |first, answers| {
        for (offset, answer) in answers.iter_mut().enumerate() {
            *answer = optional(solve(first + offset));
        }
    });
    answers.into_iter().collect()
}

fn optional(answer: Result<Option<IKSolution>>) -> Result<Option<IKSolution>> {
    match answer {
        Err(error) if is_unsolved(&error) => Ok(None),
        answer => answer,
    }
}
