//! The order in which regions of a decomposition grow.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use kinetic_core::parallel::in_chunks;
use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, JointValues, KineticError, Result, Trajectory};

use super::iris::{Edge, Inflation};
use super::overlap::{Overlap, overlaps_with};
use super::region::ConvexRegion;
use super::{IrisOptions, NewValidity, RegionSeeds, too_narrow};
use crate::algorithm::Algorithm;
use crate::problem::Problem;
use crate::smooth::{SimplifyOptions, simplify_in};
use crate::space::Space;
use crate::validity::Validity;

/// Random configurations in a row that bring no region.
const MOST_DRAWS: u64 = 10_000;

/// The first streams of random numbers of regions along paths, and of those around random configurations; below are those of the
/// stated seeds.
const STREAMS_OF_PATHS: u64 = 1 << 32;
const STREAMS_OF_DRAWS: u64 = 1 << 48;

/// Iterations of the planner that looks for a path between regions.
const CONNECTING_ITERATIONS: u64 = 20_000;

/// Edges that are no longer are not halved, a distance in the metric of the space.
const SHORTEST_EDGE: f64 = 1.0 / 64.0;

/// What a region may grow around, and the stream of random numbers that it grows with.
#[derive(Debug)]
struct Candidate {
    edge: Edge,
    stream: u64,
}

/// Regions so far, and what the next ones grow in.
///
/// A region depends on its candidate alone, so that several grow side by side. They are taken in the order of the candidates, without
/// those whose candidate is in one that was taken before: as if each had grown after the last, whatever the number of processors.
pub(super) struct RegionGrowth<'a, 'v> {
    space: &'a Space,
    seeds: &'a RegionSeeds<'a>,
    options: &'a IrisOptions,
    new_validity: &'a NewValidity<'v>,
    validity: Box<dyn Validity + 'v>,
    control: &'a Control,
    candidates_at_once: usize,
    /// Edges of paths so far.
    on_paths: u64,
    pub(super) regions: Vec<ConvexRegion>,
    pub(super) overlaps: Vec<Overlap>,
}

impl<'a, 'v> RegionGrowth<'a, 'v> {
    /// Without regions; so many candidates grow side by side, which changes none of them.
    pub(super) fn new(
        space: &'a Space,
        seeds: &'a RegionSeeds<'a>,
        options: &'a IrisOptions,
        new_validity: &'a NewValidity<'v>,
        control: &'a Control,
        candidates_at_once: usize,
    ) -> Self {
        let (regions, overlaps) = (Vec::new(), Vec::new());
        Self {
            space,
            seeds,
            options,
            new_validity,
            validity: new_validity(),
            control,
            candidates_at_once,
            on_paths: 0,
            regions,
            overlaps,
        }
    }

    /// Around the seeds, between them, and elsewhere.
    pub(super) fn grow(&mut self, connector: &mut dyn Algorithm) -> Result<()> {
        self.around_stated()?;
        self.connect(connector)?;
        self.around_random()
    }

    /// Around the stated seeds. One that is in a region already needs no other.
    fn around_stated(&mut self) -> Result<()> {
        let mut numbered = (0..).zip(self.seeds.stated);
        loop {
            let open = numbered.by_ref().filter(|(_, seed)| !self.covers(seed)).take(self.candidates_at_once);
            let candidates: Vec<_> = open.map(|(stream, seed)| Candidate { edge: Edge::point(seed), stream }).collect();
            if candidates.is_empty() {
                return Ok(());
            }
            for (candidate, region) in candidates.iter().zip(self.inflated(&candidates)) {
                if !self.covers(&candidate.edge.middle) && !self.add(&candidate.edge, region?)? {
                    return Err(too_narrow(candidate.stream, self.options));
                }
            }
        }
    }

