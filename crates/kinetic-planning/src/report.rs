//! Diagnostic of a failed query: evidence, and changes that were tried.
//!
//! Nothing of this costs a planning call anything: a failure carries its error, and [`PlanningProblem::explain`] works
//! it out on demand: it checks start and goal, listing the branches of inverse kinematics,
//! running the search again under observation, and planning with every change that may help.

mod change;
mod growth;
mod several;
mod state;
mod suggest;
mod text;
mod unit_changes;
mod units;

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetic_core::control::SystemClock;
use kinetic_core::{Control, Goal, JointValues, KineticError, Pair, PlannerConfig, Pose, Result, StopFlag};
use kinetic_ik::{IKConfig, IkReport, LimitViolation, look_into_ik};
use kinetic_scene::Checker;

pub use change::Change;
pub use growth::{GrownTree, SearchEvidence};
pub use state::{BranchFate, ContactEvidence, IkEvidence, MemberEvidence, StateEvidence};

use crate::goal::{GOAL_RESTARTS, moved};
use crate::goal_context::LIMIT_TOLERANCE;
use crate::goal_groups;
use crate::goal_links;
use crate::goal_set::flatten;
use crate::planner::Planner;
use crate::planning_problem::PlanningProblem;
use crate::query::Query;
use crate::self_motion::SelfMotion;
use crate::windings;

/// Members of a set of goals that are looked into.
const MAX_EXAMINED_MEMBERS: usize = 16;

/// How many times longer a try lasts whose point it is to last longer.
const MORE_TIMES: u32 = 4;

/// How much a report may cost.
#[derive(Debug, Clone)]
pub struct ReportOptions {
    /// Iterations of the search, for the observed search and for each try.
    pub iterations: u64,
    /// Seconds for each of them.
    pub timeout: f64,
    /// Whether changes are tried; otherwise the report is evidence alone.
    pub tries: bool,
    /// Ends the report with what it has until then.
    pub stop: StopFlag,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self { iterations: 5_000, timeout: 2.0, tries: true, stop: StopFlag::default() }
    }
}

impl ReportOptions {
    /// A control for one search of a problem, with so many times the budget.
    fn control(&self, problem: &PlanningProblem, times: u32) -> Control {
        let iterations = self.iterations.saturating_mul(times.into()).min(problem.config().max_iterations);
        let timeout = self.timeout * f64::from(times);
        Control::new(Arc::new(SystemClock::default()), timeout, iterations, self.stop.clone())
    }
}

/// The facts behind a failure; what does not concern it is absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// The start, when it cannot be used.
    pub start: Option<StateEvidence>,
    /// The goal, when it is a configuration that cannot be used.
    pub goal: Option<StateEvidence>,
    /// The configurations of a pose goal, when none can be used.
    pub ik: Option<IkEvidence>,
    /// The members of a set of goals, when none can be used, or those outside joint limits.
    pub members: Vec<MemberEvidence>,
    /// The search, when there was one.
    pub search: Option<SearchEvidence>,
}

/// A change, and what became of it.
#[derive(Debug, Clone)]
pub struct Suggestion {
    /// What was changed.
    pub change: Change,
    /// Whether it was planned with; false only when the report was stopped before.
    pub tried: bool,
    /// Whether a plan was found.
    pub solved: bool,
    /// [`code`](KineticError::code) of the failure that is left; `None` when solved or not tried.
    pub failure: Option<&'static str>,
    /// The problem with the change.
    pub problem: PlanningProblem,
}

/// Why a plan failed.
#[derive(Debug, Clone)]
pub struct PlanningReport {
    /// [`code`](KineticError::code) of the error.
    pub reason: &'static str,
    /// The error in words.
    pub message: String,
    /// The facts.
    pub evidence: Evidence,
    /// What was tried: what solved it first, otherwise the likeliest first.
    pub suggestions: Vec<Suggestion>,
}

impl Planner {
    /// Why [`plan`](Self::plan) failed with `error`; see [`PlanningProblem::explain`].
    ///
    /// # Errors
    /// As [`problem`](Self::problem).
    pub fn explain(
        &self,
        start: &[f64],
        goal: &Goal,
        error: &KineticError,
        options: &ReportOptions,
    ) -> Result<PlanningReport> {
        self.problem(start, goal)?.explain(error, options)
    }
}

