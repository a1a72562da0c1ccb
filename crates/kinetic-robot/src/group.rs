//! Planning groups from links or joints.

use std::collections::BTreeSet;

use kinetic_core::error::reason;
use kinetic_core::{KineticError, Pose, Result};

use crate::model::{JointType, PlanningGroup};
use crate::multi_dof;
use crate::robot::Robot;

/// Name of the group that is made when a model has none.
pub(crate) const DEFAULT_GROUP: &str = "arm";

/// The independent joint that drives `joint`; `None` for a fixed one.
fn driver(robot: &Robot, joint: usize) -> Option<usize> {
    match robot.joints[joint].mimic {
        Some(mimic) => Some(mimic.joint),
        None => robot.joints[joint].variable.map(|_| joint),
    }
}

/// Joints from `base` down to `tip`, fixed ones included.
pub(crate) fn joints_between(robot: &Robot, base: usize, tip: usize) -> Result<Vec<usize>> {
    let path = joints_above(robot, tip);
    if base == tip {
        return Ok(Vec::new());
    }
    match path.iter().position(|joint| robot.joints[*joint].parent == base) {
        Some(last) => Ok(path[..=last].iter().rev().copied().collect()),
        None => Err(no_chain(robot, base, tip)),
    }
}

/// Joints from a link up to the root, nearest first.
fn joints_above(robot: &Robot, link: usize) -> Vec<usize> {
    std::iter::successors(robot.links[link].parent_joint, |joint| robot.links[robot.joints[*joint].parent].parent_joint)
        .collect()
}

fn no_chain(robot: &Robot, base: usize, tip: usize) -> KineticError {
    let above_base = joints_above(robot, base);
    let reason = if above_base.iter().any(|joint| robot.joints[*joint].parent == tip) {
        reason::ChainExtraction::BaseBelowTip
    } else {
        let above_tip = joints_above(robot, tip);
        let is_shared =
            |joint: &&usize| above_tip.iter().any(|other| robot.joints[*other].parent == robot.joints[**joint].parent);
        let fork = above_base.iter().find(is_shared).map_or(0, |joint| robot.joints[*joint].parent);
        reason::ChainExtraction::DifferentBranches { fork: robot.links[fork].name.clone() }
    };
    KineticError::ChainExtraction { base: robot.links[base].name.clone(), tip: robot.links[tip].name.clone(), reason }
}

/// The group of all joints between two links.
///
/// # Errors
/// [`KineticError::ChainExtraction`] when `base` is no ancestor of `tip`, or nothing moves between them.
pub(crate) fn from_chain(robot: &Robot, name: &str, base: usize, tip: usize) -> Result<PlanningGroup> {
    let joints = joints_between(robot, base, tip)?;
    let group = between(robot, name, (base, tip), &joints);
    if group.joints.is_empty() {
        return Err(KineticError::ChainExtraction {
            base: robot.links[base].name.clone(),
            tip: robot.links[tip].name.clone(),
            reason: reason::ChainExtraction::NothingMoves,
        });
    }
    Ok(group)
}

/// The group of independent joints in the order in which they are listed.
pub(crate) fn listed(robot: &Robot, name: &str, joints: &[usize]) -> PlanningGroup {
    with_drivers(robot, name, ends(robot, joints), joints.to_vec())
}

/// The links between which any joints act: the deepest link above all of them, and the link that the first of the
/// deepest ones carries.
pub(crate) fn ends(robot: &Robot, joints: &[usize]) -> (usize, usize) {
    // `max_by_key` takes the last of equals.
    let tip = joints.iter().rev().max_by_key(|joint| joints_above(robot, robot.joints[**joint].child).len());
    let tip = tip.map_or(0, |joint| robot.joints[*joint].child);
    let mut base = joints.iter().map(|joint| robot.joints[*joint].parent).min().unwrap_or_default();
    // Parents have smaller indices, so going up from the smallest ends at the link above all.
    while !joints.iter().all(|joint| is_above(robot, base, robot.joints[*joint].child)) {
        base = robot.links[base].parent_joint.map_or(0, |joint| robot.joints[joint].parent);
    }
    (base, tip)
}

/// True when `link` hangs on `above` or is the same.
pub(crate) fn is_above(robot: &Robot, above: usize, link: usize) -> bool {
    above == link || joints_above(robot, link).iter().any(|joint| robot.joints[*joint].parent == above)
}

