//! Cells that are marked during an insertion, each once: as bits of a box of bricks, or as a list where the box is too large.

use super::bricks::{BRICK_LEVELS, Brick, bit_along, brick_bit, brick_order};
use super::key::{CellKey, KeyBox};

/// Bricks that a box of bits can have: 16 MiB per set of bits.
const MOST_DENSE_BRICKS: u64 = 1 << 21;

/// Bricks that a list takes before it is put in order, and as many again as are left then.
const LIST_BRICKS: usize = 1 << 20;

/// The place of each cell of a box in an array of bits, as a sum of one number per axis.
pub(crate) struct DenseBox {
    /// The lowest brick.
    low: [u16; 3],
    /// Bricks along each axis.
    bricks: [usize; 3],
    /// Parts of the place by the distance from the lowest cell.
    parts: [Vec<u32>; 3],
}

impl DenseBox {
    /// `None` for a box that is too large.
    pub(crate) fn new(cells: &KeyBox) -> Option<Self> {
        let low = cells.low.map(|along| along >> BRICK_LEVELS);
        let high = cells.high.map(|along| along >> BRICK_LEVELS);
        let bricks = [0, 1, 2].map(|axis| usize::from(high[axis] - low[axis]) + 1);
        if bricks.iter().map(|count| *count as u64).product::<u64>() > MOST_DENSE_BRICKS {
            return None;
        }
        let strides = [1, bricks[0], bricks[0] * bricks[1]];
        let parts = [0, 1, 2].map(|axis| {
            let part = |cell: usize| (cell >> BRICK_LEVELS) * strides[axis] * 64;
            (0..bricks[axis] << BRICK_LEVELS).map(|cell| part(cell) as u32 + bit_along(cell as u16, axis)).collect()
        });
        Some(Self { low, bricks, parts })
    }

    /// An array without a mark.
    pub(crate) fn empty(&self) -> Vec<u64> {
        vec![0; self.bricks.iter().product()]
    }

    /// Marks a cell of the box; false where it was marked.
    #[inline]
    pub(crate) fn mark(&self, marks: &mut [u64], key: CellKey) -> bool {
        let part = |axis: usize| self.parts[axis][usize::from(key[axis] - (self.low[axis] << BRICK_LEVELS))];
        let place = part(0) + part(1) + part(2);
        let (word, bit) = (&mut marks[(place >> 6) as usize], 1 << (place & 63));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// The bricks with marks, in the order of the tree. Hits win over misses.
    pub(crate) fn bricks(&self, misses: &[u64], hits: &[u64]) -> Vec<Brick> {
        let mut found = Vec::new();
        self.collect([0; 3], 16 - BRICK_LEVELS, &mut |place, order| {
            let (misses, hits) = (misses[place] & !hits[place], hits[place]);
            if misses | hits != 0 {
                found.push(Brick { order, misses, hits });
            }
        });
        found
    }

    /// Visits the bricks of the box inside a cube of bricks.
    fn collect(&self, corner: [u16; 3], level: u8, visit: &mut impl FnMut(usize, u64)) {
        let edge = 1_u32 << level;
        let is_apart = |axis: usize| {
            let (low, corner) = (u32::from(self.low[axis]), u32::from(corner[axis]));
            corner + edge <= low || corner >= low + self.bricks[axis] as u32
        };
        if (0..3).any(is_apart) {
            return;
        }
        if level == 0 {
            let along = |axis: usize| usize::from(corner[axis] - self.low[axis]);
            let place = along(0) + self.bricks[0] * (along(1) + self.bricks[1] * along(2));
            visit(place, brick_order(corner.map(|along| along << BRICK_LEVELS)));
            return;
        }
        for octant in 0..8_u16 {
            let along = |axis: usize| corner[axis] | (octant >> axis & 1) << (level - 1);
            self.collect([along(0), along(1), along(2)], level - 1, visit);
        }
    }
}

/// A list of bricks that grows with what is marked only.
#[derive(Default)]
pub(crate) struct BrickList {
    bricks: Vec<Brick>,
    /// Bricks that are each in the list once.
    merged: usize,
}

impl BrickList {
    /// Marks a cell.
    #[inline]
    pub(crate) fn mark(&mut self, key: CellKey, is_hit: bool) {
        let (order, bit) = (brick_order(key), 1 << brick_bit(key));
        let (misses, hits) = if is_hit { (0, bit) } else { (bit, 0) };
        match self.bricks.last_mut().filter(|last| last.order == order) {
            Some(last) => {
                last.misses |= misses;
                last.hits |= hits;
            }
            None => self.bricks.push(Brick { order, misses, hits }),
        }
        if self.bricks.len() > 2 * self.merged + LIST_BRICKS {
            self.merge();
        }
    }

    fn merge(&mut self) {
        self.bricks.sort_unstable_by_key(|brick| brick.order);
        self.bricks.dedup_by(|next, kept| {
            let is_same = next.order == kept.order;
            if is_same {
                kept.misses |= next.misses;
                kept.hits |= next.hits;
            }
            is_same
        });
        self.merged = self.bricks.len();
    }

    /// The bricks in the order of the tree. Hits win over misses.
    pub(crate) fn into_bricks(mut self) -> Vec<Brick> {
        self.merge();
        for brick in &mut self.bricks {
            brick.misses &= !brick.hits;
        }
        self.bricks
    }
}
