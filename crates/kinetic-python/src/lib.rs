//! The Python module `kinetic._kinetic`: a thin door to the facade.
//!
//! Binding files follow the subjects of the crates. [`convert`] is the only place that turns Python into Rust and
//! back, [`error`] the only one that makes exceptions. Classes are frozen: what may change (scenes, a robot's tool)
//! sits behind a lock that is never held while the GIL is released or taken.

#![allow(
    clippy::doc_markdown,
    clippy::doc_link_with_quotes,
    reason = "doc comments are the docstrings that Python shows, in Google style"
)]

mod bench;
mod cache;
mod cascaded_frame;
mod certificate;
mod convert;
mod distance_field;
mod error;
mod error_examples;
mod explanation;
mod fit;
mod frame_tree;
mod goal;
mod goal_sets;
mod ik_cache;
mod ik_failure;
mod ik_tools;
mod interrupt;
mod joint_weights;
mod logging;
mod manipulator;
mod manipulator_records;
mod mesh;
mod npz;
mod online;
mod pickle_kinematics;
mod planning;
mod planning_batch;
mod planning_failure;
mod planning_listener;
mod planning_paths;
mod pose;
mod pose_motion;
mod postprocess;
mod problem;
mod reachability;
mod robot;
mod robot_argument;
mod robot_check;
mod robot_files;
mod robot_ik;
mod robot_kinematics;
mod robot_motion;
mod robot_parts;
mod robot_paths;
mod robot_queries;
mod robot_targets;
mod robot_tasks;
mod robot_tool_motion;
mod scene;
mod scene_distances;
mod scene_keeping;
mod scene_queries;
mod shape;
mod shape_numbers;
mod start;
mod stop_flag;
mod task_builders;
mod task_function;
mod task_problem;
mod task_result;
mod trajectory;
mod trajectory_files;
mod trajectory_further;
mod trajectory_motion;
mod trajectory_online;
mod trajectory_ros;
mod trajectory_timing;
mod twist;
mod warning;

use pyo3::prelude::*;

/// The compiled part of kinetic; import `kinetic` instead.
#[pymodule]
mod _kinetic {
    #[pymodule_export]
    use crate::bench::{_bench_scene, bench_mbm};
    #[pymodule_export]
    use crate::cache::cache_entries;
    #[pymodule_export]
    use crate::cascaded_frame::PyCascadedFrame;
    #[pymodule_export]
    use crate::certificate::PyCertificate;
    #[pymodule_export]
    use crate::distance_field::PySignedDistanceField;
    #[pymodule_export]
    use crate::error_examples::_raise_example;
    #[pymodule_export]
    use crate::explanation::PyExplanation;
    #[pymodule_export]
    use crate::fit::{fit_box, fit_capsule, fit_convex_hull, fit_convex_pieces, fit_robot_spheres, fit_spheres};
    #[pymodule_export]
    use crate::frame_tree::PyFrameTree;
    #[pymodule_export]
    use crate::goal::{GoalJoints, PyGoal};
    #[pymodule_export]
    use crate::ik_cache::PyIkCache;
    #[pymodule_export]
    use crate::ik_failure::PyIkFailure;
    #[pymodule_export]
    use crate::ik_tools::add_arm;
    #[pymodule_export]
    use crate::logging::_log_to_python;
    #[pymodule_export]
    use crate::manipulator::PyManipulator;
    #[pymodule_export]
    use crate::manipulator_records::{PyDiagnostic, PyDispatchPlan, PySolution, PyTolerancePolicy};
    #[pymodule_export]
    use crate::mesh::load_mesh;
    #[pymodule_export]
    use crate::online::{PyExecutionMonitor, PyPlayback, PyTracker};
    #[pymodule_export]
    use crate::planning::{PyPlanner, plan};
    #[pymodule_export]
    use crate::planning_failure::PyPlanningFailure;
    #[pymodule_export]
    use crate::pose::PyPose;
    #[pymodule_export]
    use crate::postprocess::{PyKinBody, nearest_to_seed, respect_limits, take_first, windings, wrap_to_limits};
    #[pymodule_export]
    use crate::problem::PyProblem;
    #[pymodule_export]
    use crate::reachability::PyReachabilityMap;
    #[pymodule_export]
    use crate::robot::{PyRobot, list_robots};
    #[pymodule_export]
    use crate::robot_files::{_find_package, _read_file, import_moveit};
    #[pymodule_export]
    use crate::robot_paths::{PyIKPath, PyPathTolerance};
    #[pymodule_export]
    use crate::scene::PyScene;
    #[pymodule_export]
    use crate::shape::PyShape;
    #[pymodule_export]
    use crate::stop_flag::PyStopFlag;
    #[pymodule_export]
    use crate::task_function::PyTaskState;
    #[pymodule_export]
    use crate::task_problem::PyTaskProblem;
    #[pymodule_export]
    use crate::task_result::PyTaskResult;
    #[pymodule_export]
    use crate::trajectory::PyTrajectory;
    #[pymodule_export]
    use crate::trajectory_motion::{blend_sequence, state_to_state};
    #[pymodule_export]
    use crate::twist::{PyTwist, PyWrench};

    /// Version of the library.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
