//! Redundant arms with locked joints: one or two joints are locked, and the six others are solved by their class.
//!
//! Joints at the ends of the arm can be locked without changing what the others look like to each other: only the
//! target moves. So one solver serves all values. With a joint in the middle locked every value makes another arm,
//! whose solver is made when it is needed.

use std::f64::consts::{PI, TAU};

use kinetic_kinematics::{Motion, Rigid};

use crate::analytic::array_vec::ArrayVec;
use crate::analytic::branches::{Branch, BranchJoints, Branches};
use crate::analytic::class::DispatchPlan;
use crate::analytic::constant::{Constant, Value, constants};
use crate::analytic::poe::{ProductOfExponentials, Screw};
use crate::analytic::policy::TolerancePolicy;
use crate::analytic::six::SixArm;
use crate::analytic::six::classes::{ANY_TIER, CLOSED_TIER, six, six_again, six_nearly};
use crate::analytic::solver::{Held, Parameters, Range, Solver, Target, blank};

/// Values of a locked joint in a sweep, and of the second one.
const LOCKED_SAMPLES: [usize; 2] = [36, 9];

#[derive(Debug)]
pub(crate) struct Locked {
    locks: Vec<Lock>,
    ranges: Vec<Range>,
    home: Rigid,
    dof: usize,
    others: OtherJoints,
    policy: TolerancePolicy,
}

constants!(Lock { joint, screw, is_before });

#[derive(Debug)]
struct Lock {
    joint: usize,
    screw: Screw,
    /// Before the six joints that are solved for.
    is_before: bool,
}

/// The six other joints.
#[derive(Debug)]
enum OtherJoints {
    Same(Box<SixArm>),
    /// The arm and which of its joints is locked.
    Changing(ProductOfExponentials, usize),
}

/// Tolerance with which the six others have to fit a class.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fit {
    /// A class with a closed form, exactly.
    Closed,
    /// A class with a closed form, but for rounded angles: with so many times the tolerances.
    Nearly(f64),
    /// Any class.
    Any,
}

impl Fit {
    fn six(self, arm: &ProductOfExponentials, policy: &TolerancePolicy) -> Option<(SixArm, DispatchPlan)> {
        match self {
            Self::Closed => six(arm, policy, CLOSED_TIER),
            Self::Nearly(factor) => six_nearly(arm, policy, factor),
            Self::Any => six(arm, policy, ANY_TIER),
        }
    }
}

impl Locked {
    /// With the joints `locks` (indices into the screws, ascending) locked, and the name of the class of the others.
    /// `None` when the others do not fit a class.
    pub(crate) fn new(
        arm: &ProductOfExponentials,
        locks: &[usize],
        bounds: &[(f64, f64)],
        policy: &TolerancePolicy,
        fit: Fit,
    ) -> Option<(Self, DispatchPlan)> {
        let screws = arm.screws();
        let before = locks.iter().enumerate().take_while(|(index, joint)| index == *joint).count();
        let are_outer = locks[before..].iter().rev().enumerate().all(|(index, joint)| joint + index + 1 == arm.dof());
        let middle = (0..arm.dof()).filter(|joint| !locks.contains(joint)).map(|joint| screws[joint]).collect();
        let (others, plan) = if are_outer {
            let (others, plan) = fit.six(&ProductOfExponentials::new(middle, *arm.home()).ok()?, policy)?;
            (OtherJoints::Same(Box::new(others)), plan)
        } else {
            // One in the middle of seven; its class is tested at a generic value.
            let [joint] = locks else { return None };
            let (low, high) = bounds[screws[*joint].variable];
            let is_rotation = screws[*joint].motion == Motion::Rotation;
            let value = if is_rotation { GENERIC_ANGLE_RAD } else { f64::midpoint(low, high) };
            let (_, plan) = fit.six(&arm.held(*joint, value), policy)?;
            (OtherJoints::Changing(arm.clone(), *joint), plan)
        };
        let ranges =
            locks.iter().enumerate().map(|(index, joint)| range(&screws[*joint], bounds, LOCKED_SAMPLES[index]));
        let ranges = ranges.collect::<Option<Vec<Range>>>()?;
        let lock =
            |(index, joint): (usize, &usize)| Lock { joint: *joint, screw: screws[*joint], is_before: index < before };
        let locks = locks.iter().enumerate().map(lock).collect();
        Some((Self { locks, ranges, home: *arm.home(), dof: arm.dof(), others, policy: *policy }, plan))
    }

