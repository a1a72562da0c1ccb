//! `joint_limits.yaml`.

use std::collections::BTreeMap;

use kinetic_core::Result;

use crate::model::{Joint, JointType};
use crate::robot::Robot;
use crate::yaml::{YamlNode, YamlSource};

/// Limits by joint, as `kinetic.toml` has them.
#[derive(Debug, Default)]
pub(super) struct Limits {
    pub(super) lower: BTreeMap<String, f64>,
    pub(super) upper: BTreeMap<String, f64>,
    pub(super) velocity: BTreeMap<String, f64>,
    pub(super) acceleration: BTreeMap<String, f64>,
    pub(super) jerk: BTreeMap<String, f64>,
}

/// Keys that hold the parameters of ROS around the ones we want.
const LIMIT_WRAPPERS: [&str; 3] = ["/**", "ros__parameters", "robot_description_planning"];

pub(super) fn read(source: &YamlSource, text: &str, robot: &Robot, notes: &mut Vec<String>) -> Result<Limits> {
    let document = source.parse(text)?;
    let mut limits = Limits::default();
    let mut waiting = vec![&document];
    while let Some(node) = waiting.pop() {
        for (key, value) in source.entries(node, "joint limits")? {
            match key {
                "joint_limits" => joints(source, value, robot, &mut limits, notes)?,
                key if LIMIT_WRAPPERS.contains(&key) => waiting.push(value),
                other => notes.push(format!("joint_limits.yaml: \"{other}\" has no counterpart")),
            }
        }
    }
    Ok(limits)
}

fn joints(
    source: &YamlSource,
    node: &YamlNode,
    robot: &Robot,
    limits: &mut Limits,
    notes: &mut Vec<String>,
) -> Result<()> {
    for (name, entry) in source.entries(node, "joint_limits")? {
        match robot.joint_index(name).map(|joint| &robot.joints[joint]) {
            Ok(joint) if joint.variable.is_some() => self::joint(source, entry, joint, limits, notes)?,
            Ok(_) => notes.push(format!("joint_limits.yaml: joint \"{name}\" does not move by itself")),
            Err(_) => notes.push(format!("joint_limits.yaml: the robot has no joint \"{name}\"")),
        }
    }
    Ok(())
}

/// One joint: a value counts when its `has_…` flag is not false.
fn joint(
    source: &YamlSource,
    node: &YamlNode,
    joint: &Joint,
    limits: &mut Limits,
    notes: &mut Vec<String>,
) -> Result<()> {
    let name = &joint.name;
    let owner = |key: &str| format!("joint \"{name}\": {key}");
    let entries = source.entries(node, &owner("limits"))?;
    let flag = |key: &str| -> Result<bool> {
        let found = entries.iter().find(|(known, _)| *known == key);
        found.map_or(Ok(true), |(_, value)| source.truth(value, &owner(key)))
    };
    for (key, value) in &entries {
        let (table, flag_name) = match *key {
            "min_position" => (&mut limits.lower, "has_position_limits"),
            "max_position" => (&mut limits.upper, "has_position_limits"),
            "max_velocity" => (&mut limits.velocity, "has_velocity_limits"),
            "max_acceleration" => (&mut limits.acceleration, "has_acceleration_limits"),
            "max_jerk" => (&mut limits.jerk, "has_jerk_limits"),
            key if key.starts_with("has_") => {
                flag(key)?;
                continue;
            }
            other => {
                notes.push(format!("joint_limits.yaml: {} has no counterpart", owner(other)));
                continue;
            }
        };
        let number = source.number(value, &owner(key))?;
        if !flag(flag_name)? {
            continue;
        }
        match fits(joint, key, number) {
            Ok(()) => {
                table.insert(name.clone(), number);
            }
            Err(why) => notes.push(format!("joint_limits.yaml: {} = {number} is not used: {why}", owner(key))),
        }
    }
    Ok(())
}

/// Whether a limit can stand in a `kinetic.toml`, else why not.
fn fits(joint: &Joint, key: &str, number: f64) -> std::result::Result<(), &'static str> {
    if !key.ends_with("_position") {
        return if number > 0.0 { Ok(()) } else { Err("it is not positive") };
    }
    if joint.joint_type == JointType::Continuous {
        return Err("the joint turns without end");
    }
    let is_inside = joint.limits.is_some_and(|own| own.lower <= number && number <= own.upper);
    if is_inside { Ok(()) } else { Err("it is wider than the URDF's") }
}
