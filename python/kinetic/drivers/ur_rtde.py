"""Universal Robots by ``ur_rtde``; e-Series robots take 500 commands per second, CB3 125."""

from __future__ import annotations

from typing import Any


class Driver:
    """Servo commands by RTDE. A protective or an emergency stop, and a paused program, end the execution."""

    def __init__(self, control: Any, receive: Any, rate_hz: float = 500.0, lookahead: float = 0.1, gain: float = 300.0):
        self.control, self.receive, self.rate_hz = control, receive, rate_hz
        self.servo = (0.0, 0.0, 1.0 / rate_hz, lookahead, gain)  # speed and acceleration are not used by servoj

    @classmethod
    def connect(cls, address: str, rate_hz: float = 500.0) -> Driver:
        """Connects to the robot at an address."""
        from rtde_control import RTDEControlInterface
        from rtde_receive import RTDEReceiveInterface

        return cls(RTDEControlInterface(address, rate_hz), RTDEReceiveInterface(address, rate_hz), rate_hz)

    def send(self, positions: Any, _velocities: Any) -> None:
        """Takes a command."""
        if self.receive.isProtectiveStopped() or self.receive.isEmergencyStopped():
            raise ConnectionError("the robot has stopped by itself; plan again from where it stands")
        if not self.control.servoJ(positions.tolist(), *self.servo):
            raise ConnectionError("servoJ was not taken: no program runs on the robot")

    def read(self) -> tuple[Any, Any]:
        """Measures positions and velocities."""
        return self.receive.getActualQ(), self.receive.getActualQd()

    def on_stop(self, _action: str, _positions: Any) -> None:
        """Ends the servo motion by its deceleration, 10 rad/s²."""
        self.control.servoStop(10.0)

    def speed_scaling(self) -> float:
        """The slider and what the robot's own limits leave of it."""
        return float(self.receive.getTargetSpeedFraction() * self.receive.getSpeedScaling())
