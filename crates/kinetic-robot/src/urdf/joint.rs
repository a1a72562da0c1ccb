//! `<joint>`: kind, place, axis, limits, mimic.

use kinetic_core::Result;
use nalgebra::{Unit, Vector3};
use roxmltree::Node;

use crate::description::{JointDescription, LimitDescription, MimicDescription};
use crate::model::JointType;
use crate::xml::{Source, child};

pub(super) fn read(source: &Source<'_>, node: Node<'_, '_>) -> Result<JointDescription> {
    let name = source.attribute(node, "name")?.to_owned();
    let joint_type = read_type(source, node)?;
    Ok(JointDescription {
        line: source.line(node),
        name,
        joint_type,
        parent: source.attribute(source.child(node, "parent")?, "link")?.to_owned(),
        child: source.attribute(source.child(node, "child")?, "link")?.to_owned(),
        parent_from_joint: source.origin(node)?,
        axis: if joint_type.is_moving() { read_axis(source, node)? } else { Vector3::x_axis() },
        limits: if joint_type.is_moving() { Some(read_limits(source, node, joint_type)?) } else { None },
        mimic: if joint_type.is_moving() { read_mimic(source, node)? } else { None },
    })
}

fn read_type(source: &Source<'_>, node: Node<'_, '_>) -> Result<JointType> {
    match source.attribute(node, "type")? {
        "revolute" => Ok(JointType::Revolute),
        "prismatic" => Ok(JointType::Prismatic),
        "continuous" => Ok(JointType::Continuous),
        "fixed" => Ok(JointType::Fixed),
        several @ ("planar" | "floating") => {
            let advice = "replace it by prismatic and revolute joints in series, or by a fixed joint";
            Err(source.error(node, format!("type \"{several}\" moves in several directions and is refused; {advice}")))
        }
        other => {
            let known = "revolute, prismatic, continuous, fixed";
            Err(source.error(node, format!("unknown joint type \"{other}\"; known are {known}")))
        }
    }
}

fn read_axis(source: &Source<'_>, node: Node<'_, '_>) -> Result<Unit<Vector3<f64>>> {
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

fn read_limits(source: &Source<'_>, node: Node<'_, '_>, joint_type: JointType) -> Result<LimitDescription> {
    let Some(limit) = child(node, "limit") else {
        if joint_type == JointType::Continuous {
            return Ok(LimitDescription::unbounded());
        }
        let advice = "a joint without limits has type \"continuous\"";
        return Err(
            source.error(node, format!("<limit> is missing; a {} joint needs it ({advice})", joint_type.name()))
        );
    };
    let (lower, upper) = read_range(source, limit, joint_type)?;
    Ok(LimitDescription {
        lower,
        upper,
        velocity: read_bound(source, limit, "velocity")?,
        effort: read_bound(source, limit, "effort")?,
        acceleration: read_bound(source, limit, "acceleration")?,
        jerk: read_bound(source, limit, "jerk")?,
    })
}

/// Lowest and highest position; 0 where absent, as the format says.
fn read_range(source: &Source<'_>, limit: Node<'_, '_>, joint_type: JointType) -> Result<(f64, f64)> {
    if joint_type == JointType::Continuous {
        return Ok((f64::NEG_INFINITY, f64::INFINITY));
    }
    let lower = source.optional_number(limit, "lower")?.unwrap_or(0.0);
    let upper = source.optional_number(limit, "upper")?.unwrap_or(0.0);
    if lower > upper {
        return Err(source.error(limit, format!("lower limit {lower} is above upper limit {upper}")));
    }
    Ok((lower, upper))
}

/// A largest magnitude. Absent and 0 mean unknown: published descriptions use 0 for "nobody measured it".
fn read_bound(source: &Source<'_>, limit: Node<'_, '_>, name: &str) -> Result<Option<f64>> {
    match source.optional_number(limit, name)? {
        Some(value) if value < 0.0 => Err(source.error(limit, format!("{name} limit {value} is negative"))),
        value => Ok(value.filter(|value| *value > 0.0)),
    }
}

fn read_mimic(source: &Source<'_>, node: Node<'_, '_>) -> Result<Option<MimicDescription>> {
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
