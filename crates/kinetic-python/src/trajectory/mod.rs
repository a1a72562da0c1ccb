//! `Trajectory`: a timed or geometric motion, and how to read it. Files and timing stand in their own modules.

pub(crate) mod certificate;
pub(crate) mod files;
pub(crate) mod further;
pub(crate) mod keywords;
pub(crate) mod motion;
pub(crate) mod npz;
pub(crate) mod online;
pub(crate) mod ros;
pub(crate) mod stops;
pub(crate) mod timing;

use std::sync::Arc;

use kinetic::core::error::check_finite;
use kinetic::core::{ContentHash, KineticError, TimedTrajectory, Trajectory, TrajectoryIdentity};
use kinetic::planning::{LeadIn, PlanningProblem};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{Array, File, Matrix, PerJoint, Real, Vector};
use crate::error::Result;
use crate::trajectory::certificate::PyCertificate;

/// A motion in joint space; immutable.
///
/// A timed trajectory is a piecewise polynomial in time: what is sampled, checked and saved is exactly this curve, and
/// waypoints are a view of it. A geometric path has waypoints alone: `is_timed` is False and its duration 0.
///
/// Example:
///     >>> from kinetic import Trajectory
///     >>> path = Trajectory.from_waypoints([[0.0, 0.0], [1.0, 0.5]])
///     >>> timed = path.time_parameterize("trapezoidal", velocity_limits=1.0, acceleration_limits=2.0)
///     >>> round(timed.duration, 6)
///     1.5
#[pyclass(frozen, eq, module = "kinetic", name = "Trajectory")]
#[derive(Clone)]
pub(crate) struct PyTrajectory {
    pub(crate) motion: Motion,
    /// Empty when unknown.
    pub(crate) joint_names: Vec<String>,
    /// The problem that it answers.
    pub(crate) problem: Option<Arc<PlanningProblem>>,
    /// How the start of the plan was moved to where it begins.
    pub(crate) lead_in: Option<Arc<LeadIn>>,
}

impl PartialEq for PyTrajectory {
    /// Motions are compared, not where they come from.
    fn eq(&self, other: &Self) -> bool {
        self.motion == other.motion && self.joint_names == other.joint_names
    }
}

impl PyTrajectory {
    /// Refuses it where it is of other joints.
    pub(crate) fn check_joints(&self, name: &str, wanted: &[impl AsRef<str>]) -> Result<()> {
        check_joints(name, &self.joint_names, wanted)
    }
}

/// Refuses a motion of other joints; arrays do not say of which joints they are.
pub(crate) fn check_joints(name: &str, given: &[String], wanted: &[impl AsRef<str>]) -> Result<()> {
    if given.is_empty() || given.iter().eq(wanted.iter().map(AsRef::as_ref)) {
        return Ok(());
    }
    let wanted: Vec<&str> = wanted.iter().map(AsRef::as_ref).collect();
    Err(KineticError::invalid(name, given.join(", "), format!("one of the joints {}", wanted.join(", "))).into())
}

/// With time or without.
#[derive(Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one per trajectory, which holds far more")]
pub(crate) enum Motion {
    Timed(TimedTrajectory),
    Path(Trajectory),
}

impl PyTrajectory {
    pub(crate) fn timed(trajectory: TimedTrajectory) -> Self {
        Self { motion: Motion::Timed(trajectory), joint_names: Vec::new(), problem: None, lead_in: None }
    }

    pub(crate) fn path(path: Trajectory) -> Self {
        Self { motion: Motion::Path(path), joint_names: Vec::new(), problem: None, lead_in: None }
    }

    /// The timed trajectory, or the error that says what to do to have one.
    pub(crate) fn as_timed(&self) -> Result<&TimedTrajectory> {
        match &self.motion {
            Motion::Timed(timed) => Ok(timed),
            Motion::Path(_) => {
                let wanted = "a timed trajectory; time_parameterize makes one";
                Err(KineticError::invalid("trajectory", "a path without time", wanted).into())
            }
        }
    }

    /// The path through the waypoints, which keeps the names of what moves.
    pub(crate) fn to_path(&self) -> Result<Trajectory> {
        let identity = self.identity().cloned().unwrap_or_default();
        Ok(Trajectory::from_waypoints(&self.waypoints())?.with_identity(identity)?)
    }

    fn identity(&self) -> Option<&TrajectoryIdentity> {
        match &self.motion {
            Motion::Timed(timed) => timed.identity().map(AsRef::as_ref),
            Motion::Path(path) => path.identity().map(AsRef::as_ref),
        }
    }

    /// Positions of the waypoints.
    pub(crate) fn waypoints(&self) -> Vec<Vec<f64>> {
        match &self.motion {
            Motion::Timed(timed) => timed.waypoints().into_iter().map(|waypoint| waypoint.positions.0).collect(),
            Motion::Path(path) => path.iter().map(<[f64]>::to_vec).collect(),
        }
    }

