"""Propose home and ready poses for robots, as an aid to whoever writes ``facts/choices/<name>.py``.

    python tools/robots/propose.py [ROBOT ...]

Prints per robot a home pose (few joints off zero) and a ready pose (tool in front of the base and pointing down, away
from joint limits and singularities), both on a grid of 15°, free of self-contact, clear of the floor, with a free
straight motion between them; and what is wrong with the vendor's poses. Nothing is written: a person decides. Seeded,
so the same data give the same proposals. Needs what ``verify.py`` needs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from math import pi

import numpy as np
import pinocchio as pin
from decisions import names
from derive import fault_of, vendor_poses, vendor_values
from verify import FLOOR_CLEARANCE, Model, check_motion

GRID = pi / 12.0
LIMIT_MARGIN = pi / 12.0
"""rad; poses keep this far from the ends of a joint's range where the range allows it."""
CLEARANCE = 0.005
"""m; a proposed pose keeps links this far apart, so that rounding cannot make them touch."""
DRAWS = 6000
KEPT = 60
"""Best candidates that are looked at for contacts."""
SEED = 20261121


class Search:
    """Grid poses of the default group of one robot, judged by where the tool is."""

    def __init__(self, model: Model) -> None:
        """Prepare grid, reach and tool axis of a robot."""
        self.model = model
        self.names = model.joints(model.default_group)
        self.grids = [self.grid(model.tree.joint[name]) for name in self.names]
        self.tip, self.base = model.tree.facts["tip"], model.tree.facts["base"]
        self.rng = np.random.default_rng(SEED)
        self.axis = self.tool_axis()
        spots = [self.tool(self.draw())[0] for _ in range(500)]
        self.reach = max(float(np.linalg.norm(spot)) for spot in spots)
        stretched = self.tool([grid[0] for grid in self.grids])[0][:2]
        out = float(np.linalg.norm(stretched))
        self.front = stretched / out if out > 0.2 * self.reach else np.array([1.0, 0.0])

    def grid(self, joint: dict) -> list[float]:
        """Multiples of 15° inside the limits of a joint, zero first."""
        lower, upper = max(joint.get("lower", -pi), -pi), min(joint.get("upper", pi), pi)
        margin = min(LIMIT_MARGIN, (upper - lower) / 4.0)
        steps = range(int(np.ceil((lower + margin) / GRID - 1e-9)), int(np.floor((upper - margin) / GRID + 1e-9)) + 1)
        return [step * GRID for step in sorted(steps, key=abs)]

    def place(self, q: list[float]) -> None:
        """Pose the robot; joints outside the group are where the home pose of the model leaves them."""
        self.model.place({**self.model.rest, **dict(zip(self.names, q))})

    def tool_axis(self) -> np.ndarray:
        """The axis of the tip's frame that points away from the arm: the one nearest to the way from the last links."""
        self.place([grid[0] for grid in self.grids])
        path = self.model.tree.path_up(self.tip)
        tip = self.model.frame(self.tip)
        away = next(
            way
            for way in (tip.translation - self.model.frame(joint["parent"]).translation for joint in path)
            if np.linalg.norm(way) > 1e-3
        )
        local = tip.rotation.T @ away
        axis = np.zeros(3)
        axis[np.argmax(np.abs(local))] = np.sign(local[np.argmax(np.abs(local))])
        return axis

    def draw(self) -> list[float]:
        """A random grid pose, about half of its joints at the grid value next to zero."""
        return [grid[0] if self.rng.random() < 0.5 else float(self.rng.choice(grid)) for grid in self.grids]

    def tool(self, q: list[float]) -> tuple[np.ndarray, float]:
        """Position of the tip in the base frame, and how much the tool points down (1: straight down)."""
        self.place(q)
        tip = self.model.frame(self.base).actInv(self.model.frame(self.tip))
        return tip.translation, -float((tip.rotation @ self.axis)[2])

    def spread(self, q: list[float]) -> float:
        """How far the tip is from a singular pose: the least singular value of its Jacobian's moving directions."""
        robot, data = self.model.pin, self.model.data
        self.place(q)
        pin.computeJointJacobians(robot, data)
        whole = pin.getFrameJacobian(robot, data, robot.getFrameId(self.tip, pin.BODY), pin.LOCAL_WORLD_ALIGNED)
        columns = [robot.joints[robot.getJointId(name)].idx_v for name in self.names]
        return float(np.linalg.svd(whole[:, columns] * np.array([[1.0 / self.reach]] * 3 + [[1.0]] * 3))[1][-1])

    def cost(self, q: list[float]) -> float:
        """How little a pose is a working pose: tool down, in front, at middle reach and height, few joints off zero."""
        spot, down = self.tool(q)
        out = float(np.hypot(spot[0], spot[1])) / self.reach
        behind = 0.5 if self.front @ spot[:2] < 0.5 * np.hypot(spot[0], spot[1]) else 0.0
        off_zero = sum(value != grid[0] for value, grid in zip(q, self.grids))
        place = abs(out - 0.55) + abs(spot[2] / self.reach - 0.3)
        singular = max(0.0, 0.1 - self.spread(q)) * 5.0
        return 3.0 * (1.0 - down) + place + behind + 0.06 * off_zero + singular

    def improved(self, q: list[float]) -> list[float]:
        """The best pose that single grid steps from here lead to."""
        best, least = q, self.cost(q)
        while True:
            found = False
            for index, grid in enumerate(self.grids):
                for value in {grid[0], *(v for v in grid if abs(v - best[index]) <= 2.1 * GRID)}:
                    other = [*best[:index], value, *best[index + 1 :]]
                    if (cost := self.cost(other)) < least - 1e-9:
                        best, least, found = other, cost, True
            if not found:
                return best

    def fault(self, q: list[float]) -> str:
        """What keeps a pose from being used; empty when nothing does."""
        values = {**self.model.rest, **dict(zip(self.names, q))}
        gap, ab = self.model.nearest(values)
        if gap < CLEARANCE:
            return (
                f"the hulls of {ab} overlap by {-gap * 1e3:.0f} mm"
                if gap <= 0.0
                else f"{ab} are {gap * 1e3:.1f} mm apart"
            )
        height = self.model.above_floor(values, self.model.moved_by(self.model.default_group))
        return "" if height >= FLOOR_CLEARANCE else f"a link is {height * 1e3:.0f} mm above the floor"

    def ready(self) -> Iterator[list[float]]:
        """Free working poses, best first."""
        drawn = sorted((self.draw() for _ in range(DRAWS)), key=self.cost)[:KEPT]
        best = sorted({tuple(self.improved(q)) for q in drawn[: KEPT // 3]} | {tuple(q) for q in drawn})
        yield from (list(q) for q in sorted(best, key=lambda q: self.cost(list(q))) if not self.fault(list(q)))

    def home(self) -> Iterator[list[float]]:
        """Free poses with few joints off zero."""
        drawn = {tuple(grid[0] for grid in self.grids), *(tuple(self.draw()) for _ in range(400))}

        def bends(q: tuple[float, ...]) -> tuple[int, float]:
            return sum(v != grid[0] for v, grid in zip(q, self.grids)), sum(abs(v) for v in q)

        yield from (list(q) for q in sorted(drawn, key=bends) if not self.fault(list(q)))


def propose(name: str) -> None:
    """Print what was found for one robot."""
    search = Search(Model(name))
    model = search.model
    print(name)
    homes = []
    for group in model.choices.groups:
        for pose in vendor_poses(model.tree, model.choices, group):
            why = fault_of(model.tree, model.choices, group, pose)
            if not why and group == model.default_group:
                values = vendor_values(model.choices, pose)
                q = [values[joint] for joint in search.names]
                why = search.fault(q)
                homes += [q] if pose["name"] == "home" and not why else []
            print(f"  vendor {group}.{pose['name']}: {why or 'usable'}")
    readies = list(search.ready())[:5]
    for home in [*homes, *list(search.home())[:5]]:
        for ready in readies:
            if not check_motion(model, model.default_group, np.array(home), np.array(ready), quiet=True):
                spot, down = search.tool(ready)
                print(f"  home {np.degrees(home).round(2).tolist()}{' (vendor)' if home in homes else ''}")
                print(f"  ready {np.degrees(ready).round(2).tolist()} at {spot.round(3).tolist()}, down {down:.3f}")
                return
    print("  nothing found")


def main() -> int:
    """Propose for the robots asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("robots", nargs="*", default=names(), metavar="ROBOT")
    for name in parser.parse_args().robots:
        propose(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
