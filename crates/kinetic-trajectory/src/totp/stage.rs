//! One grid interval of the path and what limits the squared path speeds at its ends.
//!
//! With x = ṡ² linear in s on the interval, s̈ = (x₁ − x₀) / 2Δ is constant, and the acceleration of a joint is
//! γ′(s) s̈ + γ″(s) x(s): a polynomial of s whose Bernstein coefficients are linear in x₀ and x₁. A polynomial lies between
//! its smallest and largest Bernstein coefficient, so that rows on these hold the limit on the whole interval, and not at
//! grid points alone as in Pham and Pham 2018. The coefficients at both ends are the accelerations there.

use kinetic_core::curve::{Coefficients, MAX_DEGREE};
use kinetic_core::{Limits, Result};

use super::reach::Range;
use super::{PathPoint, PathRow};
use crate::smooth::CurveElement;
use crate::watch::Watch;

/// A row that depends on x₁ by less than this part of its dependence on x₀ bounds x₀ alone.
const FLAT: f64 = 1e-12;

/// `low ≤ x₁ + at_start · x₀ ≤ high`, or without x₁.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) at_start: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// True without x₁.
    pub(crate) is_flat: bool,
}

impl Row {
    /// `low ≤ at_start · x₀ + at_end · x₁ ≤ high`.
    pub(crate) fn new(at_start: f64, at_end: f64, low: f64, high: f64) -> Self {
        let is_flat = at_end.abs() <= FLAT * at_start.abs();
        let scale = if is_flat { 1.0 } else { 1.0 / at_end };
        let (low, high) = if scale < 0.0 { (high, low) } else { (low, high) };
        Self { at_start: at_start * scale, low: low * scale, high: high * scale, is_flat }
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
    /// Largest squared path speed and path acceleration of a straight; infinite where rows bound them.
    pub(crate) fastest: f64,
    pub(crate) acceleration: f64,
    /// True when the motion is at rest where the stage begins.
    pub(crate) starts_at_rest: bool,
    /// Its rows in [`Grid::further`].
    pub(crate) further: std::ops::Range<usize>,
}

/// The rows of a stage: those that bound x₁, and those that bound x₀ alone.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub(crate) steep: Vec<Row>,
    pub(crate) flat: Vec<Row>,
    /// Largest squared path speeds at both ends that velocity limits allow.
    pub(crate) fastest: Range,
    /// Bounds on |γ′| at both ends, joint by joint.
    slopes: Vec<[f64; 2]>,
}

impl Rows {
    fn clear(&mut self) {
        self.steep.clear();
        self.flat.clear();
        self.slopes.clear();
    }

    #[inline]
    fn push(&mut self, row: Row) {
        if row.is_flat { self.flat.push(row) } else { self.steep.push(row) }
    }
}

/// All stages of a path.
pub(crate) struct Grid<'a> {
    pub(crate) elements: &'a [CurveElement],
    /// Of each element.
    pub(crate) degrees: &'a [usize],
    pub(crate) limits: Limits,
    pub(crate) stages: Vec<Stage>,
    /// Rows of further limits.
    pub(crate) further: Vec<Row>,
    /// Ends the search.
    pub(crate) watch: &'a Watch,
}

/// Further limits at a point of the path, appended to the list.
pub(crate) type Further<'a> = dyn FnMut(&PathPoint<'_>, &mut Vec<PathRow>) + 'a;

