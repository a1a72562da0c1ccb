"""``kinetic execute``: simulated robots, drivers of one's own, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import kinetic
from kinetic.cli import main

OWN_DRIVER = """
class Driver:
    rate_hz = 200.0
    count = 0

    def send(self, positions, velocities):
        self.count += 1
        if self.count == {fails_at}:
            raise ConnectionError("the cable is out")


def connect():
    return Driver()
"""


BAD_DRIVERS = """
class Quick:
    rate_hz = "quick"

    def send(self, positions, velocities):
        pass


def fails():
    raise ConnectionError("nobody answers")


def nothing():
    return None


def quick():
    return Quick()
"""


@pytest.fixture
def motion(tmp_path, monkeypatch) -> kinetic.Trajectory:
    """A short motion, in a folder that the command runs in."""
    monkeypatch.chdir(tmp_path)
    robot = kinetic.Robot("ur5e")
    planned = kinetic.plan(robot, "home", robot.named_pose("home") + 0.002)
    planned.save("motion.json")
    return planned


def test_a_simulated_robot_says_how_it_went(motion, capsys) -> None:
    assert main(["execute", "motion.json", "--plot", "jitter.svg"]) == 0
    text = capsys.readouterr().out
    for word in ("Completed", "largest deviation", "certificate"):
        assert word in text
    assert "<svg" in Path("jitter.svg").read_text("utf-8")


def test_the_log_holds_every_command_at_the_rate_and_the_speed(motion, capsys) -> None:
    assert main(["execute", "motion.json", "--driver", "log", "--rate", "100", "--speed", "0.5", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["state"] == "Completed" and len(result["commands"]) == result["commands_sent"]
    np.testing.assert_array_equal(result["commands"][-1]["positions"], result["final_positions"])
    # A period more for the last command, one for where it falls.
    assert 2.0 * motion.duration <= result["actual_duration"] + 0.02 < 2.0 * motion.duration + 0.06


def test_a_driver_of_ones_own_runs_on_the_wall_clock_and_its_failure_is_told(motion, capsys, tmp_path) -> None:
    for name, fails_at, code in [("own_driver_a", 0, 0), ("own_driver_b", 2, 1)]:
        (tmp_path / f"{name}.py").write_text(OWN_DRIVER.format(fails_at=fails_at))
        assert main(["execute", "motion.json", "--driver", f"{name}:connect", "--json"]) == code
        told = json.loads(capsys.readouterr().out)
        if code == 0:
            assert told["verified"] and told["max_deviation"] is None
        else:
            assert told["error"]["code"] == "CommandFailed" and "the cable is out" in told["error"]["message"]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["none.json"], "none.json"),
        (["motion.json", "--driver", "arm"], "module:function"),
        (["motion.json", "--driver", "no_such_module:connect"], "no_such_module"),
        (["motion.json", "--driver", "json:connect"], "connect"),
        (["motion.json", "--driver", ":connect"], "module:function"),
        (["motion.json", "--driver", "../arm:connect"], "../arm"),
        (["motion.json", "--driver", "json:loads"], "TypeError"),
        (["motion.json", "--driver", "bad_driver:fails"], "ConnectionError: nobody answers"),
        (["motion.json", "--driver", "bad_driver:nothing"], "NoneType has none"),
        (["motion.json", "--driver", "bad_driver:quick"], "rate_hz of the driver: 'quick'"),
        (["motion.json", "--driver", "bad_syntax:connect"], "SyntaxError"),
        (["motion.json", "--plot", "jitter.nope"], "nope"),
        (["motion.json", "--rate", "0"], "rate_hz"),
        (["motion.json", "--speed", "2"], "velocity_scale"),
    ],
)
def test_unusable_arguments_are_refused_in_one_line(motion, capsys, arguments: list[str], word: str) -> None:
    Path("bad_driver.py").write_text(BAD_DRIVERS)
    Path("bad_syntax.py").write_text("def connect(:\n")
    assert main(["execute", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and word in err


def test_what_has_no_certificate_needs_to_be_allowed(motion, capsys, tmp_path) -> None:
    (tmp_path / "own_driver_c.py").write_text(OWN_DRIVER.format(fails_at=0))
    path = kinetic.Trajectory.from_waypoints([[0.0], [0.002]])
    path.time_parameterize("jerk_limited", 1.0, 4.0, 40.0).save("raw.json")
    call = ["execute", "raw.json", "--driver", "own_driver_c:connect"]
    assert main(call) == 2
    assert "certificate" in capsys.readouterr().err
    assert main([*call, "--allow-unverified"]) == 0
