//! `Octree`: which cells of space are free, occupied or unknown.

use std::sync::Mutex;

use kinetic::core::KineticError;
use kinetic::perception::{ColumnState, InsertionReport, Octree, OctreeConfig, OctreeLeaf, Sight};
use kinetic::scene::points_of;
use nalgebra::Point3;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::convert::{Array, Dict, File, Indices, Mask, Matrix, Points, Real, Rebuild, Triple, over_values, rebuild};
use crate::error::Result;
use crate::geometry::shape::PyShape;
use crate::interrupt::{interruptible_if, locked, stoppable};

/// Points whose insertion takes some tens of milliseconds.
pub(super) const MAX_INSERTED_WITHOUT_SIGNAL_CHECK: usize = 20_000;

/// Points up to which `Octree.sight` takes some 0.1 s.
const MAX_VIEWS_WITHOUT_SIGNAL_CHECK: usize = 10_000;

/// An occupancy map that sensors fill: a tree of cubes whose cells are free, occupied or unknown (OctoMap, Hornung et al. 2013).
///
/// Each cell has log-odds, which hits raise and misses lower, both within bounds, so that a map follows what changes. Cells before a
/// measured point are cleared. Points are in the frame of the map, usually the root frame of the robot. Insertions and queries of
/// several threads wait for each other.
///
/// Args:
///     resolution: Edge of the smallest cells, m. There are 65,536 of them along each axis, half of them below 0.
///     hit: Probability that a cell which was hit is occupied, above 0.5.
///     miss: Probability that a cell which was passed is occupied, below 0.5.
///     clamp_min: Least probability that a cell gets.
///     clamp_max: Largest one.
///     occupancy_threshold: Probability from which on a cell counts as occupied.
///
/// Raises:
///     InputError: A value outside its domain.
///
/// Example:
///     >>> import kinetic
///     >>> octree = kinetic.Octree(resolution=0.05)
///     >>> report = octree.insert_cloud([[1.01, 0.01, 0.01]], sensor_origin=[0.01, 0.01, 0.01])
///     >>> report["cells_hit"], report["cells_missed"]
///     (1, 20)
///     >>> octree.is_occupied([1.01, 0.01, 0.01]), octree.is_unknown([2.0, 0.0, 0.0])
///     (True, True)
#[pyclass(frozen, module = "kinetic", name = "Octree")]
pub(crate) struct PyOctree(Mutex<Octree>);

