//! One search: RRT-Connect in the space of configuration and cost, for a path shorter than a bound.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, Trajectory};

use super::cost_tree::CostTree;
use crate::planners::informed::InformedSampler;
use crate::problem::Problem;
use crate::space::Space;
use crate::validity::Validity;

const START: usize = 0;
const GOAL: usize = 1;

/// Trees and configurations in the making; kept between searches.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    trees: [CostTree; 2],
    sampler: InformedSampler,
    sample: Vec<f64>,
    step: Vec<f64>,
    base: Vec<f64>,
    target: Vec<f64>,
    path: Vec<f64>,
}

impl Memory {
    /// Nodes of both trees.
    pub(super) fn nodes(&self) -> usize {
        self.trees.iter().map(CostTree::len).sum()
    }
}

/// How a search ended.
pub(super) enum End {
    /// With a path to that goal of the problem.
    Found { goal: usize, path: Trajectory },
    /// The trees have their size, or had their time, and did not meet below the bound.
    Grown,
    /// The budget is used up.
    Over,
}

/// A search below a bound.
pub(super) struct Bounded<'s> {
    pub(super) space: &'s Space,
    pub(super) with_cost: &'s Space,
    pub(super) problem: &'s Problem<'s>,
    /// The goals, nearest first.
    pub(super) roots: &'s [usize],
    pub(super) range: f64,
    pub(super) bound: f64,
    pub(super) most_nodes: usize,
    pub(super) validity: &'s mut dyn Validity,
    pub(super) control: &'s Control,
    pub(super) rng: &'s mut SeededRng,
    pub(super) memory: &'s mut Memory,
    pub(super) iterations: &'s mut u64,
}

/// A configuration to be added to a tree: from which node, at what cost.
#[derive(Clone, Copy)]
struct Link {
    parent: usize,
    cost: f64,
}

