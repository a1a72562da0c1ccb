//! `<equality>`: joints that follow others.
//!
//! MuJoCo holds `joint1 - ref1 = a₀ + a₁ (joint2 - ref2) + a₂ (…)² + …` by soft forces. A linear one between two hinges or
//! slides is a mimic joint; all other constraints are noted.

use kinetic_core::Result;

use super::element::Element;
use super::joint::MjcfJointKind;
use super::tree::BodyTree;
use crate::description::{JointDescription, LimitDescription, MimicDescription};

/// Applies the constraints in the order of the file; a joint follows the first leader it is given.
pub(super) fn apply(tree: &mut BodyTree<'_>, references: &[Element]) -> Result<()> {
    let kinds = ["connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain"];
    for element in references.iter().filter(|element| kinds.contains(&element.tag.as_str())) {
        if element.get("active") == Some("false") {
            tree.notes.add("an equality constraint that is switched off is not used".to_owned(), || element.place());
        } else if element.tag != "joint" {
            tree.notes.add(format!("equality constraint <{}> is not used", element.tag), || element.place());
        } else if let Err(why) = follow(tree, element)? {
            tree.notes.add(format!("equality constraint <joint> is not used: {why}"), || element.place());
        }
    }
    Ok(())
}

/// Makes a mimic joint, or says why not.
fn follow(tree: &mut BodyTree<'_>, element: &Element) -> Result<std::result::Result<(), String>> {
    let given = element.plain();
    let name = element.get("joint1").ok_or_else(|| element.error("attribute \"joint1\" is missing"))?;
    let Some(leader) = element.get("joint2") else {
        return Ok(Err(format!("it holds \"{name}\" at one value")));
    };
    let coefficients = given.list("polycoef")?.unwrap_or_else(|| vec![0.0, 1.0]);
    if coefficients.iter().skip(2).any(|coefficient| *coefficient != 0.0) {
        return Ok(Err(format!("it binds \"{name}\" by a polynomial that is not linear")));
    }
    let mut coefficients = coefficients.into_iter();
    let (constant, factor) = (coefficients.next().unwrap_or(0.0), coefficients.next().unwrap_or(1.0));
    let (Some(own_reference), Some(leader_reference)) = (reference(tree, name), reference(tree, leader)) else {
        return Ok(Err(format!("\"{name}\" and \"{leader}\" are not both hinges or slides of this model")));
    };
    let offset = own_reference + constant - factor * leader_reference;
    if follows(tree, leader, name) {
        return Ok(Err(format!("\"{leader}\" already follows \"{name}\"")));
    }
    let leader_limits = find(tree, leader).and_then(|joint| joint.limits);
    let Some(joint) = tree.joints.iter_mut().find(|joint| joint.name == name) else { return Ok(Ok(())) };
    if let Some(other) = &joint.mimic {
        return Ok(Err(format!("\"{name}\" already follows \"{}\"", other.joint)));
    }
    if let (Some(own), Some(leader_limits)) = (joint.limits, leader_limits)
        && !overlap(&own, &leader_limits, factor, offset)
    {
        return Ok(Err(format!("no value of \"{leader}\" keeps \"{name}\" within its limits")));
    }
    let mimic = MimicDescription { line: element.line, joint: leader.to_owned(), multiplier: factor, offset };
    joint.mimic = Some(mimic);
    Ok(Ok(()))
}

/// The reference value of a hinge or slide.
fn reference(tree: &BodyTree<'_>, name: &str) -> Option<f64> {
    let coordinate = tree.coordinates.iter().find(|coordinate| coordinate.name == name)?;
    matches!(coordinate.kind, MjcfJointKind::Hinge | MjcfJointKind::Slide).then_some(coordinate.reference)
}

fn find<'t>(tree: &'t BodyTree<'_>, name: &str) -> Option<&'t JointDescription> {
    tree.joints.iter().find(|joint| joint.name == name)
}

/// True when `joint` is, or follows through others, `leader`.
fn follows(tree: &BodyTree<'_>, joint: &str, leader: &str) -> bool {
    let mut current = joint;
    while current != leader {
        match find(tree, current).and_then(|joint| joint.mimic.as_ref()) {
            Some(mimic) => current = &mimic.joint,
            None => return false,
        }
    }
    true
}

/// True when a value of the leader within its limits puts the follower within its own.
fn overlap(own: &LimitDescription, leader: &LimitDescription, factor: f64, offset: f64) -> bool {
    let at = |value: f64| if factor == 0.0 { offset } else { factor * value + offset };
    let (a, b) = (at(leader.lower), at(leader.upper));
    a.min(b) <= own.upper && own.lower <= a.max(b)
}
