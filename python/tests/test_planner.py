"""Planning: goals, options, the current scene, verification, determinism, refusals, Ctrl-C."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from oracles import SLIDER, translation

import kinetic
from kinetic import Goal, InputError, Planner, PlanningError, Robot, Scene, Shape, Trajectory

GOAL_TOLERANCE = 1e-6
"""Starts and goals are met to this (rad, m), as the specification asks."""
CERTIFIED = 1e-4
"""A certificate's clearance is at most this above the true minimum, m."""


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot("ur5e")


@pytest.fixture(scope="module")
def home(robot: Robot) -> np.ndarray:
    return robot.named_pose("home")


@pytest.fixture(scope="module")
def ready(robot: Robot) -> np.ndarray:
    return robot.named_pose("ready")


@pytest.fixture
def shelf(robot: Robot) -> Scene:
    """A table, and a wall that the straight way from home to `TURNED` runs into."""
    scene = Scene(robot)
    scene.add("table", Shape.box(2.0, 2.0, 0.02), translation(0.0, 0.0, -0.05))
    scene.add("wall", Shape.box(0.04, 0.8, 1.0), translation(0.0, 0.7, 0.5))
    return scene


START = [0.6, -1.2, 1.4, -1.7, -1.57, 0.0]
TURNED = [2.5, -1.2, 1.4, -1.7, -1.57, 0.0]


# --- what a plan is ---


def test_a_plan_is_timed_verified_and_goes_from_start_to_goal(robot: Robot, home, ready) -> None:
    trajectory = Planner(robot).plan(home, Goal.joints(ready))
    assert trajectory.is_timed
    assert np.allclose(trajectory.sample(0.0), home, rtol=0.0, atol=GOAL_TOLERANCE)
    assert np.allclose(trajectory.sample(trajectory.duration), ready, rtol=0.0, atol=GOAL_TOLERANCE)
    assert not trajectory.sample_velocity(0.0).any()
    assert np.allclose(trajectory.sample_velocity(trajectory.duration), 0.0, atol=GOAL_TOLERANCE)
    assert trajectory.joint_names == robot.joint_names
    assert trajectory.certificate is not None


def test_a_plan_around_a_wall_keeps_its_margin_everywhere(robot: Robot, shelf: Scene) -> None:
    assert shelf.check_motion(START, TURNED) is not None
    trajectory = Planner(robot, shelf).plan(START, TURNED)
    samples = np.array([trajectory.sample(t) for t in np.linspace(0.0, trajectory.duration, 500)])
    assert shelf.are_free(samples, collision_margin=0.02 - GOAL_TOLERANCE).all()
    certificate = trajectory.certificate
    assert certificate.margin == 0.02
    # The pair that comes closest to its margin is a link and the world here. No sample comes closer.
    assert certificate.pair[1] in shelf.objects
    for q in samples:
        world = [contact for contact in shelf.contacts(q, margin=0.1) if contact["other"] in shelf.objects]
        assert all(contact["distance"] >= certificate.min_clearance - CERTIFIED for contact in world)
    closest = shelf.contacts(trajectory.sample(certificate.time), margin=certificate.min_clearance + CERTIFIED)
    assert certificate.pair in [(contact["link"], contact["other"]) for contact in closest]


def test_limits_hold_at_every_sample(robot: Robot, shelf: Scene) -> None:
    trajectory = Planner(robot, shelf).plan(START, TURNED)
    low, high = robot.joint_limits.T
    assert trajectory.validate(low, high, robot.velocity_limits, robot.acceleration_limits) == []
    times = np.linspace(0.0, trajectory.duration, 2000)
    speed = np.abs([trajectory.sample_velocity(t) for t in times]) / robot.velocity_limits
    assert speed.max() <= trajectory.certificate.max_velocity_ratio <= 1.0 + 1e-9
    # Some joint is at its limit nearly everywhere on the way; a law that crept would not be.
    assert speed.max() > 0.5


def test_the_same_seed_gives_the_same_trajectory(robot: Robot, shelf: Scene) -> None:
    first = Planner(robot, shelf, rng_seed=3).plan(START, TURNED)
    again = Planner(robot, shelf, rng_seed=3).plan(START, TURNED)
    other = Planner(robot, shelf, rng_seed=4).plan(START, TURNED)
    assert first == again
    assert first != other


