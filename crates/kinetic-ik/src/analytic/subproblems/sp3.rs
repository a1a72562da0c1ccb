//! Subproblem 3: one rotation that brings a point to a distance from another one.

use nalgebra::Vector3;

use super::{Answers, linear};
use crate::analytic::policy::TolerancePolicy;

/// The θ with `‖R(k, θ) p₁ − p₂‖ = distance`, or the one that comes nearest. Nothing when `p₁` or `p₂` lies on the
/// axis, or for a negative distance.
pub fn sp3(
    p1: &Vector3<f64>,
    p2: &Vector3<f64>,
    k: &Vector3<f64>,
    distance: f64,
    policy: &TolerancePolicy,
) -> Answers<1, 2> {
    if distance < 0.0 {
        return Answers::none();
    }
    // p₂·R p₁ from the law of cosines.
    let product = 0.5 * (p1.norm_squared() + p2.norm_squared() - distance * distance);
    let along = k.dot(p1) * k.dot(p2);
    let (a, b) = (p1.dot(p2) - along, k.cross(p1).dot(p2));
    let size = (p1.norm_squared() * p2.norm_squared()).sqrt();
    linear(a, b, product - along, size, policy)
}
