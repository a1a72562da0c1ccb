"""Defaults of inverse kinematics: signatures and documentation, which have to be literal, say what the core has."""

import ast
import inspect
import re

import kinetic
from kinetic import Robot
from kinetic._kinetic import _ik_defaults


def test_the_documented_defaults_of_the_options_are_those_of_the_core() -> None:
    text = inspect.getdoc(kinetic.IKOptions) or ""
    stated = dict(re.findall(r"^ {4}(\w+): [^\n]*[;?] ?([\w.-]+) unless stated", text, flags=re.MULTILINE))
    stated["check_limits"] = re.search(r"check_limits: [^;]*; (\w+) unless stated", text)[1]  # type: ignore[index]
    defaults = {name: default for name, default in _ik_defaults().items() if not isinstance(default, str)}
    assert len(defaults) == 5
    assert {name: ast.literal_eval(stated[name]) for name in defaults} == defaults


def test_literal_signatures_have_the_defaults_of_the_core() -> None:
    parameters = inspect.signature(Robot.batch_ik).parameters
    stated = {name: parameters[name].default for name in _ik_defaults() if name in parameters}
    assert {"solver", "num_restarts"} <= stated.keys()
    assert stated == {name: _ik_defaults()[name] for name in stated}
