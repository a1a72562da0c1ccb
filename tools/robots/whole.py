"""What is special about robots whose reference data lie in several folders, one per arm.

Python 3.9, standard library.
"""

from __future__ import annotations

from tree import Json


def published_accelerations(tables: list[Json]) -> dict[str, float]:
    """Accelerations by joint, from the ``facts.json`` of every arm."""
    limits = {joint["name"]: joint.get("published_acceleration_limit") for facts in tables for joint in facts["joints"]}
    return {name: limit for name, limit in limits.items() if limit is not None}


def telescopes(facts: Json) -> dict[str, Json]:
    """Joints that a description has as independent ones although one drive moves them together: each but the first
    follows the first."""
    rows = [(row["urdf"], row["scale"]) for row in facts.get("effective_joints", [])]
    return {
        name: {"joint": joints[0], "multiplier": scale / scales[0], "offset": 0.0}
        for joints, scales in rows
        for name, scale in list(zip(joints, scales))[1:]
    }


def finest(tables: list[list[Json]]) -> list[Json]:
    """The pieces of every link from the table that splits it most: each arm has a table that is fine for that arm."""
    best: dict[str, list[Json]] = {}
    for table in tables:
        links: dict[str, list[Json]] = {}
        for piece in table:
            links.setdefault(piece["link"], []).append(piece)
        best.update({link: pieces for link, pieces in links.items() if len(pieces) > len(best.get(link, []))})
    return [piece for pieces in best.values() for piece in pieces]
