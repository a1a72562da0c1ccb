//! The joints of one driver, and what passes between them and their trajectory.

use kinetic_core::{KineticError, Result};
use kinetic_trajectory::MotionState;

use crate::config::ExecutionConfig;
use crate::deviation::DeviationMonitor;
use crate::driver::{CommandSink, DriverError, FeedbackSource};

/// A group of joints with its driver; allocates nothing per cycle.
pub(crate) struct Group<'d> {
    /// Its joints in the trajectory, in the order of the driver.
    joints: Vec<usize>,
    sink: &'d mut dyn CommandSink,
    feedback: Option<&'d mut dyn FeedbackSource>,
    monitor: DeviationMonitor,
    /// Memory for a command, and for a measurement.
    positions: Vec<f64>,
    velocities: Vec<f64>,
    measured: Vec<f64>,
    /// When there was feedback last.
    heard: f64,
    /// True when the driver has refused a command: it gets no other one.
    pub(crate) has_failed: bool,
}

/// What a group measured in a cycle.
pub(crate) enum Measurement {
    /// Nothing is measured, or it is within the tolerances.
    Fine,
    /// Nothing new for so long, s.
    Silent(f64),
    /// The robot is not where, or not as fast as, it was commanded to be.
    Deviates(KineticError),
}

impl<'d> Group<'d> {
    /// The driver of some joints of a trajectory of joints with these names, which are empty when unknown.
    pub(crate) fn new(
        joints: Vec<usize>,
        names: &[String],
        config: &ExecutionConfig,
        sink: &'d mut dyn CommandSink,
        feedback: Option<&'d mut dyn FeedbackSource>,
    ) -> Self {
        let names: Vec<String> = joints.iter().filter_map(|joint| names.get(*joint).cloned()).collect();
        let dof = joints.len();
        let monitor = DeviationMonitor::new(&names, dof, config);
        let [positions, velocities, measured] = [(); 3].map(|()| vec![0.0; dof]);
        Self { joints, sink, feedback, monitor, positions, velocities, measured, heard: 0.0, has_failed: false }
    }

    /// Largest distance of a measured from the commanded position so far; `None` without measurements.
    pub(crate) fn largest_deviation(&self) -> Option<f64> {
        self.monitor.largest()
    }

    /// Names of its joints, or their numbers in the trajectory where names are not known.
    pub(crate) fn joint_names(&self) -> Vec<String> {
        let number = |(own, joint): (usize, &usize)| self.monitor.name(own).unwrap_or_else(|| joint.to_string());
        self.joints.iter().enumerate().map(number).collect()
    }

    /// The part of the commanded speed at which its controller runs.
    pub(crate) fn speed_scaling(&mut self) -> f64 {
        self.feedback.as_deref_mut().map_or(1.0, FeedbackSource::speed_scaling)
    }

    /// Its part of a state of all joints.
    fn take(&mut self, state: &MotionState) {
        for (own, joint) in self.joints.iter().enumerate() {
            self.positions[own] = state.positions[*joint];
            self.velocities[own] = state.velocities[*joint];
        }
    }

    /// Compares where the robot is with where it was commanded to be.
    pub(crate) fn measure(&mut self, now: f64, commanded: &MotionState) -> Measurement {
        self.take(commanded);
        let Some(feedback) = self.feedback.as_deref_mut() else { return Measurement::Fine };
        let Some(positions) = feedback.read_positions() else { return Measurement::Silent(now - self.heard) };
        self.heard = now;
        self.measured.clear();
        self.measured.extend_from_slice(positions);
        let velocities = feedback.read_velocities().map(|measured| [measured, &self.velocities[..]]);
        match self.monitor.check(now, [&self.measured, &self.positions], velocities) {
            Ok(()) => Measurement::Fine,
            Err(error) => Measurement::Deviates(error),
        }
    }

    /// Sends its part of a state.
    pub(crate) fn send(&mut self, state: &MotionState) -> Result<(), DriverError> {
        self.take(state);
        self.sink.send_command(&self.positions, &self.velocities)
    }
}
