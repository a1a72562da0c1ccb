"""What an execution answers with: a dictionary that can be drawn."""

from __future__ import annotations

import os
from typing import Any

__all__ = ["ExecutionResult"]


class ExecutionResult(dict[str, Any]):
    """How an execution went; the keys stand at ``RealTimeExecutor.execute``."""

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draws how late commands were begun, as a histogram. Needs ``kinetic[viz]``.

        Args:
            path: File to write; the ending says the format.

        Returns:
            The figure of matplotlib.
        """
        from .viz.jitter import plot_jitter

        return plot_jitter(self, path)
