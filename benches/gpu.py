"""Batches on a device beside the processor, in one run.

    python benches/gpu.py            # prints the tables
    python benches/gpu.py --write    # and writes them into docs-site/benchmarks.md

With a GPU the table of hardware is written, with its name and driver. Without one a software adapter fills its own,
and that of hardware keeps its dash: how fast shaders run on a processor says nothing about cards.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import kinetic
from kinetic import GpuCollisionChecker, Robot, Scene, Shape, batch_fk_gpu

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

ROUNDS = 3
ROBOTS = ("franka_panda", "ur5e")
BOXES = 20
BATCHES_OF_HARDWARE = (1_000, 100_000, 1_000_000)
BATCHES_OF_SOFTWARE = (1_000, 10_000)
POSES_OF_HARDWARE = (100, 10_000, 100_000)
POSES_OF_SOFTWARE = (100,)
RESTARTS = 15
PROBLEMS = 30
PLANS_OF_BATCH = 1_000
SCENES_OF_BATCH = 50
DEVICES = ("cpu", "gpu")
CELLS = 128
SEEDS = 128
"""Initial trajectories of a plan at most; a device optimises 64 at a time."""


def median_s(call: Callable[[], object]) -> float:
    """Median of the seconds that a call takes, after one that compiles and allocates."""
    call()
    taken = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def rate(count: int, seconds: float) -> str:
    """So many a second, to three digits, with thousands separated."""
    per_second = count / seconds
    digits = max(0, len(str(int(per_second))) - 3)
    return f"{round(per_second, -digits):,.0f}"


def among_boxes(robot: Robot, seed: int = 0) -> Scene:
    """A scene of boxes around a robot, none of them at its base."""
    scene, rng = Scene(robot), np.random.default_rng(seed)
    for index in range(BOXES):
        angle, distance = rng.uniform(-np.pi, np.pi), rng.uniform(0.4, 0.9)
        at = kinetic.Pose.from_xyz(distance * np.cos(angle), distance * np.sin(angle), rng.uniform(0.0, 1.0))
        scene.add(f"box {index}", Shape.box(*rng.uniform(0.05, 0.2, 3)), at)
    return scene


def configurations(robot: Robot, count: int) -> np.ndarray:
    """Random configurations inside the limits."""
    rng = np.random.default_rng(1)
    ends = np.array([(-np.pi, np.pi) if limits is None else limits for limits in robot.joint_limits])
    ends = np.clip(ends, -np.pi, np.pi)
    return rng.uniform(ends[:, 0], ends[:, 1], (count, robot.dof))


def distance_rows(batches: tuple[int, ...]) -> list[str]:
    """Verdicts, and distances with gradients."""
    rows = []
    for name in ROBOTS:
        robot = Robot(name)
        scene = among_boxes(robot)
        checkers = [GpuCollisionChecker(robot, scene, device=device) for device in ("cpu", "gpu")]
        for count in batches:
            q = configurations(robot, count)
            exact = median_s(lambda q=q, scene=scene: scene.are_free(q))
            twin, device = (median_s(lambda q=q, checker=checker: checker.check_batch(q)) for checker in checkers)
            slopes = median_s(lambda q=q, checker=checkers[1]: checker.check_batch(q, gradients=True))
            cells = [rate(count, seconds) for seconds in (exact, twin, device, slopes)]
            rows.append(f"| {name}, {BOXES} boxes, {count:,} configurations | " + " | ".join(cells) + " |")
    return rows


def kinematics_rows(batches: tuple[int, ...]) -> list[str]:
    """Poses of all links."""
    rows = []
    for name in ROBOTS:
        robot = Robot(name)
        q = configurations(robot, batches[-1] // 10)
        one, other = (median_s(lambda d=device, r=robot, q=q: batch_fk_gpu(r, q, d)) for device in ("cpu", "gpu"))
        rows.append(f"| {name}, {len(q):,} configurations | {rate(len(q), one)} | {rate(len(q), other)} |")
    return rows


def inverse_rows(batches: tuple[int, ...]) -> list[str]:
    """Poses that are reached, and how many a second."""
    rows = []
    for name in ROBOTS:
        robot = Robot(name)
        for count in batches:
            targets = robot.batch_fk(configurations(robot, count))
            calls = {
                "processor": lambda r=robot, t=targets: r.ik_batch(t)[1].sum(),
                "dls": lambda r=robot, t=targets: r.ik_batch(t, solver="dls", num_restarts=RESTARTS)[1].sum(),
                "device": lambda r=robot, t=targets: sum(
                    answer is not None for answer in r.batch_ik(t, device="gpu", num_restarts=RESTARTS)
                ),
            }
            cells = [f"{rate(count, median_s(call))} ({100 * int(call()) / count:.1f} %)" for call in calls.values()]
            rows.append(f"| {name}, {count:,} poses | " + " | ".join(cells) + " |")
    return rows


def clear_rows(batches: tuple[int, ...]) -> list[str]:
    """Poses of free configurations that are reached without collision, and how many a second."""
    rows = []
    for name in ROBOTS:
        robot = Robot(name)
        scene = among_boxes(robot)
        q = configurations(robot, 4 * max(batches))
        free = q[scene.are_free(q)]
        for count in batches:
            targets = robot.batch_fk(free[:count])
            calls = {
                "processor": lambda r=robot, t=targets, s=scene: r.ik_batch(t, scene=s)[1].sum(),
                "device": lambda r=robot, t=targets, s=scene: sum(
                    answer is not None for answer in r.batch_ik(t, device="gpu", num_restarts=RESTARTS, scene=s)
                ),
            }
            reached = len(targets)
            cells = [
                f"{rate(reached, median_s(call))} ({100 * int(call()) / reached:.1f} %)" for call in calls.values()
            ]
            rows.append(f"| {name}, {BOXES} boxes, {reached:,} poses | " + " | ".join(cells) + " |")
    return rows


def effort_rows(count: int) -> list[str]:
    """Efforts of random states."""
    rows = []
    for name in ROBOTS:
        dynamics, rng = kinetic.Dynamics(name), np.random.default_rng(2)
        states = rng.uniform(-2.0, 2.0, (3, count, dynamics.dof))
        taken = [
            median_s(lambda d=device, m=dynamics, s=states: m.inverse_dynamics(*s, device=d)) for device in DEVICES
        ]
        rows.append(f"| {name}, {count:,} states | " + " | ".join(rate(count, seconds) for seconds in taken) + " |")
    return rows


def scattered_cells(side: int) -> np.ndarray:
    """One in a hundred cells of a cube, among them its corner."""
    cells = np.argwhere(np.random.default_rng(3).random((side, side, side)) < 0.01)
    return np.concatenate([[[0, 0, 0]], cells])


def field_rows() -> list[str]:
    """Distance fields of a grid of 128 cells along each axis."""
    cells, size = scattered_cells(CELLS), 0.02 * CELLS
    cells_and_none = (cells, cells[:1])
    rows = []
    for most in (None, 0.2):
        taken = []
        for device in DEVICES:
            field = kinetic.EuclideanDistanceField([0.0] * 3, [size] * 3, 0.02, most, device=device)
            seconds = median_s(lambda f=field: [f.update(each) for each in cells_and_none])
            taken.append(1e3 * seconds / len(cells_and_none))
        bound = "all distances" if most is None else f"up to {most} m"
        rows.append(f"| {CELLS}³ cells, {bound} | " + " | ".join(f"{ms:.0f}" for ms in taken) + " |")
    return rows


def problems(robot: Robot, scene: Scene, most: int = PROBLEMS) -> list[tuple[np.ndarray, np.ndarray]]:
    """Free configurations between which the straight line is in collision."""
    q = configurations(robot, 5_000)
    q = q[scene.are_free(q)]
    pairs = [(q[2 * index], q[2 * index + 1]) for index in range(len(q) // 2)]
    return [pair for pair in pairs if scene.check_motion(*pair) is not None][:most]


def plan_rows() -> list[str]:
    """Plans of `trajopt`: how many are solved, how long they take, and how long the motions are."""
    rows = []
    for name in ROBOTS:
        robot = Robot(name)
        scene = among_boxes(robot)
        for device in ("cpu", "gpu"):
            planner = kinetic.Planner(robot, scene, num_seeds=SEEDS, timeout=20.0).with_device(device)
            taken, durations = [], []
            for start, goal in problems(robot, scene):
                began = time.perf_counter()
                try:
                    motion = planner.plan(start, goal)
                except kinetic.PlanningError:
                    continue
                taken.append(1e3 * (time.perf_counter() - began))
                durations.append(motion.duration)
            ordered = sorted(taken)
            cells = [
                f"{len(taken)} of {PROBLEMS}",
                f"{statistics.median(taken):.1f}",
                f"{ordered[int(0.98 * (len(ordered) - 1))]:.1f}",
                f"{statistics.median(durations):.2f}",
            ]
            rows.append(f"| {name} | {'processor' if device == 'cpu' else 'device'} | " + " | ".join(cells) + " |")
    return rows


def batch_rows(plans: int, scenes: int) -> list[str]:
    """A batch of plans of `trajopt` in many scenes: how many are solved, and how many are planned a second."""
    rows = []
    for name in ROBOTS:
        robot = Robot(name)
        ends: list[tuple[np.ndarray, np.ndarray]] = []
        places: list[Scene] = []
        for seed in range(scenes):
            scene = among_boxes(robot, seed)
            found = problems(robot, scene, plans // scenes)
            ends += found
            places += [scene] * len(found)
        for device in ("cpu", "gpu"):
            planner = kinetic.Planner(robot, num_seeds=SEEDS, timeout=20.0).with_device(device)
            began = time.perf_counter()
            found_plans = planner.plan_batch([start for start, _ in ends], [goal for _, goal in ends], scenes=places)
            seconds = time.perf_counter() - began
            solved = sum(isinstance(plan, kinetic.Trajectory) for plan in found_plans)
            where = "processor" if device == "cpu" else "device"
            rows.append(f"| {name} | {where} | {solved} of {len(ends)} | {rate(len(ends), seconds)} |")
    return rows


def speed_tables(is_hardware: bool) -> str:
    """All figures of the adapter that "gpu" means."""
    batches = BATCHES_OF_HARDWARE if is_hardware else BATCHES_OF_SOFTWARE
    poses = POSES_OF_HARDWARE if is_hardware else POSES_OF_SOFTWARE
    adapter = kinetic.gpu_adapters()[0]
    lines = [
        f"{adapter['name']} ({adapter['backend']}, {adapter['driver']}) beside the processor named above.",
        "",
        "| configurations a second | exact verdicts, processor | twin, processor | device | device, with gradients |",
        "|---|---|---|---|---|",
        *distance_rows(batches),
        "",
        "| poses of all links, configurations a second | twin, one thread | device |",
        "|---|---|---|",
        *kinematics_rows(batches),
        "",
        f"| poses a second (reached) | `auto`, processor | `dls`, {RESTARTS + 1} starts, processor | device |",
        "|---|---|---|---|",
        *inverse_rows(poses),
        "",
        "| poses a second without collision (reached) | `auto`, processor | device |",
        "|---|---|---|",
        *clear_rows(poses),
        "",
        "| inverse dynamics, states a second | double precision, processor | device |",
        "|---|---|---|",
        *effort_rows(batches[-1]),
        "",
        "| distance fields, ms | processor | device |",
        "|---|---|---|",
        *field_rows(),
    ]
    # On a software adapter a plan that fails takes minutes.
    plans = [
        "",
        "| `trajopt` among boxes | on the | solved | median, ms | 98 %, ms | median duration of a motion, s |",
        "|---|---|---|---|---|---|",
        *(plan_rows() if is_hardware else []),
        "",
        f"| batches of `trajopt` in {SCENES_OF_BATCH} scenes | on the | solved | plans a second |",
        "|---|---|---|---|",
        *(batch_rows(PLANS_OF_BATCH, SCENES_OF_BATCH) if is_hardware else []),
    ]
    return "\n".join(lines + (plans if is_hardware else []))


def effort_difference(robot: Robot, q: np.ndarray) -> float:
    """Worst difference of efforts on a device from double precision, as a part of the largest effort of the joint."""
    dynamics, rng = kinetic.Dynamics(robot), np.random.default_rng(4)
    qd, qdd = rng.uniform(-2.0, 2.0, (2, *q.shape))
    wanted, found = (dynamics.inverse_dynamics(q, qd, qdd, device=device) for device in DEVICES)
    return float((np.abs(found - wanted).max(axis=0) / np.abs(wanted).max(axis=0)).max())


def equality_table(count: int = 2_000) -> str:
    """Worst differences of device and twin; of efforts from double precision."""
    lines = [
        "| robot | poses, µm | distances, µm | gradients that differ by over 1e-3 m/rad | efforts, of the largest |",
        "|---|---|---|---|---|",
    ]
    for name in ROBOTS:
        robot = Robot(name)
        q, scene = configurations(robot, count), among_boxes(robot)
        poses = [batch_fk_gpu(robot, q, device) for device in DEVICES]
        one, other = (
            GpuCollisionChecker(robot, scene, device=device).check_batch(q, gradients=True) for device in DEVICES
        )
        apart = np.abs(one["min_distances"] - other["min_distances"]).max()
        turned = np.abs(one["gradients"] - other["gradients"]).max(axis=1) > 1e-3
        between, efforts = np.abs(poses[0] - poses[1]).max(), effort_difference(robot, q)
        cells = f"{1e6 * between:.2f} | {1e6 * apart:.2f} | {turned.sum()} of {count:,} | {efforts:.1e}"
        lines.append(f"| {name} | {cells} |")
    fields = [kinetic.EuclideanDistanceField([0.0] * 3, [1.0] * 3, 0.02, device=device) for device in DEVICES]
    for field in fields:
        field.update(scattered_cells(50))
    same = np.array_equal(fields[0].values, fields[1].values)
    return "\n".join([*lines, "", f"Distance fields: {'all bits are equal' if same else 'bits differ'}."])


def main() -> None:
    """Prints the tables, or writes them into the page."""
    from figures import PAGE, replace_section

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if not kinetic.gpu_adapters():
        raise SystemExit("no adapter; kinetic devices --doctor says why")
    is_hardware = kinetic.gpu_available()
    sections = {"gpu-hardware" if is_hardware else "gpu-software": speed_tables(is_hardware)}
    sections["gpu-equality"] = equality_table()
    for text in sections.values():
        print(text + "\n")
    if arguments.write:
        page = PAGE.read_text()
        for name, text in sections.items():
            page = replace_section(page, name, text)
        PAGE.write_text(page)


if __name__ == "__main__":
    main()
