//! `ConvexRegion`, `ConvexDecomposition`, and the regions of a `Planner`.

use kinetic::core::{Control, StopFlag};
use kinetic::planning::{ConvexDecomposition, ConvexRegion, IrisOptions};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::convert::{Array, Call, Count, Dict, File, Indices, Matrix, Real, Rebuild, Seed, Vector, keywords, rebuild};
use crate::error::Result;
use crate::interrupt::{interruptible, stoppable};
use crate::planning::PyPlanner;
use crate::planning::control_keywords::{ControlKeywords, control_of};
use crate::stop_flag::PyStopFlag;

pub(crate) const CONVEX_DECOMPOSITION: Call<RegionKeywords> = Call::new("Planner.convex_decomposition");
pub(crate) const DECOMPOSITION_OF: Call<ControlKeywords> = Call::new("Planner.decomposition_of");

keywords! {
    /// Of `Planner.convex_decomposition`.
    pub(crate) struct RegionKeywords {
        collision_fraction: Real = Real(IrisOptions::default().collision_fraction),
        confidence: Real = Real(IrisOptions::default().confidence),
        margin: Real = Real(IrisOptions::default().margin),
        iterations: Count = Count(IrisOptions::default().iterations),
        least_growth: Real = Real(IrisOptions::default().least_growth),
        timeout: Option<Real> = None,
        stop: Option<Py<PyStopFlag>> = None,
    }
}

impl RegionKeywords {
    fn options(&self) -> IrisOptions {
        IrisOptions {
            collision_fraction: self.collision_fraction.0,
            confidence: self.confidence.0,
            margin: self.margin.0,
            iterations: self.iterations.0,
            least_growth: self.least_growth.0,
        }
    }

    fn control(&self) -> Result<(Control, StopFlag)> {
        control_of(self.timeout.as_ref(), self.stop.as_ref())
    }
}

/// A convex polytope of configurations: {q : A q <= b}, with unit rows in A.
///
/// Those that `Planner.convex_decomposition` grows are nearly free of collisions. Others are made of their faces, and nothing is claimed
/// of them.
///
/// Args:
///     normals: A, with a row per face: (M, dof). Rows are scaled to unit length, with their offsets.
///     offsets: b: (M,).
///
/// Raises:
///     InputError: A row of zeros, or faces that leave no interior or no bounded one.
///
/// Example:
///     >>> from kinetic import ConvexRegion
///     >>> square = ConvexRegion([[1, 0], [0, 1], [-1, 0], [0, -1]], [1, 1, 1, 1])
///     >>> square.contains([1.0, -0.5]), square.contains([1.1, 0.0])
///     (True, False)
#[pyclass(frozen, module = "kinetic", name = "ConvexRegion")]
pub(crate) struct PyConvexRegion(pub(crate) ConvexRegion);

#[pymethods]
impl PyConvexRegion {
    #[new]
    fn __new__(py: Python<'_>, normals: Matrix, offsets: Vector) -> Result<Self> {
        let dof = normals.num_columns();
        Ok(Self(py.detach(|| ConvexRegion::from_faces(dof, &normals.values, &offsets.0))?))
    }

    /// Number of joints.
    #[getter]
    fn dof(&self) -> usize {
        self.0.dof()
    }

    /// Unit normals of the faces, those of the joint limits included: (M, dof).
    #[getter]
    fn normals<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::new(py, &[self.0.num_faces(), self.0.dof()], self.0.normals())
    }

    /// Offsets of the faces: (M,).
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::new(py, &[self.0.num_faces()], self.0.offsets())
    }

    /// The configuration that it grew around, or the middle of an edge; for a region that was made of its faces its centre.
    #[getter]
    fn seed<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::new(py, &[self.0.dof()], self.0.seed())
    }

    /// Centre of the largest ellipsoid in it.
    #[getter]
    fn center<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::new(py, &[self.0.dof()], self.0.center())
    }

    /// Logarithm of the product of the half-axes of that ellipsoid: what volumes of regions of one space are compared by.
    #[getter]
    fn log_volume(&self) -> f64 {
        self.0.log_volume()
    }

    /// Whether a configuration is in it, its boundary included. Values of joints without limits are taken as they are.
    ///
    /// Raises:
    ///     InputError: Another number of joints, or a value that is not finite.
    fn contains(&self, q: Vector) -> Result<bool> {
        Ok(self.0.contains(&q.0)?)
    }

    /// Configurations of it, one after the other and nearly uniform (coordinate hit-and-run, Smith 1984): (count, dof).
    ///
    /// Args:
    ///     count: How many, at most 10⁷.
    ///     rng_seed: What they follow from.
    ///
    /// Raises:
    ///     InputError: More than 10⁷.
    #[pyo3(signature = (count, rng_seed=Seed(0)))]
    fn sample<'py>(&self, py: Python<'py>, count: Count, rng_seed: Seed) -> Result<Array<'py>> {
        let (stop, control) = stoppable();
        let samples = interruptible(py, &stop, || self.0.sample(count.0, rng_seed.0, &control))??;
        Array::new(py, &[count.0, self.0.dof()], &samples)
    }

    fn __repr__(&self) -> String {
        format!("ConvexRegion(dof={}, faces={})", self.0.dof(), self.0.num_faces())
    }

    fn __eq__(&self, other: PyRef<'_, Self>) -> bool {
        self.0 == other.0
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Rebuild<'py>> {
        let bytes = self.0.to_bytes();
        Ok(rebuild(py.get_type::<Self>().into_any(), "_restore", (PyBytes::new(py, &bytes),))?)
    }

    /// The region that pickle stored.
    #[staticmethod]
    fn _restore(content: &Bound<'_, PyBytes>) -> Result<Self> {
        Ok(Self(ConvexRegion::from_bytes(content.as_bytes(), "<pickle>")?))
    }
}

