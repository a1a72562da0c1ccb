#![doc = include_str!("../README.md")]

pub mod batch;
pub mod chain;
mod frame;
pub mod frames;
pub mod jacobian;
pub mod kernel;
pub mod parallel;
pub mod program;
pub mod reachability;
pub mod rigid;
pub mod simd;
pub mod tree;
mod trig;

pub use batch::{fk_batch, fk_batch_matrices};
pub use chain::{ChainParts, KinematicChain};
pub use frames::update_frame_tree;
pub use jacobian::{condition_number, jacobian, jacobian_into, manipulability};
pub use program::{Frame, JointProgram, Motion};
pub use reachability::{ReachabilityConfig, ReachabilityMap};
pub use rigid::Rigid;
pub use tree::{Expressed, MassProperties, MoveTarget, TreeKinematics, VirtualBase};

use kinetic_core::{Pose, Result};
use kinetic_robot::Robot;

/// Pose of the chain's tip in its base, `base_from_tip`, for `q` in group or robot length.
///
/// # Errors
/// [`kinetic_core::KineticError::DimensionMismatch`] or [`kinetic_core::KineticError::NotFinite`].
pub fn forward_kinematics(chain: &KinematicChain, q: &[f64]) -> Result<Pose> {
    chain.check(q)?;
    Ok(chain.tip_pose(q))
}

/// Pose of every link of the chain in its base, base first, for `q` in chain order.
///
/// # Errors
/// As [`forward_kinematics`].
pub fn forward_kinematics_all(chain: &KinematicChain, q: &[f64]) -> Result<Vec<Pose>> {
    chain.check(q)?;
    Ok(chain.program().link_poses(q))
}

/// Pose of every link of the robot in its root, in link order, for a robot-length configuration.
///
/// # Errors
/// As [`forward_kinematics`].
pub fn robot_link_poses(robot: &Robot, q: &[f64]) -> Result<Vec<Pose>> {
    kinetic_core::error::check_len(
        &format!("configuration of robot \"{}\"", robot.name),
        q.len(),
        robot.num_variables(),
    )?;
    kinetic_core::error::check_finite("configuration", q)?;
    let variables: Vec<usize> = (0..robot.num_variables()).collect();
    Ok(JointProgram::compile(robot, &variables, q).link_poses(q))
}
