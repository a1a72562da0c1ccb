//! Paths through a graph of convex sets.
//!
//! Marcucci, Petersen, von Wrangel and Tedrake, "Motion planning around obstacles with convex optimization", Science Robotics 2023, over
//! regions that [IRIS](crate::ConvexDecomposition) has grown. Between two regions that overlap a path may pass anywhere in the overlap:
//! the shortest path through a chain of regions is a convex programme. The chain itself comes from a search over the middles of
//! overlaps, not from the relaxation of the whole graph, which takes longer than a query has and rounds to such a chain.
//!
//! A start or goal that is in no region is joined to one by a straight line. Regions are free with a stated probability: where an edge is
//! refused, a plane is laid between the region and what is in the way, and the programme is solved again; where that leaves no way, the path
//! goes over the seeds of the chain, or the region is left out and another chain searched.

mod chain;
mod edge_cost;
mod flow_edge;
mod reached_overlaps;
mod relaxation;
mod rounding;
mod search;

use std::collections::BTreeSet;

use kinetic_core::error::{check_len, reason};
use kinetic_core::{Control, JointValues, KineticError, Minimise, Result, Trajectory};

use self::chain::Chain;
use self::edge_cost::EdgeCost;
use self::relaxation::Relaxation;
use self::rounding::rounded;
use self::search::{RegionSearch, Terminal, Way};
use super::ends::check_ends;
use super::joining::{Joining, straight_line};
use crate::algorithm::{Algorithm, Plan};
use crate::planner_spec::PlannerSpec;
use crate::problem::Problem;
use crate::regions::ConvexDecomposition;
use crate::space::Space;
use crate::validity::Validity;

/// Detours of a way that are looked at, the shortest ones.
const MOST_DETOURS: usize = 4;

/// How often a region is crossed by one edge more, at most.
const MOST_SPLITS: usize = 2;

/// The part of its cost that a detour has to save.
const LEAST_GAIN: f64 = 1e-3;

/// The row of the registry.
pub const SPEC: PlannerSpec = PlannerSpec {
    id: "gcs",
    summary: "the shortest path through a chain of convex regions that were grown before",
    source: "Marcucci et al., Science Robotics 2023; regions: Werner et al., ISRR 2024",
    is_anytime: false,
    is_complete: false,
    may_be_simplified: true,
    build: &|context| {
        let config = context.config;
        config.check()?;
        let wanted = "some, by with_regions of what convex_decomposition has grown";
        let regions = context.regions.ok_or_else(|| KineticError::invalid("regions of the planner", "none", wanted))?;
        let gcs = Gcs::new(regions).with_relaxation(config.convex_relaxation);
        if config.minimise != Some(Minimise::Time) {
            return Ok(Box::new(gcs));
        }
        let wanted = "limits of velocity: spaces that are not a robot's have none";
        let limits = context.limits.ok_or_else(|| KineticError::invalid("minimise", "\"time\"", wanted))?;
        Ok(Box::new(gcs.with_velocity_limits(&limits.velocity)?))
    },
};

/// The planner.
#[derive(Debug, Clone)]
pub struct Gcs {
    regions: ConvexDecomposition,
    relaxes: bool,
    velocity_limits: Option<Vec<f64>>,
}

impl Gcs {
    /// A planner through regions of the space that problems are in.
    pub fn new(regions: &ConvexDecomposition) -> Self {
        Self { regions: regions.clone(), relaxes: false, velocity_limits: None }
    }

    /// The planner, which makes the time small that paths take under limits of velocity, rad/s or m/s, instead of their length;
    /// [lower bounds](Plan::lower_bound) are of that time.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`]; [`KineticError::InvalidValue`] for a limit that is not a positive finite number.
    pub fn with_velocity_limits(self, limits: &[f64]) -> Result<Self> {
        check_len("velocity limits", limits.len(), self.regions.dof())?;
        if let Some(limit) = limits.iter().find(|limit| !(**limit > 0.0 && limit.is_finite())) {
            return Err(KineticError::invalid("velocity limits", limit, "positive finite numbers"));
        }
        Ok(Self { velocity_limits: Some(limits.to_vec()), ..self })
    }

    fn cost<'a>(&'a self, space: &'a Space) -> EdgeCost<'a> {
        match &self.velocity_limits {
            None => EdgeCost::Length(space.weights()),
            Some(limits) => EdgeCost::Duration(limits),
        }
    }

    /// The planner, which solves the convex relaxation of the whole graph as well, or not: its plans then have a
    /// [lower bound](Plan::lower_bound), and are at most as long as without. That takes seconds, of what is left of the budget.
    #[must_use]
    pub fn with_relaxation(self, relaxes: bool) -> Self {
        Self { relaxes, ..self }
    }
}

