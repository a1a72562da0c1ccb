//! Time parameterisation of paths.
//!
//! - [`geometry`]: what a time law follows: a polyline without duplicates, its corners stopped at or blended;
//! - [`trapezoid`], [`totp`](mod@totp), [`jerk`], [`cubic`] and [`registry`]: time laws, one row each;
//! - [`state`]: from any state to any other, jerk limited, in the shortest time;
//! - [`online`]: speed override, tracking, stops, splices and a monitor, while the robot moves; [`blending`]: joins without a stop;
//! - [`check`]: limits by interval bounds of the polynomials;
//! - [`samples`], [`compose`], [`stack()`]: trajectories from samples, joined, reversed, of several groups;
//! - [`io`]: JSON and CSV, lossless.
//!
//! Every trajectory is a piecewise polynomial ([`kinetic_core::PiecewisePolynomial`]); this curve is what is sampled,
//! checked and saved.

pub mod blending;
pub mod check;
pub mod compose;
pub mod corners;
pub mod cubic;
mod curve_element;
pub mod geometry;
pub mod io;
pub mod jerk;
pub mod online;
pub mod per_joint;
pub mod ratios;
pub mod registry;
pub mod samples;
mod stack;
pub mod state;
pub mod totp;
pub mod trapezoid;

mod ends;
mod lanes;
mod laws;
mod path_constraints;
mod polyline;
mod quick_check;
mod speed;
mod spline;
mod tolerance;
mod watch;

pub use blending::{BlendCut, blend, blend_corner, blend_sequence, join_corners};
pub use check::{TrajectoryValidator, TrajectoryViolation, ValidationConfig, ViolationKind};
pub use compose::{concatenate, remaining, reverse, stretched};
pub use cubic::cubic_spline_time;
pub use curve_element::CurveElement;
pub use geometry::{PathElement, PathGeometry};
pub use io::{
    Document, PathDocument, path_from_json, path_from_json_file, path_to_json, path_to_json_file, trajectory_from_csv,
    trajectory_from_csv_file, trajectory_from_file, trajectory_from_json, trajectory_from_json_file, trajectory_to_csv,
    trajectory_to_csv_file, trajectory_to_file, trajectory_to_json, trajectory_to_json_file,
};
pub use laws::{jerk_limited, totp, trapezoidal, trapezoidal_per_joint};
pub use path_constraints::time_optimal_within;
pub use per_joint::PerJoint;
pub use ratios::{LimitRatios, Peak, has_acceleration_step, limit_ratios, peak};
pub use registry::{
    Corners, PathShape, TIME_LAWS, TimeLawSpec, TimingOptions, prepared, time_law, time_parameterize,
    time_parameterize_controlled, time_parameterize_with,
};
pub use samples::{from_samples, natural_spline};
pub use stack::stack;
pub use state::{MotionLimits, MotionOptions, MotionState, StateToState, Synchronization, state_to_state};
