//! `Roadmap`, and roadmaps of a `Planner`.

use kinetic::planning::{Roadmap, RoadmapCounts};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::convert::{Array, Call, Count, Dict, File, Rebuild, rebuild};
use crate::error::Result;
use crate::interrupt::interruptible;
use crate::planning::PyPlanner;
use crate::planning::control_keywords::ControlKeywords;

pub(crate) const BUILD_ROADMAP: Call<ControlKeywords> = Call::new("Planner.build_roadmap");
pub(crate) const PROVE_ROADMAP: Call<ControlKeywords> = Call::new("Planner.prove_roadmap");

/// A graph of configurations that several queries search, and what is known of its edges in the scene where they were used last.
///
/// `Planner.build_roadmap` makes one, `Planner.with_roadmap` plans with it. Queries do not change the graph, so that answers depend
/// neither on earlier queries nor on threads; what they prove or refuse of its edges makes the next ones in the same scene cheaper. In
/// another scene none of it is believed. Copies that pickle makes know what the roadmap knew.
///
/// Example:
///     >>> import kinetic
///     >>> planner = kinetic.Planner("ur5e", planner_type="prm")
///     >>> roadmap = planner.build_roadmap(200)
///     >>> planner = planner.with_roadmap(roadmap)
///     >>> planner.plan("home", "ready").is_timed
///     True
///     >>> len(roadmap), planner.planner_used
///     (200, 'prm')
#[pyclass(frozen, module = "kinetic", name = "Roadmap")]
pub(crate) struct PyRoadmap(pub(crate) Roadmap);

#[pymethods]
impl PyRoadmap {
    /// Writes it to a file, with what is known of its edges and a checksum.
    ///
    /// Raises:
    ///     OSError: The file cannot be written.
    fn save(&self, py: Python<'_>, path: File) -> Result<()> {
        Ok(py.detach(|| self.0.save(path.0))?)
    }

    /// Reads a file that `save` wrote.
    ///
    /// Raises:
    ///     InputError: A file that is no roadmap, of another form, or damaged.
    ///     OSError: The file cannot be read.
    #[staticmethod]
    fn load(py: Python<'_>, path: File) -> Result<Self> {
        Ok(Self(py.detach(|| Roadmap::load(path.0))?))
    }

    /// Number of configurations.
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Number of edges, valid or not.
    #[getter]
    fn edges(&self) -> usize {
        self.0.edges()
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

    /// Version of the scene that its edges were looked at in last, as `Scene.version`; None before that.
    #[getter]
    fn scene_version(&self) -> Option<String> {
        self.0.scene_version().map(|version| version.to_string())
    }

    /// The configurations, rad or m: (N, dof).
    fn positions<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::new(py, &[self.0.len(), self.0.dof()], self.0.configurations())
    }

    fn __repr__(&self) -> String {
        let (robot, group) = (self.0.robot_name(), self.0.group_name());
        format!("Roadmap({robot:?}, group={group:?}, vertices={}, edges={})", self.0.len(), self.0.edges())
    }

    fn __eq__(&self, py: Python<'_>, other: PyRef<'_, Self>) -> bool {
        let (own, other) = (&self.0, &other.0);
        py.detach(|| own.to_bytes() == other.to_bytes())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Rebuild<'py>> {
        let bytes = py.detach(|| self.0.to_bytes());
        Ok(rebuild(py.get_type::<Self>().into_any(), "_restore", (PyBytes::new(py, &bytes),))?)
    }

    /// The roadmap that pickle stored as the content of its file.
    #[staticmethod]
    fn _restore(py: Python<'_>, content: &Bound<'_, PyBytes>) -> Result<Self> {
        let bytes = content.as_bytes();
        Ok(Self(py.detach(|| Roadmap::from_bytes(bytes, "<pickle>"))?))
    }
}