def test_plans_of_one_planner_do_not_depend_on_each_other(robot: Robot, shelf: Scene) -> None:
    planner = Planner(robot, shelf)
    assert planner.plan(START, TURNED) == planner.plan(START, TURNED)


def test_a_path_without_time_on_request(robot: Robot, shelf: Scene) -> None:
    path = Planner(robot, shelf).plan(START, TURNED, time_parameterize=False)
    assert (path.is_timed, path.duration) == (False, 0.0)
    assert path.positions()[0] == pytest.approx(START, abs=GOAL_TOLERANCE)
    assert path.positions()[-1] == pytest.approx(TURNED, abs=GOAL_TOLERANCE)
    for a, b in zip(path.positions(), path.positions()[1:]):
        assert shelf.check_motion(a, b) is None


def test_a_time_law_by_name(robot: Robot, home, ready) -> None:
    planner = Planner(robot)
    assert planner.plan(home, ready, "totp") == planner.plan(home, ready)
    assert planner.plan(home, ready, "trapezoidal").law == "trapezoidal"
    with pytest.raises(InputError, match='^UnknownName: no time law "warp"') as caught:
        planner.plan(home, ready, "warp")
    assert "trapezoidal" in caught.value.available


# --- goals ---


def test_a_pose_goal_is_reached(robot: Robot, home, ready) -> None:
    target = robot.fk(ready)
    trajectory = Planner(robot).plan(home, Goal.pose(target))
    assert np.allclose(robot.fk(trajectory.sample(trajectory.duration)), target, rtol=0.0, atol=1e-5)


def test_a_named_goal_is_the_named_pose(robot: Robot, home, ready) -> None:
    trajectory = Planner(robot).plan(home, Goal.named("ready"))
    assert np.allclose(trajectory.sample(trajectory.duration), ready, rtol=0.0, atol=GOAL_TOLERANCE)


@pytest.mark.parametrize("frame", ["tool", "base"])
def test_a_relative_goal_moves_the_tool_along_the_axes_of_its_frame(robot: Robot, ready, frame: str) -> None:
    offset = np.array([0.02, 0.05, -0.1])
    begin = robot.fk(ready)
    trajectory = Planner(robot).plan(ready, Goal.relative(offset, frame))
    end = robot.fk(trajectory.sample(trajectory.duration))
    moved = begin[:3, :3] @ offset if frame == "tool" else offset
    assert np.allclose(end[:3, 3], begin[:3, 3] + moved, rtol=0.0, atol=1e-5)
    assert np.allclose(end[:3, :3], begin[:3, :3], rtol=0.0, atol=1e-5)


def test_a_plan_for_a_robot_by_name_is_that_of_a_planner(robot: Robot, home, ready, shelf: Scene) -> None:
    assert kinetic.plan("ur5e", home, ready) == Planner(robot).plan(home, ready)
    assert kinetic.plan(robot, START, TURNED, scene=shelf, rng_seed=5) == Planner(robot, shelf, rng_seed=5).plan(
        START, TURNED
    )
    # A scene around another object of the same robot.
    assert kinetic.plan("ur5e", START, TURNED, scene=shelf) == Planner(robot, shelf).plan(START, TURNED)
    assert isinstance(kinetic.plan("ur5e", home, Goal.named("ready"), time_parameterize=False), Trajectory)


def test_a_start_in_the_length_of_the_robot_says_where_the_other_joints_stand() -> None:
    carriage = Robot.from_urdf(SLIDER, base="carriage", tip="ball")
    scene = Scene(carriage)
    scene.add("a", Shape.sphere(0.1), translation(1.0, 0.0, 0.0))
    planner = Planner(carriage, scene)
    assert planner.plan([0.0], [1.0]).dof == 1
    with pytest.raises(PlanningError, match="^StartInCollision: "):
        planner.plan([1.0, 0.0], [1.0])


# --- what it sees: the scene and the tool of now ---


