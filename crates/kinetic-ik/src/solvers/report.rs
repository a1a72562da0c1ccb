//! Failure reports: the nearest pose, every branch with its limit violations, and changes that were tried.

use std::f64::consts::TAU;
use std::fmt;

use kinetic_core::digits::short;
use kinetic_core::{JointValues, Pose, Result};
use kinetic_kinematics::KinematicChain;

use super::failure::{check_target, out_of_reach};
use super::pose_problem::PoseProblem;
use super::{IKConfig, IKMode, IKSolution, IKSolver, nearest_ik, solve_ik_auto};
use crate::analytic::{Manipulator, SolveOptions};
use crate::tolerance::LIMIT_ROUNDING_RAD_M;
use crate::watch::Watch;

/// Branches of a redundant arm that are listed at most; there is a continuum of them.
const MOST_REPORTED_BRANCHES: usize = 64;

/// Targets farther than so many times the arm's reach are taken for millimetres.
const MILLIMETRE_REACH_RATIO: f64 = 20.0;

/// Suggested tolerances against the residual of the nearest pose.
const TOLERANCE_FACTOR: f64 = 1.05;

/// A joint value beyond a limit.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitViolation {
    /// Joint name.
    pub joint: String,
    /// Its value, rad or m.
    pub value: f64,
    /// Lower limit.
    pub min: f64,
    /// Upper limit.
    pub max: f64,
}

impl LimitViolation {
    /// How far beyond the limit, rad or m.
    pub fn amount(&self) -> f64 {
        (self.value - self.max).max(self.min - self.value)
    }
}

/// Joints of `q` (group length) that lie outside the limits of a chain by more than `tolerance`.
pub fn limit_violations(chain: &KinematicChain, q: &[f64], tolerance: f64) -> Vec<LimitViolation> {
    let named = chain.joint_names().iter().zip(chain.bounds()).zip(q);
    let misses = named.filter(|((_, (min, max)), value)| **value < min - tolerance || **value > max + tolerance);
    misses
        .map(|((joint, (min, max)), value)| LimitViolation {
            joint: joint.clone(),
            value: *value,
            min: *min,
            max: *max,
        })
        .collect()
}

/// A configuration that reaches the target, with the limits it violates.
#[derive(Debug, Clone, PartialEq)]
pub struct BranchReport {
    /// Joint values, turned by 2π into the limits where that is possible.
    pub joints: JointValues,
    /// The limits that it violates; none for an answer.
    pub outside: Vec<LimitViolation>,
}

/// A change of the query.
#[derive(Debug, Clone, PartialEq)]
pub enum IkChange {
    /// Looser tolerances: position (m) and orientation (rad).
    Tolerances(f64, f64),
    /// The position alone.
    PositionOnly,
    /// The target's position divided by 1000.
    MetresForMillimetres,
    /// Joint limits not honoured.
    WithoutLimits,
    /// So many attempts after the first.
    Restarts(usize),
}

impl IkChange {
    /// Its name for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Tolerances(..) => "tolerances",
            Self::PositionOnly => "position_only",
            Self::MetresForMillimetres => "metres_for_millimetres",
            Self::WithoutLimits => "without_limits",
            Self::Restarts(_) => "restarts",
        }
    }
}

impl fmt::Display for IkChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tolerances(position, orientation) => {
                write!(f, "tolerances of {} m and {} rad", short(*position), short(*orientation))
            }
            Self::PositionOnly => write!(f, "mode position_only: the orientation is what cannot be met"),
            Self::MetresForMillimetres => write!(f, "a target in metres: it seems to be in millimetres"),
            Self::WithoutLimits => write!(f, "check_limits off: the joint limits are in the way"),
            Self::Restarts(count) => write!(f, "num_restarts = {count}"),
        }
    }
}

/// A change that was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct IkSuggestion {
    /// The change.
    pub change: IkChange,
    /// The changed target.
    pub target: Pose,
    /// The changed options.
    pub config: IKConfig,
    /// The answer with the change; `None` when it did not help.
    pub answer: Option<JointValues>,
}

