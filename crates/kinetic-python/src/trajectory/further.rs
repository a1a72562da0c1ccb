//! `Trajectory`: the fastest motion under limits written in Python.

use kinetic::trajectory::time_optimal_within;
use kinetic::trajectory::totp::{PathPoint, PathRow};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pyo3::{type_hint_identifier, type_hint_subscript};

use crate::convert::{Array, Matrix, PerJoint};
use crate::error::Result;
use crate::trajectory::keywords::TIME_OPTIMAL_WITHIN;
use crate::trajectory::timing::limits;
use crate::trajectory::{Motion, PyTrajectory};

const VECTOR: PyStaticExpr = <Array<'_> as IntoPyObject<'_>>::OUTPUT_TYPE;

/// Something to call with a point of the path.
pub(crate) struct PathLimits(Py<PyAny>);

impl FromPyObject<'_, '_> for PathLimits {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("collections.abc", "Callable"),
        PyStaticExpr::List { elts: &[VECTOR, VECTOR, VECTOR] },
        <Matrix as FromPyObject<'_, '_>>::INPUT_TYPE
    );

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        Ok(Self(given.to_owned().unbind()))
    }
}

impl PathLimits {
    /// The rows at a point.
    fn rows(&self, py: Python<'_>, point: &PathPoint<'_>) -> Result<Vec<PathRow>> {
        let vector = |values| Array::vector(py, values);
        let point = (vector(point.position)?, vector(point.tangent)?, vector(point.curvature)?);
        let given: Matrix = self.0.call1(py, point)?.extract(py)?;
        given
            .check_columns("row of a path limit (factor of the path acceleration, of the speed, constant, limit)", 4)?;
        let row = |row: &[f64]| PathRow { acceleration: row[0], speed: row[1], constant: row[2], limit: row[3] };
        Ok(given.rows().map(row).collect())
    }
}

#[pymethods]
impl PyTrajectory {
    /// The same path as fast as limits allow, with limits of your own among them: torques, forces at the tool, the speed
    /// of a point.
    ///
    /// With `s` along the path, `path_limits(position, tangent, curvature)` returns rows `(a, b, c, d)` that stand for
    /// `a * s'' + b * s'**2 + c <= d`; `position`, `tangent` and `curvature` are the joint values and their first and
    /// second derivative by `s`. Rows hold at the points of a grid that is fine where the path bends; between them they
    /// can be exceeded by some percent, unlike the limits of velocity and acceleration, which hold everywhere.
    ///
    /// Args:
    ///     path_limits: Called with three vectors, shape (dof,); returns rows, shape (n, 4).
    ///     velocity_limits: Largest speed, one number or one per joint, rad/s or m/s.
    ///     acceleration_limits: Largest acceleration, one number or one per joint, rad/s² or m/s².
    ///     max_deviation: Largest distance from the path at corners, Euclidean in joint space; 0 stops at corners.
    ///     shape: "blends" cuts the corners of the polyline; "spline" is a cubic spline through all waypoints.
    ///     through: Indices of waypoints that are met exactly and not cut.
    ///     start_velocity: Joint velocities at the start, along the path; None is rest.
    ///     end_velocity: Joint velocities at the end, along the path; None is rest.
    #[pyo3(
        signature = (path_limits, velocity_limits, acceleration_limits, *positions, **options),
        text_signature = "($self, path_limits, velocity_limits, acceleration_limits, max_deviation=0.01, *, \
                          shape='blends', through=(), start_velocity=None, end_velocity=None)"
    )]
    fn time_optimal_within(
        &self,
        py: Python<'_>,
        path_limits: PathLimits,
        velocity_limits: PerJoint,
        acceleration_limits: PerJoint,
        positions: &Bound<'_, PyTuple>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> Result<Self> {
        let options = TIME_OPTIMAL_WITHIN.read_with(positions, options)?.options()?;
        let limits = limits(self.dof(), velocity_limits, acceleration_limits, None)?;
        let path = self.to_path()?;
        let mut raised = None;
        let mut further = |point: &PathPoint<'_>, rows: &mut Vec<PathRow>| {
            if raised.is_none() {
                match path_limits.rows(py, point) {
                    Ok(mut found) => rows.append(&mut found),
                    Err(error) => raised = Some(error),
                }
            }
        };
        let timed = time_optimal_within(&path, &limits, &options, &mut |_| true, &mut further);
        if let Some(error) = raised {
            return Err(error);
        }
        Ok(Self { motion: Motion::Timed(timed?), joint_names: self.joint_names.clone(), problem: None, lead_in: None })
    }
}
