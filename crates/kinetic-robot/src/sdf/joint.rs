//! `<joint>`: kind, place, axes, limits, mimic.

use kinetic_core::Result;
use nalgebra::Vector3;
use roxmltree::Node;

use super::frames::{Carrier, Reference, SdfFrame};
use super::reader::{Inside, SdfDocument, SdfReader, Version};
use super::source::{AxisSource, JointSource, MimicSource, SdfJointKind};
use super::values::{self, direction, flag, number, word};
use crate::description::LimitDescription;
use crate::model::{JointDynamics, JointType};
use crate::xml::{Source, child};

/// Elements of a joint that are read, or that say nothing about the range of its motion.
const IGNORED_IN_JOINTS: [&str; 9] =
    ["parent", "child", "pose", "axis", "axis2", "physics", "thread_pitch", "screw_thread_pitch", "gearbox_ratio"];

/// A bound at least this large means "none"; the format's default is 1e16.
const LEAST_UNBOUNDED_LIMIT: f64 = 1e16;

pub(super) fn read(
    reader: &mut SdfReader,
    document: &SdfDocument<'_>,
    node: Node<'_, '_>,
    inside: &Inside,
) -> Result<()> {
    let source = &document.source;
    let name = source.attribute(node, "name")?;
    let full_name = format!("{}{name}", inside.prefix);
    let kind = kind(source, node)?;
    let (parent, child) =
        (inside.reference(word(source, node, "parent")?), inside.reference(word(source, node, "child")?));
    let (base, pose) = values::pose(source, node)?;
    let frame = reader.frames.add(SdfFrame {
        place: document.place(node),
        label: format!("joint \"{full_name}\""),
        base: base.map_or_else(|| child.clone(), |name| inside.reference(name)),
        pose_in_base: pose,
        carrier: Carrier::Same(child.clone()),
        placement: None,
    });
    reader.register(inside, name, frame);
    let tags: &[&str] = match kind {
        SdfJointKind::Fixed | SdfJointKind::Ball => &[],
        SdfJointKind::One(_) => &["axis"],
        SdfJointKind::Two => &["axis", "axis2"],
    };
    let mut read_axis = |tag: &&str| axis(reader, document, source.child(node, tag)?, inside, frame);
    let axes = tags.iter().map(&mut read_axis).collect::<Result<_>>()?;
    let (place, line) = (document.place(node), document.outer_line(node));
    reader.joints.push(JointSource { place, line, name: full_name, kind, frame, parent, child, axes });
    reader.ignore(node, &IGNORED_IN_JOINTS);
    Ok(())
}

fn kind(source: &Source<'_>, node: Node<'_, '_>) -> Result<SdfJointKind> {
    match source.attribute(node, "type")? {
        "fixed" => Ok(SdfJointKind::Fixed),
        "revolute" => Ok(SdfJointKind::One(JointType::Revolute)),
        "continuous" => Ok(SdfJointKind::One(JointType::Continuous)),
        "prismatic" => Ok(SdfJointKind::One(JointType::Prismatic)),
        "universal" | "revolute2" => Ok(SdfJointKind::Two),
        "ball" => Ok(SdfJointKind::Ball),
        "screw" => Err(source.error(node, "type \"screw\" turns and slides at once, which is not supported")),
        "gearbox" => {
            Err(source.error(node, "type \"gearbox\" couples other joints, which is not supported; use <mimic>"))
        }
        other => {
            let known = "revolute, continuous, prismatic, fixed, ball, universal, revolute2";
            Err(source.error(node, format!("unknown joint type \"{other}\"; known are {known}")))
        }
    }
}

