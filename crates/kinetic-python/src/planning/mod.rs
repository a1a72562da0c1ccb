//! `Planner` and `plan`.

pub(crate) mod batch;
pub(crate) mod cartesian;
pub(crate) mod constrained;
pub(crate) mod constraint;
pub(crate) mod control_keywords;
pub(crate) mod device;
pub(crate) mod dual_arm;
pub(crate) mod failure;
pub(crate) mod goal;
pub(crate) mod goal_region;
pub(crate) mod goal_sets;
pub(crate) mod group_arg;
pub(crate) mod keywords;
pub(crate) mod lead_in;
pub(crate) mod listener;
pub(crate) mod options;
pub(crate) mod outcomes;
pub(crate) mod paths;
pub(crate) mod plan_call;
pub(crate) mod presets;
pub(crate) mod problem;
pub(crate) mod properties;
pub(crate) mod python_planner;
pub(crate) mod regions;
pub(crate) mod residual;
pub(crate) mod roadmap;
pub(crate) mod running;
pub(crate) mod sequence;
pub(crate) mod solve;
pub(crate) mod speed;
pub(crate) mod start;
pub(crate) mod state_cost;
pub(crate) mod stored;
pub(crate) mod validity;

use std::sync::{Mutex, PoisonError};

use kinetic::core::PlannerConfig;
use kinetic::planning::{Planner, PlannerType, PlanningResult};
use kinetic::scene::Scene;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::convert::{Array, PoseArg, TimeLaw, Vector};
use crate::error::Result;
use crate::planning::device::PlannerDevice;
use crate::planning::goal::GoalArg;
use crate::planning::keywords::{NEW_PLANNER, PLAN, PLANNER_PROBLEM, PlanCallKeywords};
use crate::planning::problem::PyProblem;
use crate::planning::regions::PyConvexDecomposition;
use crate::planning::roadmap::PyRoadmap;
use crate::planning::speed::SpeedArgs;
use crate::planning::start::StartArg;
use crate::robot::PyRobot;
use crate::robot::argument::RobotArg;
use crate::scene::PyScene;
use crate::trajectory::PyTrajectory;
use crate::warning::warn_of_unchecked_links;

/// Plans one collision-free, timed and verified motion.
///
/// Args:
///     robot: A robot, or the name of a built-in one.
///     start: Joint values, or the name of a pose of the group.
///     goal: A goal; or joint values, the name of a pose of the group, a pose of the tool (`Pose` or 4×4), or a dict of such by
///         names of groups.
///     scene: What stands around the robot; None for nothing.
///     planner_type: Name of the planner; "auto" picks one.
///     timeout: As for `Planner`, and so the following, but for the time law.
///     time_parameterize: True for the default time law, the name of one, or False for a path without time.
///     rng_seed: As for `Planner`.
///     torque_limits: As for `Planner`.
///     payload: As for `Planner`.
///     gravity: As for `Planner`.
///     velocity_scaling: As for `Planner`.
///     acceleration_scaling: As for `Planner`.
///     velocity_limits: As for `Planner`.
///     acceleration_limits: As for `Planner`.
///     jerk_limits: As for `Planner`.
///     group: As for `Planner`.
///
/// Raises:
///     InputError: Wrong sizes, NaN, unknown names, joint values outside their limits.
///     PlanningError: Start or goal in collision, goal out of reach, time used up.
///
/// Example:
///     >>> import kinetic
///     >>> trajectory = kinetic.plan("ur5e", [0.0, -1.57, 0.0, -1.57, 0.0, 0.0], kinetic.Goal.named("home"))
///     >>> trajectory.certificate.max_velocity_ratio <= 1.0
///     True
#[pyfunction]
#[pyo3(
    signature = (robot, start, goal, **options),
    text_signature = "(robot, start, goal, *, scene=None, planner_type='auto', timeout=None, \
                      time_parameterize=True, rng_seed=None, torque_limits=False, payload=None, gravity=None, \
                      group=None, velocity_scaling=None, acceleration_scaling=None, \
                      velocity_limits=None, acceleration_limits=None, jerk_limits=None)"
)]
pub(crate) fn plan<'py>(
    py: Python<'py>,
    robot: RobotArg<'py>,
    start: StartArg,
    goal: GoalArg,
    options: Option<&Bound<'py, PyDict>>,
) -> Result<PyTrajectory> {
    let (options, speed) = PLAN.read(options)?;
    let robot = robot.handle(py)?;
    let planner_type: PlannerType = options.planner_type.0.parse()?;
    let model = robot.get().model();
    let group = options.group.as_ref().map_or_else(|| model.group().name.clone(), |group| group.0.clone());
    let config = options.config(speed, model.robot.resolve_group(&group)?.dof());
    let scene = options.scene.map(|scene| scene.into_bound(py));
    let planner = PyPlanner::build(py, &robot, scene, planner_type, config, Some(group))?;
    planner.run(py, start, goal, options.time_parameterize, SpeedArgs::default(), PlanCallKeywords::default())
}

