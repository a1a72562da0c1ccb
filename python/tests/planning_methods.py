"""Rows of ``test_planning_laws.py``, and what a row says: every planner, kind of goal and kind of constraint."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import kinetic
from kinetic import Constraint, Goal, Planner, PlanningError, Pose, Robot, Scene, Trajectory

START = np.array([1.2, -1.0, 1.0, -1.57, -1.0, 0.0])
GOAL = np.array([-0.2, -1.0, 1.0, -1.57, -1.0, 0.0])
BENT = GOAL + [0.0, 0.0, 0.0, 0.3, -0.3, 0.5]
"""Another goal, at which the wrist is not as at the start."""
ARMS = ["left_arm", "right_arm"]
EXACT = (2e-6, 2e-6)
"""Goals are met to 1e-6 m and rad; the rest is rounding."""


class OneAfterAnother:
    """A planner of the caller's own: joint by joint along seeded detours, each motion asked for."""

    def plan(self, start, goals, validity):
        rng = np.random.default_rng(0)
        for _ in range(4000):
            # A way over two random configurations.
            via = [rng.uniform(-2.0, 2.0, len(start)) * [1, 1, 1, 1, 0.1, 0.1] for _ in range(2)]
            path = [start, *via, goals[0]]
            if all(validity.is_motion_valid(a, b) for a, b in zip(path, path[1:])):
                return np.array(path)
        return None


class Nothing:
    """A planner of the caller's own that finds nothing."""

    def plan(self, start, goals, validity):
        return None


kinetic.register_planner("laws_own", OneAfterAnother)
kinetic.register_planner("laws_nothing", Nothing)


@dataclass
class World:
    """A robot that carries a stick, its scene, and what stands there as Coal has it."""

    robot: Robot
    scene: Scene
    objects: list[tuple[Any, np.ndarray]]


@dataclass(frozen=True)
class Method:
    """A planner with a planning method."""

    name: str
    solve: Callable[..., Trajectory]
    """A timed motion of the scene from ``start``, under options of ``Planner``; raises where there is none."""
    robot: str = "ur5e"
    ends_at: np.ndarray | None = None
    """Where it has to end, or such configurations (N, dof); None where the end is not stated in joint space."""
    ends_with: dict[str, np.ndarray] | None = None
    """Where links have to be in the end, in the root frame."""
    within: tuple[Any, float] = EXACT
    """How far from there, m along each axis of the goal, and rad."""
    seen_from: str | None = None
    """The link in whose frame ``ends_with`` is instead."""
    planner: dict[str, Any] | None = None
    """Options that make it ``Planner.plan``, whose problems are saved and replayed."""
    goal: Any = None
    """What ``Planner.plan`` plans to."""
    target: np.ndarray | None = None
    """Joint values that meet this goal."""
    racers: tuple[str, ...] = ()
    """The planners of a race for the first answer: which one it is, the clock says, so that it is not reproducible."""
    crosses: bool = True
    """Whether it leads through where the pillar stands, when there is none."""
    margins: tuple[float, ...] = (0.02, 0.04)
    """The margins that it is asked for."""

    @property
    def start(self) -> np.ndarray:
        """Where it begins."""
        return START if self.robot == "ur5e" else arm_ends()[0]


def arm_ends() -> list[np.ndarray]:
    """Start and goal of both arms."""
    ready = np.concatenate([Robot("baxter_left", group=arm).named_pose("ready") for arm in ARMS])
    home = np.concatenate([Robot("baxter_left", group=arm).named_pose("home") for arm in ARMS])
    return [ready, home]


@functools.lru_cache
def model(robot: str) -> Robot:
    """The arm, or both arms."""
    return Robot(robot) if robot == "ur5e" else Robot(robot, group=ARMS)


def poses(robot: str, q: np.ndarray, *links: str) -> dict[str, np.ndarray]:
    """Where links are."""
    everywhere = model(robot).fk_all(q)
    return {link: everywhere[link] for link in links}


def tool(q: np.ndarray) -> Pose:
    """Where the tool of the single arm is."""
    return Pose(model("ur5e").fk(q))


def planning(name: str, **own: Any) -> Method:
    """``Planner.plan`` with options, to joint values."""
    return planning_to(name, GOAL, GOAL, ends_at=GOAL, **own)


def planning_to(name: str, goal: Any, target: np.ndarray, **given: Any) -> Method:
    """``Planner.plan`` to a goal that joint values meet, with options of it and fields of ``Method``."""
    fields = {key: given.pop(key) for key in tuple(given) if key in Method.__dataclass_fields__}

    def solve(world: World, **options: Any) -> Trajectory:
        return Planner(world.robot, world.scene, **{**given, **options}).plan(method.start, goal)

    method = Method(name, solve, planner=given, goal=goal, target=target, **fields)
    return method


