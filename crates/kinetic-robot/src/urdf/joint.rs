//! `<joint>`: kind, place, axis, limits, mimic.

use std::collections::BTreeSet;

use kinetic_core::Result;
use nalgebra::{Unit, Vector3};
use roxmltree::Node;

use super::limit;
use crate::description::{JointDescription, LinkDescription, MimicDescription};
use crate::model::{JointDynamics, JointType};
use crate::multi_dof::{MultiDof, MultiDofJoint};
use crate::xml::{Source, child, children};

/// Joint types in the order of messages; `spherical` is Bullet's.
const URDF_JOINT_KINDS: &str = "revolute, prismatic, continuous, fixed, planar, floating, spherical";

/// The joint; one with several degrees of freedom as a series, with the links between.
pub(super) fn read(source: &Source<'_>, node: Node<'_, '_>) -> Result<(Vec<LinkDescription>, Vec<JointDescription>)> {
    source.note_unknown(node, &["origin", "parent", "child", "axis", "limit", "mimic", "dynamics"]);
    let joint_type = match source.attribute(node, "type")? {
        "revolute" => JointType::Revolute,
        "prismatic" => JointType::Prismatic,
        "continuous" => JointType::Continuous,
        "fixed" => JointType::Fixed,
        "floating" => return series(source, node, MultiDof::Floating),
        "planar" => return series(source, node, MultiDof::Planar(axis(source, node)?)),
        "spherical" => return series(source, node, MultiDof::Ball),
        other => {
            return Err(source.error(node, format!("unknown joint type \"{other}\"; known are {URDF_JOINT_KINDS}")));
        }
    };
    single(source, node, joint_type).map(|joint| (Vec::new(), vec![joint]))
}

fn single(source: &Source<'_>, node: Node<'_, '_>, joint_type: JointType) -> Result<JointDescription> {
    Ok(JointDescription {
        line: source.line(node),
        name: source.attribute(node, "name")?.to_owned(),
        joint_type,
        parent: link(source, node, "parent")?.to_owned(),
        child: link(source, node, "child")?.to_owned(),
        parent_from_joint: source.origin(node)?,
        axis: if joint_type.is_moving() { axis(source, node)? } else { Vector3::x_axis() },
        limits: if joint_type.is_moving() { Some(limit::read(source, node, joint_type)?) } else { None },
        mimic: if joint_type.is_moving() { mimic(source, node)? } else { None },
        dynamics: if joint_type.is_moving() { dynamics(source, node)? } else { JointDynamics::default() },
    })
}

/// `<dynamics>`: damping and Coulomb friction, 0 where they are not stated. The format has no rotor inertia.
fn dynamics(source: &Source<'_>, node: Node<'_, '_>) -> Result<JointDynamics> {
    let Some(dynamics) = child(node, "dynamics") else { return Ok(JointDynamics::default()) };
    let number = |name: &str| Ok(source.optional_number(dynamics, name)?.unwrap_or(0.0));
    Ok(JointDynamics { damping: number("damping")?, friction: number("friction")?, armature: 0.0 })
}

fn series(
    source: &Source<'_>,
    node: Node<'_, '_>,
    motion: MultiDof,
) -> Result<(Vec<LinkDescription>, Vec<JointDescription>)> {
    for unused in children(node, "limit").chain(children(node, "mimic")) {
        let tag = unused.tag_name().name();
        source.note(unused, format!("<{tag}> of a joint with several degrees of freedom is not used"));
    }
    let joint = MultiDofJoint {
        line: source.line(node),
        name: source.attribute(node, "name")?,
        parent: link(source, node, "parent")?,
        child: link(source, node, "child")?,
        parent_from_joint: source.origin(node)?,
        motion,
        dynamics: dynamics(source, node)?,
    };
    Ok(joint.expand())
}

fn link<'n>(source: &Source<'_>, node: Node<'n, '_>, role: &str) -> Result<&'n str> {
    source.attribute(source.child(node, role)?, "link")
}

fn axis(source: &Source<'_>, node: Node<'_, '_>) -> Result<Unit<Vector3<f64>>> {
    let Some(axis) = child(node, "axis") else {
        return Ok(Vector3::x_axis());
    };
    let given: Vector3<f64> = source.optional_numbers::<3>(axis, "xyz")?.unwrap_or([1.0, 0.0, 0.0]).into();
    // Scaled by the largest entry first, so that squaring neither overflows nor underflows.
    let largest = given.amax();
    if largest == 0.0 {
        return Err(source.error(axis, "the axis has length 0; a direction is needed"));
    }
    Ok(Unit::new_normalize(given / largest))
}

fn mimic(source: &Source<'_>, node: Node<'_, '_>) -> Result<Option<MimicDescription>> {
    let Some(mimic) = child(node, "mimic") else {
        return Ok(None);
    };
    Ok(Some(MimicDescription {
        line: source.line(mimic),
        joint: source.attribute(mimic, "joint")?.to_owned(),
        multiplier: source.optional_number(mimic, "multiplier")?.unwrap_or(1.0),
        offset: source.optional_number(mimic, "offset")?.unwrap_or(0.0),
    }))
}

/// Joints that follow one that does not exist, or does not move, become independent, as other readers take them.
pub(super) fn release_orphans(source: &Source<'_>, robot: Node<'_, '_>, joints: &mut [JointDescription]) {
    let moving: BTreeSet<String> =
        joints.iter().filter(|joint| joint.joint_type.is_moving()).map(|joint| joint.name.clone()).collect();
    for joint in joints {
        let Some(mimic) = joint.mimic.take_if(|mimic| !moving.contains(&mimic.joint)) else {
            continue;
        };
        let is_this = |node: &Node<'_, '_>| node.attribute("name").map(str::trim) == Some(&joint.name);
        let node = children(robot, "joint").find(is_this).unwrap_or(robot);
        let leader = mimic.joint;
        source.note(node, format!("joint \"{leader}\" does not move, so its followers are independent joints"));
    }
}
