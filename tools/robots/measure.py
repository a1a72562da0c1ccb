"""Measure the built-in robots: reach, self-contact, spheres and their excess, and how often the numerical IK arrives.

    python tools/robots/measure.py [--samples 1000] [--ik 1000] [ROBOT ...]

Writes ``facts/measured/figures.json``, from which ``tools/robots_table.py`` makes the table of the documentation,
and the table of self-contact in ``README.md``. Seeded, so all but the machine and the date come out the same. Robots
that are not named keep their rows. Needs what ``verify.py`` needs, and kinetic itself.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sys
from collections import Counter
from pathlib import Path

import coal
import numpy as np
from decisions import load, names
from tree import Json
from verify import SEED, Model, sample

FOLDER = Path(__file__).resolve().parent / "facts" / "measured"
MEASURED = FOLDER / "figures.json"
README = Path(__file__).resolve().parent / "README.md"
BEGIN, END = "<!-- begin of the table; written by measure.py -->\n", "<!-- end of the table -->\n"
REFERENCE = FOLDER / "reference.json"

REACH_STARTS = 40
"""Random configurations from which the tip is moved outwards."""
SURFACE = 400
"""Points on each sphere whose distance to the hulls is measured."""


def reach(model: Model) -> float:
    """The largest distance of the tip from the first joint's origin that is found by moving joints one by one, m."""
    rng = np.random.default_rng(SEED)
    joints = model.joints(model.default_group)
    first, tip = model.tree.joint[joints[0]]["child"], model.tree.facts["tip"]

    def distance(values: dict[str, float]) -> float:
        model.place(values)
        return float(np.linalg.norm(model.frame(tip).translation - model.frame(first).translation))

    best = 0.0
    for _ in range(REACH_STARTS):
        values = sample(model, joints, rng)
        longest = distance(values)
        for step in (0.5, 0.1, 0.02, 0.004):
            moved = True
            while moved:
                moved = False
                for name in joints:
                    joint = model.tree.joint[name]
                    for change in (-step, step):
                        value = np.clip(values[name] + change, joint.get("lower", -np.inf), joint.get("upper", np.inf))
                        other = {**values, name: float(value)}
                        if (found := distance(other)) > longest + 1e-7:
                            values, longest, moved = other, found, True
        best = max(best, longest)
    return best


def contact(model: Model, samples: int) -> Json:
    """Shares of random configurations that touch themselves: as shipped, and without the vendor's exceptions."""
    rng = np.random.default_rng(SEED)
    joints = model.joints(model.default_group)
    shipped, all_pairs = 0, 0
    counts: Counter[str] = Counter()
    for _ in range(samples):
        model.place(sample(model, joints, rng))
        found = model.distances([*model.checked, *model.skipped], beyond=0.0)
        hits = {ab for ab, gap in found.items() if gap <= 0.0}
        all_pairs += bool(hits)
        shipped += bool(hits - set(model.skipped))
        counts.update("–".join(ab) for ab in hits - set(model.skipped))
    most = [[pair, round(count / samples, 4)] for pair, count in counts.most_common(1)]
    return {"share": round(shipped / samples, 4), "all_pairs": round(all_pairs / samples, 4), "most": most}


def directions(count: int) -> np.ndarray:
    """Points spread over the unit sphere on a spiral."""
    heights = 1.0 - 2.0 * (np.arange(count) + 0.5) / count
    angles = np.pi * (1.0 + 5.0**0.5) * np.arange(count)
    rings = np.sqrt(1.0 - heights**2)
    return np.column_stack([rings * np.cos(angles), rings * np.sin(angles), heights])


