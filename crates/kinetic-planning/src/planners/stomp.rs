//! STOMP: stochastic trajectory optimisation for motion planning.
//!
//! Kalakrishnan, Chitta, Theodorou, Pastor and Schaal, ICRA 2011. Smooth noise is added to a trajectory many times; each of its
//! waypoints then moves by the mean of the noise, weighted by what the noisy trajectories cost there, and the change is made smooth
//! again. Costs need no derivatives: they are verdicts about edges, and what configurations cost where that is
//! [stated](StompConfig) or a [function](Stomp::with_cost). Verdicts are spread over neighbouring waypoints, so that those at the
//! rim of an obstacle learn from those inside.
//!
//! Without a cost of configurations it ends with the first trajectory that is free, a noisy one among them. With one, it uses all
//! iterations of an initial trajectory, and the cheapest one that is free is the answer.

mod rollouts;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, CostFunction, KineticError, Result};

use self::rollouts::Rollouts;
use super::configuration_cost::ConfigurationCost;
use super::rewiring::check_length;
use super::trajectory_optimization::{
    OptimizationRun, Optimizer, Repair, SeedOptions, Waypoints, check_count, check_seeds, optimize,
};
use crate::algorithm::{Algorithm, Plan};
use crate::planner_spec::PlannerSpec;
use crate::problem::Problem;
use crate::validity::Validity;

/// The row of the registry.
pub const SPEC: PlannerSpec = PlannerSpec {
    id: "stomp",
    summary: "a trajectory that follows the noise which costs least",
    source: "Kalakrishnan et al., ICRA 2011",
    is_anytime: false,
    is_complete: false,
    may_be_simplified: false,
    build: &|context| {
        let config = context.config;
        config.check()?;
        if let Some(minimise) = config.minimise {
            let wanted = "None: stomp ends with a path of its own; aorrtc goes on";
            return Err(KineticError::invalid("minimise", format!("\"{}\"", minimise.name()), wanted));
        }
        let cost = ConfigurationCost::stated(context)?;
        let config = StompConfig { num_seeds: config.num_seeds.unwrap_or(u64::MAX), ..StompConfig::default() };
        Ok(Box::new(Stomp { cost, ..Stomp::new(config)? }))
    },
};

/// Options of [`Stomp`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StompConfig {
    /// Initial trajectories that are tried, the straight line to the nearest goal first; `u64::MAX` until the budget ends.
    pub num_seeds: u64,
    /// Waypoints between the ends, at equal steps of time.
    pub waypoints: usize,
    /// Iterations for each initial trajectory.
    pub iterations_per_seed: u64,
    /// Noisy trajectories in an iteration.
    pub rollouts: usize,
    /// Standard deviation of the noise at the middle of the trajectory, a distance of the [`Space`](crate::space::Space) per joint.
    pub noise: f64,
    /// Sensitivity of the weights: the cheapest noise at a waypoint counts e to this power times as much as the dearest one.
    pub sensitivity: f64,
    /// What a configuration costs, relative to being blocked, where a cost is stated.
    pub cost_weight: f64,
    /// Standard deviation of the noise of further initial trajectories at their middle, a distance of the space per joint.
    pub seed_spread: f64,
}

impl Default for StompConfig {
    fn default() -> Self {
        Self {
            num_seeds: u64::MAX,
            waypoints: 25,
            iterations_per_seed: 200,
            rollouts: 30,
            noise: 0.5,
            sensitivity: 10.0,
            cost_weight: 0.1,
            seed_spread: 0.7,
        }
    }
}

impl StompConfig {
    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field.
    pub fn check(&self) -> Result<()> {
        check_seeds(self.num_seeds, self.iterations_per_seed)?;
        check_count("waypoints", self.waypoints)?;
        check_count("rollouts", self.rollouts)?;
        check_length("noise", self.noise)?;
        check_length("sensitivity", self.sensitivity)?;
        check_length("cost_weight", self.cost_weight)?;
        check_length("seed_spread", self.seed_spread)
    }
}

/// The planner.
#[derive(Debug, Clone, Default)]
pub struct Stomp {
    config: StompConfig,
    cost: Option<ConfigurationCost>,
}

impl Stomp {
    /// A planner with the given options, for which free configurations cost nothing.
    ///
    /// # Errors
    /// As [`StompConfig::check`].
    pub fn new(config: StompConfig) -> Result<Self> {
        config.check()?;
        Ok(Self { config, cost: None })
    }

