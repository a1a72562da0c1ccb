//! `Scene`: several objects at once.

use kinetic::core::KineticError;
use kinetic::robot::{UrdfOptions, World};
use kinetic::scene::Scene;
use pyo3::prelude::*;

use crate::convert::{Dict, Paths, PoseArg, Source, Text, Texts, Vector};
use crate::error::Result;
use crate::interrupt::{interruptible, stoppable};
use crate::robot::UrdfSource;
use crate::robot::argument::RobotArg;
use crate::scene::PyScene;

#[pymethods]
impl PyScene {
    /// Moves objects together, as one rigid body: all or none.
    ///
    /// Args:
    ///     names: Their names.
    ///     moved_from_standing: Where they go, 4×4 in the root frame: an object at `pose` goes to `moved_from_standing @ pose`.
    ///
    /// Raises:
    ///     InputError: There is no object of a name, or a name stands twice.
    fn move_objects(&self, py: Python<'_>, names: Texts, moved_from_standing: PoseArg) -> Result<()> {
        self.apply(py, |scene| scene.move_objects(&names.as_strs(), moved_from_standing.0))
    }

    /// Adds the collision shapes of a model as objects, all or none: of a cell, another robot, a world.
    ///
    /// Meshes are taken as they are, with what they enclose where they are closed. The objects do not follow the model
    /// afterwards; the same call with other joint values replaces them. Ctrl-C stops it.
    ///
    /// Args:
    ///     name: Begins the names of the objects.
    ///     model: A robot, of any file that `Robot.from_file` reads, or the name of a built-in one.
    ///     pose: Where its root stands, 4×4 in the root frame of the scene; None for there.
    ///     configuration: Values of all its joints; None for 0, or the limit nearest to it.
    ///
    /// Returns:
    ///     Names of the objects: "name/link", and "name/link/0" and so on for links of several shapes.
    ///
    /// Raises:
    ///     InputError: A wrong number of joint values, a model without collision shapes, a name that a link has, or a mesh that cannot be read.
    #[pyo3(
        signature = (name, model, pose=None, *, configuration=None),
        text_signature = "($self, name, model, pose=None, *, configuration=None)"
    )]
    fn add_model<'py>(
        &self,
        py: Python<'py>,
        name: Text,
        model: RobotArg<'py>,
        pose: Option<PoseArg>,
        configuration: Option<Vector>,
    ) -> Result<Vec<String>> {
        let model = model.handle(py)?;
        let model = &model.get().model().robot;
        let configuration = configuration.map_or_else(|| model.neutral_configuration(), |values| values.0);
        let pose = pose.map_or_else(kinetic::core::Pose::identity, |pose| pose.0);
        let (live, (stop, control)) = (self.live_for_edit()?, stoppable());
        let add = |scene: &mut Scene| scene.add_model(&name.0, model, &configuration, pose, &control);
        Ok(interruptible(py, &stop, || live.edit_within(&control, add))??)
    }
    /// Adds the models of an SDF world as objects, all or none: of `.world` and `.sdf` files with any number of models and includes.
    ///
    /// Joints stand at 0, or the limit nearest to it. A plane is a half-space. Ctrl-C stops it.
    ///
    /// Args:
    ///     path_or_xml: Path of a file, or the XML text itself.
    ///     pose: Where the world stands, 4×4 in the root frame of the scene; None for there.
    ///     without: Names of models that are left out: the robot of the scene, where the world contains it. Nothing but its pose is read of
    ///         a model that has its name in this file, so that one which cannot be read does not stop the others.
    ///     package_dirs: Folders in which `model://` and `package://` names of models and meshes are looked up.
    ///
    /// Returns:
    ///     `objects`, the names "model/link", and "model/link/0" and so on for links of several shapes; `notes`, what of the file was not
    ///     read, or read in some way.
    ///
    /// Raises:
    ///     InputError: Malformed or unsupported elements (with file and line), a name in `without` that no model has, a world without
    ///         collision shapes, names that links have.
    ///     OSError: The file cannot be read.
    #[pyo3(
        signature = (path_or_xml, pose=None, *, without=Texts::default(), package_dirs=Paths::default()),
        text_signature = "($self, path_or_xml, pose=None, *, without=(), package_dirs=())"
    )]
    fn add_world<'py>(
        &self,
        py: Python<'py>,
        path_or_xml: UrdfSource,
        pose: Option<PoseArg>,
        without: Texts,
        package_dirs: Paths,
    ) -> Result<Dict<'py>> {
        let options = UrdfOptions { package_dirs: package_dirs.0, ..UrdfOptions::default() };
        let pose = pose.map_or_else(kinetic::core::Pose::identity, |pose| pose.0);
        let left_out = without.as_strs();
        let (live, (stop, control)) = (self.live_for_edit()?, stoppable());
        let (objects, notes) = interruptible(py, &stop, || {
            let world = match path_or_xml.0 {
                Source::Document(xml) => World::from_sdf_string_with(&xml, &options, &left_out),
                Source::File(path) => World::from_sdf_with(path, &options, &left_out),
            }?;
            let add = |scene: &mut Scene| scene.add_world(&world, &[], pose, &control);
            Ok::<_, KineticError>((live.edit_within(&control, add)?, world.notes))
        })??;
        Ok(Dict::new(py).with("objects", objects)?.with("notes", notes)?)
    }
}
