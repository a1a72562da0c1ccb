//! `Trajectory`: time laws, limits, composition.

use std::sync::Arc;

use kinetic::core::control::SystemClock;
use kinetic::core::error::check_len;
use kinetic::core::{Control, KineticError, Limits, StopFlag, TimedTrajectory, Trajectory, TrajectoryIdentity};
use kinetic::dynamics::TorqueLimits;
use kinetic::trajectory::{
    TimingOptions, TrajectoryValidator, TrajectoryViolation, ValidationConfig, concatenate, reverse, stack, time_law,
    time_parameterize_with,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::convert::{Dict, Dicts, PerJoint, Real, Text, Texts};
use crate::dynamics::PyDynamics;
use crate::error::Result;
use crate::interrupt::interruptible_if;
use crate::trajectory::keywords::{JerkKeywords, TIME_PARAMETERIZE};
use crate::trajectory::{Motion, PyTrajectory};

/// Ends of paths that are joined may be apart by this much per joint, rad or m: rounding, not a gap.
const JOIN_TOLERANCE: f64 = 1e-9;

/// Paths with more waypoints are timed on a thread of their own, so that Ctrl-C ends that.
const MAX_WAYPOINTS_WITHOUT_SIGNAL_CHECK: usize = 1_000;

#[pymethods]
impl PyTrajectory {
    /// The same path with a time law: limits hold at every instant, rest at both ends unless velocities are given.
    ///
    /// Corners are rounded; collisions are not looked at. Plan with a law to have the rounded corners checked.
    ///
    /// Args:
    ///     profile: Name of the law: "totp" (as fast as the limits allow, corners narrow or wide, whichever is faster),
    ///         "trapezoidal", "jerk_limited" or "cubic_spline".
    ///     velocity_limits: Largest speed, one number or one per joint, rad/s or m/s.
    ///     acceleration_limits: Largest acceleration, one number or one per joint, rad/s² or m/s².
    ///     jerk_limits: Largest jerk, for "jerk_limited", None for ten times the acceleration; the others refuse it.
    ///     max_deviation: Largest distance from the path at corners, Euclidean in joint space; 0 stops at corners.
    ///     shape: "blends" cuts the corners of the polyline; "spline" is a cubic spline through all waypoints, for "totp" and
    ///         "cubic_spline".
    ///     through: Indices of waypoints that are met exactly and not cut, for "totp" and "cubic_spline".
    ///     start_velocity: Joint velocities at the start, along the path, for "totp"; None is rest.
    ///     end_velocity: Joint velocities at the end, along the path, for "totp"; None is rest.
    ///     duration: The motion takes this long, s, evenly slower than the limits allow; None for as fast as they do.
    ///     velocity_scaling: Part of the velocity limits to use, in (0, 1].
    ///     acceleration_scaling: Part of the acceleration limits to use, in (0, 1].
    ///     dynamics: `Dynamics` of the same joints, whose efforts then keep their limits at every instant, which is proven: the law
    ///         "totp" takes them as constraints, other laws are slowed evenly. 0.1 % of each limit is kept for the proof.
    ///     effort_limits: Largest effort, one number or one per joint, Nm or N; None for those of the robot's description.
    ///
    /// Raises:
    ///     InputError: Limits, options or a path that cannot be used.
    ///     PlanningError: `StaticTorqueExceeded` where holding the robot on the path exceeds an effort limit, with joint, effort
    ///         and limit; `TrajectoryLimitExceeded` where no motion was found that keeps the effort limits.
    #[pyo3(
        signature = (profile, velocity_limits, acceleration_limits, *positions, **options),
        text_signature = "($self, profile, velocity_limits, acceleration_limits, jerk_limits=None, max_deviation=0.01, \
                          *, shape='blends', through=(), start_velocity=None, end_velocity=None, duration=None, \
                          velocity_scaling=1.0, acceleration_scaling=1.0, dynamics=None, effort_limits=None)"
    )]
    fn time_parameterize(
        &self,
        py: Python<'_>,
        profile: Text,
        velocity_limits: PerJoint,
        acceleration_limits: PerJoint,
        positions: &Bound<'_, PyTuple>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> Result<Self> {
        let (JerkKeywords { jerk_limits }, geometry, given) = TIME_PARAMETERIZE.read_with(positions, options)?;
        check_jerk_limits(&profile, jerk_limits.as_ref())?;
        let limits = limits(self.dof(), velocity_limits, acceleration_limits, jerk_limits)?;
        let path = self.to_path()?;
        let options = TimingOptions {
            duration: given.duration.map(|duration| duration.0),
            velocity_scaling: given.velocity_scaling.0,
            acceleration_scaling: given.acceleration_scaling.0,
            ..geometry.options()?
        };
        let stop = StopFlag::default();
        let control = Control::new(Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, stop.clone());
        let law = time_law(&profile.0)?;
        if let Some(dynamics) = &given.dynamics {
            self.check_joints("trajectory", dynamics.get().model.joint_names())?;
        }
        let torques = torque_limits(given.dynamics.as_ref(), given.effort_limits)?;
        let may_take_long = torques.is_some() || path.len() > MAX_WAYPOINTS_WITHOUT_SIGNAL_CHECK;
        let timed = interruptible_if(py, may_take_long, &stop, || match &torques {
            None => time_parameterize_with(law, &path, &limits, &options, &mut |_| true, &control),
            Some(torques) => torques.time_parameterize(law, (&path, &control), &limits, &options, &mut |_| true),
        })??;
        Ok(Self { motion: Motion::Timed(timed), joint_names: self.joint_names.clone(), problem: None, lead_in: None })
    }

    /// Every violation of limits, between waypoints too, in order of time; empty when all limits hold everywhere.
    ///
    /// Args:
    ///     position_lower: Lowest position, one number or one per joint; -inf where free.
    ///     position_upper: Highest position, likewise.
    ///     velocity_limits: Largest speed, likewise.
    ///     acceleration_limits: Largest acceleration, likewise.
    ///     jerk_limits: Largest jerk, likewise; None for no limit.
    ///     safety_factor: Part of the limits of velocity, acceleration and jerk that may be used, in (0, 1]: it tightens.
    ///     max_position_jump: Largest distance between samples of an interpolated trajectory, per joint, rad or m.
    ///
    /// Returns:
    ///     Dicts with `waypoint` (the last one before), `joint` (index), `type`, `value`, `limit`, `time` (s).
    #[pyo3(
        signature = (
            position_lower, position_upper, velocity_limits, acceleration_limits, jerk_limits=None, *,
            safety_factor=Real(1.0), max_position_jump=Real(0.5)
        ),
        text_signature = "($self, position_lower, position_upper, velocity_limits, acceleration_limits, \
                          jerk_limits=None, *, safety_factor=1.0, max_position_jump=0.5)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn validate<'py>(
        &self,
        py: Python<'py>,
        position_lower: PerJoint,
        position_upper: PerJoint,
        velocity_limits: PerJoint,
        acceleration_limits: PerJoint,
        jerk_limits: Option<PerJoint>,
        safety_factor: Real,
        max_position_jump: Real,
    ) -> Result<Dicts<'py>> {
        let dof = self.dof();
        let limits = limits(dof, velocity_limits, acceleration_limits, jerk_limits)?;
        let (lower, upper) = (position_lower.expand(dof), position_upper.expand(dof));
        let (safety_factor, max_position_jump) = (safety_factor.0, max_position_jump.0);
        let config = ValidationConfig { safety_factor, max_position_jump, max_jerk: None };
        let validator = TrajectoryValidator::from_limits(&lower, &upper, &limits)?.with_config(config)?;
        let violations = validator.validate(self.as_timed()?)?;
        Ok(violation_dicts(py, &violations)?)
    }

    /// This motion, then `other`, which begins where this one ends and, when timed, as fast.
    fn concatenate(&self, other: &Bound<'_, Self>) -> Result<Self> {
        let other = other.get();
        let motion = match (&self.motion, &other.motion) {
            (Motion::Timed(a), Motion::Timed(b)) => Motion::Timed(concatenate(a, b)?),
            (Motion::Path(a), Motion::Path(b)) => Motion::Path(joined(a, b)?),
            _ => {
                let wanted = "two timed trajectories or two paths";
                return Err(KineticError::invalid("trajectories", "one timed, one without time", wanted).into());
            }
        };
        Ok(Self { motion, joint_names: self.joint_names.clone(), problem: None, lead_in: None })
    }

    /// Trajectories that begin at the same time, of two arms, or of arm and gripper, as one of all their joints.
    ///
    /// What ends earlier holds its end. The result has no certificate: each trajectory was proven while the joints of the
    /// others stood where its scene had them. A planner of a group with all these joints can `certify` it.
    ///
    /// Args:
    ///     trajectories: Timed trajectories of different joints, at least one.
    ///     joint_names: Names of all joints in place of those that the trajectories have, as two robots of one model need them.
    ///
    /// Returns:
    ///     The trajectory of all joints, those of the first trajectory first.
    ///
    /// Raises:
    ///     InputError: A joint in two trajectories, joints without names, one that ends under way before the others end.
    ///
    /// Example:
    ///     >>> from kinetic import Trajectory
    ///     >>> move = Trajectory.from_waypoints([[0.0], [1.0]]).time_parameterize("trapezoidal", 1.0, 1.0)
    ///     >>> both = Trajectory.stack([move, move], joint_names=["left", "right"])
    ///     >>> both.joint_names, both.sample(1.0)
    ///     (['left', 'right'], array([0.5, 0.5]))
    #[staticmethod]
    #[pyo3(signature = (trajectories, joint_names=None))]
    fn stack(py: Python<'_>, trajectories: Vec<Bound<'_, Self>>, joint_names: Option<Texts>) -> Result<Self> {
        let parts = trajectories.iter().map(|part| part.get().as_named()).collect::<Result<Vec<_>>>()?;
        let names = joint_names.map(|names| names.0);
        let whole = py.detach(|| stack(&parts, names.as_deref()))?;
        Ok(Self { joint_names: whole.joint_names().to_vec(), ..Self::timed(whole) })
    }

    /// The same motion backwards.
    fn reverse(&self) -> Result<Self> {
        let motion = match &self.motion {
            Motion::Timed(timed) => Motion::Timed(reverse(timed)?),
            Motion::Path(path) => Motion::Path(path.reverse()),
        };
        Ok(Self { motion, joint_names: self.joint_names.clone(), problem: None, lead_in: None })
    }
}

