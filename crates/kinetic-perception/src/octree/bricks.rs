//! Updates of many cells in the order of the tree.
//!
//! A brick is a cube of 4 × 4 × 4 cells, the two lowest levels of the tree; a word of 64 bits says which of its cells are meant, in
//! the order of the tree (Morton 1966). Bricks come in this order too, so that the way from one to the next leads over their
//! lowest common ancestor, and every inner node is brought up to date once.

use super::config::SensorModel;
use super::key::{CellKey, TREE_DEPTH};
use super::nodes::{NodePlace, Nodes, UNKNOWN};

/// Levels of the tree inside a brick.
pub(crate) const BRICK_LEVELS: u8 = 2;

/// Bits of the number of a cell in its brick.
pub(crate) const BRICK_BITS: u32 = 6;

/// Depth of the node that covers a brick.
const BRICK_DEPTH: u8 = TREE_DEPTH - BRICK_LEVELS;

/// Which cells of a brick were passed, and in which ones measurements ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Brick {
    /// Place in the order of the tree.
    pub(crate) order: u64,
    pub(crate) misses: u64,
    pub(crate) hits: u64,
}

/// The place of the brick of a cell in the order of the tree.
#[inline]
pub(crate) fn brick_order(key: CellKey) -> u64 {
    let spread = |axis: usize| spread_bits(u64::from(key[axis] >> BRICK_LEVELS)) << axis;
    spread(0) | spread(1) | spread(2)
}

/// The bit of a cell in the words of its brick.
#[inline]
pub(crate) fn brick_bit(key: CellKey) -> u32 {
    bit_along(key[0], 0) | bit_along(key[1], 1) | bit_along(key[2], 2)
}

/// The part of an axis in the number of a cell's bit.
#[inline]
pub(crate) fn bit_along(key: u16, axis: usize) -> u32 {
    u32::from(key & 1 | (key & 2) << 2) << axis
}

/// The cell of a bit in the words of the brick with a lowest cell.
#[inline]
pub(crate) fn cell_in_brick(corner: CellKey, bit: u32) -> CellKey {
    let along = |axis: usize| corner[axis] | (bit >> axis & 1 | bit >> (axis + 2) & 2) as u16;
    [along(0), along(1), along(2)]
}

/// Moves bit `i` of a number to bit `3 i`.
#[inline]
pub(crate) fn spread_bits(number: u64) -> u64 {
    let mut bits = number;
    bits = (bits | bits << 16) & 0x00ff_0000_ff00_00ff;
    bits = (bits | bits << 8) & 0xf00f_00f0_0f00_f00f;
    bits = (bits | bits << 4) & 0x30c3_0c30_c30c_30c3;
    (bits | bits << 2) & 0x9249_2492_4924_9249
}

/// Applies updates in the order of the tree.
pub(crate) fn apply(nodes: &mut Nodes, model: &SensorModel, bricks: impl Iterator<Item = Brick>) {
    let mut way = Way { path: [Nodes::ROOT; BRICK_DEPTH as usize + 1], depth: 0, order: 0 };
    for brick in bricks {
        way.climb_towards(nodes, brick.order);
        if way.descend(nodes, model, &brick) {
            update(nodes, model, way.path[BRICK_DEPTH as usize], &brick);
        }
    }
    way.climb(nodes, 0);
    nodes.summarize(Nodes::ROOT);
}

/// The way from the root to the node where the last update was.
struct Way {
    path: [NodePlace; BRICK_DEPTH as usize + 1],
    depth: u8,
    order: u64,
}

impl Way {
    /// Climbs to the lowest common ancestor with a brick; what lies above stays open.
    fn climb_towards(&mut self, nodes: &mut Nodes, order: u64) {
        let differing = u64::BITS - (self.order ^ order).leading_zeros();
        let common = BRICK_DEPTH - differing.div_ceil(3) as u8;
        self.climb(nodes, common);
        self.order = order;
    }

    fn climb(&mut self, nodes: &mut Nodes, depth: u8) {
        while self.depth > depth {
            nodes.summarize(self.path[self.depth as usize]);
            self.depth -= 1;
        }
    }

    /// Descends to the node of a brick, which it makes. Stops before, and says `false`, in a leaf that the update does not change.
    fn descend(&mut self, nodes: &mut Nodes, model: &SensorModel, brick: &Brick) -> bool {
        loop {
            let place = self.path[self.depth as usize];
            let value = nodes.value(place);
            if value != UNKNOWN && !nodes.has_children(place) && changes_nothing(model, value, brick) {
                return false;
            }
            if self.depth == BRICK_DEPTH {
                return true;
            }
            let octant = (brick.order >> (3 * (BRICK_DEPTH - 1 - self.depth)) & 7) as u8;
            nodes.expand(place);
            let Some(child) = nodes.child(place, octant) else { return false };
            self.depth += 1;
            self.path[self.depth as usize] = child;
        }
    }
}

/// Whether the log-odds of a leaf are clamped already where an update would move them.
fn changes_nothing(model: &SensorModel, value: f32, brick: &Brick) -> bool {
    (brick.misses == 0 || model.updated(value, model.miss) == value)
        && (brick.hits == 0 || model.updated(value, model.hit) == value)
}

/// Updates the cells of a brick.
fn update(nodes: &mut Nodes, model: &SensorModel, place: NodePlace, brick: &Brick) {
    nodes.expand(place);
    for octant in 0..8_u8 {
        let (misses, hits) = (brick.misses >> (8 * octant) & 0xff, brick.hits >> (8 * octant) & 0xff);
        if misses | hits == 0 {
            continue;
        }
        let Some(parent) = nodes.child(place, octant) else { return };
        let mut values = nodes.values_below(parent);
        for (bit, value) in values.iter_mut().enumerate() {
            let change = if hits >> bit & 1 == 1 { model.hit } else { model.miss };
            let updated = model.updated(*value, change);
            *value = if (misses | hits) >> bit & 1 == 1 { updated } else { *value };
        }
        nodes.set_cells(parent, values);
    }
}