/// Plans motions of one planning group.
///
/// Links that the group moves and that have no collision shapes are not checked: a `KineticWarning` names them.
///
/// Every `plan` sees the robot's tool and the scene as they are at that moment. Options that are not given keep the
/// value of the preset.
///
/// Args:
///     robot: The robot, or the name of a built-in one.
///     scene: What stands around it; None for nothing.
///     timeout: Time budget of a plan, s (default 5).
///     planner_type: Name of the planner; "auto" picks one, `planner_used` says which.
///     collision_margin: Distance to keep from the world, m (default 0.02).
///     self_margin: Distance to keep between links of the robot, m (default 0).
///     smooth: Whether the corners of the path are cut (default True).
///     shortcut_iterations: Attempts of the random shortcut; 0 leaves the path as the search found it, but for its corners
///         (default 100).
///     workspace_bounds: Lowest and highest corner of a box in the robot's root frame that the tool's origin stays in, m: an
///         array (2, 3).
///     preset: "default"; "realtime" (10 ms, 1 cm margin, no smoothing); "offline" (all of 60 s for quicker and quicker
///         motions, 500 shortcuts).
///     group: Planning group; a list of names for several together, whose joint vectors stand one after the other; None for
///         the robot's selected one.
///     rng_seed: Seed of everything random: the same seed gives the same plan (default 0).
///     max_iterations: Iteration budget of the search; no limit where none is stated.
///     joint_weights: How much one radian or metre of each joint counts in distances and lengths, instead of the robot's
///         weights: (dof,), or a dict by joint name for some, from 1e-3 to 1e3. Only their ratios matter to the search.
///     minimise: What the whole budget is used to make small, instead of ending with the first path, shortened: "length" or
///         "time", under all limits of the planner with the time law that is asked for; "auto" then picks
///         "aorrtc", for which None means "length". `gcs` ends by itself, and with "time" has limits of velocity in its programme.
///     torque_limits: Whether timed motions keep the effort limits of the robot's description, proven at every instant: the
///         law "totp" as fast as they allow, others evenly slower; the certificate has `max_torque_ratio` (default False).
///     payload: What the robot carries, for its torques: a `Payload`, or the mass (kg) of a point at the tool.
///     gravity: Gravity in the axes of the root link, m/s², for the torques of a robot on a wall or a ceiling: (3,). None is that of
///         the Earth along −z.
///     constraints: Conditions that every motion keeps at every instant, all of them: a list of `Constraint`. "auto" then picks
///         "cbirrt"; the certificate has `constraints` (default []).
///     project_start: Whether a start that does not keep the constraints is projected onto them: the motion begins at the projected
///         start (default False).
///     fix_start: Largest change of a joint by which a start outside its limits or in contact is moved to a valid one, rad or m; 0
///         moves none. The plan begins at the valid one, and its `lead_in` is the motion there, which has no certificate.
///         Starts of sequences and of Cartesian paths are not moved (default 0).
///     prefer: Which of the configurations that meet a goal the motion ends at, instead of the one that the search connects first:
///         "distance", the nearest to the start with `joint_weights`; "time", that of least travel time under the limits of
///         velocity and acceleration; "clearance", the farthest from the world, in an empty scene from the robot itself. It
///         is searched for alone; where it is not reached, with the four best, the sixteen best, and so on.
///     projection: What the planner `kpiece` projects configurations onto, instead of the position of the tool where there is one:
///         "tool"; "joints", the first joints of the group, at most three; or "random", two directions that follow from the seed.
///         Other planners project nothing.
///     state_cost: What the planners `bitrrt` and `stomp` avoid: configurations that cost much, by "clearance", near the world;
///         "joint_centring", near joint limits; "manipulability", near singularities; "torque", held still against gravity by
///         much of the effort limits, with `payload` and `gravity`; or a function of joint values (dof,) that returns a finite
///         number of at least 0. "auto" then picks "bitrrt", for which None is "clearance"; `stomp` avoids contact alone then,
///         and others refuse it. A planner with a function cannot be pickled; a problem that is saved keeps the name "function" alone, and
///         is refused when it is solved again. What a function raises ends the plan, as the cause of its `InputError`.
///     num_seeds: Initial trajectories that the planners `chomp`, `stomp` and `trajopt` try before they give up, the straight line first;
///         None until the budget ends. Other planners optimise no trajectory.
///     lazy_roadmap: Whether the planners `prm` and `prm_star` look at edges of their roadmap only when a path needs them, and not when they
///         are made. Either way those of a path are proven. Other planners have no roadmap (default False).
///     convex_relaxation: Whether the planner `gcs` solves the convex relaxation of its whole graph as well, for shorter paths and a lower
///         bound of their length, in `last_stats`. It takes seconds, of what the search leaves of the budget. Other planners have no
///         convex regions (default False).
///     refine: What shortens timed motions after their path was found: "trajopt", a spline in time that leaves the path where that is
///         free. The motion is as fast as limits and obstacles allow near the path, and proven as others are; `path` stays. Not
///         together with constraints or torque limits.
///     fallback: Planners that follow the one that was asked for, in this order, where it finds nothing: a list of names. Each
///         has an equal share of the time and iterations that are left; `last_stats` says which one solved it (default []).
///     race: Whether the planners of `fallback` run beside the one that was asked for, each with the whole iteration budget, and
///         the best answer is taken, or with "first" the first one, which depends on the clock. The best one is the shortest
///         path, or with `minimise="time"` the quickest motion; it needs `max_iterations`, and `timeout` holds as well
///         (default False).
///     profile: Name of a table of options in the robot's `kinetic.toml`, `[profiles.NAME]`, which hold instead of those of the
///         preset.
///     device: Where many initial trajectories are optimised together, by the planner "trajopt": "auto", "cpu", "gpu" and others, as
///         for `with_device`, which has options of its own. None for planners that need no device.
///     velocity_scaling: Factor of the velocity limits, in (0, 1] (default 1).
///     acceleration_scaling: Factor of the acceleration limits, in (0, 1]; jerk limits are not scaled (default 1).
///     velocity_limits: Largest speed of each joint instead of the robot's, and never above it, rad/s or m/s: one number, or
///         one per joint.
///     acceleration_limits: Largest acceleration of each joint instead of the robot's, and never above what its model states,
///         rad/s² or m/s²: likewise.
///     jerk_limits: Largest jerk of each joint instead of the robot's, and never above what its model states, rad/s³ or m/s³:
///         likewise.
///
/// Raises:
///     InputError: An option outside its domain, or an unknown name (the message lists those that exist).
///
/// Example:
///     >>> from kinetic import Goal, Planner, Robot
///     >>> robot = Robot("ur5e")
///     >>> planner = Planner(robot, timeout=2.0)
///     >>> planner.plan(robot.named_pose("home"), Goal.named("ready")).is_timed
///     True
///     >>> planner.planner_used
///     'rrt_connect'
#[pyclass(frozen, module = "kinetic", name = "Planner")]
pub(crate) struct PyPlanner {
    robot: Py<PyRobot>,
    /// The scene that was given.
    scene: Option<Py<PyScene>>,
    /// What is planned in when no scene was given.
    empty: Option<Scene>,
    group: String,
    planner_type: PlannerType,
    config: PlannerConfig,
    roadmap: Option<Py<PyRoadmap>>,
    regions: Option<Py<PyConvexDecomposition>>,
    device: Option<PlannerDevice>,
    last: Mutex<Option<PlanningResult>>,
}

