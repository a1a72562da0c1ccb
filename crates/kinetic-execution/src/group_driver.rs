//! Drivers of groups of joints that one execution moves together.

use std::collections::HashSet;
use std::sync::Arc;

use kinetic_core::{KineticError, Result, TimedTrajectory};

use crate::checks::invalid;
use crate::driver::{CommandSink, FeedbackSource, StopSink};

/// The driver of one group of joints, an arm or a gripper, for
/// [executions of several groups](crate::RealTimeExecutor::start_together).
pub struct GroupDriver {
    pub(crate) joint_names: Vec<String>,
    pub(crate) sink: Box<dyn CommandSink>,
    pub(crate) feedback: Option<Box<dyn FeedbackSource>>,
    pub(crate) stop_sink: Option<Arc<dyn StopSink>>,
}

impl GroupDriver {
    /// A driver that takes commands for joints of these names, in this order.
    pub fn new(joint_names: Vec<String>, sink: Box<dyn CommandSink>) -> Self {
        Self { joint_names, sink, feedback: None, stop_sink: None }
    }

    /// The same driver with a source of feedback, in the order of its commands.
    #[must_use]
    pub fn with_feedback(self, feedback: Box<dyn FeedbackSource>) -> Self {
        Self { feedback: Some(feedback), ..self }
    }

    /// The same driver with a second channel to the robot, for when it does not take commands.
    #[must_use]
    pub fn with_stop_sink(self, stop_sink: Arc<dyn StopSink>) -> Self {
        Self { stop_sink: Some(stop_sink), ..self }
    }
}

/// The joints of each driver in the trajectory, by their names.
///
/// # Errors
/// [`KineticError::InvalidTrajectory`] where a joint has no driver, or a driver joints that do not move;
/// [`KineticError::InvalidValue`] for a joint of two drivers.
pub(crate) fn joints_of(trajectory: &TimedTrajectory, drivers: &[GroupDriver]) -> Result<Vec<Vec<usize>>> {
    let names = trajectory.joint_names();
    if names.is_empty() {
        return Err(invalid("its joints have no names, by which drivers get their commands"));
    }
    let joints = drivers.iter().map(|driver| joints_of_driver(names, driver)).collect::<Result<Vec<_>>>()?;
    let mut taken = HashSet::new();
    if let Some(twice) = joints.iter().flatten().find(|joint| !taken.insert(**joint)) {
        return Err(KineticError::invalid("joint of two drivers", names[*twice].as_str(), "one driver per joint"));
    }
    match names.iter().enumerate().find(|(joint, _)| !taken.contains(joint)) {
        Some((_, name)) => Err(invalid(&format!("it moves joint \"{name}\", which no driver has"))),
        None => Ok(joints),
    }
}

fn joints_of_driver(names: &[String], driver: &GroupDriver) -> Result<Vec<usize>> {
    let (stated, own) = (driver.sink.joint_names(), &driver.joint_names);
    if !stated.is_empty() && stated != own {
        return Err(invalid(&format!("a driver of {} was given as one of {}", stated.join(", "), own.join(", "))));
    }
    if own.is_empty() {
        return Err(KineticError::invalid("joint_names of a driver", "none", "the names of its joints"));
    }
    let find = |name: &String| {
        let place = names.iter().position(|known| known == name);
        place.ok_or_else(|| invalid(&format!("it moves {}, not \"{name}\" of a driver", names.join(", "))))
    };
    own.iter().map(find).collect()
}
