"""Profiles: named options of planning in a robot's kinetic.toml."""

import json
import pickle
import shutil

import pytest
from oracles import FOLDERS

from kinetic import InputError, KineticError, MoveGroup, Planner, Robot
from kinetic.cli import main

PROFILES = """
[profiles.fast]
timeout = 0.5
max_iterations = 3000
collision_margin = 0.004
smooth = false
seed = 7
velocity_scaling = 0.5

[profiles.careful]
collision_margin = 0.05
fallback = ["aorrtc"]
race = "first"
prefer = "clearance"
minimise = "time"
constraints = []
"""


@pytest.fixture
def folder(tmp_path):
    """The folder of a ur5e with profiles."""
    target = tmp_path / "ur5e"
    shutil.copytree(FOLDERS["ur5e"], target)
    with (target / "kinetic.toml").open("a", encoding="utf-8") as file:
        file.write(PROFILES)
    return target


def test_a_profile_holds_where_nothing_else_is_stated(folder) -> None:
    robot = Robot.from_path(folder)
    fast = Planner(robot, profile="fast")
    assert (fast.timeout, fast.max_iterations, fast.collision_margin, fast.smooth, fast.rng_seed) == (
        *(0.5, 3000, 0.004),
        *(False, 7),
    )
    assert fast.velocity_scaling == 0.5
    assert fast.plan("home", "ready").certificate.margin == 0.004
    stated = Planner(robot, profile="fast", preset="realtime", collision_margin=0.03)
    assert (stated.collision_margin, stated.timeout, stated.shortcut_iterations) == (0.03, 0.5, 20)
    careful = Planner(robot, profile="careful")
    assert (careful.race, careful.fallback, careful.prefer, careful.minimise) == (
        *("first", ["aorrtc"]),
        *("clearance", "time"),
    )
    assert Planner(robot).timeout == 5.0


def test_an_unknown_profile_is_refused_with_those_that_exist(folder) -> None:
    with pytest.raises(InputError) as caught:
        Planner(Robot.from_path(folder), profile="slow")
    assert (caught.value.code, caught.value.available) == ("UnknownName", ["careful", "fast"])
    with pytest.raises(InputError) as caught:
        Planner("ur5e", profile="fast")
    assert caught.value.available == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[profiles.odd]\ntimeuot = 1.0\n", "collision_margin"),
        ('[profiles.odd]\ntimeout = "long"\n', "positive number of seconds"),
        ("[profiles.odd]\ntimeout = -1.0\n", "positive number of seconds"),
        ("[profiles.odd]\nrace = true\n", "fallback"),
        ('[profiles.odd]\nprefer = "nearest"\n', "clearance"),
    ],
)
def test_what_is_wrong_in_a_profile_is_said_with_its_line(folder, text, said) -> None:
    file = folder / "kinetic.toml"
    lines = file.read_text().count("\n")
    file.write_text(file.read_text() + text)
    with pytest.raises(KineticError, match=said) as caught:
        Robot.from_path(folder)
    assert caught.value.code == "FileParse"
    assert lines < caught.value.line <= lines + 3
    assert "odd" in str(caught.value)


def test_the_command_line_and_move_group_take_a_profile(folder, capsys) -> None:
    command = ["plan", str(folder), "--start", "home", "--goal", "ready", "--json"]
    assert main([*command, "--profile", "fast"]) == 0
    assert json.loads(capsys.readouterr().out)["certificate"]["margin"] == 0.004
    assert main([*command, "--profile", "slow"]) != 0
    assert '"careful", "fast"' in capsys.readouterr().err
    arm = MoveGroup(Robot.from_path(folder))
    arm.set_param("profile", "fast")
    assert (arm.get_param("profile"), arm.planner.rng_seed) == ("fast", 7)


def test_a_profile_survives_pickling_of_its_planner(folder) -> None:
    planner = Planner(Robot.from_path(folder), profile="fast")
    assert pickle.loads(pickle.dumps(planner)).rng_seed == 7
