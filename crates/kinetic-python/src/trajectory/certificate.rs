//! `Certificate`: what the verifier proved about a trajectory.

use std::sync::Arc;

use kinetic::core::control::SystemClock;
use kinetic::core::{
    Certificate, ClosestApproach, ClosestApproaches, Control, KineticError, ProvenConstraint, ProvenTool, StopFlag,
};
use pyo3::prelude::*;

use crate::convert::{Dict, Dicts, Rebuild, Text, rebuild};
use crate::dynamics::payload::PyPayload;
use crate::error::Result;
use crate::ik::path_tolerance::PyPathTolerance;
use crate::interrupt::interruptible;
use crate::planning::constraint::PyConstraint;
use crate::scene::queries::names;

/// The proof that a trajectory keeps its margins and limits at every instant, with what was measured.
///
/// It belongs to one curve, in one scene: `curve` and `scene` say which. They find accidents, not forgers.
#[pyclass(frozen, eq, module = "kinetic._kinetic", name = "Certificate")]
#[derive(PartialEq)]
pub(crate) struct PyCertificate(pub(crate) Certificate);

#[pymethods]
impl PyCertificate {
    /// Hash of the curve that was proven.
    #[getter]
    fn curve(&self) -> String {
        self.0.curve.to_string()
    }

    /// `Scene.version` of the scene it was proven in: robot, objects, carried bodies, margins, and where the joints outside
    /// the group stood.
    #[getter]
    fn scene(&self) -> String {
        self.0.scene.to_string()
    }

    /// The planning group that moves.
    #[getter]
    fn group(&self) -> &str {
        &self.0.group
    }

    /// Links that move and that nothing was checked for, because the robot's model has no collision shapes of them.
    #[getter]
    fn unchecked_links(&self) -> Vec<String> {
        self.0.unchecked_links.clone()
    }

    /// Objects of the scene that were ghosts, which anything may touch.
    #[getter]
    fn ghosts(&self) -> Vec<String> {
        self.0.ghosts.clone()
    }

    /// Number of configurations at which distances were evaluated: by the proof, and by the planner that searched for the path
    /// whose segments it proved.
    #[getter]
    fn checks(&self) -> u64 {
        self.0.checks
    }

