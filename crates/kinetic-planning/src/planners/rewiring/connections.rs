//! Edges between the two trees.

use super::tree::RewiringTree;

/// An edge between a node of each tree that seems free.
#[derive(Debug, Clone, Copy)]
pub(super) struct Connection {
    /// Nodes of the start tree and of the goal tree.
    pub(super) nodes: [usize; 2],
    pub(super) length: f64,
}

impl Connection {
    /// Length of the path over the edge, as the trees are now.
    pub(super) fn cost(&self, trees: &[RewiringTree; 2]) -> f64 {
        trees[0].cost(self.nodes[0]) + self.length + trees[1].cost(self.nodes[1])
    }
}

/// All of them that can still be part of a path below the bound.
#[derive(Debug, Clone, Default)]
pub(super) struct Connections {
    edges: Vec<Connection>,
}

impl Connections {
    pub(super) fn clear(&mut self) {
        self.edges.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.edges.len()
    }

    pub(super) fn add(&mut self, edge: Connection) {
        self.edges.push(edge);
    }

    /// Forgets an edge that was refused its proof.
    pub(super) fn forget(&mut self, place: usize) {
        self.edges.remove(place);
    }

    /// Keeps the edges of which `may_improve` says that rewiring can bring them below the bound.
    pub(super) fn keep(&mut self, may_improve: impl Fn(&Connection) -> bool) {
        self.edges.retain(may_improve);
    }

    /// The edge of the shortest path, its place and the length of that path; of equal ones the first.
    pub(super) fn best(&self, trees: &[RewiringTree; 2]) -> Option<(usize, Connection, f64)> {
        let costs = self.edges.iter().map(|edge| edge.cost(trees)).enumerate();
        let (place, cost) = costs.min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((place, self.edges[place], cost))
    }
}
