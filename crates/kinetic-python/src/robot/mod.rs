//! `Robot`: where it comes from, what it is made of, its poses. Kinematics stand in `robot_kinematics`.

pub(crate) mod argument;
pub(crate) mod cell;
pub(crate) mod check;
pub(crate) mod files;
pub(crate) mod ik_defaults;
pub(crate) mod jacobians;
pub(crate) mod joint_weights;
pub(crate) mod kinematics;
pub(crate) mod motion;
pub(crate) mod parts;
pub(crate) mod queries;
pub(crate) mod reachability;
pub(crate) mod stored;
pub(crate) mod tool_motion;

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, PoisonError, RwLock};

use kinetic::core::rng::SeededRng;
use kinetic::core::{KineticError, Pose};
use kinetic::kinematics::analytic::Manipulator;
use kinetic::kinematics::{InverseKinematics, KinematicChain};
use kinetic::robot::{FORMATS, PlanningGroup, Robot, UrdfOptions};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;

use crate::convert::{Array, File, Paths, PoseArg, Rebuild, Seed, Source, Text, Vector, rebuild};
use crate::error::{Error, Result};
use crate::planning::group_arg::GroupArg;
use crate::robot::files::XacroArguments;

/// Names of the built-in robots, sorted.
///
/// Example:
///     >>> import kinetic
///     >>> "ur5e" in kinetic.list_robots()
///     True
#[pyfunction]
pub(crate) fn list_robots() -> Vec<&'static str> {
    kinetic::robot_names()
}

/// The file formats that `Robot.from_file` reads.
///
/// Returns:
///     For each its name, how names of its files end, and what of it is read. Of files that end in ".xml" the outermost
///     element says the format.
///
/// Example:
///     >>> import kinetic
///     >>> [endings for name, endings, summary in kinetic.robot_formats() if name == "URDF"]
///     [['.urdf', '.xml']]
#[pyfunction]
pub(crate) fn robot_formats() -> Vec<(&'static str, Vec<String>, &'static str)> {
    FORMATS.iter().map(|format| (format.name, format.name_endings(), format.summary)).collect()
}

/// A robot with one planning group selected.
///
/// `dof` and joint vectors belong to the selected group. Joint vectors are in rad (m for sliding joints) and may have
/// the length of the group or of the whole robot, whose other joints otherwise stand in their neutral configuration.
/// Poses are 4×4 matrices in m.
///
/// Args:
///     name: Name of a built-in robot, see `kinetic.list_robots()`.
///     group: Planning group; a list of names for several as one, their joints in this order; None for the robot's default
///         group.
///
/// Raises:
///     InputError: Unknown robot (with names that look alike) or group.
///
/// Example:
///     >>> from kinetic import Robot
///     >>> robot = Robot("ur5e")
///     >>> robot.fk(robot.named_pose("home")).shape
///     (4, 4)
#[pyclass(frozen, module = "kinetic", name = "Robot")]
pub(crate) struct PyRobot {
    state: RwLock<Arc<Model>>,
}

/// The robot as it is now. Replaced whole when the tool changes, so that a running call keeps what it began with.
pub(crate) struct Model {
    pub(crate) robot: Arc<Robot>,
    /// Inverse kinematics of the selected group, or why its joints are no chain.
    ik: kinetic::core::Result<Arc<InverseKinematics>>,
}

impl Model {
    fn new(robot: Arc<Robot>) -> Self {
        let ik = InverseKinematics::from_robot(&robot).map(Arc::new);
        Self { robot, ik }
    }

    /// The model with another tool at the tip of its group.
    pub(crate) fn with_tool(self: Arc<Self>, tip_from_tcp: Option<PoseArg>) -> Result<Arc<Self>> {
        let Some(tool) = tip_from_tcp else { return Ok(self) };
        let robot = Robot::clone(&self.robot).with_tcp(&self.group().name, tool.0)?;
        Ok(Arc::new(Self::new(Arc::new(robot))))
    }

    pub(crate) fn group(&self) -> &PlanningGroup {
        &self.robot.groups[self.robot.default_group]
    }

    pub(crate) fn ik(&self) -> kinetic::core::Result<&Arc<InverseKinematics>> {
        self.ik.as_ref().map_err(KineticError::clone)
    }

    pub(crate) fn chain(&self) -> Result<&KinematicChain> {
        Ok(self.ik()?.chain())
    }

    /// The closed form of the selected group's chain.
    pub(crate) fn closed_form(&self) -> kinetic::core::Result<&Manipulator> {
        self.ik()?.closed_form()
    }
}

