//! What pickle stores of robots, and of scenes and planners around them.

use std::sync::Arc;

use kinetic::core::{KineticError, Pose, Result};
use kinetic::robot::Robot;

/// A robot as text: the name, default group and tools of a built-in one, else all that it holds. Meshes stay names of files.
pub(crate) fn text_of(robot: &Robot) -> Result<String> {
    let stored = match like_built_in(robot) {
        Some(tools) => serde_json::to_string(&(&robot.name, &robot.groups[robot.default_group].name, tools)),
        None => serde_json::to_string(robot),
    };
    stored.map_err(|error| KineticError::invalid("robot to store", error, "names of files in UTF-8"))
}

/// The robot of a text that [`text_of`] made. Built-in ones without changes are shared with all others.
pub(crate) fn robot_of(text: &str) -> Result<Arc<Robot>> {
    let wrong = |error: serde_json::Error| KineticError::invalid("stored robot", error, "what pickle wrote");
    if !text.starts_with('[') {
        return serde_json::from_str(text).map(Arc::new).map_err(wrong);
    }
    let (name, group, tools): (String, String, Vec<(String, Pose)>) = serde_json::from_str(text).map_err(wrong)?;
    let known = Robot::builtin(&name)?;
    let mut robot = Robot::clone(&known).with_default_group(&group)?;
    for (group, tool) in tools {
        robot = robot.with_tcp(&group, tool)?;
    }
    Ok(if robot == *known { known } else { Arc::new(robot) })
}

/// The tools of a robot that is a built-in one but for these and the default group.
fn like_built_in(robot: &Robot) -> Option<Vec<(&str, Pose)>> {
    let known = Robot::builtin(&robot.name).ok()?;
    let mut changed = Robot::clone(&known).with_default_group(&robot.groups.get(robot.default_group)?.name).ok()?;
    for group in &robot.groups {
        changed = changed.with_tcp(&group.name, group.tip_from_tcp).ok()?;
    }
    let tools = || robot.groups.iter().map(|group| (group.name.as_str(), group.tip_from_tcp)).collect();
    (changed == *robot).then(tools)
}