impl PyTrajectory {
    /// The timed trajectory with the names of its joints, where they are known.
    pub(crate) fn as_named(&self) -> Result<TimedTrajectory> {
        let timed = self.as_timed()?.clone();
        if !timed.joint_names().is_empty() {
            return Ok(timed);
        }
        let identity = timed.identity().map(|identity| identity.as_ref().clone()).unwrap_or_default();
        Ok(timed.with_identity(TrajectoryIdentity { joint_names: self.joint_names.clone(), ..identity })?)
    }
}

/// Effort limits of a model: those given, or of its description.
fn torque_limits(dynamics: Option<&Py<PyDynamics>>, limits: Option<PerJoint>) -> Result<Option<TorqueLimits<'_>>> {
    let model = dynamics.map(|dynamics| &dynamics.get().model);
    match (model, limits) {
        (None, None) => Ok(None),
        (None, Some(_)) => Err(KineticError::invalid("effort_limits", "given", "None without dynamics").into()),
        (Some(model), None) => Ok(Some(TorqueLimits::of_description(model)?)),
        (Some(model), Some(limits)) => Ok(Some(TorqueLimits::new(model, &limits.expand(model.dof()))?)),
    }
}

/// Refuses jerk limits for a law that does not bound jerk.
pub(crate) fn check_jerk_limits(profile: &Text, jerk_limits: Option<&PerJoint>) -> Result<()> {
    if jerk_limits.is_none() || time_law(&profile.0)?.bounds_jerk {
        return Ok(());
    }
    let wanted = format!("None: the law \"{}\" does not bound jerk", profile.0);
    Err(KineticError::invalid("jerk_limits", "given", wanted).into())
}

