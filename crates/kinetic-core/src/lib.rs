//! What the crates of kinetic exchange: poses, joint values, goals, shapes, paths and trajectories as data, limits,
//! the error type, clocks and control of long computations, seeded randomness.
//!
//! Algorithms live in the crates above; this one holds what several of them name.

pub mod axis_mask;
pub mod cache;
pub mod cascaded_frame;
pub mod clearance;
pub mod closest_approach;
pub mod config;
pub mod constraint;
pub mod content_hash;
pub mod control;
pub mod curve;
pub mod digits;
pub mod error;
pub mod files;
pub mod frame_tree;
pub mod goal;
mod hashed_values;
pub mod joint_values;
pub mod limits;
pub mod pair;
pub mod parallel;
pub mod path;
pub mod payload;
pub mod pose;
pub mod pose_region;
pub mod rng;
pub mod shape;
pub mod stamped_history;
pub mod timed;
mod tolerance;
pub mod toml_depth;
pub mod toml_text;
pub mod trajectory_identity;
pub mod twist;
mod unbounded;

pub use axis_mask::AxisMask;
pub use cache::{Cache, CacheEntry};
pub use cascaded_frame::{Attachment, CascadedFrame};
pub use clearance::{Certificate, ProvenConstraint, ProvenLimits, ProvenTool, ToolFreedom};
pub use closest_approach::{ClosestApproach, ClosestApproaches, Measurement};
pub use config::motion_limits::{self, MotionLimits};
pub use config::{CostFunction, Minimise, PlannerConfig, PlannerOption, Prefer, Projection, Race, Refine, StateCost};
pub use constraint::{Constraint, ConstraintValue, CustomConstraint, Residual, check_constraints};
pub use content_hash::{ContentHash, ContentHasher, SetHash};
pub use control::{Clock, Control, ManualClock, StopFlag, SystemClock};
pub use curve::PiecewisePolynomial;
pub use error::{ErrorFamily, KineticError, Result};
pub use frame_tree::{FrameTree, StampedTransform};
pub use goal::{Goal, ReferenceFrame};
pub use joint_values::JointValues;
pub use limits::{JointLimits, Limits};
pub use pair::Pair;
pub use path::{Trajectory, Waypoint};
pub use payload::{MountedPayload, Payload, PayloadEntry};
pub use pose::{Pose, Wrt};
pub use pose_region::PoseRegion;
pub use shape::Shape;
pub use stamped_history::{Around, StampedHistory};
pub use timed::{TimedTrajectory, TimedWaypoint};
pub use trajectory_identity::TrajectoryIdentity;
pub use twist::{Twist, Wrench};