impl Algorithm for Gcs {
    /// # Errors
    /// Besides, [`KineticError::DimensionMismatch`] for regions of another number of joints.
    fn plan(&mut self, problem: &Problem<'_>, validity: &mut dyn Validity, control: &Control) -> Result<Plan> {
        check_len("joints of the regions", self.regions.dof(), problem.space().dof())?;
        control.check(0)?;
        let (checks_before, cost) = (validity.checks(), self.cost(problem.space()));
        let planned = |path: Trajectory, goal_index, iterations, lower_bound, validity: &dyn Validity| Plan {
            path,
            goal_index,
            iterations,
            tree_size: self.regions.regions().len(),
            checks: validity.checks() - checks_before,
            planner_used: SPEC.id,
            lower_bound,
        };
        let mut goals = problem.goals_by_distance();
        let places: Vec<_> = goals.iter().map(|goal| (*goal, &*problem.goals()[*goal])).collect();
        let mut joining =
            Joining { space: problem.space(), validity: &mut *validity, control, iterations: 0, proves: true };
        if let Some((path, goal)) = straight_line(&mut joining, problem.start(), &places)? {
            let least = least_of_straight_lines(problem, cost);
            return Ok(planned(path, goal, 0, Some(least), validity));
        }
        check_ends(problem, &mut goals, validity)?;
        let mut search = RegionSearch::new((&self.regions, cost), problem, &goals, validity, control)?;
        let mut run = GcsRun {
            regions: &self.regions,
            cost,
            problem,
            validity: &mut *validity,
            control,
            iterations: 0,
            tried: vec![],
        };
        let Some(found) = run.first(&mut search)? else {
            return Err(no_chain(&search, run.iterations));
        };
        let mut best = run.shortened(found, &mut search)?;
        let bound = if self.relaxes { run.relaxed(&mut best, &search)? } else { None };
        // Overlaps that are full turns apart are not looked for, and a path through one may be shorter.
        let lower_bound = bound.filter(|_| !problem.space().has_continuous());
        let iterations = run.iterations;
        Ok(planned(best.path, best.way.goal.goal, iterations, lower_bound, validity))
    }
}

/// What is said where no way has a path.
fn no_chain(search: &RegionSearch<'_>, refused: u64) -> KineticError {
    let count = |terminals: &[Terminal]| terminals.iter().map(|one| one.region).collect::<BTreeSet<_>>().len();
    let reason = reason::PlanningFailed::NoChain {
        planner: SPEC.id.to_owned(),
        regions: search.regions().regions().len(),
        at_start: count(search.starts()),
        at_goals: count(search.goals()),
        refused,
    };
    KineticError::PlanningFailed { reason }
}

/// A proven path, and the way that it takes.
struct PathInRegions {
    way: Way,
    path: Trajectory,
    cost: f64,
}

/// One query.
struct GcsRun<'a, 'v> {
    regions: &'a ConvexDecomposition,
    cost: EdgeCost<'a>,
    problem: &'a Problem<'a>,
    validity: &'v mut dyn Validity,
    control: &'a Control,
    /// Ways that were looked at.
    iterations: u64,
    /// Those among them whose path is known, or costs too much.
    tried: Vec<Way>,
}

impl GcsRun<'_, '_> {
    /// A proven path along the shortest way that has one.
    fn first(&mut self, search: &mut RegionSearch<'_>) -> Result<Option<PathInRegions>> {
        while let Some(way) = search.shortest() {
            match self.along_somehow(&way, search)? {
                Ok(found) => return Ok(Some(found)),
                Err(edge) => search.leave_out(&way, edge),
            }
        }
        Ok(None)
    }

    /// A proven path along a way whose regions are crossed by single edges, over seeds, or by several edges, what succeeds first; or the edge
    /// that there is none for.
    fn along_somehow(
        &mut self,
        way: &Way,
        search: &RegionSearch<'_>,
    ) -> Result<std::result::Result<PathInRegions, usize>> {
        let (mut chain, _) = self.chain(way)?;
        let mut splits = 0;
        loop {
            let refused = match chain.path(f64::INFINITY, self.validity, self.control)? {
                // Shifted by full turns an edge has other bits: which of them is refused is not known.
                Ok(points) => return Ok(self.proven(way, &points)?.ok_or(0)),
                Err(edge) => edge,
            };
            if splits == 0
                && let Some(over_seeds) = self.proven(way, &search.over_seeds(way))?
            {
                return Ok(Ok(over_seeds));
            }
            if splits == MOST_SPLITS {
                return Ok(Err(chain.place(refused)));
            }
            chain.split(refused);
            splits += 1;
        }
    }

    /// The shortest of a path and those along detours of its way, until no detour is shorter or the time is over.
    fn shortened(&mut self, mut best: PathInRegions, search: &mut RegionSearch<'_>) -> Result<PathInRegions> {
        self.tried.push(best.way.clone());
        loop {
            match self.shorter(&best, search) {
                Ok(Some(found)) => best = found,
                Ok(None) | Err(KineticError::PlanningTimeout { .. }) => return Ok(best),
                Err(error) => return Err(error),
            }
        }
    }

