//! Keys of cells: where in the tree a point lies.
//!
//! A key counts cells along an axis from the lower border of the tree: `floor(coordinate / resolution) + 32768`. Bit 15 says the
//! child of the root, bit 0 the child at the lowest level.

use nalgebra::{Point3, Vector3};

/// Levels below the root.
pub(crate) const TREE_DEPTH: u8 = 16;

/// The key of the cell at the origin; half of the cells along an axis.
pub(crate) const CENTER_KEY: i32 = 1 << (TREE_DEPTH - 1);

/// Added to a number far below it, leaves no bits behind the point: 1.5 · 2⁵².
const TO_INTEGER: f64 = 6_755_399_441_055_744.0;

/// A cell at the lowest level.
pub(crate) type CellKey = [u16; 3];

/// The grid of the smallest cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CellGrid {
    pub(crate) resolution: f64,
    /// Cells per metre. Coordinates are multiplied by it, as `OctoMap` does, so that points on borders fall to the same side.
    factor: f64,
}

impl CellGrid {
    pub(crate) fn new(resolution: f64) -> Self {
        Self { resolution, factor: 1.0 / resolution }
    }

    /// The cell of a point; `None` beyond the tree, and for NaN.
    #[inline]
    pub(crate) fn key(&self, point: &Point3<f64>) -> Option<CellKey> {
        Some([self.key_along(point.x)?, self.key_along(point.y)?, self.key_along(point.z)?])
    }

    #[inline]
    fn key_along(&self, coordinate: f64) -> Option<u16> {
        let value = coordinate * self.factor;
        let half = f64::from(CENTER_KEY);
        if !(value >= -half && value < half) {
            return None;
        }
        // The floor without a call of the mathematical library: the lowest bits of the sum are the nearest integer.
        let sum = value + TO_INTEGER;
        let is_above = sum - TO_INTEGER > value;
        Some((sum.to_bits() as u16).wrapping_sub(u16::from(is_above)).wrapping_add(CENTER_KEY as u16))
    }

    /// The lower corner of a cell given by integer coordinates of any size, m.
    pub(crate) fn border(&self, key: i32) -> f64 {
        f64::from(key - CENTER_KEY) * self.resolution
    }

    /// The centre of a cube of cells, m.
    pub(crate) fn center(&self, cube: Cube) -> Point3<f64> {
        let half = 0.5 * self.resolution * f64::from(cube.edge());
        Point3::from(Vector3::from_fn(|axis, _| self.border(i32::from(cube.corner[axis])) + half))
    }

    /// The squared distance of a point from a cube of cells, m²; 0 inside.
    pub(crate) fn squared_distance(&self, point: &Point3<f64>, cube: Cube) -> f64 {
        let edge = self.resolution * f64::from(cube.edge());
        let outside = Vector3::from_fn(|axis, _| {
            let low = self.border(i32::from(cube.corner[axis]));
            (low - point[axis]).max(point[axis] - low - edge).max(0.0)
        });
        outside.norm_squared()
    }
}

/// What a node of the tree covers: a cube of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cube {
    /// The lowest cell.
    pub(crate) corner: CellKey,
    /// Levels above the smallest cells.
    pub(crate) level: u8,
}

impl Cube {
    pub(crate) const ROOT: Self = Self { corner: [0; 3], level: TREE_DEPTH };

    /// Cells along an edge.
    #[inline]
    pub(crate) fn edge(self) -> u32 {
        1 << self.level
    }

    /// The highest cell.
    #[inline]
    pub(crate) fn last(self) -> CellKey {
        self.corner.map(|along| along + (self.edge() - 1) as u16)
    }

    /// One of the eight octants; bit 0 of the octant is along x, bit 1 along y, bit 2 along z.
    #[inline]
    pub(crate) fn octant(self, octant: u8) -> Self {
        let level = self.level - 1;
        let along = |axis: usize| self.corner[axis] | (u16::from(octant >> axis & 1) << level);
        Self { corner: [along(0), along(1), along(2)], level }
    }

    #[inline]
    pub(crate) fn contains(self, key: CellKey) -> bool {
        (0..3).all(|axis| u32::from(self.corner[axis] ^ key[axis]) >> self.level == 0)
    }
}

/// Cells between two corners, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyBox {
    pub(crate) low: CellKey,
    pub(crate) high: CellKey,
}

impl KeyBox {
    pub(crate) const ALL: Self = Self { low: [0; 3], high: [u16::MAX; 3] };

    pub(crate) fn contains(&self, key: CellKey) -> bool {
        (0..3).all(|axis| (self.low[axis]..=self.high[axis]).contains(&key[axis]))
    }

    /// The smallest box around this one and a cell.
    pub(crate) fn with(self, key: CellKey) -> Self {
        let [low, high] = [[self.low, key], [self.high, key]];
        Self { low: [0, 1, 2].map(|i| low[0][i].min(low[1][i])), high: [0, 1, 2].map(|i| high[0][i].max(high[1][i])) }
    }

    /// Whether a cube and this box share a cell.
    pub(crate) fn meets(&self, cube: Cube) -> bool {
        let last = cube.last();
        (0..3).all(|axis| cube.corner[axis] <= self.high[axis] && last[axis] >= self.low[axis])
    }

    /// Whether all cells of a cube are in this box.
    pub(crate) fn covers(&self, cube: Cube) -> bool {
        let last = cube.last();
        (0..3).all(|axis| cube.corner[axis] >= self.low[axis] && last[axis] <= self.high[axis])
    }
}

/// A cell as integers around the origin, as [`Shape::voxels`](kinetic_core::Shape::voxels) has them.
pub(crate) fn cell_of(key: CellKey) -> [i32; 3] {
    key.map(|along| i32::from(along) - CENTER_KEY)
}

/// The octant of a key among the children of a node.
#[inline]
pub(crate) fn octant_of(key: CellKey, depth: u8) -> u8 {
    let shift = TREE_DEPTH - 1 - depth;
    let bit = |axis: usize| (key[axis] >> shift & 1) as u8;
    bit(0) | bit(1) << 1 | bit(2) << 2
}
