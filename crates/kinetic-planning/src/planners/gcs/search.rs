//! The chain of regions to search a path in: the shortest way over the middles of overlaps.

use std::f64::consts::TAU;

use kinetic_core::{Control, Result};

use super::edge_cost::EdgeCost;
use super::reached_overlaps::{ReachedOverlap, ReachedOverlaps};
use crate::problem::Problem;
use crate::regions::ConvexDecomposition;
use crate::regions::contact::between;
use crate::regions::overlap::Overlap;
use crate::regions::polytope::Polytope;
use crate::space::Space;
use crate::validity::Validity;

/// Regions that a start or goal in none of them is joined to at most.
const MOST_JOINED: usize = 5;

/// Straight lines to regions that are looked at for that.
const MOST_LINES: usize = 64;

/// How far inside a region its entries are, as a part of the way to its centre.
const INSIDE: f64 = 1e-3;

/// Where a path begins or ends.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Terminal {
    pub(super) region: usize,
    /// The configuration, joints without limits turned so that it is near the region.
    pub(super) end: Vec<f64>,
    /// The configuration of the region that a free straight line leads to; the end itself where that is in the region.
    pub(super) entry: Vec<f64>,
    /// Which goal it is; 0 for a start.
    pub(super) goal: usize,
}

impl Terminal {
    /// Cost of the straight line that joins it with its region.
    pub(super) fn join(&self, cost: &EdgeCost<'_>) -> f64 {
        cost.of(&self.end, &self.entry)
    }
}

/// A point that a way passes: one end, or somewhere in an overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WayPoint {
    Start(usize),
    Overlap(usize),
    Goal(usize),
}

/// Regions one after the other, with the points between which each of them is crossed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Way {
    pub(super) regions: Vec<usize>,
    /// One more than regions.
    nodes: Vec<WayPoint>,
    /// Its cost over the middles of overlaps.
    pub(super) estimate: f64,
    pub(super) start: Terminal,
    pub(super) goal: Terminal,
}

/// The graph of regions, start and goals.
pub(super) struct RegionSearch<'a> {
    regions: &'a ConvexDecomposition,
    cost: EdgeCost<'a>,
    /// Of each region, the overlaps with others, and which of their two regions it is.
    overlaps_of: Vec<Vec<(usize, usize)>>,
    starts: Vec<Terminal>,
    goals: Vec<Terminal>,
    /// Crossings of a region that no path was found for.
    left_out: Vec<[WayPoint; 2]>,
}

impl<'a> RegionSearch<'a> {
    /// Joins the start and the goals with regions.
    pub(super) fn new(
        (regions, cost): (&'a ConvexDecomposition, EdgeCost<'a>),
        problem: &Problem<'a>,
        goals: &[usize],
        validity: &mut dyn Validity,
        control: &Control,
    ) -> Result<Self> {
        let mut joins = Joins { regions, space: problem.space(), cost, validity, control };
        let starts = joins.of(problem.start(), 0)?;
        let mut ends = Vec::new();
        for goal in goals {
            ends.append(&mut joins.of(&problem.goals()[*goal], *goal)?);
        }
        let mut overlaps_of = vec![Vec::new(); regions.regions().len()];
        for (index, overlap) in regions.portals().iter().enumerate() {
            for (side, region) in overlap.regions.into_iter().enumerate() {
                overlaps_of[region].push((index, side));
            }
        }
        Ok(Self { regions, cost, overlaps_of, starts, goals: ends, left_out: Vec::new() })
    }

