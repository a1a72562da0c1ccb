//! What planners have in common that start from a trajectory and improve it: initial trajectories, their smoothness, and the
//! loop over them until one is free.

mod obstacle_cost;
mod obstacle_functional;
mod seeds;
mod smoothness;
mod waypoints;

use kinetic_core::error::reason;
use kinetic_core::{Control, KineticError, Result, Trajectory};

pub(super) use self::obstacle_cost::ObstacleCost;
pub(super) use self::obstacle_functional::ObstacleFunctional;
pub(super) use self::seeds::Seeds;
pub(super) use self::smoothness::Smoothness;
pub(super) use self::waypoints::Waypoints;
use super::ends::check_ends;
use super::joining::{Joining, straight_line};
use crate::algorithm::Plan;
use crate::near_distances::NearDistances;
use crate::problem::Problem;
use crate::validity::Validity;

/// Waypoints that an optimised trajectory may have between its ends, and trajectories that may be looked at together.
const MOST: usize = 1000;

/// Refuses a number of waypoints or of trajectories.
///
/// # Errors
/// [`KineticError::InvalidValue`].
pub(super) fn check_count(name: &str, count: usize) -> Result<()> {
    if (1..=MOST).contains(&count) {
        return Ok(());
    }
    Err(KineticError::invalid(name, count, format!("an integer from 1 to {MOST}")))
}

/// Refuses no initial trajectories, and no iterations for each.
///
/// # Errors
/// [`KineticError::InvalidValue`].
pub(super) fn check_seeds(num_seeds: u64, iterations_per_seed: u64) -> Result<()> {
    for (name, count) in [("num_seeds", num_seeds), ("iterations_per_seed", iterations_per_seed)] {
        if count == 0 {
            return Err(KineticError::invalid(name, count, "an integer of at least 1"));
        }
    }
    Ok(())
}

/// Keeps the least cost, with a configuration of the trajectory that has it.
pub(super) fn keep_least(least: &mut Option<(f64, Vec<f64>)>, cost: f64, worst: &[f64]) {
    if least.as_ref().is_none_or(|(least, _)| cost < *least) {
        *least = Some((cost, worst.to_vec()));
    }
}

/// The initial trajectories of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeedOptions {
    /// At most so many are tried.
    pub(super) num_seeds: u64,
    /// Waypoints between the ends.
    pub(super) waypoints: usize,
    /// Standard deviation of the noise at the middle of those that are not straight, a distance of the space per joint.
    pub(super) spread: f64,
}

/// One search: what an optimiser asks, and what it has used.
pub(super) struct OptimizationRun<'a> {
    /// The id of the planner.
    planner: &'static str,
    pub(super) problem: &'a Problem<'a>,
    pub(super) validity: &'a mut dyn Validity,
    control: &'a Control,
    /// Iterations of the optimiser, over all initial trajectories.
    iterations: u64,
    checks_before: u64,
}

/// What became of an initial trajectory.
pub(super) enum Repair {
    /// It is proven free.
    Free,
    /// It was not repaired; its least cost, and a configuration that was then nearest to what it must not touch.
    Stuck { cost: f64, worst: Vec<f64> },
}

impl Repair {
    pub(super) fn stuck(least: Option<(f64, Vec<f64>)>) -> Self {
        let (cost, worst) = least.unwrap_or((f64::INFINITY, Vec::new()));
        Self::Stuck { cost, worst }
    }
}

/// A way to improve trajectories.
pub(super) trait Optimizer {
    /// Improves the waypoints between the ends until all edges are proven, or until it is stuck.
    ///
    /// # Errors
    /// What [`Control::check`] says, before every iteration.
    fn repair(&mut self, waypoints: &mut Waypoints, run: &mut OptimizationRun<'_>) -> Result<Repair>;

    /// Whether nothing is better than a straight line that is free.
    fn ends_at_a_free_line(&self) -> bool {
        true
    }

    /// Whether paths of `rrt_connect` are among the initial trajectories.
    fn begins_with_paths(&self) -> bool {
        false
    }
}

impl<'a> OptimizationRun<'a> {
    pub(super) fn new(
        planner: &'static str,
        problem: &'a Problem<'a>,
        validity: &'a mut dyn Validity,
        control: &'a Control,
    ) -> Self {
        let checks_before = validity.checks();
        Self { planner, problem, validity, control, iterations: 0, checks_before }
    }

    /// The plan of a path that was found.
    pub(super) fn plan(&self, path: Trajectory, goal_index: usize) -> Plan {
        let checks = self.validity.checks() - self.checks_before;
        let (iterations, tree_size) = (self.iterations, path.len());
        Plan { path, goal_index, iterations, tree_size, checks, planner_used: self.planner, lower_bound: None }
    }

    /// The straight line to the first of the goals to which it is free.
    fn straight_line(&mut self, goals: &[usize]) -> Result<Option<(Trajectory, usize)>> {
        let problem = self.problem;
        let places: Vec<_> = goals.iter().map(|goal| (*goal, &*problem.goals()[*goal])).collect();
        let mut joining = Joining {
            space: problem.space(),
            validity: &mut *self.validity,
            control: self.control,
            iterations: 0,
            proves: true,
        };
        straight_line(&mut joining, problem.start(), &places)
    }

    /// Begins an iteration.
    pub(super) fn begin_iteration(&mut self) -> Result<()> {
        self.control.check(self.iterations)?;
        self.iterations += 1;
        Ok(())
    }

    /// Counts iterations that were made elsewhere.
    pub(super) fn add_iterations(&mut self, iterations: u64) -> Result<()> {
        self.iterations += iterations;
        self.control.check(self.iterations)
    }

