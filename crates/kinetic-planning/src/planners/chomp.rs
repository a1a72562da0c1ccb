//! CHOMP: covariant Hamiltonian optimisation for motion planning.
//!
//! Ratliff, Zucker, Bagnell and Srinivasa, ICRA 2009; Zucker et al., "CHOMP: Covariant Hamiltonian optimization for motion planning",
//! IJRR 2013. A trajectory goes down the gradient of a functional: how much it accelerates, and what the bodies of the robot
//! pass through, by signed distances, along the arcs that they move on, so that hurrying through an obstacle does not pay. Steps
//! are covariant: measured by how little they accelerate the trajectory, so that the whole of it gives way.
//!
//! The points that move are the nearest ones of each pair of bodies ([`NearDistances`](crate::NearDistances)), self-collisions included. Descent finds local
//! minima. Further initial trajectories are smooth noise around the straight line, what momenta of its Hamiltonian Monte Carlo are drawn
//! from; a chain of them is not kept up.

mod functional;

use kinetic_core::{Control, Result};

use self::functional::Functional;
use super::rewiring::check_length;
use super::trajectory_optimization::{
    OptimizationRun, Optimizer, Repair, SeedOptions, Smoothness, Waypoints, check_count, check_seeds, keep_least,
    optimize,
};
use crate::algorithm::{Algorithm, Plan};
use crate::planner_spec::PlannerSpec;
use crate::problem::Problem;
use crate::validity::Validity;

/// The row of the registry.
pub const SPEC: PlannerSpec = PlannerSpec {
    id: "chomp",
    summary: "a trajectory that goes down the gradient of obstacles and accelerations",
    source: "Zucker et al., IJRR 2013",
    is_anytime: false,
    is_complete: false,
    may_be_simplified: false,
    build: &|context| {
        let config = context.config;
        config.check()?;
        context.check_ends_with_first_path(SPEC.id)?;
        Ok(Box::new(Chomp::new(ChompConfig {
            num_seeds: config.num_seeds.unwrap_or(u64::MAX),
            ..ChompConfig::default()
        })?))
    },
};

/// Options of [`Chomp`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChompConfig {
    /// Initial trajectories that are tried, the straight line to the nearest goal first; `u64::MAX` until the budget ends.
    pub num_seeds: u64,
    /// Waypoints between the ends, at equal steps of time.
    pub waypoints: usize,
    /// Iterations for each initial trajectory.
    pub iterations_per_seed: u64,
    /// Distance beyond the required clearance at which obstacles begin to cost, m.
    pub clearance: f64,
    /// Weight of the smoothness of the trajectory; obstacles have the weight 1.
    pub smoothness_weight: f64,
    /// Step along the covariant gradient.
    pub step: f64,
    /// Largest change of a waypoint in an iteration, a distance of the [`Space`](crate::space::Space).
    pub largest_change: f64,
    /// Standard deviation of the noise of further initial trajectories at their middle, a distance of the space per joint.
    pub seed_spread: f64,
}

impl Default for ChompConfig {
    fn default() -> Self {
        Self {
            num_seeds: u64::MAX,
            waypoints: 50,
            iterations_per_seed: 100,
            clearance: 0.05,
            smoothness_weight: 0.003,
            step: 1.0,
            largest_change: 0.2,
            seed_spread: 0.7,
        }
    }
}

impl ChompConfig {
    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`](kinetic_core::KineticError::InvalidValue) naming the field.
    pub fn check(&self) -> Result<()> {
        check_seeds(self.num_seeds, self.iterations_per_seed)?;
        check_count("waypoints", self.waypoints)?;
        check_length("clearance", self.clearance)?;
        check_length("smoothness_weight", self.smoothness_weight)?;
        check_length("step", self.step)?;
        check_length("largest_change", self.largest_change)?;
        check_length("seed_spread", self.seed_spread)
    }
}

/// The planner.
#[derive(Debug, Clone, Default)]
pub struct Chomp {
    config: ChompConfig,
}

impl Chomp {
    /// A planner with the given options.
    ///
    /// # Errors
    /// As [`ChompConfig::check`].
    pub fn new(config: ChompConfig) -> Result<Self> {
        config.check()?;
        Ok(Self { config })
    }

    /// Its options.
    pub fn config(&self) -> &ChompConfig {
        &self.config
    }
}

impl Algorithm for Chomp {
    /// # Errors
    /// Besides, [`KineticError::InvalidValue`](kinetic_core::KineticError::InvalidValue) where the validity knows no [distances](Validity::near_distances).
    fn plan(&mut self, problem: &Problem<'_>, validity: &mut dyn Validity, control: &Control) -> Result<Plan> {
        let config = self.config;
        let mut descent = Descent {
            config,
            metric: Smoothness::new(config.waypoints),
            functional: Functional::new(config.clearance),
            change: vec![0.0; config.waypoints * problem.space().dof()],
        };
        let ChompConfig { num_seeds, waypoints, seed_spread: spread, .. } = config;
        let run = OptimizationRun::new(SPEC.id, problem, validity, control);
        optimize(&mut descent, SeedOptions { num_seeds, waypoints, spread }, run)
    }
}

/// Covariant gradient descent.
struct Descent {
    config: ChompConfig,
    metric: Smoothness,
    functional: Functional,
    change: Vec<f64>,
}

impl Optimizer for Descent {
    fn repair(&mut self, waypoints: &mut Waypoints, run: &mut OptimizationRun<'_>) -> Result<Repair> {
        let space = run.problem.space();
        let straight = waypoints.line();
        let mut least = None;
        for _ in 0..self.config.iterations_per_seed {
            run.begin_iteration()?;
            let mut obstacles = self.functional.evaluate(waypoints, run, &mut self.change)?;
            if obstacles.least_slack > 0.0 {
                let refused = run.refused_edges(waypoints)?;
                if refused.is_empty() {
                    return Ok(Repair::Free);
                }
                self.functional.add_edges(waypoints, &refused, run, (&mut self.change, &mut obstacles))?;
            }
            keep_least(&mut least, obstacles.cost, &obstacles.worst);
            self.metric.solve(&mut self.change);
            self.step(space.weights(), straight.inner(), waypoints);
            self.metric.enforce_bounds(space, waypoints);
        }
        Ok(Repair::stuck(least))
    }
}

impl Descent {
    /// One step along the covariant gradient of both parts: the inverse of the metric takes that of the smoothness to the
    /// deviation from the straight line.
    fn step(&mut self, weights: &[f64], straight: &[f64], waypoints: &mut Waypoints) {
        let dof = weights.len();
        for (index, (change, value)) in self.change.iter_mut().zip(waypoints.inner()).enumerate() {
            let weight = weights[index % dof];
            let smoothness = self.config.smoothness_weight * (value - straight[index]);
            *change = -self.config.step * (*change / (weight * weight) + smoothness);
        }
        let length =
            |row: &[f64]| row.iter().zip(weights).map(|(change, weight)| (change * weight).powi(2)).sum::<f64>();
        let largest = self.change.chunks_exact(dof).map(length).fold(0.0, f64::max).sqrt();
        let shorter = if largest > self.config.largest_change { self.config.largest_change / largest } else { 1.0 };
        waypoints.inner_mut().iter_mut().zip(&self.change).for_each(|(value, change)| *value += shorter * change);
    }
}
