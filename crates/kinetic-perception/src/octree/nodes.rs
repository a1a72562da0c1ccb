//! Nodes in flat arrays, eight siblings together.
//!
//! A block is the eight children of one node. Blocks of the lowest level hold values only, half as much as others; freed blocks are
//! used again. A slot without a node holds the value of unknown cells, which is below every other.

use super::key::{CellKey, Cube, TREE_DEPTH, octant_of};

/// The value of a slot without a node.
pub(crate) const UNKNOWN: f32 = f32::NEG_INFINITY;

/// In place of a block for nodes without children.
const NO_BLOCK: u32 = u32::MAX;

/// Depth of the parents of the smallest cells.
const LAST_PARENT_DEPTH: u8 = TREE_DEPTH - 1;

/// Where a node lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NodePlace {
    block: u32,
    octant: u8,
    pub(crate) depth: u8,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct ParentBlock {
    values: [f32; 8],
    children: [u32; 8],
}

const EMPTY_BLOCK: ParentBlock = ParentBlock { values: [UNKNOWN; 8], children: [NO_BLOCK; 8] };

/// The nodes of a tree.
#[derive(Debug, Clone)]
pub(crate) struct Nodes {
    /// The first block has the root as its only node.
    parents: Vec<ParentBlock>,
    cells: Vec<[f32; 8]>,
    free_parents: Vec<u32>,
    free_cells: Vec<u32>,
}

impl Nodes {
    pub(crate) const ROOT: NodePlace = NodePlace { block: 0, octant: 0, depth: 0 };

    pub(crate) fn new() -> Self {
        let empty = Vec::new;
        Self { parents: vec![EMPTY_BLOCK], cells: Vec::new(), free_parents: empty(), free_cells: empty() }
    }

    #[inline]
    pub(crate) fn value(&self, place: NodePlace) -> f32 {
        let (block, octant) = (place.block as usize, place.octant as usize);
        if place.depth == TREE_DEPTH { self.cells[block][octant] } else { self.parents[block].values[octant] }
    }

    #[inline]
    pub(crate) fn set_value(&mut self, place: NodePlace, value: f32) {
        let (block, octant) = (place.block as usize, place.octant as usize);
        if place.depth == TREE_DEPTH {
            self.cells[block][octant] = value;
        } else {
            self.parents[block].values[octant] = value;
        }
    }

    #[inline]
    fn block_below(&self, place: NodePlace) -> u32 {
        if place.depth == TREE_DEPTH {
            return NO_BLOCK;
        }
        self.parents[place.block as usize].children[place.octant as usize]
    }

    #[inline]
    pub(crate) fn has_children(&self, place: NodePlace) -> bool {
        self.block_below(place) != NO_BLOCK
    }

    /// A child, which may be unknown; `None` for nodes without children.
    #[inline]
    pub(crate) fn child(&self, place: NodePlace, octant: u8) -> Option<NodePlace> {
        let block = self.block_below(place);
        (block != NO_BLOCK).then_some(NodePlace { block, octant, depth: place.depth + 1 })
    }

    /// The values of the children of a node; as many times its own where it has none.
    #[inline]
    pub(crate) fn values_below(&self, place: NodePlace) -> [f32; 8] {
        match self.block_below(place) {
            NO_BLOCK => [self.value(place); 8],
            block if place.depth == LAST_PARENT_DEPTH => self.cells[block as usize],
            block => self.parents[block as usize].values,
        }
    }

    /// Gives a node children of its own value, where it has none.
    pub(crate) fn expand(&mut self, place: NodePlace) {
        if place.depth == TREE_DEPTH || self.has_children(place) {
            return;
        }
        let values = [self.value(place); 8];
        let block = if place.depth == LAST_PARENT_DEPTH {
            taken(&mut self.cells, &mut self.free_cells, values)
        } else {
            let filled = ParentBlock { values, children: [NO_BLOCK; 8] };
            taken(&mut self.parents, &mut self.free_parents, filled)
        };
        self.parents[place.block as usize].children[place.octant as usize] = block;
    }

