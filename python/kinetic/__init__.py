"""Motion planning: robots, scenes, collision-free and verified trajectories.

>>> import kinetic
>>> robot = kinetic.Robot("ur5e")
>>> print(f"{robot.name}: {robot.dof} DOF")
ur5e: 6 DOF
"""

import atexit as _atexit
import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import fit, postprocess
from ._kinetic import (
    RMP,
    CartesianConfig,
    CartesianPath,
    CartesianResult,
    CascadedFrame,
    Certificate,
    Constraint,
    ConvexDecomposition,
    ConvexRegion,
    Diagnostic,
    DifferentialIK,
    DualArmPlanner,
    Dynamics,
    EuclideanDistanceField,
    ExecutionMonitor,
    FrameTree,
    Goal,
    GpuCollisionChecker,
    GroupDriver,
    Handle,
    IkCache,
    IKPath,
    KinBody,
    LogExecutor,
    Manipulator,
    MonotonicClock,
    Mpc,
    ObjectTracker,
    Octree,
    OutlierFilter,
    PathTolerance,
    Payload,
    PerceptionPipeline,
    PlanExecuteLoop,
    Planner,
    Playback,
    Policy,
    Pose,
    Problem,
    ReachabilityMap,
    RealTimeExecutor,
    Roadmap,
    Robot,
    SafetyWatchdog,
    Scene,
    SequenceItem,
    SequenceResult,
    Servo,
    Shape,
    SignedDistanceField,
    SimExecutor,
    SimulatedClock,
    Solution,
    StopFlag,
    TargetServo,
    TaskProblem,
    TaskResult,
    TaskState,
    TolerancePolicy,
    Tracker,
    Trajectory,
    Twist,
    Validity,
    Wrench,
    __version__,
    _end_executions,
    _log_to_python,
    add_arm,
    batch_fk_gpu,
    blend_sequence,
    cache_entries,
    euclidean_clusters,
    gpu_adapters,
    gpu_available,
    import_moveit,
    list_robots,
    load_mesh,
    plan,
    planner_types,
    register_planner,
    robot_formats,
    state_to_state,
    upright_box,
)
from .exceptions import ExecutionError, IKError, InputError, KineticError, KineticWarning, PlanningError
from .execution import ExecutionResult
from .ik_options import IKOptions

if _TYPE_CHECKING:
    from . import compat
    from .move_group import MoveGroup

# What imports NumPy, which takes four times as long as the rest, is imported at its first use.
_AT_FIRST_USE = {"MoveGroup": ".move_group", "compat": ".compat"}


def __getattr__(name: str) -> _Any:
    if name not in _AT_FIRST_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _importlib.import_module(_AT_FIRST_USE[name], __name__)
    return getattr(module, name, module)


def __dir__() -> list[str]:
    return sorted({*globals(), *_AT_FIRST_USE})


_log_to_python()
# An arm that moves is stopped along its path while Python can still be called.
_atexit.register(_end_executions)

__all__ = [
    "RMP",
    "CartesianConfig",
    "CartesianPath",
    "CartesianResult",
    "CascadedFrame",
    "Certificate",
    "Constraint",
    "ConvexDecomposition",
    "ConvexRegion",
    "Diagnostic",
    "DifferentialIK",
    "DualArmPlanner",
    "Dynamics",
    "EuclideanDistanceField",
    "ExecutionError",
    "ExecutionMonitor",
    "ExecutionResult",
    "FrameTree",
    "Goal",
    "GpuCollisionChecker",
    "GroupDriver",
    "Handle",
    "IKError",
    "IKOptions",
    "IKPath",
    "IkCache",
    "InputError",
    "KinBody",
    "KineticError",
    "KineticWarning",
    "LogExecutor",
    "Manipulator",
    "MonotonicClock",
    "MoveGroup",
    "Mpc",
    "ObjectTracker",
    "Octree",
    "OutlierFilter",
    "PathTolerance",
    "Payload",
    "PerceptionPipeline",
    "PlanExecuteLoop",
    "Planner",
    "PlanningError",
    "Playback",
    "Policy",
    "Pose",
    "Problem",
    "ReachabilityMap",
    "RealTimeExecutor",
    "Roadmap",
    "Robot",
    "SafetyWatchdog",
    "Scene",
    "SequenceItem",
    "SequenceResult",
    "Servo",
    "Shape",
    "SignedDistanceField",
    "SimExecutor",
    "SimulatedClock",
    "Solution",
    "StopFlag",
    "TargetServo",
    "TaskProblem",
    "TaskResult",
    "TaskState",
    "TolerancePolicy",
    "Tracker",
    "Trajectory",
    "Twist",
    "Validity",
    "Wrench",
    "__version__",
    "add_arm",
    "batch_fk_gpu",
    "blend_sequence",
    "cache_entries",
    "compat",
    "euclidean_clusters",
    "fit",
    "gpu_adapters",
    "gpu_available",
    "import_moveit",
    "list_robots",
    "load_mesh",
    "plan",
    "planner_types",
    "postprocess",
    "register_planner",
    "robot_formats",
    "state_to_state",
    "upright_box",
]
