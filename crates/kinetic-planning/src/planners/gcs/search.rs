//! The chain of regions to search a path in: the shortest way over the middles of overlaps.

use std::f64::consts::TAU;

use kinetic_core::{Control, Result};

use crate::problem::Problem;
use crate::regions::ConvexDecomposition;
use crate::regions::polytope::Polytope;
use crate::space::Space;
use crate::validity::Validity;

/// Regions that a start or goal in none of them is joined to at most.
const MOST_JOINED: usize = 5;

/// Straight lines to regions that are looked at for that.
const MOST_LINES: usize = 20;

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

/// The graph of regions, start and goals.
pub(super) struct RegionSearch<'a> {
    regions: &'a ConvexDecomposition,
    space: &'a Space,
    starts: Vec<Terminal>,
    goals: Vec<Terminal>,
    is_left_out: Vec<bool>,
}

impl<'a> RegionSearch<'a> {
    /// Joins the start and the goals with regions.
    pub(super) fn new(
        regions: &'a ConvexDecomposition,
        problem: &Problem<'a>,
        goals: &[usize],
        validity: &mut dyn Validity,
        control: &Control,
    ) -> Result<Self> {
        let mut joins = Joins { regions, space: problem.space(), validity, control };
        let starts = joins.of(problem.start(), 0)?;
        let mut ends = Vec::new();
        for goal in goals {
            ends.append(&mut joins.of(&problem.goals()[*goal], *goal)?);
        }
        let is_left_out = vec![false; regions.regions().len()];
        Ok(Self { regions, space: problem.space(), starts, goals: ends, is_left_out })
    }

    /// Searches around a region from now on.
    pub(super) fn leave_out(&mut self, region: usize) {
        self.is_left_out[region] = true;
    }

    /// The regions of the shortest way, with where it begins and ends; `None` where there is none.
    ///
    /// Dijkstra 1959 over overlaps; distances are those of configurations, without wrapping.
    pub(super) fn shortest(&self) -> Option<(Vec<usize>, [Terminal; 2])> {
        let overlaps = self.regions.portals();
        let distance = |a: &[f64], b: &[f64]| straight(self.space, a, b);
        let mut reached: Vec<Reached> = vec![Reached::default(); overlaps.len()];
        let mut best: Option<(f64, Option<usize>, usize, usize)> = None;
        for (index, start) in self.starts.iter().enumerate().filter(|(_, start)| self.is_in(start.region)) {
            for (portal, _, _) in self.portals_of(start.region) {
                reached[portal].offer(
                    distance(&start.entry, &overlaps[portal].middle),
                    start.region,
                    Came::Start(index),
                );
            }
            for (goal, end) in self.goals.iter().enumerate().filter(|(_, end)| end.region == start.region) {
                offer(&mut best, distance(&start.entry, &end.entry), None, index, goal);
            }
        }
        while let Some(portal) = next(&reached) {
            reached[portal].is_settled = true;
            let Reached { cost, from, start, .. } = reached[portal].clone();
            let region = overlaps[portal].regions.into_iter().find(|region| *region != from)?;
            if !self.is_in(region) {
                continue;
            }
            for (goal, end) in self.goals.iter().enumerate().filter(|(_, end)| end.region == region) {
                offer(&mut best, cost + distance(&overlaps[portal].middle, &end.entry), Some(portal), start, goal);
            }
            for (other, _, _) in self.portals_of(region) {
                let there = cost + distance(&overlaps[portal].middle, &overlaps[other].middle);
                reached[other].offer(there, region, Came::Portal(portal, start));
            }
        }
        let (_, last, start, goal) = best?;
        Some((self.chain(&reached, last, start, goal), [self.starts[start].clone(), self.goals[goal].clone()]))
    }