    /// Takes all below a node away.
    pub(crate) fn release_children(&mut self, place: NodePlace) {
        let block = self.block_below(place);
        if block == NO_BLOCK {
            return;
        }
        if place.depth == LAST_PARENT_DEPTH {
            self.cells[block as usize] = [UNKNOWN; 8];
            self.free_cells.push(block);
        } else {
            for octant in 0..8 {
                self.release_children(NodePlace { block, octant, depth: place.depth + 1 });
            }
            self.parents[block as usize] = EMPTY_BLOCK;
            self.free_parents.push(block);
        }
        self.parents[place.block as usize].children[place.octant as usize] = NO_BLOCK;
    }

    /// Sets the values of eight smallest cells and of their parent, which is pruned when they are equal.
    #[inline]
    pub(crate) fn set_cells(&mut self, parent: NodePlace, values: [f32; 8]) {
        self.set_value(parent, maximum(&values));
        if values.iter().all(|value| *value == values[0]) {
            self.release_children(parent);
        } else {
            self.expand(parent);
            let block = self.block_below(parent);
            self.cells[block as usize] = values;
        }
    }

    /// Makes a node what its children say: their maximum, and a leaf when they are equal leaves.
    #[inline]
    pub(crate) fn summarize(&mut self, place: NodePlace) {
        let block = self.block_below(place);
        if block == NO_BLOCK {
            return;
        }
        let values = self.values_below(place);
        self.set_value(place, maximum(&values));
        let are_leaves = place.depth == LAST_PARENT_DEPTH
            || self.parents[block as usize].children.iter().all(|child| *child == NO_BLOCK);
        if are_leaves && values.iter().all(|value| *value == values[0]) {
            self.release_children(place);
        }
    }

    /// The leaf that covers a cell, and the cube of it; the slot of an unknown node where nothing is known of the cell.
    #[inline]
    pub(crate) fn leaf_at(&self, key: CellKey) -> (NodePlace, Cube) {
        let mut place = Self::ROOT;
        while let Some(child) = self.child(place, octant_of(key, place.depth)) {
            place = child;
        }
        let level = TREE_DEPTH - place.depth;
        let corner = key.map(|along| (u32::from(along) >> level << level) as u16);
        (place, Cube { corner, level })
    }

    /// Changes the values of all leaves below a node, and prunes what has become equal.
    pub(crate) fn map_leaves(&mut self, place: NodePlace, change: &impl Fn(f32) -> f32) {
        if !self.has_children(place) {
            let value = self.value(place);
            if value != UNKNOWN {
                self.set_value(place, change(value));
            }
            return;
        }
        for octant in 0..8 {
            if let Some(child) = self.child(place, octant) {
                self.map_leaves(child, change);
            }
        }
        self.summarize(place);
    }

    /// Number of nodes, inner ones included.
    pub(crate) fn count(&self) -> usize {
        let in_parents: usize = self.parents.iter().map(|block| known(&block.values)).sum();
        in_parents + self.cells.iter().map(known).sum::<usize>()
    }

    /// Number of nodes without children.
    pub(crate) fn count_leaves(&self) -> usize {
        let with_children = |block: &ParentBlock| block.children.iter().filter(|child| **child != NO_BLOCK).count();
        self.count() - self.parents.iter().map(with_children).sum::<usize>()
    }

    /// Memory of the arrays, bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.parents.capacity() * size_of::<ParentBlock>()
            + self.cells.capacity() * size_of::<[f32; 8]>()
            + (self.free_parents.capacity() + self.free_cells.capacity()) * size_of::<u32>()
    }
}

/// A block from the free ones, or a new one.
#[inline]
fn taken<T>(blocks: &mut Vec<T>, free: &mut Vec<u32>, filled: T) -> u32 {
    if let Some(block) = free.pop() {
        blocks[block as usize] = filled;
        return block;
    }
    blocks.push(filled);
    (blocks.len() - 1) as u32
}

#[inline]
fn maximum(values: &[f32; 8]) -> f32 {
    values.iter().copied().fold(UNKNOWN, f32::max)
}

fn known(values: &[f32; 8]) -> usize {
    values.iter().filter(|value| **value != UNKNOWN).count()
}
