"""Motion planning: robots, scenes, collision-free and verified trajectories.

>>> import kinetic
>>> robot = kinetic.Robot("ur5e")
>>> print(f"{robot.name}: {robot.dof} DOF")
ur5e: 6 DOF
"""

from . import fit, postprocess
from ._kinetic import (
    CascadedFrame,
    Certificate,
    Diagnostic,
    FrameTree,
    Goal,
    IKPath,
    KinBody,
    Manipulator,
    PathTolerance,
    Planner,
    Pose,
    ReachabilityMap,
    Robot,
    Scene,
    Shape,
    Solution,
    TolerancePolicy,
    Trajectory,
    Twist,
    Wrench,
    __version__,
    add_arm,
    import_moveit,
    list_robots,
    load_mesh,
    plan,
    state_to_state,
)
from .exceptions import ExecutionError, IKError, InputError, KineticError, PlanningError

__all__ = [
    "CascadedFrame",
    "Certificate",
    "Diagnostic",
    "ExecutionError",
    "FrameTree",
    "Goal",
    "IKError",
    "IKPath",
    "InputError",
    "KinBody",
    "KineticError",
    "Manipulator",
    "PathTolerance",
    "Planner",
    "PlanningError",
    "Pose",
    "ReachabilityMap",
    "Robot",
    "Scene",
    "Shape",
    "Solution",
    "TolerancePolicy",
    "Trajectory",
    "Twist",
    "Wrench",
    "__version__",
    "add_arm",
    "fit",
    "import_moveit",
    "list_robots",
    "load_mesh",
    "plan",
    "postprocess",
    "state_to_state",
]
