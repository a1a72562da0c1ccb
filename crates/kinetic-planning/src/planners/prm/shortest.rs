//! Shortest paths in a roadmap whose edges come and go: Lifelong Planning A\* (Koenig, Likhachev and Furcy, Artificial Intelligence
//! 2004).
//!
//! The search runs from the goals to the start, so that one heuristic, the distance to the start, serves all goals. When an edge is
//! refused or a vertex is added, what was found before is repaired. Costs are sums in one order, so that what they are does not
//! depend on the order of repairs; of equally short paths the one through the lower numbers is taken.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use kinetic_core::{Control, Result};

use crate::roadmap::graph::RoadmapGraph;
use crate::roadmap::verdicts::Verdicts;

/// How far beyond the cost of the shortest path vertices are expanded, relative to it: rounding of sums of a few hundred edges.
const COST_ROUNDING: f64 = 1e-9;

/// The clock is read once in so many expansions.
const EXPANSIONS_PER_CLOCK: u64 = 1024;

/// A vertex whose cost is to be looked at, with the key of its place in the queue.
#[derive(Debug, Clone, Copy, PartialEq)]
struct QueuedVertex {
    key: [f64; 2],
    vertex: u32,
}

impl Eq for QueuedVertex {}

impl Ord for QueuedVertex {
    /// The one with the least key is the greatest: it comes out of a heap first.
    fn cmp(&self, other: &Self) -> Ordering {
        let keys = |a: usize| other.key[a].total_cmp(&self.key[a]);
        keys(0).then_with(|| keys(1)).then_with(|| other.vertex.cmp(&self.vertex))
    }
}

impl PartialOrd for QueuedVertex {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Costs from the vertices of a roadmap to the nearest root.
#[derive(Debug, Clone, Default)]
pub(super) struct ShortestPaths {
    /// Cost as last expanded, g of the paper.
    expanded: Vec<f64>,
    /// Cost over the best neighbour, rhs of the paper.
    cost: Vec<f64>,
    /// Distance to the target; NaN until it is needed.
    heuristic: Vec<f64>,
    is_root: Vec<bool>,
    queue: BinaryHeap<QueuedVertex>,
    target: usize,
    expansions: u64,
}

impl ShortestPaths {
    /// Paths from the target to the nearest of the roots.
    pub(super) fn new(graph: &RoadmapGraph, target: usize, roots: &[usize]) -> Self {
        let mut paths = Self { target, ..Self::default() };
        paths.resize(graph);
        for root in roots {
            (paths.is_root[*root], paths.cost[*root]) = (true, 0.0);
            paths.requeue(graph, *root);
        }
        paths
    }

    fn resize(&mut self, graph: &RoadmapGraph) {
        self.expanded.resize(graph.len(), f64::INFINITY);
        self.cost.resize(graph.len(), f64::INFINITY);
        self.heuristic.resize(graph.len(), f64::NAN);
        self.is_root.resize(graph.len(), false);
    }

    /// Notes a vertex that was added last, with its edges.
    pub(super) fn add(&mut self, graph: &RoadmapGraph, verdicts: &Verdicts, vertex: usize) {
        self.resize(graph);
        self.update(graph, verdicts, vertex);
        // Its cost reaches its neighbours when it is expanded.
    }

    /// Notes that an edge was refused.
    pub(super) fn refuse(&mut self, graph: &RoadmapGraph, verdicts: &Verdicts, edge: usize) {
        let [low, high] = graph.ends(edge);
        for (from, to) in [(low, high), (high, low)] {
            if self.cost[to] == self.expanded[from] + graph.length(edge) {
                self.update(graph, verdicts, to);
            }
        }
    }

    /// Length of the shortest path from the target to a root over edges that are not refused; infinite where none is shorter than
    /// `bound`.
    pub(super) fn shortest(
        &mut self,
        graph: &RoadmapGraph,
        verdicts: &Verdicts,
        bound: f64,
        control: &Control,
    ) -> Result<f64> {
        while let Some(next) = self.queue.peek().copied() {
            let vertex = next.vertex as usize;
            let is_current = self.cost[vertex] != self.expanded[vertex] && next.key == self.key(graph, vertex);
            if is_current {
                let (cost, expanded) = (self.cost[self.target], self.expanded[self.target]);
                let is_found = cost == expanded && next.key[0] > cost * (1.0 + COST_ROUNDING);
                if is_found || next.key[0] > bound * (1.0 + COST_ROUNDING) {
                    break;
                }
            }
            self.queue.pop();
            if is_current {
                self.expand(graph, verdicts, vertex);
            }
            self.expansions += 1;
            if self.expansions.is_multiple_of(EXPANSIONS_PER_CLOCK) {
                control.check(0)?;
            }
        }
        let cost = self.cost[self.target];
        Ok(if cost < bound { cost } else { f64::INFINITY })
    }

    /// The shortest path after [`shortest`](Self::shortest) found one: its vertices from the target to a root, and its edges. `None` where
    /// costs lead in a circle, as they may where lengths are rounded by more than sums of them should be.
    pub(super) fn path(&self, graph: &RoadmapGraph, verdicts: &Verdicts) -> Option<(Vec<usize>, Vec<usize>)> {
        let (mut vertices, mut edges) = (vec![self.target], Vec::new());
        let mut at = self.target;
        while !self.is_root[at] {
            if vertices.len() > self.cost.len() {
                return None;
            }
            let open = graph.neighbours(at).filter(|(edge, _)| verdicts.is_open(*edge));
            let cost = |(edge, to): &(usize, usize)| self.expanded[*to] + graph.length(*edge);
            let (edge, to) = open.min_by(|a, b| cost(a).total_cmp(&cost(b)).then(a.1.cmp(&b.1)))?;
            edges.push(edge);
            vertices.push(to);
            at = to;
        }
        Some((vertices, edges))
    }

