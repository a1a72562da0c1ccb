//! The limits that a trajectory and its stops have to hold.

use kinetic_core::error::check_len;
use kinetic_core::{JointLimits, Limits, Result, TimedTrajectory};
use kinetic_trajectory::MotionLimits;
use kinetic_trajectory::TrajectoryValidator;
use kinetic_trajectory::blending::limits_used;
use kinetic_trajectory::has_acceleration_step;
use kinetic_trajectory::jerk::DEFAULT_JERK_PER_ACCELERATION;
use kinetic_trajectory::state::AxisLimits;

/// What a trajectory uses of velocity, acceleration and jerk.
pub(crate) fn used_limits(trajectory: &TimedTrajectory) -> Result<MotionLimits> {
    limits_used(std::slice::from_ref(trajectory))
}

/// Limits of every joint: those that are stated, and what the trajectory uses where nothing is. Stops are then as gentle as it.
pub(crate) fn motion_limits(used: &MotionLimits, stated: Option<&[JointLimits]>) -> Result<MotionLimits> {
    let Some(stated) = stated else { return Ok(used.clone()) };
    check_len("joint limits", stated.len(), used.dof())?;
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
pub(crate) fn path_jerks(
    trajectory: &TimedTrajectory,
    used: &MotionLimits,
    limits: &MotionLimits,
) -> Result<Option<Vec<f64>>> {
    if has_acceleration_step(trajectory.curve(), &rates(limits)?) {
        return Ok(None);
    }
    let jerks = limits.axes().iter().zip(used.axes()).map(|(axis, used)| axis.jerk[1].max(used.jerk[1]));
    Ok(Some(jerks.collect()))
}

/// A validator of positions, velocities, accelerations and steps. Jerk is not asked for: most time laws do not bound it.
pub(crate) fn validator(limits: &MotionLimits, stated: Option<&[JointLimits]>) -> Result<TrajectoryValidator> {
    let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; limits.dof()], vec![f64::INFINITY; limits.dof()]);
    for (joint, limits) in stated.unwrap_or_default().iter().enumerate() {
        (lower[joint], upper[joint]) = (limits.lower, limits.upper);
    }
    TrajectoryValidator::from_limits(&lower, &upper, &rates(limits)?)
}

/// The limits of velocity and acceleration.
fn rates(limits: &MotionLimits) -> Result<Limits> {
    let highest = |pick: fn(&AxisLimits) -> f64| limits.axes().iter().map(pick).collect();
    Limits::new(highest(|axis| axis.velocity[1]), highest(|axis| axis.acceleration[1]))
}