def excess(model: Model) -> tuple[int, float, float]:
    """Number of spheres, and how far they reach beyond the hulls of their links: median over links and largest, mm.

    Measured at points on the spheres that lie in no other sphere of the link.
    """
    spheres: dict[str, list[list[float]]] = json.loads((model.folder / "spheres.json").read_text("utf-8"))["links"]
    point, per_link = coal.Sphere(1e-9), []
    for link, balls in spheres.items():
        centers, radii = np.array(balls)[:, :3], np.array(balls)[:, 3]
        worst = 0.0
        for center, radius in zip(centers, radii):
            spots = center + radius * directions(SURFACE)
            depth = np.linalg.norm(spots[:, None] - centers[None], axis=2) - radii[None]
            for spot in spots[(depth > -1e-9).all(axis=1)]:
                at = coal.Transform3s(np.eye(3), spot)
                gaps = (
                    coal.distance(
                        point, at, shape, coal.Transform3s(turn, place), coal.DistanceRequest(), coal.DistanceResult()
                    )
                    for shape, place, turn, _ in model.shapes[link]
                )
                worst = max(worst, min(gaps))
        per_link.append(worst)
    return sum(len(balls) for balls in spheres.values()), float(np.median(per_link)) * 1e3, max(per_link) * 1e3


def ik_share(name: str, cases: int) -> float:
    """The share of random reachable poses that ``Robot.ik`` reaches from its own seeds."""
    import kinetic

    robot = kinetic.Robot(next(iter(load(name).names), name))
    reached = 0
    for case in range(cases):
        target = robot.fk(robot.random_configuration(rng_seed=1000 + case))
        try:
            robot.ik(target)
        except kinetic.IKError:
            continue
        reached += 1
    return reached / cases


def measure(name: str, samples: int, cases: int) -> Json:
    """All figures of one robot."""
    model = Model(name)
    count, middle, largest = excess(model)
    return {
        "reach": round(reach(model), 3),
        "contact": contact(model, samples),
        "spheres": count,
        "excess_median_mm": round(middle, 1),
        "excess_largest_mm": round(largest, 1),
        "ik": round(ik_share(name, cases), 4),
    }


def readme(rows: dict[str, Json]) -> str:
    """The table of self-contact."""
    reference: dict[str, float] = json.loads(REFERENCE.read_text("utf-8"))["share"]
    lines = [
        "| robot | in self-contact | without the vendor's exceptions | reference | most frequent pair |\n",
        "|---|---|---|---|---|\n",
    ]
    for name, row in rows.items():
        most = "".join(f"{pair} {share:.1%}" for pair, share in row["contact"]["most"]).replace("%", " %")
        known = f"{reference[name]:.1%}".replace("%", " %") if name in reference else ""
        shares = " | ".join(f"{row['contact'][key] * 100:.1f} %" for key in ("share", "all_pairs"))
        lines.append(f"| {name} | {shares} | {known} | {most} |\n")
    return "".join(lines)


def main() -> int:
    """Measure the robots asked for and write both files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--samples", type=int, default=1000, help="random configurations for self-contact")
    parser.add_argument("--ik", type=int, default=1000, help="random poses for inverse kinematics")
    parser.add_argument("robots", nargs="*", default=names(), metavar="ROBOT")
    options = parser.parse_args()
    old: Json = json.loads(MEASURED.read_text("utf-8")) if MEASURED.is_file() else {"robots": {}}
    rows = old["robots"]
    for name in options.robots:
        rows[name] = measure(name, options.samples, options.ik)
        print(name, rows[name], flush=True)
    rows = {name: rows[name] for name in names() if name in rows}
    about = {
        "date": datetime.date.today().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "samples": options.samples,
        "ik_cases": options.ik,
    }
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row, ensure_ascii=False)}" for name, row in rows.items())
    MEASURED.write_text(f'{{\n "about": {json.dumps(about)},\n "robots": {{\n{lines}\n }}\n}}\n', "utf-8")
    page = README.read_text("utf-8")
    before, _, rest = page.partition(BEGIN)
    README.write_text(f"{before}{BEGIN}\n{readme(rows)}\n{END}{rest.partition(END)[2]}", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
