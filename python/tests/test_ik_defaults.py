"""Defaults of inverse kinematics: signatures, which have to be literal, say what the core has."""

import inspect

import pytest

from kinetic import IkCache, Robot
from kinetic._kinetic import _ik_defaults

# `Robot.ik_distinct` wants many attempts of a quick solver, and so has defaults of its own.
CALLS = [Robot.ik, Robot.ik_config, Robot.batch_ik, IkCache.solve]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__qualname__)
def test_a_signature_has_the_defaults_of_the_core(call) -> None:
    parameters = inspect.signature(call).parameters
    stated = {name: parameters[name].default for name in _ik_defaults() if name in parameters}
    assert stated == {name: default for name, default in _ik_defaults().items() if name in stated}
    assert {"mode", "position_tolerance", "orientation_tolerance"} <= stated.keys()
