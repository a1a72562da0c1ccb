//! Distinct solutions of one pose, by random restarts.

use std::f64::consts::TAU;

use kinetic_core::{KineticError, Pose, Result};
use kinetic_kinematics::KinematicChain;
use nalgebra::DMatrix;

use super::config::{IKConfig, IKMode};
use super::ik_solver::IKSolver;
use super::pose_problem::PoseProblem;
use super::solution::IKSolution;
use super::{failure, search};
use crate::watch::Watch;

/// Configurations closer than this are one solution: far above the solver's tolerance, far below two branches.
const SAME_SOLUTION_RAD_M: f64 = 1e-3;

/// Distinct configurations that reach `base_from_tcp`, from all attempts, nearest to the seed first
/// ([`KinematicChain::travel`]).
///
/// Two configurations are the same when no joint differs by more than 1e-3 rad (or m), turns of 2π ignored. This is a
/// search by restarts: it may miss branches. An attempt that fails does not end it. When the time of the options' stop flag
/// is over, the answer is what was found until then.
///
/// # Errors
/// As [`solve_ik`](super::solve_ik).
pub fn solve_ik_distinct(chain: &KinematicChain, base_from_tcp: &Pose, config: &IKConfig) -> Result<Vec<IKSolution>> {
    config.check(chain)?;
    failure::check_target(base_from_tcp)?;
    let solver = config.solver;
    if !solver.is_numerical() && solver != IKSolver::Auto {
        let wanted = "a numerical solver; a closed form lists its branches itself";
        return Err(KineticError::invalid("solver", solver.id(), wanted));
    }
    let watch = Watch::new(&config.stop);
    let problem = PoseProblem::new(chain, base_from_tcp, config, config.mode != IKMode::PositionOnly);
    let mut found: Vec<IKSolution> = Vec::new();
    let nearest = search::attempts(&problem, &mut |candidate| {
        if !found.iter().any(|known| distance(chain, &known.joints, &candidate.q) <= SAME_SOLUTION_RAD_M) {
            let mut answer = search::solution(&problem, candidate);
            search::unwind(&problem, &mut answer.joints);
            found.push(answer);
        }
        true
    });
    watch.check_cancelled(nearest.iterations)?;
    if found.is_empty() {
        return Err(failure::error(&problem, &search::solution(&problem, &nearest)));
    }
    let seed = config.seed.as_deref().unwrap_or(&problem.seed);
    let from_seed = |solution: &IKSolution| chain.travel(seed, &solution.joints);
    found.sort_by(|a, b| from_seed(a).total_cmp(&from_seed(b)));
    Ok(found)
}

/// Largest difference of one joint between each two solutions, turns of 2π ignored: a symmetric matrix.
pub fn pairwise_distances(chain: &KinematicChain, solutions: &[IKSolution]) -> DMatrix<f64> {
    let n = solutions.len();
    DMatrix::from_fn(n, n, |row, column| distance(chain, &solutions[row].joints, &solutions[column].joints))
}

/// Largest difference of a single joint, turns of 2π ignored.
fn distance(chain: &KinematicChain, a: &[f64], b: &[f64]) -> f64 {
    let step = |joint: usize| {
        let step = a[joint] - b[joint];
        (if chain.is_rotation(joint) { step - TAU * (step / TAU).round() } else { step }).abs()
    };
    (0..chain.dof()).map(step).fold(0.0, f64::max)
}
