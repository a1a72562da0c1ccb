//! CBiRRT: two trees on the configurations that keep constraints.
//!
//! Berenson, Srinivasa, Ferguson and Kuffner, "Manipulation planning on constraint manifolds", ICRA 2009: samples and every step
//! of an extension are projected, and an extension ends where the next step brings it no nearer. Besides,
//! - samples are projected first, so that extensions aim at configurations that can be reached;
//! - the length of steps follows what the curvature of the manifold allows: it is halved where the straight motion between two
//!   projected configurations leaves the tolerance, and grows again;
//! - an edge of the path is proven when there is one, and dropped with its subtree where that fails, as in `rrt_connect`;
//! - paths are shortened by extensions between their waypoints, since straight shortcuts leave thin manifolds.
//!
//! Without constraints projection changes nothing, and it is a bidirectional RRT with greedy extensions.

mod config;
mod shortening;
mod walk;

use kinetic_core::{Control, KineticError, Result, Trajectory};

use self::walk::Walk;
use super::ends::check_ends;
use crate::algorithm::{Algorithm, LazyPlan, Plan};
use crate::planner_spec::PlannerSpec;
use crate::problem::Problem;
use crate::sampler::{Sampler, SamplerKind};
use crate::tree::Tree;
use crate::validity::Validity;

pub use config::CbirrtConfig;

/// The row of the registry.
pub const SPEC: PlannerSpec = PlannerSpec {
    id: "cbirrt",
    summary: "two trees on the configurations that keep constraints",
    source: "Berenson, Srinivasa, Ferguson and Kuffner, ICRA 2009",
    is_anytime: false,
    is_complete: true,
    may_be_simplified: true,
    build: &|context| {
        let config = context.config;
        config.check()?;
        if let Some(minimise) = config.minimise {
            let wanted = "None: cbirrt ends with its first path";
            return Err(KineticError::invalid("minimise", format!("\"{}\"", minimise.name()), wanted));
        }
        let shortcuts = config.shortcut_iterations;
        Ok(Box::new(Cbirrt::new(CbirrtConfig { shortcuts, ..CbirrtConfig::default() })?))
    },
};

/// The planner. Owns its trees; a second call reuses their memory.
#[derive(Debug, Clone, Default)]
pub struct Cbirrt {
    config: CbirrtConfig,
    trees: [Tree; 2],
}

impl Cbirrt {
    /// A planner with the given options.
    ///
    /// # Errors
    /// As [`CbirrtConfig::check`].
    pub fn new(config: CbirrtConfig) -> Result<Self> {
        config.check()?;
        Ok(Self { config, trees: Default::default() })
    }

    /// Its options.
    pub fn config(&self) -> &CbirrtConfig {
        &self.config
    }

    fn search(
        &mut self,
        problem: &Problem<'_>,
        validity: &mut dyn Validity,
        control: &Control,
        proves: bool,
    ) -> Result<Plan> {
        control.check(0)?;
        let checks_before = validity.checks();
        let mut search = CbirrtSearch {
            problem,
            config: self.config,
            walk: Walk::new(problem.space(), self.config),
            trees: &mut self.trees,
            validity,
            proves,
            control,
            iterations: 0,
        };
        let (path, goal_index) = search.run()?;
        let checks = search.validity.checks() - checks_before;
        let tree_size = search.trees.iter().map(Tree::len).sum();
        Ok(Plan {
            path,
            goal_index,
            iterations: search.iterations,
            tree_size,
            checks,
            planner_used: SPEC.id,
            lower_bound: None,
        })
    }
}

impl Algorithm for Cbirrt {
    fn plan(&mut self, problem: &Problem<'_>, validity: &mut dyn Validity, control: &Control) -> Result<Plan> {
        self.search(problem, validity, control, true)
    }

    fn plan_lazily(
        &mut self,
        problem: &Problem<'_>,
        validity: &mut dyn Validity,
        control: &Control,
    ) -> Result<LazyPlan> {
        self.search(problem, validity, control, false).map(LazyPlan::from)
    }
}

/// The trees by what their root is.
const START: usize = 0;
const GOAL: usize = 1;

/// One run.
struct CbirrtSearch<'a> {
    problem: &'a Problem<'a>,
    config: CbirrtConfig,
    walk: Walk,
    trees: &'a mut [Tree; 2],
    validity: &'a mut dyn Validity,
    /// Whether the edges of the path are proven.
    proves: bool,
    control: &'a Control,
    iterations: u64,
}

