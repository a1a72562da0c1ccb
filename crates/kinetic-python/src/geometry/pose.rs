//! `Pose`: where it comes from, what it says, how it composes. Motions and comparisons stand in `pose_motion`.

use std::hash::{DefaultHasher, Hash, Hasher};

use kinetic::core::error::{check_finite, check_len};
use kinetic::core::{KineticError, Pose};
use nalgebra::{Isometry3, UnitQuaternion};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::convert::{
    Array, DirectionArg, MatrixArg, Numbers, PoseArg, PoseParts, PyPose, Real, Rebuild, Triple, Vector, rebuild,
};
use crate::error::Result;

/// Constructors.
#[pymethods]
impl PyPose {
    #[new]
    #[pyo3(signature = (matrix=None))]
    fn __new__(matrix: Option<PoseArg>) -> Self {
        Self(matrix.map(|pose| pose.0).unwrap_or_default())
    }

    /// The identity.
    #[staticmethod]
    fn identity() -> Self {
        Self(Pose::identity())
    }

    /// The same as `Pose(matrix)`.
    #[staticmethod]
    fn from_matrix(matrix: PoseArg) -> Self {
        Self(matrix.0)
    }

    /// As `Pose(matrix)`, with the rotation nearest to the upper left 3×3 part, however far that is: for matrices with few
    /// digits. A scale or a shear is lost without a word.
    ///
    /// Args:
    ///     matrix: Homogeneous matrix (4, 4).
    ///
    /// Raises:
    ///     InputError: A 3×3 part that is singular or left-handed, and another last row than 0, 0, 0, 1.
    #[staticmethod]
    fn orthonormalised(matrix: MatrixArg) -> Result<Self> {
        Ok(Self(Pose::orthonormalised(&matrix.0)?))
    }

    /// A pure translation: three numbers, or a position (3,), m.
    #[staticmethod]
    #[pyo3(signature = (*xyz: "ArrayLike"))]
    fn from_xyz(xyz: &Bound<'_, PyTuple>) -> Result<Self> {
        let [x, y, z] = numbers(xyz, "position")?;
        Ok(Self(Pose::from_xyz(x, y, z)))
    }

    /// A translation (m) and roll, pitch and yaw (rad) about fixed axes, as in URDF: R = Rz(yaw) Ry(pitch) Rx(roll).
    ///
    /// Six numbers, or a position (3,) and three angles (3,).
    #[staticmethod]
    #[pyo3(signature = (*xyz_rpy: "ArrayLike"))]
    fn from_xyz_rpy(xyz_rpy: &Bound<'_, PyTuple>) -> Result<Self> {
        let [x, y, z, roll, pitch, yaw] = numbers(xyz_rpy, "position and roll, pitch, yaw")?;
        Ok(Self(Pose::from_xyz_rpy(x, y, z, roll, pitch, yaw)))
    }

    /// A position (3,) in m and a quaternion (x, y, z, w), which is normalised.
    #[staticmethod]
    fn from_xyzw(xyz: Triple, quaternion_xyzw: Vector) -> Result<Self> {
        check_len("quaternion", quaternion_xyzw.0.len(), 4)?;
        let (p, q) = (xyz.0, quaternion_xyzw.0);
        Ok(Self(Pose::from_xyz_quat(p.x, p.y, p.z, q[0], q[1], q[2], q[3])?))
    }

    /// A position (3,) in m and a quaternion (w, x, y, z), which is normalised.
    #[staticmethod]
    fn from_wxyz(xyz: Triple, quaternion_wxyz: Vector) -> Result<Self> {
        let mut quaternion = quaternion_wxyz.0;
        check_len("quaternion", quaternion.len(), 4)?;
        quaternion.rotate_left(1);
        Self::from_xyzw(xyz, Vector(quaternion))
    }

    /// A position (3,) in m and a rotation by an angle (rad) about an axis.
    ///
    /// Args:
    ///     xyz: Position.
    ///     axis: "x", "y", "z", or a direction (3,) of any length.
    ///     angle: Angle, rad.
    #[staticmethod]
    fn from_axis_angle(xyz: Triple, axis: DirectionArg, angle: Real) -> Result<Self> {
        Ok(Self(Isometry3::from_parts(xyz.0.into(), turn(&axis, &angle)?).into()))
    }

    /// The pose of a camera at `eye` that looks at `target`: z points at the target, y as far down as that allows, x to
    /// the right.
    ///
    /// Args:
    ///     eye: Position (3,), m.
    ///     target: Point (3,), m.
    ///     up: Direction (3,) that is not the view's.
    #[staticmethod]
    #[pyo3(
        signature = (eye, target, up=Triple(nalgebra::Vector3::z_axis().into_inner())),
        text_signature = "(eye, target, up=(0.0, 0.0, 1.0))"
    )]
    fn look_at(eye: Triple, target: Triple, up: Triple) -> Result<Self> {
        Ok(Self(Pose::look_at(&eye.0, &target.0, &up.0)?))
    }
}