impl PlanningProblem {
    /// Why this problem failed with `error`, and which changes help.
    ///
    /// The evidence is about the problem: pairs in contact and limits missed at start and goal, the branches of a pose goal
    /// and what each misses, and for a search that ended without a plan its trees, their nearest approach, and the pairs
    /// that block them (the search runs again, with [`ReportOptions::iterations`] at most). Each suggestion was planned
    /// with, under the same bounds.
    ///
    /// # Errors
    /// As [`planner`](Self::planner). Errors of what is tried are part of the report.
    pub fn explain(&self, error: &KineticError, options: &ReportOptions) -> Result<PlanningReport> {
        let evidence = self.evidence(error, options)?;
        let mut suggestions = Vec::new();
        if options.tries {
            suggestions = several::tries(self, error, &evidence, options);
            // Stable: the likeliest of each kind stays first.
            suggestions.sort_by_key(|suggestion| !suggestion.solved);
        }
        Ok(PlanningReport { reason: error.code(), message: error.to_string(), evidence, suggestions })
    }

    fn evidence(&self, error: &KineticError, options: &ReportOptions) -> Result<Evidence> {
        let planner = self.planner_at_start()?;
        let mut evidence = Evidence::default();
        let Ok((mut checker, start)) = planner.checker_at(self.start()) else {
            // What is no configuration has its words in the error.
            return Ok(evidence);
        };
        let at_start = StateEvidence::at(&planner, &mut checker, &start);
        if !at_start.is_usable() {
            evidence.start = Some(at_start);
        }
        match self.goal() {
            set @ Goal::Any(_) => evidence.members = self.look_into_set(&planner, &mut checker, &start, (set, options)),
            goal => (evidence.goal, evidence.ik) = self.look_into_goal(&planner, &mut checker, &start, goal, options),
        }
        if matches!(error, KineticError::PlanningTimeout { .. } | KineticError::PlanningFailed { .. }) {
            evidence.search = growth::observe(self, &planner, options);
        }
        Ok(evidence)
    }

    /// What is wrong with the configuration of a goal, or with those of its pose.
    fn look_into_goal(
        &self,
        planner: &Planner,
        checker: &mut Checker,
        start: &JointValues,
        goal: &Goal,
        options: &ReportOptions,
    ) -> (Option<StateEvidence>, Option<IkEvidence>) {
        let configurations = match goal {
            Goal::Links(links) => Self::configurations_of_links(planner, start, links, &options.control(self, 1)),
            goal => self.goal_configuration(planner, goal).into_iter().collect(),
        };
        if !configurations.is_empty() {
            let states: Vec<_> = configurations.iter().map(|q| StateEvidence::at(planner, checker, q)).collect();
            let can_be_met = states.iter().any(StateEvidence::is_usable);
            return (states.into_iter().next().filter(|_| !can_be_met), None);
        }
        let ik = self.look_into_pose(planner, start, goal).map(|report| IkEvidence::new(report, checker));
        let mut ik = ik.filter(|ik| ik.free() == 0);
        if let Some(ik) = ik.as_mut().filter(|ik| ik.in_collision() > 0) {
            let self_motion = SelfMotion::of(planner.closed_form(), &ik.report.target, start);
            ik.self_motion = self_motion.and_then(|motion| motion.evidence(checker, &options.control(self, 1)).ok());
        }
        (None, ik)
    }

    /// What is wrong with the members of a set; nothing where one of them can be used and none is refused.
    fn look_into_set(
        &self,
        planner: &Planner,
        checker: &mut Checker,
        start: &JointValues,
        (set, options): (&Goal, &ReportOptions),
    ) -> Vec<MemberEvidence> {
        let mut members = Vec::new();
        flatten(set, &mut members);
        let count = members.len();
        let entry = |(index, goal): (usize, &Goal)| {
            let (goal, ik) = self.look_into_goal(planner, checker, start, goal, options);
            (goal.is_some() || ik.is_some()).then_some(MemberEvidence { index, goal, ik })
        };
        let mut found: Vec<_> = members.into_iter().take(MAX_EXAMINED_MEMBERS).enumerate().filter_map(entry).collect();
        if found.len() < count.min(MAX_EXAMINED_MEMBERS) {
            // Others are passed over while one can be used; joint limits are not.
            found.retain(|member| member.goal.as_ref().is_some_and(|goal| !goal.outside.is_empty()));
        }
        found
    }

    /// The configuration that a joint goal or a named goal is, in group length.
    fn goal_configuration(&self, planner: &Planner, goal: &Goal) -> Option<JointValues> {
        let (robot, group) = (self.scene().robot(), planner.group());
        match goal {
            Goal::Joints(values) => robot.group_configuration(group, values).ok(),
            Goal::JointTurns(values) => {
                let q = robot.group_configuration(group, values).ok()?;
                let start = robot.group_configuration(group, self.start()).ok()?;
                windings::equivalents(planner.chain(), &q, &start, 1).pop().or(Some(q))
            }
            Goal::Named(name) => robot.named_configuration(group, name),
            Goal::Groups(goals) => {
                let start = robot.group_configuration(group, self.start()).ok()?;
                goal_groups::stated(&planner.goal_context(&|| None, &start), goals)
            }
            Goal::Pose(_) | Goal::Relative { .. } | Goal::Region(_) | Goal::Any(_) | Goal::Links(_) => None,
        }
    }

