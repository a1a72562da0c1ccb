#![doc = include_str!("../README.md")]

pub mod batch;
pub mod chain;
mod frame;
pub mod frame_motion;
pub mod frames;
pub mod inertia;
pub mod jacobian;
pub mod kernel;
pub mod link_jacobian;
pub mod program;
pub mod reachability;
pub mod rigid;
pub mod simd;
pub mod tree;
mod trig;

pub use batch::{fk_batch, fk_batch_matrices};
pub use chain::{ChainParts, KinematicChain};
pub use frame_motion::FrameMotion;
pub use frames::update_frame_tree;
pub use inertia::{SpatialInertia, lumped_inertias};
pub use jacobian::{condition_number, jacobian, jacobian_batch, jacobian_into, manipulability};
pub use link_jacobian::LinkJacobian;
pub use program::{Frame, JointProgram, Motion};
pub use reachability::{ReachabilityConfig, ReachabilityMap};
pub use rigid::Rigid;
pub use tree::{Expressed, FrameVelocity, MassProperties, MoveTarget, TreeKinematics, VirtualBase};

use kinetic_core::error::check_len;
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

/// As [`forward_kinematics`] without allocation: `frames` is [`KinematicChain::frame_buffer`], and holds the poses of all
/// frames afterwards.
///
/// ```
/// use kinetic_kinematics::{KinematicChain, forward_kinematics_into};
/// # use kinetic_robot::Robot;
///
/// let chain = KinematicChain::auto_detect(&Robot::from_name("ur5e")?)?;
/// let mut frames = chain.frame_buffer(); // once
/// for step in 0..1000 {
///     let q = [0.001 * f64::from(step); 6];
///     let base_from_tip = forward_kinematics_into(&chain, &q, &mut frames)?;
///     assert!(base_from_tip.translation().norm() < 1.5);
/// }
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
///
/// # Errors
/// As [`forward_kinematics`], and [`kinetic_core::KineticError::DimensionMismatch`] for a buffer of another chain.
pub fn forward_kinematics_into(chain: &KinematicChain, q: &[f64], frames: &mut [Rigid]) -> Result<Pose> {
    chain.check(q)?;
    check_len("buffer of frames", frames.len(), chain.program().num_frames())?;
    Ok(chain.tip_rigid(q, frames).to_pose())
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
    check_len(&format!("configuration of robot \"{}\"", robot.name), q.len(), robot.num_variables())?;
    kinetic_core::error::check_finite("configuration", q)?;
    let variables: Vec<usize> = (0..robot.num_variables()).collect();
    Ok(JointProgram::compile(robot, &variables, q).link_poses(q))
}
