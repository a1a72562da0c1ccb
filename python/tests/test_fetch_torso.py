"""The torso of the built-in fetch beside its shoulder: as free as the meshes of the source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kinetic import Robot, Scene

PAIR = ["torso_lift_link", "shoulder_lift_link"]
FACTS = Path(__file__).resolve().parents[2] / "robot_configs" / "fetch" / "pairs.json"

MESHES = [
    ([0.05, 1.32, 1.4, -0.2, 1.72, 0.0, 1.66, 0.0], 0.0273),
    ([0.1, 1.6, -1.2, 0.0, 1.0, 0.0, 1.0, 0.0], 0.0114),
    ([0.0, 1.6, 1.5, 0.0, 1.0, 0.0, 1.0, 0.0], 0.0114),
    ([0.0, 0.9, 1.5, 0.0, 1.0, 0.0, 1.0, 0.0], 0.0176),
    ([0.0, 0.0, 1.5, 0.0, 1.0, 0.0, 1.0, 0.0], 0.0175),
]
"""Configurations, the first of them the vendor's tucked pose, and distances (m) of the two collision meshes of
fetch_description by Coal 3.0.3, to 0.1 mm."""


@pytest.mark.parametrize(("q", "distance"), MESHES)
def test_the_shoulder_does_not_touch_the_torso_where_the_meshes_do_not(q: list[float], distance: float) -> None:
    contacts = Scene(Robot("fetch")).contacts(q)
    assert not any(set(PAIR) == {contact["link"], contact["other"]} for contact in contacts)
    # What the pieces are proven to keep in all configurations, the meshes keep too: the pieces contain them.
    proven = [keeps for *links, keeps in json.loads(FACTS.read_text())["never"] if links == PAIR]
    assert len(proven) == 1 and 0.0 < proven[0] <= distance


def test_the_tucked_arm_is_free() -> None:
    assert not Scene(Robot("fetch")).check_collision(MESHES[0][0])