    /// Configurations that meet the poses of several links, the nearest to the start first; none for links that are rigid with the tool, whose
    /// pose says it all.
    fn configurations_of_links(
        planner: &Planner,
        start: &JointValues,
        links: &BTreeMap<String, Pose>,
        control: &Control,
    ) -> Vec<JointValues> {
        let around = planner.goal_context(&|| None, start);
        match goal_links::tool_pose(&around, links) {
            Ok(None) => goal_links::configurations(&around, links, GOAL_RESTARTS, control).unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    fn look_into_pose(&self, planner: &Planner, start: &JointValues, goal: &Goal) -> Option<IkReport> {
        self.scene().robot().check_single_tip(planner.group()).ok()?;
        let base_from_tcp = goal_pose(planner, start, goal)?;
        let config = IKConfig {
            seed: Some(start.clone()),
            rng_seed: self.config().seed,
            ..IKConfig::for_robot(self.scene().robot())
        };
        look_into_ik(planner.closed_form(), planner.chain(), &base_from_tcp, &config).ok()
    }

    /// The change planned with, and the error that is left; `None` when it changes nothing, or cannot be made.
    fn tried(&self, change: Change, options: &ReportOptions) -> Option<(Suggestion, Option<KineticError>)> {
        let problem = change.apply(self).ok()?;
        if options.stop.is_stopped() {
            return Some((Suggestion { change, tried: false, solved: false, failure: None, problem }, None));
        }
        // More time is what that change is about.
        let times = if matches!(change, Change::MoreIterations(_)) { MORE_TIMES } else { 1 };
        let control = options.control(&problem, times);
        // The first plan answers the question; no better one is needed.
        let config = PlannerConfig { minimise: None, ..problem.config().clone() };
        let answer = problem.planner().and_then(|planner| {
            let query = Query::new(problem.start(), problem.goal()).with_control(&control);
            planner.with_config(config)?.solve(query)
        });
        let (solved, error) = (answer.is_ok(), answer.err());
        let failure = error.as_ref().map(KineticError::code);
        Some((Suggestion { change, tried: true, solved, failure, problem }, error))
    }
}

/// The pose that a pose goal or a relative goal means.
fn goal_pose(planner: &Planner, start: &[f64], goal: &Goal) -> Option<kinetic_core::Pose> {
    match goal {
        Goal::Pose(base_from_tcp) => Some(*base_from_tcp),
        Goal::Relative { offset, frame } => Some(moved(&planner.chain().tip_pose(start), offset, *frame)),
        // The middle stands for the region.
        Goal::Region(region) => Some(region.base_from_centre),
        Goal::Links(links) => goal_links::tool_pose(&planner.goal_context(&|| None, start), links).ok()?,
        Goal::Joints(_) | Goal::JointTurns(_) | Goal::Named(_) | Goal::Any(_) | Goal::Groups(_) => None,
    }
}

impl Evidence {
    /// Start, goal and members of a set that cannot be used, the start first.
    pub fn states(&self) -> impl Iterator<Item = &StateEvidence> {
        let members = self.members.iter().filter_map(|member| member.goal.as_ref());
        self.start.iter().chain(&self.goal).chain(members)
    }

    /// The tightest pair of the start; where that has none, of the goal.
    pub fn tightest(&self) -> Option<&ContactEvidence> {
        self.states().find_map(StateEvidence::tightest)
    }

    /// The first joint outside its limits at the start; where that has none, at the goal.
    pub fn outside(&self) -> Option<&LimitViolation> {
        self.states().find_map(|state| state.outside.first())
    }

    /// The pair that the failure is about: in contact at start or goal, of a pose goal that of the branch which is nearest
    /// to being free; or blocking the search most.
    pub fn pair(&self) -> Option<&Pair> {
        let contact = self.tightest().map(|contact| &contact.pair);
        let of_a_branch = || self.ik.as_ref().and_then(IkEvidence::nearest_to_free).map(|(pair, _)| pair);
        let blocking = || self.search.as_ref()?.blocking.first().map(|(pair, _)| pair);
        contact.or_else(of_a_branch).or_else(blocking)
    }
}

/// Joint limits are compared as planning compares them.
pub(super) const TOLERANCE: f64 = LIMIT_TOLERANCE;
