"""The extracted facts of a robot and the few questions that generator and verifier both ask about its tree.

Python 3.9, standard library.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Pair = tuple[str, str]

FOLDER = Path(__file__).resolve().parent / "facts"


def pair(a: str, b: str) -> Pair:
    """Two link names in alphabetical order: a pair has no direction."""
    return (a, b) if a <= b else (b, a)


class Tree:
    """Links and joints of one robot as ``facts/<name>.json`` gives them, a parent before its children."""

    def __init__(self, facts: Json) -> None:
        """Index the content of a facts file."""
        self.facts = facts
        self.root: str = facts["root"]
        self.links: list[str] = [link["name"] for link in facts["links"]]
        self.joints: list[Json] = facts["joints"]
        self.joint: dict[str, Json] = {joint["name"]: joint for joint in self.joints}
        self.joint_above: dict[str, Json] = {joint["child"]: joint for joint in self.joints}
        self.hulls: dict[str, list[Json]] = {}
        for piece in facts["hulls"]:
            self.hulls.setdefault(piece["link"], []).append(piece)

    @classmethod
    def load(cls, name: str) -> Tree:
        """The tree of a robot by its configuration name, such as ``"ur5e"``."""
        return cls(json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")))

    def goldens(self) -> list[Json]:
        """Tables of golden poses: of the default chain, and of the other arms of the robot."""
        return [self.facts["golden"], *self.facts.get("more_goldens", [])]

    def rigid_root(self, link: str) -> str:
        """The topmost link that no moving joint separates from ``link``."""
        while link in self.joint_above and self.joint_above[link]["type"] == "fixed":
            link = str(self.joint_above[link]["parent"])
        return link

    def body_above(self, body: str) -> str | None:
        """The rigid body on the other side of the moving joint that carries ``body``; None for the base body."""
        joint = self.joint_above.get(body)
        return None if joint is None else self.rigid_root(str(joint["parent"]))

    def is_rigid_or_adjacent(self, a: str, b: str) -> bool:
        """True when at most one moving joint lies between two links.

        Loaders find these pairs by themselves: links of one rigid body cannot move against each other, and links
        that share a moving joint touch where the joint is.
        """
        bodies = self.rigid_root(a), self.rigid_root(b)
        return (
            bodies[0] == bodies[1] or self.body_above(bodies[0]) == bodies[1] or self.body_above(bodies[1]) == bodies[0]
        )

    def path_up(self, link: str) -> list[Json]:
        """The joints from ``link`` up to the root."""
        path = []
        while link in self.joint_above:
            path.append(self.joint_above[link])
            link = str(path[-1]["parent"])
        return path

    def chain(self, base: str, tip: str) -> list[Json]:
        """The joints from ``base`` down to ``tip``; ``base`` must be above ``tip``."""
        path: list[Json] = []
        for joint in self.path_up(tip):
            path.insert(0, joint)
            if joint["parent"] == base:
                return path
        if base == tip:
            return []
        raise ValueError(f"link {base!r} is not above link {tip!r}")
