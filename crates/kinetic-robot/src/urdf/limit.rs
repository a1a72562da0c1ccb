//! `<limit>`: range, speed and effort of a joint.

use kinetic_core::Result;
use roxmltree::Node;

use crate::description::LimitDescription;
use crate::model::JointType;
use crate::xml::{Source, child};

/// Limits of a moving joint. Without `<limit>` a joint has none; the format wants them for revolute and prismatic
/// joints, so that leaves a note.
pub(super) fn read(source: &Source<'_>, joint: Node<'_, '_>, joint_type: JointType) -> Result<LimitDescription> {
    let Some(limit) = child(joint, "limit") else {
        if joint_type != JointType::Continuous {
            let kind = joint_type.name();
            source.note(joint, format!("<limit> of a {kind} joint is missing; the joint moves without limits"));
        }
        return Ok(LimitDescription::unbounded());
    };
    let (lower, upper) = match joint_type {
        JointType::Continuous => (f64::NEG_INFINITY, f64::INFINITY),
        _ => range(source, limit)?,
    };
    Ok(LimitDescription {
        lower,
        upper,
        velocity: bound(source, limit, "velocity")?,
        effort: bound(source, limit, "effort")?,
        acceleration: bound(source, limit, "acceleration")?,
        jerk: bound(source, limit, "jerk")?,
    })
}

/// Lowest and highest position; 0 where absent, as the format says.
///
/// Crossed limits are put in order: some files mean "none" by them, others are typing mistakes; the interval between
/// is the part of both that is safe.
fn range(source: &Source<'_>, limit: Node<'_, '_>) -> Result<(f64, f64)> {
    let lower = value(source, limit, "lower")?.unwrap_or(0.0);
    let upper = value(source, limit, "upper")?.unwrap_or(0.0);
    if lower > upper {
        source.note(limit, "the lower limit is above the upper one; they were exchanged");
        return Ok((upper, lower));
    }
    if lower == f64::INFINITY || upper == f64::NEG_INFINITY {
        return Err(source.error(limit, format!("no position is between {lower} and {upper}")));
    }
    Ok((lower, upper))
}

/// A largest magnitude. Absent, infinite, negative and 0 mean unknown: published descriptions use 0 for "nobody measured it".
fn bound(source: &Source<'_>, limit: Node<'_, '_>, name: &str) -> Result<Option<f64>> {
    match value(source, limit, name)? {
        Some(value) if value < 0.0 => {
            source.note(limit, format!("a negative {name} limit is ignored"));
            Ok(None)
        }
        value => Ok(value.filter(|value| *value > 0.0 && value.is_finite())),
    }
}

/// A number that may be infinite.
fn value(source: &Source<'_>, limit: Node<'_, '_>, name: &str) -> Result<Option<f64>> {
    match limit.attribute(name).and_then(|text| text.trim().parse::<f64>().ok()) {
        Some(infinite) if infinite.is_infinite() => Ok(Some(infinite)),
        _ => source.optional_number(limit, name),
    }
}
