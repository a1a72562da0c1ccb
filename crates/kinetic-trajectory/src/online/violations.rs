//! Which limits of a motion a curve does not hold.

use kinetic_core::PiecewisePolynomial;
use kinetic_core::curve::{Coefficients, enclosure, evaluate, extremes, tight_enclosure};

use crate::check::{RELATIVE_TOLERANCE, TrajectoryViolation, ViolationKind};
use crate::state::{AxisLimits, MotionLimits};

/// By order of the derivative, from the first on.
const KINDS: [ViolationKind; 3] = [ViolationKind::Velocity, ViolationKind::Acceleration, ViolationKind::Jerk];

/// True when velocity and acceleration stay inside the limits on a part of a piece, by bounds of the polynomials.
pub(super) fn is_piece_inside(rows: &[Coefficients], span: [f64; 2], limits: &MotionLimits) -> bool {
    let holds = |(row, axis): (&Coefficients, &AxisLimits)| {
        is_derivative_inside(row, 1, span, axis.velocity) && is_derivative_inside(row, 2, span, axis.acceleration)
    };
    rows.iter().zip(limits.axes()).all(holds)
}

/// The same of jerk.
pub(super) fn is_jerk_inside(rows: &[Coefficients], span: [f64; 2], limits: &MotionLimits) -> bool {
    rows.iter().zip(limits.axes()).all(|(row, axis)| is_derivative_inside(row, 3, span, axis.jerk))
}

fn is_derivative_inside(row: &Coefficients, order: usize, [from, to]: [f64; 2], limits: [f64; 2]) -> bool {
    let tolerance = slack(limits) / 2.0;
    is_range_inside(enclosure(row, order, from, to), limits)
        || is_range_inside(tight_enclosure(row, order, from, to, tolerance), limits)
}

/// True when a range of values is inside the limits, up to their tolerance.
pub(super) fn is_range_inside((low, high): (f64, f64), limits: [f64; 2]) -> bool {
    let slack = slack(limits);
    low >= limits[0] - slack && high <= limits[1] + slack
}

/// By how much a value may exceed its limits.
fn slack([lowest, highest]: [f64; 2]) -> f64 {
    RELATIVE_TOLERANCE * (highest - lowest)
}

/// The worst violation of each joint and kind, joint by joint. Waypoints are those of a single segment.
pub(super) fn violations(
    curve: &PiecewisePolynomial,
    limits: &MotionLimits,
) -> impl Iterator<Item = TrajectoryViolation> {
    let beyond = |found: &TrajectoryViolation| (found.value - found.limit).abs();
    let worst =
        move |joint, order| excesses(curve, limits, joint, order).max_by(|a, b| beyond(a).total_cmp(&beyond(b)));
    (0..curve.dof()).flat_map(move |joint| (1..=KINDS.len()).filter_map(move |order| worst(joint, order)))
}

/// Where a derivative of a joint is outside its limits: at most once per piece and side.
fn excesses(
    curve: &PiecewisePolynomial,
    limits: &MotionLimits,
    joint: usize,
    order: usize,
) -> impl Iterator<Item = TrajectoryViolation> {
    let axis = limits.axes()[joint];
    let limits = [axis.velocity, axis.acceleration, axis.jerk][order - 1];
    let ([lowest, highest], slack) = (limits, slack(limits));
    let (least, most) = (lowest - slack, highest + slack);
    (0..curve.pieces())
        .flat_map(move |piece| {
            let (row, duration) = (curve.coefficients(piece, joint), curve.piece_duration(piece));
            if is_range_inside(enclosure(row, order, 0.0, duration), limits) {
                return [None, None];
            }
            let tight = extremes(row, order, 0.0, duration, slack / 2.0);
            let found = |limit: f64, at: f64| TrajectoryViolation {
                waypoint: 0,
                joint,
                kind: KINDS[order - 1],
                value: evaluate(row, order, at),
                limit,
                time: curve.knots()[piece] + at,
            };
            [
                (!(tight.low >= least)).then(|| found(lowest, tight.low_at)),
                (!(tight.high <= most)).then(|| found(highest, tight.high_at)),
            ]
        })
        .flatten()
}
