"""Planners written in Python: what they are asked, what becomes of their paths, and how they fail."""

from __future__ import annotations

import itertools
import pickle
import subprocess
import sys

import numpy as np
import pytest

import kinetic
from kinetic import Goal, InputError, Planner, PlanningError, Problem, Robot, Scene, Shape

HOME = [0.0, -1.57, 0.0, -1.57, 0.0, 0.0]
FAR = [1.4, -1.2, 0.6, -1.3, 0.3, 0.2]
# The pillar of the scene stands between them.
LEFT = [1.2, -1.0, 1.0, -1.57, 0.0, 0.0]
RIGHT = [-0.2, -1.0, 1.0, -1.57, 0.0, 0.0]
NAMES = (f"own_{number}" for number in itertools.count())


def registered(planner: type, **options) -> str:
    name = next(NAMES)
    kinetic.register_planner(name, planner, **options)
    return name


@pytest.fixture
def scene():
    scene = Scene(Robot("ur5e"))
    scene.add("pillar", Shape.box(0.1, 0.1, 1.0), kinetic.Pose.from_xyz(0.45, 0.25, 0.5))
    return scene


class Rrt:
    """The plain RRT of LaValle (1998) with a goal bias: rejects by discrete checks, proves what it keeps."""

    def plan(self, start, goals, validity):
        rng = np.random.default_rng(validity.seed)
        nodes, parents = [np.array(start)], [-1]
        for _ in range(4000):
            target = goals[0] if rng.random() < 0.2 else rng.uniform(validity.lower, validity.upper)
            near = int(np.argmin([np.linalg.norm(node - target) for node in nodes]))
            step = target - nodes[near]
            new = nodes[near] + step * min(1.0, 0.5 / max(np.linalg.norm(step), 1e-12))
            if validity.motion_may_be_valid(nodes[near], new) and validity.is_motion_valid(nodes[near], new):
                nodes.append(new)
                parents.append(near)
                if validity.is_motion_valid(new, goals[0]):
                    path, at = [np.array(goals[0])], len(nodes) - 1
                    while at >= 0:
                        path.append(nodes[at])
                        at = parents[at]
                    return path[::-1]
        return None


class Straight:
    def plan(self, start, goals, validity):
        return [start, goals[0]]


def test_a_planner_of_python_plans_and_its_motion_is_certified(scene):
    planner = Planner("ur5e", scene, planner_type=registered(Rrt), timeout=60.0)
    trajectory = planner.plan(LEFT, Goal.joints(RIGHT))
    assert trajectory.certificate.max_velocity_ratio <= 1.0
    assert trajectory.num_waypoints > 2
    for time in np.linspace(0.0, trajectory.duration, 200):
        assert not planner.is_in_collision(trajectory.sample(time))
    np.testing.assert_allclose(trajectory.positions()[0], LEFT, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(trajectory.positions()[-1], RIGHT, rtol=0.0, atol=1e-12)
    assert planner.planner_used == planner.planner_type
    assert planner.last_stats["planner_used"] == planner.planner_type
    again = planner.plan(LEFT, Goal.joints(RIGHT))
    assert again.to_json() == trajectory.to_json()


def test_what_a_validity_says_is_what_the_planner_says(scene):
    seen = {}

    class Asks:
        def plan(self, start, goals, validity):
            rng = np.random.default_rng(5)
            configurations = rng.uniform(validity.lower, validity.upper, (200, validity.dof))
            seen["batch"] = validity.are_valid(configurations)
            seen["single"] = [validity.is_valid(q) for q in configurations]
            seen["configurations"] = configurations
            seen["empty"] = validity.are_valid(np.empty((0, validity.dof)))
            seen["checks"] = validity.checks
            seen["distance"] = validity.distance(start, goals[0])
            seen["seed"] = validity.seed
            seen["validity"] = validity
            return [start, goals[0]]

    planner = Planner("ur5e", scene, planner_type=registered(Asks), rng_seed=11)
    planner.plan(HOME, Goal.joints([0.1, -1.57, 0.0, -1.57, 0.0, 0.0]))
    expected = [not planner.is_in_collision(q) for q in seen["configurations"]]
    assert seen["batch"].tolist() == seen["single"] == expected
    assert any(expected) and not all(expected)
    assert seen["empty"].shape == (0,) and seen["checks"] >= 200 and seen["seed"] == 11
    assert seen["distance"] == pytest.approx(0.1)
    with pytest.raises(RuntimeError, match="ended"):
        seen["validity"].is_valid(HOME)


def test_continuous_joints_are_unwrapped():
    seen = {}

    class Turns:
        def plan(self, start, goals, validity):
            seen["limits"] = (validity.lower, validity.upper)
            seen["near"] = validity.unwrap(start, goals[0])
            return [start, seen["near"]]

    robot = Robot("fetch")
    start = np.array(robot.named_pose("home"))
    last = robot.dof - 1
    goal = start.copy()
    start[last], goal[last] = 3.0, -3.0
    planner = Planner(robot, planner_type=registered(Turns), self_margin=0.0)
    path = planner.plan(start, Goal.joints(goal), time_parameterize=False)
    assert np.isinf(seen["limits"][0][last]) and np.isinf(seen["limits"][1][last])
    assert seen["near"][last] == pytest.approx(2 * np.pi - 3.0)
    assert path.positions()[-1][last] == pytest.approx(2 * np.pi - 3.0)


def test_a_path_that_touches_something_is_refused(scene):
    planner = Planner("ur5e", scene, planner_type=registered(Straight))
    with pytest.raises(PlanningError) as refused:
        planner.plan(LEFT, Goal.joints(RIGHT))
    assert refused.value.code == "PlannerOutputInvalid" and refused.value.reason_code == "EdgeRefused"


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        (lambda start, goal: [start + 1e-3, goal], "PlannerOutputInvalid"),
        (lambda start, goal: [start, goal + 1e-3], "PlannerOutputInvalid"),
        (lambda start, goal: [start], "InvalidValue"),
        (lambda start, goal: [], "InvalidValue"),
        (lambda start, goal: [start[:-1], goal[:-1]], "InvalidValue"),
        (lambda start, goal: [start, goal * np.nan], "NotFinite"),
        (lambda start, goal: "a path", "InvalidValue"),
        (lambda start, goal: None, "PlanningFailed"),
    ],
)
def test_what_is_no_path_is_refused(rows, code):
    class Wrong:
        def plan(self, start, goals, validity):
            return rows(start, goals[0])

    planner = Planner("ur5e", planner_type=registered(Wrong))
    with pytest.raises(kinetic.KineticError) as refused:
        planner.plan(HOME, Goal.joints([0.1, -1.57, 0.0, -1.57, 0.0, 0.0]))
    assert refused.value.code == code


