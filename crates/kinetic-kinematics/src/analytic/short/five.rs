//! Five rotating joints: the position of the tool and the direction of one of its axes.
//!
//! The turn about that axis is a sixth joint that nothing asks about; with it the arm is one with six joints.

use super::TOOL_AXES;
use crate::analytic::branches::{Branch, Branches};
use crate::analytic::few::Few;
use crate::analytic::poe::{ProductOfExponentials, Screw, inverse};
use crate::analytic::policy::TolerancePolicy;
use crate::analytic::registry::{ANY_TIER, DispatchPlan, six};
use crate::analytic::six::SixArm;
use crate::analytic::solver::{Met, Solver, Target, blank};
use crate::program::Motion;

#[derive(Debug)]
pub(crate) struct FiveArm {
    arm: ProductOfExponentials,
    /// The five joints and the turn about the axis of the tool.
    six: SixArm,
    axis: usize,
}

/// Entry of the turn about the axis of the tool in a branch.
const TURN: usize = 5;

impl FiveArm {
    /// With the first axis of the tool about which the joints do not turn it already; also the class of the six.
    pub(crate) fn new(arm: &ProductOfExponentials, policy: &TolerancePolicy) -> Option<(Self, DispatchPlan)> {
        TOOL_AXES.iter().find_map(|axis| {
            let home = arm.home();
            let direction = home.rotation.column(*axis).normalize();
            let mut screws = arm.screws().to_vec();
            let point = home.translation;
            screws.push(Screw { motion: Motion::Rotation, axis: direction, point, variable: TURN });
            let (six, plan) = six(&ProductOfExponentials::new(screws, *home).ok()?, policy, ANY_TIER)?;
            Some((Self { arm: arm.clone(), six, axis: *axis }, plan))
        })
    }
}

impl Solver for FiveArm {
    fn search(&self, target: &Target, _at: &[f64], branches: &mut Branches) {
        let first = branches.found.len();
        self.six.append(target, blank(TURN + 1), branches);
        branches.found[first..].iter_mut().for_each(|branch| branch.q.truncate(TURN));
    }

    fn refined(&self, branch: &Branch, target: &Target, steps: usize) -> Option<Branch> {
        // The turn that the target asks for: along the two other axes of the tool.
        let tool_from_target = inverse(&self.arm.pose(&branch.q)).then(&target.pose).rotation;
        let (one, two) = ((self.axis + 1) % 3, (self.axis + 2) % 3);
        let mut q = Few::filled(0.0, TURN + 1);
        q[..TURN].copy_from_slice(&branch.q);
        q[TURN] = tool_from_target[(two, one)].atan2(tool_from_target[(one, one)]);
        let mut branch = self.six.polished(&Branch { q, ..*branch }, target, steps);
        branch.q.truncate(TURN);
        Some(branch)
    }

    fn met(&self) -> Met {
        Met::PositionAndAxis(self.axis)
    }
}
