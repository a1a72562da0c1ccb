//! The fastest squared path speed over a sequence of intervals: backward and forward pass.
//!
//! Pham and Pham 2018 (TOPP-RA): with x = ṡ² and constant s̈ on an interval of length Δ, x is linear in s and
//! s̈ = (x₁ − x₀) / 2Δ. On a quadratic path element the joint accelerations γ″ x + γ′ s̈ are then linear in s as well,
//! so that the limits at both ends of the interval are the limits everywhere on it: nothing happens between grid
//! points.

use kinetic_core::Result;

use crate::geometry::PathElement;
use crate::tolerance::CONTROLLABLE_SET_MARGIN;
use crate::watch::Watch;

/// A bound `|at_start · x₀ + at_end · x₁| ≤ limit` with `at_end ≥ 0`.
#[derive(Debug, Clone, Copy)]
struct SpeedRow {
    at_start: f64,
    at_end: f64,
    limit: f64,
}

impl SpeedRow {
    fn new(at_start: f64, at_end: f64, limit: f64) -> Self {
        // Both signs are bounded, so that the sign of the row is free.
        if at_end < 0.0 {
            Self { at_start: -at_start, at_end: -at_end, limit }
        } else {
            Self { at_start, at_end, limit }
        }
    }
}

/// A segment of one element with one path acceleration, or a straight with one trapezoid.
#[derive(Debug, Clone)]
pub(crate) struct SpeedInterval {
    /// Index of the element.
    pub(crate) element: usize,
    /// Path parameter since the element began.
    pub(crate) offset: f64,
    /// Extent in the path parameter.
    pub(crate) length: f64,
    /// Largest squared path speed.
    pub(crate) fastest: f64,
    /// Largest path acceleration of a straight; infinite for a blend, where the rows bound it.
    pub(crate) acceleration: f64,
    /// True when the motion is at rest where the interval begins.
    pub(crate) starts_at_rest: bool,
    rows: Vec<SpeedRow>,
}

/// Velocity and acceleration limits per joint.
pub(crate) struct SpeedBounds<'a> {
    pub(crate) velocity: &'a [f64],
    pub(crate) acceleration: &'a [f64],
}

impl SpeedInterval {
    /// A whole straight: s̈ may change inside, so that only its largest value counts.
    pub(crate) fn straight(index: usize, element: &PathElement, bounds: &SpeedBounds<'_>) -> Self {
        let per_direction = |limits: &[f64]| {
            let ratio = |([_, tangent, _], limit): (&[f64; 3], &f64)| limit / tangent.abs();
            element.shape.iter().zip(limits).map(ratio).fold(f64::INFINITY, f64::min)
        };
        let acceleration = per_direction(bounds.acceleration);
        let slope = 1.0 / (2.0 * element.length);
        Self {
            element: index,
            offset: 0.0,
            length: element.length,
            fastest: per_direction(bounds.velocity).powi(2),
            acceleration,
            starts_at_rest: element.starts_at_rest,
            rows: vec![SpeedRow::new(-slope, slope, acceleration)],
        }
    }

    /// Part `part` of `parts` of a blend.
    pub(crate) fn curved(
        index: usize,
        element: &PathElement,
        bounds: &SpeedBounds<'_>,
        part: usize,
        parts: usize,
    ) -> Self {
        let length = element.length / parts as f64;
        let offset = part as f64 * length;
        let mut rows = Vec::with_capacity(2 * element.shape.len());
        let mut fastest = f64::INFINITY;
        for (joint, [_, tangent, curvature]) in element.shape.iter().enumerate() {
            let tangents = [offset, offset + length].map(|at| tangent + curvature * at);
            let slopes = tangents.map(|tangent| tangent / (2.0 * length));
            let limit = bounds.acceleration[joint];
            rows.push(SpeedRow::new(curvature - slopes[0], slopes[0], limit));
            rows.push(SpeedRow::new(-slopes[1], curvature + slopes[1], limit));
            let steepest = tangents[0].abs().max(tangents[1].abs());
            fastest = fastest.min((bounds.velocity[joint] / steepest).powi(2));
        }
        Self { element: index, offset, length, fastest, acceleration: f64::INFINITY, starts_at_rest: false, rows }
    }

    /// Largest x₀ from which some x₁ in [0, `end`] is allowed.
    ///
    /// Fourier–Motzkin elimination of x₁: every upper bound on it must be at least every lower bound. The origin is
    /// allowed and the set is convex, so that every smaller x₀ is allowed too. At the corner of the set itself x₁ is one
    /// value, known to the rounding of two nearly parallel bounds; a step inside opens an interval for it.
    fn controllable(&self, end: f64) -> f64 {
        let mut best = self.fastest;
        // x₁ ≤ end and x₁ ≥ 0 as rows of slope 1.
        let bound = |limit| SpeedRow { at_start: 0.0, at_end: 1.0, limit };
        let uppers = self.rows.iter().copied().chain([bound(end)]);
        for upper in uppers {
            for lower in self.rows.iter().copied().chain([bound(0.0)]) {
                let slope = upper.at_start * lower.at_end - lower.at_start * upper.at_end;
                if slope > 0.0 {
                    best = best.min((upper.limit * lower.at_end + lower.limit * upper.at_end) / slope);
                }
            }
        }
        best * (1.0 - CONTROLLABLE_SET_MARGIN)
    }

    /// Largest x₁ in [0, `end`] that is allowed from x₀ = `start`.
    fn reachable(&self, start: f64, end: f64) -> f64 {
        let bound = |row: &SpeedRow| (row.limit - row.at_start * start) / row.at_end;
        let best = self.rows.iter().filter(|row| row.at_end > 0.0).map(bound).fold(end.min(self.fastest), f64::min);
        best.max(0.0)
    }
}

/// Squared path speed at every end of an interval (one more than intervals), at rest at both ends of the path.
pub(crate) fn profile(intervals: &[SpeedInterval], watch: &Watch) -> Result<Vec<f64>> {
    let mut x = vec![0.0_f64; intervals.len() + 1];
    for (index, interval) in intervals.iter().enumerate().rev() {
        watch.check_at(index)?;
        let end = x[index + 1].min(interval.fastest);
        x[index] = if interval.starts_at_rest { 0.0 } else { interval.controllable(end) };
    }
    for (index, interval) in intervals.iter().enumerate() {
        x[index + 1] = interval.reachable(x[index], x[index + 1]);
    }
    Ok(x)
}
