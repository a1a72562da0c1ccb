//! `Scene`: objects, attached bodies, files.

pub(crate) mod changes;
pub(crate) mod distance_field;
pub(crate) mod distances;
pub(crate) mod edit;
pub(crate) mod euclidean_field;
pub(crate) mod explanation;
pub(crate) mod keeping;
pub(crate) mod keywords;
pub(crate) mod measured_objects;
mod objects;
pub(crate) mod octree;
mod octrees;
pub(crate) mod outlier_filter;
pub(crate) mod pipeline;
mod proximity;
pub(crate) mod queries;
mod sensor;
pub(crate) mod sensor_keywords;

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetic::core::{Control, KineticError, StopFlag, SystemClock, files};
use kinetic::perception::Octree;
use kinetic::scene::{LiveScene, Object, Scene, SceneEdit};
use pyo3::prelude::*;

use crate::convert::{Array, Dict, File, PoseArg, Rebuild, Text, Texts, Vector, rebuild};
use crate::dynamics::payload::{PayloadArg, PyPayload};
use crate::error::Result;
use crate::geometry::shape::PyShape;
use crate::interrupt::{SIGNAL_INTERVAL, locked};
use crate::robot::argument::RobotArg;
use crate::robot::stored;
use crate::scene::octree::PyOctree;
use crate::warning::warn_of_unchecked_links;

/// A robot and the world around it. Poses are in the robot's root frame.
///
/// Links that move and have no collision shapes are not checked: a `KineticWarning` names them.
///
/// A scene can be edited by some threads while others ask it and plan in it: a query or a plan works on the content at the
/// moment it begins, and every edit is taken whole or not at all. `edit` makes one of several, `revision` and `changes` say
/// what was edited.
///
/// Args:
///     robot: The robot, or the name of a built-in one; joint vectors of queries belong to its selected group, or to the whole robot.
///
/// Example:
///     >>> import numpy as np
///     >>> from kinetic import Robot, Scene, Shape
///     >>> scene = Scene(Robot("ur5e"))
///     >>> pose = np.eye(4)
///     >>> pose[:3, 3] = 0.6, 0.0, 0.2
///     >>> scene.add("box", Shape.box(0.2, 0.2, 0.4), pose)
///     >>> scene.objects
///     ['box']
#[pyclass(frozen, module = "kinetic", name = "Scene")]
pub(crate) struct PyScene(LiveScene);

impl PyScene {
    pub(crate) fn new(scene: Scene) -> Self {
        Self(LiveScene::new(scene))
    }

    pub(crate) fn live(&self) -> &LiveScene {
        &self.0
    }

    /// As [`live`](Self::live), for an edit on another thread, which cannot tell whether this one is in an edit already.
    pub(crate) fn live_for_edit(&self) -> Result<&LiveScene> {
        self.0.check_is_not_editing()?;
        Ok(&self.0)
    }

    /// Begins an edit, and waits for another one without the GIL, which its maker may need. Ctrl-C ends the wait.
    pub(crate) fn begin_edit(&self, py: Python<'_>) -> Result<SceneEdit> {
        if let Some(draft) = self.0.try_begin_edit()? {
            return Ok(draft);
        }
        loop {
            // An edit belongs to the thread that begins it, so this one looks for signals itself.
            let (clock, stop) = (Arc::new(SystemClock::default()), StopFlag::default());
            let control = Control::new(clock, SIGNAL_INTERVAL.as_secs_f64(), u64::MAX, stop);
            if let Some(draft) = py.detach(|| self.0.begin_edit_within(&control))? {
                return Ok(draft);
            }
            py.check_signals()?;
        }
    }

    /// Makes a short edit. The GIL is kept where no other edit is going on: to take it again may take milliseconds.
    pub(crate) fn apply<T>(
        &self,
        py: Python<'_>,
        edit: impl FnOnce(&mut Scene) -> kinetic::core::Result<T>,
    ) -> Result<T> {
        let mut draft = self.begin_edit(py)?;
        let value = edit(&mut draft)?;
        draft.commit()?;
        Ok(value)
    }

    /// The content as it is now; a cheap copy that later edits do not reach.
    pub(crate) fn now(&self) -> Scene {
        self.0.snapshot()
    }
}

