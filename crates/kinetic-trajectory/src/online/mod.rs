//! Motion that is decided while it happens.
//!
//! - [`Tracker`]: follows a target state that may change every cycle, within limits of velocity, acceleration and jerk;
//! - [`Playback`]: a trajectory under a speed override from 0 to 1, always on its path;
//! - [`stop_on_path`]: a stop that stays on the path, as early as the limits allow; [`stop`]: the fastest jerk-limited stop, with its distance
//!   from the path; [`StopPlanner`]: both without allocation;
//! - [`splice`]: a new trajectory in place of the rest of the running one, without a step;
//! - [`ExecutionMonitor`]: how far the robot is from where it should be.

mod braking;
mod clock;
mod deviation;
mod monitor;
mod path_stop;
mod playback;
mod rate_check;
mod rate_profile;
mod smooth_rate;
mod smooth_stop;
mod splice;
mod stops;
mod tracker;
mod violations;

pub use monitor::{Deviation, DeviationLevel, ExecutionMonitor, MonitorConfig};
pub use playback::Playback;
pub use splice::{SPLICED, splice};
pub use stops::{Stop, StopPlanner, stop, stop_on_path};
pub use tracker::{Tracker, sample_state};
