//! What a driver of a robot implements.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::config::WatchdogAction;

/// Why a driver could not do what it was asked.
pub type DriverError = Box<dyn std::error::Error + Send + Sync>;

/// Takes commands. Closures `|positions, velocities| …` are sinks.
pub trait CommandSink: Send {
    /// Sends one command: positions (rad or m) and velocities of all joints. Called once per cycle, by one thread.
    ///
    /// # Errors
    /// What the driver says; the execution ends with it.
    fn send_command(&mut self, positions: &[f64], velocities: &[f64]) -> Result<(), DriverError>;

    /// Names of the joints in the order of the commands; empty when unknown. A trajectory of other joints is refused.
    fn joint_names(&self) -> &[String] {
        &[]
    }

    /// A flag that all sinks of one driver share, so that it takes commands of one execution at a time; it is true while one
    /// runs. `None` when nothing is shared.
    fn in_use(&self) -> Option<Arc<AtomicBool>> {
        None
    }
}

impl<F> CommandSink for F
where
    F: FnMut(&[f64], &[f64]) -> Result<(), DriverError> + Send,
{
    fn send_command(&mut self, positions: &[f64], velocities: &[f64]) -> Result<(), DriverError> {
        self(positions, velocities)
    }
}

/// Says where the robot is. Asked once per cycle, before the command.
pub trait FeedbackSource: Send {
    /// Measured positions of all joints, rad or m, in the order of the commands; `None` when there is nothing new.
    fn read_positions(&mut self) -> Option<&[f64]>;

    /// Measured velocities, when the driver has them; else they follow from positions.
    fn read_velocities(&mut self) -> Option<&[f64]> {
        None
    }

    /// The part of the commanded speed at which the controller of the robot runs now, 0 to 1: its speed slider, or a reduced
    /// mode. The trajectory is slowed down alike.
    fn speed_scaling(&mut self) -> f64 {
        1.0
    }
}

/// How a robot is to be stopped when its commands do not get through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StopRequest<'a> {
    /// What is asked for.
    pub action: WatchdogAction,
    /// Positions of the last command that was begun, rad or m.
    pub positions: &'a [f64],
}

/// A second channel to the robot, which works while a call of the [`CommandSink`] does not return: a safety input, another
/// connection. It is called by the watchdog's thread, or by that of the commands after the driver has failed.
pub trait StopSink: Send + Sync {
    /// Stops the robot. Returns soon, whatever state the command channel is in.
    fn stop(&self, request: &StopRequest<'_>);
}
