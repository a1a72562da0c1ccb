//! A tree of configurations with the cost to reach each from the root.

use crate::space::Space;
use crate::tree::Tree;

/// A [`Tree`] in the space of configuration and cost: the last value of a node is the length of its branch.
#[derive(Debug, Clone, Default)]
pub(super) struct CostTree {
    tree: Tree,
    dof: usize,
    key: Vec<f64>,
}

impl CostTree {
    /// Forgets all nodes, keeps the memory. The last joint of `with_cost` is the cost.
    pub(super) fn reset(&mut self, with_cost: &Space) {
        self.dof = with_cost.dof() - 1;
        self.key.resize(with_cost.dof(), 0.0);
        self.tree.reset(with_cost);
    }

    pub(super) fn len(&self) -> usize {
        self.tree.len()
    }

    pub(super) fn node(&self, index: usize) -> &[f64] {
        &self.tree.node(index)[..self.dof]
    }

    /// Length of the branch from the root to the node.
    pub(super) fn cost(&self, index: usize) -> f64 {
        self.tree.node(index)[self.dof]
    }

    pub(super) fn add_root(&mut self, with_cost: &Space, q: &[f64]) -> usize {
        self.set_key(q, 0.0);
        self.tree.add_root(with_cost, &self.key)
    }

    pub(super) fn add(&mut self, with_cost: &Space, q: &[f64], parent: usize, cost: f64) -> usize {
        self.set_key(q, cost);
        self.tree.add(with_cost, &self.key, parent)
    }

    /// The node nearest to a configuration at a cost; the tree must have a root.
    pub(super) fn nearest(&mut self, with_cost: &Space, q: &[f64], cost: f64) -> usize {
        self.set_key(q, cost);
        self.tree.nearest(with_cost, &self.key).0
    }

    fn set_key(&mut self, q: &[f64], cost: f64) {
        self.key[..self.dof].copy_from_slice(q);
        self.key[self.dof] = cost;
    }

    /// The node, its parent, … up to its root.
    pub(super) fn branch(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        self.tree.branch(index)
    }

    /// Proves the edges from the root to a node as [`Tree::prove_branch`] does.
    pub(super) fn prove(&mut self, node: usize, mut is_valid: impl FnMut(&[f64], &[f64]) -> bool) -> bool {
        let dof = self.dof;
        // Nothing fails here.
        self.tree.prove_branch(node, |from, to| Ok(is_valid(&from[..dof], &to[..dof]))).unwrap_or(false)
    }
}
