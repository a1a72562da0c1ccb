//! Rotation vectors: axis times angle, of any number of turns.

use std::f64::consts::TAU;

use kinetic_core::Pose;
use kinetic_kinematics::Rigid;
use nalgebra::{Isometry3, Rotation3, UnitQuaternion, Vector3};

/// What is left from one pose to another along the axes of the base: a translation, m, and a rotation vector, rad.
pub(crate) fn way_to(
    base_from_tool: &Rigid,
    translation: &Vector3<f64>,
    rotation: &UnitQuaternion<f64>,
) -> (Vector3<f64>, Vector3<f64>) {
    let now = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(base_from_tool.rotation));
    // Quaternions have an axis for every angle, also where a rotation matrix is the identity but for rounding.
    (translation - base_from_tool.translation, (rotation * now.inverse()).scaled_axis())
}

/// A pose of its two parts.
pub(crate) fn pose_from(translation: Vector3<f64>, rotation: UnitQuaternion<f64>) -> Pose {
    Pose::from(Isometry3::from_parts(translation.into(), rotation))
}

/// The rotation vector of the same rotation that is nearest to another one: whole turns are added along its axis.
pub(crate) fn nearest_rotation_vector(rotation: Vector3<f64>, other: Vector3<f64>) -> Vector3<f64> {
    let angle = rotation.norm();
    // Without an axis of its own, a whole turn is one about the axis that the other has.
    let axis = if angle > 0.0 { rotation / angle } else { other.try_normalize(0.0).unwrap_or_default() };
    let turns = ((axis.dot(&other) - angle) / TAU).round();
    axis * (angle + turns * TAU)
}

/// Angular velocity of the rotation with this rotation vector and its rate: the left Jacobian of SO(3) (Chirikjian 2012,
/// *Stochastic Models, Information Theory, and Lie Groups*, 10.86).
pub(crate) fn angular_velocity(vector: &Vector3<f64>, rate: &Vector3<f64>) -> Vector3<f64> {
    let square = vector.norm_squared();
    let angle = square.sqrt();
    // Below, the series is exact to rounding, and the closed forms lose digits.
    let (first, second) = if angle < 1e-2 {
        (0.5 - square / 24.0 + square * square / 720.0, 1.0 / 6.0 - square / 120.0 + square * square / 5040.0)
    } else {
        ((1.0 - angle.cos()) / square, (angle - angle.sin()) / (square * angle))
    };
    let across = vector.cross(rate);
    rate + first * across + second * vector.cross(&across)
}
