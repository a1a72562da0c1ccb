//! `kinematics.yaml`.

use kinetic_core::Result;

use crate::yaml::{YamlNode, YamlSource};

/// Keys that hold the parameters of ROS around the groups.
const KINEMATICS_WRAPPERS: [&str; 3] = ["/**", "ros__parameters", "robot_description_kinematics"];

/// What names the solver of a group.
const SOLVER: &str = "kinematics_solver";

/// The solver of ours that is nearest to what all groups ask for; `None` when nothing is asked for.
pub(super) fn read(source: &YamlSource, text: &str, notes: &mut Vec<String>) -> Result<Option<String>> {
    let document = source.parse(text)?;
    let mut solvers = Vec::new();
    let mut waiting = vec![&document];
    while let Some(node) = waiting.pop() {
        for (key, value) in source.entries(node, "kinematics")? {
            if KINEMATICS_WRAPPERS.contains(&key) {
                waiting.push(value);
            } else {
                solvers.extend(group(source, key, value, notes)?);
            }
        }
    }
    Ok(match solvers.as_slice() {
        [] => None,
        solvers if solvers.iter().all(|solver| *solver == "dls") => Some("dls".to_owned()),
        _ => Some("auto".to_owned()),
    })
}

/// The counterpart of a group's solver; its settings have none.
fn group(source: &YamlSource, name: &str, node: &YamlNode, notes: &mut Vec<String>) -> Result<Option<&'static str>> {
    let mut solver = None;
    for (key, value) in source.entries(node, &format!("group \"{name}\""))? {
        if key != SOLVER {
            notes.push(format!("kinematics.yaml: group \"{name}\": {key} has no counterpart"));
            continue;
        }
        let word = source.word(value, SOLVER)?;
        // KDL's solver is damped least squares, and so is ours of that name.
        solver = Some(if word.starts_with("kdl_kinematics_plugin/") { "dls" } else { "auto" });
        if solver == Some("auto") {
            notes
                .push(format!("kinematics.yaml: group \"{name}\": solver \"{word}\" has no counterpart; auto is used"));
        }
    }
    Ok(solver)
}
