//! The largest share of an effort limit that a trajectory uses, with a proven bound.

use kinetic_core::curve::Coefficients;
use kinetic_core::{Control, Result, TimedTrajectory};

use crate::effort_bounds::{EffortBounds, Judge};
use crate::feasibility::{LEAST_EFFORT, check_inputs};
use crate::interval::Interval;
use crate::model::DynamicsModel;

/// Shares below this are rounding: without it, a motion without efforts would be halved for ever.
const LEAST_SHARE: f64 = 1e-12;

/// Where a trajectory comes nearest to an effort limit, or exceeds one most.
#[derive(Debug, Clone, PartialEq)]
pub struct TorquePeak {
    /// Name of the joint.
    pub joint: String,
    /// When, s from the start.
    pub time: f64,
    /// The effort then, Nm or N, with its sign.
    pub effort: f64,
    /// The limit of the joint.
    pub limit: f64,
    /// `|effort| / limit`: 0 where no joint has a limit.
    pub ratio: f64,
    /// Proven for every joint at every instant: no effort is a larger share of its limit. At most `1 + tolerance` times `ratio`.
    pub bound: f64,
}

/// The largest `|effort| / limit` of a trajectory over joints and time, `limits` in Nm or N, one per joint, up to a share
/// `tolerance`; see [`check_trajectory_feasibility`](crate::check_trajectory_feasibility) for the method.
///
/// # Errors
/// As [`check_trajectory_feasibility`](crate::check_trajectory_feasibility).
pub fn torque_peak(
    model: &DynamicsModel,
    trajectory: &TimedTrajectory,
    limits: &[f64],
    tolerance: f64,
    control: &Control,
) -> Result<TorquePeak> {
    check_inputs(model, trajectory, limits, tolerance)?;
    let curve = trajectory.curve();
    let rows = |piece: usize| (0..curve.dof()).map(|joint| curve.coefficients(piece, joint)).collect::<Vec<_>>();
    let pieces: Vec<(f64, f64, Vec<&Coefficients>)> = (0..curve.pieces().max(1))
        .map(|piece| (curve.knots()[piece], curve.piece_duration(piece), rows(piece)))
        .collect();
    let mut bounds = EffortBounds::new(model, control);
    let mut search =
        PeakSearch { limits, tolerance, start: 0.0, joint: 0, time: 0.0, effort: 0.0, ratio: 0.0, bound: 0.0 };
    // What is known before the first interval spares most of them.
    for (start, duration, rows) in &pieces {
        search.start = *start;
        for time in [0.0, 0.5 * duration, *duration] {
            bounds.meet(rows, time, &mut search)?;
        }
    }
    for (start, duration, rows) in &pieces {
        search.start = *start;
        bounds.bisect(rows, *duration, tolerance, &mut search)?;
    }
    let PeakSearch { joint, time, effort, ratio, bound, .. } = search;
    let (name, limit) = (model.joint_names()[joint].clone(), limits[joint]);
    Ok(TorquePeak { joint: name, time, effort, limit, ratio, bound: bound.max(ratio) })
}

/// The largest share that was met, and the largest of a bound that was decided by.
struct PeakSearch<'a> {
    limits: &'a [f64],
    tolerance: f64,
    /// When the piece begins.
    start: f64,
    joint: usize,
    time: f64,
    effort: f64,
    ratio: f64,
    bound: f64,
}

/// Part of a limit.
fn share(effort: f64, limit: f64) -> f64 {
    if limit == f64::INFINITY || effort <= LEAST_EFFORT { 0.0 } else { effort / limit }
}

impl Judge for PeakSearch<'_> {
    fn meet(&mut self, time: f64, efforts: &[f64]) {
        for (joint, (&effort, &limit)) in efforts.iter().zip(self.limits).enumerate() {
            let ratio = share(effort.abs(), limit);
            if ratio > self.ratio {
                (self.joint, self.time, self.effort, self.ratio) = (joint, self.start + time, effort, ratio);
            }
        }
    }

    fn is_decided(&mut self, bounds: &[Interval]) -> bool {
        let shares = bounds.iter().zip(self.limits).map(|(bound, limit)| share(bound.magnitude(), *limit));
        let most = shares.fold(0.0_f64, f64::max);
        let is_decided = most <= self.ratio * (1.0 + self.tolerance) + LEAST_SHARE;
        if is_decided {
            self.bound = self.bound.max(most);
        }
        is_decided
    }
}
