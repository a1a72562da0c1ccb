"""Compares inverse kinematics of kinetic and of other libraries on the same poses in one run.

    python benches/ik_peers.py               # prints the table
    python benches/ik_peers.py --write       # writes it into docs-site/benchmarks.md

Every library gets an environment of its own under ``target/ik_peers``, made when it is missing, because their pins
conflict. Poses are those of seeded random configurations inside the limits. A pose counts as solved when one of the
rows that a solver returns reaches it within 1e-4 m and 1e-3 rad and, after whole turns, lies inside the limits; the
same is counted with 1e-6 m and rad. That is decided here, by forward kinematics from the robot's file, and not by the
solver. Times are those of one call from
Python. A library that cannot be installed, or that does not take a robot, is named.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np

import kinetic

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benches"), str(ROOT / "python" / "tests")]

from figures import replace_section  # noqa: E402
from ik_peers_worker import SOLVERS  # noqa: E402
from oracles import FOLDERS, chain_of, numbers, relative_pose, urdf  # noqa: E402

PAGE = ROOT / "docs-site" / "benchmarks.md"
FOLDER = ROOT / "target" / "ik_peers"
REQUIREMENTS = {
    "EAIK": "eaik==1.2.2",
    "ik-geo": "ik-geo==1.0.3",
    "ssik": "ssik[urdf]==8.2.0",
    "TRAC-IK": "pytracik",
    "roboplan": "roboplan",
    "roboticstoolbox": "roboticstoolbox-python",
}
# Robots with the class that ik-geo has to be told.
ROBOTS = {
    "ur5e": "three_parallel_two_intersecting",
    "abb_irb1200": "spherical_two_parallel",
    "franka_panda": None,
    "kuka_iiwa14": None,
    "fetch": None,
}
SIX_ONLY = {"EAIK", "ik-geo"}
MANY = {*SIX_ONLY, "kinetic, all", "ssik"}
"""Solvers that list branches: of arms with more than six joints, at samples of the self-motion."""
REACHED, EXACT = (1e-4, 1e-3), (1e-6, 1e-6)
"""Distance, m, and angle, rad."""
TIME_LIMIT = 600


def environment(name: str) -> tuple[str, str | None]:
    """The interpreter for a solver, and why there is none."""
    if name not in REQUIREMENTS:
        return sys.executable, None
    folder = FOLDER / name
    python = folder / "bin" / "python"
    ready = folder / "ready"
    if not ready.exists():
        print(f"making the environment of {name}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "numpy", REQUIREMENTS[name]]
        done = subprocess.run(install, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            return str(python), f"cannot be installed: {last_line(done.stderr)}"
        ready.touch()
    return str(python), None


def last_line(text: str) -> str:
    """What a failed command says at last."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no message")


def job(name: str, count: int) -> dict[str, Any]:
    """What a worker needs to know about a robot, and the poses."""
    robot = kinetic.Robot(name)
    root, (base, tip) = urdf(name), chain_of(name, robot.group)
    joints = {joint.get("name"): joint for joint in root.iter("joint")}
    axes, points = [], []
    for joint in (joints[joint] for joint in robot.joint_names):
        pose = relative_pose(root, base, joint.find("child").get("link"), {})
        axis = pose[:3, :3] @ numbers(joint.find("axis"), "xyz", "1 0 0")
        axes.append((axis / np.linalg.norm(axis)).tolist())
        points.append(pose[:3, 3].tolist())
    limits = np.clip(robot.joint_limits, -2.0 * np.pi, 2.0 * np.pi)
    configurations = np.random.default_rng(0).uniform(limits[:, 0], limits[:, 1], (count, robot.dof))
    targets = [relative_pose(root, base, tip, dict(zip(robot.joint_names, q))) for q in configurations]
    return {
        "robot": name,
        "urdf": str(bare_file(name)),
        "base": base,
        "tip": tip,
        "joints": robot.joint_names,
        "limits": robot.joint_limits.tolist(),
        "neutral": limits.mean(axis=1).tolist(),
        "axes": axes,
        "points": points,
        "home": relative_pose(root, base, tip, {}).tolist(),
        "at_neutral": relative_pose(root, base, tip, dict(zip(robot.joint_names, limits.mean(axis=1)))).tolist(),
        "class": ROBOTS.get(name),
        "targets": [target.tolist() for target in targets],
    }


def bare_file(name: str) -> Path:
    """The robot's file without shapes, whose meshes not every library finds."""
    tree = ElementTree.parse(FOLDERS[name] / "robot.urdf")
    for link in tree.getroot().iter("link"):
        for kind in ("visual", "collision"):
            for shape in link.findall(kind):
                link.remove(shape)
    file = FOLDER / f"{name}.urdf"
    tree.write(file)
    return file


