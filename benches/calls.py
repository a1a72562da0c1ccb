"""What the calls that users write cost: first and later ones, by name, with robot, scene and planner.

    python benches/calls.py            # prints the tables
    python benches/calls.py --write    # writes them into docs-site/benchmarks.md
    python benches/calls.py --debug-builds [--write]   # a Rust program by how it was built; takes minutes

A plan goes from one random free configuration to another among eight balls, with the default planner, margins and time
law; the questions are the same in all rows of a robot, those that time out in 0.1 s are left out. Medians and
percentiles are over the calls, five seeds of the planner each. What a process does first is measured in processes of
its own, the median of seven; for robots of one's own without the cache, and with what an earlier process kept.
Memory is the largest that such a process had resident, beyond a bare one (Linux).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import kinetic

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

from figures import replace_section  # noqa: E402

PAGE = ROOT / "docs-site" / "benchmarks.md"
ROBOTS = ("ur5e", "franka_panda", "fetch")
QUESTIONS = 60
SEEDS = 5
PROCESSES = 7
BALLS = 8
TIMEOUT = 0.1
Question = tuple[np.ndarray, np.ndarray]

FIRST = """
import json, re, sys, time
# Not `getrusage`, which remembers the process that started this one.
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
bare = peak()
begin = time.perf_counter()
import kinetic
imported, small = time.perf_counter(), peak()
kinetic.plan(*sys.argv[1:])
first, planned = time.perf_counter(), peak()
kinetic.plan(*sys.argv[1:])
later = time.perf_counter()
print(json.dumps([imported - begin, first - imported, later - first, small - bare, planned - bare]))
"""

OWN = """
import json, sys, time, kinetic
begin = time.perf_counter()
kinetic.Scene(kinetic.Robot.from_urdf(sys.argv[1]))
print(json.dumps([time.perf_counter() - begin]))
"""

PROGRAM = """
use std::time::Instant;
use kinetic::prelude::*;

fn main() -> Result<()> {
    let start = [0.0, -1.57, 0.0, -1.57, 0.0, 0.0];
    for _ in 0..8 {
        let begin = Instant::now();
        kinetic::plan("ur5e", &start, &Goal::named("ready"))?;
        println!("{}", begin.elapsed().as_secs_f64());
    }
    Ok(())
}
"""

MANIFEST = """
[package]
name = "program"
version = "0.1.0"
edition = "2024"

[dependencies]
kinetic = {{ path = "{}" }}

