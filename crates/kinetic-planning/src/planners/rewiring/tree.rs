//! A tree whose nodes change their parents.

use std::f64::consts::E;

use kinetic_core::Result;

use crate::nearest::NearestNeighbors;
use crate::space::Space;

const NONE: u32 = u32::MAX;

/// A node without neighbours in the tree.
const ALONE: RewiringNode =
    RewiringNode { parent: NONE, first_child: NONE, next_sibling: NONE, length: 0.0, cost: 0.0, is_proven: false };

/// A node without its configuration.
#[derive(Debug, Clone, Copy)]
struct RewiringNode {
    parent: u32,
    first_child: u32,
    next_sibling: u32,
    /// Length of the edge from the parent.
    length: f64,
    /// Length of the branch from the root; infinite once the node was dropped.
    cost: f64,
    /// Whether the edge from the parent was proven.
    is_proven: bool,
}

/// Nodes with the cost to reach each from its root. Clearing keeps the memory.
#[derive(Debug, Clone, Default)]
pub(super) struct RewiringTree {
    dof: usize,
    values: Vec<f64>,
    nodes: Vec<RewiringNode>,
    nearest: NearestNeighbors,
    roots: usize,
    /// Memory of [`list_behind`](Self::list_behind).
    behind: Vec<usize>,
    target: Vec<f64>,
}

impl RewiringTree {
    pub(super) fn reset(&mut self, space: &Space) {
        self.dof = space.dof();
        self.values.clear();
        self.nodes.clear();
        self.nearest.reset(space);
        self.roots = 0;
        self.target.resize(space.dof(), 0.0);
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, index: usize) -> &[f64] {
        &self.values[index * self.dof..(index + 1) * self.dof]
    }

    /// Length of the branch from the root to the node; infinite once it was dropped.
    pub(super) fn cost(&self, index: usize) -> f64 {
        self.nodes[index].cost
    }

    /// How many nodes are roots; they come first.
    pub(super) fn roots(&self) -> usize {
        self.roots
    }

    pub(super) fn parent(&self, index: usize) -> Option<usize> {
        let parent = self.nodes[index].parent;
        (parent != NONE).then_some(parent as usize)
    }

    /// Adds a root; all roots come before other nodes.
    pub(super) fn add_root(&mut self, space: &Space, q: &[f64]) {
        self.push(space, q, ALONE);
        self.roots += 1;
    }

    /// Adds a node at the end of an edge of the given length that seems free.
    pub(super) fn add(&mut self, space: &Space, q: &[f64], parent: usize, length: f64) -> usize {
        let cost = self.cost(parent) + length;
        let index = self.push(space, q, RewiringNode { length, cost, ..ALONE });
        self.hang(index, parent);
        index
    }

    fn push(&mut self, space: &Space, q: &[f64], node: RewiringNode) -> usize {
        self.values.extend_from_slice(q);
        self.nodes.push(node);
        self.nearest.insert(space, q);
        self.nodes.len() - 1
    }

    /// The nearest node; the tree must have a root.
    pub(super) fn nearest(&mut self, space: &Space, q: &[f64]) -> usize {
        self.nearest.nearest(space, q).map_or(0, |(node, _)| node)
    }

    /// Writes the nodes near `q` that a new node is connected with: the k nearest of n nodes, k = e (1 + 1/d) ln n, which is
    /// the least rate at which the costs approach their minimum almost surely (Karaman and Frazzoli 2011, theorem 39).
    pub(super) fn near(&mut self, space: &Space, q: &[f64], found: &mut Vec<(usize, f32)>) {
        #[allow(clippy::cast_sign_loss, reason = "a product of positive numbers")]
        let count = (E * (1.0 + 1.0 / self.dof as f64) * (self.len() as f64 + 1.0).ln()).ceil() as usize;
        self.nearest.k_nearest(space, q, count.max(1), found);
    }

    /// Adds, behind the first of two nodes, what another tree holds around the second, as far as its roots, over an edge of the given
    /// length: the nodes of which `is_of_use` says so, by configuration and cost. The answer is which new node is next to which root.
    pub(super) fn take_over(
        &mut self,
        space: &Space,
        other: &Self,
        ([own, first], length): ([usize; 2], f64),
        is_of_use: impl Fn(&[f64], f64) -> Result<bool>,
    ) -> Result<Vec<(usize, usize)>> {
        let mut ends = Vec::new();
        let mut open = vec![(first, own, length, first)];
        while let Some((node, parent, length, before)) = open.pop() {
            if node < other.roots {
                ends.push((parent, node));
            } else if is_of_use(other.node(node), self.cost(parent) + length)? {
                let added = self.add(space, other.node(node), parent, length);
                let up = other.parent(node).map(|next| (next, added, other.nodes[node].length, node));
                let down = other.children(node).map(|next| (next, added, other.nodes[next].length, node));
                open.extend(up.into_iter().chain(down).filter(|next| next.0 != before));
            }
        }
        Ok(ends)
    }

    /// Drops all nodes but the roots.
    pub(super) fn keep_roots(&mut self, space: &Space) {
        let roots = self.values[..self.roots * self.dof].to_vec();
        self.reset(space);
        roots.chunks(self.dof).for_each(|root| self.add_root(space, root));
    }

