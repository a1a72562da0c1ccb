//! Registry of arm classes: one row per class that has a solver, tried in order.

use kinetic_core::error::reason;
use kinetic_core::{KineticError, Result};
use kinetic_kinematics::Motion;

use super::branches::MOST_JOINTS;
use super::class::{Case, Class, DispatchPlan, plan};
use super::poe::ProductOfExponentials;
use super::policy::TolerancePolicy;
use super::redundant::{Swivel, choose};
use super::short::{FiveArm, FourArm, ThreeArm};
use super::six::classes::{ANY_TIER, CLOSED_TIER, LARGEST_FEASIBILITY, ROUNDED_AXES_FACTOR, SIX, six, six_nearly};
use super::solver::Solver;
use super::topology::Topology;

pub use super::six::classes::{GENERAL, NEAR, REVERSED};

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
            let loose =
                TolerancePolicy { axis_parallel: case.policy.axis_parallel * ROUNDED_FOUR_AXES_FACTOR, ..*case.policy };
            let topology = fits.then(|| Topology::of(case.arm, &loose))?;
            let are_parallel = topology.is_parallel(1) && topology.is_parallel(2);
            let is_exact = case.topology.is_parallel(1) && case.topology.is_parallel(2);
            let feasible = if is_exact { case.policy.subproblem_feasibility } else { LARGEST_FEASIBILITY };
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
const ROUNDED_FOUR_AXES_FACTOR: f64 = 3e4;

fn locked(case: &Case<'_>, class: &Class) -> Option<Planned> {
    let (locks, solver, rest) = choose(case.arm, case.locks, case.bounds, case.policy)?;
    let numbers: Vec<String> = locks.iter().map(|joint| (joint + 1).to_string()).collect();
    let what = format!("locked: {}\nthe others: {}", numbers.join(" and "), rest.reason.lines().next().unwrap_or(""));
    Some((Box::new(solver), extended(class, &rest, &what, case.topology)))
}

/// All classes, the preferred ones first, those of 6R before the others. Classes of 6R of tier 0 are also looked for in
/// the arm read from tip to base. The names of the others are followed by that of the class of 6R that they use.
pub fn classes() -> impl Iterator<Item = Class> {
    SIX.iter().map(|row| row.class).chain(OTHERS.iter().map(|entry| entry.class))
}

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
        let closed = six(arm, policy, CLOSED_TIER).or_else(|| six_nearly(arm, policy, ROUNDED_AXES_FACTOR));
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

/// The plan of a class that uses one of 6R.
fn extended(class: &Class, rest: &DispatchPlan, what: &str, topology: &Topology) -> DispatchPlan {
    let reason = format!("{}\n{what}\n{}", class.description, topology.to_string().trim_end());
    DispatchPlan { solver_name: format!("{}.{}", class.name, rest.solver_name), tier: rest.tier, reason }
}

fn unsuitable(detail: String) -> KineticError {
    let available = classes().map(|class| class.description.to_owned()).collect();
    KineticError::IncompatibleKinematics { reason: reason::IncompatibleKinematics::NoClass { detail, available } }
}
