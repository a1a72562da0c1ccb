//! Name resolution of an SRDF: from names to indices in a robot.

use std::collections::BTreeSet;

use kinetic_core::{JointLimits, JointValues, KineticError, Pose, Result};

use super::{SrdfEndEffector, SrdfGroup, SrdfGroupState, SrdfModel, fault};
use crate::group;
use crate::model::{EndEffector, NamedPose, PlanningGroup, SkipPair};
use crate::robot::Robot;
use crate::tolerance::PRINTED_LIMIT_ROUNDING_RAD_M;

pub(super) fn apply(model: &SrdfModel, robot: &mut Robot) -> Result<()> {
    if model.name != robot.name {
        robot.notes.push(format!("SRDF: written for robot \"{}\", used for \"{}\"", model.name, robot.name));
    }
    for (kind, names) in [("virtual", &model.virtual_joints), ("passive", &model.passive_joints)] {
        robot.notes.extend(names.iter().map(|name| format!("SRDF: {kind} joint \"{name}\" is not used")));
    }
    replace_groups(model, robot)?;
    for state in &model.group_states {
        add_state(model, robot, state)?;
    }
    for end_effector in &model.end_effectors {
        let end_effector = convert_end_effector(model, robot, end_effector)?;
        robot.end_effectors.push(end_effector);
    }
    skip_pairs(model, robot);
    Ok(())
}

impl SrdfModel {
    fn error(&self, line: u32, owner: &str, error: &KineticError) -> KineticError {
        fault(self.file.clone(), line, format!("{owner}: {error}"))
    }
}

fn replace_groups(model: &SrdfModel, robot: &mut Robot) -> Result<()> {
    let mut groups = Vec::new();
    for given in &model.groups {
        let group = convert_group(model, robot, given)?;
        if group.dof() == 0 {
            robot.notes.push(format!("SRDF: group \"{}\" has no moving joints and is left out", given.name));
        } else {
            groups.push(group);
        }
    }
    if !groups.is_empty() {
        robot.groups = groups;
        robot.named_poses.clear();
        robot.end_effectors.clear();
        robot.set_default_group(0);
    }
    Ok(())
}

fn convert_group(model: &SrdfModel, robot: &Robot, given: &SrdfGroup) -> Result<PlanningGroup> {
    let wrong = |error: KineticError| model.error(given.line, &format!("group \"{}\"", given.name), &error);
    if let ([(base, tip)], true) = (given.chains.as_slice(), is_only_chain(given)) {
        let ends = robot.link_index(base).and_then(|base| Ok((base, robot.link_index(tip)?)));
        let (base, tip) = ends.map_err(wrong)?;
        let joints = group::joints_between(robot, base, tip).map_err(wrong)?;
        return Ok(group::between(robot, &given.name, (base, tip), &joints));
    }
    let joints = collect_joints(model, robot, given)?;
    Ok(group::between(robot, &given.name, group::ends(robot, &joints), &joints))
}

fn is_only_chain(given: &SrdfGroup) -> bool {
    given.joints.is_empty() && given.links.is_empty() && given.subgroups.is_empty()
}

/// All joints of a group and its subgroups, in tree order, as `MoveIt` orders the joints of a group.
fn collect_joints(model: &SrdfModel, robot: &Robot, given: &SrdfGroup) -> Result<Vec<usize>> {
    let owner = format!("group \"{}\"", given.name);
    let wrong = |detail: &str| fault(model.file.clone(), given.line, format!("{owner}: {detail}"));
    let mut joints = BTreeSet::new();
    let mut waiting = vec![given];
    let mut seen = BTreeSet::new();
    while let Some(group) = waiting.pop() {
        let own = own_joints(model, robot, group).map_err(|error| model.error(given.line, &owner, &error))?;
        joints.extend(own);
        for name in &group.subgroups {
            if *name == given.name {
                return Err(wrong("contains itself"));
            }
            let found = model.groups.iter().find(|group| group.name == *name);
            let subgroup = found.ok_or_else(|| wrong(&format!("no group \"{name}\"")))?;
            if seen.insert(name) {
                waiting.push(subgroup);
            }
        }
    }
    Ok(joints.into_iter().collect())
}

/// Joints that a group lists by itself, by name, by link or by chain.
fn own_joints(model: &SrdfModel, robot: &Robot, group: &SrdfGroup) -> Result<Vec<usize>> {
    let mut joints = Vec::new();
    for name in group.joints.iter().filter(|name| !model.virtual_joints.contains(name)) {
        joints.push(robot.joint_index(name)?);
    }
    for name in &group.links {
        joints.extend(robot.links[robot.link_index(name)?].parent_joint);
    }
    for (base, tip) in &group.chains {
        joints.extend(group::joints_between(robot, robot.link_index(base)?, robot.link_index(tip)?)?);
    }
    Ok(joints)
}

