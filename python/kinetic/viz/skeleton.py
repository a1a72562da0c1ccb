"""The arm as a polyline: root, one link per joint, tip."""

from __future__ import annotations

import numpy as np

from .. import Robot

__all__ = ["arm_links", "arm_polyline"]

# Joint step used to see which links a joint moves, rad or m, and the change of a pose that counts as a motion: between
# rounding (1e-15) and what the step does to the closest link (rotation matrix entries change by ~1e-2).
PROBE_STEP = 1e-2
MOVED = 1e-9


def arm_links(robot: Robot) -> list[str]:
    """Names of the links to connect, from the root over the first link behind each joint to the tip.

    A robot does not tell its tree, so this looks at which links each joint moves: the link behind joint k is the first
    one that the joints up to k move and no later one does.
    """
    q = np.asarray(robot.mid_configuration(), dtype=float)
    before = robot.fk_all(q)
    depth = dict.fromkeys(robot.link_names, 0)
    for joint in range(robot.dof):
        probe = q.copy()
        probe[joint] += PROBE_STEP
        after = robot.fk_all(probe)
        for link in robot.link_names:
            if np.abs(after[link] - before[link]).max() > MOVED:
                depth[link] = joint + 1
    first = [next((link for link in robot.link_names if depth[link] == k), None) for k in range(robot.dof + 1)]
    return [link for link in [*first, tip_link(robot, q)] if link is not None]


def tip_link(robot: Robot, q: np.ndarray) -> str | None:
    """The link whose pose ``fk`` gives when none is named; None when a tool frame lies in between."""
    tip = np.asarray(robot.fk(q))
    poses = ((link, np.asarray(robot.fk(q, link=link))) for link in reversed(robot.link_names))
    return next((link for link, pose in poses if np.abs(pose - tip).max() < MOVED), None)


def arm_polyline(robot: Robot, links: list[str], q: np.ndarray) -> np.ndarray:
    """Origins of ``links`` at ``q`` in the root frame, of shape (len(links), 3), m."""
    poses = robot.fk_all(q)
    return np.array([poses[link][:3, 3] for link in links])
