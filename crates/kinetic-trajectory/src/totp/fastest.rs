//! The faster one of two shapes of a path.
//!
//! A first grid on each says how long its motion takes and how much of that a finer grid will gain. Short bends make wide
//! corners a matter of a few thousandths and of a grid that is several times as fine; they have to promise more, then.

use kinetic_core::{Result, TimedTrajectory};

use super::law::{Law, Start};
use super::stage::Further;

/// Part of the time that a finer grid has to gain per stage of the first one, and at most.
const GAIN_PER_STAGE: f64 = 1e-5;
const MOST_GAIN: f64 = 8e-3;

/// The faster motion; the first error when there is none.
fn faster(one: Result<TimedTrajectory>, other: Result<TimedTrajectory>) -> Result<TimedTrajectory> {
    match (&one, &other) {
        (Ok(first), Ok(second)) if second.duration() < first.duration() => other,
        (Err(_), Ok(_)) => other,
        _ => one,
    }
}

/// The faster motion with the corners that were asked for, or with wide ones.
pub(super) fn faster_of(narrow: &Law<'_>, wide: &Law<'_>) -> Result<TimedTrajectory> {
    let [of_narrow, of_wide] = [narrow.first_start()?, wide.first_start()?];
    if of_narrow.duration() <= of_wide.promise() * (1.0 + of_wide.least_gain()) {
        return narrow
            .timed(Some(of_narrow), None)
            .or_else(|error| faster(Err(error), wide.timed(Some(of_wide), None)));
    }
    let (promise, found) = (of_narrow.promise(), wide.timed(Some(of_wide), None));
    match found {
        Ok(found) if found.duration() <= promise => Ok(found),
        found => faster(narrow.timed(Some(of_narrow), None), found),
    }
}

/// The same under further limits, whose grids are fine from the beginning.
pub(super) fn faster_within(narrow: &Law<'_>, wide: &Law<'_>, further: &mut Further<'_>) -> Result<TimedTrajectory> {
    let found = narrow.timed(None, Some(&mut *further));
    faster(found, wide.timed(None, Some(further)))
}

impl Start<'_> {
    /// Infinite where no motion was found.
    fn duration(&self) -> f64 {
        self.losses.as_ref().map_or(f64::INFINITY, |losses| losses.duration)
    }

    /// About the duration on the grid that little will be lost on.
    fn promise(&self) -> f64 {
        self.losses.as_ref().map_or(f64::INFINITY, |losses| losses.duration - (losses.total() - self.allowed).max(0.0))
    }

    fn least_gain(&self) -> f64 {
        (GAIN_PER_STAGE * self.grid.stages.len() as f64).min(MOST_GAIN)
    }
}
