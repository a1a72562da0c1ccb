//! Subproblem 5: three rotations that bring two points together.

use nalgebra::Vector3;

use super::{Answers, Circles, sp1};
use crate::analytic::policy::TolerancePolicy;

/// The `(θ₁, θ₂, θ₃)` with `p₀ + R(k₁, θ₁) p₁ = R(k₂, θ₂) (p₂ + R(k₃, θ₃) p₃)`; at most four, all exact. Nothing when
/// an angle is undetermined.
pub fn sp5(p: &[Vector3<f64>; 4], k: &[Vector3<f64>; 3], policy: &TolerancePolicy) -> Answers<3, 4> {
    let [p0, p1, p2, p3] = p;
    let [k1, k2, k3] = k;
    let mut answers = Answers::none();
    let circles = sp5_equations(p, k);
    let pairs = circles.solve(policy);
    for [first, third] in pairs.solutions.iter() {
        let (left, right) = (p0 + first.rotate(k1, p1), p2 + third.rotate(k3, p3));
        let second = sp1(&right, &left, k2, policy);
        if let Some([turn]) = second.solutions.first() {
            answers.solutions.push([*first, *turn, *third]);
        }
    }
    answers
}

/// θ₂ keeps the component along `k₂` and the length: two equations in θ₁ and θ₃.
#[inline]
pub(crate) fn sp5_equations(p: &[Vector3<f64>; 4], k: &[Vector3<f64>; 3]) -> Circles {
    let [p0, p1, p2, p3] = p;
    let [k1, k2, k3] = k;
    let (along1, along3) = (k1.dot(p1), k3.dot(p3));
    let (across1, across3) = (p1 - k1 * along1, p3 - k3 * along3);
    let (turned1, turned3) = (k1.cross(p1), k3.cross(p3));
    // What the turning parts leave constant.
    let (base1, base3) = (p0 + k1 * along1, p2 + k3 * along3);
    Circles {
        first: [[k2.dot(&across1), k2.dot(&turned1)], [p0.dot(&across1), p0.dot(&turned1)]],
        second: [[-k2.dot(&across3), -k2.dot(&turned3)], [-p2.dot(&across3), -p2.dot(&turned3)]],
        right: [
            k2.dot(&(base3 - base1)),
            0.5 * (base3.norm_squared() + across3.norm_squared() - base1.norm_squared() - across1.norm_squared()),
        ],
    }
}
