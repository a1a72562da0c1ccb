//! `SignedDistanceField`: distances over a grid.

use std::sync::{Mutex, MutexGuard, PoisonError};

use kinetic::collision::SignedDistanceField;
use kinetic::core::Pose;
use kinetic::core::error::check_len;
use nalgebra::Point3;
use pyo3::prelude::*;

use crate::convert::{Array, Matrix, PoseArg, PoseParts, Real, Rebuild, Text, Triple, Vector, rebuild};
use crate::error::Result;
use crate::geometry::shape::PyShape;
use crate::interrupt::{interruptible, stoppable};

/// Signed distances to named shapes over a grid, m: positive outside.
///
/// Nodes hold exact distances; between them the field is trilinear and off by at most √3/2 of the resolution. Outside of
/// the grid distances are exact. Shapes come and go one by one.
///
/// Args:
///     low: Lowest corner (3,) of the box that the grid covers, m.
///     high: Highest corner (3,), m.
///     resolution: Distance of neighbouring nodes, m.
///
/// Example:
///     >>> import numpy as np
///     >>> from kinetic import Shape, SignedDistanceField
///     >>> field = SignedDistanceField([-1, -1, -1], [1, 1, 1], resolution=0.1)
///     >>> field.add("ball", Shape.sphere(0.5), np.eye(4))
///     >>> field.distance([[1.0, 0.0, 0.0]]).round(6)
///     array([0.5])
#[pyclass(frozen, module = "kinetic", name = "SignedDistanceField")]
pub(crate) struct PySignedDistanceField(Mutex<SignedDistanceField>);

/// A stored shape: name, shape and the parts of its pose.
type FieldEntry<'py> = (String, PyShape, Array<'py>);

impl PySignedDistanceField {
    /// Works on the field without the GIL, so that nobody waits for the lock while holding it.
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut SignedDistanceField) -> T + Send) -> T {
        py.detach(|| work(&mut self.locked()))
    }

    fn locked(&self) -> MutexGuard<'_, SignedDistanceField> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn at_each<T: Send>(
        &self,
        py: Python<'_>,
        points: &Matrix,
        read: fn(&SignedDistanceField, &Point3<f64>) -> T,
    ) -> Result<Vec<T>> {
        let points = points.points()?;
        Ok(self.with(py, |field| points.iter().map(|point| read(field, point)).collect()))
    }
}

#[pymethods]
impl PySignedDistanceField {
    #[new]
    fn __new__(low: Triple, high: Triple, resolution: Real) -> Result<Self> {
        Ok(Self(Mutex::new(SignedDistanceField::new(low.0.into(), high.0.into(), resolution.0)?)))
    }

    /// Adds a shape, or replaces the one of that name. It may reach beyond the grid. Ctrl-C stops it, and the field is as before.
    ///
    /// Args:
    ///     name: Its name.
    ///     shape: The shape.
    ///     pose: Pose of the shape, 4×4.
    fn add(&self, py: Python<'_>, name: Text, shape: &Bound<'_, PyShape>, pose: PoseArg) -> Result<()> {
        let shape = shape.get().0.clone();
        let (stop, control) = stoppable();
        Ok(interruptible(py, &stop, || self.locked().add_within(&name.0, &shape, &pose.0, &control))??)
    }

    /// Removes a shape; False when there is none of that name. Ctrl-C stops it, and the field is as before.
    fn remove(&self, py: Python<'_>, name: Text) -> Result<bool> {
        let (stop, control) = stoppable();
        Ok(interruptible(py, &stop, || self.locked().remove_within(&name.0, &control))??)
    }

    /// Names of the shapes, sorted.
    #[getter]
    fn names(&self, py: Python<'_>) -> Vec<String> {
        self.with(py, |field| field.shapes().map(|(name, ..)| name.to_owned()).collect())
    }

