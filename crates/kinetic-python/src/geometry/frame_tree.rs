//! `FrameTree`: named frames and the transforms between them.

use std::sync::Arc;

use kinetic::core::{FrameTree, StampedTransform};
use kinetic::kinematics::update_frame_tree;
use pyo3::prelude::*;

use crate::convert::{Array, Dict, Dicts, PoseArg, PoseParts, Real, Rebuild, Text, Vector, rebuild};
use crate::error::Result;
use crate::robot::PyRobot;

/// Named frames and the latest transform of each pair of them, for any number of threads.
///
/// Poses between frames that no transform joins directly are products along the shortest chain.
///
/// Args:
///     history: Transforms are kept until the newest of their two frames is this much later, s, for lookups at the time of a
///         measurement; 0 keeps the newest.
///
/// Example:
///     >>> import kinetic
///     >>> tree = kinetic.FrameTree()
///     >>> tree.set_static("base", "camera", kinetic.Pose.from_xyz(0.0, 0.0, 0.5))
///     >>> tree.set_transform("world", "base", kinetic.Pose.from_xyz(1.0, 0.0, 0.0), timestamp=12.5)
///     >>> tree.lookup("world", "camera")[:3, 3]
///     array([1. , 0. , 0.5])
#[pyclass(frozen, module = "kinetic", name = "FrameTree")]
pub(crate) struct PyFrameTree(pub(crate) Arc<FrameTree>);

/// What changes it.
#[pymethods]
impl PyFrameTree {
    #[new]
    #[pyo3(signature = (history=Real(0.0)), text_signature = "(history=0.0)")]
    fn __new__(history: Real) -> Result<Self> {
        Ok(Self(Arc::new(FrameTree::with_history(history.0)?)))
    }

    /// Sets the pose of frame `child` in frame `parent`. It replaces whatever was set between the two, in either
    /// direction: the last call counts, not the largest timestamp.
    ///
    /// Args:
    ///     parent: Name of a frame.
    ///     child: Name of another frame.
    ///     T: Pose of the child in the parent.
    ///     timestamp: When it was true, s.
    #[pyo3(
        signature = (parent, child, T, timestamp=Real(0.0)),
        text_signature = "($self, parent, child, T, timestamp=0.0)"
    )]
    #[expect(non_snake_case, reason = "mathematics keeps its capital letters")]
    fn set_transform(&self, parent: Text, child: Text, T: PoseArg, timestamp: Real) -> Result<()> {
        Ok(self.0.set_transform(&parent.0, &child.0, T.0, timestamp.0)?)
    }

    /// As `set_transform`, for a transform that never changes: `update_from_robot` and `clear_dynamic` leave it.
    #[expect(non_snake_case, reason = "mathematics keeps its capital letters")]
    fn set_static(&self, parent: Text, child: Text, T: PoseArg) -> Result<()> {
        Ok(self.0.set_static_transform(&parent.0, &child.0, T.0)?)
    }

    /// The same as `set_static`.
    #[expect(non_snake_case, reason = "mathematics keeps its capital letters")]
    fn set_static_transform(&self, parent: Text, child: Text, T: PoseArg) -> Result<()> {
        self.set_static(parent, child, T)
    }

    /// Sets the pose of every link of a robot in its parent link. Links that hang by a static transform keep it.
    ///
    /// Args:
    ///     robot: The robot; frames have the names of its links.
    ///     q: Joint values.
    ///     timestamp: When they were true, s.
    #[pyo3(signature = (robot, q, timestamp=Real(0.0)), text_signature = "($self, robot, q, timestamp=0.0)")]
    fn update_from_robot(&self, robot: &Bound<'_, PyRobot>, q: Vector, timestamp: Real) -> Result<()> {
        let model = robot.get().model();
        let q = model.robot.full_configuration(model.group(), &q.0)?;
        Ok(update_frame_tree(&self.0, &model.robot, &q, timestamp.0)?)
    }

    /// Removes the transform that joins two frames directly; False when there is none.
    fn remove_transform(&self, a: Text, b: Text) -> bool {
        self.0.remove_transform(&a.0, &b.0)
    }

    /// Removes all transforms but the static ones.
    fn clear_dynamic(&self) {
        self.0.clear_dynamic();
    }

    /// Removes everything.
    fn clear(&self) {
        self.0.clear();
    }
}