fn axis(
    reader: &mut SdfReader,
    document: &SdfDocument<'_>,
    node: Node<'_, '_>,
    inside: &Inside,
    joint: usize,
) -> Result<AxisSource> {
    let source = &document.source;
    let xyz = child(node, "xyz");
    let expressed_in = xyz.and_then(|xyz| xyz.attribute("expressed_in")).map(str::trim).filter(|name| !name.is_empty());
    // Up to 1.4 an axis is in the model's frame; 1.5 and 1.6 have a flag for it; then came `expressed_in`.
    let in_model = match document.version {
        version if version < Version(1, 5) => true,
        version if version < Version(1, 7) => flag(source, node, "use_parent_model_frame")?,
        _ => false,
    };
    let expressed_in = match expressed_in {
        Some(name) if document.version >= Version(1, 7) => inside.reference(name),
        _ => Reference::SdfFrame(if in_model { inside.own } else { joint }),
    };
    Ok(AxisSource {
        direction: xyz.map_or(Ok(Vector3::z_axis()), |xyz| direction(source, xyz))?,
        expressed_in,
        limits: limits(source, node)?,
        mimic: child(node, "mimic").map(|mimic| read_mimic(document, mimic, inside)).transpose()?,
        dynamics: dynamics(reader, source, node)?,
    })
}

fn dynamics(reader: &mut SdfReader, source: &Source<'_>, axis: Node<'_, '_>) -> Result<JointDynamics> {
    let Some(node) = child(axis, "dynamics") else { return Ok(JointDynamics::default()) };
    let damping = number(source, node, "damping")?.unwrap_or(0.0);
    let friction = number(source, node, "friction")?.unwrap_or(0.0);
    if number(source, node, "spring_stiffness")?.is_some_and(|stiffness| stiffness != 0.0) {
        reader.notes.push("SDF: <spring_stiffness> of a joint is not used".to_owned());
    }
    Ok(JointDynamics { damping, friction, armature: 0.0 })
}

fn limits(source: &Source<'_>, axis: Node<'_, '_>) -> Result<LimitDescription> {
    let Some(node) = child(axis, "limit") else {
        return Ok(LimitDescription::unbounded());
    };
    let bound = |tag| limit(source, node, tag);
    let lower = bound("lower")?.filter(|lower| *lower > -LEAST_UNBOUNDED_LIMIT).unwrap_or(f64::NEG_INFINITY);
    let upper = bound("upper")?.filter(|upper| *upper < LEAST_UNBOUNDED_LIMIT).unwrap_or(f64::INFINITY);
    if lower > upper {
        return Err(source.error(node, format!("lower limit {lower} is above upper limit {upper}")));
    }
    // Negative and 0 mean unknown: -1 is the format's default, and converted descriptions have 0.
    let largest = |value: Option<f64>| value.filter(|value| *value > 0.0 && *value < LEAST_UNBOUNDED_LIMIT);
    Ok(LimitDescription {
        lower,
        upper,
        velocity: largest(bound("velocity")?),
        effort: largest(bound("effort")?),
        acceleration: None,
        jerk: None,
    })
}

/// A number that may be written as infinite.
fn limit(source: &Source<'_>, node: Node<'_, '_>, tag: &str) -> Result<Option<f64>> {
    match child(node, tag).map(|child| crate::xml::text(child).to_ascii_lowercase()).as_deref() {
        Some("inf" | "+inf" | "infinity") => Ok(Some(f64::INFINITY)),
        Some("-inf" | "-infinity") => Ok(Some(f64::NEG_INFINITY)),
        _ => number(source, node, tag),
    }
}

fn read_mimic(document: &SdfDocument<'_>, node: Node<'_, '_>, inside: &Inside) -> Result<MimicSource> {
    let source = &document.source;
    let leader = source.attribute(node, "joint")?;
    let second = match node.attribute("axis").unwrap_or("axis") {
        "axis" => false,
        "axis2" => true,
        other => return Err(source.error(node, format!("axis \"{other}\" is neither axis nor axis2"))),
    };
    let multiplier = number(source, node, "multiplier")?.unwrap_or(1.0);
    let reference = number(source, node, "reference")?.unwrap_or(0.0);
    let offset = number(source, node, "offset")?.unwrap_or(0.0) - multiplier * reference;
    Ok(MimicSource { line: document.outer_line(node), leader: inside.reference(leader), second, multiplier, offset })
}
