//! Subproblem 1: one rotation that takes a point to another one.

use nalgebra::Vector3;

use super::Answers;
use crate::analytic::cos_sin::CosSin;
use crate::analytic::policy::TolerancePolicy;

/// The θ with the least `‖R(k, θ) p₁ − p₂‖`; exact when that is zero. Nothing when `p₁` or `p₂` lies on the axis.
pub fn sp1(p1: &Vector3<f64>, p2: &Vector3<f64>, k: &Vector3<f64>, policy: &TolerancePolicy) -> Answers<1, 1> {
    let mut answers = Answers::none();
    let (along1, along2) = (k.dot(p1), k.dot(p2));
    let (x, y) = (p1.dot(p2) - along1 * along2, k.cross(p1).dot(p2));
    let (size1, size2) = (p1.norm_squared(), p2.norm_squared());
    if (x * x + y * y).sqrt() <= policy.subproblem_degeneracy * (size1 * size2).sqrt() {
        return answers;
    }
    let size = size1.max(size2).sqrt();
    let misses = (along1 - along2).abs().max((size1.sqrt() - size2.sqrt()).abs());
    answers.is_exact = misses <= policy.subproblem_feasibility * size;
    answers.solutions.push([CosSin::from_direction(x, y)]);
    answers
}