    /// Gives a node another parent, over an edge of the given length that seems free; the costs of all behind it follow.
    pub(super) fn rewire(&mut self, index: usize, parent: usize, length: f64) {
        self.cut(index);
        (self.nodes[index].length, self.nodes[index].is_proven) = (length, false);
        self.hang(index, parent);
        self.nodes[index].cost = self.cost(parent) + length;
        self.list_behind(index);
        for place in 0..self.behind.len() {
            let node = self.nodes[self.behind[place]];
            self.nodes[self.behind[place]].cost = self.cost(node.parent as usize) + node.length;
        }
    }

    /// Proves the edges from the root to a node with `is_valid`, nearest to the root first. Where one is refused, the tree loses
    /// it with all behind it, and the answer is false.
    pub(super) fn prove_branch(
        &mut self,
        space: &Space,
        node: usize,
        mut is_valid: impl FnMut(&[f64], &[f64]) -> Result<bool>,
    ) -> Result<bool> {
        let branch: Vec<usize> = self.branch(node).filter(|node| !self.nodes[*node].is_proven).collect();
        for node in branch.into_iter().rev() {
            let Some(parent) = self.parent(node) else { continue };
            let mut target = std::mem::take(&mut self.target);
            space.unwrap_into(self.node(parent), self.node(node), &mut target);
            let outcome = is_valid(self.node(parent), &target);
            self.target = target;
            if !outcome? {
                self.drop_branch(node);
                return Ok(false);
            }
            self.nodes[node].is_proven = true;
        }
        Ok(true)
    }

    /// Drops a node that is no root, and all behind it.
    fn drop_branch(&mut self, index: usize) {
        self.cut(index);
        self.list_behind(index);
        for node in std::iter::once(index).chain(self.behind.iter().copied()) {
            self.nodes[node].cost = f64::INFINITY;
            self.nearest.remove(node);
        }
    }

    /// The node, its parent, … up to its root.
    pub(super) fn branch(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(index), |node| self.parent(*node))
    }

    fn children(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let as_index = |link: u32| (link != NONE).then_some(link as usize);
        let first = as_index(self.nodes[index].first_child);
        std::iter::successors(first, move |node| as_index(self.nodes[*node].next_sibling))
    }

    /// Makes a node the first child of a parent.
    fn hang(&mut self, index: usize, parent: usize) {
        self.nodes[index].parent = parent as u32;
        self.nodes[index].next_sibling = self.nodes[parent].first_child;
        self.nodes[parent].first_child = index as u32;
    }

    /// Takes a node from its parent.
    fn cut(&mut self, index: usize) {
        let RewiringNode { parent, next_sibling, .. } = self.nodes[index];
        let before = self.children(parent as usize).find(|child| self.nodes[*child].next_sibling == index as u32);
        match before {
            Some(before) => self.nodes[before].next_sibling = next_sibling,
            None => self.nodes[parent as usize].first_child = next_sibling,
        }
    }

    /// Lists all nodes behind one, parents before their children.
    fn list_behind(&mut self, index: usize) {
        let mut behind = std::mem::take(&mut self.behind);
        behind.clear();
        behind.extend(self.children(index));
        let mut place = 0;
        while place < behind.len() {
            behind.extend(self.children(behind[place]));
            place += 1;
        }
        self.behind = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_over_keeps_its_edges_and_costs_what_the_way_from_the_start_is_long() -> Result<()> {
        let space = Space::from_bounds(&[(-9.0, 9.0), (-9.0, 9.0)])?;
        let [mut start, mut goal] = [(); 2].map(|()| {
            let mut tree = RewiringTree::default();
            tree.reset(&space);
            tree
        });
        start.add_root(&space, &[0.0, 0.0]);
        let own = start.add(&space, &[1.0, 0.0], 0, 1.0);
        // Two goals; from the first one a way to where the trees meet, with a branch on the way.
        goal.add_root(&space, &[6.0, 0.0]);
        goal.add_root(&space, &[8.0, 8.0]);
        let near = goal.add(&space, &[5.0, 0.0], 0, 1.0);
        let branch = goal.add(&space, &[5.0, 2.0], near, 2.0);
        goal.add(&space, &[5.0, 7.0], branch, 5.0);
        goal.add(&space, &[8.0, 7.0], 1, 1.0);
        let first = goal.add(&space, &[3.0, 0.0], near, 2.0);
        let is_low = |q: &[f64], _: f64| Ok(q[1] < 5.0);
        let ends = start.take_over(&space, &goal, ([own, first], 2.0), is_low)?;

        let nodes: Vec<(Vec<f64>, f64)> =
            (2..start.len()).map(|node| (start.node(node).to_vec(), start.cost(node))).collect();
        let mut sorted = nodes.clone();
        sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
        let wanted = [(vec![3.0, 0.0], 3.0), (vec![5.0, 0.0], 5.0), (vec![5.0, 2.0], 7.0)];
        assert_eq!(sorted, wanted);
        for node in 2..start.len() {
            let parent = start.parent(node).unwrap_or(0);
            assert_eq!(start.cost(node), start.cost(parent) + space.distance(start.node(parent), start.node(node)));
        }
        let ends: Vec<(&[f64], usize)> = ends.iter().map(|(node, root)| (start.node(*node), *root)).collect();
        assert_eq!(ends, [(&[5.0, 0.0][..], 0)]);
        goal.keep_roots(&space);
        assert_eq!((goal.len(), goal.roots(), goal.node(1)), (2, 2, &[8.0, 8.0][..]));
        Ok(())
    }
}
