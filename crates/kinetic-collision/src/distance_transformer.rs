//! What a field takes squared distances from: an interface, so that they can be computed elsewhere than on the processor.

use std::fmt::Debug;

use kinetic_core::{Control, Result};

use crate::cell_bits::CellBits;

/// Nodes of a lattice that has a node at each corner of each cell: a box of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeBox {
    pub(crate) first: [usize; 3],
    pub(crate) counts: [usize; 3],
}

impl NodeBox {
    /// The lowest node: node `(i, j, k)` is the lowest corner of cell `(i, j, k)`.
    pub fn first(&self) -> [usize; 3] {
        self.first
    }

    /// Nodes along each axis.
    pub fn counts(&self) -> [usize; 3] {
        self.counts
    }
}

/// Computes squared distances of nodes from cells, for [`EuclideanDistanceField`](crate::EuclideanDistanceField).
///
/// All distances are whole numbers that single precision holds, so that every implementation has the same bits.
pub trait DistanceTransformer: Debug + Send {
    /// Signed squared distances at the nodes of a box, in cells, x slowest: of nodes that are corners of free cells only, those from
    /// the nearest corner of an occupied cell; of nodes that are corners of occupied cells only, the negative of those from the
    /// nearest corner of a free cell; 0 at all others.
    ///
    /// Corners that are not nodes of the box do not count. With a limit (in cells) a distance beyond it is the limit; without one, and
    /// without a corner to measure from, it is infinite. Nodes are those of the cells: at most one more than those along each axis.
    ///
    /// # Errors
    /// That of the control, which is looked at many times a second, and those of the device that computes.
    fn signed_squares(
        &mut self,
        cells: &CellBits,
        nodes: &NodeBox,
        limit: Option<usize>,
        control: &Control,
    ) -> Result<&[f32]>;
}
