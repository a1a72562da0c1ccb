"""The faults of benches/execution_faults.py on the wall clock, with KINETIC_FULL=1: each takes about a second."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benches" / "execution_faults.py"
FULL = os.environ.get("KINETIC_FULL") == "1"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("execution_faults", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


faults = load()


@pytest.mark.skipif(not FULL, reason="takes real time: KINETIC_FULL=1")
@pytest.mark.parametrize("fault", faults.FAULTS, ids=lambda fault: fault.name)
def test_a_fault_on_the_wall_clock_does_what_the_table_says(fault) -> None:
    outcome = fault.run()
    arm = outcome.arm
    assert outcome.code == fault.code
    if fault.action == faults.AT_ONCE:
        assert len(arm.stops) == 1
        return
    assert arm.stops == []
    assert bool(arm.stopping) == (fault.action not in (faults.NONE, "refused"))
    if not arm.velocities:
        assert fault.action == "refused"
        return
    np.testing.assert_array_equal(arm.velocities[-1], 0.0)
    if arm.positions and fault.action != "jerk-limited stop":
        # The path is straight: (2 s, −s).
        np.testing.assert_allclose(np.array(arm.positions) @ [1.0, 2.0], 0.0, atol=1e-9)
    if fault.action == faults.ON_PATH:
        speed = np.abs(arm.velocities)
        # It ends before the motion would have, and only slows down before that.
        assert arm.positions == [] or np.abs(arm.positions[-1]).max() < 0.6
        assert np.all(np.diff(speed[-20:], axis=0) <= 1e-9)


def test_every_fault_has_a_name_of_its_own_and_a_counterpart_that_is_a_test() -> None:
    names = [fault.name for fault in faults.FAULTS]
    assert len(set(names)) == len(names)
    assert all(fault.counterpart.replace("_", "").isalnum() for fault in faults.FAULTS if fault.counterpart)
