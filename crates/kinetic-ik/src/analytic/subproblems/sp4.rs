//! Subproblem 4: one rotation that brings a point into a plane.

use nalgebra::Vector3;

use super::{Answers, linear};
use crate::analytic::policy::TolerancePolicy;

/// The θ with `h · R(k, θ) p = d`, or the one that comes nearest. Nothing when `p` or `h` lies along the axis.
pub fn sp4(h: &Vector3<f64>, p: &Vector3<f64>, k: &Vector3<f64>, d: f64, policy: &TolerancePolicy) -> Answers<1, 2> {
    let along = k.dot(p) * k.dot(h);
    let (a, b) = (h.dot(p) - along, k.cross(p).dot(h));
    linear(a, b, d - along, (h.norm_squared() * p.norm_squared()).sqrt(), policy)
}