def test_the_scene_counts_as_it_is_when_plan_is_called(robot: Robot, shelf: Scene) -> None:
    planner = Planner(robot, shelf)
    planner.plan(START, TURNED)
    assert planner.last_stats["scene_version"] == shelf.version
    ball = robot.fk_all(TURNED)["wrist_3_link"][:3, 3]
    shelf.add("late", Shape.sphere(0.1), translation(*ball))
    assert planner.is_in_collision(TURNED)
    with pytest.raises(PlanningError, match="^GoalInCollision: ") as caught:
        planner.plan(START, TURNED)
    assert caught.value.other == "late"
    shelf.remove("late")
    assert not planner.is_in_collision(TURNED)
    assert planner.plan(START, TURNED).is_timed
    assert planner.last_stats["scene_version"] == shelf.version


def test_a_body_attached_later_is_carried_by_the_plan(robot: Robot, shelf: Scene) -> None:
    planner = Planner(robot, shelf)
    assert not planner.is_in_collision(START)
    shelf.attach("stick", Shape.capsule(0.02, 0.8), np.eye(4), "wrist_3_link", touch_links=["wrist_2_link"])
    assert planner.is_in_collision(START)
    with pytest.raises(PlanningError, match="^StartInCollision: .*stick"):
        planner.plan(START, TURNED)


def test_allowed_pairs_are_seen_by_the_planner(robot: Robot, home) -> None:
    scene = Scene(robot)
    scene.add("cap", Shape.sphere(0.15), translation(*robot.fk_all(home)["wrist_3_link"][:3, 3]))
    planner = Planner(robot, scene)
    assert planner.is_in_collision(home)
    for link in robot.link_names:
        scene.allow_collision(link, "cap")
    assert not planner.is_in_collision(home)


def test_a_tool_set_later_counts_for_pose_goals(home) -> None:
    robot = Robot("ur5e")
    planner = Planner(robot, Scene(robot))
    target = planner.fk(robot.named_pose("ready"))
    robot.tcp = translation(0.0, 0.0, 0.1)
    assert np.allclose(planner.fk(home), robot.fk(home), rtol=0.0, atol=1e-12)
    q = planner.plan(home, Goal.pose(target))
    assert np.allclose(robot.fk(q.sample(q.duration)), target, rtol=0.0, atol=1e-5)


def test_a_scene_of_another_robot_is_refused(shelf: Scene) -> None:
    with pytest.raises(InputError, match='"ur5e".*"ur10e"'):
        Planner(Robot("ur10e"), shelf)


def test_a_scene_serves_all_groups_of_its_robot() -> None:
    fetch = Robot("fetch")
    scene = Scene(fetch)
    assert Planner(fetch.with_group("arm"), scene).group == "arm"
    assert Planner(fetch, scene, group="arm").fk(np.zeros(7)).shape == (4, 4)


# --- options ---


def test_defaults_are_those_of_the_specification(robot: Robot) -> None:
    planner = Planner(robot)
    assert (planner.timeout, planner.collision_margin, planner.self_margin) == (5.0, 0.02, 0.0)
    assert (planner.smooth, planner.shortcut_iterations, planner.workspace_bounds) == (True, 100, None)
    assert (planner.planner_type, planner.planner_used, planner.group) == ("auto", "rrt_connect", "arm")
    assert (planner.rng_seed, planner.max_iterations, planner.scene) == (0, None, None)
    assert planner.robot is robot


def test_presets_give_what_is_not_given(robot: Robot) -> None:
    planner = Planner(robot, preset="realtime", timeout=0.5)
    assert (planner.timeout, planner.collision_margin, planner.smooth) == (0.5, 0.01, False)
    assert (planner.shortcut_iterations, planner.max_iterations) == (20, 2000)
    assert Planner(robot, preset="offline").timeout == 60.0
    with pytest.raises(InputError, match='^UnknownName: no preset "fast"'):
        Planner(robot, preset="fast")


