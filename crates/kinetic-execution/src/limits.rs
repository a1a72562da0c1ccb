//! The limits that a trajectory and its stops have to hold.

use kinetic_core::error::check_len;
use kinetic_core::{JointLimits, Limits, Result, TimedTrajectory};
use kinetic_trajectory::MotionLimits;
use kinetic_trajectory::TrajectoryValidator;
use kinetic_trajectory::blending::limits_used;
use kinetic_trajectory::has_acceleration_step;
use kinetic_trajectory::jerk::DEFAULT_JERK_PER_ACCELERATION;
use kinetic_trajectory::state::AxisLimits;

/// Limits of every joint: those that are stated, and what the trajectory uses where nothing is. Stops are then as gentle as it.
pub(crate) fn motion_limits(trajectory: &TimedTrajectory, stated: Option<&[JointLimits]>) -> Result<MotionLimits> {
    let used = limits_used(std::slice::from_ref(trajectory))?;
    let Some(stated) = stated else { return Ok(used) };
    check_len("joint limits", stated.len(), trajectory.dof())?;
    let axis = |(limits, used): (&JointLimits, &AxisLimits)| {
        let velocity = if limits.velocity.is_finite() { limits.velocity } else { used.velocity[1] };
        let acceleration = limits.acceleration.unwrap_or(used.acceleration[1]);
        let jerk = limits.jerk.unwrap_or(used.jerk[1].max(DEFAULT_JERK_PER_ACCELERATION * acceleration));
        AxisLimits::symmetric(velocity, acceleration, jerk)
    };
    MotionLimits::new(stated.iter().zip(used.axes()).map(axis).collect())
}

/// The jerk of each joint that changes of the speed along the path may use: that of the limits, or what the trajectory uses where
/// that is more. `None` where its acceleration steps, so that its jerk has no bound at any speed.
pub(crate) fn path_jerks(trajectory: &TimedTrajectory, limits: &MotionLimits) -> Result<Option<Vec<f64>>> {
    let highest = |pick: fn(&AxisLimits) -> f64| limits.axes().iter().map(pick).collect();
    let rates = Limits::new(highest(|axis| axis.velocity[1]), highest(|axis| axis.acceleration[1]))?;
    if has_acceleration_step(trajectory.curve(), &rates) {
        return Ok(None);
    }
    let used = limits_used(std::slice::from_ref(trajectory))?;
    let jerks = limits.axes().iter().zip(used.axes()).map(|(axis, used)| axis.jerk[1].max(used.jerk[1]));
    Ok(Some(jerks.collect()))
}

/// A validator of positions, velocities, accelerations and steps. Jerk is not asked for: most time laws do not bound it.
pub(crate) fn validator(limits: &MotionLimits, stated: Option<&[JointLimits]>) -> Result<TrajectoryValidator> {
    let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; limits.dof()], vec![f64::INFINITY; limits.dof()]);
    for (joint, limits) in stated.unwrap_or_default().iter().enumerate() {
        (lower[joint], upper[joint]) = (limits.lower, limits.upper);
    }
    let highest = |pick: fn(&AxisLimits) -> f64| limits.axes().iter().map(pick).collect();
    let rates = Limits::new(highest(|axis| axis.velocity[1]), highest(|axis| axis.acceleration[1]))?;
    TrajectoryValidator::from_limits(&lower, &upper, &rates)
}
