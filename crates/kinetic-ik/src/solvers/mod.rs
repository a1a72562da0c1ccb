//! Numerical inverse kinematics inside joint limits, and [`solve_ik_auto`], which prefers a closed form.
//!
//! A solver is one file and one row of [`SOLVERS`]. All of them solve the same `pose_problem`, make attempts from the seed and
//! then from seeded random configurations (`search`), and their answers are checked in one place: what converged is
//! inside limits and tolerances.

mod automatic;
mod axis_cone;
mod batch;
mod bio;
mod cache;
mod ccd;
mod closed_form;
mod condition;
mod config;
mod distinct;
mod fabrik;
mod failure;
pub(crate) mod gram;
mod ik_solver;
mod least_travel;
mod levenberg;
mod null_space;
mod pose_problem;
mod quadratic;
mod redundant;
mod registry;
mod report;
mod search;
mod sinusoid;
mod solution;
mod solver;
mod sqp;
mod targets;
mod trial;

pub use automatic::{first_accepted, solve_ik_auto, solve_ik_branches, solve_ik_where};
pub use axis_cone::AxisCone;
pub use batch::{in_parallel, solve_ik_batch};
pub use bio::bio_ik;
pub use cache::{CacheStatistics, DEFAULT_HIT_RADIUS, IkCache};
pub use ccd::{CcdOptions, ccd};
pub(crate) use config::named;
pub use config::{IKConfig, IKMode, NullSpace};
pub use distinct::{pairwise_distances, solve_ik_distinct};
pub(crate) use failure::is_out_of_reach;
pub use failure::{is_unsolved, what_stopped};
pub use ik_solver::IKSolver;
pub use registry::{SOLVERS, SolverSpec};
pub use report::{
    BranchReport, IkChange, IkReport, IkSuggestion, LimitViolation, explain_ik, is_millimetres, limit_violations,
    look_into_ik, metres_for_millimetres,
};
pub use solution::{IKSolution, SINGULAR_CONDITION};
pub use targets::{Aim, LinkTarget, Norm};
pub use trial::{IKTrial, TRIAL_TOLERANCE};

use kinetic_core::{KineticError, Pose, Result};
use kinetic_kinematics::KinematicChain;

use crate::watch::Watch;
use pose_problem::PoseProblem;
use registry::SolverKind;

/// One configuration that reaches `base_from_tcp`, by the solver of `config`; damped least squares for
/// [`IKSolver::Auto`].
///
/// # Errors
/// [`KineticError::NoIKSolution`] when the target is proven to be out of reach,
/// [`KineticError::IKNotConverged`] with the best residual when no attempt meets the tolerances,
/// [`KineticError::IncompatibleKinematics`] for a closed form that does not fit the arm, [`KineticError::Cancelled`] once
/// a stop was asked for by the options' stop flag, [`KineticError::IKTimeout`] where the flag's time ends a sweep over the
/// self-motion, and input errors for NaN, wrong sizes or options outside their domain.
pub fn solve_ik(chain: &KinematicChain, base_from_tcp: &Pose, config: &IKConfig) -> Result<IKSolution> {
    let nearest = nearest_ik(chain, base_from_tcp, config)?;
    if nearest.converged {
        return Ok(nearest);
    }
    let has_orientation = nearest.mode_used != IKMode::PositionOnly;
    Err(failure::error(&PoseProblem::new(chain, base_from_tcp, config, has_orientation), &nearest))
}

/// As [`solve_ik`], but where a numerical solver meets no tolerance the answer is the nearest configuration, not
/// converged.
///
/// # Errors
/// Input errors, those of closed forms, and [`KineticError::Cancelled`].
pub fn nearest_ik(chain: &KinematicChain, base_from_tcp: &Pose, config: &IKConfig) -> Result<IKSolution> {
    config.check(chain)?;
    failure::check_target(base_from_tcp)?;
    let spec = config.solver.spec();
    match spec.kind {
        SolverKind::Numerical(_) => {
            let watch = Watch::new(&config.stop);
            let nearest = search::nearest(chain, base_from_tcp, config);
            if !nearest.converged {
                watch.check_cancelled(nearest.iterations)?;
            }
            Ok(nearest)
        }
        SolverKind::Remembers => {
            Err(KineticError::invalid("solver", spec.id, "a solver without memory; IkCache::solve is the cached one"))
        }
        SolverKind::ClosedForm(fits) => closed_form::solve_chain(spec, fits, chain, base_from_tcp, config),
    }
}
