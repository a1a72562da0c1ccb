//! Random restarts: attempts from the seed, then from seeded random configurations.

use kinetic_core::rng::SeededRng;
use kinetic_core::{JointValues, Pose};
use kinetic_kinematics::{KinematicChain, Rigid};

use super::condition::condition_number;
use super::config::{IKConfig, IKMode};
use super::ik_solver::IKSolver;
use super::pose_problem::PoseProblem;
use super::registry::SolverKind;
use super::solution::{IKSolution, SINGULAR_CONDITION};
use super::{failure, null_space};
use crate::analytic::angles::into_limits;

/// A configuration that a search came to.
pub(super) struct Found {
    pub(super) q: Vec<f64>,
    converged: bool,
    pub(super) iterations: usize,
    attempts: usize,
}

/// Runs attempts and hands those that converged to `accept`, until it answers `false`. The answer is the configuration
/// that came nearest of all, or the one at which `accept` was content.
pub(super) fn attempts(problem: &PoseProblem<'_>, accept: &mut dyn FnMut(&Found) -> bool) -> Found {
    let config = problem.config;
    let mut found = Found { q: problem.seed.clone(), converged: false, iterations: 0, attempts: 0 };
    let SolverKind::Numerical(build) = config.numerical_solver().spec().kind else {
        // Closed forms are answered before a search begins.
        return found;
    };
    let mut solver = build(problem);
    let mut rng = SeededRng::new(config.rng_seed);
    let mut nearest = (f64::INFINITY, problem.seed.clone());
    // A pose that is proven out of reach gets one attempt, which shows how near the arm comes.
    let is_hopeless = failure::out_of_reach(problem).is_some();
    let restarts = if is_hopeless { 0 } else { config.num_restarts };
    for attempt in 0..=restarts {
        let outcome = solver.attempt(problem, &mut rng, &mut found.q);
        found.converged = outcome.converged;
        found.iterations += outcome.iterations;
        found.attempts = attempt + 1;
        if outcome.converged && !accept(&found) {
            return found;
        }
        if outcome.residual.cost() < nearest.0 {
            nearest.0 = outcome.residual.cost();
            nearest.1.copy_from_slice(&found.q);
        }
        if problem.is_stopped() {
            break;
        }
        problem.random_into(&mut rng, &mut found.q);
    }
    Found { q: nearest.1, converged: false, ..found }
}

/// The answer of one mode: the first that converges, else the nearest.
fn first(problem: &PoseProblem<'_>) -> IKSolution {
    let mut found = attempts(problem, &mut |_| false);
    if found.converged {
        unwind(problem, &mut found.q);
        if let Some(objective) = problem.config.null_space {
            null_space::improve(problem, objective, &mut found.q);
        }
    }
    solution(problem, &found)
}

/// The nearest configuration found in the modes that `config` allows, converged or not.
pub(super) fn nearest(chain: &KinematicChain, base_from_tcp: &Pose, config: &IKConfig) -> IKSolution {
    let mut solution = first(&PoseProblem::new(chain, base_from_tcp, config, config.mode != IKMode::PositionOnly));
    if solution.converged || config.mode != IKMode::PositionFallback || config.stop.is_stopped() {
        return solution;
    }
    let spent = (solution.iterations, solution.attempts);
    solution = first(&PoseProblem::new(chain, base_from_tcp, config, false));
    solution.iterations += spent.0;
    solution.attempts += spent.1;
    solution.degraded = true;
    solution
}

/// The answer that a configuration is, with what follows from its joint values.
pub(super) fn solution(problem: &PoseProblem<'_>, found: &Found) -> IKSolution {
    let mut frames = vec![Rigid::identity(); problem.chain.program().num_frames()];
    let residual = problem.residual(&problem.chain.tip_rigid(&found.q, &mut frames));
    let condition_number = condition_number(problem.chain, &frames, &found.q);
    IKSolution {
        joints: found.q.as_slice().into(),
        position_error: residual.position,
        orientation_error: residual.orientation,
        converged: found.converged,
        iterations: found.iterations,
        attempts: found.attempts,
        mode_used: if problem.has_orientation { IKMode::Full6D } else { IKMode::PositionOnly },
        degraded: condition_number > SINGULAR_CONDITION,
        condition_number,
        solver: problem.config.numerical_solver(),
    }
}

/// The answer of a closed form.
pub(super) fn closed_form(problem: &PoseProblem<'_>, joints: JointValues) -> IKSolution {
    let found = Found { q: joints.0, converged: true, iterations: 0, attempts: 0 };
    let answer = solution(problem, &found);
    // Arms with fewer than six joints meet a part of the pose.
    let config = problem.config;
    let converged =
        answer.position_error <= config.position_tolerance && answer.orientation_error <= config.orientation_tolerance;
    IKSolution { solver: IKSolver::Analytic, converged, ..answer }
}

/// Turns joints by 2π to where they are nearest to the seed, inside their limits.
pub(super) fn unwind(problem: &PoseProblem<'_>, q: &mut [f64]) {
    let seed = problem.config.seed.as_deref().unwrap_or(&problem.seed);
    for (joint, value) in q.iter_mut().enumerate().filter(|(joint, _)| problem.chain.is_rotation(*joint)) {
        *value = into_limits(*value, seed[joint], Some(problem.bounds[joint]), 0.0).unwrap_or(*value);
    }
}
