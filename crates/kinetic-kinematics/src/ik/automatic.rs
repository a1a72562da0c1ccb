//! Closed form where there is one, otherwise the numerical solver.

use kinetic_core::{Pose, Result};

use super::{IKConfig, IKSolution, solve_ik, start};
use crate::analytic::{Manipulator, SolveOptions};
use crate::chain::KinematicChain;

/// The configuration inside the limits that reaches `base_from_tcp` and is nearest to the seed of `config`.
///
/// With a closed form for the chain it is the nearest of all branches, turns of 2π included, and exact; `iterations`
/// and `attempts` are 0. Otherwise, and when no branch is inside the limits, it is what [`solve_ik`] finds.
///
/// # Errors
/// As [`solve_ik`].
pub fn solve_ik_auto(
    closed_form: Option<&Manipulator>,
    chain: &KinematicChain,
    base_from_tcp: &Pose,
    config: &IKConfig,
) -> Result<IKSolution> {
    config.check(chain)?;
    if let Some(manipulator) = closed_form {
        let seed = start(chain, config).into();
        let options = SolveOptions { seed: Some(seed), max_solutions: Some(1), ..SolveOptions::default() };
        if let Some(nearest) = manipulator.solve(base_from_tcp, &options)?.into_iter().next() {
            let reached = chain.tip_pose(&nearest.q);
            return Ok(IKSolution {
                position_error: reached.translation_distance(base_from_tcp),
                orientation_error: reached.rotation_distance(base_from_tcp),
                joints: nearest.q,
                iterations: 0,
                attempts: 0,
            });
        }
    }
    solve_ik(chain, base_from_tcp, config)
}
