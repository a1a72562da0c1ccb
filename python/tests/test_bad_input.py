"""Groups without joints, limits that are no numbers, empty budgets, and scenes that change while a plan runs."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from oracles import translation

import kinetic
from kinetic import Goal, InputError, KineticError, Planner, PlanningError, Robot, Scene, Shape, StopFlag

START = [0.6, -1.2, 1.4, -1.7, -1.57, 0.0]
TURNED = [2.5, -1.2, 1.4, -1.7, -1.57, 0.0]

# One joint between two links, and a link that is fixed to the second.
HINGE = """<robot name='hinge'><link name='base'/><link name='arm'/><link name='hand'/>
<joint name='j' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/>
<limit lower='{lower}' upper='{upper}' velocity='1' effort='1'/></joint>
<joint name='f' type='fixed'><parent link='arm'/><child link='hand'/></joint></robot>"""


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot("ur5e")


@pytest.fixture
def wall(robot: Robot) -> Scene:
    scene = Scene(robot)
    scene.add("wall", Shape.box(0.04, 0.8, 1.0), translation(0.0, 0.7, 0.5))
    return scene


@pytest.mark.parametrize(
    ("entry", "wanted"),
    [
        ("joints = []", "list of joints is empty"),
        ("chain = ['arm', 'hand']", "no joint moves between them"),
        ("chain = ['base', 'base']", "no joint moves between them"),
    ],
)
def test_groups_without_joints_are_refused_with_file_and_line(tmp_path: Path, entry: str, wanted: str) -> None:
    (tmp_path / "robot.urdf").write_text(HINGE.format(lower=-1, upper=1))
    text = f"[robot]\nname = 'hinge'\nurdf = 'robot.urdf'\n[planning_group.none]\n{entry}\n"
    (tmp_path / "kinetic.toml").write_text(text)
    with pytest.raises(KineticError, match=wanted) as caught:
        Robot.from_path(tmp_path)
    assert "kinetic.toml" in str(caught.value) and "none" in str(caught.value)
    assert caught.value.line == 5


@pytest.mark.parametrize(("lower", "upper"), [("nan", "1"), ("-1", "nan"), ("inf", "inf"), ("one", "1")])
def test_limits_that_are_no_numbers_are_refused(lower: str, upper: str) -> None:
    with pytest.raises(KineticError, match="UrdfParse") as caught:
        Robot.from_urdf(HINGE.format(lower=lower, upper=upper))
    assert caught.value.line == 3


@pytest.mark.parametrize("corner", [(0, 0), (0, 2), (1, 1)])
def test_workspace_bounds_with_nan_are_refused(robot: Robot, corner: tuple[int, int]) -> None:
    bounds = np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])
    bounds[corner] = math.nan
    with pytest.raises(InputError):
        Planner(robot, workspace_bounds=bounds)


def test_regions_with_nan_are_refused(robot: Robot) -> None:
    for box, turns in [([math.nan, 0.1, 0.1], [0.0] * 3), ([0.1] * 3, [0.0, math.nan, 0.0])]:
        with pytest.raises(InputError):
            Goal.region(robot.fk(START), box, turns)


def test_budgets_of_nothing_are_refused_and_a_stop_before_the_plan_cancels(robot: Robot, wall: Scene) -> None:
    with pytest.raises(InputError, match="timeout"):
        kinetic.plan(robot, START, TURNED, timeout=0.0)
    with pytest.raises(InputError, match="max_iterations"):
        Planner(robot, max_iterations=0)
    stop = StopFlag()
    stop.stop()
    for planner_type in ("rrt_connect", "aorrtc"):
        with pytest.raises(PlanningError, match="^Cancelled"):
            Planner(robot, wall, planner_type=planner_type).plan(START, TURNED, stop=stop)
    # Nothing to shorten with is no error: corners are still cut.
    assert Planner(robot, wall, shortcut_iterations=0).plan(START, TURNED).is_timed


def test_the_smallest_budget_gives_an_answer_or_says_that_it_is_used_up(robot: Robot, wall: Scene) -> None:
    for planner_type in ("rrt_connect", "aorrtc"):
        with pytest.raises(PlanningError, match="^PlanningTimeout") as caught:
            Planner(robot, wall, planner_type=planner_type, max_iterations=1).plan(START, TURNED)
        assert caught.value.retryable
        # The straight line takes no iteration.
        assert Planner(robot, planner_type=planner_type, max_iterations=1).plan(START, TURNED).is_timed


def test_a_goal_at_the_start_is_a_motion_of_no_length(robot: Robot, wall: Scene) -> None:
    pose = Goal.pose(robot.fk(START))
    for goal in (START, Goal.any([START, START]), Goal.any([TURNED, pose, START])):
        motion = Planner(robot, wall).plan(START, goal)
        assert np.allclose(motion.sample(motion.duration), START, rtol=0.0, atol=1e-9)
    for planner_type in ("rrt_connect", "aorrtc"):
        path = Planner(robot, wall, planner_type=planner_type, max_iterations=100).plan(START, START, False)
        assert np.array_equal(path.positions(), [START, START])


def test_sets_of_all_kinds_of_goals_are_met_by_one_and_name_what_is_wrong(robot: Robot, wall: Scene) -> None:
    out_of_reach = np.eye(4)
    out_of_reach[:3, 3] = [9.0, 0.0, 0.0]
    kinds = [Goal.pose(out_of_reach), Goal.named("ready"), TURNED, Goal.region(robot.fk(TURNED), [0.1] * 3, [0.1] * 3)]
    planner = Planner(robot, wall)
    planner.plan(START, Goal.any(kinds))
    assert planner.last_stats["goal_index"] in (1, 2, 3)
    with pytest.raises(InputError, match="goal"):
        planner.plan(START, Goal.any([TURNED, [0.0] * 5]))
    with pytest.raises(InputError, match="goal"):
        planner.plan(START, Goal.any([]))


def test_a_scene_that_is_edited_while_a_plan_runs_counts_as_it_was(robot: Robot, wall: Scene) -> None:
    planner = Planner(robot, wall, planner_type="aorrtc", max_iterations=4000, timeout=600.0, rng_seed=1)
    alone = planner.plan(START, TURNED, False)
    edits: list[str] = []

    def edit(_: kinetic.Trajectory) -> None:
        edits.append(f"block{len(edits)}")
        wall.add(edits[-1], Shape.sphere(0.5), translation(0.4, 0.4, 0.4))

    edited = planner.plan(START, TURNED, False, on_improvement=edit)
    assert len(edits) > 1, "nothing was edited while the plan ran"
    assert edited == alone
    # The next plan sees the blocks.
    with pytest.raises(PlanningError, match="^StartInCollision"):
        planner.plan(START, TURNED)
