"""``GpuOptimizer``: optimised motions of a robot, in a scene of each call, on a GPU or on the processor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike

from ._kinetic import Goal, Planner, Pose, Robot, Scene, Shape, Trajectory, gpu_available
from .exceptions import KineticError
from .input_errors import invalid_value

__all__ = ["GpuOptimizer"]

GoalLike = Union[Goal, Pose, str, ArrayLike, dict[str, Any]]


class GpuOptimizer:
    """Many trajectories at once, each moved off obstacles by L-BFGS: ``Planner.with_device`` where no more is needed.

    A device proposes and the processor proves, so that what is returned keeps clear along all of it. Paths are without
    time; for time, limits and everything else that planners can be told take a ``Planner``.

    Args:
        robot: The robot, or the name of a built-in one.
        preset: "speed", "balanced" or "quality".
        num_seeds: Initial trajectories of a motion at most; None for more until the time is used up.
        iterations: Iterations of a trajectory at most; None for what the preset has.
        device: "auto" (a GPU where there is one, else the processor), "cpu", "gpu", "gpu:N" or a part of the name of an
            adapter.
        timeout: Time of a motion, s; None for the planner's.
        rng_seed: Seed of what is random; None for the planner's.
        config: Of ``Planner.with_device``: seeds_per_batch, control_points, samples_per_interval, clearance,
            smoothness_weight, largest_change, resolution.

    Raises:
        InputError: A device that is not there, or an option outside its domain.

    Example:
        >>> import kinetic
        >>> optimizer = kinetic.GpuOptimizer("ur5e", preset="speed", device="cpu")
        >>> path = optimizer.optimize("home", "ready", obstacle_spheres=[[0.5, 0.5, 0.5, 0.1]])
        >>> path.is_timed, optimizer.is_gpu
        (False, False)
    """

    def __init__(
        self,
        robot: str | Robot,
        preset: str = "balanced",
        num_seeds: int | None = None,
        iterations: int | None = None,
        *,
        device: str = "auto",
        timeout: float | None = None,
        rng_seed: int | None = None,
        **config: Any,
    ) -> None:
        self._robot = Robot(robot) if isinstance(robot, str) else robot
        self._options: dict[str, Any] = {"num_seeds": num_seeds, "timeout": timeout, "rng_seed": rng_seed}
        self._device, self._config = device, {"preset": preset, "iterations": iterations, **config}
        empty = Scene(self._robot)
        self._planner = self._in_scene(empty)
        self._last = (empty, self._planner)

    @staticmethod
    def gpu_available() -> bool:
        """Whether there is a hardware adapter, as ``kinetic.gpu_available``."""
        return gpu_available()

    @property
    def is_gpu(self) -> bool:
        """Whether it computes on a device of Vulkan, Metal or DX12; on the processor the twin of the shader does."""
        return self._planner.device != "cpu"

    @property
    def device(self) -> str:
        """ "cpu", or the adapter with its number, backend and driver."""
        return self._planner.device

    @property
    def config(self) -> dict[str, Any]:
        """The options of the device as they came to be."""
        return self._planner.device_options or {}

    def optimize(
        self,
        start: str | ArrayLike,
        goal: GoalLike,
        scene: Scene | None = None,
        obstacle_spheres: ArrayLike | None = None,
        warm_start: Trajectory | ArrayLike | None = None,
    ) -> Trajectory:
        """A path without collision.

        Args:
            start: Joint values, or the name of a pose of the group.
            goal: A goal, joint values, a pose of the tool, or the name of a pose of the group.
            scene: The scene, as it is now; None for an empty one.
            obstacle_spheres: Balls beside what the scene has (N, 4): centre in the root frame and radius, m.
            warm_start: A path that is optimised first, as of ``Planner.plan``.

        Raises:
            InputError: Wrong sizes, NaN, unknown names, a scene of another robot.
            PlanningError: Nothing was found, or start or goal are in collision; it says which pair, and how deep.
        """
        planner = self._planner_of(scene, obstacle_spheres)
        return planner.plan(start, goal, time_parameterize=False, warm_start=warm_start)

    def optimize_batch(
        self,
        starts: ArrayLike,
        goals: Sequence[GoalLike] | ArrayLike,
        scenes: Scene | Sequence[Scene] | None = None,
        obstacle_spheres: ArrayLike | None = None,
    ) -> list[Trajectory | KineticError]:
        """A path from each start to the goal of the same index. What all of them ask for is optimised together.

        Args:
            starts: Joint values (N, dof).
            goals: N goals, or joint values (N, dof), or names of poses of the group.
            scenes: The scene of all, or one of each; None for an empty one.
            obstacle_spheres: Balls beside what the scenes have (N, 4), m.

        Returns:
            One entry per item, in order: the path, or the exception that ``optimize`` would have raised.

        Raises:
            InputError: Starts, goals and scenes differ in number, or a scene is of another robot.
        """
        if scenes is None or isinstance(scenes, Scene):
            planner = self._planner_of(scenes, obstacle_spheres)
            return planner.plan_batch(starts, goals, time_parameterize=False)
        each = [self._with_spheres(scene, obstacle_spheres) for scene in scenes]
        return self._planner.plan_batch(starts, goals, time_parameterize=False, scenes=each)

    def _planner_of(self, scene: Scene | None, spheres: ArrayLike | None) -> Planner:
        """The planner in a scene. The last one is kept: it has the scene on the device, and follows its edits."""
        if spheres is not None:
            return self._in_scene(self._with_spheres(scene, spheres))
        if scene is None:
            return self._planner
        if scene is not self._last[0]:
            self._last = (scene, self._in_scene(scene))
        return self._last[1]

    def _in_scene(self, scene: Scene) -> Planner:
        return Planner(self._robot, scene, **self._options).with_device(self._device, **self._config)

    def _with_spheres(self, scene: Scene | None, spheres: ArrayLike | None) -> Scene:
        if spheres is None:
            return Scene(self._robot) if scene is None else scene
        balls = np.asarray(spheres, dtype=float)
        if balls.ndim != 2 or balls.shape[1] != 4:
            raise invalid_value("obstacle_spheres", f"shape {balls.shape}", "shape (N, 4): centre and radius")
        there = Scene(self._robot) if scene is None else scene.snapshot()
        for index, (x, y, z, radius) in enumerate(balls.tolist()):
            there.add(f"obstacle_spheres {index}", Shape.sphere(radius), Pose.from_xyz(x, y, z))
        return there

    def __repr__(self) -> str:
        return f"GpuOptimizer({self._robot.name!r}, device={self.device!r})"
