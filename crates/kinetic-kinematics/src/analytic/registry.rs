//! The classes of arms that have a solver: one row each, tried in order.

use std::fmt;

use kinetic_core::{KineticError, Result};

use super::branches::MOST_JOINTS;
use super::poe::ProductOfExponentials;
use super::policy::TolerancePolicy;
use super::redundant::{Swivel, choose};
use super::short::{FiveArm, FourArm, ThreeArm};
use super::six::{ClosedForm, General, Reversed, SixArm, SphericalElbow, SphericalWrist, ThreeParallel};
use super::solver::Solver;
use super::topology::Topology;
use crate::program::Motion;

/// Which solver an arm has, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DispatchPlan {
    /// Dotted name of the class, as in [`classes`].
    pub solver_name: String,
    /// 0 closed form, 1 one-dimensional search, 2 polynomial of high degree.
    pub tier: u8,
    /// The facts that decided, one per line.
    pub reason: String,
}

impl fmt::Display for DispatchPlan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} (tier {}): {}", self.solver_name, self.tier, self.reason.replace('\n', "; "))
    }
}

/// A class of arms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    /// Dotted name.
    pub name: &'static str,
    /// As [`DispatchPlan::tier`].
    pub tier: u8,
    /// What makes an arm one of the class.
    pub description: &'static str,
}

/// An arm under consideration.
#[derive(Clone, Copy)]
struct Case<'a> {
    arm: &'a ProductOfExponentials,
    topology: &'a Topology,
    policy: &'a TolerancePolicy,
    /// Position limits of the configuration's entries.
    bounds: &'a [(f64, f64)],
    /// Joints that are to be locked, when the user says so.
    locks: Option<&'a [usize]>,
}

impl Case<'_> {
    fn is_turning(&self) -> bool {
        self.arm.screws().iter().all(|screw| screw.motion == Motion::Rotation)
    }
}

