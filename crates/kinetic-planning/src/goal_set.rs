//! Goal sets: the goal configurations of a search, from goals of any kind.

use std::collections::BTreeMap;

use kinetic_core::error::reason;
use kinetic_core::{Control, ErrorFamily, Goal, JointValues, KineticError, Result};
use kinetic_scene::Checker;

use crate::goal::{self, Blocked};
use crate::goal_context::{GoalContext, MOST_TURNED};
use crate::goal_groups;
use crate::goal_naming::naming;
use crate::goal_region::SampledRegion;
use crate::windings;

/// Members of a set whose reasons are written out when none can be met.
const MOST_REASONS: usize = 4;

/// Configurations that meet the goal, all free and inside limits, and what more can be taken from: regions, and further turns
/// of the configurations of poses.
#[derive(Debug)]
pub(crate) struct GoalSet<'a> {
    configurations: Vec<JointValues>,
    /// Which member of the goal each configuration meets.
    members: Vec<usize>,
    regions: Vec<SampledRegion<'a>>,
    /// Configurations of poses at other turns than those nearest to the start, with their members.
    turned: Vec<(usize, JointValues)>,
    /// Configurations in the order that is preferred, with their members, of which the search has not been given any yet; the
    /// best one is the last. `None` where no order is.
    reserve: Option<Vec<(usize, JointValues)>>,
    /// Goals of several groups that contain regions, with their members and the poses taken of each region so far.
    grouped: Vec<(usize, &'a BTreeMap<String, Goal>, u64)>,
    /// The goals that are no sets.
    goals: Vec<&'a Goal>,
}

impl<'a> GoalSet<'a> {
    /// The configurations of `goal`; `poses` are taken from every region.
    ///
    /// Members that nothing can meet (out of reach, in collision) are left out as long as another one remains.
    ///
    /// # Errors
    /// Input errors of any member, naming it; [`KineticError::InvalidValue`] for an empty set; where no member can be
    /// met, the error of the only one, or [`KineticError::GoalUnreachable`] with the reasons.
    pub(crate) fn resolve(
        around: &GoalContext<'_>,
        checker: &mut Checker,
        goal: &'a Goal,
        poses: u64,
        control: &Control,
    ) -> Result<Self> {
        let mut members = Vec::new();
        flatten(goal, &mut members);
        if members.is_empty() {
            return Err(KineticError::invalid("goal", "an empty set", "at least one goal"));
        }
        let mut set = Self {
            configurations: Vec::new(),
            members: Vec::new(),
            regions: Vec::new(),
            turned: Vec::new(),
            reserve: None,
            grouped: Vec::new(),
            goals: members.clone(),
        };
        let mut refused = Vec::new();
        for (member, goal) in members.iter().enumerate() {
            control.check(0)?;
            match set.add_member(around, checker, member, goal, poses, control) {
                Ok(None) => {}
                Ok(Some(blocked)) => refused.push((member, Refusal::Blocked(blocked))),
                Err(error) if is_about_this_member(&error) => refused.push((member, Refusal::Error(error))),
                Err(error) => return Err(naming_member(error, member, members.len())),
            }
        }
        if set.configurations.is_empty() { Err(none_met(refused, members.len(), checker)) } else { Ok(set) }
    }

    /// Adds what meets a member; what is there where none of it is free.
    fn add_member(
        &mut self,
        around: &GoalContext<'_>,
        checker: &mut Checker,
        member: usize,
        goal: &'a Goal,
        poses: u64,
        control: &Control,
    ) -> Result<Option<Blocked>> {
        if let Goal::Groups(goals) = goal {
            let found = goal_groups::resolve(around, checker, goals, poses, control)?;
            if goal_groups::can_grow(goals) {
                self.grouped.push((member, goals, poses));
            }
            self.extend(member, found);
            return Ok(None);
        }
        let Goal::Region(region) = goal else {
            let found = match goal::resolve(around, checker, goal, control)? {
                Ok(found) => found,
                Err(blocked) => return Ok(Some(blocked)),
            };
            if matches!(goal, Goal::Pose(_) | Goal::Relative { .. } | Goal::Links(_)) {
                self.turned.extend(further_turns(around, &found).map(|q| (member, q)));
            }
            self.extend(member, found);
            return Ok(None);
        };
        around.ik.robot.check_single_tip(around.group)?;
        self.regions.push(SampledRegion::new(member, region)?);
        let found = self.sample(around, checker, self.regions.len() - 1, poses, control);
        if found.is_err() {
            self.regions.pop();
        }
        found.map(|()| None)
    }