    /// Around random configurations that are in no region, until there are enough or many draws bring none.
    fn around_random(&mut self) -> Result<()> {
        let (mut rng, mut q) = (SeededRng::stream(self.seeds.rng_seed, STREAMS_OF_DRAWS), vec![0.0; self.space.dof()]);
        let (mut drawn, mut last) = (0, 0);
        while !self.is_full() {
            let mut candidates = Vec::new();
            while candidates.len() < self.candidates_at_once && drawn - last < MOST_DRAWS {
                self.control.check(0)?;
                self.space.sample_uniform(&mut rng, &mut q);
                drawn += 1;
                if !self.covers(&q) && self.validity.is_valid(&q) {
                    candidates.push(Candidate { edge: Edge::point(&q), stream: STREAMS_OF_DRAWS + drawn });
                }
            }
            if candidates.is_empty() {
                return Ok(());
            }
            for (candidate, region) in candidates.iter().zip(self.inflated(&candidates)) {
                let Candidate { edge, stream } = candidate;
                if !self.is_full() && !self.covers(&edge.middle) && self.add(edge, region?)? {
                    last = stream - STREAMS_OF_DRAWS;
                }
            }
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.regions.len() >= self.seeds.count
    }

    fn covers(&self, q: &[f64]) -> bool {
        self.regions.iter().any(|region| region.polytope.contains(q))
    }

    /// The regions around candidates, none where it is too narrow.
    fn inflated(&self, candidates: &[Candidate]) -> Vec<Result<Option<ConvexRegion>>> {
        let Self { space, options, new_validity, control, .. } = *self;
        let rng_seed = self.seeds.rng_seed;
        let mut grown: Vec<_> = candidates.iter().map(|_| Ok(None)).collect();
        in_chunks(&mut grown, 1, 1, |first, grown| {
            for (Candidate { edge, stream }, region) in candidates[first..].iter().zip(grown) {
                let rng = SeededRng::stream(rng_seed, *stream);
                *region = Inflation { space, edge, options, rng, validity: new_validity(), control }.grow();
            }
        });
        grown
    }

    /// Adds the region around an edge, and its overlaps; false where there is none.
    fn add(&mut self, edge: &Edge, region: Option<ConvexRegion>) -> Result<bool> {
        let Some(region) = region else { return Ok(false) };
        let overlaps = overlaps_with(&region, &self.regions, self.control)?;
        self.regions.push(region);
        for mut overlap in overlaps {
            overlap.is_passable = self.is_passable(&overlap) || self.is_passable_at(edge, &mut overlap);
            self.overlaps.push(overlap);
        }
        Ok(true)
    }

    /// A small part of a region may collide, which may be all that is between it and the next one.
    fn is_passable(&mut self, overlap: &Overlap) -> bool {
        let seeds = overlap.regions.map(|region| self.regions[region].seed());
        seeds.iter().all(|seed| self.validity.motion_may_be_valid(seed, &overlap.middle))
    }

    /// As [`is_passable`](Self::is_passable) over an end of the edge that one of the regions grew around, which becomes the middle then: in a
    /// narrow place the middle of an overlap may be far off the path that they grew along.
    fn is_passable_at(&mut self, edge: &Edge, overlap: &mut Overlap) -> bool {
        let passable = edge.ends.iter().find_map(|end| {
            let at_end = Overlap { middle: end.clone(), ..*overlap };
            let is_inside = overlap.regions.iter().all(|region| self.regions[*region].polytope.contains(end));
            (is_inside && self.is_passable(&at_end)).then_some(at_end)
        });
        let is_passable = passable.is_some();
        if let Some(at_end) = passable {
            *overlap = at_end;
        }
        is_passable
    }

    /// Grows regions along paths between those that no chain of passable overlaps connects, the nearest seeds first.
    fn connect(&mut self, connector: &mut dyn Algorithm) -> Result<()> {
        let mut tried = Vec::new();
        while !self.is_full() {
            let Some(pair) = self.nearest_apart(&mut tried) else { break };
            let [from, to] = pair.map(|region| self.regions[region].seed().to_vec());
            if let Some(path) = self.path(&from, to, connector)? {
                self.along(&path, pair)?;
            }
        }
        Ok(())
    }

    /// Two regions that no chain of passable overlaps connects, whose seeds are nearest to each other; of components that were not tried yet.
    fn nearest_apart(&self, tried: &mut Vec<[usize; 2]>) -> Option<[usize; 2]> {
        let components = self.components();
        let between = |[a, b]: [usize; 2]| {
            let (a, b) = (components[a], components[b]);
            [a.min(b), a.max(b)]
        };
        let pairs = (0..self.regions.len()).flat_map(|b| (0..b).map(move |a| [a, b]));
        let is_open = |pair: &[usize; 2]| {
            let [a, b] = between(*pair);
            a != b && !tried.contains(&[a, b])
        };
        let distance = |[a, b]: &[usize; 2]| self.space.distance(self.regions[*a].seed(), self.regions[*b].seed());
        let nearest = pairs.filter(is_open).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        tried.push(between(nearest));
        Some(nearest)
    }

    fn are_connected(&self, [a, b]: [usize; 2]) -> bool {
        let components = self.components();
        components[a] == components[b]
    }

    /// For each region the first one of those it is connected with.
    fn components(&self) -> Vec<usize> {
        let mut first: Vec<usize> = (0..self.regions.len()).collect();
        for [a, b] in self.overlaps.iter().filter(|overlap| overlap.is_passable).map(|overlap| overlap.regions) {
            let (low, high) = (first[a].min(first[b]), first[a].max(first[b]));
            first.iter_mut().filter(|of| **of == high).for_each(|of| *of = low);
        }
        first
    }

    /// A path without detours; `None` where the planner finds none.
    fn path(&mut self, from: &[f64], to: Vec<f64>, connector: &mut dyn Algorithm) -> Result<Option<Trajectory>> {
        let goals = [JointValues::from(to)];
        let problem = Problem::new(self.space, from, &goals, self.seeds.rng_seed)?;
        let control = self.control.with_max_iterations(CONNECTING_ITERATIONS);
        let found = match connector.plan(&problem, self.validity.as_mut(), &control) {
            Ok(found) => found.path,
            Err(KineticError::PlanningTimeout { .. } | KineticError::PlanningFailed { .. }) => {
                return self.control.check(0).map(|()| None);
            }
            Err(error) => return Err(error),
        };
        let options = SimplifyOptions { seed: self.seeds.rng_seed, smooth: false, ..SimplifyOptions::default() };
        let simplified = simplify_in(self.space, &found, &options, self.validity.as_mut(), self.control);
        Ok(Some(simplified.map_or(found, |simplified| simplified.path)))
    }

    /// Adds regions around the edges of a path between two others that are in no region, until they are connected; around its longest edge
    /// where all are.
    fn along(&mut self, path: &Trajectory, pair: [usize; 2]) -> Result<()> {
        let edges: Vec<Edge> = path.segments().map(|(from, to)| Edge::new(from, to)).collect();
        if edges.iter().all(|edge| self.covers_edge(edge)) {
            let length = |edge: &Edge| self.space.distance(&edge.ends[0], &edge.ends[1]);
            let longest = edges.into_iter().max_by(|a, b| length(a).total_cmp(&length(b)));
            let candidates: Vec<_> = longest.map(|edge| self.on_path(edge)).into_iter().collect();
            let regions = self.inflated(&candidates);
            return candidates.iter().zip(regions).try_for_each(|(of, region)| self.add(&of.edge, region?).map(|_| ()));
        }
        let mut open: VecDeque<Candidate> = edges.into_iter().map(|edge| self.on_path(edge)).collect();
        loop {
            let next = std::iter::from_fn(|| open.pop_front()).filter(|candidate| !self.covers_edge(&candidate.edge));
            let candidates: Vec<_> = next.take(self.candidates_at_once).collect();
            if candidates.is_empty() {
                return Ok(());
            }
            for (candidate, region) in candidates.iter().zip(self.inflated(&candidates)) {
                if self.is_full() || self.are_connected(pair) {
                    return Ok(());
                }
                if !self.covers_edge(&candidate.edge) && !self.add(&candidate.edge, region?)? {
                    open.extend(self.halves(&candidate.edge));
                }
            }
        }
    }

    /// The candidate of an edge of a path.
    fn on_path(&mut self, edge: Edge) -> Candidate {
        self.on_paths += 1;
        Candidate { edge, stream: STREAMS_OF_PATHS + self.on_paths }
    }

    /// What is too narrow for an edge may have room for its halves.
    fn halves(&mut self, edge: &Edge) -> Vec<Candidate> {
        let [from, to] = &edge.ends;
        if self.space.distance(from, to) <= SHORTEST_EDGE {
            return Vec::new();
        }
        [Edge::new(from, &edge.middle), Edge::new(&edge.middle, to)].map(|edge| self.on_path(edge)).into()
    }

    /// Whether an edge is in one region.
    fn covers_edge(&self, edge: &Edge) -> bool {
        self.regions.iter().any(|region| edge.ends.iter().all(|end| region.polytope.contains(end)))
    }
}
