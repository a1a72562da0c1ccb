"""Input errors that are found in Python, with the words and fields that the compiled module gives them."""

from __future__ import annotations

from collections.abc import Iterable

from .exceptions import InputError

__all__ = ["invalid_value", "unknown_name"]


def unknown_name(kind: str, name: str, available: Iterable[str]) -> InputError:
    """No thing of that kind has the name; these have."""
    known = list(available)
    listed = ", ".join(f'"{one}"' for one in known) or "none"
    message = f'UnknownName: no {kind} "{name}"; {kind}s are {listed}'
    return InputError(message, code="UnknownName", kind=kind, name=name, available=known)


def invalid_value(name: str, value: object, wanted: str) -> InputError:
    """A value that cannot be used, and what can."""
    message = f"InvalidValue: {name} = {value}; wanted {wanted}"
    return InputError(message, code="InvalidValue", name=name, value=str(value), wanted=wanted)
