//! The map seen from above, for what drives on a floor.

use kinetic_core::{KineticError, Result};

use super::Octree;
use super::key::{Cube, KeyBox, cell_of};
use super::leaves::MOST_LISTED_CELLS;

/// What is known of a column of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ColumnState {
    /// Nothing is known of any of its cells.
    #[default]
    Unknown,
    /// Some of its cells are free, and none is known to be occupied; others may be unknown.
    Free,
    /// One of its cells is occupied.
    Occupied,
}

/// A map of columns in the plane of x and y.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Projection {
    /// The lowest column: it reaches from `resolution · origin` to the next ones.
    pub origin: [i32; 2],
    /// Columns along x and y.
    pub size: [usize; 2],
    /// Edge of a column, m.
    pub resolution: f64,
    /// The columns, x fastest.
    pub columns: Vec<ColumnState>,
}

impl Octree {
    /// Projects the cells between two heights (m; the cells of both heights count) onto the plane of x and y. The map is as large as
    /// what is known between these heights, and empty where this is nothing.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] unless the heights are in order, and for a map of more than 2²⁶ columns.
    pub fn project(&self, min_height: f64, max_height: f64) -> Result<Projection> {
        if !(min_height <= max_height) {
            let given = format!("{min_height} to {max_height}");
            return Err(KineticError::invalid("heights", given, "the lower height first (m)"));
        }
        let empty = Projection { resolution: self.grid.resolution, ..Projection::default() };
        let reach = self.grid.border(0);
        let corner = |side: f64, z: f64| nalgebra::Point3::new(side, side, z);
        let Some(bounds) = self.key_box(&corner(reach, min_height), &corner(-reach, max_height))? else {
            return Ok(empty);
        };
        let cubes: Vec<(Cube, f32)> = self.walk(bounds, f32::MIN).collect();
        let Some(around) = around(&cubes) else { return Ok(empty) };
        let side = |axis: usize| usize::from(around.high[axis] - around.low[axis]) + 1;
        if side(0) * side(1) > MOST_LISTED_CELLS {
            let given = format!("{} × {} columns", side(0), side(1));
            return Err(KineticError::invalid("projection", given, format!("at most {MOST_LISTED_CELLS} columns")));
        }
        let [x, y, _] = cell_of(around.low);
        let columns = vec![ColumnState::Unknown; side(0) * side(1)];
        let mut map = Projection { origin: [x, y], size: [side(0), side(1)], columns, ..empty };
        for (cube, value) in cubes {
            let state = if self.model.is_occupied(value) { ColumnState::Occupied } else { ColumnState::Free };
            map.raise(around.low, cube, state);
        }
        Ok(map)
    }
}

impl Projection {
    /// Raises the columns of a cube to a state.
    fn raise(&mut self, low: [u16; 3], cube: Cube, state: ColumnState) {
        let first = |axis: usize| usize::from(cube.corner[axis] - low[axis]);
        let edge = cube.edge() as usize;
        for y in first(1)..first(1) + edge {
            let row = y * self.size[0] + first(0);
            for column in &mut self.columns[row..row + edge] {
                *column = state.max(*column);
            }
        }
    }
}

/// The box around cubes.
fn around(cubes: &[(Cube, f32)]) -> Option<KeyBox> {
    let (first, _) = cubes.first()?;
    let around = KeyBox { low: first.corner, high: first.corner };
    Some(cubes.iter().fold(around, |around, (cube, _)| around.with(cube.corner).with(cube.last())))
}
