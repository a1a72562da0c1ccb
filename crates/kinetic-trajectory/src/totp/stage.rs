//! One grid interval of the path and what limits the squared path speeds at its ends.
//!
//! With x = ṡ² linear in s on the interval, s̈ = (x₁ − x₀) / 2Δ is constant, and the acceleration of a joint is
//! γ′(s) s̈ + γ″(s) x(s): a polynomial of s whose Bernstein coefficients are linear in x₀ and x₁. A polynomial lies between
//! its smallest and largest Bernstein coefficient, so that rows on these hold the limit on the whole interval, and not at
//! grid points alone as in Pham and Pham 2018. The coefficients at both ends are the accelerations there.

use kinetic_core::curve::{Coefficients, MAX_DEGREE};
use kinetic_core::{Limits, Result};

use super::{PathPoint, PathRow};
use crate::smooth::CurveElement;

/// `low ≤ at_start · x₀ + at_end · x₁ ≤ high` with `at_end ≥ 0`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) at_start: f64,
    pub(crate) at_end: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Row {
    pub(crate) fn new(at_start: f64, at_end: f64, low: f64, high: f64) -> Self {
        if at_end < 0.0 {
            Self { at_start: -at_start, at_end: -at_end, low: -high, high: -low }
        } else {
            Self { at_start, at_end, low, high }
        }
    }
}

/// A grid interval: part of an element with one path acceleration, or a whole straight with a trapezoid.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    /// Index of the element.
    pub(crate) element: usize,
    /// Path parameter since the element began.
    pub(crate) offset: f64,
    /// Extent in the path parameter.
    pub(crate) length: f64,
    /// Largest squared path speed at both ends.
    pub(crate) fastest: [f64; 2],
    /// Largest path acceleration of a straight; infinite where rows bound it.
    pub(crate) acceleration: f64,
    /// True when the motion is at rest where the stage begins.
    pub(crate) starts_at_rest: bool,
    /// Its rows in [`Grid::rows`].
    pub(crate) rows: std::ops::Range<usize>,
}

/// All stages of a path, with their rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Grid {
    pub(crate) stages: Vec<Stage>,
    pub(crate) rows: Vec<Row>,
}

/// Further limits at a point of the path, appended to the list.
pub(crate) type Further<'a> = dyn FnMut(&PathPoint<'_>, &mut Vec<PathRow>) + 'a;

impl Grid {
    /// Rows of the stage.
    pub(crate) fn rows_of(&self, stage: &Stage) -> &[Row] {
        &self.rows[stage.rows.clone()]
    }

    /// A whole straight, whose path acceleration may change inside.
    pub(crate) fn push_straight(&mut self, index: usize, element: &CurveElement, limits: &Limits) {
        let per_direction = |limits: &[f64]| {
            let ratio = |(row, limit): (&Coefficients, &f64)| limit / row[1].abs();
            element.shape.iter().zip(limits).map(ratio).fold(f64::INFINITY, f64::min)
        };
        let (acceleration, slope) = (per_direction(&limits.acceleration), 1.0 / (2.0 * element.length));
        let fastest = per_direction(&limits.velocity).powi(2);
        let first = self.rows.len();
        self.rows.push(Row::new(-slope, slope, -acceleration, acceleration));
        self.stages.push(Stage {
            element: index,
            offset: 0.0,
            length: element.length,
            fastest: [fastest; 2],
            acceleration,
            starts_at_rest: element.starts_at_rest,
            rows: first..self.rows.len(),
        });
    }

    /// Part `part` of `parts` of an element.
    pub(crate) fn push_part(
        &mut self,
        (index, element): (usize, &CurveElement),
        limits: &Limits,
        (part, parts): (usize, usize),
        further: Option<&mut Further<'_>>,
    ) -> Result<()> {
        let length = element.length / parts as f64;
        let offset = part as f64 * length;
        let (degree, first) = (element.degree(), self.rows.len());
        let mut fastest = [f64::INFINITY; 2];
        for (joint, row) in element.shape.iter().enumerate() {
            let local = LocalShape::new(row, degree, offset, length);
            local.push_acceleration_rows(limits.acceleration[joint], &mut self.rows);
            let slopes = local.push_velocity_rows(limits.velocity[joint], &mut self.rows);
            for (fastest, slope) in fastest.iter_mut().zip(slopes) {
                *fastest = fastest.min((limits.velocity[joint] / slope).powi(2));
            }
        }
        if let Some(further) = further {
            self.push_further_rows(element, [offset, offset + length], further)?;
        }
        let starts_at_rest = part == 0 && element.starts_at_rest;
        let rows = first..self.rows.len();
        let acceleration = f64::INFINITY;
        self.stages.push(Stage { element: index, offset, length, fastest, acceleration, starts_at_rest, rows });
        Ok(())
    }

