//! `Certificate`: what the verifier proved about a trajectory.

use kinetic::core::{Certificate, KineticError};
use pyo3::prelude::*;

use crate::convert::{Rebuild, Text, rebuild};
use crate::error::Result;
use crate::scene_queries::names;

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

    /// Number of configurations at which distances were evaluated.
    #[getter]
    fn checks(&self) -> u64 {
        self.0.checks
    }

    /// Least signed distance of the tightest pair, m; infinite when what was checked has nothing to touch; None when nothing
    /// was checked, because nothing that moves has a shape.
    #[getter]
    fn min_clearance(&self) -> Option<f64> {
        self.0.min_clearance
    }

    /// Names of the tightest pair: a link or carried body, and a link, body or object.
    #[getter]
    fn pair(&self) -> Option<(String, String)> {
        self.0.pair.clone().map(names)
    }

    /// When the pair is closest, s.
    #[getter]
    fn time(&self) -> f64 {
        self.0.time
    }

    /// Distance that the tightest pair had to keep, m: what the planner and the scene say about it, paddings included.
    #[getter]
    fn pair_margin(&self) -> f64 {
        self.0.pair_margin
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

    /// Largest distance between the timed curve and the planned path, Euclidean in joint space.
    #[getter]
    fn path_deviation(&self) -> f64 {
        self.0.path_deviation
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Rebuild<'py>> {
        let text = serde_json::to_string(&slf.get().0).map_err(|error| no_certificate(&error))?;
        Ok(rebuild(slf.get_type().into_any(), "_restore", (text,))?)
    }

    /// The certificate that pickle stored.
    #[staticmethod]
    fn _restore(text: Text) -> Result<Self> {
        Ok(Self(serde_json::from_str(&text.0).map_err(|error| no_certificate(&error))?))
    }

    fn __repr__(&self) -> String {
        let pair = self.0.pair.as_ref().map_or_else(String::new, |pair| format!(", {} - {}", pair.link, pair.other));
        let clearance = self.0.min_clearance.map_or_else(|| "None".to_owned(), |clearance| clearance.to_string());
        format!("Certificate(min_clearance={clearance}{pair}, checks={})", self.0.checks)
    }
}

fn no_certificate(error: &serde_json::Error) -> KineticError {
    KineticError::invalid("stored certificate", error, "what pickle wrote")
}