def errors(robot: dict[str, Any], q: np.ndarray, target: np.ndarray) -> tuple[float, float]:
    """Distance and angle between the pose of a row and its target."""
    reached = relative_pose(urdf(robot["robot"]), robot["base"], robot["tip"], dict(zip(robot["joints"], q)))
    turn = reached[:3, :3].T @ target[:3, :3]
    # The Frobenius norm of R - 1 is √2 times a small angle.
    angle = np.linalg.norm(turn - np.eye(3)) / np.sqrt(2.0)
    return float(np.linalg.norm(reached[:3, 3] - target[:3, 3])), float(angle)


def within(error: tuple[float, float], most: tuple[float, float]) -> bool:
    """Whether distance and angle are small enough; NaN is not."""
    return error[0] <= most[0] and error[1] <= most[1]


def is_inside(robot: dict[str, Any], q: np.ndarray) -> bool:
    """Whether a row lies inside the limits after whole turns."""
    turns = q[:, None] + 2.0 * np.pi * np.arange(-2, 3)
    limits = np.array(robot["limits"])
    inside = (turns >= limits[:, :1] - 1e-9) & (turns <= limits[:, 1:] + 1e-9)
    return bool(inside.any(axis=1).all())


def run(name: str, robot: dict[str, Any]) -> dict[str, Any]:
    """Times and verdicts of one solver on one robot, or why there are none."""
    if name in SIX_ONLY and len(robot["joints"]) != 6:
        return {"note": "takes six joints only"}
    python, note = environment(name)
    if note is not None:
        return {"note": note}
    files = [FOLDER / f"{kind}.json" for kind in ("job", "answer")]
    files[0].write_text(json.dumps(robot), "utf-8")
    command = [python, str(ROOT / "benches" / "ik_peers_worker.py"), name, *map(str, files)]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=TIME_LIMIT, cwd=FOLDER)
    except subprocess.TimeoutExpired:
        return {"note": f"did not end within {TIME_LIMIT} s"}
    if done.returncode != 0:
        return {"note": f"failed: {last_line(done.stderr)}"}
    return verdict(robot, json.loads(files[1].read_text("utf-8")))


def verdict(robot: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """Solved poses, rows that do not reach theirs, and times."""
    solved = exact = wrong = 0
    for target, rows in zip(robot["targets"], answer["rows"]):
        off = [errors(robot, np.array(q), np.array(target)) for q in rows]
        inside = [is_inside(robot, np.array(q)) for q in rows]
        solved += any(within(error, REACHED) and fits for error, fits in zip(off, inside))
        exact += any(within(error, EXACT) and fits for error, fits in zip(off, inside))
        wrong += sum(not within(error, REACHED) for error in off)
    times = sorted(1e6 * second for second in answer["seconds"])
    return {
        "version": answer["version"],
        "solved": solved / len(times),
        "exact": exact / len(times),
        "wrong": wrong,
        "rows": statistics.mean(len(rows) for rows in answer["rows"]),
        "median": statistics.median(times),
        "mean": statistics.mean(times),
        "p99": times[int(0.99 * (len(times) - 1))],
    }


def lines_of(name: str, results: dict[str, dict[str, Any]]) -> list[str]:
    """The rows of a robot, with times relative to those of kinetic for the same question: all branches, or one."""
    lines = []
    for solver, result in results.items():
        if "note" in result:
            lines.append(f"| {name} | {solver} | {result['note']} |  |  |  |  |  |  |  |")
            continue
        own = results.get("kinetic, all" if solver in MANY else "kinetic, one", {})
        ratio = f"{result['median'] / own['median']:.2f}" if "median" in own else "–"
        cells = [
            name,
            f"{solver} {result['version']}",
            *(f"{100.0 * result[key]:.1f} %" for key in ("solved", "exact")),
        ]
        cells += [
            str(result["wrong"]),
            f"{result['rows']:.1f}",
            *(f"{result[key]:.1f}" for key in ("median", "mean", "p99")),
            ratio,
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", nargs="*", default=list(ROBOTS), help="only these")
    parser.add_argument("--solvers", nargs="*", default=list(SOLVERS), help="only these")
    parser.add_argument("--poses", type=int, default=200, help="poses per robot")
    parser.add_argument("--write", action="store_true", help="write the table into docs-site/benchmarks.md")
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    table = [
        f"Poses of {arguments.poses} random configurations per robot.",
        "",
        "| robot | solver | solved | to 1e-6 | wrong rows | rows | median, µs | mean, µs | p99, µs | / kinetic |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name in arguments.robots:
        robot = job(name, arguments.poses)
        lines = lines_of(name, {solver: run(solver, robot) for solver in arguments.solvers})
        print("\n".join(lines), flush=True)
        table += lines
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "ik_peers", "\n".join(table)))


if __name__ == "__main__":
    main()
