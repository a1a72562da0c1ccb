"""Colours and fonts that all pictures share."""

from __future__ import annotations

from typing import Any

__all__ = ["ARM", "BODY", "FAINT", "FORBIDDEN", "INK", "OBJECT_COLOURS", "SELF", "STYLE", "TOOL", "colour"]

# Okabe & Ito, "Color Universal Design", 2008: distinguishable with every common colour vision.
JOINT_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#8C6D31", "#6A51A3")
OBJECT_COLOURS = ("#D8C6A5", "#A9B0B8", "#A884C0", "#A3C07F", "#CF9583", "#7FA3C4")
FORBIDDEN = "#D62728"
INK = "#222222"
FAINT = "#D9D9D9"
TOOL = "#D55E00"
ARM = "#2C6BA0"
SELF = "#8C6D31"
BODY = "#AEB6BF"

STYLE: Any = {"font.size": 11, "axes.titlesize": 12, "axes.labelsize": 11}


def colour(joint: int) -> str:
    """The colour of a joint in every panel."""
    return JOINT_COLOURS[joint % len(JOINT_COLOURS)]
