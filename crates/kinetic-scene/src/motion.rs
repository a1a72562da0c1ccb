//! Motions that a sweep can prove: a configuration for every parameter, and a box around it for every interval.

use kinetic_core::PiecewisePolynomial;
use kinetic_core::curve::{enclosure, evaluate};

use crate::sweep::{CURVE_RESOLUTION, PROOF_RESOLUTION};

/// Intervals that are looked at together, whatever the width of the processor's registers: results do not depend on it.
pub const BATCH: usize = 16;

/// A continuous motion in configuration space over a parameter interval.
pub trait TimedMotion {
    /// The parameter interval.
    fn span(&self) -> (f64, f64);

    /// Parameters at which a sweep must split because the motion's formula changes; ascending, ends excluded.
    fn breaks(&self) -> &[f64];

    /// Writes the configuration at the middle of `[t0, t1]` to `q`, and to `radius` for every joint a bound on how far
    /// it strays from there inside the interval. No break lies strictly inside `[t0, t1]`.
    fn box_around(&self, t0: f64, t1: f64, q: &mut [f64], radius: &mut [f64]);

    /// A bound on the motion inside an interval, m, below which a pair that is not proven counts as blocking.
    fn resolution(&self) -> f64 {
        PROOF_RESOLUTION
    }

    /// [`box_around`](Self::box_around) for a batch of intervals: per variable the middles and the half-widths, the
    /// latter rounded to single precision. Returns the largest magnitude among them; NaN if there is one.
    fn boxes_around(&self, intervals: &[(f64, f64); BATCH], q: &mut [[f64; BATCH]], radius: &mut [[f32; BATCH]])
    -> f64;
}

/// A maximum of magnitudes in which NaN counts as the largest.
#[derive(Debug, Clone, Copy, Default)]
struct Largest {
    value: f64,
}

impl Largest {
    fn see(&mut self, value: f64) {
        if !self.value.is_nan() && !(value.abs() <= self.value) {
            self.value = value.abs();
        }
    }
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

    fn boxes_around(
        &self,
        intervals: &[(f64, f64); BATCH],
        q: &mut [[f64; BATCH]],
        radius: &mut [[f32; BATCH]],
    ) -> f64 {
        let (mut middle, mut half) = ([0.0; BATCH], [0.0; BATCH]);
        for (lane, (t0, t1)) in intervals.iter().enumerate() {
            middle[lane] = 0.5 * (t0 + t1);
            half[lane] = 0.5 * (t1 - t0);
        }
        let mut largest = Largest::default();
        for (variable, (from, to)) in self.from.iter().zip(self.to).enumerate() {
            let step = to - from;
            for lane in 0..BATCH {
                q[variable][lane] = from + middle[lane] * step;
                radius[variable][lane] = (half[lane] * step.abs()) as f32;
            }
            largest.see(*from);
            largest.see(*to);
        }
        largest.value
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

    fn resolution(&self) -> f64 {
        CURVE_RESOLUTION
    }

    fn box_around(&self, t0: f64, t1: f64, q: &mut [f64], radius: &mut [f64]) {
        let piece = self.piece(t0, t1);
        for joint in 0..q.len() {
            (q[joint], radius[joint]) = self.joint_box(joint, piece, t0, t1);
        }
    }

    fn boxes_around(
        &self,
        intervals: &[(f64, f64); BATCH],
        q: &mut [[f64; BATCH]],
        radius: &mut [[f32; BATCH]],
    ) -> f64 {
        let mut largest = Largest::default();
        let pieces = intervals.map(|(t0, t1)| self.piece(t0, t1));
        for joint in 0..q.len() {
            for (lane, (t0, t1)) in intervals.iter().enumerate() {
                let (middle, half) = self.joint_box(joint, pieces[lane], *t0, *t1);
                (q[joint][lane], radius[joint][lane]) = (middle, half as f32);
                largest.see(middle);
                largest.see(half);
            }
        }
        largest.value
    }
}

impl CurveMotion<'_> {
    /// The piece that an interval is inside of.
    fn piece(self, t0: f64, t1: f64) -> usize {
        self.curve.locate(f64::midpoint(t0, t1)).0
    }

    /// Value of a joint at the middle of an interval of a piece, and how far it strays from there inside.
    fn joint_box(self, joint: usize, piece: usize, t0: f64, t1: f64) -> (f64, f64) {
        let middle = f64::midpoint(t0, t1);
        let start = self.curve.knots()[piece];
        let coefficients = self.curve.coefficients(piece, joint);
        let value = evaluate(coefficients, 0, middle - start);
        let (low, high) = enclosure(coefficients, 0, t0 - start, t1 - start);
        (value, (high - value).max(value - low).max(0.0))
    }
}
