//! Subproblem 2: two rotations that bring two points together.

use nalgebra::Vector3;

use super::{Answers, sp1};
use crate::analytic::policy::TolerancePolicy;

/// The `(θ₁, θ₂)` with `R(k₁, θ₁) p₁ = R(k₂, θ₂) p₂`, or those that come nearest. Nothing for parallel axes or a point
/// on its axis.
pub fn sp2(
    p1: &Vector3<f64>,
    p2: &Vector3<f64>,
    k1: &Vector3<f64>,
    k2: &Vector3<f64>,
    policy: &TolerancePolicy,
) -> Answers<2, 2> {
    let none = Answers::none();
    let (size1, size2) = (p1.norm(), p2.norm());
    let normal = k1.cross(k2);
    let square = normal.norm_squared();
    if square.sqrt() <= policy.subproblem_degeneracy || size1 == 0.0 || size2 == 0.0 {
        return none;
    }
    // The nearest points have the same direction if they can, whatever their lengths: work on the unit sphere.
    let (u1, u2) = (p1 / size1, p2 / size2);
    let (along1, along2, cosine) = (k1.dot(&u1), k2.dot(&u2), k1.dot(k2));
    // The common direction z = α k₁ + β k₂ ± γ k₁×k₂ has k₁·z = k₁·u₁, k₂·z = k₂·u₂, ‖z‖ = 1.
    let (alpha, beta) = ((along1 - cosine * along2) / square, (along2 - cosine * along1) / square);
    let plane = k1 * alpha + k2 * beta;
    let gamma2 = 1.0 - plane.norm_squared();
    let equal = (size1 - size2).abs() <= policy.subproblem_feasibility * size1.max(size2);
    if gamma2 < -policy.subproblem_feasibility {
        return nearest_in_plane(&u1, &u2, k1, k2, policy);
    }
    let out = normal * (gamma2.max(0.0) / square).sqrt();
    let mut answers = none;
    answers.is_exact = equal;
    let directions = [plane + out, plane - out];
    for z in &directions[..if gamma2 > 0.0 { 2 } else { 1 }] {
        let (first, second) = (sp1(&u1, z, k1, policy), sp1(&u2, z, k2, policy));
        if let (Some(a), Some(b)) = (first.solutions.first(), second.solutions.first()) {
            answers.solutions.push([a[0], b[0]]);
        }
    }
    answers
}

/// Two circles of a sphere that do not meet are nearest where they cross the plane of their axes.
fn nearest_in_plane(
    u1: &Vector3<f64>,
    u2: &Vector3<f64>,
    k1: &Vector3<f64>,
    k2: &Vector3<f64>,
    policy: &TolerancePolicy,
) -> Answers<2, 2> {
    let crossings = |u: &Vector3<f64>, k: &Vector3<f64>, other: &Vector3<f64>| {
        let along = k.dot(u);
        let across = (other - k * k.dot(other)).normalize() * (1.0 - along * along).max(0.0).sqrt();
        [k * along + across, k * along - across]
    };
    let mut answers = Answers::none();
    answers.is_exact = false;
    let mut best = f64::NEG_INFINITY;
    for z1 in crossings(u1, k1, k2) {
        for z2 in crossings(u2, k2, k1) {
            let (first, second) = (sp1(u1, &z1, k1, policy), sp1(u2, &z2, k2, policy));
            if let (Some(a), Some(b)) = (first.solutions.first(), second.solutions.first())
                && z1.dot(&z2) > best
            {
                best = z1.dot(&z2);
                let mut nearest = Answers::none();
                nearest.is_exact = false;
                nearest.solutions.push([a[0], b[0]]);
                answers = nearest;
            }
        }
    }
    answers
}
