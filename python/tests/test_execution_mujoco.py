"""Arms that MuJoCo moves, by positions and by efforts, driven by an executor on simulated time."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from oracles import ROOT

from kinetic import ExecutionError, SimulatedClock

mujoco = pytest.importorskip("mujoco", reason="a counterpart for executions")

SPEC = importlib.util.spec_from_file_location("torque_control", ROOT / "examples" / "python" / "14_torque_control.py")
example = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(example)

PERIOD = 1.0 / example.RATE_HZ


@pytest.mark.parametrize("control", ["position", "torque"])
@pytest.mark.parametrize("name", ["ur5e", "franka_panda"])
def test_an_arm_of_mujoco_tracks_as_well_as_its_controller_allows(name: str, control: str) -> None:
    arm, result = example.run(name, control, SimulatedClock())
    assert (result["state"], result["verified"]) == ("Completed", True)
    assert len(arm.actual) == result["commands_sent"]
    error = np.abs(np.subtract(arm.commanded, arm.actual))
    assert result["max_deviation"] == pytest.approx(error[:-1].max(), abs=1e-12)
    fastest = np.abs(np.diff(arm.commanded, axis=0)).max() / PERIOD
    assert fastest > 0.3
    # A servo by positions lags by kv / kp = 10 ms, and every arm by the cycle in which a command acts. Efforts are held
    # over a cycle, in which inertia and gravity change: the bound allows as much again.
    lag = (0.01 if control == "position" else 0.0) + 2.0 * PERIOD
    assert error.max() < lag * fastest
    assert bool(error.max() > 0.5 * 0.01 * fastest) == (control == "position")


def test_an_arm_that_a_payload_pulls_down_is_stopped() -> None:
    """The controller does not know of 40 kg at the forearm, which the motors cannot hold."""
    build = example.Arm.__init__

    class Loaded(example.Arm):
        def __init__(self, name: str, control: str) -> None:
            build(self, name, control)
            self.model.body("forearm_link").mass[0] += 40.0

    example.Arm, plain = Loaded, example.Arm
    try:
        with pytest.raises(ExecutionError, match="^DeviationExceeded: ") as caught:
            example.run("ur5e", "torque", SimulatedClock())
    finally:
        example.Arm = plain
    assert caught.value.result["stop"]["mode"] == "path"
