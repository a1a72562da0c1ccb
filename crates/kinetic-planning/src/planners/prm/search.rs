//! The search of PRM and PRM\*: samples, edges, and paths that are checked edge by edge.

use std::ops::Range;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, Result, Trajectory};

use super::components::Components;
use super::shortest::ShortestPaths;
use crate::algorithm::Plan;
use crate::planners::ends::check_ends;
use crate::planners::informed::InformedSampler;
use crate::planners::joining::{Joining, straight_line};
use crate::planners::near_sample::sample_near;
use crate::planners::unwrapped::unwrapped_path;
use crate::problem::Problem;
use crate::roadmap::RoadmapInScope;
use crate::roadmap::graph::{Neighbours, RoadmapGraph};
use crate::roadmap::verdicts::{Verdict, Verdicts};
use crate::space::Space;
use crate::validity::Validity;

/// Vertices that are added before a path is looked for again: a part of those that there are, and so many at least.
const LEAST_ROUND: usize = 8;
const ROUND_PARTS: usize = 16;

/// Which part of the samples before the first path are drawn around refused edges.
const ENHANCED_FRACTION: f64 = 0.7;

/// Vertices that a search without laziness adds before it looks for a path again: its edges are known, so that looking costs little.
const EAGER_ROUND: usize = 1;

/// So many of the latest refused edges of paths are drawn around.
const LATEST_GAPS: usize = 64;

/// A path as short as this part above the lower bound is the shortest: rounding of sums of a few hundred edges.
const PATH_LENGTH_ROUNDING: f64 = 1e-12;

/// What a search needs beside its problem.
#[derive(Debug, Clone, Copy)]
pub(in crate::planners) struct PrmSetting {
    /// The id of the planner.
    pub(in crate::planners) id: &'static str,
    pub(in crate::planners) neighbours: Neighbours,
    pub(in crate::planners) is_lazy: bool,
    /// Whether it goes on after the first path.
    pub(in crate::planners) is_anytime: bool,
}

/// Searches a path, in a roadmap where there is one of the same space; an anytime search goes on until the budget ends or no path
/// can be shorter, and calls `improved` with each.
pub(in crate::planners) fn search(
    setting: PrmSetting,
    roadmap: Option<&RoadmapInScope>,
    (problem, control): (&Problem<'_>, &Control),
    validity: &mut dyn Validity,
    improved: &mut dyn FnMut(&Plan),
) -> Result<Plan> {
    control.check(0)?;
    let space = problem.space();
    let roadmap = roadmap.filter(|roadmap| roadmap.is_in(space));
    let (graph, verdicts) = roadmap.map_or_else(
        || (RoadmapGraph::new(space, problem.seed()), Verdicts::default()),
        |roadmap| (roadmap.graph().clone(), roadmap.known()),
    );
    let mut search = PrmSearch {
        setting,
        problem,
        space,
        control,
        checks_before: validity.checks(),
        validity,
        improved,
        goals: problem.goals_by_distance(),
        first_end: graph.len(),
        graph,
        verdicts,
        paths: ShortestPaths::default(),
        components: Components::default(),
        unshared: Vec::new(),
        gaps: Vec::new(),
        informed: InformedSampler::default(),
        rng: SeededRng::stream(problem.seed(), 2),
        iterations: 0,
        bound: f64::INFINITY,
        best: None,
        from: Vec::new(),
        to: Vec::new(),
    };
    let outcome = search.begin().and_then(|is_solved| if is_solved { Ok(()) } else { search.run() });
    if let Some(roadmap) = roadmap {
        search.forget_unshared();
        roadmap.learn(&search.verdicts);
    }
    search.finish(outcome)
}

/// One run.
struct PrmSearch<'a> {
    setting: PrmSetting,
    problem: &'a Problem<'a>,
    space: &'a Space,
    control: &'a Control,
    checks_before: u64,
    validity: &'a mut dyn Validity,
    improved: &'a mut dyn FnMut(&Plan),
    /// The goals by the number of their vertex, counted from the one after the start.
    goals: Vec<usize>,
    /// The vertex of the start; those of the goals follow it.
    first_end: usize,
    graph: RoadmapGraph,
    verdicts: Verdicts,
    paths: ShortestPaths,
    /// What edges join that were made in this search, where they are sampled when they are made.
    components: Components,
    /// Edges that were refused for this query alone: full turns away from where they were proven.
    unshared: Vec<usize>,
    /// Edges that were in collision: of paths in a lazy search, else of those made in this search all that may lead on from the ends.
    gaps: Vec<usize>,
    informed: InformedSampler,
    rng: SeededRng,
    iterations: u64,
    /// Length of the shortest path so far.
    bound: f64,
    /// The path that costs least so far, and its cost.
    best: Option<(f64, Plan)>,
    from: Vec<f64>,
    to: Vec<f64>,
}

