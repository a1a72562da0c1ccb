//! Where a constant speed of the tool cannot be held, and which limit of which joint is in the way.

use kinetic_core::{Limits, PiecewisePolynomial};

use super::result::SpeedLoss;
use super::timing::TimedTool;
use super::tracking::Tracker;

/// Part of the wanted speed from which it counts as held: rows of the time law and their proof leave some.
const HELD_SPEED_RATIO: f64 = 0.995;
/// A limit of which a joint uses this part is reached: between grid points of the time law there is some to spare. Where none is,
/// the rows that hold the speed are what slows the tool.
const REACHED_LIMIT_RATIO: f64 = 0.9;
/// The tool translates where the path does by this part of its length at least.
const TRANSLATION_RATIO: f64 = 1e-3;

/// Arc lengths are found to this by Newton's method, m.
const ARC_LENGTH_ERROR_M: f64 = 1e-7;

/// A moment with what the joints do.
struct Use {
    arc_length: f64,
    speed: f64,
    /// Joint that uses most of a limit, how much of it, and which.
    joint: usize,
    share: f64,
    quantity: &'static str,
}

/// The intervals of the path on which the tool is slower than `wanted`.
pub(crate) fn speed_losses(
    timed: &TimedTool,
    tracker: &mut Tracker<'_>,
    limits: &Limits,
    names: &[String],
    wanted: f64,
) -> Vec<SpeedLoss> {
    let curve = timed.trajectory.curve();
    let mut losses = Vec::new();
    for (ends, begin, run) in &timed.runs {
        let mut slow: Vec<Use> = Vec::new();
        for moment in &run.moments {
            let (time, arc_length) = (begin + moment.time, moment.arc_length);
            let speed = tracker.speeds(curve, time)[0];
            if tracker.translates(arc_length, TRANSLATION_RATIO) && speed < HELD_SPEED_RATIO * wanted {
                slow.push(used(curve, limits, (time, arc_length), speed));
            } else {
                losses.extend(loss(&slow, *ends, names));
                slow.clear();
            }
        }
        losses.extend(loss(&slow, *ends, names));
    }
    losses
}

/// How much of its limits the joint uses that uses most.
fn used(curve: &PiecewisePolynomial, limits: &Limits, (time, arc_length): (f64, f64), speed: f64) -> Use {
    let mut most = Use { arc_length, speed, joint: 0, share: 0.0, quantity: "acceleration" };
    for (order, quantity, bounds) in [(1, "velocity", &limits.velocity), (2, "acceleration", &limits.acceleration)] {
        for (joint, (value, bound)) in curve.sample(time, order).iter().zip(bounds).enumerate() {
            let share = value.abs() / bound;
            if share > most.share {
                most = Use { joint, share, quantity, ..most };
            }
        }
    }
    most
}

/// An interval of slow moments. The tool is slowest where the limit is in the way; next to a stop that is the stop itself, and
/// the limit is the one that is used most on the way.
fn loss(slow: &[Use], ends: [f64; 2], names: &[String]) -> Option<SpeedLoss> {
    let (first, last) = (slow.first()?, slow.last()?);
    let by_speed = |a: &&Use, b: &&Use| a.speed.total_cmp(&b.speed);
    let by_share = |a: &&Use, b: &&Use| a.share.total_cmp(&b.share);
    let slowest = slow.iter().min_by(by_speed)?;
    let is_at_stop =
        first.arc_length <= ends[0] + ARC_LENGTH_ERROR_M || last.arc_length >= ends[1] - ARC_LENGTH_ERROR_M;
    let limiting = if is_at_stop { slow.iter().max_by(by_share)? } else { slowest };
    let is_reached = limiting.share >= REACHED_LIMIT_RATIO;
    Some(SpeedLoss {
        from: first.arc_length,
        to: last.arc_length,
        speed: slowest.speed,
        joint: is_reached.then(|| names[limiting.joint].clone()),
        quantity: is_reached.then_some(limiting.quantity),
        is_at_stop,
    })
}
