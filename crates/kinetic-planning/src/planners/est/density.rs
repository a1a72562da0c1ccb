//! A tree whose nodes are drawn where it is sparse.

use kinetic_core::rng::SeededRng;

use super::sums::Weights;
use crate::space::Space;
use crate::tree::Tree;

/// A tree with the number of nodes around each.
#[derive(Debug, Clone, Default)]
pub(super) struct DensityTree {
    pub(super) tree: Tree,
    /// Nodes in the neighbourhood of each, itself among them; 0 once it was dropped.
    counts: Vec<u32>,
    weights: Weights,
    found: Vec<usize>,
}

impl DensityTree {
    pub(super) fn reset(&mut self, space: &Space) {
        self.tree.reset(space);
        self.counts.clear();
        self.weights.clear();
    }

    pub(super) fn add_root(&mut self, space: &Space, q: &[f64], radius: f64) {
        self.tree.within(space, q, radius, &mut self.found);
        self.tree.add_root(space, q);
        self.count();
    }

    pub(super) fn add(&mut self, space: &Space, q: &[f64], parent: usize, radius: f64) -> usize {
        self.tree.within(space, q, radius, &mut self.found);
        let node = self.tree.add(space, q, parent);
        self.count();
        node
    }

    /// Counts the last node and its neighbours, which were found before it was added.
    fn count(&mut self) {
        for neighbour in &self.found {
            self.counts[*neighbour] += 1;
            self.weights.set(*neighbour, 1.0 / f64::from(self.counts[*neighbour]));
        }
        self.counts.push(self.found.len() as u32 + 1);
        self.weights.push(1.0 / (self.found.len() as f64 + 1.0));
    }

    /// How many nodes are around a configuration.
    pub(super) fn density(&mut self, space: &Space, q: &[f64], radius: f64) -> usize {
        self.tree.within(space, q, radius, &mut self.found);
        self.found.len()
    }

    /// A node, with a probability in inverse proportion to the number of nodes around it.
    pub(super) fn draw(&self, rng: &mut SeededRng) -> usize {
        self.weights.at(rng.unit())
    }

    /// Takes the nodes that were dropped out of the draws.
    pub(super) fn forget_dropped(&mut self) {
        for node in 0..self.counts.len() {
            if self.counts[node] > 0 && self.tree.is_dropped(node) {
                self.counts[node] = 0;
                self.weights.set(node, 0.0);
            }
        }
    }
}
