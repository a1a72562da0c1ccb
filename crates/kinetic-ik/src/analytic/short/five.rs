//! 5R arms: the position of the tool and the direction of one of its axes.
//!
//! The rotation about that axis is left free. As a sixth joint it makes the arm one with six joints.

use kinetic_kinematics::{Motion, Rigid};

use super::TOOL_AXES;
use crate::analytic::array_vec::ArrayVec;
use crate::analytic::branches::{Branch, BranchJoints, Branches};
use crate::analytic::class::DispatchPlan;
use crate::analytic::constant::{Constant, Value};
use crate::analytic::generic_configuration::{GENERIC_CONFIGURATIONS, jacobian};
use crate::analytic::poe::{ProductOfExponentials, Screw, inverse};
use crate::analytic::policy::TolerancePolicy;
use crate::analytic::six::SixArm;
use crate::analytic::six::classes::{ANY_TIER, six};
use crate::analytic::solver::{Held, Met, Solver, Target, blank};

#[derive(Debug)]
pub(crate) struct FiveArm {
    arm: ProductOfExponentials,
    /// The five joints and the turn about the axis of the tool.
    six: SixArm,
    axis: usize,
}

/// Entry of the turn about the axis of the tool in a branch.
const TURN_ENTRY: usize = 5;

impl FiveArm {
    /// With the first axis of the tool about which the joints do not turn it already; also the class of the six.
    pub(crate) fn new(arm: &ProductOfExponentials, policy: &TolerancePolicy) -> Option<(Self, DispatchPlan)> {
        let arms: Vec<_> = TOOL_AXES.iter().filter_map(|axis| Some((*axis, with_turn(arm, *axis)?))).collect();
        let most = arms.iter().map(|(_, six)| mobility(six)).fold(0.0, f64::max);
        // Axes that are off by rounding leave a little motion where there would be none.
        let moving = arms.iter().filter(|(_, six)| mobility(six) > LEAST_MOBILITY_RATIO * most);
        moving.into_iter().find_map(|(axis, extended)| {
            let (six, plan) = six(extended, policy, ANY_TIER)?;
            Some((Self { arm: arm.clone(), six, axis: *axis }, plan))
        })
    }
}

/// The arm with a sixth joint that turns about an axis of the tool.
fn with_turn(arm: &ProductOfExponentials, axis: usize) -> Option<ProductOfExponentials> {
    let mut screws = arm.screws().to_vec();
    screws.push(turn_about(arm.home(), axis));
    ProductOfExponentials::new(screws, *arm.home()).ok()
}

/// The turn about an axis of the tool at its place.
pub(crate) fn turn_about(home: &Rigid, axis: usize) -> Screw {
    let axis = home.rotation.column(axis).normalize();
    Screw { motion: Motion::Rotation, axis, point: home.translation, variable: TURN_ENTRY }
}

/// Against the best axis of the tool.
const LEAST_MOBILITY_RATIO: f64 = 1e-2;
/// How well the joints move the tool in the direction in which they do so least, on average.
fn mobility(arm: &ProductOfExponentials) -> f64 {
    (0..GENERIC_CONFIGURATIONS).map(|index| jacobian(arm, index).singular_values().min()).sum()
}

impl FiveArm {
    /// The branch with the turn that the target asks for: along the two other axes of the tool.
    fn turned(&self, branch: &Branch, target: &Target) -> Branch {
        let tool_from_target = inverse(&self.arm.pose(&branch.q)).then(&target.pose).rotation;
        let (one, two) = ((self.axis + 1) % 3, (self.axis + 2) % 3);
        let mut q = ArrayVec::filled(0.0, TURN_ENTRY + 1);
        q[..TURN_ENTRY].copy_from_slice(&branch.q);
        q[TURN_ENTRY] = tool_from_target[(two, one)].atan2(tool_from_target[(one, one)]);
        Branch { q, ..*branch }
    }
}

/// The branch without the turn.
fn five(mut branch: Branch) -> Branch {
    branch.q.truncate(TURN_ENTRY);
    branch
}

impl Solver for FiveArm {
    fn search(&self, target: &Target, _at: &[f64], branches: &mut Branches) {
        let first = branches.found.len();
        self.six.append(target, blank(TURN_ENTRY + 1), branches);
        branches.found[first..].iter_mut().for_each(|branch| branch.q.truncate(TURN_ENTRY));
    }

    fn refined(&self, branch: &Branch, target: &Target, steps: usize) -> Option<Branch> {
        Some(five(self.six.polished(&self.turned(branch, target), target, steps)))
    }

    fn residual(&self, q: &BranchJoints, target: &Target) -> f64 {
        let branch = self.turned(&Branch { q: *q, fk_residual: f64::INFINITY }, target);
        self.six.residual_at(&branch.q, &target.pose)
    }

    fn polished_holding(&self, branch: &Branch, target: &Target, held: Held) -> Option<Branch> {
        Some(five(self.six.polished_holding_at(&self.turned(branch, target), &target.pose, held)))
    }

    fn may_hide(&self, target: &Target) -> bool {
        self.six.may_hide(target)
    }

    fn data(&self) -> Option<Value> {
        let Self { arm, six, axis } = self;
        let fields = vec![("arm", arm.value()), ("six", six.data()?), ("axis", axis.value())];
        Some(Value::Record("FiveArm", fields))
    }

    fn linearity_joints(&self) -> Vec<usize> {
        self.six.linearity_joints()
    }

    fn met(&self) -> Met {
        Met::PositionAndAxis(self.axis)
    }
}
