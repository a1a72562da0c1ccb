//! Rays through the map.

use kinetic_core::{KineticError, Result};
use nalgebra::{Point3, Vector3};

use super::Octree;
use super::key::Cube;
use super::nodes::UNKNOWN;
use super::rays::CellRay;

impl Octree {
    /// The centre (m) of the first occupied cell that a ray enters within `max_range` (m, infinite for no bound); the cell of the
    /// origin counts, too. `None` where there is none, where the origin is beyond the tree, and where an unknown cell comes before,
    /// unless `ignore_unknown` says to pass through them.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`] for the origin or the direction, [`KineticError::InvalidValue`] for a direction of length 0 or
    /// a range that is negative.
    pub fn cast_ray(
        &self,
        origin: &Point3<f64>,
        direction: &Vector3<f64>,
        max_range: f64,
        ignore_unknown: bool,
    ) -> Result<Option<Point3<f64>>> {
        kinetic_core::error::check_finite("origin", origin.coords.as_slice())?;
        kinetic_core::error::check_finite("direction", direction.as_slice())?;
        // Scaled first, so that neither long nor short directions lose their length to rounding.
        let largest = direction.amax();
        if largest == 0.0 {
            return Err(KineticError::invalid("direction", "0, 0, 0", "a direction with a length"));
        }
        if !(max_range >= 0.0) {
            return Err(KineticError::invalid("max_range", max_range, "a number of at least 0 (m), or infinity"));
        }
        let direction = (direction / largest).normalize();
        Ok(self.first_hit(origin, &direction, max_range, ignore_unknown))
    }

    fn first_hit(
        &self,
        origin: &Point3<f64>,
        direction: &Vector3<f64>,
        max_range: f64,
        ignore_unknown: bool,
    ) -> Option<Point3<f64>> {
        let first = self.grid.key(origin)?;
        // A leaf is searched once for all of its cells.
        let (mut place, mut cube) = self.nodes.leaf_at(first);
        for (cell, distance) in CellRay::to_border(&self.grid, origin, first, direction) {
            if distance > max_range {
                return None;
            }
            if !cube.contains(cell) {
                (place, cube) = self.nodes.leaf_at(cell);
            }
            let value = self.nodes.value(place);
            if self.model.is_occupied(value) {
                return Some(self.grid.center(Cube { corner: cell, level: 0 }));
            }
            if value == UNKNOWN && !ignore_unknown {
                return None;
            }
        }
        None
    }
}
