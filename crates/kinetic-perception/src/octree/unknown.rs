//! Space that nothing is known of, and how known space becomes unknown again.

use kinetic_core::{KineticError, Result};
use nalgebra::Point3;

use super::Octree;
use super::key::{Cube, KeyBox, cell_of};
use super::leaves::MOST_LISTED_CELLS;
use super::nodes::{NodePlace, Nodes, UNKNOWN};

/// A cube of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellCube {
    /// The lowest cell: it reaches from `resolution · cell` to the next ones.
    pub cell: [i32; 3],
    /// Cells along an edge.
    pub edge: u32,
}

impl Octree {
    /// The unknown cells of the box between two corners (m), as cubes that do not overlap, in a fixed order. The cells of the corners
    /// are in the box; what lies beyond the tree does not count.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] unless the corners are a lowest and a highest one, and for more than 2²⁶ cubes.
    pub fn unknown_cells(&self, low: &Point3<f64>, high: &Point3<f64>) -> Result<Vec<CellCube>> {
        let mut found = Vec::new();
        if let Some(bounds) = self.key_box(low, high)? {
            self.collect_unknown(Some(Nodes::ROOT), Cube::ROOT, &bounds, &mut found)?;
        }
        Ok(found)
    }

    /// Collects unknown cells of a cube, which has a node unless all of it is unknown.
    fn collect_unknown(
        &self,
        place: Option<NodePlace>,
        cube: Cube,
        bounds: &KeyBox,
        found: &mut Vec<CellCube>,
    ) -> Result<()> {
        let place = place.filter(|place| self.nodes.value(*place) != UNKNOWN);
        if !bounds.meets(cube) || place.is_some_and(|place| !self.nodes.has_children(place)) {
            return Ok(());
        }
        if place.is_none() && bounds.covers(cube) {
            if found.len() == MOST_LISTED_CELLS {
                let wanted = format!("one with at most {MOST_LISTED_CELLS} cubes of unknown cells");
                return Err(KineticError::invalid("box", "a larger one", wanted));
            }
            found.push(CellCube { cell: cell_of(cube.corner), edge: cube.edge() });
            return Ok(());
        }
        for octant in 0..8 {
            let child = place.and_then(|place| self.nodes.child(place, octant));
            self.collect_unknown(child, cube.octant(octant), bounds, found)?;
        }
        Ok(())
    }

    /// Moves all that is known towards unknown: multiplies log-odds by `factor`, between 0 and 1, and forgets the leaves whose
    /// log-odds are within `±forget_below` afterwards.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a factor outside, or a bound that is negative or NaN.
    pub fn decay(&mut self, factor: f64, forget_below: f64) -> Result<()> {
        if !(0.0..=1.0).contains(&factor) {
            return Err(KineticError::invalid("factor", factor, "between 0 and 1"));
        }
        if !(forget_below >= 0.0) {
            return Err(KineticError::invalid("forget_below", forget_below, "log-odds of at least 0"));
        }
        let changed = |value: f32| {
            let value = (f64::from(value) * factor) as f32;
            if f64::from(value.abs()) <= forget_below { UNKNOWN } else { value }
        };
        self.nodes.map_leaves(Nodes::ROOT, &changed);
        Ok(())
    }
}