/// Convex regions of the joint space of a planning group, and which of them overlap.
///
/// `Planner.convex_decomposition` grows them, `Planner.with_regions` plans through them.
///
/// Example:
///     >>> import kinetic
///     >>> planner = kinetic.Planner("ur5e")
///     >>> ends = [planner.robot.named_pose("home"), planner.robot.named_pose("ready")]
///     >>> regions = planner.convex_decomposition(ends, 4, collision_fraction=0.05)
///     >>> planner = planner.with_regions(regions)
///     >>> planner.plan("home", "ready").is_timed, planner.planner_used
///     (True, 'gcs')
#[pyclass(frozen, module = "kinetic", name = "ConvexDecomposition")]
pub(crate) struct PyConvexDecomposition(pub(crate) ConvexDecomposition);

#[pymethods]
impl PyConvexDecomposition {
    /// Writes it to a file, with a checksum.
    ///
    /// Raises:
    ///     OSError: The file cannot be written.
    fn save(&self, py: Python<'_>, path: File) -> Result<()> {
        Ok(py.detach(|| self.0.save(path.0))?)
    }

    /// Reads a file that `save` wrote.
    ///
    /// Raises:
    ///     InputError: A file without regions, of another form, or damaged.
    ///     OSError: The file cannot be read.
    #[staticmethod]
    fn load(py: Python<'_>, path: File) -> Result<Self> {
        Ok(Self(py.detach(|| ConvexDecomposition::load(path.0))?))
    }

    /// Number of regions.
    fn __len__(&self) -> usize {
        self.0.regions().len()
    }

    /// The regions, in the order in which they were grown.
    #[getter]
    fn regions(&self) -> Vec<PyConvexRegion> {
        self.0.regions().iter().cloned().map(PyConvexRegion).collect()
    }

    /// Pairs of regions that overlap, by their places, smaller ones first: (N, 2).
    #[getter]
    fn overlaps<'py>(&self, py: Python<'py>) -> Result<Indices<'py>> {
        let pairs: Vec<[i64; 2]> =
            self.0.overlaps().map(|pair| pair.map(|place| i64::try_from(place).unwrap_or(i64::MAX))).collect();
        Indices::rows(py, &pairs)
    }

    /// How the regions were grown, and with it what is claimed of each, by the names of the keywords of `Planner.convex_decomposition`; None
    /// for regions from elsewhere.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> Result<Option<Dict<'py>>> {
        let Some(options) = self.0.options() else { return Ok(None) };
        let dict = Dict::new(py).with("collision_fraction", options.collision_fraction)?;
        let dict = dict.with("confidence", options.confidence)?.with("margin", options.margin)?;
        Ok(Some(dict.with("iterations", options.iterations)?.with("least_growth", options.least_growth)?))
    }

    /// Version of the scene that the regions were grown in, as `Scene.version`; None for regions from elsewhere.
    #[getter]
    fn scene_version(&self) -> Option<String> {
        self.0.scene_version().map(|version| version.to_string())
    }

    /// Number of joints of its group.
    #[getter]
    fn dof(&self) -> usize {
        self.0.dof()
    }

    /// Name of its robot.
    #[getter]
    fn robot_name(&self) -> &str {
        self.0.robot_name()
    }

    /// Name of its planning group.
    #[getter]
    fn group(&self) -> &str {
        self.0.group_name()
    }

    fn __repr__(&self) -> String {
        let (robot, group) = (self.0.robot_name(), self.0.group_name());
        let (regions, overlaps) = (self.0.regions().len(), self.0.overlaps().count());
        format!("ConvexDecomposition({robot:?}, group={group:?}, regions={regions}, overlaps={overlaps})")
    }

    fn __eq__(&self, py: Python<'_>, other: PyRef<'_, Self>) -> bool {
        let (own, other) = (&self.0, &other.0);
        py.detach(|| own.to_bytes() == other.to_bytes())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Rebuild<'py>> {
        let bytes = py.detach(|| self.0.to_bytes());
        Ok(rebuild(py.get_type::<Self>().into_any(), "_restore", (PyBytes::new(py, &bytes),))?)
    }

    /// The decomposition that pickle stored as the content of its file.
    #[staticmethod]
    fn _restore(py: Python<'_>, content: &Bound<'_, PyBytes>) -> Result<Self> {
        let bytes = content.as_bytes();
        Ok(Self(py.detach(|| ConvexDecomposition::from_bytes(bytes, "<pickle>"))?))
    }
}

