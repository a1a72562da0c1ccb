//! Time laws under torque limits.

use kinetic_core::{
    ContentHash, Control, KineticError, Limits, PiecewisePolynomial, Result, TimedTrajectory, Trajectory,
};
use kinetic_trajectory::totp;
use kinetic_trajectory::{TimeLawSpec, TimingOptions, prepared, stretched};

use crate::feasibility::{check_limits, worst};
use crate::model::DynamicsModel;
use crate::retiming::{PROOF_RESERVE, PROOF_TOLERANCE, Retiming};
use crate::torque_peak::{TorquePeak, torque_peak};

/// Effort limits of a robot: Nm or N, one per joint of the model, infinite where there is none.
#[derive(Debug, Clone)]
pub struct TorqueLimits<'a> {
    model: &'a DynamicsModel,
    limits: Vec<f64>,
    /// What motions are made for.
    usable: Vec<f64>,
}

impl<'a> TorqueLimits<'a> {
    /// Limits of a model's joints.
    ///
    /// # Errors
    /// [`DimensionMismatch`](KineticError::DimensionMismatch) or [`InvalidValue`](KineticError::InvalidValue) for limits of
    /// other joints or below 0.
    pub fn new(model: &'a DynamicsModel, limits: &[f64]) -> Result<Self> {
        check_limits(model, limits)?;
        let usable = limits.iter().map(|limit| limit * (1.0 - PROOF_RESERVE)).collect();
        Ok(Self { model, limits: limits.to_vec(), usable })
    }

    /// The limits that the robot's description states.
    ///
    /// # Errors
    /// [`InvalidValue`](KineticError::InvalidValue) where it states none.
    pub fn of_description(model: &'a DynamicsModel) -> Result<Self> {
        if model.effort_limits().iter().all(|limit| *limit == f64::INFINITY) {
            let wanted = format!("a description of \"{}\" that states some", model.robot_name());
            return Err(KineticError::invalid("effort limits", "none", wanted));
        }
        Self::new(model, model.effort_limits())
    }

    /// Identifies the limits and the model that they are of: see [`DynamicsModel::content_hash`].
    pub fn content_hash(&self) -> ContentHash {
        self.model.content_hash_under(&self.limits)
    }

    /// How much of its limits a trajectory uses: [`TorquePeak::bound`] is at most 1 where all of them are kept.
    ///
    /// # Errors
    /// As [`torque_peak`].
    pub fn peak(&self, trajectory: &TimedTrajectory, control: &Control) -> Result<TorquePeak> {
        let peak = torque_peak(self.model, trajectory, &self.limits, PROOF_TOLERANCE, control)?;
        if peak.ratio < 1.0 && peak.bound > 1.0 {
            let tolerance = (0.5 * (1.0 / peak.ratio - 1.0)).max(f64::EPSILON.sqrt());
            return torque_peak(self.model, trajectory, &self.limits, tolerance, control);
        }
        Ok(peak)
    }

    /// As [`time_parameterize_with`](kinetic_trajectory::time_parameterize_with), with efforts that are proven to keep their
    /// limits at every instant.
    ///
    /// A motion that keeps them without further ado is that of the law. Otherwise the law `totp` takes them as constraints of
    /// its own, `τ = M γ′ s̈ + (M γ″ + C(γ, γ′) γ′) ṡ² + g ≤ limit` (Pham and Pham 2018). These rows hold at the points of a grid,
    /// so efforts are bounded over intervals of time, and rows are tightened where a limit is exceeded, until none is. Every
    /// other law keeps its shape: the whole motion becomes slower, as little as suffices. 0.1 % of each limit is kept for the
    /// proof.
    ///
    /// # Errors
    /// As `time_parameterize_with`; [`StaticTorqueExceeded`](KineticError::StaticTorqueExceeded) where no motion along the path
    /// keeps a limit; [`TrajectoryLimitExceeded`](KineticError::TrajectoryLimitExceeded) with joint, effort, limit and time
    /// where none was found: with velocities at the ends or a wanted duration, for which a motion cannot be slowed.
    pub fn time_parameterize(
        &self,
        law: &TimeLawSpec,
        (path, control): (&Trajectory, &Control),
        limits: &Limits,
        options: &TimingOptions,
        accept: &mut dyn FnMut(&PiecewisePolynomial) -> bool,
    ) -> Result<TimedTrajectory> {
        let (geometry, limits) = prepared((path, control), law, limits, options, accept)?;
        let job = Retiming { model: self.model, limits: &self.limits, usable: &self.usable, path, control };
        let plain = (law.apply)(&geometry, &limits)?;
        let exceeded = job.violations(&plain)?;
        let may_be_slowed = options.start_velocity.is_none() && options.end_velocity.is_none();
        let mut timed = match worst(&exceeded) {
            None => plain,
            Some(_) if law.id == totp::ID && may_be_slowed => {
                faster(job.optimal(&geometry, &limits), job.slowed(&plain, &exceeded))?
            }
            Some(_) if law.id == totp::ID => job.optimal(&geometry, &limits)?,
            Some(_) if may_be_slowed => job.slowed(&plain, &exceeded)?,
            Some(worst) => return Err(worst.error()),
        };
        if let Some(duration) = options.duration {
            timed = stretched(&timed, duration)?;
            // Slower is not always easier: viscous drag shrinks less than what it makes up for.
            if let Some(worst) = worst(&job.violations(&timed)?) {
                return Err(worst.error());
            }
        }
        control.check(0)?;
        Ok(timed.with_shared_identity(path.identity().cloned()))
    }
}

/// The faster motion; the first error where there is none.
fn faster(one: Result<TimedTrajectory>, other: Result<TimedTrajectory>) -> Result<TimedTrajectory> {
    match (&one, &other) {
        (Ok(first), Ok(second)) if second.duration() < first.duration() => other,
        (Err(_), Ok(_)) => other,
        _ => one,
    }
}
