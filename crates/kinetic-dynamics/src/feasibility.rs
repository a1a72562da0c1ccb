//! Whether the efforts of a trajectory keep their limits at every instant, by bounds over intervals of time.

use kinetic_core::curve::{Coefficients, enclosure, evaluate};
use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{Control, KineticError, Result, TimedTrajectory};

use crate::data::{DynamicsData, Workspace};
use crate::interval::Interval;
use crate::model::DynamicsModel;
use crate::recursions;

/// Intervals that are looked at per piece: some seconds.
const MOST_INTERVALS: usize = 1 << 21;
/// Intervals between two readings of the clock, some microseconds each.
const INTERVALS_PER_CLOCK: usize = 256;
/// Efforts below this are rounding, Nm or N.
const LEAST_EFFORT: f64 = 1e-9;

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
    check_len("joints of the trajectory", curve.dof(), model.dof())?;
    check_len("effort limits", limits.len(), model.dof())?;
    check_finite("tolerance", &[tolerance])?;
    if !(tolerance > 0.0) {
        return Err(KineticError::invalid("tolerance", tolerance, "a positive share of the limits"));
    }
    if let Some(limit) = limits.iter().find(|limit| !(**limit >= 0.0)) {
        return Err(KineticError::invalid("effort limit", limit, "at least 0"));
    }
    let mut search = Search::new(model, limits, tolerance, control);
    let mut violations = Vec::new();
    for piece in 0..curve.pieces().max(1) {
        let rows: Vec<&Coefficients> = (0..curve.dof()).map(|joint| curve.coefficients(piece, joint)).collect();
        search.piece(&rows, curve.piece_duration(piece))?;
        let start = curve.knots()[piece];
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

/// The largest effort of a joint that was met.
#[derive(Clone, Copy)]
struct Worst {
    time: f64,
    effort: f64,
}

/// Branch and bound over one piece at a time.
struct Search<'a> {
    model: &'a DynamicsModel,
    limits: &'a [f64],
    tolerance: f64,
    control: &'a Control,
    data: DynamicsData,
    work: Workspace<Interval>,
    bounds: Vec<Interval>,
    worst: Vec<Worst>,
}

impl<'a> Search<'a> {
    fn new(model: &'a DynamicsModel, limits: &'a [f64], tolerance: f64, control: &'a Control) -> Self {
        let zero = Interval { low: 0.0, high: 0.0 };
        Self {
            model,
            limits,
            tolerance,
            control,
            data: model.data(),
            work: Workspace::new(model),
            bounds: vec![zero; model.dof()],
            worst: vec![Worst { time: 0.0, effort: 0.0 }; model.dof()],
        }
    }

    fn piece(&mut self, rows: &[&Coefficients], duration: f64) -> Result<()> {
        self.worst.fill(Worst { time: 0.0, effort: 0.0 });
        for time in [0.0, duration] {
            self.meet(rows, time)?;
        }
        let mut open = vec![(0.0, duration)];
        for count in 0..MOST_INTERVALS {
            let Some((start, end)) = open.pop() else { return Ok(()) };
            if count % INTERVALS_PER_CLOCK == 0 {
                self.control.check(0)?;
            }
            if !self.is_known(rows, start, end) {
                let middle = f64::midpoint(start, end);
                self.meet(rows, middle)?;
                open.extend([(middle, end), (start, middle)]);
            }
        }
        let wanted = format!("a larger one: {MOST_INTERVALS} intervals of a piece do not decide it");
        Err(KineticError::invalid("tolerance", self.tolerance, wanted))
    }

    /// Takes the efforts at an instant into account.
    fn meet(&mut self, rows: &[&Coefficients], time: f64) -> Result<()> {
        let at = |order: usize| rows.iter().map(|row| evaluate(row, order, time)).collect::<Vec<f64>>();
        let mut tau = vec![0.0; self.model.dof()];
        self.model.inverse_dynamics_into(&mut self.data, [&at(0), &at(1), &at(2)], &[], &mut tau)?;
        for (worst, effort) in self.worst.iter_mut().zip(tau) {
            if effort.abs() > worst.effort.abs() {
                *worst = Worst { time, effort };
            }
        }
        Ok(())
    }

    /// True when no effort between two instants exceeds its limit, or the largest known one, by more than the tolerance.
    fn is_known(&mut self, rows: &[&Coefficients], start: f64, end: f64) -> bool {
        let over = |order: usize| {
            let interval = |row: &&Coefficients| {
                let (low, high) = enclosure(row, order, start, end);
                Interval { low, high }
            };
            rows.iter().map(interval).collect::<Vec<Interval>>()
        };
        let inputs = [&over(0)[..], &over(1), &over(2)];
        recursions::inverse_dynamics(self.model, &mut self.work.states, inputs, |_| (), &mut self.bounds);
        let known = self.limits.iter().zip(&self.worst).map(|(limit, worst)| limit.max(worst.effort.abs()));
        self.bounds
            .iter()
            .zip(known)
            .all(|(bound, known)| bound.magnitude() <= known * (1.0 + self.tolerance) + LEAST_EFFORT)
    }
}
