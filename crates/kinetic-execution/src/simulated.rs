//! Execution in no time, by a robot that follows exactly.

use std::sync::{Arc, Mutex, PoisonError, mpsc};

use kinetic_core::{ManualClock, Result, StopFlag, TimedTrajectory};

use crate::TrajectoryExecutor;
use crate::checks::prepare;
use crate::config::ExecutionConfig;
use crate::cycle::{Cycle, Parts};
use crate::driver::{DriverError, FeedbackSource};
use crate::group::Group;
use crate::privileges::RealTimePrivileges;
use crate::result::ExecutionResult;
use crate::shared::Shared;
use crate::stop_channels::StopChannels;

/// Carries trajectories out in no time: a robot that stands where it was commanded to be takes every command of the loop that
/// drives real ones. It moves nothing, so that trajectories need no certificate.
#[derive(Debug, Clone)]
pub struct SimExecutor {
    config: ExecutionConfig,
}

impl SimExecutor {
    /// An executor with these options; no watchdog is needed.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`](kinetic_core::KineticError::InvalidValue) naming the field.
    pub fn new(config: ExecutionConfig) -> Result<Self> {
        config.check()?;
        Ok(Self { config: ExecutionConfig { allow_unverified: true, ..config } })
    }
}

impl Default for SimExecutor {
    fn default() -> Self {
        Self { config: ExecutionConfig { allow_unverified: true, ..ExecutionConfig::default() } }
    }
}

impl TrajectoryExecutor for SimExecutor {
    fn execute(&mut self, trajectory: &TimedTrajectory) -> Result<ExecutionResult> {
        simulate(trajectory, &self.config, |_, _| ())
    }
}

/// A robot that stands where it was commanded to be.
struct Follower {
    commanded: Arc<Mutex<Vec<f64>>>,
    positions: Vec<f64>,
}

impl FeedbackSource for Follower {
    fn read_positions(&mut self) -> Option<&[f64]> {
        let commanded = self.commanded.lock().unwrap_or_else(PoisonError::into_inner);
        self.positions.copy_from_slice(&commanded);
        Some(&self.positions)
    }
}

/// Runs the loop on simulated time, with `take` as the driver.
pub(crate) fn simulate(
    trajectory: &TimedTrajectory,
    config: &ExecutionConfig,
    mut take: impl FnMut(&[f64], &[f64]) + Send,
) -> Result<ExecutionResult> {
    let prepared = prepare(trajectory, config, &[])?;
    let positions = prepared.playback.state().positions.clone();
    let (clock, stop, shared) = (ManualClock::default(), StopFlag::default(), Shared::new(&positions));
    let (_requests, received) = mpsc::channel();
    let commanded = Arc::new(Mutex::new(positions.clone()));
    let mut follower = Follower { commanded: Arc::clone(&commanded), positions };
    let mut sink = |positions: &[f64], velocities: &[f64]| -> Result<(), DriverError> {
        commanded.lock().unwrap_or_else(PoisonError::into_inner).copy_from_slice(positions);
        take(positions, velocities);
        Ok(())
    };
    let names = trajectory.joint_names();
    let whole = Group::new((0..trajectory.dof()).collect(), names, config, &mut sink, Some(&mut follower));
    let parts = Parts {
        clock: &clock,
        shared: &shared,
        config,
        stop: &stop,
        groups: &mut [whole],
        stops: &StopChannels::new(None, std::iter::empty()),
        requests: &received,
        listener: None,
        realtime: RealTimePrivileges::of_this_thread(),
    };
    let (result, error) = Cycle::new(parts, prepared.playback, prepared.limits, prepared.is_verified).run();
    error.map_or(Ok(result), Err)
}
