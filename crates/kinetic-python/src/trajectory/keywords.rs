//! Keywords of time laws, and of motion between states.

use kinetic::trajectory::{PathShape, TimingOptions};
use pyo3::prelude::*;

use crate::convert::{Call, Counts, PerJoint, Real, Text, Vector, keywords};
use crate::dynamics::PyDynamics;
use crate::error::Result;

/// The law and two limits stand ahead; jerk limits and deviation may stand by position.
pub(crate) const TIME_PARAMETERIZE: Call<(JerkKeywords, GeometryKeywords, TimingKeywords)> =
    Call::with_positions("Trajectory.time_parameterize", 3, 2);
/// Three kinds of limits stand ahead; the deviation may stand by position.
pub(crate) const TIME_OPTIMAL_WITHIN: Call<GeometryKeywords> =
    Call::with_positions("Trajectory.time_optimal_within", 3, 1);
pub(crate) const STATE_TO_STATE: Call<StateKeywords> = Call::new("state_to_state");

keywords! {
    /// Limits of laws that bound jerk.
    pub(crate) struct JerkKeywords {
        jerk_limits: Option<PerJoint> = None,
    }
}

keywords! {
    /// What is made of the path, with the velocities at its start and end.
    pub(crate) struct GeometryKeywords {
        max_deviation: Real = Real(TimingOptions::default().max_deviation),
        shape: Text = Text(PathShape::default().name().to_owned()),
        through: Counts = Counts(Vec::new()),
        start_velocity: Option<Vector> = None,
        end_velocity: Option<Vector> = None,
    }
}

impl GeometryKeywords {
    pub(crate) fn options(self) -> Result<TimingOptions> {
        Ok(TimingOptions {
            max_deviation: self.max_deviation.0,
            shape: PathShape::from_name(&self.shape.0)?,
            through: self.through.0,
            start_velocity: self.start_velocity.map(|velocity| velocity.0),
            end_velocity: self.end_velocity.map(|velocity| velocity.0),
            ..TimingOptions::default()
        })
    }
}

keywords! {
    /// Of `time_parameterize`.
    pub(crate) struct TimingKeywords {
        duration: Option<Real> = None,
        velocity_scaling: Real = Real(1.0),
        acceleration_scaling: Real = Real(1.0),
        dynamics: Option<Py<PyDynamics>> = None,
        effort_limits: Option<PerJoint> = None,
    }
}

keywords! {
    /// Of `state_to_state`.
    pub(crate) struct StateKeywords {
        start_velocity: Option<Vector> = None,
        start_acceleration: Option<Vector> = None,
        target_velocity: Option<Vector> = None,
        target_acceleration: Option<Vector> = None,
        velocity_lower: Option<PerJoint> = None,
        acceleration_lower: Option<PerJoint> = None,
        synchronization: Text = Text("time".to_owned()),
        minimum_duration: Real = Real(0.0),
    }
}
