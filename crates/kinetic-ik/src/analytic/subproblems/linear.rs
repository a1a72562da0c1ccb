//! Linear trigonometric equations `a cos θ + b sin θ = c`, to which most subproblems reduce.

use super::Answers;
use crate::analytic::cos_sin::CosSin;
use crate::analytic::policy::TolerancePolicy;

/// Solutions of `a cos θ + b sin θ = c`, or the angle that comes nearest; nothing when `a` and `b` vanish against
/// `size`, which is what their largest possible value would be.
#[inline]
pub(crate) fn linear(a: f64, b: f64, c: f64, size: f64, policy: &TolerancePolicy) -> Answers<1, 2> {
    let mut answers = Answers::none();
    let square = a * a + b * b;
    let radius = square.sqrt();
    if radius <= policy.subproblem_degeneracy * size {
        return answers;
    }
    let left = radius - c.abs();
    if left <= 0.0 {
        answers.is_exact = -left <= policy.subproblem_feasibility * size;
        let scale = c.signum() / radius;
        answers.solutions.push([CosSin { cos: a * scale, sin: b * scale }]);
        return answers;
    }
    // (r − |c|)(r + |c|) keeps the digits that r² − c² loses near the fold.
    let root = (left * (radius + c.abs())).sqrt();
    let scale = 1.0 / square;
    answers.solutions.push([CosSin { cos: (a * c - b * root) * scale, sin: (b * c + a * root) * scale }]);
    answers.solutions.push([CosSin { cos: (a * c + b * root) * scale, sin: (b * c - a * root) * scale }]);
    answers
}