    /// Further limits at both ends of a stage, with the path acceleration of the stage.
    fn push_further_rows(&mut self, element: &CurveElement, ends: [f64; 2], further: &mut Further<'_>) -> Result<()> {
        let slope = 1.0 / (2.0 * (ends[1] - ends[0]));
        let mut found = Vec::new();
        for (end, offset) in ends.into_iter().enumerate() {
            let [position, tangent, curvature] = [0, 1, 2].map(|order| {
                element.shape.iter().map(|row| kinetic_core::curve::evaluate(row, order, offset)).collect::<Vec<f64>>()
            });
            found.clear();
            further(&PathPoint { position: &position, tangent: &tangent, curvature: &curvature }, &mut found);
            for row in &found {
                row.check()?;
                let mut factors = [-row.acceleration * slope, row.acceleration * slope];
                factors[end] += row.speed;
                self.rows.push(Row::new(factors[0], factors[1], f64::NEG_INFINITY, row.limit - row.constant));
            }
        }
        Ok(())
    }
}

/// One joint on one stage: γ′ and γ″ by Bernstein coefficients.
struct LocalShape {
    degree: usize,
    length: f64,
    /// Bernstein coefficients of γ′, of degree `degree − 1`.
    tangents: [f64; MAX_DEGREE],
    /// Bernstein coefficients of γ″, of degree `degree − 2`.
    curvatures: [f64; MAX_DEGREE],
}

impl LocalShape {
    fn new(row: &Coefficients, degree: usize, offset: f64, length: f64) -> Self {
        let local = shifted(row, degree, offset);
        let (mut tangents, mut curvatures) = ([0.0; MAX_DEGREE], [0.0; MAX_DEGREE]);
        let mut scale = 1.0;
        for power in 1..=degree {
            tangents[power - 1] = power as f64 * local[power] * scale;
            scale *= length;
        }
        scale = 1.0;
        for power in 2..=degree {
            curvatures[power - 2] = (power * (power - 1)) as f64 * local[power] * scale;
            scale *= length;
        }
        to_bernstein(&mut tangents, degree - 1);
        to_bernstein(&mut curvatures, degree.saturating_sub(2));
        Self { degree, length, tangents, curvatures }
    }

    /// |Bernstein coefficient of γ′ s̈ + γ″ x| ≤ limit, with γ″ x by the product rule of Bernstein polynomials.
    fn push_acceleration_rows(&self, limit: f64, rows: &mut Vec<Row>) {
        let order = self.degree - 1;
        for index in 0..=order {
            let slope = self.tangents[index] / (2.0 * self.length);
            let before = if index > 0 { self.curvatures[index - 1] * index as f64 / order as f64 } else { 0.0 };
            let after =
                if index < order { self.curvatures[index] * (order - index) as f64 / order as f64 } else { 0.0 };
            rows.push(Row::new(after - slope, before + slope, -limit, limit));
        }
    }

    /// γ′² x ≤ limit² inside; returns bounds on |γ′| at both ends, which the caller turns into bounds on x₀ and x₁.
    ///
    /// |γ′| is at most the line G between its values at the ends, raised by what the Bernstein coefficients lie above
    /// it; G² x is a cubic, and its inner Bernstein coefficients are rows.
    fn push_velocity_rows(&self, limit: f64, rows: &mut Vec<Row>) -> [f64; 2] {
        let order = self.degree - 1;
        let [start, end] = [self.tangents[0].abs(), self.tangents[order].abs()];
        let above = |index: usize| {
            let part = index as f64 / order.max(1) as f64;
            self.tangents[index].abs() - (start + part * (end - start))
        };
        let raise = (1..order).map(above).fold(0.0, f64::max);
        let (start, end) = (start + raise, end + raise);
        let square = limit * limit;
        rows.push(Row::new(2.0 * start * end, start * start, f64::NEG_INFINITY, 3.0 * square));
        rows.push(Row::new(end * end, 2.0 * start * end, f64::NEG_INFINITY, 3.0 * square));
        [start, end]
    }
}

/// Taylor coefficients at `offset`.
pub(crate) fn shifted(row: &Coefficients, degree: usize, offset: f64) -> Coefficients {
    let mut local = *row;
    for lowest in 0..degree {
        for power in (lowest..degree).rev() {
            local[power] += offset * local[power + 1];
        }
    }
    local
}

/// Bernstein from power coefficients on the unit interval: b_i = Σ_k C(i, k) / C(n, k) a_k.
fn to_bernstein(list: &mut [f64; MAX_DEGREE], degree: usize) {
    let mut binomial = 1.0;
    for power in 1..=degree {
        binomial *= (degree + 1 - power) as f64 / power as f64;
        list[power] /= binomial;
    }
    for row in 1..=degree {
        for power in (row..=degree).rev() {
            list[power] += list[power - 1];
        }
    }
}