    /// Whether the budget is used up.
    pub(super) fn is_over(&self) -> bool {
        self.control.is_over(self.iterations)
    }

    /// Ends the search within an iteration when the time is over.
    pub(super) fn check(&self) -> Result<()> {
        self.control.check(self.iterations - 1)
    }

    /// Writes the near pairs at a configuration and its velocity.
    ///
    /// # Errors
    /// What [`Control::check`] says; [`KineticError::InvalidValue`] where the validity knows no distances.
    pub(super) fn near_distances(
        &mut self,
        (q, qd): (&[f64], &[f64]),
        within: f64,
        out: &mut NearDistances,
    ) -> Result<()> {
        self.check()?;
        if self.validity.near_distances(q, qd, within, out) {
            return Ok(());
        }
        let wanted = "a planner that needs none, as rrt_connect: this validity knows no distances";
        Err(KineticError::invalid("planner", format!("\"{}\"", self.planner), wanted))
    }

    /// The configuration with the least slack, of the waypoints and of places between them.
    pub(super) fn deepest(&mut self, waypoints: &Waypoints) -> Vec<f64> {
        let (mut least, mut deepest) = (f64::INFINITY, waypoints.at(0).to_vec());
        let mut q = deepest.clone();
        for (from, to) in waypoints.edges() {
            for part in 1..=PLACES_PER_EDGE {
                let part = f64::from(part) / f64::from(PLACES_PER_EDGE);
                q.iter_mut().zip(from.iter().zip(to)).for_each(|(q, (from, to))| *q = from + part * (to - from));
                let slack = self.validity.nearest_pair(&q).map_or(f64::INFINITY, |(_, slack)| slack);
                if slack < least {
                    (least, deepest) = (slack, q.clone());
                }
            }
        }
        deepest
    }

    /// Lists the edges that are refused: by the quick check, and where that refuses none, by proof. Empty: all are proven.
    pub(super) fn refused_edges(&mut self, waypoints: &Waypoints) -> Result<Vec<usize>> {
        let mut refused = Vec::new();
        for (edge, (from, to)) in waypoints.edges().enumerate() {
            self.check()?;
            if !self.validity.motion_may_be_valid(from, to) {
                refused.push(edge);
            }
        }
        if !refused.is_empty() {
            return Ok(refused);
        }
        for (edge, (from, to)) in waypoints.edges().enumerate() {
            self.check()?;
            if !self.validity.is_motion_valid(from, to) {
                refused.push(edge);
            }
        }
        Ok(refused)
    }
}

/// Where an edge is looked at for what is in the way on it.
const PLACES_PER_EDGE: u32 = 16;

/// How a search begins.
pub(super) enum Beginning {
    /// With a straight line that is free.
    Done(Plan),
    /// With goals that are valid, nearest first.
    Goals(Vec<usize>),
}

/// Looks at the straight line, where a free one is taken, and at the ends.
///
/// # Errors
/// When neither start nor goals are valid, or the budget ends.
pub(super) fn begin(run: &mut OptimizationRun<'_>, ends_at_a_free_line: bool) -> Result<Beginning> {
    run.control.check(0)?;
    let mut goals = run.problem.goals_by_distance();
    // Where the start is a goal, nothing is better than to stay.
    let is_there = goals
        .first()
        .is_some_and(|goal| run.problem.space().distance(run.problem.start(), &run.problem.goals()[*goal]) == 0.0);
    if (is_there || ends_at_a_free_line)
        && let Some((path, goal)) = run.straight_line(&goals)?
    {
        return Ok(Beginning::Done(run.plan(path, goal)));
    }
    check_ends(run.problem, &mut goals, &mut *run.validity)?;
    Ok(Beginning::Goals(goals))
}

/// Tries initial trajectories until one is repaired.
pub(super) fn optimize(
    optimizer: &mut dyn Optimizer,
    options: SeedOptions,
    mut run: OptimizationRun<'_>,
) -> Result<Plan> {
    let goals = match begin(&mut run, optimizer.ends_at_a_free_line())? {
        Beginning::Done(plan) => return Ok(plan),
        Beginning::Goals(goals) => goals,
    };
    let seeds = Seeds { problem: run.problem, goals: &goals, options, paths: optimizer.begins_with_paths() };
    let mut best: Option<(f64, Vec<f64>)> = None;
    for seed in 0..options.num_seeds {
        let (mut trajectory, goal) = seeds.initial(seed, &mut run)?;
        match optimizer.repair(&mut trajectory, &mut run)? {
            Repair::Free => return Ok(run.plan(trajectory.into_path()?, goal)),
            Repair::Stuck { cost, worst } => keep_least(&mut best, cost, &worst),
        }
    }
    Err(not_repaired((run.planner, options.num_seeds), best, run.validity))
}

/// The failure, with what is in the way on the trajectory of least cost where that is known.
pub(super) fn not_repaired(
    (planner, seeds): (&str, u64),
    best: Option<(f64, Vec<f64>)>,
    validity: &mut dyn Validity,
) -> KineticError {
    let (cost, worst) = best.unwrap_or((f64::INFINITY, Vec::new()));
    let planner = planner.to_owned();
    let reason = match if worst.is_empty() { None } else { validity.nearest_pair(&worst) } {
        // What keeps its clearance is not what is in the way: constraints may be.
        Some((pair, slack)) if slack < 0.0 => reason::PlanningFailed::NotRepairedNear {
            planner,
            seeds,
            cost,
            link: pair.link,
            other: pair.other,
            missing: -slack,
        },
        _ => reason::PlanningFailed::NotRepaired { planner, seeds, cost },
    };
    KineticError::PlanningFailed { reason }
}