impl PyRobot {
    fn new(robot: Robot) -> Self {
        Self::shared(Arc::new(robot))
    }

    fn shared(robot: Arc<Robot>) -> Self {
        Self { state: RwLock::new(Arc::new(Model::new(robot))) }
    }

    /// Loads without the GIL.
    pub(crate) fn load(py: Python<'_>, read: impl Send + FnOnce() -> kinetic::core::Result<Robot>) -> Result<Self> {
        Ok(Self::new(py.detach(read)?))
    }

    pub(crate) fn builtin(py: Python<'_>, name: String, group: Option<&str>) -> Result<Self> {
        let robot = py.detach(|| Robot::builtin(&name))?;
        let robot = match group {
            Some(_) => Arc::new(in_group(Robot::clone(&robot), group)?),
            None => robot,
        };
        Ok(Self::shared(robot))
    }

    /// The robot as it is now.
    pub(crate) fn model(&self) -> Arc<Model> {
        // The lock guards one assignment, which cannot leave a half-written value behind.
        Arc::clone(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn set_tool(&self, tip_from_tcp: Pose) -> Result<()> {
        let model = self.model().with_tool(Some(PoseArg(tip_from_tcp)))?;
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = model;
        Ok(())
    }
}

fn in_group(robot: Robot, group: Option<&str>) -> kinetic::core::Result<Robot> {
    match group {
        Some(group) => robot.with_default_group(group),
        None => Ok(robot),
    }
}

/// Constructors.
#[pymethods]
impl PyRobot {
    #[new]
    #[pyo3(signature = (name, group=None))]
    fn __new__(py: Python<'_>, name: Text, group: Option<GroupArg>) -> Result<Self> {
        Self::builtin(py, name.0, group.as_ref().map(|group| group.0.as_str()))
    }

    /// A built-in robot: the same as `Robot(name, group)`.
    #[staticmethod]
    #[pyo3(signature = (name, group=None))]
    fn from_config(py: Python<'_>, name: Text, group: Option<GroupArg>) -> Result<Self> {
        Self::__new__(py, name, group)
    }

    /// A robot from a URDF file or document; it has one group, "arm". Files that end in .xacro are expanded first, with
    /// the extra `kinetic[xacro]`.
    ///
    /// Args:
    ///     path_or_xml: Path of a file, or the XML text itself.
    ///     base: Base link of the group; None for the root.
    ///     tip: Tip link of the group; None for the link with the most moving joints above it.
    ///     package_dirs: Folders in which `package://` names of meshes are looked up, and those of `$(find …)` in xacro.
    ///     missing_meshes: "error": a scene with this robot is refused when the mesh of a collision shape is not found;
    ///         "ignore": such shapes are left out. Either way `notes` says so, and kinematics need no meshes.
    ///     xacro_args: Arguments of a .xacro file by name, as `name:=value` on the command line of xacro.
    ///
    /// Raises:
    ///     InputError: Malformed XML or model (with file and line), unknown link, no chain from base to tip.
    ///     OSError: The file cannot be read.
    #[staticmethod]
    #[pyo3(
        signature = (path_or_xml, *, base=None, tip=None, package_dirs=Paths::default(), missing_meshes=Text("error".to_owned()),
            xacro_args=None),
        text_signature =
            "(path_or_xml, *, base=None, tip=None, package_dirs=(), missing_meshes='error', xacro_args=None)"
    )]
    fn from_urdf(
        py: Python<'_>,
        path_or_xml: UrdfSource,
        base: Option<Text>,
        tip: Option<Text>,
        package_dirs: Paths,
        missing_meshes: Text,
        xacro_args: Option<XacroArguments>,
    ) -> Result<Self> {
        let (base, tip) = (base.map(|base| base.0), tip.map(|tip| tip.0));
        let missing_meshes = missing_meshes.0.parse()?;
        let options = UrdfOptions { base, tip, base_dir: None, package_dirs: package_dirs.0, missing_meshes };
        match path_or_xml.0 {
            Source::Document(xml) => Self::load(py, || Robot::from_urdf_string_with(&xml, &options)),
            Source::File(path) => Self::load_urdf(py, path, options, xacro_args),
        }
    }

