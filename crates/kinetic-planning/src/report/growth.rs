//! The search run again, under observation: how far its trees grew, how near they came to each other, and what blocked
//! them. Every planner queries one validity; an accepted motion from a known configuration is an edge.

use std::collections::{BTreeMap, HashMap};

use kinetic_core::{Control, JointValues, KineticError, Pair, Result};
use kinetic_scene::Checker;

use super::ReportOptions;
use crate::algorithm::Plan;
use crate::near_distances::{DistanceBounds, NearDistances};
use crate::planner::Planner;
use crate::planning_problem::PlanningProblem;
use crate::scene_validity::SceneValidity;
use crate::space::Space;
use crate::validity::Validity;

/// Refused motions that are looked into; each costs a search for its first contact.
const MAX_PROBED_MOTIONS: u64 = 400;

/// Nodes per tree among which the nearest approach is sought.
const MAX_COMPARED_NODES: usize = 1_500;

/// One tree of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GrownTree {
    /// Its configurations, roots first.
    pub nodes: Vec<JointValues>,
    /// The node that each one was reached from; `None` for roots.
    pub parents: Vec<Option<usize>>,
    /// Where each puts the tool's origin, root frame, m.
    pub tools: Vec<[f64; 3]>,
}

/// What was seen of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchEvidence {
    /// Iterations that were observed.
    pub iterations: u64,
    /// Seconds they took.
    pub elapsed: f64,
    /// Motions that were accepted and refused.
    pub motions: (u64, u64),
    /// The tree of the start and that of the goals.
    pub trees: [GrownTree; 2],
    /// The nearest configurations of the two trees; their distance in joint space comes last.
    pub approach: Option<(JointValues, JointValues, f64)>,
    /// What blocks the straight motion between these two.
    pub gap: Option<Pair>,
    /// Pairs that refused motions of the sample that was looked into, most often first.
    pub blocking: Vec<(Pair, u64)>,
    /// Whether the observed search found a plan after all.
    pub solved: bool,
}

/// Answers as the scene does, and remembers.
struct Observer<'a> {
    inner: SceneValidity<'a>,
    probe: Checker,
    known: HashMap<Vec<u64>, (usize, usize)>,
    trees: [GrownTree; 2],
    accepted: u64,
    refused: u64,
    blocking: BTreeMap<Pair, u64>,
}

fn bits(q: &[f64]) -> Vec<u64> {
    q.iter().map(|value| value.to_bits()).collect()
}

impl Observer<'_> {
    fn add(&mut self, tree: usize, q: &[f64], parent: Option<usize>) {
        let node = self.trees[tree].nodes.len();
        if self.known.insert(bits(q), (tree, node)).is_none() {
            self.trees[tree].nodes.push(q.into());
            self.trees[tree].parents.push(parent);
        }
    }

    fn note(&mut self, from: &[f64], to: &[f64], is_accepted: bool) {
        if is_accepted { self.note_accepted(from, to) } else { self.note_refused(from, to) }
    }

    fn note_accepted(&mut self, from: &[f64], to: &[f64]) {
        self.accepted += 1;
        let is_new = !self.known.contains_key(&bits(to));
        if let (Some((tree, node)), true) = (self.known.get(&bits(from)).copied(), is_new) {
            self.add(tree, to, Some(node));
        }
    }

    fn note_refused(&mut self, from: &[f64], to: &[f64]) {
        self.refused += 1;
        // Densely in the beginning, then thinner: searches change their mind late.
        let every = 1 + self.refused / MAX_PROBED_MOTIONS;
        if self.refused.is_multiple_of(every)
            && let Some((_, pair)) = self.probe.first_contact(from, to)
        {
            *self.blocking.entry(pair).or_default() += 1;
        }
    }
}

impl Validity for Observer<'_> {
    fn is_valid(&mut self, q: &[f64]) -> bool {
        self.inner.is_valid(q)
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        let is_valid = self.inner.is_motion_valid(from, to);
        self.note(from, to, is_valid);
        is_valid
    }

    fn motion_may_be_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        let may_be = self.inner.motion_may_be_valid(from, to);
        self.note(from, to, may_be);
        may_be
    }

    fn free_fraction(&mut self, from: &[f64], to: &[f64]) -> f64 {
        self.inner.free_fraction(from, to)
    }

    fn checks(&self) -> u64 {
        self.inner.checks()
    }

    fn clearance(&mut self, q: &[f64]) -> Option<f64> {
        self.inner.clearance(q)
    }

    fn distance_bounds(&mut self, q: &[f64], within: f64, out: &mut DistanceBounds) -> bool {
        self.inner.distance_bounds(q, within, out)
    }

    fn near_distances(&mut self, q: &[f64], qd: &[f64], within: f64, out: &mut NearDistances) -> bool {
        self.inner.near_distances(q, qd, within, out)
    }

    fn nearest_pair(&mut self, q: &[f64]) -> Option<(Pair, f64)> {
        self.inner.nearest_pair(q)
    }

    fn project(&mut self, q: &mut [f64]) -> bool {
        self.inner.project(q)
    }

    fn motion_keeps_constraints(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.inner.motion_keeps_constraints(from, to)
    }
}

