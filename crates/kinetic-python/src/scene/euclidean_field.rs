//! `EuclideanDistanceField`: distances from the occupied cells of a map.

use std::sync::Mutex;

use kinetic::collision::EuclideanDistanceField;
use kinetic::core::KineticError;
use kinetic::gpu::DeviceDistanceTransform;
use nalgebra::{Point3, Vector3};
use pyo3::prelude::*;

use crate::convert::{Array, Cells, Indices, Matrix, Real, Rebuild, Text, Triple, rebuild};
use crate::error::Result;
use crate::interrupt::{interruptible_if, locked, stoppable};

/// Nodes up to which a field is computed in some 0.1 s.
const MAX_NODES_WITHOUT_SIGNAL_CHECK: usize = 1 << 21;

/// Signed distances from occupied cells over a grid (ESDF), m: positive outside, negative inside of their union.
///
/// Nodes are the corners of cells and hold the exact distance, to single precision; between them the field is trilinear and off by
/// at most √3/2 of the resolution. Cell (i, j, k) reaches from resolution · (i, j, k) to the next ones, as in `Octree` and
/// `Shape.voxels`.
///
/// Args:
///     low: Lowest corner (3,) of the box that the grid covers, m.
///     high: Highest corner (3,), m.
///     resolution: Edge of a cell, m.
///     max_distance: Larger distances become this one, m, of either sign; then `update` computes anew only what is as near to cells
///         that changed, and cells outside of the box count as far as they matter. None for no bound.
///     device: Where updates are computed: "cpu", "auto" (a GPU where there is one, else the processor), "gpu", "gpu:N" or a part of
///         the name of an adapter. All have the same bits.
///
/// Raises:
///     InputError: A box without a volume, numbers that are not positive, too many cells, or a device that is not there.
///
/// Example:
///     >>> import kinetic
///     >>> field = kinetic.EuclideanDistanceField([0, 0, 0], [1, 1, 1], resolution=0.1)
///     >>> field.update([[4, 4, 4]])
///     >>> field.distance([[0.9, 0.4, 0.4]]).round(6)
///     array([0.4])
#[pyclass(frozen, module = "kinetic", name = "EuclideanDistanceField")]
pub(crate) struct PyEuclideanDistanceField {
    measured: Mutex<Measured>,
    /// What was asked for.
    choice: String,
}

/// A field, and what computes its updates.
struct Measured {
    field: EuclideanDistanceField,
    transform: DeviceDistanceTransform,
}

impl PyEuclideanDistanceField {
    /// What the field says about itself.
    fn ask<T>(&self, py: Python<'_>, read: impl FnOnce(&EuclideanDistanceField) -> T) -> Result<T> {
        Ok(read(&locked(py, &self.measured)?.field))
    }

    fn at_each<T: Send>(
        &self,
        py: Python<'_>,
        points: &Matrix,
        read: fn(&EuclideanDistanceField, &Point3<f64>) -> T,
    ) -> Result<Vec<T>> {
        let points = points.points()?;
        let measured = locked(py, &self.measured)?;
        let field = &measured.field;
        Ok(py.detach(|| points.iter().map(|point| read(field, point)).collect()))
    }
}