    /// Distances (N,) of points (N, 3), m; infinite without shapes.
    fn distance<'py>(&self, py: Python<'py>, points: Matrix) -> Result<Array<'py>> {
        Array::vector(py, &self.at_each(py, &points, SignedDistanceField::distance)?)
    }

    /// Gradients (N, 3) of the distance at points (N, 3), of length about 1; zero without shapes.
    fn gradient<'py>(&self, py: Python<'py>, points: Matrix) -> Result<Array<'py>> {
        let gradients = self.at_each(py, &points, SignedDistanceField::gradient)?;
        let values: Vec<f64> = gradients.iter().flat_map(|gradient| gradient.data.0[0]).collect();
        Array::new(py, &[gradients.len(), 3], &values)
    }

    /// Distances (N,) that points (N, 3) keep for certain, m: never more than the exact distance.
    fn lower_bound<'py>(&self, py: Python<'py>, points: Matrix) -> Result<Array<'py>> {
        Array::vector(py, &self.at_each(py, &points, SignedDistanceField::lower_bound)?)
    }

    /// An obstacle for a scene that contains every point of the shapes inside the grid: voxels and their pose (4, 4).
    ///
    /// It reaches at most √3 resolutions beyond the shapes.
    fn obstacle<'py>(&self, py: Python<'py>) -> Result<(PyShape, Array<'py>)> {
        let (shape, pose) = self.with(py, |field| field.obstacle())?;
        Ok((PyShape(shape), Array::pose(py, &pose)?))
    }

    /// Distances at the nodes, (X, Y, Z), m.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        let (nodes, values) = self.with(py, |field| (field.nodes(), field.values().to_vec()));
        Array::new(py, &nodes, &values)
    }

    /// Lowest corner (3,) of the grid.
    #[getter]
    fn low<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        let low = self.with(py, |field| *field.low());
        Array::vector(py, low.coords.as_slice())
    }

    /// Distance of neighbouring nodes, m.
    #[getter]
    fn resolution(&self, py: Python<'_>) -> f64 {
        self.with(py, |field| field.resolution())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        self.with(py, |field| {
            let [x, y, z] = field.nodes();
            format!("SignedDistanceField(<{x} by {y} by {z} nodes>, <{} shapes>)", field.shapes().count())
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Rebuild<'py>> {
        let field = self.with(py, |field| field.clone());
        let numbers = [field.nodes().map(|count| count as f64).as_slice(), &[field.resolution()]].concat();
        let entry = |(name, shape, pose): (&str, &kinetic::core::Shape, &Pose)| -> Result<FieldEntry<'py>> {
            Ok((name.to_owned(), PyShape(shape.clone()), Array::vector(py, &PoseParts::of(pose))?))
        };
        let shapes = field.shapes().map(entry).collect::<Result<Vec<_>>>()?;
        let low = Array::vector(py, field.low().coords.as_slice())?;
        Ok(rebuild(py.get_type::<Self>().into_any(), "_restore", (low, Array::vector(py, &numbers)?, shapes))?)
    }

    /// The field that pickle stored: its corner, numbers of nodes with the resolution, and its shapes.
    #[staticmethod]
    fn _restore(
        py: Python<'_>,
        low: Triple,
        numbers: Vector,
        shapes: Vec<(Text, Py<PyShape>, Vector)>,
    ) -> Result<Self> {
        check_len("stored field", numbers.0.len(), 4)?;
        let resolution = numbers.0[3];
        // Half a step short of the last node, so that rounding makes none beyond it.
        let size = nalgebra::Vector3::from_fn(|axis, _| (numbers.0[axis] - 1.5) * resolution);
        let mut field = SignedDistanceField::new(low.0.into(), Point3::from(low.0 + size), resolution)?;
        for (name, shape, pose) in shapes {
            let (shape, pose) = (shape.get().0.clone(), PoseParts::to_pose(&pose.0)?);
            py.detach(|| field.add(&name.0, &shape, &pose))?;
        }
        Ok(Self(Mutex::new(field)))
    }
}
