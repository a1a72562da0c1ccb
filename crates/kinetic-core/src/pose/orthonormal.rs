//! Nearest rotations of nearly orthonormal matrices.

use nalgebra::{Matrix3, Matrix4, Rotation3, UnitQuaternion, Vector3};

use crate::digits::short;
use crate::error::{KineticError, Result, check_finite};
use crate::tolerance::ORTHONORMAL_TOLERANCE;

/// A 3 × 3 part whose smallest singular value is less, against the largest, is singular.
const SINGULAR_VALUE_RATIO: f64 = 1e-6;

/// Rotation and translation (m) of a homogeneous matrix.
pub(super) fn parts(matrix: &Matrix4<f64>) -> Result<(Matrix3<f64>, Vector3<f64>)> {
    check_finite("pose matrix", matrix.as_slice())?;
    let bottom = matrix.fixed_view::<1, 4>(3, 0);
    if bottom[0].abs() > 1e-9 || bottom[1].abs() > 1e-9 || bottom[2].abs() > 1e-9 || (bottom[3] - 1.0).abs() > 1e-9 {
        let given = format!("{:?}", bottom.iter().collect::<Vec<_>>());
        return Err(KineticError::invalid("last row of pose matrix", given, "[0, 0, 0, 1]"));
    }
    let translation = Vector3::new(matrix[(0, 3)], matrix[(1, 3)], matrix[(2, 3)]);
    Ok((matrix.fixed_view::<3, 3>(0, 0).into_owned(), translation))
}

/// The rotation of a matrix that is one within [`ORTHONORMAL_TOLERANCE`].
pub(super) fn nearly(matrix: &Matrix3<f64>) -> Result<UnitQuaternion<f64>> {
    let deviation = (matrix.transpose() * matrix - Matrix3::identity()).amax();
    if deviation > ORTHONORMAL_TOLERANCE || matrix.determinant() < 0.0 {
        let given =
            format!("a matrix with |RᵀR - 1| = {} and determinant {:.6}", short(deviation), matrix.determinant());
        let wanted = format!(
            "an orthonormal matrix of determinant +1, |RᵀR - 1| at most {ORTHONORMAL_TOLERANCE:e}; \
             Pose.orthonormalised takes the nearest rotation"
        );
        return Err(KineticError::invalid("rotation of pose matrix", given, wanted));
    }
    // One Newton step of the polar decomposition (Higham 1986) squares a deviation of at most the tolerance.
    let polished = (matrix + matrix.try_inverse().map_or(*matrix, |inverse| inverse.transpose())) * 0.5;
    Ok(quaternion(&polished))
}

/// The rotation nearest to a matrix: the orthogonal factor of its polar decomposition.
pub(super) fn nearest(matrix: &Matrix3<f64>) -> Result<UnitQuaternion<f64>> {
    let (given, size) = (format!("a matrix of determinant {}", short(matrix.determinant())), matrix.amax());
    // Of size 1, so that squares do not overflow.
    let scaled = if size > f64::MIN_POSITIVE { matrix / size } else { Matrix3::zeros() };
    let svd = scaled.svd(true, true);
    let (least, most) = (svd.singular_values.min(), svd.singular_values.max());
    let wanted = "a regular matrix of positive determinant";
    match (svd.u, svd.v_t) {
        (Some(u), Some(v_t)) if least > SINGULAR_VALUE_RATIO * most && scaled.determinant() > 0.0 => {
            Ok(quaternion(&(u * v_t)))
        }
        _ => Err(KineticError::invalid("rotation of pose matrix", given, wanted)),
    }
}

/// Of a matrix that is orthonormal up to 1e-9; what is left is taken out of the length.
fn quaternion(matrix: &Matrix3<f64>) -> UnitQuaternion<f64> {
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*matrix));
    UnitQuaternion::from_quaternion(rotation.into_inner())
}
