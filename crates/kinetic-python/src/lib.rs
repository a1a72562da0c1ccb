//! The Python module `kinetic._kinetic`: a thin door to the facade.
//!
//! Binding files follow the subjects of the crates. [`convert`] is the only place that turns Python into Rust and
//! back, [`error`] the only one that makes exceptions. Classes are frozen: what may change (scenes, a robot's tool)
//! sits behind a lock that is never held while the GIL is released or taken. An edit of a scene may last while Python
//! runs; who waits for its end does so without the GIL.

#![allow(
    clippy::doc_markdown,
    clippy::doc_link_with_quotes,
    reason = "doc comments are the docstrings that Python shows, in Google style"
)]

mod bench;
mod cache;
mod convert;
mod dynamics;
mod error;
mod execution;
mod geometry;
mod gpu;
mod ik;
mod interrupt;
mod logging;
mod planning;
mod reactive;
mod robot;
mod scene;
mod simd;
mod stop_flag;
mod stub_keywords;
mod tasks;
mod trajectory;
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
    use crate::convert::PyPose;
    #[pymodule_export]
    use crate::dynamics::PyDynamics;
    #[pymodule_export]
    use crate::dynamics::payload::PyPayload;
    #[pymodule_export]
    use crate::error::examples::_raise_example;
    #[pymodule_export]
    use crate::execution::clock::PySimulatedClock;
    #[pymodule_export]
    use crate::execution::handle::PyHandle;
    #[pymodule_export]
    use crate::execution::instant::{PyLogExecutor, PySimExecutor};
    #[pymodule_export]
    use crate::execution::monotonic_clock::PyMonotonicClock;
    #[pymodule_export]
    use crate::execution::plan_execute::PyPlanExecuteLoop;
    #[pymodule_export]
    use crate::execution::real_time::PyRealTimeExecutor;
    #[pymodule_export]
    use crate::execution::running::_end_executions;
    #[pymodule_export]
    use crate::execution::together::PyGroupDriver;
    #[pymodule_export]
    use crate::execution::watchdog::PySafetyWatchdog;
    #[pymodule_export]
    use crate::geometry::cascaded_frame::PyCascadedFrame;
    #[pymodule_export]
    use crate::geometry::fit::{
        fit_box, fit_capsule, fit_convex_hull, fit_convex_pieces, fit_robot_spheres, fit_spheres,
    };
    #[pymodule_export]
    use crate::geometry::frame_tree::PyFrameTree;
    #[pymodule_export]
    use crate::geometry::mesh::load_mesh;
    #[pymodule_export]
    use crate::geometry::shape::PyShape;
    #[pymodule_export]
    use crate::geometry::twist::{PyTwist, PyWrench};
    #[pymodule_export]
    use crate::gpu::collision::PyGpuCollisionChecker;
    #[pymodule_export]
    use crate::gpu::kinematics::batch_fk_gpu;
    #[pymodule_export]
    use crate::gpu::{_device_report, gpu_adapters, gpu_available};
    #[pymodule_export]
    use crate::ik::cache::PyIkCache;
    #[pymodule_export]
    use crate::ik::failure::PyIkFailure;
    #[pymodule_export]
    use crate::ik::manipulator::PyManipulator;
    #[pymodule_export]
    use crate::ik::path_tolerance::PyPathTolerance;
    #[pymodule_export]
    use crate::ik::paths::PyIKPath;
    #[pymodule_export]
    use crate::ik::postprocess::{PyKinBody, nearest_to_seed, respect_limits, take_first, windings, wrap_to_limits};
    #[pymodule_export]
    use crate::ik::records::{PyDiagnostic, PyDispatchPlan, PySolution, PyTolerancePolicy};
    #[pymodule_export]
    use crate::ik::tools::add_arm;
    #[pymodule_export]
    use crate::logging::_log_to_python;
    #[pymodule_export]
    use crate::planning::cartesian::config::PyCartesianConfig;
    #[pymodule_export]
    use crate::planning::cartesian::path::PyCartesianPath;
    #[pymodule_export]
    use crate::planning::cartesian::result::PyCartesianResult;
    #[pymodule_export]
    use crate::planning::constraint::PyConstraint;
    #[pymodule_export]
    use crate::planning::dual_arm::PyDualArmPlanner;
    #[pymodule_export]
    use crate::planning::failure::PyPlanningFailure;
    #[pymodule_export]
    use crate::planning::goal::{GoalJoints, PyGoal};
    #[pymodule_export]
    use crate::planning::options::_planner_options;
    #[pymodule_export]
    use crate::planning::problem::PyProblem;
    #[pymodule_export]
    use crate::planning::python_planner::{planner_types, register_planner};
    #[pymodule_export]
    use crate::planning::regions::{PyConvexDecomposition, PyConvexRegion};
    #[pymodule_export]
    use crate::planning::roadmap::PyRoadmap;
    #[pymodule_export]
    use crate::planning::sequence::item::PySequenceItem;
    #[pymodule_export]
    use crate::planning::sequence::result::PySequenceResult;
    #[pymodule_export]
    use crate::planning::validity::PyValidity;
    #[pymodule_export]
    use crate::planning::{PyPlanner, plan};
    #[pymodule_export]
    use crate::reactive::differential_ik::PyDifferentialIk;
    #[pymodule_export]
    use crate::reactive::mpc::PyMpc;
    #[pymodule_export]
    use crate::reactive::rmp::{PyPolicy, PyRmp};
    #[pymodule_export]
    use crate::reactive::servo::PyServo;
    #[pymodule_export]
    use crate::reactive::target_servo::PyTargetServo;
    #[pymodule_export]
    use crate::robot::files::{_find_package, _read_file, import_moveit};
    #[pymodule_export]
    use crate::robot::ik_defaults::_ik_defaults;
    #[pymodule_export]
    use crate::robot::reachability::PyReachabilityMap;
    #[pymodule_export]
    use crate::robot::{PyRobot, list_robots, robot_formats};
    #[pymodule_export]
    use crate::scene::PyScene;
    #[pymodule_export]
    use crate::scene::changes::{PySceneChanges, PySceneDiff};
    #[pymodule_export]
    use crate::scene::distance_field::PySignedDistanceField;
    #[pymodule_export]
    use crate::scene::edit::PySceneEdit;
    #[pymodule_export]
    use crate::scene::euclidean_field::PyEuclideanDistanceField;
    #[pymodule_export]
    use crate::scene::explanation::PyExplanation;
    #[pymodule_export]
    use crate::scene::measured_objects::{PyObjectTracker, euclidean_clusters, upright_box};
    #[pymodule_export]
    use crate::scene::octree::PyOctree;
    #[pymodule_export]
    use crate::scene::outlier_filter::PyOutlierFilter;
    #[pymodule_export]
    use crate::scene::pipeline::PyPerceptionPipeline;
    #[pymodule_export]
    use crate::simd::simd_tier;
    #[pymodule_export]
    use crate::stop_flag::PyStopFlag;
    #[pymodule_export]
    use crate::stub_keywords::_stub_keywords;
    #[pymodule_export]
    use crate::tasks::function::PyTaskState;
    #[pymodule_export]
    use crate::tasks::problem::PyTaskProblem;
    #[pymodule_export]
    use crate::tasks::result::PyTaskResult;
    #[pymodule_export]
    use crate::trajectory::PyTrajectory;
    #[pymodule_export]
    use crate::trajectory::certificate::PyCertificate;
    #[pymodule_export]
    use crate::trajectory::motion::{blend_sequence, state_to_state};
    #[pymodule_export]
    use crate::trajectory::online::{PyExecutionMonitor, PyPlayback, PyTracker};

    /// Version of the library.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
