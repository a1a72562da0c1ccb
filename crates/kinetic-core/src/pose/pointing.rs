//! Poses whose axis points at a target.

use nalgebra::{Isometry3, Matrix3, Rotation3, UnitQuaternion, Vector3};

use super::{Pose, Wrt};
use crate::constraint::Axis;
use crate::error::{KineticError, Result, check_finite};

/// Directions are refused below this length, and as parallel below this sine.
const LEAST_DIRECTION_LENGTH_M: f64 = 1e-9;

impl Pose {
    /// Turned in place, by the smallest angle, until the own axis `axis` points along `direction`.
    ///
    /// `direction` is in the axes of `wrt`, `axis` in the pose's own; both of any length. Where `axis` points away from
    /// `direction` up to an angle of sine `eps`, the smallest turn would depend on the last bits of both. There it is a
    /// half turn about the pose's own axis that is most perpendicular to `axis` (the first of equals), and then the
    /// small rest. The result always points exactly along `direction`.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] for a vector without direction or a negative `eps`.
    pub fn align_axis_to_direction(
        &self,
        direction: &Vector3<f64>,
        axis: &Vector3<f64>,
        wrt: Wrt,
        eps: f64,
    ) -> Result<Self> {
        let wanted = wrt.frame(&Self::identity(), self).rotation() * unit("direction", direction)?;
        let axis = unit("axis", axis)?;
        if !(eps >= 0.0) {
            return Err(KineticError::invalid("eps", eps, "a number of at least 0"));
        }
        let mut rotation = self.rotation();
        let pointing = rotation * axis;
        if pointing.dot(&wanted) < 0.0 && pointing.cross(&wanted).norm() <= eps {
            rotation *= half_turn_across(&axis);
        }
        let rotation = smallest_turn(&(rotation * axis), &wanted) * rotation;
        Ok(Self(Isometry3::from_parts(self.0.translation, rotation)))
    }

    /// The pose of a camera at `eye` that looks at `target`: z points at the target, y as far down as that allows, x to
    /// the right. `up` is any direction that is not the view's; points in m.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] when the target is the eye or `up` is along the view.
    pub fn look_at(eye: &Vector3<f64>, target: &Vector3<f64>, up: &Vector3<f64>) -> Result<Self> {
        check_finite("eye", eye.as_slice())?;
        let z = unit("target - eye", &(target - eye))?;
        let right = z.cross(&unit("up", up)?);
        if right.norm() < LEAST_DIRECTION_LENGTH_M {
            let wanted = "a direction that is not that of the view";
            return Err(KineticError::invalid("up", format!("{:?}", up.as_slice()), wanted));
        }
        let x = right.normalize();
        let rotation = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[x, z.cross(&x), z]));
        Ok(Self(Isometry3::from_parts((*eye).into(), UnitQuaternion::from_rotation_matrix(&rotation))))
    }
}

/// The direction of a vector.
fn unit(name: &str, vector: &Vector3<f64>) -> Result<Vector3<f64>> {
    check_finite(name, vector.as_slice())?;
    let length = vector.norm();
    if length < LEAST_DIRECTION_LENGTH_M {
        return Err(KineticError::invalid(name, format!("{:?}", vector.as_slice()), "a vector that has a direction"));
    }
    Ok(vector / length)
}

/// Half a turn about the coordinate axis most perpendicular to `axis`, made perpendicular: it reverses `axis`.
fn half_turn_across(axis: &Vector3<f64>) -> UnitQuaternion<f64> {
    let nearest = |a: &Axis, b: &Axis| axis[a.index()].abs().total_cmp(&axis[b.index()].abs());
    let across = [Axis::X, Axis::Y, Axis::Z].into_iter().min_by(nearest).unwrap_or(Axis::X).unit();
    let across = across - axis * axis.dot(&across);
    UnitQuaternion::from_scaled_axis(across.normalize() * std::f64::consts::PI)
}

/// The smallest rotation that takes one unit vector, not the opposite, to another.
fn smallest_turn(from: &Vector3<f64>, to: &Vector3<f64>) -> UnitQuaternion<f64> {
    let cross = from.cross(to);
    let sine = cross.norm();
    if sine == 0.0 {
        return UnitQuaternion::identity();
    }
    UnitQuaternion::from_scaled_axis(cross * (sine.atan2(from.dot(to)) / sine))
}