def test_an_unknown_planner_is_refused_with_those_that_exist(robot: Robot, home, ready) -> None:
    for ask in (
        lambda: Planner(robot, planner_type="magic"),
        lambda: kinetic.plan(robot, home, ready, planner_type="x"),
    ):
        with pytest.raises(InputError, match='^UnknownName: no planner ".*"rrt_connect"') as caught:
            ask()
        assert "auto" in caught.value.available


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"timeout": 0.0}, "timeout"),
        ({"timeout": -1.0}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"collision_margin": -0.01}, "collision_margin"),
        ({"self_margin": float("inf")}, "self_margin"),
        ({"workspace_bounds": [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]}, "workspace_bounds"),
        ({"workspace_bounds": [[1.0, 0.0], [0.0, 1.0]]}, "workspace_bounds"),
        ({"shortcut_iterations": -1}, "at least 0"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"rng_seed": -1}, "seed"),
        ({"rng_seed": 2**64}, "seed"),
        ({"group": "leg"}, "GroupNotFound"),
    ],
)
def test_options_outside_their_domain_are_refused_by_name(robot: Robot, options: dict, name: str) -> None:
    with pytest.raises(InputError, match=name):
        Planner(robot, **options)


def test_the_margin_decides_what_is_a_collision(robot: Robot, shelf: Scene, home) -> None:
    shelf.add("near", Shape.sphere(0.1), translation(0.0, 0.0, 1.4))
    distance = shelf.min_distance(home)
    assert not Planner(robot, shelf, collision_margin=distance - 1e-3).is_in_collision(home)
    assert Planner(robot, shelf, collision_margin=distance + 1e-3).is_in_collision(home)


def test_smoothing_and_shortcuts_make_the_path_shorter(robot: Robot, shelf: Scene) -> None:
    raw = Planner(robot, shelf, smooth=False, shortcut_iterations=0)
    raw.plan(START, TURNED, False)
    smooth = Planner(robot, shelf)
    smooth.plan(START, TURNED, False)
    assert smooth.last_stats["path_length"] < raw.last_stats["path_length"]
    assert raw.last_stats["path_length"] == pytest.approx(raw.last_stats["raw_length"])


def test_the_tool_stays_in_the_workspace(robot: Robot, home, ready) -> None:
    positions = np.array([robot.fk(home)[:3, 3], robot.fk(ready)[:3, 3]])
    bounds = [positions.min(axis=0) - 0.05, positions.max(axis=0) + 0.05]
    planner = Planner(robot, workspace_bounds=bounds)
    assert np.array_equal(planner.workspace_bounds, bounds)
    trajectory = planner.plan(home, ready)
    for t in np.linspace(0.0, trajectory.duration, 200):
        tool = robot.fk(trajectory.sample(t))[:3, 3]
        assert (tool >= bounds[0]).all()
        assert (tool <= bounds[1]).all()
    assert planner.is_in_collision(START)


def test_figures_of_the_last_plan(robot: Robot, shelf: Scene) -> None:
    planner = Planner(robot, shelf)
    assert planner.last_stats == {}
    path = planner.plan(START, TURNED, time_parameterize=False)
    stats = planner.last_stats
    points = np.array(path.positions())
    assert stats["path_length"] == pytest.approx(np.linalg.norm(np.diff(points, axis=0), axis=1).sum(), rel=1e-12)
    assert stats["planner_used"] == "rrt_connect"
    assert stats["iterations"] > 0
    assert stats["checks"] > stats["tree_size"] > 0
    assert stats["raw_length"] >= stats["path_length"]
    for key in ("planning_time", "simplification_time", "verification_time"):
        assert stats[key] >= 0.0
    shelf.add("late", Shape.sphere(0.1), translation(*robot.fk(START)[:3, 3]))
    with pytest.raises(PlanningError):
        planner.plan(START, TURNED)
    assert planner.last_stats == {}


# --- refusals ---


def test_a_start_in_collision_names_pair_and_distance(robot: Robot, home, ready) -> None:
    scene = Scene(robot)
    scene.add("ball", Shape.sphere(0.1), translation(*robot.fk(home)[:3, 3]))
    with pytest.raises(PlanningError, match='^StartInCollision: ".*" with "ball"') as caught:
        Planner(robot, scene).plan(home, ready)
    error = caught.value
    assert (error.other, error.margin) == ("ball", 0.02)
    assert error.distance < error.margin
    assert error.report.evidence["link"] == error.link in robot.link_names


