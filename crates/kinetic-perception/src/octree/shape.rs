//! What is occupied, and what is unknown, as shapes for a scene.

use kinetic_core::{KineticError, Result, Shape};
use nalgebra::Point3;

use super::Octree;

/// Cells that a shape of unknown space may have.
const MOST_UNKNOWN_CELLS: u64 = 1 << 24;

impl Octree {
    /// The occupied cells as one shape in the frame of the map.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] where nothing is occupied, and for more than 2²⁶ cells.
    pub fn occupied_shape(&self) -> Result<Shape> {
        named_shape(self, &self.occupied_cells()?, "occupied")
    }

    /// Cells of the map as one shape in its frame.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] without cells.
    pub fn shape_of(&self, cells: &[[i32; 3]]) -> Result<Shape> {
        Shape::voxels(cells, self.config().resolution)
    }

    /// The unknown cells of the box between two corners (m) at the finest resolution, in a fixed order. The cells of the corners are in
    /// the box.
    ///
    /// # Errors
    /// Those of [`unknown_cells`](Self::unknown_cells), and [`KineticError::InvalidValue`] for more than 2²⁴ cells.
    pub fn unknown_list(&self, low: &Point3<f64>, high: &Point3<f64>) -> Result<Vec<[i32; 3]>> {
        let cubes = self.unknown_cells(low, high)?;
        let count: u64 = cubes.iter().map(|cube| u64::from(cube.edge).pow(3)).sum();
        if count > MOST_UNKNOWN_CELLS {
            let given = format!("{count} unknown cells between {low} and {high}");
            let wanted = format!("a box with at most {MOST_UNKNOWN_CELLS} of them; a larger resolution has fewer");
            return Err(KineticError::invalid("box", given, wanted));
        }
        let mut cells = Vec::with_capacity(count as usize);
        for cube in &cubes {
            let [x, y, z] = cube.cell;
            let edge = cube.edge.cast_signed();
            for k in z..z + edge {
                for j in y..y + edge {
                    cells.extend((x..x + edge).map(|i| [i, j, k]));
                }
            }
        }
        Ok(cells)
    }

    /// The cells of [`unknown_list`](Self::unknown_list) as one shape in the frame of the map, for what no sensor has seen.
    ///
    /// # Errors
    /// Those of [`unknown_list`](Self::unknown_list), and [`KineticError::InvalidValue`] where nothing is unknown.
    pub fn unknown_shape(&self, low: &Point3<f64>, high: &Point3<f64>) -> Result<Shape> {
        named_shape(self, &self.unknown_list(low, high)?, "unknown")
    }
}

fn named_shape(octree: &Octree, cells: &[[i32; 3]], what: &str) -> Result<Shape> {
    if cells.is_empty() {
        return Err(KineticError::invalid(format!("{what} cells"), "none", "at least one to make a shape of"));
    }
    octree.shape_of(cells)
}
