"""Inverse kinematics in the call shapes of other libraries, for programs that come from them.

Every function takes the robot first and hands its arguments to the compiled call of the same question; the names and
defaults are those of the library that it is known from.

>>> import kinetic
>>> from kinetic import compat
>>> robot = kinetic.Robot("franka_panda")
>>> q, success = compat.batch_inverse_kinematics(robot, [[0.4, 0.1, 0.5, 3.1, 0.0, 0.0]], rotation_mask=False)
>>> q.shape, success.tolist()
((1, 7), [True])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from ._kinetic import Robot

__all__ = ["batch_inverse_kinematics", "ccd"]

Mask = Union[bool, str, Sequence[bool], None]
"""Axes to constrain: True for all, False or None for none, letters such as "xy", or three flags."""

BatchAnswer = Union[
    tuple[NDArray[np.float64], NDArray[np.bool_]],
    tuple[NDArray[np.float64], NDArray[np.bool_], list[int]],
]
"""Solutions, successes and, where more than one attempt is allowed, the number of attempts."""


def batch_inverse_kinematics(
    robot: Robot,
    targets: Any,
    move_target: str | None = None,
    position_mask: Mask = True,
    rotation_mask: Mask = True,
    rotation_mirror: str | None = None,
    stop: int = 100,
    thre: float = 1e-3,
    rthre: float = 0.017453292519943295,
    initial_angles: ArrayLike | str | None = "current",
    alpha: float = 1.0,
    attempts_per_pose: int = 1,
    random_initial_range: float = 0.7,
    translation_tolerance: Sequence[float | None] | None = None,
    rotation_tolerance: Sequence[float | None] | None = None,
    use_base: bool | str = False,
    base_weight: ArrayLike | None = None,
    joint_list: Sequence[str] | None = None,
    invariant_joint_list: Sequence[str] | None = None,
    rng_seed: int | None = None,
) -> BatchAnswer:
    """Joint values for many poses at once with masks, in the call shape of scikit-robot.

    Args:
        robot: The robot; its selected group moves.
        targets: Poses in the group's base: (N, 6) xyz and roll, pitch, yaw; (N, 7) xyz and quaternion (x, y, z, w);
            (N, 4, 4); or a list of poses.
        move_target: Link to bring there; None for the tool.
        position_mask: Coordinates that must agree, along the axes of the target.
        rotation_mask: Components of the rotation that must vanish, about the axes of the target.
        rotation_mirror: "x", "y" or "z": a target turned half about that axis of its own is as good.
        stop: Iterations of one attempt.
        thre: Largest distance left, m.
        rthre: Largest angle left, rad.
        initial_angles: Where attempts start: "current" for the robot's neutral configuration; "random" or None; values
            (dof,) for all poses, or (N, dof) for each.
        alpha: First length of the line search, as a part of the full step.
        attempts_per_pose: Attempts; those after the first start at random.
        random_initial_range: Part of the joint ranges in which random attempts start.
        translation_tolerance: Per axis the distance (m) within which a coordinate counts as reached.
        rotation_tolerance: Per axis the angle (rad) within which a component counts as reached.
        use_base: Whether the root of the robot moves: True or "planar" (x, y, yaw), "floating" for all six ways.
        base_weight: How dear the base's motion is compared with that of joints: 3 or 6 numbers; None for 1.
        joint_list: Names of the joints of the group that move; None for all.
        invariant_joint_list: Names of joints that do not move.
        rng_seed: Seed of the random starts; None for 0.

    Returns:
        Solutions (N, dof), the best found where a pose is not reached; truth values (N,); with more than one attempt
        per pose also the list of attempts made.

    Raises:
        InputError: NaN, wrong shapes, unknown names, or no joint left to move.
    """
    answer: BatchAnswer = robot.batch_inverse_kinematics(
        targets,
        move_target=move_target,
        position_mask=position_mask,
        rotation_mask=rotation_mask,
        rotation_mirror=rotation_mirror,
        stop=stop,
        thre=thre,
        rthre=rthre,
        initial_angles=initial_angles,
        alpha=alpha,
        attempts_per_pose=attempts_per_pose,
        random_initial_range=random_initial_range,
        translation_tolerance=translation_tolerance,
        rotation_tolerance=rotation_tolerance,
        use_base=use_base,
        base_weight=base_weight,
        joint_list=joint_list,
        invariant_joint_list=invariant_joint_list,
        rng_seed=rng_seed,
    )
    return answer


def ccd(
    robot: Robot,
    targets: Mapping[str, Any] | Sequence[Mapping[str, Any]] | Any,
    joints: Sequence[str] | None = None,
    rtol: float = 1e-6,
    maxiter: int = 500,
    line_search_maxiter: int = 500,
    seed: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Joint values at which several targets are met together, by cyclic coordinate descent.

    Args:
        robot: The robot; its selected group moves.
        targets: Dictionaries, each with "position" (x, y, z) in m or "rotation" (x, y, z, w) in the group's base, and
            optionally "link", "atol", "norm" and "weight", as in ``Robot.ccd``; or poses of the tool.
        joints: Names of the joints that may move; None for all.
        rtol: The descent has stalled when a sweep over the joints improves the error by less than this part.
        maxiter: Sweeps at most.
        line_search_maxiter: Evaluations along a joint that others follow.
        seed: Joint values (dof,) to start from; None for the middle of the limits.

    Returns:
        Joint values (dof,).

    Raises:
        IKError: The descent stalled or ran out of sweeps; `residual` is the largest error in m or rad.
    """
    return robot.ccd(targets, joints, rtol, maxiter, line_search_maxiter, seed)
