"""Runs `Robot.ik_path` on tool paths of CppFlow and TORM between boxes; Pinocchio and Coal judge every answer.

    python benches/cppflow.py FOLDER              # prints the table
    python benches/cppflow.py FOLDER --write      # and writes it into docs-site/cartesian.md

FOLDER has ``problems/*.yaml`` and ``paths/*.csv`` as in ``cppflow/problems`` and ``cppflow/paths`` of the repository
jstmn/cppflow (Morgan, Millard & Sukhatme, "CppFlow", ICRA 2024; paths by Kang et al., "TORM", IROS 2020). A path is
valid by the bounds of the authors' evaluation: 0.1 mm and 0.1 degrees at every pose, at most 7 degrees and 2 cm of a
joint between neighbouring ones, no contact at the poses. The path begins where it likes. Robot and scene exist before
the call that is timed.
"""

from __future__ import annotations

import argparse
import dataclasses
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import yaml

import kinetic

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benches"), str(ROOT / "python" / "tests")]

from figures import replace_section  # noqa: E402
from oracles import FOLDERS, chain_of, origin_pose  # noqa: E402

Array = npt.NDArray[np.float64]

PAGE = ROOT / "docs-site" / "cartesian.md"
POSITION_M, ANGLE_RAD = 1e-4, np.deg2rad(0.1)
TURNING_STEP_RAD, SLIDING_STEP_M = np.deg2rad(7.0), 0.02
LIMIT_ROUNDING = 1e-9
MARGIN_M = 1e-4
"""Kept from contacts, far above what two programs disagree about."""
ROBOTS = {"panda": ("franka_panda", None), "fetch": ("fetch", "arm_with_torso"), "fetch_arm": ("fetch", "arm")}
"""Robot and planning group of the names in problems."""
OTHERS = {"fetch": ["torso_lift_joint"]}
"""Joints at zero where a group does not move them."""
TIPS = {"franka_panda": "panda_hand", "fetch": "gripper_link"}


@dataclasses.dataclass
class Problem:
    """A tool path between boxes."""

    name: str
    robot: kinetic.Robot
    targets: Array
    """Poses of the tip in the root of the robot (N, 4, 4)."""
    boxes: list[tuple[Array, Array]]
    """Lengths of the edges (3,), and poses in the root."""


def rotation(quaternion: Array) -> Array:
    """The rotation matrix of a quaternion, w first."""
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def at_zero(robot: kinetic.Robot) -> dict[str, Array]:
    """Poses of all links in the root, where the joints of a robot's default group are zero."""
    return {name: np.asarray(pose) for name, pose in robot.fk_all(np.zeros(robot.dof)).items()}


def merged(box: Any) -> dict[str, float]:
    """A box, which problems write as a list of mappings with one key each."""
    return box if isinstance(box, dict) else {key: value for part in box for key, value in part.items()}


def problem(folder: Path, file: Path) -> Problem:
    """Reads one problem."""
    data = yaml.safe_load(file.read_text("utf-8"))
    name, group = ROBOTS[data["robot"]]
    robot = kinetic.Robot(name) if group is None else kinetic.Robot(name, group=group)
    rows = np.loadtxt(folder / "paths" / f"{data['path_name']}.csv", delimiter=",", skiprows=1)
    frame = np.eye(4)
    if data["path_offset_frame"] != "world":
        frame = at_zero(kinetic.Robot(name))[data["path_offset_frame"]]
    offset = np.eye(4)
    offset[:3, 3], offset[:3, :3] = data["path_xyz_offset"], data["path_R_offset"]
    poses = np.repeat(np.eye(4)[None], len(rows), axis=0)
    poses[:, :3, 3] = rows[:, 1:4]
    poses[:, :3, :3] = [rotation(row[4:8]) for row in rows]
    shift = np.array(data.get("obstacle_xyz_offset", [0.0, 0.0, 0.0]), dtype=float)
    boxes = []
    for box in map(merged, data.get("obstacles") or []):
        place = origin_pose([box[axis] for axis in "xyz"], [box[angle] for angle in ("roll", "pitch", "yaw")])
        place[:3, 3] += shift
        boxes.append((np.array([box[f"size_{axis}"] for axis in "xyz"]), place))
    return Problem(file.stem, robot, frame @ offset @ poses, boxes)


