//! Growth side by side against growth one after the other.

use super::*;
use crate::algorithm::Plan;
use crate::planners::rrt_connect::RrtConnect;
use crate::regions::contact::between;

/// The outside of discs with radius 0.3 around the places of a lattice.
struct Discs;

impl Validity for Discs {
    fn is_valid(&mut self, q: &[f64]) -> bool {
        let from_nearest = |value: &f64| (value - value.round()).powi(2);
        q.iter().map(from_nearest).sum::<f64>() > 0.3 * 0.3
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        (0..=100).all(|step| self.is_valid(&between(from, to, f64::from(step) / 100.0)))
    }

    fn checks(&self) -> u64 {
        0
    }
}

#[test]
fn regions_are_those_that_grow_one_after_the_other() {
    let space = Space::from_bounds(&[(-2.2, 2.2); 2]).expect("limits");
    // The second seed is in the region of the first, with which it grows side by side.
    let stated = [[0.5, 0.5], [0.52, 0.5], [-1.5, 0.5], [1.5, -1.5], [0.5, 0.48]].map(|seed| seed.to_vec());
    let options = IrisOptions { collision_fraction: 0.1, ..IrisOptions::default() };
    for (stated, count) in [(&stated[..], 12), (&[], 7), (&stated, 5)] {
        let seeds = RegionSeeds { stated, count, rng_seed: 3 };
        let grown = |at_once: usize| {
            let (new_validity, control) = (|| -> Box<dyn Validity> { Box::new(Discs) }, Control::default());
            let mut growth = RegionGrowth::new(&space, &seeds, &options, &new_validity, &control, at_once);
            growth.grow(&mut RrtConnect::default()).expect("regions");
            (growth.regions, growth.overlaps)
        };
        let (regions, overlaps) = grown(1);
        assert!(regions.len() > 3 && !overlaps.is_empty(), "{} regions", regions.len());
        for at_once in [2, 3, 8] {
            assert!(grown(at_once) == (regions.clone(), overlaps.clone()), "{at_once} at once");
        }
    }
}

#[test]
fn growth_ends_where_nothing_is_left() {
    let space = Space::from_bounds(&[(0.4, 0.6); 2]).expect("limits");
    for at_once in [1, 4] {
        let seeds = RegionSeeds { stated: &[], count: 50, rng_seed: 1 };
        let (options, control) = (IrisOptions::default(), Control::default());
        let new_validity = || -> Box<dyn Validity> { Box::new(Discs) };
        let mut growth = RegionGrowth::new(&space, &seeds, &options, &new_validity, &control, at_once);
        growth.grow(&mut RrtConnect::default()).expect("a region");
        // The box is free, and the first region is all of it.
        assert_eq!(growth.regions.len(), 1);
    }
}

/// A passage of small width along a zigzag, between two rooms.
struct Zigzag;

const TURNS: [[f64; 2]; 6] = [[0.0, 0.0], [0.5, 0.1], [0.1, 0.3], [0.6, 0.4], [0.2, 0.6], [0.7, 0.7]];

impl Validity for Zigzag {
    fn is_valid(&mut self, q: &[f64]) -> bool {
        let edges = TURNS.windows(2).map(|ends| Edge::new(&ends[0], &ends[1]));
        let distance = |edge: Edge| edge.nearest(q).iter().zip(q).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        edges.map(distance).fold(f64::INFINITY, f64::min) < 0.001
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        (0..=100).all(|step| self.is_valid(&between(from, to, f64::from(step) / 100.0)))
    }

    fn checks(&self) -> u64 {
        0
    }
}

/// A planner that knows the way.
struct Guide;

impl Algorithm for Guide {
    fn plan(&mut self, problem: &Problem<'_>, _: &mut dyn Validity, _: &Control) -> Result<Plan> {
        let mut turns = TURNS.to_vec();
        if problem.start() != TURNS[0] {
            turns.reverse();
        }
        let mut path = Trajectory::with_dof(2);
        turns.iter().try_for_each(|turn| path.push_waypoint(turn))?;
        let planner_used = "guide";
        Ok(Plan { path, goal_index: 0, iterations: 0, tree_size: 0, checks: 0, planner_used, lower_bound: None })
    }
}

#[test]
fn a_region_for_each_edge_connects_what_a_narrow_passage_does() {
    let space = Space::from_bounds(&[(-1.0, 2.0); 2]).expect("limits");
    let stated = [TURNS[0], TURNS[5]].map(|seed| seed.to_vec());
    for rng_seed in 0..5 {
        let seeds = RegionSeeds { stated: &stated, count: 2 + 5, rng_seed };
        let (options, control) =
            (IrisOptions { collision_fraction: 0.1, ..IrisOptions::default() }, Control::default());
        let new_validity = || -> Box<dyn Validity> { Box::new(Zigzag) };
        let [one, many] = [1, 3].map(|at_once| {
            let mut growth = RegionGrowth::new(&space, &seeds, &options, &new_validity, &control, at_once);
            growth.grow(&mut Guide).expect("regions");
            growth
        });
        assert!(one.are_connected([0, 1]), "seed {rng_seed}: {:?}", one.components());
        assert!((one.regions, one.overlaps) == (many.regions, many.overlaps), "seed {rng_seed}");
    }
}