    /// Takes the further turns of poses, and more poses from every region.
    ///
    /// # Errors
    /// What `control` says, or errors of inverse kinematics.
    pub(crate) fn grow(
        &mut self,
        around: &GoalContext<'_>,
        checker: &mut Checker,
        poses: u64,
        control: &Control,
    ) -> Result<()> {
        if self.takes_reserve() {
            return Ok(());
        }
        self.take_turned(checker);
        (0..self.regions.len()).try_for_each(|region| self.sample(around, checker, region, poses, control))?;
        (0..self.grouped.len()).try_for_each(|grouped| self.grow_grouped(around, checker, grouped, poses, control))
    }

    /// Takes the further turns of poses.
    pub(crate) fn take_turned(&mut self, checker: &mut Checker) {
        for (member, q) in std::mem::take(&mut self.turned) {
            // The same place, but for rounding.
            if checker.is_free(&q) {
                self.extend(member, vec![q]);
            }
        }
    }

    /// Leaves out the configurations that are not wanted, as long as one is.
    ///
    /// # Errors
    /// Those of the function.
    pub(crate) fn keep_where(&mut self, is_wanted: impl FnMut(&JointValues) -> Result<bool>) -> Result<()> {
        let wanted: Vec<bool> = self.configurations.iter().map(is_wanted).collect::<Result<_>>()?;
        if wanted.contains(&true) {
            let (mut of_members, mut of_configurations) = (wanted.iter(), wanted.iter());
            self.members.retain(|_| of_members.next() == Some(&true));
            self.configurations.retain(|_| of_configurations.next() == Some(&true));
        }
        Ok(())
    }

    /// Keeps the configuration of least cost, of equals that of the second cost, then the first; [`grow`](Self::grow) has four times as many of the
    /// best ones each time, before anything else.
    ///
    /// # Errors
    /// Those of the cost.
    pub(crate) fn rank(&mut self, cost: impl FnMut(&JointValues) -> Result<[f64; 2]>) -> Result<()> {
        let costs: Vec<[f64; 2]> = self.configurations.iter().map(cost).collect::<Result<_>>()?;
        let members = std::mem::take(&mut self.members);
        let all = members.into_iter().zip(std::mem::take(&mut self.configurations));
        let mut ranked: Vec<([f64; 2], (usize, JointValues))> = costs.into_iter().zip(all).collect();
        let order = |one: [f64; 2], other: [f64; 2]| one[0].total_cmp(&other[0]).then(one[1].total_cmp(&other[1]));
        ranked.sort_by(|one, other| order(one.0, other.0));
        self.reserve = Some(ranked.into_iter().rev().map(|(_, entry)| entry).collect());
        self.takes_reserve();
        Ok(())
    }

    /// Takes three times as many of the reserve as there are configurations, at least one; false where it is empty.
    fn takes_reserve(&mut self) -> bool {
        let Some(reserve) = &mut self.reserve else { return false };
        let taken = reserve.split_off(reserve.len().saturating_sub((3 * self.configurations.len()).max(1)));
        for (member, q) in taken.iter().rev() {
            self.extend(*member, vec![q.clone()]);
        }
        !taken.is_empty()
    }

    /// Whether the configurations are in an order that is preferred.
    pub(crate) fn is_ranked(&self) -> bool {
        self.reserve.is_some()
    }

    /// Takes more poses from the regions in a goal of several groups.
    fn grow_grouped(
        &mut self,
        around: &GoalContext<'_>,
        checker: &mut Checker,
        grouped: usize,
        poses: u64,
        control: &Control,
    ) -> Result<()> {
        let (member, goals, taken) = &mut self.grouped[grouped];
        *taken += poses;
        let (member, mut found) = (*member, goal_groups::resolve(around, checker, goals, *taken, control)?);
        found.retain(|q| !self.configurations.contains(q));
        self.extend(member, found);
        Ok(())
    }