    /// The closest approaches, measured when one of them is first asked for, which takes milliseconds: a dict of `world` and
    /// `self`, each a dict of `distance` (m, infinite when there is nothing to come close to), `margin` (m), `pair` and `time`
    /// (s). None when nothing was checked, because nothing that moves has a shape.
    ///
    /// Ctrl-C stops it.
    #[getter]
    fn closest_approaches<'py>(&self, py: Python<'py>) -> Result<Option<Dict<'py>>> {
        let Some(found) = self.measured(py)? else { return Ok(None) };
        let entry = |approach: &ClosestApproach| {
            let dict = Dict::new(py).with("distance", approach.distance)?.with("margin", approach.margin)?;
            dict.with("pair", approach.pair.clone().map(names))?.with("time", approach.time)
        };
        Ok(Some(Dict::new(py).with("world", entry(&found.world)?)?.with("self", entry(&found.own)?)?))
    }

    /// Least signed distance of the tightest pair, of those of `closest_approaches`, m; infinite when what was checked has
    /// nothing to touch; None when nothing was checked, because nothing that moves has a shape.
    #[getter]
    fn min_clearance(&self, py: Python<'_>) -> Result<Option<f64>> {
        Ok(self.tightest(py)?.map(|approach| approach.distance))
    }

    /// Names of the tightest pair: a link or carried body, and a link, body or object.
    #[getter]
    fn pair(&self, py: Python<'_>) -> Result<Option<(String, String)>> {
        Ok(self.tightest(py)?.and_then(|approach| approach.pair.clone()).map(names))
    }

    /// When the pair is closest, s.
    #[getter]
    fn time(&self, py: Python<'_>) -> Result<f64> {
        Ok(self.tightest(py)?.map_or(0.0, |approach| approach.time))
    }

    /// Distance that the tightest pair had to keep, m: what the planner and the scene say about it, paddings included.
    #[getter]
    fn pair_margin(&self, py: Python<'_>) -> Result<f64> {
        Ok(self.tightest(py)?.map_or(0.0, |approach| approach.margin))
    }

    /// Distance from the world that every pair was proven to keep, m.
    #[getter]
    fn margin(&self) -> f64 {
        self.0.margin
    }

    /// Distance that links of the robot and what it carries were proven to keep from each other, m.
    #[getter]
    fn self_margin(&self) -> f64 {
        self.0.self_margin
    }

    /// Largest speed over its limit, over joints and time.
    #[getter]
    fn max_velocity_ratio(&self) -> f64 {
        self.0.max_velocity_ratio
    }

    /// Largest acceleration over its limit, over joints and time.
    #[getter]
    fn max_acceleration_ratio(&self) -> f64 {
        self.0.max_acceleration_ratio
    }

    /// Largest jerk over its limit: infinite where acceleration steps, between pieces or where the motion leaves or comes to
    /// rest; None where jerk has no limit. Reported, not demanded.
    #[getter]
    fn max_jerk_ratio(&self) -> Option<f64> {
        self.0.max_jerk_ratio
    }

    /// Bound on the largest torque over its limit, over joints and time, at most 1; None where torque limits were not asked for.
    #[getter]
    fn max_torque_ratio(&self) -> Option<f64> {
        self.0.max_torque_ratio
    }

    /// Hash of the dynamics that torques were bounded with: masses, rotors, friction, effort limits, gravity and all that was carried.
    /// The bound is about those of `Dynamics.version` and `Planner.dynamics_version` that are the same. None without a bound.
    #[getter]
    fn dynamics(&self) -> Option<String> {
        self.0.dynamics.map(|hash| hash.to_string())
    }

    /// What the robot carried for the torques, besides what the scene attaches, or None.
    #[getter]
    fn payload(&self) -> Option<PyPayload> {
        self.0.payload.clone().map(PyPayload)
    }

    /// The constraints that were proven to be kept at every instant, one dict each: `constraint`, and `max_violation`, a bound on
    /// how far the motion goes beyond the tolerance, rad or m, at most 0.
    #[getter]
    fn constraints<'py>(&self, py: Python<'py>) -> Result<Dicts<'py>> {
        let dict = |proven: &ProvenConstraint| {
            let dict = Dict::new(py).with("constraint", PyConstraint(proven.constraint.clone()))?;
            dict.with("max_violation", proven.max_violation)
        };
        Ok(Dicts::new(py, self.0.constraints.iter().map(dict).collect::<PyResult<_>>()?)?)
    }

    /// What was proven of the tool of a Cartesian motion, with the limits that it was held against: a dict of `max_speed` and
    /// `speed_limit` (m/s), `max_rotation_speed` and `rotation_speed_limit` (rad/s), `max_deviation` and `position_tolerance`
    /// (m from the path), `max_angle` and `orientation_tolerance` (rad); limits of speed are None where there were none. `freedom` is
    /// the `PathTolerance` outside of which deviation and angle are counted, None for a path that leaves nothing free. None for
    /// other motions.
    #[getter]
    fn tool<'py>(&self, py: Python<'py>) -> Result<Option<Dict<'py>>> {
        let dict = |tool: &ProvenTool| {
            Dict::new(py)
                .with("max_speed", tool.max_speed)?
                .with("speed_limit", tool.speed_limit)?
                .with("max_rotation_speed", tool.max_rotation_speed)?
                .with("rotation_speed_limit", tool.rotation_speed_limit)?
                .with("max_deviation", tool.max_deviation)?
                .with("position_tolerance", tool.position_tolerance)?
                .with("max_angle", tool.max_angle)?
                .with("orientation_tolerance", tool.orientation_tolerance)?
                .with("freedom", tool.freedom.as_ref().map(PyPathTolerance::of))
        };
        Ok(self.0.tool.as_ref().map(dict).transpose()?)
    }

    /// Largest distance between the timed curve and the planned path, Euclidean in joint space.
    #[getter]
    fn path_deviation(&self) -> f64 {
        self.0.path_deviation
    }

    /// Factor of the velocity limits that was asked for; the ratios are about the limits with it.
    #[getter]
    fn velocity_scaling(&self) -> f64 {
        self.0.limits.as_ref().map_or(1.0, |limits| limits.velocity_scaling)
    }

    /// Factor of the acceleration limits that was asked for.
    #[getter]
    fn acceleration_scaling(&self) -> f64 {
        self.0.limits.as_ref().map_or(1.0, |limits| limits.acceleration_scaling)
    }

    /// The limits that were proven where they are not the robot's own, with the factors in them: a dict of `velocity`,
    /// `acceleration` and `jerk`, each (dof,). None for the robot's own.
    #[getter]
    fn limits<'py>(&self, py: Python<'py>) -> Result<Option<Dict<'py>>> {
        self.0.limits.as_ref().map(|limits| Dict::limits(py, &limits.proven)).transpose()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Rebuild<'py>> {
        slf.get().measured(slf.py())?;
        let text = serde_json::to_string(&slf.get().0).map_err(|error| no_certificate(&error))?;
        Ok(rebuild(slf.get_type().into_any(), "_restore", (text,))?)
    }

    /// The certificate that pickle stored.
    #[staticmethod]
    fn _restore(text: Text) -> Result<Self> {
        Ok(Self(serde_json::from_str(&text.0).map_err(|error| no_certificate(&error))?))
    }

    fn __repr__(&self, py: Python<'_>) -> Result<String> {
        let approach = |approach: &ClosestApproach| {
            let pair = approach.pair.as_ref().map(|pair| format!(" ({} - {})", pair.link, pair.other));
            format!("{:.4}{}", approach.distance, pair.unwrap_or_default())
        };
        let found = self.measured(py)?.map(|found| [&found.world, &found.own].map(approach));
        let [world, own] = found.unwrap_or_else(|| ["None".to_owned(), "None".to_owned()]);
        Ok(format!("Certificate(world={world}, self={own}, checks={})", self.0.checks))
    }
}

impl PyCertificate {
    fn measured(&self, py: Python<'_>) -> Result<Option<&ClosestApproaches>> {
        measured(py, &self.0)
    }

    fn tightest(&self, py: Python<'_>) -> Result<Option<&ClosestApproach>> {
        Ok(self.measured(py)?.map(ClosestApproaches::tightest))
    }
}

/// The closest approaches of a certificate, measured without the GIL where they were not asked for yet.
pub(crate) fn measured<'a>(py: Python<'_>, certificate: &'a Certificate) -> Result<Option<&'a ClosestApproaches>> {
    let measurement = &certificate.closest_approaches;
    if !measurement.is_known() {
        let stop = StopFlag::default();
        let control = Control::new(Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, stop.clone());
        interruptible(py, &stop, || measurement.get(&control).map(|_| ()))??;
    }
    Ok(measurement.get(&Control::default())?)
}

fn no_certificate(error: &serde_json::Error) -> KineticError {
    KineticError::invalid("stored certificate", error, "what pickle wrote")
}