#[pymethods]
impl PyOctree {
    #[new]
    #[pyo3(
        signature = (resolution=Real(0.05), *, hit=Real(0.7), miss=Real(0.4), clamp_min=Real(0.1192), clamp_max=Real(0.971), occupancy_threshold=Real(0.5)),
        text_signature = "(resolution=0.05, *, hit=0.7, miss=0.4, clamp_min=0.1192, clamp_max=0.971, occupancy_threshold=0.5)"
    )]
    fn new(
        resolution: Real,
        hit: Real,
        miss: Real,
        clamp_min: Real,
        clamp_max: Real,
        occupancy_threshold: Real,
    ) -> Result<Self> {
        Ok(Self::of(Octree::new(OctreeConfig {
            resolution: resolution.0,
            hit: hit.0,
            miss: miss.0,
            clamp_min: clamp_min.0,
            clamp_max: clamp_max.0,
            occupancy_threshold: occupancy_threshold.0,
        })?))
    }

    /// Reads a `.bt` or `.ot` file of OctoMap. The resolution is that of the file, the sensor model the default one; cells of a `.bt` file
    /// have the least or the largest log-odds.
    ///
    /// Raises:
    ///     InputError: A file that is damaged or no map of plain occupancy.
    ///     OSError: The file cannot be read.
    #[staticmethod]
    fn read(py: Python<'_>, path: File) -> Result<Self> {
        Ok(Self::of(py.detach(|| Octree::read(path.0, &OctreeConfig::default()))?))
    }

    /// Writes a `.bt` file, which says of cells whether they are free or occupied, or an `.ot` file, which has their log-odds too; by the
    /// ending of the name.
    ///
    /// Raises:
    ///     InputError: Another ending.
    ///     OSError: The file cannot be written.
    fn write(&self, py: Python<'_>, path: File) -> Result<()> {
        let octree = locked(py, &self.0)?;
        Ok(py.detach(|| octree.write(path.0))?)
    }

    /// Inserts measured points: their cells are hit, the cells between them and the sensor are missed.
    ///
    /// In one insertion a cell is updated once, and hits win. One ray goes to the centre of every cell with points. Ctrl-C stops it; nothing
    /// is inserted then.
    ///
    /// Args:
    ///     points: Points (N, 3) in the frame of the map, m, float32 or float64; those that are not finite are dropped.
    ///     sensor_origin: Where the sensor was, (3,), m.
    ///     max_range: Points farther away clear up to this range and hit nothing, m; None for no bound.
    ///
    /// Returns:
    ///     What became of the points: `points`, `not_finite`, `outside` (of the map), `rays`, `cells_hit`, `cells_missed`.
    ///
    /// Raises:
    ///     InputError: A sensor outside of the map, or a range that is not positive.
    #[pyo3(signature = (points, sensor_origin, max_range=None))]
    fn insert_cloud<'py>(
        &self,
        py: Python<'py>,
        points: Points<'py>,
        sensor_origin: Triple,
        max_range: Option<Real>,
    ) -> Result<Dict<'py>> {
        let points: Vec<Point3<f64>> = over_values!(&points, values => points_of(values)?.collect());
        let (origin, range) = (Point3::from(sensor_origin.0), max_range.map_or(f64::INFINITY, |range| range.0));
        let (stop, control) = stoppable();
        let mut octree = locked(py, &self.0)?;
        let map = &mut *octree;
        let is_long = points.len() > MAX_INSERTED_WITHOUT_SIGNAL_CHECK;
        let report = interruptible_if(py, is_long, &stop, || map.insert_cloud(&points, &origin, range, &control))??;
        Ok(insertion_dict(py, &report)?)
    }

    /// Takes one measurement of a cell into account: a hit where it is `occupied`, otherwise a miss.
    ///
    /// Raises:
    ///     InputError: A point beyond the map.
    fn update(&self, py: Python<'_>, point: Triple, occupied: bool) -> Result<()> {
        Ok(locked(py, &self.0)?.update_node(&Point3::from(point.0), occupied)?)
    }

    /// Log-odds of the cells of points (N, 3): (N,), NaN where they are unknown.
    fn log_odds<'py>(&self, py: Python<'py>, points: Matrix) -> Result<Array<'py>> {
        points.check_columns("point", 3)?;
        let octree = locked(py, &self.0)?;
        let of = |row: &[f64]| octree.log_odds(&Point3::new(row[0], row[1], row[2])).map_or(f64::NAN, f64::from);
        Array::vector(py, &points.rows().map(of).collect::<Vec<_>>())
    }

    /// Probability that the cell of a point (3,) is occupied; None where it is unknown.
    fn probability(&self, py: Python<'_>, point: Triple) -> Result<Option<f64>> {
        Ok(locked(py, &self.0)?.probability(&Point3::from(point.0)))
    }

    /// Whether the cell of a point (3,) counts as occupied.
    fn is_occupied(&self, py: Python<'_>, point: Triple) -> Result<bool> {
        Ok(locked(py, &self.0)?.is_occupied(&Point3::from(point.0)))
    }

    /// Whether nothing was measured in the cell of a point (3,), or the point is beyond the map.
    fn is_unknown(&self, py: Python<'_>, point: Triple) -> Result<bool> {
        Ok(locked(py, &self.0)?.is_unknown(&Point3::from(point.0)))
    }

    /// Centre (3,) of the first occupied cell that a ray enters; None where there is none within `max_range` (m, None for no bound), or
    /// an unknown cell comes before and `ignore_unknown` does not say to pass through it.
    ///
    /// Raises:
    ///     InputError: A direction of length 0, or a negative range.
    #[pyo3(signature = (origin, direction, max_range=None, *, ignore_unknown=false))]
    fn cast_ray<'py>(
        &self,
        py: Python<'py>,
        origin: Triple,
        direction: Triple,
        max_range: Option<Real>,
        ignore_unknown: bool,
    ) -> Result<Option<Array<'py>>> {
        let range = max_range.map_or(f64::INFINITY, |range| range.0);
        let octree = locked(py, &self.0)?;
        let hit = octree.cast_ray(&Point3::from(origin.0), &direction.0, range, ignore_unknown)?;
        hit.map(|center| Array::vector(py, center.coords.as_slice())).transpose()
    }

    /// What is between a viewpoint (3,) and points (N, 3): which of them a camera there sees.
    ///
    /// Args:
    ///     viewpoint: Where the camera is, in the frame of the map, m.
    ///     points: What it may see, m.
    ///     tolerance: Cells that the line of sight enters less than this before the point do not count, m: those of the surface that the
    ///         point lies on. None for the diagonal of a cell.
    ///
    /// Returns:
    ///     A dict of (N,) booleans: `visible`, where all cells in between are free; `occluded`, where one of them is occupied; `unknown`,
    ///     where none is as far as is known.
    ///
    /// Raises:
    ///     InputError: A viewpoint beyond the tree, a negative tolerance, or NaN. Ctrl-C ends it too.
    #[pyo3(signature = (viewpoint, points, tolerance=None), text_signature = "($self, viewpoint, points, tolerance=None)")]
    fn sight<'py>(
        &self,
        py: Python<'py>,
        viewpoint: Triple,
        points: Matrix,
        tolerance: Option<Real>,
    ) -> Result<Dict<'py>> {
        let points = points.points()?;
        let octree = locked(py, &self.0)?;
        let tolerance = tolerance.map_or_else(|| 3.0_f64.sqrt() * octree.config().resolution, |tolerance| tolerance.0);
        let viewpoint = Point3::from(viewpoint.0);
        let (stop, control) = stoppable();
        let (is_long, octree) = (points.len() > MAX_VIEWS_WITHOUT_SIGNAL_CHECK, &*octree);
        let look = |(index, point): (usize, &Point3<f64>)| {
            if index.is_multiple_of(MAX_VIEWS_WITHOUT_SIGNAL_CHECK) {
                control.check(0)?;
            }
            octree.sight(&viewpoint, point, tolerance)
        };
        let look_at_all = || points.iter().enumerate().map(look).collect::<kinetic::core::Result<Vec<Sight>>>();
        let found = interruptible_if(py, is_long, &stop, look_at_all)??;
        let is = |wanted: Sight| Mask::new(py, &found.iter().map(|sight| *sight == wanted).collect::<Vec<_>>());
        let dict = Dict::new(py).with("visible", is(Sight::Visible))?.with("occluded", is(Sight::Occluded))?;
        Ok(dict.with("unknown", is(Sight::Unknown))?)
    }

    /// The leaves of the tree in a fixed order, neighbouring equal cells as one.
    ///
    /// Args:
    ///     low: Lowest corner (3,) of a box, m; None for all leaves.
    ///     high: Its highest corner.
    ///
    /// Returns:
    ///     `centers` (N, 3) and `sizes` (N,), m, `log_odds` (N,) and `occupied` (N,).
    ///
    /// Raises:
    ///     InputError: One corner alone, or corners that are not the lowest and the highest.
    #[pyo3(signature = (low=None, high=None))]
    fn leaves<'py>(&self, py: Python<'py>, low: Option<Triple>, high: Option<Triple>) -> Result<Dict<'py>> {
        let octree = locked(py, &self.0)?;
        let leaves: Vec<OctreeLeaf> = match (low, high) {
            (None, None) => octree.leaves().collect(),
            (Some(low), Some(high)) => octree.leaves_in_box(&low.0.into(), &high.0.into())?.collect(),
            _ => return Err(KineticError::invalid("box", "one corner", "both corners, or none").into()),
        };
        leaves_dict(py, &leaves)
    }

    /// The leaves within a radius (m) of a point (3,), by their nearest points; as `leaves`.
    ///
    /// Raises:
    ///     InputError: A negative radius.
    fn leaves_within<'py>(&self, py: Python<'py>, point: Triple, radius: Real) -> Result<Dict<'py>> {
        let octree = locked(py, &self.0)?;
        let leaves: Vec<OctreeLeaf> = octree.leaves_within(&point.0.into(), radius.0)?.collect();
        leaves_dict(py, &leaves)
    }

    /// Distance from a point (3,) to the nearest occupied leaf, m, 0 inside; infinite where nothing is occupied.
    fn distance(&self, py: Python<'_>, point: Triple) -> Result<f64> {
        let octree = locked(py, &self.0)?;
        Ok(octree.nearest_occupied(&point.0.into()).map_or(f64::INFINITY, |(_, distance)| distance))
    }

    /// Indices (N, 3) of the occupied cells at the finest resolution, ascending: cell (i, j, k) reaches from resolution · (i, j, k)
    /// to the next ones.
    ///
    /// Raises:
    ///     InputError: More than 2²⁶ cells are occupied.
    fn occupied_cells<'py>(&self, py: Python<'py>) -> Result<Indices<'py>> {
        let octree = locked(py, &self.0)?;
        let cells = py.detach(|| octree.occupied_cells())?;
        Indices::rows(py, &cells)
    }

    /// The occupied cells as one shape in the frame of the map, for `Scene.add`.
    ///
    /// Raises:
    ///     InputError: Nothing is occupied, or more than 2²⁶ cells are.
    fn occupied_shape(&self, py: Python<'_>) -> Result<PyShape> {
        let octree = locked(py, &self.0)?;
        Ok(PyShape(py.detach(|| octree.occupied_shape())?))
    }

    /// The unknown cells of a box as one shape in the frame of the map: what no sensor has seen, as an obstacle.
    ///
    /// Args:
    ///     low: Lowest corner (3,) of the box, m. The cells of the corners are in it.
    ///     high: Its highest corner.
    ///
    /// Raises:
    ///     InputError: Nothing is unknown there, more than 2²⁴ cells are, or corners that are not the lowest and the highest.
    fn unknown_shape(&self, py: Python<'_>, low: Triple, high: Triple) -> Result<PyShape> {
        let octree = locked(py, &self.0)?;
        Ok(PyShape(py.detach(|| octree.unknown_shape(&low.0.into(), &high.0.into()))?))
    }

    /// Moves all that is known towards unknown: multiplies log-odds by `factor` and forgets cells whose log-odds are then within
    /// `forget_below` of 0.
    ///
    /// Raises:
    ///     InputError: A factor outside of 0 to 1, or a negative bound.
    #[pyo3(signature = (factor, forget_below=Real(0.05)), text_signature = "($self, factor, forget_below=0.05)")]
    fn decay(&self, py: Python<'_>, factor: Real, forget_below: Real) -> Result<()> {
        let mut octree = locked(py, &self.0)?;
        let map = &mut *octree;
        Ok(py.detach(|| map.decay(factor.0, forget_below.0))?)
    }

    /// The map between two heights (m) seen from above.
    ///
    /// Returns:
    ///     `columns` (X, Y), 1 where a cell is occupied, 0 where none is and one is free, -1 where nothing is known; `origin` (2,), where the
    ///     corner of the first column is, m, and `resolution`.
    ///
    /// Raises:
    ///     InputError: Heights that are not in order, or more than 2²⁶ columns.
    fn project<'py>(&self, py: Python<'py>, min_height: Real, max_height: Real) -> Result<Dict<'py>> {
        let projection = locked(py, &self.0)?.project(min_height.0, max_height.0)?;
        let [width, depth] = projection.size;
        let value = |index: usize| match projection.columns[index % depth * width + index / depth] {
            ColumnState::Unknown => -1.0,
            ColumnState::Free => 0.0,
            ColumnState::Occupied => 1.0,
        };
        let columns: Vec<f64> = (0..width * depth).map(value).collect();
        let origin = projection.origin.map(|cell| f64::from(cell) * projection.resolution);
        Ok(Dict::new(py)
            .with("columns", Array::new(py, &[width, depth], &columns)?)?
            .with("origin", Array::vector(py, &origin)?)?
            .with("resolution", projection.resolution)?)
    }

    /// Forgets all.
    fn clear(&self, py: Python<'_>) -> Result<()> {
        locked(py, &self.0)?.clear();
        Ok(())
    }

    /// Edge of the smallest cells, m.
    #[getter]
    fn resolution(&self, py: Python<'_>) -> Result<f64> {
        Ok(locked(py, &self.0)?.config().resolution)
    }

    /// Number of nodes, inner ones included.
    #[getter]
    fn num_nodes(&self, py: Python<'_>) -> Result<usize> {
        Ok(locked(py, &self.0)?.num_nodes())
    }

    /// Number of leaves.
    fn __len__(&self, py: Python<'_>) -> Result<usize> {
        Ok(locked(py, &self.0)?.num_leaves())
    }

    /// Bytes that the nodes take.
    #[getter]
    fn memory_bytes(&self, py: Python<'_>) -> Result<usize> {
        Ok(locked(py, &self.0)?.memory_bytes())
    }

    fn __repr__(&self, py: Python<'_>) -> Result<String> {
        let octree = locked(py, &self.0)?;
        Ok(format!("Octree(resolution={:?}, leaves={})", octree.config().resolution, octree.num_leaves()))
    }

    fn __eq__(&self, py: Python<'_>, other: PyRef<'_, Self>) -> Result<bool> {
        let content = |octree: &Octree| (*octree.config(), octree.to_ot());
        let own = content(&*locked(py, &self.0)?);
        Ok(own == content(&*locked(py, &other.0)?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Rebuild<'py>> {
        let octree = locked(py, &self.0)?;
        let OctreeConfig { resolution, hit, miss, clamp_min, clamp_max, occupancy_threshold } = *octree.config();
        let config = (resolution, hit, miss, clamp_min, clamp_max, occupancy_threshold);
        let content = PyBytes::new(py, &octree.to_ot());
        Ok(rebuild(py.get_type::<Self>().into_any(), "_restore", (config, content))?)
    }

    /// The map that pickle stored as the content of its `.ot` file and its sensor model.
    #[staticmethod]
    fn _restore(config: (f64, f64, f64, f64, f64, f64), content: &Bound<'_, PyBytes>) -> Result<Self> {
        let (resolution, hit, miss, clamp_min, clamp_max, occupancy_threshold) = config;
        let config = OctreeConfig { resolution, hit, miss, clamp_min, clamp_max, occupancy_threshold };
        Ok(Self::of(Octree::from_bytes(content.as_bytes(), &config)?))
    }
}

impl PyOctree {
    pub(super) fn of(octree: Octree) -> Self {
        Self(Mutex::new(octree))
    }

    pub(super) fn map(&self) -> &Mutex<Octree> {
        &self.0
    }
}

pub(super) fn insertion_dict<'py>(py: Python<'py>, report: &InsertionReport) -> PyResult<Dict<'py>> {
    Dict::new(py)
        .with("points", report.points)?
        .with("not_finite", report.not_finite)?
        .with("outside", report.outside)?
        .with("rays", report.rays)?
        .with("cells_hit", report.cells_hit)?
        .with("cells_missed", report.cells_missed)
}

fn leaves_dict<'py>(py: Python<'py>, leaves: &[OctreeLeaf]) -> Result<Dict<'py>> {
    let centers: Vec<f64> = leaves.iter().flat_map(|leaf| leaf.center.coords.data.0[0]).collect();
    let of = |value: fn(&OctreeLeaf) -> f64| leaves.iter().map(value).collect::<Vec<_>>();
    let occupied: Vec<bool> = leaves.iter().map(|leaf| leaf.is_occupied).collect();
    Ok(Dict::new(py)
        .with("centers", Array::new(py, &[leaves.len(), 3], &centers)?)?
        .with("sizes", Array::vector(py, &of(|leaf| leaf.size))?)?
        .with("log_odds", Array::vector(py, &of(|leaf| f64::from(leaf.log_odds)))?)?
        .with("occupied", Mask::new(py, &occupied))?)
}
