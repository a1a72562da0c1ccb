//! Motion between states, and blends.

use kinetic::core::error::check_len;
use kinetic::core::{Limits, TimedTrajectory};
use kinetic::trajectory::blending::limits_used;
use kinetic::trajectory::jerk::DEFAULT_JERK_PER_ACCELERATION;
use kinetic::trajectory::state::AxisLimits;
use kinetic::trajectory::{
    MotionLimits, MotionOptions, MotionState, Synchronization, blend_sequence as blend_all,
    state_to_state as plan_motion,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{PerJoint, Real, Vector};
use crate::error::Result;
use crate::trajectory::PyTrajectory;
use crate::trajectory::keywords::STATE_TO_STATE;
use crate::trajectory::timing::limits;

/// The fastest motion between two states under limits of velocity, acceleration and jerk, which hold at every instant.
///
/// A start outside the limits brakes first. Collisions are not looked at.
///
/// Args:
///     start: Positions, rad or m, shape (dof,).
///     target: Likewise.
///     velocity_limits: Largest velocity, one number or one per joint, rad/s or m/s.
///     acceleration_limits: Largest acceleration, likewise.
///     jerk_limits: Largest jerk, likewise, in both directions.
///     start_velocity: Shape (dof,); None is rest.
///     start_acceleration: Likewise.
///     target_velocity: Likewise.
///     target_acceleration: Likewise.
///     velocity_lower: Lowest velocity, negative; None for minus the largest.
///     acceleration_lower: Lowest acceleration, likewise.
///     synchronization: "time", arriving together as early as possible, or "phase", on a straight line too.
///     minimum_duration: The motion takes at least this long, s.
///
/// Returns:
///     A trajectory of two waypoints.
///
/// Example:
///     >>> from kinetic import state_to_state
///     >>> motion = state_to_state([0.0], [1.0], 1.0, 2.0, 8.0)
///     >>> round(motion.duration, 9)
///     1.75
#[pyfunction]
#[pyo3(
    signature = (start, target, velocity_limits, acceleration_limits, jerk_limits, **options),
    text_signature = "(start, target, velocity_limits, acceleration_limits, jerk_limits, *, \
                      start_velocity=None, start_acceleration=None, target_velocity=None, target_acceleration=None, \
                      velocity_lower=None, acceleration_lower=None, synchronization='time', minimum_duration=0.0)"
)]
pub(crate) fn state_to_state(
    py: Python<'_>,
    start: Vector,
    target: Vector,
    velocity_limits: PerJoint,
    acceleration_limits: PerJoint,
    jerk_limits: PerJoint,
    options: Option<&Bound<'_, PyDict>>,
) -> Result<PyTrajectory> {
    let given = STATE_TO_STATE.read(options)?;
    let dof = start.0.len();
    let velocity = ranges("velocity", dof, velocity_limits, given.velocity_lower)?;
    let acceleration = ranges("acceleration", dof, acceleration_limits, given.acceleration_lower)?;
    let jerk = ranges("jerk", dof, jerk_limits, None)?;
    let axis =
        |joint: usize| AxisLimits { velocity: velocity[joint], acceleration: acceleration[joint], jerk: jerk[joint] };
    let limits = MotionLimits::new((0..dof).map(axis).collect())?;
    let start = state(start, given.start_velocity, given.start_acceleration);
    let target = state(target, given.target_velocity, given.target_acceleration);
    let synchronization = Synchronization::named(&given.synchronization.0)?;
    let options = MotionOptions { synchronization, minimum_duration: given.minimum_duration.0 };
    Ok(PyTrajectory::timed(py.detach(|| plan_motion(&start, &target, &limits, &options))?))
}

#[pymethods]
impl PyTrajectory {
    /// This motion, then `other`, which begins where this one ends, without the stop between them.
    ///
    /// Half of `blend_duration` is cut off both and replaced by the fastest motion between the cuts: position, velocity
    /// and acceleration are continuous. It cuts the corner; collisions are not looked at.
    ///
    /// Args:
    ///     other: A timed trajectory.
    ///     blend_duration: Seconds that both give away together.
    ///     velocity_limits: Limits of the blend, one number or one per joint; None for what both motions use.
    ///     acceleration_limits: Likewise.
    ///     jerk_limits: Likewise.
    ///
    /// Raises:
    ///     InputError: A gap between the motions (the message names the joint), a duration that does not fit, wrong sizes,
    ///         or a cut at which the limits do not hold or cannot be held with the acceleration there.
    #[pyo3(signature = (other, blend_duration, velocity_limits=None, acceleration_limits=None, jerk_limits=None))]
    fn blend(
        &self,
        py: Python<'_>,
        other: &Bound<'_, Self>,
        blend_duration: Real,
        velocity_limits: Option<PerJoint>,
        acceleration_limits: Option<PerJoint>,
        jerk_limits: Option<PerJoint>,
    ) -> Result<Self> {
        let parts = [self.as_timed()?.clone(), other.get().as_timed()?.clone()];
        let limits = blend_limits(&parts, velocity_limits, acceleration_limits, jerk_limits)?;
        let blended = py.detach(|| blend_all(&parts, blend_duration.0, &limits))?;
        Ok(Self { joint_names: self.joint_names.clone(), ..Self::timed(blended) })
    }
}

