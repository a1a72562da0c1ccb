//! Cartesian planning: motions whose tool follows a path of poses ([`Planner::plan_cartesian`](crate::Planner::plan_cartesian)).
//!
//! - [`CartesianConfig`], [`CartesianResult`]: what is asked for and answered;
//! - `arc_lengths`: where the path is sampled;
//! - `inverse`: configurations there, by the ladder of inverse kinematics in the scene;
//! - `timing`: the time law, with limits of the tool;
//! - `tracking`: proofs about the tool along the timed curve, by `motion_bounds`, and `outside` of tolerances;
//! - `speed_losses`: where a constant speed cannot be held.

pub(crate) mod arc_lengths;
mod config;
pub(crate) mod inverse;
pub(crate) mod motion_bounds;
mod outside;
mod result;
pub(crate) mod speed_losses;
pub(crate) mod timing;
pub(crate) mod tracking;

pub use config::CartesianConfig;
pub use result::{CartesianResult, CartesianStop, SpeedLoss};
