"""Flags for the options of planning: one per row of the table that the compiled module has."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from .._kinetic import Constraint, Payload, _planner_options
from .numbers import is_number, parse_numbers
from .output import CliError

# How argparse reads a value, by its kind; what it leaves as text is read by ``VALUES``.
READERS: dict[str, dict[str, Any]] = {
    "flag": {"action": argparse.BooleanOptionalAction},
    "count": {"type": int, "metavar": "N"},
    "number": {"type": float, "metavar": "X"},
    "name": {"metavar": "NAME"},
    "flag_or_name": {"nargs": "?", "const": True, "metavar": "NAME"},
    "per_joint": {"metavar": "X1,X2,…"},
    "corners": {"metavar": "X,Y,Z,X,Y,Z"},
    "vector": {"metavar": "X,Y,Z"},
    "payload": {"metavar": "KG[,X,Y,Z]"},
    "names": {"metavar": "NAME,…"},
    "constraints": {"action": "append", "metavar": "JSON"},
}


def add_planner_options(parser: argparse.ArgumentParser) -> None:
    """Adds a flag for every option of planning."""
    parser.add_argument(
        "--profile", metavar="NAME", help="options of the table [profiles.NAME] in the robot's kinetic.toml"
    )
    for option in _planner_options():
        parser.add_argument(option["flag"], dest=option["keyword"], help=help_text(option), **READERS[option["kind"]])


def help_text(option: dict[str, Any]) -> str:
    """What an option is, which names it knows, and its default."""
    text = option["doc"][0].lower() + option["doc"][1:].removesuffix(".")
    if option["kind"] in ("name", "flag_or_name"):
        text += f": {option['wanted']}"
    if option["kind"] == "per_joint":
        text += ": one number, or one per joint" if option["of_calls"] else ": one per joint, or joint=X,… for some"
    if option["kind"] == "payload":
        text += ": a mass, and its centre in the tool's frame"
    if option["kind"] == "constraints":
        text += (
            """: each as '{"kind": "orientation", "link": …, "axis": [0, 0, 1], "tolerance": 0.1}'; the flag repeats"""
        )
    return text if option["default"] is None else f"{text} (default {shown(option['default'])})"


def shown(value: Any) -> str:
    """A default as Python has it, without the point of whole numbers."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def planner_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options that were given, as keywords of ``Planner``."""
    keywords = {} if args.profile is None else {"profile": args.profile}
    for option in _planner_options():
        given = getattr(args, option["keyword"])
        if given is not None:
            keywords[option["keyword"]] = VALUES.get(option["kind"], as_given)(option, given)
    return keywords


def as_given(option: dict[str, Any], given: Any) -> Any:
    """What argparse has read."""
    del option
    return given


def per_joint(option: dict[str, Any], text: str) -> float | list[float] | dict[str, float]:
    """A number for every joint, or for some by name; one limit for all."""
    flag, is_limit = option["flag"], option["of_calls"]
    if "=" in text and not is_limit:
        return by_name(flag, text)
    numbers = parse_numbers(flag, text)
    if numbers is None:
        known = "a number nor one per joint" if is_limit else "numbers x1,x2,… nor joint=x,…"
        raise CliError(f'{flag}: "{text}" is neither {known}')
    return numbers[0] if is_limit and len(numbers) == 1 else numbers


def by_name(flag: str, text: str) -> dict[str, float]:
    """Numbers of joints by their names."""
    values = {}
    for word in text.split(","):
        name, _, number = (part.strip() for part in word.partition("="))
        if not name or not is_number(number) or name in values:
            raise CliError(f'{flag}: "{word}" in "{text}" is not a joint=number, each joint once')
        values[name] = float(number)
    return values


def corners(option: dict[str, Any], text: str) -> list[list[float]]:
    """The lowest and the highest corner of a box."""
    numbers = parse_numbers(option["flag"], text)
    if numbers is None or len(numbers) != 6:
        raise CliError(f'{option["flag"]}: "{text}" needs six numbers: the lowest corner x,y,z and the highest')
    return [numbers[:3], numbers[3:]]


def vector(option: dict[str, Any], text: str) -> list[float]:
    """Three numbers."""
    numbers = parse_numbers(option["flag"], text)
    if numbers is None or len(numbers) != 3:
        raise CliError(f'{option["flag"]}: "{text}" needs three numbers x,y,z')
    return numbers


def payload(option: dict[str, Any], text: str) -> Payload:
    """A point mass at the tool, or at a place in the tool's frame."""
    numbers = parse_numbers(option["flag"], text)
    if numbers is None or len(numbers) not in (1, 4):
        raise CliError(f'{option["flag"]}: "{text}" is neither a mass nor a mass and three coordinates')
    return Payload(numbers[0], numbers[1:] or (0.0, 0.0, 0.0))


def constraints(option: dict[str, Any], texts: list[str]) -> list[Constraint]:
    """Constraints as their records in JSON."""
    del option
    return [Constraint._restore(text) for text in texts]


def names(option: dict[str, Any], text: str) -> list[str]:
    """Names with commas between them."""
    del option
    return [name.strip() for name in text.split(",")]


VALUES: dict[str, Callable[[dict[str, Any], Any], Any]] = {
    "per_joint": per_joint,
    "corners": corners,
    "vector": vector,
    "payload": payload,
    "constraints": constraints,
    "names": names,
}
