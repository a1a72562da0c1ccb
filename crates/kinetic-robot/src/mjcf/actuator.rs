//! `<actuator>`: how much the motor of a joint can push or turn.
//!
//! MuJoCo limits an actuator's force by `forcerange`, and that of one without feedback by its control too: the force is the
//! first gain times the control. The joint feels the force times the first number of `gear`.

use kinetic_core::Result;

use super::compiler::Compiler;
use super::defaults::Classes;
use super::element::{Attributes, Element};
use super::joint::is_limited;
use super::tree::BodyTree;

/// Kinds of which the force is a gain times the control.
const WITHOUT_FEEDBACK: [&str; 2] = ["motor", "general"];

/// Takes the smaller of a joint's own limit of effort and what all of its actuators can give.
pub(super) fn apply(tree: &mut BodyTree<'_>, root: &Element, classes: &Classes, compiler: &Compiler) -> Result<()> {
    let mut efforts: Vec<(String, f64)> = Vec::new();
    for element in root.children("actuator").flat_map(|section| &section.children) {
        let given = classes.of(element, None)?;
        let Some(joint) = given.get("joint").or_else(|| given.get("jointinparent")) else {
            tree.notes.add(format!("<{}> that moves no joint is not used", element.tag), || element.place());
            continue;
        };
        let effort = effort(&given, compiler)?;
        match efforts.iter_mut().find(|(name, _)| name == joint) {
            Some((_, sum)) => *sum += effort,
            None => efforts.push((joint.to_owned(), effort)),
        }
    }
    for (name, effort) in efforts.into_iter().filter(|(_, effort)| *effort > 0.0 && effort.is_finite()) {
        let found = tree.joints.iter_mut().find(|joint| joint.name == name);
        if let Some(limits) = found.and_then(|joint| joint.limits.as_mut()) {
            limits.effort = Some(limits.effort.map_or(effort, |own| own.min(effort)));
        }
    }
    Ok(())
}

/// The largest effort of one actuator, N m or N; infinite where nothing limits it.
fn effort(given: &Attributes<'_>, compiler: &Compiler) -> Result<f64> {
    let gear = given.list("gear")?.and_then(|gear| gear.first().copied()).unwrap_or(1.0).abs();
    let force = largest(given, ("forcelimited", "forcerange"), compiler)?;
    let has_bias = given.get("biastype").is_some_and(|bias| bias != "none");
    let is_fixed = given.get("gaintype").is_none_or(|gain| gain == "fixed");
    if !WITHOUT_FEEDBACK.contains(&given.element.tag.as_str()) || has_bias || !is_fixed {
        return Ok(gear * force);
    }
    let gain = match given.element.tag.as_str() {
        "general" => given.list("gainprm")?.and_then(|gain| gain.first().copied()).unwrap_or(1.0).abs(),
        _ => 1.0,
    };
    Ok(gear * force.min(gain * largest(given, ("ctrllimited", "ctrlrange"), compiler)?))
}

/// The largest magnitude of a range that is in force, else infinity.
fn largest(given: &Attributes<'_>, (switch, range): (&str, &str), compiler: &Compiler) -> Result<f64> {
    if !is_limited(given, switch, range, compiler)? {
        return Ok(f64::INFINITY);
    }
    let [low, high] = given.numbers(range)?.unwrap_or([0.0; 2]);
    Ok(low.abs().max(high.abs()))
}