/// What it answers.
#[pymethods]
impl PyFrameTree {
    /// The pose of frame `b` in frame `a`, 4×4.
    ///
    /// Args:
    ///     a: Name of a frame.
    ///     b: Name of a frame.
    ///     timestamp: The time that is asked for, s: each transform between those before and after it, translations on a line and
    ///         rotations at a constant rate. Static transforms are those of any time. None for the latest transforms.
    ///
    /// Raises:
    ///     InputError: An unknown frame, or two that no transforms join; the message lists those that exist. A time that a
    ///         transform does not cover: nothing is extrapolated.
    #[pyo3(signature = (a, b, timestamp=None), text_signature = "($self, a, b, timestamp=None)")]
    fn lookup<'py>(&self, py: Python<'py>, a: Text, b: Text, timestamp: Option<Real>) -> Result<Array<'py>> {
        let found = match timestamp {
            Some(stamp) => self.0.lookup_transform_at(&a.0, &b.0, stamp.0)?,
            None => self.0.lookup_transform(&a.0, &b.0)?,
        };
        Array::pose(py, &found)
    }

    /// The same as `lookup`.
    #[pyo3(signature = (a, b, timestamp=None), text_signature = "($self, a, b, timestamp=None)")]
    fn lookup_transform<'py>(&self, py: Python<'py>, a: Text, b: Text, timestamp: Option<Real>) -> Result<Array<'py>> {
        self.lookup(py, a, b, timestamp)
    }

    /// The latest time at which `lookup` of two frames may have an answer, s: the least of the newest timestamps along the
    /// chain. None where nothing or static transforms only connect them.
    fn latest_common_time(&self, a: Text, b: Text) -> Option<f64> {
        self.0.latest_common_time(&a.0, &b.0)
    }

    /// How long transforms are kept, s.
    #[getter]
    fn history(&self) -> f64 {
        self.0.history()
    }

    /// True when `lookup` of the two has an answer.
    fn has_transform(&self, a: Text, b: Text) -> bool {
        self.0.has_transform(&a.0, &b.0)
    }

    /// Names of all frames, sorted.
    fn list_frames(&self) -> Vec<String> {
        self.0.list_frames()
    }

    /// Number of transforms.
    #[getter]
    fn num_transforms(&self) -> usize {
        self.0.num_transforms()
    }

    /// The transforms as they were set: dictionaries with parent, child, matrix, timestamp and is_static.
    fn transforms<'py>(&self, py: Python<'py>) -> Result<Dicts<'py>> {
        let dicts = self.0.transforms().iter().map(|transform| dict(py, transform)).collect::<Result<Vec<_>>>()?;
        Ok(Dicts::new(py, dicts)?)
    }

    fn __repr__(&self) -> String {
        format!("<FrameTree of {} frames and {} transforms>", self.0.list_frames().len(), self.0.num_transforms())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Rebuild<'py>> {
        // Those that were set last come last, since the last call counts.
        let all = [self.0.stamped_transforms(), self.0.transforms()].concat();
        let mut rows = Vec::with_capacity(all.len());
        for one in all {
            let pose = Array::vector(py, &PoseParts::of(&one.parent_from_child))?;
            rows.push((one.parent, one.child, pose, one.stamp, one.is_static));
        }
        Ok(rebuild(py.get_type::<Self>().into_any(), "_restore", (self.0.history(), rows))?)
    }

    /// The tree that pickle stored: its history, and parent, child, pose, timestamp and whether it is static of transforms.
    #[staticmethod]
    fn _restore(history: Real, rows: Vec<(Text, Text, Vector, Real, bool)>) -> Result<Self> {
        let tree = FrameTree::with_history(history.0)?;
        for (parent, child, parts, stamp, is_static) in rows {
            let pose = PoseParts::to_pose(&parts.0)?;
            if is_static {
                tree.set_static_transform(&parent.0, &child.0, pose)?;
            } else {
                tree.set_transform(&parent.0, &child.0, pose, stamp.0)?;
            }
        }
        Ok(Self(Arc::new(tree)))
    }
}

fn dict<'py>(py: Python<'py>, transform: &StampedTransform) -> Result<Dict<'py>> {
    Ok(Dict::new(py)
        .with("parent", &transform.parent)?
        .with("child", &transform.child)?
        .with("matrix", Array::pose(py, &transform.parent_from_child)?)?
        .with("timestamp", transform.stamp)?
        .with("is_static", transform.is_static)?)
}