    /// Hash of the bits of the motion.
    pub(crate) fn content_hash(&self) -> ContentHash {
        match &self.motion {
            Motion::Timed(timed) => timed.content_hash(),
            Motion::Path(path) => path.content_hash(),
        }
    }

    /// The hashes of the problem that it answers and of itself.
    pub(crate) fn answer(&self) -> Result<(ContentHash, ContentHash)> {
        let Some(problem) = &self.problem else {
            let wanted = "one that Planner.plan or Problem.solve returned";
            return Err(KineticError::invalid("trajectory", "one that was not planned", wanted).into());
        };
        Ok((problem.hash()?, self.content_hash()))
    }

    fn count(&self) -> usize {
        match &self.motion {
            Motion::Timed(timed) => timed.waypoint_times().len(),
            Motion::Path(path) => path.len(),
        }
    }

    /// Derivative of order `order` at every waypoint, zero for a path.
    fn table<'py>(&self, py: Python<'py>, order: usize) -> Result<Array<'py>> {
        let values = match &self.motion {
            Motion::Timed(timed) => {
                timed.waypoint_times().iter().flat_map(|time| timed.curve().sample(*time, order)).collect()
            }
            Motion::Path(path) if order == 0 => path.as_slice().to_vec(),
            Motion::Path(path) => vec![0.0; path.as_slice().len()],
        };
        Array::new(py, &[self.count(), self.dof()], &values)
    }

    fn sampled<'py>(&self, py: Python<'py>, t: Real, order: usize) -> Result<Array<'py>> {
        check_finite("time", &[t.0])?;
        Array::vector(py, &self.as_timed()?.curve().sample(t.0, order))
    }
}

#[pymethods]
impl PyTrajectory {
    /// Hash of the bits of the motion: "fnv1a128:" and 32 hexadecimal digits. Equal hashes mean the same motion to the last
    /// bit, whatever the machine.
    #[getter]
    fn hash(&self) -> String {
        self.content_hash().to_string()
    }

    /// A timed trajectory through samples, or a path when there are no times.
    ///
    /// Between samples it is a cubic polynomial; without velocities their values are estimated from neighbours.
    ///
    /// Args:
    ///     times: Seconds (N,), strictly increasing from 0; None for a path.
    ///     positions: Joint values (N, dof), rad or m.
    ///     velocities: Joint velocities (N, dof).
    #[staticmethod]
    #[pyo3(signature = (times, positions, velocities=None))]
    fn from_numpy(times: Option<Vector>, positions: Matrix, velocities: Option<Matrix>) -> Result<Self> {
        let Some(times) = times else {
            return match velocities {
                None => Self::from_waypoints(positions),
                Some(_) => Err(KineticError::invalid("velocities", "given", "None where times is None").into()),
            };
        };
        let positions: Vec<&[f64]> = positions.rows().collect();
        let velocities: Option<Vec<&[f64]>> = velocities.as_ref().map(|velocities| velocities.rows().collect());
        let timed = kinetic::trajectory::from_samples(&times.0, &positions, velocities.as_deref())?;
        Ok(Self::timed(timed))
    }

    /// A path without time.
    ///
    /// Args:
    ///     positions: Joint values (N, dof), rad or m.
    #[staticmethod]
    fn from_waypoints(positions: Matrix) -> Result<Self> {
        let rows: Vec<&[f64]> = positions.rows().collect();
        Ok(Self::path(Trajectory::from_waypoints(&rows)?))
    }

    /// Duration, s; 0 for a path.
    #[getter]
    fn duration(&self) -> f64 {
        match &self.motion {
            Motion::Timed(timed) => timed.duration(),
            Motion::Path(_) => 0.0,
        }
    }

    /// Number of waypoints.
    #[getter]
    fn num_waypoints(&self) -> usize {
        self.count()
    }

    /// Number of joints.
    #[getter]
    pub(crate) fn dof(&self) -> usize {
        match &self.motion {
            Motion::Timed(timed) => timed.dof(),
            Motion::Path(path) => path.dof(),
        }
    }

    /// True when it has a time law.
    #[getter]
    fn is_timed(&self) -> bool {
        matches!(self.motion, Motion::Timed(_))
    }

    /// Name of the time law, "interpolated" when it was made from samples, "trajopt" when it was refined; None for a path.
    #[getter]
    fn law(&self) -> Option<&str> {
        match &self.motion {
            Motion::Timed(timed) => Some(&timed.law),
            Motion::Path(_) => None,
        }
    }

    /// Bound on the distance between the curve and the path that was timed, Euclidean in joint space; 0 for a path.
    #[getter]
    fn path_deviation(&self) -> f64 {
        match &self.motion {
            Motion::Timed(timed) => timed.path_deviation,
            Motion::Path(_) => 0.0,
        }
    }