/// Why a pose was not reached.
#[derive(Debug, Clone, PartialEq)]
pub struct IkReport {
    /// The target, `base_from_tcp`.
    pub target: Pose,
    /// A proof that nothing reaches it, in words.
    pub out_of_reach: Option<String>,
    /// Name of the closed form that listed the branches; `None` for arms without.
    pub solver: Option<String>,
    /// Whether the branches are all there are.
    pub is_complete: bool,
    /// Configurations that reach the target.
    pub branches: Vec<BranchReport>,
    /// The configuration inside the limits that came nearest.
    pub nearest: IKSolution,
    /// The pose it reaches, `base_from_tcp`.
    pub nearest_pose: Pose,
    /// Joints of it that stand at a limit.
    pub at_limits: Vec<LimitViolation>,
    /// The changes that were tried.
    pub suggestions: Vec<IkSuggestion>,
}

impl IkReport {
    /// Branches outside joint limits.
    pub fn outside_limits(&self) -> usize {
        self.branches.iter().filter(|branch| !branch.outside.is_empty()).count()
    }
}

/// Looks into why `base_from_tcp` is not reached with `config`, and tries changes.
///
/// # Errors
/// Input errors, as [`solve_ik_auto`].
pub fn explain_ik(
    closed_form: Option<&Manipulator>,
    chain: &KinematicChain,
    base_from_tcp: &Pose,
    config: &IKConfig,
) -> Result<IkReport> {
    let watch = Watch::new(&config.stop);
    let mut report = look_into_ik(closed_form, chain, base_from_tcp, config)?;
    for change in changes(chain, &report, config) {
        report.suggestions.push(try_change(closed_form, chain, base_from_tcp, config, change));
        watch.check(report.suggestions.len())?;
    }
    Ok(report)
}

/// As [`explain_ik`], without trying anything.
///
/// # Errors
/// As [`explain_ik`].
pub fn look_into_ik(
    closed_form: Option<&Manipulator>,
    chain: &KinematicChain,
    base_from_tcp: &Pose,
    config: &IKConfig,
) -> Result<IkReport> {
    config.check(chain)?;
    check_target(base_from_tcp)?;
    let solver = if config.solver.is_numerical() { config.solver } else { IKSolver::Auto };
    let numerical = IKConfig { solver, ..config.clone() };
    let nearest = nearest_ik(chain, base_from_tcp, &numerical)?;
    let has_orientation = config.mode != IKMode::PositionOnly;
    let solver = closed_form.map(|arm| arm.dispatch_plan().solver_name.clone());
    Ok(IkReport {
        target: *base_from_tcp,
        out_of_reach: out_of_reach(&PoseProblem::new(chain, base_from_tcp, config, has_orientation)),
        solver,
        is_complete: closed_form.is_some_and(Manipulator::lists_all),
        branches: closed_form.map(|arm| branches(arm, base_from_tcp, config)).transpose()?.unwrap_or_default(),
        nearest_pose: chain.tip_pose(&nearest.joints),
        at_limits: at_limits(chain, &nearest.joints),
        nearest,
        suggestions: Vec::new(),
    })
}

fn branches(arm: &Manipulator, base_from_tcp: &Pose, config: &IKConfig) -> Result<Vec<BranchReport>> {
    let options = SolveOptions {
        seed: config.seed.clone(),
        respect_limits: false,
        max_solutions: Some(MOST_REPORTED_BRANCHES),
        stop: config.stop.clone(),
        ..SolveOptions::default()
    };
    let (solutions, _) = arm.explain(base_from_tcp, &options)?;
    let chain = arm.chain();
    let branch = |mut joints: JointValues| {
        turn_into_limits(chain, &mut joints);
        BranchReport { outside: limit_violations(chain, &joints, LIMIT_ROUNDING_RAD_M), joints }
    };
    Ok(solutions.into_iter().map(|solution| branch(solution.q)).collect())
}

/// Turns joints by 2π to where they are inside, or least outside.
fn turn_into_limits(chain: &KinematicChain, q: &mut [f64]) {
    for (joint, value) in q.iter_mut().enumerate().filter(|(joint, _)| chain.is_rotation(*joint)) {
        let (min, max) = chain.bounds()[joint];
        let excess = |value: f64| (value - max).max(min - value).max(0.0);
        for turned in [*value - TAU, *value + TAU] {
            if excess(turned) < excess(*value) {
                *value = turned;
            }
        }
    }
}

