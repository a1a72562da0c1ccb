//! `ReachabilityMap`: what a tool reaches; NumPy writes and reads the files.

use kinetic::core::error::check_len;
use kinetic::core::{KineticError, StopFlag};
use kinetic::kinematics::reachability::{Cell, dexterity};
use kinetic::kinematics::{ReachabilityConfig, ReachabilityMap, solve_directions};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{Array, Count, File, Real, Rebuild, Seed, rebuild};
use crate::error::Result;
use crate::interrupt::interruptible;
use crate::robot::PyRobot;
use crate::trajectory::npz;

/// Where the tool of a robot has been: cubes in the group's base frame, and from how many of 64 directions.
///
/// Made by sampling the joints inside their limits (Zacharias et al. 2007, "Capturing robot workspace structure"). What is
/// called reachable is, up to the size of a cube; what is not may have been missed by the samples.
///
/// Args:
///     robot: The robot; its selected group and tool count.
///     resolution: Edge of a cube, m.
///     samples: Configurations that are tried.
///     seed: Seed of the samples; the same seed gives the same map.
///     rolls: More than 0 asks closed-form inverse kinematics about the directions that sampling missed, with the tool
///         turned about each in so many steps. Needs an arm with a closed form, and time: 64 times `rolls` solves per cube.
///
/// Raises:
///     InputError: A resolution below 1 mm, no samples, or `rolls` for an arm without closed form.
///
/// Example:
///     >>> from kinetic import ReachabilityMap, Robot
///     >>> reach = ReachabilityMap(Robot("ur5e"), resolution=0.1, samples=100_000)
///     >>> reach.is_reachable(0.4, 0.2, 0.4)
///     True
#[pyclass(frozen, module = "kinetic", name = "ReachabilityMap")]
pub(crate) struct PyReachabilityMap(ReachabilityMap);

/// What a file should be, in errors.
const ARCHIVE: &str = "a reachability map";

#[pymethods]
impl PyReachabilityMap {
    #[new]
    #[pyo3(signature = (robot, resolution=None, samples=None, seed=None, rolls=None))]
    fn __new__(
        py: Python<'_>,
        robot: PyRef<'_, PyRobot>,
        resolution: Option<Real>,
        samples: Option<Count>,
        seed: Option<Seed>,
        rolls: Option<Count>,
    ) -> Result<Self> {
        let model = robot.model();
        let defaults = ReachabilityConfig::default();
        let config = ReachabilityConfig {
            resolution: resolution.map_or(defaults.resolution, |resolution| resolution.0),
            samples: samples.map_or(defaults.samples, |samples| samples.0),
            seed: seed.map_or(defaults.seed, |seed| seed.0),
        };
        let rolls = rolls.map_or(0, |rolls| rolls.0);
        let chain = model.chain()?;
        let stop = StopFlag::default();
        let map = interruptible(py, &stop, || {
            let arm = if rolls > 0 { Some(model.closed_form()?) } else { None };
            let mut map = ReachabilityMap::sample(chain, &config, &stop)?;
            if let Some(arm) = arm {
                solve_directions(&mut map, arm, rolls, &stop)?;
            }
            Ok::<_, KineticError>(map)
        })??;
        Ok(Self(map))
    }

    /// Edge of a cube, m.
    #[getter]
    fn resolution(&self) -> f64 {
        self.0.resolution()
    }

    /// Configurations that were tried.
    #[getter]
    fn samples(&self) -> usize {
        self.0.samples()
    }

    /// Volume of all cubes that were reached, m³.
    #[getter]
    fn volume(&self) -> f64 {
        self.0.volume()
    }

