//! What is looked at before the first command.

use kinetic_core::{JointLimits, KineticError, Result, TimedTrajectory};
use kinetic_trajectory::MotionLimits;
use kinetic_trajectory::check::TrajectoryViolation;
use kinetic_trajectory::online::Playback;

use crate::config::ExecutionConfig;
use crate::limits::{motion_limits, path_jerks, used_limits, validator};

/// A joint is at rest below this speed, rad/s or m/s.
const REST_SPEED_RAD_M_S: f64 = 1e-6;

/// A trajectory that may be carried out.
pub(crate) struct Prepared {
    pub(crate) playback: Playback,
    pub(crate) limits: MotionLimits,
    pub(crate) is_verified: bool,
}

/// Looks at a trajectory for a sink of these joints, whose names are empty when unknown.
///
/// # Errors
/// [`KineticError::InvalidTrajectory`] saying what is wrong with it.
pub(crate) fn prepare(trajectory: &TimedTrajectory, config: &ExecutionConfig, joints: &[String]) -> Result<Prepared> {
    check_rest(trajectory, ("begins", 0.0))?;
    prepare_splice(trajectory, config, joints)
}

/// As [`prepare`], for a trajectory that takes over from another one under way.
pub(crate) fn prepare_splice(
    trajectory: &TimedTrajectory,
    config: &ExecutionConfig,
    joints: &[String],
) -> Result<Prepared> {
    let is_verified = trajectory.certificate().is_some();
    if !(trajectory.duration() > 0.0) {
        return Err(invalid("empty trajectory: its duration is 0"));
    }
    if !is_verified && !config.allow_unverified {
        let reason = "it has no certificate; `certify` of a planner proves one, `allow_unverified` does without";
        return Err(invalid(reason));
    }
    check_joints(trajectory, joints)?;
    check_rest(trajectory, ("ends", trajectory.duration()))?;
    let stated = config.joint_limits.as_deref();
    let said = |error: KineticError| invalid(&error.to_string());
    let used = used_limits(trajectory).map_err(said)?;
    let limits = motion_limits(&used, stated).map_err(said)?;
    check_limits(trajectory, &limits, stated)?;
    let playback = playback(trajectory, &used, &limits).map_err(said)?;
    Ok(Prepared { playback, limits, is_verified })
}

/// The trajectory under a speed that may change: with bounded jerk where its own is.
fn playback(trajectory: &TimedTrajectory, used: &MotionLimits, limits: &MotionLimits) -> Result<Playback> {
    let accelerations: Vec<f64> = limits.axes().iter().map(|axis| axis.acceleration[1]).collect();
    let playback = Playback::new(trajectory.clone(), accelerations)?;
    match path_jerks(trajectory, used, limits)? {
        Some(jerks) => playback.with_jerk_limits(jerks),
        None => Ok(playback),
    }
}

pub(crate) fn invalid(reason: &str) -> KineticError {
    KineticError::InvalidTrajectory { reason: reason.to_owned() }
}

fn check_joints(trajectory: &TimedTrajectory, joints: &[String]) -> Result<()> {
    let own = trajectory.joint_names();
    if !joints.is_empty() && joints.len() != trajectory.dof() {
        return Err(invalid(&format!("it has {} joints, the driver {}", trajectory.dof(), joints.len())));
    }
    if own.is_empty() || joints.is_empty() || own == joints {
        return Ok(());
    }
    Err(invalid(&format!("it moves {}, the driver {}", own.join(", "), joints.join(", "))))
}

/// A robot that stands cannot begin under way, and the last command has no velocity.
fn check_rest(trajectory: &TimedTrajectory, (place, t): (&str, f64)) -> Result<()> {
    let velocities = trajectory.curve().sample(t, 1);
    match velocities.iter().position(|velocity| !(velocity.abs() <= REST_SPEED_RAD_M_S)) {
        None => Ok(()),
        Some(joint) => {
            let joint_name = joint_name(trajectory.joint_names(), joint);
            Err(invalid(&format!("it {place} with joint \"{joint_name}\" at {} per s", velocities[joint])))
        }
    }
}

fn check_limits(trajectory: &TimedTrajectory, limits: &MotionLimits, stated: Option<&[JointLimits]>) -> Result<()> {
    let found = validator(limits, stated).and_then(|validator| validator.validate(trajectory));
    match found.map_err(|error| invalid(&error.to_string()))?.first() {
        None => Ok(()),
        Some(TrajectoryViolation { joint, kind, value, limit, time, .. }) => {
            let (name, kind) = (joint_name(trajectory.joint_names(), *joint), kind.name().replace('_', " "));
            Err(invalid(&format!("{kind} of joint \"{name}\" is {value} at {time:.3} s; its limit is {limit}")))
        }
    }
}

/// The name of a joint, or its number where names are not known.
pub(crate) fn joint_name(names: &[String], joint: usize) -> String {
    names.get(joint).cloned().unwrap_or_else(|| joint.to_string())
}