/// The group of the joints that drive `joints`, in tree order, acting between two links.
pub(crate) fn between(
    robot: &Robot,
    name: &str,
    (base_link, tip_link): (usize, usize),
    joints: &[usize],
) -> PlanningGroup {
    let drivers: BTreeSet<usize> = joints.iter().filter_map(|joint| driver(robot, *joint)).collect();
    with_drivers(robot, name, (base_link, tip_link), drivers.into_iter().collect())
}

fn with_drivers(
    robot: &Robot,
    name: &str,
    (base_link, tip_link): (usize, usize),
    independent: Vec<usize>,
) -> PlanningGroup {
    PlanningGroup {
        name: name.to_owned(),
        base_link,
        tip_link,
        variables: independent.iter().filter_map(|joint| robot.joints[*joint].variable).collect(),
        joints: independent,
        tip_from_tcp: Pose::identity(),
    }
}

/// The group that a model without groups gets, called `arm`: from `base` to `tip`.
///
/// Without a tip it ends at the link with the most moving joints above it, then the most joints, then the first in tree
/// order. Without a base it begins at the root, or below the last joint on the way that may move anywhere (a floating
/// or planar joint): what such a joint carries is a robot, and it is the ground that the robot stands on.
///
/// # Errors
/// [`KineticError::LinkNotFound`]; [`KineticError::ChainExtraction`] when a given pair is no moving chain.
pub(crate) fn automatic(robot: &Robot, base: Option<&str>, tip: Option<&str>) -> Result<PlanningGroup> {
    let base_link = base.map(|name| robot.link_index(name)).transpose()?;
    let tip_link = match tip {
        Some(name) => robot.link_index(name)?,
        None => deepest_leaf(robot, base_link.unwrap_or(0), base_link.is_none()),
    };
    if base.is_some() || tip.is_some() {
        return from_chain(robot, DEFAULT_GROUP, base_link.unwrap_or_else(|| ground(robot, tip_link)), tip_link);
    }
    let base_link = ground(robot, tip_link);
    // A thing without moving joints is a robot too; its group has no values.
    let joints = joints_between(robot, base_link, tip_link)?;
    Ok(between(robot, DEFAULT_GROUP, (base_link, tip_link), &joints))
}

/// True for a joint that is part of a floating or planar joint.
fn is_free(robot: &Robot, joint: usize) -> bool {
    let series = |joint: usize| multi_dof::series_of(&robot.joints[joint].name);
    let slides = |joint: usize| {
        let given = &robot.joints[joint];
        given.joint_type == JointType::Prismatic && given.limits.is_some_and(|limits| limits.lower == f64::NEG_INFINITY)
    };
    let Some(name) = series(joint) else { return false };
    let way_up = std::iter::successors(Some(joint), |joint| robot.links[robot.joints[*joint].parent].parent_joint);
    way_up.take_while(|joint| series(*joint) == Some(name)).any(slides)
}

/// The link below the last floating or planar joint above `tip`; the root when there is none.
fn ground(robot: &Robot, tip: usize) -> usize {
    joints_above(robot, tip)
        .into_iter()
        .find(|joint| is_free(robot, *joint))
        .map_or(0, |joint| robot.joints[joint].child)
}

/// The link with the most moving joints between it and `base`, then the most joints, then the first in tree order.
/// `from_ground`: counted from the last floating or planar joint on.
fn deepest_leaf(robot: &Robot, base: usize, from_ground: bool) -> usize {
    let mut depth = vec![None; robot.links.len()];
    depth[base] = Some((0_usize, 0_usize));
    let mut best = base;
    for link in base + 1..robot.links.len() {
        let Some((index, joint)) = robot.links[link].parent_joint.map(|joint| (joint, &robot.joints[joint])) else {
            continue;
        };
        let Some((moving, all)) = depth[joint.parent] else {
            continue;
        };
        let is_start = from_ground && is_free(robot, index);
        let deeper = (moving + usize::from(joint.joint_type.is_moving()), all + 1);
        depth[link] = Some(if is_start { (0, 0) } else { deeper });
        if depth[link] > depth[best] {
            best = link;
        }
    }
    best
}
