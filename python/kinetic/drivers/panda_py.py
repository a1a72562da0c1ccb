"""Franka robots by ``panda-py``, whose controller runs at 1 kHz in a thread of its own."""

from __future__ import annotations

from typing import Any


class Driver:
    """Targets of the joint position controller. Its errors (reflexes, the user stop) end the execution."""

    rate_hz = 1000.0

    def __init__(self, panda: Any, controller: Any):
        self.panda, self.controller = panda, controller
        # It holds the robot where it is until the first command.
        panda.start_controller(controller)

    @classmethod
    def connect(cls, address: str) -> Driver:
        """Connects to the robot at an address."""
        import panda_py
        from panda_py import controllers

        return cls(panda_py.Panda(address), controllers.JointPosition())

    def send(self, positions: Any, velocities: Any) -> None:
        """Takes a command."""
        self.panda.raise_error()
        self.controller.set_control(positions, velocities)

    def read(self) -> tuple[Any, Any]:
        """Measures positions and velocities."""
        state = self.panda.get_state()
        return state.q, state.dq

    def on_stop(self, _action: str, _positions: Any) -> None:
        """Ends the controller, which lets the robot brake."""
        self.panda.stop_controller()
