//! `Scene`: what was edited, and waiting for edits.

use std::sync::Arc;

use kinetic::core::control::SystemClock;
use kinetic::core::{Control, KineticError, StopFlag};
use kinetic::scene::{Changes, SceneDiff, SceneUpdate};
use pyo3::prelude::*;

use crate::convert::{Real, Seed};
use crate::error::Result;
use crate::interrupt::interruptible;
use crate::scene::PyScene;

/// What was edited in a scene since a revision, and the content that this leads to.
#[pyclass(frozen, module = "kinetic._kinetic", name = "SceneChanges")]
pub(crate) struct PySceneChanges(SceneUpdate);

#[pymethods]
impl PySceneChanges {
    /// The revision that they lead to: what to ask from the next time.
    #[getter]
    fn revision(&self) -> u64 {
        self.0.revision
    }

    /// The content of that revision, a scene of its own.
    #[getter]
    fn scene(&self) -> PyScene {
        PyScene::new(self.0.scene.clone())
    }

    /// What was edited; None when the bounded log does not reach back so far, or when there never was such a revision. A copy
    /// of the earlier content then has to be replaced by all of `scene`.
    #[getter]
    fn diff(&self) -> Option<PySceneDiff> {
        match &self.0.changes {
            Changes::Diff(diff) => Some(PySceneDiff(diff.clone())),
            Changes::Resync => None,
        }
    }

    fn __repr__(&self) -> String {
        let diff = self.diff().map_or_else(|| "None".to_owned(), |diff| diff.__repr__());
        format!("SceneChanges(revision={}, diff={diff})", self.0.revision)
    }
}

/// Names of what was edited, sorted; the values are in the scenes.
#[pyclass(frozen, eq, module = "kinetic._kinetic", name = "SceneDiff")]
#[derive(PartialEq)]
pub(crate) struct PySceneDiff(SceneDiff);

#[pymethods]
impl PySceneDiff {
    /// Objects that were not there.
    #[getter]
    fn added(&self) -> Vec<String> {
        self.0.added.clone()
    }

    /// Objects whose pose alone has changed.
    #[getter]
    fn moved(&self) -> Vec<String> {
        self.0.moved.clone()
    }

    /// Objects that have another shape.
    #[getter]
    fn replaced(&self) -> Vec<String> {
        self.0.replaced.clone()
    }

    /// Objects that are not there any more.
    #[getter]
    fn removed(&self) -> Vec<String> {
        self.0.removed.clone()
    }

    /// Bodies that were attached, or attached otherwise.
    #[getter]
    fn attached(&self) -> Vec<String> {
        self.0.attached.clone()
    }

    /// Bodies that are not attached any more.
    #[getter]
    fn detached(&self) -> Vec<String> {
        self.0.detached.clone()
    }

    /// Whether other pairs may touch.
    #[getter]
    fn allowed(&self) -> bool {
        self.0.allowed
    }

    /// Whether margins, paddings or scales were edited.
    #[getter]
    fn margins(&self) -> bool {
        self.0.margins
    }

    /// Whether joints outside of groups are held elsewhere.
    #[getter]
    fn held(&self) -> bool {
        self.0.held
    }

    /// True when nothing was edited.
    #[getter]
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn __repr__(&self) -> String {
        let SceneDiff { added, moved, replaced, removed, attached, detached, allowed, margins, held } = &self.0;
        let lists = [
            ("added", added),
            ("moved", moved),
            ("replaced", replaced),
            ("removed", removed),
            ("attached", attached),
            ("detached", detached),
        ];
        let flags = [("allowed", allowed), ("margins", margins), ("held", held)];
        let lists =
            lists.into_iter().filter(|(_, names)| !names.is_empty()).map(|(what, names)| format!("{what}={names:?}"));
        let flags = flags.into_iter().filter(|(_, is_edited)| **is_edited).map(|(what, _)| format!("{what}=True"));
        format!("SceneDiff({})", lists.chain(flags).collect::<Vec<_>>().join(", "))
    }
}

#[pymethods]
impl PyScene {
    /// Number of the content: 0 when the scene is made, one more with each edit that changes something.
    #[getter]
    fn revision(&self) -> u64 {
        self.0.revision()
    }

    /// What was edited since a revision, with the content that this leads to.
    ///
    /// The log holds some thousand changes; where it does not reach back, `diff` is None.
    ///
    /// Args:
    ///     since: A `revision` of this scene.
    ///
    /// Example:
    ///     >>> from kinetic import Robot, Scene, Shape
    ///     >>> scene = Scene(Robot("ur5e"))
    ///     >>> seen = scene.revision
    ///     >>> scene.add("ball", Shape.sphere(0.1), [[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0.2], [0, 0, 0, 1]])
    ///     >>> scene.changes(since=seen).diff
    ///     SceneDiff(added=["ball"])
    fn changes(&self, since: Seed) -> PySceneChanges {
        PySceneChanges(self.0.changes_since(since.0))
    }

    /// What was edited from an earlier content, or from another scene of the same robot, to this one.
    ///
    /// Args:
    ///     before: A `snapshot`, or any scene of the robot.
    ///
    /// Raises:
    ///     InputError: A scene of another robot.
    ///
    /// Example:
    ///     >>> from kinetic import Robot, Scene, Shape
    ///     >>> scene = Scene(Robot("ur5e"))
    ///     >>> before = scene.snapshot()
    ///     >>> scene.add("ball", Shape.sphere(0.1), [[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0.2], [0, 0, 0, 1]])
    ///     >>> scene.diff(before)
    ///     SceneDiff(added=["ball"])
    fn diff(&self, py: Python<'_>, before: &Bound<'_, Self>) -> Result<PySceneDiff> {
        let (before, after) = (before.get().now(), self.now());
        Ok(PySceneDiff(py.detach(|| after.diff(&before))?))
    }

    /// Waits until the revision is another one, without the GIL. Ctrl-C ends it.
    ///
    /// Args:
    ///     revision: The revision that is known.
    ///     timeout: Longest wait, s; None for no end.
    ///
    /// Returns:
    ///     The new revision; None when the time was over first.
    ///
    /// Raises:
    ///     InputError: A timeout that is negative or NaN.
    #[pyo3(signature = (revision, timeout=None), text_signature = "($self, revision, timeout=None)")]
    fn wait_for_change(&self, py: Python<'_>, revision: Seed, timeout: Option<Real>) -> Result<Option<u64>> {
        let timeout = timeout.map_or(f64::INFINITY, |timeout| timeout.0);
        if !(timeout >= 0.0) {
            return Err(KineticError::invalid("timeout", timeout, "a time of at least 0 (s), or None").into());
        }
        let stop = StopFlag::default();
        let control = Control::new(Arc::new(SystemClock::default()), timeout, u64::MAX, stop.clone());
        interruptible(py, &stop, || self.0.wait_for_change(revision.0, &control))
    }
}
