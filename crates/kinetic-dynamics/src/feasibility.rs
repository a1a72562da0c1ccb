//! Whether the efforts of a trajectory keep their limits at every instant, by bounds over intervals of time.

use kinetic_core::curve::Coefficients;
use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{Control, KineticError, Result, TimedTrajectory};

use crate::effort_bounds::{EffortBounds, Judge};
use crate::interval::Interval;
use crate::model::DynamicsModel;

/// Efforts below this are rounding, Nm or N.
pub(crate) const LEAST_EFFORT: f64 = 1e-9;

/// A joint whose effort exceeds its limit.
#[derive(Debug, Clone, PartialEq)]
pub struct EffortViolation {
    /// Name of the joint.
    pub joint: String,
    /// Index of the piece of the trajectory, from 0.
    pub piece: usize,
    /// When the effort is largest on the piece, s from the start.
    pub time: f64,
    /// The effort there, Nm or N, with its sign.
    pub effort: f64,
    /// The limit.
    pub limit: f64,
}

impl EffortViolation {
    /// As an error about the trajectory.
    pub fn error(&self) -> KineticError {
        KineticError::TrajectoryLimitExceeded {
            joint: self.joint.clone(),
            quantity: "torque".to_owned(),
            value: self.effort,
            limit: self.limit,
            time: self.time,
        }
    }
}

/// The violation that exceeds its limit by the largest share.
pub(crate) fn worst(violations: &[EffortViolation]) -> Option<&EffortViolation> {
    let share = |violation: &EffortViolation| violation.effort.abs() / violation.limit;
    violations.iter().max_by(|a, b| share(a).total_cmp(&share(b)))
}

/// Where the efforts of a trajectory exceed `limits` (Nm or N, one per joint): per piece and joint the largest effort, up to a
/// share `tolerance`. An empty result proves that all efforts stay below `(1 + tolerance) · limit` plus 1e-9 Nm or N at every
/// instant. `control` ends the search; its iterations are not counted.
///
/// Inverse dynamics over intervals bounds the efforts of an interval of time (Moore 1966), which is halved until its bounds
/// are below the limit or what is known to be exceeded.
///
/// # Errors
/// [`DimensionMismatch`](KineticError::DimensionMismatch) for a trajectory or limits of other joints,
/// [`NotFinite`](KineticError::NotFinite) or [`InvalidValue`](KineticError::InvalidValue) for a tolerance that is not positive
/// or too small to be reached, or a limit that is negative; what [`Control::error`] says when `control` ends the search.
pub fn check_trajectory_feasibility(
    model: &DynamicsModel,
    trajectory: &TimedTrajectory,
    limits: &[f64],
    tolerance: f64,
    control: &Control,
) -> Result<Vec<EffortViolation>> {
    let curve = trajectory.curve();
    check_inputs(model, trajectory, limits, tolerance)?;
    let mut bounds = EffortBounds::new(model, control);
    let mut violations = Vec::new();
    for piece in 0..curve.pieces().max(1) {
        let rows: Vec<&Coefficients> = (0..curve.dof()).map(|joint| curve.coefficients(piece, joint)).collect();
        let (start, duration) = (curve.knots()[piece], curve.piece_duration(piece));
        let mut search = ExcessSearch { limits, tolerance, worst: vec![Worst { time: 0.0, effort: 0.0 }; model.dof()] };
        for time in [0.0, duration] {
            bounds.meet(&rows, time, &mut search)?;
        }
        bounds.bisect(&rows, duration, tolerance, &mut search)?;
        for (joint, worst) in search.worst.iter().enumerate() {
            if worst.effort.abs() > limits[joint] + LEAST_EFFORT {
                let (name, time) = (model.joint_names()[joint].clone(), start + worst.time);
                let (effort, limit) = (worst.effort, limits[joint]);
                violations.push(EffortViolation { joint: name, piece, time, effort, limit });
            }
        }
    }
    Ok(violations)
}

/// Refuses what cannot be compared with limits.
pub(crate) fn check_inputs(
    model: &DynamicsModel,
    trajectory: &TimedTrajectory,
    limits: &[f64],
    tolerance: f64,
) -> Result<()> {
    check_len("joints of the trajectory", trajectory.dof(), model.dof())?;
    check_limits(model, limits)?;
    check_finite("tolerance", &[tolerance])?;
    if !(tolerance > 0.0) {
        return Err(KineticError::invalid("tolerance", tolerance, "a positive share of the limits"));
    }
    Ok(())
}

/// Refuses limits that are not those of a model.
pub(crate) fn check_limits(model: &DynamicsModel, limits: &[f64]) -> Result<()> {
    check_len("effort limits", limits.len(), model.dof())?;
    match limits.iter().find(|limit| !(**limit >= 0.0)) {
        Some(limit) => Err(KineticError::invalid("effort limit", limit, "at least 0")),
        None => Ok(()),
    }
}

/// The largest effort of a joint that was met.
#[derive(Clone, Copy)]
struct Worst {
    time: f64,
    effort: f64,
}

/// The largest efforts of a piece that exceed their limits.
struct ExcessSearch<'a> {
    limits: &'a [f64],
    tolerance: f64,
    worst: Vec<Worst>,
}

impl Judge for ExcessSearch<'_> {
    fn meet(&mut self, time: f64, efforts: &[f64]) {
        for (worst, &effort) in self.worst.iter_mut().zip(efforts) {
            if effort.abs() > worst.effort.abs() {
                *worst = Worst { time, effort };
            }
        }
    }

    /// True when no effort exceeds its limit, or the largest known one, by more than the tolerance.
    fn is_decided(&mut self, bounds: &[Interval]) -> bool {
        let known = self.limits.iter().zip(&self.worst).map(|(limit, worst)| limit.max(worst.effort.abs()));
        bounds
            .iter()
            .zip(known)
            .all(|(bound, known)| bound.magnitude() <= known * (1.0 + self.tolerance) + LEAST_EFFORT)
    }
}
