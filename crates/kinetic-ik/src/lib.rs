#![doc = include_str!("../README.md")]

pub mod analytic;
mod directions;
mod inverse_kinematics;
pub mod path;
mod robot_kinematics;
pub mod solvers;
pub mod tasks;
mod tolerance;
mod watch;

pub use directions::solve_directions;
pub use inverse_kinematics::InverseKinematics;
pub use path::{
    CartesianMove, CartesianPath, FreedPath, FreedomSearch, IKPath, MoveFrame, Obstacle, PathContact, PathMethod,
    PathOptions, PathTolerance, PathValidity, ToolPath, solve_ik_path, solve_ik_path_where,
};
pub use robot_kinematics::RobotKinematics;
pub use solvers::{
    Aim, AxisCone, BranchReport, CacheStatistics, CcdOptions, DEFAULT_HIT_RADIUS, IKConfig, IKMode, IKSolution,
    IKSolver, IKTrial, IkCache, IkChange, IkReport, IkSuggestion, LimitViolation, LinkTarget, Norm, NullSpace,
    SINGULAR_CONDITION, SOLVERS, SolverSpec, TRIAL_TOLERANCE, bio_ik, ccd, explain_ik, first_accepted, in_parallel,
    is_millimetres, is_unsolved, limit_violations, look_into_ik, metres_for_millimetres, nearest_ik,
    pairwise_distances, solve_ik, solve_ik_auto, solve_ik_batch, solve_ik_branches, solve_ik_distinct, solve_ik_where,
    what_stopped,
};