#[pymethods]
impl PyScene {
    #[new]
    fn __new__<'py>(py: Python<'py>, robot: RobotArg<'py>) -> Result<Self> {
        let robot = robot.handle(py)?;
        let model = robot.get().model();
        let scene = py.detach(|| Scene::new(&model.robot))?;
        warn_of_unchecked_links(py, &scene, &model.group().name)?;
        Ok(Self::new(scene))
    }

    /// Adds an object, or replaces the one of that name.
    ///
    /// Args:
    ///     name: Name that no link and no attached body has.
    ///     shape: Its shape.
    ///     pose: Pose of the shape's frame, 4×4.
    fn add(&self, py: Python<'_>, name: Text, shape: &Bound<'_, PyShape>, pose: PoseArg) -> Result<()> {
        let shape = shape.get().0.clone();
        let object = py.detach(|| Object::new(shape, pose.0))?;
        self.apply(py, |scene| scene.add_object(&name.0, object))
    }

    /// Moves an object.
    ///
    /// Raises:
    ///     InputError: There is no object of that name.
    fn update_pose(&self, py: Python<'_>, name: Text, pose: PoseArg) -> Result<()> {
        self.apply(py, |scene| scene.update_pose(&name.0, pose.0))
    }

    /// Removes an object, or an occupancy map; False when there is none of that name.
    fn remove(&self, py: Python<'_>, name: Text) -> Result<bool> {
        self.apply(py, |scene| Ok(scene.remove(&name.0)))
    }

    /// Removes all objects and occupancy maps; attached bodies stay.
    fn clear(&self, py: Python<'_>) -> Result<()> {
        self.apply(py, |scene| {
            scene.clear();
            Ok(())
        })
    }

    /// Shape and 4×4 pose of an object.
    ///
    /// Raises:
    ///     InputError: There is no object of that name.
    fn get<'py>(&self, py: Python<'py>, name: Text) -> Result<(PyShape, Array<'py>)> {
        let scene = self.now();
        let object = scene.object(&name.0)?;
        Ok((PyShape(object.shape.clone()), Array::pose(py, &object.pose)?))
    }

    /// Writes everything that the scene holds to a scene file (TOML), which `load` reads.
    ///
    /// Raises:
    ///     InputError: A shape that scene files do not have.
    ///     OSError: The file cannot be written.
    fn save(&self, py: Python<'_>, path: File) -> Result<()> {
        let scene = self.now();
        Ok(py.detach(|| scene.save(&path.0))?)
    }

    /// Adds what a scene file (TOML) holds, all or nothing: objects, attached bodies, allowed pairs, margins.
    ///
    /// Of a file of MoveIt (`.scene`) it adds the objects: those of several shapes become "name/0" and so on, a cone a hull
    /// around it, and of a plane what lies against its normal.
    ///
    /// Raises:
    ///     InputError: The file says something unusable; the message names file and line.
    ///     OSError: The file cannot be read.
    fn load(&self, py: Python<'_>, path: File) -> Result<()> {
        let text = py.detach(|| files::read_text(&path.0))?;
        Ok(py.detach(|| self.0.edit(|scene| scene.load_string(&text, &path.0.display().to_string())))?)
    }

    /// Names of the objects, sorted.
    #[getter]
    fn objects(&self) -> Vec<String> {
        self.0.read(|scene| scene.objects().keys().cloned().collect())
    }

    /// Number of objects.
    #[getter]
    fn num_objects(&self) -> usize {
        self.0.read(|scene| scene.objects().len())
    }

    /// Names of the attached bodies, sorted.
    #[getter]
    fn attached(&self) -> Vec<String> {
        self.0.read(|scene| scene.attached().keys().cloned().collect())
    }

    /// Shape of an attached body, its 4×4 pose in the frame of the link that carries it, and the name of that link.
    ///
    /// Raises:
    ///     InputError: There is no attached body of that name.
    fn attached_body<'py>(&self, py: Python<'py>, name: Text) -> Result<(PyShape, Array<'py>, String)> {
        let scene = self.now();
        let unknown = || KineticError::unknown_name("attached object", name.0.clone(), scene.attached().keys());
        let body = scene.attached().get(&name.0).ok_or_else(unknown)?;
        let link = scene.robot().links[body.link].name.clone();
        Ok((PyShape(body.shape.clone()), Array::pose(py, &body.link_from_shape)?, link))
    }

    /// Number of attached bodies.
    #[getter]
    fn num_attached(&self) -> usize {
        self.0.read(|scene| scene.attached().len())
    }

    /// Identifies the content: "fnv1a128:" and 32 hexadecimal digits. Scenes of the same version hold the same robot,
    /// objects, carried bodies, pairs that may touch, margins and held joints, whatever edits and files they come from; two
    /// copies that were edited differently have different versions. It finds accidents, not forgeries.
    #[getter]
    fn version(&self) -> String {
        self.0.version().to_string()
    }

    /// An independent copy of the scene as it is now.
    fn snapshot(&self) -> Self {
        Self::new(self.now())
    }

    /// Attaches a new body to a link. It is checked against the world and all links but `link_name` and `touch_links`.
    ///
    /// Args:
    ///     name: Name that no link, object or attached body has.
    ///     shape: Its shape.
    ///     grasp_transform: Pose of the shape's frame in the frame of the link, 4×4.
    ///     link_name: The link that carries it.
    ///     touch_links: Other links that may touch it.
    ///     payload: What it weighs, for torques: a `Payload` in the shape's frame, or the mass (kg) of a point at its origin; None
    ///         where that is unknown.
    #[pyo3(
        signature = (name, shape, grasp_transform, link_name, touch_links=Texts::default(), *, payload=None),
        text_signature = "($self, name, shape, grasp_transform, link_name, touch_links=(), *, payload=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn attach(
        &self,
        py: Python<'_>,
        name: Text,
        shape: &Bound<'_, PyShape>,
        grasp_transform: PoseArg,
        link_name: Text,
        touch_links: Texts,
        payload: Option<PayloadArg>,
    ) -> Result<()> {
        let shape = shape.get().0.clone();
        let touch = touch_links.as_strs();
        let payload = payload.map(PayloadArg::of_body).transpose()?;
        Ok(py.detach(|| {
            self.0.edit(|scene| {
                scene.attach(&name.0, shape, grasp_transform.0, &link_name.0, &touch)?;
                if payload.is_some() { scene.set_payload(&name.0, payload) } else { Ok(()) }
            })
        })?)
    }

    /// What the attached bodies weigh, by their names, in the frames of their shapes; those without a payload are left out.
    #[getter]
    fn payloads(&self) -> BTreeMap<String, PyPayload> {
        let scene = self.now();
        let known = scene.attached().iter().filter_map(|(name, body)| Some((name, body.payload?)));
        known.map(|(name, payload)| (name.clone(), PyPayload(payload.into()))).collect()
    }

    /// Turns an object into an attached body that keeps its place when the robot stands at `q`.
    ///
    /// What it stands on is released: the margin towards objects that are nearer than a centimetre becomes half of the distance that
    /// there is, where none is stated for the pair, until it is detached. So it can be lifted off, and is not drawn through its support.
    ///
    /// Args:
    ///     name: Name of the object.
    ///     link_name: The link that carries it.
    ///     q: Joint values (dof,).
    ///     touch_links: Other links that may touch it; None for the links of the hand, which no joint of the arm parts from `link_name`.
    ///     payload: As for `attach`.
    ///
    /// Returns:
    ///     A dict: `touch_links`; `released` {object: margin, m}; `touching`, the objects that it touches at `q`, or nearly does: these
    ///     are not released.
    #[pyo3(
        signature = (name, link_name, q, touch_links=None, *, payload=None),
        text_signature = "($self, name, link_name, q, touch_links=None, *, payload=None)"
    )]
    fn attach_existing<'py>(
        &self,
        py: Python<'py>,
        name: Text,
        link_name: Text,
        q: Vector,
        touch_links: Option<Texts>,
        payload: Option<PayloadArg>,
    ) -> Result<Dict<'py>> {
        let touch = touch_links.as_ref().map(Texts::as_strs);
        let payload = payload.map(PayloadArg::of_body).transpose()?;
        let found = py.detach(|| {
            self.0.edit(|scene| {
                let found = scene.attach_existing(&name.0, &link_name.0, &q.0, touch.as_deref())?;
                if payload.is_some() {
                    scene.set_payload(&name.0, payload)?;
                }
                Ok(found)
            })
        })?;
        let released: BTreeMap<String, f64> = found.released.into_iter().collect();
        let dict = Dict::new(py).with("touch_links", found.touch_links)?.with("released", released)?;
        Ok(dict.with("touching", found.touching)?)
    }

    /// Turns an attached body into an object at `place_pose`; False when there is none of that name.
    fn detach(&self, py: Python<'_>, name: Text, place_pose: PoseArg) -> Result<bool> {
        Ok(py.detach(|| self.0.detach(&name.0, place_pose.0))?)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Rebuild<'py>> {
        let scene = self.now();
        let (robot, text, held) = py.detach(|| -> kinetic::core::Result<_> {
            Ok((stored::text_of(scene.robot())?, scene.to_toml()?, scene.held().to_vec()))
        })?;
        let map = |(name, octree): (&str, &Octree)| Ok((name.to_owned(), Py::new(py, PyOctree::of(octree.clone()))?));
        let maps = scene.octrees().map(map).collect::<PyResult<Vec<_>>>()?;
        Ok(rebuild(py.get_type::<Self>().into_any(), "_restore", (robot, text, held, maps))?)
    }

    /// The scene that pickle stored: its robot, the text of its file, where joints outside of groups stand, and its maps.
    #[staticmethod]
    fn _restore(
        py: Python<'_>,
        robot: Text,
        text: Text,
        held: Vec<f64>,
        octrees: Vec<(Text, Py<PyOctree>)>,
    ) -> Result<Self> {
        let mut scene = py.detach(|| -> kinetic::core::Result<_> {
            let mut scene = Scene::new(&stored::robot_of(&robot.0)?)?;
            scene.load_string(&text.0, "<pickle>")?;
            if scene.held() != held {
                scene.hold(&held)?;
            }
            Ok(scene)
        })?;
        for (name, octree) in octrees {
            let octree = locked(py, octree.get().map())?.clone();
            scene.set_octree(&name.0, octree)?;
        }
        Ok(Self::new(scene))
    }

    fn __repr__(&self) -> String {
        let scene = self.now();
        let (objects, attached) = (scene.objects().len(), scene.attached().len());
        format!("Scene(<{}>, {objects} objects, {attached} attached)", scene.robot().name)
    }
}