impl Grid<'_> {
    /// Writes the rows of a stage over `rows`.
    pub(crate) fn rows_into(&self, stage: &Stage, rows: &mut Rows) {
        rows.clear();
        if stage.acceleration.is_finite() {
            let slope = 1.0 / (2.0 * stage.length);
            rows.push(Row::new(-slope, slope, -stage.acceleration, stage.acceleration));
            rows.fastest = [stage.fastest; 2];
            return;
        }
        let element = &self.elements[stage.element];
        match self.degrees[stage.element] {
            0 | 1 => self.push_joint_rows::<1>(element, stage, rows),
            2 => self.push_joint_rows::<2>(element, stage, rows),
            3 => self.push_joint_rows::<3>(element, stage, rows),
            4 => self.push_joint_rows::<4>(element, stage, rows),
            _ => self.push_joint_rows::<5>(element, stage, rows),
        }
        self.further[stage.further.clone()].iter().for_each(|row| rows.push(*row));
    }

    fn push_joint_rows<const DEGREE: usize>(&self, element: &CurveElement, stage: &Stage, rows: &mut Rows) {
        let mut slowest = [0.0_f64; 2];
        for (joint, row) in element.shape.iter().enumerate() {
            let local = LocalShape::<DEGREE>::new(row, stage.offset, stage.length);
            local.push_acceleration_rows(self.limits.acceleration[joint], rows);
            let slopes = local.tangent_bounds();
            rows.slopes.push(slopes);
            let limit = self.limits.velocity[joint];
            slowest = [slowest[0].max(slopes[0] / limit), slowest[1].max(slopes[1] / limit)];
        }
        rows.fastest = slowest.map(|slowest| (1.0 / slowest).powi(2));
        for (joint, limit) in self.limits.velocity.iter().enumerate() {
            push_velocity_rows(rows.slopes[joint], *limit, rows);
        }
    }

    /// A whole straight, whose path acceleration may change inside.
    pub(crate) fn push_straight(&mut self, index: usize) {
        let element = &self.elements[index];
        let per_direction = |limits: &[f64]| {
            let ratio = |(row, limit): (&Coefficients, &f64)| limit / row[1].abs();
            element.shape.iter().zip(limits).map(ratio).fold(f64::INFINITY, f64::min)
        };
        self.stages.push(Stage {
            element: index,
            offset: 0.0,
            length: element.length,
            fastest: per_direction(&self.limits.velocity).powi(2),
            acceleration: per_direction(&self.limits.acceleration),
            starts_at_rest: element.starts_at_rest,
            further: 0..0,
        });
    }

    /// A stretch of an element, by its offset and length, in equal parts with one path acceleration each.
    pub(crate) fn push_bend(&mut self, index: usize, [offset, length]: [f64; 2], parts: usize) {
        let length = length / parts as f64;
        for part in 0..parts {
            let offset = offset + part as f64 * length;
            let starts_at_rest = offset == 0.0 && self.elements[index].starts_at_rest;
            let [fastest, acceleration] = [f64::INFINITY; 2];
            self.stages.push(Stage {
                element: index,
                offset,
                length,
                fastest,
                acceleration,
                starts_at_rest,
                further: 0..0,
            });
        }
    }

    /// Adds to every stage the rows of further limits.
    pub(crate) fn add_further(&mut self, further: &mut Further<'_>) -> Result<()> {
        let mut stages = std::mem::take(&mut self.stages);
        for stage in &mut stages {
            let first = self.further.len();
            let ends = [stage.offset, stage.offset + stage.length];
            self.push_further_rows(&self.elements[stage.element], ends, further)?;
            stage.further = first..self.further.len();
        }
        self.stages = stages;
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
                self.further.push(Row::new(factors[0], factors[1], f64::NEG_INFINITY, row.limit - row.constant));
            }
        }
        Ok(())
    }
}

/// One joint on one stage: γ′ and γ″ by Bernstein coefficients. The degree is known when this is compiled: these loops take
/// a good part of the time of the law.
struct LocalShape<const DEGREE: usize> {
    length: f64,
    /// Bernstein coefficients of γ′, of degree `DEGREE − 1`.
    tangents: [f64; MAX_DEGREE],
    /// Bernstein coefficients of γ″, of degree `DEGREE − 2`.
    curvatures: [f64; MAX_DEGREE],
}