def test_a_goal_outside_its_limits_names_joint_value_and_range(robot: Robot, home) -> None:
    goal = home.copy()
    goal[2] = 3.3
    with pytest.raises(InputError, match='^JointLimitViolation: joint "elbow_joint"') as caught:
        Planner(robot).plan(home, goal)
    assert (caught.value.name, caught.value.value) == ("elbow_joint", 3.3)
    assert [caught.value.min, caught.value.max] == robot.joint_limits[2].tolist()


def test_a_pose_out_of_reach_is_a_planning_error(robot: Robot, home) -> None:
    with pytest.raises(PlanningError, match="^GoalUnreachable: "):
        Planner(robot).plan(home, Goal.pose(translation(3.0, 0.0, 0.0)))


def test_wrong_sizes_name_the_group_and_both_sizes(robot: Robot, home) -> None:
    for start, goal in ((home[:5], home), (home, home[:5])):
        with pytest.raises(InputError, match='^DimensionMismatch: .* has 5 values, expected 6 .*"arm"') as caught:
            Planner(robot).plan(start, goal)
        assert caught.value.got == 5


def test_nan_is_refused(robot: Robot, home) -> None:
    for start, goal in (([np.nan] * 6, home), (home, [np.inf] * 6)):
        with pytest.raises(InputError, match="^NotFinite: "):
            Planner(robot).plan(start, goal)


def test_unknown_named_goals_are_refused_with_those_that_exist(robot: Robot, home) -> None:
    with pytest.raises(InputError, match='^NamedConfigNotFound: no named pose "lying"') as caught:
        Planner(robot).plan(home, Goal.named("lying"))
    assert "home" in caught.value.available


def boxed_in() -> tuple[Robot, Scene]:
    """The slider's ball between two walls: nothing beyond them can be reached."""
    robot = Robot.from_urdf(SLIDER, tip="ball")
    scene = Scene(robot)
    scene.add("wall", Shape.box(0.01, 3.0, 3.0), translation(0.5, 0.0, 0.0))
    return robot, scene


def test_an_impossible_plan_ends_with_its_iteration_budget_and_its_figures() -> None:
    robot, scene = boxed_in()
    with pytest.raises(PlanningError, match="^PlanningTimeout: no plan after .* 50 iterations") as caught:
        Planner(robot, scene, timeout=600.0, max_iterations=50).plan([0.0, 0.0], [1.0, 0.0])
    assert caught.value.retryable
    assert caught.value.iterations == 50


def test_ik_and_fk_of_a_planner_are_those_of_its_group(robot: Robot, ready) -> None:
    planner = Planner(robot)
    assert np.allclose(planner.fk(ready), robot.fk(ready), rtol=0.0, atol=1e-12)
    assert np.allclose(planner.fk(planner.ik(planner.fk(ready))), robot.fk(ready), rtol=0.0, atol=1e-3)


# --- interruption ---

INTERRUPTED = """
import _thread, os, signal, sys, threading
sys.path.insert(0, sys.argv[1])
# A shell that runs the tests in the background has children ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
from test_planner import boxed_in
from kinetic import Planner

robot, scene = boxed_in()
planner = Planner(robot, scene, timeout=600.0)
main = threading.main_thread().ident

def stop_when_planning():
    # Runs only if the planning thread has released the GIL; sends Ctrl-C once that thread is inside `impossible`.
    while sys._current_frames()[main].f_code.co_name != "impossible":
        pass
    os.kill(os.getpid(), signal.SIGINT)

def impossible():
    return planner.plan([0.0, 0.0], [1.0, 0.0])

helper = threading.Thread(target=stop_when_planning)
helper.start()
try:
    impossible()
except KeyboardInterrupt:
    print("interrupted")
helper.join()
# The planner is as good as new.
print(planner.plan([0.0, 0.0], [0.3, 0.0]).is_timed, planner.last_stats["planner_used"])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of other processes differ there")
def test_ctrl_c_stops_a_running_plan() -> None:
    command = [sys.executable, "-c", INTERRUPTED, str(Path(__file__).parent)]
    # The plan itself would take 600 s: whoever waits that long was not interrupted.
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() == ["interrupted", "True", "rrt_connect"], done.stderr
