"""Compare the whole tree of a robot with the description that its facts were read from.

    python -m pip install pin numpy
    python tools/robots/second_opinion.py --data DIR [ROBOT ...]

``DIR`` is the reference folder of ``extract.py``. Pinocchio reads both descriptions, poses all moving joints at random
and compares every link's pose and inertia, and every joint's limits. Robots of which the reference holds no description
are left out. The exit status is 1 if anything differs. Run once per change of the data.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin
from decisions import load, names
from derive import estimated_tensors
from tree import Tree

CONFIGS = Path(__file__).resolve().parents[2] / "robot_configs"
SAMPLES = 100
SEED = 20261121
POSE_TOLERANCE = 1e-9
"""Both are computed from the same numbers; trees of twenty joints round at 1e-15."""
LIMITS = ("lowerPositionLimit", "upperPositionLimit", "velocityLimit", "effortLimit")


class Side:
    """One description in Pinocchio."""

    def __init__(self, path: Path, root: str) -> None:
        """Read a URDF; poses are given in the frame of ``root``."""
        self.model = pin.buildModelFromUrdf(str(path))
        self.data = self.model.createData()
        self.root = root

    def place(self, values: dict[str, float]) -> None:
        """Set every moving joint by name and compute all frames."""
        q = pin.neutral(self.model)
        for index in range(1, self.model.njoints):
            joint, value = self.model.joints[index], values[self.model.names[index]]
            circle = np.array([np.cos(value), np.sin(value)])
            q[joint.idx_q : joint.idx_q + joint.nq] = circle if joint.nq == 2 else value
        pin.framesForwardKinematics(self.model, self.data, q)

    def frame(self, link: str) -> pin.SE3:
        """The pose of a link in the root."""

        def at(name: str) -> pin.SE3:
            return self.data.oMf[self.model.getFrameId(name, pin.BODY)]

        return at(self.root).actInv(at(link))

    def inertia(self, link: str) -> np.ndarray:
        """Spatial inertia of a link by itself, as Pinocchio read it."""
        matrix: np.ndarray = self.model.frames[self.model.getFrameId(link, pin.BODY)].inertia.matrix()
        return matrix

    def limits(self) -> dict[str, list[list[float]]]:
        """Limits by joint; a continuous joint has none of position."""
        table = {}
        for index in range(1, self.model.njoints):
            joint = self.model.joints[index]
            at = {1: (joint.idx_q, 1), 2: (joint.idx_q, 0)}[joint.nq]
            spans = [at, at, (joint.idx_v, 1), (joint.idx_v, 1)]
            rows = [getattr(self.model, key)[first : first + count] for key, (first, count) in zip(LIMITS, spans)]
            table[self.model.names[index]] = [row.tolist() for row in rows]
        return table


def compare(name: str, ours: Side, theirs: Side) -> list[str]:
    """What differs."""
    tree, rng, worst = Tree.load(name), np.random.default_rng(SEED), 0.0
    for _ in range(SAMPLES):
        values = {joint: float(rng.uniform(-np.pi, np.pi)) for joint in ours.model.names}
        ours.place(values)
        theirs.place(values)
        gaps = [np.abs(ours.frame(link).homogeneous - theirs.frame(link).homogeneous).max() for link in tree.links]
        worst = max(worst, float(max(gaps)))
    print(f"{name}: {len(tree.links)} links, {ours.model.njoints - 1} joints, largest difference of a pose {worst:.1e}")
    faults = [f"poses differ by {worst}"] if worst > POSE_TOLERANCE else []
    mended = estimated_tensors(tree)
    massless = {link["name"] for link in tree.facts["links"] if link["inertial"] is None}
    for link in tree.links:
        if link not in mended and link not in massless and not np.allclose(ours.inertia(link), theirs.inertia(link)):
            faults.append(f"inertia of {link} differs")
    rows = theirs.limits()
    return faults + [f"limits of {joint} differ" for joint, row in ours.limits().items() if row != rows.get(joint)]


def main(arguments: list[str] | None = None) -> int:
    """Compare the robots asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="reference folder with one folder per robot")
    parser.add_argument("robots", nargs="*", default=names(), metavar="ROBOT")
    options = parser.parse_args(arguments)
    failed = False
    for name in options.robots:
        source: Path = options.data / (load(name).references or (name,))[0] / "source.urdf"
        if not source.is_file():
            continue
        root = Tree.load(name).root
        for fault in compare(name, Side(CONFIGS / name / "robot.urdf", root), Side(source, root)):
            failed = True
            print(f"  FAIL {fault}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
