"""Motion planning: robots, scenes, collision-free and verified trajectories.

>>> import kinetic
>>> robot = kinetic.Robot("ur5e")
>>> print(f"{robot.name}: {robot.dof} DOF")
ur5e: 6 DOF
"""

from . import fit
from ._kinetic import (
    Certificate,
    Diagnostic,
    Goal,
    Manipulator,
    Planner,
    Robot,
    Scene,
    Shape,
    Solution,
    TolerancePolicy,
    Trajectory,
    __version__,
    import_moveit,
    list_robots,
    load_mesh,
    plan,
)
from .exceptions import ExecutionError, IKError, InputError, KineticError, PlanningError

__all__ = [
    "Certificate",
    "Diagnostic",
    "ExecutionError",
    "Goal",
    "IKError",
    "InputError",
    "KineticError",
    "Manipulator",
    "Planner",
    "PlanningError",
    "Robot",
    "Scene",
    "Shape",
    "Solution",
    "TolerancePolicy",
    "Trajectory",
    "__version__",
    "fit",
    "import_moveit",
    "list_robots",
    "load_mesh",
    "plan",
]
