"""The options of inverse kinematics: the same keywords in every call that searches for configurations.

>>> import kinetic
>>> options: kinetic.IKOptions = {"mode": "position_only", "rng_seed": 3}
>>> robot = kinetic.Robot("ur5e")
>>> robot.ik(kinetic.Pose.from_xyz(0.4, 0.2, 0.4), **options).shape
(6,)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._kinetic import PathTolerance, Scene

__all__ = ["IKOptions"]


class IKOptions(TypedDict, total=False):
    """Keywords of ``ik``, ``ik_config``, ``ik_batch``, ``ik_all``, ``ik_path`` and ``ik_distinct`` of a robot.

    A call refuses what it does not take with a ``TypeError`` that lists what it does. All of them have the arguments
    ``seed`` (``q_start`` for a path), joint values to stay close to, and ``tcp``, another tool.

    Attributes:
        solver: "auto" (closed form where there is one, else "dls"), "dls", "sqp", "fabrik", "ccd", "bio_ik", "cached",
            or a closed form by name: "analytic", "opw", "subproblem", "subproblem7dof".
        mode: "full6d", "position_only", or "position_fallback": the pose, and the position alone where that fails.
        null_space: What redundancy is used for: None, "manipulability", "minimal_displacement" (from the seed) or
            "joint_centering".
        max_iterations: Iterations of one attempt; 100 unless stated.
        num_restarts: Attempts after the first, from random configurations; 10 unless stated.
        position_tolerance: Largest distance between reached and wanted origin, m; 1e-4 unless stated.
        orientation_tolerance: Largest angle between reached and wanted orientation, rad; 1e-3 unless stated.
        check_limits: Whether answers lie inside the joint limits; True unless stated.
        rng_seed: Seed of everything random; None for 0, so that the same query gives the same answer.
        raise_on_failure: Whether a pose that is not reached is an error (True unless stated), or answered by the
            nearest configuration that a numerical solver met.
        tool_axis: For the solver "sqp", a cone that an axis of the tool must stay in: that axis, the middle of the cone
            in the group's base ("x", "y", "z" or directions), and the largest angle between the two, 1e-3 to π rad.
        damping: For the solver "dls", damping per unit of squared pose error; None for what the robot prefers.
        timeout: Seconds after which the search ends, as after its last restart; None for no limit. Where all branches
            or a whole path are wanted and not known by then, the error is ``IKTimeout``. Where time ends a search, its
            answer depends on the speed of the machine.
        swivel_samples: Values of the swivel angle of an S-R-S arm that are looked at.
        samples: Values of each locked joint of other arms with self-motion.
        turns: Whether all turns of 2π inside the limits are listed instead of the one nearest to the seed.
        scene: A scene of the robot; only configurations without collision are wanted.
        collision_margin: Distance to keep from the world of the scene, m; 0 unless stated.
        self_margin: Distance to keep between links of the robot, m; 0 unless stated.
        method: Of paths, "global", all poses together, or "local", pose after pose.
        max_joint_step: Largest step of a joint between neighbouring poses of a path, rad or m, one number or one per
            joint; None for 1 rad and 0.1 m. Joints turn the short way, so that π and more is no bound.
        tolerance: What poses of a path leave free; one PathTolerance for all, or a list with one or None per pose.
    """

    solver: str
    mode: str
    null_space: str | None
    max_iterations: int
    num_restarts: int
    position_tolerance: float
    orientation_tolerance: float
    check_limits: bool
    rng_seed: int | None
    raise_on_failure: bool
    tool_axis: Any
    damping: float | None
    timeout: float | None
    swivel_samples: int | None
    samples: int | None
    turns: bool
    scene: Scene | None
    collision_margin: float
    self_margin: float
    method: str
    max_joint_step: ArrayLike | None
    tolerance: PathTolerance | Sequence[PathTolerance | None] | None