#[pymethods]
impl PyPlanner {
    /// A roadmap of configurations that are valid in the scene as it is now, each connected with its nearest.
    ///
    /// Which ones follows from `rng_seed`. For "prm_star" the neighbourhoods grow with the roadmap, so that its shortest paths approach the
    /// shortest there are. Edges are sampled, unless `lazy_roadmap` is True, and proven when a query needs them. Ctrl-C stops it.
    ///
    /// Args:
    ///     vertices: Number of configurations.
    ///     timeout: Seconds after which the roadmap has those that it has by then; None for no limit.
    ///     stop: Ends the work when another thread stops it, with a PlanningError.
    ///
    /// Raises:
    ///     InputError: No vertices, or more than 2²²; a timeout that is not positive.
    ///     PlanningError: Stopped, or the time was over before the first vertex.
    #[pyo3(
        signature = (vertices=Count(1000), **options),
        text_signature = "($self, vertices=1000, *, timeout=None, stop=None)"
    )]
    fn build_roadmap(&self, py: Python<'_>, vertices: Count, options: Option<&Bound<'_, PyDict>>) -> Result<PyRoadmap> {
        let (control, stop) = BUILD_ROADMAP.read(options)?.control()?;
        let planner = self.now(py)?;
        Ok(PyRoadmap(interruptible(py, &stop, || planner.build_roadmap(vertices.0, &control))??))
    }

    /// The same planner, whose queries search a roadmap; its type is "prm", unless it is "prm_star".
    ///
    /// Where the roadmap has no path, a copy of it grows for that query alone. Problems that `problem` makes are without it.
    ///
    /// Args:
    ///     roadmap: One of the same robot, group, limits and joint weights; None for a planner without one.
    ///
    /// Raises:
    ///     InputError: A roadmap of another robot, group, limits or weights, or a planner of another type.
    fn with_roadmap(&self, py: Python<'_>, roadmap: Option<Py<PyRoadmap>>) -> Result<Self> {
        let mut planner = self.with_config(py, self.config.clone());
        planner.roadmap = roadmap;
        planner.planner_type = planner.now(py)?.planner_type();
        Ok(planner)
    }

    /// The roadmap that queries search; None for a new one per query.
    #[getter]
    fn roadmap(&self, py: Python<'_>) -> Option<Py<PyRoadmap>> {
        self.roadmap.as_ref().map(|roadmap| roadmap.clone_ref(py))
    }

    /// How much of the roadmap is known in the scene as it is now.
    ///
    /// Returns:
    ///     `vertices`; `edges`, and of these `proven`, `refused`, and `unproven`, which were not looked at or sampled alone.
    ///
    /// Raises:
    ///     InputError: The planner has no roadmap.
    fn roadmap_counts<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        counted(py, self.now(py)?.roadmap_counts()?)
    }

    /// Proves or refuses all edges of the roadmap in the scene as it is now. Ctrl-C stops it; what was found by then is kept.
    ///
    /// Args:
    ///     timeout: Seconds after which it is a PlanningError; None for no limit. What was found by then is kept.
    ///     stop: Ends the work when another thread stops it, with a PlanningError.
    ///
    /// Returns:
    ///     As `roadmap_counts`.
    ///
    /// Raises:
    ///     InputError: The planner has no roadmap, or constraints, under which nothing is kept.
    ///     PlanningError: Stopped, or the time was over.
    #[pyo3(signature = (**options), text_signature = "($self, *, timeout=None, stop=None)")]
    fn prove_roadmap<'py>(&self, py: Python<'py>, options: Option<&Bound<'py, PyDict>>) -> Result<Dict<'py>> {
        let (control, stop) = PROVE_ROADMAP.read(options)?.control()?;
        let planner = self.now(py)?;
        counted(py, interruptible(py, &stop, || planner.prove_roadmap(&control))??)
    }
}

fn counted(py: Python<'_>, counts: RoadmapCounts) -> Result<Dict<'_>> {
    let RoadmapCounts { vertices, edges, proven, refused, unproven } = counts;
    let dict = Dict::new(py).with("vertices", vertices)?.with("edges", edges)?;
    Ok(dict.with("proven", proven)?.with("refused", refused)?.with("unproven", unproven)?)
}