impl PrmSearch<'_> {
    /// Tries straight lines, drops goals that are not valid and adds the ends to the graph; true where no path can be better.
    fn begin(&mut self) -> Result<bool> {
        let problem = self.problem;
        let places: Vec<_> = self.goals.iter().map(|goal| (*goal, &*problem.goals()[*goal])).collect();
        let (validity, control) = (&mut *self.validity, self.control);
        let mut joining = Joining { space: self.space, validity, control, iterations: 0, proves: true };
        if let Some((path, goal)) = straight_line(&mut joining, problem.start(), &places)? {
            self.bound = self.distance_to_goal(goal);
            self.adopt(path, goal);
            if !self.setting.is_anytime || self.is_shortest() {
                return Ok(true);
            }
        }
        check_ends(problem, &mut self.goals, &mut *self.validity)?;
        let (first, last) = (self.first_end, self.first_end + self.goals.len());
        self.connect(problem.start(), first..last + 1)?;
        for place in 0..self.goals.len() {
            self.connect(&problem.goals()[self.goals[place]], first..last + 1)?;
        }
        for end in first..=last {
            self.components.mark_end(end);
        }
        let roots: Vec<usize> = (first + 1..=last).collect();
        self.paths = ShortestPaths::new(&self.graph, first, &roots);
        self.paths.add(&self.graph, &self.verdicts, first);
        Ok(false)
    }

    fn run(&mut self) -> Result<()> {
        // What there is already counts as the first iteration.
        self.iterations = 1;
        loop {
            while let Some((vertices, edges)) = self.candidate()? {
                if self.examine(&vertices, &edges)?
                    && let Some(path) = self.proven_path(&vertices, &edges)?
                {
                    let goal = self.goals[vertices[vertices.len() - 1] - self.first_end - 1];
                    self.bound = edges.iter().map(|edge| self.graph.length(*edge)).sum();
                    self.adopt(path, goal);
                    if !self.setting.is_anytime {
                        return Ok(());
                    }
                }
            }
            if self.is_shortest() {
                return Ok(());
            }
            self.grow()?;
        }
    }

    /// What was found; after the first path, a used-up budget is no error.
    fn finish(self, outcome: Result<()>) -> Result<Plan> {
        let (iterations, tree_size) = (self.iterations, self.graph.len());
        let checks = self.validity.checks() - self.checks_before;
        match (outcome, self.best) {
            (Err(error), None) => Err(error),
            (Err(error), Some(_)) if !self.control.is_over(iterations) => Err(error),
            (_, Some((_, plan))) => Ok(Plan { iterations, tree_size, checks, ..plan }),
            (Ok(()), None) => Err(self.control.error(iterations)),
        }
    }

    fn distance_to_goal(&self, goal: usize) -> f64 {
        self.space.distance(self.problem.start(), &self.problem.goals()[goal])
    }

    /// Whether no path can cost less; of other costs than length nothing is known.
    fn is_shortest(&self) -> bool {
        let least = || self.goals.first().map_or(0.0, |goal| self.distance_to_goal(*goal));
        self.best.is_some()
            && (self.bound == 0.0
                || self.problem.costs_length() && self.bound <= least() * (1.0 + PATH_LENGTH_ROUNDING))
    }

    /// Stops before a question when the budget is used up.
    fn may_ask(&self) -> Result<()> {
        self.control.check(self.iterations.saturating_sub(1))
    }

    /// The shortest path that was not refused, if it is shorter than the best one.
    fn candidate(&mut self) -> Result<Option<(Vec<usize>, Vec<usize>)>> {
        let below = self.bound * (1.0 - PATH_LENGTH_ROUNDING);
        let cost = self.paths.shortest(&self.graph, &self.verdicts, below, self.control)?;
        Ok(if cost.is_finite() { self.paths.path(&self.graph, &self.verdicts) } else { None })
    }

    /// Whether all vertices and edges of a path are proven. Vertices are asked first, then samples of the edges, then proofs; each
    /// from the ends inwards, where refusals are most likely. What is refused is taken out of the graph.
    fn examine(&mut self, vertices: &[usize], edges: &[usize]) -> Result<bool> {
        for vertex in inwards(vertices) {
            if !self.is_vertex_valid(vertex)? {
                return Ok(false);
            }
        }
        for wanted in [Verdict::Sampled, Verdict::Proven] {
            let mut are_all = true;
            for edge in inwards(edges) {
                if self.verdicts.edges[edge] < wanted && !self.is_edge(edge, wanted)? {
                    if self.draws_around_paths() {
                        self.gaps.push(edge);
                    }
                    self.refuse(edge);
                    are_all = false;
                    // Samples cost less than to repair paths for each refused edge alone, proofs cost more.
                    if wanted == Verdict::Proven {
                        break;
                    }
                }
            }
            if !are_all {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_vertex_valid(&mut self, vertex: usize) -> Result<bool> {
        if self.verdicts.vertices[vertex] == Verdict::Unknown {
            self.may_ask()?;
            if self.validity.is_valid(self.graph.vertex(vertex)) {
                self.verdicts.vertices[vertex] = Verdict::Proven;
            } else {
                // A question that the deadline cut short says nothing.
                self.may_ask()?;
                self.verdicts.vertices[vertex] = Verdict::Refused;
            }
        }
        let is_valid = self.verdicts.vertices[vertex] != Verdict::Refused;
        if !is_valid {
            for edge in self.verdicts.refuse_vertex(&self.graph, vertex) {
                self.paths.refuse(&self.graph, &self.verdicts, edge);
            }
        }
        Ok(is_valid)
    }

    /// Whether an edge passes its discrete check, or its proof.
    fn is_edge(&mut self, edge: usize, wanted: Verdict) -> Result<bool> {
        self.may_ask()?;
        self.graph.motion_into(edge, &mut self.from, &mut self.to);
        let passes = match wanted {
            Verdict::Proven => self.validity.is_motion_valid(&self.from, &self.to),
            _ => self.validity.motion_may_be_valid(&self.from, &self.to),
        };
        if passes {
            self.verdicts.edges[edge] = wanted;
        } else {
            // A question that the deadline cut short says nothing.
            self.may_ask()?;
        }
        Ok(passes)
    }

    fn refuse(&mut self, edge: usize) {
        self.verdicts.edges[edge] = Verdict::Refused;
        self.paths.refuse(&self.graph, &self.verdicts, edge);
    }

    /// Whether samples are drawn around refused edges of paths. Which ones are asked about depends on what is known of a roadmap, and
    /// answers do not.
    fn draws_around_paths(&self) -> bool {
        self.setting.is_lazy && self.first_end == 0
    }

    /// A refused edge to draw a sample around: of paths one of the latest, else one that would still lead on from an end.
    fn draw_gap(&mut self) -> Option<usize> {
        while !self.gaps.is_empty() {
            let latest = if self.setting.is_lazy { LATEST_GAPS.min(self.gaps.len()) } else { self.gaps.len() };
            let place = self.gaps.len() - latest + self.rng.below(latest);
            let [a, b] = self.graph.ends(self.gaps[place]);
            if self.setting.is_lazy || self.components.would_lead_on(a, b) {
                return Some(self.gaps[place]);
            }
            self.gaps.swap_remove(place);
        }
        None
    }

    /// The path over proven edges, continuous joints unwrapped from the start. Edges that unwrapping has moved by full turns are
    /// proven where they are; `None` where one is refused there.
    fn proven_path(&mut self, vertices: &[usize], edges: &[usize]) -> Result<Option<Trajectory>> {
        let path = unwrapped_path(self.space, vertices.iter().map(|vertex| self.graph.vertex(*vertex)))?;
        if !self.space.has_continuous() {
            return Ok(Some(path));
        }
        for (edge, (from, to)) in edges.iter().zip(path.segments()) {
            self.graph.motion_into(*edge, &mut self.from, &mut self.to);
            let is_it = (from, to) == (&*self.from, &*self.to) || (to, from) == (&*self.from, &*self.to);
            if is_it {
                continue;
            }
            self.may_ask()?;
            if !self.validity.is_motion_valid(from, to) {
                self.may_ask()?;
                self.unshared.push(*edge);
                self.refuse(*edge);
                return Ok(None);
            }
        }
        Ok(Some(path))
    }

    /// What holds for this query alone is not for others.
    fn forget_unshared(&mut self) {
        for edge in &self.unshared {
            self.verdicts.edges[*edge] = Verdict::Unknown;
        }
    }

    /// Adds a valid vertex with its edges, but for those to the vertices of `apart`.
    fn connect(&mut self, q: &[f64], apart: Range<usize>) -> Result<usize> {
        let count = self.setting.neighbours.of(self.graph.len(), self.space.dof());
        let old = self.graph.edges();
        let vertex = self.graph.add_connected(q, count, |other| !apart.contains(&other));
        self.verdicts.resize(&self.graph);
        self.verdicts.vertices[vertex] = Verdict::Proven;
        self.components.resize(self.graph.len());
        if !self.setting.is_lazy {
            for edge in old..self.graph.edges() {
                self.look_at_new(edge)?;
            }
        }
        Ok(vertex)
    }

    /// Proves an edge that was made now, where it joins two connected components; others wait until a path needs them. Whatever is
    /// known of the roadmap before, this says the same: it decides where samples are drawn, and so what is found.
    fn look_at_new(&mut self, edge: usize) -> Result<()> {
        let [a, b] = self.graph.ends(edge);
        if self.components.are_joined(a, b) {
            return Ok(());
        }
        if self.is_edge(edge, Verdict::Sampled)? && self.is_edge(edge, Verdict::Proven)? {
            self.components.join(a, b);
        } else {
            self.verdicts.edges[edge] = Verdict::Refused;
            self.gaps.push(edge);
        }
        Ok(())
    }

    /// Adds some vertices; one, where there is a path that is to be shortened, or edges are known.
    fn grow(&mut self) -> Result<()> {
        let own = self.graph.len() - self.first_end;
        let round = match (self.best.is_some(), self.setting.is_lazy) {
            (false, true) => LEAST_ROUND.max(own / ROUND_PARTS),
            _ => EAGER_ROUND,
        };
        let (mut added, mut sample) = (0, vec![0.0; self.space.dof()]);
        while added < round {
            self.control.check(self.iterations)?;
            self.iterations += 1;
            self.sample(&mut sample);
            if self.validity.is_valid(&sample) {
                let vertex = self.connect(&sample, 0..0)?;
                self.paths.add(&self.graph, &self.verdicts, vertex);
                added += 1;
            }
        }
        Ok(())
    }

    /// Draws a sample: around refused edges or of the whole space, and after the first path one that a shorter one could pass.
    fn sample(&mut self, sample: &mut [f64]) {
        if self.bound.is_finite() {
            let within = self.goals.iter().take_while(|goal| self.distance_to_goal(**goal) < self.bound).count();
            if within > 0 {
                let goal = &self.problem.goals()[self.goals[self.rng.below(within)]];
                let ends = (self.problem.start(), &**goal);
                if self.informed.sample(self.space, ends, self.bound, &mut self.rng, sample) {
                    return;
                }
            }
        } else if self.rng.unit() < ENHANCED_FRACTION
            && let Some(edge) = self.draw_gap()
        {
            self.sample_gap(edge, sample);
            return;
        }
        self.graph.draw_into(sample);
    }

    /// Draws a sample around a point of a refused edge. Of one that leads on from an end, points near that end are more likely, and
    /// samples around them are nearer.
    fn sample_gap(&mut self, edge: usize, sample: &mut [f64]) {
        let [low, high] = self.graph.ends(edge);
        let (part, chance) = (self.rng.unit(), self.rng.unit());
        let (part, spread) = if self.setting.is_lazy { (part, chance) } else { (part * part, part * part) };
        let begins_high = self.components.has_end(high) && !(self.components.has_end(low) && chance < 0.5);
        self.graph.motion_into(edge, &mut self.from, &mut self.to);
        let mut centre = vec![0.0; sample.len()];
        self.space.interpolate(&self.from, &self.to, if begins_high { 1.0 - part } else { part }, &mut centre);
        sample_near(self.space, &centre, 0.5 * spread * self.graph.length(edge), &mut self.rng, sample);
    }

    /// Takes a path that was proven, if it costs less than the best one.
    fn adopt(&mut self, path: Trajectory, goal_index: usize) {
        let cost = self.problem.cost(&path);
        if self.best.as_ref().is_some_and(|(least, _)| cost >= *least) {
            return;
        }
        let plan = Plan {
            path,
            goal_index,
            iterations: self.iterations,
            tree_size: self.graph.len(),
            checks: self.validity.checks() - self.checks_before,
            planner_used: self.setting.id,
            lower_bound: None,
        };
        (self.improved)(&plan);
        self.best = Some((cost, plan));
    }
}

/// The items of a list, from both ends by turns inwards.
fn inwards(items: &[usize]) -> impl Iterator<Item = usize> + use<> {
    let mut rest = items.to_vec();
    let mut from_front = false;
    std::iter::from_fn(move || {
        from_front = !from_front;
        if rest.is_empty() {
            None
        } else if from_front {
            Some(rest.remove(0))
        } else {
            rest.pop()
        }
    })
}
