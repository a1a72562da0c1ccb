//! The tool centre point of an end effector as the tool of a group.

use kinetic_core::{KineticError, Pose, Result};

use crate::robot::Robot;

/// The group that moves an end effector on `parent_link`: the stated one, else the only one that ends there.
pub(super) fn group_of(robot: &Robot, parent_link: usize, stated: Option<usize>) -> Result<usize> {
    if let Some(group) = stated {
        return Ok(group);
    }
    let ending: Vec<usize> =
        (0..robot.groups.len()).filter(|group| robot.groups[*group].tip_link == parent_link).collect();
    if let [group] = ending[..] {
        return Ok(group);
    }
    let names = |groups: &mut dyn Iterator<Item = usize>| -> Vec<String> {
        groups.map(|group| format!("\"{}\"", robot.groups[group].name)).collect()
    };
    let given = match ending[..] {
        [] => format!("none, and no group ends at \"{}\"", robot.links[parent_link].name),
        _ => format!("none, and several groups end at \"{}\"", robot.links[parent_link].name),
    };
    let all = if ending.is_empty() { names(&mut (0..robot.groups.len())) } else { names(&mut ending.into_iter()) };
    Err(KineticError::invalid("parent_group", given, format!("the group that moves the tool: {}", all.join(", "))))
}

/// `tip_from_tcp` of a group, from the tool in a link that moves with the group's tip.
pub(super) fn at_tip(robot: &Robot, parent_link: usize, group: usize, parent_from_tcp: &Pose) -> Result<Pose> {
    let tip = robot.groups[group].tip_link;
    let ((body, body_from_tip), (other, other_from_parent)) = (body_of(robot, tip), body_of(robot, parent_link));
    if body != other {
        let given = format!("\"{}\"", robot.links[parent_link].name);
        let (tip, group) = (&robot.links[tip].name, &robot.groups[group].name);
        let wanted = format!("a link that is fixed to \"{tip}\", the tip of group \"{group}\"");
        return Err(KineticError::invalid("parent_link of a tool", given, wanted));
    }
    Ok(body_from_tip.inverse() * other_from_parent * *parent_from_tcp)
}

/// The highest link that a link is fixed to, and the link's pose in it.
fn body_of(robot: &Robot, link: usize) -> (usize, Pose) {
    let (mut body, mut body_from_link) = (link, Pose::identity());
    while let Some(joint) = robot.links[body].parent_joint.map(|joint| &robot.joints[joint]) {
        if joint.joint_type.is_moving() {
            break;
        }
        body_from_link = joint.parent_from_joint * body_from_link;
        body = joint.parent;
    }
    (body, body_from_link)
}