pub(crate) fn limits(dof: usize, velocity: PerJoint, acceleration: PerJoint, jerk: Option<PerJoint>) -> Result<Limits> {
    let (velocity, acceleration) = (velocity.expand(dof), acceleration.expand(dof));
    // `Limits` compares the lists with each other; which of them is wrong is known only here.
    check_len("velocity limits", velocity.len(), dof)?;
    check_len("acceleration limits", acceleration.len(), dof)?;
    let limits = Limits::new(velocity, acceleration)?;
    Ok(match jerk {
        Some(jerk) => limits.with_jerk(jerk.expand(dof))?,
        None => limits,
    })
}

/// Two paths; the waypoint at which they meet stays once.
fn joined(a: &Trajectory, b: &Trajectory) -> Result<Trajectory> {
    let mut path = a.clone();
    path.append(b)?;
    let (end, begin) = (a.positions(a.len() - 1), b.positions(0));
    if let Some(joint) = (0..a.dof()).find(|joint| !((end[*joint] - begin[*joint]).abs() <= JOIN_TOLERANCE)) {
        let name = format!("position of joint {joint} where the appended path begins");
        return Err(KineticError::invalid(name, begin[joint], format!("{} as before", end[joint])).into());
    }
    let rows: Vec<&[f64]> = a.iter().chain(b.iter().skip(1)).collect();
    let identity = path.identity().map(|identity| (**identity).clone()).unwrap_or_default();
    Ok(Trajectory::from_waypoints(&rows)?.with_identity(identity)?)
}

/// Violations as dictionaries.
pub(crate) fn violation_dicts<'py>(py: Python<'py>, violations: &[TrajectoryViolation]) -> PyResult<Dicts<'py>> {
    let entry = |violation: &TrajectoryViolation| {
        Dict::new(py)
            .with("waypoint", violation.waypoint)?
            .with("joint", violation.joint)?
            .with("type", violation.kind.name())?
            .with("value", violation.value)?
            .with("limit", violation.limit)?
            .with("time", violation.time)
    };
    Dicts::new(py, violations.iter().map(entry).collect::<PyResult<_>>()?)
}
