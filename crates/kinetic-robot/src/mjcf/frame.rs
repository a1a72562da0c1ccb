//! Frames of elements: position, and orientation in one of five notations.

use kinetic_core::{Pose, Result};
use nalgebra::{Isometry3, Matrix3, Quaternion, Rotation3, Translation3, Unit, UnitQuaternion, Vector3};

use super::compiler::Compiler;
use super::element::Attributes;

const NOTATIONS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];

/// Vectors shorter than this have no direction; MuJoCo's `mjEPS`.
const SHORTEST_DIRECTION: f64 = 1e-14;

/// Position and orientation; the identity where nothing is stated.
pub(super) fn pose(given: &Attributes<'_>, compiler: &Compiler) -> Result<Pose> {
    let position = given.numbers("pos")?.unwrap_or([0.0; 3]);
    let translation = Translation3::from(Vector3::from(position));
    Ok(Pose(Isometry3::from_parts(translation, orientation(given, compiler)?)))
}

/// An orientation of the element itself replaces that of its class, whatever the notation.
pub(super) fn orientation(given: &Attributes<'_>, compiler: &Compiler) -> Result<UnitQuaternion<f64>> {
    let own: Vec<&str> = NOTATIONS.into_iter().filter(|name| given.own(name).is_some()).collect();
    if own.len() > 1 {
        return Err(given.error(format!("several orientations: {}; one is allowed", own.join(", "))));
    }
    let inherited = || NOTATIONS.into_iter().rev().find(|name| given.get(name).is_some());
    match own.first().copied().or_else(inherited) {
        Some("quat") => quaternion(given, "quat"),
        Some("axisangle") => axis_angle(given, compiler),
        Some("xyaxes") => xy_axes(given),
        Some("zaxis") => {
            let [x, y, z] = given.numbers("zaxis")?.unwrap_or([0.0, 0.0, 1.0]);
            Ok(turn_z_to(direction(given, "zaxis", Vector3::new(x, y, z))?))
        }
        Some(_) => euler(given, compiler),
        None => Ok(UnitQuaternion::identity()),
    }
}

/// `w x y z`, normalised; the identity where absent.
pub(super) fn quaternion(given: &Attributes<'_>, name: &str) -> Result<UnitQuaternion<f64>> {
    let Some([w, x, y, z]) = given.numbers(name)? else { return Ok(UnitQuaternion::identity()) };
    // Scaled by the largest entry first, so that squaring neither overflows nor underflows.
    let largest = [w, x, y, z].into_iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if largest < SHORTEST_DIRECTION {
        return Err(given.error(format!("attribute \"{name}\" has length 0")));
    }
    Ok(UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z) / largest))
}

/// Unit vector along `vector`, which the attribute `name` states.
pub(super) fn direction(given: &Attributes<'_>, name: &str, vector: Vector3<f64>) -> Result<Unit<Vector3<f64>>> {
    let largest = vector.amax();
    if largest < SHORTEST_DIRECTION {
        return Err(given.error(format!("attribute \"{name}\" has length 0; a direction is needed")));
    }
    Ok(Unit::new_normalize(vector / largest))
}

/// The shortest turn from +z; half a turn about x to -z.
pub(super) fn turn_z_to(axis: Unit<Vector3<f64>>) -> UnitQuaternion<f64> {
    let cross = Vector3::z().cross(&axis);
    match Unit::try_new(cross, SHORTEST_DIRECTION) {
        Some(about) => UnitQuaternion::from_axis_angle(&about, cross.norm().atan2(axis.z)),
        None if axis.z < 0.0 => UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI),
        None => UnitQuaternion::identity(),
    }
}

fn axis_angle(given: &Attributes<'_>, compiler: &Compiler) -> Result<UnitQuaternion<f64>> {
    let [x, y, z, angle] = given.numbers("axisangle")?.unwrap_or([0.0, 0.0, 1.0, 0.0]);
    let axis = direction(given, "axisangle", Vector3::new(x, y, z))?;
    Ok(UnitQuaternion::from_axis_angle(&axis, angle * compiler.angle))
}

fn xy_axes(given: &Attributes<'_>) -> Result<UnitQuaternion<f64>> {
    let [a, b, c, d, e, f] = given.numbers("xyaxes")?.unwrap_or([1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let x = direction(given, "xyaxes", Vector3::new(a, b, c))?;
    let second = direction(given, "xyaxes", Vector3::new(d, e, f))?.into_inner();
    let y = direction(given, "xyaxes", second - x.into_inner() * x.dot(&second))?;
    let columns = Matrix3::from_columns(&[x.into_inner(), y.into_inner(), x.cross(&y)]);
    Ok(UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(columns)))
}

fn euler(given: &Attributes<'_>, compiler: &Compiler) -> Result<UnitQuaternion<f64>> {
    let angles = given.numbers("euler")?.unwrap_or([0.0; 3]);
    Ok(euler_turn(angles, compiler))
}

/// Three turns in the sequence of the document: about an axis that moved along (lower case) or stayed (upper case).
pub(super) fn euler_turn(angles: [f64; 3], compiler: &Compiler) -> UnitQuaternion<f64> {
    compiler.euler_sequence.iter().zip(angles).fold(UnitQuaternion::identity(), |turned, (letter, angle)| {
        let axis = match letter.to_ascii_lowercase() {
            'x' => Vector3::x_axis(),
            'y' => Vector3::y_axis(),
            _ => Vector3::z_axis(),
        };
        let turn = UnitQuaternion::from_axis_angle(&axis, angle * compiler.angle);
        if letter.is_lowercase() { turned * turn } else { turn * turned }
    })
}
