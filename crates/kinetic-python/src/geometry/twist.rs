//! `Twist` and `Wrench`: velocities and forces of rigid bodies.

use kinetic::core::{Twist, Wrench};
use pyo3::prelude::*;

use crate::convert::{Array, PoseArg, Real, Rebuild, Triple, Vector, rebuild};
use crate::error::Result;
use crate::geometry::pose::as_array;

/// Velocity of a rigid body: of the point at a frame's origin, along the frame's axes, and of the rotation.
///
/// Args:
///     linear: Velocity of the point at the origin (3,), m/s.
///     angular: Angular velocity (3,), rad/s.
///
/// Example:
///     >>> from kinetic import Twist, Wrench
///     >>> Twist([0.0, 0.0, 0.1], [0.0, 0.0, 0.0]).power(Wrench([0.0, 0.0, -20.0], [0.0, 0.0, 0.0]))
///     -2.0
#[pyclass(frozen, eq, module = "kinetic", name = "Twist")]
#[derive(Clone, PartialEq)]
pub(crate) struct PyTwist(pub(crate) Twist);

/// Load on a rigid body: a force, and its moment about a frame's origin, along the frame's axes.
///
/// Args:
///     force: Force (3,), N.
///     torque: Moment about the origin (3,), Nm.
#[pyclass(frozen, eq, module = "kinetic", name = "Wrench")]
#[derive(Clone, PartialEq)]
pub(crate) struct PyWrench(pub(crate) Wrench);

#[pymethods]
impl PyTwist {
    #[new]
    fn __new__(linear: Triple, angular: Triple) -> Self {
        Self(Twist::new(linear.0, angular.0))
    }

    /// Velocity of the point at the origin (3,), m/s.
    #[getter]
    fn linear<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, self.0.linear.as_slice())
    }

    /// Angular velocity (3,), rad/s.
    #[getter]
    fn angular<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, self.0.angular.as_slice())
    }

    /// Power of a load on this motion, both in one frame, W; the same in every frame.
    fn power(&self, wrench: &Bound<'_, PyWrench>) -> f64 {
        self.0.power(&wrench.get().0)
    }

    fn __repr__(&self) -> String {
        format!("Twist({:?}, {:?})", self.0.linear.as_slice(), self.0.angular.as_slice())
    }
}

#[pymethods]
impl PyWrench {
    #[new]
    fn __new__(force: Triple, torque: Triple) -> Self {
        Self(Wrench::new(force.0, torque.0))
    }

    /// Force (3,), N.
    #[getter]
    fn force<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, self.0.force.as_slice())
    }

    /// Moment about the origin (3,), Nm.
    #[getter]
    fn torque<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, self.0.torque.as_slice())
    }

    /// Power of this load on a motion, both in one frame, W; the same in every frame.
    fn power(&self, twist: &Bound<'_, PyTwist>) -> f64 {
        self.0.power(&twist.get().0)
    }

    fn __repr__(&self) -> String {
        format!("Wrench({:?}, {:?})", self.0.force.as_slice(), self.0.torque.as_slice())
    }
}

/// What both can do.
macro_rules! six_numbers {
    ($class:ident, $inner:ident) => {
        #[pymethods]
        impl $class {
            /// From six numbers, the linear part first.
            #[staticmethod]
            fn from_array(values: Vector) -> Result<Self> {
                Ok(Self($inner::from_slice(&values.0)?))
            }

            /// The six numbers (6,), the linear part first.
            fn to_array<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
                Array::vector(py, &self.0.to_array())
            }

            /// The same seen from frame `a`, from the pose `a_from_b` of the frame `b` that it is in.
            fn transformed(&self, a_from_b: PoseArg) -> Self {
                Self(self.0.transformed(&a_from_b.0))
            }

            /// All six numbers times a factor.
            fn scale(&self, factor: Real) -> Self {
                Self(self.0.scale(factor.0))
            }

            fn __mul__(&self, factor: Real) -> Self {
                self.scale(factor)
            }

            fn __rmul__(&self, factor: Real) -> Self {
                self.scale(factor)
            }

            fn __add__(&self, other: &Bound<'_, Self>) -> Self {
                Self(self.0 + other.get().0)
            }

            fn __sub__(&self, other: &Bound<'_, Self>) -> Self {
                Self(self.0 - other.get().0)
            }

            fn __neg__(&self) -> Self {
                Self(-self.0)
            }

            /// What `numpy.asarray` calls: the six numbers.
            #[pyo3(signature = (dtype=None, copy=None))]
            fn __array__<'py>(
                &self,
                py: Python<'py>,
                dtype: Option<Bound<'py, PyAny>>,
                copy: Option<bool>,
            ) -> Result<Bound<'py, PyAny>> {
                as_array(self.to_array(py)?, dtype, copy)
            }

            fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Rebuild<'py>> {
                Ok(rebuild(py.get_type::<Self>().into_any(), "from_array", (self.to_array(py)?,))?)
            }
        }
    };
}

six_numbers!(PyTwist, Twist);
six_numbers!(PyWrench, Wrench);
