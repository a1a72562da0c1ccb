//! `Scene`: occupancy maps whose occupied cells are objects.

use kinetic::scene::{Scene, points_of};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::convert::{Dict, Points, Text, Triple, over_values};
use crate::error::Result;
use crate::interrupt::{interruptible, interruptible_if, locked, stoppable};
use crate::scene::PyScene;
use crate::scene::octree::{MAX_INSERTED_WITHOUT_SIGNAL_CHECK, PyOctree, insertion_dict};
use crate::scene::sensor::report_dict;
use crate::scene::sensor_keywords::{ADD_UNKNOWN_SPACE, UPDATE_OCTREE, octree_options};

#[pymethods]
impl PyScene {
    /// Inserts the points of a sensor into the occupancy map of a name, which is made where there is none; its occupied cells
    /// are the object of that name.
    ///
    /// Cells with points become more occupied, the cells between them and the sensor more free: what went away is cleared, what is
    /// out of sight is remembered. Points on the robot and on known objects change nothing. Any other edit of the object makes
    /// it an ordinary one, and the map is forgotten. `revision` and `version` change with the occupied cells only.
    ///
    /// Args:
    ///     name: Name that no link and no attached body has.
    ///     points: As for `add_pointcloud`.
    ///     sensor_origin: Where the sensor was (3,), in the frame of the points, m.
    ///     resolution: Edge of the cells of a map that begins, m; one that exists keeps its own. `set_octree` begins with a map of
    ///         another sensor model.
    ///     max_range: Points farther away clear up to this range and hit nothing, m; None for no bound.
    ///     outliers: As for `add_pointcloud`, as `robot_at`, `robot_padding`, `link_paddings`, `objects` and `object_padding`.
    ///     pose: Pose of the frame of the points, 4×4; None for the root frame.
    ///
    /// Returns:
    ///     What the filters did, as `add_pointcloud` says it, and under `insertion` what the map did, as `Octree.insert_cloud` says.
    ///
    /// Raises:
    ///     InputError: No finite point (a blind sensor frees no space), a sensor outside of the map, or an option that cannot be
    ///         used. The scene is as before.
    #[pyo3(
        signature = (name, points, sensor_origin, *positions, **options),
        text_signature = "($self, name, points, sensor_origin, resolution=0.02, *, max_range=None, outliers=None, \
                          robot_at=None, robot_padding=0.03, link_paddings={}, objects=(), object_padding=0.03, pose=None)"
    )]
    fn update_octree<'py>(
        &self,
        py: Python<'py>,
        name: Text,
        points: Points<'py>,
        sensor_origin: Triple,
        positions: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<Dict<'py>> {
        let options = &octree_options(UPDATE_OCTREE.read_with(positions, options)?, &sensor_origin);
        let (live, name, (stop, control)) = (self.live_for_edit()?, &name.0[..], stoppable());
        let is_long = |values: usize| {
            live.is_being_edited() || options.outliers.is_some() || values / 3 > MAX_INSERTED_WITHOUT_SIGNAL_CHECK
        };
        let report = over_values!(&points, values => {
            let update = || live.update_octree(name, points_of(values)?, options, &control);
            interruptible_if(py, is_long(values.len()), &stop, update)?
        })?;
        Ok(report_dict(py, report.cloud)?.with("insertion", insertion_dict(py, &report.insertion)?)?)
    }

    /// Makes the unknown cells of a map in a box an object: what no sensor has seen counts as occupied. It stays as it is when the map
    /// changes; the next call replaces it.
    ///
    /// Cells within the padding of the robot, of what it carries and of known objects are left out. Without a cell there is no object of
    /// that name.
    ///
    /// Args:
    ///     name: Name that no link, no attached body and no map has.
    ///     octree: Name of the map.
    ///     low: Lowest corner (3,) of the box in the root frame, m. The cells of the corners are in it.
    ///     high: Its highest corner.
    ///     robot_at: As for `add_pointcloud`, as `robot_padding`, `link_paddings`, `objects` and `object_padding`.
    ///
    /// Returns:
    ///     Number of the cells.
    ///
    /// Raises:
    ///     InputError: An unknown map, more than 2²⁴ cells, corners that are not the lowest and the highest, or a name that is taken. Ctrl-C
    ///         ends it too; the scene is then as before.
    #[pyo3(
        signature = (name, octree, low, high, **options),
        text_signature = "($self, name, octree, low, high, *, robot_at=None, robot_padding=0.03, link_paddings={}, \
                          objects=(), object_padding=0.03)"
    )]
    fn add_unknown_space(
        &self,
        py: Python<'_>,
        name: Text,
        octree: Text,
        low: Triple,
        high: Triple,
        options: Option<&Bound<'_, PyDict>>,
    ) -> Result<usize> {
        let (robot, paddings) = ADD_UNKNOWN_SPACE.read(options)?;
        let (known, corners) = (paddings.bodies(robot.robot_at), [low.0.into(), high.0.into()]);
        let (live, (stop, control)) = (self.live_for_edit()?, stoppable());
        let add = || live.add_unknown_space(&name.0, &octree.0, corners, &known, &control);
        Ok(interruptible(py, &stop, add)??)
    }

    /// A copy of the occupancy map of a name.
    ///
    /// Raises:
    ///     InputError: There is no map of that name.
    fn octree(&self, py: Python<'_>, name: Text) -> Result<PyOctree> {
        let scene = self.now();
        Ok(PyOctree::of(py.detach(|| scene.octree(&name.0).cloned())?))
    }

    /// Makes a copy of an occupancy map the map of a name, and its occupied cells the object of that name.
    ///
    /// Raises:
    ///     InputError: A name that a link or an attached body has, or more than 2²⁶ occupied cells.
    fn set_octree(&self, py: Python<'_>, name: Text, octree: &Bound<'_, PyOctree>) -> Result<()> {
        let octree = locked(py, octree.get().map())?.clone();
        Ok(py.detach(|| self.live().edit(|scene| scene.set_octree(&name.0, octree)))?)
    }

    /// Names of the occupancy maps, sorted.
    #[getter]
    fn octrees(&self) -> Vec<String> {
        self.live().read(|scene| scene.octrees().map(|(name, _)| name.to_owned()).collect())
    }

    /// Number of occupancy maps.
    #[getter]
    fn num_octrees(&self) -> usize {
        self.live().read(Scene::num_octrees)
    }
}
