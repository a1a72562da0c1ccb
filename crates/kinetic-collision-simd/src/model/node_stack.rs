//! The nodes that the traversal of a tree has still to visit.

/// Nodes that may wait: seven per level beside the one that is visited, of eleven levels over 2³² leaves.
const MAX_NODES: usize = 7 * 11 + 1;

/// Nodes of a tree with eight children per node, each by its level and its number there.
pub(crate) struct NodeStack {
    nodes: [(u32, u32); MAX_NODES],
    count: usize,
}

impl NodeStack {
    /// The root of a tree of some levels, of which there is at least one.
    #[inline(always)]
    pub(crate) fn of_root(levels: usize) -> Self {
        let mut nodes = [(0, 0); MAX_NODES];
        nodes[0] = (levels as u32 - 1, 0);
        Self { nodes, count: 1 }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, level: u32, number: u32) {
        self.nodes[self.count] = (level, number);
        self.count += 1;
    }

    /// The node that was pushed last.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<(u32, u32)> {
        if self.count == 0 {
            return None;
        }
        self.count -= 1;
        Some(self.nodes[self.count])
    }
}