struct Entry {
    class: Class,
    build: fn(&Case<'_>) -> Option<Box<dyn ClosedForm>>,
}

const SIX: [Entry; 6] = [
    Entry {
        class: Class {
            name: "six_r.three_parallel",
            tier: 0,
            description: "6R, axes 2, 3, 4 parallel (Universal Robots)",
        },
        build: |case| {
            let are_parallel = case.topology.is_parallel(1) && case.topology.is_parallel(2);
            are_parallel.then(|| ThreeParallel::new(case.arm, case.topology, case.policy)).flatten().map(boxed)
        },
    },
    Entry {
        class: Class {
            name: "six_r.spherical_two_parallel",
            tier: 0,
            description: "6R, axes 4, 5, 6 share a point, axes 2, 3 parallel (most industrial arms)",
        },
        build: |case| case.topology.is_parallel(1).then(|| spherical(case)).flatten(),
    },
    Entry {
        class: Class {
            name: "six_r.spherical_two_intersecting",
            tier: 0,
            description: "6R, axes 4, 5, 6 share a point, axes 1, 2 or 2, 3 intersect",
        },
        build: |case| {
            let do_meet = (0..2).any(|first| case.topology.intersection(first).is_some());
            do_meet.then(|| spherical(case)).flatten()
        },
    },
    Entry {
        class: Class { name: "six_r.spherical", tier: 0, description: "6R, axes 4, 5, 6 share a point" },
        build: spherical,
    },
    Entry {
        class: Class { name: "six_r.spherical_elbow", tier: 0, description: "6R, axes 3, 4, 5 share a point" },
        build: |case| {
            let centre = case.topology.common_point(2)?;
            SphericalElbow::new(case.arm, centre, case.policy).map(boxed)
        },
    },
    Entry {
        class: Class { name: GENERAL, tier: 2, description: "6R, any axes" },
        build: |case| General::new(case.arm).map(boxed),
    },
];

/// A solver, and why it is the one.
type Planned = (Box<dyn Solver>, DispatchPlan);

/// A class of arms with another number of joints than six.
struct Other {
    class: Class,
    build: fn(&Case<'_>, &Class) -> Option<Planned>,
}

const OTHERS: [Other; 6] = [
    Other {
        class: Class {
            name: "seven_r.srs",
            tier: 0,
            description: "7R, S-R-S: axes 1, 2, 3 share a point and axes 5, 6, 7 share one; closed form over the swivel angle",
        },
        build: |case, class| {
            let is_asked_for = case.locks.is_none();
            let solver = is_asked_for.then(|| Swivel::new(case.arm, case.topology, case.policy)).flatten()?;
            Some((Box::new(solver), plan(class, "", case.topology)))
        },
    },
    Other {
        class: Class {
            name: "seven_r.locked",
            tier: 0,
            description: "7R, one joint is locked at samples and the others are solved by the class of 6R that is left",
        },
        build: |case, class| (case.arm.dof() == 7 && case.is_turning()).then(|| locked(case, class)).flatten(),
    },
    Other {
        class: Class {
            name: "long.locked",
            tier: 0,
            description: "7 or 8 joints, sliding ones and others are locked at samples until six turning ones are left",
        },
        build: |case, class| locked(case, class),
    },
    Other {
        class: Class {
            name: "five_r.position_axis",
            tier: 0,
            description: "5R, position and the direction of one axis of the tool",
        },
        build: |case, class| {
            let fits = case.arm.dof() == 5 && case.is_turning();
            let (solver, rest) = fits.then(|| FiveArm::new(case.arm, case.policy)).flatten()?;
            let what = format!("met: {}\nwith the turn about it: {}", solver.met().description(), rest.solver_name);
            Some((Box::new(solver), extended(class, &rest, &what, case.topology)))
        },
    },
    Other {
        class: Class {
            name: "four_r.position_pitch",
            tier: 0,
            description: "4R, axes 2, 3, 4 parallel: position and the direction of an axis of the tool in their plane",
        },
        build: |case, class| {
            let fits = case.arm.dof() == 4 && case.is_turning();
            let loose = TolerancePolicy { axis_parallel: case.policy.axis_parallel * ROUNDED_FOUR, ..*case.policy };
            let topology = fits.then(|| Topology::of(case.arm, &loose))?;
            let are_parallel = topology.is_parallel(1) && topology.is_parallel(2);
            let is_exact = case.topology.is_parallel(1) && case.topology.is_parallel(2);
            let feasible = if is_exact { case.policy.subproblem_feasibility } else { MOST_AMPLIFIED };
            let policy = TolerancePolicy { subproblem_feasibility: feasible, ..*case.policy };
            let solver = are_parallel.then(|| FourArm::new(case.arm, &policy)).flatten()?;
            Some((Box::new(solver), plan(class, "", &topology)))
        },
    },
    Other {
        class: Class { name: "three_r.position", tier: 0, description: "3R, position" },
        build: |case, class| {
            let fits = case.arm.dof() == 3 && case.is_turning();
            let solver = fits.then(|| ThreeArm::new(case.arm, case.policy)).flatten()?;
            Some((Box::new(solver), plan(class, "", case.topology)))
        },
    },
];

/// How many times the tolerance of parallel axes four joints may be off, which have no other class: angles rounded to three
/// digits. Newton's method brings the rows to the arm.
const ROUNDED_FOUR: f64 = 3e4;

fn locked(case: &Case<'_>, class: &Class) -> Option<Planned> {
    let (locks, solver, rest) = choose(case.arm, case.locks, case.bounds, case.policy)?;
    let numbers: Vec<String> = locks.iter().map(|joint| (joint + 1).to_string()).collect();
    let what = format!("locked: {}\nthe others: {}", numbers.join(" and "), rest.reason.lines().next().unwrap_or(""));
    Some((Box::new(solver), extended(class, &rest, &what, case.topology)))
}

fn boxed(solver: impl ClosedForm + 'static) -> Box<dyn ClosedForm> {
    Box::new(solver)
}

fn spherical(case: &Case<'_>) -> Option<Box<dyn ClosedForm>> {
    let centre = case.topology.common_point(3)?;
    SphericalWrist::new(case.arm, centre, case.policy).map(boxed)
}

/// All classes, the preferred ones first, those of 6R before the others. Classes of 6R of tier 0 are also looked for in
/// the arm read from tip to base. The names of the others are followed by that of the class of 6R that they use.
pub fn classes() -> impl Iterator<Item = Class> {
    SIX.iter().map(|entry| entry.class).chain(OTHERS.iter().map(|entry| entry.class))
}

/// The class that every arm with six turning joints belongs to.
pub(super) const GENERAL: &str = "six_r.general";

/// Ending of the name of a solver that reads the arm from tip to base.
pub(super) const REVERSED: &str = ".reversed";

/// Highest tier of classes without search or polynomial of high degree.
pub(super) const CLOSED_TIER: u8 = 0;
/// Highest tier there is.
pub(super) const ANY_TIER: u8 = 2;

/// The best solver for an arm with position limits `bounds`; with `locks` (indices into the screws, ascending) these
/// joints are the locked ones.
pub(super) fn dispatch(
    arm: &ProductOfExponentials,
    bounds: &[(f64, f64)],
    locks: Option<&[usize]>,
    policy: &TolerancePolicy,
) -> Result<Planned> {
    let topology = Topology::of(arm, policy);
    let case = Case { arm, topology: &topology, policy, bounds, locks };
    let turning = arm.screws().iter().filter(|screw| screw.motion == Motion::Rotation).count();
    if arm.dof() == 6 && turning == 6 && locks.is_none() {
        let closed = six(arm, policy, CLOSED_TIER).or_else(|| six_nearly(arm, policy, ROUNDED));
        let (solver, plan) = closed
            .or_else(|| six(arm, policy, ANY_TIER))
            .ok_or_else(|| unsuitable(format!("the arm does not move in all six directions:\n{topology}")))?;
        return Ok((Box::new(solver), plan));
    }
    let fits = arm.dof() <= MOST_JOINTS;
    let found = fits.then(|| OTHERS.iter().find_map(|entry| (entry.build)(&case, &entry.class))).flatten();
    found.ok_or_else(|| {
        let locked = if locks.is_some() { ", and the joint to lock does not leave a class of 6R" } else { "" };
        unsuitable(format!("the chain has {turning} rotating of {} joints{locked}", arm.dof()))
    })
}

/// The best solver of at most `tier` for six rotating joints.
pub(super) fn six(arm: &ProductOfExponentials, policy: &TolerancePolicy, tier: u8) -> Option<(SixArm, DispatchPlan)> {
    six_backed(arm, policy, tier, General::new)
}

/// As [`six`]; `general` makes the solver that stands behind a class to which the arm belongs but for rounding.
fn six_backed(
    arm: &ProductOfExponentials,
    policy: &TolerancePolicy,
    tier: u8,
    general: fn(&ProductOfExponentials) -> Option<General>,
) -> Option<(SixArm, DispatchPlan)> {
    let (topology, back) = (Topology::of(arm, policy), arm.reversed());
    let back_topology = Topology::of(&back, policy);
    let forward = Case { arm, topology: &topology, policy, bounds: &[], locks: None };
    let backward = Case { arm: &back, topology: &back_topology, ..forward };
    for entry in SIX.iter().filter(|entry| entry.class.tier <= tier) {
        if entry.class.tier > CLOSED_TIER {
            // The general solver gains nothing from the other direction, and belongs to every arm.
            let class = (entry.build)(&forward)?;
            return Some((SixArm::new(arm, class, policy)?, plan(&entry.class, "", &topology)));
        }
        if let Some(solver) = fitted(arm, entry, &forward, false, general) {
            return Some((solver, plan(&entry.class, "", &topology)));
        }
        if let Some(solver) = fitted(arm, entry, &backward, true, general) {
            return Some((solver, plan(&entry.class, REVERSED, &topology)));
        }
    }
    None
}

/// Misfit up to which an arm is of its class exactly.
const EXACT: f64 = 1e-12;
/// Misfit from which it is not of the class at all.
const ASTRAY: f64 = 3e-4;
/// What may be off in a subproblem against what is off in the arm.
const AMPLIFIED: f64 = 1e4;
/// And at most.
const MOST_AMPLIFIED: f64 = 0.1;

/// The solver of a class of tier 0 for `arm`, which `case` reads forward or backward. Where the axes of the arm are off by
/// less than the tolerances, and by more than rounding, its double roots are not those of the class: subproblems have to
/// take more for feasible, and the general class stands behind them.
fn fitted(
    arm: &ProductOfExponentials,
    entry: &Entry,
    case: &Case<'_>,
    is_reversed: bool,
    general: fn(&ProductOfExponentials) -> Option<General>,
) -> Option<SixArm> {
    let build = |policy: &TolerancePolicy| {
        let class = (entry.build)(&Case { policy, ..*case })?;
        let class = if is_reversed { Box::new(Reversed(class)) } else { class };
        SixArm::new(arm, class, case.policy)
    };
    let solver = build(case.policy)?;
    let misfit = solver.misfit(arm);
    if misfit <= EXACT {
        return Some(solver);
    }
    let feasible = (AMPLIFIED * misfit).min(MOST_AMPLIFIED).max(case.policy.subproblem_feasibility);
    let solver = build(&TolerancePolicy { subproblem_feasibility: feasible, ..*case.policy })?;
    let is_astray = !(solver.misfit(arm) <= ASTRAY);
    (!is_astray).then(|| match general(arm) {
        Some(general) => solver.backed_by(Box::new(general), misfit),
        None => solver,
    })
}

/// How many times the tolerances axes may be off for descriptions to mean them parallel or meeting: angles rounded to four
/// digits, as 1.5708 for a right angle. Newton's method brings the rows to the arm as described, with the general class
/// behind it, so that it is exact all the same.
pub(super) const ROUNDED: f64 = 3e3;

/// As [`six`] of the closed tier, for arms that belong to a class with `factor` times the tolerances only.
pub(super) fn six_nearly(
    arm: &ProductOfExponentials,
    policy: &TolerancePolicy,
    factor: f64,
) -> Option<(SixArm, DispatchPlan)> {
    let loose = TolerancePolicy {
        axis_parallel: policy.axis_parallel * factor,
        axis_intersect: policy.axis_intersect * factor,
        ..*policy
    };
    let (nearly, plan) = six(arm, &loose, CLOSED_TIER)?;
    let plan = DispatchPlan {
        solver_name: format!("{}{NEAR}", plan.solver_name),
        reason: format!("nearly (to {:.0e}): {}", loose.axis_intersect, plan.reason),
        ..plan
    };
    Some((nearly.nearly(), plan))
}

/// Ending of the name of a solver of a class that the arm nearly belongs to.
pub(super) const NEAR: &str = ".near";

/// Place of a plan for six joints among the classes, the preferred ones first.
pub(super) fn rank(plan: &DispatchPlan) -> usize {
    let name = plan.solver_name.strip_suffix(NEAR).unwrap_or(&plan.solver_name);
    let name = name.strip_suffix(REVERSED).unwrap_or(name);
    SIX.iter().position(|entry| entry.class.name == name).unwrap_or(SIX.len())
}

/// As [`six`] for another of a family of arms of which one has a solver: the general class is not tested again.
pub(super) fn six_again(arm: &ProductOfExponentials, policy: &TolerancePolicy) -> Option<SixArm> {
    match six_backed(arm, policy, CLOSED_TIER, General::untested) {
        Some((solver, _)) => Some(solver),
        None => SixArm::new(arm, Box::new(General::untested(arm)?), policy),
    }
}

/// The plan of a class that uses one of 6R.
fn extended(class: &Class, rest: &DispatchPlan, what: &str, topology: &Topology) -> DispatchPlan {
    let reason = format!("{}\n{what}\n{}", class.description, topology.to_string().trim_end());
    DispatchPlan { solver_name: format!("{}.{}", class.name, rest.solver_name), tier: rest.tier, reason }
}

fn plan(class: &Class, ending: &str, topology: &Topology) -> DispatchPlan {
    let direction = if ending.is_empty() { "" } else { ", read from tip to base" };
    let reason = format!("{}{direction}\n{}", class.description, topology.to_string().trim_end());
    DispatchPlan { solver_name: format!("{}{ending}", class.name), tier: class.tier, reason }
}

fn unsuitable(what: String) -> KineticError {
    let classes: Vec<&str> = classes().map(|class| class.description).collect();
    KineticError::IncompatibleKinematics { reason: format!("{what}; closed forms exist for: {}", classes.join("; ")) }
}
