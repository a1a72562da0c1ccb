//! Poses: 4 × 4 matrices, objects that hold one, positions with quaternions.

use kinetic::core::error::{check_finite, check_len};
use kinetic::core::{KineticError, Pose};
use nalgebra::{Isometry3, Matrix4, Quaternion, Translation3, Unit};
use numpy::PyUntypedArray;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_identifier;

use crate::convert::Numbers;
use crate::error::{Error, Result};

/// Objects with a matrix have no type that stubs could name.
const POSE_LIKE: PyStaticExpr = type_hint_identifier!("typing", "Any");

/// A rigid pose: rotation and translation (m). Immutable; every pose argument of kinetic takes one.
///
/// A variable `a_from_b` is the pose of frame `b` in frame `a`; `a_from_b @ b_from_c` is `a_from_c`.
///
/// Args:
///     matrix: 4×4 homogeneous matrix, another pose, or an object with `homogeneous` or `matrix`; None for the identity.
///         A rotation with entries of five decimals or more is made orthonormal (|RᵀR - 1| up to 2e-5).
///
/// Raises:
///     InputError: A matrix that is no rigid transform, saying why and by how much; `orthonormalised` takes fewer digits.
///
/// Example:
///     >>> import kinetic, numpy as np
///     >>> world_from_tool = kinetic.Pose.from_xyz_rpy([0.5, 0.0, 0.3], [0.0, 0.0, np.pi / 2])
///     >>> (world_from_tool @ kinetic.Pose.from_xyz(0.1, 0.0, 0.0)).xyz.round(6)
///     array([0.5, 0.1, 0.3])
#[pyclass(frozen, eq, module = "kinetic", name = "Pose")]
#[derive(Clone, PartialEq)]
pub(crate) struct PyPose(pub(crate) Pose);

/// A `Pose`, or one from a 4 × 4 matrix or an object with `homogeneous` or `matrix`.
pub(crate) struct PoseArg(pub(crate) Pose);

impl FromPyObject<'_, '_> for PoseArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = POSE_LIKE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        match given.cast::<PyPose>() {
            // Bit by bit; a matrix would round.
            Ok(pose) => Ok(Self(pose.get().0)),
            Err(_) => pose(&pose_numbers(&given)?).map(Self),
        }
    }
}

/// A 4 × 4 matrix, or an object that holds one, that need not be rigid.
pub(crate) struct MatrixArg(pub(crate) Matrix4<f64>);

impl FromPyObject<'_, '_> for MatrixArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = POSE_LIKE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let numbers = pose_numbers(&given)?;
        if numbers.shape != [4, 4] {
            return Err(numbers.wrong_shape("a 4x4 homogeneous matrix"));
        }
        Ok(Self(Matrix4::from_row_slice(&numbers.values)))
    }
}

/// Poses as an array (N, 4, 4), or as a sequence of matrices and of objects that hold one.
pub(crate) struct PoseList(pub(crate) Vec<Pose>);

impl FromPyObject<'_, '_> for PoseList {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = POSE_LIKE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if let Ok(numbers) = Numbers::read(&given) {
            return match numbers.shape[..] {
                [0] => Ok(Self(Vec::new())),
                [_, 4, 4] => Ok(Self(numbers.values.chunks_exact(16).map(matrix_pose).collect::<Result<_>>()?)),
                _ => Err(numbers.wrong_shape("poses as 4x4 homogeneous matrices, shape (n, 4, 4)")),
            };
        }
        let poses = given.try_iter()?.map(|item| Ok(item?.extract::<PoseArg>()?.0));
        Ok(Self(poses.collect::<Result<_>>()?))
    }
}

/// Targets ahead: joint positions as an array (N, dof), or poses.
pub(crate) enum ChunkArg {
    Joints(Vec<Vec<f64>>),
    Poses(Vec<Pose>),
}

