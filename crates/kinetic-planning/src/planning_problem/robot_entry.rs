//! The robot of a problem file: by name with a fingerprint when it is a built-in one, else the model itself.

use std::fmt::Write;

use kinetic_core::{ContentHash, KineticError, Result};
use kinetic_robot::Robot;
use kinetic_scene::robot_document;
use serde::Deserialize;

use super::goal_entry::{PoseEntry, pose_text};
use kinetic_core::toml_text::quoted;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RobotEntry {
    name: String,
    fingerprint: String,
    default_group: Option<String>,
    #[serde(default)]
    tool: Vec<ToolEntry>,
    model: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolEntry {
    group: String,
    pose: PoseEntry,
}

impl RobotEntry {
    pub(super) fn robot(self, file: &str) -> Result<Robot> {
        let wanted: ContentHash = self.fingerprint.parse()?;
        let robot = match &self.model {
            Some(model) => robot_document::from_json(model, file)?,
            None => self.built_in()?,
        };
        let found = robot_document::fingerprint(&robot)?;
        if found == wanted {
            return Ok(robot);
        }
        let name = format!("robot \"{}\"", self.name);
        let wanted = format!("the model that the problem was made with, {wanted}");
        Err(KineticError::invalid(name, format!("another model, {found}"), wanted))
    }

    fn built_in(&self) -> Result<Robot> {
        let mut robot = Robot::from_name(&self.name)?;
        if let Some(group) = &self.default_group {
            robot = robot.with_default_group(group)?;
        }
        for tool in &self.tool {
            robot = robot.with_tcp(&tool.group, tool.pose.pose()?)?;
        }
        Ok(robot)
    }
}

/// The lines of the table.
pub(super) fn text(robot: &Robot) -> Result<String> {
    let mut out = String::new();
    let fingerprint = robot_document::fingerprint(robot)?;
    // Writing into a string does not fail.
    let _ = writeln!(out, "name = {}\nfingerprint = \"{fingerprint}\"", quoted(&robot.name));
    if let Some(known) = same_but_for_tools(robot) {
        add_changes(&mut out, robot, &known);
    } else {
        // Apostrophes stand in strings only, and JSON may escape every character of these.
        let model = robot_document::to_json(robot)?.replace('\'', "\\u0027");
        let _ = writeln!(out, "model = '{model}'");
    }
    Ok(out)
}

/// The built-in robot that this one is, but for tools and the default group.
fn same_but_for_tools(robot: &Robot) -> Option<Robot> {
    let known = Robot::from_name(&robot.name).ok()?;
    let mut changed = known.clone().with_default_group(&robot.groups.get(robot.default_group)?.name).ok()?;
    for group in &robot.groups {
        changed = changed.with_tcp(&group.name, group.tip_from_tcp).ok()?;
    }
    (changed == *robot).then_some(known)
}

fn add_changes(out: &mut String, robot: &Robot, known: &Robot) {
    let group = &robot.groups[robot.default_group].name;
    if robot.default_group != known.default_group {
        let _ = writeln!(out, "default_group = {}", quoted(group));
    }
    let tools = robot.groups.iter().zip(&known.groups).filter(|(own, known)| own.tip_from_tcp != known.tip_from_tcp);
    let tools: Vec<String> = tools
        .map(|(own, _)| format!("{{ group = {}, pose = {{ {} }} }}", quoted(&own.name), pose_text(&own.tip_from_tcp)))
        .collect();
    if !tools.is_empty() {
        let _ = writeln!(out, "tool = [{}]", tools.join(", "));
    }
}
