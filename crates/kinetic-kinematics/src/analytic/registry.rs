//! The classes of arms that have a solver: one row each, tried in order.

use std::fmt;

use kinetic_core::{KineticError, Result};

use super::poe::ProductOfExponentials;
use super::policy::TolerancePolicy;
use super::six::{ClosedForm, General, Reversed, SixArm, SphericalWrist, ThreeParallel};
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
struct Case<'a> {
    arm: &'a ProductOfExponentials,
    topology: &'a Topology,
    policy: &'a TolerancePolicy,
}

struct Entry {
    class: Class,
    build: fn(&Case<'_>) -> Option<Box<dyn ClosedForm>>,
}

const ENTRIES: [Entry; 5] = [
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
        class: Class { name: "six_r.general", tier: 2, description: "6R, any axes" },
        build: |case| General::new(case.arm).map(boxed),
    },
];

fn boxed(solver: impl ClosedForm + 'static) -> Box<dyn ClosedForm> {
    Box::new(solver)
}

fn spherical(case: &Case<'_>) -> Option<Box<dyn ClosedForm>> {
    let centre = case.topology.common_point(3)?;
    SphericalWrist::new(case.arm, centre, case.policy).map(boxed)
}

/// All classes, the preferred ones first. Classes of tier 0 are also looked for in the arm read from tip to base.
pub fn classes() -> impl Iterator<Item = Class> {
    ENTRIES.iter().map(|entry| entry.class)
}

/// Ending of the name of a solver that reads the arm from tip to base.
const REVERSED: &str = ".reversed";

/// The best solver for an arm.
pub(super) fn dispatch(
    arm: &ProductOfExponentials,
    policy: &TolerancePolicy,
) -> Result<(Box<dyn Solver>, DispatchPlan)> {
    let turning = arm.screws().iter().filter(|screw| screw.motion == Motion::Rotation).count();
    if arm.dof() != 6 || turning != 6 {
        return Err(unsuitable(format!("the chain has {turning} rotating of {} joints", arm.dof())));
    }
    let (solver, plan) = six(arm, policy).ok_or_else(|| {
        unsuitable(format!("the arm does not move in all six directions:\n{}", Topology::of(arm, policy)))
    })?;
    Ok((Box::new(solver), plan))
}

/// The best solver for six rotating joints.
pub(super) fn six(arm: &ProductOfExponentials, policy: &TolerancePolicy) -> Option<(SixArm, DispatchPlan)> {
    let (topology, back) = (Topology::of(arm, policy), arm.reversed());
    let back_topology = Topology::of(&back, policy);
    let forward = Case { arm, topology: &topology, policy };
    let backward = Case { arm: &back, topology: &back_topology, policy };
    for entry in &ENTRIES {
        if let Some(class) = (entry.build)(&forward) {
            return Some((SixArm::new(arm, class, policy)?, plan(&entry.class, "", &topology)));
        }
        // The general solver gains nothing from the other direction.
        if entry.class.tier == 0
            && let Some(class) = (entry.build)(&backward)
        {
            let class = Box::new(Reversed(class));
            return Some((SixArm::new(arm, class, policy)?, plan(&entry.class, REVERSED, &topology)));
        }
    }
    None
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
