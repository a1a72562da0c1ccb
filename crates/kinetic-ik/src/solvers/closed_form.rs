//! Closed forms as solvers of the registry.

use kinetic_core::error::reason;
use kinetic_core::{JointValues, KineticError, Pose, Result};
use kinetic_kinematics::KinematicChain;

use super::config::{IKConfig, IKMode};
use super::ik_solver::IKSolver;
use super::pose_problem::PoseProblem;
use super::redundant::{self, NearestOnSelfMotion};
use super::registry::SolverSpec;
use super::solution::IKSolution;
use super::{least_travel, null_space, search};
use crate::analytic::{Diagnostic, Manipulator, Met, SolveOptions, TolerancePolicy};

/// The branch nearest to the seed, or the diagnostic of the closed form.
pub(super) type NearestBranch = std::result::Result<IKSolution, Box<Diagnostic>>;

/// The branch nearest to the seed.
pub(super) fn nearest_branch(arm: &Manipulator, base_from_tcp: &Pose, config: &IKConfig) -> Result<NearestBranch> {
    if let Some(seed) = config.seed.as_deref().filter(|_| !arm.ranges().is_empty()) {
        return nearest_of_self_motion(arm, base_from_tcp, config, seed);
    }
    // Arms that meet a part of the pose may meet the rest in any of their branches.
    let most = (arm.met() == Met::Pose).then_some(1);
    let (branches, diagnostic) = branches(arm, base_from_tcp, config, most)?;
    Ok(branches.into_iter().next().ok_or_else(|| Box::new(diagnostic)))
}

fn nearest_of_self_motion(
    arm: &Manipulator,
    base_from_tcp: &Pose,
    config: &IKConfig,
    seed: &[f64],
) -> Result<NearestBranch> {
    let problem = PoseProblem::new(arm.chain(), base_from_tcp, config, true);
    if config.null_space.is_none()
        && let Some((found, _)) = redundant::near_seed(&problem, seed)
    {
        return Ok(Ok(found));
    }
    let tight = least_travel::closed(config);
    let exact = PoseProblem::new(arm.chain(), base_from_tcp, &tight, true);
    let answered =
        |found: NearestOnSelfMotion| Some(answer(&problem, config, found.q.into())).filter(|answer| answer.converged);
    let first = redundant::descent(&exact, base_from_tcp, seed);
    if let Some(found) = first.clone().filter(NearestOnSelfMotion::is_near).and_then(answered) {
        return Ok(Ok(found));
    }
    let known = first.as_ref().map_or(f64::INFINITY, |found| found.travel);
    let options = options(arm, config, Some(redundant::SELF_MOTION_SAMPLES));
    let (samples, diagnostic) = arm.explain_near(base_from_tcp, &options, known)?;
    let nearest = redundant::nearest(&exact, seed, first, &samples);
    Ok(nearest.and_then(answered).ok_or_else(|| Box::new(diagnostic)))
}

/// At most so many branches that come within the tolerances, nearest to the seed first, and the diagnostic of the closed form.
pub(super) fn branches(
    arm: &Manipulator,
    base_from_tcp: &Pose,
    config: &IKConfig,
    max_solutions: Option<usize>,
) -> Result<(Vec<IKSolution>, Diagnostic)> {
    let (solutions, diagnostic) = arm.explain(base_from_tcp, &options(arm, config, max_solutions))?;
    let problem = PoseProblem::new(arm.chain(), base_from_tcp, config, true);
    let answers = solutions.into_iter().map(|solution| answer(&problem, config, solution.q));
    Ok((answers.filter(|answer| answer.converged).collect(), diagnostic))
}

fn options(arm: &Manipulator, config: &IKConfig, max_solutions: Option<usize>) -> SolveOptions {
    SolveOptions {
        // Motion is measured from where the joints stand, be it outside their limits.
        seed: Some(config.seed.clone().unwrap_or_else(|| config.start(arm.chain()).into())),
        max_solutions,
        respect_limits: config.check_limits,
        samples: match config.solver {
            IKSolver::Subproblem7DOF { num_samples } => Some(num_samples),
            _ => None,
        },
        stop: config.stop.clone(),
        ..SolveOptions::default()
    }
}

fn answer(problem: &PoseProblem<'_>, config: &IKConfig, mut joints: JointValues) -> IKSolution {
    if let Some(objective) = config.null_space {
        null_space::improve(problem, objective, &mut joints);
    }
    search::closed_form(problem, joints)
}

/// The answer of a closed form that is requested by name.
pub(super) fn solve(
    spec: &SolverSpec,
    fits: fn(&str) -> bool,
    arm: &Manipulator,
    base_from_tcp: &Pose,
    config: &IKConfig,
) -> Result<IKSolution> {
    let plan = arm.dispatch_plan();
    if !fits(&arm.dispatch_plan().solver_name) {
        let (solver, summary) = (spec.id.to_owned(), spec.summary.to_owned());
        let reason = reason::IncompatibleKinematics::OtherClass { solver, summary, fits: plan.to_string() };
        return Err(KineticError::IncompatibleKinematics { reason });
    }
    if config.mode == IKMode::PositionOnly {
        let reason = reason::IncompatibleKinematics::WholePosesOnly { solver: spec.id.to_owned() };
        return Err(KineticError::IncompatibleKinematics { reason });
    }
    let nearest = nearest_branch(arm, base_from_tcp, config)?;
    let found = nearest.map_err(|diagnostic| KineticError::NoIKSolution { reason: no_branch(&diagnostic) })?;
    Ok(IKSolution { solver: config.solver, ..found })
}

fn no_branch(diagnostic: &Diagnostic) -> reason::NoIKSolution {
    reason::NoIKSolution::NoBranch {
        summary: diagnostic.summary(),
        branches: diagnostic.raw_candidates,
        outside_limits: diagnostic.dropped_by_limits,
    }
}

/// As [`solve`], for a chain whose closed form has not been made yet.
pub(super) fn solve_chain(
    spec: &SolverSpec,
    fits: fn(&str) -> bool,
    chain: &KinematicChain,
    base_from_tcp: &Pose,
    config: &IKConfig,
) -> Result<IKSolution> {
    let arm = Manipulator::from_chain(chain.clone(), TolerancePolicy::default())?;
    solve(spec, fits, &arm, base_from_tcp, config)
}