    /// The shortest path along detours of a way; `None` where none is shorter.
    fn shorter(&mut self, best: &PathInRegions, search: &mut RegionSearch<'_>) -> Result<Option<PathInRegions>> {
        let mut better: Option<PathInRegions> = None;
        for way in search.detours(&best.way).into_iter().take(MOST_DETOURS) {
            // Of a detour the way itself is one, and others are detours of both. The limit only falls.
            if self.tried.contains(&way) {
                continue;
            }
            self.tried.push(way.clone());
            let cost = better.as_ref().map_or(best.cost, |found| found.cost);
            better = self.along(way, (1.0 - LEAST_GAIN) * cost)?.or(better);
        }
        Ok(better)
    }

    /// Solves the relaxation of the whole graph, and takes the shortest path along the ways that it is rounded to where that is shorter
    /// than the best one so far. The lower bound, `None` where the budget ends before there is one.
    fn relaxed(&mut self, best: &mut PathInRegions, search: &RegionSearch<'_>) -> Result<Option<f64>> {
        match self.rounded(best, search) {
            Err(KineticError::PlanningTimeout { .. }) => Ok(None),
            bound => bound,
        }
    }

    fn rounded(&mut self, best: &mut PathInRegions, search: &RegionSearch<'_>) -> Result<Option<f64>> {
        let mut relaxation = Relaxation::new(search, best.cost, self.control)?;
        let Some(flow) = relaxation.solve(self.control)? else { return Ok(None) };
        for way in rounded(&relaxation, &flow, search, self.problem.seed()) {
            match self.along(way, best.cost) {
                Ok(Some(found)) => *best = found,
                Ok(None) => {}
                Err(KineticError::PlanningTimeout { .. }) => break,
                Err(error) => return Err(error),
            }
        }
        // Edges that no path which costs less than the best one passes were left out.
        Ok(Some(flow.lower_bound.min(best.cost)))
    }

    /// A proven path along a way that costs less than a limit, each region crossed by one edge; `None` where none is found.
    fn along(&mut self, way: Way, below: f64) -> Result<Option<PathInRegions>> {
        let (mut chain, joins) = self.chain(&way)?;
        match chain.path(below - joins, self.validity, self.control)? {
            Ok(points) => self.proven(&way, &points),
            Err(_) => Ok(None),
        }
    }

    /// The chain of a way, and the cost of the lines that join it with start and goal.
    fn chain<'w>(&mut self, way: &'w Way) -> Result<(Chain<'w>, f64)>
    where
        Self: 'w,
    {
        self.control.check(self.iterations)?;
        self.iterations += 1;
        let joins = way.start.join(&self.cost) + way.goal.join(&self.cost);
        Ok((Chain::new((self.regions, self.cost), way, self.problem.space()), joins))
    }

    /// The path of a way over some points, where all of it is proven.
    fn proven(&mut self, way: &Way, points: &[Vec<f64>]) -> Result<Option<PathInRegions>> {
        let path = assembled(self.problem, way, points)?;
        if !proves(&path, self.validity, self.control)? {
            return Ok(None);
        }
        let cost = self.cost.of_path((0..path.len()).map(|waypoint| path.positions(waypoint)));
        Ok(Some(PathInRegions { way: way.clone(), path, cost }))
    }
}

/// What a path to the nearest goal costs at least, were the straight lines to all goals free.
fn least_of_straight_lines(problem: &Problem<'_>, cost: EdgeCost<'_>) -> f64 {
    let mut end = problem.start().to_vec();
    let of_goal = |goal: &JointValues| {
        problem.space().unwrap_into(problem.start(), goal, &mut end);
        cost.of(problem.start(), &end)
    };
    problem.goals().iter().map(of_goal).fold(f64::INFINITY, f64::min)
}

/// The path from the start bit for bit to the goal, which may be full turns away; values of regions differ from it by the turns
/// of the start.
fn assembled(problem: &Problem<'_>, way: &Way, points: &[Vec<f64>]) -> Result<Trajectory> {
    let (space, start, goal) = (problem.space(), &way.start, &way.goal);
    let turns: Vec<f64> = problem.start().iter().zip(&start.end).map(|(stated, own)| stated - own).collect();
    let mut path = Trajectory::with_dof(space.dof());
    path.push_waypoint(problem.start())?;
    let mut last = problem.start().to_vec();
    for point in points {
        let shifted: Vec<f64> = point.iter().zip(&turns).map(|(value, turn)| value + turn).collect();
        if shifted != last {
            path.push_waypoint(&shifted)?;
            last = shifted;
        }
    }
    let stated = &problem.goals()[goal.goal];
    let end = |joint: usize| if space.is_continuous(joint) { goal.end[joint] + turns[joint] } else { stated[joint] };
    let end: Vec<f64> = (0..space.dof()).map(end).collect();
    if end != last || path.len() < 2 {
        path.push_waypoint(&end)?;
    }
    Ok(path)
}

fn proves(path: &Trajectory, validity: &mut dyn Validity, control: &Control) -> Result<bool> {
    for (from, to) in path.segments() {
        control.check(0)?;
        if !validity.is_motion_valid(from, to) {
            return Ok(false);
        }
    }
    Ok(true)
}