[workspace]
"""

OPTIMISED = """
[profile.dev.package."*"]
opt-level = 3
"""

PRIMITIVES = (
    '<box size="0.06 0.08 0.18"/>',
    '<cylinder radius="0.04" length="0.18"/>',
    '<sphere radius="0.05"/>',
)


def among_balls(robot: kinetic.Robot) -> kinetic.Scene:
    """Balls around the robot, not at its base."""
    scene, rng = kinetic.Scene(robot), np.random.default_rng(5)
    for index in range(BALLS):
        angle, radius, height = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(0.45, 0.8), rng.uniform(0.1, 0.9)
        pose = np.eye(4)
        pose[:3, 3] = radius * np.cos(angle), radius * np.sin(angle), height
        scene.add(f"ball{index}", kinetic.Shape.sphere(0.08), pose)
    return scene


def questions(robot: kinetic.Robot, scene: kinetic.Scene) -> list[Question]:
    """Pairs of free configurations that a plan connects in time."""
    planner = kinetic.Planner(robot, scene, timeout=TIMEOUT)
    found: list[Question] = []
    seed = 0
    while len(found) < QUESTIONS:
        start, goal = (robot.random_configuration(rng_seed=seed + part) for part in (0, 1))
        seed += 2
        if planner.is_in_collision(start) or planner.is_in_collision(goal):
            continue
        try:
            planner.plan(start, goal, time_parameterize=False)
        except kinetic.PlanningError:
            continue
        found.append((start, goal))
    return found


def microseconds(call: Callable[[], Any]) -> float:
    """How long a call takes."""
    begin = time.perf_counter()
    call()
    return 1e6 * (time.perf_counter() - begin)


def row(name: str, times: list[float]) -> str:
    """A line of the table."""
    ordered = sorted(times)
    parts = [ordered[int(part * (len(ordered) - 1))] for part in (0.5, 0.95, 0.99)]
    return f"| {name} | " + " | ".join(f"{part:.0f}" if part >= 10 else f"{part:.1f}" for part in parts) + " |"


def plans(robot: kinetic.Robot, scene: kinetic.Scene) -> dict[str, list[float]]:
    """Times of plans among balls, call by call."""
    asked = questions(robot, scene)
    times: dict[str, list[float]] = {}
    for seed in range(SEEDS):
        planner = kinetic.Planner(robot, scene, rng_seed=seed)
        calls: dict[str, Callable[[Question], Any]] = {
            "`planner.plan(…, time_parameterize=False)`": lambda ends, planner=planner: planner.plan(
                *ends, time_parameterize=False
            ),
            "`planner.plan(…)`": lambda ends, planner=planner: planner.plan(*ends),
            "`kinetic.plan(robot, …, scene=scene)`": lambda ends, seed=seed: kinetic.plan(
                robot, *ends, scene=scene, rng_seed=seed
            ),
            "`planner.plan(…).certificate.min_clearance`": lambda ends, planner=planner: (
                planner.plan(*ends).certificate.min_clearance
            ),
        }
        for name, call in calls.items():
            times.setdefault(name, []).extend(microseconds(lambda ends=ends, call=call: call(ends)) for ends in asked)
    return times


def made(name: str, robot: kinetic.Robot) -> dict[str, list[float]]:
    """Times of what is made again for a robot that is known."""
    ends = ("home", "ready")
    calls: dict[str, Callable[[], Any]] = {
        f'`Robot("{name}")`': lambda: kinetic.Robot(name),
        "`Scene(robot)`": lambda: kinetic.Scene(robot),
        f'`kinetic.plan("{name}", …)`, nothing around': lambda: kinetic.plan(name, *ends),
    }
    return {what: [microseconds(call) for _ in range(300)] for what, call in calls.items()}


def moving(robot: kinetic.Robot, count: int) -> dict[str, list[float]]:
    """Times of moving one of many boxes and looking at a configuration."""
    scene, rng = kinetic.Scene(robot), np.random.default_rng(7)
    for index in range(count):
        pose = np.eye(4)
        pose[:3, 3] = rng.normal(size=3)
        pose[:3, 3] *= 2.0 / np.linalg.norm(pose[:3, 3])
        scene.add(f"box{index}", kinetic.Shape.box(0.05, 0.05, 0.05), pose)
    q = robot.named_pose("home")

    def once(step: int) -> None:
        pose[:3, 3] = 0.6, 0.3 * np.sin(0.02 * step), 0.9
        scene.update_pose("box3", pose)
        scene.check_collision(q)

    times = [microseconds(lambda step=step: once(step)) for step in range(2000)]
    return {f"`update_pose` and `check_collision`, {count} boxes": times}


def elsewhere(robot: kinetic.Robot, scene: kinetic.Scene) -> dict[str, list[float]]:
    """Times of looking at configurations of the whole robot whose other joints are not where the scene holds them."""
    whole = np.zeros(len(robot.active_joints))
    moved = [index for index, name in enumerate(robot.active_joints) if name not in robot.joint_names]
    if not moved:
        return {}
    own = [robot.active_joints.index(name) for name in robot.joint_names]
    whole[moved] += 0.01
    planner, rng = kinetic.Planner(robot, scene), np.random.default_rng(11)
    times: dict[str, list[float]] = {}
    for _ in range(1000):
        whole[own] = robot.random_configuration(rng_seed=int(rng.integers(1 << 30)))
        for what, call in {
            "`scene.check_collision(q)`, joints outside the group elsewhere": scene.check_collision,
            "`planner.is_in_collision(q)`, joints outside the group elsewhere": planner.is_in_collision,
        }.items():
            times.setdefault(what, []).append(microseconds(lambda call=call: call(whole)))
    return times


def first_calls(name: str, ends: tuple[str, str]) -> str:
    """What a process pays for its first plan, ms."""
    command = [sys.executable, "-W", "ignore", "-c", FIRST, name, *ends]
    *seconds, small, planned = first_call(command, "")
    times = " | ".join(f"{1e3 * part:.2f}" for part in seconds)
    return f"| `{name}` | {times} | {small:.1f} | {planned:.1f} |"


def chain(joints: int, shapes: Sequence[str]) -> str:
    """A URDF of links of 20 cm, one above the other, with shapes by turns and axes by turns."""
    links = "".join(
        f'<link name="l{index}"><collision><origin xyz="0 0 0.1"/><geometry>{shapes[index % len(shapes)]}</geometry>'
        "</collision></link>"
        for index in range(joints + 1)
    )
    turning = "".join(
        f'<joint name="j{index}" type="revolute"><parent link="l{index}"/><child link="l{index + 1}"/>'
        f'<origin xyz="0 0 0.2"/><axis xyz="{("0 0 1", "0 1 0", "1 0 0")[index % 3]}"/>'
        '<limit lower="-2" upper="2" velocity="1" effort="1"/></joint>'
        for index in range(joints)
    )
    return f'<robot name="chain">{links}{turning}</robot>'


def ellipsoid(path: Path) -> None:
    """A mesh of 380 triangles."""
    rings, sides = 10, 20
    angles = [(np.pi * ring / rings, 2.0 * np.pi * side / sides) for ring in range(rings + 1) for side in range(sides)]
    corners = [(0.05 * np.sin(u) * np.cos(v), 0.04 * np.sin(u) * np.sin(v), 0.09 * np.cos(u)) for u, v in angles]
    quads = [
        (ring * sides + side + 1, ring * sides + (side + 1) % sides + 1)
        for ring in range(rings)
        for side in range(sides)
    ]
    faces = [f"f {a} {a + sides} {b + sides}\nf {a} {b + sides} {b}\n" for a, b in quads]
    path.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "".join(faces))


def own_robots() -> list[str]:
    """What a process pays for its first scene around a robot that is not built in, ms: nothing kept, and kept."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        ellipsoid(Path(folder) / "part.obj")
        mesh = ('<mesh filename="part.obj"/>',)
        robots = {f"{joints} joints, primitives": chain(joints, PRIMITIVES) for joints in (3, 10, 25, 50, 100)}
        robots["6 joints, meshes"] = chain(6, mesh)
        for what, urdf in robots.items():
            path, cache = Path(folder) / "robot.urdf", str(Path(folder) / what.replace(" ", "-"))
            path.write_text(urdf)
            command = [sys.executable, "-W", "ignore", "-c", OWN, str(path)]
            first, later = (1e3 * first_call(command, kept)[0] for kept in ("", cache))
            lines.append(f"| {what} | {first:.1f} | {later:.1f} |")
    return lines