def test_what_a_planner_raises_reaches_the_caller():
    class Raises:
        def plan(self, start, goals, validity):
            raise ZeroDivisionError("of the planner")

    planner = Planner("ur5e", planner_type=registered(Raises))
    with pytest.raises(ZeroDivisionError, match="of the planner"):
        planner.plan(HOME, Goal.joints(FAR))
    (outcome,) = planner.plan_batch([HOME], [Goal.joints(FAR)])
    assert outcome.code == "PlanningFailed" and outcome.reason_code == "PlannerRaised"
    assert "of the planner" in str(outcome)


def test_bad_queries_are_typed_errors_in_the_planner():
    caught = []

    class Asks:
        def plan(self, start, goals, validity):
            for query in (
                lambda: validity.is_valid(start[:-1]),
                lambda: validity.is_valid(start * np.nan),
                lambda: validity.is_motion_valid(start, goals),
                lambda: validity.are_valid(goals[:, :-1]),
                lambda: validity.distance(start, [0.0]),
            ):
                try:
                    query()
                except InputError as error:
                    caught.append(error.code)
            return [start, goals[0]]

    Planner("ur5e", planner_type=registered(Asks)).plan(HOME, Goal.joints([0.1, -1.57, 0.0, -1.57, 0.0, 0.0]))
    assert caught == ["DimensionMismatch", "NotFinite", "DimensionMismatch", "DimensionMismatch", "DimensionMismatch"]


def test_the_end_of_the_budget_ends_a_planner_that_goes_on():
    class Endless:
        def plan(self, start, goals, validity):
            while True:
                validity.is_valid(start)

    planner = Planner("ur5e", planner_type=registered(Endless), max_iterations=100)
    with pytest.raises(PlanningError) as ended:
        planner.plan(HOME, Goal.joints(FAR))
    assert ended.value.code == "PlanningTimeout" and ended.value.iterations == 100
    stop = kinetic.StopFlag()

    class Stops:
        def plan(self, start, goals, validity):
            stop.stop()
            while True:
                validity.are_valid([start] * 1000)

    with pytest.raises(PlanningError) as ended:
        Planner("ur5e", planner_type=registered(Stops)).plan(HOME, Goal.joints(FAR), stop=stop)
    assert ended.value.code == "Cancelled"


def test_names_are_refused_or_replaced():
    for name, match in (("rrt_connect", "taken"), ("auto", "taken"), ("My Planner", "lower-case"), ("", "lower-case")):
        with pytest.raises(InputError, match=match):
            kinetic.register_planner(name, Straight)
    name = registered(Straight)
    with pytest.raises(InputError, match="taken"):
        kinetic.register_planner(name, Rrt)
    with pytest.raises(InputError, match="taken"):
        kinetic.register_planner("rrt_connect", Rrt, replace=True)
    kinetic.register_planner(name, Rrt, replace=True)
    with pytest.raises(InputError, match="may_be_simplified"):
        kinetic.register_planner(name, Straight, replace=True, may_be_simplified=False)
    with pytest.raises(TypeError, match="no method plan"):
        kinetic.register_planner("own_without_plan", int)
    with pytest.raises(TypeError):
        kinetic.register_planner("own_object", Straight())  # type: ignore[arg-type]
    with pytest.raises(InputError, match=name):
        Planner("ur5e", planner_type="unknown_planner")


def test_waypoints_with_a_meaning_stay():
    class Detour:
        def plan(self, start, goals, validity):
            return [start, start + 0.2, goals[0]]

    goal = Goal.joints(np.array(HOME) + [0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
    plan = lambda **options: Planner("ur5e", planner_type=registered(Detour, **options)).plan(  # noqa: E731
        HOME, goal, time_parameterize=False
    )
    kept = plan(may_be_simplified=False)
    assert kept.num_waypoints == 3
    np.testing.assert_array_equal(kept.positions()[1], np.array(HOME) + 0.2)
    assert plan().num_waypoints == 2


def test_problem_files_and_pickles_name_the_planner(scene, tmp_path):
    name = registered(Rrt)
    planner = Planner("ur5e", scene, planner_type=name, timeout=60.0, max_iterations=100_000)
    problem = planner.problem(LEFT, Goal.joints(RIGHT))
    problem.save(tmp_path / "problem.toml")
    assert Problem.load(tmp_path / "problem.toml").solve().to_json() == planner.plan(LEFT, Goal.joints(RIGHT)).to_json()
    assert pickle.loads(pickle.dumps(planner)).planner_type == name
    code = f"import kinetic; kinetic.Problem.load({str(tmp_path / 'problem.toml')!r})"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert other.returncode != 0 and name in other.stderr and "rrt_connect" in other.stderr
