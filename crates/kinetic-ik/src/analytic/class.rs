//! Classes of arms: the rows of the registry, and the arm that is classified.

use std::fmt;

use kinetic_kinematics::Motion;

use super::poe::ProductOfExponentials;
use super::policy::TolerancePolicy;
use super::topology::Topology;

/// The solver of an arm, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DispatchPlan {
    /// Dotted name of the class, as in [`classes`](super::registry::classes).
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
    /// Geometry of the class, in words.
    pub description: &'static str,
}

/// An arm under consideration.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) arm: &'a ProductOfExponentials,
    pub(super) topology: &'a Topology,
    pub(super) policy: &'a TolerancePolicy,
    /// Position limits of the configuration's entries.
    pub(super) bounds: &'a [(f64, f64)],
    /// Joints that are to be locked, when the user says so.
    pub(super) locks: Option<&'a [usize]>,
}

impl Case<'_> {
    pub(super) fn is_turning(&self) -> bool {
        self.arm.screws().iter().all(|screw| screw.motion == Motion::Rotation)
    }
}

/// The plan of a class.
pub(super) fn plan(class: &Class, ending: &str, topology: &Topology) -> DispatchPlan {
    let direction = if ending.is_empty() { "" } else { ", read from tip to base" };
    let reason = format!("{}{direction}\n{}", class.description, topology.to_string().trim_end());
    DispatchPlan { solver_name: format!("{}{ending}", class.name), tier: class.tier, reason }
}
