"""The form of what we decide about a robot, and where the decisions about each one are.

``facts/choices/<name>.py`` holds ``CHOICES``, one :class:`Choices`; what several robots have in common stands in
``facts/families/``. Everything else in ``robot_configs/`` follows from ``facts/<name>.json``. Angles are radians.
Python 3.9, standard library.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from pathlib import Path

SECONDS_TO_FULL_SPEED = 0.5
"""Where nobody publishes an acceleration, a joint reaches its full speed in this time: a cautious, common value."""
UNKNOWN_SPEED = {"prismatic": 0.25}
"""m/s; the speed from which the acceleration of a joint of unknown speed follows."""
UNKNOWN_TURNING_SPEED = 1.0
"""rad/s; the same for joints that turn. Loaders assume these speeds as well."""


@dataclass(frozen=True)
class Group:
    """A planning group: the moving joints from ``chain[0]`` to ``chain[1]``, or the named joints."""

    chain: tuple[str, str] | None = None
    joints: tuple[str, ...] | None = None
    vendor: str | None = None
    """Name of the same group in the vendor's SRDF; its named poses become poses of this group."""


@dataclass(frozen=True)
class Tool:
    """Where things are held: the frame of ``link``, seen from ``parent_link``, at the end of ``parent_group``."""

    name: str
    parent_group: str
    parent_link: str
    link: str


@dataclass(frozen=True)
class Choices:
    """Our decisions about one robot."""

    maker: str
    product: str
    licence: str
    groups: dict[str, Group]
    default_group: str
    poses: dict[str, dict[str, list[float]]]
    """Our poses by group and name; one of these replaces a vendor's pose of the same name."""
    tools: tuple[Tool, ...]
    """End effectors; the first is the one of the default group."""
    names: dict[str, str] = field(default_factory=dict)
    """Names to ask for and the default group that each selects; empty when the robot is called like its folder."""
    references: tuple[str, ...] = ()
    """Folders of reference data when they are not called like the robot; the first holds the whole tree."""
    invalid_vendor_poses: dict[str, str] = field(default_factory=dict)
    """Vendor poses that are not carried over, each with the reason. Those that lack a joint of the group, or leave
    its limits, need not be named."""
    srdf_prefix: tuple[str, str] = ("", "")
    """Prefix of names in the SRDF, and what it is in the description that the other facts come from."""
    acceleration: dict[str, float] = field(default_factory=dict)
    """Published accelerations that replace those of the facts, rad/s² or m/s²."""
    jerk: dict[str, float] = field(default_factory=dict)
    """Published jerk limits, rad/s³."""
    always_in_contact: tuple[tuple[str, str], ...] = ()
    """Pairs whose shapes overlap in every configuration (``verify.py`` measures this), beyond adjacent ones."""
    placeholder_inertials: str = ""
    """Why the source's inertials are not those of the robot; empty when they may be."""
    quality: str = ""
    """One sentence on the data, for ``kinetic.toml``."""
    remarks: tuple[str, ...] = ()
    """Further sentences, for the notes page."""


def names() -> list[str]:
    """The robots that have choices, sorted."""
    return sorted(path.stem for path in (Path(__file__).resolve().parent / "facts" / "choices").glob("*.py"))


def load(name: str) -> Choices:
    """The choices about a robot."""
    choices: Choices = importlib.import_module(f"facts.choices.{name}").CHOICES
    return choices
