"""What keys and gamepads steer alike: the frame, the joint and the speed that the next commands have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import Robot, Servo
from .servo_commands import Answer, Command

# At speed 1: m/s and rad/s of the tool, and the part of a joint's velocity limit.
LINEAR_SPEED = 0.1
ANGULAR_SPEED = 0.5
JOINT_SPEED = 0.2
SPEED_STEP = 1.25
SLOWEST, FASTEST = 0.1, 10.0


class Steering:
    """How the tool and the joints are driven by hand.

    Args:
        robot: The robot that is steered.
        start: Positions (dof,) that `home` leads to.
    """

    def __init__(self, robot: Robot, start: np.ndarray) -> None:
        self._robot, self._start = robot, start
        self.frame, self.joint, self.speed = "base", 0, 1.0

    def command(self, time: float) -> Command | None:
        """The command of a period that begins at a time, s; None to end."""
        raise NotImplementedError

    def state(self) -> str:
        """What the next commands do."""
        return f"{self.frame} axes, {self._robot.joint_names[self.joint]}, speed {self.speed:.2f}"

    def switch_frame(self) -> None:
        """From the axes of the base to those of the tool, and back."""
        self.frame = "tool" if self.frame == "base" else "base"

    def change_speed(self, steps: int) -> None:
        """Faster by so many steps, or slower."""
        self.speed = min(FASTEST, max(SLOWEST, self.speed * SPEED_STEP**steps))

    def select(self, joint: int) -> None:
        """The joint that is driven next; indices beyond the last one change nothing."""
        if 0 <= joint < self._robot.dof:
            self.joint = joint

    def twist(self, parts: Sequence[float] | np.ndarray) -> Command:
        """A velocity of the tool, in parts (6,) of the largest ones, -1 to 1."""
        twist = np.asarray(parts) * self.speed * np.repeat([LINEAR_SPEED, ANGULAR_SPEED], 3)
        frame = self.frame

        def command(servo: Servo) -> Answer:
            return servo.send_twist(twist, frame=frame)

        return command

    def jog(self, part: float) -> Command:
        """A velocity of the selected joint, as a part of the largest one, -1 to 1."""
        joint, limit = self.joint, float(self._robot.velocity_limits[self.joint])
        velocity = part * self.speed * JOINT_SPEED * limit
        return lambda servo: servo.send_joint_jog(joint, velocity)

    def home(self, servo: Servo) -> Answer:
        """All joints towards the start."""
        return servo.track_joints(self._start)
