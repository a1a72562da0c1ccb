//! Motion that is decided while it happens.
//!
//! - [`Tracker`]: follows a target state that may change every cycle, within limits of velocity, acceleration and jerk;
//! - [`stop`]: the fastest jerk-limited stop, with its distance from the path;
//! - [`splice`]: a new trajectory in place of the rest of the running one, without a step;
//! - [`ExecutionMonitor`]: how far the robot is from where it should be.

mod monitor;
mod splice;
mod tracker;

pub use monitor::{Deviation, DeviationLevel, ExecutionMonitor, MonitorConfig};
pub use splice::{SPLICED, Stop, splice, stop};
pub use tracker::{Tracker, sample_state};
