"""The exception classes of kinetic.

One class per family of errors; which error it is stands in ``code`` (stable, the first word of the message), what it
is about in the fields: ``error.joint``, ``error.available``, … (all of them in ``error.fields``).

The classes live here, in Python, because two of them have two bases, which a compiled module cannot give them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["ExecutionError", "IKError", "InputError", "KineticError", "KineticWarning", "PlanningError", "Report"]


@dataclass(frozen=True)
class Report:
    """Why something failed, as data. Printed, it is a text for people.

    Attributes:
        reason: The error's code, for example ``"StartInCollision"``.
        evidence: The facts behind it, for example ``{"pair": …, "depth": …}``; SI units.
        suggestions: Changes, each tried: dicts with ``change`` (words), ``kind``, ``tried``, ``solved``, and of a plan
            ``failure`` (the code that is left) and ``problem`` (the changed one), of inverse kinematics ``joints`` and
            ``target``. What solves it comes first.
        text: All of it in words.
        problem: The planning problem; None where nothing was planned.
    """

    reason: str
    evidence: dict[str, Any]
    suggestions: list[dict[str, Any]] = field(default_factory=list)
    text: str = field(default="", repr=False)
    problem: Any = field(default=None, repr=False)

    def __str__(self) -> str:
        return self.text or f"{self.reason}: {self.evidence}"

    def plot(self, path: str | None = None) -> Any:
        """Draws the robot at start and goal, the pairs in contact, and the trees of the search (needs matplotlib).

        Args:
            path: File to write; the ending says the format.

        Returns:
            The figure.

        Raises:
            InputError: The report of something that was not planned.
        """
        if self.problem is None:
            raise InputError(
                f"UnsupportedGoal: a report of {self.reason} without a planning problem has no picture",
                code="UnsupportedGoal",
                reason="no planning problem",
            )
        from .viz.failure import plot_failure

        return plot_failure(self, path)


class KineticWarning(UserWarning):
    """Something is left out or not checked, and the call goes on: links without shapes, the certificate of a curve."""


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

    def __reduce__(self) -> tuple[Any, ...]:
        # What the report is worked out from holds a whole scene, and stays where the error was raised.
        return type(self), self.args, {name: value for name, value in self.__dict__.items() if name != "_failure"}

    @property
    def report(self) -> Report:
        """Why it failed, with changes that were tried: for people, and for programs that decide what to do next.

        It is worked out when it is first asked for, which takes seconds where changes are planned with, and kept. An
        error that was pickled before has reason and fields only.
        """
        known: Report | None = self.__dict__.get("_report")
        if known is not None:
            return known
        failure = self.__dict__.get("_failure")
        if failure is None:
            return Report(reason=self.code, evidence=dict(self.fields))
        found = failure.report()
        report = Report(
            reason=self.code,
            evidence=self.fields | found["evidence"],
            suggestions=found["suggestions"],
            text=found["text"],
            problem=getattr(failure, "problem", None),
        )
        self.__dict__["_report"] = report
        return report


class InputError(KineticError, ValueError):
    """The caller gave something that cannot be used: a wrong size, an unknown name, NaN, a malformed file."""


class IKError(KineticError, ValueError):
    """No joint values reach the wanted pose."""


class PlanningError(KineticError):
    """No plan: start or goal not usable, budget used up, or nothing that passed verification."""


class ExecutionError(KineticError):
    """A motion could not be carried out as planned."""