    /// A robot from an MJCF file or document, the format of MuJoCo; it has one group, "arm".
    ///
    /// Args:
    ///     path_or_xml: Path of a file, or the XML text itself.
    ///     base: Base link of the group; None for the world.
    ///     tip: Tip link of the group; None for the link with the most moving joints above it.
    ///     package_dirs: Folders in which included files and meshes are looked up, after the folder of the file.
    ///     missing_meshes: "error": a scene with this robot is refused when the mesh of a collision shape is not found;
    ///         "ignore": such shapes are left out. Either way `notes` says so, and kinematics need no meshes.
    ///
    /// Raises:
    ///     InputError: Malformed or unsupported element (with file and line), unknown link, no chain from base to tip.
    ///     OSError: The file, or one that it includes, cannot be read.
    #[staticmethod]
    #[pyo3(
        signature = (path_or_xml, *, base=None, tip=None, package_dirs=Paths::default(), missing_meshes=Text("error".to_owned())),
        text_signature = "(path_or_xml, *, base=None, tip=None, package_dirs=(), missing_meshes='error')"
    )]
    fn from_mjcf(
        py: Python<'_>,
        path_or_xml: UrdfSource,
        base: Option<Text>,
        tip: Option<Text>,
        package_dirs: Paths,
        missing_meshes: Text,
    ) -> Result<Self> {
        let (base, tip) = (base.map(|base| base.0), tip.map(|tip| tip.0));
        let missing_meshes = missing_meshes.0.parse()?;
        let options = UrdfOptions { base, tip, package_dirs: package_dirs.0, missing_meshes, ..UrdfOptions::default() };
        Self::load(py, || match path_or_xml.0 {
            Source::Document(xml) => Robot::from_mjcf_string_with(&xml, &options),
            Source::File(path) => Robot::from_mjcf_with(path, &options),
        })
    }

    /// A robot from a folder that holds a kinetic.toml.
    #[staticmethod]
    fn from_path(py: Python<'_>, dir: File) -> Result<Self> {
        Self::load(py, || Robot::from_path(dir.0))
    }

    /// The same robot with another planning group selected; a list of names for several groups as one.
    fn with_group(&self, group: GroupArg) -> Result<Self> {
        let robot = in_group(Robot::clone(&self.model().robot), Some(&group.0))?;
        Ok(Self::new(robot))
    }
}

/// What it is made of.
#[pymethods]
impl PyRobot {
    /// Name of the model.
    #[getter]
    fn name(&self) -> String {
        self.model().robot.name.clone()
    }

    /// Number of joint values of the selected group.
    #[getter]
    fn dof(&self) -> usize {
        self.model().group().dof()
    }

    /// Number of joints of the whole robot, fixed ones included.
    #[getter]
    fn num_joints(&self) -> usize {
        self.model().robot.joints.len()
    }

    /// Number of links of the whole robot.
    #[getter]
    fn num_links(&self) -> usize {
        self.model().robot.links.len()
    }

