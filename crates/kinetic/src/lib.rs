//! Motion planning: from a robot's name to a collision-free, timed and verified trajectory.
//!
//! ```
//! use kinetic::prelude::*;
//!
//! let robot = std::sync::Arc::new(Robot::from_name("ur5e")?);
//! let mut scene = Scene::new(&robot)?;
//! scene.add("table", Shape::box_from_size(1.0, 1.0, 0.05)?, Pose::from_xyz(0.0, 0.0, -0.1))?;
//! let planned = Planner::in_scene(scene)?.plan_timed(
//!     &[0.0, -1.57, 0.0, -1.57, 0.0, 0.0],
//!     &Goal::named("ready"),
//!     "totp",
//! )?;
//! assert!(planned.trajectory.certificate().is_some());
//! # Ok::<(), KineticError>(())
//! ```
//!
//! One module per crate, a [`prelude`], and [`plan`] for the shortest way.
//!
//! `use kinetic::prelude::*` is what programs import; it holds no modules. `use kinetic::*` would bring the module
//! [`core`] in, beside which `use core::fmt` has to be written `use ::core::fmt`. [`types`] is another name of the
//! same module.
//!
//! # Features
//!
//! On unless `default-features = false` says otherwise are `builtin-robots` (robots by name, 1.0 MB), `mjcf` and `sdf`
//! (readers of robot files, beside URDF, SRDF and `kinetic.toml`) and `benchmark` (the modules `mbm` and `robometrics`). Off by default is `gpu`, the
//! module of the same name: batches of configurations on a GPU.

pub mod check;
#[cfg(all(doctest, feature = "builtin-robots"))]
mod doc_pages;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(feature = "benchmark")]
pub mod mbm;
pub mod plan_execute;
#[cfg(feature = "benchmark")]
pub mod robometrics;

pub use kinetic_core as core;
pub use kinetic_core as types;
pub use kinetic_dynamics as dynamics;
pub use kinetic_execution as execution;
pub use kinetic_ik as ik;
pub use kinetic_ik_codegen as ik_codegen;
pub use kinetic_perception as perception;
pub use kinetic_planning as planning;
pub use kinetic_reactive as reactive;
pub use kinetic_robot as robot;
pub use kinetic_scene as scene;
pub use kinetic_trajectory as trajectory;
pub use nalgebra;

/// Forward and inverse kinematics under one name: `kinetic-kinematics` and everything of [`ik`].
pub mod kinematics {
    pub use kinetic_ik::solvers as ik;
    pub use kinetic_ik::*;
    pub use kinetic_kinematics::*;

    /// Closed-form inverse kinematics, and `codegen`, its stand-alone solvers.
    pub mod analytic {
        pub use kinetic_ik::analytic::*;
        pub use kinetic_ik_codegen as codegen;
    }
}

/// Distances between shapes, sphere covers, allowed contacts; and what needs a robot that moves.
pub mod collision {
    pub use kinetic_collision::*;
    pub use kinetic_scene::{CCDConfig, ContinuousCollisionDetector, simd};
}

use kinetic_core::{Goal, PlannerConfig, Result};
use kinetic_planning::{PlannedTrajectory, Planner};
use kinetic_robot::Robot;
use kinetic_scene::Scene;

