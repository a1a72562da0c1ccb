//! The order in which regions of a decomposition grow.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, JointValues, KineticError, Result, Trajectory};

use super::contact::between;
use super::iris::Inflation;
use super::overlap::{Overlap, overlaps_of_last};
use super::region::ConvexRegion;
use super::{IrisOptions, RegionSeeds, too_narrow};
use crate::algorithm::Algorithm;
use crate::problem::Problem;
use crate::smooth::{SimplifyOptions, simplify_in};
use crate::space::Space;
use crate::validity::Validity;

/// Random configurations that are looked at for one more seed.
const MOST_DRAWS: usize = 10_000;

/// Iterations of the planner that looks for a path between regions.
const CONNECTING_ITERATIONS: u64 = 20_000;

/// Configurations of a path that are looked at, per unit of its length in the metric of the space.
const SAMPLES_PER_LENGTH: f64 = 64.0;

/// Regions so far, and what the next ones grow in.
pub(super) struct RegionGrowth<'a> {
    space: &'a Space,
    seeds: &'a RegionSeeds<'a>,
    options: &'a IrisOptions,
    validity: &'a mut dyn Validity,
    control: &'a Control,
    /// Regions that were begun.
    begun: u64,
    pub(super) regions: Vec<ConvexRegion>,
    pub(super) overlaps: Vec<Overlap>,
    /// Whether the way from seed to seed over the middle of each overlap is free.
    are_passable: Vec<bool>,
}

impl<'a> RegionGrowth<'a> {
    /// Without regions.
    pub(super) fn new(
        space: &'a Space,
        seeds: &'a RegionSeeds<'a>,
        options: &'a IrisOptions,
        validity: &'a mut dyn Validity,
        control: &'a Control,
    ) -> Self {
        let (regions, overlaps, are_passable) = (Vec::new(), Vec::new(), Vec::new());
        Self { space, seeds, options, validity, control, begun: 0, regions, overlaps, are_passable }
    }

    /// Around the seeds, between them, and elsewhere.
    pub(super) fn grow(&mut self, connector: &mut dyn Algorithm) -> Result<()> {
        for (place, seed) in self.seeds.stated.iter().enumerate() {
            // A seed that is in a region already needs no other.
            if !self.covers(seed) && !self.around(seed)? {
                return Err(too_narrow(place, self.options));
            }
        }
        self.connect(connector)?;
        let mut rng = SeededRng::stream(self.seeds.rng_seed, 0);
        while !self.is_full() {
            let Some(seed) = self.uncovered(&mut rng)? else { break };
            self.around(&seed)?;
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.regions.len() >= self.seeds.count
    }

    fn covers(&self, q: &[f64]) -> bool {
        self.regions.iter().any(|region| region.polytope.contains(q))
    }

    /// Adds the region around a configuration; false where it is too narrow there.
    fn around(&mut self, seed: &[f64]) -> Result<bool> {
        self.begun += 1;
        let mut inflation = Inflation {
            space: self.space,
            seed,
            options: self.options,
            rng: SeededRng::stream(self.seeds.rng_seed, self.begun),
            validity: &mut *self.validity,
            control: self.control,
        };
        let Some(region) = inflation.grow()? else { return Ok(false) };
        self.regions.push(region);
        for overlap in overlaps_of_last(&self.regions) {
            let passable = self.is_passable(&overlap);
            self.are_passable.push(passable);
            self.overlaps.push(overlap);
        }
        Ok(true)
    }

    /// A small part of a region may collide, which may be all that is between it and the next one.
    fn is_passable(&mut self, overlap: &Overlap) -> bool {
        let seeds = overlap.regions.map(|region| self.regions[region].seed());
        seeds.iter().all(|seed| self.validity.motion_may_be_valid(seed, &overlap.middle))
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
        let passable = self.overlaps.iter().zip(&self.are_passable).filter(|(_, is_passable)| **is_passable);
        for [a, b] in passable.map(|(overlap, _)| overlap.regions) {
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
        let found = match connector.plan(&problem, &mut *self.validity, &control) {
            Ok(found) => found.path,
            Err(KineticError::PlanningTimeout { .. } | KineticError::PlanningFailed { .. }) => {
                return self.control.check(0).map(|()| None);
            }
            Err(error) => return Err(error),
        };
        let options = SimplifyOptions { seed: self.seeds.rng_seed, ..SimplifyOptions::default() };
        let simplified = simplify_in(self.space, &found, &options, &mut *self.validity, self.control);
        Ok(Some(simplified.map_or(found, |simplified| simplified.path)))
    }

    /// Adds regions where a path between two others is in none: each in the middle of the longest part without, until there is none or they
    /// are connected; one in the middle of a path that is in regions all along.
    fn along(&mut self, path: &Trajectory, pair: [usize; 2]) -> Result<()> {
        let samples = self.samples(path);
        let middle = &samples[samples.len() / 2];
        if samples.iter().all(|q| self.covers(q)) && self.validity.is_valid(middle) {
            return self.around(middle).map(|_| ());
        }
        let mut is_done: Vec<bool> = samples.iter().map(|q| self.covers(q) || !self.validity.is_valid(q)).collect();
        while let Some(place) = middle_of_longest(&is_done).filter(|_| !self.is_full() && !self.are_connected(pair)) {
            is_done[place] = true;
            if self.around(&samples[place])? {
                is_done.iter_mut().zip(&samples).for_each(|(done, q)| *done = *done || self.covers(q));
            }
        }
        Ok(())
    }

    /// Configurations of a path, close to each other.
    fn samples(&self, path: &Trajectory) -> Vec<Vec<f64>> {
        let edge = |(from, to): (&[f64], &[f64])| {
            let (from, to) = (from.to_vec(), to.to_vec());
            let steps = (self.space.distance(&from, &to) * SAMPLES_PER_LENGTH).ceil().max(1.0);
            let at = move |step: f64| between(&from, &to, step / steps);
            (0_u32..).map(f64::from).take_while(move |step| *step <= steps).map(at)
        };
        path.segments().flat_map(edge).collect()
    }

    /// A valid configuration that is in no region; `None` where many draws find none.
    fn uncovered(&mut self, rng: &mut SeededRng) -> Result<Option<Vec<f64>>> {
        let mut q = vec![0.0; self.space.dof()];
        for _ in 0..MOST_DRAWS {
            self.control.check(0)?;
            self.space.sample_uniform(rng, &mut q);
            if !self.covers(&q) && self.validity.is_valid(&q) {
                return Ok(Some(q));
            }
        }
        Ok(None)
    }
}

/// The place in the middle of the longest row of false values.
fn middle_of_longest(values: &[bool]) -> Option<usize> {
    let (mut best, mut begin) = (0..0, 0);
    for end in 0..=values.len() {
        if values.get(end).copied().unwrap_or(true) {
            if end - begin > best.len() {
                best = begin..end;
            }
            begin = end + 1;
        }
    }
    (!best.is_empty()).then(|| usize::midpoint(best.start, best.end))
}
