//! Arithmetic of the cones of a programme: numbers that are not negative, and second-order cones `‖v‖ ≤ t`.
//!
//! Products, scalings and steps are those of Vandenberghe, "The CVXOPT linear and quadratic cone program solvers" (2010), sections 3 to 5.

use std::ops::Range;

use super::vector::{dot, norm};

/// Rows of a programme that form a cone.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cone {
    /// Each row for itself.
    Nonnegative(Range<usize>),
    /// The first row bounds the norm of the others.
    SecondOrder(Range<usize>),
}

impl Cone {
    pub(super) fn rows(&self) -> &Range<usize> {
        match self {
            Self::Nonnegative(rows) | Self::SecondOrder(rows) => rows,
        }
    }

    /// What it adds to the degree of complementarity.
    pub(super) fn degree(&self) -> usize {
        match self {
            Self::Nonnegative(rows) => rows.len(),
            Self::SecondOrder(_) => 1,
        }
    }

    /// Adds a multiple of the identity of its product.
    pub(super) fn add_identity(&self, v: &mut [f64], factor: f64) {
        match self {
            Self::Nonnegative(rows) => v[rows.clone()].iter_mut().for_each(|value| *value += factor),
            Self::SecondOrder(rows) => v[rows.start] += factor,
        }
    }

    /// The least multiple of the identity that leads into the cone.
    pub(super) fn least_shift(&self, v: &[f64]) -> f64 {
        let v = &v[self.rows().clone()];
        match self {
            Self::Nonnegative(_) => v.iter().fold(f64::NEG_INFINITY, |most, value| most.max(-value)),
            Self::SecondOrder(_) => norm(&v[1..]) - v[0],
        }
    }

    /// The product of the cone.
    pub(super) fn multiply(&self, a: &[f64], b: &[f64], product: &mut [f64]) {
        let rows = self.rows().clone();
        let (a, b, product) = (&a[rows.clone()], &b[rows.clone()], &mut product[rows]);
        match self {
            Self::Nonnegative(_) => product.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (a, b))| *out = a * b),
            Self::SecondOrder(_) => {
                product.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (x, y))| *out = a[0] * y + b[0] * x);
                product[0] = dot(a, b);
            }
        }
    }

    /// Replaces `v` by the one that multiplied with `a`, inside of the cone, is `v`.
    pub(super) fn divide(&self, a: &[f64], v: &mut [f64]) {
        let rows = self.rows().clone();
        let (a, v) = (&a[rows.clone()], &mut v[rows]);
        match self {
            Self::Nonnegative(_) => v.iter_mut().zip(a).for_each(|(value, a)| *value /= a),
            Self::SecondOrder(_) => {
                let first = (a[0] * v[0] - dot(&a[1..], &v[1..])) / lorentz(a);
                v.iter_mut().zip(a).for_each(|(value, a_value)| *value = (*value - first * a_value) / a[0]);
                v[0] = first;
            }
        }
    }

    /// The reciprocal of the longest step from `at`, inside of the cone, along `v` that stays in it; not positive where all do.
    pub(super) fn step_bound(&self, at: &[f64], v: &[f64]) -> f64 {
        let rows = self.rows().clone();
        let (at, v) = (&at[rows.clone()], &v[rows]);
        match self {
            Self::Nonnegative(_) => at.iter().zip(v).fold(f64::NEG_INFINITY, |most, (at, v)| most.max(-v / at)),
            Self::SecondOrder(_) => {
                let length = lorentz(at).sqrt();
                let along = (at[0] * v[0] - dot(&at[1..], &v[1..])) / length;
                let share = (along + v[0]) / (at[0] / length + 1.0) / length;
                let across = v[1..].iter().zip(&at[1..]).map(|(v, at)| (v - share * at).powi(2)).sum::<f64>().sqrt();
                (across - along) / length
            }
        }
    }
}

/// The scalings of Nesterov and Todd for points inside of cones, slacks and multipliers: each takes both to the same point.
#[derive(Debug)]
pub(super) struct Scaling {
    /// Of numbers their factors; of a second-order cone the point of unit Lorentz norm.
    points: Vec<f64>,
    /// Of a second-order cone the factor beside, one per cone.
    factors: Vec<f64>,
    /// What slacks and multipliers are taken to.
    pub(super) common: Vec<f64>,
}

impl Scaling {
    /// The identity.
    pub(super) fn new(rows: usize, cones: &[Cone]) -> Self {
        let mut points = vec![0.0; rows];
        for cone in cones {
            cone.add_identity(&mut points, 1.0);
        }
        Self { points, factors: vec![1.0; cones.len()], common: vec![0.0; rows] }
    }

    /// Takes on that of slacks and multipliers; false where one of them is not inside of its cone.
    pub(super) fn update(&mut self, cones: &[Cone], slacks: &[f64], multipliers: &[f64]) -> bool {
        for (cone, factor) in cones.iter().zip(&mut self.factors) {
            let rows = cone.rows().clone();
            let (s, z, w) = (&slacks[rows.clone()], &multipliers[rows.clone()], &mut self.points[rows]);
            match cone {
                Cone::Nonnegative(_) => w.iter_mut().zip(s.iter().zip(z)).for_each(|(w, (s, z))| *w = (s / z).sqrt()),
                Cone::SecondOrder(_) => *factor = scaling_point(s, z, w),
            }
        }
        let mut common = std::mem::take(&mut self.common);
        common.copy_from_slice(multipliers);
        self.scale(cones, &mut common);
        self.common = common;
        self.common.iter().all(|value| value.is_finite())
    }

    /// The point and the factor of a cone.
    pub(super) fn of(&self, index: usize, cone: &Cone) -> (&[f64], f64) {
        (&self.points[cone.rows().clone()], self.factors[index])
    }

