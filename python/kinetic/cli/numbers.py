"""Numbers in words of the command line."""

from __future__ import annotations

from .output import CliError


def parse_numbers(option: str, text: str) -> list[float] | None:
    """The numbers of a comma separated list, or None when ``text`` is a name; refuses a list with something else."""
    words = [word.strip() for word in text.split(",")]
    try:
        return [float(word) for word in words]
    except ValueError:
        if len(words) == 1:
            return None
        wrong = next(word for word in words if not is_number(word))
        raise CliError(f'{option}: "{wrong}" in "{text}" is not a number') from None


def is_number(word: str) -> bool:
    """True when Python reads ``word`` as a float."""
    try:
        float(word)
    except ValueError:
        return False
    return True
