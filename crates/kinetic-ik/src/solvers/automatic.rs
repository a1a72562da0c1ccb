//! Automatic choice of the solver: the closed form where there is one, otherwise a numerical solver.

use kinetic_core::error::reason;
use kinetic_core::{KineticError, Pose, Result};
use kinetic_kinematics::KinematicChain;

use super::failure::check_target;
use super::registry::SolverKind;
use super::{IKConfig, IKMode, IKSolution, IKSolver, closed_form, redundant, solve_ik, solve_ik_distinct};
use crate::analytic::{Diagnostic, Manipulator, Met, TolerancePolicy};

/// The configuration inside the limits that reaches `base_from_tcp` and is nearest to the seed of `config`.
///
/// Nearest is what the joints travel least to, inside their limits: the Euclidean norm of the differences as they stand,
/// each with the joint's weight ([`KinematicChain::travel`]).
///
/// For [`IKSolver::Auto`], with a closed form for the chain, it is the nearest of all branches at all turns of 2π, and
/// exact; `iterations` and `attempts` are 0. For a redundant arm it is the one that Newton's method finds near the seed,
/// where it is near; else the nearest of the configurations that a descent from the seed and the samples of its self-motion
/// lead to when they are moved along it, and without a seed the first one that is found from the middle of the self-motion
/// on. Otherwise, and when no branch is inside the limits or an arm with
/// fewer than six joints cannot meet the whole pose within the tolerances, it is what [`solve_ik`] finds; redundant arms whose
/// samples are of the general class use that, from the seed and from starts around it. Other solvers of `config` are used as
/// requested.
///
/// # Errors
/// As [`solve_ik`]. A closed form that loses no branch is a proof that there is no solution; near a singularity that
/// leaves an angle undetermined it is none.
pub fn solve_ik_auto(
    closed_form: Option<&Manipulator>,
    chain: &KinematicChain,
    base_from_tcp: &Pose,
    config: &IKConfig,
) -> Result<IKSolution> {
    config.check(chain)?;
    check_target(base_from_tcp)?;
    let Some(arm) = closed_form else {
        return solve_ik(chain, base_from_tcp, config);
    };
    let spec = config.solver.spec();
    if let (SolverKind::ClosedForm(fits), true) = (spec.kind, config.solver != IKSolver::Auto) {
        return closed_form::solve(spec, fits, arm, base_from_tcp, config);
    }
    if !wants_closed_form(config) {
        return solve_ik(chain, base_from_tcp, config);
    }
    if arm.sweeps_slowly() {
        // Samples of a self-motion that cost an eigenproblem each take a hundred times as long as a descent.
        return redundant::solve_near(chain, base_from_tcp, config).or_else(|error| {
            if matches!(error, KineticError::Cancelled { .. }) || config.stop.is_out_of_time() {
                return Err(error);
            }
            closed_form::nearest_branch(arm, base_from_tcp, config)?.map_err(|_| error)
        });
    }
    match closed_form::nearest_branch(arm, base_from_tcp, config)? {
        Ok(nearest) => Ok(nearest),
        // Numbers may still come within the tolerances beside the edge of the workspace.
        Err(diagnostic) => solve_ik(chain, base_from_tcp, config).map_err(|error| because(error, arm, &diagnostic)),
    }
}

/// The configuration of [`solve_ik_auto`] where `accept` takes it, and else another one that it takes: of the branches of the closed
/// form the nearest to the seed, of a redundant arm at ever more samples of its self-motion, and of what [`solve_ik_distinct`] finds where
/// the closed form may miss some or is not asked. `None` where all that is found is refused.
///
/// # Errors
/// As [`solve_ik_auto`], and those of `accept`.
pub fn solve_ik_where(
    closed_form: Option<&Manipulator>,
    chain: &KinematicChain,
    base_from_tcp: &Pose,
    config: &IKConfig,
    accept: &dyn Fn(&[f64]) -> Result<bool>,
) -> Result<Option<IKSolution>> {
    let nearest = solve_ik_auto(closed_form, chain, base_from_tcp, config)?;
    if accept(&nearest.joints)? {
        return Ok(Some(nearest));
    }
    let is_named = config.solver != IKSolver::Auto && matches!(config.solver.spec().kind, SolverKind::ClosedForm(_));
    if let Some(arm) = closed_form.filter(|_| is_named || wants_closed_form(config)) {
        let accepted = accepted_branch(arm, base_from_tcp, config, accept)?;
        if accepted.is_some() || is_named || arm.lists_all() {
            return Ok(accepted);
        }
    }
    first_accepted(solve_ik_distinct(chain, base_from_tcp, config)?, accept)
}

