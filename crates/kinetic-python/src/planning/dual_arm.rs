//! `DualArmPlanner`: motions of two arms of one robot.

use kinetic::core::{StopFlag, TimedTrajectory};
use kinetic::planning::{DualArmMode, DualArmMotion, DualArmPlanner, DualGoal, GraspTolerance, PlannerType};
use kinetic::robot::joined_group_name;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::convert::{Dict, PoseArg, Text};
use crate::error::Result;
use crate::interrupt::interruptible;
use crate::planning::PyPlanner;
use crate::planning::goal::GoalArg;
use crate::planning::keywords::NEW_DUAL_ARM_PLANNER;
use crate::planning::start::StartArg;
use crate::robot::argument::RobotArg;
use crate::trajectory::PyTrajectory;

/// Plans motions of two groups of a robot that begin and end together. Collisions between the arms, of each with itself and
/// with the scene are checked along the joined motion.
///
/// Args:
///     robot: The robot, or the name of a built-in one.
///     left_group: One planning group.
///     right_group: The other one; the two share no joint.
///     mode: "synchronized": one path in the joint space of both. "independent": each arm has a path of its own, found as if
///         the other were not there, and keeps its shape; how far each has come when is chosen so that the arms do not meet.
///         "coordinated": both hold one rigid object: the pose of the right tip in the left one stays what it is at the start, at
///         every instant of the timed motion, as the certificate's `constraints` say.
///     scene: What stands around the robot; None for nothing.
///     timeout: Time budget of a plan, s.
///     rng_seed: As for `Planner`, and so the following.
///     max_iterations: As for `Planner`; in independent mode of each arm.
///     collision_margin: As for `Planner`.
///     self_margin: As for `Planner`; between the arms, too.
///     constraints: As for `Planner`; joint indices are those of both groups one after the other.
///     position_tolerance: How far the tips may leave their relative position in coordinated mode, m (default 0.001).
///     orientation_tolerance: How far they may turn against each other, rad (default 0.01).
///
/// Raises:
///     InputError: Unknown groups or modes, groups that share a joint, options outside their domain.
///
/// Example:
///     >>> from kinetic import DualArmPlanner
///     >>> planner = DualArmPlanner("abb_yumi_left", "left_arm", "right_arm")
///     >>> motion = planner.plan("home", "home", "ready", "ready")
///     >>> motion["left_trajectory"].duration == motion["right_trajectory"].duration
///     True
#[pyclass(frozen, module = "kinetic", name = "DualArmPlanner")]
pub(crate) struct PyDualArmPlanner {
    joined: PyPlanner,
    groups: [String; 2],
    mode: DualArmMode,
    tolerance: GraspTolerance,
}

