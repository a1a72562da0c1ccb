"""The ``kinetic`` command.

One file per command; each offers ``add_parser(subparsers)``, and its parser carries ``run(args) -> exit code``.

Exit codes: 0 done, 1 asked correctly but nothing found (errors, of a checked robot), 2 unusable input (one line on
stderr), 130 interrupted, 141 when nobody reads the output any more.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn, TextIO

from .. import KineticError, KineticWarning, __version__
from . import bench, cache, check_robot, demo, devices, execute, ik, moveit, plan, replay, robots, servo
from .output import CliError, exit_code_of, print_json

__all__ = ["exit_code_of", "main"]


class OneLineParser(argparse.ArgumentParser):
    """An argument parser that raises its complaints, so that they are told like every other failure."""

    def error(self, message: str) -> NoReturn:
        raise CliError(f"{message} (see {self.prog} --help)")


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = OneLineParser(prog="kinetic", description="Plan collision-free, verified robot motions.")
    parser.add_argument("--version", action="version", version=f"kinetic {__version__}")
    commands = parser.add_subparsers(title="commands", dest="command", required=True, metavar="COMMAND")
    for command in (robots, check_robot, plan, replay, execute, servo, demo, ik, moveit, bench, cache, devices):
        command.add_parser(commands)
    return parser


def join_negative_values(argv: Sequence[str]) -> list[str]:
    """Writes ``--start -1.5,0`` as ``--start=-1.5,0``: argparse takes a list that begins with a minus for an option."""
    joined: list[str] = []
    for word in argv:
        if joined and re.fullmatch(r"--[a-z-]+", joined[-1]) and re.match(r"-[.\d]\S*,", word):
            joined[-1] += "=" + word
        else:
            joined.append(word)
    return joined


def report_failure(error: Exception, *, as_json: bool) -> int:
    """Says in one line what went wrong; with ``--json`` on stdout as data too. Returns the exit code."""
    message = " ".join(str(error).split())
    code = error.code if isinstance(error, (KineticError, CliError)) else type(error).__name__
    say_failure(code, message, as_json=as_json)
    return exit_code_of(error)


def say_failure(code: str, message: str, *, as_json: bool) -> None:
    """One line on stderr, and with ``--json`` one document on stdout."""
    print(f"kinetic: {message}", file=sys.stderr)
    if as_json:
        print_json({"error": {"code": code, "message": message}})


def say_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """One line on stderr; where in the package it was said is of no use to whoever calls a command."""
    del category, filename, lineno, file, line
    print(f"kinetic: warning: {message}", file=sys.stderr)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    arguments = join_negative_values(sys.argv[1:] if argv is None else argv)
    as_json = "--json" in arguments  # asked for even where the rest of the line cannot be understood
    try:
        args = build_parser().parse_args(arguments)
        as_json = args.json
        with warnings.catch_warnings():
            warnings.simplefilter("once", KineticWarning)
            warnings.showwarning = say_warning
            code = int(args.run(args))
        sys.stdout.flush()
        return code
    except SystemExit as stop:  # argparse has printed the help
        return int(stop.code or 0)
    except BrokenPipeError:
        return leave_closed_pipe()
    except (KineticError, OSError, CliError) as error:
        return report_failure(error, as_json=as_json)
    except KeyboardInterrupt:
        say_failure("Interrupted", "interrupted", as_json=as_json)
        return 130


def leave_closed_pipe() -> int:
    """Ends quietly when the reader has gone (``kinetic robots | head -1``), as programs do that a signal stops."""
    # What is still buffered would be written, and fail again, when Python shuts down.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141  # 128 + SIGPIPE
