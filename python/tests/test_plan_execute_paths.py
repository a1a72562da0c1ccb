"""Paths of the tool in the loop of planning and execution. Oracle: Pinocchio's forward kinematics of all commands."""

from __future__ import annotations

import numpy as np
import pytest
from test_cartesian import Tool

from kinetic import (
    CartesianConfig,
    CartesianPath,
    InputError,
    PlanExecuteLoop,
    Planner,
    PlanningError,
    Pose,
    RealTimeExecutor,
    Robot,
    Scene,
    Shape,
    SimulatedClock,
)

RATE = 100.0


class Line:
    """A UR5e on a line. A ball at its end comes at a command, and goes when the robot stands."""

    START = np.array([0.3, -1.2, 1.6, -2.0, -1.5, 0.1])
    LENGTH = 0.2

    def __init__(self, at: int) -> None:
        self.robot, self.at, self.tool = Robot("ur5e"), at, Tool(Robot("ur5e"))
        self.scene, self.commands = Scene(self.robot), []
        self.loop = PlanExecuteLoop(
            Planner(self.robot, self.scene), RealTimeExecutor(RATE, clock=SimulatedClock()), self.send, self.read
        )

    def send(self, positions: np.ndarray, velocities: np.ndarray) -> None:
        self.commands.append(positions)
        if len(self.commands) == self.at:
            end = self.tool(self.START).translation - [0.0, 0.0, self.LENGTH]
            self.scene.add("ball", Shape.sphere(0.01), Pose.from_xyz(*end))
        elif len(self.commands) > self.at and not velocities.any():
            self.scene.remove("ball")

    def read(self) -> np.ndarray:
        return self.commands[-1] if self.commands else self.START


def test_a_tool_that_was_stopped_goes_along_the_rest_of_its_line() -> None:
    line = Line(at=30)
    down = CartesianPath().move_by(Pose.from_xyz(0.0, 0.0, -line.LENGTH), frame="base")
    result = line.loop.move_cartesian(down)
    assert (result["replans"], result["splices"], result["execution"]["verified"]) == (1, 0, True)
    tools = np.array([line.tool(q).translation for q in line.commands])
    assert np.abs((tools - tools[0])[:, :2]).max() < 1e-4
    assert np.diff(tools[:, 2]).max() < 1e-6, "never back"
    assert tools[0, 2] - tools[-1, 2] == pytest.approx(line.LENGTH, abs=1e-4)


def test_a_tool_does_not_begin_a_path_that_it_cannot_follow() -> None:
    line = Line(at=10**6)
    with pytest.raises(
        PlanningError, match="^CartesianPathIncomplete: .*% of the path can be followed: after "
    ) as caught:
        line.loop.move_cartesian(CartesianPath().move_by(Pose.from_xyz(2.0, 0.0, 0.0), frame="base"))
    assert 0.0 <= caught.value.fraction < 1.0
    assert line.commands == []
    down = CartesianPath().move_by(Pose.from_xyz(0.0, 0.0, -0.1))
    with pytest.raises(InputError, match="at least one move"):
        line.loop.move_cartesian(CartesianPath())
    with pytest.raises(InputError, match="collision_margin"):
        line.loop.move_cartesian(down, CartesianConfig(collision_margin=-1.0))
