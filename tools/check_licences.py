"""Checks that every Rust dependency may be used and passed on under a licence that deny.toml allows."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent


def is_allowed(expression: str, allowed: frozenset[str]) -> bool:
    """Evaluates an SPDX expression: identifiers, ``WITH`` exceptions, ``AND``, ``OR`` (also as ``/``), parentheses.

    >>> is_allowed("(MIT OR GPL-3.0) AND Zlib", frozenset({"MIT", "Zlib"}))
    True
    """
    tokens = re.findall(r"\(|\)|[^\s()/]+", expression.replace("/", " OR "))
    value, rest = either(tokens, allowed)
    if rest:
        raise ValueError(f"cannot read the licence expression {expression!r} at {rest[0]!r}")
    return value


def either(tokens: list[str], allowed: frozenset[str]) -> tuple[bool, list[str]]:
    """``both OR both …``, and the tokens behind it."""
    value, tokens = both(tokens, allowed)
    while tokens[:1] == ["OR"]:
        other, tokens = both(tokens[1:], allowed)
        value = value or other
    return value, tokens


def both(tokens: list[str], allowed: frozenset[str]) -> tuple[bool, list[str]]:
    """``single AND single …``, and the tokens behind it."""
    value, tokens = single(tokens, allowed)
    while tokens[:1] == ["AND"]:
        other, tokens = single(tokens[1:], allowed)
        value = value and other
    return value, tokens


def single(tokens: list[str], allowed: frozenset[str]) -> tuple[bool, list[str]]:
    """A licence with or without an exception, or an expression in parentheses, and the tokens behind it."""
    if not tokens or tokens[0] in (")", "OR", "AND", "WITH"):
        raise ValueError(f"a licence is missing before {tokens[:1]}")
    if tokens[0] == "(":
        value, tokens = either(tokens[1:], allowed)
        if tokens[:1] != [")"]:
            raise ValueError("a parenthesis is not closed")
        return value, tokens[1:]
    if tokens[1:2] == ["WITH"]:
        return " ".join(tokens[:3]) in allowed, tokens[3:]
    return tokens[0] in allowed, tokens[1:]


def complaints(packages: list[dict[str, Any]], allowed: frozenset[str]) -> list[str]:
    """One sentence for each package whose licence is missing or not allowed."""
    found = []
    for package in packages:
        label = f"{package['name']} {package['version']}"
        expression = package["license"]
        if expression is None:
            found.append(f"{label} states no licence")
        elif not is_allowed(expression, allowed):
            found.append(f"{label} is under {expression}, which deny.toml does not allow")
    return found


def main() -> int:
    """Prints every complaint; 1 when there is one."""
    allowed = frozenset(tomllib.loads((ROOT / "deny.toml").read_text("utf-8"))["licenses"]["allow"])
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    packages = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)["packages"]
    found = complaints(packages, allowed)
    for complaint in found:
        print(f"check_licences: {complaint}", file=sys.stderr)
    print(f"{len(packages)} packages, {len(found)} complaints")
    return 1 if found or not packages else 0


if __name__ == "__main__":
    sys.exit(main())