fn accepted_branch(
    arm: &Manipulator,
    base_from_tcp: &Pose,
    config: &IKConfig,
    accept: &dyn Fn(&[f64]) -> Result<bool>,
) -> Result<Option<IKSolution>> {
    let (mut most, mut known) = (BRANCHES_OF_REDUNDANT, 0);
    loop {
        let listed = (!arm.ranges().is_empty()).then_some(most);
        let (branches, _) = closed_form::branches(arm, base_from_tcp, config, listed)?;
        let count = branches.len();
        let accepted = first_accepted(branches, accept)?;
        if accepted.is_some() || listed.is_none() || count <= known {
            return Ok(accepted);
        }
        known = count;
        most *= BRANCH_GROWTH;
    }
}

/// The first of some answers that `accept` takes.
///
/// # Errors
/// Those of `accept`.
pub fn first_accepted(found: Vec<IKSolution>, accept: &dyn Fn(&[f64]) -> Result<bool>) -> Result<Option<IKSolution>> {
    let mut asked = found.into_iter().map(|solution| Ok(accept(&solution.joints)?.then_some(solution)));
    asked.find_map(Result::transpose).transpose()
}

/// Growth of their number where none of them is accepted.
const BRANCH_GROWTH: usize = 8;

/// Samples of a redundant arm's self-motion are taken until there are so many branches.
const BRANCHES_OF_REDUNDANT: usize = 32;

/// Configurations inside the limits that reach `base_from_tcp`, in different branches, nearest to the seed of `config`
/// first: with a closed form all branches, each at the turns of 2π nearest to the seed, and of a redundant arm the
/// branches at the samples of its self-motion nearest to it. For a chain that has none, and where it finds nothing, what
/// [`solve_ik_distinct`] finds, which may miss some. [`Manipulator::lists_all`] says whether none is missing.
///
/// `closed_form` is that of `chain`, made once for many poses; with `None` it is made here, which takes microseconds.
///
/// # Errors
/// As [`solve_ik_auto`].
pub fn solve_ik_branches(
    closed_form: Option<&Manipulator>,
    chain: &KinematicChain,
    base_from_tcp: &Pose,
    config: &IKConfig,
) -> Result<Vec<IKSolution>> {
    config.check(chain)?;
    check_target(base_from_tcp)?;
    if !wants_closed_form(config) {
        return solve_ik_distinct(chain, base_from_tcp, config);
    }
    let made = closed_form.is_none().then(|| Manipulator::from_chain(chain.clone(), TolerancePolicy::default()).ok());
    let Some(arm) = closed_form.or(made.as_ref().and_then(Option::as_ref)) else {
        return solve_ik_distinct(chain, base_from_tcp, config);
    };
    let most = (!arm.ranges().is_empty()).then_some(BRANCHES_OF_REDUNDANT);
    let (branches, diagnostic) = closed_form::branches(arm, base_from_tcp, config, most)?;
    if branches.is_empty() {
        return solve_ik_distinct(chain, base_from_tcp, config).map_err(|error| because(error, arm, &diagnostic));
    }
    Ok(branches)
}

/// Whether the solver is chosen automatically, and the closed form has an answer to the query.
fn wants_closed_form(config: &IKConfig) -> bool {
    config.solver == IKSolver::Auto && !config.preference.is_numerical() && config.mode != IKMode::PositionOnly
}

/// A closed form that loses no branch turns "not converged" into "there is none". Samples of a self-motion may lose some.
/// With fewer than six joints it says what can be met.
fn because(error: KineticError, arm: &Manipulator, diagnostic: &Diagnostic) -> KineticError {
    let is_miss = matches!(error, KineticError::IKNotConverged { .. } | KineticError::NoIKSolution { .. });
    if is_miss && arm.met() != Met::Pose && diagnostic.final_count > 0 {
        let (met, search) = (arm.met().description().clone(), error.to_string());
        let branches = diagnostic.final_count;
        let reason = reason::NoIKSolution::PartOfPose { joints: arm.dof(), met, branches, search };
        return KineticError::NoIKSolution { reason };
    }
    let is_complete = diagnostic.solver_tier == 0 && arm.lists_all() && diagnostic.proves_none();
    match error {
        KineticError::IKNotConverged { residual, .. } if is_complete => {
            let (branches, outside_limits) = (diagnostic.raw_candidates, diagnostic.dropped_by_limits);
            let summary = diagnostic.summary();
            let reason = reason::NoIKSolution::ProvenByBranches { summary, branches, outside_limits, residual };
            KineticError::NoIKSolution { reason }
        }
        other => other,
    }
}
