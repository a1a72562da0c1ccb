//! Cells that are marked during an insertion, each once: as bits of a box of bricks, or as a list where the box is too large.

use super::bricks::{BRICK_BITS, BRICK_LEVELS, Brick, brick_order, cell_in_brick};
use super::key::{CellKey, Cube, KeyBox};
use super::layout::Layout;

/// Bricks that a list takes before it is put in order, and as many again as are left then.
const LIST_BRICKS: usize = 1 << 20;

/// An array of bits for the cells of a dense layout.
#[derive(Clone)]
pub(crate) struct DenseMarks(Vec<u64>);

impl DenseMarks {
    pub(crate) fn new(layout: &Layout) -> Self {
        Self(vec![0; layout.bricks()])
    }

    /// Marks the cell at a place; false where it was marked.
    #[inline]
    pub(crate) fn mark(&mut self, place: u64) -> bool {
        let (word, bit) = (&mut self.0[(place >> BRICK_BITS) as usize], 1 << (place & 63));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// The cells of a box that are marked, in the order of the tree.
    pub(crate) fn cells(&self, layout: &Layout, cells: &KeyBox) -> impl Iterator<Item = CellKey> + use<> {
        let mut found = Vec::new();
        visit_bricks(Cube::ROOT, cells, &mut |corner| {
            let mut left = self.0[(layout.place(corner) >> BRICK_BITS) as usize];
            while left != 0 {
                found.push(cell_in_brick(corner, left.trailing_zeros()));
                left &= left - 1;
            }
        });
        found.into_iter()
    }

    /// Marks what others have marked.
    pub(crate) fn add(&mut self, others: &Self) {
        self.0.iter_mut().zip(&others.0).for_each(|(word, other)| *word |= other);
    }
}

/// The bricks of a box with marks, in the order of the tree. Hits win over misses.
pub(crate) fn dense_bricks(layout: &Layout, cells: &KeyBox, misses: &DenseMarks, hits: &DenseMarks) -> Vec<Brick> {
    let mut found = Vec::new();
    visit_bricks(Cube::ROOT, cells, &mut |corner| {
        let word = (layout.place(corner) >> BRICK_BITS) as usize;
        let (misses, hits) = (misses.0[word] & !hits.0[word], hits.0[word]);
        if misses | hits != 0 {
            found.push(Brick { order: brick_order(corner), misses, hits });
        }
    });
    found
}

/// Visits the lowest cells of the bricks of a box that are in a cube, in the order of the tree.
fn visit_bricks(cube: Cube, cells: &KeyBox, visit: &mut impl FnMut(CellKey)) {
    if !cells.meets(cube) {
        return;
    }
    if cube.level == BRICK_LEVELS {
        visit(cube.corner);
        return;
    }
    for octant in 0..8 {
        visit_bricks(cube.octant(octant), cells, visit);
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
    /// Marks the cell at a place in the layout of the tree.
    #[inline]
    pub(crate) fn mark(&mut self, place: u64, is_hit: bool) {
        let (order, bit) = (place >> BRICK_BITS, 1 << (place & 63));
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