def first_call(command: list[str], cache: str) -> list[float]:
    """Medians of what processes print, after one that is not counted."""
    environment = {**os.environ, "KINETIC_CACHE_DIR": cache}
    done = [
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)
        for _ in range(PROCESSES + 1)
    ]
    return [statistics.median(part) for part in zip(*done[1:])]


def section() -> str:
    """The tables."""
    lines = ["| µs | p50 | p95 | p99 |", "|---|---|---|---|"]
    for name in ROBOTS:
        robot = kinetic.Robot(name)
        lines.append(f"| **{name}** | | | |")
        moved = moving(robot, 8) | moving(robot, 1_000)
        scene = among_balls(robot)
        all_calls = made(name, robot) | plans(robot, scene) | elsewhere(robot, scene) | moved
        lines += [row(what, times) for what, times in all_calls.items()]
    lines += ["", "| first calls of a process | `import kinetic`, ms | `kinetic.plan` by name, ms | again, ms |"]
    lines[-1] += " memory of the import, MiB | with both plans, MiB |"
    lines += ["|---|---|---|---|---|---|"]
    lines += [first_calls(name, ("home", "ready")) for name in ROBOTS]
    lines += ["", "| first scene around a robot of one's own, ms | nothing kept | kept |", "|---|---|---|"]
    lines += own_robots()
    return "\n".join(lines)


def debug_builds() -> str:
    """What plans cost in a Rust program by how it was built, ms."""
    lines = ["| program | first `kinetic::plan`, ms | later, ms |", "|---|---|---|"]
    builds = {
        "`cargo run`": ("", ()),
        "`cargo run`, dependencies optimised": (OPTIMISED, ()),
        "`cargo run --release`": ("", ("--release",)),
    }
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder)
        (program / "src").mkdir()
        (program / "src" / "main.rs").write_text(PROGRAM)
        for what, (profile, flags) in builds.items():
            (program / "Cargo.toml").write_text(MANIFEST.format(ROOT / "crates" / "kinetic") + profile)
            command = ["cargo", "run", "--quiet", *flags]
            printed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=program).stdout
            first, *later = (1e3 * float(line) for line in printed.split())
            lines.append(f"| {what} | {first:.2f} | {statistics.median(later):.2f} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and write when asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the tables into the page")
    parser.add_argument("--debug-builds", action="store_true", help="measure a Rust program by how it was built")
    arguments = parser.parse_args()
    name, text = ("debug_builds", debug_builds()) if arguments.debug_builds else ("calls", section())
    print(text)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text("utf-8"), name, text), "utf-8")


if __name__ == "__main__":
    main()
