"""The drivers that ``--driver`` names: simulated ones, and those of functions of modules."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ..drivers import functions
from .output import CliError

__all__ = ["Simulated", "connect", "driver_rate"]


class Simulated:
    """A robot that follows exactly and keeps its commands; nothing moves, so that no certificate is needed."""

    def __init__(self, start: np.ndarray) -> None:
        self.positions = start
        self.commands: list[dict[str, list[float]]] = []

    def send(self, positions: np.ndarray, velocities: np.ndarray) -> None:
        """Takes a command."""
        self.positions = positions
        self.commands.append({"positions": positions.tolist(), "velocities": velocities.tolist()})

    def read(self) -> np.ndarray:
        """Measures."""
        return self.positions


def connect(name: str) -> Any:
    """The driver that a function of a module returns.

    Raises:
        CliError: There is no such function, it raises, or what it returns takes no commands.
    """
    module, colon, function = name.partition(":")
    if not (module and colon and function):
        raise CliError(f"no driver {name!r}; wanted: sim, log, or module:function")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        driver = getattr(importlib.import_module(module), function)()
        functions(driver)
    except Exception as error:  # code of the user, which may raise anything
        raise CliError(f"no driver {name!r}: {type(error).__name__}: {error}") from error
    return driver


def driver_rate(driver: object) -> float | None:
    """The rate that a driver states, Hz."""
    rate = getattr(driver, "rate_hz", None)
    if isinstance(rate, bool) or not (rate is None or isinstance(rate, (int, float, np.number))):
        raise CliError(f"rate_hz of the driver: {rate!r} is no number")
    return None if rate is None else float(rate)
