//! What a solver of a class of arms is to a [`Manipulator`](super::Manipulator).

use std::fmt::Debug;

use super::branches::{Branch, BranchJoints, Branches};
use super::few::Few;
use super::poe::inverse;
use crate::rigid::Rigid;

/// What a solve is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    /// `base_from_tcp`.
    pub(crate) pose: Rigid,
    /// What the joints have to move the tool by from its place at zero, `base_from_base`.
    pub(crate) displacement: Rigid,
}

impl Target {
    pub(crate) fn new(pose: &Rigid, home: &Rigid) -> Self {
        Self { pose: *pose, displacement: pose.then(&inverse(home)) }
    }
}

/// A solver of one class of arms.
pub(crate) trait Solver: Debug + Send + Sync {
    /// Appends the branches that close or nearly do: all of them.
    fn search(&self, target: &Target, branches: &mut Branches);

    /// A nearly closing branch after at most `steps` damped Newton steps.
    fn refined(&self, branch: &Branch, target: &Target, steps: usize) -> Branch;
}

/// A branch of joints that are all to be written.
pub(crate) fn blank(dof: usize) -> BranchJoints {
    Few::filled(0.0, dof)
}
