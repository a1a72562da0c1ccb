//! Execution in no time, with all commands kept.

use kinetic_core::{Result, TimedTrajectory};

use crate::TrajectoryExecutor;
use crate::config::ExecutionConfig;
use crate::result::ExecutionResult;
use crate::simulated::simulate;

/// A command that was kept.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedCommand {
    /// Seconds since the first command of its execution.
    pub time: f64,
    /// rad or m.
    pub positions: Vec<f64>,
    /// rad/s or m/s.
    pub velocities: Vec<f64>,
}

/// As [`SimExecutor`](crate::SimExecutor), and keeps the commands.
#[derive(Debug, Clone)]
pub struct LogExecutor {
    config: ExecutionConfig,
    commands: Vec<LoggedCommand>,
}

impl LogExecutor {
    /// An executor with these options; no watchdog is needed.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`](kinetic_core::KineticError::InvalidValue) naming the field.
    pub fn new(config: ExecutionConfig) -> Result<Self> {
        config.check()?;
        let config = ExecutionConfig { allow_unverified: true, ..config };
        Ok(Self { config, commands: Vec::new() })
    }

    /// The commands of all executions, in order.
    pub fn commands(&self) -> &[LoggedCommand] {
        &self.commands
    }

    /// Number of commands.
    pub fn len(&self) -> usize {
        self.commands.len()
    }

    /// True without commands.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Forgets all commands.
    pub fn clear(&mut self) {
        self.commands.clear();
    }
}

impl TrajectoryExecutor for LogExecutor {
    fn execute(&mut self, trajectory: &TimedTrajectory) -> Result<ExecutionResult> {
        let (period, mut cycle) = (self.config.period(), 0_u32);
        let commands = &mut self.commands;
        simulate(trajectory, &self.config, |positions, velocities| {
            let time = f64::from(cycle) * period;
            commands.push(LoggedCommand { time, positions: positions.to_vec(), velocities: velocities.to_vec() });
            cycle += 1;
        })
    }
}