#[pymethods]
impl PyPlanner {
    /// Grows convex regions of configurations that are valid in the scene as it is now (IRIS-ZO, Werner and others 2024): one around each
    /// seed, then around edges of paths between regions that do not hang together, then around random configurations that are in none.
    ///
    /// A region may be in collision in places, of which the options state how many; paths through regions are proven before they are used.
    /// Which regions grow follows from `rng_seed`, whatever the number of processors that they grow on. Ctrl-C stops it.
    ///
    /// Args:
    ///     seeds: Configurations that get a region each, unless an earlier one contains them: (N, dof). None for random ones.
    ///     regions: Number of regions at most.
    ///     collision_fraction: Largest fraction of a region that is in collision, from 1e-4 to below 1.
    ///     confidence: How sure that is of what grows with one ellipsoid, above 0 and below 1.
    ///     margin: How far faces stay away from configurations that are known to collide, a distance of the joint space.
    ///     iterations: Ellipsoids that a region may grow with.
    ///     least_growth: Growth of the volume of its ellipsoid, as a part of it, below which a region has grown up.
    ///     timeout: Seconds after which there are the regions that there are by then; None for no limit.
    ///     stop: Ends the work when another thread stops it, with a PlanningError.
    ///
    /// Raises:
    ///     InputError: Options outside their domain, fewer regions than seeds, a seed in collision or in a place too narrow, or a planner with
    ///         constraints.
    ///     PlanningError: Stopped, or the time was over before the first region.
    #[pyo3(
        signature = (seeds=None, regions=Count(16), **options),
        text_signature = "($self, seeds=None, regions=16, *, collision_fraction=0.01, confidence=0.95, margin=0.01, iterations=5, \
                          least_growth=0.3, timeout=None, stop=None)"
    )]
    fn convex_decomposition(
        &self,
        py: Python<'_>,
        seeds: Option<Matrix>,
        regions: Count,
        options: Option<&Bound<'_, PyDict>>,
    ) -> Result<PyConvexDecomposition> {
        let options = CONVEX_DECOMPOSITION.read(options)?;
        let ((control, stop), iris) = (options.control()?, options.options());
        let seeds: Vec<Vec<f64>> = seeds.iter().flat_map(Matrix::rows).map(<[f64]>::to_vec).collect();
        let planner = self.now(py)?;
        let grow = || planner.convex_decomposition(&seeds, regions.0, &iris, &control);
        Ok(PyConvexDecomposition(interruptible(py, &stop, grow)??))
    }

    /// Convex regions from elsewhere as a decomposition for planners of this robot and group; nothing is claimed of them, and what of
    /// them is outside the joint limits is cut off. Ctrl-C stops it.
    ///
    /// Args:
    ///     regions: The regions.
    ///     timeout: Seconds after which it is a PlanningError; None for no limit.
    ///     stop: Ends the work when another thread stops it, with a PlanningError.
    ///
    /// Raises:
    ///     InputError: No regions, more than 1000, or one of another number of joints or outside the limits.
    ///     PlanningError: Stopped, or the time was over.
    #[pyo3(
        signature = (regions, **options),
        text_signature = "($self, regions, *, timeout=None, stop=None)"
    )]
    fn decomposition_of(
        &self,
        py: Python<'_>,
        regions: Vec<PyRef<'_, PyConvexRegion>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> Result<PyConvexDecomposition> {
        let (control, stop) = DECOMPOSITION_OF.read(options)?.control()?;
        let regions = regions.iter().map(|region| region.0.clone()).collect();
        let planner = self.now(py)?;
        Ok(PyConvexDecomposition(interruptible(py, &stop, || planner.decomposition_of(regions, &control))??))
    }

    /// The same planner, whose queries plan through convex regions; its type is "gcs".
    ///
    /// What is claimed of regions holds in the scene where they were grown. In another one they still say where to search: every edge of a path
    /// is proven in the scene of the planner. Problems that `problem` makes are without them.
    ///
    /// Args:
    ///     regions: Ones of the same robot, group and limits; None for a planner without.
    ///
    /// Raises:
    ///     InputError: Regions of another robot, group or limits, or a planner of another type.
    fn with_regions(&self, py: Python<'_>, regions: Option<Py<PyConvexDecomposition>>) -> Result<Self> {
        let mut planner = self.with_config(py, self.config.clone());
        planner.regions = regions;
        planner.planner_type = planner.now(py)?.planner_type();
        Ok(planner)
    }

    /// The convex regions that queries plan through; None for a planner without.
    #[getter]
    fn regions(&self, py: Python<'_>) -> Option<Py<PyConvexDecomposition>> {
        self.regions.as_ref().map(|regions| regions.clone_ref(py))
    }
}
