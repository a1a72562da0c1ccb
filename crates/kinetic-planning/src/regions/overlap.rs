//! Where regions overlap.

use super::largest_ball::largest_ball;
use super::region::ConvexRegion;

/// Overlaps into which no ball of this radius fits are none, a distance of the joint space.
const LEAST_RADIUS: f64 = 1e-3;

/// Two regions that have configurations in common.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Overlap {
    /// Their places, the smaller one first.
    pub(crate) regions: [usize; 2],
    /// A configuration in the middle of both: the centre of a ball in them.
    pub(crate) middle: Vec<f64>,
}

/// All overlaps, in the order of the places of the second region.
pub(super) fn overlaps(regions: &[ConvexRegion]) -> Vec<Overlap> {
    (1..=regions.len()).flat_map(|count| overlaps_of_last(&regions[..count])).collect()
}

/// The overlaps of the last region with those before it.
pub(super) fn overlaps_of_last(regions: &[ConvexRegion]) -> Vec<Overlap> {
    let Some((last, before)) = regions.split_last() else { return Vec::new() };
    let overlap = |(place, region): (usize, &ConvexRegion)| {
        let (middle, radius) = largest_ball([&region.polytope, &last.polytope], last.dof())?;
        (radius >= LEAST_RADIUS).then_some(Overlap { regions: [place, before.len()], middle })
    };
    before.iter().enumerate().filter_map(overlap).collect()
}
