//! Why a plan failed: evidence, and changes that were tried.
//!
//! Nothing of this costs a planning call anything: a failure carries its error, and [`PlanningProblem::explain`] looks
//! into it when somebody asks, by asking the checker about start and goal, listing the branches of inverse kinematics,
//! running the search again under observation, and planning with every change that may help.

mod change;
mod growth;
mod state;
mod suggest;
mod text;
mod units;

use std::sync::Arc;

use kinetic_core::control::SystemClock;
use kinetic_core::{Control, Goal, JointValues, KineticError, Pair, Result, StopFlag};
use kinetic_kinematics::{IKConfig, IkReport, look_into_ik};

pub use change::Change;
pub use growth::{GrownTree, SearchEvidence};
pub use state::{BranchFate, ContactEvidence, IkEvidence, StateEvidence};

use crate::goal::{LIMIT_TOLERANCE, moved};
use crate::planner::Planner;
use crate::planning_problem::PlanningProblem;

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
            suggestions =
                suggest::changes(self, error, &evidence).into_iter().filter_map(|c| self.tried(c, options)).collect();
            // Stable: the likeliest of each kind stays first.
            suggestions.sort_by_key(|suggestion| !suggestion.solved);
        }
        Ok(PlanningReport { reason: error.code(), message: error.to_string(), evidence, suggestions })
    }

    fn evidence(&self, error: &KineticError, options: &ReportOptions) -> Result<Evidence> {
        let planner = self.planner()?;
        let mut evidence = Evidence::default();
        let Ok((mut checker, start)) = planner.checker_at(self.start()) else {
            // What is no configuration has its words in the error.
            return Ok(evidence);
        };
        let at_start = StateEvidence::at(&planner, &mut checker, &start);
        if !at_start.is_usable() {
            evidence.start = Some(at_start);
        }
        if let Some(goal) = self.goal_configuration(&planner) {
            let at_goal = StateEvidence::at(&planner, &mut checker, &goal);
            evidence.goal = (!at_goal.is_usable()).then_some(at_goal);
        } else if let Some(report) = self.look_into_goal(&planner, &start) {
            let ik = IkEvidence::new(report, &mut checker);
            evidence.ik = (ik.free() == 0).then_some(ik);
        }
        if matches!(error, KineticError::PlanningTimeout { .. } | KineticError::PlanningFailed { .. }) {
            evidence.search = growth::observe(self, &planner, options);
        }
        Ok(evidence)
    }

    /// The configuration that a joint goal or a named goal is, in group length.
    fn goal_configuration(&self, planner: &Planner) -> Option<JointValues> {
        let (robot, group) = (self.scene().robot(), planner.group());
        match self.goal() {
            Goal::Joints(values) => robot.group_configuration(group, values).ok(),
            Goal::Named(name) => robot.named_pose(group, name).cloned(),
            Goal::Pose(_) | Goal::Relative { .. } | Goal::Region(_) | Goal::Any(_) => None,
        }
    }

    /// The pose that a pose goal or a relative goal means.
    fn goal_pose(&self, planner: &Planner, start: &[f64]) -> Option<kinetic_core::Pose> {
        match self.goal() {
            Goal::Pose(base_from_tcp) => Some(*base_from_tcp),
            Goal::Relative { offset, frame } => Some(moved(&planner.chain().tip_pose(start), offset, *frame)),
            // The middle stands for the region.
            Goal::Region(region) => Some(region.base_from_centre),
            Goal::Joints(_) | Goal::Named(_) | Goal::Any(_) => None,
        }
    }

    fn look_into_goal(&self, planner: &Planner, start: &JointValues) -> Option<IkReport> {
        let base_from_tcp = self.goal_pose(planner, start)?;
        let config = IKConfig {
            seed: Some(start.clone()),
            rng_seed: self.config().seed,
            ..IKConfig::for_robot(self.scene().robot())
        };
        look_into_ik(planner.closed_form(), planner.chain(), &base_from_tcp, &config).ok()
    }

    /// The change planned with; `None` when it changes nothing, or cannot be made.
    fn tried(&self, change: Change, options: &ReportOptions) -> Option<Suggestion> {
        let problem = change.apply(self).ok()?;
        if options.stop.is_stopped() {
            return Some(Suggestion { change, tried: false, solved: false, failure: None, problem });
        }
        // More time is what that change is about.
        let times = if matches!(change, Change::MoreIterations(_)) { MORE_TIMES } else { 1 };
        let control = options.control(&problem, times);
        let answer =
            problem.planner().and_then(|planner| planner.plan_controlled(problem.start(), problem.goal(), &control));
        let failure = answer.as_ref().err().map(KineticError::code);
        Some(Suggestion { change, tried: true, solved: answer.is_ok(), failure, problem })
    }
}

impl Evidence {
    /// The pair that the failure is about: in contact at start or goal, or blocking the search most.
    pub fn pair(&self) -> Option<&Pair> {
        let states = [&self.start, &self.goal].into_iter().flatten();
        let contact = states.filter_map(|state| state.tightest()).map(|contact| &contact.pair).next();
        contact.or_else(|| self.search.as_ref()?.blocking.first().map(|(pair, _)| pair))
    }
}

/// Joint limits are compared as planning compares them.
pub(super) const TOLERANCE: f64 = LIMIT_TOLERANCE;