    /// Middles of the cubes that were reached (K, 3), in the group's base frame.
    #[getter]
    fn centers<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        let values: Vec<f64> = self.0.cells().iter().flat_map(|cell| self.0.center(cell)).collect();
        Array::new(py, &[self.0.cells().len(), 3], &values)
    }

    /// Share of 64 directions from which the tool was in each cube (K,).
    #[getter]
    fn dexterity<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, &self.0.cells().iter().map(dexterity).collect::<Vec<f64>>())
    }

    /// Whether the tool has been in the cube around a point of the group's base frame.
    fn is_reachable(&self, x: Real, y: Real, z: Real) -> bool {
        self.0.is_reachable(x.0, y.0, z.0)
    }

    /// Share of 64 directions from which the tool has been in the cube around a point, 0 to 1.
    fn dexterity_at(&self, x: Real, y: Real, z: Real) -> f64 {
        self.0.dexterity_at(x.0, y.0, z.0)
    }

    /// Writes a file that `load` reads; NumPy's format, whatever the name ends in.
    fn save<'py>(&self, py: Python<'py>, path: File) -> Result<()> {
        let numpy = py.import("numpy")?;
        let cells = self.0.cells();
        let arrays = PyDict::new(py);
        let array = |values: Bound<'py, PyAny>, kind: &str| numpy.call_method1("array", (values, kind));
        arrays.set_item("resolution", self.0.resolution())?;
        arrays.set_item("samples", self.0.samples())?;
        let indices: Vec<[i32; 3]> = cells.iter().map(|cell| cell.index).collect();
        let shaped = array(indices.into_pyobject(py)?.into_any(), "int32")?.call_method1("reshape", (-1, 3))?;
        arrays.set_item("cells", shaped)?;
        let counts: Vec<u64> = cells.iter().map(|cell| cell.count).collect();
        arrays.set_item("counts", array(counts.into_pyobject(py)?.into_any(), "uint64")?)?;
        let directions: Vec<u64> = cells.iter().map(|cell| cell.directions).collect();
        arrays.set_item("directions", array(directions.into_pyobject(py)?.into_any(), "uint64")?)?;
        npz::write(&path.0, "savez_compressed", &arrays)
    }

    /// Reads what `save` wrote.
    ///
    /// Raises:
    ///     InputError: The file is no map.
    ///     OSError: The file cannot be read.
    #[staticmethod]
    fn load(py: Python<'_>, path: File) -> Result<Self> {
        let file = npz::read(py, &path.0, ARCHIVE)?;
        let list = |name: &str| file.get_item(name)?.call_method0("ravel")?.call_method0("tolist");
        let read = || -> PyResult<MapParts> {
            let (resolution, samples) = (list("resolution")?.get_item(0)?, list("samples")?.get_item(0)?);
            let (cells, counts, directions) = (list("cells")?, list("counts")?, list("directions")?);
            Ok((resolution.extract()?, samples.extract()?, cells.extract()?, counts.extract()?, directions.extract()?))
        };
        from_parts(read().map_err(|error| npz::no_archive(&path.0, ARCHIVE, &error))?)
    }

    /// For pickle.
    #[staticmethod]
    fn _from_parts(parts: &Bound<'_, PyAny>) -> Result<Self> {
        from_parts(parts.extract()?)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Rebuild<'py>> {
        let map = &slf.get().0;
        let cells: Vec<i32> = map.cells().iter().flat_map(|cell| cell.index).collect();
        let counts: Vec<u64> = map.cells().iter().map(|cell| cell.count).collect();
        let directions: Vec<u64> = map.cells().iter().map(|cell| cell.directions).collect();
        let parts: MapParts = (map.resolution(), map.samples(), cells, counts, directions);
        rebuild(slf.get_type().into_any(), "_from_parts", (parts,))
    }

    fn __eq__(&self, other: PyRef<'_, Self>) -> bool {
        self.0 == other.0
    }

    fn __len__(&self) -> usize {
        self.0.cells().len()
    }

    fn __repr__(&self) -> String {
        let (cells, resolution, volume) = (self.0.cells().len(), self.0.resolution(), self.0.volume());
        format!("ReachabilityMap({cells} cubes of {resolution} m, {volume:.3} m³)")
    }
}

/// Resolution, samples, and per cell its index (three numbers), samples and directions.
type MapParts = (f64, usize, Vec<i32>, Vec<u64>, Vec<u64>);

fn from_parts((resolution, samples, cells, counts, directions): MapParts) -> Result<PyReachabilityMap> {
    check_len("cells of a map", cells.len(), 3 * counts.len())?;
    check_len("directions of a map", directions.len(), counts.len())?;
    let parts = cells.chunks_exact(3).zip(counts.iter().zip(&directions));
    let cell = |(index, (count, directions)): (&[i32], (&u64, &u64))| Cell {
        index: [index[0], index[1], index[2]],
        count: *count,
        directions: *directions,
    };
    Ok(PyReachabilityMap(ReachabilityMap::from_parts(resolution, samples, parts.map(cell).collect())?))
}
