//! A tree of configurations.

use kinetic_core::Result;

use crate::nearest::NearestNeighbors;
use crate::space::Space;

const NO_PARENT: u32 = u32::MAX;
const OPEN: u32 = u32::MAX;

/// What is known about the edge from a node's parent to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It seemed free.
    Unproven,
    Proven,
    /// It, or one before it, was refused its proof: the node is no longer one.
    Dropped,
}

/// Nodes in flat arrays: clearing keeps the memory, adding allocates only to grow.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tree {
    dof: usize,
    values: Vec<f64>,
    parents: Vec<u32>,
    /// Dynamic domain: samples farther from the node than this are not its business; infinite until an extension from
    /// the node was blocked.
    radii: Vec<f64>,
    /// Blocked extensions per node; [`OPEN`] once a whole one was free.
    blocked: Vec<u32>,
    states: Vec<State>,
    nearest: NearestNeighbors,
    /// Memory of proofs: nodes whose edges are not proven yet.
    unproven: Vec<usize>,
}

impl Tree {
    pub(crate) fn reset(&mut self, space: &Space) {
        self.dof = space.dof();
        self.values.clear();
        self.parents.clear();
        self.radii.clear();
        self.blocked.clear();
        self.states.clear();
        self.nearest.reset(space);
    }

    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }

    pub(crate) fn node(&self, index: usize) -> &[f64] {
        &self.values[index * self.dof..(index + 1) * self.dof]
    }

    pub(crate) fn add_root(&mut self, space: &Space, q: &[f64]) -> usize {
        self.add_with_parent(space, q, NO_PARENT, State::Proven)
    }

    pub(crate) fn add(&mut self, space: &Space, q: &[f64], parent: usize) -> usize {
        self.add_with_parent(space, q, parent as u32, State::Unproven)
    }

    fn add_with_parent(&mut self, space: &Space, q: &[f64], parent: u32, state: State) -> usize {
        self.values.extend_from_slice(q);
        self.parents.push(parent);
        self.radii.push(f64::INFINITY);
        self.blocked.push(0);
        self.states.push(state);
        self.nearest.insert(space, q);
        self.len() - 1
    }

    /// The nearest node and its distance; the tree must have a root.
    #[inline]
    pub(crate) fn nearest(&mut self, space: &Space, q: &[f64]) -> (usize, f64) {
        self.nearest.nearest(space, q).map_or((0, f64::INFINITY), |(node, distance)| (node, f64::from(distance)))
    }

    /// Writes the nodes within a distance, in no particular order but the same each time.
    pub(crate) fn within(&mut self, space: &Space, q: &[f64], radius: f64, found: &mut Vec<usize>) {
        self.nearest.within(space, q, radius, found);
    }

    /// Whether the node was dropped, since it or one before it was refused its proof.
    pub(crate) fn is_dropped(&self, index: usize) -> bool {
        self.states[index] == State::Dropped
    }

    #[inline]
    pub(crate) fn radius(&self, index: usize) -> f64 {
        self.radii[index]
    }

    pub(crate) fn set_radius(&mut self, index: usize, radius: f64) {
        self.radii[index] = radius;
    }

    /// Counts a blocked extension of a node that is not open.
    pub(crate) fn count_blocked(&mut self, index: usize) {
        if self.blocked[index] != OPEN {
            self.blocked[index] = (self.blocked[index] + 1).min(OPEN - 1);
        }
    }

    /// How many blocked extensions a node had; `None` for one that is open.
    pub(crate) fn blocked(&self, index: usize) -> Option<u32> {
        (self.blocked[index] != OPEN).then_some(self.blocked[index])
    }

    /// Notes that a whole extension of the node was free.
    pub(crate) fn set_open(&mut self, index: usize) {
        self.blocked[index] = OPEN;
    }

    pub(crate) fn parent(&self, index: usize) -> Option<usize> {
        let parent = self.parents[index];
        (parent != NO_PARENT).then_some(parent as usize)
    }

    /// Drops a node and all behind it: they are no node's nearest neighbours any more. The root always stays.
    fn drop_branch(&mut self, index: usize) {
        for node in index..self.len() {
            let Some(parent) = self.parent(node) else { continue };
            if node == index || self.states[parent] == State::Dropped {
                self.states[node] = State::Dropped;
                self.nearest.remove(node);
            }
        }
    }

    /// Proves the edges from the root to a node with `is_valid`, nearest to the root first, so that what is proven serves again.
    /// Where one is refused, the tree loses it with all behind it, and the answer is false.
    ///
    /// # Errors
    /// Those of `is_valid`.
    pub(crate) fn prove_branch(
        &mut self,
        node: usize,
        mut is_valid: impl FnMut(&[f64], &[f64]) -> Result<bool>,
    ) -> Result<bool> {
        let mut unproven = std::mem::take(&mut self.unproven);
        unproven.clear();
        unproven.extend(self.branch(node).take_while(|node| self.states[*node] != State::Proven));
        let refused = self.first_refused(&unproven, &mut is_valid);
        self.unproven = unproven;
        let refused = refused?;
        if let Some(node) = refused {
            self.drop_branch(node);
        }
        Ok(refused.is_none())
    }

    /// Marks edges that are valid as proven, the last of the nodes first, up to one that is refused.
    fn first_refused(
        &mut self,
        nodes: &[usize],
        is_valid: &mut impl FnMut(&[f64], &[f64]) -> Result<bool>,
    ) -> Result<Option<usize>> {
        for node in nodes.iter().rev() {
            let parent = self.parent(*node).unwrap_or(*node);
            if !is_valid(self.node(parent), self.node(*node))? {
                return Ok(Some(*node));
            }
            self.states[*node] = State::Proven;
        }
        Ok(None)
    }

    /// The node, its parent, … up to its root.
    pub(crate) fn branch(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(index), |node| self.parent(*node))
    }
}