/// The search of a problem, observed; `None` when it does not begin, because start or goal cannot be used.
pub(super) fn observe(problem: &PlanningProblem, planner: &Planner, options: &ReportOptions) -> Option<SearchEvidence> {
    let (mut checker, start, goals) = planner.ends(problem.start(), problem.goal()).ok()?;
    let metric = planner.metric().ok()?;
    let probe = checker.clone();
    let mut observer = Observer {
        inner: SceneValidity::new(&mut checker).with_constraints(planner.constraint_set().ok()?),
        probe,
        known: HashMap::new(),
        trees: Default::default(),
        accepted: 0,
        refused: 0,
        blocking: BTreeMap::new(),
    };
    observer.add(0, &start, None);
    for goal in &goals {
        observer.add(1, goal, None);
    }
    let control = options.control(problem, 1);
    let outcome = search((problem, planner), &metric.search, (&start[..], &goals[..]), &mut observer, &control);
    let iterations = match &outcome {
        Ok(plan) => plan.iterations,
        Err(KineticError::PlanningTimeout { iterations, .. } | KineticError::Cancelled { iterations, .. }) => {
            *iterations
        }
        Err(_) => 0,
    };
    let mut evidence = observer.evidence(&metric.given, iterations, control.elapsed(), outcome.is_ok());
    place_tools(problem, planner, &mut evidence.trees);
    Some(evidence)
}

/// Fills in where the tool is.
fn place_tools(problem: &PlanningProblem, planner: &Planner, trees: &mut [GrownTree; 2]) {
    let scene = problem.scene();
    let start = problem.start();
    let standing: &[f64] = if start.len() == scene.robot().num_variables() { start } else { scene.held() };
    let Ok(poses) = scene.link_poses(standing) else { return };
    let root_from_base = poses[planner.group().base_link];
    for tree in trees {
        let tool = |q: &JointValues| (root_from_base * planner.chain().tip_pose(q)).translation().into();
        tree.tools = tree.nodes.iter().map(tool).collect();
    }
}

fn search(
    (problem, planner): (&PlanningProblem, &Planner),
    space: &Space,
    (start, goals): (&[f64], &[JointValues]),
    observer: &mut Observer<'_>,
    control: &Control,
) -> Result<Plan> {
    let seen = crate::problem::Problem::new(space, start, goals, problem.config().seed)?;
    (planner.planner_spec().build)(&planner.context(&planner.cost_quantities()?))?.plan(&seen, observer, control)
}

impl Observer<'_> {
    fn evidence(mut self, space: &Space, iterations: u64, elapsed: f64, solved: bool) -> SearchEvidence {
        let approach = nearest_approach(space, &self.trees);
        let gap = approach.as_ref().and_then(|(from, to, _)| {
            let mut target = vec![0.0; to.len()];
            space.unwrap_into(from, to, &mut target);
            self.probe.first_contact(from, &target).map(|(_, pair)| pair)
        });
        let mut blocking: Vec<(Pair, u64)> = self.blocking.into_iter().collect();
        // Stable: pairs in alphabetical order where counts are equal.
        blocking.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        SearchEvidence {
            iterations,
            elapsed,
            motions: (self.accepted, self.refused),
            trees: self.trees,
            approach,
            gap,
            blocking,
            solved,
        }
    }
}

/// The two nearest nodes of different trees, among the first ones of each.
fn nearest_approach(space: &Space, trees: &[GrownTree; 2]) -> Option<(JointValues, JointValues, f64)> {
    let [from, to] = trees.each_ref().map(|tree| &tree.nodes[..tree.nodes.len().min(MAX_COMPARED_NODES)]);
    let pairs = from.iter().flat_map(|a| to.iter().map(move |b| (a, b, space.distance(a, b))));
    let (a, b, distance) = pairs.min_by(|a, b| a.2.total_cmp(&b.2))?;
    Some((a.clone(), b.clone(), distance))
}
