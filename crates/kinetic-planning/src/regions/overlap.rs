//! Where regions overlap.

use kinetic_core::parallel::in_chunks;
use kinetic_core::{Control, Result};

use super::largest_ball::largest_ball;
use super::region::ConvexRegion;

/// Overlaps into which no ball of this radius fits are none, a distance of the joint space.
const LEAST_RADIUS: f64 = 2e-5;

/// Pairs of regions that are worth a thread.
const OVERLAPS_PER_THREAD: usize = 4;

/// Two regions that have configurations in common.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Overlap {
    /// Their places, the smaller one first.
    pub(crate) regions: [usize; 2],
    /// A configuration in both: the centre of the largest ball in them, or an end of the edge that one of them grew around.
    pub(crate) middle: Vec<f64>,
    /// Whether the way from seed to seed over the middle is free; of regions from elsewhere that was not looked at, and is assumed.
    pub(crate) is_passable: bool,
}

/// All overlaps, in the order of the places of the second region.
///
/// # Errors
/// What [`Control::check`] says.
pub(super) fn overlaps(regions: &[ConvexRegion], control: &Control) -> Result<Vec<Overlap>> {
    let of_each = regions.iter().enumerate().map(|(place, region)| overlaps_with(region, &regions[..place], control));
    Ok(of_each.collect::<Result<Vec<_>>>()?.concat())
}

/// The overlaps of a region with those before it.
///
/// # Errors
/// What [`Control::check`] says.
pub(super) fn overlaps_with(region: &ConvexRegion, before: &[ConvexRegion], control: &Control) -> Result<Vec<Overlap>> {
    let mut found = vec![None; before.len()];
    in_chunks(&mut found, 1, OVERLAPS_PER_THREAD, |first, found| {
        for (place, overlap) in (first..).zip(found) {
            if control.is_over(0) {
                return;
            }
            let largest = largest_ball([&before[place].polytope, &region.polytope], region.dof());
            let middle = largest.filter(|(_, radius)| *radius >= LEAST_RADIUS).map(|(middle, _)| middle);
            *overlap = middle.map(|middle| Overlap { regions: [place, before.len()], middle, is_passable: true });
        }
    });
    control.check(0)?;
    Ok(found.into_iter().flatten().collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // Tests fail by panicking.
mod tests {
    use std::sync::Arc;

    use kinetic_core::{KineticError, ManualClock, StopFlag};

    use super::*;

    #[test]
    fn regions_overlap_where_they_have_a_ball_in_common_unless_the_search_is_stopped() {
        let square = |x: f64| {
            let normals = [1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, -1.0];
            ConvexRegion::from_faces(2, &normals, &[x + 1.0, 1.0 - x, 1.0, 1.0]).unwrap()
        };
        // Each of the first six is there twice; those next to each other only touch.
        let regions: Vec<_> = (0..12).map(|place| square(f64::from(place % 6) * 2.0)).collect();
        let found = overlaps(&regions, &Control::default()).unwrap();
        let pairs: Vec<_> = found.iter().map(|overlap| overlap.regions).collect();
        assert_eq!(pairs, (6..12).map(|place| [place - 6, place]).collect::<Vec<_>>());
        for Overlap { regions: pair, middle, .. } in &found {
            assert!(pair.iter().all(|place| regions[*place].contains(middle).unwrap()), "{pair:?}: {middle:?}");
        }
        let stop = StopFlag::default();
        stop.stop();
        let stopped = Control::new(Arc::new(ManualClock::default()), f64::INFINITY, u64::MAX, stop);
        assert!(matches!(overlaps(&regions, &stopped), Err(KineticError::Cancelled { .. })));
    }
}
