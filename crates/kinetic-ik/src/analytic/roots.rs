//! Real roots of small polynomials and of trigonometric equations, isolated before they are refined.
//!
//! Between neighbouring critical points a polynomial is monotone, so that a change of sign there encloses exactly one
//! root: isolation is exact up to rounding, and no root depends on a starting value. A critical point whose value is
//! zero up to rounding is a double root.

use super::array_vec::ArrayVec;
use super::cos_sin::CosSin;

/// Value of `c[0] + c[1] x + …`.
#[inline]
fn value(c: &[f64], x: f64) -> f64 {
    c.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// Upper bound of the rounding error of [`value`], in units of `f64::EPSILON`.
#[inline]
fn magnitude(c: &[f64], x: f64) -> f64 {
    c.iter().rev().fold(0.0, |sum, c| sum * x.abs() + c.abs())
}

/// Real roots in ascending order; double roots once. `c` holds at most five coefficients, the constant first.
///
/// A value below the multiple `zero` of the magnitude of its terms counts as zero at a critical point: coefficients carry
/// the rounding of some twenty operations. The candidates that this lets through are batch by forward kinematics.
pub(crate) fn polynomial(c: &[f64], zero: f64) -> ArrayVec<f64, 4> {
    let mut roots = ArrayVec::empty(0.0);
    let largest = c.iter().fold(0.0_f64, |largest, c| largest.max(c.abs()));
    // Leading coefficients that vanish up to rounding belong to roots at infinity.
    let degree = c.iter().rposition(|c| c.abs() > f64::EPSILON * largest).unwrap_or(0);
    let c = &c[..=degree];
    if degree == 0 {
        return roots;
    }
    if degree == 1 {
        roots.push(-c[0] / c[1]);
        return roots;
    }
    let mut derivative = [0.0; 4];
    for power in 1..=degree {
        derivative[power - 1] = c[power] * power as f64;
    }
    let critical = polynomial(&derivative[..degree], zero);
    // Cauchy's bound on roots.
    let bound = 1.0 + c[..degree].iter().fold(0.0_f64, |bound, value| bound.max((value / c[degree]).abs()));
    let mut low = -bound;
    for index in 0..=critical.len() {
        let is_last = index == critical.len();
        let high = if is_last { bound } else { critical[index] };
        let is_double = !is_last && value(c, high).abs() <= zero * magnitude(c, high);
        if is_double {
            roots.push(high);
        } else if value(c, low) * value(c, high) < 0.0 && !roots.last().is_some_and(|root| *root == low) {
            roots.push(bracketed(c, &derivative[..degree], low, high));
        }
        low = high;
    }
    roots
}

/// The root in an interval with a change of sign: Newton's method, halved when it leaves the interval or dawdles.
fn bracketed(c: &[f64], derivative: &[f64], mut low: f64, mut high: f64) -> f64 {
    let rising = value(c, high) > 0.0;
    let mut x = f64::midpoint(low, high);
    let mut width = high - low;
    for _ in 0..200 {
        let f = value(c, x);
        if f == 0.0 {
            break;
        }
        if (f > 0.0) == rising {
            high = x;
        } else {
            low = x;
        }
        let step = f / value(derivative, x);
        let newton = x - step;
        let next =
            if newton >= low && newton <= high && step.abs() < 0.5 * width { newton } else { f64::midpoint(low, high) };
        width = (next - x).abs();
        x = next;
        if width <= 2.0 * f64::EPSILON * x.abs() {
            break;
        }
    }
    x
}

/// `c₀ + c₁ cos θ + c₂ sin θ + c₃ cos 2θ + c₄ sin 2θ = 0`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SecondHarmonic(pub(crate) [f64; 5]);

impl SecondHarmonic {
    fn at(&self, turn: CosSin) -> f64 {
        let [c0, c1, c2, c3, c4] = self.0;
        let double = turn.then(turn);
        c0 + c1 * turn.cos + c2 * turn.sin + c3 * double.cos + c4 * double.sin
    }

    /// The same function of `θ − by`.
    fn shifted(&self, by: CosSin) -> Self {
        let [c0, c1, c2, c3, c4] = self.0;
        let double = by.then(by);
        let (a1, b1) = (c1 * by.cos + c2 * by.sin, c2 * by.cos - c1 * by.sin);
        let (a2, b2) = (c3 * double.cos + c4 * double.sin, c4 * double.cos - c3 * double.sin);
        Self([c0, a1, b1, a2, b2])
    }

    /// The real roots, at most four; double roots once, `zero` as for [`polynomial`].
    pub(crate) fn roots(&self, zero: f64) -> ArrayVec<CosSin, 4> {
        // x = tan(θ/2) is infinite at θ = π: turn the circle until no root is near there.
        let mut far = CosSin::ZERO;
        let mut largest = -1.0;
        let mut turn = CosSin::ZERO;
        let eighth = CosSin { cos: std::f64::consts::FRAC_1_SQRT_2, sin: std::f64::consts::FRAC_1_SQRT_2 };
        for _ in 0..8 {
            let size = self.at(turn).abs();
            if size > largest {
                (largest, far) = (size, turn);
            }
            turn = turn.then(eighth);
        }
        let origin = CosSin { cos: -far.cos, sin: -far.sin };
        let [c0, a1, b1, a2, b2] = self.shifted(origin).0;
        let quartic = [c0 + a1 + a2, 2.0 * b1 + 4.0 * b2, 2.0 * c0 - 6.0 * a2, 2.0 * b1 - 4.0 * b2, c0 - a1 + a2];
        let mut roots = ArrayVec::empty(CosSin::ZERO);
        for x in polynomial(&quartic, zero).iter() {
            let scale = 1.0 / (1.0 + x * x);
            roots.push(origin.then(CosSin { cos: (1.0 - x * x) * scale, sin: 2.0 * x * scale }));
        }
        roots
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::*;

    const ROOT_ERROR: f64 = 1e-12;

    #[test]
    fn roots_of_products_of_linear_factors_are_found() {
        let mut rng = SeededRng::new(1);
        for case in 0..2_000 {
            let mut wanted: Vec<f64> = (0..=case % 4).map(|_| rng.uniform(-3.0, 3.0)).collect();
            wanted.sort_by(f64::total_cmp);
            let mut c = vec![rng.uniform(0.5, 2.0)];
            for root in &wanted {
                let mut next = vec![0.0; c.len() + 1];
                for (power, value) in c.iter().enumerate() {
                    next[power + 1] += value;
                    next[power] -= value * root;
                }
                c = next;
            }
            if wanted.windows(2).any(|two| two[1] - two[0] < 1e-2) {
                continue;
            }
            let found = polynomial(&c, ROOT_ERROR);
            assert_eq!(found.len(), wanted.len(), "case {case}: {wanted:?}, found {:?}", &found[..]);
            for (a, b) in found.iter().zip(&wanted) {
                assert!((a - b).abs() < 1e-8, "case {case}: {wanted:?}, found {:?}", &found[..]);
            }
        }
    }

    #[test]
    fn a_double_root_is_found_once_and_a_missed_one_not_at_all() {
        // (x − 1)² (x² + 1)
        assert_eq!(polynomial(&[1.0, -2.0, 2.0, -2.0, 1.0], ROOT_ERROR).len(), 1);
        assert_eq!(polynomial(&[1.0 + 1e-6, -2.0, 2.0, -2.0, 1.0], ROOT_ERROR).len(), 0);
        assert_eq!(polynomial(&[1.0 - 1e-6, -2.0, 2.0, -2.0, 1.0], ROOT_ERROR).len(), 2);
        assert_eq!(polynomial(&[0.0; 5], ROOT_ERROR).len(), 0);
    }

    #[test]
    fn harmonic_roots_match_a_dense_scan() {
        let mut rng = SeededRng::new(2);
        for case in 0..2_000 {
            let f = SecondHarmonic(std::array::from_fn(|_| rng.uniform(-1.0, 1.0)));
            let samples: Vec<f64> =
                (0..2_000).map(|k| f.at(CosSin::from_angle(f64::from(k) * std::f64::consts::TAU / 2_000.0))).collect();
            if samples.iter().fold(f64::INFINITY, |least, value| least.min(value.abs())) > 1e-2 {
                assert!(f.roots(ROOT_ERROR).is_empty(), "case {case}");
                continue;
            }
            let changes = (0..samples.len()).filter(|k| samples[*k] * samples[(k + 1) % samples.len()] < 0.0).count();
            let found = f.roots(ROOT_ERROR);
            for turn in found.iter() {
                assert!(f.at(*turn).abs() < 1e-12, "case {case}");
            }
            // The scan misses two roots in one step and has no word on double roots; both are rare here.
            assert!(found.len() >= changes && (found.len() - changes).is_multiple_of(2), "case {case}");
        }
    }
}
