"""Problems in the format of robometrics: `Problem.from_robometrics` and `kinetic bench robometrics`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import translation

from kinetic import InputError, Planner, Problem, Robot, Scene, Shape
from kinetic.cli import main

START = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]
GOAL = [0.6, 0.1, 0.0, -2.0, 0.1, 2.1, 0.9]
TURN = [0.9238795325112867, 0.0, 0.0, 0.3826834323650898]
"""A quarter of π about z, real part first."""


@pytest.fixture(scope="module")
def panda() -> Robot:
    return Robot("franka_panda")


def text_of(panda: Robot, **changes: str) -> str:
    """A file of two sets; `changes` replace parts of the text."""
    hand = panda.fk_all(GOAL)["panda_hand"]
    base_from_hand = np.asarray(hand)
    trace = np.trace(base_from_hand[:3, :3])
    w = np.sqrt(1.0 + trace) / 2.0
    skew = base_from_hand[:3, :3] - base_from_hand[:3, :3].T
    quaternion = [w, *(np.array([skew[2, 1], skew[0, 2], skew[1, 0]]) / (4.0 * w))]
    problem = f"""
- collision_buffer_ik: 0
  goal_ik:
  - {GOAL}
  goal_pose:
    frame: panda_hand
    position_xyz: {base_from_hand[:3, 3].tolist()}
    quaternion_wxyz: {[float(value) for value in quaternion]}
  obstacles:
    cuboid:
      table: {{dims: [1.0, 2.0, 0.1], pose: [0.7, 0.0, -0.1, 1.0, 0.0, 0.0, 0.0]}}
      post: {{dims: [0.1, 0.2, 0.6], pose: [0.3, 0.5, 0.3, {", ".join(map(str, TURN))}]}}
    cylinder:
      can: {{height: 0.3, radius: 0.05, pose: [0.6, -0.3, 0.1, 1.0, 0.0, 0.0, 0.0]}}
  start: {START}
  world_frame: panda_link0
"""
    text = f"cans_panda:{problem}{problem.lstrip()}boxes_panda:{problem}"
    for old, new in changes.items():
        assert old.replace("_AT_", ": ") in text
        text = text.replace(old.replace("_AT_", ": "), new)
    return text


def written(folder: Path, text: str) -> Path:
    file = folder / "set.yaml"
    file.write_text(text)
    return file


def test_scenes_and_goals_are_those_of_the_file(panda, tmp_path) -> None:
    sets = Problem.from_robometrics(written(tmp_path, text_of(panda)), Planner(panda, collision_margin=0.0))
    assert {name: len(problems) for name, problems in sets.items()} == {"boxes_panda": 1, "cans_panda": 2}
    problem = sets["cans_panda"][1]
    assert problem.start.tolist() == START
    scene = Scene(panda)
    scene.add("table", Shape.box(1.0, 2.0, 0.1), translation(0.7, 0.0, -0.1))
    turned = translation(0.3, 0.5, 0.3)
    turned[:2, :2] = np.array([[1.0, -1.0], [1.0, 1.0]]) / np.sqrt(2.0)
    scene.add("post", Shape.box(0.1, 0.2, 0.6), turned)
    scene.add("can", Shape.cylinder(0.05, 0.15), translation(0.6, -0.3, 0.1))
    opening = panda.with_group("hand").named_pose("open")[0]
    q = np.array([panda.random_configuration(rng_seed=seed) for seed in range(400)])
    free = problem.scene.are_free(q)
    assert 20 < free.sum() < 380
    assert np.array_equal(free, scene.are_free(np.column_stack([q, np.full(400, opening)])))
    motion = problem.planner(timeout=20.0).plan(problem.start, problem.goal)
    end = motion.positions()[-1]
    np.testing.assert_allclose(panda.fk_all(end)["panda_hand"], panda.fk_all(GOAL)["panda_hand"], atol=1e-6)


def test_the_command_has_a_line_per_set_and_one_for_all(panda, tmp_path, capsys) -> None:
    file = written(tmp_path, text_of(panda))
    assert main(["bench", "robometrics", str(file), "--timeout", "20", "--json"]) == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert [entry["set"] for entry in report["sets"]] == ["boxes_panda", "cans_panda", "all"]
    assert [entry["solved"] for entry in report["sets"]] == [1, 2, 3]
    durations = [run["duration"] for run in report["runs"]]
    assert report["sets"][-1]["motion_s"] == pytest.approx(np.mean(durations))
    # One problem, one seed: one motion, in whatever set it stands.
    assert len(set(durations)) == 1
    assert main(["bench", "robometrics", str(file), "--device", "cpu", "--timeout", "20"]) == 0
    assert "3 of 3" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("frame_AT_panda_hand", "frame: no_link", "no_link"),
        ("world_frame_AT_panda_link0", "world_frame: panda_link3", "world_frame"),
        ("cylinder:", "torus:", "torus"),
        ("radius_AT_0.05", "radius: -1", ":14: .*radius"),
        ("radius_AT_0.05", "radius: nan", "radius"),
        ("height_AT_0.3, ", "", "height"),
        ("  start:", "  begin:", "start"),
        ("start_AT_[0.0, ", "start: [", "6 values"),
        ("dims_AT_[1.0, 2.0, 0.1]", "dims: [1.0]", "dims"),
        ("cans_panda:", "cans_panda: [", "YAML"),
        ("quaternion_wxyz_AT_[", "quaternion_wxyz: [0.5, ", "5 values"),
        (", 1.0, 0.0, 0.0, 0.0]", ", 0.0, 0.0, 0.0, 0.0]", ":11: .*quaternion"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(panda, tmp_path, old: str, new: str, part: str) -> None:
    file = written(tmp_path, text_of(panda, **{old: new}))
    with pytest.raises(InputError, match=part) as caught:
        Problem.from_robometrics(file, Planner(panda))
    assert caught.value.code in {"FileParse", "LinkNotFound", "InvalidValue"}


def test_robots_that_begin_elsewhere_are_refused(panda, tmp_path) -> None:
    with pytest.raises(InputError, match="world_frame"):
        Problem.from_robometrics(written(tmp_path, text_of(panda)), Planner("ur5e"))
    with pytest.raises(FileNotFoundError):
        Problem.from_robometrics(tmp_path / "nothing.yaml", Planner(panda))


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--device", "cpu", "--planner", "prm"], "trajopt"),
        (["--device", "no device"], "no device"),
        (["--timeout", "nan"], "timeout"),
        (["--seed", "-1"], "seed"),
        (["--margin", "nan"], "collision_margin"),
    ],
)
def test_options_that_cannot_be_used_are_one_line(panda, tmp_path, capsys, words: list[str], part: str) -> None:
    assert main(["bench", "robometrics", str(written(tmp_path, text_of(panda))), *words]) == 2
    message = capsys.readouterr().err.strip()
    assert part in message and len(message.splitlines()) == 1


def test_a_file_without_problems_is_said_to_have_none(tmp_path, capsys) -> None:
    assert main(["bench", "robometrics", str(written(tmp_path, "a_panda: []\n"))]) == 2
    assert "no problems" in capsys.readouterr().err
