//! A `kinetic.toml` from a robot that has its groups and poses.

use kinetic_core::toml_text::quoted;
use std::collections::BTreeMap;
use std::fmt::Write;

use super::limits::Limits;
use crate::group;
use crate::model::PlanningGroup;
use crate::robot::Robot;
use crate::tolerance::PRINTED_LIMIT_ROUNDING_RAD_M;

/// The text, which [`Robot::from_path`] reads; writing into a text cannot fail.
pub(super) fn document(
    robot: &Robot,
    urdf: &str,
    limits: &Limits,
    solver: Option<&str>,
    notes: &mut Vec<String>,
) -> String {
    let mut text = String::from("# Imported from a MoveIt configuration.\n\n[robot]\n");
    let _ = writeln!(text, "name = {}\nurdf = {}", quoted(&robot.name), quoted(urdf));
    for group in &robot.groups {
        let _ = writeln!(text, "\n[planning_group.{}]\n{}", quoted(&group.name), members(robot, group));
    }
    end_effectors(robot, &mut text);
    if let Some(solver) = solver {
        let _ = writeln!(text, "\n[ik]\nsolver = {}", quoted(solver));
    }
    poses(robot, limits, &mut text, notes);
    skip_pairs(robot, &mut text);
    limit_tables(limits, &mut text);
    text
}

/// `chain = […]` where that gives the same group, else `joints = […]`.
fn members(robot: &Robot, group: &PlanningGroup) -> String {
    let names = [&robot.links[group.base_link].name, &robot.links[group.tip_link].name];
    match group::from_chain(robot, &group.name, group.base_link, group.tip_link) {
        Ok(chain) if chain == *group => format!("chain = [{}, {}]", quoted(names[0]), quoted(names[1])),
        _ => {
            let joints: Vec<String> = robot.joint_names(group).into_iter().map(quoted).collect();
            format!("joints = [{}]", joints.join(", "))
        }
    }
}

fn end_effectors(robot: &Robot, text: &mut String) {
    for end_effector in &robot.end_effectors {
        let link = quoted(&robot.links[end_effector.parent_link].name);
        let _ = writeln!(text, "\n[end_effector.{}]\nparent_link = {link}", quoted(&end_effector.name));
        for (key, group) in [("parent_group", end_effector.parent_group), ("group", end_effector.group)] {
            if let Some(group) = group {
                let _ = writeln!(text, "{key} = {}", quoted(&robot.groups[group].name));
            }
        }
    }
}

/// States inside the limits; a later one of the same name replaces an earlier one, as in MoveIt.
fn poses(robot: &Robot, limits: &Limits, text: &mut String, notes: &mut Vec<String>) {
    for (index, group) in robot.groups.iter().enumerate() {
        let mut poses: BTreeMap<&str, &[f64]> = BTreeMap::new();
        for pose in robot.named_poses.iter().filter(|pose| pose.group == index) {
            match outside(robot, group, &pose.values, limits) {
                None => {
                    poses.insert(&pose.name, &pose.values);
                }
                Some(joint) => notes.push(format!(
                    "SRDF: state \"{}\" of group \"{}\" is outside the limits of joint \"{joint}\" and is left out",
                    pose.name, group.name
                )),
            }
        }
        if !poses.is_empty() {
            let _ = writeln!(text, "\n[named_poses.{}]", quoted(&group.name));
        }
        for (name, values) in poses {
            let _ = writeln!(text, "{} = {values:?}", quoted(name));
        }
    }
}

/// The first joint whose value is outside its limits.
fn outside<'a>(robot: &'a Robot, group: &PlanningGroup, values: &[f64], limits: &Limits) -> Option<&'a str> {
    let is_outside = |(position, value): (usize, &f64)| {
        let (own, name) = (&robot.joint_limits[group.variables[position]], &robot.joints[group.joints[position]].name);
        let lower = limits.lower.get(name).map_or(own.lower, |lower| own.lower.max(*lower));
        let upper = limits.upper.get(name).map_or(own.upper, |upper| own.upper.min(*upper));
        (*value < lower - PRINTED_LIMIT_ROUNDING_RAD_M || *value > upper + PRINTED_LIMIT_ROUNDING_RAD_M)
            .then_some(name.as_str())
    };
    values.iter().enumerate().find_map(is_outside)
}

fn skip_pairs(robot: &Robot, text: &mut String) {
    if robot.collision.skip_pairs.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n[collision]\nskip_pairs = [");
    for pair in &robot.collision.skip_pairs {
        let (a, b) = (&robot.links[pair.links.0].name, &robot.links[pair.links.1].name);
        let words = [a, b, &pair.reason].map(|word| quoted(word));
        let count = if pair.reason.is_empty() { 2 } else { 3 };
        let _ = writeln!(text, "  [{}],", words[..count].join(", "));
    }
    let _ = writeln!(text, "]");
}

fn limit_tables(limits: &Limits, text: &mut String) {
    let tables = [
        ("lower", &limits.lower),
        ("upper", &limits.upper),
        ("velocity", &limits.velocity),
        ("acceleration", &limits.acceleration),
        ("jerk", &limits.jerk),
    ];
    if tables.iter().all(|(_, table)| table.is_empty()) {
        return;
    }
    let _ = writeln!(text, "\n[limits]");
    if !limits.acceleration.is_empty() {
        let _ = writeln!(text, "acceleration_source = \"joint_limits.yaml\"");
    }
    for (key, table) in tables {
        if !table.is_empty() {
            let entries: Vec<String> =
                table.iter().map(|(joint, value)| format!("{} = {value:?}", quoted(joint))).collect();
            let _ = writeln!(text, "{key} = {{ {} }}", entries.join(", "));
        }
    }
}
