//! Objects in clouds: clusters, boxes around them, and which is which over frames.

use std::sync::Mutex;

use kinetic::perception::{ClusterConfig, ObjectTracker, TrackerConfig};
use kinetic::scene::points_of;
use nalgebra::Point3;
use pyo3::prelude::*;

use crate::convert::{Array, Count, Dict, Dicts, Indices, Matrix, Points, Real, over_values};
use crate::error::Result;
use crate::geometry::shape::PyShape;
use crate::interrupt::{interruptible, locked, stoppable};

/// All points of an array.
fn points_in(points: &Points<'_>) -> Result<Vec<Point3<f64>>> {
    Ok(over_values!(points, values => points_of(values)?.collect()))
}

/// The clusters of points: two points are in one cluster when a chain of points leads from one to the other with steps of at most the
/// tolerance (PCL's Euclidean cluster extraction).
///
/// Args:
///     points: Points (N, 3), m, as for `Scene.add_pointcloud`; those that are not finite are in no cluster.
///     tolerance: Largest step, m.
///     min_points: Smaller clusters do not count.
///     max_points: Larger clusters do not count; None for no bound.
///
/// Returns:
///     The indices of the points of each cluster, ascending; the largest cluster first.
///
/// Raises:
///     InputError: A tolerance that is not positive, or points that reach over more than half a million tolerances.
///
/// Example:
///     >>> import kinetic
///     >>> points = [[0.0, 0.0, 0.0], [0.01, 0.0, 0.0], [0.5, 0.0, 0.0]]
///     >>> [cluster.tolist() for cluster in kinetic.euclidean_clusters(points, 0.02, min_points=1)]
///     [[0, 1], [2]]
#[pyfunction]
#[pyo3(
    signature = (points, tolerance=Real(0.02), min_points=Count(10), max_points=None),
    text_signature = "(points, tolerance=0.02, min_points=10, max_points=None)"
)]
pub(crate) fn euclidean_clusters<'py>(
    py: Python<'py>,
    points: Points<'py>,
    tolerance: Real,
    min_points: Count,
    max_points: Option<Count>,
) -> Result<Vec<Indices<'py>>> {
    let (tolerance, min_points, max_points) = (tolerance.0, min_points.0, max_points.map(|count| count.0));
    let (config, points) = (ClusterConfig { tolerance, min_points, max_points }, points_in(&points)?);
    let (stop, control) = stoppable();
    let clusters = interruptible(py, &stop, || config.clusters(&points, &control))??;
    let indices = |cluster: &Vec<u32>| {
        let indices: Vec<i64> = cluster.iter().copied().map(i64::from).collect();
        Indices::vector(py, &indices)
    };
    Ok(clusters.iter().map(indices).collect())
}

/// The box with an axis along z whose base has the least area, around points: what stands on a table.
///
/// Args:
///     points: Points (N, 3), m; those that are not finite do not count.
///     growth: How far the box reaches beyond them, m.
///
/// Returns:
///     The box and its pose (4, 4), for `Scene.add`.
///
/// Raises:
///     InputError: No finite point, or a growth that is negative.
#[pyfunction]
#[pyo3(signature = (points, growth=Real(0.0)), text_signature = "(points, growth=0.0)")]
pub(crate) fn upright_box<'py>(py: Python<'py>, points: Points<'py>, growth: Real) -> Result<(PyShape, Array<'py>)> {
    let points = points_in(&points)?;
    let (shape, pose) = py.detach(|| kinetic::perception::upright_box(&points, growth.0))?;
    Ok((PyShape(shape), Array::pose(py, &pose)?))
}

/// Follows objects from frame to frame by their positions.
///
/// Each object is expected where its velocity leads it; the nearest pairs of expected and measured positions are the same object, one
/// after the other.
///
/// Args:
///     max_distance: A measured object is at most this far from where it is expected, m.
///     confirm_after: An object counts after so many frames with it.
///     forget_after: An object is gone when it was not seen for longer than this, s.
///
/// Example:
///     >>> import kinetic
///     >>> tracker = kinetic.ObjectTracker(confirm_after=2)
///     >>> tracker.update([[0.5, 0.0, 0.1]], timestamp=0.0)["ids"].tolist()
///     [0]
///     >>> tracker.update([[0.8, 0.2, 0.1], [0.51, 0.0, 0.1]], timestamp=0.1)["ids"].tolist()
///     [1, 0]
#[pyclass(frozen, module = "kinetic", name = "ObjectTracker")]
pub(crate) struct PyObjectTracker(Mutex<ObjectTracker>);

#[pymethods]
impl PyObjectTracker {
    #[new]
    #[pyo3(
        signature = (max_distance=Real(0.1), confirm_after=Count(3), forget_after=Real(0.5)),
        text_signature = "(max_distance=0.1, confirm_after=3, forget_after=0.5)"
    )]
    fn __new__(max_distance: Real, confirm_after: Count, forget_after: Real) -> Result<Self> {
        let (max_distance, confirm_after, forget_after) = (max_distance.0, confirm_after.0, forget_after.0);
        Ok(Self(Mutex::new(ObjectTracker::new(TrackerConfig { max_distance, confirm_after, forget_after })?)))
    }

    /// Takes the positions of the objects of a frame.
    ///
    /// Args:
    ///     positions: Positions (N, 3), m: of clusters the means, or the middles of boxes.
    ///     timestamp: When they were measured, s; after that of the frame before.
    ///
    /// Returns:
    ///     `ids` (N,): the number of the object at each position; `confirmed` and `lost`: numbers of objects that count from this
    ///     frame on, and of those that counted and are gone.
    ///
    /// Raises:
    ///     InputError: Positions that are not finite, or a time that is not after that of the frame before; nothing has changed then.
    fn update<'py>(&self, py: Python<'py>, positions: Matrix, timestamp: Real) -> Result<Dict<'py>> {
        let update = locked(py, &self.0)?.update(&positions.points()?, timestamp.0)?;
        let numbers = |ids: &[u64]| {
            let ids: Vec<i64> = ids.iter().map(|id| id.cast_signed()).collect();
            Indices::vector(py, &ids)
        };
        Ok(Dict::new(py)
            .with("ids", numbers(&update.ids))?
            .with("confirmed", numbers(&update.confirmed))?
            .with("lost", numbers(&update.lost))?)
    }

    /// The objects in order of their numbers: `id`, `position` (3,), `velocity` (3,), `born` and `seen` (s), `hits` (frames with it) and
    /// `is_confirmed`.
    #[getter]
    fn objects<'py>(&self, py: Python<'py>) -> Result<Dicts<'py>> {
        let tracker = locked(py, &self.0)?;
        let mut dicts = Vec::new();
        for object in tracker.objects() {
            dicts.push(
                Dict::new(py)
                    .with("id", object.id)?
                    .with("position", Array::vector(py, object.position.coords.as_slice())?)?
                    .with("velocity", Array::vector(py, object.velocity.as_slice())?)?
                    .with("born", object.born)?
                    .with("seen", object.seen)?
                    .with("hits", object.hits)?
                    .with("is_confirmed", tracker.is_confirmed(object))?,
            );
        }
        Ok(Dicts::new(py, dicts)?)
    }

    fn __repr__(&self, py: Python<'_>) -> Result<String> {
        Ok(format!("<ObjectTracker of {} objects>", locked(py, &self.0)?.objects().len()))
    }
}
