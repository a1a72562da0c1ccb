"""What the commands print: tables for people, JSON for programs."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from typing import Any

from .. import KineticError

# Errors that mean "the question was fine, the answer was not found". Everything else is about the input.
NOT_FOUND_CODES = frozenset(
    {
        "Aborted",
        "Cancelled",
        "CollisionDetected",
        "CommandFailed",
        "CommandTimeout",
        "DeviationExceeded",
        "ExecutionTimeout",
        "FeedbackLost",
        "Other",
        "PlannerOutputInvalid",
        "PlanningFailed",
        "PlanningTimeout",
        "StaticTorqueExceeded",
        "TrajectoryInCollision",
        "TrajectoryLimitExceeded",
    }
)


class CliError(Exception):
    """Unusable input that only the command line can have, as one readable sentence."""

    code = "InvalidArgument"


def exit_code_of(error: Exception) -> int:
    """1 when nothing was found, 2 when the input was unusable."""
    return 1 if isinstance(error, (KineticError, CliError)) and error.code in NOT_FOUND_CODES else 2


def add_json_flag(parser: argparse.ArgumentParser) -> None:
    """Adds ``--json``, which every command has."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def print_json(value: Any) -> None:
    """Prints one JSON document; infinities become null, which JSON does not have otherwise."""
    print(json.dumps(finite(value), indent=2))


def finite(value: Any) -> Any:
    """The value with every infinity or NaN replaced by None."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """A plain table with a rule under its header; the first ``left`` columns are aligned left, the others right."""
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths))
        )
        return "  ".join(padded).rstrip()

    return "\n".join([line(header), line(["─" * width for width in widths]), *(line(row) for row in rows)])


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Names and values in two columns."""
    width = max(len(name) for name, _ in pairs)
    return "\n".join(f"  {name.ljust(width)}   {value}" for name, value in pairs)


def duration(seconds: float) -> str:
    """A time span to three digits, with a unit that suits it: ``1.24 s``, ``83.0 ms``, ``640 µs``."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= scale:
            value = seconds / scale
            decimals = max(0, 2 - math.floor(math.log10(value)))
            return f"{value:.{decimals}f} {unit}"
    return f"{seconds * 1e6:.0f} µs"


def length(metres: float) -> str:
    """A distance in millimetres, or the words for "nothing there" when it is infinite."""
    return f"{metres * 1e3:.1f} mm" if math.isfinite(metres) else "nothing near"
