//! One answer of inverse kinematics: without the GIL, until Ctrl-C, and with the diagnostic of a failure.

use std::sync::Arc;

use kinetic::core::{KineticError, Pose};
use kinetic::kinematics::InverseKinematics;
use kinetic::kinematics::ik::{IKConfig, IKSolution, is_unsolved};
use pyo3::intern;
use pyo3::prelude::*;

use crate::convert::{Array, Dict};
use crate::error::{Error, Result, with_diagnostic};
use crate::ik::failure::with_question;
use crate::ik::options::IkOptions;
use crate::interrupt::interruptible_if;
use crate::robot::Model;
use crate::robot::kinematics::chain_at;

/// What is found for a target of the model's tool. A seed in the length of the robot says where its other joints stand.
pub(crate) fn answer(py: Python<'_>, model: &Model, target: &Pose, mut options: IkOptions) -> Result<IKSolution> {
    let ik = match options.config.seed.take() {
        Some(seed) if seed.len() != model.group().dof() => {
            let (chain, seed) = chain_at(model, &seed)?;
            options.config.seed = Some((&*seed).into());
            &Arc::new(InverseKinematics::numerical(chain.into_owned(), options.config.clone()))
        }
        seed => {
            options.config.seed = seed;
            model.ik()?
        }
    };
    found(py, ik, target, &options.config, options.raise_on_failure)
}

/// What the solver finds, or where it ends when that is wanted, or why there is nothing.
fn found(
    py: Python<'_>,
    ik: &Arc<InverseKinematics>,
    target: &Pose,
    config: &IKConfig,
    raise_on_failure: bool,
) -> Result<IKSolution> {
    let is_long = ik.may_take_long(config);
    // To start a thread takes as long as several attempts.
    if is_long
        && let Some(few) = ik.first_attempts(config)
        && let Ok(found) = py.detach(|| ik.solve(target, &few))
    {
        return Ok(found);
    }
    let solve = || if raise_on_failure { ik.solve(target, config) } else { ik.nearest(target, config) };
    interruptible_if(py, is_long, &config.stop, solve)?.map_err(|error| explained(py, ik, target, config, error))
}

/// The error with the nearest pose and the joints that stand at their limits in its message and as `stopped_by`, and with
/// the query, from which its report is worked out.
fn explained(
    py: Python<'_>,
    ik: &Arc<InverseKinematics>,
    target: &Pose,
    config: &IKConfig,
    error: KineticError,
) -> Error {
    if !is_unsolved(&error) {
        return error.into();
    }
    let once = IKConfig { num_restarts: 0, ..config.clone() };
    let look = || ik.what_stopped(target, config, &error);
    let diagnostic = match interruptible_if(py, ik.may_take_long(&once), &config.stop, look) {
        Ok(diagnostic) => diagnostic.ok().flatten(),
        Err(interrupted) => return interrupted,
    };
    let error = Error::from(error);
    let error = match diagnostic {
        Some(diagnostic) => with_diagnostic(py, error, &diagnostic),
        None => error,
    };
    with_question(py, error, ik, target, config)
}

/// A solution as a dictionary.
pub(crate) fn facts<'py>(py: Python<'py>, solution: &IKSolution) -> PyResult<Dict<'py>> {
    Dict::new(py)
        .with(intern!(py, "joints"), Array::vector(py, &solution.joints)?)?
        .with(intern!(py, "converged"), solution.converged)?
        .with(intern!(py, "position_error"), solution.position_error)?
        .with(intern!(py, "orientation_error"), solution.orientation_error)?
        .with(intern!(py, "iterations"), solution.iterations)?
        .with(intern!(py, "mode_used"), solution.mode_used.id())?
        .with(intern!(py, "solver_used"), solution.solver.id())?
        .with(intern!(py, "degraded"), solution.degraded)?
        .with(intern!(py, "condition_number"), solution.condition_number)
}