    /// The target as the joints see it that are not locked.
    fn target_of_others(&self, target: &Target, at: &[f64]) -> Target {
        let mut displacement = target.displacement;
        for (lock, value) in self.locks.iter().zip(at).filter(|(lock, _)| lock.is_before) {
            displacement = lock.screw.exp(-value).then(&displacement);
        }
        for (lock, value) in self.locks.iter().zip(at).rev().filter(|(lock, _)| !lock.is_before) {
            displacement = displacement.then(&lock.screw.exp(-value));
        }
        Target { pose: displacement.then(&self.home), displacement, linearity_joint: target.linearity_joint }
    }

    /// The answer of `query` about the six other joints of the arm that `q` belongs to, and of the target as they see it.
    fn with_others<T>(&self, q: &[f64], target: &Target, query: impl Fn(&SixArm, &Target) -> T) -> Option<T> {
        let mut at: Parameters = ArrayVec::empty(0.0);
        for lock in &self.locks {
            at.push(q[lock.screw.variable]);
        }
        match &self.others {
            OtherJoints::Same(others) => Some(query(others, &self.target_of_others(target, &at))),
            OtherJoints::Changing(arm, joint) => {
                let held = arm.held(*joint, at[0]);
                Some(query(&six_again(&held, &self.policy)?, &Target::new(&target.pose, held.home())))
            }
        }
    }
}

/// An angle at which no two axes of an arm are parallel by design.
const GENERIC_ANGLE_RAD: f64 = 0.737;

/// `None` for a sliding joint without limits, which cannot be sampled.
fn range(screw: &Screw, bounds: &[(f64, f64)], samples: usize) -> Option<Range> {
    let (low, high) = bounds[screw.variable];
    if screw.motion == Motion::Rotation && !(high - low < TAU) {
        return Some(Range { low: -PI, high: PI, is_circle: true, samples });
    }
    (low.is_finite() && high.is_finite()).then_some(Range { low, high, is_circle: false, samples })
}

impl Solver for Locked {
    fn search(&self, target: &Target, at: &[f64], branches: &mut Branches) {
        if at.len() != self.locks.len() {
            return;
        }
        let mut q = blank(self.dof);
        for (lock, value) in self.locks.iter().zip(at) {
            q[lock.screw.variable] = *value;
        }
        match &self.others {
            OtherJoints::Same(others) => others.append(&self.target_of_others(target, at), q, branches),
            OtherJoints::Changing(arm, joint) => {
                let held = arm.held(*joint, at[0]);
                let Some(others) = six_again(&held, &self.policy) else { return };
                others.append(
                    &Target { linearity_joint: target.linearity_joint, ..Target::new(&target.pose, held.home()) },
                    q,
                    branches,
                );
            }
        }
    }

    fn refined(&self, branch: &Branch, target: &Target, steps: usize) -> Option<Branch> {
        self.with_others(&branch.q, target, |others, target| others.polished(branch, target, steps))
    }

    fn residual(&self, q: &BranchJoints, target: &Target) -> f64 {
        self.with_others(q, target, |others, target| others.residual_at(q, &target.pose)).unwrap_or(f64::INFINITY)
    }

    fn polished_holding(&self, branch: &Branch, target: &Target, held: Held) -> Option<Branch> {
        self.with_others(&branch.q, target, |others, target| others.polished_holding_at(branch, &target.pose, held))
    }

    /// None where every value of the locked joint makes another arm.
    fn data(&self) -> Option<Value> {
        let Self { locks, ranges, home, dof, others: OtherJoints::Same(others), policy } = self else { return None };
        let others = Value::Variant("OtherJoints::Same", vec![Value::Boxed(Box::new(others.data()?))]);
        let fields = vec![
            ("locks", locks.value()),
            ("ranges", ranges.value()),
            ("home", home.value()),
            ("dof", dof.value()),
            ("others", others),
            ("policy", policy.value()),
        ];
        Some(Value::Record("Locked", fields))
    }

    fn ranges(&self) -> &[Range] {
        &self.ranges
    }

    fn parameters(&self, _arm: &ProductOfExponentials, q: &[f64]) -> Parameters {
        let mut at = ArrayVec::empty(0.0);
        for lock in &self.locks {
            at.push(q[lock.screw.variable]);
        }
        at
    }

    fn linearity_joints(&self) -> Vec<usize> {
        match &self.others {
            OtherJoints::Same(others) => others.linearity_joints(),
            OtherJoints::Changing(arm, joint) => {
                let others = six_again(&arm.held(*joint, GENERIC_ANGLE_RAD), &self.policy);
                others.map_or_else(Vec::new, |others| others.linearity_joints())
            }
        }
    }

    fn locked(&self) -> Vec<usize> {
        self.locks.iter().map(|lock| lock.joint).collect()
    }
}