    pub(super) fn regions(&self) -> &'a ConvexDecomposition {
        self.regions
    }

    pub(super) fn cost(&self) -> EdgeCost<'a> {
        self.cost
    }

    pub(super) fn starts(&self) -> &[Terminal] {
        &self.starts
    }

    pub(super) fn goals(&self) -> &[Terminal] {
        &self.goals
    }

    /// The way over some points from a start to a goal, each with the region that it leads into; `None` where they are no way.
    pub(super) fn way_through(&self, points: impl Iterator<Item = (Option<usize>, WayPoint)>) -> Option<Way> {
        let (mut regions, mut nodes) = (Vec::new(), Vec::new());
        for (region, node) in points {
            regions.extend(region);
            nodes.push(node);
        }
        let (Some(WayPoint::Start(start)), Some(WayPoint::Goal(goal))) = (nodes.first(), nodes.last()) else {
            return None;
        };
        let (start, goal) = (self.starts[*start].clone(), self.goals[*goal].clone());
        let estimate = start.join(&self.cost) + self.cost_over_middles(&nodes) + goal.join(&self.cost);
        Some(Way { regions, nodes, estimate, start, goal })
    }

    fn cost_over_middles(&self, nodes: &[WayPoint]) -> f64 {
        self.cost.of_path(nodes.iter().map(|node| self.at(*node)))
    }

    fn at(&self, node: WayPoint) -> &[f64] {
        match node {
            WayPoint::Start(index) => &self.starts[index].entry,
            WayPoint::Overlap(index) => &self.regions.portals()[index].middle,
            WayPoint::Goal(index) => &self.goals[index].entry,
        }
    }

    /// The points of a way over the middles of overlaps, and between two of them over the seed of their region, around which little
    /// collides: regions that were connected when they grew are free along such lines.
    pub(super) fn over_seeds(&self, way: &Way) -> Vec<Vec<f64>> {
        let seeds = way.regions.iter().map(|region| self.regions.regions()[*region].seed());
        let pairs = way.nodes.iter().zip(seeds).flat_map(|(node, seed)| [self.at(*node), seed]);
        pairs.chain(way.nodes.last().map(|node| self.at(*node))).map(<[f64]>::to_vec).collect()
    }

    /// Searches without this crossing from now on: the edge of a way in its region of that place.
    pub(super) fn leave_out(&mut self, way: &Way, edge: usize) {
        self.left_out.push([way.nodes[edge], way.nodes[edge + 1]]);
    }

    /// Ways that each do without one crossing of another way, the shortest first.
    pub(super) fn detours(&mut self, way: &Way) -> Vec<Way> {
        let mut found: Vec<Way> = Vec::new();
        for edge in 0..way.regions.len() {
            self.leave_out(way, edge);
            if let Some(other) = self.shortest().filter(|other| !found.contains(other)) {
                found.push(other);
            }
            self.left_out.pop();
        }
        found.sort_by(|a, b| a.estimate.total_cmp(&b.estimate));
        found
    }

    /// The shortest way over the middles of overlaps that are passable from seed to seed, and where there is none over those of all; `None`
    /// where there is none.
    pub(super) fn shortest(&self) -> Option<Way> {
        self.shortest_over(|overlap| overlap.is_passable).or_else(|| self.shortest_over(|_| true))
    }

    /// The shortest way over the middles of overlaps (Dijkstra 1959).
    ///
    /// Distances are those of configurations, without wrapping. An overlap is entered from either of its regions and left through the
    /// other one, so that it has two states: the one with number `2 i + k` goes on in the k-th region of overlap i.
    fn shortest_over(&self, may_pass: fn(&Overlap) -> bool) -> Option<Way> {
        let mut reached = ReachedOverlaps::new(2 * self.regions.portals().len());
        let mut best = BestGoal { cost: f64::INFINITY, last: None, start: 0, goal: 0 };
        for (index, start) in self.starts.iter().enumerate() {
            let from = Departure {
                node: WayPoint::Start(index),
                at: &start.entry,
                cost: start.join(&self.cost),
                state: None,
                start: index,
            };
            self.cross((start.region, may_pass), &from, &mut reached, &mut best);
        }
        while let Some(state) = reached.settle_next(best.cost) {
            let overlap = &self.regions.portals()[state / 2];
            let (cost, start) = (reached.states[state].cost, reached.states[state].start);
            let node = WayPoint::Overlap(state / 2);
            let from = Departure { node, at: &overlap.middle, cost, state: Some(state), start };
            self.cross((overlap.regions[state % 2], may_pass), &from, &mut reached, &mut best);
        }
        best.cost.is_finite().then(|| self.way(&reached.states, &best))
    }

    /// Offers what a region leads to from a point in it.
    fn cross(
        &self,
        (region, may_pass): (usize, fn(&Overlap) -> bool),
        from: &Departure<'_>,
        reached: &mut ReachedOverlaps,
        best: &mut BestGoal,
    ) {
        for (goal, end) in self.goals.iter().enumerate().filter(|(_, end)| end.region == region) {
            let cost = from.cost + self.cost.of(from.at, &end.entry) + end.join(&self.cost);
            if cost < best.cost && self.may_cross(from.node, WayPoint::Goal(goal)) {
                *best = BestGoal { cost, last: from.state, start: from.start, goal };
            }
        }
        for (index, side) in self.overlaps_of[region].iter().copied() {
            let state = 2 * index + 1 - side;
            let overlap = &self.regions.portals()[index];
            let cost = from.cost + self.cost.of(from.at, &overlap.middle);
            if may_pass(overlap)
                && reached.is_shorter(state, cost)
                && self.may_cross(from.node, WayPoint::Overlap(index))
            {
                reached.reach(state, cost, from.state, from.start);
            }
        }
    }

    fn may_cross(&self, from: WayPoint, to: WayPoint) -> bool {
        from != to && !self.left_out.iter().any(|[a, b]| (*a == from && *b == to) || (*a == to && *b == from))
    }

    /// The way that ends in the best goal.
    fn way(&self, reached: &[ReachedOverlap], best: &BestGoal) -> Way {
        let goal = &self.goals[best.goal];
        let (mut regions, mut nodes) = (vec![goal.region], vec![WayPoint::Goal(best.goal)]);
        let mut last = best.last;
        while let Some(state) = last {
            nodes.push(WayPoint::Overlap(state / 2));
            // It was entered through the other region.
            regions.push(self.regions.portals()[state / 2].regions[1 - state % 2]);
            last = reached[state].before;
        }
        nodes.push(WayPoint::Start(best.start));
        regions.reverse();
        nodes.reverse();
        Way { regions, nodes, estimate: best.cost, start: self.starts[best.start].clone(), goal: goal.clone() }
    }
}

