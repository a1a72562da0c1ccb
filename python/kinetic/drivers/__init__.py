"""Drivers of robots for ``kinetic.RealTimeExecutor``: one file per SDK, which is imported when it is connected to.

A driver has the methods ``send`` and, where the robot offers them, ``read``, ``on_stop`` and ``speed_scaling``, and it
says in ``rate_hz`` how often the robot takes commands. ``functions(driver)`` are the arguments of executors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["functions"]

ARGUMENTS = {
    "send": "command_callback",
    "read": "feedback",
    "on_stop": "on_stop",
    "speed_scaling": "speed_scaling",
}


def functions(driver: object) -> dict[str, Callable[..., Any]]:
    """The methods of a driver under the names of the executor's arguments; a function is a driver that takes commands.

    Raises:
        TypeError: An object without ``send``.
    """
    found = {name: getattr(driver, method) for method, name in ARGUMENTS.items() if hasattr(driver, method)}
    if "command_callback" in found:
        return found
    if callable(driver):
        return {"command_callback": driver}
    raise TypeError(f"a driver has a method send(positions, velocities); {type(driver).__name__} has none")