impl FromPyObject<'_, '_> for ChunkArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = POSE_LIKE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        match Numbers::read(&given) {
            Ok(Numbers { shape, values }) if shape.len() == 2 => {
                let rows = values.chunks(shape[1].max(1)).map(<[f64]>::to_vec);
                Ok(Self::Joints(rows.collect()))
            }
            Ok(Numbers { shape, .. }) if shape == [0] => Ok(Self::Joints(Vec::new())),
            Ok(numbers) if numbers.shape.len() != 3 => {
                Err(numbers.wrong_shape("joint positions, shape (n, dof), or poses, shape (n, 4, 4)"))
            }
            _ => Ok(Self::Poses(given.extract::<PoseList>()?.0)),
        }
    }
}

/// A pose from the numbers of its matrix, row after row.
fn matrix_pose(values: &[f64]) -> Result<Pose> {
    Ok(Pose::from_matrix(&Matrix4::from_row_slice(values))?)
}

/// The matrix of an object that has one, else the object itself, as numbers.
fn pose_numbers(given: &Bound<'_, PyAny>) -> Result<Numbers> {
    // To ask a plain array for attributes that it does not have takes as long as the rest.
    if given.cast_exact::<PyUntypedArray>().is_ok() {
        return Numbers::read(given);
    }
    for name in ["homogeneous", "matrix"] {
        if let Some(matrix) = given.getattr_opt(name)? {
            return Numbers::read(&matrix);
        }
    }
    Numbers::read(given)
}

fn pose(numbers: &Numbers) -> Result<Pose> {
    if numbers.shape != [4, 4] {
        return Err(numbers.wrong_shape("a pose as a 4x4 homogeneous matrix"));
    }
    matrix_pose(&numbers.values)
}

fn position(numbers: &Numbers) -> Result<[f64; 3]> {
    let position = <[f64; 3]>::try_from(numbers.values.as_slice());
    match position {
        Ok(position) if numbers.shape.len() == 1 => {
            check_finite("position", &position)?;
            Ok(position)
        }
        _ => Err(numbers.wrong_shape("a position (x, y, z)")),
    }
}

/// A pose, or a position whose quaternion is another argument.
pub(crate) struct PoseOrPosition(Numbers);

impl PoseOrPosition {
    /// The pose, with the quaternion (x, y, z, w) when the first argument is a position.
    pub(crate) fn with_quaternion(self, quaternion_xyzw: Option<&[f64]>) -> Result<Pose> {
        let Some(quaternion) = quaternion_xyzw else {
            return pose(&self.0);
        };
        check_len("quaternion", quaternion.len(), 4)?;
        let ([x, y, z], q) = (position(&self.0)?, quaternion);
        Ok(Pose::from_xyz_quat(x, y, z, q[0], q[1], q[2], q[3])?)
    }
}

impl FromPyObject<'_, '_> for PoseOrPosition {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = POSE_LIKE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        pose_numbers(&given).map(Self)
    }
}

/// A pose, or a pure translation (x, y, z).
pub(crate) struct TranslationOrPose(pub(crate) Pose);

impl FromPyObject<'_, '_> for TranslationOrPose {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = POSE_LIKE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let numbers = pose_numbers(&given)?;
        if numbers.shape != [3] {
            return pose(&numbers).map(Self);
        }
        let [x, y, z] = position(&numbers)?;
        Ok(Self(Pose::from_xyz(x, y, z)))
    }
}

/// A pose as the seven numbers it is stored as: unlike a matrix they give the same pose back, bit by bit.
pub(crate) struct PoseParts;

impl PoseParts {
    /// Translation, then quaternion (x, y, z, w).
    pub(crate) fn of(pose: &Pose) -> [f64; 7] {
        let (t, q) = (pose.translation(), pose.rotation().coords);
        [t.x, t.y, t.z, q.x, q.y, q.z, q.w]
    }

    /// The pose of seven numbers that [`of`](Self::of) wrote.
    pub(crate) fn to_pose(parts: &[f64]) -> Result<Pose> {
        let [x, y, z, qx, qy, qz, qw] = *parts else {
            return Err(KineticError::DimensionMismatch {
                context: "stored pose".to_owned(),
                expected: "7".to_owned(),
                got: parts.len(),
            }
            .into());
        };
        // Checked on the way in; normalising once more would move the last bit.
        let rotation = Unit::new_unchecked(Quaternion::new(qw, qx, qy, qz));
        Ok(Isometry3::from_parts(Translation3::new(x, y, z), rotation).into())
    }
}
