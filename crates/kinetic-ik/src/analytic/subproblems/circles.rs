//! Pairs of linear equations in the cosines and sines of two angles, to which subproblems 5 and 6 reduce.
//!
//! Geometrically the intersection of two ellipses, up to four points.

use super::{Answers, linear};
use crate::analytic::array_vec::ArrayVec;
use crate::analytic::cos_sin::CosSin;
use crate::analytic::policy::TolerancePolicy;
use crate::analytic::roots::SecondHarmonic;

/// `first · (cos α, sin α) + second · (cos β, sin β) = right`, 2 × 2 matrices row by row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Circles {
    pub(crate) first: [[f64; 2]; 2],
    pub(crate) second: [[f64; 2]; 2],
    pub(crate) right: [f64; 2],
}

/// A matrix whose least singular value is at most this (of entries scaled to 1) does not determine its angle alone.
/// Matrices that are singular because axes are parallel or meet come out near 1e-16.
const SINGULAR_VALUE_RATIO: f64 = 1e-10;

/// What counts as zero where the quartic has a double root, against what misses the feasible range: rounding, for data
/// that are exact.
const DOUBLE_ROOT_RATIO: f64 = 1e-3;

impl Circles {
    /// All `(α, β)`.
    #[inline]
    pub(crate) fn solve(&self, policy: &TolerancePolicy) -> Answers<2, 4> {
        let system = self.scaled();
        let (first, second) = (singular_values(&system.first), singular_values(&system.second));
        let zero = DOUBLE_ROOT_RATIO * policy.subproblem_feasibility;
        let singular = SINGULAR_VALUE_RATIO.max(zero);
        if second[1] <= singular {
            return system.decoupled(policy);
        }
        if first[1] <= singular {
            return swap(system.swapped().decoupled(policy));
        }
        if second[1] >= first[1] { system.coupled(zero) } else { swap(system.swapped().coupled(zero)) }
    }

    fn scaled(&self) -> Self {
        let mut out = *self;
        for row in 0..2 {
            let entries = [self.first[row], self.second[row]];
            let largest = entries.as_flattened().iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
            if largest > 0.0 {
                let scale = 1.0 / largest;
                out.first[row] = self.first[row].map(|value| value * scale);
                out.second[row] = self.second[row].map(|value| value * scale);
                out.right[row] = self.right[row] * scale;
            }
        }
        out
    }

    fn swapped(&self) -> Self {
        Self { first: self.second, second: self.first, right: self.right }
    }

    /// `second` is singular: one combination of the equations is free of β.
    fn decoupled(&self, policy: &TolerancePolicy) -> Answers<2, 4> {
        let mut answers = Answers::none();
        let [r0, r1] = self.second;
        let dominant = if dot(r0, r0) >= dot(r1, r1) { r0 } else { r1 };
        let length = dot(dominant, dominant).sqrt();
        if length <= SINGULAR_VALUE_RATIO {
            return answers;
        }
        let (w0, w1) = (dot(r0, dominant), dot(r1, dominant));
        let norm = 1.0 / (w0 * w0 + w1 * w1).sqrt();
        let (w0, w1) = (w0 * norm, w1 * norm);
        let mix = |a: f64, b: f64, m: [[f64; 2]; 2]| [a * m[0][0] + b * m[1][0], a * m[0][1] + b * m[1][1]];
        let free = mix(w1, -w0, self.first);
        let alphas = linear(free[0], free[1], w1 * self.right[0] - w0 * self.right[1], 1.0, policy);
        let (left, with) = (mix(w0, w1, self.first), mix(w0, w1, self.second));
        answers.is_exact = alphas.is_exact;
        for [alpha] in alphas.solutions.iter() {
            let right = w0 * self.right[0] + w1 * self.right[1] - left[0] * alpha.cos - left[1] * alpha.sin;
            let betas = linear(with[0], with[1], right, 1.0, policy);
            if betas.is_exact {
                for [beta] in betas.solutions.iter() {
                    answers.solutions.push([*alpha, *beta]);
                }
            }
        }
        if !answers.is_exact {
            answers.solutions = ArrayVec::empty([CosSin::ZERO; 2]);
        }
        answers
    }

    /// β = `second⁻¹ (right − first · α)` has length 1: a quartic for α.
    fn coupled(&self, zero: f64) -> Answers<2, 4> {
        let [[a, b], [c, d]] = self.second;
        let scale = 1.0 / (a * d - b * c);
        let solve = |x: f64, y: f64| [(d * x - b * y) * scale, (a * y - c * x) * scale];
        let constant = solve(self.right[0], self.right[1]);
        let cosine = solve(-self.first[0][0], -self.first[1][0]);
        let sine = solve(-self.first[0][1], -self.first[1][1]);
        let (cc, ss) = (dot(cosine, cosine), dot(sine, sine));
        let harmonic = SecondHarmonic([
            dot(constant, constant) - 1.0 + 0.5 * (cc + ss),
            2.0 * dot(constant, cosine),
            2.0 * dot(constant, sine),
            0.5 * (cc - ss),
            dot(cosine, sine),
        ]);
        let mut answers = Answers::none();
        for alpha in harmonic.roots(zero).iter() {
            let entry = |i: usize| constant[i] + cosine[i] * alpha.cos + sine[i] * alpha.sin;
            answers.solutions.push([*alpha, CosSin::from_direction(entry(0), entry(1))]);
        }
        answers
    }
}

fn swap(mut answers: Answers<2, 4>) -> Answers<2, 4> {
    let mut solutions = ArrayVec::empty([CosSin::ZERO; 2]);
    for [a, b] in answers.solutions.iter() {
        solutions.push([*b, *a]);
    }
    answers.solutions = solutions;
    answers
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Singular values, larger first.
fn singular_values(m: &[[f64; 2]; 2]) -> [f64; 2] {
    let [[a, b], [c, d]] = *m;
    // Half sum and half difference of the singular values, exact for 2 × 2.
    let length = |x: f64, y: f64| (x * x + y * y).sqrt();
    let sum = length(a + d, b - c);
    let difference = length(a - d, b + c);
    [0.5 * (sum + difference), 0.5 * (sum - difference).abs()]
}
