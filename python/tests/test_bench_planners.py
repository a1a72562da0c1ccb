"""`kinetic bench planners`: planners on saved problems beside each other."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from oracles import translation

from kinetic import Goal, Planner, Problem, Robot, Scene, Shape, planner_types
from kinetic.cli import main

START = [-0.6, -1.3, 1.5, -1.8, -1.57, 0.0]
GOAL = [0.6, -1.3, 1.5, -1.8, -1.57, 0.0]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A problem around a post, and one without an answer."""
    folder = tmp_path_factory.mktemp("problems")
    robot = Robot("ur5e")
    scene = Scene(robot)
    scene.add("post", Shape.box(0.06, 0.06, 1.0), translation(0.5, 0.1, 0.5))
    Planner(robot, scene, rng_seed=3).problem(START, Goal.joints(GOAL)).save(folder / "post.toml")
    scene.add("at the goal", Shape.sphere(0.05), robot.fk(GOAL))
    Planner(robot, scene).problem(START, Goal.joints(GOAL)).save(folder / "blocked.toml")
    return [str(folder / name) for name in ("post.toml", "blocked.toml")]


def report_of(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["bench", "planners", *words, "--json"]) == 0
    return dict(json.loads(capsys.readouterr().out))


def test_every_call_is_what_the_planner_itself_finds(files, capsys) -> None:
    report = report_of(capsys, files[0], "--planners", "rrt_connect", "est", "--seeds", "3", "--timeout", "20")
    assert [(run["planner"], run["seed"]) for run in report["runs"]] == [
        (name, seed) for name in ("rrt_connect", "est") for seed in (1, 2, 3)
    ]
    problem = Problem.load(files[0])
    for run in report["runs"]:
        planner = Planner(
            problem.robot, problem.scene, planner_type=run["planner"], rng_seed=run["seed"], max_iterations=10**6
        )
        motion = planner.plan(START, GOAL)
        assert run["failure"] is None
        assert run["duration"] == pytest.approx(motion.duration, abs=1e-9)
        assert run["length"] == pytest.approx(planner.last_stats["path_length"], abs=1e-12)


def test_figures_are_those_of_the_calls(files, capsys) -> None:
    report = report_of(capsys, *files, "--planners", "rrt_connect", "prm", "--seeds", "2", "--timeout", "20")
    runs = report["runs"]
    least = min(run["duration"] for run in runs if run["duration"] is not None)
    for summary in report["planners"]:
        mine = [run for run in runs if run["planner"] == summary["planner"]]
        solved = [run for run in mine if run["failure"] is None]
        assert (summary["calls"], summary["solved"]) == (4, 2)
        assert summary["failures"] == {"GoalInCollision": 2}
        assert {run["problem"] for run in solved} == {0}
        assert summary["median"] == pytest.approx(np.median([run["seconds"] for run in solved]))
        assert summary["duration_ratio"] == pytest.approx(np.median([run["duration"] / least for run in solved]))
        assert summary["duration_ratio"] >= 1.0


def printed(*words: str) -> list[str]:
    """Lines of another process, in which no test has registered planners."""
    done = subprocess.run([sys.executable, *words], check=True, capture_output=True, text=True, encoding="utf-8")
    return done.stdout.splitlines()


def test_without_names_all_planners_of_the_registry_have_a_line(files) -> None:
    lines = printed("-m", "kinetic", "bench", "planners", files[0], "--seeds", "1", "--timeout", "0.2")
    first = [line.split()[0] for line in lines if line.strip()]
    auto, *names = printed("-c", "import kinetic; print(*kinetic.planner_types(), sep='\\n')")
    assert auto == "auto"
    assert set(names) <= set(planner_types())
    assert [name for name in first if name in names] == names
    # It asks for regions, and says so.
    assert "InvalidValue 1" in next(line for line in lines if line.startswith("gcs"))


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--planners", "rrt"], "rrt_connect"),
        (["--seeds", "0"], "--seeds"),
        (["--timeout", "nan"], "timeout"),
        (["--timeout", "-1"], "timeout"),
        (["nowhere.toml"], "nowhere.toml"),
    ],
)
def test_bad_input_is_one_line(files, capsys, words: list[str], part: str) -> None:
    assert main(["bench", "planners", files[0], *words]) == 2
    message = capsys.readouterr().err.strip()
    assert part in message and len(message.splitlines()) == 1


def test_the_planner_of_a_problem_has_its_options() -> None:
    robot = Robot("ur5e")
    given = Planner(robot, collision_margin=0.02, self_margin=0.003, planner_type="est", rng_seed=9)
    planner = given.problem(START, GOAL).planner()
    assert planner.planner_type == "est"
    assert (planner.collision_margin, planner.self_margin, planner.rng_seed) == (0.02, 0.003, 9)
    assert planner.plan(START, GOAL).hash == given.problem(START, GOAL).solve().hash
    other = given.problem(START, GOAL).planner("rrt_connect", rng_seed=2, timeout=3.0)
    assert (other.planner_type, other.rng_seed, other.timeout) == ("rrt_connect", 2, 3.0)