#[pymethods]
impl PyEuclideanDistanceField {
    #[new]
    #[pyo3(
        signature = (low, high, resolution, max_distance=None, device=Text("cpu".to_owned())),
        text_signature = "(low, high, resolution, max_distance=None, device='cpu')"
    )]
    fn __new__(
        py: Python<'_>,
        low: Triple,
        high: Triple,
        resolution: Real,
        max_distance: Option<Real>,
        device: Text,
    ) -> Result<Self> {
        let most = max_distance.map(|most| most.0);
        let field = EuclideanDistanceField::new(&low.0.into(), &high.0.into(), resolution.0, most)?;
        let choice = device.0.parse()?;
        // A device takes up to seconds to open.
        let transform = py.detach(|| DeviceDistanceTransform::new(&choice)).map_err(KineticError::from)?;
        Ok(Self { measured: Mutex::new(Measured { field, transform }), choice: device.0 })
    }

    /// Whether updates are computed on a device of Vulkan, Metal or DX12.
    #[getter]
    fn is_gpu(&self, py: Python<'_>) -> Result<bool> {
        Ok(locked(py, &self.measured)?.transform.device().is_gpu())
    }

    /// "cpu", or the adapter with its number, backend and driver.
    #[getter]
    fn device(&self, py: Python<'_>) -> Result<String> {
        Ok(locked(py, &self.measured)?.transform.device().to_string())
    }

    /// Takes other cells for occupied than before.
    ///
    /// Args:
    ///     cells: Indices (N, 3) of all occupied cells, as `Octree.occupied_cells` gives them; of a boolean grid,
    ///         `numpy.argwhere(grid)`.
    ///
    /// Raises:
    ///     InputError: A cell outside of the grid of a field without `max_distance`, or more than the device can hold; the field is as
    ///         before. Ctrl-C ends it too.
    fn update(&self, py: Python<'_>, cells: Cells) -> Result<()> {
        let (stop, control) = stoppable();
        let mut measured = locked(py, &self.measured)?;
        let Measured { field, transform } = &mut *measured;
        // A device is waited for.
        let is_long = transform.device().is_gpu() || field.values().len() > MAX_NODES_WITHOUT_SIGNAL_CHECK;
        let update = || field.update_with(&cells.0, transform, &control);
        Ok(interruptible_if(py, is_long, &stop, update)??)
    }

    /// Distances (N,) of points (N, 3), m; outside of the grid those of the nearest points of the grid. Infinite without occupied
    /// cells and without `max_distance`.
    fn distance<'py>(&self, py: Python<'py>, points: Matrix) -> Result<Array<'py>> {
        Array::vector(py, &self.at_each(py, &points, EuclideanDistanceField::distance)?)
    }

    /// Gradients (N, 3) of the distance at points (N, 3), of length about 1 where that is neither the maximum nor infinite.
    fn gradient<'py>(&self, py: Python<'py>, points: Matrix) -> Result<Array<'py>> {
        let gradients = self.at_each(py, &points, EuclideanDistanceField::gradient)?;
        let values: Vec<f64> = gradients.iter().flat_map(|gradient| gradient.data.0[0]).collect();
        Array::new(py, &[gradients.len(), 3], &values)
    }

    /// Distances (N,) that points (N, 3) keep for certain, m: never more than the exact distance. Outside of the grid less by the
    /// distance from the grid, since nothing is known there.
    fn lower_bound<'py>(&self, py: Python<'py>, points: Matrix) -> Result<Array<'py>> {
        Array::vector(py, &self.at_each(py, &points, EuclideanDistanceField::lower_bound)?)
    }

    /// The surface at a distance from the occupied cells, by marching cubes: open where it leaves the grid.
    ///
    /// Args:
    ///     level: The distance, m; negative inside. None for half a cell, which encloses every occupied cell; at 0, walls of one cell
    ///         vanish.
    ///
    /// Returns:
    ///     Vertices (N, 3), m, and triangles (M, 3), counter-clockwise from outside.
    ///
    /// Raises:
    ///     InputError: A level that is not below `max_distance`, or not finite. Ctrl-C ends it too.
    #[pyo3(signature = (level=None), text_signature = "($self, level=None)")]
    fn surface<'py>(&self, py: Python<'py>, level: Option<Real>) -> Result<(Array<'py>, Indices<'py>)> {
        let (stop, control) = stoppable();
        let measured = locked(py, &self.measured)?;
        let field = &measured.field;
        let level = level.map_or(0.5 * field.resolution(), |level| level.0);
        let is_long = field.values().len() > MAX_NODES_WITHOUT_SIGNAL_CHECK;
        let mesh = interruptible_if(py, is_long, &stop, || field.surface(level, &control))??;
        let vertices: Vec<f64> = mesh.vertices.iter().flat_map(|vertex| vertex.coords.data.0[0]).collect();
        Ok((Array::new(py, &[mesh.vertices.len(), 3], &vertices)?, Indices::rows(py, &mesh.triangles)?))
    }

    /// Distances at the nodes, (X, Y, Z), m.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        let measured = locked(py, &self.measured)?;
        let values: Vec<f64> = measured.field.values().iter().copied().map(f64::from).collect();
        Array::new(py, &measured.field.nodes(), &values)
    }

    /// Indices (N, 3) of the occupied cells that count, ascending.
    #[getter]
    fn cells<'py>(&self, py: Python<'py>) -> Result<Indices<'py>> {
        Indices::rows(py, &self.ask(py, EuclideanDistanceField::occupied_cells)?)
    }

    /// Lowest corner (3,) of the grid.
    #[getter]
    fn low<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        let low = self.ask(py, |field| *field.low())?;
        Array::vector(py, low.coords.as_slice())
    }

    /// Highest corner (3,) of the grid.
    #[getter]
    fn high<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        let high = self.ask(py, EuclideanDistanceField::high)?;
        Array::vector(py, high.coords.as_slice())
    }

    /// Edge of a cell, m.
    #[getter]
    fn resolution(&self, py: Python<'_>) -> Result<f64> {
        self.ask(py, EuclideanDistanceField::resolution)
    }

    /// Distance that larger ones become, m; None without bound.
    #[getter]
    fn max_distance(&self, py: Python<'_>) -> Result<Option<f64>> {
        self.ask(py, EuclideanDistanceField::max_distance)
    }

    fn __repr__(&self, py: Python<'_>) -> Result<String> {
        let ([x, y, z], resolution) = self.ask(py, |field| (field.nodes(), field.resolution()))?;
        Ok(format!("EuclideanDistanceField(<{x} by {y} by {z} nodes, {resolution} m>)"))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Rebuild<'py>> {
        let box_of = |field: &EuclideanDistanceField| {
            // Half a cell inside, so that rounding makes no other grid.
            let half = Vector3::repeat(field.resolution() / 2.0);
            [field.low() + half, field.high() - half]
        };
        let ([low, high], resolution, most, cells) =
            self.ask(py, |field| (box_of(field), field.resolution(), field.max_distance(), field.occupied_cells()))?;
        let corner = |point: Point3<f64>| Array::vector(py, point.coords.as_slice());
        let parts = (corner(low)?, corner(high)?, resolution, most, Indices::rows(py, &cells)?, &self.choice);
        Ok(rebuild(py.get_type::<Self>().into_any(), "_restore", parts)?)
    }

    /// The field that pickle stored: points of its lowest and of its highest cell, its occupied cells, and the device that was asked
    /// for.
    #[staticmethod]
    #[pyo3(
        signature = (low, high, resolution, max_distance, cells, device=Text("cpu".to_owned())),
        text_signature = "(low, high, resolution, max_distance, cells, device='cpu')"
    )]
    fn _restore(
        py: Python<'_>,
        low: Triple,
        high: Triple,
        resolution: Real,
        max_distance: Option<Real>,
        cells: Cells,
        device: Text,
    ) -> Result<Self> {
        let field = Self::__new__(py, low, high, resolution, max_distance, device)?;
        field.update(py, cells)?;
        Ok(field)
    }
}
