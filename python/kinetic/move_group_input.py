"""What a ``MoveGroup`` is given: robots, poses and executors, in the forms that callers have them in."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike

from ._kinetic import Pose, RealTimeExecutor, Robot, SimExecutor, Trajectory
from .input_errors import invalid_value

__all__ = ["Executor", "load_robot", "read_pose", "runner"]

Executor = Union[SimExecutor, Callable[[Trajectory], Any], Any]
"""An object with ``execute(trajectory)``, or a function of a trajectory that returns a result or a ``Handle``."""


def load_robot(robot: str | os.PathLike[str] | Robot) -> Robot:
    """A robot from its name, a path, or XML text, of which the outermost element says the format."""
    if isinstance(robot, Robot):
        return robot
    text = os.fspath(robot)
    if text.lstrip().startswith("<"):
        element = re.search(r"<([A-Za-z]\w*)", re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL))
        readers = {"mujoco": Robot.from_mjcf, "sdf": Robot.from_sdf}
        return readers.get(element[1] if element else "", Robot.from_urdf)(text)
    path = Path(text)
    is_path = path.name != text or path.suffix or path.exists()
    return Robot.from_file(text) if is_path else Robot(text)


def read_pose(pose: Any, quaternion_xyzw: ArrayLike | None = None) -> Pose:
    """A pose from what moveit_commander takes: x, y, z with a quaternion or with roll, pitch, yaw; or from a pose."""
    if quaternion_xyzw is not None:
        return Pose.from_xyzw(pose, quaternion_xyzw)
    numbers = None if isinstance(pose, Pose) else np.asarray(getattr(pose, "matrix", pose), dtype=np.float64)
    if numbers is not None and numbers.shape == (6,):
        return Pose.from_xyz_rpy(*numbers)
    if numbers is not None and numbers.shape == (7,):
        return Pose.from_xyzw(numbers[:3], numbers[3:])
    return Pose(pose)


def runner(executor: Executor) -> Callable[[Trajectory], Any]:
    """What carries a trajectory out."""
    if isinstance(executor, RealTimeExecutor):
        wanted = "a function that says where commands go: lambda motion: executor.start(motion, send)"
        raise invalid_value("executor", "a RealTimeExecutor", wanted)
    execute = getattr(executor, "execute", None)
    if execute is None and callable(executor):
        execute = executor
    if execute is None:
        wanted = "an object with execute(trajectory), or a function of a trajectory"
        raise invalid_value("executor", repr(executor), wanted)
    run: Callable[[Trajectory], Any] = execute
    return run
