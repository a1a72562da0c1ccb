//! Paths through a graph of convex sets.
//!
//! Marcucci, Petersen, von Wrangel and Tedrake, "Motion planning around obstacles with convex optimization", Science Robotics 2023, over
//! regions that [IRIS](crate::ConvexDecomposition) has grown. Between two regions that overlap a path may pass anywhere in the overlap:
//! the shortest path through a chain of regions is a convex programme. The chain itself comes from a search over the middles of
//! overlaps, not from the relaxation of the whole graph, which takes longer than a query has and rounds to such a chain.
//!
//! A start or goal that is in no region is joined to one by a straight line. Regions are free with a stated probability: where an edge is
//! refused, a plane is laid between the region and what is in the way, and the programme is solved again; where that leaves no way, the
//! region is left out and another chain searched.

mod chain;
mod flow_edge;
mod relaxation;
mod rounding;
mod search;

use kinetic_core::error::reason;
use kinetic_core::{Control, KineticError, Result, Trajectory};

use self::chain::Chain;
use self::relaxation::Relaxation;
use self::rounding::rounded;
use self::search::{RegionSearch, Way};
use super::ends::check_ends;
use super::joining::{Joining, straight_line};
use crate::algorithm::{Algorithm, Plan};
use crate::planner_spec::PlannerSpec;
use crate::problem::Problem;
use crate::regions::ConvexDecomposition;
use crate::validity::Validity;

/// Detours of a way that are looked at, the shortest ones.
const MOST_DETOURS: usize = 4;

/// The part of its length that a detour has to save.
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
        if let Some(minimise) = config.minimise {
            let wanted = "None: gcs ends with its first path; aorrtc goes on";
            return Err(KineticError::invalid("minimise", format!("\"{}\"", minimise.name()), wanted));
        }
        let wanted = "some, by with_regions of what convex_decomposition has grown";
        let regions = context.regions.ok_or_else(|| KineticError::invalid("regions of the planner", "none", wanted))?;
        Ok(Box::new(Gcs::new(regions).with_relaxation(config.convex_relaxation)))
    },
};

/// The planner.
#[derive(Debug, Clone)]
pub struct Gcs {
    regions: ConvexDecomposition,
    relaxes: bool,
}

impl Gcs {
    /// A planner through regions of the space that problems are in.
    pub fn new(regions: &ConvexDecomposition) -> Self {
        Self { regions: regions.clone(), relaxes: false }
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
        kinetic_core::error::check_len("joints of the regions", self.regions.dof(), problem.space().dof())?;
        control.check(0)?;
        let checks_before = validity.checks();
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
            let nearest = goals.first().map(|goal| problem.space().distance(problem.start(), &problem.goals()[*goal]));
            return Ok(planned(path, goal, 0, nearest, validity));
        }
        check_ends(problem, &mut goals, validity)?;
        let mut search = RegionSearch::new(&self.regions, problem, &goals, validity, control)?;
        let mut run = GcsRun { regions: &self.regions, problem, validity: &mut *validity, control, iterations: 0 };
        let Some(found) = run.first(&mut search)? else {
            let planner = SPEC.id.to_owned();
            return Err(KineticError::PlanningFailed { reason: reason::PlanningFailed::NoPath { planner } });
        };
        let mut best = run.shortened(found, &mut search)?;
        let lower_bound = if self.relaxes { run.relaxed(&mut best, &search)? } else { None };
        let iterations = run.iterations;
        Ok(planned(best.path, best.way.goal.goal, iterations, lower_bound, validity))
    }
}

/// A proven path, and the way that it takes.
struct PathInRegions {
    way: Way,
    path: Trajectory,
    length: f64,
}

/// One query.
struct GcsRun<'a, 'v> {
    regions: &'a ConvexDecomposition,
    problem: &'a Problem<'a>,
    validity: &'v mut dyn Validity,
    control: &'a Control,
    /// Ways that were looked at.
    iterations: u64,
}

impl GcsRun<'_, '_> {
    /// A proven path along the shortest way that has one.
    fn first(&mut self, search: &mut RegionSearch<'_>) -> Result<Option<PathInRegions>> {
        while let Some(way) = search.shortest() {
            match self.along(way, f64::INFINITY)? {
                Ok(found) => return Ok(Some(found)),
                Err((way, edge)) => search.leave_out(&way, edge),
            }
        }
        Ok(None)
    }

    /// The shortest of a path and those along detours of its way, until no detour is shorter or the time is over.
    fn shortened(&mut self, mut best: PathInRegions, search: &mut RegionSearch<'_>) -> Result<PathInRegions> {
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
            let length = better.as_ref().map_or(best.length, |found| found.length);
            if let Ok(found) = self.along(way, (1.0 - LEAST_GAIN) * length)? {
                better = Some(found);
            }
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
        let known = best.length;
        let mut relaxation = Relaxation::new(search, known, self.control)?;
        let Some(flow) = relaxation.solve(self.control)? else { return Ok(None) };
        for way in rounded(&relaxation, &flow, search, self.problem.seed()) {
            match self.along(way, best.length) {
                Ok(Ok(found)) => *best = found,
                Ok(Err(_)) => {}
                Err(KineticError::PlanningTimeout { .. }) => break,
                Err(error) => return Err(error),
            }
        }
        // Edges that no path shorter than the known one passes were left out.
        Ok(Some(flow.lower_bound.min(known)))
    }

    /// A proven path along a way, shorter than a length; or the edge that there is none for.
    fn along(&mut self, way: Way, below: f64) -> Result<std::result::Result<PathInRegions, (Way, usize)>> {
        self.control.check(self.iterations)?;
        self.iterations += 1;
        let space = self.problem.space();
        let joins = way.start.join(space) + way.goal.join(space);
        let mut chain = Chain::new(self.regions, &way, space);
        match chain.path(below - joins, self.validity, self.control)? {
            Err(edge) => Ok(Err((way, edge))),
            Ok(points) => {
                let path = assembled(self.problem, &way, &points)?;
                if !proves(&path, self.validity, self.control)? {
                    // Shifted by full turns an edge has other bits: which of them is refused is not known.
                    return Ok(Err((way, 0)));
                }
                let length = space.path_length(&path);
                Ok(Ok(PathInRegions { way, path, length }))
            }
        }
    }
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
