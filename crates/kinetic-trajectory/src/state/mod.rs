//! Time-optimal motion from one state to another under limits of velocity, acceleration and jerk.
//!
//! Start and target have any position, velocity and acceleration; the joints arrive together. [`StateToState`] plans
//! again and again without allocation, as a controller does every cycle; [`state_to_state`] answers with a
//! [`TimedTrajectory`](kinetic_core::TimedTrajectory).
//!
//! - The duration is the smallest in which every joint can meet its target; a joint that could be early but not in
//!   time (a blocked interval) makes all of them later.
//! - A start outside the limits, or bound to leave them, [brakes](self) first, at full acceleration and jerk. From then
//!   on every limit holds at every instant.
//! - A target outside the limits, or one that can only be left or met through a velocity outside, is refused.

mod axis;
mod brake;
mod envelope;
mod limits;
mod motion;
mod motion_state;
mod reachable_set;
mod rest;
mod velocity;
mod velocity_change;

pub(crate) use motion::check_positions;
pub(crate) use reachable_set::line_motion;

pub use axis::{AxisLimits, AxisState, Phases};
pub use limits::MotionLimits;
pub use motion::{MotionOptions, STATE_TO_STATE, StateToState, Synchronization, state_to_state};
pub use motion_state::MotionState;
pub use velocity_change::write_velocity_change;
