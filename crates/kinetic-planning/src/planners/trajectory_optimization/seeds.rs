//! Initial trajectories: a warm start first, where there is one, then straight lines to the goals, then the same with smooth noise, and paths of `rrt_connect` where
//! they are wanted.

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Result, Trajectory};

use super::{OptimizationRun, SeedOptions, Smoothness, Waypoints};
use crate::algorithm::Algorithm;
use crate::planners::rrt_connect::RrtConnect;
use crate::problem::Problem;
use crate::smooth::{SimplifyOptions, simplify_in};

/// The stream of random numbers that initial trajectories are drawn from; those of optimisers are other ones.
const STREAM: u64 = 0x5EED;

/// Iterations after which a search of a path is given up.
const PATH_ITERATIONS: u64 = 10_000;

/// The initial trajectories of a problem.
pub(crate) struct Seeds<'a> {
    pub(crate) problem: &'a Problem<'a>,
    /// Goals that are valid, nearest first.
    pub(crate) goals: &'a [usize],
    pub(crate) options: SeedOptions,
    /// Whether every other one after the straight lines is a path of `rrt_connect`.
    pub(crate) paths: bool,
}

impl Seeds<'_> {
    /// An initial trajectory and the goal that it ends at: the warm start, of each goal the straight line, then others by turns.
    ///
    /// # Errors
    /// When the budget ends.
    pub(crate) fn initial(&self, number: u64, run: &mut OptimizationRun<'_>) -> Result<(Waypoints, usize)> {
        let number = match self.problem.warm_start() {
            Some(path) if number == 0 => return Ok(self.warm(path)),
            Some(_) => number - 1,
            None => number,
        };
        let goals = self.goals.len() as u64;
        let is_line = number < goals;
        if self.paths
            && !is_line
            && (number - goals).is_multiple_of(2)
            && let Some(found) = self.path(number, run)?
        {
            return Ok(found);
        }
        let goal = self.goals[(number % goals) as usize];
        let space = self.problem.space();
        let mut waypoints =
            Waypoints::straight(space, self.problem.start(), &self.problem.goals()[goal], self.options.waypoints);
        if !is_line {
            self.add_noise(number, &mut waypoints);
        }
        Ok((waypoints, goal))
    }

    /// The shape of a path from the start to the goal that is nearest to its end.
    fn warm(&self, path: &Trajectory) -> (Waypoints, usize) {
        let (space, goals) = (self.problem.space(), self.problem.goals());
        let end = path.positions(path.len() - 1);
        let distance = |goal: &usize| space.distance(end, &goals[*goal]);
        let nearest = self.goals.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let goal = nearest.unwrap_or(self.goals[0]);
        let along = Waypoints::along(space, path, self.options.waypoints);
        let mut waypoints = along.with_ends(space, self.problem.start(), &goals[goal]);
        Smoothness::new(self.options.waypoints).enforce_bounds(space, &mut waypoints);
        (waypoints, goal)
    }

    fn add_noise(&self, number: u64, waypoints: &mut Waypoints) {
        let space = self.problem.space();
        let mut metric = Smoothness::new(self.options.waypoints);
        let mut noise = vec![0.0; waypoints.inner().len()];
        let mut rng = SeededRng::stream(self.problem.seed() ^ STREAM, number);
        metric.draw(&mut rng, &mut noise);
        let dof = space.dof();
        for (index, (value, noise)) in waypoints.inner_mut().iter_mut().zip(&noise).enumerate() {
            *value += self.options.spread * noise / space.weights()[index % dof];
        }
        metric.enforce_bounds(space, waypoints);
    }

    /// The path without its detours, which no spline of few control points could follow; `None` where an edge of it has no proof.
    fn shortened(&self, path: &Trajectory, run: &mut OptimizationRun<'_>) -> Option<Trajectory> {
        let options = SimplifyOptions { seed: self.problem.seed(), ..SimplifyOptions::default() };
        let simplified = simplify_in(self.problem.space(), path, &options, &mut *run.validity, run.control);
        simplified.ok().map(|simplified| simplified.path)
    }

    /// A path that passed discrete checks; `None` where a search of usual length finds none.
    fn path(&self, number: u64, run: &mut OptimizationRun<'_>) -> Result<Option<(Waypoints, usize)>> {
        let problem = self.problem.with_seed(SeededRng::stream(self.problem.seed() ^ STREAM, number).next_u64());
        let left = run.control.max_iterations().saturating_sub(run.iterations);
        let control = run.control.with_max_iterations(left.min(PATH_ITERATIONS));
        match RrtConnect::default().plan_lazily(&problem, &mut *run.validity, &control) {
            Ok(found) => {
                run.iterations += found.unproven.iterations;
                let (path, goal) = (found.unproven.path, found.unproven.goal_index);
                let shorter = self.shortened(&path, run);
                let path = shorter.as_ref().unwrap_or(&path);
                Ok(Some((Waypoints::along(problem.space(), path, self.options.waypoints), goal)))
            }
            Err(KineticError::PlanningTimeout { iterations, .. }) => {
                run.iterations += iterations;
                run.control.check(run.iterations).map(|()| None)
            }
            Err(error) => Err(error),
        }
    }
}
