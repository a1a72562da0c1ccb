"""A progress bar on stderr: only for people who watch a terminal."""

from __future__ import annotations

import sys
import time
from typing import TextIO

WIDTH = 30
# Redrawing more often than this costs more than anyone can see.
REDRAW_INTERVAL = 0.1


class ProgressBar:
    """``label [████░░░] 120/350``, redrawn in place; silent when ``stream`` is no terminal or ``enabled`` is false.

    Use it as a context manager, so that the line is gone when the work ends, however it ends.
    """

    def __init__(self, label: str, *, enabled: bool = True, stream: TextIO | None = None) -> None:
        self._label = label
        self._stream = sys.stderr if stream is None else stream
        self._enabled = enabled and self._stream.isatty()
        self._last_draw = -REDRAW_INTERVAL

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._enabled:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def update(self, done: int, total: int, note: str = "") -> None:
        """Shows that ``done`` of ``total`` steps are finished; ``note`` says what is going on."""
        now = time.monotonic()
        if not self._enabled or (done < total and now - self._last_draw < REDRAW_INTERVAL):
            return
        self._last_draw = now
        filled = WIDTH * done // max(total, 1)
        bar = "█" * filled + "░" * (WIDTH - filled)
        self._stream.write(f"\r\x1b[K{self._label} [{bar}] {done}/{total} {note}".rstrip())
        self._stream.flush()