#[pymethods]
impl PyPlanner {
    #[new]
    #[pyo3(
        signature = (robot, scene=None, *positions, **options),
        text_signature = "(robot, scene=None, timeout=None, planner_type='auto', collision_margin=None, \
                          self_margin=None, smooth=None, shortcut_iterations=None, workspace_bounds=None, \
                          preset=None, group=None, rng_seed=None, max_iterations=None, joint_weights=None, \
                          minimise=None, *, torque_limits=None, payload=None, gravity=None, \
                          constraints=None, project_start=None, fix_start=None, prefer=None, projection=None, \
                          state_cost=None, num_seeds=None, lazy_roadmap=None, convex_relaxation=None, refine=None, \
                          fallback=None, race=None, profile=None, device=None, velocity_scaling=None, \
                          acceleration_scaling=None, velocity_limits=None, acceleration_limits=None, \
                          jerk_limits=None)"
    )]
    fn __new__<'py>(
        py: Python<'py>,
        robot: RobotArg<'py>,
        scene: Option<Bound<'py, PyScene>>,
        positions: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<Self> {
        let (mut options, speed) = NEW_PLANNER.read_with(positions, options)?;
        let device = options.device.take();
        let robot = robot.handle(py)?;
        let model = robot.get().model();
        let group = options.group.as_ref().map_or_else(|| model.group().name.clone(), |group| group.0.clone());
        let planner_type: PlannerType = options.planner_type.0.parse()?;
        let config = options.config(speed, &model.robot, &group, planner_type)?;
        let planner = Self::build(py, &robot, scene, planner_type, config, Some(group))?;
        match device {
            Some(device) => planner.with_device(py, device, None),
            None => Ok(planner),
        }
    }

    /// The problem that `plan` would solve, as a value that can be saved, solved elsewhere, and solved again.
    ///
    /// It holds robot, scene and options as they are now. Its budget is `max_iterations` (100,000 where that is None), not
    /// time, so that its answer depends on nothing else.
    ///
    /// Args:
    ///     start_joints: As for `plan`.
    ///     goal: As for `plan`.
    ///     time_parameterize: As for `plan`.
    ///     velocity_scaling: As for `plan`, and so the following.
    ///     acceleration_scaling: As for `plan`.
    ///     velocity_limits: As for `plan`.
    ///     acceleration_limits: As for `plan`.
    ///     jerk_limits: As for `plan`.
    ///
    /// Raises:
    ///     InputError: A start that is no configuration, an unknown time law, or limits that are none. What else is wrong, `solve`
    ///         says.
    #[pyo3(
        signature = (start_joints, goal, time_parameterize=TimeLaw::default_law(), **options),
        text_signature = "($self, start_joints, goal, time_parameterize=True, *, velocity_scaling=None, \
                          acceleration_scaling=None, velocity_limits=None, acceleration_limits=None, \
                          jerk_limits=None)"
    )]
    fn problem(
        &self,
        py: Python<'_>,
        start_joints: StartArg,
        goal: GoalArg,
        time_parameterize: TimeLaw,
        options: Option<&Bound<'_, PyDict>>,
    ) -> Result<PyProblem> {
        let speed = PLANNER_PROBLEM.read(options)?;
        let planner = self.for_call(py, speed)?;
        let problem = planner.problem(&start_joints.values(&planner)?, &goal.0)?;
        Ok(PyProblem::new(problem.with_time_law(time_parameterize.0.as_deref())?))
    }

    /// Pose of the tool in the group's base, 4×4.
    fn fk<'py>(&self, py: Python<'py>, q: Vector) -> Result<Array<'py>> {
        Array::pose(py, &self.now(py)?.fk(&q.0)?)
    }

    /// Joint values (dof,) inside the limits that bring the tool to a pose; collisions are not looked at.
    ///
    /// Raises:
    ///     IKError: None were found.
    fn ik<'py>(&self, py: Python<'py>, target: PoseArg) -> Result<Array<'py>> {
        let planner = self.now(py)?;
        let joints = py.detach(|| planner.ik(&target.0))?;
        Array::vector(py, &joints)
    }

    /// True when `q` misses a margin of this planner.
    fn is_in_collision(&self, py: Python<'_>, q: Vector) -> Result<bool> {
        Ok(self.now(py)?.is_in_collision(&q.0)?)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let robot = self.robot.bind(py).get().model().robot.name.clone();
        let scene = if self.scene.is_some() { "a scene" } else { "no scene" };
        format!("Planner({robot:?}, {scene}, group={:?}, planner_type={:?})", self.group, self.planner_type.id())
    }
}

