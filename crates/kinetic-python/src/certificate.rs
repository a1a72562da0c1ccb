//! `Certificate`: what the verifier proved about a trajectory.

use kinetic::core::Certificate;
use pyo3::prelude::*;

use crate::scene_queries::names;

/// The proof that a planned trajectory keeps its margins and limits at every instant, with what was measured.
#[pyclass(frozen, eq, module = "kinetic._kinetic", name = "Certificate")]
#[derive(PartialEq)]
pub(crate) struct PyCertificate(pub(crate) Certificate);

#[pymethods]
impl PyCertificate {
    /// Number of configurations at which distances were evaluated.
    #[getter]
    fn checks(&self) -> u64 {
        self.0.checks
    }

    /// Least signed distance of the tightest pair, m; infinite when nothing can touch.
    #[getter]
    fn min_clearance(&self) -> f64 {
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

    /// Largest jerk over its limit; None where jerk has no limit.
    #[getter]
    fn max_jerk_ratio(&self) -> Option<f64> {
        self.0.max_jerk_ratio
    }

    /// Largest distance between the timed curve and the planned path, Euclidean in joint space.
    #[getter]
    fn path_deviation(&self) -> f64 {
        self.0.path_deviation
    }

    fn __repr__(&self) -> String {
        let pair = self.0.pair.as_ref().map_or_else(String::new, |pair| format!(", {} - {}", pair.link, pair.other));
        format!("Certificate(min_clearance={}{pair}, checks={})", self.0.min_clearance, self.0.checks)
    }
}
