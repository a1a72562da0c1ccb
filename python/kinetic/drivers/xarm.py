"""UFACTORY xArm by ``xarm-python-sdk``; it takes at most 250 commands per second."""

from __future__ import annotations

from typing import Any


class Driver:
    """Commands in servo mode (1). An error, a pause (state 3) and a stop (4) of the robot end the execution."""

    def __init__(self, arm: Any):
        self.arm, self.rate_hz = arm, 250.0
        self.check("servo mode", arm.motion_enable(True) or arm.set_mode(1) or arm.set_state(0))

    @classmethod
    def connect(cls, address: str) -> Driver:
        """Connects to the robot at an address."""
        from xarm.wrapper import XArmAPI

        return cls(XArmAPI(address))

    def check(self, what: str, code: int) -> None:
        """Raises after an error, in a pause and after a stop."""
        if code != 0 or self.arm.error_code != 0 or self.arm.state in (3, 4):
            raise ConnectionError(f"{what}: code {code}, error {self.arm.error_code}, state {self.arm.state}")

    def send(self, positions: Any, _velocities: Any) -> None:
        """Takes a command."""
        self.check("set_servo_angle_j", self.arm.set_servo_angle_j(positions.tolist(), is_radian=True))

    def read(self) -> Any:
        """Measures positions."""
        code, angles = self.arm.get_servo_angle(is_radian=True, is_real=True)
        self.check("get_servo_angle", code)
        return angles[: self.arm.axis]

    def on_stop(self, _action: str, _positions: Any) -> None:
        """Stops the robot until set_state(0)."""
        self.arm.set_state(4)
