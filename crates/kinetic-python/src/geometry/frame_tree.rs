//! `FrameTree`: named frames and the latest transforms between them.

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
/// Example:
///     >>> import kinetic
///     >>> tree = kinetic.FrameTree()
///     >>> tree.set_static("base", "camera", kinetic.Pose.from_xyz(0.0, 0.0, 0.5))
///     >>> tree.set_transform("world", "base", kinetic.Pose.from_xyz(1.0, 0.0, 0.0), timestamp=12.5)
///     >>> tree.lookup("world", "camera")[:3, 3]
///     array([1. , 0. , 0.5])
#[pyclass(frozen, module = "kinetic", name = "FrameTree")]
pub(crate) struct PyFrameTree(FrameTree);

/// What changes it.
#[pymethods]
impl PyFrameTree {
    #[new]
    fn __new__() -> Self {
        Self(FrameTree::new())
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
    /// Raises:
    ///     InputError: An unknown frame, or two that no transforms join; the message lists those that exist.
    fn lookup<'py>(&self, py: Python<'py>, a: Text, b: Text) -> Result<Array<'py>> {
        Array::pose(py, &self.0.lookup_transform(&a.0, &b.0)?)
    }

    /// The same as `lookup`.
    fn lookup_transform<'py>(&self, py: Python<'py>, a: Text, b: Text) -> Result<Array<'py>> {
        self.lookup(py, a, b)
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
        let mut rows = Vec::new();
        for one in self.0.transforms() {
            let pose = Array::vector(py, &PoseParts::of(&one.parent_from_child))?;
            rows.push((one.parent, one.child, pose, one.stamp, one.is_static));
        }
        Ok(rebuild(py.get_type::<Self>().into_any(), "_restore", (rows,))?)
    }

    /// The tree that pickle stored: parent, child, pose, timestamp and whether it is static.
    #[staticmethod]
    fn _restore(rows: Vec<(Text, Text, Vector, Real, bool)>) -> Result<Self> {
        let tree = FrameTree::new();
        for (parent, child, parts, stamp, is_static) in rows {
            let pose = PoseParts::to_pose(&parts.0)?;
            if is_static {
                tree.set_static_transform(&parent.0, &child.0, pose)?;
            } else {
                tree.set_transform(&parent.0, &child.0, pose, stamp.0)?;
            }
        }
        Ok(Self(tree))
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