/// Joints that a state leaves out are at the neutral configuration; those that only follow others are passed over.
fn add_state(model: &SrdfModel, robot: &mut Robot, state: &SrdfGroupState) -> Result<()> {
    let owner = format!("group_state \"{}\"", state.name);
    let Ok(index) = robot.group_index(&state.group) else {
        if model.groups.iter().any(|group| group.name == state.group) {
            robot.notes.push(format!("SRDF: {owner} belongs to group \"{}\", which does not move", state.group));
            return Ok(());
        }
        return Err(fault(model.file.clone(), state.line, format!("{owner}: no group \"{}\"", state.group)));
    };
    let mut full = robot.neutral_configuration();
    for (name, value) in &state.joints {
        let joint = robot.joint_index(name).map_err(|error| model.error(state.line, &owner, &error))?;
        if let Some(variable) = robot.joints[joint].variable {
            full[variable] = *value;
        }
    }
    let values: JointValues = robot.groups[index].variables.iter().map(|variable| full[*variable]).collect();
    note_doubts(model, robot, state, index, &values);
    // As in MoveIt, a later state of the same name replaces an earlier one.
    robot.named_poses.retain(|pose| pose.group != index || pose.name != state.name);
    robot.named_poses.push(NamedPose { name: state.name.clone(), group: index, values });
    Ok(())
}

/// Notes what of a state is ambiguous, left out, or outside the limits.
fn note_doubts(model: &SrdfModel, robot: &mut Robot, state: &SrdfGroupState, group: usize, values: &[f64]) {
    let owner = format!("SRDF: group_state \"{}\" of group \"{}\"", state.name, state.group);
    let mut notes = Vec::new();
    let same = |other: &&SrdfGroupState| (&other.name, &other.group) == (&state.name, &state.group);
    if model.group_states.iter().find(same).is_some_and(|first| !std::ptr::eq(first, state)) {
        notes.push(format!("{owner} is given more than once; the last one is used"));
    }
    for (position, (name, _)) in state.joints.iter().enumerate() {
        if state.joints[..position].iter().any(|(earlier, _)| earlier == name) {
            notes.push(format!("{owner} gives joint \"{name}\" more than once; the last value is used"));
        }
    }
    let PlanningGroup { joints, variables, .. } = &robot.groups[group];
    for ((joint, variable), value) in joints.iter().zip(variables).zip(values) {
        let name = &robot.joints[*joint].name;
        if !state.joints.iter().any(|(given, _)| given == name) {
            notes.push(format!("{owner} leaves out joint \"{name}\", which is at {value} in it"));
        }
        let JointLimits { lower, upper, .. } = &robot.joint_limits[*variable];
        if !(*value >= lower - PRINTED_LIMIT_ROUNDING_RAD_M && *value <= upper + PRINTED_LIMIT_ROUNDING_RAD_M) {
            notes.push(format!("{owner} has joint \"{name}\" at {value}, outside its limits [{lower}, {upper}]"));
        }
    }
    robot.notes.extend(notes);
}

fn convert_end_effector(model: &SrdfModel, robot: &Robot, given: &SrdfEndEffector) -> Result<EndEffector> {
    let owner = format!("end_effector \"{}\"", given.name);
    let group = |name: &String| -> Result<Option<usize>> {
        if model.groups.iter().any(|group| group.name == *name) {
            return Ok(robot.group_index(name).ok());
        }
        Err(fault(model.file.clone(), given.line, format!("{owner}: no group \"{name}\"")))
    };
    Ok(EndEffector {
        name: given.name.clone(),
        parent_link: robot.link_index(&given.parent_link).map_err(|error| model.error(given.line, &owner, &error))?,
        parent_group: given.parent_group.as_ref().map(group).transpose()?.flatten(),
        group: group(&given.group)?,
        grasp_frame: Pose::identity(),
    })
}

/// Vendor files disable pairs of optional parts, so unknown links are noted rather than refused.
fn skip_pairs(model: &SrdfModel, robot: &mut Robot) {
    for pair in &model.disabled_collisions {
        match (robot.link_index(&pair.link1), robot.link_index(&pair.link2)) {
            (Ok(a), Ok(b)) if a != b => {
                robot.collision.skip_pairs.push(SkipPair { links: (a.min(b), a.max(b)), reason: pair.reason.clone() });
            }
            _ => robot.notes.push(format!(
                "SRDF: disable_collisions of \"{}\" and \"{}\" names no pair of links of the robot",
                pair.link1, pair.link2
            )),
        }
    }
    robot.collision.normalise();
}
