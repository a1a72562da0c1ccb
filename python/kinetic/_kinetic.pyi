# Generated from the Rust sources; do not edit. `make stubs` writes it anew.

"""
The compiled part of kinetic; import `kinetic` instead.
"""

from _typeshed import SupportsGetItem, SupportsLenAndGetItem
from collections.abc import Callable, Iterable, Iterator, Sequence
from kinetic.exceptions import KineticError
from kinetic.ik_options import IKOptions
from kinetic.execution import ExecutionResult
from numpy import bool_, float64, int64
from numpy.typing import ArrayLike, NDArray
from os import PathLike
from pathlib import Path
from typing import Any, Final, SupportsFloat, SupportsIndex, final, overload
from typing_extensions import Unpack

__all__ = ["__version__", "CartesianConfig", "CartesianPath", "CartesianResult", "CascadedFrame", "Certificate", "Constraint", "ConvexDecomposition", "ConvexRegion", "Diagnostic", "DifferentialIK", "DispatchPlan", "DualArmPlanner", "Dynamics", "EuclideanDistanceField", "ExecutionMonitor", "Explanation", "FrameTree", "Goal", "GoalJoints", "GpuCollisionChecker", "GroupDriver", "Handle", "IKPath", "IkCache", "IkFailure", "KinBody", "LogExecutor", "Manipulator", "MonotonicClock", "Mpc", "ObjectTracker", "Octree", "OutlierFilter", "PathTolerance", "Payload", "PerceptionPipeline", "PlanExecuteLoop", "Planner", "PlanningFailure", "Playback", "Policy", "Pose", "Problem", "RMP", "ReachabilityMap", "RealTimeExecutor", "Roadmap", "Robot", "SafetyWatchdog", "Scene", "SceneChanges", "SceneDiff", "SceneEdit", "SequenceItem", "SequenceResult", "Servo", "Shape", "SignedDistanceField", "SimExecutor", "SimulatedClock", "Solution", "StopFlag", "TargetServo", "TaskProblem", "TaskResult", "TaskState", "TolerancePolicy", "Tracker", "Trajectory", "Twist", "Validity", "Wrench", "_bench_scene", "_device_report", "_end_executions", "_find_package", "_ik_defaults", "_log_to_python", "_planner_options", "_raise_example", "_read_file", "_stub_keywords", "add_arm", "batch_fk_gpu", "bench_mbm", "blend_sequence", "cache_entries", "euclidean_clusters", "fit_box", "fit_capsule", "fit_convex_hull", "fit_convex_pieces", "fit_robot_spheres", "fit_spheres", "gpu_adapters", "gpu_available", "import_moveit", "list_robots", "load_mesh", "nearest_to_seed", "plan", "planner_types", "register_planner", "respect_limits", "robot_formats", "simd_tier", "state_to_state", "take_first", "upright_box", "windings", "wrap_to_limits"]

__version__: Final[str]
"""
Version of the library.
"""

@final
class CartesianConfig:
    """
    What a Cartesian plan keeps.

    Args:
        max_step: Largest distance of the samples of the path, m; a rotation of 1 rad counts as 0.1 m. Samples are taken closer
            together where the tolerances ask for it.
        jump_threshold: Largest step of a turning joint between samples `max_step` apart, rad, and less where they are closer; a
            sliding joint may move a tenth of it, m.
        avoid_collisions: Whether margins are kept. Without, the motion has no certificate.
        collision_margin: Distance to keep from the world, m, instead of the planner's.
        position_tolerance: Largest distance of the tool from the path at every instant, m.
        orientation_tolerance: Largest angle between the tool and the path at every instant, rad.
        path_tolerance: `PathTolerance` of every pose of the path, as for welding and gluing: what it leaves free is used, and
            `position_tolerance` and `orientation_tolerance` are how far the tool may be outside of it. None leaves nothing free.
        max_tool_speed: Largest speed of the tool at every instant, m/s; None for no limit.
        max_tool_rotation_speed: Largest angular speed of the tool at every instant, rad/s; None for no limit.
        constant_speed: Speed that the tool holds, m/s, but at stops and where the joints cannot; None for as fast as allowed.

    Raises:
        InputError: A value outside its domain; the message names it.

    Example:
        >>> from kinetic import CartesianConfig
        >>> CartesianConfig(max_tool_speed=0.25).max_step
        0.005
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, max_step: float = ..., jump_threshold: float = ..., avoid_collisions: bool = True, collision_margin: float = ..., *, position_tolerance: float = ..., orientation_tolerance: float = ..., max_tool_speed: float | None = None, max_tool_rotation_speed: float | None = None, constant_speed: float | None = None, path_tolerance: PathTolerance | None = None) -> CartesianConfig: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(usual: tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex, bool, SupportsFloat | SupportsIndex], tolerances: tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex, PathTolerance | None], speeds: tuple[SupportsFloat | SupportsIndex | None, SupportsFloat | SupportsIndex | None, SupportsFloat | SupportsIndex | None]) -> CartesianConfig:
        """
        The options that pickle stored.
        """
    @property
    def avoid_collisions(self, /) -> bool:
        """
        Whether margins are kept.
        """
    @property
    def collision_margin(self, /) -> float:
        """
        Distance to keep from the world, m.
        """
    @property
    def constant_speed(self, /) -> float | None:
        """
        Speed that the tool holds, m/s, or None.
        """
    @property
    def jump_threshold(self, /) -> float:
        """
        Largest step of a turning joint between neighbouring samples, rad.
        """
    @property
    def max_step(self, /) -> float:
        """
        Largest distance of the samples of the path, m.
        """
    @property
    def max_tool_rotation_speed(self, /) -> float | None:
        """
        Largest angular speed of the tool, rad/s, or None.
        """
    @property
    def max_tool_speed(self, /) -> float | None:
        """
        Largest speed of the tool, m/s, or None.
        """
    @property
    def orientation_tolerance(self, /) -> float:
        """
        Largest angle between the tool and the path, rad.
        """
    @property
    def path_tolerance(self, /) -> PathTolerance | None:
        """
        What every pose of the path leaves free, or None.
        """
    @property
    def position_tolerance(self, /) -> float:
        """
        Largest distance of the tool from the path, m.
        """

@final
class CartesianPath:
    """
    Moves of the tool one after the other, from where it is when a plan begins. Each method gives a new path with one more move.

    Between two moves the tool stops, unless `blended` says how early it may leave the first one.

    Example:
        >>> from kinetic import CartesianPath
        >>> path = CartesianPath().move_by([0.1, 0.0, 0.0]).blended(0.02).move_by([0.0, 0.1, 0.0], frame="tool")
        >>> len(path)
        2
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __len__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /) -> CartesianPath: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(moves: SupportsGetItem[int, tuple[str, SupportsGetItem[int, SupportsFloat | SupportsIndex], str, SupportsFloat | SupportsIndex]], frame: str | None = None) -> CartesianPath:
        """
        The path that pickle stored.
        """
    @staticmethod
    def approach(goal: Any, direction: ArrayLike, distance: float, frame: str = ...) -> tuple[NDArray[float64], CartesianPath]:
        """
        A line that ends at a pose of the tool in the group's base, as before a grasp.

        Args:
            goal: Where it ends.
            direction: Direction of travel (3,), of any length.
            distance: How far, m.
            frame: The axes of the direction: "tool", those of the tool at the goal, or "base", those of the group's base.

        Returns:
            The pose in which it begins, 4×4, with the orientation of the goal, and the path from there.

        Raises:
            InputError: A direction without length, a distance that is not positive, another frame.
        """
    def arc_to(self, /, via: Any, goal: Any) -> CartesianPath:
        """
        The arc of a circle through a pose to another, with the orientations of both.
        """
    def blended(self, /, radius: float) -> CartesianPath:
        """
        The path with the corner after its last move rounded within `radius`, m of the path's length to either side; the tool does
        not stop there.
        """
    def circle(self, /, center: ArrayLike, axis: ArrayLike, angle: float) -> CartesianPath:
        """
        The arc of a circle about an axis in the group's base; the orientation stays.

        Args:
            center: A point of the axis (3,), m.
            axis: Its direction (3,).
            angle: How far, rad, counter-clockwise about the axis; 2π is a whole circle.
        """
    @property
    def frame(self, /) -> str | None:
        """
        Name of the link in whose frame the path is; None for the group's base.
        """
    def in_frame(self, /, link: str) -> CartesianPath:
        """
        The same path in the frame of a link of the robot: what is said of the group's base is meant of that frame.

        Where joints of the planning group move the link, a part on a positioner or in the hand of another arm, they move with the
        arm that has the tool, and the tool follows the path as it is seen from the part.

        Args:
            link: Its name.

        Example:
            >>> from kinetic import CartesianPath
            >>> CartesianPath().move_by([0.1, 0.0, 0.0]).in_frame("table").frame
            'table'
        """
    def line_to(self, /, pose: Any) -> CartesianPath:
        """
        A line to a pose of the tool in the group's base: the position on a line, the orientation about one axis.
        """
    def move_by(self, /, offset: Any, frame: str = ...) -> CartesianPath:
        """
        A line by an offset.

        Args:
            offset: Translation (3,) in m, or a pose as a 4×4 matrix.
            frame: "base": along the axes of the group's base, rotations about the tool's own origin. "tool": in the frame of the
                tool before the move. The name of a link: along the axes that it has when the path begins.
        """
    @staticmethod
    def retreat(direction: ArrayLike, distance: float, frame: str = ...) -> CartesianPath:
        """
        A line that leaves where the tool is, as after a grasp.

        Args:
            direction: Direction of travel (3,), of any length.
            distance: How far, m.
            frame: The axes of the direction: "tool", "base", or the name of a link, as for `move_by`.

        Raises:
            InputError: A direction without length, or a distance that is not positive.
        """
    def screw(self, /, point: ArrayLike, axis: ArrayLike, angle: float, advance: float = ...) -> CartesianPath:
        """
        A screw motion about an axis in the group's base: the tool turns with it and moves along it.

        Args:
            point: A point of the axis (3,), m.
            axis: Its direction (3,).
            angle: How far, rad.
            advance: How far along the axis, m.
        """
    @staticmethod
    def through(poses: Any, blend_radius: ArrayLike | None = None) -> CartesianPath:
        """
        Lines through poses of the tool in the group's base.

        Args:
            poses: Poses (N, 4, 4), or a list of them; the start is none of them.
            blend_radius: One radius for all poses but the last, or one for each (N - 1,), m; 0 is a stop at the pose.

        Raises:
            InputError: A pose that is no rigid transform, or a wrong number of radii.
        """

@final
class CartesianResult:
    """
    The motion along a Cartesian path, or along as much of it as can be followed.
    """
    def __repr__(self, /) -> str: ...
    @property
    def angle(self, /) -> float:
        """
        Bound on the angle between the tool and the path at every instant, rad.
        """
    def arc_length_at(self, /, time: float) -> float:
        """
        How far along the path the tool is at a time on the trajectory, m, as the length of the path is counted; 0.0 without a time law.

        Args:
            time: s, clamped to the trajectory.
        """
    @property
    def deviation(self, /) -> float:
        """
        Bound on the distance of the tool from the path at every instant, m.
        """
    @property
    def fraction(self, /) -> float:
        """
        Part of the path that is followed, by its length; 1.0 is all of it.
        """
    @property
    def length(self, /) -> float:
        """
        Length of the whole path, m; a rotation of 1 rad counts as 0.1 m where it is longer than the translation.
        """
    @property
    def obstacle(self, /) -> dict[str, Any] | None:
        """
        Why it ends, in values: `kind` ("unreachable", "limit", "singularity", "jump",
        "collision" or "deviation"), `at` (m along the path),
        `move` (index of the move), `joint` or None, `pair` (link, and the other link or object) or None, `amount` (as for the
        obstacles of `Robot.ik_path`) and `sigma_min` (least singular value of the Jacobian where the motion ends); None for all of
        the path.
        """
    @property
    def reason(self, /) -> str | None:
        """
        Why it ends before the end, in words; None for all of the path.
        """
    @property
    def speed_losses(self, /) -> list[dict[str, Any]]:
        """
        Where a constant speed is not held: `from` and `to` (m along the path), `speed` (the least, m/s), `joint` and `quantity`
        ("velocity" or "acceleration") of the limit that is reached, None where none is and the bound on the speed keeps more than
        it has to, and `at_stop` (whether it is the way from or to a stop).
        """
    @property
    def tool_rotation_speed(self, /) -> float:
        """
        Bound on the angular speed of the tool, rad/s; 0 without time.
        """
    @property
    def tool_speed(self, /) -> float:
        """
        Bound on the speed of the tool, m/s; 0 without time.
        """
    @property
    def trajectory(self, /) -> Trajectory:
        """
        The motion with its certificate; a path without time where no time law was asked for.
        """

@final
class CascadedFrame:
    """
    A frame that may hang on another one and move with it.

    Two frames are equal when they are the same frame. A frame keeps those above it alive, not those that hang on it: keep
    them in variables of your own. Threads may share frames.

    Args:
        pose: Pose in the world; None for the identity.

    Example:
        >>> import kinetic
        >>> table = kinetic.CascadedFrame(kinetic.Pose.from_xyz(1.0, 0.0, 0.0))
        >>> cup = table.attach(kinetic.CascadedFrame(kinetic.Pose.from_xyz(1.0, 0.5, 0.0)))
        >>> table.translate([0.0, 0.0, 2.0])
        >>> cup.world_pose.xyz
        array([1. , 0.5, 2. ])
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, pose: Any | None = None) -> CascadedFrame: ...
    def __repr__(self, /) -> str: ...
    def assoc(self, /, child: CascadedFrame, relative_coords: Any = ..., force: bool = False) -> CascadedFrame:
        """
        The same as `attach`.
        """
    def attach(self, /, child: CascadedFrame, relative_coords: Any = ..., force: bool = False) -> CascadedFrame:
        """
        Hangs another frame on this one.

        Args:
            child: The other frame.
            relative_coords: "world" or None: it stays where it is in the world. "local": the pose that it had in the world
                becomes its pose in this frame. A pose: it comes to be there in this frame.
            force: Whether a child that hangs on another frame is taken from there.

        Returns:
            The child.

        Raises:
            InputError: The child hangs on another frame, or is this frame or one above it.
        """
    @property
    def children(self, /) -> list[CascadedFrame]:
        """
        The frames that hang on this one directly, in the order in which they were attached.
        """
    def copy_worldcoords(self, /) -> CascadedFrame:
        """
        A frame of its own where this one is in the world, without parent and children.
        """
    @property
    def descendants(self, /) -> list[CascadedFrame]:
        """
        The frames that hang on this one directly or through others, each before its own children.
        """
    def detach(self, /, child: CascadedFrame) -> CascadedFrame:
        """
        Lets a child go; it stays where it is in the world.
        """
    def dissoc(self, /, child: CascadedFrame) -> CascadedFrame:
        """
        The same as `detach`.
        """
    @property
    def matrix(self, /) -> NDArray[float64]:
        """
        The pose in the world as a homogeneous matrix (4, 4); with it a frame is accepted as a pose.
        """
    def move_coords(self, /, target: Any, self_from_local: Any) -> None:
        """
        Moves the frame so that a frame on it, `self_from_local`, comes to lie on `target` in the world.
        """
    def newcoords(self, /, pose: Any, relative_coords: Any = ...) -> None:
        """
        Puts the frame at a pose; what hangs on it moves along.

        Args:
            pose: The new pose.
            relative_coords: Where it is given: "local" and "parent" mean the frame that this one hangs on; "world"; or
                another frame by its pose in the world.
        """
    @property
    def parent(self, /) -> CascadedFrame | None:
        """
        The frame that this one hangs on, or None.
        """
    @property
    def pose(self, /) -> Pose:
        """
        The pose in the parent; in the world without one.
        """
    def rotate(self, /, angle: float, axis: str | ArrayLike, wrt: Any = ...) -> None:
        """
        Turns the frame by an angle (rad) about an axis of `wrt`; its origin stays.
        """
    def transform(self, /, motion: Any, wrt: Any = ...) -> None:
        """
        Moves the frame by a rigid motion of `wrt`, see `Pose.transform`.
        """
    def translate(self, /, offset: ArrayLike, wrt: Any = ...) -> None:
        """
        Moves the frame by an offset (3,), m; its orientation stays.

        Args:
            offset: Translation (3,), m.
            wrt: Whose axes: "local" (its own), "parent", "world", or another frame by its pose in the world.
        """
    @property
    def world_pose(self, /) -> Pose:
        """
        The pose in the world.
        """

@final
class Certificate:
    """
    The proof that a trajectory keeps its margins and limits at every instant, with what was measured.

    It belongs to one curve, in one scene: `curve` and `scene` say which. They find accidents, not forgers.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(text: str) -> Certificate:
        """
        The certificate that pickle stored.
        """
    @property
    def acceleration_scaling(self, /) -> float:
        """
        Factor of the acceleration limits that was asked for.
        """
    @property
    def checks(self, /) -> int:
        """
        Number of configurations at which distances were evaluated: by the proof, and by the planner that searched for the path
        whose segments it proved.
        """
    @property
    def closest_approaches(self, /) -> dict[str, Any] | None:
        """
        The closest approaches, measured when one of them is first asked for, which takes milliseconds: a dict of `world` and
        `self`, each a dict of `distance` (m, infinite when there is nothing to come close to), `margin` (m), `pair` and `time`
        (s). None when nothing was checked, because nothing that moves has a shape.

        Ctrl-C stops it.
        """
    @property
    def constraints(self, /) -> list[dict[str, Any]]:
        """
        The constraints that were proven to be kept at every instant, one dict each: `constraint`, and `max_violation`, a bound on
        how far the motion goes beyond the tolerance, rad or m, at most 0.
        """
    @property
    def curve(self, /) -> str:
        """
        Hash of the curve that was proven.
        """
    @property
    def dynamics(self, /) -> str | None:
        """
        Hash of the dynamics that torques were bounded with: masses, rotors, friction, effort limits, gravity and all that was carried.
        The bound is about those of `Dynamics.version` and `Planner.dynamics_version` that are the same. None without a bound.
        """
    @property
    def ghosts(self, /) -> list[str]:
        """
        Objects of the scene that were ghosts, which anything may touch.
        """
    @property
    def group(self, /) -> str:
        """
        The planning group that moves.
        """
    @property
    def limits(self, /) -> dict[str, Any] | None:
        """
        The limits that were proven where they are not the robot's own, with the factors in them: a dict of `velocity`,
        `acceleration` and `jerk`, each (dof,). None for the robot's own.
        """
    @property
    def margin(self, /) -> float:
        """
        Distance from the world that every pair was proven to keep, m.
        """
    @property
    def max_acceleration_ratio(self, /) -> float:
        """
        Largest acceleration over its limit, over joints and time.
        """
    @property
    def max_jerk_ratio(self, /) -> float | None:
        """
        Largest jerk over its limit: infinite where acceleration steps, between pieces or where the motion leaves or comes to
        rest; None where jerk has no limit. Reported, not demanded.
        """
    @property
    def max_torque_ratio(self, /) -> float | None:
        """
        Bound on the largest torque over its limit, over joints and time, at most 1; None where torque limits were not asked for.
        """
    @property
    def max_velocity_ratio(self, /) -> float:
        """
        Largest speed over its limit, over joints and time.
        """
    @property
    def min_clearance(self, /) -> float | None:
        """
        Least signed distance of the tightest pair, of those of `closest_approaches`, m; infinite when what was checked has
        nothing to touch; None when nothing was checked, because nothing that moves has a shape.
        """
    @property
    def pair(self, /) -> tuple[str, str] | None:
        """
        Names of the tightest pair: a link or carried body, and a link, body or object.
        """
    @property
    def pair_margin(self, /) -> float:
        """
        Distance that the tightest pair had to keep, m: what the planner and the scene say about it, paddings included.
        """
    @property
    def path_deviation(self, /) -> float:
        """
        Largest distance between the timed curve and the planned path, Euclidean in joint space.
        """
    @property
    def payload(self, /) -> Payload | None:
        """
        What the robot carried for the torques, besides what the scene attaches, or None.
        """
    @property
    def scene(self, /) -> str:
        """
        `Scene.version` of the scene it was proven in: robot, objects, carried bodies, margins, and where the joints outside
        the group stood.
        """
    @property
    def self_margin(self, /) -> float:
        """
        Distance that links of the robot and what it carries were proven to keep from each other, m.
        """
    @property
    def time(self, /) -> float:
        """
        When the pair is closest, s.
        """
    @property
    def tool(self, /) -> dict[str, Any] | None:
        """
        What was proven of the tool of a Cartesian motion, with the limits that it was held against: a dict of `max_speed` and
        `speed_limit` (m/s), `max_rotation_speed` and `rotation_speed_limit` (rad/s), `max_deviation` and `position_tolerance`
        (m from the path), `max_angle` and `orientation_tolerance` (rad); limits of speed are None where there were none. `freedom` is
        the `PathTolerance` outside of which deviation and angle are counted, None for a path that leaves nothing free. None for
        other motions.
        """
    @property
    def unchecked_links(self, /) -> list[str]:
        """
        Links that move and that nothing was checked for, because the robot's model has no collision shapes of them.
        """
    @property
    def velocity_scaling(self, /) -> float:
        """
        Factor of the velocity limits that was asked for; the ratios are about the limits with it.
        """

@final
class Constraint:
    """
    A condition that a motion keeps at every instant: `Planner(robot, constraints=[…])` or `planner.plan_constrained`.

    Links by name; points and directions in the robot's root frame unless another one is named. The position of a link is that
    of its origin. Tolerances are angles in rad or distances in m.

    Example:
        >>> from kinetic import Constraint
        >>> upright = Constraint.orientation("tool0", [0, 0, -1], 0.1)
        >>> upright.kind
        'orientation'
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(record: str) -> Constraint:
        """
        The constraint of a record as JSON, which pickle stores and the command line takes.
        """
    @staticmethod
    def box(link: str, pose: Any, half_extents: ArrayLike) -> Constraint:
        """
        A link stays in the box with its centre and axes at `pose` (`Pose` or 4×4) and half the lengths `half_extents` (3,), m.
        """
    @staticmethod
    def custom(residual: Callable[..., object], dimension: int, rates: ArrayLike, tolerance: float, *, jacobian: Callable[..., object] | None = None, name: str = ...) -> Constraint:
        """
        A function of the user's own: the Euclidean norm of its residual stays within `tolerance`.

        Functions run without the GIL held elsewhere, on another thread, one call at a time per plan. What one raises, a residual of another
        size and NaN end the plan with `ConstraintFunctionFailed`. A function cannot be pickled or saved in a problem file.

        Args:
            residual: Of the joint values of the planning group (dof,): an array (dimension,), zero where the condition holds.
            dimension: Number of its values.
            rates: How much the residual changes at most, in its norm, while each joint of the group moves by 1 rad or 1 m, anywhere
                in the joint ranges: (dof,), a Lipschitz bound. Motions are proven with it, so that a certificate is as good as these
                numbers; changes that planning sees are compared with them.
            tolerance: Largest norm.
            jacobian: The derivative (dimension, dof) of the same joint values; None for differences.
            name: What errors and certificates call it.

        Example:
            >>> from kinetic import Constraint
            >>> coupled = Constraint.custom(lambda q: [q[0] - q[1]], 1, [1, 1, 0, 0, 0, 0], 0.01, name="coupled")
            >>> coupled.kind
            'custom'
        """
    @staticmethod
    def distance(link_a: str, link_b: str, min: float, max: float) -> Constraint:
        """
        The distance between the positions of two links stays in an interval, m.
        """
    @staticmethod
    def fixed_orientation(link: str, pose: Any, tolerance: float) -> Constraint:
        """
        The orientation of a link stays within `tolerance` (rad) of that of `pose` (`Pose` or 4×4).
        """
    @staticmethod
    def free_axis(link: str, link_axis: ArrayLike, axis: ArrayLike, tolerance: float) -> Constraint:
        """
        The axis `link_axis` (3,) of a link, in its own frame, stays within `tolerance` (rad) of the direction `axis` (3,); rotation
        about it is free.
        """
    @staticmethod
    def joint(joint_index: int, min: float, max: float) -> Constraint:
        """
        The joint of that index in the planning group stays in an interval, rad or m.
        """
    @property
    def kind(self, /) -> str:
        """
        The name of its constructor.
        """
    @staticmethod
    def line(link: str, point: ArrayLike, direction: ArrayLike, tolerance: float) -> Constraint:
        """
        A link stays within `tolerance` (m) of the line through `point` (3,) along `direction` (3,).
        """
    @staticmethod
    def orientation(link: str, axis: ArrayLike, tolerance: float) -> Constraint:
        """
        The z axis of a link stays within `tolerance` (rad) of the direction `axis` (3,).
        """
    @staticmethod
    def plane(link: str, point: ArrayLike, normal: ArrayLike, tolerance: float) -> Constraint:
        """
        A link stays within `tolerance` (m) of the plane through `point` (3,) with that `normal` (3,).
        """
    @staticmethod
    def position_bound(link: str, axis: str, min: float, max: float) -> Constraint:
        """
        One coordinate (`"x"`, `"y"` or `"z"`) of the position of a link stays in an interval, m.
        """
    @staticmethod
    def relative_pose(link_a: str, link_b: str, pose: Any, position_tolerance: float, orientation_tolerance: float) -> Constraint:
        """
        The pose of `link_b` in `link_a` stays near `pose` (`Pose` or 4×4), within `position_tolerance` (m) and
        `orientation_tolerance` (rad): a closed chain, as of two grippers on one rigid object.
        """
    @property
    def values(self, /) -> dict[str, Any]:
        """
        Its values by name; a rotation as the quaternion x, y, z, w, a pose as its position, then its rotation.
        """
    @staticmethod
    def visibility(sensor_link: str, target: ArrayLike, cone_angle: float) -> Constraint:
        """
        The point `target` (3,) stays inside the viewing cone of a sensor: within `cone_angle` (rad) of the link's z axis.
        """

@final
class ConvexDecomposition:
    """
    Convex regions of the joint space of a planning group, and which of them overlap.

    `Planner.convex_decomposition` grows them, `Planner.with_regions` plans through them.

    Example:
        >>> import kinetic
        >>> planner = kinetic.Planner("ur5e")
        >>> ends = [planner.robot.named_pose("home"), planner.robot.named_pose("ready")]
        >>> regions = planner.convex_decomposition(ends, 4, collision_fraction=0.05)
        >>> planner = planner.with_regions(regions)
        >>> planner.plan("home", "ready").is_timed, planner.planner_used
        (True, 'gcs')
    """
    def __eq__(self, other: object, /) -> bool: ...
    def __len__(self, /) -> int:
        """
        Number of regions.
        """
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(content: bytes) -> ConvexDecomposition:
        """
        The decomposition that pickle stored as the content of its file.
        """
    @property
    def dof(self, /) -> int:
        """
        Number of joints of its group.
        """
    @property
    def group(self, /) -> str:
        """
        Name of its planning group.
        """
    @staticmethod
    def load(path: str | PathLike[str]) -> ConvexDecomposition:
        """
        Reads a file that `save` wrote.

        Raises:
            InputError: A file without regions, of another form, or damaged.
            OSError: The file cannot be read.
        """
    @property
    def options(self, /) -> dict[str, Any] | None:
        """
        How the regions were grown, and with it what is claimed of each, by the names of the keywords of `Planner.convex_decomposition`; None
        for regions from elsewhere.
        """
    @property
    def overlaps(self, /) -> NDArray[int64]:
        """
        Pairs of regions that overlap, by their places, smaller ones first: (N, 2).
        """
    @property
    def regions(self, /) -> list[ConvexRegion]:
        """
        The regions, in the order in which they were grown.
        """
    @property
    def robot_name(self, /) -> str:
        """
        Name of its robot.
        """
    def save(self, /, path: str | PathLike[str]) -> None:
        """
        Writes it to a file, with a checksum.

        Raises:
            OSError: The file cannot be written.
        """
    @property
    def scene_version(self, /) -> str | None:
        """
        Version of the scene that the regions were grown in, as `Scene.version`; None for regions from elsewhere.
        """

@final
class ConvexRegion:
    """
    A convex polytope of configurations: {q : A q <= b}, with unit rows in A.

    Those that `Planner.convex_decomposition` grows are nearly free of collisions. Others are made of their faces, and nothing is claimed
    of them.

    Args:
        normals: A, with a row per face: (M, dof). Rows are scaled to unit length, with their offsets.
        offsets: b: (M,).

    Raises:
        InputError: A row of zeros, or faces that leave no interior or no bounded one.

    Example:
        >>> from kinetic import ConvexRegion
        >>> square = ConvexRegion([[1, 0], [0, 1], [-1, 0], [0, -1]], [1, 1, 1, 1])
        >>> square.contains([1.0, -0.5]), square.contains([1.1, 0.0])
        (True, False)
    """
    def __eq__(self, other: object, /) -> bool: ...
    def __new__(cls, /, normals: ArrayLike, offsets: ArrayLike) -> ConvexRegion: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(content: bytes) -> ConvexRegion:
        """
        The region that pickle stored.
        """
    @property
    def center(self, /) -> NDArray[float64]:
        """
        Centre of the largest ellipsoid in it.
        """
    def contains(self, /, q: ArrayLike) -> bool:
        """
        Whether a configuration is in it, its boundary included. Values of joints without limits are taken as they are.

        Raises:
            InputError: Another number of joints, or a value that is not finite.
        """
    @property
    def dof(self, /) -> int:
        """
        Number of joints.
        """
    @property
    def log_volume(self, /) -> float:
        """
        Logarithm of the product of the half-axes of that ellipsoid: what volumes of regions of one space are compared by.
        """
    @property
    def normals(self, /) -> NDArray[float64]:
        """
        Unit normals of the faces, those of the joint limits included: (M, dof).
        """
    @property
    def offsets(self, /) -> NDArray[float64]:
        """
        Offsets of the faces: (M,).
        """
    def sample(self, /, count: int, rng_seed: int = ...) -> NDArray[float64]:
        """
        Configurations of it, one after the other and nearly uniform (coordinate hit-and-run, Smith 1984): (count, dof).

        Args:
            count: How many, at most 10⁷.
            rng_seed: What they follow from.

        Raises:
            InputError: More than 10⁷.
        """
    @property
    def seed(self, /) -> NDArray[float64]:
        """
        The configuration that it grew around, or the middle of an edge; for a region that was made of its faces its centre.
        """

@final
class Diagnostic:
    """
    How a solve went: tells "nothing found" from "found, then filtered".
    """
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(stored: tuple[tuple[str, SupportsIndex, str], SupportsLenAndGetItem[SupportsIndex], SupportsLenAndGetItem[SupportsFloat | SupportsIndex], tuple[SupportsIndex, SupportsIndex], bool, SupportsGetItem[int, str]]) -> Diagnostic:
        """
        The diagnostic that pickle stored.
        """
    def as_dict(self, /) -> dict[str, Any]:
        """
        All fields, for JSON and the like.
        """
    @property
    def dispatch_reason(self, /) -> str:
        """
        Why the solver was chosen.
        """
    @property
    def dropped_by_limits(self, /) -> int:
        """
        Branches outside joint limits.
        """
    @property
    def dropped_by_max_solutions(self, /) -> int:
        """
        Solutions beyond `max_solutions`.
        """
    @property
    def final_count(self, /) -> int:
        """
        Solutions returned.
        """
    @property
    def fk_atol(self, /) -> float:
        """
        Residual up to which a branch counts as closed without refinement.
        """
    @property
    def max_fk_residual(self, /) -> float:
        """
        Largest residual among those returned; NaN for none.
        """
    @property
    def max_pose_residual(self, /) -> float:
        """
        Largest difference from the whole pose among those returned; NaN for none.
        """
    @property
    def met(self, /) -> str:
        """
        The part of the pose that the arm meets; the residuals are about it.
        """
    @property
    def raw_candidates(self, /) -> int:
        """
        Distinct branches before limits and caps.
        """
    @property
    def refinement_engaged(self, /) -> bool:
        """
        Whether one of those returned was refined.
        """
    @property
    def samples(self, /) -> int:
        """
        Values of the self-motion that were looked at; 1 for arms that are not redundant.
        """
    @property
    def solver_name(self, /) -> str:
        """
        Name of the solver.
        """
    @property
    def solver_tier(self, /) -> int:
        """
        Tier of the solver.
        """
    def summary(self, /) -> str:
        """
        One sentence: reached, unreachable, all filtered, or capped.
        """
    @property
    def warnings(self, /) -> list[str]:
        """
        What a user should know about the answer.
        """

@final
class DifferentialIK:
    """
    Differential inverse kinematics: joint velocities that bring about a velocity of the tool, or tasks, inside all limits.

    Bounds of velocities follow from the limits of positions, velocities and accelerations: a joint can always still brake
    before its limit. They are never exceeded. What gives way first is the wish, then soft rows. Near singularities only the
    directions that are lost are damped (Chiaverini 1997).

    Args:
        robot: A robot, or the name of a built-in one.
        group: Planning group; None for the robot's selected one.
        method: "qp": least squares with bounds and rows as inequalities, slides along what is in the way. "damped": damped
            least squares, slowed as a whole, keeps the direction; rows stop it and push nothing.
        period: Time between two commands, s.
        velocity_scale: Part of the robot's speed limits that is used, in (0, 1].
        acceleration_scale: Part of the robot's acceleration limits that is used, in (0, 1].
        outside_limits: What a joint does that stands outside its position limits: "allow": it may stand or come back;
            "return": it comes back on its own.
        singular_value: Singular values of the Jacobian below this one are damped; metres and radians count alike.
        damping: Damping at a singular value of 0.
        regularization: Weight of the squared difference between the joint velocities and those without bounds and rows, beside
            the squared error of the wish; 0 for the least error. Beside a row to which its null space is nearly blind, a redundant
            arm would keep the least error by motions at its velocity limits; with a weight it gives a little of the wish. Only
            "qp" reads it.

    Raises:
        InputError: Unknown robots, groups or methods, a period or damping that is not positive, scales outside (0, 1], a
            regularization that is negative.

    Example:
        >>> from kinetic import DifferentialIK
        >>> ik = DifferentialIK("franka_panda")
        >>> q = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]
        >>> answer = ik.twist(q, [0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
        >>> answer["velocities"].shape, round(answer["achieved"], 9)
        ((7,), 1.0)
    """
    def __new__(cls, /, robot: str | Robot, *, group: str | None = None, method: str = ..., period: float = ..., velocity_scale: float = ..., acceleration_scale: float = ..., outside_limits: str = ..., singular_value: float = ..., damping: float = ..., regularization: float = ...) -> DifferentialIK: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(robot: Robot, names: tuple[str, str, str], scales: tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex], weights: tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex]) -> DifferentialIK:
        """
        The object that pickle stored.
        """
    @property
    def dof(self, /) -> int:
        """
        Number of joints.
        """
    @property
    def group(self, /) -> str:
        """
        Name of the planning group.
        """
    @property
    def method(self, /) -> str:
        """
        Name of the method.
        """
    @staticmethod
    def methods() -> list[tuple[str, str]]:
        """
        Names of the methods, with one line about each.
        """
    @property
    def period(self, /) -> float:
        """
        Time between two commands, s.
        """
    def reset(self, /) -> None:
        """
        Forgets what was kept from earlier calls to make the next ones faster; no answer changes by more than rounding.
        """
    @property
    def robot(self, /) -> Robot:
        """
        The robot.
        """
    def singularity(self, /, q: ArrayLike, *, frame: str | None = None, position_mask: Any = ..., rotation_mask: Any = ...) -> dict[str, Any]:
        """
        The smallest singular value of the Jacobian of the tool, and its directions.

        Args:
            q: Joint values in the length of the group or of the robot.
            frame: As for `twist`.
            position_mask: Linear components that count.
            rotation_mask: Angular components that count.

        Returns:
            A dict: `sigma`; `direction`, the unit vector of the components that can be moved least; `joints` (dof,), the unit
            joint velocity for it, zeros at a singularity; `manipulability`, the product of all singular values (Yoshikawa
            1985); `condition`, the largest over the smallest.

        Raises:
            InputError: Wrong sizes, NaN, unknown links, no component, a group without one tool.
        """
    def tasks(self, /, q: ArrayLike, problem: TaskProblem, *, gain: float = ..., world_from_root: Any | None = None, posture: ArrayLike | None = None, previous: ArrayLike | None = None, rows: ArrayLike | None = None, row_bounds: ArrayLike | None = None, row_weights: ArrayLike | None = None) -> dict[str, Any]:
        """
        Joint velocities for tasks. Their errors vanish by `gain` times themselves per second.

        Args:
            q: Joint values in the length of the group or of the robot.
            problem: Tasks over the joints of the group. The second priority level has what the first leaves over; more
                levels are refused.
            gain: Part of the errors that vanishes per second, 1/s: more than 0, at most 1 / period.
            world_from_root: Where the robot stands; None for the identity.
            posture: Joint velocities (dof,) for what both levels leave over.
            previous: As for `twist`.
            rows: As for `twist`.
            row_bounds: As for `twist`.
            row_weights: As for `twist`.

        Returns:
            A dict as that of `twist`; `achieved` is about the first level.

        Raises:
            InputError: Wrong sizes, NaN, a gain outside its range, other joints, a base that moves, more than two levels.
        """
    def twist(self, /, q: ArrayLike, twist: ArrayLike | Twist, *, frame: str = ..., position_mask: Any = ..., rotation_mask: Any = ..., posture: ArrayLike | None = None, previous: ArrayLike | None = None, rows: ArrayLike | None = None, row_bounds: ArrayLike | None = None, row_weights: ArrayLike | None = None) -> dict[str, Any]:
        """
        Joint velocities for a velocity of the tool.

        Args:
            q: Joint values in the length of the group or of the robot.
            twist: Velocity of the tool's origin, m/s, and angular velocity, rad/s (6,), along the axes of `frame`; or a
                `Twist`.
            frame: "base" (of the group), "tool", or the name of a link, whose axes are meant. The velocity is that of the
                tool's origin in each case.
            position_mask: Linear components that are commanded; others are free.
            rotation_mask: Angular components that are commanded; others are free.
            posture: Joint velocities (dof,) for what the twist leaves over; they take nothing from it. None for zeros.
            previous: Joint velocities (dof,) of the period before; with them acceleration limits hold.
            rows: Inequalities `rows @ velocities >= row_bounds` (k, dof), for example gradients of distances.
            row_bounds: Their bounds (k,).
            row_weights: Per row infinity when it is hard, else the weight of the squared amount by which it is missed (k,).
                None when all are hard.

        Returns:
            A dict: `velocities` (dof,), rad/s or m/s; `achieved`, the part of the wish that they bring about along it;
            `damping`, the largest damping of a lost direction, 0 away from singularities; `limiting_joint` and
            `limiting_row`, what holds the joints back most; `infeasible_row`, a hard row that cannot hold inside the bounds,
            in which case the joints stand as far as they may. None where there is none.

        Raises:
            InputError: Wrong sizes, NaN, unknown links, weights that are not positive, a group without one tool.
        """
    def velocity_bounds(self, /, q: ArrayLike, previous: ArrayLike | None = None) -> tuple[NDArray[float64], NDArray[float64]]:
        """
        Lowest and highest joint velocities for the next period at `q`, with `previous` also by the acceleration limits.

        Returns:
            Two arrays (dof,), rad/s or m/s.
        """

@final
class DispatchPlan:
    """
    Which solver an arm has, and why.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(solver_name: str, tier: SupportsIndex, reason: str) -> DispatchPlan:
        """
        The plan that pickle stored.
        """
    @property
    def reason(self, /) -> str:
        """
        The facts that decided, one per line.
        """
    @property
    def solver_name(self, /) -> str:
        """
        Dotted name of the class of arms.
        """
    @property
    def tier(self, /) -> int:
        """
        0 closed form, 1 one-dimensional search, 2 polynomial of high degree.
        """

@final
class DualArmPlanner:
    """
    Plans motions of two groups of a robot that begin and end together. Collisions between the arms, of each with itself and
    with the scene are checked along the joined motion.

    Args:
        robot: The robot, or the name of a built-in one.
        left_group: One planning group.
        right_group: The other one; the two share no joint.
        mode: "synchronized": one path in the joint space of both. "independent": each arm has a path of its own, found as if
            the other were not there, and keeps its shape; how far each has come when is chosen so that the arms do not meet.
            "coordinated": both hold one rigid object: the pose of the right tip in the left one stays what it is at the start, at
            every instant of the timed motion, as the certificate's `constraints` say.
        scene: What stands around the robot; None for nothing.
        timeout: Time budget of a plan, s.
        rng_seed: As for `Planner`, and so the following.
        max_iterations: As for `Planner`; in independent mode of each arm.
        collision_margin: As for `Planner`.
        self_margin: As for `Planner`; between the arms, too.
        constraints: As for `Planner`; joint indices are those of both groups one after the other.
        position_tolerance: How far the tips may leave their relative position in coordinated mode, m (default 0.001).
        orientation_tolerance: How far they may turn against each other, rad (default 0.01).

    Raises:
        InputError: Unknown groups or modes, groups that share a joint, options outside their domain.

    Example:
        >>> from kinetic import DualArmPlanner
        >>> planner = DualArmPlanner("abb_yumi_left", "left_arm", "right_arm")
        >>> motion = planner.plan("home", "home", "ready", "ready")
        >>> motion["left_trajectory"].duration == motion["right_trajectory"].duration
        True
    """
    def __new__(cls, /, robot: str | Robot, left_group: str, right_group: str, mode: str = ..., scene: Scene | None = None, timeout: float = ..., *, rng_seed: int | None = None, max_iterations: int | None = None, collision_margin: float | None = None, self_margin: float | None = None, constraints: Sequence[Constraint] | None = None, position_tolerance: float | None = None, orientation_tolerance: float | None = None) -> DualArmPlanner: ...
    def __repr__(self, /) -> str: ...
    @property
    def left_dof(self, /) -> int:
        """
        Number of joint values of the left group.
        """
    @property
    def mode(self, /) -> str:
        """
        `"independent"`, `"synchronized"` or `"coordinated"`.
        """
    def plan(self, /, start_left: str | ArrayLike, start_right: str | ArrayLike, goal_left: Goal | Pose | str | ArrayLike | dict[str, Any], goal_right: Goal | Pose | str | ArrayLike | dict[str, Any], *, time_law: str = ...) -> dict[str, Any]:
        """
        Plans a motion of both arms; what is returned has passed verification. Ctrl-C stops it.

        Args:
            start_left: Joint values of the left group, or the name of a pose of it.
            start_right: Likewise of the right group.
            goal_left: A goal of the left group, as for `Planner.plan`.
            goal_right: Likewise of the right group.
            time_law: Name of the time law.

        Returns:
            A dict with `left_trajectory` and `right_trajectory`, of one duration; `trajectory`, both joined, the left group's
            joints first, with the certificate; `planning_time`, s; and `tree_size`, the nodes of the search.

        Raises:
            InputError: Wrong sizes, NaN, unknown names, joint values outside their limits.
            PlanningError: Start in collision, goals that cannot be met together or one by one, time used up, or paths that
                cannot be coordinated in independent mode, goals that break the grasp in coordinated mode.
        """
    def plan_object(self, /, start_left: str | ArrayLike, start_right: str | ArrayLike, object: str, root_from_object: Any, *, time_law: str = ...) -> dict[str, Any]:
        """
        Plans to bring an object that both arms hold to a pose, in coordinated mode: both tools keep the poses on it that they have
        at the start. Ctrl-C stops it.

        Args:
            start_left: Joint values of the left group, or the name of a pose of it.
            start_right: Likewise of the right group.
            object: Name of a body that the scene has attached to a link of either arm.
            root_from_object: Where its frame is to be, in the robot's root frame: `Pose` or 4×4.
            time_law: Name of the time law.

        Returns:
            As `plan`.

        Raises:
            InputError: As `plan`; an object that neither arm carries; another mode.
            PlanningError: As `plan`.
        """
    @property
    def right_dof(self, /) -> int:
        """
        Number of joint values of the right group.
        """

@final
class Dynamics:
    """
    Rigid-body dynamics of a robot: efforts from motions and motions from efforts.

    Vectors have one value per joint, (dof,), in rad or m and their rates, Nm or N; batches have one state per row, (N, dof).
    All other joints are held, and what they carry belongs to the links that they stand on. Gravity and the base's motion
    are in the axes of the robot's root link. Efforts of joints that others follow (mimic) include those of the followers.

    Args:
        robot: The robot, of which the selected group moves, or the name of a built-in one.
        gravity: Acceleration of free fall (3,), m/s².
        payload: What the robot carries: a `Payload`, or the mass (kg) of a point at the tool.
        joints: Names of the joints that move, instead of those of the group; `robot.active_joints` are all.
        held: Where the other joints are: a configuration of the whole robot; None for their neutral positions.
        friction: Whether viscous damping and Coulomb friction of the joints count. Rotor inertia always does.
        scene: Scene whose attached bodies the robot carries, those with a payload, as they are now; None for no scene.
        base_acceleration: Acceleration (3,) of the root's origin, m/s².
        base_angular_velocity: Angular velocity (3,) of the root, rad/s.
        base_angular_acceleration: Its derivative (3,), rad/s².

    Raises:
        InputError: A robot whose model states no masses, unknown joints or links, NaN.

    Example:
        >>> import numpy as np
        >>> from kinetic import Dynamics
        >>> dynamics = Dynamics("ur5e", payload=2.0)
        >>> q = np.array([0.1, -1.2, 1.3, -0.4, 0.5, 0.6])
        >>> tau = dynamics.inverse_dynamics(q, np.zeros(6), np.ones(6))
        >>> dynamics.forward_dynamics(q, np.zeros(6), tau).round(9)
        array([1., 1., 1., 1., 1., 1.])
    """
    def __new__(cls, /, robot: str | Robot, gravity: ArrayLike = ..., payload: Payload | float | None = None, *, joints: Sequence[str] | None = None, held: ArrayLike | None = None, friction: bool = True, scene: Scene | None = None, base_acceleration: ArrayLike = ..., base_angular_velocity: ArrayLike = ..., base_angular_acceleration: ArrayLike = ...) -> Dynamics: ...
    def __repr__(self, /) -> str: ...
    def center_of_mass(self, /, q: ArrayLike) -> NDArray[float64]:
        """
        Centre of mass (3,) of all links and payloads in the root, m.
        """
    def center_of_mass_jacobian(self, /, q: ArrayLike) -> NDArray[float64]:
        """
        Jacobian (3, dof) of the centre of mass in the root's axes.
        """
    def center_of_mass_velocity(self, /, q: ArrayLike, qd: ArrayLike) -> NDArray[float64]:
        """
        Velocity (3,) of the centre of mass in the root's axes, m/s.
        """
    def check_trajectory(self, /, trajectory: Trajectory, effort_limits: ArrayLike | None = None, *, tolerance: float = ...) -> list[dict[str, Any]]:
        """
        Where the efforts of a trajectory exceed their limits, by bounds over intervals of time, not by samples.

        `Trajectory.time_parameterize(dynamics=...)` and `Planner(torque_limits=True)` make motions that keep them.

        An empty list proves that every effort stays below `(1 + tolerance)` times its limit plus 1e-9 at every instant. Ctrl-C
        ends the search.

        Args:
            trajectory: A timed trajectory of the same joints.
            effort_limits: Largest effort, one number or one per joint (Nm or N); None for those of the robot's description, where
                joints without a limit have none.
            tolerance: Share of the limits up to which efforts are found out.

        Returns:
            A dict per joint and piece of the trajectory with too large an effort: `joint`, `piece`, `time` (s) and `effort` where
            it is largest, `limit`.

        Raises:
            InputError: A trajectory without times or of other joints, a tolerance that is not positive or too small.
        """
    def coriolis(self, /, q: ArrayLike, qd: ArrayLike, *, out: NDArray[float64] | None = None) -> NDArray[float64]:
        """
        Coriolis and centrifugal efforts (dof,), without gravity and friction, on a base at rest.

        Args:
            q: Joint values (dof,) or (N, dof).
            qd: Joint velocities, likewise.
            out: Array to write into, which is returned.
        """
    def coriolis_matrix(self, /, q: ArrayLike, qd: ArrayLike) -> NDArray[float64]:
        """
        Coriolis matrix C (dof, dof) of the Christoffel symbols: `C @ qd` are the Coriolis and centrifugal efforts, and the
        time derivative of the mass matrix is C + Cᵀ.
        """
    @property
    def dof(self, /) -> int:
        """
        Number of joints that move.
        """
    def dynamic_manipulability(self, /, q: ArrayLike, link: str) -> float:
        """
        Dynamic manipulability (Yoshikawa 1985): how far unit efforts accelerate a link in all directions, the product of the
        singular values of J M⁻¹ with the link's Jacobian J (6, dof). 0 at singularities.

        Args:
            q: Joint values (dof,).
            link: Name of the link.
        """
    def forward_dynamics(self, /, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, external_forces: dict[str, Wrench | ArrayLike] | None = None, *, axes: str = ..., out: NDArray[float64] | None = None) -> NDArray[float64]:
        """
        Accelerations (dof,) under efforts, by the articulated-body algorithm, or with the mass matrix where joints follow
        others. A joint at rest feels no Coulomb friction.

        Args:
            q: Joint values (dof,) or (N, dof).
            qd: Joint velocities, likewise.
            tau: Joint efforts, likewise.
            external_forces: As for `inverse_dynamics`.
            axes: As for `inverse_dynamics`.
            out: Array to write into, which is returned.

        Raises:
            InputError: Wrong sizes, NaN, unknown links, a joint that moves nothing with inertia.
        """
    def forward_dynamics_derivatives(self, /, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, external_forces: dict[str, Wrench | ArrayLike] | None = None, *, axes: str = ...) -> tuple[NDArray[float64], NDArray[float64], NDArray[float64]]:
        """
        Derivatives of `forward_dynamics`.

        Args:
            q: Joint values (dof,).
            qd: Joint velocities.
            tau: Joint efforts.
            external_forces: As for `inverse_dynamics_derivatives`.
            axes: As for `inverse_dynamics`.

        Returns:
            Three arrays (dof, dof): by the joint values, by the velocities, and by the efforts, which is the inverse of the mass
            matrix. Rows are accelerations.
        """
    @property
    def gravity(self, /) -> NDArray[float64]:
        """
        Acceleration of free fall (3,) in the root's axes, m/s².
        """
    def gravity_compensation(self, /, q: ArrayLike, *, out: NDArray[float64] | None = None) -> NDArray[float64]:
        """
        Efforts (dof,) that hold the robot at rest against gravity.

        Args:
            q: Joint values (dof,) or (N, dof).
            out: Array to write into, which is returned.
        """
    def inverse_dynamics(self, /, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, external_forces: dict[str, Wrench | ArrayLike] | None = None, *, axes: str = ..., out: NDArray[float64] | None = None, device: str = ...) -> NDArray[float64]:
        """
        Efforts (dof,) that accelerate the joints, by the recursive Newton–Euler algorithm: with gravity, the base's motion,
        rotors, damping and friction.

        Args:
            q: Joint values (dof,) or (N, dof).
            qd: Joint velocities, likewise.
            qdd: Joint accelerations, likewise.
            external_forces: What the surroundings do to links: a dict from names to `Wrench` or six numbers, force (N) first,
                then torque about the link's origin (Nm). For one state.
            axes: "link" for wrenches in the axes of their links, "root" for those of the root link.
            out: Array to write into, which is returned.
            device: "cpu" is double precision; "auto" (a GPU where there is one, else the same as "cpu"), "gpu", "gpu:N" or a part of
                the name of an adapter are for batches of many thousands of states, in single precision.

        Raises:
            InputError: Wrong sizes, NaN, unknown links, a device that is not there; on a GPU also external forces, and velocities or
                accelerations whose efforts single precision does not hold.
        """
    def inverse_dynamics_derivatives(self, /, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, external_forces: dict[str, Wrench | ArrayLike] | None = None, *, axes: str = ...) -> tuple[NDArray[float64], NDArray[float64], NDArray[float64]]:
        """
        Derivatives of `inverse_dynamics` (Carpentier and Mansard 2018). Coulomb friction counts as constant, and so do external
        wrenches in their axes.

        Args:
            q: Joint values (dof,).
            qd: Joint velocities.
            qdd: Joint accelerations.
            external_forces: As for `inverse_dynamics`.
            axes: As for `inverse_dynamics`.

        Returns:
            Three arrays (dof, dof): by the joint values, by the velocities, and by the accelerations, which is the mass matrix.
            Rows are efforts.
        """
    def inverse_mass_matrix(self, /, q: ArrayLike) -> NDArray[float64]:
        """
        Inverse (dof, dof) of the mass matrix.
        """
    @property
    def joint_names(self, /) -> list[str]:
        """
        Names of the joints, in the order of vectors.
        """
    def kinetic_energy(self, /, q: ArrayLike, qd: ArrayLike) -> float:
        """
        Kinetic energy against the root, J, with that of the rotors.
        """
    @property
    def mass(self, /) -> float:
        """
        Mass of all links and payloads, kg.
        """
    def mass_matrix(self, /, q: ArrayLike, *, out: NDArray[float64] | None = None) -> NDArray[float64]:
        """
        Mass matrix (dof, dof) by the composite rigid body algorithm, with the rotors' inertia.

        Args:
            q: Joint values (dof,) or (N, dof).
            out: Array to write into, which is returned.
        """
    def potential_energy(self, /, q: ArrayLike) -> float:
        """
        Potential energy of all links and payloads, J: 0 where their centre of mass lies in the root's origin.
        """
    def torque_vector(self, /, q: ArrayLike, before: ArrayLike | None = None, after: ArrayLike | None = None, dt: float | None = None) -> NDArray[float64]:
        """
        Efforts (dof,) for a motion given by its positions: against gravity at rest, or, with the configurations a time `dt`
        before and after, for the velocity and acceleration of their central differences.

        Args:
            q: Joint values (dof,).
            before: Joint values `dt` earlier.
            after: Joint values `dt` later.
            dt: Time between them, s.
        """
    @property
    def version(self, /) -> str:
        """
        Identifies what efforts depend on, numbers to 1e-9: joints, inertias with payloads, rotors, damping and friction, effort
        limits, gravity and the base's motion. `Certificate.dynamics` is that of its bound on torques.
        """

@final
class EuclideanDistanceField:
    """
    Signed distances from occupied cells over a grid (ESDF), m: positive outside, negative inside of their union.

    Nodes are the corners of cells and hold the exact distance, to single precision; between them the field is trilinear and off by
    at most √3/2 of the resolution. Cell (i, j, k) reaches from resolution · (i, j, k) to the next ones, as in `Octree` and
    `Shape.voxels`.

    Args:
        low: Lowest corner (3,) of the box that the grid covers, m.
        high: Highest corner (3,), m.
        resolution: Edge of a cell, m.
        max_distance: Larger distances become this one, m, of either sign; then `update` computes anew only what is as near to cells
            that changed, and cells outside of the box count as far as they matter. None for no bound.
        device: Where updates are computed: "cpu", "auto" (a GPU where there is one, else the processor), "gpu", "gpu:N" or a part of
            the name of an adapter. All have the same bits.

    Raises:
        InputError: A box without a volume, numbers that are not positive, too many cells, or a device that is not there.

    Example:
        >>> import kinetic
        >>> field = kinetic.EuclideanDistanceField([0, 0, 0], [1, 1, 1], resolution=0.1)
        >>> field.update([[4, 4, 4]])
        >>> field.distance([[0.9, 0.4, 0.4]]).round(6)
        array([0.4])
    """
    def __new__(cls, /, low: ArrayLike, high: ArrayLike, resolution: float, max_distance: float | None = None, device: str = ...) -> EuclideanDistanceField: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(low: ArrayLike, high: ArrayLike, resolution: float, max_distance: float | None, cells: ArrayLike, device: str = ...) -> EuclideanDistanceField:
        """
        The field that pickle stored: points of its lowest and of its highest cell, its occupied cells, and the device that was asked
        for.
        """
    @property
    def cells(self, /) -> NDArray[int64]:
        """
        Indices (N, 3) of the occupied cells that count, ascending.
        """
    @property
    def device(self, /) -> str:
        """
        "cpu", or the adapter with its number, backend and driver.
        """
    def distance(self, /, points: ArrayLike) -> NDArray[float64]:
        """
        Distances (N,) of points (N, 3), m; outside of the grid those of the nearest points of the grid. Infinite without occupied
        cells and without `max_distance`.
        """
    def gradient(self, /, points: ArrayLike) -> NDArray[float64]:
        """
        Gradients (N, 3) of the distance at points (N, 3), of length about 1 where that is neither the maximum nor infinite.
        """
    @property
    def high(self, /) -> NDArray[float64]:
        """
        Highest corner (3,) of the grid.
        """
    @property
    def is_gpu(self, /) -> bool:
        """
        Whether updates are computed on a device of Vulkan, Metal or DX12.
        """
    @property
    def low(self, /) -> NDArray[float64]:
        """
        Lowest corner (3,) of the grid.
        """
    def lower_bound(self, /, points: ArrayLike) -> NDArray[float64]:
        """
        Distances (N,) that points (N, 3) keep for certain, m: never more than the exact distance. Outside of the grid less by the
        distance from the grid, since nothing is known there.
        """
    @property
    def max_distance(self, /) -> float | None:
        """
        Distance that larger ones become, m; None without bound.
        """
    @property
    def resolution(self, /) -> float:
        """
        Edge of a cell, m.
        """
    def surface(self, /, level: float | None = None) -> tuple[NDArray[float64], NDArray[int64]]:
        """
        The surface at a distance from the occupied cells, by marching cubes: open where it leaves the grid.

        Args:
            level: The distance, m; negative inside. None for half a cell, which encloses every occupied cell; at 0, walls of one cell
                vanish.

        Returns:
            Vertices (N, 3), m, and triangles (M, 3), counter-clockwise from outside.

        Raises:
            InputError: A level that is not below `max_distance`, or not finite. Ctrl-C ends it too.
        """
    def update(self, /, cells: ArrayLike) -> None:
        """
        Takes other cells for occupied than before.

        Args:
            cells: Indices (N, 3) of all occupied cells, as `Octree.occupied_cells` gives them; of a boolean grid,
                `numpy.argwhere(grid)`.

        Raises:
            InputError: A cell outside of the grid of a field without `max_distance`, or more than the device can hold; the field is as
                before. Ctrl-C ends it too.
        """
    @property
    def values(self, /) -> NDArray[float64]:
        """
        Distances at the nodes, (X, Y, Z), m.
        """

@final
class ExecutionMonitor:
    """
    Compares measured with expected positions and forgives single outliers.

    Args:
        dof: Number of joints.
        warning: Deviation of a joint that is worth a warning, rad or m.
        critical: Deviation of a joint that calls for a stop, rad or m.
        window: Measurements in a row that must be above a threshold.

    Raises:
        InputError: Thresholds that are not positive or not ascending, or an empty window.

    Example:
        >>> from kinetic import ExecutionMonitor
        >>> monitor = ExecutionMonitor(2, warning=0.01, critical=0.1, window=2)
        >>> [monitor.update([0.0, 1.0], [0.0, 1.05])["level"] for _ in range(2)]
        ['normal', 'warning']
    """
    def __new__(cls, /, dof: int, *, warning: float = ..., critical: float = ..., window: int = ...) -> ExecutionMonitor: ...
    def reset(self, /) -> None:
        """
        Forgets past measurements.
        """
    def update(self, /, expected: ArrayLike, measured: ArrayLike) -> dict[str, Any]:
        """
        Judges a measurement.

        Args:
            expected: Positions (dof,).
            measured: Positions (dof,); a value that is not a number is critical at once.

        Returns:
            A dict with `level` ("normal", "warning" or "critical"), and the `joint` that is farthest off now, by `value`.
        """

@final
class Explanation:
    """
    The pairs near a configuration; a sequence of dicts, the one deepest in its margin first.

    Each dict has `link`, `other`, `distance` (m, negative is penetration), `margin` (what has to be kept, m, paddings
    included), `padding` (the part of it that is padding), `source` ("general", "name" or "pair": who stated it), `free`,
    `decided_by` ("spheres", "exact" or "proof"), and the closest points `point_on_link` and `point_on_other` (3,) in the root
    frame. Printed, it is a table for people.
    """
    def __getitem__(self, index: int, /) -> dict[str, Any]: ...
    def __len__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...
    @property
    def is_free(self, /) -> bool:
        """
        True when every pair keeps its margin.
        """
    @property
    def unchecked(self, /) -> list[dict[str, Any]]:
        """
        Pairs as near as that which are not looked at: dicts with `link`, `other`, `distance` and `reason`, nearest first.
        """

@final
class FrameTree:
    """
    Named frames and the latest transform of each pair of them, for any number of threads.

    Poses between frames that no transform joins directly are products along the shortest chain.

    Args:
        history: Transforms are kept until the newest of their two frames is this much later, s, for lookups at the time of a
            measurement; 0 keeps the newest.

    Example:
        >>> import kinetic
        >>> tree = kinetic.FrameTree()
        >>> tree.set_static("base", "camera", kinetic.Pose.from_xyz(0.0, 0.0, 0.5))
        >>> tree.set_transform("world", "base", kinetic.Pose.from_xyz(1.0, 0.0, 0.0), timestamp=12.5)
        >>> tree.lookup("world", "camera")[:3, 3]
        array([1. , 0. , 0.5])
    """
    def __new__(cls, /, history: float = ...) -> FrameTree: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(history: float, rows: SupportsGetItem[int, tuple[str, str, ArrayLike, float, bool]]) -> FrameTree:
        """
        The tree that pickle stored: its history, and parent, child, pose, timestamp and whether it is static of transforms.
        """
    def clear(self, /) -> None:
        """
        Removes everything.
        """
    def clear_dynamic(self, /) -> None:
        """
        Removes all transforms but the static ones.
        """
    def has_transform(self, /, a: str, b: str) -> bool:
        """
        True when `lookup` of the two has an answer.
        """
    @property
    def history(self, /) -> float:
        """
        How long transforms are kept, s.
        """
    def latest_common_time(self, /, a: str, b: str) -> float | None:
        """
        The latest time at which `lookup` of two frames may have an answer, s: the least of the newest timestamps along the
        chain. None where nothing or static transforms only connect them.
        """
    def list_frames(self, /) -> list[str]:
        """
        Names of all frames, sorted.
        """
    def lookup(self, /, a: str, b: str, timestamp: float | None = None) -> NDArray[float64]:
        """
        The pose of frame `b` in frame `a`, 4×4.

        Args:
            a: Name of a frame.
            b: Name of a frame.
            timestamp: The time that is asked for, s: each transform between those before and after it, translations on a line and
                rotations at a constant rate. Static transforms are those of any time. None for the latest transforms.

        Raises:
            InputError: An unknown frame, or two that no transforms join; the message lists those that exist. A time that a
                transform does not cover: nothing is extrapolated.
        """
    def lookup_transform(self, /, a: str, b: str, timestamp: float | None = None) -> NDArray[float64]:
        """
        The same as `lookup`.
        """
    @property
    def num_transforms(self, /) -> int:
        """
        Number of transforms.
        """
    def remove_transform(self, /, a: str, b: str) -> bool:
        """
        Removes the transform that joins two frames directly; False when there is none.
        """
    def set_static(self, /, parent: str, child: str, T: Any) -> None:
        """
        As `set_transform`, for a transform that never changes: `update_from_robot` and `clear_dynamic` leave it.
        """
    def set_static_transform(self, /, parent: str, child: str, T: Any) -> None:
        """
        The same as `set_static`.
        """
    def set_transform(self, /, parent: str, child: str, T: Any, timestamp: float = ...) -> None:
        """
        Sets the pose of frame `child` in frame `parent`. It replaces whatever was set between the two, in either
        direction: the last call counts, not the largest timestamp.

        Args:
            parent: Name of a frame.
            child: Name of another frame.
            T: Pose of the child in the parent.
            timestamp: When it was true, s.
        """
    def transforms(self, /) -> list[dict[str, Any]]:
        """
        The transforms as they were set: dictionaries with parent, child, matrix, timestamp and is_static.
        """
    def update_from_robot(self, /, robot: Robot, q: ArrayLike, timestamp: float = ...) -> None:
        """
        Sets the pose of every link of a robot in its parent link. Links that hang by a static transform keep it.

        Args:
            robot: The robot; frames have the names of its links.
            q: Joint values.
            timestamp: When they were true, s.
        """

@final
class Goal:
    """
    What a plan should reach: joint values, a tool pose, a named pose, a motion relative to the start, any pose of a
    region, poses of links, or any one of several goals.

    `Goal.joints(values)` makes a joint goal from joint values, in the length of the planning group or of the whole
    robot (rad, m); read on an instance, `goal.joints` gives these values, None for other goals. Bounded joints end exactly
    at their values, timed motions within rounding; joints without limits at an equivalent value, the one nearest to the start that the
    way there allows.
    With `turns=True`, bounded joints too may end full turns away, inside their limits; the values need not be inside.

    Example:
        >>> from kinetic import Goal
        >>> Goal.joints([0.0, -1.57, 1.57]).joints
        array([ 0.  , -1.57,  1.57])
        >>> Goal.joints([0.0, -1.57, 1.57], turns=True).turns
        True
        >>> Goal.named("home")
        Goal.named("home")
    """
    joints: Final[GoalJoints]
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(kind: str, numbers: ArrayLike, text: str) -> Goal:
        """
        The goal that pickle stored: kind, numbers, and the name, the frame or "turns".
        """
    @staticmethod
    def any(goals: Iterable[Goal | Pose | str | ArrayLike | dict[str, Any]] | ArrayLike) -> Goal:
        """
        Any one of several goals, of any kinds; which one was reached says `last_stats["goal_index"]`.

        Goals that cannot be met (in collision, out of reach) are passed over as long as another one remains. Sets among
        the goals become part of this one.

        Args:
            goals: Goals, or joint values (N, dof), names of poses, or tool poses.

        Example:
            >>> from kinetic import Goal
            >>> Goal.any([Goal.named("home"), [0.0, -1.57, 1.57]]).goals
            [Goal.named("home"), Goal.joints([0.0, -1.57, 1.57])]
        """
    @property
    def by_group(self, /) -> dict[str, Goal] | None:
        """
        The goals of several groups by their names, else None.
        """
    @property
    def by_link(self, /) -> dict[str, Pose] | None:
        """
        The poses of links by their names, else None.
        """
    @property
    def frame(self, /) -> str | None:
        """
        `"tool"` or `"base"` for a relative goal, else None.
        """
    @property
    def goals(self, /) -> list[Goal] | None:
        """
        The goals of a set, else None.
        """
    @staticmethod
    def groups(goals: dict[str, Any]) -> Goal:
        """
        A goal for each of several groups that are planned together; joints of none of them end where they start.

        `planner.plan` takes the dict as well.

        Args:
            goals: For each group, by its name, a goal, joint values, the name of a pose, or a pose of its tool.

        Example:
            >>> from kinetic import Goal
            >>> Goal.groups({"left_arm": "ready", "right_arm": [0.0, -1.0]})
            Goal.groups({"left_arm": Goal.named("ready"), "right_arm": Goal.joints([0.0, -1.0])})
        """
    @property
    def kind(self, /) -> str:
        """
        `"joints"`, `"pose"`, `"named"`, `"relative"`, `"region"`, `"any"`, `"links"` or `"groups"`.
        """
    @staticmethod
    def links(base_from_links: dict[str, Any]) -> Goal:
        """
        Poses of links that the group moves, all of them at once; joints that no pose fixes may end anywhere.

        The frame is that of the link itself, without a tool, in the group's base frame. Groups with several tips, such as two
        arms on one torso, have a pose for each.

        Args:
            base_from_links: For each link, by its name, a pose: a `Pose` or 4×4.

        Example:
            >>> from kinetic import Goal, Pose
            >>> Goal.links({"forearm_link": Pose.from_xyz(0.1, 0.2, 0.5)}).kind
            'links'
        """
    @property
    def name(self, /) -> str | None:
        """
        Name of a named goal, else None.
        """
    @staticmethod
    def named(name: str) -> Goal:
        """
        A named pose of the planning group, such as "home".
        """
    @property
    def orientation_tolerance(self, /) -> NDArray[float64] | None:
        """
        Largest components of a region's rotation vector (3,), rad; None for other goals.
        """
    @staticmethod
    def pose(matrix: Any, quaternion_xyzw: ArrayLike | None = None) -> Goal:
        """
        A pose of the group's tool in the group's base frame.

        Args:
            matrix: Pose as a 4×4 matrix, or an object with `homogeneous` or `matrix`; or a position (3,) in m, together
                with a quaternion.
            quaternion_xyzw: Orientation (x, y, z, w) where the first argument is a position; it is normalised.
        """
    @property
    def position_tolerance(self, /) -> NDArray[float64] | None:
        """
        Half the size of a region's box (3,), m; None for other goals.
        """
    @staticmethod
    def region(pose: Any, position_tolerance: ArrayLike, orientation_tolerance: ArrayLike | None = None) -> Goal:
        """
        Any pose of the group's tool in a box around a pose; the planner picks one.

        Args:
            pose: The centre, in the group's base frame.
            position_tolerance: Half the size of the box along the axes of the centre, m: (3,), or one number for all.
            orientation_tolerance: Largest components of the rotation vector from the centre to the tool, about the axes of
                the centre, rad from 0 to pi: (3,), or one number for all; None for 0. `[0, 0, numpy.pi]` leaves the turn
                about z free.

        Example:
            >>> import numpy
            >>> from kinetic import Goal, Pose
            >>> goal = Goal.region(Pose.from_xyz(0.4, 0.0, 0.3), [0.1, 0.1, 0.0], [0.0, 0.0, numpy.pi])
            >>> goal.position_tolerance
            array([0.1, 0.1, 0. ])
        """
    @staticmethod
    def relative(offset: Any, frame: str = ...) -> Goal:
        """
        The tool pose at the start of the plan, moved.

        Args:
            offset: Translation (3,) in m, or a pose as a 4×4 matrix.
            frame: "tool": the offset is in the tool frame at the start. "base": it is along the axes of the group's base
                frame, rotations about the tool's own origin.
        """
    @property
    def turns(self, /) -> bool:
        """
        True for a joint goal whose bounded joints may end full turns away from its values.
        """
    @property
    def values(self, /) -> NDArray[float64] | None:
        """
        Joint vector of a joint goal; 4×4 matrix of a pose goal, of the offset of a relative one, or of the centre of a
        region; else None.
        """

@final
class GoalJoints:
    """
    What `Goal.joints` is: on the class a constructor of joint goals, on an instance the joint values.
    """
    def __call__(self, /, values: ArrayLike, *, turns: bool = False) -> Goal:
        """
        A goal in joint space: values (dof,), rad or m.

        Args:
            values: Joint values, in the length of the group or of the robot.
            turns: Whether bounded turning joints may end at any full turns from these values inside their limits.
        """
    @overload
    def __get__(self, instance: None, owner: Any, /) -> GoalJoints: ...
    @overload
    def __get__(self, instance: Goal, owner: Any | None = None, /) -> NDArray[float64] | None: ...

@final
class GpuCollisionChecker:
    """
    Collision checks of many configurations at once, on a GPU of any vendor.

    Links and attached bodies are the spheres that contain them: what is free here is free for `Scene.are_free`, and some of what
    is not may be. Objects, attached bodies, allowed pairs, margins and paddings are those of the scene at each call; a call uploads
    what was edited since the last one.

    Args:
        robot: The robot, or the name of a built-in one, as of the scene; its selected group is checked.
        scene: The scene.
        resolution: Distance of the nodes of voxel grids, m: for meshes, hulls and other objects without a closed form.
        device: "auto" (a GPU where there is one, else the processor), "cpu", "gpu", "gpu:N" or a part of the name of an adapter.
        collision_margin: Distance to keep from the world, m.
        self_margin: Distance to keep between links of the robot, m.

    Raises:
        InputError: Another robot than that of the scene, numbers that cannot be used, or a device that is not there.

    Example:
        >>> import kinetic
        >>> scene = kinetic.Scene("ur5e")
        >>> scene.add("ball", kinetic.Shape.sphere(0.2), kinetic.Pose.from_xyz(0.6, 0.0, 0.4))
        >>> checker = kinetic.GpuCollisionChecker("ur5e", scene)
        >>> found = checker.check_batch([[0.0, -1.5, 1.5, 0.0, 0.0, 0.0], [1.6, -1.5, 1.5, 0.0, 0.0, 0.0]])
        >>> bool(found["min_distances"][0] < found["min_distances"][1])
        True
    """
    def __new__(cls, /, robot: str | Robot, scene: Scene, resolution: float = ..., device: str = ..., *, collision_margin: float = ..., self_margin: float = ...) -> GpuCollisionChecker: ...
    def __repr__(self, /) -> str: ...
    def check_batch(self, /, configs: ArrayLike, *, gradients: bool = False) -> dict[str, Any]:
        """
        Checks many configurations.

        Args:
            configs: Joint values of the group, one row each (N, dof).
            gradients: Also the derivatives of the distances by the joint values.

        Returns:
            A dict: `in_collision` (N,), False where every pair is proven to keep its clearance; `min_distances` (N,), a lower
            bound of the least distance less the clearance that its pair has to keep, m, infinite where nothing can touch; with
            `gradients` also `gradients` (N, dof), m/rad or m/m.

        Raises:
            InputError: NaN or wrong shapes.
        """
    def check_single(self, /, q: ArrayLike) -> tuple[bool, float]:
        """
        Checks one configuration: whether it may touch, and the lower bound of the least distance as of `check_batch`, m.
        """
    @property
    def device(self, /) -> str:
        """
        "cpu", or the adapter with its number, backend and driver.
        """
    @property
    def is_gpu(self, /) -> bool:
        """
        Whether it computes on a device of Vulkan, Metal or DX12; False on the processor, where the same numbers come from.
        """
    def nearest_pairs(self, /, configs: ArrayLike) -> list[tuple[str, str] | None]:
        """
        The tightest pair of each configuration.

        Args:
            configs: Joint values of the group, one row each (N, dof).

        Returns:
            For each the names of a link or attached body and of what is nearest to it; None where nothing can touch.
        """

@final
class GroupDriver:
    """
    The driver of one group of joints, an arm or a gripper, for executions of several groups on one clock
    (`RealTimeExecutor.execute_together`).

    `GroupDriver(names, **kinetic.drivers.functions(driver))` is one of a driver object.

    Args:
        joint_names: Names of its joints in the trajectory, in the order of its commands.
        command_callback: Called as `command_callback(positions, velocities)` once per cycle with the values of its joints, as
            in `RealTimeExecutor.start`. Where it raises, it gets no more commands, its `on_stop` is called, and the other
            groups stop along their path.
        feedback: As in `RealTimeExecutor.start`, of its joints.
        on_stop: Likewise.
        speed_scaling: Likewise; the slowest controller says how fast all go.
    """
    def __new__(cls, /, joint_names: Sequence[str], command_callback: Callable[..., object], feedback: Callable[..., object] | None = None, on_stop: Callable[..., object] | None = None, speed_scaling: Callable[..., object] | None = None) -> GroupDriver: ...
    def __repr__(self, /) -> str: ...
    @property
    def joint_names(self, /) -> list[str]:
        """
        Names of its joints, in the order of its commands.
        """

@final
class Handle:
    """
    A running execution, which `RealTimeExecutor.start` returns. What is asked is done from the next cycle on.

    When nothing refers to it any more, the robot stops along its path.
    """
    def __repr__(self, /) -> str: ...
    def pause(self, /) -> None:
        """
        Slows down to a halt along the path, which `resume` leaves again.
        """
    def resume(self, /) -> None:
        """
        Goes on after a pause.
        """
    def set_speed(self, /, speed: float) -> None:
        """
        Goes on at a part of the trajectory's speed, 0 to 1; accelerations stay inside their limits.

        Raises:
            InputError: A number outside 0 to 1.
        """
    def splice(self, /, trajectory: Trajectory, *, planner: Planner | None = None, latency: float = ..., at: float | None = None) -> None:
        """
        Goes on with another trajectory.

        With `planner`, the robot leaves for it `latency` seconds from now, by the fastest motion within the planner's limits to
        where it begins, and all of that is proven in the scene as it is now: `planner.splice` from the running trajectory. With
        `at`, the trajectory is one that `planner.splice(running, at, ...)` has answered with. Such a splice keeps the result verified
        and a pause a pause. One that comes too late for its latency stops the robot along its path, with the error `Aborted`.

        Without both, the trajectory begins at rest anywhere, and the way there is the fastest motion within the limits. It was not
        checked for collisions, so that it takes an executor with `allow_unverified`, and the result is not verified; a pause ends.
        Where the jerk limit does not allow to take back an acceleration before a velocity leaves its limits, the robot leaves a few
        cycles later.

        Where the robot stops already, nothing happens.

        Args:
            trajectory: What takes over.
            planner: Plans and proves the way to it.
            latency: Seconds until the robot can leave: what the proof takes, and two cycles.
            at: Time on the running trajectory at which `trajectory` begins, s.

        Raises:
            InputError: A path without time, a trajectory of other joints, both `planner` and `at`, or after the end.
            PlanningError: As `Planner.splice`.
            ExecutionError: A trajectory that cannot be carried out, or one without a certificate and an executor without
                `allow_unverified`.
        """
    @property
    def state(self, /) -> str:
        """
        "Running", "Paused" (slows down to a pause, or holds still in one), "Stopping", "Completed", "Stopped" or "Aborted".
        """
    def stop(self, /, mode: str = ...) -> None:
        """
        Ends the execution.

        Args:
            mode: "path" slows down along the path within the acceleration limits; "jerk" slows down each joint for itself,
                as fast as limits of acceleration and jerk allow, and leaves the path; "hard" stops at once, outside all
                limits. A stop under way is replaced by a harder one only.

        Raises:
            InputError: Another mode.
        """
    @property
    def time(self, /) -> float:
        """
        Time on `trajectory` of the last command, s.
        """
    @property
    def trajectory(self, /) -> Trajectory:
        """
        The trajectory that is followed; after a splice, what was spliced in.
        """
    def wait(self, /, timeout: float | None = None) -> ExecutionResult:
        """
        Waits for the end. Ctrl-C stops the robot along its path, and is raised after that.

        Args:
            timeout: Seconds to wait at most; None waits as long as it takes.

        Returns:
            The result, as `RealTimeExecutor.execute`.

        Raises:
            TimeoutError: It has not ended in time, and goes on.
            ExecutionError: What ended it, see the table of faults. `error.result` is the result so far, or None while a call
                of the driver has not returned; `error.__cause__` is what a function has raised.
        """
    @property
    def watchdog_has_fired(self, /) -> bool:
        """
        Whether the watchdog has ended it.
        """

@final
class IKPath:
    """
    Configurations along a list of poses. Also the pair `q, success`, when it is unpacked.
    """
    def __iter__(self, /) -> Iterator[NDArray[Any]]: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(rows: tuple[SupportsGetItem[int, SupportsFloat | SupportsIndex], SupportsIndex, SupportsGetItem[int, bool]], obstacles: SupportsGetItem[int, tuple[str, SupportsIndex, SupportsGetItem[int, str], SupportsFloat | SupportsIndex, SupportsGetItem[int, SupportsFloat | SupportsIndex]]], facts: tuple[SupportsGetItem[int, SupportsIndex], SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex]) -> IKPath:
        """
        The path that pickle stored.
        """
    @property
    def largest_step(self, /) -> float:
        """
        Largest step of a joint between neighbouring poses of a segment, rad or m.
        """
    @property
    def length(self, /) -> float:
        """
        Sum of the Euclidean lengths of the steps inside the segments.
        """
    @property
    def obstacles(self, /) -> list[dict[str, Any]]:
        """
        What is in the way, in order; each with `kind` ("unreachable", "limit", "singularity", "jump" or "collision"), `index`
        of the pose, `joint` (None without one), `pair` (of a collision: link, and the other link or object; else None),
        `amount` (how far a joint would be outside its limits, or move at once, rad or m; how far the nearest pose found is
        off; by how much the margin is missed, m) and `message`.
        """
    @property
    def q(self, /) -> NDArray[float64]:
        """
        Joint values (N, dof), one row per pose; NaN where no configuration inside the limits was found.
        """
    @property
    def reason(self, /) -> str | None:
        """
        Why there is no continuous path, in words: where it ends at best, and what is in the way; None when there is one.
        """
    @property
    def splits(self, /) -> list[int]:
        """
        Indices of poses at which `q` starts anew: after a jump, or after poses that are not reached.
        """
    @property
    def success(self, /) -> NDArray[bool_]:
        """
        Per pose (N,): it is reached, and so is the step to it from the pose before, or from `q_start`, within its bounds.
        """

@final
class IkCache:
    """
    Poses of a robot's tool with the configurations that reach them: the nearest one is where a solve starts.

    Poses are points in six dimensions: position in parts of the reach, orientation as an angle. Answers are those of the
    numerical solver, so they meet the tolerances whatever the cache holds. Threads may share it.

    Args:
        robot: The robot; its selected group and tool count, as they are now.
        hit_radius: Distance up to which a known pose is taken, in parts of the reach and rad together; None for 0.5.

    Raises:
        InputError: A group that is no chain, or a radius that is not positive.

    Example:
        >>> from kinetic import IkCache, Robot
        >>> robot = Robot("ur5e")
        >>> cache = IkCache(robot)
        >>> cache.warm(1000)
        >>> cache.solve(robot.fk([0.1, -1.2, 1.3, -0.4, 0.5, 0.6]))["solver_used"]
        'cached'
    """
    def __len__(self, /) -> int: ...
    def __new__(cls, /, robot: Robot, hit_radius: float | None = None) -> IkCache: ...
    def __repr__(self, /) -> str: ...
    @property
    def hits(self, /) -> int:
        """
        How many solves began at a known configuration.
        """
    @staticmethod
    def load(robot: Robot, path: str | PathLike[str]) -> IkCache:
        """
        The cache that `save` wrote for the same joints; poses are computed anew, for the tool of the robot.

        Args:
            robot: The robot.
            path: The file.

        Raises:
            InputError: A file that is no cache, or one for other joints.
            OSError: The file cannot be read.
        """
    @property
    def misses(self, /) -> int:
        """
        How many solves found none near enough.
        """
    def nearest(self, /, target: Any) -> tuple[Any, ...] | None:
        """
        The known configuration (dof,) whose pose is nearest, and how far that is, in parts of the reach and rad together;
        None for an empty cache.
        """
    def save(self, /, path: str | PathLike[str]) -> None:
        """
        Writes the configurations as text, one per line, in full precision.

        Raises:
            OSError: The file cannot be written.
        """
    def solve(self, /, target: Any, seed: ArrayLike | None = None, **options: Unpack[IKOptions]) -> dict[str, Any]:
        """
        Solves from the nearest known configuration, from `seed` where none is near, and remembers the answer.

        Args:
            target: Pose of the tool in the group's base.
            seed: Joint values (dof,) to start from where no known pose is near; None for the middle of the limits.
            options: Of `kinetic.IKOptions`: `mode`, `max_iterations`, `num_restarts`, `position_tolerance`,
                `orientation_tolerance`, `check_limits`, `rng_seed`, `timeout`.

        Returns:
            The dictionary of `Robot.ik_config`.

        Raises:
            IKError: Not found, or proven not to exist.
        """
    def warm(self, /, count: int, rng_seed: int | None = None) -> None:
        """
        Adds random configurations inside the limits.

        Args:
            count: How many.
            rng_seed: Their seed; None for 0.
        """

@final
class IkFailure:
    """
    A query to inverse kinematics that has no answer.
    """
    def report(self, /, tries: bool = True) -> dict[str, Any]:
        """
        Evidence, suggestions and text of the report.
        """

@final
class KinBody:
    """
    A chain of joints from a base to a tool: what closed forms are made for.

    Args:
        robot: The robot whose selected group it is.
    """
    def __new__(cls, /, robot: Robot) -> KinBody: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(names: tuple[str, SupportsGetItem[int, str]], variables: tuple[SupportsGetItem[int, SupportsIndex], SupportsGetItem[int, SupportsIndex], SupportsGetItem[int, tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex]], SupportsGetItem[int, bool], SupportsGetItem[int, SupportsFloat | SupportsIndex]], frames: SupportsGetItem[int, tuple[SupportsIndex, SupportsGetItem[int, SupportsFloat | SupportsIndex], bool, SupportsIndex, SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex]], links: SupportsGetItem[int, tuple[SupportsIndex, SupportsGetItem[int, SupportsFloat | SupportsIndex]]], tool: SupportsGetItem[int, SupportsFloat | SupportsIndex]) -> KinBody:
        """
        The body that pickle stored.
        """
    @property
    def dof(self, /) -> int:
        """
        Number of joints.
        """
    def fk(self, /, q: ArrayLike) -> NDArray[float64]:
        """
        Pose of the tool in the base, 4×4.
        """
    @property
    def joint_limits(self, /) -> list[tuple[float, float] | None]:
        """
        Lowest and highest value of each joint, rad or m; None for joints that turn without end.
        """
    @property
    def joint_names(self, /) -> list[str]:
        """
        Names of the joints, in the order of joint vectors.
        """

@final
class LogExecutor:
    """
    As `SimExecutor`, and keeps the commands.

    Args:
        rate_hz: Commands per second.

    Raises:
        InputError: A rate that is not positive, or above 10,000.

    Example:
        >>> from kinetic import LogExecutor, Trajectory
        >>> motion = Trajectory.from_waypoints([[0.0], [1.0]]).time_parameterize("trapezoidal", 1.0, 1.0)
        >>> executor = LogExecutor(rate_hz=20.0)
        >>> result = executor.execute(motion)
        >>> executor.num_commands == result["commands_sent"], executor.commands()[20]["time"]
        (True, 1.0)
    """
    def __len__(self, /) -> int: ...
    def __new__(cls, /, rate_hz: float = ...) -> LogExecutor: ...
    def __repr__(self, /) -> str: ...
    def clear(self, /) -> None:
        """
        Forgets all commands.
        """
    def commands(self, /) -> list[dict[str, Any]]:
        """
        The commands of all executions: dicts with `time` (s since the first command of its execution), `positions` and
        `velocities` (dof,).
        """
    def execute(self, /, trajectory: Trajectory) -> ExecutionResult:
        """
        Carries a trajectory out and keeps its commands behind those that are there; answers and fails as `SimExecutor`.
        """
    @property
    def num_commands(self, /) -> int:
        """
        Number of commands.
        """

@final
class Manipulator:
    """
    Closed-form inverse kinematics of an arm with three to eight joints: all branches of every pose.

    The solver is chosen from geometry alone; `dispatch_plan` says which and why. Made from a body, by `from_robot`,
    `from_chain` or `from_urdf`.
    Arms with more than six joints are sampled along their self-motion, arms with fewer meet a part of the pose (`met`).

    Example:
        >>> from kinetic import Manipulator, Robot
        >>> arm = Manipulator.from_robot(Robot("ur5e"))
        >>> arm
        <Manipulator: 6-DOF, dispatched to six_r.three_parallel (tier 0)>
        >>> len(arm.solve(arm.fk([0.1, -1.0, 1.2, -0.5, 0.8, 0.2])))
        8
    """
    def __new__(cls, /, kinbody: KinBody | Robot, *, policy: TolerancePolicy | None = None) -> Manipulator:
        """
        The solver for a body.

        Args:
            kinbody: A KinBody, or a Robot, whose selected group is meant.
            policy: Thresholds; None for the defaults.

        Raises:
            InputError: An arm without closed form; the message says what has one.
        """
    def __repr__(self, /) -> str: ...
    @property
    def dispatch_plan(self, /) -> DispatchPlan:
        """
        Which solver, and why.
        """
    @property
    def dof(self, /) -> int:
        """
        Number of joints.
        """
    def fk(self, /, q: ArrayLike) -> NDArray[float64]:
        """
        Pose of the tool in the chain's base, 4×4.
        """
    @staticmethod
    def from_chain(robot: str | Robot, *, base: str | None = None, ee: str | None = None, policy: TolerancePolicy | None = None, lock_joint: str | Sequence[str] | None = None) -> Manipulator:
        """
        The solver for the chain between two links of a robot.

        Args:
            robot: A robot, or the name of a built-in one.
            base: First link of the chain; None for the base of the robot's selected group.
            ee: Last link of the chain; None for the tip of the selected group.
            policy: Thresholds; None for the defaults.
            lock_joint: As in `from_robot`.

        Raises:
            InputError: Unknown robot or link, or an arm without closed form; the message says what has one.
        """
    @staticmethod
    def from_robot(robot: str | Robot, group: str | None = None, policy: TolerancePolicy | None = None, *, lock_joint: str | Sequence[str] | None = None) -> Manipulator:
        """
        The solver for a planning group of a robot.

        Args:
            robot: A robot, or the name of a built-in one.
            group: Planning group; None for the robot's selected one.
            policy: Thresholds; None for the defaults.
            lock_joint: Names of the joints to lock, or of the one; None for the best choice. For arms with seven or eight
                joints.

        Raises:
            InputError: Unknown robot or group, or an arm without closed form; the message says what has one.
        """
    @staticmethod
    def from_urdf(path: str | PathLike[str], *, base: str, ee: str, policy: TolerancePolicy | None = None, lock_joint: str | Sequence[str] | None = None) -> Manipulator:
        """
        The solver for the chain from link `base` to link `ee` of a URDF file.

        Args:
            path: The file.
            base: First link of the chain.
            ee: Last link of the chain.
            policy: Thresholds; None for the defaults.
            lock_joint: As in `from_robot`.

        Raises:
            InputError: Malformed file, unknown link, or an arm without closed form; the message says what has one.
            OSError: The file cannot be read.
        """
    def generate(self, /, language: str, *, robot: str | None = None) -> str:
        """
        One source file that solves this arm without kinetic: same keywords, same answers.

        Args:
            language: "rust" (standard library only) or "python" (NumPy only).
            robot: What the file calls the arm.

        Raises:
            InputError: Unknown language, or a class of arms that no code can be generated of; the message says of which.

        Example:
            >>> from kinetic import Manipulator
            >>> text = Manipulator.from_robot("ur5e").generate("python", robot="ur5e")
            >>> solver = {"__name__": "ur5e_ik"}
            >>> exec(text, solver)
            >>> len(solver["solve"](solver["fk"]([0.1, -1.0, 1.2, -0.5, 0.8, 0.2])))
            8
        """
    @property
    def joint_limits(self, /) -> list[tuple[float, float] | None]:
        """
        Lowest and highest value of each joint, rad; None for joints that turn without end.
        """
    @property
    def joint_names(self, /) -> list[str]:
        """
        Names of the joints, in the order of joint vectors.
        """
    @property
    def kinbody(self, /) -> KinBody:
        """
        The chain that is solved; another Manipulator can be made from it.
        """
    @property
    def linearity_joints(self, /) -> list[str]:
        """
        Names of the joints that may be the `linearity_joint` of `solve`; empty for arms of other classes than the general
        one.
        """
    @property
    def locked_joints(self, /) -> list[str]:
        """
        Names of the joints that are locked at samples; empty for other arms.
        """
    @property
    def met(self, /) -> str:
        """
        The part of a pose that the arm can meet.
        """
    @property
    def self_motion(self, /) -> list[tuple[float, float]]:
        """
        What the self-motion of an arm with more than six joints is measured by, one `(lowest, highest)` per parameter: the
        swivel angle, rad, or the values of the locked joints.
        """
    def self_motion_at(self, /, q: ArrayLike) -> list[float]:
        """
        Where joint values stand in `self_motion`; `solve` with these as `at` gives them back.
        """
    def solve(self, /, target: Any, *, explain: bool = False, max_solutions: int | None = None, q_seed: ArrayLike | None = None, respect_limits: bool = True, allow_refinement: bool = False, refinement_max_iters: int = ..., swivel_samples: int | None = None, samples: int | None = None, at: ArrayLike | None = None, linearity_joint: int | str | None = None, turns: bool = False) -> list[Solution] | tuple[list[Solution], Diagnostic]:
        """
        All configurations that reach a pose; none for a pose out of reach.

        Args:
            target: Pose of the tool in the chain's base.
            explain: Whether to return `(solutions, Diagnostic)` instead of the solutions.
            max_solutions: At most so many, counted after filtering and ordering.
            q_seed: Joint values; the closest solutions come first, each with the turns of 2π that are closest.
            respect_limits: Whether joints are turned into their limits and solutions outside them are dropped.
            allow_refinement: Whether near misses are refined by Levenberg-Marquardt and returned.
            refinement_max_iters: Iterations of a refinement.
            swivel_samples: Number of swivel angles of an arm with spherical shoulder and wrist; None for 16.
            samples: Number of values of a locked joint; None for 36. Of a second one a quarter as many.
            at: Values of the self-motion to solve at, in the order of `self_motion`; None for a sweep. Outside a joint's
                range they need `respect_limits=False`.
            turns: Whether every solution is listed at all turns of 2π inside the limits, nearest to the seed first (fewest
                turns without one), instead of the nearest alone. More than 100,000 need `max_solutions`.
            linearity_joint: For arms that the general class of 6R solves, alone or with joints locked: the joint, by name or
                index, in whose cosine and sine the equations stay linear, and whose half-angle tangents are the
                eigenvalues; one of `linearity_joints`. None for the one that suits the arm best. The branches are the same
                but for those that rounding hides.

        Raises:
            InputError: Wrong sizes or NaN, samples or a `linearity_joint` that the arm does not have, `at` outside a range, and
                `turns` without limits or with too many of them.
        """
    @property
    def solver_name(self, /) -> str:
        """
        Dotted name of the solver.
        """
    @property
    def topology(self, /) -> str:
        """
        Which axes are parallel and which meet, one fact per line.
        """
    def write_solver(self, /, path: str | PathLike[str], *, robot: str | None = None) -> None:
        """
        Writes the file of `generate`; the ending of its name, .rs or .py, says the language.

        Raises:
            InputError: Another ending, or a class of arms that no code can be generated of.
            OSError: The file cannot be written.
        """

@final
class MonotonicClock:
    """
    The clock that executors run on: the machine's monotonic time, with absolute waits; for servo loops of one's own.

    A loop that waits for the multiples of its period does not drift, however late each of its cycles is. `SimulatedClock` takes
    its place in tests.

    Example:
        >>> from kinetic import MonotonicClock
        >>> clock = MonotonicClock()
        >>> begin = clock.now
        >>> for cycle in range(3):
        ...     clock.wait_until(begin + 0.002 * cycle)
        >>> clock.now >= begin + 0.004
        True
    """
    def __new__(cls, /) -> MonotonicClock: ...
    def __repr__(self, /) -> str: ...
    @property
    def now(self, /) -> float:
        """
        Seconds since it was made; never decreases.
        """
    def wait_until(self, /, time: float) -> None:
        """
        Waits until `now` is at least `time`, s, without the GIL; not at all for a time that has passed. Ctrl-C ends the wait.

        Raises:
            InputError: A time that is not finite.
        """

@final
class Mpc:
    """
    Gets an arm to targets past what is in the way, by model predictive control with sampled rollouts (MPPI).

    Fifty times per second it rolls out `samples` motions over the horizon, with smooth seeded noise around the plan of before, and
    weighs them by how near they come to the target and by the batch validity of the scene. Every tick is one of a `Servo`: limited in
    jerk, and taken only if the stop after it is proven. One of the rollouts is the servo's own motion straight to the target, which
    takes over where it costs least.

    Args:
        robot: A robot, or the name of a built-in one.
        scene: What stands around it, as it is at every tick; None for nothing.
        horizon: Steps of a rollout (32).
        step: Time of a step, s (0.05).
        period: Time between two optimizations, s (0.02).
        samples: Rollouts per optimization (64).
        spans: Spans of the spline of velocities (6).
        noise: Standard deviation of velocities, as a part of their limits (0.4).
        temperature: How much worse rollouts may be to count, as a part of what the best one is better than the median (0.1).
        clearance: Distance above the stop distance that rollouts are to keep, m (0.03).
        clearance_weight: Cost of being closer all the time, m (0.1).
        smoothness_weight: Cost of accelerating at the limits all the time, m (0.01).
        limit_weight: Cost of a joint at the end of its range all the time, m (0.1).
        rotation_weight: What a turn of the tool by 1 rad counts, m (0.15).
        seed: Seed of the noise: the same seed gives the same motion (0).
        group: As for `Servo`, and so the following. slowdown_distance is 0.06 unless it is given.

    Raises:
        InputError: As `Servo`; options outside their domain.

    Example:
        >>> from kinetic import Mpc
        >>> mpc = Mpc("ur5e")
        >>> mpc.set_state([0.0, -1.57, 1.57, 0.0, 1.57, 0.0])
        >>> mpc.set_joint_target([0.2, -1.57, 1.57, 0.0, 1.57, 0.0])
        >>> for _ in range(1000):
        ...     command = mpc.tick()
        >>> round(float(mpc.error()["joints"]), 3)
        0.0
    """
    def __new__(cls, /, robot: str | Robot, scene: Scene | None = None, horizon: int | None = None, *, step: float | None = None, period: float | None = None, samples: int | None = None, spans: int | None = None, noise: float | None = None, temperature: float | None = None, clearance: float | None = None, clearance_weight: float | None = None, smoothness_weight: float | None = None, limit_weight: float | None = None, rotation_weight: float | None = None, seed: int = ..., group: str | None = None, preset: str = ..., rate_hz: float | None = None, method: str | None = None, singularity_threshold: float | None = None, singularity_damping: float | None = None, lockup_time: float | None = None, pose_tracking_gain: float | None = None, slowdown_distance: float | None = None, stop_distance: float | None = None, self_slowdown_distance: float | None = None, self_stop_distance: float | None = None, velocity_limits: ArrayLike | None = None, acceleration_limits: ArrayLike | None = None, jerk_limits: ArrayLike | None = None, max_delta_per_tick: float | None = None, command_timeout: float | None = None, tracking_error: float | None = None, obstacle_speed: float | None = None, command_latency: float | None = None, filter: str | None = None, filter_cutoff: float | None = None, filter_beta: float | None = None, filter_speed_cutoff: float | None = None, blend_time: float | None = None) -> Mpc: ...
    @property
    def dof(self, /) -> int:
        """
        Number of joints.
        """
    def error(self, /) -> dict[str, Any] | None:
        """
        How far the arm is from its target: a dict with `position`, m, and `rotation`, rad, or with `joints`, the largest of them; None
        without a target.
        """
    @property
    def goes_straight(self, /) -> bool:
        """
        Whether the arm now goes straight to its target, as a servo does by itself.
        """
    @property
    def rate_hz(self, /) -> float:
        """
        Ticks per second.
        """
    def set_joint_target(self, /, positions: ArrayLike) -> None:
        """
        Commands positions of the joints (dof,), until another target or `stop`.

        Raises:
            InputError: Wrong sizes, NaN, joints outside their limits; the last target then stays.
        """
    def set_state(self, /, positions: ArrayLike, velocities: ArrayLike | None = None) -> None:
        """
        Begins at a state that the arm has. Target and plan are forgotten.

        Args:
            positions: (dof,), rad or m.
            velocities: (dof,), rad/s or m/s; None is rest.

        Raises:
            InputError: Wrong sizes, NaN.
            PlanningError: A state in contact (names the pair).
        """
    def set_target(self, /, pose: Any) -> None:
        """
        Commands a pose of the tool in the base of the group (`Pose` or 4×4), until another target or `stop`.

        Raises:
            InputError: NaN, a group without one tool; the last target then stays.
        """
    def stop(self, /) -> None:
        """
        Commands to stop: the arm brakes, and target and plan are forgotten.
        """
    def tick(self, /) -> dict[str, Any]:
        """
        Moves for one period of the servo, and optimizes first where a period of this control begins; answers as
        `Servo.send_twist`.

        Raises:
            InputError: No state.
        """

@final
class ObjectTracker:
    """
    Follows objects from frame to frame by their positions.

    Each object is expected where its velocity leads it; the nearest pairs of expected and measured positions are the same object, one
    after the other.

    Args:
        max_distance: A measured object is at most this far from where it is expected, m.
        confirm_after: An object counts after so many frames with it.
        forget_after: An object is gone when it was not seen for longer than this, s.

    Example:
        >>> import kinetic
        >>> tracker = kinetic.ObjectTracker(confirm_after=2)
        >>> tracker.update([[0.5, 0.0, 0.1]], timestamp=0.0)["ids"].tolist()
        [0]
        >>> tracker.update([[0.8, 0.2, 0.1], [0.51, 0.0, 0.1]], timestamp=0.1)["ids"].tolist()
        [1, 0]
    """
    def __new__(cls, /, max_distance: float = ..., confirm_after: int = ..., forget_after: float = ...) -> ObjectTracker: ...
    def __repr__(self, /) -> str: ...
    @property
    def objects(self, /) -> list[dict[str, Any]]:
        """
        The objects in order of their numbers: `id`, `position` (3,), `velocity` (3,), `born` and `seen` (s), `hits` (frames with it) and
        `is_confirmed`.
        """
    def update(self, /, positions: ArrayLike, timestamp: float) -> dict[str, Any]:
        """
        Takes the positions of the objects of a frame.

        Args:
            positions: Positions (N, 3), m: of clusters the means, or the middles of boxes.
            timestamp: When they were measured, s; after that of the frame before.

        Returns:
            `ids` (N,): the number of the object at each position; `confirmed` and `lost`: numbers of objects that count from this
            frame on, and of those that counted and are gone.

        Raises:
            InputError: Positions that are not finite, or a time that is not after that of the frame before; nothing has changed then.
        """

@final
class Octree:
    """
    An occupancy map that sensors fill: a tree of cubes whose cells are free, occupied or unknown (OctoMap, Hornung et al. 2013).

    Each cell has log-odds, which hits raise and misses lower, both within bounds, so that a map follows what changes. Cells before a
    measured point are cleared. Points are in the frame of the map, usually the root frame of the robot. Insertions and queries of
    several threads wait for each other.

    Args:
        resolution: Edge of the smallest cells, m. There are 65,536 of them along each axis, half of them below 0.
        hit: Probability that a cell which was hit is occupied, above 0.5.
        miss: Probability that a cell which was passed is occupied, below 0.5.
        clamp_min: Least probability that a cell gets.
        clamp_max: Largest one.
        occupancy_threshold: Probability from which on a cell counts as occupied.

    Raises:
        InputError: A value outside its domain.

    Example:
        >>> import kinetic
        >>> octree = kinetic.Octree(resolution=0.05)
        >>> report = octree.insert_cloud([[1.01, 0.01, 0.01]], sensor_origin=[0.01, 0.01, 0.01])
        >>> report["cells_hit"], report["cells_missed"]
        (1, 20)
        >>> octree.is_occupied([1.01, 0.01, 0.01]), octree.is_unknown([2.0, 0.0, 0.0])
        (True, True)
    """
    def __eq__(self, other: object, /) -> bool: ...
    def __len__(self, /) -> int:
        """
        Number of leaves.
        """
    def __new__(cls, /, resolution: float = ..., *, hit: float = ..., miss: float = ..., clamp_min: float = ..., clamp_max: float = ..., occupancy_threshold: float = ...) -> Octree: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(config: tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex], content: bytes) -> Octree:
        """
        The map that pickle stored as the content of its `.ot` file and its sensor model.
        """
    def cast_ray(self, /, origin: ArrayLike, direction: ArrayLike, max_range: float | None = None, *, ignore_unknown: bool = False) -> NDArray[float64] | None:
        """
        Centre (3,) of the first occupied cell that a ray enters; None where there is none within `max_range` (m, None for no bound), or
        an unknown cell comes before and `ignore_unknown` does not say to pass through it.

        Raises:
            InputError: A direction of length 0, or a negative range.
        """
    def clear(self, /) -> None:
        """
        Forgets all.
        """
    def decay(self, /, factor: float, forget_below: float = ...) -> None:
        """
        Moves all that is known towards unknown: multiplies log-odds by `factor` and forgets cells whose log-odds are then within
        `forget_below` of 0.

        Raises:
            InputError: A factor outside of 0 to 1, or a negative bound.
        """
    def distance(self, /, point: ArrayLike) -> float:
        """
        Distance from a point (3,) to the nearest occupied leaf, m, 0 inside; infinite where nothing is occupied.
        """
    def insert_cloud(self, /, points: Any, sensor_origin: ArrayLike, max_range: float | None = None) -> dict[str, Any]:
        """
        Inserts measured points: their cells are hit, the cells between them and the sensor are missed.

        In one insertion a cell is updated once, and hits win. One ray goes to the centre of every cell with points. Ctrl-C stops it; nothing
        is inserted then.

        Args:
            points: Points (N, 3) in the frame of the map, m, float32 or float64; those that are not finite are dropped.
            sensor_origin: Where the sensor was, (3,), m.
            max_range: Points farther away clear up to this range and hit nothing, m; None for no bound.

        Returns:
            What became of the points: `points`, `not_finite`, `outside` (of the map), `rays`, `cells_hit`, `cells_missed`.

        Raises:
            InputError: A sensor outside of the map, or a range that is not positive.
        """
    def is_occupied(self, /, point: ArrayLike) -> bool:
        """
        Whether the cell of a point (3,) counts as occupied.
        """
    def is_unknown(self, /, point: ArrayLike) -> bool:
        """
        Whether nothing was measured in the cell of a point (3,), or the point is beyond the map.
        """
    def leaves(self, /, low: ArrayLike | None = None, high: ArrayLike | None = None) -> dict[str, Any]:
        """
        The leaves of the tree in a fixed order, neighbouring equal cells as one.

        Args:
            low: Lowest corner (3,) of a box, m; None for all leaves.
            high: Its highest corner.

        Returns:
            `centers` (N, 3) and `sizes` (N,), m, `log_odds` (N,) and `occupied` (N,).

        Raises:
            InputError: One corner alone, or corners that are not the lowest and the highest.
        """
    def leaves_within(self, /, point: ArrayLike, radius: float) -> dict[str, Any]:
        """
        The leaves within a radius (m) of a point (3,), by their nearest points; as `leaves`.

        Raises:
            InputError: A negative radius.
        """
    def log_odds(self, /, points: ArrayLike) -> NDArray[float64]:
        """
        Log-odds of the cells of points (N, 3): (N,), NaN where they are unknown.
        """
    @property
    def memory_bytes(self, /) -> int:
        """
        Bytes that the nodes take.
        """
    @property
    def num_nodes(self, /) -> int:
        """
        Number of nodes, inner ones included.
        """
    def occupied_cells(self, /) -> NDArray[int64]:
        """
        Indices (N, 3) of the occupied cells at the finest resolution, ascending: cell (i, j, k) reaches from resolution · (i, j, k)
        to the next ones.

        Raises:
            InputError: More than 2²⁶ cells are occupied.
        """
    def occupied_shape(self, /) -> Shape:
        """
        The occupied cells as one shape in the frame of the map, for `Scene.add`.

        Raises:
            InputError: Nothing is occupied, or more than 2²⁶ cells are.
        """
    def probability(self, /, point: ArrayLike) -> float | None:
        """
        Probability that the cell of a point (3,) is occupied; None where it is unknown.
        """
    def project(self, /, min_height: float, max_height: float) -> dict[str, Any]:
        """
        The map between two heights (m) seen from above.

        Returns:
            `columns` (X, Y), 1 where a cell is occupied, 0 where none is and one is free, -1 where nothing is known; `origin` (2,), where the
            corner of the first column is, m, and `resolution`.

        Raises:
            InputError: Heights that are not in order, or more than 2²⁶ columns.
        """
    @staticmethod
    def read(path: str | PathLike[str]) -> Octree:
        """
        Reads a `.bt` or `.ot` file of OctoMap. The resolution is that of the file, the sensor model the default one; cells of a `.bt` file
        have the least or the largest log-odds.

        Raises:
            InputError: A file that is damaged or no map of plain occupancy.
            OSError: The file cannot be read.
        """
    @property
    def resolution(self, /) -> float:
        """
        Edge of the smallest cells, m.
        """
    def sight(self, /, viewpoint: ArrayLike, points: ArrayLike, tolerance: float | None = None) -> dict[str, Any]:
        """
        What is between a viewpoint (3,) and points (N, 3): which of them a camera there sees.

        Args:
            viewpoint: Where the camera is, in the frame of the map, m.
            points: What it may see, m.
            tolerance: Cells that the line of sight enters less than this before the point do not count, m: those of the surface that the
                point lies on. None for the diagonal of a cell.

        Returns:
            A dict of (N,) booleans: `visible`, where all cells in between are free; `occluded`, where one of them is occupied; `unknown`,
            where none is as far as is known.

        Raises:
            InputError: A viewpoint beyond the tree, a negative tolerance, or NaN. Ctrl-C ends it too.
        """
    def unknown_shape(self, /, low: ArrayLike, high: ArrayLike) -> Shape:
        """
        The unknown cells of a box as one shape in the frame of the map: what no sensor has seen, as an obstacle.

        Args:
            low: Lowest corner (3,) of the box, m. The cells of the corners are in it.
            high: Its highest corner.

        Raises:
            InputError: Nothing is unknown there, more than 2²⁴ cells are, or corners that are not the lowest and the highest.
        """
    def update(self, /, point: ArrayLike, occupied: bool) -> None:
        """
        Takes one measurement of a cell into account: a hit where it is `occupied`, otherwise a miss.

        Raises:
            InputError: A point beyond the map.
        """
    def write(self, /, path: str | PathLike[str]) -> None:
        """
        Writes a `.bt` file, which says of cells whether they are free or occupied, or an `.ot` file, which has their log-odds too; by the
        ending of the name.

        Raises:
            InputError: Another ending.
            OSError: The file cannot be written.
        """

@final
class OutlierFilter:
    """
    Which points of a cloud are taken for measurement errors.

    Example:
        >>> from kinetic import OutlierFilter
        >>> OutlierFilter.radius(0.05, min_neighbors=4)
        OutlierFilter.radius(0.05, min_neighbors=4)
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def radius(radius: float, min_neighbors: int) -> OutlierFilter:
        """
        Points that have fewer than `min_neighbors` others within `radius` (m).
        """
    @staticmethod
    def statistical(neighbors: int = ..., std_ratio: float = ...) -> OutlierFilter:
        """
        Points whose mean distance from their nearest neighbours exceeds the mean of all points' by more than `std_ratio` standard
        deviations, as the Point Cloud Library has it.
        """

@final
class PathTolerance:
    """
    What a pose of a path leaves free: a turn about an axis of the tool, a cone about that axis, and a box of positions.

    Args:
        axis: "x", "y", "z", or a direction in the frame of the tool; the axis about which the tool may turn.
        angle: Largest turn in either direction, rad; None for any turn when there is an axis.
        position: Half lengths of the box along the axes of the target, m; one number for all three.
        cone: Largest angle between the axis and where the target has it, rad, up to π/2.

    Raises:
        InputError: A direction of no length, an angle outside [0, π], a cone outside [0, π/2], or lengths that are negative or not
            finite.

    Example:
        >>> from kinetic import PathTolerance
        >>> PathTolerance("z")
        PathTolerance(axis=[0.0, 0.0, 1.0], angle=3.141592653589793, position=[0.0, 0.0, 0.0], cone=0.0)
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __getnewargs__(self, /) -> tuple[list[float], float, list[float], float]: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, axis: str | ArrayLike | None = None, angle: float | None = None, position: ArrayLike | None = None, cone: float | None = None) -> PathTolerance: ...
    def __repr__(self, /) -> str: ...
    @property
    def angle(self, /) -> float:
        """
        Largest turn in either direction, rad.
        """
    @property
    def axis(self, /) -> NDArray[float64]:
        """
        Axis of the tool about which it may turn (3,).
        """
    @property
    def cone(self, /) -> float:
        """
        Largest angle between the axis and where the target has it, rad.
        """
    @property
    def position(self, /) -> NDArray[float64]:
        """
        Half lengths of the box of positions (3,), m.
        """

@final
class Payload:
    """
    A rigid body that a robot carries.

    Args:
        mass: Mass, kg.
        com: Centre of mass (3,) in the frame that the payload is mounted at, m.
        inertia: Tensor (3, 3) about the centre of mass, in the axes of that frame, kg m²; None for a point mass.
        link: Link that it is fixed to; None for the tip of the group.
        pose: Pose of the frame in the link, 4×4; None for the tool where `link` is None, else for the link's own frame.

    Raises:
        InputError: A mass that is not positive, or a tensor that no body has.

    Example:
        >>> from kinetic import Payload
        >>> Payload(2.0, com=[0.0, 0.0, 0.05]).mass
        2.0
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, mass: float, com: ArrayLike = ..., inertia: ArrayLike | None = None, *, link: str | None = None, pose: Any | None = None) -> Payload: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(mass: float, com: ArrayLike, inertia: ArrayLike, link: str | None, pose: Any | None) -> Payload:
        """
        The payload that pickle stored.
        """
    @property
    def com(self, /) -> NDArray[float64]:
        """
        Centre of mass (3,) in the frame that the payload is mounted at, m.
        """
    @property
    def inertia(self, /) -> NDArray[float64]:
        """
        Tensor (3, 3) about the centre of mass, kg m².
        """
    @property
    def link(self, /) -> str | None:
        """
        Link that it is fixed to; None for the tip of the group.
        """
    @property
    def mass(self, /) -> float:
        """
        Mass, kg.
        """

@final
class PerceptionPipeline:
    """
    Named sensors that feed the objects of a scene, at their own rates.

    A sensor has room for one measurement: a newer one replaces it, so that a slow consumer never blocks a fast producer and works on
    what is newest; what is replaced is counted. Each measurement is registered by the frame tree at its own time, and points on the
    robot are dropped by its joint values at that time. One that is ahead of the transforms or of the joint values waits for them.

    Args:
        scene: The scene that is fed; planners, servos and others take its snapshots meanwhile.
        frames: The tree of frames in which sensors are, with a history that is longer than the latency of the sensors. The links of
            the robot are put into it by `update_robot`.

    Raises:
        InputError: A tree without history: what was measured before the newest joint values would be stale.

    Example:
        >>> import kinetic
        >>> scene, frames = kinetic.Scene("ur5e"), kinetic.FrameTree(history=10.0)
        >>> frames.set_static("base_link", "lidar", kinetic.Pose.from_xyz(0.0, 0.0, 1.0))
        >>> pipeline = kinetic.PerceptionPipeline(scene, frames)
        >>> pipeline.add_sensor("lidar", frame="lidar", object="seen")
        >>> pipeline.update_robot([0.0] * 6, timestamp=5.0)
        >>> pipeline.push_points("lidar", [[1.0, 0.0, -0.5]], timestamp=5.0)
        >>> pipeline.process(), scene.objects
        (['lidar'], ['seen'])
    """
    def __enter__(self, /) -> PerceptionPipeline: ...
    def __exit__(self, /, exception_type: Any | None = None, exception: Any | None = None, traceback: Any | None = None) -> None: ...
    def __new__(cls, /, scene: Scene, frames: FrameTree) -> PerceptionPipeline: ...
    def __repr__(self, /) -> str: ...
    def add_sensor(self, /, name: str, frame: str, object: str, *, camera: ArrayLike | None = None, output: str = ..., filter_robot: bool = True, margin: float = ..., time_to_live: float | None = None, min_depth: float = ..., max_depth: float = ..., depth_scale: float = ..., distortion: ArrayLike | None = None, fisheye: bool = False, flying_pixel_ratio: float | None = None, sphere_radius: float = ..., max_points: int | None = ..., voxel_size: float | None = None, crop: tuple[ArrayLike, ArrayLike] | None = None, hysteresis: bool = False, outliers: OutlierFilter | None = None, resolution: float = ..., max_range: float | None = None, robot_padding: float = ..., link_paddings: dict[str, float] = ..., objects: Sequence[str] = ..., object_padding: float = ...) -> None:
        """
        Adds a sensor.

        Args:
            name: A new name.
            frame: Frame of its measurements in the frame tree; for a camera its optical frame (x right, y down, z forward). The
                sensor is at its origin.
            object: Object of the scene that its measurements become. Several sensors of one resolution may feed one map.
            camera: fx, fy, cx, cy of a depth camera, pixels; None for a sensor of points.
            output: "cloud", the points of the last measurement, or "octree", an occupancy map of all of them.
            filter_robot: Drop points on the robot; it needs `update_robot`.
            margin: Least padding of the object, m: errors of calibration, noise and latency as one number.
            time_to_live: How long the object stays without a measurement, s, by the newest time of a measurement or of joint values;
                None for ever. An object that several sensors feed stays as long as one of them lets it.
            min_depth: As for `Scene.update_from_depth`, as `max_depth`, `depth_scale`, `distortion`, `fisheye` and
                `flying_pixel_ratio`.
            sphere_radius: As for `Scene.add_pointcloud`, as `max_points`, `voxel_size`, `crop` and `hysteresis`; for
                clouds.
            outliers: As for `Scene.add_pointcloud`, as the paddings and `objects`.
            resolution: As for `Scene.update_octree`, as `max_range`; for maps.

        Raises:
            InputError: A name or an object that is taken, or an option that cannot be used.
        """
    @property
    def is_running(self, /) -> bool:
        """
        Whether the thread runs.
        """
    def process(self, /) -> list[str]:
        """
        Makes all measurements that can be registered part of the scene, in order of their times, and returns the names of their
        sensors. What is refused is counted, and the scene stays as it was. Then objects whose time to live is over go. Ctrl-C stops it.
        """
    def push_depth(self, /, sensor: str, depth: Any, timestamp: float) -> None:
        """
        Delivers a depth image, which is copied. It replaces one of the sensor that was not yet looked at, unless that is newer.

        Args:
            sensor: Name of a sensor with a camera.
            depth: Depths along the optical axis (H, W): float32 or float64 in m, or uint16 in units of the camera.
            timestamp: When the image was taken, s.

        Raises:
            InputError: An unknown sensor, one without a camera, or an array that is no image.
        """
    def push_points(self, /, sensor: str, points: Any, timestamp: float) -> None:
        """
        Delivers points, which are copied in single precision. They replace those of the sensor that were not yet looked at, unless
        these are newer.

        Args:
            sensor: Name of a sensor.
            points: Points (N, 3) in the frame of the sensor, m, as for `Scene.add_pointcloud`.
            timestamp: When they were measured, s.

        Raises:
            InputError: An unknown sensor, or an array that is none of points.
        """
    def remove_sensor(self, /, name: str) -> bool:
        """
        Removes a sensor; False when there is none of that name. What it has fed to the scene stays.
        """
    def reset(self, /) -> None:
        """
        Forgets all times: where the joints were, when sensors were heard last, and measurements that wait. Sensors, their counters and the
        objects of the scene stay. For clocks that were set back, with `FrameTree.clear_dynamic`.

        Raises:
            InputError: Inside an edit of the scene by this thread, which measurements may be waiting for.
        """
    @property
    def sensors(self, /) -> list[str]:
        """
        Names of the sensors, sorted.
        """
    def start(self, /) -> None:
        """
        Starts a thread that processes measurements as they arrive, until `stop`. It is started once.
        """
    def statistics(self, /, name: str) -> dict[str, Any]:
        """
        What became of the measurements of a sensor since it was added: `received`, `processed`, `dropped` (a newer one was there
        before they were looked at), `stale` (from before what is remembered), `failed` with `last_error`, `expired` (how often its object
        was removed since its time to live was over), `is_waiting`, and of the last one that was processed `last_timestamp`,
        `last_duration` (s), `longest_duration` (s), `last_cloud` and `last_insertion`.

        Raises:
            InputError: There is no sensor of that name.
        """
    def stop(self, /) -> None:
        """
        Ends the thread that `start` has started, and gives up the measurement that it works on.
        """
    def update_robot(self, /, q: ArrayLike, timestamp: float) -> None:
        """
        Says where the joints were: it moves the links in the frame tree and tells the filter where the robot was.

        Args:
            q: Joint values of the default group of the scene's robot, or of the whole robot.
            timestamp: When they were true, s.

        Raises:
            InputError: Values of another length or NaN, and a time that the history of the frame tree does not reach back to, as after a clock
                was set back: then `reset` begins anew.
        """

@final
class PlanExecuteLoop:
    """
    Plans, executes, watches the scene and the feedback, and replans from where the robot is measured.

    What is left of a motion is proven anew whenever the planner's scene was edited, by whichever thread. Where something is in the
    way, the robot stops along its path before the contact, or leaves for another motion whose connection is proven as well; `replan`
    says which. Functions are called as for `RealTimeExecutor.start`; the GIL is taken for them alone.

    Args:
        planner: What plans; its scene is watched.
        executor: A `RealTimeExecutor` with a `command_callback`, or a `SimExecutor`, whose robot stands at `joints` and needs none.
        command_callback: As for `RealTimeExecutor.start`, and so the following.
        feedback: Between motions it says where the robot stands; without, it stands where it was last commanded to be.
        on_stop: A second way to the robot.
        progress: Called after every command.
        speed_scaling: The part of the commanded speed at which the controller runs.
        joints: Where the robot stands (dof,), for executors without feedback.
        time_parameterize: True for the default time law, or the name of one.
        max_replans: New motions that may follow the first one, spliced in or after a stop.
        replan: When a blocked motion is left: "immediate" stops at once; "deferred" goes on as long as a stop still ends before the
            contact; "splice" as well, and leaves for another motion without a stop where one is proven in time.
        recovery: What is done when no motion is found: "abort" raises the error of the planner; "hold" waits for a change of the
            scene; "relaxed_retry" tries once more with another seed and four times the budgets.
        latency: Seconds from an edit of the scene to the first command of a stop or splice, at most.
        timeout: Seconds in which the goal has to be reached; None for no limit.

    Raises:
        InputError: Options outside their domain, an unknown strategy or time law, a function that the executor does not call, or one
            that it needs and that is not given.

    Example:
        >>> import kinetic
        >>> robot = kinetic.Robot("ur5e")
        >>> planner = kinetic.Planner(robot, kinetic.Scene(robot))
        >>> loop = kinetic.PlanExecuteLoop(planner, kinetic.SimExecutor(), joints=robot.named_pose("home"))
        >>> result = loop.move_to("ready")
        >>> result["replans"], result["execution"]["verified"]
        (0, True)
    """
    def __new__(cls, /, planner: Planner, executor: RealTimeExecutor | SimExecutor, command_callback: Callable[..., object] | None = None, feedback: Callable[..., object] | None = None, on_stop: Callable[..., object] | None = None, progress: Callable[..., object] | None = None, speed_scaling: Callable[..., object] | None = None, *, joints: ArrayLike | None = None, time_parameterize: bool | str = ..., max_replans: int = ..., replan: str = ..., recovery: str = ..., latency: float = ..., timeout: float | None = None) -> PlanExecuteLoop: ...
    def __repr__(self, /) -> str: ...
    @property
    def config(self, /) -> dict[str, Any]:
        """
        The options by the names of their keywords.
        """
    @property
    def joints(self, /) -> NDArray[float64] | None:
        """
        Where the robot was when it was last heard of (dof,), or None.
        """
    def move_cartesian(self, /, path: CartesianPath | Any, config: CartesianConfig | None = None) -> dict[str, Any]:
        """
        Moves the tool along a path, from where it is measured to be, as `Planner.plan_cartesian` does; the robot stands when this
        returns or raises.

        After a stop on the way the tool goes along what is left of the path, and never around an obstacle: with recovery "hold" it
        waits until the path is free. The robot does not leave the path for another motion: "splice" is "deferred" here.

        Args:
            path: A `CartesianPath`, or a pose to go to on a line.
            config: A `CartesianConfig`; None for the margins of the planner.

        Returns:
            As `move_to`.

        Raises:
            PlanningError, ExecutionError, InputError: As `move_to` and `Planner.plan_cartesian`; `CartesianPathIncomplete` where the
                path cannot be followed to its end: the tool does not begin.
        """
    def move_to(self, /, goal: Goal | Pose | str | ArrayLike | dict[str, Any]) -> dict[str, Any]:
        """
        Moves the robot to a goal, from where it is measured to be; it stands when this returns or raises.

        Ctrl-C stops the robot along its path, and is raised after that.

        Args:
            goal: As for `Planner.plan`.

        Returns:
            A dict of `trajectory` (the last motion, with its certificate), `execution` (how it went, as
            `RealTimeExecutor.execute`), `total_duration` (s, planning, holding and moving together), `replans` (motions that
            followed the first one), `splices` (those among them without a stop) and `final_joints` (dof,).

        Raises:
            PlanningError: No motion is found, or the time is over; the robot stands.
            ExecutionError: What ended an execution, see the table of faults; `Aborted` when the scene has blocked motions more
                often than `max_replans`. `error.__cause__` is what a function has raised.
            InputError: Nobody knows where the robot stands, or the command callback is in use.
        """

@final
class Planner:
    """
    Plans motions of one planning group.

    Links that the group moves and that have no collision shapes are not checked: a `KineticWarning` names them.

    Every `plan` sees the robot's tool and the scene as they are at that moment. Options that are not given keep the
    value of the preset.

    Args:
        robot: The robot, or the name of a built-in one.
        scene: What stands around it; None for nothing.
        timeout: Time budget of a plan, s (default 5).
        planner_type: Name of the planner; "auto" picks one, `planner_used` says which.
        collision_margin: Distance to keep from the world, m (default 0.02).
        self_margin: Distance to keep between links of the robot, m (default 0).
        smooth: Whether the corners of the path are cut (default True).
        shortcut_iterations: Attempts of the random shortcut; 0 leaves the path as the search found it, but for its corners
            (default 100).
        workspace_bounds: Lowest and highest corner of a box in the robot's root frame that the tool's origin stays in, m: an
            array (2, 3).
        preset: "default"; "realtime" (10 ms, 1 cm margin, no smoothing); "offline" (all of 60 s for quicker and quicker
            motions, 500 shortcuts).
        group: Planning group; a list of names for several together, whose joint vectors stand one after the other; None for
            the robot's selected one.
        rng_seed: Seed of everything random: the same seed gives the same plan (default 0).
        max_iterations: Iteration budget of the search; no limit where none is stated.
        joint_weights: How much one radian or metre of each joint counts in distances and lengths, instead of the robot's
            weights: (dof,), or a dict by joint name for some, from 1e-3 to 1e3. Only their ratios matter to the search.
        minimise: What the whole budget is used to make small, instead of ending with the first path, shortened: "length" or
            "time", under all limits of the planner with the time law that is asked for; "auto" then picks
            "aorrtc", for which None means "length". `gcs` ends by itself, and with "time" has limits of velocity in its programme.
        torque_limits: Whether timed motions keep the effort limits of the robot's description, proven at every instant: the
            law "totp" as fast as they allow, others evenly slower; the certificate has `max_torque_ratio` (default False).
        payload: What the robot carries, for its torques: a `Payload`, or the mass (kg) of a point at the tool.
        gravity: Gravity in the axes of the root link, m/s², for the torques of a robot on a wall or a ceiling: (3,). None is that of
            the Earth along −z.
        constraints: Conditions that every motion keeps at every instant, all of them: a list of `Constraint`. "auto" then picks
            "cbirrt"; the certificate has `constraints` (default []).
        project_start: Whether a start that does not keep the constraints is projected onto them: the motion begins at the projected
            start (default False).
        fix_start: Largest change of a joint by which a start outside its limits or in contact is moved to a valid one, rad or m; 0
            moves none. The plan begins at the valid one, and its `lead_in` is the motion there, which has no certificate.
            Starts of sequences and of Cartesian paths are not moved (default 0).
        prefer: Which of the configurations that meet a goal the motion ends at, instead of the one that the search connects first:
            "distance", the nearest to the start with `joint_weights`; "time", that of least travel time under the limits of
            velocity and acceleration; "clearance", the farthest from the world, in an empty scene from the robot itself. It
            is searched for alone; where it is not reached, with the four best, the sixteen best, and so on.
        projection: What the planner `kpiece` projects configurations onto, instead of the position of the tool where there is one:
            "tool"; "joints", the first joints of the group, at most three; or "random", two directions that follow from the seed.
            Other planners project nothing.
        state_cost: What the planners `bitrrt` and `stomp` avoid: configurations that cost much, by "clearance", near the world;
            "joint_centring", near joint limits; "manipulability", near singularities; "torque", held still against gravity by
            much of the effort limits, with `payload` and `gravity`; or a function of joint values (dof,) that returns a finite
            number of at least 0. "auto" then picks "bitrrt", for which None is "clearance"; `stomp` avoids contact alone then,
            and others refuse it. A planner with a function cannot be pickled; a problem that is saved keeps the name "function" alone, and
            is refused when it is solved again. What a function raises ends the plan, as the cause of its `InputError`.
        num_seeds: Initial trajectories that the planners `chomp`, `stomp` and `trajopt` try before they give up, the straight line first;
            None until the budget ends. Other planners optimise no trajectory.
        lazy_roadmap: Whether the planners `prm` and `prm_star` look at edges of their roadmap only when a path needs them, and not when they
            are made. Either way those of a path are proven. Other planners have no roadmap (default False).
        convex_relaxation: Whether the planner `gcs` solves the convex relaxation of its whole graph as well, for shorter paths and a lower
            bound of their length, in `last_stats`. It takes seconds, of what the search leaves of the budget. Other planners have no
            convex regions (default False).
        refine: What shortens timed motions after their path was found: "trajopt", a spline in time that leaves the path where that is
            free. The motion is as fast as limits and obstacles allow near the path, and proven as others are; `path` stays. Not
            together with constraints or torque limits.
        fallback: Planners that follow the one that was asked for, in this order, where it finds nothing: a list of names. Each
            has an equal share of the time and iterations that are left; `last_stats` says which one solved it (default []).
        race: Whether the planners of `fallback` run beside the one that was asked for, each with the whole iteration budget, and
            the best answer is taken, or with "first" the first one, which depends on the clock. The best one is the shortest
            path, or with `minimise="time"` the quickest motion; it needs `max_iterations`, and `timeout` holds as well
            (default False).
        profile: Name of a table of options in the robot's `kinetic.toml`, `[profiles.NAME]`, which hold instead of those of the
            preset.
        device: Where many initial trajectories are optimised together, by the planner "trajopt": "auto", "cpu", "gpu" and others, as
            for `with_device`, which has options of its own. None for planners that need no device.
        velocity_scaling: Factor of the velocity limits, in (0, 1] (default 1).
        acceleration_scaling: Factor of the acceleration limits, in (0, 1]; jerk limits are not scaled (default 1).
        velocity_limits: Largest speed of each joint instead of the robot's, and never above it, rad/s or m/s: one number, or
            one per joint.
        acceleration_limits: Largest acceleration of each joint instead of the robot's, and never above what its model states,
            rad/s² or m/s²: likewise.
        jerk_limits: Largest jerk of each joint instead of the robot's, and never above what its model states, rad/s³ or m/s³:
            likewise.

    Raises:
        InputError: An option outside its domain, or an unknown name (the message lists those that exist).

    Example:
        >>> from kinetic import Goal, Planner, Robot
        >>> robot = Robot("ur5e")
        >>> planner = Planner(robot, timeout=2.0)
        >>> planner.plan(robot.named_pose("home"), Goal.named("ready")).is_timed
        True
        >>> planner.planner_used
        'rrt_connect'
    """
    def __new__(cls, /, robot: str | Robot, scene: Scene | None = None, timeout: float | None = None, planner_type: str = ..., collision_margin: float | None = None, self_margin: float | None = None, smooth: bool | None = None, shortcut_iterations: int | None = None, workspace_bounds: ArrayLike | None = None, preset: str | None = None, group: str | Sequence[str] | None = None, rng_seed: int | None = None, max_iterations: int | None = None, joint_weights: dict[str, float] | ArrayLike | None = None, minimise: str | None = None, *, torque_limits: bool | None = None, payload: Payload | float | None = None, gravity: ArrayLike | None = None, constraints: Sequence[Constraint] | None = None, project_start: bool | None = None, fix_start: float | None = None, prefer: str | None = None, projection: str | None = None, state_cost: str | Callable[[NDArray[float64]], float] | None = None, num_seeds: int | None = None, lazy_roadmap: bool | None = None, convex_relaxation: bool | None = None, refine: str | None = None, fallback: Sequence[str] | None = None, race: bool | str | None = None, profile: str | None = None, device: str | None = None, velocity_scaling: float | None = None, acceleration_scaling: float | None = None, velocity_limits: ArrayLike | None = None, acceleration_limits: ArrayLike | None = None, jerk_limits: ArrayLike | None = None) -> Planner: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(robot: Robot, scene: Scene | None, names: tuple[str, str], options: dict[str, Any], roadmap: Roadmap | None = None, regions: ConvexDecomposition | None = None, device: tuple[str, dict[str, Any]] | None = None) -> Planner:
        """
        The planner that pickle stored; its device is opened here.
        """
    @property
    def acceleration_limits(self, /) -> NDArray[float64] | None:
        """
        Largest acceleration of each joint that was stated instead of the robot's, or None.
        """
    @property
    def acceleration_scaling(self, /) -> float:
        """
        Factor of the acceleration limits.
        """
    def build_roadmap(self, /, vertices: int = ..., *, timeout: float | None = None, stop: StopFlag | None = None) -> Roadmap:
        """
        A roadmap of configurations that are valid in the scene as it is now, each connected with its nearest.

        Which ones follows from `rng_seed`. For "prm_star" the neighbourhoods grow with the roadmap, so that its shortest paths approach the
        shortest there are. Edges are sampled, unless `lazy_roadmap` is True, and proven when a query needs them. Ctrl-C stops it.

        Args:
            vertices: Number of configurations.
            timeout: Seconds after which the roadmap has those that it has by then; None for no limit.
            stop: Ends the work when another thread stops it, with a PlanningError.

        Raises:
            InputError: No vertices, or more than 2²²; a timeout that is not positive.
            PlanningError: Stopped, or the time was over before the first vertex.
        """
    def certify(self, /, trajectory: Trajectory) -> Trajectory:
        """
        Proves a timed motion of this planner's group, wherever it comes from: blended, spliced, retimed, joined, stopped, made
        by `Robot.tool_motion`, or read from a file.

        Joint ranges, velocities, accelerations and the planner's margins are proven to hold at every instant. Joints outside
        the group stand as the scene says. Jerk is reported and not demanded.

        Returns:
            The same motion, with a certificate.

        Raises:
            InputError: A path without time, or a motion of other joints.
            PlanningError: What does not hold: `TrajectoryInCollision` with pair, time, distance and margin, or
                `TrajectoryLimitExceeded` with joint, quantity, time, value and limit; or the timeout of the planner.

        Example:
            >>> import kinetic
            >>> robot = kinetic.Robot("ur5e")
            >>> planner = kinetic.Planner(robot)
            >>> motion = planner.plan("home", "ready")
            >>> back = motion.reverse()
            >>> back.certificate is None
            True
            >>> planner.certify(back).certificate.max_velocity_ratio <= 1.0
            True
        """
    def check_path(self, /, path: Trajectory | ArrayLike) -> None:
        """
        Proves that a path keeps the planner's margins over its whole length.

        Args:
            path: Joint values (N, dof) of the group, or a Trajectory, whose waypoints are meant.

        Raises:
            InputError: No path of this group, NaN, or outside the limits.
            PlanningError: Something comes nearer than its margin; the message names the pair.
        """
    def check_remaining(self, /, running: Trajectory, now: float) -> None:
        """
        Proves what is left of a running motion from `now` on, in the scene as it is now: every pair keeps its margin at every
        instant. Joint limits do not depend on the scene and are not looked at again.

        Args:
            running: The motion under way.
            now: Time on it, s.

        Raises:
            InputError: A path without time, a motion of other joints, or a time outside the motion.
            PlanningError: `TrajectoryInCollision` with pair, distance, margin and the first time on `running` at which the margin
                is missed; or the timeout of the planner.
        """
    @property
    def collision_margin(self, /) -> float:
        """
        Distance to keep from the world, m.
        """
    def constraint_deviations(self, /, q: ArrayLike) -> list[dict[str, Any]]:
        """
        How far `q` (dof,) is from what each constraint of the planner demands: a dict each with `constraint`, `deviation` and
        `tolerance`, rad or m.

        Raises:
            InputError: Another number of joints, or NaN.
        """
    @property
    def constraints(self, /) -> list[Constraint]:
        """
        Conditions that every motion keeps.
        """
    def convex_decomposition(self, /, seeds: ArrayLike | None = None, regions: int = ..., *, collision_fraction: float = ..., confidence: float = ..., margin: float = ..., iterations: int = ..., least_growth: float = ..., timeout: float | None = None, stop: StopFlag | None = None) -> ConvexDecomposition:
        """
        Grows convex regions of configurations that are valid in the scene as it is now (IRIS-ZO, Werner and others 2024): one around each
        seed, then around edges of paths between regions that do not hang together, then around random configurations that are in none.

        A region may be in collision in places, of which the options state how many; paths through regions are proven before they are used.
        Which regions grow follows from `rng_seed`, whatever the number of processors that they grow on. Ctrl-C stops it.

        Args:
            seeds: Configurations that get a region each, unless an earlier one contains them: (N, dof). None for random ones.
            regions: Number of regions at most.
            collision_fraction: Largest fraction of a region that is in collision, from 1e-4 to below 1.
            confidence: How sure that is of what grows with one ellipsoid, above 0 and below 1.
            margin: How far faces stay away from configurations that are known to collide, a distance of the joint space.
            iterations: Ellipsoids that a region may grow with.
            least_growth: Growth of the volume of its ellipsoid, as a part of it, below which a region has grown up.
            timeout: Seconds after which there are the regions that there are by then; None for no limit.
            stop: Ends the work when another thread stops it, with a PlanningError.

        Raises:
            InputError: Options outside their domain, fewer regions than seeds, a seed in collision or in a place too narrow, or a planner with
                constraints.
            PlanningError: Stopped, or the time was over before the first region.
        """
    @property
    def convex_relaxation(self, /) -> bool:
        """
        Whether the planner `gcs` solves the convex relaxation of its whole graph as well.
        """
    def decomposition_of(self, /, regions: SupportsGetItem[int, ConvexRegion], *, timeout: float | None = None, stop: StopFlag | None = None) -> ConvexDecomposition:
        """
        Convex regions from elsewhere as a decomposition for planners of this robot and group; nothing is claimed of them, and what of
        them is outside the joint limits is cut off. Ctrl-C stops it.

        Args:
            regions: The regions.
            timeout: Seconds after which it is a PlanningError; None for no limit.
            stop: Ends the work when another thread stops it, with a PlanningError.

        Raises:
            InputError: No regions, more than 1000, or one of another number of joints or outside the limits.
            PlanningError: Stopped, or the time was over.
        """
    @property
    def device(self, /) -> str:
        """
        Where trajectories are optimised: "cpu", or an adapter.
        """
    @property
    def device_options(self, /) -> dict[str, Any] | None:
        """
        The options of `with_device` as they came to be; None without a device.
        """
    @property
    def dynamics_version(self, /) -> str | None:
        """
        Hash of the dynamics that bounds on torques are proven for now, as `Certificate.dynamics` has it; None without
        `torque_limits`.

        Raises:
            InputError: A robot whose description states no masses or effort limits.
        """
    @property
    def fallback(self, /) -> list[str]:
        """
        Planners that follow the one that was asked for.
        """
    @property
    def fix_start(self, /) -> float:
        """
        Largest change of a joint by which a start that is not valid is moved, rad or m.
        """
    def fk(self, /, q: ArrayLike) -> NDArray[float64]:
        """
        Pose of the tool in the group's base, 4×4.
        """
    @property
    def gravity(self, /) -> NDArray[float64] | None:
        """
        Gravity (3,) in the axes of the root link for the torques, m/s², or None for that of the Earth along −z.
        """
    @property
    def group(self, /) -> str:
        """
        The planning group.
        """
    def ik(self, /, target: Any) -> NDArray[float64]:
        """
        Joint values (dof,) inside the limits that bring the tool to a pose; collisions are not looked at.

        Raises:
            IKError: None were found.
        """
    def is_in_collision(self, /, q: ArrayLike) -> bool:
        """
        True when `q` misses a margin of this planner.
        """
    @property
    def jerk_limits(self, /) -> NDArray[float64] | None:
        """
        Largest jerk of each joint that was stated instead of the robot's, or None.
        """
    @property
    def joint_weights(self, /) -> NDArray[float64]:
        """
        How much one radian or metre of each joint counts in distances and lengths (dof,).
        """
    @property
    def last_stats(self, /) -> dict[str, Any]:
        """
        Figures of the last plan; empty before the first and after one that failed.

        Times in s: `planning_time`, `simplification_time`, `verification_time`, `refinement_time`; `unrefined_duration`, that of the
        motion that was shortened, None where none was. Lengths, Euclidean in joint space with
        `joint_weights`: `raw_length`, `path_length`; `lower_bound` of `raw_length` among the paths that `gcs` can find, None where that
        is not known, as with joints without limits; with `minimise="time"` one of the time under limits of velocity, s. Counts: `iterations`, `tree_size`, `checks`. Also `goal_index` (which goal of a set
        was reached), `goal_turns` (by how many full turns each joint ends away from the values of a joint goal or a named
        one; empty for other goals), `planner_used`, `chosen_by_clock` (whether time ended a planner of `fallback` that the path
        is not of, or whichever came first was taken, so that another machine may choose otherwise), `passed_over` (the planners of
        `fallback` that have no answer: pairs of name and reason, also what a planner in Python raised) and `scene_version`.
        """
    @property
    def lazy_roadmap(self, /) -> bool:
        """
        Whether the planners "prm" and "prm_star" look at edges of their roadmap only when a path needs them, and not when they are made.
        """
    @property
    def limits(self, /) -> dict[str, Any]:
        """
        The limits that motions keep (dof,): a dict of `velocity`, `acceleration` and `jerk` (None where jerk is free), with
        the factors in them.
        """
    @property
    def max_iterations(self, /) -> int | None:
        """
        Iteration budget; None for no limit.
        """
    @property
    def minimise(self, /) -> str | None:
        """
        `"length"` or `"time"`, what the whole budget is used to make small, or None.
        """
    @property
    def num_seeds(self, /) -> int | None:
        """
        Initial trajectories that the planners "chomp", "stomp" and "trajopt" try; None until the budget ends.
        """
    @property
    def payload(self, /) -> Payload | None:
        """
        What the robot carries, for its torques, or None.
        """
    def plan(self, /, start_joints: str | ArrayLike, goal: Goal | Pose | str | ArrayLike | dict[str, Any], time_parameterize: bool | str = ..., *, stop: StopFlag | None = None, on_improvement: Callable[[Trajectory], object] | None = None, warm_start: Trajectory | ArrayLike | None = None, velocity_scaling: float | None = None, acceleration_scaling: float | None = None, velocity_limits: ArrayLike | None = None, acceleration_limits: ArrayLike | None = None, jerk_limits: ArrayLike | None = None) -> Trajectory:
        """
        Plans a collision-free motion; what is returned has passed verification.

        Ctrl-C stops it.

        Args:
            start_joints: Joint values of the group; in the length of the robot they say where its other joints stand.
                Or the name of a pose of the group.
            goal: A goal; or joint values, the name of a pose of the group, a pose of the tool (`Pose` or 4×4), or a dict of such by
                names of groups.
            time_parameterize: True for the default time law, the name of one, or False for a path without time.
            stop: Ends the plan when another thread stops it: with the best path of an anytime planner, else with a
                PlanningError.
            on_improvement: Called with the first path and every shorter (or quicker, see `minimise`) one, each without time and proven free; the last
                one is what is timed and returned. Anytime planners ("aorrtc") call it until the budget ends, others once.
                What it raises ends the plan.
            warm_start: A path (waypoints, dof), or a trajectory, that "chomp", "stomp" or "trajopt" start from first: as the last motion
                in a scene that has changed a little. Its shape counts; its ends are moved to the start and to the goal. A planner of type
                "auto" is "trajopt" then.
            velocity_scaling: As for `Planner`, for this call; None for what the planner has, and so the following.
            acceleration_scaling: As for `Planner`.
            velocity_limits: As for `Planner`.
            acceleration_limits: As for `Planner`.
            jerk_limits: As for `Planner`.

        Raises:
            InputError: Wrong sizes, NaN, unknown names, joint values outside their limits.
            PlanningError: Start or goal in collision, goal out of reach, budget used up, stopped.
        """
    def plan_batch(self, /, starts: ArrayLike, goals: Iterable[Goal | Pose | str | ArrayLike | dict[str, Any]] | ArrayLike, threads: int | None = None, *, time_parameterize: bool | str = ..., progress: Callable[[int, int], object] | None = None, scenes: Sequence[Scene] | None = None, stop: StopFlag | None = None, velocity_scaling: float | None = None, acceleration_scaling: float | None = None, velocity_limits: ArrayLike | None = None, acceleration_limits: ArrayLike | None = None, jerk_limits: ArrayLike | None = None) -> list[Trajectory | KineticError]:
        """
        Plans from each start to the goal of the same index, on all cores; a planner `with_device` optimises them together.

        Every item is planned like a single `plan`, with the same seed and a budget of its own; how many threads there are
        does not change what comes out. Ctrl-C stops it: the KeyboardInterrupt has the list of all items as `results`, those
        that are not planned by then as errors of code "Cancelled". So has what `progress` raises.

        Args:
            starts: Joint values (N, dof), in the length of the group or of the robot.
            goals: N goals, or joint values (N, dof), or names of poses of the group.
            threads: Number of threads; None for one per core, and for four per core `with_device`, most of which wait for it.
            time_parameterize: True for the default time law, the name of one, or False for paths without time.
            progress: Called with the number of plans done and of all, not for those that a stop leaves undone. What it raises
                ends the batch.
            scenes: The scene of each item, of the planner's robot and as it is when the call begins; None for the planner's own.
            stop: Ends the batch when another thread stops it; what is not planned by then is an error of code "Cancelled".
            velocity_scaling: As for `plan`, and so the following.
            acceleration_scaling: As for `plan`.
            velocity_limits: As for `plan`.
            acceleration_limits: As for `plan`.
            jerk_limits: As for `plan`.

        Returns:
            One entry per item, in order: the trajectory, or the exception that `plan` would have raised.

        Raises:
            InputError: Starts, goals and scenes differ in number, a scene is of another robot, there is no such time law, or the
                robot cannot have the limits.

        Example:
            >>> import kinetic
            >>> robot = kinetic.Robot("ur5e")
            >>> home, ready = robot.named_pose("home"), robot.named_pose("ready")
            >>> there, back = kinetic.Planner(robot).plan_batch([home, ready], [ready, home])
            >>> there.is_timed
            True
        """
    def plan_cartesian(self, /, start: str | ArrayLike, goal: CartesianPath | Any, config: CartesianConfig | None = None, time_parameterize: bool | str = ..., *, stop: StopFlag | None = None) -> CartesianResult:
        """
        A motion whose tool follows a path of poses, timed, proven and certified as those of `plan`.

        Branches are chosen for the whole path among those that keep the margins all along, between its samples too. Where the
        path cannot be followed to its end, the answer is the longest part from the start on, with the reason. Ctrl-C stops it.

        Args:
            start: As for `plan`.
            goal: A `CartesianPath`, or a pose of the tool in the group's base to go to on a line.
            config: Options; None for the defaults with the planner's margin.
            time_parameterize: As for `plan`. Laws other than "totp" keep speeds of the tool by being slower all along.
            stop: Ends the plan when another thread stops it.

        Raises:
            InputError: Wrong sizes, NaN, a path without length, blend radii that overlap, a tolerance that cannot be met.
            PlanningError: Start in collision, time used up, stopped.

        Example:
            >>> from kinetic import CartesianPath, Planner
            >>> planner = Planner("ur5e")
            >>> line = CartesianPath().move_by([0.0, -0.2, 0.0])
            >>> result = planner.plan_cartesian([0.3, -1.2, 1.6, -2.0, -1.5, 0.1], line)
            >>> result.fraction, result.deviation < 1e-4, result.trajectory.certificate is not None
            (1.0, True, True)
        """
    def plan_cartesian_arc(self, /, start: str | ArrayLike, via: Any, goal: Any, config: CartesianConfig | None = None, time_parameterize: bool | str = ...) -> CartesianResult:
        """
        A motion of the tool on the arc of a circle through a pose, whose orientation is met there too: `plan_cartesian` with
        `CartesianPath().arc_to(via, goal)`.

        Args:
            start: As for `plan`.
            via: A pose on the way, of the tool in the group's base.
            goal: Where the arc ends.
            config: As for `plan_cartesian`.
            time_parameterize: As for `plan_cartesian`.

        Raises:
            InputError, PlanningError: As `plan_cartesian`; InputError for three positions on one line.
        """
    def plan_constrained(self, /, start_joints: str | ArrayLike, goal: Goal | Pose | str | ArrayLike | dict[str, Any], constraints: Sequence[Constraint], time_parameterize: bool | str = ..., *, stop: StopFlag | None = None) -> Trajectory:
        """
        Plans a motion that keeps these constraints at every instant, besides those of the planner.

        The timed curve is proven to keep them, not its waypoints; the certificate has `constraints` with a bound for each.

        Args:
            start_joints: As for `plan`.
            goal: As for `plan`.
            constraints: A list of `Constraint`.
            time_parameterize: As for `plan`.
            stop: As for `plan`.

        Raises:
            InputError: As `plan`; an unknown link or joint index; two constraints that contradict each other.
            PlanningError: As `plan`; `ConstraintViolated` for a start or goal that does not keep them.

        Example:
            >>> import numpy as np
            >>> from kinetic import Constraint, Planner, Robot
            >>> planner = Planner(Robot("franka_panda"))
            >>> start = np.array([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785])
            >>> upright = Constraint.orientation("panda_hand", [0, 0, -1], 0.1)
            >>> motion = planner.plan_constrained(start, start + [1.0, 0, 0, 0, 0, 0, 0], [upright])
            >>> motion.certificate.constraints[0]["max_violation"] <= 0.0
            True
        """
    def plan_sequence(self, /, start: str | ArrayLike, items: Iterable[SequenceItem | CartesianPath | Goal | Pose | str | ArrayLike | dict[str, Any]], time_parameterize: bool | str = ..., *, stop: StopFlag | None = None) -> SequenceResult:
        """
        Motions one after the other as one trajectory, at rest between them or blended, with one certificate for all of it.

        A pose is met by several configurations, and from most of them a line that follows leads out of the limits or into
        something. All configurations that meet the goal of a free-space item are tried as starts of the Cartesian items that
        follow it, the nearest first, and the motion ends at one from which all of these can be followed to their ends. Ctrl-C
        stops it.

        Args:
            start: As for `plan`.
            items: A list of `SequenceItem`, or of what they are made of: goals as for `plan`, and Cartesian paths.
            time_parameterize: As for `plan`; without a time law there is no sequence.
            stop: Ends the plan when another thread stops it.

        Raises:
            InputError: Wrong sizes, NaN, no items; the message names the item.
            PlanningError: An item cannot be planned (`SequenceItemFailed`): `item` says which, `reason_code` and `reason` why.
                Time used up, stopped.

        Example:
            >>> from kinetic import CartesianPath, Planner, SequenceItem
            >>> planner = Planner("ur5e")
            >>> above = planner.fk([0.3, -1.2, 1.6, -2.0, -1.5, 0.1])
            >>> down = SequenceItem(CartesianPath().move_by([0.0, 0.0, -0.1]), velocity_scaling=0.3)
            >>> sequence = planner.plan_sequence("home", [above, down, "home"])
            >>> sequence.trajectory.certificate is not None, len(sequence.boundaries)
            (True, 4)
        """
    @property
    def planner_type(self, /) -> str:
        """
        The planner that was asked for.
        """
    @property
    def planner_used(self, /) -> str:
        """
        Name of the planner that `planner_type` stands for.
        """
    @property
    def prefer(self, /) -> str | None:
        """
        `"distance"`, `"time"` or `"clearance"`, what is preferred of the configurations that meet a goal, or None.
        """
    def problem(self, /, start_joints: str | ArrayLike, goal: Goal | Pose | str | ArrayLike | dict[str, Any], time_parameterize: bool | str = ..., *, velocity_scaling: float | None = None, acceleration_scaling: float | None = None, velocity_limits: ArrayLike | None = None, acceleration_limits: ArrayLike | None = None, jerk_limits: ArrayLike | None = None) -> Problem:
        """
        The problem that `plan` would solve, as a value that can be saved, solved elsewhere, and solved again.

        It holds robot, scene and options as they are now. Its budget is `max_iterations` (100,000 where that is None), not
        time, so that its answer depends on nothing else.

        Args:
            start_joints: As for `plan`.
            goal: As for `plan`.
            time_parameterize: As for `plan`.
            velocity_scaling: As for `plan`, and so the following.
            acceleration_scaling: As for `plan`.
            velocity_limits: As for `plan`.
            acceleration_limits: As for `plan`.
            jerk_limits: As for `plan`.

        Raises:
            InputError: A start that is no configuration, an unknown time law, or limits that are none. What else is wrong, `solve`
                says.
        """
    def project(self, /, q: ArrayLike) -> NDArray[float64]:
        """
        The configuration on the constraints of the planner that is found from `q` (dof,) by Newton's method with least steps; a
        configuration that keeps them well is returned as it is. Collisions are not looked at.

        Raises:
            InputError: Another number of joints, or NaN.
            PlanningError: `ConstraintViolated` where none is found: the constraint that is left most.
        """
    @property
    def project_start(self, /) -> bool:
        """
        Whether a start that does not keep the constraints is projected onto them.
        """
    @property
    def projection(self, /) -> str | None:
        """
        `"tool"`, `"joints"` or `"random"`, what the planner "kpiece" projects onto, or None.
        """
    def prove_roadmap(self, /, *, timeout: float | None = None, stop: StopFlag | None = None) -> dict[str, Any]:
        """
        Proves or refuses all edges of the roadmap in the scene as it is now. Ctrl-C stops it; what was found by then is kept.

        Args:
            timeout: Seconds after which it is a PlanningError; None for no limit. What was found by then is kept.
            stop: Ends the work when another thread stops it, with a PlanningError.

        Returns:
            As `roadmap_counts`.

        Raises:
            InputError: The planner has no roadmap, or constraints, under which nothing is kept.
            PlanningError: Stopped, or the time was over.
        """
    @property
    def race(self, /) -> bool | str:
        """
        Whether the planners of `fallback` run at the same time: True for the best answer, "first" for the first one.
        """
    @property
    def refine(self, /) -> str | None:
        """
        What shortens timed motions after their path was found: "trajopt", or None.
        """
    @property
    def regions(self, /) -> ConvexDecomposition | None:
        """
        The convex regions that queries plan through; None for a planner without.
        """
    def remaining_path(self, /, start: str | ArrayLike, path: CartesianPath | Any, arc_length: float) -> CartesianPath:
        """
        What is left of a path that was planned from `start`, when the tool has come to `arc_length`: what a robot that was stopped on
        its way has still to do, as moves to poses in the group's base.

        Args:
            start: Where the whole path began, as for `plan`.
            path: The whole path.
            arc_length: How far along it the tool has come, m, as `CartesianResult.arc_length_at` says; from 0 to the length.

        Returns:
            A `CartesianPath`; without moves at the end of the path.

        Raises:
            InputError: Wrong size, NaN, an arc length that is not on the path, a path as `plan_cartesian` refuses it.

        Example:
            >>> import kinetic
            >>> planner, q = kinetic.Planner("ur5e"), [0.3, -1.2, 1.6, -2.0, -1.5, 0.1]
            >>> down = kinetic.CartesianPath().move_by(kinetic.Pose.from_xyz(0.0, 0.0, -0.1), frame="base")
            >>> whole = planner.plan_cartesian(q, down)
            >>> half = whole.trajectory.duration / 2
            >>> left = planner.remaining_path(q, down, whole.arc_length_at(half))
            >>> bool(planner.plan_cartesian(whole.trajectory.sample(half), left).length < whole.length)
            True
        """
    @property
    def rng_seed(self, /) -> int:
        """
        Seed of everything random.
        """
    @property
    def roadmap(self, /) -> Roadmap | None:
        """
        The roadmap that queries search; None for a new one per query.
        """
    def roadmap_counts(self, /) -> dict[str, Any]:
        """
        How much of the roadmap is known in the scene as it is now.

        Returns:
            `vertices`; `edges`, and of these `proven`, `refused`, and `unproven`, which were not looked at or sampled alone.

        Raises:
            InputError: The planner has no roadmap.
        """
    @property
    def robot(self, /) -> Robot:
        """
        The robot.
        """
    @property
    def scene(self, /) -> Scene | None:
        """
        The scene that was given, or None.
        """
    @property
    def self_margin(self, /) -> float:
        """
        Distance to keep between links of the robot, m.
        """
    def shortcut(self, /, path: Trajectory | ArrayLike, attempts: int = ...) -> Trajectory:
        """
        A path whose runs of waypoints are replaced by straight edges where these are proven free.

        Args:
            path: As for `simplify`.
            attempts: Most random shortcuts between points on edges, after those between waypoints.

        Returns:
            A path without time, with the same ends, and never longer.

        Raises:
            InputError: As for `simplify`.
            PlanningError: As for `simplify`.
        """
    @property
    def shortcut_iterations(self, /) -> int:
        """
        Attempts of the random shortcut.
        """
    def simplify(self, /, path: Trajectory | ArrayLike) -> Trajectory:
        """
        A path, shortened and smoothed as `plan` does with what its search found; every edge is proven free.

        The ends stay, and the result is never longer. Timeout, seed, `smooth` and `shortcut_iterations` are the planner's.

        Args:
            path: Joint values (N, dof) of the group, or a Trajectory, whose waypoints are meant.

        Returns:
            A path without time.

        Raises:
            InputError: No path of this group, NaN, or outside the limits.
            PlanningError: The path given is not free.

        Example:
            >>> import kinetic
            >>> robot = kinetic.Robot("ur5e")
            >>> home = robot.named_pose("home")
            >>> planner = kinetic.Planner(robot)
            >>> planner.simplify([home, home + 0.2, home + [0.4, 0.2, 0.2, 0.2, 0.2, 0.2]]).num_waypoints
            2
        """
    @property
    def smooth(self, /) -> bool:
        """
        Whether the corners of the path are cut.
        """
    def smooth_bspline(self, /, path: Trajectory | ArrayLike, max_deviation: float = ...) -> Trajectory:
        """
        A path whose corners are rounded by B-splines, every edge proven free (Lane and Riesenfeld 1980).

        Corners that cannot be rounded stay as they are.

        Args:
            path: As for `simplify`.
            max_deviation: Farthest that a point of the result is from the path given, Euclidean in joint space.

        Returns:
            A path without time, with the same ends, and never longer.

        Raises:
            InputError: As for `simplify`; a deviation that is negative or not finite.
            PlanningError: As for `simplify`.
        """
    def splice(self, /, running: Trajectory, now: float, next: Trajectory, *, latency: float = ...) -> Trajectory:
        """
        A certified motion from the state of `running` at `now` to the end of `next`: `running` for `latency` seconds more, the
        fastest motion within the planner's limits to the state in which `next` begins, and `next`.

        As `Trajectory.splice`, and all of it is proven in the scene as it is now: the connection, which lies on neither path,
        and what is left of both. Times on the answer count from `now`.

        Args:
            running: The motion under way.
            now: Time on it, s.
            next: The motion that takes over.
            latency: Seconds until the change can take effect.

        Raises:
            InputError: A path without time, a motion of other joints, or a time outside the motion.
            PlanningError: `TrajectoryInCollision` with pair, time, distance and margin; `TrajectoryLimitExceeded` where the
                connection leaves a joint range; or the timeout of the planner.

        Example:
            >>> import kinetic
            >>> planner = kinetic.Planner("ur5e")
            >>> running, back = planner.plan("home", "ready"), planner.plan("ready", "home")
            >>> planner.splice(running, 0.5 * running.duration, back).certificate is not None
            True
        """
    @property
    def state_cost(self, /) -> str | None:
        """
        What the planners "bitrrt" and "stomp" avoid: `"clearance"`, `"joint_centring"`, `"manipulability"`, `"torque"`, or `"function"`
        for one of the caller's own; None where nothing was stated.
        """
    @property
    def timeout(self, /) -> float:
        """
        Time budget, s.
        """
    @property
    def torque_limits(self, /) -> bool:
        """
        Whether timed motions keep the effort limits of the robot's description.
        """
    @property
    def velocity_limits(self, /) -> NDArray[float64] | None:
        """
        Largest speed of each joint that was stated instead of the robot's, or None.
        """
    @property
    def velocity_scaling(self, /) -> float:
        """
        Factor of the velocity limits.
        """
    def with_device(self, /, device: str = ..., *, preset: str = ..., seeds_per_batch: int | None = None, control_points: int | None = None, samples_per_interval: int | None = None, iterations: int | None = None, clearance: float | None = None, smoothness_weight: float | None = None, largest_change: float | None = None, resolution: float | None = None) -> Planner:
        """
        The same planner with an optimiser of many trajectories at once on a device; its type is "trajopt".

        Initial trajectories go down by L-BFGS, as many at a time as `seeds_per_batch`, in single precision and with spheres around the
        links: on a GPU each in a workgroup of its own, on the processor by the scalar twin, which computes the same to rounding. Of the
        proposals the cheapest whose edges are proven is the path, so that a plan has passed all that every plan passes. The planner
        without a device ends with the first path that it finds. Problems that `problem` makes are without a device.

        Args:
            device: "auto" (a GPU where there is one, else the processor), "cpu", "gpu", "gpu:N" or a part of the name of an adapter.
            preset: "speed", "balanced" or "quality": what the options below are that are None. `device_options` has what they came to.
            seeds_per_batch: Initial trajectories that are optimised together; `num_seeds` of the planner are all of them.
            control_points: Control points of a spline between its ends.
            samples_per_interval: Samples per interval of the spline, at which obstacles are looked at.
            iterations: Iterations of a trajectory at most.
            clearance: Distance beyond the required one at which obstacles begin to cost, m.
            smoothness_weight: Weight of accelerations; obstacles have the weight 1.
            largest_change: Largest change of a control point in an iteration, in the planner's metric.
            resolution: Distance of the nodes of the grids of shapes without a closed form, m.

        Raises:
            InputError: A planner of another type, a device that is not there, or an option outside its domain.
        """
    def with_regions(self, /, regions: ConvexDecomposition | None) -> Planner:
        """
        The same planner, whose queries plan through convex regions; its type is "gcs".

        What is claimed of regions holds in the scene where they were grown. In another one they still say where to search: every edge of a path
        is proven in the scene of the planner. Problems that `problem` makes are without them.

        Args:
            regions: Ones of the same robot, group and limits; None for a planner without.

        Raises:
            InputError: Regions of another robot, group or limits, or a planner of another type.
        """
    def with_roadmap(self, /, roadmap: Roadmap | None) -> Planner:
        """
        The same planner, whose queries search a roadmap; its type is "prm", unless it is "prm_star".

        Where the roadmap has no path, a copy of it grows for that query alone. Problems that `problem` makes are without it.

        Args:
            roadmap: One of the same robot, group, limits and joint weights; None for a planner without one.

        Raises:
            InputError: A roadmap of another robot, group, limits or weights, or a planner of another type.
        """
    @property
    def workspace_bounds(self, /) -> NDArray[float64] | None:
        """
        Lowest and highest corner (2, 3) of the box that the tool's origin stays in, or None.
        """

@final
class PlanningFailure:
    """
    A problem and the error that it failed with.
    """
    @property
    def problem(self, /) -> Problem:
        """
        The problem that failed.
        """
    def report(self, /, tries: bool = True, iterations: int = ..., timeout: float = ...) -> dict[str, Any]:
        """
        Evidence, suggestions and text of the report.

        Args:
            tries: Whether changes are tried; otherwise there are no suggestions.
            iterations: Iterations of each search.
            timeout: Seconds of each search.
        """

@final
class Playback:
    """
    Plays a trajectory with a speed override from 0 (stop) to 1 (as planned), always on its path.

    The speed goes to the override as fast as the acceleration limits allow; velocities stay below those of the trajectory
    and accelerations inside the limits at every instant. Where the trajectory itself brakes with all it has, the change
    waits. Acceleration may then step by twice its limit when the override changes. With `jerk_limits` acceleration is
    continuous and jerk bounded at every instant: each step takes the earliest change of the speed that holds the limits on the
    path ahead, and until there is one the speed stays as it is.

    Args:
        trajectory: A timed trajectory that holds the acceleration limits; with `jerk_limits` one that holds them too
            (`jerk_limited`).
        acceleration_limits: One number or one per joint, rad/s² or m/s².
        jerk_limits: Likewise, rad/s³ or m/s³; None leaves jerk free.

    Raises:
        InputError: A trajectory without time, wrong sizes, or limits that the trajectory exceeds (names joint and quantity).

    Example:
        >>> from kinetic import Playback, Trajectory
        >>> path = Trajectory.from_waypoints([[0.0], [2.0]])
        >>> playback = Playback(path.time_parameterize("trapezoidal", 1.0, 4.0), 4.0)
        >>> state = playback.step(1.0)
        >>> playback.set_override(0.0)
        >>> state = playback.step(0.5)
        >>> playback.rate, float(state["velocities"][0])
        (0.0, 0.0)
    """
    def __new__(cls, /, trajectory: Trajectory, acceleration_limits: ArrayLike, jerk_limits: ArrayLike | None = None) -> Playback: ...
    @property
    def is_finished(self, /) -> bool:
        """
        True when the end is reached.
        """
    @property
    def rate(self, /) -> float:
        """
        Seconds of the trajectory per second now.
        """
    def set_override(self, /, speed: float) -> None:
        """
        Sets the speed that is wanted from now on, 0 to 1; 0 is a stop on the path, which can be left again.
        """
    @property
    def speed_override(self, /) -> float:
        """
        The speed that is wanted.
        """
    @property
    def state(self, /) -> dict[str, Any]:
        """
        Where the joints are, and how fast: a dict as that of `step`.
        """
    def step(self, /, period: float) -> dict[str, Any]:
        """
        Lets `period` seconds pass.

        Returns:
            A dict with `positions`, `velocities` and `accelerations` (dof,) at their end.
        """
    @property
    def time(self, /) -> float:
        """
        Time on the trajectory, s.
        """
    @property
    def trajectory(self, /) -> Trajectory:
        """
        The trajectory.
        """

@final
class Policy:
    """
    A wish about the motion of an arm, for `RMP.add`.

    Gains are squares of rates, 1/s²: a policy of gain k² settles like e^(-kt).

    Example:
        >>> from kinetic import Policy
        >>> Policy.damping(2.0).name
        'damping'
    """
    def __repr__(self, /) -> str: ...
    @staticmethod
    def avoid_obstacles(scene: Scene, influence_distance: float = ..., gain: float = ...) -> Policy:
        """
        Keeps the robot, and what it carries, away from the objects of a scene, as the scene is at every `compute`. Clearances that
        the scene states count; velocities of objects are those of their last moves.

        Args:
            scene: The scene; edits arrive in the next `compute`.
            influence_distance: Distance from which objects are kept away from, m.
            gain: 1/s².
        """
    @staticmethod
    def avoid_self_collision(gain: float = ...) -> Policy:
        """
        Keeps the links of the robot apart.
        """
    @staticmethod
    def custom(task_map: Callable[..., object], motion_policy: Callable[..., object], name: str | None = None) -> Policy:
        """
        A policy of one's own: a task map `x = φ(q)` and what is wanted of `x`.

        Args:
            task_map: Called with `q` and `qd` (n,); answers `x` (m,), its Jacobian (m, n) and the curvature `J̇ q̇` (m,).
            motion_policy: Called with `x` and its velocity (m,); answers the metric (m, m), symmetric and positive semidefinite,
                and the wanted acceleration (m,).
            name: Its name in errors.
        """
    @staticmethod
    def damping(coefficient: float = ...) -> Policy:
        """
        Damps the velocities of all joints by `coefficient` (1/s).
        """
    @staticmethod
    def joint_limit_avoidance(margin: float = ..., gain: float = ...) -> Policy:
        """
        Keeps joints `margin` (rad or m) away from their limits. The limits hold without it, too.
        """
    @property
    def name(self, /) -> str:
        """
        Name of the policy.
        """
    @staticmethod
    def reach_target(target: Any, gain: float = ...) -> Policy:
        """
        Attracts the tool to a pose (`Pose` or 4×4) in the group's base, where it comes to rest. The inverse kinematics is solved
        when the policy is added: a target out of reach, or reached only with links that touch each other, is an error there.
        """
    @staticmethod
    def singularity_avoidance(threshold: float = ..., gain: float = ...) -> Policy:
        """
        Keeps the tool's manipulability (`Robot.manipulability`) from falling to 0, from `threshold` on.
        """

@final
class Pose:
    """
    A rigid pose: rotation and translation (m). Immutable; every pose argument of kinetic takes one.

    A variable `a_from_b` is the pose of frame `b` in frame `a`; `a_from_b @ b_from_c` is `a_from_c`.

    Args:
        matrix: 4×4 homogeneous matrix, another pose, or an object with `homogeneous` or `matrix`; None for the identity.
            A rotation with entries of five decimals or more is made orthonormal (|RᵀR - 1| up to 2e-5).

    Raises:
        InputError: A matrix that is no rigid transform, saying why and by how much; `orthonormalised` takes fewer digits.

    Example:
        >>> import kinetic, numpy as np
        >>> world_from_tool = kinetic.Pose.from_xyz_rpy([0.5, 0.0, 0.3], [0.0, 0.0, np.pi / 2])
        >>> (world_from_tool @ kinetic.Pose.from_xyz(0.1, 0.0, 0.0)).xyz.round(6)
        array([0.5, 0.1, 0.3])
    """
    def __array__(self, /, dtype: Any | None = None, copy: bool | None = None) -> Any:
        """
        What `numpy.asarray` calls: the homogeneous matrix (4, 4).
        """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __matmul__(self, other: object, /) -> Pose: ...
    def __mul__(self, other: object, /) -> Pose: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, matrix: Any | None = None) -> Pose: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    def __rmatmul__(self, other: object, /) -> Pose: ...
    def __rmul__(self, other: object, /) -> Pose: ...
    @staticmethod
    def _restore(parts: ArrayLike) -> Pose:
        """
        The pose that pickle stored: translation and quaternion.
        """
    def align_axis_to_direction(self, /, direction: ArrayLike, axis: str | ArrayLike = ..., wrt: Any = ..., eps: float = ...) -> Pose:
        """
        The pose turned in place, by the smallest angle, until one of its axes points along a direction.

        Args:
            direction: Direction (3,) of any length.
            axis: "x", "y", "z", or a direction (3,) in the pose's own axes.
            wrt: Whose axes the direction is in: "world", "local", "parent", or another frame by its pose.
            eps: Where the axis points away from the direction up to an angle of this sine, the turn is half a turn about
                an own axis, and then the rest.
        """
    def compose(self, /, other: Any) -> Pose:
        """
        `self @ other`: from `a_from_b` and `b_from_c`, `a_from_c`.
        """
    def difference_position(self, /, other: Any, mask: Any = ...) -> NDArray[float64]:
        """
        Position of another pose seen from this one (3,), m, along its own axes, with 0 on the free axes.

        Args:
            other: The other pose.
            mask: Axes to constrain: True for all, False or None for none, letters such as "xy", or three flags.
        """
    def difference_rotation(self, /, other: Any, mask: Any = ..., mirror: str | None = None) -> NDArray[float64]:
        """
        Rotation vector (3,), rad, about this pose's own axes that turns its orientation into the other's, with 0 on the
        free axes.

        Args:
            other: The other pose.
            mask: Axes to constrain: True for all, False or None for none, letters such as "xy", or three flags.
            mirror: "x", "y" or "z": the other pose turned half about that axis of its own is as good, and the nearer of
                the two counts.
        """
    @staticmethod
    def from_axis_angle(xyz: ArrayLike, axis: str | ArrayLike, angle: float) -> Pose:
        """
        A position (3,) in m and a rotation by an angle (rad) about an axis.

        Args:
            xyz: Position.
            axis: "x", "y", "z", or a direction (3,) of any length.
            angle: Angle, rad.
        """
    @staticmethod
    def from_matrix(matrix: Any) -> Pose:
        """
        The same as `Pose(matrix)`.
        """
    @staticmethod
    def from_wxyz(xyz: ArrayLike, quaternion_wxyz: ArrayLike) -> Pose:
        """
        A position (3,) in m and a quaternion (w, x, y, z), which is normalised.
        """
    @staticmethod
    def from_xyz(*xyz: "ArrayLike") -> Pose:
        """
        A pure translation: three numbers, or a position (3,), m.
        """
    @staticmethod
    def from_xyz_rpy(*xyz_rpy: "ArrayLike") -> Pose:
        """
        A translation (m) and roll, pitch and yaw (rad) about fixed axes, as in URDF: R = Rz(yaw) Ry(pitch) Rx(roll).

        Six numbers, or a position (3,) and three angles (3,).
        """
    @staticmethod
    def from_xyzw(xyz: ArrayLike, quaternion_xyzw: ArrayLike) -> Pose:
        """
        A position (3,) in m and a quaternion (x, y, z, w), which is normalised.
        """
    @staticmethod
    def identity() -> Pose:
        """
        The identity.
        """
    def interpolate(self, /, other: Any, ratio: float) -> Pose:
        """
        The same as `slerp`.
        """
    def inverse(self, /) -> Pose:
        """
        From `a_from_b`, `b_from_a`.
        """
    def inverse_rotate_vector(self, /, v: ArrayLike) -> NDArray[float64]:
        """
        Directions (3,) or (N, 3) from the frame that the pose is given in to this one.
        """
    def inverse_transform_vector(self, /, v: ArrayLike) -> NDArray[float64]:
        """
        Points (3,) or (N, 3), m, from the frame that the pose is given in to this one.
        """
    def inverse_transformation(self, /) -> Pose:
        """
        The same as `inverse`.
        """
    def lerp(self, /, other: Any, ratio: float) -> Pose:
        """
        As `slerp`, with quaternions interpolated in a straight line and normalised: faster in the middle than at the ends.
        """
    @staticmethod
    def look_at(eye: ArrayLike, target: ArrayLike, up: ArrayLike = ...) -> Pose:
        """
        The pose of a camera at `eye` that looks at `target`: z points at the target, y as far down as that allows, x to
        the right.

        Args:
            eye: Position (3,), m.
            target: Point (3,), m.
            up: Direction (3,) that is not the view's.
        """
    @property
    def matrix(self, /) -> NDArray[float64]:
        """
        The homogeneous matrix (4, 4).
        """
    def move_coords(self, /, target: Any, self_from_local: Any) -> Pose:
        """
        Where this pose must be so that a frame on it, `self_from_local`, lies on `target`: the result times
        `self_from_local` is `target`.
        """
    @staticmethod
    def orthonormalised(matrix: Any) -> Pose:
        """
        As `Pose(matrix)`, with the rotation nearest to the upper left 3×3 part, however far that is: for matrices with few
        digits. A scale or a shear is lost without a word.

        Args:
            matrix: Homogeneous matrix (4, 4).

        Raises:
            InputError: A 3×3 part that is singular or left-handed, and another last row than 0, 0, 0, 1.
        """
    def rotate(self, /, angle: float, axis: str | ArrayLike, wrt: Any = ...) -> Pose:
        """
        The pose turned about an axis; its origin stays.

        Args:
            angle: Angle, rad.
            axis: "x", "y", "z", or a direction (3,).
            wrt: Whose axes: "local", "world", "parent", or another frame by its pose.
        """
    def rotate_vector(self, /, v: ArrayLike) -> NDArray[float64]:
        """
        Directions (3,) or (N, 3) from this frame to the one that the pose is given in.
        """
    def rotation_distance(self, /, other: Any) -> float:
        """
        Angle of the rotation between the two, rad, in [0, π].
        """
    @property
    def rotation_matrix(self, /) -> NDArray[float64]:
        """
        The rotation matrix (3, 3).
        """
    @property
    def rpy(self, /) -> NDArray[float64]:
        """
        Roll, pitch and yaw (3,), rad, about fixed axes; roll is 0 where pitch is ±π/2.
        """
    def slerp(self, /, other: Any, ratio: float) -> Pose:
        """
        Between this pose (ratio 0) and another (ratio 1): straight translation, rotation about a fixed axis at a constant
        rate the shorter way. Ratios outside [0, 1] go on beyond the ends.
        """
    def transform(self, /, motion: Any, wrt: Any = ...) -> Pose:
        """
        The pose moved by a rigid motion of a frame `F`: `F @ motion @ F.inverse() @ self`. With "local" that is
        `self @ motion`, with "world" `motion @ self`.
        """
    def transform_vector(self, /, v: ArrayLike) -> NDArray[float64]:
        """
        Points (3,) or (N, 3), m, from this frame to the one that the pose is given in.
        """
    def translate(self, /, offset: ArrayLike, wrt: Any = ...) -> Pose:
        """
        The pose moved by an offset; its orientation stays.

        Args:
            offset: Translation (3,), m.
            wrt: Whose axes: "local" (its own), "world" or "parent" (those that the pose is given in), or another frame by
                its pose.
        """
    def translation_distance(self, /, other: Any) -> float:
        """
        Distance of the origins, m.
        """
    @property
    def wxyz(self, /) -> NDArray[float64]:
        """
        The unit quaternion (w, x, y, z).
        """
    @property
    def x_axis(self, /) -> NDArray[float64]:
        """
        Direction (3,) of the own x axis.
        """
    @property
    def xyz(self, /) -> NDArray[float64]:
        """
        The position (3,), m.
        """
    @property
    def xyzw(self, /) -> NDArray[float64]:
        """
        The unit quaternion (x, y, z, w).
        """
    @property
    def y_axis(self, /) -> NDArray[float64]:
        """
        Direction (3,) of the own y axis.
        """
    @property
    def z_axis(self, /) -> NDArray[float64]:
        """
        Direction (3,) of the own z axis.
        """

@final
class Problem:
    """
    A planning problem with everything that its answer depends on: robot, scene, group, start, goal, options, seed, and a
    budget in iterations.

    Made by `Planner.problem`, which takes it as it is at that moment. The answer does not depend on time, threads or the
    width of registers, so that its hash says whether it is the same one.

    Example:
        >>> from kinetic import Goal, Planner, Problem, Robot
        >>> robot = Robot("ur5e")
        >>> problem = Planner(robot, rng_seed=3).problem(robot.named_pose("home"), Goal.named("ready"))
        >>> problem.solve().hash == problem.solve().hash
        True
    """
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(text: str) -> Problem:
        """
        The problem that pickle stored as the text of its file.
        """
    @property
    def collision_margin(self, /) -> float:
        """
        Distance to keep from the world, m.
        """
    @staticmethod
    def from_robometrics(path: str | PathLike[str], planner: Planner) -> dict[str, list[Problem]]:
        """
        Problems of a file in the format of robometrics, with poses of links as goals, by the names of their sets. Ctrl-C stops it.

        Args:
            path: A YAML file.
            planner: Whose robot, group and options the problems have; its scene has no part in them.

        Raises:
            InputError: A malformed file (with its line), obstacles of a kind that is not known, a robot that the problems are not for.
            OSError: The file cannot be read.
        """
    @property
    def goal(self, /) -> Goal:
        """
        What it should reach.
        """
    @property
    def group(self, /) -> str:
        """
        The planning group.
        """
    @property
    def hash(self, /) -> str:
        """
        Hash of everything that the answer depends on: "fnv1a128:" and 32 hexadecimal digits.
        """
    @staticmethod
    def load(path: str | PathLike[str]) -> Problem:
        """
        Reads a problem file.

        Raises:
            InputError: A malformed or damaged file (with its line), or a robot that is not the one the problem was made with.
            OSError: The file cannot be read.
        """
    @property
    def max_iterations(self, /) -> int:
        """
        Iteration budget of the search.
        """
    def planner(self, /, planner_type: str | None = None, rng_seed: int | None = None, timeout: float | None = None) -> Planner:
        """
        A planner for it, with all of its options.

        Args:
            planner_type: Another planner than the problem's.
            rng_seed: Another seed than the problem's.
            timeout: Seconds; None for the budget in iterations alone, as in `solve`.

        Raises:
            InputError: An unknown planner, options that another planner does not take.
        """
    @property
    def planner_type(self, /) -> str:
        """
        The planner that was asked for.
        """
    def replay(self, /) -> dict[str, Any]:
        """
        Solves it again and compares the answer with the one that its file holds; of a race for the first answer, that of each
        planner until one is the same.

        Returns:
            `trajectory`; `found`, the hash of this answer; `expected`, that of the stored one, and `same`: both None when the
            problem was saved without an answer.

        Raises:
            InputError, PlanningError: As `solve`.
        """
    @property
    def rng_seed(self, /) -> int:
        """
        Seed of everything random.
        """
    @property
    def robot(self, /) -> Robot:
        """
        The robot.
        """
    def save(self, /, path: str | PathLike[str], trajectory: Trajectory | None = None) -> None:
        """
        Writes a problem file (TOML).

        Args:
            path: Where to write it.
            trajectory: The answer that `solve` gave; its hash is stored for `kinetic replay`.

        Raises:
            InputError: An answer to another problem.
            OSError: The file cannot be written.
        """
    @property
    def scene(self, /) -> Scene:
        """
        What stands around it: a copy.
        """
    @property
    def self_margin(self, /) -> float:
        """
        Distance to keep between links of the robot, m.
        """
    def solve(self, /) -> Trajectory:
        """
        Solves it; what is returned has passed verification. Ctrl-C stops it.

        Raises:
            InputError: Unknown names, joint values outside their limits.
            PlanningError: Start or goal in collision, goal out of reach, iterations used up.
        """
    @property
    def start(self, /) -> NDArray[float64]:
        """
        Joint values at which the motion begins.
        """
    @property
    def stored_result(self, /) -> str | None:
        """
        Hash of the answer that the file holds; None when it was saved without one.
        """
    @property
    def time_law(self, /) -> str | None:
        """
        Name of the time law; None for a path without time.
        """

@final
class RMP:
    """
    Riemannian motion policies of an arm: wishes about its motion, each with a metric, combined in every control cycle.

    Ratliff et al. 2018; Cheng et al. 2018. Every command keeps the limits of position, velocity and acceleration.

    Args:
        robot: The robot, of which the selected group moves, or the name of a built-in one.

    Example:
        >>> from kinetic import RMP, Policy, Robot
        >>> robot = Robot("ur5e")
        >>> rmp = RMP(robot)
        >>> rmp.add(Policy.reach_target(robot.fk([0.3, -1.2, 1.3, -1.6, -1.5, 0.0])))
        >>> rmp.add(Policy.damping(1.0))
        >>> command = rmp.compute([0.0, -1.3, 1.4, -1.6, -1.5, 0.0], [0.0] * 6, 0.002)
        >>> command["positions"].shape
        (6,)
    """
    def __new__(cls, /, robot: str | Robot) -> RMP: ...
    def add(self, /, policy: Policy) -> None:
        """
        Adds a policy.

        Raises:
            IKError: A target out of reach.
            InputError: A scene of another robot, or a target that the robot can reach only with links that touch each other.
        """
    def clear(self, /) -> None:
        """
        Removes all policies.
        """
    def compute(self, /, q: ArrayLike, qd: ArrayLike, dt: float) -> dict[str, Any]:
        """
        The command of a cycle: positions and velocities at its end, and the accelerations, constant over it.

        After an error there is no command, and the next call is computed as if this one had not been. What a policy in Python
        raises arrives as it is.

        Args:
            q: Positions (n,), rad or m.
            qd: Velocities (n,), rad/s or m/s.
            dt: Length of the cycle, at most 0.1 s.

        Returns:
            A dict with `positions`, `velocities` and `accelerations`, (n,) each.
        """
    @property
    def dof(self, /) -> int:
        """
        Number of joints.
        """
    @property
    def num_policies(self, /) -> int:
        """
        Number of policies.
        """

@final
class ReachabilityMap:
    """
    Where the tool of a robot has been: cubes in the group's base frame, and from how many of 64 directions.

    Made by sampling the joints inside their limits (Zacharias et al. 2007, "Capturing robot workspace structure"). What is
    called reachable is, up to the size of a cube; what is not may have been missed by the samples.

    Args:
        robot: The robot; its selected group and tool count.
        resolution: Edge of a cube, m.
        samples: Configurations that are tried.
        seed: Seed of the samples; the same seed gives the same map.
        rolls: More than 0 asks closed-form inverse kinematics about the directions that sampling missed, with the tool
            turned about each in so many steps. Needs an arm with a closed form, and time: 64 times `rolls` solves per cube.

    Raises:
        InputError: A resolution below 1 mm, no samples, or `rolls` for an arm without closed form.

    Example:
        >>> from kinetic import ReachabilityMap, Robot
        >>> reach = ReachabilityMap(Robot("ur5e"), resolution=0.1, samples=100_000)
        >>> reach.is_reachable(0.4, 0.2, 0.4)
        True
    """
    def __eq__(self, other: object, /) -> bool: ...
    def __len__(self, /) -> int: ...
    def __new__(cls, /, robot: Robot, resolution: float | None = None, samples: int | None = None, seed: int | None = None, rolls: int | None = None) -> ReachabilityMap: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _from_parts(parts: Any) -> ReachabilityMap:
        """
        For pickle.
        """
    @property
    def centers(self, /) -> NDArray[float64]:
        """
        Middles of the cubes that were reached (K, 3), in the group's base frame.
        """
    @property
    def dexterity(self, /) -> NDArray[float64]:
        """
        Share of 64 directions from which the tool was in each cube (K,).
        """
    def dexterity_at(self, /, x: float, y: float, z: float) -> float:
        """
        Share of 64 directions from which the tool has been in the cube around a point, 0 to 1.
        """
    def is_reachable(self, /, x: float, y: float, z: float) -> bool:
        """
        Whether the tool has been in the cube around a point of the group's base frame.
        """
    @staticmethod
    def load(path: str | PathLike[str]) -> ReachabilityMap:
        """
        Reads what `save` wrote.

        Raises:
            InputError: The file is no map.
            OSError: The file cannot be read.
        """
    @property
    def resolution(self, /) -> float:
        """
        Edge of a cube, m.
        """
    @property
    def samples(self, /) -> int:
        """
        Configurations that were tried.
        """
    def save(self, /, path: str | PathLike[str]) -> None:
        """
        Writes a file that `load` reads; NumPy's format, whatever the name ends in.
        """
    @property
    def volume(self, /) -> float:
        """
        Volume of all cubes that were reached, m³.
        """

@final
class RealTimeExecutor:
    """
    Sends the commands of trajectories to a function, at a fixed rate on an absolute schedule; one trajectory at a time.

    The commands come from a thread that takes the GIL for calls of functions alone. A second thread, the watchdog, ends the
    execution when a call lasts too long; it needs the GIL to call `on_stop`, so that a function which keeps the GIL while it
    blocks cannot be helped from Python.

    Args:
        rate_hz: Commands per second, at most 10,000.
        position_tolerance: Largest distance of a measured from the commanded position, per joint, rad or m.
        command_timeout_ms: A command may take this long, and so may be the time between two, or without required feedback.
        timeout_factor: The execution may last this many times as long as the trajectory at the speed that is asked for.
        require_feedback: Whether the robot has to say where it is.
        velocity_scale: Part of the trajectory's speed to begin with, above 0 and at most 1.
        velocity_tolerance: Largest difference of a measured from the commanded velocity, per joint, rad/s or m/s.
        joint_limits: What trajectories and stops have to hold: a dict with some of "lower", "upper", "velocity",
            "acceleration" and "jerk", each (dof,). What is not stated is what the trajectory uses.
        watchdog_timeout_ms: The watchdog fires when no command was taken for this long; None is `command_timeout_ms`.
        watchdog_action: What it asks of `on_stop`: "zero_velocity", "hold_position" or "abort".
        allow_unverified: Whether trajectories without a certificate are carried out; the result says so.
        joint_names: Joints of the driver in its order; trajectories of others are refused. None when unknown.
        real_time_priority: Requests `SCHED_FIFO` at this priority, 1 to 98, for the thread of the commands, one more for the
            watchdog, and locked memory for the process, which stays locked. A refusal is no error: `realtime` of the result
            says what was granted. None requests nothing.
        clock: Simulated time, for tests.

    Raises:
        InputError: A number outside its domain (names the field), an unknown action or limit.

    Example:
        >>> import kinetic
        >>> robot = kinetic.Robot("ur5e")
        >>> motion = kinetic.plan(robot, "home", robot.named_pose("home") + 0.01)
        >>> arm = []
        >>> executor = kinetic.RealTimeExecutor(rate_hz=250.0)
        >>> result = executor.execute(motion, lambda positions, velocities: arm.append(positions))
        >>> result["state"], result["verified"], len(arm) == result["commands_sent"]
        ('Completed', True, True)
    """
    def __new__(cls, /, rate_hz: float = ..., position_tolerance: float = ..., command_timeout_ms: float = ..., timeout_factor: float = ..., require_feedback: bool = False, velocity_scale: float = ..., *, velocity_tolerance: float = ..., joint_limits: dict[str, ArrayLike] | None = None, watchdog_timeout_ms: float | None = None, watchdog_action: str = ..., allow_unverified: bool = False, joint_names: Sequence[str] | None = None, real_time_priority: int | None = None, clock: SimulatedClock | None = None) -> RealTimeExecutor: ...
    def __repr__(self, /) -> str: ...
    @property
    def config(self, /) -> dict[str, Any]:
        """
        The options by the names of their keywords.
        """
    def execute(self, /, trajectory: Trajectory, command_callback: Callable[..., object], feedback: Callable[..., object] | None = None, on_stop: Callable[..., object] | None = None, progress: Callable[..., object] | None = None, speed_scaling: Callable[..., object] | None = None) -> ExecutionResult:
        """
        Carries a trajectory out and returns when it has ended: `start`, then `Handle.wait`, with their arguments and errors.

        Returns:
            A dict that can be drawn (`plot`): `state` ("Completed" or "Stopped"), `actual_duration` and `expected_duration`
            (s), `commands_sent`, `final_positions` (dof,), `max_deviation` (None without feedback), `missed_cycles`, `verified`,
            `stop` (None, or a dict of `mode`, `began`, `within_limits`), `jitter` (how late commands were begun: `edges` and
            `counts` of a histogram, `count`, `mean`, `max`, and the quantiles `p50`, `p99` and `p999`, s) and `realtime`
            (`scheduling`, `priority`, `locked_memory` in bytes, and `refused`: what was requested and not granted, and why).
        """
    def execute_together(self, /, trajectory: Trajectory, drivers: SupportsGetItem[int, GroupDriver], progress: Callable[..., object] | None = None) -> ExecutionResult:
        """
        Carries out one trajectory of several groups and returns when it has ended: `start_together`, then `Handle.wait`.

        Returns:
            The result, as `execute`, of all joints together.

        Example:
            >>> from kinetic import GroupDriver, RealTimeExecutor, SimulatedClock, Trajectory
            >>> move = Trajectory.from_waypoints([[0.0], [1.0]]).time_parameterize("trapezoidal", 1.0, 1.0)
            >>> both = Trajectory.stack([move, move], joint_names=["left", "right"])
            >>> left, right = [], []
            >>> drivers = [
            ...     GroupDriver(["left"], lambda q, qd: left.append(q)),
            ...     GroupDriver(["right"], lambda q, qd: right.append(q)),
            ... ]
            >>> executor = RealTimeExecutor(allow_unverified=True, clock=SimulatedClock())
            >>> executor.execute_together(both, drivers)["state"], left == right
            ('Completed', True)
        """
    @property
    def joint_names(self, /) -> list[str]:
        """
        Joints of the driver in its order; empty when unknown.
        """
    @staticmethod
    def safe(robot: str | Robot, rate_hz: float = ..., position_tolerance: float = ..., *, velocity_tolerance: float = ..., timeout_factor: float = ..., velocity_scale: float = ..., allow_unverified: bool = False, real_time_priority: int | None = None, clock: SimulatedClock | None = None) -> RealTimeExecutor:
        """
        What a robot should be driven with: the limits of its model and the names of its joints are checked, feedback is
        required, tolerances are half as wide, and a watchdog stops it after 50 ms.

        Args:
            robot: The robot, of which the selected group moves, or the name of a built-in one.
            rate_hz: Commands per second.
            position_tolerance: Largest distance of a measured from the commanded position, per joint, rad or m.
            velocity_tolerance: Likewise of velocities, rad/s or m/s.
            timeout_factor: As of the constructor.
            velocity_scale: As of the constructor.
            allow_unverified: As of the constructor.
            real_time_priority: As of the constructor.
            clock: Simulated time, for tests.

        Raises:
            InputError: An unknown robot, or a number outside its domain.
        """
    def start(self, /, trajectory: Trajectory, command_callback: Callable[..., object], feedback: Callable[..., object] | None = None, on_stop: Callable[..., object] | None = None, progress: Callable[..., object] | None = None, speed_scaling: Callable[..., object] | None = None) -> Handle:
        """
        Begins to carry a trajectory out, and returns at once.

        Args:
            trajectory: A timed trajectory, with a certificate unless `allow_unverified`, from rest to rest.
            command_callback: Called as `command_callback(positions, velocities)` once per cycle, arrays (dof,) in rad or m
                and rad/s or m/s. Where it raises, no more commands are sent and `on_stop` is called.
            feedback: Called once per cycle before the command; returns the measured positions (dof,), or a tuple of positions
                and velocities, or None when there is nothing new. Where it raises, the robot stops along its path.
            on_stop: A second way to the robot, called as `on_stop(action, positions)` when commands do not get through:
                `action` as `watchdog_action`, `positions` of the last command. Without it the error is `Aborted`.
            progress: Called after every command with a dict of `elapsed` (s), `fraction` (0 to 1), `state` and `positions`.
                Where it raises, the robot stops along its path.
            speed_scaling: Called once per cycle; returns the part of the commanded speed at which the robot's controller runs
                now, 0 to 1. The trajectory is slowed down alike.

        Returns:
            The handle of the execution.

        Raises:
            InputError: A path without time, or an executor or callback that is in use.
            ExecutionError: `InvalidTrajectory`, before the first command.
        """
    def start_together(self, /, trajectory: Trajectory, drivers: SupportsGetItem[int, GroupDriver], progress: Callable[..., object] | None = None) -> Handle:
        """
        Begins to carry out one trajectory of several groups, two arms, or arm and gripper, each with a driver of its own, and
        returns at once. In every cycle all drivers get their part of the same state.

        They stop together: where a `command_callback` raises, its `on_stop` is called and the others stop along the path from
        the next cycle on; feedback that is lost or deviates, Ctrl-C and `Handle.stop` stop all on the path; the watchdog calls
        every `on_stop`. A trajectory that was certified as a whole is verified; one of `Trajectory.stack` is not.

        Args:
            trajectory: A timed trajectory of all joints, with their names.
            drivers: The drivers, in the order in which they are called; every joint has one.
            progress: As in `start`, of all joints.

        Returns:
            The handle of the execution.

        Raises:
            InputError: A joint of two drivers, an executor or callback that is in use, a path without time.
            ExecutionError: `InvalidTrajectory`, also for a joint without driver and a driver of other joints.
        """

@final
class Roadmap:
    """
    A graph of configurations that several queries search, and what is known of its edges in the scene where they were used last.

    `Planner.build_roadmap` makes one, `Planner.with_roadmap` plans with it. Queries do not change the graph, so that answers depend
    neither on earlier queries nor on threads; what they prove or refuse of its edges makes the next ones in the same scene cheaper. In
    another scene none of it is believed. Copies that pickle makes know what the roadmap knew.

    Example:
        >>> import kinetic
        >>> planner = kinetic.Planner("ur5e", planner_type="prm")
        >>> roadmap = planner.build_roadmap(200)
        >>> planner = planner.with_roadmap(roadmap)
        >>> planner.plan("home", "ready").is_timed
        True
        >>> len(roadmap), planner.planner_used
        (200, 'prm')
    """
    def __eq__(self, other: object, /) -> bool: ...
    def __len__(self, /) -> int:
        """
        Number of configurations.
        """
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(content: bytes) -> Roadmap:
        """
        The roadmap that pickle stored as the content of its file.
        """
    @property
    def dof(self, /) -> int:
        """
        Number of joints of its group.
        """
    @property
    def edges(self, /) -> int:
        """
        Number of edges, valid or not.
        """
    @property
    def group(self, /) -> str:
        """
        Name of its planning group.
        """
    @staticmethod
    def load(path: str | PathLike[str]) -> Roadmap:
        """
        Reads a file that `save` wrote.

        Raises:
            InputError: A file that is no roadmap, of another form, or damaged.
            OSError: The file cannot be read.
        """
    def positions(self, /) -> NDArray[float64]:
        """
        The configurations, rad or m: (N, dof).
        """
    @property
    def robot_name(self, /) -> str:
        """
        Name of its robot.
        """
    def save(self, /, path: str | PathLike[str]) -> None:
        """
        Writes it to a file, with what is known of its edges and a checksum.

        Raises:
            OSError: The file cannot be written.
        """
    @property
    def scene_version(self, /) -> str | None:
        """
        Version of the scene that its edges were looked at in last, as `Scene.version`; None before that.
        """

@final
class Robot:
    """
    A robot with one planning group selected.

    `dof` and joint vectors belong to the selected group. Joint vectors are in rad (m for sliding joints) and may have
    the length of the group or of the whole robot, whose other joints otherwise stand in their neutral configuration.
    Poses are 4×4 matrices in m.

    Args:
        name: Name of a built-in robot, see `kinetic.list_robots()`.
        group: Planning group; a list of names for several as one, their joints in this order; None for the robot's default
            group.

    Raises:
        InputError: Unknown robot (with names that look alike) or group.

    Example:
        >>> from kinetic import Robot
        >>> robot = Robot("ur5e")
        >>> robot.fk(robot.named_pose("home")).shape
        (4, 4)
    """
    def __new__(cls, /, name: str, group: str | Sequence[str] | None = None) -> Robot: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(text: str) -> Robot:
        """
        The robot that pickle stored.
        """
    @property
    def acceleration_limits(self, /) -> NDArray[float64]:
        """
        Largest acceleration of each joint (dof,), rad/s² or m/s²; full speed after 0.5 s where the model states none.
        """
    @property
    def active_joints(self, /) -> list[str]:
        """
        Names of the independent moving joints of the whole robot: the entries of robot-length joint vectors.
        """
    @property
    def base(self, /) -> str:
        """
        Name of the link that poses of the selected group are expressed in.
        """
    def batch_fk(self, /, configs: ArrayLike, tcp: Any | None = None, *, out: NDArray[float64] | None = None) -> NDArray[float64]:
        """
        `fk` for many configurations at once, on all processors.

        Args:
            configs: Joint values, one row each (N, dof).
            tcp: Pose of a tool on the tip instead of the robot's.
            out: Array (N, 4, 4) to write into, which is returned.

        Returns:
            Poses (N, 4, 4).
        """
    def batch_ik(self, /, targets: Any, solver: str = ..., num_restarts: int = ..., seeds: ArrayLike | None = None, *, tcp: Any | None = None, device: str = ..., **options: Any) -> list[dict[str, Any] | None]:
        """
        `ik_batch` with what is known about each answer.

        Args:
            targets: Poses of the tool in the group's base (N, 4, 4), or a list of poses.
            solver: As in `ik`; "cached" needs single calls.
            num_restarts: Attempts after the first, per pose.
            seeds: Joint values to start from, one row per pose (N, dof); None for the middle of the limits.
            tcp: Pose of a tool on the tip instead of the robot's.
            device: "cpu"; "gpu", "gpu:N" or a part of the name of an adapter: every pose from `num_restarts` + 1 starts at once, in
                single precision, and what is found made exact to 1e-9 m and proven on the processor. There the solver is damped
                least squares, and the answer is the nearest to its seed of all that were found; with a `scene` starts also go away from
                collisions. "auto": a GPU where there is one.
            options: As of `ik_batch`.

        Returns:
            One dictionary of `ik_config` per pose, None where there is no answer; the same as pose by pose.
        """
    def batch_inverse_kinematics(self, /, targets: Any, move_target: str | None = None, position_mask: Any = ..., rotation_mask: Any = ..., rotation_mirror: str | None = None, stop: int = ..., thre: float = ..., rthre: float = ..., initial_angles: Any = ..., alpha: float = ..., attempts_per_pose: int = ..., random_initial_range: float = ..., translation_tolerance: Any | None = None, rotation_tolerance: Any | None = None, use_base: bool | str = ..., base_weight: ArrayLike | None = None, joint_list: Sequence[str] | None = None, invariant_joint_list: Sequence[str] | None = None, rng_seed: int | None = None) -> tuple[Any, ...]:
        """
        Joint values for many poses at once, on all processors; every pose on its own.

        Masks name the axes to constrain: True for all, False or None for none, letters such as "xy", or three flags. They
        and the tolerances are along and about the axes of the target. The same seed gives the same answers.

        Args:
            targets: Poses in the group's base: (N, 6) xyz and roll, pitch, yaw; (N, 7) xyz and quaternion (x, y, z, w);
                (N, 4, 4); or a list of poses.
            move_target: Link to bring there; None for the tool.
            position_mask: Coordinates that must agree.
            rotation_mask: Components of the rotation that must vanish.
            rotation_mirror: "x", "y" or "z": a target turned half about that axis of its own is as good.
            stop: Iterations of one attempt.
            thre: Largest distance left, m.
            rthre: Largest angle left, rad.
            initial_angles: Where attempts start: "current" for the robot's neutral configuration; "random" or None;
                values (dof,) for all poses, or (N, dof) for each.
            alpha: First length of the line search, as a part of the full step: more than 0, at most 1.
            attempts_per_pose: Attempts; those after the first start at random.
            random_initial_range: Part of the joint ranges in which random attempts start.
            translation_tolerance: Per axis the distance (m) within which a coordinate counts as reached; None is strict.
            rotation_tolerance: Per axis the angle (rad) within which a component counts as reached; None is strict.
            use_base: Whether the root of the robot moves: True or "planar" (x, y, yaw), "floating" for all six ways.
            base_weight: How dear the base's motion is compared with that of joints: 3 or 6 numbers; None for 1.
            joint_list: Names of the joints of the group that move; None for all.
            invariant_joint_list: Names of joints that do not move.
            rng_seed: Seed of the random starts; None for 0.

        Returns:
            Solutions (N, dof), the best found where a pose is not reached; truth values (N,); with attempts_per_pose > 1
            also the list of attempts made. With use_base the way of the base comes first in each row: x, y, yaw, or x, y,
            z, roll, pitch, yaw.

        Raises:
            InputError: NaN, wrong shapes, unknown names, or no joint left to move.
        """
    def batch_jacobian(self, /, configs: ArrayLike, link: str | None = None, *, tcp: Any | None = None, out: NDArray[float64] | None = None) -> NDArray[float64]:
        """
        `jacobian` for many configurations at once, on all processors.

        Args:
            configs: Joint values, one row each (N, dof).
            link: Link whose origin is meant instead of the tool.
            tcp: Pose of a tool on the tip, or on `link`, instead of the robot's.
            out: Array (N, 6, dof) to write into, which is returned.

        Returns:
            Jacobians (N, 6, dof), with the bits of single calls.

        Example:
            >>> import numpy as np
            >>> from kinetic import Robot
            >>> robot = Robot("ur5e")
            >>> configs = np.zeros((1000, 6))
            >>> robot.batch_jacobian(configs).shape
            (1000, 6, 6)
        """
    def bio_ik(self, /, targets: Any, max_iterations: int = ..., num_restarts: int = ..., seed: ArrayLike | None = None, check_limits: bool = True, rng_seed: int | None = None, *, timeout: float | None = None) -> NDArray[float64]:
        """
        Joint values at which several targets are met together, by evolution with local descent (Bio-IK).

        Args:
            targets: As in `ccd`.
            max_iterations: Generations of one attempt.
            num_restarts: Attempts after the first, from random configurations.
            seed: Joint values (dof,) to start from; None for the middle of the limits.
            check_limits: Whether answers lie inside the joint limits.
            rng_seed: Seed of everything random; None for 0.
            timeout: Seconds after which the search ends; None for no limit.

        Returns:
            Joint values (dof,).

        Raises:
            IKError: No attempt met all targets; `residual` is the largest error in m or rad.

        Example:
            >>> from kinetic import Robot
            >>> robot = Robot("franka_panda")
            >>> elbow = {"position": [0.0, 0.1, 0.6], "link": "panda_link4", "atol": 0.2}
            >>> robot.bio_ik([{"position": [0.4, 0.2, 0.4]}, elbow]).shape
            (7,)
        """
    def ccd(self, /, targets: Any, joints: Sequence[str] | None = None, rtol: float = ..., maxiter: int = ..., line_search_maxiter: int = ..., seed: ArrayLike | None = None, *, timeout: float | None = None) -> NDArray[float64]:
        """
        Joint values at which several targets are met together, by cyclic coordinate descent: one joint at a time is moved
        to its best value, in closed form, inside its limits.

        Args:
            targets: Dictionaries, each with "position" (x, y, z) in m or "rotation" (x, y, z, w) in the group's base, and
                optionally "link" (a link of the chain; the tool when absent), "atol" (1e-4 m, 1e-3 rad), "norm" ("euclidean",
                "sum" or "max" of the three components, which is compared with it) and "weight" (1).
                A pose as a 4×4 matrix stands for the position and the rotation of the tool.
            joints: Names of the joints that may move; None for all.
            rtol: The descent has stalled when a sweep over the joints improves the error by less than this part.
            maxiter: Sweeps at most.
            line_search_maxiter: Evaluations along a joint that others follow, for which there is no closed form.
            seed: Joint values (dof,) to start from; None for the middle of the limits.
            timeout: Seconds after which the descent ends; None for no limit.

        Returns:
            Joint values (dof,).

        Raises:
            IKError: The descent stalled or ran out of sweeps or time; `residual` is the largest error in m or rad.

        Example:
            >>> from kinetic import Robot
            >>> robot = Robot("ur5e")
            >>> robot.ccd([{"position": [0.4, 0.2, 0.4]}]).shape
            (6,)
        """
    def check(self, /, *, rng_seed: int = ...) -> dict[str, Any]:
        """
        Looks the robot over: limits, inertia, shapes, spheres, pairs of links, named poses, inverse kinematics.

        Args:
            rng_seed: Seed of the random configurations; the same seed gives the same report.

        Returns:
            A dict with `findings` (dicts with `check`, `level`: "error", "warning" or "note", `subject` and `message`,
            the worst first), and the figures `links`, `pairs`, `self_collision` and `ik`. Lengths in m, shares in [0, 1].

        Example:
            >>> import kinetic
            >>> report = kinetic.Robot("ur5e").check()
            >>> [finding["message"] for finding in report["findings"] if finding["level"] == "error"]
            []
        """
    def check_limits(self, /, q: ArrayLike) -> bool:
        """
        True when all values are inside the limits.
        """
    def child_links(self, /, link: str) -> list[str]:
        """
        Names of the links that hang on `link` by one joint.
        """
    def classify(self, /, *, base: str | None = None, ee: str | None = None, policy: TolerancePolicy | None = None) -> dict[str, Any]:
        """
        Which axes of a chain are parallel and which meet, and the solver that follows from it.

        Args:
            base: First link of the chain; None for the base of the selected group.
            ee: Last link of the chain; None for the tip of the selected group.
            policy: Thresholds; None for the defaults.

        Returns:
            A dict with `chain`, `joints`, `pairs` (dicts with `axes`, two numbers from 1, `relation`: "parallel",
            "intersecting", "skew" or "sliding", `residual`, and `distance` in m, `angle` in rad, `point` in m at zero in
            the base where they apply), `common_points` (`axes`, three numbers, `point`, `residual`), `solver` and `tier`
            (None without closed form), and `reason`. A chain in which a joint follows another one has no pairs and points.

        Example:
            >>> import kinetic
            >>> kinetic.Robot("ur5e").classify()["solver"]
            'six_r.three_parallel'
        """
    def clip(self, /, q: ArrayLike) -> NDArray[float64]:
        """
        The same values, each moved into its limits, shape (dof,).
        """
    def collision_shapes(self, /, link: str) -> list[tuple[Shape, NDArray[float64]]]:
        """
        Collision shapes of a link: convex solids with their 4×4 poses in the link's frame.
        """
    def collision_spheres(self, /, link: str) -> NDArray[float64]:
        """
        Covering spheres of a link, shape (n, 4): x, y, z in the link's frame and radius, m.
        """
    def com(self, /, q: ArrayLike) -> NDArray[float64]:
        """
        Centre of gravity (3,) of the whole robot in its root frame, m.

        Raises:
            InputError: No link of the model has a mass.
        """
    def com_jacobian(self, /, q: ArrayLike, axes: Any = ..., base: bool | str = ...) -> NDArray[float64]:
        """
        Jacobian (3, dof) of the centre of gravity over the group's joints, in the root frame.

        Args:
            q: Joint values.
            axes: Rows that are wanted: True for all, "xy" (2 rows), "z" (1 row) ..., or three flags.
            base: False or "fixed", or "planar" or "floating" for 3 or 6 columns of a moving base in front.

        Raises:
            InputError: No link of the model has a mass.
        """
    @staticmethod
    def compose(name: str, robots: dict[str, Any]) -> Robot:
        """
        Several robots as one: a cell. Its root is a link "world"; names of links, joints, groups and end effectors get the prefix
        of their robot. Joint vectors of the whole cell list the robots one after the other; pairs of links of different
        robots are all checked for collisions.

        Args:
            name: Name of the cell.
            robots: For each prefix a robot (or the name of a built-in one) at the origin, or a tuple of a robot and the pose of its
                root link.

        Raises:
            InputError: No robot, or names that two robots share.

        Example:
            >>> from kinetic import Pose, Robot
            >>> cell = Robot.compose("cell", {"a_": "ur5e", "b_": ("ur5e", Pose.from_xyz(1.0, 0.0, 0.0))})
            >>> cell.groups
            ['a_arm', 'b_arm']
        """
    def condition_number(self, /, q: ArrayLike) -> float:
        """
        Largest divided by smallest singular value of the Jacobian; infinite at a singularity.
        """
    @property
    def dof(self, /) -> int:
        """
        Number of joint values of the selected group.
        """
    @property
    def effort_limits(self, /) -> NDArray[float64]:
        """
        Largest effort of each joint (dof,), Nm or N; infinite where unknown.
        """
    @property
    def end_effectors(self, /) -> list[dict[str, Any]]:
        """
        Places on the robot that hold tools or objects, as the kinetic.toml or SRDF names them.

        Each a dict with `name`; `parent_link`, which it is mounted on; `parent_group`, which moves it, and `group` of its own
        joints, None where not stated; and `grasp_frame` (4, 4): where it holds things, in `parent_link`, m. A kinetic.toml
        that states `tcp_xyz` makes that the `tcp` of the group that moves it.
        """
    def fk(self, /, q: ArrayLike, link: str | None = None, tcp: Any | None = None) -> NDArray[float64]:
        """
        Pose of the group's tip in the group's base, times `tcp`.

        Args:
            q: Joint values.
            link: Link whose pose in the group's base is wanted instead, without the robot's tool.
            tcp: Pose of a tool on the tip, or on `link`, instead of the robot's.

        Returns:
            The 4×4 pose.
        """
    def fk_all(self, /, q: ArrayLike) -> dict[str, NDArray[float64]]:
        """
        Poses of all links of the robot in its root frame, by name, root first.
        """
    @staticmethod
    def from_config(name: str, group: str | Sequence[str] | None = None) -> Robot:
        """
        A built-in robot: the same as `Robot(name, group)`.
        """
    @staticmethod
    def from_description(name: str) -> Robot:
        """
        A robot of the PyPI package `robot_descriptions`, which downloads the description when it is first asked for.

        Args:
            name: Name of the description, for example "ur5e_mj_description"; "_description" may be left out.

        Raises:
            InputError: The package is not installed, or does not know the name.
        """
    @staticmethod
    def from_file(path: str | PathLike[str]) -> Robot:
        """
        A robot from a file of any format: .urdf, .xacro, .sdf, .world, .mjcf, .xml (the outermost element says which),
        a kinetic.toml or its folder.
        """
    @staticmethod
    def from_mjcf(path_or_xml: str | PathLike[str], *, base: str | None = None, tip: str | None = None, package_dirs: Sequence[str | PathLike[str]] = ..., missing_meshes: str = ...) -> Robot:
        """
        A robot from an MJCF file or document, the format of MuJoCo; it has one group, "arm".

        Args:
            path_or_xml: Path of a file, or the XML text itself.
            base: Base link of the group; None for the world.
            tip: Tip link of the group; None for the link with the most moving joints above it.
            package_dirs: Folders in which included files and meshes are looked up, after the folder of the file.
            missing_meshes: "error": a scene with this robot is refused when the mesh of a collision shape is not found;
                "ignore": such shapes are left out. Either way `notes` says so, and kinematics need no meshes.

        Raises:
            InputError: Malformed or unsupported element (with file and line), unknown link, no chain from base to tip.
            OSError: The file, or one that it includes, cannot be read.
        """
    @staticmethod
    def from_path(dir: str | PathLike[str]) -> Robot:
        """
        A robot from a folder that holds a kinetic.toml.
        """
    @staticmethod
    def from_sdf(path_or_xml: str | PathLike[str], *, base: str | None = None, tip: str | None = None, package_dirs: Sequence[str | PathLike[str]] = ...) -> Robot:
        """
        A robot from an SDF file or document; it has one group, "arm".

        Args:
            path_or_xml: Path of a file, or the XML text itself.
            base: Base link of the group; None for the root.
            tip: Tip link of the group; None for the link with the most moving joints above it.
            package_dirs: Folders in which `model://` and `package://` names of models and meshes are looked up.

        Raises:
            InputError: Malformed or unsupported element (with file and line), unknown link, no chain from base to tip.
            OSError: The file cannot be read.
        """
    @staticmethod
    def from_urdf(path_or_xml: str | PathLike[str], *, base: str | None = None, tip: str | None = None, package_dirs: Sequence[str | PathLike[str]] = ..., missing_meshes: str = ..., xacro_args: dict[str, str] | None = None) -> Robot:
        """
        A robot from a URDF file or document; it has one group, "arm". Files that end in .xacro are expanded first, with
        the extra `kinetic[xacro]`.

        Args:
            path_or_xml: Path of a file, or the XML text itself.
            base: Base link of the group; None for the root.
            tip: Tip link of the group; None for the link with the most moving joints above it.
            package_dirs: Folders in which `package://` names of meshes are looked up, and those of `$(find …)` in xacro.
            missing_meshes: "error": a scene with this robot is refused when the mesh of a collision shape is not found;
                "ignore": such shapes are left out. Either way `notes` says so, and kinematics need no meshes.
            xacro_args: Arguments of a .xacro file by name, as `name:=value` on the command line of xacro.

        Raises:
            InputError: Malformed XML or model (with file and line), unknown link, no chain from base to tip.
            OSError: The file cannot be read.
        """
    @staticmethod
    def from_urdf_srdf(urdf_path: str | PathLike[str], srdf_path: str | PathLike[str], *, package_dirs: Sequence[str | PathLike[str]] = ..., xacro_args: dict[str, str] | None = None) -> Robot:
        """
        A robot from a URDF file and the SRDF file that belongs to it (groups, named poses, disabled pairs).

        Files that end in .xacro are expanded first, with the extra `kinetic[xacro]`.

        Args:
            urdf_path: The URDF file.
            srdf_path: The SRDF file.
            package_dirs: Folders in which `package://` names of meshes are looked up, and those of `$(find …)` in xacro.
            xacro_args: Arguments of .xacro files by name.
        """
    @property
    def group(self, /) -> str:
        """
        Name of the selected planning group.
        """
    @property
    def groups(self, /) -> list[str]:
        """
        Names of the planning groups.
        """
    def ik(self, /, target: Any, seed: ArrayLike | None = None, tcp: Any | None = None, **options: Unpack[IKOptions]) -> NDArray[float64]:
        """
        Joint values (dof,) inside the limits that bring the tool to a pose.

        In closed form where the arm has one: of all branches at all turns of 2π the one to which the joints travel least
        inside their limits, with the weights of `joint_weights`; arms with more than six joints are moved along their
        self-motion to where that is least. Otherwise, and where no branch is inside the limits,
        Levenberg-Marquardt from the seed, then from up to 10 random configurations. The same query gives the same
        answer. Collisions are not looked at.

        Args:
            target: Pose of the tool in the group's base.
            seed: Joint values to stay close to; None for the middle of the limits. In the length of the robot they
                say where its other joints stand, and the solver is the numerical one.
            tcp: Pose of a tool on the tip instead of the robot's.
            options: Of `kinetic.IKOptions`: `solver`, `mode`, `null_space`, `max_iterations`, `num_restarts`,
                `position_tolerance`, `orientation_tolerance`, `check_limits`, `rng_seed`, `tool_axis`, `damping`, `timeout`,
                and `raise_on_failure`: False for the nearest configuration where the pose is not reached (`ik_config` tells
                the two apart).

        Raises:
            IKError: Nothing within the tolerances was found, or is proven not to exist. The message says how near the arm
                comes, which joints stand at their limits there, and what arms with fewer than six joints can meet.
            InputError: A closed form that does not fit the arm; the message says what fits.

        Example:
            >>> from kinetic import Robot
            >>> robot = Robot("ur5e")
            >>> target = robot.fk([0.1, -1.2, 1.3, -0.4, 0.5, 0.6])
            >>> robot.ik(target).shape, robot.ik(target, solver="sqp", rng_seed=3, timeout=1.0).shape
            ((6,), (6,))
        """
    def ik_all(self, /, target: Any, seed: ArrayLike | None = None, respect_limits: bool = True, max_solutions: int | None = None, tcp: Any | None = None, **options: Unpack[IKOptions]) -> NDArray[float64]:
        """
        All configurations that bring the tool to a pose, in closed form, one row each (k, dof); k is 0 for a pose out of
        reach. For arms with more than six joints all at the samples of their self-motion. Arms with fewer meet a part of the
        pose, which `Manipulator.met` names.

        Args:
            target: Pose of the tool in the group's base.
            seed: Joint values; the closest solutions come first, each with the turns of 2π that are closest.
            respect_limits: Whether joints are turned into their limits and solutions outside them are dropped; the option
                `check_limits` of other calls is the same.
            max_solutions: At most so many rows.
            tcp: Pose of a tool on the tip instead of the robot's.
            options: Of `kinetic.IKOptions`: `swivel_samples`, `samples` and `turns` as in `Manipulator.solve` (all turns of
                2π inside the limits instead of the one nearest to the seed); `scene`, of which only the configurations
                without collision are wanted, with `collision_margin` and `self_margin`; `check_limits`, `timeout`.

        Raises:
            InputError: The arm has no closed form (the message says what has one), or a scene of another robot.
            IKError: The time was over before all were known (`IKTimeout`).

        Example:
            >>> from kinetic import Pose, Robot, Scene, Shape
            >>> robot = Robot("ur5e")
            >>> target = robot.fk([0.1, -1.2, 1.3, -0.4, 0.5, 0.6])
            >>> scene = Scene(robot)
            >>> scene.add("shelf", Shape.box(2.0, 2.0, 0.02), Pose.from_xyz(0.0, 0.0, 0.6))
            >>> len(robot.ik_all(target)), len(robot.ik_all(target, scene=scene))
            (8, 6)
        """
    def ik_batch(self, /, targets: Any, seed: ArrayLike | None = None, tcp: Any | None = None, *, out: NDArray[float64] | None = None, **options: Unpack[IKOptions]) -> tuple[NDArray[float64], NDArray[bool_]]:
        """
        `ik` for many poses at once, on all processors; the answers are those of `ik_config` pose by pose.

        Args:
            targets: Poses of the tool in the group's base (N, 4, 4), or a list of poses.
            seed: Joint values to stay close to, (dof,) for all poses or (N, dof) with one row per pose; None for the middle
                of the limits.
            tcp: Pose of a tool on the tip instead of the robot's.
            out: Array (N, dof) to write the joint values into, which is returned.
            options: Of `kinetic.IKOptions`, as of `ik`; "cached" needs single calls. `timeout` is the time of all
                poses together: those whose turn does not come are not reached. With a `scene` the nearest answer of each pose that keeps
                `collision_margin` and `self_margin`, of the branches of the closed form or what the attempts come to.

        Returns:
            Joint values (N, dof), NaN where a pose is not reached; and truth values (N,), whether it is.

        Raises:
            InputError: NaN, wrong shapes, options or an array that cannot be used. A pose that is not reached is no error.

        Example:
            >>> from kinetic import Robot
            >>> robot = Robot("ur5e")
            >>> targets = robot.batch_fk([robot.random_configuration(rng_seed=seed) for seed in range(20)])
            >>> q, success = robot.ik_batch(targets)
            >>> q.shape, int(success.sum())
            ((20, 6), 20)
        """
    def ik_config(self, /, target: Any, *arguments: Any, seed: ArrayLike | None = None, tcp: Any | None = None, **options: Unpack[IKOptions]) -> dict[str, Any]:
        """
        `ik` with what is known about its answer.

        Args:
            target: Pose of the tool in the group's base.
            arguments: Options by position: `solver`, `mode`, `seed`, `null_space`, `max_iterations`, `num_restarts`,
                `position_tolerance`, `orientation_tolerance`, `check_limits`, `rng_seed`, `raise_on_failure`.
            seed: As in `ik`.
            tcp: Pose of a tool on the tip instead of the robot's.
            options: As of `ik`. With `raise_on_failure=False` a pose that is not reached is answered by the nearest
                configuration that a numerical solver met, and `converged` False.

        Returns:
            joints (dof,), converged, position_error (m), orientation_error (rad), iterations, mode_used, solver_used,
            degraded (position only instead of the pose, or a singular configuration), and condition_number of the Jacobian
            (below 50 is good, above 1000 singular).

        Raises:
            IKError: Not found (`IKNotConverged`, with the nearest pose and the joints at their limits), or proven not to
                exist (`NoIKSolution`).
            InputError: A closed form that does not fit the arm; the message says what fits.

        Example:
            >>> from kinetic import Robot
            >>> robot = Robot("ur5e")
            >>> target = robot.fk([0.1, -1.2, 1.3, -0.4, 0.5, 0.6])
            >>> robot.ik_config(target, solver="dls")["converged"]
            True
        """
    def ik_distinct(self, /, target: Any, seed: ArrayLike | None = None, *, tcp: Any | None = None, **options: Unpack[IKOptions]) -> tuple[Any, ...]:
        """
        Different configurations that reach a pose, from numerical attempts with many starts, nearest to the seed first.

        A search: it may miss branches, which `ik_all` does not where there is a closed form. An attempt that fails does not
        end it.

        Args:
            target: Pose of the tool in the group's base.
            seed: Joint values (dof,) to start from; None for the middle of the limits.
            tcp: Pose of a tool on the tip instead of the robot's.
            options: Of `kinetic.IKOptions`, as of `ik`: the `solver` is a numerical one, "dls" unless stated, and
                `num_restarts` is 50. With a `timeout` the answer is what was found by then.

        Returns:
            Joint values (k, dof), of which no two agree in all joints to 1e-3 rad or m, turns of 2π ignored; and the largest
            difference of a joint between each two, (k, k).

        Raises:
            IKError: No attempt reached the pose.
        """
    def ik_path(self, /, targets: Any, q_start: ArrayLike | None = None, *, tcp: Any | None = None, **options: Unpack[IKOptions]) -> IKPath:
        """
        Joint values along a list of poses, chosen together.

        All branches of all poses stand in a ladder graph; of the paths through it in which no joint moves farther than its
        bound from pose to pose, the one with the least largest step of a joint is returned, and of those the shortest.
        Turns of 2π follow by continuity and stay inside the limits. When there is no such path, `reason` and `obstacles`
        say where and why, and `q` is split into as few segments as possible. Arms with self-motion move along it, from
        samples of it, until the largest step is least; arms without closed form are followed numerically from `q_start`,
        or from seeded random configurations. For both there may be better paths. With a `scene`, configurations and the
        motions between them keep its margins, and a branch that is blocked half-way is left for one that goes through.

        With `method="local"` each pose takes the configuration nearest to that of the pose before, without a look ahead: in
        about the time of a loop over `ik`, under the same bounds and with the same report of what is in the way. It may run
        into a limit or a dead end where the global method finds a way.

        Args:
            targets: Poses of the tool in the group's base (N, 4, 4), or a list of them.
            q_start: Where the arm stands; the step to the first pose is bound as all others. None for a path that may
                begin in any configuration of the first pose.
            tcp: Pose of a tool on the tip instead of the robot's.
            options: Of `kinetic.IKOptions`: `max_joint_step` (1 rad and 0.1 m unless stated), `method` ("global", all poses
                together, or "local", pose after pose from `q_start` on; without it from what `ik` answers for the first
                pose), `tolerance`, `rng_seed` (of arms without closed form), `scene` with `collision_margin` and `self_margin`
                (m, 0 unless stated), `timeout`.

        Returns:
            The path; `q, success = robot.ik_path(…)` takes out the joint values (N, dof) and the flags (N,).

        Raises:
            InputError: No poses, a pose that is no rigid transform, NaN, wrong sizes, a method that does not exist, steps that
                are not positive, or a scene of another robot.
            IKError: The time was over before the path was found (`IKTimeout`).

        Example:
            >>> import numpy as np
            >>> from kinetic import Robot
            >>> robot = Robot("ur5e")
            >>> q_start = robot.named_pose("home")
            >>> targets = np.repeat(robot.fk(q_start)[None], 50, axis=0)
            >>> targets[:, 2, 3] -= np.linspace(0.0, 0.1, 50)
            >>> q, success = robot.ik_path(targets, q_start)
            >>> q.shape, bool(success.all())
            ((50, 6), True)
        """
    @property
    def ik_solver(self, /) -> str:
        """
        Name of the solver that "auto" stands for: the one that the robot's configuration prefers, "analytic" for arms
        with a closed form, else "dls".
        """
    def jacobian(self, /, q: ArrayLike, link: str | None = None, tcp: Any | None = None) -> NDArray[float64]:
        """
        Geometric Jacobian (6, dof) of the tool in the group's base frame: linear rows first, then angular.

        Args:
            q: Joint values.
            link: Link whose origin is meant instead of the tool.
            tcp: Pose of a tool on the tip, or on `link`, instead of the robot's.
        """
    def jacobian_derivative(self, /, q: ArrayLike, qd: ArrayLike, link: str | None = None, tcp: Any | None = None) -> NDArray[float64]:
        """
        Time derivative (6, dof) of the Jacobian of a link in the root frame, for joint velocities `qd`: the acceleration
        of the link is `J @ qdd + derivative @ qd`.

        Args:
            q: Joint values.
            qd: Joint velocities (dof,).
            link: Name of the link; None for the group's tip with its tool.
            tcp: Pose of a tool on the link.
        """
    def jacobian_of(self, /, q: ArrayLike, links: Sequence[str], joints: Sequence[str] | None = None, translation: Any = ..., rotation: Any = ..., frame: str | None = None, tcp: Any | None = None, base: bool | str = ...) -> NDArray[float64]:
        """
        Jacobian of one or several links over joints of choice, one below the other, in the robot's root frame.

        Args:
            q: Joint values.
            links: Names of the links.
            joints: Names of the joints, one column each; None for those of the group. Joints that do not move a link have
                columns of zeros.
            translation: Linear rows per link: True for all, False for none, letters such as "xy", or three flags.
            rotation: Angular rows per link, in the same ways.
            frame: Link in whose axes rows are expressed; None for the root's.
            tcp: Pose of a tool on each link.
            base: False or "fixed", or "planar" or "floating" for 3 or 6 columns of a moving base in front.

        Returns:
            An array (rows, columns).
        """
    @property
    def jerk_limits(self, /) -> NDArray[float64] | None:
        """
        Largest jerk of each joint (dof,), rad/s³ or m/s³; None unless the model states it for every joint of the group.
        """
    @property
    def joint_limits(self, /) -> NDArray[float64]:
        """
        Lowest and highest position of each joint, shape (dof, 2); infinite for continuous joints.
        """
    @property
    def joint_names(self, /) -> list[str]:
        """
        Names of the joints of the selected group, in the order of joint vectors.
        """
    @property
    def joint_weights(self, /) -> NDArray[float64]:
        """
        How much one radian or metre of each joint counts in distances and lengths (dof,); 1 unless the model states others.
        """
    @property
    def joints(self, /) -> list[dict[str, Any]]:
        """
        All joints of the robot, fixed ones included, parents first.

        Each a dict with `name`; `type`: "revolute", "prismatic", "continuous" or "fixed"; the links `parent` and `child`;
        `parent_from_joint` (4, 4): the child's frame in the parent's at joint value 0, m; `axis` (3,): direction of motion in
        the joint frame; `limits` (lower, upper), rad or m, infinite where there are none, None for fixed joints; and `mimic`
        (joint, multiplier, offset) of a joint that follows another, else None; `damping` (N m s/rad or N s/m), `friction` (N m
        or N) and `armature`, the rotor inertia as the joint feels it (kg m² or kg), 0 where the model states none.
        """
    @property
    def leaf_links(self, /) -> list[str]:
        """
        Names of the links on which nothing hangs.
        """
    @property
    def link_names(self, /) -> list[str]:
        """
        Names of all links, the root first.
        """
    def link_path(self, /, from_link: str, to_link: str) -> list[str]:
        """
        Names of the links on the way from one link to another, both included, through their common ancestor.
        """
    @property
    def links(self, /) -> list[dict[str, Any]]:
        """
        All links of the robot, the root first.

        Each a dict with `name`; `parent_joint`, None for the root; `mass`, kg, None where the model states none; `visuals` and
        `collisions`: lists of dicts with `link_from_shape` (4, 4), m; `shape`, a `Shape`, or None for a mesh; `mesh`, its name
        as written, and `scale` (3,), or None; and `material`, None or a dict with `name`, `color` (red, green, blue, opacity)
        and `texture`, None where not stated.
        """
    def look_at(self, /, point: ArrayLike, axis: str | ArrayLike = ..., link: str | None = None, seed: ArrayLike | None = None) -> NDArray[float64]:
        """
        Joint values (dof,) with which an axis of the tool points at a point. Where the tool goes is free.

        Args:
            point: Point (3,) in the group's base, m.
            axis: "x", "y", "z", or a direction (3,) in the tool's own axes.
            link: Link that looks instead of the tool.
            seed: Joint values to start from; None for the middle of the limits.

        Raises:
            IKError: No joint values found that point there within 0.1 mrad.
        """
    def manipulability(self, /, q: ArrayLike) -> float:
        """
        Yoshikawa's manipulability of the tool, 0 at a singularity.
        """
    def mass_properties(self, /, q: ArrayLike) -> dict[str, Any]:
        """
        Mass of the whole robot, its centre of gravity, and its inertia as if it were rigid.

        Returns:
            A dict with `mass` (kg), `com` (3,) in the root frame (m) and `inertia` (3, 3) about it in the root's axes (kg m²).

        Raises:
            InputError: No link of the model has a mass.
        """
    def mid_configuration(self, /) -> NDArray[float64]:
        """
        Every joint in the middle of its range, continuous joints at 0, shape (dof,).
        """
    @property
    def movable_links(self, /) -> list[str]:
        """
        Names of the links that some joint moves.
        """
    def move_end_pos(self, /, q: ArrayLike, offset: ArrayLike, wrt: Any = ...) -> NDArray[float64]:
        """
        Joint values (dof,) with which the tool has moved by an offset and kept its orientation.

        Args:
            q: Joint values before.
            offset: Translation (3,), m.
            wrt: Whose axes: "local" (the tool's), "world" (those of the group's base), or another frame by its pose there.

        Raises:
            IKError: Nothing within 0.1 mm and 1 mrad was found.
        """
    def move_end_rot(self, /, q: ArrayLike, angle: float, axis: str | ArrayLike, wrt: Any = ...) -> NDArray[float64]:
        """
        Joint values (dof,) with which the tool has turned in place.

        Args:
            q: Joint values before.
            angle: Angle, rad.
            axis: "x", "y", "z", or a direction (3,).
            wrt: Whose axes: "local" (the tool's), "world" (those of the group's base), or another frame by its pose there.

        Raises:
            IKError: Nothing within 0.1 mm and 1 mrad was found.
        """
    @property
    def name(self, /) -> str:
        """
        Name of the model.
        """
    def named_pose(self, /, name: str) -> NDArray[float64] | None:
        """
        Joint values (dof,) of a named pose of the group; None when there is none of that name.
        """
    @property
    def named_poses(self, /) -> list[str]:
        """
        Names of the poses of the selected group.
        """
    @property
    def notes(self, /) -> list[str]:
        """
        What was read and not used, or put right, one sentence per kind; empty for a file without surprises.
        """
    @property
    def num_joints(self, /) -> int:
        """
        Number of joints of the whole robot, fixed ones included.
        """
    @property
    def num_links(self, /) -> int:
        """
        Number of links of the whole robot.
        """
    def parent_link(self, /, link: str) -> str | None:
        """
        Name of the link that carries `link`; None for the root.
        """
    def random_configuration(self, /, rng_seed: int | None = None) -> NDArray[float64]:
        """
        Joint values (dof,) uniform inside the limits, continuous joints in [-π, π).

        Args:
            rng_seed: The same seed gives the same values; None for another draw at every call.
        """
    def save_urdf(self, /, path: str | PathLike[str]) -> None:
        """
        Writes `to_urdf` to a file.

        Raises:
            InputError: As `to_urdf`.
            OSError: The file cannot be written.
        """
    def self_collision_pairs(self, /) -> list[dict[str, Any]]:
        """
        What is done with each pair of links that have collision shapes.

        Returns:
            For each pair a dict with `links` (two names), `class`, `reason` and `clearance`. The class is "rigid",
            "adjacent", "disabled" (by the description), "always" (touch in every configuration), "never" (proven to
            keep `clearance`, in m, inside the joint limits; checked where margins ask for more) or "checked".

        Example:
            >>> import kinetic
            >>> pairs = kinetic.Robot("ur5e").self_collision_pairs()
            >>> next(pair["class"] for pair in pairs if pair["links"] == ("forearm_link", "wrist_2_link"))
            'never'
        """
    @property
    def tcp(self, /) -> NDArray[float64]:
        """
        Pose of the tool in the frame of the group's tip link, 4×4; what a kinetic.toml states as `tcp_xyz` and `tcp_rpy`,
        the identity unless stated or set.

        Setting it changes what `fk`, `jacobian`, `ik` and pose goals mean by "tool", also for planners that were made
        with this robot.
        """
    @tcp.setter
    def tcp(self, /, tip_from_tcp: Any) -> None: ...
    def test_ik(self, /, *, count: int = ..., rng_seed: int = ...) -> dict[str, Any]:
        """
        Asks `ik` for the poses of random configurations inside the limits, to 1 µm and 1 µrad.

        Args:
            count: How many poses.
            rng_seed: Seed of the configurations.

        Returns:
            A dict with `solver`, `poses`, `solved`, `seconds` (`median`, `mean`, `p99` and `max` of one call),
            `branches` (how many poses have so many solutions inside the limits; None without closed form and for
            arms with more than six joints, which have infinitely many), `position_error` in m and `orientation_error` in
            rad, the largest. Times are measured, the rest is repeatable.

        Example:
            >>> import kinetic
            >>> report = kinetic.Robot("ur5e").test_ik(count=10)
            >>> report["solved"], sum(report["branches"].values())
            (10, 10)
        """
    @property
    def tip(self, /) -> str:
        """
        Name of the link that carries the tool of the selected group.
        """
    def to_urdf(self, /) -> str:
        """
        The robot as a URDF document: links with mass properties and shapes, joints with limits, dynamics and followers.

        A link with a collision shape that URDF has no element for (a hull) is written with the balls of the robot's sphere
        model, which cover it. Groups, named poses, tools and rotor inertias have no place in the format.

        Raises:
            InputError: A link whose shapes can be written in neither way.

        Example:
            >>> from kinetic import Robot
            >>> Robot.from_urdf(Robot("ur5e").to_urdf()).num_joints == Robot("ur5e").num_joints
            True
        """
    def tool_motion(self, /, poses: Any, blend_radius: ArrayLike, *, q_start: ArrayLike | None = None, velocity_limits: ArrayLike | None = None, acceleration_limits: ArrayLike | None = None, jerk_limits: ArrayLike | None = None, profile: str = ..., tolerance: float = ...) -> dict[str, Any]:
        """
        A timed motion in which the tool passes poses on straight lines, with rounded corners and without stops.

        Along a line the tool turns evenly about one axis. A corner begins and ends at most its radius away from the pose;
        position and rotation are twice continuously differentiable there, and the tool stays within 3/8 of the radius from
        the pose. A radius of 0 is a stop at the pose itself. Joint limits hold at every instant. Collisions are not looked
        at.

        Args:
            poses: Poses of the tool in the group's base (N, 4, 4), or a list of them; at least two that differ.
            blend_radius: One radius for all inner poses, or one for each (N - 2,), m; a corner takes half a line at most.
            q_start: Where the arm stands, in the length of the group or of the robot, which also says where its other joints
                stand; None for any configuration of the first pose.
            velocity_limits: Largest speed, one number or one per joint; None for the robot's.
            acceleration_limits: Likewise.
            jerk_limits: Likewise, for laws that bound it.
            profile: Name of the time law.
            tolerance: Largest distance of the tool from its path, m; a rotation of 1 rad counts as 0.1 m.

        Returns:
            A dict with `trajectory`, `deviation` (of the tool from its path, m) and `angle` (rad).

        Raises:
            IKError: No continuous path of joints; the message says where, and what is in the way.
            InputError: Wrong sizes, a radius that is negative, a tolerance that cannot be met, unknown names.

        Example:
            >>> import numpy as np
            >>> from kinetic import Robot
            >>> robot = Robot("ur5e")
            >>> q_start = robot.named_pose("home")
            >>> poses = np.repeat(robot.fk(q_start)[None], 3, axis=0)
            >>> poses[1, 2, 3] -= 0.1
            >>> poses[2, :3, 3] += [0.0, 0.1, -0.1]
            >>> motion = robot.tool_motion(poses, 0.03, q_start=q_start)
            >>> motion["deviation"] < 1e-4
            True
        """
    def velocity(self, /, q: ArrayLike, qd: ArrayLike, link: str | None = None, point: ArrayLike | None = None) -> NDArray[float64]:
        """
        Velocity (6,) of a point on a link in the root frame: linear, then angular.

        Args:
            q: Joint values.
            qd: Joint velocities (dof,).
            link: Name of the link; None for the group's tip.
            point: Point (x, y, z) in the link's frame, m; None for its origin, or for the tool when `link` is None.
        """
    @property
    def velocity_limits(self, /) -> NDArray[float64]:
        """
        Largest speed of each joint (dof,), rad/s or m/s.
        """
    def with_group(self, /, group: str | Sequence[str]) -> Robot:
        """
        The same robot with another planning group selected; a list of names for several groups as one.
        """
    def with_link(self, /, name: str, parent: str, parent_from_link: Any | None = None, *, shape: Shape | None = None, link_from_shape: Any | None = None) -> Robot:
        """
        The same robot with a link fixed to another one: a gripper, a camera. The tip of the group stays; `with_tip` changes it.

        Args:
            name: Name of the new link; its joint is called so with "_joint" behind it.
            parent: The link that carries it.
            parent_from_link: Where it is mounted, a pose in the frame of `parent`, m; None for the same frame.
            shape: What it looks like and collides with; None for nothing.
            link_from_shape: Where the shape stands in the link, m; None for its origin.

        Raises:
            InputError: Unknown parent, or a name that is taken.

        Example:
            >>> from kinetic import Pose, Robot, Shape
            >>> robot = Robot("ur5e")
            >>> robot.with_link("torch", robot.tip_link, Pose.from_xyz(0.0, 0.0, 0.1), shape=Shape.sphere(0.03)).link_names[-1]
            'torch'
        """
    def with_locked_joints(self, /, joints: dict[str, float]) -> Robot:
        """
        The same robot with some joints fixed at values, and those that follow them. Joint vectors, groups and named poses lose
        their entries.

        Args:
            joints: Value of each joint by its name, rad or m.

        Raises:
            InputError: Unknown joints, ones that do not move or follow others, values outside their limits.

        Example:
            >>> from kinetic import Robot
            >>> Robot("fetch").with_locked_joints({"torso_lift_joint": 0.2}).dof
            7
        """
    def with_tip(self, /, link: str) -> Robot:
        """
        The same robot with another link at the tip of its group, without a tool frame: one that does not move against the tip.

        Raises:
            InputError: Unknown link, or one that moves against the tip.
        """
    def zero_configuration(self, /) -> NDArray[float64]:
        """
        All joints at 0, shape (dof,). A model may exclude 0; `check_limits` tells.
        """

@final
class SafetyWatchdog:
    """
    Calls a function when it is not fed in time, from a thread of its own; for loops that send commands themselves.

    It fires once. It ends when nothing refers to it any more, or with its `with` block. Executions have their own.

    Args:
        timeout_ms: It fires when it was not fed for so long.
        on_stop: Called as `on_stop(action, positions)` with the positions (n,) that were fed last.
        action: What `on_stop` is asked for: "zero_velocity", "hold_position" or "abort".
        clock: Simulated time, for tests, in which the thread of the loop takes part (`with clock:`).

    Raises:
        InputError: A time that is not positive and finite, or an unknown action.

    Example:
        >>> from kinetic import SafetyWatchdog, SimulatedClock
        >>> asked = []
        >>> with SimulatedClock() as clock:
        ...     watchdog = SafetyWatchdog(50.0, lambda action, positions: asked.append(action), clock=clock)
        ...     in_time = watchdog.feed([0.1])
        ...     clock.sleep(1.0)
        ...     clock.sleep(1.0)
        >>> in_time, watchdog.has_fired, asked
        (True, True, ['zero_velocity'])
    """
    def __enter__(self, /) -> SafetyWatchdog: ...
    def __exit__(self, /, exception_type: Any | None = None, exception: Any | None = None, traceback: Any | None = None) -> None: ...
    def __new__(cls, /, timeout_ms: float, on_stop: Callable[..., object], action: str = ..., *, clock: SimulatedClock | None = None) -> SafetyWatchdog: ...
    def __repr__(self, /) -> str: ...
    @property
    def error(self, /) -> BaseException | None:
        """
        What `on_stop` has raised; None when it has not.
        """
    def feed(self, /, positions: ArrayLike) -> bool:
        """
        Says that a command for these positions was taken; False once it has fired, after which no command is to be sent.
        """
    @property
    def has_fired(self, /) -> bool:
        """
        Whether `on_stop` was called, or is being called.
        """

@final
class Scene:
    """
    A robot and the world around it. Poses are in the robot's root frame.

    Links that move and have no collision shapes are not checked: a `KineticWarning` names them.

    A scene can be edited by some threads while others ask it and plan in it: a query or a plan works on the content at the
    moment it begins, and every edit is taken whole or not at all. `edit` makes one of several, `revision` and `changes` say
    what was edited.

    Args:
        robot: The robot, or the name of a built-in one; joint vectors of queries belong to its selected group, or to the whole robot.

    Example:
        >>> import numpy as np
        >>> from kinetic import Robot, Scene, Shape
        >>> scene = Scene(Robot("ur5e"))
        >>> pose = np.eye(4)
        >>> pose[:3, 3] = 0.6, 0.0, 0.2
        >>> scene.add("box", Shape.box(0.2, 0.2, 0.4), pose)
        >>> scene.objects
        ['box']
    """
    def __new__(cls, /, robot: str | Robot) -> Scene: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(robot: str, text: str, held: SupportsGetItem[int, SupportsFloat | SupportsIndex], octrees: SupportsGetItem[int, tuple[str, Octree]]) -> Scene:
        """
        The scene that pickle stored: its robot, the text of its file, where joints outside of groups stand, and its maps.
        """
    def add(self, /, name: str, shape: Shape, pose: Any) -> None:
        """
        Adds an object, or replaces the one of that name.

        Args:
            name: Name that no link and no attached body has.
            shape: Its shape.
            pose: Pose of the shape's frame, 4×4.
        """
    def add_model(self, /, name: str, model: str | Robot, pose: Any | None = None, *, configuration: ArrayLike | None = None) -> list[str]:
        """
        Adds the collision shapes of a model as objects, all or none: of a cell, another robot, a world.

        Meshes are taken as they are, with what they enclose where they are closed. The objects do not follow the model
        afterwards; the same call with other joint values replaces them. Ctrl-C stops it.

        Args:
            name: Begins the names of the objects.
            model: A robot, of any file that `Robot.from_file` reads, or the name of a built-in one.
            pose: Where its root stands, 4×4 in the root frame of the scene; None for there.
            configuration: Values of all its joints; None for 0, or the limit nearest to it.

        Returns:
            Names of the objects: "name/link", and "name/link/0" and so on for links of several shapes.

        Raises:
            InputError: A wrong number of joint values, a model without collision shapes, a name that a link has, or a mesh that cannot be read.
        """
    def add_pointcloud(self, /, name: str, points: Any, sphere_radius: float = ..., max_points: int | None = ..., voxel_size: float | None = None, *, crop: tuple[ArrayLike, ArrayLike] | None = None, hysteresis: bool = False, outliers: OutlierFilter | None = None, robot_at: ArrayLike | None = None, robot_padding: float = ..., link_paddings: dict[str, float] = ..., objects: Sequence[str] = ..., object_padding: float = ..., pose: Any | None = None) -> dict[str, Any]:
        """
        Adds measured points as one object, or replaces the object of that name: a ball around each point.

        Every query, planner and proof sees the object, as any other. What passes on its way is counted: points that are not
        finite, outside of `crop`, on the robot or on a known object, and outliers are dropped; points that are merged enlarge the
        radius by the largest distance of a point from the one that stands for it, so that nothing is uncovered. When no point is
        left, there is no object of that name afterwards.

        Args:
            name: Name that no link and no attached body has.
            points: Points (N, 3), or (H, W, 3) of an organised cloud, m: float32 and float64 arrays are read where they lie. Also
                a structured array with the fields x, y and z, and objects with `points` or `vertices`, as Open3D and trimesh have.
            sphere_radius: Radius of the balls, m; at least half of the distance between neighbouring points, so that surfaces have
                no holes.
            max_points: Where more are left, points are merged until they are no more; None for no limit.
            voxel_size: Merge the points in each cell of a grid with edges of this length, m.
            crop: Lowest and highest corner (3,) of a box in the robot's root frame; points outside are dropped.
            hysteresis: With `voxel_size`: the middle of a cell stands for its points, and a cell of the object of that name stays
                while a point lies in one of the 27 cells around it, so that the noise of a sensor soon changes nothing and a scene that
                stands still keeps its version. The radius grows by half of the diagonal of a cell.
            outliers: Points that this `OutlierFilter` takes for measurement errors are dropped.
            robot_at: Joint values of the group, or of the whole robot, when the points were measured: points on its links and on
                what it carries are dropped. None for a robot that is not in view.
            robot_padding: Points within this distance of the robot are on it, m.
            link_paddings: Other such distances by the names of links, m, for cables and covers.
            objects: Names of objects whose points are dropped, because their shapes are known.
            object_padding: Points within this distance of such an object are on it, m.
            pose: Pose of the sensor when the points were measured, 4×4; points are in its frame. None for the root frame.

        Returns:
            What became of the points: `given`, `not_finite`, `cropped`, `excluded` (on the robot or a known object), `outliers`,
            `merged`, `kept`, of these `carried_over` (by hysteresis, without a point), and the `radius` of the balls.

        Raises:
            InputError: No finite point (a blind sensor frees no space), or an option that cannot be used. The scene is as before.
        """
    def add_unknown_space(self, /, name: str, octree: str, low: ArrayLike, high: ArrayLike, *, robot_at: ArrayLike | None = None, robot_padding: float = ..., link_paddings: dict[str, float] = ..., objects: Sequence[str] = ..., object_padding: float = ...) -> int:
        """
        Makes the unknown cells of a map in a box an object: what no sensor has seen counts as occupied. It stays as it is when the map
        changes; the next call replaces it.

        Cells within the padding of the robot, of what it carries and of known objects are left out. Without a cell there is no object of
        that name.

        Args:
            name: Name that no link, no attached body and no map has.
            octree: Name of the map.
            low: Lowest corner (3,) of the box in the root frame, m. The cells of the corners are in it.
            high: Its highest corner.
            robot_at: As for `add_pointcloud`, as `robot_padding`, `link_paddings`, `objects` and `object_padding`.

        Returns:
            Number of the cells.

        Raises:
            InputError: An unknown map, more than 2²⁴ cells, corners that are not the lowest and the highest, or a name that is taken. Ctrl-C
                ends it too; the scene is then as before.
        """
    def add_world(self, /, path_or_xml: str | PathLike[str], pose: Any | None = None, *, without: Sequence[str] = ..., package_dirs: Sequence[str | PathLike[str]] = ...) -> dict[str, Any]:
        """
        Adds the models of an SDF world as objects, all or none: of `.world` and `.sdf` files with any number of models and includes.

        Joints stand at 0, or the limit nearest to it. A plane is a half-space. Ctrl-C stops it.

        Args:
            path_or_xml: Path of a file, or the XML text itself.
            pose: Where the world stands, 4×4 in the root frame of the scene; None for there.
            without: Names of models that are left out: the robot of the scene, where the world contains it. Nothing but its pose is read of
                a model that has its name in this file, so that one which cannot be read does not stop the others.
            package_dirs: Folders in which `model://` and `package://` names of models and meshes are looked up.

        Returns:
            `objects`, the names "model/link", and "model/link/0" and so on for links of several shapes; `notes`, what of the file was not
            read, or read in some way.

        Raises:
            InputError: Malformed or unsupported elements (with file and line), a name in `without` that no model has, a world without
                collision shapes, names that links have.
            OSError: The file cannot be read.
        """
    def allow_collision(self, /, a: str, b: str) -> None:
        """
        Lets two things touch: links, objects or attached bodies.
        """
    @property
    def allowed(self, /) -> list[tuple[str, str]]:
        """
        Pairs that were allowed to touch, each in alphabetical order.
        """
    def are_free(self, /, configs: ArrayLike, collision_margin: float = ..., self_margin: float = ..., *, out: NDArray[bool_] | None = None) -> NDArray[bool_]:
        """
        Whether each of many configurations keeps the margins.

        Args:
            configs: Joint values, one row each: (N, dof), or in the length of the robot.
            collision_margin: Distance to keep from the world, m.
            self_margin: Distance to keep between links of the robot, m.
            out: Array of truth values (N,) to write into, which is returned.

        Returns:
            Truth values (N,).
        """
    def attach(self, /, name: str, shape: Shape, grasp_transform: Any, link_name: str, touch_links: Sequence[str] = ..., *, payload: Payload | float | None = None) -> None:
        """
        Attaches a new body to a link. It is checked against the world and all links but `link_name` and `touch_links`.

        Args:
            name: Name that no link, object or attached body has.
            shape: Its shape.
            grasp_transform: Pose of the shape's frame in the frame of the link, 4×4.
            link_name: The link that carries it.
            touch_links: Other links that may touch it.
            payload: What it weighs, for torques: a `Payload` in the shape's frame, or the mass (kg) of a point at its origin; None
                where that is unknown.
        """
    def attach_existing(self, /, name: str, link_name: str, q: ArrayLike, touch_links: Sequence[str] | None = None, *, payload: Payload | float | None = None) -> dict[str, Any]:
        """
        Turns an object into an attached body that keeps its place when the robot stands at `q`.

        What it stands on is released: the margin towards objects that are nearer than a centimetre becomes half of the distance that
        there is, where none is stated for the pair, until it is detached. So it can be lifted off, and is not drawn through its support.

        Args:
            name: Name of the object.
            link_name: The link that carries it.
            q: Joint values (dof,).
            touch_links: Other links that may touch it; None for the links of the hand, which no joint of the arm parts from `link_name`.
            payload: As for `attach`.

        Returns:
            A dict: `touch_links`; `released` {object: margin, m}; `touching`, the objects that it touches at `q`, or nearly does: these
            are not released.
        """
    @property
    def attached(self, /) -> list[str]:
        """
        Names of the attached bodies, sorted.
        """
    def attached_body(self, /, name: str) -> tuple[Shape, NDArray[float64], str]:
        """
        Shape of an attached body, its 4×4 pose in the frame of the link that carries it, and the name of that link.

        Raises:
            InputError: There is no attached body of that name.
        """
    def changes(self, /, since: int) -> SceneChanges:
        """
        What was edited since a revision, with the content that this leads to.

        The log holds some thousand changes; where it does not reach back, `diff` is None.

        Args:
            since: A `revision` of this scene.

        Example:
            >>> from kinetic import Robot, Scene, Shape
            >>> scene = Scene(Robot("ur5e"))
            >>> seen = scene.revision
            >>> scene.add("ball", Shape.sphere(0.1), [[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0.2], [0, 0, 0, 1]])
            >>> scene.changes(since=seen).diff
            SceneDiff(added=["ball"])
        """
    def check_collision(self, /, q: ArrayLike) -> bool:
        """
        True when anything touches at `q`, the robot itself included, or misses a margin that the scene states.
        """
    def check_motion(self, /, q0: ArrayLike, q1: ArrayLike) -> float | None:
        """
        First contact on the straight segment in joint space, as a fraction in [0, 1]; None when it is proven free.

        Of two configurations in the length of the robot, joints outside the group have to agree.
        """
    def check_trajectory(self, /, trajectory: Trajectory, collision_margin: float = ..., self_margin: float = ...) -> dict[str, Any] | None:
        """
        The first place of a trajectory at which a margin is missed; None when it is proven free.

        Args:
            trajectory: Timed, or a path, of the robot's selected group.
            collision_margin: General distance from the world, m.
            self_margin: General distance between links of the robot, m.

        Returns:
            A dict with `segment` (between waypoints, from 0), `fraction` of it, `time` (s; None for a path), `link` and
            `other`.

        Raises:
            InputError: A trajectory of other joints.
        """
    def clear(self, /) -> None:
        """
        Removes all objects and occupancy maps; attached bodies stay.
        """
    def contacts(self, /, q: ArrayLike, margin: float = ...) -> list[dict[str, Any]]:
        """
        Pairs closer than `margin` (m, on top of what the scene states for them), nearest first.

        Returns:
            For each pair a dict with `link`, `other`, the signed `distance` in m, `depth` (0 when apart), the nearest or
            deepest points `point_on_link` and `point_on_other` (3,) and the unit `normal` (3,) from link to other, in the
            robot's root frame.
        """
    def detach(self, /, name: str, place_pose: Any) -> bool:
        """
        Turns an attached body into an object at `place_pose`; False when there is none of that name.
        """
    def diff(self, /, before: Scene) -> SceneDiff:
        """
        What was edited from an earlier content, or from another scene of the same robot, to this one.

        Args:
            before: A `snapshot`, or any scene of the robot.

        Raises:
            InputError: A scene of another robot.

        Example:
            >>> from kinetic import Robot, Scene, Shape
            >>> scene = Scene(Robot("ur5e"))
            >>> before = scene.snapshot()
            >>> scene.add("ball", Shape.sphere(0.1), [[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0.2], [0, 0, 0, 1]])
            >>> scene.diff(before)
            SceneDiff(added=["ball"])
        """
    def disallow_collision(self, /, a: str, b: str) -> None:
        """
        Takes back `allow_collision`.
        """
    def distance_gradient(self, /, q: ArrayLike) -> tuple[Any, ...]:
        """
        The least clearance at `q` and its derivative by the joint values of the group.

        Clearance is distance over what the scene asks the pair to keep; of the world and of the robot itself.

        Returns:
            Clearance in m (infinite when nothing can touch), gradient (dof,), and the pair (None when nothing can touch).
        """
    def edit(self, /) -> SceneEdit:
        """
        Several edits as one: all of them are seen at once or, when the block raises, none.

        `with scene.edit() as draft:` gives a copy of the scene to edit, which takes the place of the content when the block
        ends. Other threads that edit the scene wait meanwhile, those that ask it or plan in it do not; keep it short. To edit the
        scene itself inside the block is an InputError.

        Example:
            >>> from kinetic import Pose, Robot, Scene, Shape
            >>> scene = Scene(Robot("ur5e"))
            >>> with scene.edit() as draft:
            ...     draft.add("table", Shape.box(1.0, 1.0, 0.05), Pose.from_xyz(0.0, 0.0, -0.1))
            ...     draft.add("ball", Shape.sphere(0.1), Pose.from_xyz(0.5, 0.0, 0.2))
            >>> scene.objects, scene.revision
            (['ball', 'table'], 1)
        """
    def explain(self, /, q: ArrayLike, collision_margin: float = ..., self_margin: float = ..., within: float = ...) -> Explanation:
        """
        What is near at `q`, what it has to keep, and who says so; print it.

        Args:
            q: Joint values of the group, or of the whole robot.
            collision_margin: General distance from the world, m.
            self_margin: General distance between links of the robot, m.
            within: Pairs are listed up to this far over what they have to keep, m.
        """
    def filter_pointcloud(self, /, points: Any, sphere_radius: float = ..., max_points: int | None = ..., voxel_size: float | None = None, *, crop: tuple[ArrayLike, ArrayLike] | None = None, hysteresis: bool = False, outliers: OutlierFilter | None = None, robot_at: ArrayLike | None = None, robot_padding: float = ..., link_paddings: dict[str, float] = ..., objects: Sequence[str] = ..., object_padding: float = ..., pose: Any | None = None) -> tuple[NDArray[float64], dict[str, Any]]:
        """
        What `add_pointcloud` would add: the points that are left (N, 3) in the robot's root frame, and what became of the others.
        """
    def get(self, /, name: str) -> tuple[Shape, NDArray[float64]]:
        """
        Shape and 4×4 pose of an object.

        Raises:
            InputError: There is no object of that name.
        """
    @property
    def ghosts(self, /) -> list[str]:
        """
        Objects that are ghosts, in name order.
        """
    def hold_joint(self, /, joint: str, value: float) -> None:
        """
        Holds a joint outside of the planning group at a value, in every query of configurations of the group.

        Args:
            joint: Its name.
            value: Where, rad or m.

        Raises:
            InputError: A name that no joint has that moves, or a value that is not finite.
        """
    def inverse_kinematics(self, /, target: Any, seed: ArrayLike | None = None, *, distance: float = ..., world: bool = True, pairs: SupportsGetItem[int, tuple[str, str]] | None = None, rank: str = ..., gain: float = ..., joint_weights: ArrayLike | None = None, attempts: int = ..., max_iterations: int = ..., rng_seed: int | None = None, tcp: Any | None = None, mode: str = ..., position_tolerance: float = ..., orientation_tolerance: float = ...) -> NDArray[float64]:
        """
        Joint values (dof,) of the group with which the tool reaches a pose and everything keeps a distance.

        Args:
            target: Pose of the tool in the group's base.
            seed: Joint values to start from; None for the middle of the limits.
            distance: Distance to keep from objects and between `pairs`, m; where the scene states a larger one, that.
            world: Whether links and carried bodies keep away from objects.
            pairs: Pairs (a, b) of links, carried bodies and objects that keep `distance` besides, [] for none; None for all
                pairs of the robot itself, which then keep what the scene states, or do not touch.
            rank: What gives way: "first" the pose, "null_space" the distances, "equal" both, by `gain`.
            gain: Weight of distances against pose errors, for rank "equal".
            joint_weights: Per joint how dear its motion is (dof,); None for all alike.
            attempts: Attempts; those after the first start at random.
            max_iterations: Iterations of one attempt.
            rng_seed: Seed of the random starts; None for 0.
            tcp: Pose of a tool on the tip instead of the robot's.
            mode: "full6d", or "position_only" with the orientation free.
            position_tolerance: Largest distance between reached and wanted origin, m.
            orientation_tolerance: Largest angle between reached and wanted orientation, rad.

        Ctrl-C ends it.

        Raises:
            IKError: No joint values found within the tolerances that keep the distances.
            InputError: NaN, wrong sizes, unknown names, a distance that is negative.
        """
    def link_distances(self, /, q: ArrayLike) -> list[dict[str, Any]]:
        """
        How close every link and carried body comes to anything at `q`.

        Returns:
            For each a dict with `link`, `distance` (m), `margin` (what the scene asks for, m) and `other`; None and an
            infinite distance where there is nothing to touch.
        """
    def load(self, /, path: str | PathLike[str]) -> None:
        """
        Adds what a scene file (TOML) holds, all or nothing: objects, attached bodies, allowed pairs, margins.

        Of a file of MoveIt (`.scene`) it adds the objects: those of several shapes become "name/0" and so on, a cone a hull
        around it, and of a plane what lies against its normal.

        Raises:
            InputError: The file says something unusable; the message names file and line.
            OSError: The file cannot be read.
        """
    @property
    def margins(self, /) -> dict[str, Any]:
        """
        What was stated about distances: `pairs` {(a, b): m}, `names` {(name, "world" or "robot"): m}, `paddings` {name: m}
        and `scales` {link: factor}.
        """
    def min_distance(self, /, q: ArrayLike) -> float:
        """
        Least signed distance (m) between the robot with what it carries and the world; infinite in an empty scene.

        Paddings belong to the bodies; margins do not count.
        """
    def move_objects(self, /, names: Sequence[str], moved_from_standing: Any) -> None:
        """
        Moves objects together, as one rigid body: all or none.

        Args:
            names: Their names.
            moved_from_standing: Where they go, 4×4 in the root frame: an object at `pose` goes to `moved_from_standing @ pose`.

        Raises:
            InputError: There is no object of a name, or a name stands twice.
        """
    @property
    def num_attached(self, /) -> int:
        """
        Number of attached bodies.
        """
    @property
    def num_objects(self, /) -> int:
        """
        Number of objects.
        """
    @property
    def num_octrees(self, /) -> int:
        """
        Number of occupancy maps.
        """
    @property
    def objects(self, /) -> list[str]:
        """
        Names of the objects, sorted.
        """
    def octree(self, /, name: str) -> Octree:
        """
        A copy of the occupancy map of a name.

        Raises:
            InputError: There is no map of that name.
        """
    @property
    def octrees(self, /) -> list[str]:
        """
        Names of the occupancy maps, sorted.
        """
    @property
    def payloads(self, /) -> dict[str, Payload]:
        """
        What the attached bodies weigh, by their names, in the frames of their shapes; those without a payload are left out.
        """
    def proximity(self, /, q: ArrayLike, within: float = ..., *, exact: bool = False) -> dict[str, Any]:
        """
        Every pair closer than what the scene asks it to keep plus `within`, at one configuration.

        Distances are measured in single precision, with an error of at most 2e-5 of the size of a pair (the distance of its
        centres and both radii); pairs that overlap, and those with a body that is not convex, in double precision. Both are
        of the convex hulls and shapes, without paddings.

        Args:
            q: Joint values of the group, or of the whole robot.
            within: How far over what it has to keep a pair is listed, m.
            exact: Measures every pair in double precision, to 1e-6 of its size.

        Returns:
            A dict of arrays with one row per pair: `pairs` (a list of two names), `distance` (n,), `margin` (n,), in m,
            `point_on_link`, `point_on_other` and `normal` (n, 3), from the link to the other, in the root frame, and
            `gradient` (n, dof), the derivative of the distance by the joint values of the group.
        """
    def proximity_batch(self, /, configs: ArrayLike, within: float = ..., *, exact: bool = False) -> dict[str, Any]:
        """
        [`proximity`](Scene.proximity) of many configurations at once, on all processors.

        Args:
            configs: Joint values of the group, one row per configuration, (m, dof).
            within: How far over what it has to keep a pair is listed, m.
            exact: Measures every pair in double precision.

        Returns:
            The dict of `proximity` over all configurations, with `configuration` (n,), the row of `configs` of each pair.
        """
    def remove(self, /, name: str) -> bool:
        """
        Removes an object, or an occupancy map; False when there is none of that name.
        """
    @property
    def revision(self, /) -> int:
        """
        Number of the content: 0 when the scene is made, one more with each edit that changes something.
        """
    def save(self, /, path: str | PathLike[str]) -> None:
        """
        Writes everything that the scene holds to a scene file (TOML), which `load` reads.

        Raises:
            InputError: A shape that scene files do not have.
            OSError: The file cannot be written.
        """
    def self_collision(self, /, q: ArrayLike) -> tuple[bool, list[tuple[str, str]]]:
        """
        Whether links or carried bodies of the robot touch each other, and which.
        """
    def set_ghost(self, /, name: str, ghost: bool = True) -> None:
        """
        Makes an object a ghost, which anything may touch, or solid again.

        A ghost stays in the scene; nothing collides with it, until it is made solid, removed or attached. The certificates of plans name
        the ghosts.

        Args:
            name: An object.
            ghost: False to make it solid again.

        Raises:
            InputError: A name that no object has.
        """
    def set_margin(self, /, a: str, b: str | None = None, value: float | None = None, *, towards: str | None = None) -> None:
        """
        States the distance that two things, or one thing and everything else, have to keep.

        Every query, planner and proof honours it in place of its own margin. The most specific statement counts: that of the
        pair, then that of either thing (the larger one of two), then the margin of the query or planner.

        Args:
            a: A link, object or attached body.
            b: Another one; None for everything.
            value: Distance, m; None takes back what was stated.
            towards: "world" or "robot", to state it towards objects or towards the robot itself only; without `b`.

        Raises:
            InputError: An unknown name, the same name twice, or a distance that is negative or not finite.
        """
    def set_octree(self, /, name: str, octree: Octree) -> None:
        """
        Makes a copy of an occupancy map the map of a name, and its occupied cells the object of that name.

        Raises:
            InputError: A name that a link or an attached body has, or more than 2²⁶ occupied cells.
        """
    def set_padding(self, /, name: str, value: float | None) -> None:
        """
        Makes a link, object or attached body thicker in every query.

        Args:
            name: Its name.
            value: How much, m; None takes back what was stated.

        Raises:
            InputError: An unknown name, or a value that is negative or not finite.
        """
    def set_scale(self, /, link: str, factor: float | None) -> None:
        """
        Makes every shape of a link larger or smaller about its own centre.

        Args:
            link: Its name.
            factor: More than 0; None takes back what was stated.

        Raises:
            InputError: An unknown link, or a factor that is not positive and finite.
        """
    def snapshot(self, /) -> Scene:
        """
        An independent copy of the scene as it is now.
        """
    def update_from_depth(self, /, name: str, depth: Any, fx: float, fy: float, cx: float, cy: float, camera_pose: Any, min_depth: float = ..., max_depth: float = ..., sphere_radius: float = ..., *, max_points: int | None = ..., voxel_size: float | None = None, crop: tuple[ArrayLike, ArrayLike] | None = None, hysteresis: bool = False, outliers: OutlierFilter | None = None, robot_at: ArrayLike | None = None, robot_padding: float = ..., link_paddings: dict[str, float] = ..., objects: Sequence[str] = ..., object_padding: float = ..., depth_scale: float = ..., distortion: ArrayLike | None = None, fisheye: bool = False, flying_pixel_ratio: float | None = None) -> dict[str, Any]:
        """
        Adds the surfaces of a depth image as one object, or replaces the object of that name, as `add_pointcloud` does.

        Args:
            name: Name that no link and no attached body has.
            depth: Depths along the optical axis (H, W): float32 or float64 in m, or uint16 in units of `depth_scale`. 0, NaN and
                infinity mean that nothing was measured.
            fx: Focal length along x, pixels.
            fy: Focal length along y, pixels.
            cx: Principal point along x, pixels; the centre of the first pixel is at 0.
            cy: Principal point along y, pixels.
            camera_pose: Pose of the optical frame (x right, y down, z forward) when the image was taken, 4×4.
            min_depth: Nearer depths do not count, m.
            max_depth: Farther depths do not count, m.
            sphere_radius: See `add_pointcloud`, as all other options that are not named here.
            depth_scale: Length of a unit of integer depths, m.
            distortion: Coefficients of the lens as OpenCV has them: k1, k2, p1, p2 and perhaps k3.
            fisheye: An equidistant fisheye with the coefficients k1, k2, k3, k4.
            flying_pixel_ratio: Drop pixels that differ by more than this part of their depth from both neighbours in a row or a
                column: what is measured between foreground and background.

        Returns:
            As `add_pointcloud`; `given` counts pixels with a depth that counts.

        Raises:
            InputError: As `add_pointcloud`; an image of another shape or type, and intrinsics of no camera.
        """
    def update_octree(self, /, name: str, points: Any, sensor_origin: ArrayLike, resolution: float = ..., *, max_range: float | None = None, outliers: OutlierFilter | None = None, robot_at: ArrayLike | None = None, robot_padding: float = ..., link_paddings: dict[str, float] = ..., objects: Sequence[str] = ..., object_padding: float = ..., pose: Any | None = None) -> dict[str, Any]:
        """
        Inserts the points of a sensor into the occupancy map of a name, which is made where there is none; its occupied cells
        are the object of that name.

        Cells with points become more occupied, the cells between them and the sensor more free: what went away is cleared, what is
        out of sight is remembered. Points on the robot and on known objects change nothing. Any other edit of the object makes
        it an ordinary one, and the map is forgotten. `revision` and `version` change with the occupied cells only.

        Args:
            name: Name that no link and no attached body has.
            points: As for `add_pointcloud`.
            sensor_origin: Where the sensor was (3,), in the frame of the points, m.
            resolution: Edge of the cells of a map that begins, m; one that exists keeps its own. `set_octree` begins with a map of
                another sensor model.
            max_range: Points farther away clear up to this range and hit nothing, m; None for no bound.
            outliers: As for `add_pointcloud`, as `robot_at`, `robot_padding`, `link_paddings`, `objects` and `object_padding`.
            pose: Pose of the frame of the points, 4×4; None for the root frame.

        Returns:
            What the filters did, as `add_pointcloud` says it, and under `insertion` what the map did, as `Octree.insert_cloud` says.

        Raises:
            InputError: No finite point (a blind sensor frees no space), a sensor outside of the map, or an option that cannot be
                used. The scene is as before.
        """
    def update_pose(self, /, name: str, pose: Any) -> None:
        """
        Moves an object.

        Raises:
            InputError: There is no object of that name.
        """
    @property
    def version(self, /) -> str:
        """
        Identifies the content: "fnv1a128:" and 32 hexadecimal digits. Scenes of the same version hold the same robot,
        objects, carried bodies, pairs that may touch, margins and held joints, whatever edits and files they come from; two
        copies that were edited differently have different versions. It finds accidents, not forgeries.
        """
    def wait_for_change(self, /, revision: int, timeout: float | None = None) -> int | None:
        """
        Waits until the revision is another one, without the GIL. Ctrl-C ends it.

        Args:
            revision: The revision that is known.
            timeout: Longest wait, s; None for no end.

        Returns:
            The new revision; None when the time was over first.

        Raises:
            InputError: A timeout that is negative or NaN.
        """

@final
class SceneChanges:
    """
    What was edited in a scene since a revision, and the content that this leads to.
    """
    def __repr__(self, /) -> str: ...
    @property
    def diff(self, /) -> SceneDiff | None:
        """
        What was edited; None when the bounded log does not reach back so far, or when there never was such a revision. A copy
        of the earlier content then has to be replaced by all of `scene`.
        """
    @property
    def revision(self, /) -> int:
        """
        The revision that they lead to: what to ask from the next time.
        """
    @property
    def scene(self, /) -> Scene:
        """
        The content of that revision, a scene of its own.
        """

@final
class SceneDiff:
    """
    Names of what was edited, sorted; the values are in the scenes.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def added(self, /) -> list[str]:
        """
        Objects that were not there.
        """
    @property
    def allowed(self, /) -> bool:
        """
        Whether other pairs may touch.
        """
    @property
    def attached(self, /) -> list[str]:
        """
        Bodies that were attached, or attached otherwise.
        """
    @property
    def detached(self, /) -> list[str]:
        """
        Bodies that are not attached any more.
        """
    @property
    def held(self, /) -> bool:
        """
        Whether joints outside of groups are held elsewhere.
        """
    @property
    def is_empty(self, /) -> bool:
        """
        True when nothing was edited.
        """
    @property
    def margins(self, /) -> bool:
        """
        Whether margins, paddings or scales were edited.
        """
    @property
    def moved(self, /) -> list[str]:
        """
        Objects whose pose alone has changed.
        """
    @property
    def removed(self, /) -> list[str]:
        """
        Objects that are not there any more.
        """
    @property
    def replaced(self, /) -> list[str]:
        """
        Objects that have another shape.
        """

@final
class SceneEdit:
    """
    An edit of a scene, made of several; a context manager, see `Scene.edit`.
    """
    def __enter__(self, /) -> Scene: ...
    def __exit__(self, /, exception_type: Any | None = None, exception: Any | None = None, traceback: Any | None = None) -> None: ...

@final
class SequenceItem:
    """
    One motion of `Planner.plan_sequence`: through free space to a goal, or the tool along all of a Cartesian path.

    Args:
        motion: A goal as for `Planner.plan`, or a `CartesianPath`. A pose is a goal; a line to it is
            `CartesianPath().line_to(pose)`.
        config: Options of a Cartesian path; None for the defaults with the planner's margin.
        velocity_scaling: Factor of the planner's velocity limits, in (0, 1].
        acceleration_scaling: Factor of the planner's acceleration limits, in (0, 1].
        blend_radius: How far from its end the tool may leave the item to go on with the next one without a stop, m; 0 stops.

    Raises:
        InputError: A factor outside (0, 1], a radius that is negative or not finite, or a config for a goal.

    Example:
        >>> from kinetic import CartesianPath, SequenceItem
        >>> SequenceItem(CartesianPath().move_by([0.0, 0.0, -0.1]), velocity_scaling=0.2).is_cartesian
        True
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, motion: CartesianPath | Goal | Pose | str | ArrayLike | dict[str, Any], config: CartesianConfig | None = None, *, velocity_scaling: float = ..., acceleration_scaling: float = ..., blend_radius: float = ...) -> SequenceItem: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(goal: Goal | None, path: CartesianPath | None, config: CartesianConfig | None, numbers: tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex]) -> SequenceItem:
        """
        The item that pickle stored.
        """
    @property
    def acceleration_scaling(self, /) -> float:
        """
        Factor of the planner's acceleration limits.
        """
    @property
    def blend_radius(self, /) -> float:
        """
        How far from its end the tool may leave the item, m.
        """
    @property
    def config(self, /) -> CartesianConfig | None:
        """
        The options of a Cartesian path, or None.
        """
    @property
    def goal(self, /) -> Goal | None:
        """
        The goal of a motion through free space, or None.
        """
    @property
    def is_cartesian(self, /) -> bool:
        """
        Whether the tool follows a path.
        """
    @property
    def path(self, /) -> CartesianPath | None:
        """
        The path of the tool, or None.
        """
    @property
    def velocity_scaling(self, /) -> float:
        """
        Factor of the planner's velocity limits.
        """

@final
class SequenceResult:
    """
    A sequence of motions as one.
    """
    def __len__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...
    @property
    def boundaries(self, /) -> NDArray[float64]:
        """
        When each item begins, and when the last one ends (items + 1,), s; in the middle of blends where there are some.
        """
    @property
    def items(self, /) -> list[dict[str, Any]]:
        """
        One dict per item: `begin` and `end` (s), `trajectory` (its motion alone, with its own certificate), `cartesian` (its
        `CartesianResult`, or None), `blend_radius` (m, inside of which its end is rounded into the next item; 0 where it stops) and
        `blend_reason` (why that is less than what was asked for, or None). Of motions through free space also `goal_index` (which member of a set of goals is met),
        `planner_used`, `starts_tried` (configurations at the goal from which the Cartesian items that follow were planned) and
        `starts_followed` (from how many of them these can be followed).
        """
    @property
    def trajectory(self, /) -> Trajectory:
        """
        All items, one after the other, with one certificate; without where an item does not avoid collisions.
        """

@final
class Servo:
    """
    Steers an arm by twists, poses and joints while it moves; from every command a stop is proven.

    Velocity, acceleration, jerk and joint limits hold at every instant. A tick is taken only if the stop after it is proven, by
    the continuous collision check, to keep `stop_distance`; otherwise less of the command is tried, and then the stop that was
    proven before. Every `send_…` commands and moves for one period; `tick` moves on with the last command, until it is older
    than `command_timeout`.

    Args:
        robot: A robot, or the name of a built-in one.
        scene: What stands around it, as it is at every tick; None for nothing.
        group: Planning group; None for the robot's selected one.
        preset: "teleop" (500 Hz), "tracking" (200 Hz, closer to obstacles, gain 10) or "precise" (250 Hz, small steps); it says
            what options have that are not given.
        rate_hz: Ticks per second (500).
        method: "qp" slides along what is in the way, "damped" keeps the direction ("qp").
        singularity_threshold: Singular values of the Jacobian below it are damped (0.02).
        singularity_damping: Damping at a singularity (0.05).
        lockup_time: Time, s, after which a singularity that takes all of a command, and has no way out, is called a lock-up (1).
        pose_tracking_gain: Part of the way to a pose that is covered per second, 1/s (5).
        slowdown_distance: Distance to obstacles from which motion towards them slows down, m (0.15).
        stop_distance: Distance to obstacles that every stop keeps, m (0.03); a margin that the scene states for a pair takes its
            place.
        self_slowdown_distance: As slowdown_distance, between links and attached bodies, m (0.01).
        self_stop_distance: As stop_distance, between links and attached bodies, m (0.001).
        velocity_limits: (dof,), rad/s or m/s; None for the robot's.
        acceleration_limits: (dof,), rad/s² or m/s²; None for the robot's.
        jerk_limits: (dof,), rad/s³ or m/s³; None for the robot's, or ten times the acceleration limits.
        max_delta_per_tick: No joint moves farther in a tick, rad or m (0.02).
        command_timeout: A command acts for this long, s (0.1); then the arm stops.
        tracking_error: How far joints of the real arm may be from their commands, rad or m (0).
        obstacle_speed: Largest speed of obstacles, m/s (0).
        command_latency: Time until a command acts, s (0); it matters where obstacles move.
        filter: Of twists, poses, joint velocities and positions ("none"): "exponential", "butterworth" or "one_euro".
        filter_cutoff: Frequency above which commands are attenuated, Hz (5).
        filter_beta: Of "one_euro": by how much the frequency rises with the speed of the command, Hz per unit per second (1).
        filter_speed_cutoff: Of "one_euro": cut-off frequency of that speed, Hz (1).
        blend_time: Time in which a chunk takes over from the one before, s (0.1).

    Raises:
        InputError: Unknown robots, groups, presets or methods, options outside their domain, the scene of another robot.

    Example:
        >>> from kinetic import Servo
        >>> servo = Servo("ur5e")
        >>> servo.set_state([0.0, -1.57, 1.57, 0.0, 1.57, 0.0])
        >>> command = servo.send_twist([0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
        >>> command["positions"].shape, command["status"]
        ((6,), 'no_warning')
    """
    def __new__(cls, /, robot: str | Robot, scene: Scene | None = None, *, group: str | None = None, preset: str = ..., rate_hz: float | None = None, method: str | None = None, singularity_threshold: float | None = None, singularity_damping: float | None = None, lockup_time: float | None = None, pose_tracking_gain: float | None = None, slowdown_distance: float | None = None, stop_distance: float | None = None, self_slowdown_distance: float | None = None, self_stop_distance: float | None = None, velocity_limits: ArrayLike | None = None, acceleration_limits: ArrayLike | None = None, jerk_limits: ArrayLike | None = None, max_delta_per_tick: float | None = None, command_timeout: float | None = None, tracking_error: float | None = None, obstacle_speed: float | None = None, command_latency: float | None = None, filter: str | None = None, filter_cutoff: float | None = None, filter_beta: float | None = None, filter_speed_cutoff: float | None = None, blend_time: float | None = None) -> Servo: ...
    @property
    def dof(self, /) -> int:
        """
        Number of joints.
        """
    def follow_trajectory(self, /, trajectory: Trajectory) -> None:
        """
        Commands to follow a timed trajectory, from its start to its end. `tick` moves.

        Where it begins elsewhere, the arm goes to its start first. Where something is near or the trajectory is faster than the
        limits, its time slows with the arm, which stays on the path as far as limits let it; an edit of the scene stops the arm,
        and it goes on when the way is free. Away from everything, the arm's own links included, a trajectory within nine tenths of
        the limits of acceleration and jerk is followed exactly.

        Args:
            trajectory: A `Trajectory` with times, of the joints of the group.

        Raises:
            InputError: A path without times, other joints, no state; the last command then goes on.
        """
    @property
    def options(self, /) -> dict[str, Any]:
        """
        The options that act, by name: what was given, and what the preset says for the rest. Limits that are those of the robot
        are empty.
        """
    @property
    def rate_hz(self, /) -> float:
        """
        Ticks per second.
        """
    def send_joint_jog(self, /, joint_index: int, velocity: float) -> dict[str, Any]:
        """
        Commands the velocity of one joint, rad/s or m/s, and moves for one period; answers as `send_twist`.
        """
    def send_joint_velocities(self, /, velocities: ArrayLike) -> dict[str, Any]:
        """
        Commands velocities of all joints (dof,), rad/s or m/s, and moves for one period; answers as `send_twist`.
        """
    def send_twist(self, /, twist: ArrayLike | Twist, *, frame: str = ..., position_mask: Any = ..., rotation_mask: Any = ...) -> dict[str, Any]:
        """
        Commands a velocity of the tool, and moves for one period.

        Args:
            twist: Velocity of the tool's origin, m/s, and angular velocity, rad/s (6,); or a `Twist`. Along linear components that are
                zero the tool is held to where it came to rest, as long as the axes do not turn, and its rotation where all of it is.
            frame: "base" (of the group), "tool", or the name of a link, along whose axes the twist is.
            position_mask: Linear components that are commanded; others are free.
            rotation_mask: Angular components that are commanded; others are free.

        Returns:
            A dict: `positions`, `velocities`, `accelerations` (dof,) at the end of the period; `status`, what kept it from what was
            wanted ("no_warning", "decelerate_for_collision", "halt_for_collision", "decelerate_for_singularity",
            "halt_for_singularity", "singularity_lockup", "joint_bound", "decelerate_for_limits", "no_command", "emergency_stop");
            `emergency_stop`, whether it is the last;
            `exceeds_limits`, whether the tick exceeds the limits of jerk to stop; `scale`, the part of the wanted velocity;
            `joint_deviations` (dof,), rad or m, and `tool_deviation` (2,), m and rad, how far it is from what chunks want;
            `min_distance` and `min_self_distance`, m, to objects and between links, infinite beyond the slowdown distance.

        Raises:
            InputError: Wrong sizes, NaN, unknown links, no components, a group without one tool, no state; the last command then
                goes on.
        """
    def set_state(self, /, positions: ArrayLike, velocities: ArrayLike | None = None) -> None:
        """
        Begins at a state that the arm has. The last command is forgotten.

        Args:
            positions: (dof,), rad or m. Outside limits, or closer to something than the stop distance, motion leads back only.
            velocities: (dof,), rad/s or m/s; None is rest.

        Raises:
            InputError: Wrong sizes, NaN.
            PlanningError: A state in contact (names the pair); the servo is then as before.
        """
    def state(self, /) -> dict[str, Any]:
        """
        Where the arm is.

        Returns:
            A dict: `joint_positions`, `joint_velocities` (dof,); `ee_pose`, base_from_tool (4, 4), and `manipulability`, None for a
            group without one tool; `near_singularity`, `near_collision`, `is_stopped`; `min_obstacle_distance`, m, infinite
            beyond the slowdown distance; `nearest_pair`, the names of the two that have the least room, or None.
        """
    def stop(self, /) -> dict[str, Any]:
        """
        Commands to stop, and moves for one period; answers as `send_twist`.
        """
    def stream(self, /, chunk: Any, times: ArrayLike) -> None:
        """
        Commands an action chunk, as learned policies give them: targets ahead. `tick` moves.

        Natural cubic splines lie between the targets. A chunk that comes while another one is followed takes over at its first
        time, or now if that is past, along a blend of `blend_time` seconds. After the last time the arm stops. Where the limits
        do not allow to be where the chunk wants, the arm catches up with it.

        Args:
            chunk: Joint positions (n, dof), or poses of the tool in the base of the group (n, 4, 4), also a sequence of `Pose`.
            times: (n,), growing, s in the `time` of the servo.

        Raises:
            InputError: Wrong sizes, NaN, times that do not grow, a chunk that is over, poses for a group without one tool; the last
                command then goes on.
        """
    def tick(self, /) -> dict[str, Any]:
        """
        Moves for one period with the last command; answers as `send_twist`.
        """
    @property
    def time(self, /) -> float:
        """
        Time of the servo, s: its ticks since it was made, times the period.
        """
    def track_joints(self, /, positions: ArrayLike, velocities: ArrayLike | None = None) -> dict[str, Any]:
        """
        Commands positions of all joints (dof,) for the end of the period, and the velocities with which they go on from there
        (None: they stand), and moves for one period; answers as `send_twist`.
        """
    def track_pose(self, /, target: Any) -> dict[str, Any]:
        """
        Commands a pose of the tool in the base of the group (`Pose` or 4×4), and moves for one period towards it; answers as
        `send_twist`.
        """
    def track_tasks(self, /, problem: TaskProblem, gain: float = ...) -> dict[str, Any]:
        """
        Commands the joint velocities that bring the tasks of a `TaskProblem` about from where the arm is now, and moves for one
        period. To be called in every period.

        Args:
            problem: Tasks over the joints of the group, of several links, a gaze, a posture; at most two priority levels. Targets are in
                the frame of the robot's root.
            gain: Part of the errors that is to vanish per second, 1/s.

        Returns:
            A dict as that of `send_twist`, and `achieved`, the part of what the first level wants that the velocities bring about.

        Raises:
            InputError: Other joints, a base that moves, more than two levels, a gain outside (0, rate_hz], no state.
        """
    @property
    def trajectory_time(self, /) -> float | None:
        """
        How far along the trajectory that is followed the arm is, s; None when none is, or its end is reached.
        """

@final
class Shape:
    """
    A shape in its own frame. Sizes are half-extents, radii and half-heights in m, except those of `box`.

    Example:
        >>> from kinetic import Shape
        >>> Shape.cylinder(radius=0.05, half_height=0.4)
        Shape.cylinder(radius=0.05, half_height=0.4)
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(record: str) -> Shape:
        """
        The shape that pickle stored: its record as JSON.
        """
    @staticmethod
    def box(size_x: float, size_y: float, size_z: float) -> Shape:
        """
        A box around the origin with faces along the axes, by its full lengths (m).
        """
    @staticmethod
    def capsule(radius: float, half_height: float) -> Shape:
        """
        All points within `radius` of the segment from (0, 0, -half_height) to (0, 0, half_height).
        """
    @staticmethod
    def convex(vertices: ArrayLike, radius: float = ...) -> Shape:
        """
        All points within `radius` of the convex hull of `vertices`.

        Args:
            vertices: Points (N, 3), m; points inside the hull are allowed.
            radius: Rounding, m.
        """
    @staticmethod
    def cuboid(half_x: float, half_y: float, half_z: float) -> Shape:
        """
        A box around the origin with faces along the axes, by half its lengths (m).
        """
    @staticmethod
    def cylinder(radius: float, half_height: float) -> Shape:
        """
        A cylinder around the origin with its axis along z and flat ends.
        """
    @property
    def dimensions(self, /) -> dict[str, Any]:
        """
        Sizes by name, as the constructors call them; of a cuboid `half_extents` (3,).
        """
    @staticmethod
    def half_space(normal: ArrayLike, offset: float) -> Shape:
        """
        All points x with normal · x ≤ offset, for a floor or a wall.

        Args:
            normal: Direction (3,) that points out of the solid; its length does not matter.
            offset: Signed distance of the plane from the origin along the normal, m.
        """
    @staticmethod
    def height_field(heights: ArrayLike, spacing: ArrayLike, base: float) -> Shape:
        """
        The ground below a surface over a grid around the origin, down to a flat base.

        Args:
            heights: Heights (N, M) at the nodes, m; rows along x, columns along y. Each cell is two flat triangles.
            spacing: Distance of neighbouring nodes, m: one number, or one along x and one along y.
            base: Height of the bottom, m; at most the least height.
        """
    @property
    def kind(self, /) -> str:
        """
        `"sphere"`, `"cuboid"`, `"cylinder"`, `"capsule"`, `"half_space"`, `"convex"`, `"mesh"`, `"height_field"`,
        `"voxels"` or `"point_cloud"`.
        """
    @staticmethod
    def mesh(path_or_vertices: str | PathLike[str] | ArrayLike, faces: ArrayLike | None = None, scale: float = ..., convex: bool = False, solid: bool = False) -> Shape:
        """
        Triangles from a file or from arrays.

        The surface itself, unless `solid`: then what it encloses belongs to it. Duplicated vertices, triangles without
        area and edges of many triangles are taken as they are.

        Args:
            path_or_vertices: The path of a mesh file (see `load_mesh`), or vertices (N, 3).
            faces: Triangles (M, 3) as indices of vertices; only with vertices.
            scale: Factor on all coordinates.
            convex: The convex hull of the vertices instead.
            solid: Fill the inside. The surface has to be closed.

        Raises:
            InputError: No triangles, NaN, an index beyond the vertices, or a solid that is not closed.
            OSError: The file cannot be read.
        """
    @staticmethod
    def point_cloud(points: ArrayLike, radius: float) -> Shape:
        """
        All points within `radius` of one of `points`. `Scene.add_pointcloud` filters the points of a sensor first.

        Args:
            points: Points (N, 3), m.
            radius: Radius of the ball around each point, m.
        """
    @staticmethod
    def sphere(radius: float) -> Shape:
        """
        A ball around the origin.
        """
    @staticmethod
    def voxels(cells: ArrayLike, resolution: float) -> Shape:
        """
        Cubes of a grid: cell (i, j, k) reaches from resolution · (i, j, k) to resolution · (i + 1, j + 1, k + 1).

        Args:
            cells: Indices (N, 3) of the occupied cells, negative ones too; of a boolean grid, `numpy.argwhere(grid)`.
            resolution: Edge of a cell, m.
        """

@final
class SignedDistanceField:
    """
    Signed distances to named shapes over a grid, m: positive outside.

    Nodes hold exact distances; between them the field is trilinear and off by at most √3/2 of the resolution. Outside of
    the grid distances are exact. Shapes come and go one by one.

    Args:
        low: Lowest corner (3,) of the box that the grid covers, m.
        high: Highest corner (3,), m.
        resolution: Distance of neighbouring nodes, m.

    Example:
        >>> import numpy as np
        >>> from kinetic import Shape, SignedDistanceField
        >>> field = SignedDistanceField([-1, -1, -1], [1, 1, 1], resolution=0.1)
        >>> field.add("ball", Shape.sphere(0.5), np.eye(4))
        >>> field.distance([[1.0, 0.0, 0.0]]).round(6)
        array([0.5])
    """
    def __new__(cls, /, low: ArrayLike, high: ArrayLike, resolution: float) -> SignedDistanceField: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(low: ArrayLike, numbers: ArrayLike, shapes: SupportsGetItem[int, tuple[str, Shape, ArrayLike]]) -> SignedDistanceField:
        """
        The field that pickle stored: its corner, numbers of nodes with the resolution, and its shapes.
        """
    def add(self, /, name: str, shape: Shape, pose: Any) -> None:
        """
        Adds a shape, or replaces the one of that name. It may reach beyond the grid. Ctrl-C stops it, and the field is as before.

        Args:
            name: Its name.
            shape: The shape.
            pose: Pose of the shape, 4×4.
        """
    def distance(self, /, points: ArrayLike) -> NDArray[float64]:
        """
        Distances (N,) of points (N, 3), m; infinite without shapes.
        """
    def gradient(self, /, points: ArrayLike) -> NDArray[float64]:
        """
        Gradients (N, 3) of the distance at points (N, 3), of length about 1; zero without shapes.
        """
    @property
    def low(self, /) -> NDArray[float64]:
        """
        Lowest corner (3,) of the grid.
        """
    def lower_bound(self, /, points: ArrayLike) -> NDArray[float64]:
        """
        Distances (N,) that points (N, 3) keep for certain, m: never more than the exact distance.
        """
    @property
    def names(self, /) -> list[str]:
        """
        Names of the shapes, sorted.
        """
    def obstacle(self, /) -> tuple[Shape, NDArray[float64]]:
        """
        An obstacle for a scene that contains every point of the shapes inside the grid: voxels and their pose (4, 4).

        It reaches at most √3 resolutions beyond the shapes.
        """
    def remove(self, /, name: str) -> bool:
        """
        Removes a shape; False when there is none of that name. Ctrl-C stops it, and the field is as before.
        """
    @property
    def resolution(self, /) -> float:
        """
        Distance of neighbouring nodes, m.
        """
    @property
    def values(self, /) -> NDArray[float64]:
        """
        Distances at the nodes, (X, Y, Z), m.
        """

@final
class SimExecutor:
    """
    Carries trajectories out in no time, by the loop that drives real robots; the robot follows exactly.

    It moves nothing, so that trajectories need no certificate.

    Args:
        rate_hz: Commands per second.

    Raises:
        InputError: A rate that is not positive, or above 10,000.

    Example:
        >>> from kinetic import SimExecutor, Trajectory
        >>> motion = Trajectory.from_waypoints([[0.0], [1.0]]).time_parameterize("trapezoidal", 1.0, 1.0)
        >>> result = SimExecutor(rate_hz=100.0).execute(motion)
        >>> result["state"], result["final_positions"]
        ('Completed', array([1.]))
    """
    def __new__(cls, /, rate_hz: float = ...) -> SimExecutor: ...
    def __repr__(self, /) -> str: ...
    def execute(self, /, trajectory: Trajectory) -> ExecutionResult:
        """
        Carries a trajectory out.

        Returns:
            The result, as `RealTimeExecutor.execute`.

        Raises:
            InputError: A path without time.
            ExecutionError: A trajectory that is empty, or does not begin and end at rest.
        """

@final
class SimulatedClock:
    """
    Time that goes on without waiting, for tests of drivers and of faults.

    It begins at 0 and stands still until both threads of an execution wait for it, and then goes on to the first time that is
    waited for: trajectories are carried out as fast as their commands are taken. A driver that sleeps on the clock in its
    callback is one that takes that long. A loop of one's own takes part in it with `with clock:`.

    Example:
        >>> from kinetic import RealTimeExecutor, SimulatedClock, Trajectory
        >>> motion = Trajectory.from_waypoints([[0.0], [1.0]]).time_parameterize("trapezoidal", 1.0, 1.0)
        >>> clock = SimulatedClock()
        >>> executor = RealTimeExecutor(allow_unverified=True, clock=clock)
        >>> executor.execute(motion, lambda positions, velocities: None)["state"]
        'Completed'
        >>> round(clock.now, 1)
        2.0
    """
    def __enter__(self, /) -> SimulatedClock: ...
    def __exit__(self, /, exception_type: Any | None = None, exception: Any | None = None, traceback: Any | None = None) -> None: ...
    def __new__(cls, /) -> SimulatedClock: ...
    def __repr__(self, /) -> str: ...
    def advance(self, /, seconds: float) -> None:
        """
        Lets `seconds` pass at once: a clock that jumps, or that was set back where they are negative.

        Raises:
            InputError: A number that is not finite.
        """
    @property
    def now(self, /) -> float:
        """
        Seconds since it was made.
        """
    def sleep(self, /, seconds: float) -> None:
        """
        Waits for `seconds` of simulated time.

        Raises:
            InputError: A number that is negative or not finite.
        """
    def wait_until(self, /, time: float) -> None:
        """
        Waits until `now` is at least `time`, s; not at all for a time that has passed. It takes the place of that of
        `MonotonicClock` in tests of loops.

        Raises:
            InputError: A time that is not finite.
        """

@final
class Solution:
    """
    One configuration that reaches a target.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(q: SupportsGetItem[int, SupportsFloat | SupportsIndex], fk_residual: SupportsFloat | SupportsIndex, is_refined: bool) -> Solution:
        """
        The solution that pickle stored.
        """
    @property
    def fk_residual(self, /) -> float:
        """
        Frobenius norm of the difference between reached and wanted pose, as 4×4 matrices in m; for fewer than six joints
        of the part that `Manipulator.met` names.
        """
    @property
    def q(self, /) -> NDArray[float64]:
        """
        Joint values (dof,), rad.
        """
    @property
    def refinement_used(self, /) -> str:
        """
        "none", or "lm" for a near miss that was refined by Levenberg-Marquardt.
        """

@final
class StopFlag:
    """
    Ends plans that were given it, from any thread.

    Stopping is for good: a plan that begins with a stopped flag ends at once.

    Example:
        >>> import kinetic
        >>> stop = kinetic.StopFlag()
        >>> stop.is_stopped
        False
        >>> stop.stop()
        >>> robot = kinetic.Robot("ur5e")
        >>> home, ready = robot.named_pose("home"), robot.named_pose("ready")
        >>> try:
        ...     kinetic.Planner(robot).plan(home, ready, stop=stop)
        ... except kinetic.PlanningError as error:
        ...     print(error.code)
        Cancelled
    """
    def __new__(cls, /) -> StopFlag: ...
    def __repr__(self, /) -> str: ...
    @property
    def is_stopped(self, /) -> bool:
        """
        Whether a stop was asked for.
        """
    def stop(self, /) -> None:
        """
        Asks all plans that were given this flag to end.
        """

@final
class TargetServo:
    """
    Gets an arm to targets: by itself as long as it comes nearer, and along a plan where it does not.

    Where the arm comes no nearer for `stuck_after` (a wall is between it and the target), it brakes, a planner finds the way, and the
    servo follows it, each tick with its own proof of a stop; at the end the arm goes by itself again. Edits of the scene stop the arm
    on a plan as anywhere, and it plans anew.

    Args:
        robot: A robot, or the name of a built-in one.
        scene: What stands around it, as it is at every tick; None for nothing.
        on_stuck: "plan", or "stop" to stand with the status "stuck" ("plan").
        approach: How it goes by itself: "servo", straight, or "mpc", past what is in the way ("servo").
        stuck_after: The arm is stuck when it comes no nearer for so long, s (0.5); with "mpc" for the time of its horizon longer.
        progress: What counts as nearer, m; of joint targets rad or m (0.002).
        position_tolerance: A target is reached within this distance, m; of joints rad or m (0.001).
        rotation_tolerance: A target is reached within this angle, rad (0.005).
        plan_clearance: Distance above the stop distance that plans keep where they can, m (0.01); else 1 mm.
        plan_timeout: Time that a tick may spend on a plan, s (1).
        max_plans: Plans per target and content of the scene (5).
        horizon: Of "mpc" only, as for `Mpc`, and so up to limit_weight.
        rotation_weight: What a turn of the tool by 1 rad counts, m (0.15).
        seed: Seed of noise and plans (0).
        group: As for `Servo`, and so the following. slowdown_distance is 0.06 unless it is given.

    Raises:
        InputError: As `Servo`; options outside their domain, and those of "mpc" without it.

    Example:
        >>> from kinetic import TargetServo
        >>> servo = TargetServo("ur5e")
        >>> servo.set_state([0.0, -1.57, 1.57, 0.0, 1.57, 0.0])
        >>> servo.set_joint_target([0.2, -1.57, 1.57, 0.0, 1.57, 0.0])
        >>> while servo.status == "approaching":
        ...     command = servo.tick()
        >>> servo.status
        'reached'
    """
    def __new__(cls, /, robot: str | Robot, scene: Scene | None = None, *, on_stuck: str = ..., approach: str = ..., stuck_after: float | None = None, progress: float | None = None, position_tolerance: float | None = None, rotation_tolerance: float | None = None, plan_clearance: float | None = None, plan_timeout: float | None = None, max_plans: int | None = None, horizon: int | None = None, step: float | None = None, period: float | None = None, samples: int | None = None, spans: int | None = None, noise: float | None = None, temperature: float | None = None, clearance: float | None = None, clearance_weight: float | None = None, smoothness_weight: float | None = None, limit_weight: float | None = None, rotation_weight: float | None = None, seed: int = ..., group: str | None = None, preset: str = ..., rate_hz: float | None = None, method: str | None = None, singularity_threshold: float | None = None, singularity_damping: float | None = None, lockup_time: float | None = None, pose_tracking_gain: float | None = None, slowdown_distance: float | None = None, stop_distance: float | None = None, self_slowdown_distance: float | None = None, self_stop_distance: float | None = None, velocity_limits: ArrayLike | None = None, acceleration_limits: ArrayLike | None = None, jerk_limits: ArrayLike | None = None, max_delta_per_tick: float | None = None, command_timeout: float | None = None, tracking_error: float | None = None, obstacle_speed: float | None = None, command_latency: float | None = None, filter: str | None = None, filter_cutoff: float | None = None, filter_beta: float | None = None, filter_speed_cutoff: float | None = None, blend_time: float | None = None) -> TargetServo: ...
    @property
    def dof(self, /) -> int:
        """
        Number of joints.
        """
    def error(self, /) -> dict[str, Any] | None:
        """
        As `Mpc.error`.
        """
    @property
    def plans(self, /) -> int:
        """
        Number of plans that were made for the present target.
        """
    @property
    def plans_next(self, /) -> bool:
        """
        Whether the next tick plans.
        """
    @property
    def rate_hz(self, /) -> float:
        """
        Ticks per second.
        """
    def set_joint_target(self, /, positions: ArrayLike) -> None:
        """
        Commands positions of the joints (dof,), until another target or `stop`.

        Raises:
            InputError: Wrong sizes, NaN, joints outside their limits; the last target then stays.
        """
    def set_state(self, /, positions: ArrayLike, velocities: ArrayLike | None = None) -> None:
        """
        Begins at a state that the arm has. The target is forgotten.

        Args:
            positions: (dof,), rad or m.
            velocities: (dof,), rad/s or m/s; None is rest.

        Raises:
            InputError: Wrong sizes, NaN.
            PlanningError: A state in contact (names the pair).
        """
    def set_target(self, /, pose: Any) -> None:
        """
        Commands a pose of the tool in the base of the group (`Pose` or 4×4), until another target or `stop`.

        Raises:
            InputError: NaN, a group without one tool; the last target then stays.
        """
    @property
    def status(self, /) -> str:
        """
        "idle", "approaching", "braking", "following_plan", "reached" or "stuck".
        """
    def stop(self, /) -> None:
        """
        Commands to stop: the arm brakes, and the target is forgotten.
        """
    @property
    def stuck_reason(self, /) -> str | None:
        """
        Why the arm gave up; None unless it is stuck. An edit of the scene makes it try again.
        """
    def tick(self, /) -> dict[str, Any]:
        """
        Moves for one period of the servo; answers as `Servo.send_twist`. Where `plans_next`, it plans first, for `plan_timeout` at
        most, and the arm stands for this tick.

        Raises:
            InputError: No state.
            KeyboardInterrupt: Ctrl-C while it plans; the arm then stands, and the next tick plans again.
        """

@final
class TaskProblem:
    """
    Inverse kinematics with several tasks: poses of any number of frames, looking, balance, postures, and tasks of your own,
    with weights, strict priorities and couplings of joints.

    Tasks are added by name. Levels are solved by ascending `priority`, 0 first; a level never gives way to a later one, and
    within a level errors count by `weight` times their squares. Targets are in the world, where the root of the robot stands
    at `world_from_root`, unless a task names a `reference` link. For one pose of one arm `Robot.ik` is simpler and faster.

    Args:
        robot: A robot, or the name of a built-in one. A frame without link is the tool of its selected group.
        joints: Names of the joints that move, of any group; None for those of the selected group.
        base: False or "fixed"; True or "planar": the root moves along x and y and turns about z; "floating": it moves
            freely. It has no limits.
        base_weights: How dear the motion of the base is, 3 or 6 numbers, compared with joints of weight 1; None for 1.
        joint_weights: The same per joint that moves; None for 1.

    Raises:
        InputError: Unknown robots or joints, joints given twice, weights that are not positive or of the wrong number.

    Example:
        >>> from kinetic import TaskProblem
        >>> problem = TaskProblem("franka_panda").add_position("reach", [0.5, 0.2, 0.4])
        >>> result = problem.add_posture("rest", [0.0] * 7, priority=1).solve()
        >>> result.converged
        True
    """
    def __new__(cls, /, robot: str | Robot, joints: Sequence[str] | None = None, *, base: bool | str = ..., base_weights: ArrayLike | None = None, joint_weights: ArrayLike | None = None) -> TaskProblem: ...
    def __repr__(self, /) -> str: ...
    def add_limit_avoidance(self, /, name: str, *, joints: Sequence[str] | None = None, share: float = ..., priority: int = ..., weight: float = ...) -> TaskProblem:
        """
        Keeps joints out of the outer parts of their ranges. It acts in those parts only, and is met always.

        Args:
            name: What the result calls the task.
            joints: Names of the joints; None for those of the selected group.
            share: Width of either outer part, as a share of the range: more than 0, at most 0.5.
            priority: Level, 0 first.
            weight: What squared errors count within the level.
        """
    def add_look_at(self, /, name: str, point: ArrayLike, *, axis: str | ArrayLike = ..., link: str | None = None, frame: Any | None = None, threshold: float = ..., priority: int = ..., weight: float = ...) -> TaskProblem:
        """
        Points an axis of a frame at a point, from wherever the frame is; the turn about the axis is free.

        Args:
            name: What the result calls the task.
            point: Point (3,) in the world, m.
            axis: "x", "y", "z", or a direction (3,) in the frame.
            link: Link that carries the frame; None for the tool.
            frame: Pose of the frame in the link; None for the identity.
            threshold: Largest angle left, rad.
            priority: Level, 0 first.
            weight: What squared errors count within the level.
        """
    def add_mass_centre(self, /, name: str, target: ArrayLike, *, mask: Any = ..., payloads: Sequence[tuple[str, ArrayLike, float]] = ..., threshold: float = ..., priority: int = ..., weight: float = ...) -> TaskProblem:
        """
        Brings the centre of gravity of the whole robot, with what it carries, to a point.

        Args:
            name: What the result calls the task.
            target: Point (3,) in the world, m.
            mask: Axes of the world along which it must agree; "xy" keeps it over a foot.
            payloads: What the robot carries: tuples of a link, the centre of mass (3,) in it (m), and the mass (kg).
            threshold: Largest distance left, m.
            priority: Level, 0 first.
            weight: What squared errors count within the level.
        """
    def add_orientation(self, /, name: str, target: Any, *, link: str | None = None, frame: Any | None = None, reference: str | None = None, mask: Any = ..., tolerance: Any | None = None, mirror: str | None = None, threshold: float = ..., priority: int = ..., weight: float = ...) -> TaskProblem:
        """
        Turns a frame; where it goes is free.

        Args:
            name: What the result calls the task.
            target: Pose in the world, or in `reference`, of which the orientation counts.
            link: Link that carries the frame; None for the tool.
            frame: Pose of the frame in the link; None for the identity.
            reference: Link that the target is relative to.
            mask: Components of the rotation, about the axes of the target, that must vanish.
            tolerance: Per axis the angle (rad) within which a component counts as reached; None is strict.
            mirror: "x", "y" or "z": the target turned half about that axis of its own is as good.
            threshold: Largest angle left, rad.
            priority: Level, 0 first.
            weight: What squared errors count within the level.
        """
    def add_pose(self, /, name: str, target: Any, *, link: str | None = None, frame: Any | None = None, reference: str | None = None, reference_frame: Any | None = None, position_mask: Any = ..., rotation_mask: Any = ..., translation_tolerance: Any | None = None, rotation_tolerance: Any | None = None, mirror: str | None = None, position_threshold: float = ..., rotation_threshold: float = ..., priority: int = ..., weight: float = ...) -> TaskProblem:
        """
        Brings a frame to a pose. Masks and tolerances are along and about the axes of the target, and masks name what is
        constrained.

        Args:
            name: What the result calls the task.
            target: Pose of the frame in the world, or in `reference`.
            link: Link that carries the frame; None for the tool.
            frame: Pose of the frame in the link (in the tool where there is no link); None for the identity.
            reference: Link that the target is relative to: the pose of one frame of the robot in another.
            reference_frame: Pose of the reference frame in the link `reference`; None for the identity.
            position_mask: Coordinates that must agree.
            rotation_mask: Components of the rotation that must vanish.
            translation_tolerance: Per axis the distance (m) within which a coordinate counts as reached; None is strict.
            rotation_tolerance: Per axis the angle (rad) within which a component counts as reached; None is strict.
            mirror: "x", "y" or "z": the target turned half about that axis of its own is as good.
            position_threshold: Largest distance left, m.
            rotation_threshold: Largest angle left, rad.
            priority: Level, 0 first.
            weight: What squared errors count within the level.

        Raises:
            InputError: Unknown links, no axis, NaN, tolerances, thresholds or weights that are not positive.
        """
    def add_position(self, /, name: str, target: ArrayLike, *, link: str | None = None, frame: Any | None = None, reference: str | None = None, mask: Any = ..., tolerance: Any | None = None, threshold: float = ..., priority: int = ..., weight: float = ...) -> TaskProblem:
        """
        Brings the origin of a frame to a point; how the frame turns is free.

        Args:
            name: What the result calls the task.
            target: Point (3,) in the world, or in `reference`, m.
            link: Link that carries the frame; None for the tool.
            frame: Pose of the frame in the link; None for the identity.
            reference: Link that the target is relative to.
            mask: Coordinates that must agree.
            tolerance: Per axis the distance (m) within which a coordinate counts as reached; None is strict.
            threshold: Largest distance left, m.
            priority: Level, 0 first.
            weight: What squared errors count within the level.
        """
    def add_posture(self, /, name: str, target: ArrayLike, *, joints: Sequence[str] | None = None, threshold: float | None = None, priority: int = ..., weight: float = ...) -> TaskProblem:
        """
        Draws joints to values. Without a threshold it is followed as well as the levels above allow.

        Args:
            name: What the result calls the task.
            target: Values of the joints, rad or m.
            joints: Names of the joints; None for those of the selected group.
            threshold: Largest Euclidean distance left; None when it is only to be followed.
            priority: Level, 0 first.
            weight: What squared errors count within the level.
        """
    def add_task(self, /, name: str, function: Any, rows: int, *, tolerance: float | None = None, priority: int = ..., weight: float = ...) -> TaskProblem:
        """
        A task of your own: a function that says what is missing, and how that changes.

        It is called with a `TaskState`, often, and answers with a pair: the error (rows,), wanted minus reached, and the
        Jacobian (rows, columns) of what is reached, by the columns of `TaskProblem.columns`, so that
        `jacobian @ step = error` would meet the task. What it raises ends the solve and comes out of it.

        Args:
            name: What the result calls the task.
            function: The function.
            rows: Number of rows.
            tolerance: Largest Euclidean norm of the error that meets the task; None when it is only to be followed.
            priority: Level, 0 first.
            weight: What squared errors count within the level.

        Raises:
            InputError: Something that cannot be called, no rows, a tolerance or weight that is not positive.
        """
    @property
    def columns(self, /) -> list[str]:
        """
        What a solve may change, in the order of the columns of Jacobians: ways of the base ("base x" … "base yaw"), then
        names of joints that follow no other.
        """
    def couple(self, /, leader: str, follower: str, multiplier: float = ..., offset: float = ...) -> TaskProblem:
        """
        Couples two moving joints: `follower = multiplier * leader + offset`, exactly, in every configuration that a solve
        passes; 1 and 0 for interlocking pairs. The limits of the follower bind the leader.

        Returns:
            The problem.

        Raises:
            InputError: Unknown joints, joints that do not move, or a follower that follows or leads already.
        """
    @property
    def joint_names(self, /) -> list[str]:
        """
        Names of the entries of configurations: the independent moving joints of the whole robot.
        """
    def limit_by(self, /, joint: str, by: str, rows: ArrayLike) -> TaskProblem:
        """
        Limits one joint by where another stands.

        Args:
            joint: Name of the joint that is limited.
            by: Name of the joint that decides.
            rows: Rows (value of the deciding joint, lower limit, upper limit), shape (n, 3), ascending; lines between them,
                constant beyond.

        Returns:
            The problem.

        Raises:
            InputError: Unknown joints, no rows, rows that do not ascend, or limits in the wrong order.
        """
    @property
    def robot(self, /) -> Robot:
        """
        The robot.
        """
    def solve(self, /, seed: ArrayLike | None = None, *, world_from_root: Any | None = None, max_iterations: int = ..., attempts: int = ..., random_start: bool = False, random_range: float = ..., rng_seed: int | None = None, step: float = ..., largest_step: float = ..., largest_error: float = ..., singular_value: float = ..., damping: float = ...) -> TaskResult:
        """
        Solves. What does not converge is an answer too: the best that was found, and how far each task is from being met.

        Tasks in Python are called on this thread; everything else runs without the GIL. Ctrl-C ends it.

        Args:
            seed: Joint values to start from, in the length of the group or of the whole robot; joints that do not move stay
                there. None for the neutral configuration of the robot.
            world_from_root: Where the base stands at the start; None for the identity.
            max_iterations: Iterations of one attempt.
            attempts: Attempts; those after the first start at random configurations.
            random_start: Whether the first attempt starts at a random configuration too.
            random_range: Part of the joint ranges, around their middles, in which attempts start: more than 0, at most 1.
            rng_seed: Seed of the attempts; None for 0.
            step: First length of the line search, as a part of the full step: more than 0, at most 1.
            largest_step: Largest change of a column in one iteration, rad or m.
            largest_error: Error of a level that one iteration is asked to remove at most.
            singular_value: Singular values below this one are damped.
            damping: Damping at a singular value of 0.

        Raises:
            InputError: Wrong lengths, NaN, options outside their domain, no task, nothing that moves, or a task in Python
                whose answer has the wrong shape or NaN; the message names the task.
        """
    @property
    def tasks(self, /) -> list[str]:
        """
        Names of the tasks, in the order in which they were added.
        """

@final
class TaskResult:
    """
    Where a solve of a `TaskProblem` ended: the configuration, and task by task what is missing.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(facts: tuple[bool, SupportsIndex, SupportsIndex], place: tuple[SupportsGetItem[int, SupportsFloat | SupportsIndex], SupportsGetItem[int, SupportsFloat | SupportsIndex]], robot: tuple[SupportsGetItem[int, str], SupportsGetItem[int, SupportsIndex]], tasks: SupportsGetItem[int, tuple[str, SupportsIndex, bool, SupportsGetItem[int, tuple[str, SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex]]]], limits: SupportsGetItem[int, tuple[str, SupportsFloat | SupportsIndex, bool]]) -> TaskResult:
        """
        The result that pickle stored.
        """
    @property
    def active_limits(self, /) -> list[dict[str, Any]]:
        """
        The moved joints that stand at a limit, each with `joint`, `value` (rad or m) and `upper`.
        """
    @property
    def attempts(self, /) -> int:
        """
        Attempts made.
        """
    @property
    def converged(self, /) -> bool:
        """
        True when every task is met.
        """
    @property
    def group_q(self, /) -> NDArray[float64]:
        """
        The joint values (dof,) of the group that the robot had selected.
        """
    @property
    def iterations(self, /) -> int:
        """
        Iterations over all attempts.
        """
    @property
    def joint_names(self, /) -> list[str]:
        """
        Names of the entries of `q`.
        """
    @property
    def missing(self, /) -> str | None:
        """
        The tasks that are not met and the joints that stand at their limits, in words; None when every task is met.
        """
    @property
    def q(self, /) -> NDArray[float64]:
        """
        The configuration (n,) of the whole robot, inside all limits, couplings kept exactly; `joint_names` names its
        entries.
        """
    def require_converged(self, /) -> TaskResult:
        """
        Itself when every task is met.

        Raises:
            IKError: The message names the tasks that are not met, how far they are off, and the joints at their limits.
        """
    @property
    def tasks(self, /) -> list[dict[str, Any]]:
        """
        The tasks, by priority, then in the order in which they were added; each with `name`, `priority`, `met` (a task
        without threshold always is) and `residuals`: dicts with `what` ("position" in m, "rotation" in rad, "joints" or
        "error"), `value` and `tolerance`.
        """
    @property
    def world_from_root(self, /) -> NDArray[float64]:
        """
        Pose of the robot's root in the world, 4×4; as at the start when the base stands.
        """

@final
class TaskState:
    """
    Where a solve stands: what tasks in Python are called with.
    """
    def __repr__(self, /) -> str: ...
    def jacobian(self, /, link: str, point: ArrayLike | None = None) -> NDArray[float64]:
        """
        How a point that a link carries moves with each column: (6, columns), its linear velocity, then the angular one,
        along the world's axes, for unit speed of the column.

        Args:
            link: The link.
            point: Where the point is now (3,), in the world, m; None for the link's origin.
        """
    def joint_jacobian(self, /) -> NDArray[float64]:
        """
        How every entry of `q` changes with each column, (n, columns): 1 for a joint of its own, the multiplier for one that
        follows, 0 elsewhere.
        """
    def link_pose(self, /, link: str) -> NDArray[float64]:
        """
        Pose of a link in the world, 4×4.
        """
    @property
    def q(self, /) -> NDArray[float64]:
        """
        The configuration (n,), in the length of the robot: `TaskProblem.joint_names`.
        """
    @property
    def world_from_root(self, /) -> NDArray[float64]:
        """
        Pose of the robot's root in the world, 4×4.
        """

@final
class TolerancePolicy:
    """
    Thresholds of closed-form inverse kinematics.

    Args:
        axis_parallel: Axes are parallel when the sine of the angle between them is at most this.
        axis_intersect: Axes meet when their lines are at most this far apart, m.
        subproblem_feasibility: By how much the data of a feasible subproblem may miss, relative to their size.
        subproblem_numerical: Residual of a near miss, which may be refined.
        subproblem_degeneracy: Relative size below which the input of a subproblem is degenerate.
        subproblem_dedup: Largest difference of a joint between equal solutions, rad.

    Raises:
        InputError: A threshold that is negative or not finite.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, *, axis_parallel: float = ..., axis_intersect: float = ..., subproblem_feasibility: float = ..., subproblem_numerical: float = ..., subproblem_degeneracy: float = ..., subproblem_dedup: float = ...) -> TolerancePolicy: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(values: SupportsGetItem[int, SupportsFloat | SupportsIndex]) -> Any:
        """
        The thresholds that pickle stored.
        """
    @property
    def axis_intersect(self, /) -> float:
        """
        Distance of axes that count as meeting, m.
        """
    @property
    def axis_parallel(self, /) -> float:
        """
        Sine of the angle between axes that count as parallel.
        """
    @property
    def subproblem_dedup(self, /) -> float:
        """
        Largest difference of a joint between equal solutions, rad.
        """
    @property
    def subproblem_degeneracy(self, /) -> float:
        """
        Relative size below which input is degenerate.
        """
    @property
    def subproblem_feasibility(self, /) -> float:
        """
        By how much the data of a feasible subproblem may miss, relative to their size.
        """
    @property
    def subproblem_numerical(self, /) -> float:
        """
        Residual of a near miss.
        """

@final
class Tracker:
    """
    Steers joints to a target that may change every cycle, each cycle along the fastest motion from where they are.

    Velocity, acceleration and jerk stay inside their limits at every instant, between cycles too; joints arrive together.

    Args:
        positions: Where the joints are (dof,), rad or m.
        velocity_limits: Largest velocity, one number or one per joint, rad/s or m/s.
        acceleration_limits: Largest acceleration, likewise.
        jerk_limits: Largest jerk, likewise; None for ten times the acceleration.
        period: Time between two steps, s.
        velocities: How fast the joints are (dof,); None is rest.
        accelerations: Likewise.

    Raises:
        InputError: Wrong sizes, NaN, limits or a period that are not positive.

    Example:
        >>> from kinetic import Tracker
        >>> tracker = Tracker([0.0], 1.0, 4.0, 40.0, period=0.002)
        >>> for _ in range(1000):
        ...     state = tracker.step([0.5])
        >>> round(float(state["positions"][0]), 6)
        0.5
    """
    def __new__(cls, /, positions: ArrayLike, velocity_limits: ArrayLike, acceleration_limits: ArrayLike, jerk_limits: ArrayLike | None = None, *, period: float, velocities: ArrayLike | None = None, accelerations: ArrayLike | None = None) -> Tracker: ...
    @property
    def period(self, /) -> float:
        """
        Time between two steps, s.
        """
    def set_position_limits(self, /, lowest: ArrayLike, highest: ArrayLike) -> None:
        """
        Sets the positions that `step_velocity` keeps.

        Args:
            lowest: One number or one per joint, rad or m; infinite where there is none, as in the beginning.
            highest: Likewise.

        Raises:
            InputError: Wrong sizes, NaN, a lowest position above the highest (names the joint).
        """
    @property
    def state(self, /) -> dict[str, Any]:
        """
        Where the joints are, and how fast: a dict as that of `step`.
        """
    def step(self, /, positions: ArrayLike, velocities: ArrayLike | None = None, accelerations: ArrayLike | None = None) -> dict[str, Any]:
        """
        Moves for one period towards a target state.

        Args:
            positions: Of the target (dof,).
            velocities: Of the target (dof,); None is rest.
            accelerations: Likewise.

        Returns:
            A dict with `positions`, `velocities` and `accelerations` (dof,) after the period.

        Raises:
            InputError: A target outside the limits, wrong sizes, NaN; the joints are then where they were.
        """
    def step_to_rest(self, /) -> dict[str, Any]:
        """
        Moves for one period towards rest, as fast as the limits allow; answers as `step`.
        """
    def step_velocity(self, /, velocities: ArrayLike) -> dict[str, Any]:
        """
        Moves for one period towards velocities, as fast as the limits allow and each joint for itself: velocity control.

        A joint comes to rest at the end of its position limits. One that is beyond them moves back in, and not further out.

        Args:
            velocities: Of each joint (dof,), rad/s or m/s.

        Returns:
            As `step`.

        Raises:
            InputError: A velocity outside the limits (names the joint), wrong sizes, NaN; the joints are then where they were.
        """
    @property
    def time_to_target(self, /) -> float:
        """
        Time to the target from where the joints were before the last step, s.
        """

@final
class Trajectory:
    """
    A motion in joint space; immutable.

    A timed trajectory is a piecewise polynomial in time: what is sampled, checked and saved is exactly this curve, and
    waypoints are a view of it. A geometric path has waypoints alone: `is_timed` is False and its duration 0.

    Example:
        >>> from kinetic import Trajectory
        >>> path = Trajectory.from_waypoints([[0.0, 0.0], [1.0, 0.5]])
        >>> timed = path.time_parameterize("trapezoidal", velocity_limits=1.0, acceleration_limits=2.0)
        >>> round(timed.duration, 6)
        1.5
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __len__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _format_of(path: str | PathLike[str]) -> str:
        """
        The format that the ending of a file says; refuses what `save` would refuse, before there is anything to save.
        """
    def accelerations(self, /) -> NDArray[float64]:
        """
        Accelerations (N, dof) of the waypoints; where they step, those after the step. Of a path they are 0.
        """
    def blend(self, /, other: Trajectory, blend_duration: float, velocity_limits: ArrayLike | None = None, acceleration_limits: ArrayLike | None = None, jerk_limits: ArrayLike | None = None) -> Trajectory:
        """
        This motion, then `other`, which begins where this one ends, without the stop between them.

        Half of `blend_duration` is cut off both and replaced by the fastest motion between the cuts: position, velocity
        and acceleration are continuous. It cuts the corner; collisions are not looked at.

        Args:
            other: A timed trajectory.
            blend_duration: Seconds that both give away together.
            velocity_limits: Limits of the blend, one number or one per joint; None for what both motions use.
            acceleration_limits: Likewise.
            jerk_limits: Likewise.

        Raises:
            InputError: A gap between the motions (the message names the joint), a duration that does not fit, wrong sizes,
                or a cut at which the limits do not hold or cannot be held with the acceleration there.
        """
    @property
    def certificate(self, /) -> Certificate | None:
        """
        What a verifier proved about this curve, `Planner.plan` or `Planner.certify`; None when it was not asked.
        """
    def concatenate(self, /, other: Trajectory) -> Trajectory:
        """
        This motion, then `other`, which begins where this one ends and, when timed, as fast.
        """
    @property
    def dof(self, /) -> int:
        """
        Number of joints.
        """
    @property
    def duration(self, /) -> float:
        """
        Duration, s; 0 for a path.
        """
    @staticmethod
    def from_csv(text_or_path: str | PathLike[str]) -> Trajectory:
        """
        A trajectory from CSV text or from a file that holds it; certificates as of `from_json`.

        Raises:
            InputError: Malformed; the message names the line.
            OSError: The file cannot be read.
        """
    @staticmethod
    def from_json(text_or_path: str | PathLike[str]) -> Trajectory:
        """
        A trajectory from JSON text or from a file that holds it.

        A certificate that was made for another curve, because numbers of the file were changed, is left out with a
        `KineticWarning`; `Planner.certify` makes another one.

        Raises:
            InputError: Malformed; the message names the line.
            OSError: The file cannot be read.
        """
    @staticmethod
    def from_npz(path: str | PathLike[str]) -> Trajectory:
        """
        A trajectory from an archive that `to_npz` wrote; certificates as of `from_json`.

        Raises:
            InputError: The file is no such archive.
            OSError: The file cannot be read.
        """
    @staticmethod
    def from_numpy(times: ArrayLike | None, positions: ArrayLike, velocities: ArrayLike | None = None) -> Trajectory:
        """
        A timed trajectory through samples, or a path when there are no times.

        Between samples it is a cubic polynomial; without velocities their values are estimated from neighbours.

        Args:
            times: Seconds (N,), strictly increasing from 0; None for a path.
            positions: Joint values (N, dof), rad or m.
            velocities: Joint velocities (N, dof).
        """
    @staticmethod
    def from_waypoints(positions: ArrayLike) -> Trajectory:
        """
        A path without time.

        Args:
            positions: Joint values (N, dof), rad or m.
        """
    @property
    def group(self, /) -> str | None:
        """
        Name of the planning group that moves; None when unknown.
        """
    @property
    def hash(self, /) -> str:
        """
        Hash of the bits of the motion: "fnv1a128:" and 32 hexadecimal digits. Equal hashes mean the same motion to the last
        bit, whatever the machine.
        """
    @property
    def is_timed(self, /) -> bool:
        """
        True when it has a time law.
        """
    @property
    def joint_names(self, /) -> list[str]:
        """
        Names of the joints; empty when unknown.
        """
    @property
    def law(self, /) -> str | None:
        """
        Name of the time law, "interpolated" when it was made from samples, "trajopt" when it was refined; None for a path.
        """
    @property
    def lead_in(self, /) -> dict[str, Any] | None:
        """
        How the start of the plan was moved to where this motion begins, where `fix_start` asked for it and the start was not valid;
        else None. Files and pickles do not hold it.

        A dict: `trajectory`, the motion from the start to where this one begins, straight in joint space and without a
        certificate (without time, where this one has none); `largest_change` of a joint, rad or m; `outside_limits`, the joints that
        start outside; `contacts`, the pairs that miss their margins at the start: (link, other, signed distance in m). On the way
        no other pair misses its margin and none of these comes nearer, as far as samples say; `is_proven_free` is True where all
        of the way is proven to keep the margins.
        """
    @staticmethod
    def load(path: str | PathLike[str]) -> Trajectory:
        """
        A trajectory from a file that `save` wrote; the ending says the format: .json, .csv or .npz.

        Raises:
            InputError: Another ending, or malformed; the message names the line.
            OSError: The file cannot be read.
        """
    @property
    def num_waypoints(self, /) -> int:
        """
        Number of waypoints.
        """
    @property
    def path_deviation(self, /) -> float:
        """
        Bound on the distance between the curve and the path that was timed, Euclidean in joint space; 0 for a path.
        """
    def pieces(self, /) -> tuple[NDArray[float64], NDArray[float64]]:
        """
        The curve itself: knots (P + 1,) in s, and coefficients (P, dof, 6).

        On piece `p` joint `j` stands at `sum(coefficients[p, j, k] * (t - knots[p])**k)`. A trajectory of duration 0
        has one knot and one piece.
        """
    def plot(self, /, path: str | PathLike[str] | None = None, *, velocity_limits: ArrayLike | None = None, acceleration_limits: ArrayLike | None = None, jerk_limits: ArrayLike | None = None) -> Any:
        """
        Draws positions, velocities, accelerations and jerks over time; a path over its waypoints. Needs `kinetic[viz]`.

        With limits, what lies outside is shaded, and a last panel says how much of each limit is used.

        Args:
            path: File to write; the ending says the format.
            velocity_limits: Largest speed, one number or one per joint, rad/s or m/s.
            acceleration_limits: Largest acceleration, likewise.
            jerk_limits: Largest jerk, likewise.

        Returns:
            The figure of matplotlib.
        """
    def positions(self, /) -> list[list[float]]:
        """
        Positions of the waypoints as lists.
        """
    @property
    def problem(self, /) -> Problem | None:
        """
        The problem that it answers; None for a motion that was not planned, or was changed or read from a file.
        """
    def reverse(self, /) -> Trajectory:
        """
        The same motion backwards.
        """
    @property
    def robot_name(self, /) -> str | None:
        """
        Name of the robot that moves; None when unknown.
        """
    def sample(self, /, t: float) -> NDArray[float64]:
        """
        Joint values (dof,) at time `t` (s), which is clamped to the duration.
        """
    def sample_acceleration(self, /, t: float) -> NDArray[float64]:
        """
        Joint accelerations (dof,) at time `t` (s), which is clamped; where they step, those after the step.
        """
    def sample_velocity(self, /, t: float) -> NDArray[float64]:
        """
        Joint velocities (dof,) at time `t` (s), which is clamped to the duration.
        """
    def save(self, /, path: str | PathLike[str]) -> None:
        """
        Writes the trajectory, lossless, in the format that the ending of the file says: .json, .csv or .npz.

        Raises:
            InputError: Another ending, or a path without time as .csv.
            OSError: The file cannot be written.

        Example:
            >>> import tempfile, kinetic
            >>> motion = kinetic.plan("ur5e", "home", "ready")
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     motion.save(f"{folder}/motion.csv")
            ...     kinetic.Trajectory.load(f"{folder}/motion.csv").duration == motion.duration
            True
        """
    def splice(self, /, other: Trajectory, now: float, latency: float, velocity_limits: ArrayLike, acceleration_limits: ArrayLike, jerk_limits: ArrayLike | None = None) -> Trajectory:
        """
        What runs from `now` on when `other` is to take over: this motion for `latency` seconds, the fastest motion to where
        `other` begins, and `other`.

        Position, velocity and acceleration are continuous; the way between the two was not checked for collisions. Where the jerk
        limit does not allow to take back this motion's acceleration before a velocity leaves its limits, this motion is
        left later, at the first moment from which they can be held. From velocities outside the limits it brakes first.

        Args:
            other: A timed trajectory.
            now: Time on this one, s.
            latency: Seconds until the change can take effect.
            velocity_limits: Largest velocity on the way between, one number or one per joint, rad/s or m/s.
            acceleration_limits: Largest acceleration, likewise.
            jerk_limits: Largest jerk, likewise; None for ten times the acceleration.
        """
    @staticmethod
    def stack(trajectories: SupportsGetItem[int, Trajectory], joint_names: Sequence[str] | None = None) -> Trajectory:
        """
        Trajectories that begin at the same time, of two arms, or of arm and gripper, as one of all their joints.

        What ends earlier holds its end. The result has no certificate: each trajectory was proven while the joints of the
        others stood where its scene had them. A planner of a group with all these joints can `certify` it.

        Args:
            trajectories: Timed trajectories of different joints, at least one.
            joint_names: Names of all joints in place of those that the trajectories have, as two robots of one model need them.

        Returns:
            The trajectory of all joints, those of the first trajectory first.

        Raises:
            InputError: A joint in two trajectories, joints without names, one that ends under way before the others end.

        Example:
            >>> from kinetic import Trajectory
            >>> move = Trajectory.from_waypoints([[0.0], [1.0]]).time_parameterize("trapezoidal", 1.0, 1.0)
            >>> both = Trajectory.stack([move, move], joint_names=["left", "right"])
            >>> both.joint_names, both.sample(1.0)
            (['left', 'right'], array([0.5, 0.5]))
        """
    def stop(self, /, t: float, velocity_limits: ArrayLike, acceleration_limits: ArrayLike, jerk_limits: ArrayLike | None = None, *, on_path: bool = True) -> dict[str, Any]:
        """
        The stop of this motion from time `t` on.

        On the path it is the earliest that the limits of acceleration allow; of a motion that holds the limits of jerk, one that
        holds them too, where it is found. Where no speed along the path holds the limits, because the motion was made for
        others, and with `on_path=False`, it is the fastest jerk-limited stop of each joint, which leaves the path.

        Args:
            t: Time on this motion, s.
            velocity_limits: Largest velocity, one number or one per joint, rad/s or m/s.
            acceleration_limits: Largest acceleration, likewise.
            jerk_limits: Largest jerk, likewise; None for ten times the acceleration.
            on_path: Whether to stay on the path where that is possible.

        Returns:
            A dict with `trajectory` (from `t` to rest), `deviation` (largest distance from the path, Euclidean in joint
            space), `on_path`, `jerk_bounded` (whether jerk is inside its limits at every instant), and `violations`, entries as those of `validate`: beside the path the worst excess over each limit
            that the stop cannot hold, because the motion is outside the limits or bound to leave them.
        """
    def time_optimal_within(self, /, path_limits: Callable[[NDArray[float64], NDArray[float64], NDArray[float64]], ArrayLike], velocity_limits: ArrayLike, acceleration_limits: ArrayLike, max_deviation: float = ..., *, shape: str = ..., through: Sequence[int] = ..., start_velocity: ArrayLike | None = None, end_velocity: ArrayLike | None = None) -> Trajectory:
        """
        The same path as fast as limits allow, with limits of your own among them: torques, forces at the tool, the speed
        of a point.

        With `s` along the path, `path_limits(position, tangent, curvature)` returns rows `(a, b, c, d)` that stand for
        `a * s'' + b * s'**2 + c <= d`; `position`, `tangent` and `curvature` are the joint values and their first and
        second derivative by `s`. Rows hold at the points of a grid that is fine where the path bends; between them they
        can be exceeded by some percent, unlike the limits of velocity and acceleration, which hold everywhere.

        Args:
            path_limits: Called with three vectors, shape (dof,); returns rows, shape (n, 4).
            velocity_limits: Largest speed, one number or one per joint, rad/s or m/s.
            acceleration_limits: Largest acceleration, one number or one per joint, rad/s² or m/s².
            max_deviation: Largest distance from the path at corners, Euclidean in joint space; 0 stops at corners.
            shape: "blends" cuts the corners of the polyline; "spline" is a cubic spline through all waypoints.
            through: Indices of waypoints that are met exactly and not cut.
            start_velocity: Joint velocities at the start, along the path; None is rest.
            end_velocity: Joint velocities at the end, along the path; None is rest.
        """
    def time_parameterize(self, /, profile: str, velocity_limits: ArrayLike, acceleration_limits: ArrayLike, jerk_limits: ArrayLike | None = None, max_deviation: float = ..., *, shape: str = ..., through: Sequence[int] = ..., start_velocity: ArrayLike | None = None, end_velocity: ArrayLike | None = None, duration: float | None = None, velocity_scaling: float = ..., acceleration_scaling: float = ..., dynamics: Dynamics | None = None, effort_limits: ArrayLike | None = None) -> Trajectory:
        """
        The same path with a time law: limits hold at every instant, rest at both ends unless velocities are given.

        Corners are rounded; collisions are not looked at. Plan with a law to have the rounded corners checked.

        Args:
            profile: Name of the law: "totp" (as fast as the limits allow, corners narrow or wide, whichever is faster),
                "trapezoidal", "jerk_limited" or "cubic_spline".
            velocity_limits: Largest speed, one number or one per joint, rad/s or m/s.
            acceleration_limits: Largest acceleration, one number or one per joint, rad/s² or m/s².
            jerk_limits: Largest jerk, for "jerk_limited", None for ten times the acceleration; the others refuse it.
            max_deviation: Largest distance from the path at corners, Euclidean in joint space; 0 stops at corners.
            shape: "blends" cuts the corners of the polyline; "spline" is a cubic spline through all waypoints, for "totp" and
                "cubic_spline".
            through: Indices of waypoints that are met exactly and not cut, for "totp" and "cubic_spline".
            start_velocity: Joint velocities at the start, along the path, for "totp"; None is rest.
            end_velocity: Joint velocities at the end, along the path, for "totp"; None is rest.
            duration: The motion takes this long, s, evenly slower than the limits allow; None for as fast as they do.
            velocity_scaling: Part of the velocity limits to use, in (0, 1].
            acceleration_scaling: Part of the acceleration limits to use, in (0, 1].
            dynamics: `Dynamics` of the same joints, whose efforts then keep their limits at every instant, which is proven: the law
                "totp" takes them as constraints, other laws are slowed evenly. 0.1 % of each limit is kept for the proof.
            effort_limits: Largest effort, one number or one per joint, Nm or N; None for those of the robot's description.

        Raises:
            InputError: Limits, options or a path that cannot be used.
            PlanningError: `StaticTorqueExceeded` where holding the robot on the path exceeds an effort limit, with joint, effort
                and limit; `TrajectoryLimitExceeded` where no motion was found that keeps the effort limits.
        """
    def to_csv(self, /, path: str | PathLike[str] | None = None) -> str:
        """
        The trajectory as CSV, lossless; written to the file `path` too when one is given. Timed ones only.
        """
    def to_json(self, /, path: str | PathLike[str] | None = None) -> str:
        """
        The trajectory as JSON, lossless; written to the file `path` too when one is given.
        """
    def to_npz(self, /, path: str | PathLike[str]) -> None:
        """
        Writes a NumPy archive, lossless: arrays `positions`, for timed ones also `times`, `knots` and `coefficients`,
        and the JSON form.
        """
    def to_numpy(self, /) -> tuple[NDArray[float64], NDArray[float64], NDArray[float64]]:
        """
        Times (N,), positions (N, dof) and velocities (N, dof) of the waypoints; of a path times and velocities are 0.
        """
    def to_ros(self, /, *, period: float | None = None, joint_names: Sequence[str] | None = None) -> dict[str, Any]:
        """
        The trajectory as a dict of the shape of a ROS message `trajectory_msgs/JointTrajectory`.

        By default there is a point at every knot of the curve, with velocities and accelerations: a controller that
        interpolates with quintics, as `joint_trajectory_controller` does, then follows this curve where accelerations are
        continuous. Stamps are whole nanoseconds and increase strictly.

        Args:
            period: Points this far apart instead, s, and one at the end.
            joint_names: Names for the message; None for those of the trajectory, or "joint_0", "joint_1" …

        Returns:
            A dict with `header`, `joint_names` and `points`, lists and numbers only.
        """
    def validate(self, /, position_lower: ArrayLike, position_upper: ArrayLike, velocity_limits: ArrayLike, acceleration_limits: ArrayLike, jerk_limits: ArrayLike | None = None, *, safety_factor: float = ..., max_position_jump: float = ...) -> list[dict[str, Any]]:
        """
        Every violation of limits, between waypoints too, in order of time; empty when all limits hold everywhere.

        Args:
            position_lower: Lowest position, one number or one per joint; -inf where free.
            position_upper: Highest position, likewise.
            velocity_limits: Largest speed, likewise.
            acceleration_limits: Largest acceleration, likewise.
            jerk_limits: Largest jerk, likewise; None for no limit.
            safety_factor: Part of the limits of velocity, acceleration and jerk that may be used, in (0, 1]: it tightens.
            max_position_jump: Largest distance between samples of an interpolated trajectory, per joint, rad or m.

        Returns:
            Dicts with `waypoint` (the last one before), `joint` (index), `type`, `value`, `limit`, `time` (s).
        """

@final
class Twist:
    """
    Velocity of a rigid body: of the point at a frame's origin, along the frame's axes, and of the rotation.

    Args:
        linear: Velocity of the point at the origin (3,), m/s.
        angular: Angular velocity (3,), rad/s.

    Example:
        >>> from kinetic import Twist, Wrench
        >>> Twist([0.0, 0.0, 0.1], [0.0, 0.0, 0.0]).power(Wrench([0.0, 0.0, -20.0], [0.0, 0.0, 0.0]))
        -2.0
    """
    def __add__(self, other: object, /) -> Twist: ...
    def __array__(self, /, dtype: Any | None = None, copy: bool | None = None) -> Any:
        """
        What `numpy.asarray` calls: the six numbers.
        """
    def __eq__(self, value: object, /) -> bool: ...
    def __mul__(self, factor: object, /) -> Twist: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __neg__(self, /) -> Twist: ...
    def __new__(cls, /, linear: ArrayLike, angular: ArrayLike) -> Twist: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    def __rmul__(self, factor: object, /) -> Twist: ...
    def __sub__(self, other: object, /) -> Twist: ...
    @property
    def angular(self, /) -> NDArray[float64]:
        """
        Angular velocity (3,), rad/s.
        """
    @staticmethod
    def from_array(values: ArrayLike) -> Twist:
        """
        From six numbers, the linear part first.
        """
    @property
    def linear(self, /) -> NDArray[float64]:
        """
        Velocity of the point at the origin (3,), m/s.
        """
    def power(self, /, wrench: Wrench) -> float:
        """
        Power of a load on this motion, both in one frame, W; the same in every frame.
        """
    def scale(self, /, factor: float) -> Twist:
        """
        All six numbers times a factor.
        """
    def to_array(self, /) -> NDArray[float64]:
        """
        The six numbers (6,), the linear part first.
        """
    def transformed(self, /, a_from_b: Any) -> Twist:
        """
        The same seen from frame `a`, from the pose `a_from_b` of the frame `b` that it is in.
        """

@final
class Validity:
    """
    What the planner of `register_planner` asks about configurations and motions, and the space that it plans in.

    Motions are straight in the values given: those of continuous joints are unwrapped first, see `unwrap`. A query after the
    time is over raises the PlanningError that ends the plan; one after the plan has ended raises a RuntimeError.
    """
    def __repr__(self, /) -> str: ...
    def are_valid(self, /, configurations: ArrayLike) -> NDArray[bool_]:
        """
        The same of many configurations (n, dof) in one call, which is much faster: (n,).
        """
    @property
    def checks(self, /) -> int:
        """
        Configurations that were checked so far.
        """
    def distance(self, /, begin: ArrayLike, end: ArrayLike) -> float:
        """
        Distance in joint space, with the weights of the joints; continuous joints take the shorter way.
        """
    @property
    def dof(self, /) -> int:
        """
        Number of joints.
        """
    def is_motion_valid(self, /, begin: ArrayLike, end: ArrayLike) -> bool:
        """
        Whether the whole straight motion is proven valid. Every motion of a path that a planner returns has to be.
        """
    def is_valid(self, /, q: ArrayLike) -> bool:
        """
        Whether a configuration is valid: no contact, all margins and limits kept.
        """
    @property
    def lower(self, /) -> NDArray[float64]:
        """
        Lower joint limits (dof,), rad or m; -inf for continuous joints.
        """
    def motion_may_be_valid(self, /, begin: ArrayLike, end: ArrayLike) -> bool:
        """
        Whether a discrete check finds nothing on the motion: faster than the proof, and possibly wrong where it is True.
        """
    @property
    def seed(self, /) -> int:
        """
        The seed of the plan: what is random should follow from it, so that the same seed gives the same plan.
        """
    def unwrap(self, /, begin: ArrayLike, end: ArrayLike) -> NDArray[float64]:
        """
        The equivalent of `end` (dof,) that is nearest to `begin`: other full turns of continuous joints.
        """
    @property
    def upper(self, /) -> NDArray[float64]:
        """
        Upper joint limits (dof,), rad or m; inf for continuous joints.
        """

@final
class Wrench:
    """
    Load on a rigid body: a force, and its moment about a frame's origin, along the frame's axes.

    Args:
        force: Force (3,), N.
        torque: Moment about the origin (3,), Nm.
    """
    def __add__(self, other: object, /) -> Wrench: ...
    def __array__(self, /, dtype: Any | None = None, copy: bool | None = None) -> Any:
        """
        What `numpy.asarray` calls: the six numbers.
        """
    def __eq__(self, value: object, /) -> bool: ...
    def __mul__(self, factor: object, /) -> Wrench: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __neg__(self, /) -> Wrench: ...
    def __new__(cls, /, force: ArrayLike, torque: ArrayLike) -> Wrench: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    def __rmul__(self, factor: object, /) -> Wrench: ...
    def __sub__(self, other: object, /) -> Wrench: ...
    @property
    def force(self, /) -> NDArray[float64]:
        """
        Force (3,), N.
        """
    @staticmethod
    def from_array(values: ArrayLike) -> Wrench:
        """
        From six numbers, the linear part first.
        """
    def power(self, /, twist: Twist) -> float:
        """
        Power of this load on a motion, both in one frame, W; the same in every frame.
        """
    def scale(self, /, factor: float) -> Wrench:
        """
        All six numbers times a factor.
        """
    def to_array(self, /) -> NDArray[float64]:
        """
        The six numbers (6,), the linear part first.
        """
    @property
    def torque(self, /) -> NDArray[float64]:
        """
        Moment about the origin (3,), Nm.
        """
    def transformed(self, /, a_from_b: Any) -> Wrench:
        """
        The same seen from frame `a`, from the pose `a_from_b` of the frame `b` that it is in.
        """

def _bench_scene(data: str | PathLike[str], robot: str, family: str, index: int, cylinders: str) -> tuple[Scene, list[float], list[float]]:
    """
    The robot of a benchmark problem with the obstacles around it, and the limits of its joints.

    Args:
        data: Folder with `problems/` and `models/`.
        robot: Robot of the problems, such as "panda".
        family: Family of problems.
        index: Number of the problem in its family.
        cylinders: As for `bench_mbm`.

    Returns:
        Scene, lower limits and upper limits.
    """

def _device_report() -> dict[str, Any]:
    """
    What decides whether there is a GPU, as a dict.
    """

def _end_executions() -> None:
    """
    Stops all executions along their paths and waits for their ends: Python is about to end.
    """

def _find_package(name: str, near: str | PathLike[str], package_dirs: Sequence[str | PathLike[str]]) -> Path:
    """
    Folder of a package, found as the packages of meshes are.
    """

def _ik_defaults() -> dict[str, Any]:
    """
    Defaults of numerical inverse kinematics by the keywords that stand for them.
    """

def _log_to_python() -> None:
    """
    From now on what the library logs goes to the logger `kinetic`. Called when the package is imported.
    """

def _planner_options() -> list[dict[str, Any]]:
    """
    The options of planning, one dict each.

    Returns:
        Dicts with `name` (in Rust and in files), `keyword` (in Python), `flag` (of the command line), `kind`, `default` (None
        for no limit and for what is not stated), `wanted` (which values it can have), `doc`, and `of_calls` (whether a call can
        state it as well).
    """

def _raise_example(code: str) -> None:
    """
    Raises an example of the error with this code; for tests of the error map.
    """

def _read_file(path: str | PathLike[str]) -> bytes:
    """
    The bytes of a file, refused as by every reader when it is no regular one or too large.
    """

def _stub_keywords() -> dict[str, Any]:
    """
    The options of calls by name, as parameters with types and defaults: what `tools/check_stubs.py` puts into the stubs.
    """

def add_arm(urdf: str | PathLike[str], *, base: str, tip: str, name: str, out: str | PathLike[str], remarks: Sequence[str] = ...) -> str:
    """
    Registers an arm: writes a folder with `kinetic.toml` and the URDF, which `Robot.from_path` reads.

    Args:
        urdf: The URDF file.
        base: First link of the arm.
        tip: Last link of the arm.
        name: Name that the robot gets.
        out: The folder; it is made if need be.
        remarks: Lines for the head of kinetic.toml.

    Returns:
        The path of kinetic.toml.

    Raises:
        InputError: A malformed file, an unknown link, no chain between the links, or an empty name.
        OSError: A file cannot be read or written.
    """

def batch_fk_gpu(robot: str | Robot, configs: ArrayLike, device: str = ...) -> NDArray[float64]:
    """
    Poses of all links for many configurations, in single precision on a GPU.

    Args:
        robot: The robot, or the name of a built-in one.
        configs: Joint values, one row each (N, dof), or in the length of the robot.
        device: "auto" (a GPU where there is one, else the processor), "cpu", "gpu", "gpu:N" or a part of the name of an adapter.

    Returns:
        Poses (N, links, 4, 4) of the links in the root frame, in the order of `Robot.links`: those of `fk_all` to 1e-5 m.

    Raises:
        InputError: NaN, wrong shapes, or a device that is not there.

    Example:
        >>> import kinetic
        >>> robot = kinetic.Robot("ur5e")
        >>> kinetic.batch_fk_gpu(robot, [[0.0] * 6, [0.1] * 6]).shape[2:]
        (4, 4)
    """

def bench_mbm(data: str | PathLike[str], robot: str, model: str, cylinders: str, seed: int, planner: str, timeout: float, progress: Callable[[int, int], object] | None = None) -> str:
    """
    Plans the problems of MotionBenchMaker and reports times and lengths.

    Args:
        data: Folder with `problems/` and `models/`.
        robot: Robot of the problems, such as "panda".
        model: "given": the spheres that come with the problems; "builtin": the built-in robot.
        cylinders: "vamp": planned against as capsules or boxes; "exact".
        seed: Seed of every plan.
        planner: Who plans, such as "rrt_connect".
        timeout: Seconds that a problem may take; anytime planners use them up.
        progress: Called with the number of problems done and of all.

    Returns:
        JSON with `machine`, `robot`, `rows` (one per problem) and `paths` (one per solved problem).

    Raises:
        InputError: The data is malformed, or a name unknown.
        OSError: The data cannot be read.
    """

def blend_sequence(trajectories: SupportsGetItem[int, Trajectory], blend_duration: float, velocity_limits: ArrayLike | None = None, acceleration_limits: ArrayLike | None = None, jerk_limits: ArrayLike | None = None) -> Trajectory:
    """
    Several motions, each beginning where the one before ends, without the stops between them.

    Half of `blend_duration` is cut off both sides of every join and replaced by the fastest motion between the cuts:
    position, velocity and acceleration are continuous. It cuts the corners; collisions are not looked at.

    Args:
        trajectories: Timed trajectories, at least one.
        blend_duration: Seconds that both sides of a join give away together.
        velocity_limits: Limits of the blends, one number or one per joint; None for what the motions use.
        acceleration_limits: Likewise.
        jerk_limits: Likewise.

    Raises:
        InputError: A gap between two motions (the message names the joint), a duration that does not fit, wrong sizes, or a cut at
            which the limits do not hold or cannot be held with the acceleration there.
    """

def cache_entries(*, clear: bool = False) -> tuple[str | None, list[tuple[str, int]], str | None]:
    """
    What is kept between processes for robots of one's own: covers of their links, and which pairs of links need no check.

    What is damaged, of another release, or belongs to another user is worked out anew. The variable `KINETIC_CACHE_DIR` names
    another folder; when it is empty, nothing is kept.

    Args:
        clear: Remove all entries first.

    Returns:
        The folder, or None where nothing is kept; names and sizes of the entries in bytes, those that were used longest ago
        first; and why nothing is kept.
    """

def euclidean_clusters(points: Any, tolerance: float = ..., min_points: int = ..., max_points: int | None = None) -> list[NDArray[int64]]:
    """
    The clusters of points: two points are in one cluster when a chain of points leads from one to the other with steps of at most the
    tolerance (PCL's Euclidean cluster extraction).

    Args:
        points: Points (N, 3), m, as for `Scene.add_pointcloud`; those that are not finite are in no cluster.
        tolerance: Largest step, m.
        min_points: Smaller clusters do not count.
        max_points: Larger clusters do not count; None for no bound.

    Returns:
        The indices of the points of each cluster, ascending; the largest cluster first.

    Raises:
        InputError: A tolerance that is not positive, or points that reach over more than half a million tolerances.

    Example:
        >>> import kinetic
        >>> points = [[0.0, 0.0, 0.0], [0.01, 0.0, 0.0], [0.5, 0.0, 0.0]]
        >>> [cluster.tolist() for cluster in kinetic.euclidean_clusters(points, 0.02, min_points=1)]
        [[0, 1], [2]]
    """

def fit_box(geometry: Shape | tuple[ArrayLike, ArrayLike] | str | PathLike[str]) -> tuple[Shape, NDArray[float64]]:
    """
    A box of little volume around a solid.

    Args:
        geometry: A Shape, a pair of vertices (N, 3) and faces (M, 3), or the path of a mesh file.

    Returns:
        The box, and its pose (4, 4) in the frame of the geometry; every point is inside.

    Raises:
        InputError: The geometry is empty, unbounded, rounded or not finite.
        OSError: The mesh cannot be read.
    """

def fit_capsule(geometry: Shape | tuple[ArrayLike, ArrayLike] | str | PathLike[str]) -> tuple[Shape, NDArray[float64]]:
    """
    A capsule of little volume around a solid.

    Args:
        geometry: A Shape, a pair of vertices (N, 3) and faces (M, 3), or the path of a mesh file.

    Returns:
        The capsule, and its pose (4, 4) in the frame of the geometry; every point is inside.

    Raises:
        InputError: The geometry is empty, unbounded, rounded or not finite.
        OSError: The mesh cannot be read.
    """

def fit_convex_hull(geometry: Shape | tuple[ArrayLike, ArrayLike] | str | PathLike[str], *, max_vertices: int = ..., tolerance: float = ...) -> Shape:
    """
    A convex shape of few vertices that contains a solid.

    Args:
        geometry: A Shape, a pair of vertices (N, 3) and faces (M, 3), or the path of a mesh file.
        max_vertices: Most vertices, at least 4.
        tolerance: Rounding up to which vertices are left out, m.

    Returns:
        A convex Shape, in the frame of the geometry.

    Raises:
        InputError: The geometry is empty, unbounded, rounded or not finite, or an option is outside its domain.
        OSError: The mesh cannot be read.
    """

def fit_convex_pieces(geometry: Shape | tuple[ArrayLike, ArrayLike] | str | PathLike[str], *, max_pieces: int = ..., tolerance: float = ...) -> list[tuple[Shape, float]]:
    """
    Convex shapes whose union contains every triangle of a mesh.

    Triangles may be open, duplicated, crossing or without area.

    Args:
        geometry: A pair of vertices (N, 3) and faces (M, 3), or the path of a mesh file.
        max_pieces: Most pieces.
        tolerance: Gap between a piece's hull and the mesh below which the piece is not cut any more, m.

    Returns:
        Pairs of a convex Shape, in the frame of the mesh, and its gap, m: measured at 300 points, not proven.

    Raises:
        InputError: The mesh has no faces, or is not finite, or an option is outside its domain.
        OSError: The mesh cannot be read.
    """

def fit_robot_spheres(robot: str | Robot, *, preset: str = ..., count: int | None = None) -> list[dict[str, Any]]:
    """
    Spheres around the links of a robot, given where the largest excess is.

    Args:
        robot: A Robot, or the name of a built-in one.
        preset: "coarse", "default" or "fine": up to 8, 32 or 64 spheres per link, and 2, 8 or 16 per rigid body.
        count: Most spheres for the whole robot, instead of the preset's; each link with geometry gets one at least.

    Returns:
        Per link with geometry a dictionary: `link`, `spheres` (K, 4) in the link's frame, and `excess`, a proven bound
        of how far any point of their union is from the link's convex shapes, m.

    Raises:
        InputError: The robot or the preset is unknown.
        OSError: A mesh of the robot cannot be read.
    """

def fit_spheres(geometry: Shape | tuple[ArrayLike, ArrayLike] | str | PathLike[str], *, count: int | None = None, max_excess: float | None = None) -> tuple[NDArray[float64], dict[str, Any]]:
    """
    Spheres whose union contains a solid, with as little beyond it as the budget allows.

    What is contained is proven, not sampled: all of a shape; of a mesh every triangle, and every point around which it
    winds.

    Args:
        geometry: A Shape, a pair of vertices (N, 3) and faces (M, 3), or the path of a mesh file.
        count: Most spheres.
        max_excess: Few spheres that reach no farther beyond the solid than this, m; up to `count`, or 256.
            Without both, up to 32 spheres for 2 cm.

    Returns:
        Spheres (K, 4), centre and radius, m, and a report: `count`; `excess`, a proven bound of how far any point of
        the union is from the solid, m; `volume_ratio` of union and solid, an estimate from 20 000 points.

    Raises:
        InputError: The geometry is empty, unbounded or not finite, or an option is outside its domain.
        OSError: The mesh cannot be read.
    """

def gpu_adapters() -> list[dict[str, Any]]:
    """
    Adapters that can compute: hardware first, software last.

    Returns:
        One dict per adapter: `device` ("gpu:0", what other calls take), `name`, `backend` ("vulkan", "metal" or "dx12"), `driver`,
        and `kind` ("discrete", "integrated", "virtual", "other" or "software").
    """

def gpu_available() -> bool:
    """
    Whether there is a GPU to compute with: a hardware adapter of Vulkan, Metal or DX12. A software adapter is none.

    Without one, what takes `device="auto"` runs on the processor. `kinetic devices --doctor` says why there is none.
    """

def import_moveit(folder: str | PathLike[str], *, urdf: str | PathLike[str], out: str | PathLike[str]) -> list[str]:
    """
    Writes a `kinetic.toml` from the files of a MoveIt configuration: SRDF, joint_limits.yaml, kinematics.yaml.

    The result is read by `Robot.from_path`.

    Args:
        folder: Folder of the configuration; its files stand in it or in `config` below.
        urdf: The URDF, not xacro.
        out: Folder for kinetic.toml; it is made if need be.

    Returns:
        What has no counterpart, one sentence each.

    Raises:
        InputError: A malformed file (with file and line), or no single SRDF in the folder.
        OSError: A file cannot be read or written.
    """

def list_robots() -> list[str]:
    """
    Names of the built-in robots, sorted.

    Example:
        >>> import kinetic
        >>> "ur5e" in kinetic.list_robots()
        True
    """

def load_mesh(path: str | PathLike[str], *, z_up: bool = False) -> tuple[NDArray[float64], NDArray[int64]]:
    """
    Reads a mesh file: .stl, .obj, .dae, .glb or .gltf. COLLADA's unit of length is applied.

    Args:
        path: The file.
        z_up: Turn the mesh so that the upward axis that the file or its format declares becomes z. Meshes of robots are
            used without, as published descriptions mean them.

    Returns:
        Vertices (N, 3) in m and triangles (M, 3) as indices of vertices.

    Raises:
        InputError: Malformed or another format.
        OSError: The file cannot be read.
    """

def nearest_to_seed(sols: SupportsGetItem[int, Solution], q_seed: ArrayLike, *, metric: str = ...) -> list[Solution]:
    """
    Solutions by their distance from a configuration, turns of 2π ignored, closest first; equals keep their order.

    Args:
        sols: Solutions.
        q_seed: The configuration.
        metric: "wrap_l2" (Euclidean) or "wrap_linf" (largest single joint).

    Raises:
        InputError: A solution has another length than the configuration, or the metric is unknown.
    """

def plan(robot: str | Robot, start: str | ArrayLike, goal: Goal | Pose | str | ArrayLike | dict[str, Any], *, scene: Scene | None = None, planner_type: str = ..., timeout: float | None = None, time_parameterize: bool | str = ..., rng_seed: int | None = None, torque_limits: bool = False, payload: Payload | float | None = None, gravity: ArrayLike | None = None, group: str | Sequence[str] | None = None, velocity_scaling: float | None = None, acceleration_scaling: float | None = None, velocity_limits: ArrayLike | None = None, acceleration_limits: ArrayLike | None = None, jerk_limits: ArrayLike | None = None) -> Trajectory:
    """
    Plans one collision-free, timed and verified motion.

    Args:
        robot: A robot, or the name of a built-in one.
        start: Joint values, or the name of a pose of the group.
        goal: A goal; or joint values, the name of a pose of the group, a pose of the tool (`Pose` or 4×4), or a dict of such by
            names of groups.
        scene: What stands around the robot; None for nothing.
        planner_type: Name of the planner; "auto" picks one.
        timeout: As for `Planner`, and so the following, but for the time law.
        time_parameterize: True for the default time law, the name of one, or False for a path without time.
        rng_seed: As for `Planner`.
        torque_limits: As for `Planner`.
        payload: As for `Planner`.
        gravity: As for `Planner`.
        velocity_scaling: As for `Planner`.
        acceleration_scaling: As for `Planner`.
        velocity_limits: As for `Planner`.
        acceleration_limits: As for `Planner`.
        jerk_limits: As for `Planner`.
        group: As for `Planner`.

    Raises:
        InputError: Wrong sizes, NaN, unknown names, joint values outside their limits.
        PlanningError: Start or goal in collision, goal out of reach, time used up.

    Example:
        >>> import kinetic
        >>> trajectory = kinetic.plan("ur5e", [0.0, -1.57, 0.0, -1.57, 0.0, 0.0], kinetic.Goal.named("home"))
        >>> trajectory.certificate.max_velocity_ratio <= 1.0
        True
    """

def planner_types() -> list[str]:
    """
    Names of planners, for `planner_type`: "auto", then those of the registry, then those that were registered.

    Example:
        >>> import kinetic
        >>> "rrt_connect" in kinetic.planner_types()
        True
    """

def register_planner(name: str, planner: type, *, may_be_simplified: bool = True, replace: bool = False) -> None:
    """
    Registers a planner written in Python: from then on `planner_type` takes its name.

    Its paths are simplified, verified, timed and certified as those of all planners are: one that touches something, leaves
    the limits or ends elsewhere is refused. Names hold for this process; a problem file or a pickle with the name is of use
    where it is registered, too.

    Args:
        name: Lower-case letters, digits and underscores.
        planner: A class. For every search it is called without arguments, and then its method `plan(start, goals, validity)`:
            `start` (dof,), `goals` (n, dof), and a `Validity`. It returns a path (m, dof) from the start to one of the goals,
            or None when it finds none. What it raises reaches the caller of the plan. Ctrl-C and the timeout end it at the next
            query of `validity`.
        may_be_simplified: Whether the path may be shortened and its corners cut, as the options of the planner say; False
            where its waypoints have a meaning.
        replace: Whether the class of a planner of Python that has the name already gives way, for planners that exist too;
            `may_be_simplified` stays.

    Raises:
        InputError: A name that another planner has, or that has other letters; another `may_be_simplified` than that of the
            planner that is replaced.
        TypeError: `planner` is no class with a method `plan`.

    Example:
        >>> import kinetic
        >>> class StraightLine:
        ...     def plan(self, start, goals, validity):
        ...         for goal in goals:
        ...             if validity.is_motion_valid(start, goal):
        ...                 return [start, goal]
        >>> kinetic.register_planner("straight_line", StraightLine)
        >>> robot = kinetic.Robot("ur5e")
        >>> planner = kinetic.Planner(robot, planner_type="straight_line")
        >>> planner.plan(robot.named_pose("home"), kinetic.Goal.named("ready")).certificate is not None
        True
    """

def respect_limits(sols: SupportsGetItem[int, Solution], body: KinBody | Manipulator | Robot | Sequence[tuple[float, float] | None]) -> list[Solution]:
    """
    Keeps solutions inside the limits; values on a limit are inside.

    Args:
        sols: Solutions.
        body: A Robot, a Manipulator, its `kinbody`, or a list with (lower, upper) or None per joint.

    Raises:
        InputError: A solution has another length than the body.
    """

def robot_formats() -> list[tuple[str, list[str], str]]:
    """
    The file formats that `Robot.from_file` reads.

    Returns:
        For each its name, how names of its files end, and what of it is read. Of files that end in ".xml" the outermost
        element says the format.

    Example:
        >>> import kinetic
        >>> [endings for name, endings, summary in kinetic.robot_formats() if name == "URDF"]
        [['.urdf', '.xml']]
    """

def simd_tier() -> str:
    """
    The instructions that collision checks of this process use: `"avx512"`, `"avx512half"`, `"avx2"`, `"neon"` or `"scalar"`.

    They are the widest of the processor, or those that the environment variable `KINETIC_SIMD` names when kinetic asks for the
    first time. Verdicts, and so plans, are the same with all of them; the variable is for measurements of what a
    processor with fewer of them takes.

    Returns:
        The name.

    Raises:
        InputError: The variable names none of this processor's.
    """

def state_to_state(start: ArrayLike, target: ArrayLike, velocity_limits: ArrayLike, acceleration_limits: ArrayLike, jerk_limits: ArrayLike, *, start_velocity: ArrayLike | None = None, start_acceleration: ArrayLike | None = None, target_velocity: ArrayLike | None = None, target_acceleration: ArrayLike | None = None, velocity_lower: ArrayLike | None = None, acceleration_lower: ArrayLike | None = None, synchronization: str = ..., minimum_duration: float = ...) -> Trajectory:
    """
    The fastest motion between two states under limits of velocity, acceleration and jerk, which hold at every instant.

    A start outside the limits brakes first. Collisions are not looked at.

    Args:
        start: Positions, rad or m, shape (dof,).
        target: Likewise.
        velocity_limits: Largest velocity, one number or one per joint, rad/s or m/s.
        acceleration_limits: Largest acceleration, likewise.
        jerk_limits: Largest jerk, likewise, in both directions.
        start_velocity: Shape (dof,); None is rest.
        start_acceleration: Likewise.
        target_velocity: Likewise.
        target_acceleration: Likewise.
        velocity_lower: Lowest velocity, negative; None for minus the largest.
        acceleration_lower: Lowest acceleration, likewise.
        synchronization: "time", arriving together as early as possible, or "phase", on a straight line too.
        minimum_duration: The motion takes at least this long, s.

    Returns:
        A trajectory of two waypoints.

    Example:
        >>> from kinetic import state_to_state
        >>> motion = state_to_state([0.0], [1.0], 1.0, 2.0, 8.0)
        >>> round(motion.duration, 9)
        1.75
    """

def take_first(sols: SupportsGetItem[int, Solution], k: int) -> list[Solution]:
    """
    The first k solutions; none for k of 0 or less.
    """

def upright_box(points: Any, growth: float = ...) -> tuple[Shape, NDArray[float64]]:
    """
    The box with an axis along z whose base has the least area, around points: what stands on a table.

    Args:
        points: Points (N, 3), m; those that are not finite do not count.
        growth: How far the box reaches beyond them, m.

    Returns:
        The box and its pose (4, 4), for `Scene.add`.

    Raises:
        InputError: No finite point, or a growth that is negative.
    """

def windings(sols: SupportsGetItem[int, Solution], body: KinBody | Manipulator | Robot | Sequence[tuple[float, float] | None], *, q_seed: ArrayLike | None = None, max_solutions: int = ...) -> list[Solution]:
    """
    Solutions on other turns of 2π inside the limits, nearest to a configuration first.

    An arm with joints of several turns has hundreds of them per pose; only those that are asked for are made.

    Args:
        sols: Solutions.
        body: A Robot, a Manipulator, its `kinbody`, or a list with (lower, upper) or None per joint, which all turn.
        q_seed: The configuration; None to begin with the fewest turns.
        max_solutions: At most so many.

    Raises:
        InputError: A solution or the configuration has another length than the body.
    """

def wrap_to_limits(sols: SupportsGetItem[int, Solution], body: KinBody | Manipulator | Robot | Sequence[tuple[float, float] | None]) -> list[Solution]:
    """
    Shifts turning joints by ±2π or ±4π into their limits, least turns first; joints that do not fit stay as they are.

    Args:
        sols: Solutions.
        body: A Robot, a Manipulator, its `kinbody`, or a list with (lower, upper) or None per joint, which all turn.

    Raises:
        InputError: A solution has another length than the body.
    """