    /// The same planner with a cost of configurations: finite and at least 0 everywhere.
    #[must_use]
    pub fn with_cost(self, cost: CostFunction) -> Self {
        Self { cost: Some(ConfigurationCost::Function(cost)), ..self }
    }

    /// Its options.
    pub fn config(&self) -> &StompConfig {
        &self.config
    }
}

/// The stream of the noise; initial trajectories are drawn from another one.
const NOISE_STREAM: u64 = 0x57;

impl Algorithm for Stomp {
    /// # Errors
    /// Besides, those of a cost, and [`KineticError::InvalidValue`] for one that is negative or not finite.
    fn plan(&mut self, problem: &Problem<'_>, validity: &mut dyn Validity, control: &Control) -> Result<Plan> {
        let config = self.config;
        let mut descent = Stochastic {
            config,
            cost: self.cost.as_ref(),
            rollouts: Rollouts::new(&config, problem.space()),
            rng: SeededRng::stream(problem.seed(), NOISE_STREAM),
        };
        let StompConfig { num_seeds, waypoints, seed_spread: spread, .. } = config;
        let run = OptimizationRun::new(SPEC.id, problem, validity, control);
        optimize(&mut descent, SeedOptions { num_seeds, waypoints, spread }, run)
    }
}

/// Descent along weighted noise.
struct Stochastic<'a> {
    config: StompConfig,
    cost: Option<&'a ConfigurationCost>,
    rollouts: Rollouts,
    rng: SeededRng,
}

/// What an initial trajectory became on its way.
#[derive(Default)]
struct Seen {
    /// The cheapest trajectory that is proven free, and its cost.
    cheapest: Option<(f64, Waypoints)>,
    /// The least cost, and the trajectory that had it.
    least: Option<(f64, Waypoints)>,
}

impl Seen {
    /// Keeps a trajectory that seems free if it is cheaper and proven.
    fn take(&mut self, cost: f64, waypoints: &Waypoints, run: &mut OptimizationRun<'_>) -> Result<()> {
        let is_better = self.cheapest.as_ref().is_none_or(|(least, _)| cost < *least);
        if is_better && run.refused_edges(waypoints)?.is_empty() {
            self.cheapest = Some((cost, waypoints.clone()));
        }
        Ok(())
    }
}

impl Stochastic<'_> {
    fn descend(&mut self, waypoints: &mut Waypoints, run: &mut OptimizationRun<'_>, seen: &mut Seen) -> Result<()> {
        for _ in 0..self.config.iterations_per_seed {
            run.begin_iteration()?;
            let found = self.rollouts.judge(waypoints, self.cost, run)?;
            if found.is_free() {
                seen.take(found.cost, waypoints, run)?;
            }
            if seen.least.as_ref().is_none_or(|(least, _)| found.cost < *least) {
                seen.least = Some((found.cost, waypoints.clone()));
            }
            if self.is_done(seen) {
                return Ok(());
            }
            if let Some((cost, rollout)) = self.rollouts.update(waypoints, self.cost, &mut self.rng, run)? {
                seen.take(cost, &rollout, run)?;
            }
            if self.is_done(seen) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Without a cost, one trajectory that is free is as good as another.
    fn is_done(&self, seen: &Seen) -> bool {
        self.cost.is_none() && seen.cheapest.is_some()
    }
}

impl Optimizer for Stochastic<'_> {
    fn repair(&mut self, waypoints: &mut Waypoints, run: &mut OptimizationRun<'_>) -> Result<Repair> {
        let mut seen = Seen::default();
        let outcome = self.descend(waypoints, run, &mut seen);
        match (outcome, seen.cheapest) {
            // After the first path, a used-up budget is no error.
            (Err(error), Some(_)) if !run.is_over() => Err(error),
            (Err(error), None) => Err(error),
            (_, Some((_, found))) => {
                *waypoints = found;
                Ok(Repair::Free)
            }
            // Where nothing is between two waypoints that are free, most is missing on the edge.
            (Ok(()), None) => Ok(Repair::stuck(seen.least.map(|(cost, waypoints)| (cost, run.deepest(&waypoints))))),
        }
    }

    fn ends_at_a_free_line(&self) -> bool {
        self.cost.is_none()
    }
}
