//! Initial trajectories: straight lines to the goals first, then the same with smooth noise.

use kinetic_core::rng::SeededRng;

use super::{SeedOptions, Smoothness, Waypoints};
use crate::problem::Problem;

/// The stream of random numbers that initial trajectories are drawn from; those of optimisers are other ones.
const STREAM: u64 = 0x5EED;

/// The initial trajectories of a problem.
pub(super) struct Seeds<'a> {
    pub(super) problem: &'a Problem<'a>,
    /// Goals that are valid, nearest first.
    pub(super) goals: &'a [usize],
    pub(super) options: SeedOptions,
}

impl Seeds<'_> {
    /// An initial trajectory and the goal that it ends at: of each goal the straight line, then others by turns.
    pub(super) fn initial(&self, number: u64) -> (Waypoints, usize) {
        let space = self.problem.space();
        let goals = self.goals.len() as u64;
        let goal = self.goals[(number % goals) as usize];
        let mut waypoints =
            Waypoints::straight(space, self.problem.start(), &self.problem.goals()[goal], self.options.waypoints);
        if number >= goals {
            let mut metric = Smoothness::new(self.options.waypoints);
            let mut noise = vec![0.0; waypoints.inner().len()];
            let mut rng = SeededRng::stream(self.problem.seed() ^ STREAM, number);
            metric.draw(&mut rng, &mut noise);
            let dof = space.dof();
            for (index, (value, noise)) in waypoints.inner_mut().iter_mut().zip(&noise).enumerate() {
                *value += self.options.spread * noise / space.weights()[index % dof];
            }
            metric.enforce_bounds(space, &mut waypoints);
        }
        (waypoints, goal)
    }
}