/// What it says.
#[pymethods]
impl PyPose {
    /// The homogeneous matrix (4, 4).
    #[getter]
    fn matrix<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::pose(py, &self.0)
    }

    /// The rotation matrix (3, 3).
    #[getter]
    fn rotation_matrix<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::new(py, &[3, 3], self.0.rotation_matrix().transpose().as_slice())
    }

    /// The position (3,), m.
    #[getter]
    fn xyz<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, self.0.translation().as_slice())
    }

    /// Roll, pitch and yaw (3,), rad, about fixed axes; roll is 0 where pitch is ±π/2.
    #[getter]
    fn rpy<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        let (roll, pitch, yaw) = self.0.rpy();
        Array::vector(py, &[roll, pitch, yaw])
    }

    /// The unit quaternion (x, y, z, w).
    #[getter]
    fn xyzw<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, &self.0.quaternion_xyzw())
    }

    /// The unit quaternion (w, x, y, z).
    #[getter]
    fn wxyz<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, &self.0.quaternion_wxyz())
    }

    /// Direction (3,) of the own x axis.
    #[getter]
    fn x_axis<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, self.0.x_axis().as_slice())
    }

    /// Direction (3,) of the own y axis.
    #[getter]
    fn y_axis<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, self.0.y_axis().as_slice())
    }

    /// Direction (3,) of the own z axis.
    #[getter]
    fn z_axis<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, self.0.z_axis().as_slice())
    }

    /// What `numpy.asarray` calls: the homogeneous matrix (4, 4).
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> Result<Bound<'py, PyAny>> {
        as_array(Array::pose(py, &self.0)?, dtype, copy)
    }

    fn __repr__(&self) -> String {
        let [x, y, z, qx, qy, qz, qw] = PoseParts::of(&self.0);
        format!("Pose.from_xyzw([{x}, {y}, {z}], [{qx}, {qy}, {qz}, {qw}])")
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let parts = PoseParts::of(&self.0);
        // Equal poses have equal hashes: a quaternion and its negative are equal, and so are 0 and -0.
        for (index, part) in parts.into_iter().enumerate() {
            let part = if index < 3 { part + 0.0 } else { part.abs() };
            part.to_bits().hash(&mut hasher);
        }
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Rebuild<'py>> {
        let parts = Array::vector(py, &PoseParts::of(&self.0))?;
        Ok(rebuild(py.get_type::<Self>().into_any(), "_restore", (parts,))?)
    }

    /// The pose that pickle stored: translation and quaternion.
    #[staticmethod]
    fn _restore(parts: Vector) -> Result<Self> {
        Ok(Self(PoseParts::to_pose(&parts.0)?))
    }
}

/// How it composes.
#[pymethods]
impl PyPose {
    /// `self @ other`: from `a_from_b` and `b_from_c`, `a_from_c`.
    fn compose(&self, other: PoseArg) -> Self {
        Self(self.0 * other.0)
    }

    fn __matmul__(&self, other: PoseArg) -> Self {
        self.compose(other)
    }

    fn __rmatmul__(&self, other: PoseArg) -> Self {
        Self(other.0 * self.0)
    }

    fn __mul__(&self, other: PoseArg) -> Self {
        self.compose(other)
    }

    fn __rmul__(&self, other: PoseArg) -> Self {
        self.__rmatmul__(other)
    }

    /// From `a_from_b`, `b_from_a`.
    fn inverse(&self) -> Self {
        Self(self.0.inverse())
    }

    /// The same as `inverse`.
    fn inverse_transformation(&self) -> Self {
        self.inverse()
    }

    /// Distance of the origins, m.
    fn translation_distance(&self, other: PoseArg) -> f64 {
        self.0.translation_distance(&other.0)
    }

    /// Angle of the rotation between the two, rad, in [0, π].
    fn rotation_distance(&self, other: PoseArg) -> f64 {
        self.0.rotation_distance(&other.0)
    }
}

/// Exactly `N` finite numbers, given one by one or in vectors.
fn numbers<const N: usize>(given: &Bound<'_, PyTuple>, context: &str) -> Result<[f64; N]> {
    let numbers = Numbers::read(given)?;
    check_finite(context, &numbers.values)?;
    let got = numbers.values.len();
    let wrong = KineticError::DimensionMismatch { context: context.to_owned(), expected: N.to_string(), got };
    Ok(numbers.values.try_into().map_err(|_| wrong)?)
}

/// A rotation about a direction of any length.
pub(crate) fn turn(axis: &DirectionArg, angle: &Real) -> Result<UnitQuaternion<f64>> {
    check_finite("angle", &[angle.0])?;
    let length = axis.0.norm();
    if length < 1e-9 {
        let wanted = "\"x\", \"y\", \"z\", or a vector that has a direction";
        return Err(KineticError::invalid("axis", format!("{:?}", axis.0.as_slice()), wanted).into());
    }
    Ok(UnitQuaternion::from_scaled_axis(axis.0 * (angle.0 / length)))
}

/// A fresh array, as NumPy's protocol wants it: of another type when asked, refused when it must not be a copy.
pub(crate) fn as_array<'py>(
    array: Array<'py>,
    dtype: Option<Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> Result<Bound<'py, PyAny>> {
    if copy == Some(false) {
        return Err(PyValueError::new_err("the array is made when it is asked for: copy=False cannot be kept").into());
    }
    let array: Bound<'py, PyAny> = array.into();
    match dtype {
        None => Ok(array),
        Some(dtype) => Ok(array.call_method1("astype", (dtype,))?),
    }
}
