//! Values in texts: words, numbers, flags and poses.

use kinetic_core::{Pose, Result};
use nalgebra::{Unit, Vector3};
use roxmltree::Node;

use crate::xml::{Source, child, text};

/// The text of a child element that must be there and say something.
pub(super) fn word<'n>(source: &Source<'_>, node: Node<'n, '_>, tag: &str) -> Result<&'n str> {
    let child = source.child(node, tag)?;
    match text(child) {
        "" => Err(source.error(child, "is empty")),
        word => Ok(word),
    }
}

/// The number of a child element, if it is there.
pub(super) fn number(source: &Source<'_>, node: Node<'_, '_>, tag: &str) -> Result<Option<f64>> {
    child(node, tag).map(|child| source.text_numbers::<1>(child).map(|[value]| value)).transpose()
}

/// The number of a child element that must be there.
pub(super) fn needed_number(source: &Source<'_>, node: Node<'_, '_>, tag: &str) -> Result<f64> {
    source.text_numbers::<1>(source.child(node, tag)?).map(|[value]| value)
}

/// `true`, `false`, `1` or `0` of a child element; false when it is absent.
pub(super) fn flag(source: &Source<'_>, node: Node<'_, '_>, tag: &str) -> Result<bool> {
    child(node, tag).map_or(Ok(false), |child| truth(source, child, text(child)))
}

/// `true`, `false`, `1` or `0`.
pub(super) fn truth(source: &Source<'_>, node: Node<'_, '_>, word: &str) -> Result<bool> {
    match word.to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(source.error(node, format!("\"{word}\" is not true or false"))),
    }
}

/// A `<pose>`: the frame it is relative to, when named, and its value; the identity when it is absent or empty.
pub(super) fn pose<'n>(source: &Source<'_>, owner: Node<'n, '_>) -> Result<(Option<&'n str>, Pose)> {
    let Some(node) = child(owner, "pose") else {
        return Ok((None, Pose::identity()));
    };
    let base = node.attribute("relative_to").map(str::trim).filter(|name| !name.is_empty());
    if text(node).is_empty() {
        return Ok((base, Pose::identity()));
    }
    let is_degrees = node.attribute("degrees").map_or(Ok(false), |word| truth(source, node, word))?;
    let pose = match node.attribute("rotation_format").unwrap_or("euler_rpy") {
        "euler_rpy" => {
            let [x, y, z, angles @ ..] = source.text_numbers::<6>(node)?;
            let [roll, pitch, yaw] = angles.map(|angle| if is_degrees { angle.to_radians() } else { angle });
            Pose::from_xyz_rpy(x, y, z, roll, pitch, yaw)
        }
        "quat_xyzw" if is_degrees => {
            return Err(source.error(node, "degrees and rotation_format=\"quat_xyzw\" exclude each other"));
        }
        "quat_xyzw" => {
            let [x, y, z, qx, qy, qz, qw] = source.text_numbers::<7>(node)?;
            let largest = qx.abs().max(qy.abs()).max(qz.abs()).max(qw.abs());
            if largest == 0.0 {
                return Err(source.error(node, "the quaternion has length 0"));
            }
            // Scaled by the largest entry first, so that squaring neither overflows nor underflows.
            Pose::from_xyz_quat(x, y, z, qx / largest, qy / largest, qz / largest, qw / largest)?
        }
        other => {
            return Err(
                source.error(node, format!("unknown rotation_format \"{other}\"; known are euler_rpy, quat_xyzw"))
            );
        }
    };
    Ok((base, pose))
}

/// A direction.
pub(super) fn direction(source: &Source<'_>, node: Node<'_, '_>) -> Result<Unit<Vector3<f64>>> {
    let given = Vector3::from(source.text_numbers::<3>(node)?);
    let largest = given.amax();
    if largest == 0.0 {
        return Err(source.error(node, "has length 0; a direction is needed"));
    }
    Ok(Unit::new_normalize(given / largest))
}