    /// The regions of a way, first to last.
    fn chain(&self, reached: &[Reached], last: Option<usize>, start: usize, goal: usize) -> Vec<usize> {
        let mut chain = vec![self.goals[goal].region];
        let mut portal = last;
        while let Some(here) = portal {
            chain.push(reached[here].from);
            portal = reached[here].before;
        }
        if last.is_none() {
            chain = vec![self.starts[start].region];
        }
        chain.reverse();
        chain
    }

    fn is_in(&self, region: usize) -> bool {
        !self.is_left_out[region]
    }

    /// Overlaps of a region with regions that are not left out.
    fn portals_of(&self, region: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        let of = move |(index, [a, b]): (usize, [usize; 2])| (region == a || region == b).then_some((index, a, b));
        let overlaps = self.regions.portals().iter().map(|overlap| overlap.regions).enumerate();
        overlaps.filter_map(of).filter(|(_, a, b)| self.is_in(*a) && self.is_in(*b))
    }
}

/// How an overlap was reached.
#[derive(Debug, Clone, Copy)]
enum Came {
    Start(usize),
    /// From an overlap, and from which start that was reached.
    Portal(usize, usize),
}

/// The shortest known way to an overlap.
#[derive(Debug, Clone)]
struct Reached {
    cost: f64,
    /// The region that it is reached through.
    from: usize,
    before: Option<usize>,
    start: usize,
    is_settled: bool,
}

impl Default for Reached {
    fn default() -> Self {
        Self { cost: f64::INFINITY, from: 0, before: None, start: 0, is_settled: false }
    }
}

impl Reached {
    fn offer(&mut self, cost: f64, from: usize, came: Came) {
        if self.is_settled || cost >= self.cost {
            return;
        }
        let (before, start) = match came {
            Came::Start(start) => (None, start),
            Came::Portal(portal, start) => (Some(portal), start),
        };
        *self = Self { cost, from, before, start, is_settled: false };
    }
}

/// The overlap to settle next.
fn next(reached: &[Reached]) -> Option<usize> {
    let open = |index: &usize| !reached[*index].is_settled && reached[*index].cost.is_finite();
    (0..reached.len()).filter(open).min_by(|a, b| reached[*a].cost.total_cmp(&reached[*b].cost))
}

fn offer(
    best: &mut Option<(f64, Option<usize>, usize, usize)>,
    cost: f64,
    last: Option<usize>,
    start: usize,
    goal: usize,
) {
    if best.as_ref().is_none_or(|known| cost < known.0) {
        *best = Some((cost, last, start, goal));
    }
}

/// Length of the straight line in the metric of the space, without wrapping.
pub(super) fn straight(space: &Space, a: &[f64], b: &[f64]) -> f64 {
    let squares = a.iter().zip(b).zip(space.weights()).map(|((a, b), weight)| ((a - b) * weight).powi(2));
    squares.sum::<f64>().sqrt()
}

/// Where configurations are joined with regions.
struct Joins<'a, 'v> {
    regions: &'a ConvexDecomposition,
    space: &'a Space,
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
        let mut lines: Vec<Terminal> =
            (0..count).filter_map(|region| self.line(region, turned(region), goal)).collect();
        lines.sort_by(|a, b| straight(self.space, &a.end, &a.entry).total_cmp(&straight(self.space, &b.end, &b.entry)));
        lines.truncate(MOST_LINES);
        let mut joined = Vec::new();
        for line in lines {
            self.control.check(0)?;
            let is_free = self.validity.motion_may_be_valid(&line.end, &line.entry)
                && self.validity.is_motion_valid(&line.end, &line.entry);
            if is_free && joined.len() < MOST_JOINED {
                joined.push(line);
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

    /// The straight line towards the centre of a region, up to where it is inside.
    fn line(&self, region: usize, end: Vec<f64>, goal: usize) -> Option<Terminal> {
        let found = &self.regions.regions()[region];
        let t = entry(&found.polytope, &end, found.center())?;
        let t = t + INSIDE * (1.0 - t);
        let entry = end.iter().zip(found.center()).map(|(from, to)| from + t * (to - from)).collect();
        Some(Terminal { region, end, entry, goal })
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
