//! Places of cells in bit arrays and lists, such that a step along an axis is one addition.
//!
//! The bits of the three keys of a cell lie in one number without overlap. An axis walks over its own bits by adding a number that
//! fills the gaps between them ("dilated integers", Schrack 1992). The six lowest bits are the cell in its brick.

use super::bricks::{BRICK_BITS, BRICK_LEVELS, bit_along, spread_bits};
use super::key::{CellKey, KeyBox};

/// Bits of the number of a brick in a dense layout: arrays of 16 MiB.
const MOST_DENSE_BITS: u32 = 21;

/// How places come from keys.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// The bits of each axis.
    pub(crate) masks: [u64; 3],
    /// The lowest brick, and the lowest bit of each axis in the number of a brick; none where bits of bricks alternate.
    dense: Option<([u16; 3], [u32; 3])>,
}

impl Layout {
    /// All cells of the tree, in the order of the tree.
    pub(crate) fn tree() -> Self {
        Self { masks: [0, 1, 2].map(|axis| spread_bits(0xffff) << axis), dense: None }
    }

    /// The cells of a box, such that bricks are numbered densely; `None` where they are too many.
    pub(crate) fn dense(cells: &KeyBox) -> Option<Self> {
        let low = cells.low.map(|along| along >> BRICK_LEVELS);
        let high = cells.high.map(|along| along >> BRICK_LEVELS);
        let bits = [0, 1, 2].map(|axis| u16::BITS - (high[axis] - low[axis]).leading_zeros());
        let shifts = [0, bits[0], bits[0] + bits[1]];
        let masks = [0, 1, 2].map(|axis| {
            let bricks = ((1_u64 << bits[axis]) - 1) << shifts[axis];
            bricks << BRICK_BITS | u64::from(bit_along(3, axis))
        });
        (shifts[2] + bits[2] <= MOST_DENSE_BITS).then_some(Self { masks, dense: Some((low, shifts)) })
    }

    /// Number of bricks.
    pub(crate) fn bricks(&self) -> usize {
        1 << (u64::BITS - (self.masks[0] | self.masks[1] | self.masks[2]).leading_zeros()).saturating_sub(BRICK_BITS)
    }

    /// The part of an axis in the place of a cell.
    #[inline]
    pub(crate) fn part(&self, key: u16, axis: usize) -> u64 {
        let brick = match self.dense {
            Some((low, shifts)) => u64::from((key >> BRICK_LEVELS) - low[axis]) << shifts[axis],
            None => spread_bits(u64::from(key >> BRICK_LEVELS)) << axis,
        };
        brick << BRICK_BITS | u64::from(bit_along(key, axis))
    }

    /// The place of a cell.
    #[inline]
    pub(crate) fn place(&self, key: CellKey) -> u64 {
        self.part(key[0], 0) | self.part(key[1], 1) | self.part(key[2], 2)
    }
}
