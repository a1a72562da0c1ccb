//! Regions as numbers, which pickle stores, and as text.

use kinetic::core::error::check_len;
use kinetic::core::{Goal, PoseRegion};

use crate::convert::PoseParts;
use crate::error::Result;

/// Numbers of a stored region: its centre, and both tolerances.
const NUMBERS: usize = 7 + 3 + 3;

/// What pickle stores of a region.
pub(crate) fn numbers_of_region(region: &PoseRegion) -> Vec<f64> {
    [&PoseParts::of(&region.base_from_centre)[..], &region.position_tolerance, &region.orientation_tolerance].concat()
}

/// The region that pickle stored.
pub(crate) fn region_of_numbers(numbers: &[f64]) -> Result<Goal> {
    check_len("stored region", numbers.len(), NUMBERS)?;
    let (centre, tolerances) = numbers.split_at(7);
    let three = |first: usize| [tolerances[first], tolerances[first + 1], tolerances[first + 2]];
    Ok(Goal::region(PoseRegion::new(PoseParts::to_pose(centre)?, three(0), three(3))?))
}

pub(crate) fn repr_of_region(region: &PoseRegion) -> String {
    let centre = region.base_from_centre.translation();
    let (position, orientation) = (region.position_tolerance, region.orientation_tolerance);
    format!("Goal.region(<{:?} m>, {position:?}, {orientation:?})", centre.as_slice())
}
