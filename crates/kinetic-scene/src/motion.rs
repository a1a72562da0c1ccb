//! Motions that a sweep can prove: a configuration for every parameter, and a box around it for every interval.

use kinetic_core::PiecewisePolynomial;
use kinetic_core::curve::{enclosure, evaluate};

/// A continuous motion in configuration space over a parameter interval.
pub trait TimedMotion {
    /// The parameter interval.
    fn span(&self) -> (f64, f64);

    /// Parameters at which a sweep must split because the motion's formula changes; ascending, ends excluded.
    fn breaks(&self) -> &[f64];

    /// Writes the configuration at the middle of `[t0, t1]` to `q`, and to `radius` for every joint a bound on how far
    /// it strays from there inside the interval. No break lies strictly inside `[t0, t1]`.
    fn box_around(&self, t0: f64, t1: f64, q: &mut [f64], radius: &mut [f64]);
}

/// The straight segment `from + t (to − from)`, `t` in [0, 1].
#[derive(Debug, Clone, Copy)]
pub struct SegmentMotion<'a> {
    /// Configuration at `t = 0`.
    pub from: &'a [f64],
    /// Configuration at `t = 1`.
    pub to: &'a [f64],
}

impl TimedMotion for SegmentMotion<'_> {
    fn span(&self) -> (f64, f64) {
        (0.0, 1.0)
    }

    fn breaks(&self) -> &[f64] {
        &[]
    }

    #[inline]
    fn box_around(&self, t0: f64, t1: f64, q: &mut [f64], radius: &mut [f64]) {
        let (middle, half) = (f64::midpoint(t0, t1), 0.5 * (t1 - t0));
        for joint in 0..q.len() {
            let step = self.to[joint] - self.from[joint];
            q[joint] = self.from[joint] + middle * step;
            radius[joint] = half * step.abs();
        }
    }
}

/// A piecewise polynomial in time.
#[derive(Debug, Clone, Copy)]
pub struct CurveMotion<'a> {
    /// The curve.
    pub curve: &'a PiecewisePolynomial,
}

impl TimedMotion for CurveMotion<'_> {
    fn span(&self) -> (f64, f64) {
        (0.0, self.curve.duration())
    }

    fn breaks(&self) -> &[f64] {
        let knots = self.curve.knots();
        knots.get(1..knots.len() - 1).unwrap_or_default()
    }

    fn box_around(&self, t0: f64, t1: f64, q: &mut [f64], radius: &mut [f64]) {
        let middle = f64::midpoint(t0, t1);
        let (piece, _) = self.curve.locate(middle);
        let start = self.curve.knots()[piece];
        for joint in 0..q.len() {
            let coefficients = self.curve.coefficients(piece, joint);
            q[joint] = evaluate(coefficients, 0, middle - start);
            let (low, high) = enclosure(coefficients, 0, t0 - start, t1 - start);
            radius[joint] = (high - q[joint]).max(q[joint] - low).max(0.0);
        }
    }
}
