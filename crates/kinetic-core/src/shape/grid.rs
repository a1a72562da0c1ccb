//! Shapes over grids: height fields and voxels.

use super::{Shape, positive};
use crate::error::{KineticError, Result, check_finite, check_len};

/// Largest index of a cell, so that coordinates keep their digits.
const LARGEST_CELL_INDEX: i32 = 1 << 30;

impl Shape {
    /// The ground under a surface: node `(i, j)` is at `x = (i − (nodes[0] − 1) / 2) · spacing[0]`, likewise `y`, and
    /// `heights[i · nodes[1] + j]` is its `z`. Each cell is two flat triangles that share the edge from node `(i, j)` to
    /// node `(i + 1, j + 1)`.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for fewer than two nodes along an axis, a spacing that is not positive or a height
    /// below the base, [`KineticError::DimensionMismatch`] for another number of heights, [`KineticError::NotFinite`].
    pub fn height_field(heights: &[f64], nodes: [usize; 2], spacing: [f64; 2], base: f64) -> Result<Self> {
        if nodes.iter().any(|count| *count < 2) {
            let given = format!("{} × {} nodes", nodes[0], nodes[1]);
            return Err(KineticError::invalid("height field", given, "at least 2 × 2 nodes"));
        }
        check_len("heights", heights.len(), nodes[0].saturating_mul(nodes[1]))?;
        check_finite("heights", heights)?;
        check_finite("height field base", &[base])?;
        positive("height field spacing along x", spacing[0])?;
        positive("height field spacing along y", spacing[1])?;
        let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
        if lowest < base {
            return Err(KineticError::invalid("height field base", base, format!("at most the least height {lowest}")));
        }
        Ok(Self::HeightField { heights: heights.into(), nodes, spacing, base })
    }

    /// Cubes of edge `resolution`; a cell that is given twice counts once.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] without cells, for an index beyond ±2³⁰, or unless the resolution is positive and
    /// finite.
    pub fn voxels(cells: &[[i32; 3]], resolution: f64) -> Result<Self> {
        positive("voxel resolution", resolution)?;
        if cells.is_empty() {
            return Err(KineticError::invalid("voxels", "no cells", "at least one occupied cell"));
        }
        if let Some(index) =
            cells.iter().flatten().find(|index| index.unsigned_abs() > LARGEST_CELL_INDEX.unsigned_abs())
        {
            return Err(KineticError::invalid("voxel index", index, format!("within ±{LARGEST_CELL_INDEX}")));
        }
        let mut cells = cells.to_vec();
        cells.sort_unstable();
        cells.dedup();
        Ok(Self::Voxels { cells: cells.into(), resolution })
    }
}