class Judge:
    """Pinocchio's kinematics and Coal's distances, from the robot's own files."""

    def __init__(self, case: Problem) -> None:
        import coal
        import pinocchio
        from test_second_opinions import SecondChecker

        self.pinocchio, self.case = pinocchio, case
        self.checker = SecondChecker(case.robot.name)
        self.objects = [(coal.Box(*size), place) for size, place in case.boxes]
        self.model = pinocchio.buildModelFromUrdf(str(FOLDERS[case.robot.name] / "robot.urdf"))
        self.data = self.model.createData()
        self.joints = [self.model.joints[self.model.getJointId(name)] for name in case.robot.joint_names]
        self.tip = self.model.getFrameId(TIPS[case.robot.name], pinocchio.BODY)

    def links(self, q: Array) -> dict[str, Array]:
        """Poses of all links in the root."""
        full = self.pinocchio.neutral(self.model)
        for joint, value in zip(self.joints, q):
            # Joints without limits have a cosine and a sine.
            full[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else (np.cos(value), np.sin(value))
        self.pinocchio.framesForwardKinematics(self.model, self.data, full)
        return {frame.name: self.data.oMf[index].homogeneous for index, frame in enumerate(self.model.frames)}

    def fault(self, rows: Array) -> str | None:
        """What is wrong with a path; None for a valid one."""
        if rows.shape[0] != len(self.case.targets) or np.isnan(rows).any():
            return "poses without configuration"
        bounds = np.where(
            [joint.shortname().startswith("JointModelP") for joint in self.joints], SLIDING_STEP_M, TURNING_STEP_RAD
        )
        if (np.abs(np.diff(rows, axis=0)) > bounds + 1e-9).any():
            return "a joint jumps"
        bound = [joint.idx_q if joint.nq == 1 else -1 for joint in self.joints]
        low, high = (
            np.where(np.array(bound) < 0, sign * np.inf, limit[bound])
            for sign, limit in ((-1.0, self.model.lowerPositionLimit), (1.0, self.model.upperPositionLimit))
        )
        if ((rows < low - LIMIT_ROUNDING) | (rows > high + LIMIT_ROUNDING)).any():
            return "a joint beyond its limits"
        for q, target in zip(rows, self.case.targets):
            links = self.links(q)
            off = np.linalg.inv(target) @ links[TIPS[self.case.robot.name]]
            angle = np.linalg.norm(self.pinocchio.log3(off[:3, :3]))
            if np.linalg.norm(off[:3, 3]) > POSITION_M or angle > ANGLE_RAD:
                return "off the path"
            if min(self.checker.clearances(links, self.objects, [])) <= 0.0:
                return "in contact"
        return None


def solve(case: Problem, timeout: float, seed: int) -> tuple[float, kinetic.IKPath | None]:
    """Seconds of one call, and its answer."""
    robot, scene = case.robot, kinetic.Scene(case.robot)
    for name in OTHERS.get(robot.name, []):
        scene.hold_joint(name, 0.0)
    for index, (size, place) in enumerate(case.boxes):
        scene.add(f"box {index}", kinetic.Shape.box(*size), place)
    base, tip = chain_of(robot.name, robot.group)
    links = at_zero(kinetic.Robot(robot.name))
    base_from_root = np.linalg.inv(links[base])
    tip_from_tool = np.linalg.inv(links[tip]) @ links[TIPS[robot.name]]
    sliding = [name == "torso_lift_joint" for name in robot.joint_names]
    steps = np.where(sliding, SLIDING_STEP_M, TURNING_STEP_RAD)
    options = {"max_joint_step": steps, "scene": scene, "collision_margin": MARGIN_M, "self_margin": MARGIN_M}
    begin = time.perf_counter()
    try:
        path = robot.ik_path(
            base_from_root @ case.targets, tcp=tip_from_tool, rng_seed=seed, timeout=timeout, **options
        )
    except kinetic.IKError:
        path = None
    return time.perf_counter() - begin, path


def travelled(rows: Array) -> float:
    """Length of a path, Euclidean over the joints."""
    return float(np.linalg.norm(np.diff(rows, axis=0), axis=1).sum())


def measure(case: Problem, runs: int, timeout: float) -> str:
    """A row of the table."""
    judge, answers = Judge(case), []
    for seed in range(runs):
        seconds, path = solve(case, timeout, seed)
        fault = "out of time" if path is None else path.reason or judge.fault(np.asarray(path.q))
        answers.append((seconds, fault, path))
    valid = [(seconds, travelled(np.asarray(path.q))) for seconds, fault, path in answers if fault is None]
    faults = sorted({fault for _, fault, _ in answers if fault is not None})
    cells = [case.name, str(len(case.targets)), f"{len(valid)} of {runs}"]
    cells.append(f"{statistics.median(seconds for seconds, *_ in answers):.3f}")
    cells.append(f"{statistics.median(length for _, length in valid):.2f}" if valid else "–")
    return "| " + " | ".join([*cells, "; ".join(faults)]) + " |"


def main() -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--timeout", type=float, default=30.0)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    lines = [
        f"Tool paths of CppFlow between boxes, {arguments.runs} runs with seeds of their own, by `benches/cppflow.py`:",
        "time to the path that `ik_path` returns, judged by Pinocchio and Coal by the bounds of the set.",
        "",
        "| problem | poses | valid | median, s | length, rad and m | faults |",
        "|---|---|---|---|---|---|",
    ]
    for file in sorted((arguments.folder / "problems").glob("*.yaml")):
        lines.append(measure(problem(arguments.folder, file), arguments.runs, arguments.timeout))
        print(lines[-1], flush=True)
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "cppflow", "\n".join(lines)))


if __name__ == "__main__":
    main()
