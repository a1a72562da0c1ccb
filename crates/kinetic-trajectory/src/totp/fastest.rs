//! Choice of the faster of two corner shapes.
//!
//! A first grid on each says how long its motion takes at most, and the estimate of lost time how much a finer grid gains.
//! Only the shape that is expected to be faster gets one.

use kinetic_core::{Result, TimedTrajectory};

use super::law::{Law, Start};
use super::stage::PathConstraints;

/// Part of the estimated loss on a first grid that a fine one gains back, on narrow and on wide corners: means of generated and
/// recorded paths. That of narrow corners is in truth between 0.15 and 0.45; it is taken low, since the first grid already bounds
/// their motion.
const GAIN_PER_LOSS: [f64; 2] = [0.2, 0.5];

/// Wide corners gain no more than all of the estimate and this part of the time, on first grids whose estimate is no larger part
/// of the time than `MAX_USABLE_TIME_LOSS`. A grid that loses more says too little.
const TIME_LOSS_ERROR: f64 = 3e-3;
const MAX_USABLE_TIME_LOSS: f64 = 0.06;

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
    let expected = [of_narrow.expected(GAIN_PER_LOSS[0]), of_wide.expected(GAIN_PER_LOSS[1])];
    if expected[0] <= expected[1] {
        let most = of_wide.least();
        let found = narrow.timed(Some(of_narrow), None);
        return found_or(found, most, || wide.timed(Some(of_wide), None));
    }
    // Within what the first grid on narrow corners takes, so that no motion is slower than the trapezoidal one.
    let most = of_narrow.duration();
    let found = wide.timed(Some(of_wide), None);
    found_or(found, most, || narrow.timed(Some(of_narrow), None))
}

/// What was found, if it takes no longer than `most`; else the faster one of it and the other.
fn found_or(
    found: Result<TimedTrajectory>,
    most: f64,
    other: impl FnOnce() -> Result<TimedTrajectory>,
) -> Result<TimedTrajectory> {
    match found {
        Ok(found) if found.duration() <= most => Ok(found),
        found => faster(found, other()),
    }
}

/// The same under path constraints, whose grids are fine from the beginning.
pub(super) fn faster_within(
    narrow: &Law<'_>,
    wide: &Law<'_>,
    constraints: &mut PathConstraints<'_>,
) -> Result<TimedTrajectory> {
    let found = narrow.timed(None, Some(&mut *constraints));
    faster(found, wide.timed(None, Some(constraints)))
}

impl Start<'_> {
    /// Infinite where no motion was found.
    fn duration(&self) -> f64 {
        self.found.as_ref().map_or(f64::INFINITY, |found| found.losses.duration)
    }

    /// Time that the first grid loses by the estimate; 0 where no motion was found.
    fn loss(&self) -> f64 {
        self.found.as_ref().map_or(0.0, |found| found.losses.total())
    }

    /// About the duration on a fine grid.
    fn expected(&self, gain_per_loss: f64) -> f64 {
        self.duration() - gain_per_loss * self.loss()
    }

    /// The duration on a fine grid at least; 0 where that is not known.
    fn least(&self) -> f64 {
        let loss = self.loss();
        if loss > MAX_USABLE_TIME_LOSS * self.duration() {
            0.0
        } else {
            (1.0 - TIME_LOSS_ERROR) * self.duration() - loss
        }
    }
}