impl CbirrtSearch<'_> {
    /// The path and the index of its goal.
    fn run(&mut self) -> Result<(Trajectory, usize)> {
        let (problem, mut goals) = (self.problem, self.problem.goals_by_distance());
        for goal in &goals {
            self.control.check(0)?;
            if let Some(path) = self.straight(&problem.goals()[*goal])? {
                return Ok((path, *goal));
            }
        }
        check_ends(problem, &mut goals, &mut *self.validity)?;
        self.plant(&goals);
        let mut sampler = Sampler::new(SamplerKind::Halton, problem.space(), problem.seed());
        let mut sample = vec![0.0; problem.space().dof()];
        let mut active = GOAL;
        loop {
            self.control.check(self.iterations)?;
            self.iterations += 1;
            active = 1 - active;
            if self.iterations == 1 {
                // The first extensions go from the start straight to the nearest goal.
                sample.copy_from_slice(&problem.goals()[goals[0]]);
            } else {
                sampler.next_into(&mut sample);
                self.turn_near_a_node(active, &mut sample);
                if !self.validity.project(&mut sample) {
                    continue;
                }
            }
            if let Some(meeting) = self.grow(active, &sample)?
                && let Some((path, root)) = self.path(active, meeting)?
            {
                return Ok((path, goals[root]));
            }
        }
    }

    /// Puts continuous joints of a sample on the turn nearest to a node of a tree: constraints on joints hold on some turns only, and
    /// a projection from another one ends at their border.
    fn turn_near_a_node(&self, which: usize, sample: &mut [f64]) {
        let (space, tree) = (self.problem.space(), &self.trees[which]);
        let count = tree.len() as u64;
        #[allow(clippy::cast_possible_truncation, reason = "less than the number of nodes")]
        let node = tree.node((self.iterations % count) as usize);
        for (joint, value) in sample.iter_mut().enumerate() {
            *value = space.unwrapped(joint, node[joint], *value);
        }
    }

    /// The straight motion to a goal, where that is valid.
    fn straight(&mut self, goal: &[f64]) -> Result<Option<Trajectory>> {
        let (start, mut end) = (self.problem.start(), goal.to_vec());
        self.problem.space().unwrap_into(start, goal, &mut end);
        let is_valid = self.validity.motion_may_be_valid(start, &end)
            && (!self.proves || self.validity.is_motion_valid(start, &end));
        is_valid.then(|| Trajectory::from_waypoints(&[start, &end])).transpose()
    }

    /// Trees of nothing but their roots.
    fn plant(&mut self, goals: &[usize]) {
        let space = self.problem.space();
        self.trees.iter_mut().for_each(|tree| tree.reset(space));
        self.trees[START].add_root(space, self.problem.start());
        for goal in goals {
            self.trees[GOAL].add_root(space, &self.problem.goals()[*goal]);
        }
    }

    /// Extends the active tree towards the sample, then the other one towards where that ended. Returns the nodes of both where
    /// they met.
    fn grow(&mut self, active: usize, sample: &[f64]) -> Result<Option<(usize, usize)>> {
        let space = self.problem.space();
        let (near, _) = self.trees[active].nearest(space, sample);
        let (node, _) = self.extend(active, near, sample, self.config.range)?;
        let target = self.trees[active].node(node).to_vec();
        let (near, _) = self.trees[1 - active].nearest(space, &target);
        let (other, has_met) = self.extend(1 - active, near, &target, f64::INFINITY)?;
        Ok(has_met.then_some((node, other)))
    }

    /// Walks from a node towards `target`, at most `range` far; the last node, and whether that is the target.
    fn extend(&mut self, which: usize, from: usize, target: &[f64], range: f64) -> Result<(usize, bool)> {
        let (space, mut node, mut left) = (self.problem.space(), from, range);
        while left > 0.0 {
            self.control.check(self.iterations - 1)?;
            let here = self.trees[which].node(node);
            let Some(step) = self.walk.step(space, here, target, self.validity) else { break };
            left -= step.length;
            node = self.trees[which].add(space, self.walk.end(), node);
            if step.is_last {
                return Ok((node, true));
            }
        }
        Ok((node, false))
    }

    /// The path through a meeting, shortened, and the root of its goal; `None` where one of its edges is refused its proof.
    fn path(&mut self, active: usize, (node, other): (usize, usize)) -> Result<Option<(Trajectory, usize)>> {
        if !self.prove_branch(active, node)? || !self.prove_branch(1 - active, other)? {
            return Ok(None);
        }
        let (from_start, from_goal) = if active == START { (node, other) } else { (other, node) };
        let [start_tree, goal_tree] = &*self.trees;
        let (space, dof) = (self.problem.space(), self.problem.space().dof());
        let to_start: Vec<usize> = start_tree.branch(from_start).collect();
        let mut points: Vec<f64> = to_start.iter().rev().flat_map(|node| start_tree.node(*node)).copied().collect();
        // The meeting is a node of both.
        let (mut root, mut next) = (from_goal, vec![0.0; dof]);
        for node in goal_tree.branch(from_goal) {
            if node != from_goal {
                space.unwrap_into(&points[points.len() - dof..], goal_tree.node(node), &mut next);
                points.extend_from_slice(&next);
            }
            root = node;
        }
        self.shorten(&mut points);
        let mut edges = points.chunks_exact(dof).zip(points.chunks_exact(dof).skip(1));
        if self.proves && !edges.all(|(from, to)| self.validity.is_motion_valid(from, to)) {
            return Ok(None);
        }
        let mut path = Trajectory::with_dof(dof);
        points.chunks_exact(dof).try_for_each(|point| path.push_waypoint(point))?;
        Ok(Some((path, root)))
    }

    /// Proves the edges from the root to a node if edges are proven.
    fn prove_branch(&mut self, which: usize, node: usize) -> Result<bool> {
        if !self.proves {
            return Ok(true);
        }
        let (control, iterations, validity) = (self.control, self.iterations - 1, &mut *self.validity);
        self.trees[which].prove_branch(node, |from, to| {
            control.check(iterations)?;
            Ok(validity.is_motion_valid(from, to))
        })
    }
}
