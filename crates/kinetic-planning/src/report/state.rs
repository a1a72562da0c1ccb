//! Evidence about a start, a goal, or the configurations of a pose goal.

use kinetic_core::{JointValues, Pair};
use kinetic_ik::{IkReport, LimitViolation, limit_violations};
use kinetic_scene::Checker;
use nalgebra::Point3;

use super::TOLERANCE;
use crate::goal_context;
use crate::planner::Planner;
use crate::self_motion::SelfMotionTried;

/// A pair that misses its margin.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactEvidence {
    /// The two.
    pub pair: Pair,
    /// Signed distance, m; negative is penetration.
    pub distance: f64,
    /// Distance that the pair has to keep, m; of the tightest pair only.
    pub margin: Option<f64>,
    /// Nearest or deepest point of the first, root frame, m.
    pub point_on_link: Point3<f64>,
    /// The same of the other.
    pub point_on_other: Point3<f64>,
}

impl ContactEvidence {
    /// Penetration, m; 0 for bodies that are apart and miss a margin.
    pub fn depth(&self) -> f64 {
        (-self.distance).max(0.0)
    }
}

/// A configuration that cannot be used, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct StateEvidence {
    /// The configuration, group length.
    pub joints: JointValues,
    /// Joints outside their limits.
    pub outside: Vec<LimitViolation>,
    /// Pairs that miss their margin, the tightest first.
    pub contacts: Vec<ContactEvidence>,
}

impl StateEvidence {
    pub(super) fn at(planner: &Planner, checker: &mut Checker, q: &JointValues) -> Self {
        let outside = limit_violations(planner.chain(), q, TOLERANCE);
        Self { joints: q.clone(), outside, contacts: contacts(checker, q) }
    }

    /// True when a plan may begin or end there.
    pub fn is_usable(&self) -> bool {
        self.outside.is_empty() && self.contacts.is_empty()
    }

    /// The pair that misses its margin most.
    pub fn tightest(&self) -> Option<&ContactEvidence> {
        self.contacts.first()
    }
}

fn contacts(checker: &mut Checker, q: &[f64]) -> Vec<ContactEvidence> {
    let Some((link, other, distance, margin)) = goal_context::collision(checker, q) else {
        return Vec::new();
    };
    let tightest = Pair { link, other };
    let entry = |contact: kinetic_scene::Contact| ContactEvidence {
        margin: (contact.pair == tightest).then_some(margin),
        pair: contact.pair,
        distance: contact.distance,
        point_on_link: contact.point_on_link,
        point_on_other: contact.point_on_other,
    };
    let mut found: Vec<_> = checker.contacts(q, 0.0).into_iter().map(entry).collect();
    found.sort_by_key(|contact| contact.pair != tightest);
    if found.first().is_none_or(|contact| contact.pair != tightest) {
        // At the edge of its margin: two tiers round differently.
        let nowhere = Point3::origin();
        let (point_on_link, point_on_other, margin) = (nowhere, nowhere, Some(margin));
        found.insert(0, ContactEvidence { pair: tightest, distance, margin, point_on_link, point_on_other });
    }
    found
}

/// What became of a configuration that reaches a pose.
#[derive(Debug, Clone, PartialEq)]
pub enum BranchFate {
    /// It can be used.
    Free,
    /// Outside joint limits.
    OutsideLimits(Vec<LimitViolation>),
    /// In collision: the tightest pair and its distance, m.
    InCollision(Pair, f64),
}

/// The configurations of a pose goal.
#[derive(Debug, Clone, PartialEq)]
pub struct IkEvidence {
    /// What inverse kinematics says; its suggestions are left to the plan.
    pub report: IkReport,
    /// What became of each branch of the report.
    pub fates: Vec<BranchFate>,
    /// What was tried of the self-motion of a redundant arm whose branches all are in collision.
    pub self_motion: Option<SelfMotionTried>,
}

impl IkEvidence {
    pub(super) fn new(report: IkReport, checker: &mut Checker) -> Self {
        let fates = report.branches.iter().map(|branch| {
            if !branch.outside.is_empty() {
                return BranchFate::OutsideLimits(branch.outside.clone());
            }
            goal_context::collision(checker, &branch.joints).map_or(BranchFate::Free, |(link, other, distance, _)| {
                BranchFate::InCollision(Pair { link, other }, distance)
            })
        });
        Self { fates: fates.collect(), self_motion: None, report }
    }

    /// Branches that can be used.
    pub fn free(&self) -> usize {
        self.fates.iter().filter(|fate| **fate == BranchFate::Free).count()
    }

    /// Branches outside joint limits.
    pub fn outside_limits(&self) -> usize {
        self.fates.iter().filter(|fate| matches!(fate, BranchFate::OutsideLimits(_))).count()
    }

    /// Branches in collision.
    pub fn in_collision(&self) -> usize {
        self.fates.iter().filter(|fate| matches!(fate, BranchFate::InCollision(..))).count()
    }

    /// The pair of a branch in collision that is nearest to being free, with its distance, m.
    pub fn nearest_to_free(&self) -> Option<(&Pair, f64)> {
        let blocked = self.fates.iter().filter_map(|fate| match fate {
            BranchFate::InCollision(pair, distance) => Some((pair, *distance)),
            _ => None,
        });
        blocked.max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// A member of a set of goals that cannot be used.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberEvidence {
    /// Which one, from 0; of nested sets all members are counted in order.
    pub index: usize,
    /// The member, when it is a configuration.
    pub goal: Option<StateEvidence>,
    /// The configurations of its pose, when it is one.
    pub ik: Option<IkEvidence>,
}