    fn key(&mut self, graph: &RoadmapGraph, vertex: usize) -> [f64; 2] {
        if self.heuristic[vertex].is_nan() {
            self.heuristic[vertex] = graph.space().distance(graph.vertex(vertex), graph.vertex(self.target));
        }
        let cost = self.cost[vertex].min(self.expanded[vertex]);
        [cost + self.heuristic[vertex], cost]
    }

    fn requeue(&mut self, graph: &RoadmapGraph, vertex: usize) {
        if self.cost[vertex] != self.expanded[vertex] {
            let key = self.key(graph, vertex);
            self.queue.push(QueuedVertex { key, vertex: vertex as u32 });
        }
    }

    /// Works out the cost of a vertex from its neighbours.
    fn update(&mut self, graph: &RoadmapGraph, verdicts: &Verdicts, vertex: usize) {
        if !self.is_root[vertex] {
            let open = graph.neighbours(vertex).filter(|(edge, _)| verdicts.is_open(*edge));
            let costs = open.map(|(edge, to)| self.expanded[to] + graph.length(edge));
            self.cost[vertex] = costs.fold(f64::INFINITY, f64::min);
        }
        self.requeue(graph, vertex);
    }

    /// Makes the cost of a vertex known to its neighbours.
    fn expand(&mut self, graph: &RoadmapGraph, verdicts: &Verdicts, vertex: usize) {
        let before = self.expanded[vertex];
        let falls = before > self.cost[vertex];
        self.expanded[vertex] = if falls { self.cost[vertex] } else { f64::INFINITY };
        for (edge, to) in graph.neighbours(vertex).filter(|(edge, _)| verdicts.is_open(*edge)) {
            if falls {
                let cost = self.expanded[vertex] + graph.length(edge);
                if cost < self.cost[to] {
                    self.cost[to] = cost;
                    self.requeue(graph, to);
                }
            } else if self.cost[to] == before + graph.length(edge) {
                self.update(graph, verdicts, to);
            }
        }
        if !falls {
            self.requeue(graph, vertex);
        }
    }
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::*;
    use crate::roadmap::verdicts::Verdict;
    use crate::space::Space;

    /// Costs to the nearest root by relaxing every edge until nothing changes (Bellman 1958).
    fn bellman(graph: &RoadmapGraph, verdicts: &Verdicts, roots: &[usize]) -> Vec<f64> {
        let mut costs = vec![f64::INFINITY; graph.len()];
        for root in roots {
            costs[*root] = 0.0;
        }
        for _ in 0..graph.len() {
            for edge in (0..graph.edges()).filter(|edge| verdicts.is_open(*edge)) {
                let [a, b] = graph.ends(edge);
                costs[a] = costs[a].min(costs[b] + graph.length(edge));
                costs[b] = costs[b].min(costs[a] + graph.length(edge));
            }
        }
        costs
    }

    #[test]
    fn repaired_paths_are_the_shortest_whatever_was_refused_and_added() -> Result<()> {
        let space = Space::from_bounds(&[(-1.0, 1.0), (f64::NEG_INFINITY, f64::INFINITY)])?;
        let (mut reached, mut cut_off) = (0, 0);
        for seed in 0..200 {
            let mut rng = SeededRng::new(seed);
            let (mut graph, mut q) = (RoadmapGraph::new(&space, seed), [0.0; 2]);
            for _ in 0..3 {
                graph.draw_into(&mut q);
                graph.add(&q);
            }
            let roots = [1, 2];
            let mut verdicts = Verdicts::unknown(&graph);
            let mut paths = ShortestPaths::new(&graph, 0, &roots);
            for round in 0..60 {
                if rng.below(3) == 0 || graph.edges() == 0 {
                    graph.draw_into(&mut q);
                    let vertex = graph.add_connected(&q, 4, |_| true);
                    verdicts.resize(&graph);
                    paths.add(&graph, &verdicts, vertex);
                } else {
                    let edge = rng.below(graph.edges());
                    verdicts.edges[edge] = Verdict::Refused;
                    paths.refuse(&graph, &verdicts, edge);
                }
                let expected = bellman(&graph, &verdicts, &roots)[0];
                // Every other time only shorter paths than some are asked for.
                let bound = if round % 2 == 0 { f64::INFINITY } else { rng.uniform(0.5, 3.0) };
                let cost = paths.shortest(&graph, &verdicts, bound, &Control::default())?;
                let case = format!("seed {seed}, round {round}: {cost} {expected}, below {bound}");
                if bound <= expected && expected.is_finite() {
                    assert!(cost.is_infinite(), "{case}");
                    continue;
                }
                if expected.is_infinite() {
                    cut_off += 1;
                    assert!(cost.is_infinite(), "{case}");
                    continue;
                }
                reached += 1;
                assert!((cost - expected).abs() <= 1e-12 * expected, "{case}");
                let (vertices, edges) = paths.path(&graph, &verdicts).expect("a path that was found");
                let length: f64 = edges.iter().map(|edge| graph.length(*edge)).sum();
                assert!((length - expected).abs() <= 1e-12 * expected, "{case}: the path has {length}");
                assert!(vertices[0] == 0 && roots.contains(&vertices[vertices.len() - 1]), "{case}");
            }
        }
        assert!(reached > 2_000 && cut_off > 200, "{reached} {cut_off}");
        Ok(())
    }
}