impl PyPlanner {
    pub(crate) fn build(
        py: Python<'_>,
        robot: &Bound<'_, PyRobot>,
        scene: Option<Bound<'_, PyScene>>,
        planner_type: PlannerType,
        config: PlannerConfig,
        group: Option<String>,
    ) -> Result<Self> {
        let model = robot.get().model();
        let empty = if scene.is_some() { None } else { Some(py.detach(|| Scene::new(&model.robot))?) };
        let planner = Self {
            robot: robot.clone().unbind(),
            scene: scene.map(Bound::unbind),
            empty,
            group: group.unwrap_or_else(|| model.group().name.clone()),
            planner_type,
            config,
            roadmap: None,
            regions: None,
            device: None,
            last: Mutex::new(None),
        };
        // Options and names are refused here, not at the first plan.
        let now = planner.now(py)?;
        now.joint_weights()?;
        now.limits()?;
        now.constraint_set()?;
        warn_of_unchecked_links(py, now.scene(), &planner.group)?;
        Ok(planner)
    }

    /// The same planner with other options.
    pub(crate) fn with_config(&self, py: Python<'_>, config: PlannerConfig) -> Self {
        Self {
            robot: self.robot.clone_ref(py),
            scene: self.scene.as_ref().map(|scene| scene.clone_ref(py)),
            empty: self.empty.clone(),
            group: self.group.clone(),
            planner_type: self.planner_type,
            config,
            roadmap: self.roadmap.as_ref().map(|roadmap| roadmap.clone_ref(py)),
            regions: self.regions.as_ref().map(|regions| regions.clone_ref(py)),
            device: self.device.clone(),
            last: Mutex::new(None),
        }
    }

    /// Remembers what another planner found last.
    pub(crate) fn take_result(&self, other: &Self) {
        self.remember(other.last.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// The planner for robot and scene as they are now.
    pub(crate) fn now(&self, py: Python<'_>) -> Result<Planner> {
        let robot = &self.robot.bind(py).get().model().robot;
        let scene = match (&self.scene, &self.empty) {
            (Some(scene), _) => scene.bind(py).get().now(),
            (None, Some(empty)) => empty.clone(),
            (None, None) => Scene::new(robot)?,
        };
        let planner = Planner::in_scene(scene.with_robot(robot)?)?.with_group(&self.group)?;
        let planner = planner.with_planner_type(self.planner_type).with_config(self.config.clone())?;
        let planner = match &self.roadmap {
            Some(roadmap) => planner.with_roadmap(&roadmap.get().0)?,
            None => planner,
        };
        let planner = match &self.regions {
            Some(regions) => planner.with_regions(&regions.get().0)?,
            None => planner,
        };
        Ok(match &self.device {
            Some(device) => planner.with_optimizer(&device.optimizer)?,
            None => planner,
        })
    }
}
