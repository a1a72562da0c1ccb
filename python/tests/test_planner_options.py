"""The options of planning: what the table of the core says, signatures, docstrings, flags, files and pages have."""

import inspect
import pickle
import re
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetic
from kinetic import Planner, Problem
from kinetic._kinetic import _planner_options
from kinetic.cli import build_parser, join_negative_values
from kinetic.cli.planner_options import help_text, planner_options, shown

OPTIONS = _planner_options()
PAGE = Path(__file__).parents[2] / "docs-site" / "where-it-is-decided.md"
NAMES = [option["name"] for option in OPTIONS]
EVERY_OPTION = pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option["name"])

# Per kind a value that is the default of no option, and the words of the command line that stand for it.
OTHERS: dict[str, tuple[Any, str]] = {
    "count": (7, "7"),
    "number": (0.005, "0.005"),
    # A preference and a quantity to minimise.
    "name": ("time", "time"),
    "flag_or_name": ("first", "first"),
    "per_joint": ([0.5, 0.25, 0.5, 0.5, 0.5, 0.5], "0.5,0.25,0.5,0.5,0.5,0.5"),
    "payload": (kinetic.Payload(2.5, [0.0, 0.1, 0.2]), "2.5,0,0.1,0.2"),
    "names": (["cbirrt", "aorrtc"], "cbirrt,aorrtc"),
    "vector": ([0.0, -9.81, 0.5], "0,-9.81,0.5"),
    "constraints": (
        [kinetic.Constraint.joint(0, -1.0, 1.0)],
        '{"kind": "joint", "joint_index": 0, "min": -1.0, "max": 1.0}',
    ),
    "corners": ([[-2.0, -2.0, -2.0], [2.0, 2.0, 3.0]], "-2,-2,-2,2,2,3"),
}


# Names of an option that has others than the rest.
NAMES_OF = {"projection": "joints", "state_cost": "manipulability", "refine": "trajopt"}


def other(option: dict[str, Any]) -> tuple[Any, list[str]]:
    """A value that is not the default, and what stands for it on the command line."""
    if option["kind"] == "flag":
        flag = option["flag"]
        return not option["default"], [flag.replace("--", "--no-", 1) if option["default"] else flag]
    value, word = OTHERS[option["kind"]]
    if option["name"] in NAMES_OF:
        value = word = NAMES_OF[option["name"]]
    assert value != option["default"]
    return value, [option["flag"], word]


def stated(option: dict[str, Any]) -> dict[str, Any]:
    """Keywords of a planner that state an option, with what it needs beside it."""
    value, _ = other(option)
    beside = {"fallback": ["aorrtc"]} if option["name"] == "race" else {}
    return {option["keyword"]: value, **beside}


def arguments_of(documented: Any) -> dict[str, str]:
    """The text of each argument of a docstring, in one line."""
    section = inspect.getdoc(documented).partition("Args:\n")[2]
    section = textwrap.dedent(re.split(r"\n(?=\S)", section)[0])
    entries = re.split(r"^(?=\w)", section, flags=re.MULTILINE)
    pairs = (entry.partition(":") for entry in entries if entry.strip())
    return {name: " ".join(text.split()) for name, _, text in pairs}


def table() -> list[str]:
    """The rows of the table on the page."""
    rows = []
    for option in OPTIONS:
        name = f"`{option['name']}`"
        if option["keyword"] != option["name"]:
            name += f", in Python `{option['keyword']}`"
        default = "" if option["default"] is None else shown(option["default"])
        rows.append(f"| {name} | `{option['flag']}` | {default} | {option['wanted']} | {option['doc']} |")
    return rows


@EVERY_OPTION
def test_an_option_is_a_keyword_of_the_planner(option) -> None:
    assert inspect.signature(Planner).parameters[option["keyword"]].default is None


@pytest.mark.parametrize("call", [kinetic.plan, Planner.plan, Planner.plan_batch, Planner.problem])
def test_options_of_calls_are_keywords_of_every_call(call) -> None:
    keywords = {option["keyword"] for option in OPTIONS if option["of_calls"]}
    parameters = inspect.signature(call).parameters
    assert {"velocity_scaling", "jerk_limits"} <= keywords <= parameters.keys()
    assert {(parameters[name].kind, parameters[name].default) for name in keywords} == {
        (inspect.Parameter.KEYWORD_ONLY, None)
    }
    assert keywords <= arguments_of(call).keys()


@EVERY_OPTION
def test_an_option_is_a_property_and_survives_pickling(option) -> None:
    value, _ = other(option)
    planner = Planner("ur5e", **stated(option))
    for one in (planner, pickle.loads(pickle.dumps(planner))):
        np.testing.assert_array_equal(getattr(one, option["keyword"]), value)


@EVERY_OPTION
def test_a_planner_has_the_default_of_the_table(option) -> None:
    default = getattr(Planner("ur5e"), option["keyword"])
    if option["name"] == "joint_weights":  # the property has the robot's where none are stated
        default = None if (default == 1.0).all() else default
    assert default == option["default"]


@EVERY_OPTION
def test_the_docstring_has_text_and_default_of_the_table(option) -> None:
    text = arguments_of(Planner)[option["keyword"]]
    assert text.startswith(option["doc"].removesuffix("."))
    default = re.search(r"\(default (.*)\)", text)
    assert (default and default[1]) == (None if option["default"] is None else shown(option["default"]))


@EVERY_OPTION
def test_a_flag_gives_the_keyword_its_value(option) -> None:
    value, words = other(option)
    command = join_negative_values(["plan", "ur5e", "--start", "home", "--goal", "ready", *words])
    given = planner_options(build_parser().parse_args(command))
    assert given == {option["keyword"]: value}
    assert option["doc"][1:].removesuffix(".") in help_text(option)


# What is found in a second depends on the machine.
@pytest.mark.parametrize(
    "option", [option for option in OPTIONS if option["name"] != "timeout"], ids=lambda o: o["name"]
)
def test_problem_files_hold_an_option_under_its_name(option, tmp_path) -> None:
    planner = Planner("ur5e", **stated(option))
    planner.problem("home", "ready").save(tmp_path / "stated.toml")
    Planner("ur5e").problem("home", "ready").save(tmp_path / "plain.toml")
    stated_lines, plain = ((tmp_path / name).read_text().splitlines() for name in ("stated.toml", "plain.toml"))
    lines = [line for line in stated_lines if line not in plain and not line.startswith("problem = ")]
    assert [line.split(" = ")[0] for line in lines] == [
        name for name in NAMES if name in stated(option).keys() | {option["name"]}
    ]
    assert Problem.load(tmp_path / "stated.toml").hash == planner.problem("home", "ready").hash


def test_the_page_has_the_table() -> None:
    text = PAGE.read_text("utf-8")
    section = text.partition("## Options of planning")[2].partition("\n## ")[0]
    found = [line for line in section.splitlines() if line.startswith("| `")]
    assert found == table(), "the rows of docs-site/where-it-is-decided.md are to be:\n" + "\n".join(table())


def test_unknown_keywords_are_refused_by_name() -> None:
    planner, home = Planner("ur5e"), kinetic.Robot("ur5e").named_pose("home")
    for call in (planner.plan, planner.problem, planner.plan_batch, lambda *_, **words: Planner("ur5e", **words)):
        with pytest.raises(TypeError, match="velocity_factor"):
            call(
                [home] if call == planner.plan_batch else home,
                ["home"] if call == planner.plan_batch else "home",
                velocity_factor=0.5,
            )
