//! Motion between states, and blends.

use kinetic::core::Limits;
use kinetic::core::error::check_len;
use kinetic::trajectory::blending::limits_used;
use kinetic::trajectory::state::AxisLimits;
use kinetic::trajectory::{
    MotionLimits, MotionOptions, MotionState, Synchronization, blend, state_to_state as plan_motion,
};
use pyo3::prelude::*;

use crate::convert::{PerJoint, Real, Text, Vector};
use crate::error::Result;
use crate::trajectory::PyTrajectory;

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
    signature = (
        start, target, velocity_limits, acceleration_limits, jerk_limits, *, start_velocity=None,
        start_acceleration=None, target_velocity=None, target_acceleration=None, velocity_lower=None,
        acceleration_lower=None, synchronization=Text("time".to_owned()), minimum_duration=Real(0.0)
    ),
    text_signature = "(start, target, velocity_limits, acceleration_limits, jerk_limits, *, start_velocity=None, start_acceleration=None, target_velocity=None, target_acceleration=None, velocity_lower=None, acceleration_lower=None, synchronization='time', minimum_duration=0.0)"
)]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn state_to_state(
    py: Python<'_>,
    start: Vector,
    target: Vector,
    velocity_limits: PerJoint,
    acceleration_limits: PerJoint,
    jerk_limits: PerJoint,
    start_velocity: Option<Vector>,
    start_acceleration: Option<Vector>,
    target_velocity: Option<Vector>,
    target_acceleration: Option<Vector>,
    velocity_lower: Option<PerJoint>,
    acceleration_lower: Option<PerJoint>,
    synchronization: Text,
    minimum_duration: Real,
) -> Result<PyTrajectory> {
    let dof = start.0.len();
    let velocity = ranges("velocity", dof, velocity_limits, velocity_lower)?;
    let acceleration = ranges("acceleration", dof, acceleration_limits, acceleration_lower)?;
    let jerk = ranges("jerk", dof, jerk_limits, None)?;
    let axis =
        |joint: usize| AxisLimits { velocity: velocity[joint], acceleration: acceleration[joint], jerk: jerk[joint] };
    let limits = MotionLimits::new((0..dof).map(axis).collect())?;
    let start = state(start, start_velocity, start_acceleration);
    let target = state(target, target_velocity, target_acceleration);
    let synchronization = Synchronization::named(&synchronization.0)?;
    let options = MotionOptions { synchronization, minimum_duration: minimum_duration.0 };
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
        let (a, b) = (self.as_timed()?, other.get().as_timed()?);
        let dof = a.dof();
        let used = limits_used(&[a.clone(), b.clone()])?;
        let given = |limits: Option<PerJoint>, used: fn(&AxisLimits) -> f64, name: &str, all: &MotionLimits| {
            let values = limits.map_or_else(|| all.axes().iter().map(used).collect(), |limits| limits.expand(dof));
            check_len(&format!("{name} limits"), values.len(), dof).map(|()| values)
        };
        let velocity = given(velocity_limits, |axis| axis.velocity[1], "velocity", &used)?;
        let acceleration = given(acceleration_limits, |axis| axis.acceleration[1], "acceleration", &used)?;
        let jerk = given(jerk_limits, |axis| axis.jerk[1], "jerk", &used)?;
        let limits = MotionLimits::symmetric(&Limits::new(velocity, acceleration)?.with_jerk(jerk)?)?;
        let blended = py.detach(|| blend(a, b, blend_duration.0, &limits))?;
        Ok(Self { joint_names: self.joint_names.clone(), ..Self::timed(blended) })
    }
}

/// Lowest and highest value of every joint.
fn ranges(name: &str, dof: usize, highest: PerJoint, lowest: Option<PerJoint>) -> Result<Vec<[f64; 2]>> {
    let highest = highest.expand(dof);
    check_len(&format!("{name} limits"), highest.len(), dof)?;
    let lowest = lowest.map_or_else(|| highest.iter().map(|value| -value).collect(), |lowest| lowest.expand(dof));
    check_len(&format!("lowest {name} limits"), lowest.len(), dof)?;
    Ok(lowest.into_iter().zip(highest).map(|(low, high)| [low, high]).collect())
}

fn state(positions: Vector, velocities: Option<Vector>, accelerations: Option<Vector>) -> MotionState {
    let rest = MotionState::at_rest(&positions.0);
    MotionState {
        velocities: velocities.map_or(rest.velocities, |given| given.0),
        accelerations: accelerations.map_or(rest.accelerations, |given| given.0),
        positions: rest.positions,
    }
}