    /// Names of the joints of the selected group, in the order of joint vectors.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        let model = self.model();
        model.robot.joint_names(model.group()).into_iter().map(str::to_owned).collect()
    }

    /// Names of all links, the root first.
    #[getter]
    fn link_names(&self) -> Vec<String> {
        self.model().robot.links.iter().map(|link| link.name.clone()).collect()
    }

    /// Names of the planning groups.
    #[getter]
    fn groups(&self) -> Vec<String> {
        self.model().robot.groups.iter().map(|group| group.name.clone()).collect()
    }

    /// Name of the selected planning group.
    #[getter]
    fn group(&self) -> String {
        self.model().group().name.clone()
    }

    /// Name of the link that poses of the selected group are expressed in.
    #[getter]
    fn base(&self) -> String {
        let model = self.model();
        model.robot.links[model.group().base_link].name.clone()
    }

    /// Name of the link that carries the tool of the selected group.
    #[getter]
    fn tip(&self) -> String {
        let model = self.model();
        model.robot.links[model.group().tip_link].name.clone()
    }

    /// Names of the poses of the selected group.
    #[getter]
    fn named_poses(&self) -> Vec<String> {
        let model = self.model();
        model.robot.named_pose_names(model.group()).into_iter().map(str::to_owned).collect()
    }

    /// Lowest and highest position of each joint, shape (dof, 2); infinite for continuous joints.
    #[getter]
    fn joint_limits<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        let model = self.model();
        let limits = model.robot.position_limits(model.group());
        let values: Vec<f64> = limits.iter().flat_map(|(lower, upper)| [*lower, *upper]).collect();
        Array::new(py, &[limits.len(), 2], &values)
    }

    /// Largest speed of each joint (dof,), rad/s or m/s.
    #[getter]
    fn velocity_limits<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        let model = self.model();
        Array::vector(py, &model.robot.velocity_limits(model.group()))
    }

    /// Largest acceleration of each joint (dof,), rad/s² or m/s²; full speed after 0.5 s where the model states none.
    #[getter]
    fn acceleration_limits<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        let model = self.model();
        Array::vector(py, &model.robot.acceleration_limits(model.group()))
    }

    /// Largest jerk of each joint (dof,), rad/s³ or m/s³; None unless the model states it for every joint of the group.
    #[getter]
    fn jerk_limits<'py>(&self, py: Python<'py>) -> Result<Option<Array<'py>>> {
        let model = self.model();
        model.robot.jerk_limits(model.group()).map(|jerk| Array::vector(py, &jerk)).transpose()
    }

    /// How much one radian or metre of each joint counts in distances and lengths (dof,); 1 unless the model states others.
    #[getter]
    fn joint_weights<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        let model = self.model();
        Array::vector(py, &model.robot.weights(model.group()))
    }

    /// Largest effort of each joint (dof,), Nm or N; infinite where unknown.
    #[getter]
    fn effort_limits<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        let model = self.model();
        Array::vector(py, &model.robot.effort_limits(model.group()))
    }

    /// Pose of the tool in the frame of the group's tip link, 4×4; what a kinetic.toml states as `tcp_xyz` and `tcp_rpy`,
    /// the identity unless stated or set.
    ///
    /// Setting it changes what `fk`, `jacobian`, `ik` and pose goals mean by "tool", also for planners that were made
    /// with this robot.
    #[getter]
    fn tcp<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::pose(py, &self.model().group().tip_from_tcp)
    }

    #[setter]
    fn set_tcp(&self, tip_from_tcp: PoseArg) -> Result<()> {
        self.set_tool(tip_from_tcp.0)
    }

    fn __repr__(&self) -> String {
        let model = self.model();
        format!("Robot({:?}, group={:?}, dof={})", model.robot.name, model.group().name, model.group().dof())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Rebuild<'py>> {
        let text = py.detach(|| stored::text_of(&self.model().robot))?;
        Ok(rebuild(py.get_type::<Self>().into_any(), "_restore", (text,))?)
    }

    /// The robot that pickle stored.
    #[staticmethod]
    fn _restore(py: Python<'_>, text: Text) -> Result<Self> {
        Ok(Self::shared(py.detach(|| stored::robot_of(&text.0))?))
    }
}

/// Poses and limits.
#[pymethods]
impl PyRobot {
    /// Joint values (dof,) of a named pose of the group; None when there is none of that name.
    fn named_pose<'py>(&self, py: Python<'py>, name: Text) -> Result<Option<Array<'py>>> {
        let model = self.model();
        model.robot.named_configuration(model.group(), &name.0).map(|values| Array::vector(py, &values)).transpose()
    }

    /// All joints at 0, shape (dof,). A model may exclude 0; `check_limits` tells.
    fn zero_configuration<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        let model = self.model();
        Array::vector(py, &model.robot.zero_configuration(model.group()))
    }

    /// Every joint in the middle of its range, continuous joints at 0, shape (dof,).
    fn mid_configuration<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        let model = self.model();
        Array::vector(py, &model.robot.mid_configuration(model.group()))
    }

    /// Joint values (dof,) uniform inside the limits, continuous joints in [-π, π).
    ///
    /// Args:
    ///     rng_seed: The same seed gives the same values; None for another draw at every call.
    #[pyo3(signature = (rng_seed=None))]
    fn random_configuration<'py>(&self, py: Python<'py>, rng_seed: Option<Seed>) -> Result<Array<'py>> {
        let model = self.model();
        // The standard library seeds its hashers from the operating system, each differently.
        let seed = rng_seed.map_or_else(|| RandomState::new().hash_one(0), |seed| seed.0);
        Array::vector(py, &model.robot.random_configuration(model.group(), &mut SeededRng::new(seed)))
    }

    /// True when all values are inside the limits.
    fn check_limits(&self, q: Vector) -> Result<bool> {
        let model = self.model();
        match model.robot.check_limits(model.group(), &q.0, 0.0) {
            Ok(()) => Ok(true),
            Err(KineticError::JointLimitViolation { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The same values, each moved into its limits, shape (dof,).
    fn clip<'py>(&self, py: Python<'py>, q: Vector) -> Result<Array<'py>> {
        let model = self.model();
        Array::vector(py, &model.robot.clip(model.group(), &q.0)?)
    }
}

/// A URDF document, or the path of one.
pub(crate) struct UrdfSource(pub(crate) Source);

impl FromPyObject<'_, '_> for UrdfSource {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = File::INPUT_TYPE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        Source::new(&given, |text| text.trim_start().starts_with('<')).map(Self)
    }
}
