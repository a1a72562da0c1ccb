//! The arm as it goes to a target by itself.

use std::sync::Arc;

use kinetic_core::Result;
use kinetic_robot::Robot;
use kinetic_scene::LiveScene;

use super::config::Approach;
use crate::mpc::Mpc;
use crate::servo::{Servo, ServoOutput};
use crate::target::ServoTarget;

/// What moves the arm where nothing is in the way.
pub(super) enum Approacher {
    Servo(Box<Servo>),
    Mpc(Box<Mpc>),
}

impl Approacher {
    pub(super) fn new(robot: &Arc<Robot>, scene: LiveScene, group: Option<&str>, approach: &Approach) -> Result<Self> {
        Ok(match approach {
            Approach::Servo(config) => Self::Servo(Box::new(Servo::of_robot(robot, scene, group, config.clone())?)),
            Approach::Mpc(config) => Self::Mpc(Box::new(Mpc::of_robot(robot, scene, group, config)?)),
        })
    }

    pub(super) fn servo(&self) -> &Servo {
        match self {
            Self::Servo(servo) => servo,
            Self::Mpc(mpc) => mpc.servo(),
        }
    }

    pub(super) fn servo_mut(&mut self) -> &mut Servo {
        match self {
            Self::Servo(servo) => servo,
            Self::Mpc(mpc) => mpc.servo_mut(),
        }
    }

    /// Forgets what was planned of another state.
    pub(super) fn set_state(&mut self, positions: &[f64], velocities: &[f64]) -> Result<()> {
        match self {
            Self::Servo(servo) => servo.set_state(positions, velocities),
            Self::Mpc(mpc) => mpc.set_state(positions, velocities),
        }
    }

    /// Commands to stop.
    pub(super) fn stop(&mut self) {
        match self {
            Self::Servo(servo) => servo.stop(),
            Self::Mpc(mpc) => mpc.stop(),
        }
    }

    /// Begins to go to a target; `rest` are zeros.
    pub(super) fn begin(&mut self, target: &ServoTarget, rest: &[f64]) -> Result<()> {
        match self {
            Self::Servo(_) => self.command(target, rest),
            Self::Mpc(mpc) => mpc.set_target(target),
        }
    }

    /// Moves on towards the target for one tick.
    pub(super) fn tick(&mut self, target: &ServoTarget, rest: &[f64]) -> Result<&ServoOutput> {
        self.command(target, rest)?;
        match self {
            Self::Servo(servo) => servo.tick(),
            Self::Mpc(mpc) => mpc.tick(),
        }
    }

    /// Commands a servo, which forgets what is old; an `Mpc` remembers its target.
    fn command(&mut self, target: &ServoTarget, rest: &[f64]) -> Result<()> {
        match (self, target) {
            (Self::Servo(servo), ServoTarget::Pose(pose)) => servo.track_pose(pose),
            (Self::Servo(servo), ServoTarget::Joints(positions)) => servo.track_joints(positions, rest),
            (Self::Mpc(_), _) => Ok(()),
        }
    }
}
