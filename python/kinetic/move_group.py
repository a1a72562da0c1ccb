"""``MoveGroup``: one robot's group, its state, a target and the settings, as MoveIt's ``MoveGroupCommander`` has them.

A thin door over ``Planner`` and the executors for programs that keep such an object; programs that do not are served
better by ``Planner``, whose calls state what they depend on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._kinetic import (
    CartesianConfig,
    CartesianPath,
    CartesianResult,
    Goal,
    Handle,
    Pose,
    Robot,
    Scene,
    SimExecutor,
    StopFlag,
    Trajectory,
)
from .exceptions import ExecutionError, IKError, KineticError, PlanningError
from .input_errors import invalid_value, unknown_name
from .move_group_input import Executor, load_robot, read_pose, runner
from .move_group_objects import MoveGroupObjects
from .move_group_settings import DEFAULT_TIME_LAW

__all__ = ["MoveGroup"]

JointValues = Union[ArrayLike, Mapping[str, float]]
"""Joint values of the group or of the robot, or by names of joints."""

START_TOLERANCE = 0.01
"""Largest distance of a joint from the first point of a motion that is carried out, rad or m: the default of MoveIt's
``allowed_start_tolerance``."""


class MoveGroup(MoveGroupObjects):
    """One planning group with its state, a target and settings, in the way of MoveIt's ``MoveGroupCommander``.

    Poses are in the reference frame, which is the robot's root frame unless ``set_pose_reference_frame`` names a link.
    The robot stands at "home" until it is told otherwise or moves.

    Args:
        robot: Name of a built-in robot, path of a robot file (URDF, xacro, SDF, MJCF, kinetic.toml), the XML text, or a
            `Robot`.
        group: Planning group; a list of names for several together; None for the robot's default group.
        scene: What stands around the robot; None for a scene of its own, which `scene` is.

    Raises:
        InputError: An unknown robot or group, a malformed file, a scene of another robot.
        OSError: A file that cannot be read.

    Example:
        >>> from kinetic import MoveGroup
        >>> arm = MoveGroup("ur5e")
        >>> arm.set_named_target("ready")
        >>> arm.set_max_velocity_scaling_factor(0.5)
        >>> arm.go()
        True
        >>> bool(abs(arm.get_joint_state() - arm.get_named_target_values("ready")).max() < 1e-9)
        True
    """

    def __init__(
        self,
        robot: str | os.PathLike[str] | Robot,
        group: str | Sequence[str] | None = None,
        *,
        scene: Scene | None = None,
    ) -> None:
        model = load_robot(robot)
        # A robot of its own: the end effector of this group is not that of the caller's robot.
        self._robot = model.with_group(model.group if group is None else group)
        self._scene = Scene(self._robot) if scene is None else scene
        self._parameters = {}
        self._time_law = DEFAULT_TIME_LAW
        self._made = self._planner_with({})
        home = self._robot.named_pose("home")
        self._state = self._robot.clip(self._robot.zero_configuration()) if home is None else home
        self._start: NDArray[np.float64] | None = None
        self._remembered: dict[str, NDArray[np.float64]] = {}
        self._target: Goal | Pose | dict[str, Pose] | None = None
        self._is_position_only = False
        self._frame: str | None = None
        self._position_tolerance: ArrayLike = 0.0
        self._orientation_tolerance: ArrayLike = 0.0
        self._stop: StopFlag | None = None
        self._handle: Handle | None = None
        self._last_failure: KineticError | None = None
        self._last_cartesian: CartesianResult | None = None

    def __repr__(self) -> str:
        return f"MoveGroup({self.robot_name!r}, group={self.group!r}, dof={self.dof})"

    def __getstate__(self) -> dict[str, Any]:
        # What runs belongs to this process, and results of Cartesian plans are no values.
        return {**self.__dict__, "_made": None, "_stop": None, "_handle": None, "_last_cartesian": None}

    # --- the robot ---

    @property
    def robot(self) -> Robot:
        """The robot, with the group and the end effector of this object."""
        return self._robot

    @property
    def robot_name(self) -> str:
        """Name of the robot."""
        return self._robot.name

    @property
    def group(self) -> str:
        """The planning group."""
        return self._robot.group

    @property
    def dof(self) -> int:
        """Number of joints of the group."""
        return self._robot.dof

    @property
    def scene(self) -> Scene:
        """What stands around the robot; edits of it hold from the next plan on."""
        return self._scene

    def get_joint_names(self) -> list[str]:
        """Names of the joints of the group, in the order of joint vectors."""
        return self._robot.joint_names

    def get_joint_limits(self) -> NDArray[np.float64]:
        """Lowest and highest position of each joint (dof, 2), rad or m."""
        return self._robot.joint_limits

    # --- the state ---

    def set_joint_state(self, values: JointValues) -> None:
        """Says where the robot stands.

        Args:
            values: Joint values of the group (dof,), of the whole robot, or by names of joints; the others stay.

        Raises:
            InputError: Wrong size, NaN, or an unknown joint.
        """
        self._state = self._values(values, self._state)

    def get_joint_state(self) -> NDArray[np.float64]:
        """Where the joints of the group stand (dof,)."""
        return self._of_group(self._state)

    def get_current_pose(self, link: str | None = None) -> Pose:
        """Pose of the end effector, or of a link, in the reference frame, where the robot stands."""
        base_from_frame = self._base_from_frame(self._state)
        return base_from_frame.inverse() * Pose(self._robot.fk(self._state, link))

    def set_start_state(self, values: JointValues) -> None:
        """Plans begin there instead of where the robot stands. As ``set_joint_state`` takes it."""
        self._start = self._values(values, self._state)

    def set_start_state_to_current_state(self) -> None:
        """Plans begin where the robot stands, as at first."""
        self._start = None

    # --- poses by name ---

    def remember_pose(self, name: str, values: JointValues | None = None) -> None:
        """Gives joint values a name for ``set_named_target``, before the model's; None for where the robot stands."""
        self._remembered[name] = self._of_group(self._values(self._state if values is None else values, self._state))

    def forget_pose(self, name: str) -> None:
        """Takes back ``remember_pose``.

        Raises:
            InputError: Nothing was remembered under that name.
        """
        if name not in self._remembered:
            raise unknown_name("remembered pose", name, sorted(self._remembered))
        del self._remembered[name]

    def get_named_poses(self) -> list[str]:
        """Names that ``set_named_target`` knows: those of the robot's model, then those that were remembered."""
        own = self._robot.named_poses
        return own + [name for name in self._remembered if name not in own]

    def get_named_target_values(self, name: str) -> NDArray[np.float64]:
        """Joint values (dof,) of a named pose.

        Raises:
            InputError: `UnknownName` with the names that exist.
        """
        remembered = self._remembered.get(name)
        values = self._robot.named_pose(name) if remembered is None else remembered.copy()
        if values is None:
            raise unknown_name("named pose", name, self.get_named_poses())
        return values

    # --- the target ---

    def set_joint_target(self, values: JointValues) -> None:
        """The next plans end at joint values of the group (dof,), or by names of joints, of which the others stay."""
        self._aim(Goal.joints(self._of_group(self._values(values, self._state))))

    def set_pose_target(
        self, pose: Any, quaternion_xyzw: ArrayLike | None = None, *, end_effector_link: str | None = None
    ) -> None:
        """The next plans end with the end effector, or a link that the group moves, at a pose in the reference frame.

        Targets of several links hold together, without tolerances; a target of another kind takes their place.

        Args:
            pose: Position (3,) in m with a quaternion; or a `Pose`, 4×4, x, y, z and roll, pitch, yaw (6,), or x, y, z
                and a quaternion (7,).
            quaternion_xyzw: Orientation (x, y, z, w) where the first argument is a position.
            end_effector_link: The link whose frame is meant, without a tool; None for the end effector of the group.

        Raises:
            InputError: An unknown link.
        """
        target = read_pose(pose, quaternion_xyzw)
        if end_effector_link is None:
            self._aim(target)
            return
        if end_effector_link not in self._robot.link_names:
            raise unknown_name("link", end_effector_link, self._robot.link_names)
        others = self._target if isinstance(self._target, dict) else {}
        self._aim({**others, end_effector_link: target})

    def set_position_target(self, position: ArrayLike) -> None:
        """The next plans end with the end effector at a position (3,) in the reference frame, turned in any way."""
        self._aim(Pose.from_xyz(position), is_position_only=True)

    def set_named_target(self, name: str) -> None:
        """The next plans end at a pose of ``get_named_poses()``.

        Raises:
            InputError: `UnknownName` with the names that exist.
        """
        self._aim(Goal.joints(self.get_named_target_values(name)))

    def set_goal(self, goal: Goal) -> None:
        """The next plans end at a goal of any kind, as ``Planner.plan`` takes it; its poses are in the group's base."""
        self._aim(goal)

    def clear_pose_targets(self) -> None:
        """Forgets a target of ``set_pose_target`` or ``set_position_target``."""
        if isinstance(self._target, (Pose, dict)):
            self._target = None

    def set_goal_position_tolerance(self, distance: ArrayLike) -> None:
        """Half the size of a box about the position of a pose target, m: one number, or (3,) along the pose's axes."""
        Goal.region(Pose.identity(), distance)
        self._position_tolerance = distance

    def set_goal_orientation_tolerance(self, angle: ArrayLike) -> None:
        """Largest components of the rotation vector from a pose target, rad: one number, or (3,) about its axes."""
        Goal.region(Pose.identity(), 0.0, angle)
        self._orientation_tolerance = angle

    def set_pose_reference_frame(self, link: str) -> None:
        """Poses are in the frame of a link, where it stands when a plan begins.

        Raises:
            InputError: An unknown link.
        """
        if link not in self._robot.link_names:
            raise unknown_name("link", link, self._robot.link_names)
        self._frame = link

    def get_pose_reference_frame(self) -> str:
        """Name of the link whose frame poses are in."""
        return self.get_planning_frame() if self._frame is None else self._frame

    def get_planning_frame(self) -> str:
        """Name of the robot's root link."""
        return next(iter(self._robot.fk_all(self._robot.zero_configuration())))

    def set_end_effector_link(self, link: str) -> None:
        """Pose targets and paths are those of a link that does not move against the tip of the group.

        Raises:
            InputError: An unknown link, or one that moves against the tip.
        """
        self._robot.with_tip(link)
        here = self._robot.zero_configuration()
        base_from_tip, base_from_link = (Pose(self._robot.fk(here, one)) for one in (self._robot.tip, link))
        self._robot.tcp = base_from_tip.inverse() * base_from_link

    # --- planning ---

    @property
    def last_failure(self) -> KineticError | None:
        """Why the last plan or execution failed, or None: its ``code``, fields and ``report`` say more."""
        return self._last_failure

    @property
    def last_cartesian_result(self) -> CartesianResult | None:
        """All of what the last ``compute_cartesian_path`` found: bounds, speeds, and why it ends."""
        return self._last_cartesian

    def plan(self) -> Trajectory | None:
        """A proven motion from the start to the target; None where there is none, and ``last_failure`` says why.

        Ctrl-C, and ``stop`` in another thread, end it.

        Raises:
            InputError: No target, or a start or target that no plan can have: outside its limits, of a wrong size.
        """
        self._stop = StopFlag()
        try:
            return self._plan(self._stop)
        finally:
            self._stop = None

    def compute_cartesian_path(
        self,
        waypoints: Sequence[Any],
        max_step: float | None = None,
        jump_threshold: float | None = None,
        avoid_collisions: bool = True,
    ) -> tuple[Trajectory | None, float]:
        """A motion of the end effector on lines through poses, and which part of them it follows.

        Args:
            waypoints: Poses in the reference frame, as ``set_pose_target`` takes them; the start is none of them.
            max_step: As of `CartesianConfig`; None for its default.
            jump_threshold: Likewise, rad.
            avoid_collisions: Whether margins are kept; without, the motion has no certificate.

        Returns:
            The motion, and the part of the path from 0 to 1; None and 0.0 where a plan is not possible at all, of which
            ``last_failure`` says why. Where the part is less than 1, ``last_cartesian_result.reason`` says why.

        Raises:
            InputError: No waypoint, one that is no pose, an option outside its domain.
        """
        stated = {"max_step": max_step, "jump_threshold": jump_threshold}
        given: dict[str, Any] = {name: value for name, value in stated.items() if value is not None}
        planner, start = self.planner, self._state if self._start is None else self._start
        config = CartesianConfig(avoid_collisions=avoid_collisions, collision_margin=planner.collision_margin, **given)
        base_from_frame = self._base_from_frame(start)
        path = CartesianPath.through([base_from_frame * read_pose(pose) for pose in waypoints])
        self._last_failure, self._last_cartesian, self._stop = None, None, StopFlag()
        try:
            found = planner.plan_cartesian(start, path, config, self._time_law, stop=self._stop)
        except (PlanningError, IKError) as error:
            self._last_failure = error
            return None, 0.0
        finally:
            self._stop = None
        self._last_cartesian = found
        return found.trajectory, found.fraction

    # --- execution ---

    def go(self, executor: Executor | None = None) -> bool:
        """Plans and carries out; the state follows. False where the target is not reached: ``last_failure`` says why.

        Args:
            executor: As of ``execute``.

        Raises:
            InputError: As ``plan`` and ``execute``.
        """
        self._stop = stop = StopFlag()
        try:
            motion = self._plan(stop)
            return motion is not None and not stop.is_stopped and self._execute(motion, executor)
        finally:
            self._stop = None

    def execute(self, trajectory: Trajectory, executor: Executor | None = None) -> bool:
        """Carries a motion out; the state follows. False where it ends early, and ``last_failure`` says why.

        Args:
            trajectory: A timed motion of this group that begins where the robot stands, within 0.01 rad or m.
            executor: An object with ``execute(trajectory)``; or a function of a trajectory that returns a result or
                a `Handle`, which ``stop`` stops: ``lambda motion: executor.start(motion, send)`` for a
                `RealTimeExecutor`. None for a `SimExecutor`.

        Raises:
            InputError: A motion of other joints, one that begins elsewhere, or no executor.
        """
        return self._execute(trajectory, executor)

    def stop(self) -> None:
        """Ends, from another thread, the plan that is being made and the motion that is carried out, along its path."""
        stop, handle = self._stop, self._handle
        if stop is not None:
            stop.stop()
        if handle is not None:
            handle.stop()

    # --- inside ---

    def _aim(self, target: Goal | Pose | dict[str, Pose], is_position_only: bool = False) -> None:
        self._target, self._is_position_only = target, is_position_only

    def _goal(self, start: NDArray[np.float64]) -> Goal:
        """The target in the group's base."""
        if self._target is None:
            raise invalid_value(
                "target", "none", "one of set_joint_target, set_pose_target, set_named_target, set_goal"
            )
        if isinstance(self._target, dict):
            return self._goal_of_links(self._target, start)
        if not isinstance(self._target, Pose):
            return self._target
        base_from_tool = self._base_from_frame(start) * self._target
        turn = np.pi if self._is_position_only else self._orientation_tolerance
        if np.any(self._position_tolerance) or np.any(turn):
            return Goal.region(base_from_tool, self._position_tolerance, turn)
        return Goal.pose(base_from_tool)

    def _goal_of_links(self, targets: dict[str, Pose], start: NDArray[np.float64]) -> Goal:
        """The targets of links in the group's base."""
        for name in ("position", "orientation"):
            tolerance = getattr(self, f"_{name}_tolerance")
            if np.any(tolerance):
                raise invalid_value(f"goal {name} tolerance", tolerance, "0 for pose targets of links")
        base_from_frame = self._base_from_frame(start)
        return Goal.links({link: base_from_frame * pose for link, pose in targets.items()})

    def _plan(self, stop: StopFlag) -> Trajectory | None:
        self._last_failure = None
        start = self._state if self._start is None else self._start
        goal = self._goal(start)
        try:
            return self.planner.plan(start, goal, self._time_law, stop=stop)
        except (PlanningError, IKError) as error:
            self._last_failure = error
            return None

    def _execute(self, trajectory: Trajectory, executor: Executor | None) -> bool:
        self._last_failure = None
        self._check_beginning(trajectory)
        run = runner(SimExecutor() if executor is None else executor)
        try:
            result = run(trajectory)
            if isinstance(result, Handle):
                self._handle = result
                result = result.wait()
        except ExecutionError as error:
            self._last_failure = error
            return False
        finally:
            self._handle = None
        self._state = self._values(dict(zip(self.get_joint_names(), result["final_positions"])), self._state)
        return bool(result["state"] == "Completed")

    def _check_beginning(self, trajectory: Trajectory) -> None:
        if not isinstance(trajectory, Trajectory):
            wanted = "a Trajectory; plan() answers with None where it finds none, and last_failure says why"
            raise invalid_value("trajectory", trajectory, wanted)
        if trajectory.joint_names != self.get_joint_names():
            raise invalid_value("trajectory", f"of joints {trajectory.joint_names}", f"of {self.get_joint_names()}")
        begin = trajectory.sample(0.0)
        if np.abs(begin - self.get_joint_state()).max() > START_TOLERANCE:
            wanted = f"within {START_TOLERANCE} of where the robot stands, {self.get_joint_state().tolist()}"
            raise invalid_value("beginning of the trajectory", begin.tolist(), wanted)

    def _values(self, given: JointValues, others: NDArray[np.float64]) -> NDArray[np.float64]:
        """Joint values in the length of the group, or of the robot where they say so."""
        values = np.array(self._with_joints(given, others) if isinstance(given, Mapping) else given, dtype=np.float64)
        # Refuses what is no configuration: another size, or NaN.
        self._robot.fk_all(values)
        return values

    def _with_joints(self, given: Mapping[str, float], others: NDArray[np.float64]) -> NDArray[np.float64]:
        """Joint values by names, those of the other joints as they are."""
        whole = self._robot.active_joints
        names = self.get_joint_names() if len(others) == self.dof else whole
        values: NDArray[np.float64] = others.copy()
        for name, value in given.items():
            if name not in whole:
                raise unknown_name("joint", name, names)
            if name not in names:
                # Where the other joints outside the group stand is not known here.
                wanted = "values of the whole robot once, in the order of robot.active_joints"
                raise invalid_value(f'state of joint "{name}"', value, wanted)
            values[names.index(name)] = value
        return values

    def _of_group(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        names = self.get_joint_names()
        order = names if len(values) == self.dof else self._robot.active_joints
        return np.array([values[order.index(name)] for name in names])

    def _base_from_frame(self, start: NDArray[np.float64]) -> Pose:
        root_from = self._robot.fk_all(start)
        frame = self.get_pose_reference_frame()
        return Pose(root_from[self._robot.base]).inverse() * Pose(root_from[frame])