    /// Multiplies by the scalings.
    pub(super) fn scale(&self, cones: &[Cone], v: &mut [f64]) {
        for (index, cone) in cones.iter().enumerate() {
            let ((w, factor), v) = (self.of(index, cone), &mut v[cone.rows().clone()]);
            match cone {
                Cone::Nonnegative(_) => v.iter_mut().zip(w).for_each(|(v, w)| *v *= w),
                Cone::SecondOrder(_) => reflect(w, 1.0, factor, v),
            }
        }
    }

    /// Multiplies by the inverses of the scalings.
    pub(super) fn unscale(&self, cones: &[Cone], v: &mut [f64]) {
        for (index, cone) in cones.iter().enumerate() {
            let ((w, factor), v) = (self.of(index, cone), &mut v[cone.rows().clone()]);
            match cone {
                Cone::Nonnegative(_) => v.iter_mut().zip(w).for_each(|(v, w)| *v /= w),
                Cone::SecondOrder(_) => reflect(w, -1.0, 1.0 / factor, v),
            }
        }
    }

    /// Multiplies by the squares of the inverses.
    pub(super) fn unscale_twice(&self, cones: &[Cone], v: &mut [f64]) {
        for (index, cone) in cones.iter().enumerate() {
            let ((w, factor), v) = (self.of(index, cone), &mut v[cone.rows().clone()]);
            match cone {
                Cone::Nonnegative(_) => v.iter_mut().zip(w).for_each(|(v, w)| *v /= w * w),
                // (2 q qᵀ − J) / factor², where q is the point with its last part turned round.
                Cone::SecondOrder(_) => {
                    let weight = 1.0 / (factor * factor);
                    let share = 2.0 * weight * (w[0] * v[0] - dot(&w[1..], &v[1..]));
                    let first = share * w[0] - weight * v[0];
                    v.iter_mut().zip(w).for_each(|(v, w)| *v = weight * *v - share * w);
                    v[0] = first;
                }
            }
        }
    }
}

/// The scaling point of two points of a second-order cone, and the factor beside.
fn scaling_point(s: &[f64], z: &[f64], w: &mut [f64]) -> f64 {
    let (of_s, of_z) = (lorentz(s).sqrt(), lorentz(z).sqrt());
    let sum = (2.0 * (1.0 + dot(s, z) / (of_s * of_z))).sqrt();
    w.iter_mut().zip(s.iter().zip(z)).for_each(|(w, (s, z))| *w = (s / of_s - z / of_z) / sum);
    w[0] = (s[0] / of_s + z[0] / of_z) / sum;
    (of_s / of_z).sqrt()
}

/// Multiplies by the hyperbolic reflection that takes the identity to the point `(w₀, sign w₁)`, and by a factor.
fn reflect(w: &[f64], sign: f64, factor: f64, v: &mut [f64]) {
    let across = sign * dot(&w[1..], &v[1..]);
    let share = sign * (v[0] + across / (1.0 + w[0]));
    v[1..].iter_mut().zip(&w[1..]).for_each(|(v, w)| *v = factor * (*v + share * w));
    v[0] = factor * (w[0] * v[0] + across);
}

/// The square of the first minus that of the norm of the others.
fn lorentz(a: &[f64]) -> f64 {
    let others = norm(&a[1..]);
    (a[0] - others) * (a[0] + others)
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::*;

    fn inside(rng: &mut SeededRng, cones: &[Cone], rows: usize) -> Vec<f64> {
        let mut v: Vec<f64> = (0..rows).map(|_| rng.uniform(-1.0, 1.0)).collect();
        for cone in cones {
            let shift = cone.least_shift(&v);
            cone.add_identity(&mut v, shift + rng.uniform(0.01, 1.0));
        }
        v
    }

    fn assert_near(a: &[f64], b: &[f64]) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9 * (1.0 + a.abs())), "{a:?} {b:?}");
    }

    #[test]
    fn scalings_take_slacks_and_multipliers_to_the_same_point() {
        let mut rng = SeededRng::new(5);
        let cones = [Cone::Nonnegative(0..2), Cone::SecondOrder(2..6), Cone::SecondOrder(6..8)];
        for _ in 0..100 {
            let (s, z) = (inside(&mut rng, &cones, 8), inside(&mut rng, &cones, 8));
            let mut scaling = Scaling::new(8, &cones);
            assert!(scaling.update(&cones, &s, &z));
            let mut of_slacks = s.clone();
            scaling.unscale(&cones, &mut of_slacks);
            assert_near(&of_slacks, &scaling.common);
            scaling.scale(&cones, &mut of_slacks);
            assert_near(&of_slacks, &s);
        }
    }

    #[test]
    fn quotients_undo_products_and_steps_end_on_the_boundary() {
        let mut rng = SeededRng::new(6);
        let cones = [Cone::Nonnegative(0..3), Cone::SecondOrder(3..7)];
        for _ in 0..100 {
            let (a, at) = (inside(&mut rng, &cones, 7), inside(&mut rng, &cones, 7));
            let v: Vec<f64> = (0..7).map(|_| rng.uniform(-1.0, 1.0)).collect();
            let mut product = vec![0.0; 7];
            for cone in &cones {
                cone.multiply(&a, &v, &mut product);
                cone.divide(&a, &mut product);
                let bound = cone.step_bound(&at, &v);
                if bound > 0.0 {
                    let end: Vec<f64> = at.iter().zip(&v).map(|(at, v)| at + v / bound).collect();
                    assert!(cone.least_shift(&end).abs() < 1e-9 * (1.0 + 1.0 / bound), "{cone:?}");
                }
            }
            assert_near(&product, &v);
        }
    }
}
