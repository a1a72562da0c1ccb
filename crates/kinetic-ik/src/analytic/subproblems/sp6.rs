//! Subproblem 6: two equations in two angles.

use nalgebra::Vector3;

use super::{Answers, Circles};
use crate::analytic::policy::TolerancePolicy;

/// One term `h · R(k, θ) p`.
#[derive(Debug, Clone, Copy)]
pub struct Sp6Term {
    /// Normal of the plane.
    pub h: Vector3<f64>,
    /// Unit axis.
    pub k: Vector3<f64>,
    /// The point that is rotated.
    pub p: Vector3<f64>,
}

impl Sp6Term {
    /// Coefficients of cosine and sine, and the constant part.
    fn parts(&self) -> ([f64; 2], f64) {
        let along = self.k.dot(&self.h) * self.k.dot(&self.p);
        ([self.h.dot(&self.p) - along, self.k.cross(&self.p).dot(&self.h)], along)
    }
}

/// The `(θ₁, θ₂)` with `term(0; θ₁) + term(1; θ₂) = d₁` and `term(2; θ₁) + term(3; θ₂) = d₂`; at most four, all exact.
/// Nothing when an angle is undetermined.
pub fn sp6(terms: &[Sp6Term; 4], d: [f64; 2], policy: &TolerancePolicy) -> Answers<2, 4> {
    let [(a, a0), (b, b0), (c, c0), (e, e0)] = terms.map(|term| term.parts());
    Circles { first: [a, c], second: [b, e], right: [d[0] - a0 - b0, d[1] - c0 - e0] }.solve(policy)
}