/// What a program that plans needs.
///
/// `Result<T>` is that of kinetic, and `Result<T, E>` that of the standard library.
///
/// ```
/// use core::fmt::Write;
///
/// use kinetic::prelude::*;
///
/// fn joints(text: &str) -> Result<JointValues, std::num::ParseFloatError> {
///     text.split_whitespace().map(str::parse).collect()
/// }
///
/// fn describe(q: &JointValues) -> Result<String> {
///     let chain = KinematicChain::auto_detect(&Robot::from_name("ur5e")?)?;
///     let mut out = String::new();
///     let _ = write!(out, "{q:.2} reaches {:.3}", forward_kinematics(&chain, q)?);
///     Ok(out)
/// }
///
/// let q = joints("0 -1.57 0 -1.57 0 0")?;
/// assert!(describe(&q)?.starts_with("[0.00, -1.57, 0.00, -1.57, 0.00, 0.00] reaches xyz ["));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub mod prelude {
    pub use kinetic_core::{
        Certificate, Constraint, Control, FrameTree, Goal, JointValues, KineticError, Limits, MotionLimits,
        PlannerConfig, Pose, PoseRegion, ReferenceFrame, Result, Shape, StopFlag, TimedTrajectory, Trajectory,
    };
    pub use kinetic_dynamics::{DynamicsData, DynamicsModel, Payload};
    pub use kinetic_execution::{ExecutionConfig, LogExecutor, RealTimeExecutor, SimExecutor, TrajectoryExecutor};
    pub use kinetic_ik::analytic::Manipulator;
    pub use kinetic_ik::{
        CartesianMove, CartesianPath, IKConfig, IKSolution, InverseKinematics, MoveFrame, solve_ik, solve_ik_auto,
        solve_ik_branches,
    };
    pub use kinetic_kinematics::{
        KinematicChain, forward_kinematics, forward_kinematics_all, forward_kinematics_into, jacobian, jacobian_into,
        manipulability,
    };
    pub use kinetic_planning::{
        Algorithm, CartesianConfig, CartesianResult, DualArmMode, DualArmPlanner, DualGoal, Improvement,
        PlannedTrajectory, Planner, PlannerType, PlanningResult, Query, Solution, Validity,
    };
    pub use kinetic_robot::Robot;
    pub use kinetic_scene::{Checker, LiveScene, Margins, Scene};
    pub use kinetic_trajectory::online::{Playback, Tracker};
    pub use kinetic_trajectory::{
        TimingOptions, TrajectoryValidator, jerk_limited, time_parameterize, totp, trajectory_from_csv,
        trajectory_from_json, trajectory_to_csv, trajectory_to_json, trapezoidal,
    };
    pub use nalgebra::{Isometry3, UnitQuaternion, Vector3};

    pub use crate::plan_execute::{
        DriverExecutor, PlanExecuteConfig, PlanExecuteLoop, PlanExecuteResult, RecoveryStrategy, ReplanStrategy,
    };
}

/// The time law used where none is named.
pub const DEFAULT_TIME_LAW: &str = trajectory::totp::ID;

/// Plans for a built-in robot in an empty scene: collision-free, timed, verified.
///
/// # Errors
/// [`kinetic_core::KineticError::RobotConfigNotFound`], and what [`Planner::plan_timed`] reports.
pub fn plan(robot: &str, start: &[f64], goal: &Goal) -> Result<PlannedTrajectory> {
    Planner::new(&Robot::builtin(robot)?)?.plan_timed(start, goal, DEFAULT_TIME_LAW)
}

/// Plans in a scene. The scene knows its robot; `robot` must name it.
///
/// # Errors
/// [`kinetic_core::KineticError::InvalidValue`] when the scene holds another robot, and what [`plan`] reports.
pub fn plan_with_scene(robot: &str, start: &[f64], goal: &Goal, scene: &Scene) -> Result<PlannedTrajectory> {
    Planner::new(&Robot::builtin(robot)?)?.with_scene(scene)?.plan_timed(start, goal, DEFAULT_TIME_LAW)
}

/// Plans with options of its own, for example another [speed](PlannerConfig::limits).
///
/// ```
/// use kinetic::prelude::*;
///
/// let limits = MotionLimits::scaled(0.5, 0.25)?;
/// let config = PlannerConfig { limits, ..PlannerConfig::default() };
/// let planned = kinetic::plan_with_config("ur5e", &[0.0, -1.57, 0.0, -1.57, 0.0, 0.0], &Goal::named("ready"), config)?;
/// let limits = planned.trajectory.certificate().and_then(|certificate| certificate.limits.as_ref());
/// assert!(limits.is_some_and(|limits| limits.velocity_scaling == 0.5));
/// # Ok::<(), KineticError>(())
/// ```
///
/// # Errors
/// [`kinetic_core::KineticError::InvalidValue`] naming an option outside its domain, and what [`plan`] reports.
pub fn plan_with_config(robot: &str, start: &[f64], goal: &Goal, config: PlannerConfig) -> Result<PlannedTrajectory> {
    Planner::new(&Robot::builtin(robot)?)?.with_config(config)?.plan_timed(start, goal, DEFAULT_TIME_LAW)
}

/// Names of the built-in robots, sorted.
pub fn robot_names() -> Vec<&'static str> {
    kinetic_robot::builtin::names()
}
