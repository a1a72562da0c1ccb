//! A timed trajectory sent to a driver.
//!
//! - [`CommandSink`], [`FeedbackSource`], [`StopSink`]: what a driver implements;
//! - [`SimExecutor`], [`LogExecutor`], [`RealTimeExecutor`]: one loop of cycles, in no time or on the wall clock;
//! - [`GroupDriver`]: the driver of one of several groups that are executed together;
//! - [`Handle`]: pause, resume, speed, stops and splices while it runs;
//! - [`ExecutionConfig`]: rate, tolerances, timeouts, limits, watchdog;
//! - [`SafetyWatchdog`]: the watchdog alone, for loops of one's own;
//! - [`MonotonicClock`]: absolute sleeps; [`SimulatedClock`]: time for tests, which waits for nobody.
//!
//! # What happens on a fault
//!
//! | fault | what is done | error |
//! |---|---|---|
//! | the driver refuses a command | no more commands, [`StopSink`]; other groups stop along their path | `CommandFailed` |
//! | a call of the driver lasts longer than `command_timeout_ms`, or for ever | the watchdog thread: no more commands, [`StopSink`] | `CommandTimeout` |
//! | no command for longer than `command_timeout_ms` (the clock jumps, the thread was not run) | as above | `CommandTimeout` |
//! | calls are slower than the period | cycles are left out and counted, the schedule holds | none |
//! | the robot is farther away, or faster, than the tolerances allow, or its state is no number | it stops along its path from the same cycle on | `DeviationExceeded` |
//! | required feedback is missing for longer than `command_timeout_ms` | it stops along its path from the same cycle on | `FeedbackLost` |
//! | it takes longer than `timeout_factor` times the trajectory | it stops along its path from the same cycle on | `ExecutionTimeout` |
//! | the clock goes back | no time has passed | none |
//! | the [`Handle`] is dropped | it stops along its path from the next cycle on | none |
//! | a [stop flag](RealTimeExecutor::with_stop_flag) is raised | it stops along its path from the next cycle on | none |
//! | the controller runs slower (its speed slider) | the trajectory runs slower with it, see [`FeedbackSource::speed_scaling`] | none |
//! | a second execution on one executor or driver | it is refused before a command | `InvalidValue` |
//!
//! After the stop no command is sent, and no thread of the execution is left, but for one whose driver never returns.

mod checks;
mod clock;
mod config;
mod cycle;
mod deviation;
mod driver;
mod group;
mod group_driver;
mod handle;
mod jitter;
mod limits;
mod logging;
mod motion;
mod privileges;
mod progress;
mod real_time;
mod real_time_request;
mod result;
mod safety_watchdog;
mod schedule;
mod shared;
mod simulated;
mod simulated_clock;
mod splicing;
mod stop_channels;
mod watchdog;

pub use clock::MonotonicClock;
pub use config::{ExecutionConfig, WatchdogAction, WatchdogConfig};
pub use driver::{CommandSink, DriverError, FeedbackSource, StopRequest, StopSink};
pub use group_driver::GroupDriver;
pub use handle::Handle;
pub use jitter::JitterHistogram;
pub use logging::{LogExecutor, LoggedCommand};
pub use privileges::{RealTimePrivileges, SchedulingPolicy};
pub use progress::Progress;
pub use real_time::RealTimeExecutor;
pub use result::{ExecutionResult, ExecutionState, StopMode, StopReport};
pub use safety_watchdog::SafetyWatchdog;
pub use simulated::SimExecutor;
pub use simulated_clock::{Participant, SimulatedClock};
pub use splicing::SpliceQueue;

use kinetic_core::{Result, TimedTrajectory};

/// What carries a trajectory out, whatever it drives.
pub trait TrajectoryExecutor {
    /// Carries the trajectory out and returns when it has ended.
    ///
    /// # Errors
    /// [`KineticError::InvalidTrajectory`](kinetic_core::KineticError::InvalidTrajectory) before the first command, and the
    /// errors of the [table](crate) after it.
    fn execute(&mut self, trajectory: &TimedTrajectory) -> Result<ExecutionResult>;
}
