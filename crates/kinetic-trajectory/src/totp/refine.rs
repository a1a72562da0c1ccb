//! Refinement of the grid where a coarse one loses time.
//!
//! A stage that is cut into n loses about 1 / n of what it [lost](super::time_loss). The sum over all stages is smallest, for a
//! number of them, where n is proportional to the root of what is lost; the factor follows from what may be lost in all.

use super::parts::whole;
use super::reachability::{Blocked, Profile, profile};
use super::stage::StageGrid;
use super::time_loss::TimeLosses;

/// Of a number of stages this is cut off before it is rounded up.
const STAGE_COUNT_ROUNDING: f64 = 0.3;

/// Multiple of what may be lost at which the search ends: cutting once more would cost more than it gains.
const ACCEPTED_TIME_LOSS_RATIO: f64 = 1.04;

/// Times that a grid is cut anew.
const MAX_REFINEMENTS: usize = 4;

/// A stage is cut in at most this many parts at once.
const MAX_STAGE_DIVISION: f64 = 32.0;

/// Parts of every stage where no speed was found, and how often this is tried.
const STAGE_DIVISION_IF_INFEASIBLE: usize = 4;
const MAX_ATTEMPTS_IF_INFEASIBLE: usize = 2;

/// The fastest profile on a grid, and the time that it loses there.
pub(super) struct MeasuredProfile {
    pub(super) profile: Profile,
    pub(super) losses: TimeLosses,
}

impl MeasuredProfile {
    /// From the squared speed `ends[0]` to `ends[1]`.
    pub(super) fn new(grid: &StageGrid<'_>, ends: [f64; 2]) -> Result<Self, Blocked> {
        let profile = profile(grid, ends)?;
        let losses = TimeLosses::new(grid, &profile);
        Ok(Self { profile, losses })
    }
}

/// The fastest profile on `grid`, which gets finer until no more than the `allowed` part of the time is lost, from what was
/// `found` on it.
pub(super) fn refined_profile(
    grid: &mut StageGrid<'_>,
    mut found: Result<MeasuredProfile, Blocked>,
    ends: [f64; 2],
    allowed: f64,
) -> Result<MeasuredProfile, Blocked> {
    for round in 0..MAX_REFINEMENTS {
        if let Ok(MeasuredProfile { losses, .. }) = &found {
            let total = losses.total();
            // A sum without end tells nothing of where to cut.
            if !(total > ACCEPTED_TIME_LOSS_RATIO * allowed * losses.duration && total.is_finite()) {
                break;
            }
            let per_root = losses.stages.iter().map(|loss| loss.sqrt()).sum::<f64>() / (allowed * losses.duration);
            cut(grid, |index| {
                whole((per_root * losses.stages[index].sqrt() - STAGE_COUNT_ROUNDING).min(MAX_STAGE_DIVISION))
            });
        } else if round >= MAX_ATTEMPTS_IF_INFEASIBLE || matches!(found, Err(Blocked::Over)) {
            break;
        } else {
            cut(grid, |_| STAGE_DIVISION_IF_INFEASIBLE);
        }
        found = MeasuredProfile::new(grid, ends);
    }
    found
}

/// Cuts every stage of a bend, by its index, into equal parts.
fn cut(grid: &mut StageGrid<'_>, parts: impl Fn(usize) -> usize) {
    let coarse = std::mem::take(&mut grid.stages);
    grid.stages.reserve((0..coarse.len()).map(|index| parts(index).max(1)).sum());
    for (index, stage) in coarse.into_iter().enumerate() {
        if stage.acceleration.is_finite() {
            grid.stages.push(stage);
        } else {
            grid.push_bend(stage.element, [stage.offset, stage.length], parts(index).max(1));
        }
    }
}
