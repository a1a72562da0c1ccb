//! Paths over two trees that met.

use kinetic_core::{Control, Result, Trajectory};

use super::unwrapped::unwrapped_path;
use crate::space::Space;
use crate::tree::Tree;
use crate::validity::Validity;

/// What a search asks while it joins branches.
pub(super) struct Joining<'a, 'v> {
    pub(super) space: &'a Space,
    pub(super) validity: &'a mut (dyn Validity + 'v),
    pub(super) control: &'a Control,
    /// Iterations that are complete.
    pub(super) iterations: u64,
    /// Whether the edges of the path are proven.
    pub(super) proves: bool,
}

/// A path, and the root of the goal tree that it ends at.
pub(super) type Joined = (Trajectory, usize);

impl Joining<'_, '_> {
    /// The path from the root of the first tree over a node of each to a root of the second. `None` where the proof of an edge
    /// fails; a tree has then lost it with all behind it, unless it is the edge between the trees.
    pub(super) fn join(&mut self, trees: [&mut Tree; 2], nodes: [usize; 2]) -> Result<Option<Joined>> {
        let [start, goal] = trees;
        if !(self.prove_branch(start, nodes[0])? && self.prove_branch(goal, nodes[1])?) {
            return Ok(None);
        }
        let to_start: Vec<usize> = start.branch(nodes[0]).collect();
        let waypoints = to_start.iter().rev().map(|node| start.node(*node));
        let waypoints = waypoints.chain(goal.branch(nodes[1]).map(|node| goal.node(node)));
        let path = unwrapped_path(self.space, waypoints)?;
        let root = goal.branch(nodes[1]).last().unwrap_or(nodes[1]);
        Ok(self.proves_path(&path, to_start.len() - 1)?.then_some((path, root)))
    }

    fn prove_branch(&mut self, tree: &mut Tree, node: usize) -> Result<bool> {
        if !self.proves {
            return Ok(true);
        }
        tree.prove_branch(node, |from, to| {
            self.control.check(self.iterations)?;
            Ok(self.validity.is_motion_valid(from, to))
        })
    }

    /// Proves the edge between the trees, and all edges where unwrapping may have moved them by full turns, so that they are not
    /// bit for bit those of the branches.
    fn proves_path(&mut self, path: &Trajectory, connection: usize) -> Result<bool> {
        let is_open = |edge: usize| self.proves && (edge == connection || self.space.has_continuous());
        for (_, (from, to)) in path.segments().enumerate().filter(|(edge, _)| is_open(*edge)) {
            self.control.check(self.iterations)?;
            if !self.validity.is_motion_valid(from, to) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The path along the straight line from the start to the first of the goals to which it is free.
pub(super) fn straight_line(
    joining: &mut Joining<'_, '_>,
    start: &[f64],
    goals: &[(usize, &[f64])],
) -> Result<Option<(Trajectory, usize)>> {
    for (index, goal) in goals {
        joining.control.check(0)?;
        let path = unwrapped_path(joining.space, [start, *goal].into_iter())?;
        let (from, to) = (path.positions(0), path.positions(1));
        if joining.validity.motion_may_be_valid(from, to)
            && (!joining.proves || joining.validity.is_motion_valid(from, to))
        {
            return Ok(Some((path, *index)));
        }
    }
    Ok(None)
}