    /// Names of the joints; empty when unknown.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        self.joint_names.clone()
    }

    /// Name of the planning group that moves; None when unknown.
    #[getter]
    fn group(&self) -> Option<String> {
        self.identity()?.group.clone()
    }

    /// Name of the robot that moves; None when unknown.
    #[getter]
    fn robot_name(&self) -> Option<String> {
        self.identity()?.robot_name.clone()
    }

    /// What a verifier proved about this curve, `Planner.plan` or `Planner.certify`; None when it was not asked.
    #[getter]
    fn certificate(&self) -> Option<PyCertificate> {
        match &self.motion {
            Motion::Timed(timed) => timed.certificate().cloned().map(PyCertificate),
            Motion::Path(_) => None,
        }
    }

    /// Joint values (dof,) at time `t` (s), which is clamped to the duration.
    fn sample<'py>(&self, py: Python<'py>, t: Real) -> Result<Array<'py>> {
        self.sampled(py, t, 0)
    }

    /// Joint velocities (dof,) at time `t` (s), which is clamped to the duration.
    fn sample_velocity<'py>(&self, py: Python<'py>, t: Real) -> Result<Array<'py>> {
        self.sampled(py, t, 1)
    }

    /// Joint accelerations (dof,) at time `t` (s), which is clamped; where they step, those after the step.
    fn sample_acceleration<'py>(&self, py: Python<'py>, t: Real) -> Result<Array<'py>> {
        self.sampled(py, t, 2)
    }

    /// Times (N,), positions (N, dof) and velocities (N, dof) of the waypoints; of a path times and velocities are 0.
    fn to_numpy<'py>(&self, py: Python<'py>) -> Result<(Array<'py>, Array<'py>, Array<'py>)> {
        let times = match &self.motion {
            Motion::Timed(timed) => timed.waypoint_times().to_vec(),
            Motion::Path(path) => vec![0.0; path.len()],
        };
        Ok((Array::vector(py, &times)?, self.table(py, 0)?, self.table(py, 1)?))
    }

    /// Accelerations (N, dof) of the waypoints; where they step, those after the step. Of a path they are 0.
    fn accelerations<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        self.table(py, 2)
    }

    /// Positions of the waypoints as lists.
    fn positions(&self) -> Vec<Vec<f64>> {
        self.waypoints()
    }

    /// The curve itself: knots (P + 1,) in s, and coefficients (P, dof, 6).
    ///
    /// On piece `p` joint `j` stands at `sum(coefficients[p, j, k] * (t - knots[p])**k)`. A trajectory of duration 0
    /// has one knot and one piece.
    pub(crate) fn pieces<'py>(&self, py: Python<'py>) -> Result<(Array<'py>, Array<'py>)> {
        let curve = self.as_timed()?.curve();
        let shape = [curve.pieces().max(1), curve.dof(), 6];
        let coefficients = Array::new(py, &shape, curve.all_coefficients().as_flattened())?;
        Ok((Array::vector(py, curve.knots())?, coefficients))
    }

    /// Draws positions, velocities, accelerations and jerks over time; a path over its waypoints. Needs `kinetic[viz]`.
    ///
    /// With limits, what lies outside is shaded, and a last panel says how much of each limit is used.
    ///
    /// Args:
    ///     path: File to write; the ending says the format.
    ///     velocity_limits: Largest speed, one number or one per joint, rad/s or m/s.
    ///     acceleration_limits: Largest acceleration, likewise.
    ///     jerk_limits: Largest jerk, likewise.
    ///
    /// Returns:
    ///     The figure of matplotlib.
    #[pyo3(signature = (path=None, *, velocity_limits=None, acceleration_limits=None, jerk_limits=None))]
    fn plot<'py>(
        slf: &Bound<'py, Self>,
        path: Option<File>,
        velocity_limits: Option<PerJoint>,
        acceleration_limits: Option<PerJoint>,
        jerk_limits: Option<PerJoint>,
    ) -> Result<Bound<'py, PyAny>> {
        let (py, dof) = (slf.py(), slf.get().dof());
        let limits = PyDict::new(py);
        let given = [("velocity", velocity_limits), ("acceleration", acceleration_limits), ("jerk", jerk_limits)];
        for (quantity, list) in given {
            let Some(list) = list else { continue };
            let list = kinetic::trajectory::PerJoint::from(list.expand(dof));
            limits.set_item(quantity, list.expand(&format!("{quantity} limit"), dof)?)?;
        }
        let plot = py.import("kinetic.viz.curves")?.getattr("plot_curves")?;
        Ok(plot.call1((slf, path.map(|path| path.0), limits))?)
    }

    fn __len__(&self) -> usize {
        self.count()
    }

    fn __repr__(&self) -> String {
        let (dof, count) = (self.dof(), self.count());
        match &self.motion {
            Motion::Timed(timed) => {
                format!("Trajectory({count} waypoints, {dof} joints, {:.3} s, {})", timed.duration(), timed.law)
            }
            Motion::Path(_) => format!("Trajectory({count} waypoints, {dof} joints, untimed)"),
        }
    }
}
