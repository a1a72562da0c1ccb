"""What an execution answers with: a dictionary that can be drawn."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

__all__ = ["ExecutionResult"]


class ExecutionResult(dict[str, Any]):
    """How an execution went; the keys stand at ``RealTimeExecutor.execute``."""

    __hash__ = None

    def __eq__(self, other: object) -> bool:
        """Equal values under the same keys, arrays with the same numbers included."""
        return isinstance(other, dict) and are_equal(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draws how late commands were begun, as a histogram. Needs ``kinetic[viz]``.

        Args:
            path: File to write; the ending says the format.

        Returns:
            The figure of matplotlib.
        """
        from .viz.jitter import plot_jitter

        return plot_jitter(self, path)


def are_equal(first: Any, second: Any) -> bool:
    """Whether two values are equal, and arrays among them hold the same numbers."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(are_equal(first[key], second[key]) for key in first)
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return np.array_equal(first, second)
    return bool(first == second)
