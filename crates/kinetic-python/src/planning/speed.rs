//! How fast motions may be, as arguments of `Planner` and of its calls.

use kinetic::core::MotionLimits;
use kinetic::planning::Planner;
use pyo3::prelude::*;

use crate::convert::{PerJoint, Real, keywords};
use crate::error::Result;
use crate::planning::PyPlanner;

keywords! {
    /// The keywords that say it; what is not given stays as it was.
    pub(crate) struct SpeedArgs {
        velocity_scaling: Option<Real> = None,
        acceleration_scaling: Option<Real> = None,
        velocity_limits: Option<PerJoint> = None,
        acceleration_limits: Option<PerJoint> = None,
        jerk_limits: Option<PerJoint> = None,
    }
}

impl SpeedArgs {
    /// The limits of a call for a group of `dof` joints; values are left for the planner to refuse.
    pub(crate) fn over(self, base: &MotionLimits, dof: usize) -> MotionLimits {
        let listed = |given: Option<PerJoint>, known: &Option<Vec<f64>>| {
            given.map(|values| values.expand(dof)).or_else(|| known.clone())
        };
        MotionLimits {
            velocity_scaling: self.velocity_scaling.map_or(base.velocity_scaling, |factor| factor.0),
            acceleration_scaling: self.acceleration_scaling.map_or(base.acceleration_scaling, |factor| factor.0),
            velocity: listed(self.velocity_limits, &base.velocity),
            acceleration: listed(self.acceleration_limits, &base.acceleration),
            jerk: listed(self.jerk_limits, &base.jerk),
        }
    }
}

impl PyPlanner {
    /// The planner of now for one call.
    pub(crate) fn for_call(&self, py: Python<'_>, speed: SpeedArgs) -> Result<Planner> {
        let planner = self.now(py)?;
        let limits = speed.over(&self.config.limits, planner.group().dof());
        Ok(planner.with_limits(limits)?)
    }
}
