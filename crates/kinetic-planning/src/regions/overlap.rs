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

/// All overlaps, in the order of the places of their regions.
pub(super) fn overlaps(regions: &[ConvexRegion]) -> Vec<Overlap> {
    let mut found = Vec::new();
    for b in 0..regions.len() {
        for a in 0..b {
            let both = [&regions[a].polytope, &regions[b].polytope];
            if let Some((middle, radius)) = largest_ball(both, regions[a].dof())
                && radius >= LEAST_RADIUS
            {
                found.push(Overlap { regions: [a, b], middle });
            }
        }
    }
    found
}