fn at_limits(chain: &KinematicChain, q: &[f64]) -> Vec<LimitViolation> {
    limit_violations(chain, q, -LIMIT_ROUNDING_RAD_M)
}

/// Suggestions, the likeliest first.
fn changes(chain: &KinematicChain, report: &IkReport, config: &IKConfig) -> Vec<IkChange> {
    let mut changes = Vec::new();
    if is_millimetres(chain, &report.target) {
        changes.push(IkChange::MetresForMillimetres);
    }
    let nearest = &report.nearest;
    if nearest.position_error.is_finite() {
        let position = config.position_tolerance.max(TOLERANCE_FACTOR * nearest.position_error);
        let orientation = config.orientation_tolerance.max(TOLERANCE_FACTOR * nearest.orientation_error);
        changes.push(IkChange::Tolerances(position, orientation));
    }
    if config.mode == IKMode::Full6D {
        changes.push(IkChange::PositionOnly);
    }
    if config.check_limits && report.outside_limits() > 0 {
        changes.push(IkChange::WithoutLimits);
    }
    if report.out_of_reach.is_none() && !report.is_complete {
        changes.push(IkChange::Restarts(10 * config.num_restarts.max(10)));
    }
    changes
}

/// Whether the position of a target is so far away that its unit must be wrong, and plausible in millimetres.
pub fn is_millimetres(chain: &KinematicChain, base_from_tcp: &Pose) -> bool {
    let reach: f64 = chain.program().frames().iter().map(|frame| frame.parent_from_frame.translation.norm()).sum();
    let reach = reach + chain.tip().1.translation.norm();
    let distance = base_from_tcp.translation().norm();
    distance > MILLIMETRE_REACH_RATIO * reach && distance < 2000.0 * reach
}

/// A pose whose position is divided by 1000.
pub fn metres_for_millimetres(pose: &Pose) -> Pose {
    let mut pose = *pose;
    pose.0.translation.vector /= 1000.0;
    pose
}

fn try_change(
    closed_form: Option<&Manipulator>,
    chain: &KinematicChain,
    base_from_tcp: &Pose,
    config: &IKConfig,
    change: IkChange,
) -> IkSuggestion {
    let (mut target, mut config) = (*base_from_tcp, config.clone());
    match &change {
        IkChange::Tolerances(position, orientation) => {
            (config.position_tolerance, config.orientation_tolerance) = (*position, *orientation);
        }
        IkChange::PositionOnly => config.mode = IKMode::PositionOnly,
        IkChange::MetresForMillimetres => target = metres_for_millimetres(&target),
        IkChange::WithoutLimits => config.check_limits = false,
        IkChange::Restarts(count) => config.num_restarts = *count,
    }
    let answer = solve_ik_auto(closed_form, chain, &target, &config).ok().map(|solution| solution.joints);
    IkSuggestion { change, target, config, answer }
}

impl fmt::Display for IkReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(reason) = &self.out_of_reach {
            writeln!(f, "{reason}")?;
        }
        if let Some(solver) = &self.solver {
            let (count, outside) = (self.branches.len(), self.outside_limits());
            writeln!(f, "{count} branches by {solver}, {outside} outside joint limits")?;
        }
        let (position, orientation) = (self.nearest.position_error, self.nearest.orientation_error);
        writeln!(f, "the nearest pose reached is off by {} m and {} rad", short(position), short(orientation))?;
        for violation in &self.at_limits {
            writeln!(
                f,
                "there \"{}\" = {:.4} stands at its limit, [{:.4}, {:.4}]",
                violation.joint, violation.value, violation.min, violation.max
            )?;
        }
        let helps = |solved: bool| if solved { "solves it      " } else { "does not help  " };
        let tried = self.suggestions.iter().map(|tried| format!("  {}{}", helps(tried.answer.is_some()), tried.change));
        write!(f, "tried:\n{}", tried.collect::<Vec<_>>().join("\n"))
    }
}
