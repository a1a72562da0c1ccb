//! `Scene.edit`: several edits that are published together.

use std::sync::{Mutex, MutexGuard, PoisonError};

use kinetic::core::KineticError;
use kinetic::scene::{Scene, SceneEdit};
use pyo3::prelude::*;

use crate::error::Result;
use crate::scene::PyScene;

/// An edit of a scene, made of several; a context manager, see `Scene.edit`.
#[pyclass(frozen, module = "kinetic._kinetic", name = "SceneEdit")]
pub(crate) struct PySceneEdit {
    scene: Py<PyScene>,
    open: Mutex<Option<Open>>,
}

/// The edit that is going on, and the scene that Python makes it in.
struct Open {
    edit: SceneEdit,
    draft: Py<PyScene>,
}

impl PySceneEdit {
    fn open(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PySceneEdit {
    fn __enter__(&self, py: Python<'_>) -> Result<Py<PyScene>> {
        let edit = self.scene.get().begin_edit(py)?;
        let draft = Py::new(py, PyScene::new(Scene::clone(&edit)))?;
        *self.open() = Some(Open { edit, draft: draft.clone_ref(py) });
        Ok(draft)
    }

    #[pyo3(signature = (exception_type=None, exception=None, traceback=None))]
    fn __exit__(
        &self,
        exception_type: Option<Bound<'_, PyAny>>,
        exception: Option<Bound<'_, PyAny>>,
        traceback: Option<Bound<'_, PyAny>>,
    ) -> Result<()> {
        let _ = (exception, traceback);
        let Some(Open { mut edit, draft }) = self.open().take() else {
            return Err(KineticError::invalid("end of an edit", "no edit", "one that has begun").into());
        };
        if exception_type.is_none() {
            *edit = draft.get().now();
            edit.commit()?;
        }
        Ok(())
    }
}

#[pymethods]
impl PyScene {
    /// Several edits as one: all of them are seen at once or, when the block raises, none.
    ///
    /// `with scene.edit() as draft:` gives a copy of the scene to edit, which takes the place of the content when the block
    /// ends. Other threads that edit the scene wait meanwhile, those that ask it or plan in it do not; keep it short. To edit the
    /// scene itself inside the block is an InputError.
    ///
    /// Example:
    ///     >>> from kinetic import Pose, Robot, Scene, Shape
    ///     >>> scene = Scene(Robot("ur5e"))
    ///     >>> with scene.edit() as draft:
    ///     ...     draft.add("table", Shape.box(1.0, 1.0, 0.05), Pose.from_xyz(0.0, 0.0, -0.1))
    ///     ...     draft.add("ball", Shape.sphere(0.1), Pose.from_xyz(0.5, 0.0, 0.2))
    ///     >>> scene.objects, scene.revision
    ///     (['ball', 'table'], 1)
    fn edit(slf: &Bound<'_, Self>) -> PySceneEdit {
        PySceneEdit { scene: slf.clone().unbind(), open: Mutex::new(None) }
    }
}
