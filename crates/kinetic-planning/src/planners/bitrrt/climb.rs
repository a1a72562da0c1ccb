//! How much a motion climbs.

use kinetic_core::{Control, Result};

use crate::planners::configuration_cost::ConfigurationCost;
use crate::space::Space;
use crate::validity::Validity;

impl ConfigurationCost {
    /// The climbs of a motion, added up over pieces of at most `step`, from a configuration whose cost is known; and the cost of its
    /// end.
    ///
    /// # Errors
    /// Those of the cost, and what the control says: a cost can take long.
    pub(super) fn climb(
        &self,
        space: &Space,
        ((from, cost), to): ((&[f64], f64), &[f64]),
        step: f64,
        validity: &mut dyn Validity,
        (control, iterations): (&Control, u64),
    ) -> Result<(f64, f64)> {
        let pieces = (space.distance(from, to) / step).ceil().max(1.0);
        let (mut work, mut last, mut q) = (0.0, cost, from.to_vec());
        let mut piece = 1.0;
        while piece <= pieces {
            control.check(iterations)?;
            space.interpolate(from, to, piece / pieces, &mut q);
            let cost = self.of(space, &q, validity)?;
            work += (cost - last).max(0.0);
            (last, piece) = (cost, piece + 1.0);
        }
        Ok((work, last))
    }
}