impl<const DEGREE: usize> LocalShape<DEGREE> {
    #[inline]
    fn new(row: &Coefficients, offset: f64, length: f64) -> Self {
        let mut local = *row;
        // As `shifted`, but for the position.
        for lowest in 0..DEGREE {
            for power in (lowest.max(1)..DEGREE).rev() {
                local[power] += offset * local[power + 1];
            }
        }
        let (mut tangents, mut curvatures) = ([0.0; MAX_DEGREE], [0.0; MAX_DEGREE]);
        let mut scale = 1.0;
        for power in 1..=DEGREE {
            tangents[power - 1] = power as f64 * local[power] * scale;
            scale *= length;
        }
        scale = 1.0;
        for power in 2..=DEGREE {
            curvatures[power - 2] = (power * (power - 1)) as f64 * local[power] * scale;
            scale *= length;
        }
        to_bernstein(&mut tangents, DEGREE - 1);
        to_bernstein(&mut curvatures, DEGREE.saturating_sub(2));
        Self { length, tangents, curvatures }
    }

    /// |Bernstein coefficient of γ′ s̈ + γ″ x| ≤ limit, with γ″ x by the product rule of Bernstein polynomials.
    #[inline]
    fn push_acceleration_rows(&self, limit: f64, rows: &mut Rows) {
        let order = DEGREE - 1;
        let per_length = 0.5 / self.length;
        for index in 0..=order {
            let part = index as f64 / order.max(1) as f64;
            let slope = self.tangents[index] * per_length;
            let before = if index > 0 { self.curvatures[index - 1] * part } else { 0.0 };
            let after = if index < order { self.curvatures[index] * (1.0 - part) } else { 0.0 };
            rows.push(Row::new(after - slope, before + slope, -limit, limit));
        }
    }

    /// Values at both ends of a line that |γ′| does not exceed: the line between the values of |γ′| there, raised by what
    /// the Bernstein coefficients lie above it.
    fn tangent_bounds(&self) -> [f64; 2] {
        let order = DEGREE - 1;
        let [start, end] = [self.tangents[0].abs(), self.tangents[order].abs()];
        let above = |index: usize| {
            let part = index as f64 / order.max(1) as f64;
            self.tangents[index].abs() - (start + part * (end - start))
        };
        let raise = (1..order).map(above).fold(0.0, f64::max);
        [start + raise, end + raise]
    }
}

/// γ′² x ≤ limit² inside, where a line from `start` to `end` bounds |γ′|: the cubic line² · x is at most its Bernstein
/// coefficients, of which the outer two are the bounds on x₀ and x₁. Rows that these imply are left out.
fn push_velocity_rows([start, end]: [f64; 2], limit: f64, rows: &mut Rows) {
    let (steepest, square) = (start.max(end), limit * limit);
    // As a rule one joint is near its limit.
    if steepest * steepest * rows.fastest[0].max(rows.fastest[1]) <= square {
        return;
    }
    let high = 3.0 * square;
    for (at_start, at_end) in [(2.0 * start * end, start * start), (end * end, 2.0 * start * end)] {
        if at_start * rows.fastest[0] + at_end * rows.fastest[1] > high {
            rows.push(Row::new(at_start, at_end, f64::NEG_INFINITY, high));
        }
    }
}

/// Taylor coefficients at `offset`.
#[inline]
pub(crate) fn shifted(row: &Coefficients, degree: usize, offset: f64) -> Coefficients {
    let mut local = *row;
    for lowest in 0..degree {
        for power in (lowest..degree).rev() {
            local[power] += offset * local[power + 1];
        }
    }
    local
}

/// Bernstein from power coefficients on the unit interval: `b_i = Σ_k C(i, k) / C(n, k) a_k`.
#[inline]
pub(crate) fn to_bernstein(list: &mut [f64; MAX_DEGREE], degree: usize) {
    let mut binomial = 1.0;
    for power in 1..=degree {
        binomial *= (degree + 1 - power) as f64 / power as f64;
        list[power] *= 1.0 / binomial;
    }
    for row in 1..=degree {
        for power in (row..=degree).rev() {
            list[power] += list[power - 1];
        }
    }
}
