//! Groups that are made of other groups (SRDF subgroups), and the tips of groups.
//!
//! Several groups that are planned together are a group, too: the one whose name joins theirs, as in `left_arm+right_arm`.
//! It is made when it is asked for, so that robots with the same description stay equal.

use std::borrow::Cow;

use kinetic_core::{JointValues, KineticError, Pose, Result};

use crate::group;
use crate::model::PlanningGroup;
use crate::robot::Robot;

/// What stands between the names of groups that are planned together.
pub const GROUP_SEPARATOR: char = '+';

/// The name of the group that is made of groups.
pub fn joined_group_name<N: AsRef<str>>(groups: &[N]) -> String {
    groups.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(&GROUP_SEPARATOR.to_string())
}

impl Robot {
    /// The group with this name, or the one that is made of the groups whose names it [joins](joined_group_name): their
    /// joints in the order of the names. Its base is the deepest link above theirs.
    ///
    /// # Errors
    /// [`KineticError::GroupNotFound`] with the names that exist; [`KineticError::GroupsShareJoint`];
    /// [`KineticError::InvalidValue`] for a group that is named twice.
    pub fn resolve_group(&self, name: &str) -> Result<Cow<'_, PlanningGroup>> {
        if let Some(group) = self.groups.iter().find(|group| group.name == name) {
            return Ok(Cow::Borrowed(group));
        }
        match self.parts_named(name) {
            Some(parts) if parts.len() > 1 => Ok(Cow::Owned(self.join(name, &parts)?)),
            _ => Err(self.no_group(name)),
        }
    }

    /// The groups whose names a name joins; `None` where one of them does not exist. A name may contain the separator itself:
    /// the longest name that exists is taken first.
    fn parts_named(&self, name: &str) -> Option<Vec<&PlanningGroup>> {
        if let Some(group) = self.groups.iter().find(|group| group.name == name) {
            return Some(vec![group]);
        }
        name_parts(self, name)
    }

    /// The error for a name that no group has; of joined names it names the first that does not exist.
    fn no_group(&self, name: &str) -> KineticError {
        let is_known = |part: &&str| self.groups.iter().any(|group| group.name == **part);
        let unknown = name.split(GROUP_SEPARATOR).find(|part| !is_known(part)).unwrap_or(name);
        KineticError::GroupNotFound {
            name: unknown.to_owned(),
            robot: self.name.clone(),
            available: self.groups.iter().map(|group| group.name.clone()).collect(),
        }
    }

    fn join(&self, name: &str, parts: &[&PlanningGroup]) -> Result<PlanningGroup> {
        for (index, part) in parts.iter().enumerate() {
            if parts[..index].iter().any(|other| other.name == part.name) {
                return Err(KineticError::invalid("group", format!("\"{}\" twice", part.name), "each group once"));
            }
        }
        self.check_disjoint(parts)?;
        let joints: Vec<usize> = parts.iter().flat_map(|part| &part.joints).copied().collect();
        let deepest = |part: &&&PlanningGroup| self.moving_depth(part.tip_link);
        // `max_by_key` takes the last of equals.
        let tip = parts.iter().rev().max_by_key(deepest).copied().unwrap_or(&self.groups[self.default_group]);
        let mut base_link = parts.iter().map(|part| part.base_link).min().unwrap_or_default();
        while !parts.iter().all(|part| group::is_above(self, base_link, part.base_link)) {
            base_link = self.parent_link(base_link).unwrap_or_default();
        }
        Ok(PlanningGroup {
            name: name.to_owned(),
            base_link,
            tip_link: tip.tip_link,
            variables: parts.iter().flat_map(|part| &part.variables).copied().collect(),
            joints,
            tip_from_tcp: tip.tip_from_tcp,
        })
    }

    /// Refuses groups that move the same joint.
    ///
    /// # Errors
    /// [`KineticError::GroupsShareJoint`] with the first such joint.
    pub fn check_disjoint(&self, groups: &[&PlanningGroup]) -> Result<()> {
        for (index, group) in groups.iter().enumerate() {
            for other in &groups[index + 1..] {
                if let Some(joint) = group.joints.iter().find(|joint| other.joints.contains(joint)) {
                    let joint = self.joints[*joint].name.clone();
                    let (group, other) = (group.name.clone(), other.name.clone());
                    return Err(KineticError::GroupsShareJoint { group, other, joint });
                }
            }
        }
        Ok(())
    }

    /// Moving joints above a link.
    fn moving_depth(&self, link: usize) -> usize {
        let way_up = std::iter::successors(Some(link), |link| self.parent_link(*link));
        let moves = |link: &usize| {
            self.links[*link].parent_joint.is_some_and(|joint| self.joints[joint].joint_type.is_moving())
        };
        way_up.filter(moves).count()
    }

    /// The groups of the model all of whose joints are in `group`, itself aside, that have one tip.
    pub fn subgroups(&self, group: &PlanningGroup) -> Vec<&PlanningGroup> {
        let is_inside = |other: &&PlanningGroup| {
            other.name != group.name
                && other.joints.iter().all(|joint| group.joints.contains(joint))
                && self.last_joints(other).len() <= 1
        };
        self.groups.iter().filter(is_inside).collect()
    }

    /// Joints of a group below which no other joint of it is, in group order.
    fn last_joints(&self, group: &PlanningGroup) -> Vec<usize> {
        let above = |joint: &usize| {
            std::iter::successors(self.links[self.joints[*joint].parent].parent_joint, |joint| {
                self.links[self.joints[*joint].parent].parent_joint
            })
        };
        let inner: Vec<usize> = group.joints.iter().flat_map(above).collect();
        group.joints.iter().filter(|joint| !inner.contains(joint)).copied().collect()
    }

    /// The tip links of a group, in the order of its joints: one for the joints of a chain, several for those of several arms
    /// or fingers. The tip of a subgroup stands for the link that its last joint carries.
    pub fn tips(&self, group: &PlanningGroup) -> Vec<usize> {
        let last = self.last_joints(group);
        if last.len() <= 1 {
            return vec![group.tip_link];
        }
        let subgroups = self.subgroups(group);
        let tip_of = |joint: &usize| {
            let owner = subgroups.iter().find(|part| part.joints.contains(joint));
            owner.map_or(self.joints[*joint].child, |part| part.tip_link)
        };
        last.iter().map(tip_of).collect()
    }

    /// The link that a group moves as it is seen from the frame of another link, and the tool on it: the tip of a group with
    /// one, or that of several below which the other link is not, as where one arm holds what the other one works on.
    ///
    /// # Errors
    /// [`KineticError::SeveralTips`] where that is none or several.
    pub fn tool_seen_from(&self, group: &PlanningGroup, frame_link: usize) -> Result<(usize, Pose)> {
        if self.last_joints(group).len() <= 1 {
            return Ok((group.tip_link, group.tip_from_tcp));
        }
        let joints_above = |link: usize| {
            let next = |joint: &usize| self.links[self.joints[*joint].parent].parent_joint;
            std::iter::successors(self.links[link].parent_joint, next).filter(|joint| group.joints.contains(joint))
        };
        let tips = self.tips(group);
        let carries = |tip: &usize| {
            let above_tip: Vec<usize> = joints_above(*tip).collect();
            joints_above(frame_link).all(|joint| above_tip.contains(&joint))
        };
        let is_static = joints_above(frame_link).next().is_none();
        let mut seen = tips.iter().filter(|tip| is_static || !carries(tip));
        match (seen.next(), seen.next()) {
            (Some(tip), None) => {
                let owner = self.subgroups(group).into_iter().find(|part| part.tip_link == *tip);
                Ok((*tip, owner.map_or_else(Pose::identity, |part| part.tip_from_tcp)))
            }
            _ => Err(self.several_tips(group)),
        }
    }

    /// Refuses a group with several tips, for questions about one of them.
    ///
    /// # Errors
    /// [`KineticError::SeveralTips`] with the tips, and the groups that have one of them.
    pub fn check_single_tip(&self, group: &PlanningGroup) -> Result<()> {
        if self.last_joints(group).len() <= 1 {
            return Ok(());
        }
        Err(self.several_tips(group))
    }

    fn several_tips(&self, group: &PlanningGroup) -> KineticError {
        KineticError::SeveralTips {
            group: group.name.clone(),
            tips: self.tips(group).iter().map(|link| self.links[*link].name.clone()).collect(),
            available: self.subgroups(group).iter().map(|part| part.name.clone()).collect(),
        }
    }

    /// The values of a named pose of a group. A group that is made of groups has the poses that all of them have.
    pub fn named_configuration(&self, group: &PlanningGroup, name: &str) -> Option<JointValues> {
        if let Some(values) = self.named_pose(group, name) {
            return Some(values.clone());
        }
        let parts = self.parts_of(group)?;
        let values = parts.iter().map(|part| self.named_pose(part, name)).collect::<Option<Vec<_>>>()?;
        Some(values.into_iter().flat_map(|values| values.iter().copied()).collect())
    }

    /// The groups that a group is made of, where it is made of several.
    pub(crate) fn parts_of(&self, group: &PlanningGroup) -> Option<Vec<&PlanningGroup>> {
        name_parts(self, &group.name).filter(|parts| {
            let variables = parts.iter().flat_map(|part| &part.variables);
            variables.eq(&group.variables)
        })
    }
}

/// The groups whose names a name joins, although a group may have that name itself.
fn name_parts<'a>(robot: &'a Robot, name: &str) -> Option<Vec<&'a PlanningGroup>> {
    name.rmatch_indices(GROUP_SEPARATOR).find_map(|(at, _)| {
        let first = robot.groups.iter().find(|group| group.name == name[..at])?;
        let mut parts = vec![first];
        parts.extend(robot.parts_named(&name[at + 1..])?);
        Some(parts)
    })
}
