//! Registry of the 6R arm classes: one row each, tried in order.

use super::{General, Reversed, SixArm, SixJointSolver, SphericalElbow, SphericalWrist, ThreeParallel};
use crate::analytic::class::{Case, Class, DispatchPlan, plan};
use crate::analytic::poe::ProductOfExponentials;
use crate::analytic::policy::TolerancePolicy;
use crate::analytic::topology::Topology;

/// The class that every arm with six turning joints belongs to.
pub const GENERAL: &str = "six_r.general";

/// Ending of the name of a solver that reads the arm from tip to base.
pub const REVERSED: &str = ".reversed";

/// Highest tier of classes without search or polynomial of high degree.
pub(in crate::analytic) const CLOSED_TIER: u8 = 0;
/// Highest tier there is.
pub(in crate::analytic) const ANY_TIER: u8 = 2;

/// A class of 6R.
pub(in crate::analytic) struct Entry {
    pub(in crate::analytic) class: Class,
    build: fn(&Case<'_>) -> Option<Box<dyn SixJointSolver>>,
}

/// The classes, the preferred ones first.
pub(in crate::analytic) const SIX: [Entry; 6] = [
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

fn boxed(solver: impl SixJointSolver + 'static) -> Box<dyn SixJointSolver> {
    Box::new(solver)
}

fn spherical(case: &Case<'_>) -> Option<Box<dyn SixJointSolver>> {
    let centre = case.topology.common_point(3)?;
    SphericalWrist::new(case.arm, centre, case.policy).map(boxed)
}

/// The best solver of at most `tier` for six rotating joints.
pub(in crate::analytic) fn six(
    arm: &ProductOfExponentials,
    policy: &TolerancePolicy,
    tier: u8,
) -> Option<(SixArm, DispatchPlan)> {
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
const EXACT_MISFIT: f64 = 1e-12;
/// Misfit from which it is not of the class at all.
const FOREIGN_MISFIT: f64 = 3e-4;
/// Misfit of a subproblem per misfit of the arm.
const FEASIBILITY_PER_MISFIT: f64 = 1e4;
/// Largest such misfit of a subproblem.
pub(in crate::analytic) const LARGEST_FEASIBILITY: f64 = 0.1;

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
    if misfit <= EXACT_MISFIT {
        return Some(solver);
    }
    let feasible = (FEASIBILITY_PER_MISFIT * misfit).min(LARGEST_FEASIBILITY).max(case.policy.subproblem_feasibility);
    let solver = build(&TolerancePolicy { subproblem_feasibility: feasible, ..*case.policy })?;
    let is_astray = !(solver.misfit(arm) <= FOREIGN_MISFIT);
    (!is_astray).then(|| match general(arm) {
        Some(general) => solver.backed_by(Box::new(general), misfit),
        None => solver,
    })
}

/// How many times the tolerances axes may be off for descriptions to mean them parallel or meeting: angles rounded to four
/// digits, as 1.5708 for a right angle. Newton's method brings the rows to the arm as described, with the general class
/// behind it, so that it is exact all the same.
pub(in crate::analytic) const ROUNDED_AXES_FACTOR: f64 = 3e3;

/// As [`six`] of the closed tier, for arms that belong to a class with `factor` times the tolerances only.
pub(in crate::analytic) fn six_nearly(
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
pub const NEAR: &str = ".near";

/// Place of a plan for six joints among the classes, the preferred ones first.
pub(in crate::analytic) fn rank(plan: &DispatchPlan) -> usize {
    let name = plan.solver_name.strip_suffix(NEAR).unwrap_or(&plan.solver_name);
    let name = name.strip_suffix(REVERSED).unwrap_or(name);
    SIX.iter().position(|entry| entry.class.name == name).unwrap_or(SIX.len())
}

/// As [`six`] for another of a family of arms of which one has a solver: the general class is not tested again.
pub(in crate::analytic) fn six_again(arm: &ProductOfExponentials, policy: &TolerancePolicy) -> Option<SixArm> {
    match six_backed(arm, policy, CLOSED_TIER, General::untested) {
        Some((solver, _)) => Some(solver),
        None => SixArm::new(arm, Box::new(General::untested(arm)?), policy),
    }
}
