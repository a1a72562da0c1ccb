"""The exception classes of kinetic.

One class per family of errors; which error it is stands in ``code`` (stable, the first word of the message), what it
is about in the fields: ``error.joint``, ``error.available``, … (all of them in ``error.fields``).

The classes live here, in Python, because two of them have two bases, which a compiled module cannot give them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["ExecutionError", "IKError", "InputError", "KineticError", "PlanningError", "Report"]


@dataclass(frozen=True)
class Report:
    """Why something failed, as data.

    Attributes:
        reason: The error's code, for example ``"StartInCollision"``.
        evidence: The facts behind it, for example ``{"link": …, "other": …, "distance": …}``; SI units.
    """

    reason: str
    evidence: dict[str, Any]


class KineticError(RuntimeError):
    """Base of everything kinetic raises on purpose.

    Attributes:
        code: Name of the error, the same word as in Rust; the message starts with it.
        retryable: True when the same call may succeed with more time or another seed.
        fields: The values the error is about; each is an attribute as well.
    """

    code: str
    retryable: bool
    fields: dict[str, Any]

    def __init__(self, message: str = "", code: str = "Other", retryable: bool = False, **fields: Any) -> None:
        # Only the message goes to the base: pickle and copy rebuild an exception from `args` and then restore
        # `__dict__`, which holds the rest.
        super().__init__(message)
        self.__dict__.update(fields)
        self.code = code
        self.retryable = retryable
        self.fields = fields

    # Fields differ from error to error, so type checkers cannot know them. Looked up only when no attribute is found.
    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__} {self.__dict__.get('code', '')!r} has no field {name!r}")

    @property
    def report(self) -> Report:
        """Reason and evidence as data, for programs that decide what to try next."""
        return Report(reason=self.code, evidence=dict(self.fields))


class InputError(KineticError, ValueError):
    """The caller gave something that cannot be used: a wrong size, an unknown name, NaN, a malformed file."""


class IKError(KineticError, ValueError):
    """No joint values reach the wanted pose."""


class PlanningError(KineticError):
    """No plan: start or goal not usable, budget used up, or nothing that passed verification."""


class ExecutionError(KineticError):
    """A motion could not be carried out as planned."""
