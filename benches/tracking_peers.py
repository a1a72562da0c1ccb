"""Compares `Servo` and `DifferentialIK` with mink and placo: motions towards poses, in one run.

    python benches/tracking_peers.py               # prints the tables
    python benches/tracking_peers.py --write       # writes them into docs-site/differential-ik.md

Every library gets an environment of its own under ``target/tracking_peers``, made when it is missing. From a random
configuration the tool is to reach the pose of another one near by, alone and with a ball on the way, in 4 s at 200 Hz.
Each library is used as its documentation says, with all limits that it has switched on, and is told the same limits of
joints; mink and `Servo` are to keep 3 cm from the ball. What came of it is decided here: poses by the robot's file,
limits by differences of the joint values, contacts by Coal on the hulls of the links. Times are those of the processor
in one period, called from Python, so that other programs on the machine do not count.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import coal
import numpy as np

import kinetic
from kinetic.drivers.mujoco_arm import Driver as MujocoArm

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benches"), str(ROOT / "python" / "tests")]

import ik_peers  # noqa: E402
from figures import replace_section  # noqa: E402
from oracles import chain_of, relative_pose, translation, urdf  # noqa: E402
from test_second_opinions import SecondChecker  # noqa: E402
from tracking_peers_worker import LIBRARIES  # noqa: E402

PAGE = ROOT / "docs-site" / "differential-ik.md"
FOLDER = ROOT / "target" / "tracking_peers"
REQUIREMENTS = {"mink": "mink[daqp]>=1,<2", "placo": "placo>=0.10,<1"}
ROBOTS = ("ur5e", "franka_panda", "kuka_iiwa14", "fetch", "xarm6")
PERIOD_S, DURATION_S = 0.005, 4.0
BALL_RADIUS, STOP_DISTANCE, SLOWDOWN_DISTANCE = 0.05, 0.03, 0.1
GAIN = 2.0
"""Part of the way to the pose that `Servo` and `DifferentialIK` cover per second, 1/s; more overshoots on slow arms."""
REACHED = (1e-3, 1e-2)
"""Distance, m, and angle, rad."""
EXCESS = 1e-3
"""A limit is exceeded by more than this part of it, or by 1e-6 rad or m."""
CONTACT_STRIDE = 4
"""Contacts are looked for in every so many-th period."""
TIME_LIMIT = 900


def job_of(name: str, count: int) -> dict[str, Any]:
    """What a worker needs to know about a robot, and the motions: half of them with a ball."""
    robot, (base, tip) = kinetic.Robot(name), chain_of(name, kinetic.Robot(name).group)
    second = SecondChecker(name)
    rng = np.random.default_rng(0)
    motions: list[dict[str, Any]] = []
    while len(motions) < count:
        motion = draw(robot, second, rng, with_ball=len(motions) % 2 == 1)
        if motion is not None:
            motions.append(motion)
    scene = kinetic.Scene(robot)
    scene.add("ball", kinetic.Shape.sphere(BALL_RADIUS), translation(100.0, 0.0, 0.0))
    mjcf = FOLDER / f"{name}.xml"
    mjcf.write_text(MujocoArm(robot, motions[0]["start"], scene).spec.to_xml())
    return {
        "robot": name,
        "urdf": str(ik_peers.bare_file(name)),
        "mjcf": str(mjcf),
        "base": base,
        "tip": tip,
        "joints": robot.joint_names,
        "limits": np.clip(robot.joint_limits, -4.0 * np.pi, 4.0 * np.pi).tolist(),
        "has_ends": np.isfinite(robot.joint_limits).all(axis=1).tolist(),
        "velocity_limits": robot.velocity_limits.tolist(),
        "acceleration_limits": robot.acceleration_limits.tolist(),
        "period": PERIOD_S,
        "ticks": round(DURATION_S / PERIOD_S),
        "radius": BALL_RADIUS,
        "stop_distance": STOP_DISTANCE,
        "slowdown_distance": SLOWDOWN_DISTANCE,
        # MuJoCo's meshes have no rounding.
        "rounding": max(radius for pieces in second.pieces.values() for _, _, radius in pieces),
        "servo": {"stop_distance": STOP_DISTANCE, "slowdown_distance": SLOWDOWN_DISTANCE, "pose_tracking_gain": GAIN},
        "gain": GAIN,
        "motions": motions,
    }


def draw(
    robot: kinetic.Robot, second: SecondChecker, rng: np.random.Generator, *, with_ball: bool
) -> dict[str, Any] | None:
    """A random motion, with the ball near the tool half-way; None where an end is in contact, or near the ball."""
    start = robot.random_configuration(int(rng.integers(1 << 31)))
    goal = robot.clip(start + rng.uniform(-0.8, 0.8, len(start)))
    ball = robot.fk_all(0.5 * (start + goal))[robot.tip][:3, 3] + rng.normal(size=3) * 0.03 if with_ball else None
    for q in (start, goal):
        world, own = second.clearances(robot.fk_all(q), balls(ball), [])
        if own < 0.01 or world < STOP_DISTANCE + 0.03:
            return None
    return {
        "start": start.tolist(),
        "root_from_tip": robot.fk_all(goal)[robot.tip].tolist(),
        "base_from_tip": robot.fk(goal).tolist(),
        "ball": None if ball is None else ball.tolist(),
    }


def balls(centre: Any) -> list[tuple[Any, np.ndarray]]:
    """The ball as Coal has it."""
    return [] if centre is None else [(coal.Sphere(BALL_RADIUS), translation(*centre))]


def run(name: str, job: dict[str, Any]) -> dict[str, Any]:
    """What a library makes of the motions, or why it makes nothing."""
    python, note = environment(name)
    if note is not None:
        return {"note": note}
    files = [FOLDER / f"{kind}.json" for kind in ("job", "answer")]
    files[0].write_text(json.dumps(job), "utf-8")
    command = [python, str(ROOT / "benches" / "tracking_peers_worker.py"), name, *map(str, files)]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=TIME_LIMIT, cwd=FOLDER)
    except subprocess.TimeoutExpired:
        return {"note": f"did not end within {TIME_LIMIT} s"}
    if done.returncode != 0:
        return {"note": f"failed: {ik_peers.last_line(done.stderr)}"}
    return json.loads(files[1].read_text("utf-8"))


def environment(name: str) -> tuple[str, str | None]:
    """The interpreter for a library, and why there is none."""
    if name not in REQUIREMENTS:
        return sys.executable, None
    folder = FOLDER / name
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        print(f"making the environment of {name}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "numpy", REQUIREMENTS[name]]
        done = subprocess.run(install, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            return str(python), f"cannot be installed: {ik_peers.last_line(done.stderr)}"
        (folder / "ready").touch()
    return str(python), None


def verdict(
    job: dict[str, Any], second: SecondChecker, motion: dict[str, Any], answer: dict[str, Any]
) -> dict[str, bool]:
    """Which of the promises a motion keeps."""
    q = np.array(answer["rows"])
    velocity = np.diff(q, axis=0, prepend=q[:1]) / PERIOD_S
    acceleration = np.diff(velocity, axis=0) / PERIOD_S
    reached = relative_pose(urdf(job["robot"]), job["base"], job["tip"], dict(zip(job["joints"], q[-1])))
    off = pose_errors(reached, np.array(motion["base_from_tip"]))
    low, high = np.transpose(job["limits"])
    robot = kinetic.Robot(job["robot"])
    looked_at = q[::CONTACT_STRIDE] if motion["ball"] is not None else []
    nearest = min(
        (second.clearances(robot.fk_all(row), balls(motion["ball"]), [])[0] for row in looked_at), default=np.inf
    )
    return {
        "reached": answer["error"] is None and off[0] <= REACHED[0] and off[1] <= REACHED[1],
        "position": bool(((q < low - 1e-6) | (q > high + 1e-6)).any()),
        "velocity": exceeds(velocity, job["velocity_limits"]),
        "acceleration": exceeds(acceleration, job["acceleration_limits"]),
        "contact": nearest < 0.0,
        "near": nearest < STOP_DISTANCE - 1e-3,
        "error": answer["error"] is not None,
    }


def exceeds(values: np.ndarray, limits: list[float]) -> bool:
    """Whether a limit is exceeded in some period."""
    return bool((np.abs(values) > (1.0 + EXCESS) * np.array(limits) + 1e-6).any())


def pose_errors(reached: np.ndarray, target: np.ndarray) -> tuple[float, float]:
    """Distance and angle between two poses."""
    turn = reached[:3, :3].T @ target[:3, :3]
    angle = np.arccos(np.clip((np.trace(turn) - 1.0) / 2.0, -1.0, 1.0))
    return float(np.linalg.norm(reached[:3, 3] - target[:3, 3])), float(angle)


def rows_of(name: str, count: int) -> list[str]:
    """The rows of a robot."""
    job, second = job_of(name, count), SecondChecker(name)
    results = {library: run(library, job) for library in LIBRARIES}
    own = median_us(results["kinetic, Servo"])
    lines = []
    for library, result in results.items():
        if "note" in result:
            lines.append(f"| {name} | {library} | {result['note']} |" + "  |" * 8)
            continue
        pairs = list(zip(job["motions"], result["motions"]))
        verdicts = [(motion["ball"] is not None, verdict(job, second, motion, answer)) for motion, answer in pairs]
        alone = [found for has_ball, found in verdicts if not has_ball]
        beside = [found for has_ball, found in verdicts if has_ball]
        everything = alone + beside
        cells = [f"{sum(found['reached'] for found in some)}/{len(some)}" for some in (alone, beside)]
        cells += [str(sum(found[kind] for found in everything)) for kind in ("position", "velocity", "acceleration")]
        cells += [str(sum(found[kind] for found in beside)) for kind in ("contact", "near")]
        times = sorted(second for answer in result["motions"] for second in answer["seconds"])
        p99 = 1e6 * times[int(0.99 * (len(times) - 1))]
        cells += [f"{median_us(result):.0f}", f"{p99:.0f}", f"{median_us(result) / own:.2f}"]
        lines.append(f"| {name} | {library} {result['version']} | " + " | ".join(cells) + " |")
        for error in sorted({answer["error"] for answer in result["motions"]} - {None}):
            print(f"{name}, {library}: {error}", flush=True)
    return lines


def median_us(result: dict[str, Any]) -> float:
    """The median time of a period, µs; 0 without one."""
    times = [second for answer in result.get("motions", []) for second in answer["seconds"]]
    return 1e6 * statistics.median(times) if times else 0.0


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", nargs="*", default=list(ROBOTS), help="only these")
    parser.add_argument("--motions", type=int, default=40, help="motions per robot, half of them beside a ball")
    parser.add_argument("--write", action="store_true", help="write the table into docs-site/differential-ik.md")
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    ik_peers.FOLDER.mkdir(parents=True, exist_ok=True)
    head = ["robot", "library", "reached alone", "beside a ball", "position", "velocity", "acceleration"]
    head += ["contacts", "below 3 cm", "median, µs", "p99, µs", "/ Servo"]
    table = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    print("\n".join(table))
    for name in arguments.robots:
        lines = rows_of(name, arguments.motions)
        print("\n".join(lines), flush=True)
        table += lines
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "tracking_peers", "\n".join(table)))


if __name__ == "__main__":
    main()
