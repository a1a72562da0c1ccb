//! Paths that become part of the trees: the first one of a single tree, and those that were shortened.

use kinetic_core::{Result, Trajectory};

use super::{GOAL, Growth, PATH_LENGTH_ROUNDING, RewiringSearch, START};
use crate::planners::rewiring::connections::Connection;
use crate::planners::rewiring::extension::distance_to_roots;
use crate::smooth::simplify_in;

/// A path is shortened when it is shorter by this part than what the last shortening gave.
const LEAST_GAIN: f64 = 1e-3;

impl RewiringSearch<'_> {
    /// Makes what the goal tree holds around the end of the first path a part of the start tree, which grows alone from then on
    /// (Mashayekhi, Idris, Anisi and Ahmedy 2020).
    ///
    /// # Errors
    /// What [`Control::check`](kinetic_core::Control::check) says: trees may be large.
    pub(super) fn merge_trees(&mut self, edge: Connection) -> Result<()> {
        let (space, most) = (self.space, self.bound * (1.0 + PATH_LENGTH_ROUNDING));
        let [start, goal] = &mut self.memory.trees;
        self.memory.connections.clear();
        let (control, iterations) = (self.control, self.iterations - 1);
        let is_of_use = |q: &[f64], cost: f64| {
            control.check(iterations)?;
            Ok(cost + distance_to_roots(space, goal, q) <= most)
        };
        let ends = start.take_over(space, goal, (edge.nodes, edge.length), is_of_use)?;
        for (node, root) in ends {
            let length = space.distance(start.node(node), goal.node(root));
            self.memory.connections.add(Connection { nodes: [node, root], length });
        }
        goal.keep_roots(space);
        Ok(())
    }

    /// Shortens the best path, and makes the result a part of the trees (Islam, Nasir, Malik, Ayaz and Hasan 2012).
    pub(super) fn shorten(&mut self) -> Result<()> {
        let options = &self.setting.simplify;
        let is_off = options.shortcut_iterations == 0 && !options.smooth;
        let Some((_, plan)) = self.best.as_ref().filter(|_| !is_off && self.bound < self.worth_shortening) else {
            return Ok(());
        };
        let goal = plan.goal_index;
        let shorter = simplify_in(self.space, &plan.path, options, &mut *self.validity, self.control)?.path;
        let length = self.space.path_length(&shorter);
        self.worth_shortening = (1.0 - LEAST_GAIN) * length.min(self.bound);
        let points = self.pieces(&shorter);
        // The path counts also where the budget ends before it is part of the trees.
        self.adopt(shorter, goal);
        if length >= self.bound {
            return Ok(());
        }
        self.bound = length;
        self.graft(&points, goal)
    }

    /// Adds the configurations of a path, no farther apart than the range, to both trees where both grow, else to the start tree.
    fn graft(&mut self, points: &[Vec<f64>], goal: usize) -> Result<()> {
        let Some(root) = self.goals.iter().position(|other| *other == goal) else { return Ok(()) };
        let inner = points.len().saturating_sub(2);
        let own = match self.setting.growth {
            Growth::Start => inner,
            Growth::Both => inner / 2,
        };
        let active = std::mem::replace(&mut self.active, START);
        let from_start = self.add_chain(0, points[1..=own].iter())?;
        self.active = GOAL;
        let from_goal = self.add_chain(root, points[own + 1..=inner].iter().rev())?;
        self.active = START;
        if let (Some(node), Some(other)) = (from_start, from_goal) {
            let [start, goal] = &self.memory.trees;
            let length = self.space.distance(start.node(node), goal.node(other));
            self.connect(node, other, length)?;
        }
        self.active = active;
        Ok(())
    }

    /// The ends of equal steps along each edge of a path, none longer than the range.
    fn pieces(&self, path: &Trajectory) -> Vec<Vec<f64>> {
        let mut points = vec![path.positions(0).to_vec()];
        for (from, to) in path.segments() {
            let steps = (self.space.straight_length(from, to) / self.setting.range).ceil().max(1.0);
            let mut step = 1.0;
            while step < steps {
                points.push(from.iter().zip(to).map(|(from, to)| from + (to - from) * step / steps).collect());
                step += 1.0;
            }
            points.push(to.to_vec());
        }
        points
    }

    /// Adds configurations one behind the other to the active tree; the last node, if all edges seem free.
    fn add_chain<'p>(&mut self, root: usize, points: impl Iterator<Item = &'p Vec<f64>>) -> Result<Option<usize>> {
        let mut node = root;
        for point in points {
            let length = self.space.distance(self.memory.trees[self.active].node(node), point);
            let Some(added) = self.extension().add(node, point, length)? else { return Ok(None) };
            node = added;
        }
        Ok(Some(node))
    }
}