    fn sample(
        &mut self,
        around: &GoalContext<'_>,
        checker: &mut Checker,
        region: usize,
        poses: u64,
        control: &Control,
    ) -> Result<()> {
        let mut found = Vec::new();
        let region = &mut self.regions[region];
        region.sample(&around.ik, checker, around.start, poses, control, &mut found)?;
        let member = region.member;
        self.extend(member, found);
        Ok(())
    }

    fn extend(&mut self, member: usize, found: Vec<JointValues>) {
        self.members.resize(self.members.len() + found.len(), member);
        self.configurations.extend(found);
    }

    /// Whether [`grow`](Self::grow) can add anything.
    pub(crate) fn can_grow(&self) -> bool {
        let has_reserve = self.reserve.as_ref().is_some_and(|reserve| !reserve.is_empty());
        has_reserve || !(self.regions.is_empty() && self.turned.is_empty() && self.grouped.is_empty())
    }

    /// The values that the goal states which a configuration meets, where it is one of joints.
    pub(crate) fn stated(&self, around: &GoalContext<'_>, configuration: usize) -> Option<JointValues> {
        match self.goals[self.members[configuration]] {
            Goal::Groups(goals) => goal_groups::stated(around, goals),
            single => goal::stated(around, single),
        }
    }

    /// The configurations, for equivalent ones in their place.
    pub(crate) fn configurations_mut(&mut self) -> &mut [JointValues] {
        &mut self.configurations
    }

    /// The configurations so far.
    pub(crate) fn configurations(&self) -> &[JointValues] {
        &self.configurations
    }

    /// The member of the goal that a configuration meets.
    pub(crate) fn member(&self, configuration: usize) -> usize {
        self.members[configuration]
    }
}

/// The configurations that are full turns of bounded joints away from some found for a pose, inside limits.
fn further_turns(around: &GoalContext<'_>, found: &[JointValues]) -> impl Iterator<Item = JointValues> {
    let most = (MOST_TURNED / found.len().max(1)).max(2);
    let turned = |q: &JointValues| {
        let mut all = windings::equivalents(around.ik.chain, q, around.start, most);
        all.retain(|other| windings::between(q, other).iter().any(|turn| *turn != 0));
        all
    };
    found.iter().flat_map(turned).collect::<Vec<_>>().into_iter()
}

/// The goals that are no sets, in order.
pub(crate) fn flatten<'a>(goal: &'a Goal, members: &mut Vec<&'a Goal>) {
    match goal {
        Goal::Any(goals) => goals.iter().for_each(|goal| flatten(goal, members)),
        single => members.push(single),
    }
}

/// Whether the search can do without the member.
fn is_about_this_member(error: &KineticError) -> bool {
    matches!(error, KineticError::GoalInCollision { .. } | KineticError::GoalUnreachable { .. })
}

/// An input error that says which member of a set it is about.
fn naming_member(error: KineticError, member: usize, count: usize) -> KineticError {
    if count == 1 || error.family() != ErrorFamily::Input {
        return error;
    }
    naming(error, &format!("goal {} of {count}", member + 1))
}

/// Why a member is left out.
enum Refusal {
    Blocked(Blocked),
    Error(KineticError),
}

impl Refusal {
    fn error(self, checker: &mut Checker) -> KineticError {
        match self {
            Self::Blocked(blocked) => blocked.error(checker),
            Self::Error(error) => error,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Blocked(blocked) => blocked.code(),
            Self::Error(error) => error.code(),
        }
    }
}

fn none_met(mut refused: Vec<(usize, Refusal)>, count: usize, checker: &mut Checker) -> KineticError {
    if count == 1
        && let Some((_, refusal)) = refused.pop()
    {
        return refusal.error(checker);
    }
    let codes = refused.iter().map(|(_, refusal)| refusal.code().to_owned()).collect();
    let shown = refused.into_iter().take(MOST_REASONS);
    let shown = shown.map(|(member, refusal)| format!("goal {}: {}", member + 1, refusal.error(checker)));
    let more = if count > MOST_REASONS { "; …" } else { "" };
    let detail = format!("{}{more}", shown.collect::<Vec<_>>().join("; "));
    KineticError::GoalUnreachable { reason: reason::GoalUnreachable::Several { goals: count, codes, detail } }
}
