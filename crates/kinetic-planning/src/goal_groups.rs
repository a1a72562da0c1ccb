//! Goals of several groups that are planned together: combinations of the configurations that the goal of each offers.

mod combinations;
mod part;

use std::collections::BTreeMap;

use kinetic_core::error::reason;
use kinetic_core::{Control, ErrorFamily, Goal, JointValues, KineticError, Result};
use kinetic_scene::Checker;

use self::combinations::Combinations;
use self::part::{Part, parts};
use crate::goal_context::{GoalContext, collision};
use crate::goal_naming::naming;

/// Combinations that a search gets as goals at most, those nearest to the start.
const MOST_GOALS: usize = 64;

/// Combinations that are checked for collisions at most.
const MOST_TRIED: u64 = 4_096;

/// Configurations of the planning group that meet the goals of all groups, nearest to the start first; joints of no group stay
/// where they start. `poses` are taken from every region.
///
/// # Errors
/// [`KineticError::GroupNotFound`]; [`KineticError::GroupsShareJoint`]; [`KineticError::InvalidValue`] for no goal at all, or the
/// goal of a group that is not planned; input errors of any goal, naming its group; [`KineticError::GoalUnreachable`] with the
/// group whose goal cannot be met, or saying that the goals cannot be met together.
pub(crate) fn resolve(
    around: &GoalContext<'_>,
    checker: &mut Checker,
    goals: &BTreeMap<String, Goal>,
    poses: u64,
    control: &Control,
) -> Result<Vec<JointValues>> {
    let parts = parts(around, goals)?;
    let mut offers = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let offered = part.candidates(around, poses, control).map_err(|error| of_group(error, &part.group.name))?;
        offers.push(unblocked(around, checker, (&parts, index), offered)?);
        control.check(0)?;
    }
    together(around, checker, &parts, offers, control)
}

/// An error of the goal of a group that says so.
fn of_group(error: KineticError, group: &str) -> KineticError {
    match error {
        KineticError::GoalUnreachable { .. } | KineticError::GoalInCollision { .. } => {
            let (group, goal_code, detail) = (group.to_owned(), error.code().to_owned(), error.to_string());
            KineticError::GoalUnreachable { reason: reason::GoalUnreachable::Group { group, goal_code, detail } }
        }
        other if other.family() == ErrorFamily::Input => naming(other, &format!("goal of group \"{group}\"")),
        other => other,
    }
}

/// The configurations of a group that are not in collision wherever the other groups go: only those that collide with what no
/// other group moves are left out.
fn unblocked(
    around: &GoalContext<'_>,
    checker: &mut Checker,
    (parts, own): (&[Part<'_>], usize),
    offered: Vec<JointValues>,
) -> Result<Vec<JointValues>> {
    let (mut left, mut blocked, mut tried) = (Vec::new(), None, 0);
    let mut q = JointValues::from(around.start);
    for values in offered {
        parts[own].write(&values, &mut q);
        let is_others = |name: &str| {
            let link = around.link_of(name);
            let mut others = parts.iter().enumerate().filter(|(index, _)| *index != own);
            link.is_some_and(|link| others.any(|(_, part)| part.moved.binary_search(&link).is_ok()))
        };
        match collision(checker, &q) {
            Some(met) if !is_others(&met.0) && !is_others(&met.1) => {
                tried += 1;
                blocked = blocked.or(Some(met));
            }
            _ => left.push(values),
        }
    }
    match blocked {
        Some((link, other, distance, margin)) if left.is_empty() => {
            let error = KineticError::GoalInCollision { link, other, distance, margin, tried };
            Err(of_group(error, &parts[own].group.name))
        }
        _ => Ok(left),
    }
}

/// The free ones among the combinations of what the groups offer.
fn together(
    around: &GoalContext<'_>,
    checker: &mut Checker,
    parts: &[Part<'_>],
    offers: Vec<Vec<JointValues>>,
    control: &Control,
) -> Result<Vec<JointValues>> {
    let costs = parts.iter().zip(&offers).map(|(part, offered)| part.costs(offered)).collect();
    let (mut free, mut first, mut tried) = (Vec::new(), None, 0);
    for combination in Combinations::new(costs) {
        if free.len() == MOST_GOALS || tried == MOST_TRIED {
            break;
        }
        control.check(0)?;
        tried += 1;
        let mut q = JointValues::from(around.start);
        for ((part, offered), choice) in parts.iter().zip(&offers).zip(combination) {
            part.write(&offered[choice], &mut q);
        }
        if checker.is_free(&q) {
            free.push(q);
        } else if first.is_none() {
            first = collision(checker, &q);
        }
    }
    match first {
        Some((link, other, distance, margin)) if free.is_empty() && tried == 1 => {
            Err(KineticError::GoalInCollision { link, other, distance, margin, tried })
        }
        Some((link, other, ..)) if free.is_empty() => {
            Err(KineticError::GoalUnreachable { reason: reason::GoalUnreachable::Together { tried, link, other } })
        }
        _ => Ok(free),
    }
}

/// The values that goals of joints and names state, with the start's for joints of no group; `None` where one is another goal.
pub(crate) fn stated(around: &GoalContext<'_>, goals: &BTreeMap<String, Goal>) -> Option<JointValues> {
    let mut q = JointValues::from(around.start);
    for part in &parts(around, goals).ok()? {
        part.write(&part.stated(around)?, &mut q);
    }
    Some(q)
}

/// Whether more configurations can be taken from the goals: where one of them is a region.
pub(crate) fn can_grow(goals: &BTreeMap<String, Goal>) -> bool {
    goals.values().any(|goal| match goal {
        Goal::Region(_) => true,
        Goal::Any(members) => members.iter().any(|goal| matches!(goal, Goal::Region(_))),
        Goal::Joints(_)
        | Goal::JointTurns(_)
        | Goal::Named(_)
        | Goal::Pose(_)
        | Goal::Relative { .. }
        | Goal::Links(_)
        | Goal::Groups(_) => false,
    })
}