def planners() -> list[Method]:
    """Every planner of the registry, several of them, and what they can be asked for."""
    return [
        planning("rrt_connect", planner_type="rrt_connect"),
        planning("aorrtc", planner_type="aorrtc", max_iterations=100),
        planning("cbirrt", planner_type="cbirrt"),
        # One tree from the start does not find its way through the crowd.
        planning("rrt_star", planner_type="rrt_star", fallback=["bi_rrt_star"], max_iterations=3000),
        planning("bi_rrt_star", planner_type="bi_rrt_star", max_iterations=3000),
        planning("est", planner_type="est"),
        planning("kpiece", planner_type="kpiece"),
        planning("bitrrt", planner_type="bitrrt"),
        planning("chomp", planner_type="chomp"),
        planning("trajopt", planner_type="trajopt"),
        Method("trajopt on a device", on_a_device, ends_at=GOAL),
        planning("stomp", planner_type="stomp"),
        planning("prm", planner_type="prm"),
        planning("lazy prm", planner_type="prm", lazy_roadmap=True),
        Method("prm on a roadmap", on_a_roadmap, ends_at=GOAL),
        planning("prm_star", planner_type="prm_star", max_iterations=1000),
        Method("gcs", in_regions, ends_at=GOAL),
        planning("own planner", planner_type="laws_own"),
        planning("fallback", planner_type="laws_nothing", fallback=["rrt_connect"]),
        planning("race", planner_type="rrt_connect", fallback=["aorrtc"], race=True, max_iterations=100),
        planning("first of a race", **first_of("rrt_connect", "est")),
        planning("least time", minimise="time", max_iterations=100),
        planning("refined", refine="trajopt"),
        planning("under torque limits", torque_limits=True),
        *(
            Method(f"time law {law}", with_time_law(law), ends_at=GOAL)
            for law in ("trapezoidal", "jerk_limited", "cubic_spline")
        ),
        Method("kinetic.plan", module_function, ends_at=GOAL, margins=(0.02,)),
        Method("plan_batch", batch, ends_at=GOAL),
    ]


def first_of(*names: str) -> dict[str, Any]:
    """A race of planners for the first answer."""
    return {"planner_type": names[0], "fallback": list(names[1:]), "race": "first", "racers": names}


def with_time_law(law: str) -> Callable[..., Trajectory]:
    """``Planner.plan`` with another time law."""

    def solve(world: World, **options: Any) -> Trajectory:
        return Planner(world.robot, world.scene, **options).plan(START, GOAL, law)

    return solve


def module_function(world: World, **options: Any) -> Trajectory:
    """``kinetic.plan``, which has the margin that planners have by default."""
    options.pop("collision_margin", None)
    return kinetic.plan(world.robot, START, GOAL, scene=world.scene, **options)


def batch(world: World, **options: Any) -> Trajectory:
    """The last one of several plans."""
    motion = Planner(world.robot, world.scene, **options).plan_batch([START] * 2, [START, GOAL])[-1]
    if not isinstance(motion, Trajectory):
        raise motion
    return motion


def in_regions(world: World, **options: Any) -> Trajectory:
    """Through convex regions that were grown in the world."""
    planner = Planner(world.robot, world.scene, **options)
    try:
        regions = planner.convex_decomposition([START, GOAL], 12, collision_fraction=0.05)
    except kinetic.InputError as refused:
        # A start or goal that is not valid is no seed.
        raise PlanningError(str(refused)) from refused
    return planner.with_regions(regions).plan(START, GOAL)


def on_a_roadmap(world: World, **options: Any) -> Trajectory:
    """Along a roadmap that was built before."""
    planner = Planner(world.robot, world.scene, planner_type="prm", **options)
    return planner.with_roadmap(planner.build_roadmap(50)).plan(START, GOAL)


def on_a_device(world: World, **options: Any) -> Trajectory:
    """Many trajectories at once, optimised on the processor."""
    planner = Planner(world.robot, world.scene, planner_type="trajopt", num_seeds=64, **options)
    return planner.with_device("cpu", preset="speed").plan(START, GOAL)


def goals() -> list[Method]:
    """Every kind of goal of one arm."""
    links = poses("ur5e", BENT, "forearm_link", "wrist_2_link")
    hand = poses("ur5e", BENT, "tool0")
    turned = BENT + [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    away = tool(START).inverse() * tool(BENT)
    rows = [
        ("goal of the tool", Goal.pose(tool(BENT)), {"ends_with": hand}),
        # The last joint stays free.
        ("goal of several links", Goal.links(links), {"ends_with": links}),
        ("goal in a region", Goal.region(tool(BENT), 0.01, 0.0), {"ends_with": hand, "within": (0.010001, 2e-6)}),
        ("goal from the start", Goal.relative(away, "tool"), {"ends_with": hand}),
        ("one of several goals", Goal.any([turned, BENT]), {"ends_at": np.array([turned, BENT])}),
        ("goal with turns", Goal.joints(BENT + 2.0 * np.pi, turns=True), {"ends_with": {**hand, **links}}),
    ]
    for what in ("distance", "time", "clearance"):
        rows.append((f"preferred by {what}", Goal.pose(tool(BENT)), {"ends_with": hand, "prefer": what}))
    return [planning_to(name, goal, BENT, **fields) for name, goal, fields in rows]


def constraints() -> list[Method]:
    """Every way to state constraints, and the kinds of them that differ."""
    level = Constraint.plane("tool0", tool(START).matrix[:3, 3], [0.0, 0.0, 1.0], 0.01)
    band = Constraint.joint(5, -0.5, 0.5)
    # Shoulder and elbow move against each other.
    coupled = Constraint.custom(lambda q: [q[1] + q[2]], 1, [0, 1, 1, 0, 0, 0], 0.05, name="coupled")
    return [
        planning("constraints of the planner", constraints=[level]),
        Method("plan_constrained", constrained(band), ends_at=GOAL),
        Method("plan_constrained by a function", constrained(coupled), ends_at=GOAL),
    ]


def constrained(condition: Constraint) -> Callable[..., Trajectory]:
    """All of the way under a condition."""

    def solve(world: World, **options: Any) -> Trajectory:
        return Planner(world.robot, world.scene, **options).plan_constrained(START, GOAL, [condition])

    return solve
