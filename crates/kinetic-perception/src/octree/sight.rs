//! What is in the way between a viewpoint and points: occlusion.

use kinetic_core::error::check_finite;
use kinetic_core::{KineticError, Result};
use nalgebra::Point3;

use super::Octree;
use super::key::CellKey;
use super::nodes::UNKNOWN;
use super::rays::CellRay;

/// What a map says of a point as seen from a viewpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sight {
    /// All cells in between are free.
    Visible,
    /// An occupied cell is in between.
    Occluded,
    /// No occupied cell is in between as far as is known, and some of them are unknown.
    Unknown,
}

impl Octree {
    /// What is between a viewpoint and a point, both in the frame of the map, m. The cells of both do not count, nor do those that
    /// the line enters less than `tolerance` (m) before the point: cells of the surface that it lies on. Beyond the tree
    /// nothing is known.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`] for the viewpoint or the point; [`KineticError::InvalidValue`] for a viewpoint beyond the tree, and for
    /// a tolerance that is negative or no number.
    pub fn sight(&self, viewpoint: &Point3<f64>, point: &Point3<f64>, tolerance: f64) -> Result<Sight> {
        check_finite("viewpoint", viewpoint.coords.as_slice())?;
        check_finite("point", point.coords.as_slice())?;
        if !(tolerance >= 0.0) {
            return Err(KineticError::invalid("tolerance", tolerance, "a number of at least 0 (m)"));
        }
        let Some(first) = self.grid.key(viewpoint) else {
            let given = format!("{:?}", viewpoint.coords.as_slice());
            return Err(KineticError::invalid("viewpoint", given, "a point inside the tree"));
        };
        let way = point - viewpoint;
        let range = way.norm() - tolerance;
        if !(range > 0.0) {
            return Ok(Sight::Visible);
        }
        let last = self.grid.key(point);
        let mut sight = if last.is_some() { Sight::Visible } else { Sight::Unknown };
        let is_between = |cell: CellKey| cell != first && Some(cell) != last;
        let (mut place, mut cube) = self.nodes.leaf_at(first);
        let cells = CellRay::to_border(&self.grid, viewpoint, first, &way.normalize());
        for (cell, _) in cells.take_while(|(_, distance)| *distance < range).filter(|(cell, _)| is_between(*cell)) {
            if !cube.contains(cell) {
                (place, cube) = self.nodes.leaf_at(cell);
            }
            let value = self.nodes.value(place);
            if self.model.is_occupied(value) {
                return Ok(Sight::Occluded);
            }
            if value == UNKNOWN {
                sight = Sight::Unknown;
            }
        }
        Ok(sight)
    }
}
