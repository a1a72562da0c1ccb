"""What ``kinetic servo`` keeps of its periods: a file with every one of them, a summary, a line on the terminal."""

from __future__ import annotations

import csv
import json
import math
import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from .. import Robot, Servo
from .output import CliError, finite, length
from .servo_commands import Answer

SCALARS = ("status", "scale", "min_distance", "min_self_distance", "exceeds_limits")
VECTORS = ("positions", "velocities", "accelerations")
# Redrawing more often than this costs more than anyone can see, s.
REDRAW_INTERVAL = 0.1


def check_log_name(path: str) -> None:
    """Refuses endings that say no known format."""
    if Path(path).suffix.lower() not in (".csv", ".jsonl"):
        raise CliError(f'--log: the ending of "{path}" says no known format; wanted .csv or .jsonl')


class LogFile:
    """Every period as a row of a CSV file, or as a line of JSON, by the ending of the name."""

    def __init__(self, path: str, robot: Robot) -> None:
        self._file = Path(path).open("w", encoding="utf-8", newline="")  # noqa: SIM115, closed with the block
        self._rows = csv.writer(self._file) if Path(path).suffix.lower() == ".csv" else None
        if self._rows is not None:
            vectors = (f"{vector} {joint}" for vector in (*VECTORS, "measured") for joint in robot.joint_names)
            self._rows.writerow(["time", *SCALARS, *vectors])

    def __enter__(self) -> LogFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __call__(self, time: float, answer: Answer, measured: np.ndarray | None) -> None:
        """Writes a period."""
        scalars = [answer[name] for name in SCALARS]
        vectors = [answer[name].tolist() for name in VECTORS]
        seen = None if measured is None else measured.tolist()
        if self._rows is not None:
            vectors.append([""] * len(vectors[0]) if seen is None else seen)
            self._rows.writerow([time, *scalars, *(value for vector in vectors for value in vector)])
            return
        names = ("time", *SCALARS, *VECTORS, "measured")
        record = finite(dict(zip(names, [time, *scalars, *vectors, seen])))
        self._file.write(json.dumps(record) + "\n")


class Summary:
    """What happened in all periods."""

    def __init__(self) -> None:
        self.ticks = self.exceeded = 0
        self.statuses: Counter[str] = Counter()
        self.min_distance = self.min_self_distance = math.inf

    def __call__(self, _time: float, answer: Answer, _measured: np.ndarray | None) -> None:
        """Counts a period."""
        self.ticks += 1
        self.exceeded += answer["exceeds_limits"]
        self.statuses[answer["status"]] += 1
        self.min_distance = min(self.min_distance, answer["min_distance"])
        self.min_self_distance = min(self.min_self_distance, answer["min_self_distance"])

    def report(self) -> dict[str, Any]:
        """The numbers by name."""
        return {
            "ticks": self.ticks,
            "statuses": dict(self.statuses.most_common()),
            "exceeding_jerk": self.exceeded,
            "min_distance": self.min_distance,
            "min_self_distance": self.min_self_distance,
        }


class StatusLine:
    """Tool, status and nearest pair in a line of stderr that is redrawn; silent when that is no terminal."""

    def __init__(self, servo: Servo, state: Callable[[], str], stream: TextIO | None = None) -> None:
        self._servo, self._state = servo, state
        self._stream = sys.stderr if stream is None else stream
        self._enabled = self._stream.isatty()
        self._last_draw = -math.inf

    def __enter__(self) -> StatusLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._enabled:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def __call__(self, _time: float, answer: Answer, _measured: np.ndarray | None) -> None:
        """Redraws the line now and then."""
        now = time.monotonic()
        if self._enabled and now - self._last_draw >= REDRAW_INTERVAL:
            self._last_draw = now
            # A terminal of unknown width says 0.
            width = os.get_terminal_size(self._stream.fileno()).columns or 80
            # The last column would move the cursor on.
            self._stream.write("\r\x1b[K" + self._text(answer)[: max(width - 1, 10)])
            self._stream.flush()

    def _text(self, answer: Answer) -> str:
        state = self._servo.state()
        pose, pair = state["ee_pose"], state["nearest_pair"]
        tool = "" if pose is None else " | tool " + " ".join(f"{value:+.3f}" for value in pose[:3, 3]) + " m"
        distance = length(min(answer["min_distance"], answer["min_self_distance"]))
        near = distance if pair is None else f"{pair[0]} - {pair[1]} {distance}"
        return f"{answer['status']} | {near} | {self._state()}{tool}"