impl Bounded<'_> {
    pub(super) fn run(&mut self) -> End {
        self.plant();
        let mut active = GOAL;
        let last = self.iterations.saturating_add(self.most_nodes as u64);
        while self.memory.nodes() < self.most_nodes && *self.iterations < last {
            if self.control.is_over(*self.iterations) {
                return End::Over;
            }
            *self.iterations += 1;
            active = 1 - active;
            let Some(node) = self.grow(active) else { continue };
            if let Some(meeting) = self.connect(active, node)
                && self.prove_branch(active, meeting.0)
                && self.prove_branch(1 - active, meeting.1)
                && let Some((goal, path)) = self.build_path(active, meeting)
            {
                return End::Found { goal, path };
            }
        }
        End::Grown
    }

    /// Empty trees with their roots.
    fn plant(&mut self) {
        let Memory { trees, sample, step, base, target, .. } = &mut *self.memory;
        for buffer in [sample, step, base, target] {
            buffer.resize(self.space.dof(), 0.0);
        }
        for tree in trees.iter_mut() {
            tree.reset(self.with_cost);
        }
        trees[START].add_root(self.with_cost, self.problem.start());
        for goal in self.roots {
            trees[GOAL].add_root(self.with_cost, &self.problem.goals()[*goal]);
        }
    }

    /// Least cost at which a tree could reach a configuration.
    fn least_cost(&self, tree: usize, q: &[f64]) -> f64 {
        if tree == START {
            return self.space.distance(self.problem.start(), q);
        }
        let distances = self.roots.iter().map(|goal| self.space.distance(q, &self.problem.goals()[*goal]));
        distances.fold(f64::INFINITY, f64::min)
    }

    /// Extends a tree towards a sample of configuration and cost; the new node.
    fn grow(&mut self, active: usize) -> Option<usize> {
        let goal = &self.problem.goals()[self.roots[self.rng.below(self.roots.len())]];
        let ends = (self.problem.start(), &goal[..]);
        let Memory { sampler, sample, .. } = &mut *self.memory;
        if !sampler.sample(self.space, ends, self.bound, self.rng, sample) {
            return None;
        }
        let least = self.least_cost(active, &self.memory.sample);
        let most = self.bound - self.least_cost(1 - active, &self.memory.sample);
        if least >= most {
            return None;
        }
        let cost = self.rng.uniform(least, most);
        let Memory { trees, sample, step, .. } = &mut *self.memory;
        let near = trees[active].nearest(self.with_cost, sample, cost);
        self.space.steer(trees[active].node(near), sample, self.range, step);
        let link = self.link(active, near)?;
        let link = self.cheaper(active, link);
        let Memory { trees, step, .. } = &mut *self.memory;
        Some(trees[active].add(self.with_cost, step, link.parent, link.cost))
    }

    /// The edge from a node to `step`, when it could be part of a path below the bound and seems free.
    fn link(&mut self, active: usize, parent: usize) -> Option<Link> {
        let Memory { trees, step, .. } = &*self.memory;
        let from = trees[active].node(parent);
        let cost = trees[active].cost(parent) + self.space.distance(from, step);
        let fits = cost + self.least_cost(1 - active, step) < self.bound;
        (fits && self.validity.motion_may_be_valid(from, step)).then_some(Link { parent, cost })
    }

    /// A cheaper way to `step`: parents near it at lower and lower costs, until one is blocked or not cheaper.
    fn cheaper(&mut self, active: usize, mut link: Link) -> Link {
        let least = self.least_cost(active, &self.memory.step);
        while least < link.cost && !self.control.is_over(*self.iterations) {
            let cost = self.rng.uniform(least, link.cost);
            let Memory { trees, step, .. } = &mut *self.memory;
            let near = trees[active].nearest(self.with_cost, step, cost);
            if near == link.parent {
                break;
            }
            let through = trees[active].cost(near) + self.space.distance(trees[active].node(near), step);
            if through >= link.cost || !self.validity.motion_may_be_valid(trees[active].node(near), step) {
                break;
            }
            link = Link { parent: near, cost: through };
        }
        link
    }

    /// Walks from a node towards a node of the other tree that it can meet below the bound, as far as the way is free;
    /// the two nodes between which the last edge seems free.
    fn connect(&mut self, active: usize, mut node: usize) -> Option<(usize, usize)> {
        let Memory { trees, base, .. } = &mut *self.memory;
        base.copy_from_slice(trees[active].node(node));
        let remaining = self.bound - trees[active].cost(node);
        let least = self.least_cost(1 - active, &self.memory.base);
        if least >= remaining {
            return None;
        }
        let wanted = self.rng.uniform(least, remaining);
        let Memory { trees, base, target, step, .. } = &mut *self.memory;
        let other = trees[1 - active].nearest(self.with_cost, base, wanted);
        self.space.unwrap_into(base, trees[1 - active].node(other), target);
        let distance = self.space.distance(base, target);
        if distance + trees[1 - active].cost(other) >= remaining {
            return None;
        }
        let steps = (distance / self.range).ceil().max(1.0);
        let mut count = 1.0;
        while count < steps && !self.control.is_over(*self.iterations) {
            self.space.interpolate(base, target, count / steps, step);
            let from = trees[active].node(node);
            if !self.validity.motion_may_be_valid(from, step) {
                return None;
            }
            let cost = trees[active].cost(node) + self.space.distance(from, step);
            node = trees[active].add(self.with_cost, step, node, cost);
            count += 1.0;
        }
        let is_there = count >= steps && !self.control.is_over(*self.iterations);
        (is_there && self.validity.motion_may_be_valid(trees[active].node(node), target)).then_some((node, other))
    }

    /// Joins the branches of two nodes into a path from the start to a goal, the values unwrapped from the start.
    fn build_path(&mut self, active: usize, (node, other): (usize, usize)) -> Option<(usize, Trajectory)> {
        let (from_start, from_goal) = if active == START { (node, other) } else { (other, node) };
        let Memory { trees: [start_tree, goal_tree], path, base, target, .. } = &mut *self.memory;
        path.clear();
        let to_start: Vec<usize> = start_tree.branch(from_start).collect();
        to_start.iter().rev().for_each(|node| path.extend_from_slice(start_tree.node(*node)));
        let (last, meeting) = (start_tree.node(from_start), goal_tree.node(from_goal));
        self.space.unwrap_into(last, meeting, target);
        base.iter_mut().zip(target.iter().zip(meeting)).for_each(|(turn, (there, here))| *turn = there - here);
        let is_turned = self.space.has_continuous() && target.iter().zip(meeting).any(|(there, here)| there != here);
        let mut root = from_goal;
        for node in goal_tree.branch(from_goal) {
            path.extend(goal_tree.node(node).iter().zip(&*base).map(|(value, turn)| value + turn));
            root = node;
        }
        // Turned by full turns, edges are not bit for bit those that were proven.
        if !self.proves_path(to_start.len(), if is_turned { usize::MAX } else { 1 }) {
            return None;
        }
        let waypoints: Vec<&[f64]> = self.memory.path.chunks_exact(self.space.dof()).collect();
        Some((self.roots[root], Trajectory::from_waypoints(&waypoints).ok()?))
    }

    /// Proves the edges from the root of a tree to a node; the answer is false at the end of the budget, too.
    fn prove_branch(&mut self, which: usize, node: usize) -> bool {
        let trees = &mut self.memory.trees;
        let (validity, control, iterations) = (&mut *self.validity, self.control, *self.iterations);
        if control.is_over(iterations) {
            return false;
        }
        trees[which].prove(node, |from, to| validity.is_motion_valid(from, to))
    }

    /// Proves at most `count` of the path's edges from waypoint `first - 1` on: the one between the trees, and more where
    /// they were proven in other values only.
    fn proves_path(&mut self, first: usize, count: usize) -> bool {
        let dof = self.space.dof();
        let edges = &self.memory.path[(first - 1) * dof..];
        let mut ends = edges.chunks_exact(dof).zip(edges.chunks_exact(dof).skip(1)).take(count);
        ends.all(|(from, to)| self.validity.is_motion_valid(from, to))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that unwraps fails, as it should")]
mod tests {
    use kinetic_core::JointValues;

    use super::*;

    /// Rounding of sums of some ten distances.
    const ROUNDING: f64 = 1e-9;

    /// A plane with a disc of radius 1 in its middle.
    struct Disc;

    impl Validity for Disc {
        fn is_valid(&mut self, q: &[f64]) -> bool {
            q[0].hypot(q[1]) > 1.0
        }

        fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
            let way = [to[0] - from[0], to[1] - from[1]];
            let square = way[0] * way[0] + way[1] * way[1];
            let along = -(from[0] * way[0] + from[1] * way[1]) / square.max(f64::MIN_POSITIVE);
            let t = along.clamp(0.0, 1.0);
            (from[0] + t * way[0]).hypot(from[1] + t * way[1]) > 1.0
        }

        fn checks(&self) -> u64 {
            0
        }
    }

    /// Lengths of branches, and what is left to the nearest root of the other tree, by sums over the branch.
    fn assert_costs(search: &Bounded<'_>, seed: u64) {
        for (which, tree) in search.memory.trees.iter().enumerate() {
            for node in 0..tree.len() {
                let branch: Vec<usize> = tree.branch(node).collect();
                let edge = |pair: &[usize]| search.space.distance(tree.node(pair[0]), tree.node(pair[1]));
                let cost: f64 = branch.windows(2).map(edge).sum();
                assert!((tree.cost(node) - cost).abs() < ROUNDING, "seed {seed}: {} {cost}", tree.cost(node));
                let whole = cost + search.least_cost(1 - which, tree.node(node));
                assert!(branch.len() == 1 || whole < search.bound + ROUNDING, "seed {seed}: {whole}");
            }
        }
    }

    #[test]
    fn nodes_cost_their_way_from_the_root_and_no_path_found_is_longer_than_the_bound() {
        let weights = [1.0, 0.7];
        let space = Space::new(vec![-3.0; 2], vec![3.0; 2]).unwrap().with_weights(weights.to_vec()).unwrap();
        let (start, goals) = ([-2.0, -0.4], [JointValues::from([2.0, 0.3]), [-0.5, 2.8].into()]);
        let bound = 4.6;
        let with_cost = Space::new(vec![-3.0, -3.0, 0.0], vec![3.0, 3.0, bound]).unwrap();
        let with_cost = with_cost.with_weights(vec![1.0, 0.7, 1.0]).unwrap();
        let mut found = 0;
        for seed in 0..20 {
            let problem = Problem::new(&space, &start, &goals, seed).unwrap();
            let (mut rng, mut memory, mut iterations) = (SeededRng::new(seed), Memory::default(), 0);
            let control = Control::default();
            let mut search = Bounded {
                space: &space,
                with_cost: &with_cost,
                problem: &problem,
                roots: &[1, 0],
                range: 0.4,
                bound,
                most_nodes: 300,
                validity: &mut Disc,
                control: &control,
                rng: &mut rng,
                memory: &mut memory,
                iterations: &mut iterations,
            };
            let end = search.run();
            assert_costs(&search, seed);
            let End::Found { goal, path } = end else { continue };
            found += 1;
            assert!(space.path_length(&path) < bound + ROUNDING, "seed {seed}: {}", space.path_length(&path));
            assert_eq!((path.positions(0), path.positions(path.len() - 1)), (&start[..], &goals[goal][..]));
            assert!(path.segments().all(|(from, to)| Disc.is_motion_valid(from, to)), "seed {seed}");
        }
        assert!(found > 5, "{found} of 20");
    }
}
