//! One extension of RRT\*: a new node with the parent that costs least, and a parent for the nodes near it that costs less.

use kinetic_core::{Control, Result};

use super::tree::RewiringTree;
use crate::space::Space;
use crate::validity::Validity;

/// Configurations and lists in the making.
#[derive(Debug, Clone, Default)]
pub(super) struct ExtensionBuffers {
    /// What an extension aims at.
    pub(super) sample: Vec<f64>,
    step: Vec<f64>,
    target: Vec<f64>,
    near: Vec<(usize, f32)>,
    /// Nodes near the new one, with the length of the edge between them.
    edges: Vec<(usize, f64)>,
}

impl ExtensionBuffers {
    pub(super) fn resize(&mut self, dof: usize) {
        for buffer in [&mut self.sample, &mut self.step, &mut self.target] {
            buffer.resize(dof, 0.0);
        }
    }

    /// Distance of the farthest node near the new one.
    pub(super) fn radius(&self) -> f64 {
        self.near.last().map_or(0.0, |(_, distance)| f64::from(*distance))
    }
}

/// Grows one tree towards samples.
pub(super) struct RewiringExtension<'a, 'v> {
    pub(super) space: &'a Space,
    pub(super) tree: &'a mut RewiringTree,
    /// The other tree, whose roots a path through the new node has still to reach.
    pub(super) other: &'a RewiringTree,
    pub(super) validity: &'a mut (dyn Validity + 'v),
    pub(super) control: &'a Control,
    /// Iterations that are complete.
    pub(super) iterations: u64,
    /// Longest edge of an extension.
    pub(super) range: f64,
    /// Paths of this length are of no use.
    pub(super) bound: f64,
    /// Nodes that cost more than this by more than the distance of those near them are left to the other tree.
    pub(super) most_cost: f64,
    pub(super) buffers: &'a mut ExtensionBuffers,
}

impl RewiringExtension<'_, '_> {
    /// Extends the tree towards the sample; the new node, where there is one.
    pub(super) fn extend(&mut self) -> Result<Option<usize>> {
        let near = self.tree.nearest(self.space, &self.buffers.sample);
        self.space.steer(self.tree.node(near), &self.buffers.sample, self.range, &mut self.buffers.step);
        let length = self.space.distance(self.tree.node(near), &self.buffers.step);
        if length == 0.0 || self.least_cost() + self.rest(&self.buffers.step) >= self.bound {
            return Ok(None);
        }
        self.insert(near, length)
    }

    /// Adds a configuration at the end of an edge of the given length from a node, if that seems free.
    pub(super) fn add(&mut self, node: usize, q: &[f64], length: f64) -> Result<Option<usize>> {
        self.buffers.step.copy_from_slice(q);
        self.insert(node, length)
    }

    fn insert(&mut self, near: usize, length: f64) -> Result<Option<usize>> {
        self.control.check(self.iterations)?;
        if !self.validity.motion_may_be_valid(self.tree.node(near), &self.buffers.step) {
            return Ok(None);
        }
        self.list_near();
        let (parent, length) = self.cheapest_parent(near, length)?;
        if self.tree.cost(parent) + length > self.most_cost + self.buffers.radius() {
            return Ok(None);
        }
        let node = self.tree.add(self.space, &self.buffers.step, parent, length);
        self.rewire(node, parent)?;
        Ok(Some(node))
    }

    /// No branch to the new node is shorter.
    fn least_cost(&self) -> f64 {
        distance_to_roots(self.space, self.tree, &self.buffers.step)
    }

    /// No way from a configuration to the roots of the other tree is shorter.
    fn rest(&self, q: &[f64]) -> f64 {
        distance_to_roots(self.space, self.other, q)
    }

    fn list_near(&mut self) {
        let ExtensionBuffers { step, near, edges, .. } = &mut *self.buffers;
        self.tree.near(self.space, step, near);
        edges.clear();
        edges.extend(near.iter().map(|(node, _)| (*node, self.space.distance(self.tree.node(*node), step))));
    }

    /// The parent over which the new node costs least, the nearest one unless an edge from another one seems free. They are
    /// tried in the order of their costs, so that most edges need no check.
    fn cheapest_parent(&mut self, nearest: usize, length: f64) -> Result<(usize, f64)> {
        let mut edges = std::mem::take(&mut self.buffers.edges);
        edges.sort_by(|a, b| (self.tree.cost(a.0) + a.1).total_cmp(&(self.tree.cost(b.0) + b.1)));
        let (mut parent, most) = ((nearest, length), self.tree.cost(nearest) + length);
        for (node, length) in &edges {
            if self.tree.cost(*node) + length >= most {
                break;
            }
            if self.may_be_valid_from(*node)? {
                parent = (*node, *length);
                break;
            }
        }
        self.buffers.edges = edges;
        Ok(parent)
    }

    /// Makes the new node the parent of those near it which it makes cheaper.
    fn rewire(&mut self, new: usize, parent: usize) -> Result<()> {
        for place in 0..self.buffers.edges.len() {
            let (node, length) = self.buffers.edges[place];
            let cost = self.tree.cost(new) + length;
            if node != parent && cost < self.tree.cost(node) && self.may_be_valid_from(node)? {
                self.tree.rewire(node, new, length);
            }
        }
        Ok(())
    }

    /// Whether the edge between a node and the new one seems free; motions are free in both directions or in none.
    fn may_be_valid_from(&mut self, node: usize) -> Result<bool> {
        self.control.check(self.iterations)?;
        let ExtensionBuffers { step, target, .. } = &mut *self.buffers;
        self.space.unwrap_into(self.tree.node(node), step, target);
        Ok(self.validity.motion_may_be_valid(self.tree.node(node), target))
    }
}

/// The distance to the nearest root of a tree.
pub(super) fn distance_to_roots(space: &Space, tree: &RewiringTree, q: &[f64]) -> f64 {
    (0..tree.roots()).map(|root| space.distance(tree.node(root), q)).fold(f64::INFINITY, f64::min)
}