/// Several motions, each beginning where the one before ends, without the stops between them.
///
/// Half of `blend_duration` is cut off both sides of every join and replaced by the fastest motion between the cuts:
/// position, velocity and acceleration are continuous. It cuts the corners; collisions are not looked at.
///
/// Args:
///     trajectories: Timed trajectories, at least one.
///     blend_duration: Seconds that both sides of a join give away together.
///     velocity_limits: Limits of the blends, one number or one per joint; None for what the motions use.
///     acceleration_limits: Likewise.
///     jerk_limits: Likewise.
///
/// Raises:
///     InputError: A gap between two motions (the message names the joint), a duration that does not fit, wrong sizes, or a cut at
///         which the limits do not hold or cannot be held with the acceleration there.
#[pyfunction]
#[pyo3(signature = (trajectories, blend_duration, velocity_limits=None, acceleration_limits=None, jerk_limits=None))]
pub(crate) fn blend_sequence(
    py: Python<'_>,
    trajectories: Vec<Bound<'_, PyTrajectory>>,
    blend_duration: Real,
    velocity_limits: Option<PerJoint>,
    acceleration_limits: Option<PerJoint>,
    jerk_limits: Option<PerJoint>,
) -> Result<PyTrajectory> {
    let parts = trajectories.iter().map(|part| part.get().as_timed().cloned()).collect::<Result<Vec<_>>>()?;
    let limits = blend_limits(&parts, velocity_limits, acceleration_limits, jerk_limits)?;
    let blended = py.detach(|| blend_all(&parts, blend_duration.0, &limits))?;
    let joint_names = trajectories.first().map_or_else(Vec::new, |first| first.get().joint_names.clone());
    Ok(PyTrajectory { joint_names, ..PyTrajectory::timed(blended) })
}

/// What is given, and for the rest what the motions use.
fn blend_limits(
    parts: &[TimedTrajectory],
    velocity: Option<PerJoint>,
    acceleration: Option<PerJoint>,
    jerk: Option<PerJoint>,
) -> Result<MotionLimits> {
    let used = limits_used(parts)?;
    let dof = used.dof();
    let given = |limits: Option<PerJoint>, highest: fn(&AxisLimits) -> f64, name: &str| {
        let values = limits.map_or_else(|| used.axes().iter().map(highest).collect(), |limits| limits.expand(dof));
        check_len(&format!("{name} limits"), values.len(), dof).map(|()| values)
    };
    let velocity = given(velocity, |axis| axis.velocity[1], "velocity")?;
    let acceleration = given(acceleration, |axis| axis.acceleration[1], "acceleration")?;
    let jerk = given(jerk, |axis| axis.jerk[1], "jerk")?;
    Ok(MotionLimits::symmetric(&Limits::new(velocity, acceleration)?.with_jerk(jerk)?)?)
}

/// The same limits in both directions; jerk that is not given is ten times the acceleration.
pub(crate) fn motion_limits(
    dof: usize,
    velocity: PerJoint,
    acceleration: PerJoint,
    jerk: Option<PerJoint>,
) -> Result<MotionLimits> {
    let limits = limits(dof, velocity, acceleration, jerk)?;
    let jerk = limits.jerk.clone();
    let jerk =
        jerk.unwrap_or_else(|| limits.acceleration.iter().map(|limit| DEFAULT_JERK_PER_ACCELERATION * limit).collect());
    Ok(MotionLimits::symmetric(&limits.with_jerk(jerk)?)?)
}

/// Lowest and highest value of every joint.
pub(crate) fn ranges(name: &str, dof: usize, highest: PerJoint, lowest: Option<PerJoint>) -> Result<Vec<[f64; 2]>> {
    let highest = highest.expand(dof);
    check_len(&format!("{name} limits"), highest.len(), dof)?;
    let lowest = lowest.map_or_else(|| highest.iter().map(|value| -value).collect(), |lowest| lowest.expand(dof));
    check_len(&format!("lowest {name} limits"), lowest.len(), dof)?;
    Ok(lowest.into_iter().zip(highest).map(|(low, high)| [low, high]).collect())
}

pub(crate) fn state(positions: Vector, velocities: Option<Vector>, accelerations: Option<Vector>) -> MotionState {
    let rest = MotionState::at_rest(&positions.0);
    MotionState {
        velocities: velocities.map_or(rest.velocities, |given| given.0),
        accelerations: accelerations.map_or(rest.accelerations, |given| given.0),
        positions: rest.positions,
    }
}