/// Where a region is crossed from.
struct Departure<'a> {
    node: WayPoint,
    at: &'a [f64],
    cost: f64,
    state: Option<usize>,
    start: usize,
}

/// The shortest known way to a goal.
struct BestGoal {
    cost: f64,
    /// The last overlap that it passes; `None` where start and goal are in one region.
    last: Option<usize>,
    start: usize,
    goal: usize,
}

/// Where configurations are joined with regions.
struct Joins<'a, 'v> {
    regions: &'a ConvexDecomposition,
    space: &'a Space,
    cost: EdgeCost<'a>,
    validity: &'v mut dyn Validity,
    control: &'v Control,
}

impl Joins<'_, '_> {
    /// The regions that a configuration is in, or those near it that a free straight line leads to.
    fn of(&mut self, q: &[f64], goal: usize) -> Result<Vec<Terminal>> {
        let turned = |region: usize| self.turned(q, self.regions.regions()[region].center());
        let count = self.regions.regions().len();
        let inside = |region: &usize| self.regions.regions()[*region].polytope.contains(&turned(*region));
        let found: Vec<Terminal> = (0..count)
            .filter(inside)
            .map(|region| Terminal { region, end: turned(region), entry: turned(region), goal })
            .collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let mut lines: Vec<Terminal> = (0..count).flat_map(|region| self.lines(region, turned(region), goal)).collect();
        lines.sort_by(|a, b| a.join(&self.cost).total_cmp(&b.join(&self.cost)));
        lines.truncate(MOST_LINES);
        let mut joined = Vec::new();
        for line in lines {
            self.control.check(0)?;
            let is_free = self.validity.motion_may_be_valid(&line.end, &line.entry)
                && self.validity.is_motion_valid(&line.end, &line.entry);
            if is_free {
                joined.push(line);
            }
            if joined.len() == MOST_JOINED {
                break;
            }
        }
        Ok(joined)
    }

    /// The configuration with joints without limits turned to be within half a turn of another.
    fn turned(&self, q: &[f64], near: &[f64]) -> Vec<f64> {
        let turn =
            |joint: usize| if self.space.is_continuous(joint) { ((near[joint] - q[joint]) / TAU).round() } else { 0.0 };
        (0..q.len()).map(|joint| q[joint] + TAU * turn(joint)).collect()
    }

    /// The straight lines towards the centre and the seed of a region, up to where they are inside.
    fn lines(&self, region: usize, end: Vec<f64>, goal: usize) -> impl Iterator<Item = Terminal> {
        let found = &self.regions.regions()[region];
        [found.center(), found.seed()].into_iter().filter_map(move |inside| {
            let t = entry(&found.polytope, &end, inside)?;
            let entry = between(&end, inside, t + INSIDE * (1.0 - t));
            Some(Terminal { region, end: end.clone(), entry, goal })
        })
    }
}

/// The part of the way from a configuration to one inside at which it enters.
fn entry(polytope: &Polytope, from: &[f64], inside: &[f64]) -> Option<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut t = 0.0_f64;
    for (normal, offset) in polytope.faces() {
        let (outside, within) = (dot(normal, from) - offset, dot(normal, inside) - offset);
        if within > 0.0 {
            return None;
        }
        if outside > 0.0 {
            t = t.max(outside / (outside - within));
        }
    }
    Some(t)
}