#[pymethods]
impl PyDualArmPlanner {
    #[new]
    #[pyo3(
        signature = (robot, left_group, right_group, *positions, **options),
        text_signature = "(robot, left_group, right_group, mode='synchronized', scene=None, timeout=5.0, *, \
                          rng_seed=None, max_iterations=None, collision_margin=None, self_margin=None, \
                          constraints=None, position_tolerance=None, orientation_tolerance=None)"
    )]
    fn __new__<'py>(
        py: Python<'py>,
        robot: RobotArg<'py>,
        left_group: Text,
        right_group: Text,
        positions: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<Self> {
        let options = NEW_DUAL_ARM_PLANNER.read_with(positions, options)?;
        let mode: DualArmMode = options.mode.0.parse()?;
        let (robot, groups) = (robot.handle(py)?, [left_group.0, right_group.0]);
        let (group, config) = (Some(joined_group_name(&groups)), options.config());
        let tolerance = options.grasp_tolerance();
        let scene = options.scene.map(|scene| scene.into_bound(py));
        let joined = PyPlanner::build(py, &robot, scene, PlannerType::Auto, config, group)?;
        let planner = Self { joined, groups, mode, tolerance };
        planner.planner(py)?;
        Ok(planner)
    }

    /// Plans a motion of both arms; what is returned has passed verification. Ctrl-C stops it.
    ///
    /// Args:
    ///     start_left: Joint values of the left group, or the name of a pose of it.
    ///     start_right: Likewise of the right group.
    ///     goal_left: A goal of the left group, as for `Planner.plan`.
    ///     goal_right: Likewise of the right group.
    ///     time_law: Name of the time law.
    ///
    /// Returns:
    ///     A dict with `left_trajectory` and `right_trajectory`, of one duration; `trajectory`, both joined, the left group's
    ///     joints first, with the certificate; `planning_time`, s; and `tree_size`, the nodes of the search.
    ///
    /// Raises:
    ///     InputError: Wrong sizes, NaN, unknown names, joint values outside their limits.
    ///     PlanningError: Start in collision, goals that cannot be met together or one by one, time used up, or paths that
    ///         cannot be coordinated in independent mode, goals that break the grasp in coordinated mode.
    #[pyo3(
        signature = (start_left, start_right, goal_left, goal_right, *, time_law=Text(kinetic::DEFAULT_TIME_LAW.to_owned())),
        text_signature = "($self, start_left, start_right, goal_left, goal_right, *, time_law='totp')"
    )]
    fn plan<'py>(
        &self,
        py: Python<'py>,
        start_left: StartArg,
        start_right: StartArg,
        goal_left: GoalArg,
        goal_right: GoalArg,
        time_law: Text,
    ) -> Result<Dict<'py>> {
        let (planner, stop) = (self.planner(py)?, StopFlag::default());
        let [left, right] = starts(&planner, start_left, start_right)?;
        let goal = DualGoal { left: goal_left.0, right: goal_right.0 };
        let control = planner.joined().control(stop.clone());
        let plan = || planner.plan_controlled(&left, &right, &goal, &time_law.0, &control);
        answer(py, interruptible(py, &stop, plan)??)
    }

    /// Plans to bring an object that both arms hold to a pose, in coordinated mode: both tools keep the poses on it that they have
    /// at the start. Ctrl-C stops it.
    ///
    /// Args:
    ///     start_left: Joint values of the left group, or the name of a pose of it.
    ///     start_right: Likewise of the right group.
    ///     object: Name of a body that the scene has attached to a link of either arm.
    ///     root_from_object: Where its frame is to be, in the robot's root frame: `Pose` or 4×4.
    ///     time_law: Name of the time law.
    ///
    /// Returns:
    ///     As `plan`.
    ///
    /// Raises:
    ///     InputError: As `plan`; an object that neither arm carries; another mode.
    ///     PlanningError: As `plan`.
    #[pyo3(
        signature = (start_left, start_right, object, root_from_object, *, time_law=Text(kinetic::DEFAULT_TIME_LAW.to_owned())),
        text_signature = "($self, start_left, start_right, object, root_from_object, *, time_law='totp')"
    )]
    fn plan_object<'py>(
        &self,
        py: Python<'py>,
        start_left: StartArg,
        start_right: StartArg,
        object: Text,
        root_from_object: PoseArg,
        time_law: Text,
    ) -> Result<Dict<'py>> {
        let (planner, stop) = (self.planner(py)?, StopFlag::default());
        let [left, right] = starts(&planner, start_left, start_right)?;
        let control = planner.joined().control(stop.clone());
        let plan = || {
            let start = (&left[..], &right[..]);
            planner.plan_object_controlled(start, &object.0, &root_from_object.0, &time_law.0, &control)
        };
        answer(py, interruptible(py, &stop, plan)??)
    }

    /// Number of joint values of the left group.
    #[getter]
    fn left_dof(&self, py: Python<'_>) -> Result<usize> {
        Ok(self.planner(py)?.left().dof())
    }

    /// Number of joint values of the right group.
    #[getter]
    fn right_dof(&self, py: Python<'_>) -> Result<usize> {
        Ok(self.planner(py)?.right().dof())
    }

    /// `"independent"`, `"synchronized"` or `"coordinated"`.
    #[getter]
    fn mode(&self) -> &'static str {
        self.mode.id()
    }

    fn __repr__(&self) -> String {
        let [left, right] = &self.groups;
        format!("DualArmPlanner({left:?}, {right:?}, mode={:?})", self.mode.id())
    }
}

impl PyDualArmPlanner {
    /// The planner for robot and scene as they are now.
    fn planner(&self, py: Python<'_>) -> Result<DualArmPlanner> {
        let [left, right] = &self.groups;
        let planner = DualArmPlanner::of_planner(self.joined.now(py)?, left, right, self.mode)?;
        Ok(planner.with_grasp_tolerance(self.tolerance)?)
    }
}

/// Joint values of both groups.
fn starts(planner: &DualArmPlanner, left: StartArg, right: StartArg) -> Result<[Vec<f64>; 2]> {
    let robot = planner.joined().scene().robot();
    Ok([left.values_of(robot, planner.left())?, right.values_of(robot, planner.right())?])
}

fn answer(py: Python<'_>, motion: DualArmMotion) -> Result<Dict<'_>> {
    Ok(Dict::new(py)
        .with("left_trajectory", trajectory(motion.left))?
        .with("right_trajectory", trajectory(motion.right))?
        .with("trajectory", trajectory(motion.joined))?
        .with("planning_time", motion.result.planning_time)?
        .with("tree_size", motion.result.tree_size)?)
}

fn trajectory(timed: TimedTrajectory) -> PyTrajectory {
    let joint_names = timed.joint_names().to_vec();
    PyTrajectory { joint_names, ..PyTrajectory::timed(timed) }
}
