//! Piecewise polynomials in time, the form of every timed trajectory.
//!
//! What is sampled, limit-checked, collision-checked and saved is exactly this curve.

use serde::{Deserialize, Serialize};

use crate::error::{KineticError, Result, check_finite, check_len};

/// Highest degree of a piece.
pub const MAX_DEGREE: usize = 5;

/// Coefficients of one joint on one piece: `c[0] + c[1] s + … + c[5] s⁵`, where `s` is the time since the piece began.
pub type Coefficients = [f64; MAX_DEGREE + 1];

/// Position of every joint as a piecewise polynomial of time (s), from 0 to [`duration`](Self::duration).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawCurve")]
pub struct PiecewisePolynomial {
    dof: usize,
    knots: Vec<f64>,
    coefficients: Vec<Coefficients>,
}

/// The same fields before they were checked.
#[derive(Deserialize)]
struct RawCurve {
    dof: usize,
    knots: Vec<f64>,
    coefficients: Vec<Coefficients>,
}

impl TryFrom<RawCurve> for PiecewisePolynomial {
    type Error = KineticError;

    fn try_from(raw: RawCurve) -> Result<Self> {
        Self::new(raw.dof, raw.knots, raw.coefficients)
    }
}

impl PiecewisePolynomial {
    /// A curve from knots (n + 1, strictly increasing from 0) and coefficients (n × dof, piece after piece).
    ///
    /// A single knot at 0 with `dof` coefficient rows is a curve of duration 0: a configuration.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] for knots
    /// that do not start at 0 or do not increase.
    pub fn new(dof: usize, knots: Vec<f64>, coefficients: Vec<Coefficients>) -> Result<Self> {
        check(dof, &knots, &coefficients)?;
        Ok(Self { dof, knots, coefficients })
    }

    /// Takes the knots and coefficients of another curve of as many joints, and leaves those of this one in their place, so
    /// that curves can be made one after another in the same memory.
    ///
    /// # Errors
    /// As [`new`](Self::new); nothing is exchanged then.
    pub fn exchange(&mut self, knots: &mut Vec<f64>, coefficients: &mut Vec<Coefficients>) -> Result<()> {
        check(self.dof, knots, coefficients)?;
        std::mem::swap(&mut self.knots, knots);
        std::mem::swap(&mut self.coefficients, coefficients);
        Ok(())
    }

    /// A curve of duration 0 that stays at one configuration.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn constant(positions: &[f64]) -> Result<Self> {
        let row = |position: &f64| [*position, 0.0, 0.0, 0.0, 0.0, 0.0];
        Self::new(positions.len(), vec![0.0], positions.iter().map(row).collect())
    }

    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.dof
    }

    /// Times at which pieces begin and end, s.
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// Number of pieces; 0 when the duration is 0.
    pub fn pieces(&self) -> usize {
        self.knots.len() - 1
    }

    /// Duration, s.
    pub fn duration(&self) -> f64 {
        self.knots[self.knots.len() - 1]
    }

    /// Coefficients of `joint` on `piece`.
    pub fn coefficients(&self, piece: usize, joint: usize) -> &Coefficients {
        &self.coefficients[piece * self.dof + joint]
    }

    /// All coefficients, piece after piece, joint after joint.
    pub fn all_coefficients(&self) -> &[Coefficients] {
        &self.coefficients
    }

    /// The piece that holds `t` (clamped) and the time since it began; at a knot the later piece.
    pub fn locate(&self, t: f64) -> (usize, f64) {
        let last = self.pieces().saturating_sub(1);
        let t = if t > 0.0 { t.min(self.duration()) } else { 0.0 };
        let piece = self.knots.partition_point(|knot| *knot <= t).saturating_sub(1).min(last);
        (piece, t - self.knots[piece])
    }

    /// Derivative of order `order` (0 position … 3 jerk) of all joints at `t` (clamped), without allocation.
    ///
    /// Positions at the end are those of the last piece; `out` must hold `dof` values.
    pub fn sample_into(&self, t: f64, order: usize, out: &mut [f64]) {
        let (piece, s) = self.locate(t);
        for (joint, value) in out.iter_mut().enumerate().take(self.dof) {
            *value = evaluate(self.coefficients(piece, joint), order, s);
        }
    }

    /// As [`sample_into`](Self::sample_into), allocating.
    pub fn sample(&self, t: f64, order: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.dof];
        self.sample_into(t, order, &mut out);
        out
    }

    /// Length of `piece`, s.
    pub fn piece_duration(&self, piece: usize) -> f64 {
        if self.pieces() == 0 { 0.0 } else { self.knots[piece + 1] - self.knots[piece] }
    }
}

/// Refuses what is no curve.
fn check(dof: usize, knots: &[f64], coefficients: &[Coefficients]) -> Result<()> {
    if dof == 0 {
        return Err(KineticError::invalid("dof of a trajectory", 0, "at least 1"));
    }
    check_finite("trajectory knots", knots)?;
    check_finite("trajectory coefficients", coefficients.as_flattened())?;
    if knots.first() != Some(&0.0) {
        return Err(KineticError::invalid("first knot", format!("{:?}", knots.first()), "0.0"));
    }
    if let Some(index) = knots.windows(2).position(|pair| pair[1] <= pair[0]) {
        return Err(KineticError::invalid(format!("knot {}", index + 1), knots[index + 1], "increasing knots"));
    }
    check_len("trajectory coefficients", coefficients.len(), (knots.len() - 1).max(1) * dof)
}

/// Value of the `order`-th derivative at `s`.
#[inline]
pub fn evaluate(coefficients: &Coefficients, order: usize, s: f64) -> f64 {
    match order {
        0 => horner::<0>(coefficients, s),
        1 => horner::<1>(coefficients, s),
        2 => horner::<2>(coefficients, s),
        3 => horner::<3>(coefficients, s),
        4 => horner::<4>(coefficients, s),
        5 => horner::<5>(coefficients, s),
        _ => 0.0,
    }
}

/// Horner's rule, its length known when this is compiled.
#[inline]
fn horner<const ORDER: usize>(coefficients: &Coefficients, s: f64) -> f64 {
    let mut value = 0.0;
    for power in (ORDER..=MAX_DEGREE).rev() {
        value = value * s + coefficients[power] * FALLING_FACTORIALS[ORDER][power];
    }
    value
}

/// Falling factorials `power · (power − 1) · … · (power − order + 1)`, row by order.
const FALLING_FACTORIALS: [[f64; MAX_DEGREE + 1]; MAX_DEGREE + 1] = [
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
    [0.0, 0.0, 2.0, 6.0, 12.0, 20.0],
    [0.0, 0.0, 0.0, 6.0, 24.0, 60.0],
    [0.0, 0.0, 0.0, 0.0, 24.0, 120.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 120.0],
];

/// Interval that contains the `order`-th derivative for every `s` in `[s0, s1]`.
///
/// Bernstein coefficients of a polynomial enclose its values (Cargo and Shisha 1966); the enclosure is exact at the
/// ends, exact for monotone control polygons, and converges quadratically when the interval shrinks.
pub fn enclosure(coefficients: &Coefficients, order: usize, s0: f64, s1: f64) -> (f64, f64) {
    let (bernstein, degree) = bernstein(coefficients, order, s0, s1);
    bernstein[..=degree].iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), b| (low.min(*b), high.max(*b)))
}

/// Bounds on the absolute value of the first, second and third derivative for every `s` in `[s0, s1]`: those of
/// [`enclosure`], of which the Bernstein coefficients of each follow from those of the next by a sum.
#[inline]
pub fn largest_derivatives(coefficients: &Coefficients, s0: f64, s1: f64) -> [f64; 3] {
    let shifted = if s0 == 0.0 { *coefficients } else { taylor(coefficients, s0) };
    let [_, c1, c2, c3, c4, c5] = shifted;
    let h = s1 - s0;
    let (j0, slope) = (6.0 * c3, 12.0 * h * c4);
    let jerk = [j0, j0 + slope, j0 + 2.0 * slope + 60.0 * h * h * c5];
    let (mut acceleration, mut velocity) = ([2.0 * c2; 4], [c1; 5]);
    for power in 0..3 {
        acceleration[power + 1] = acceleration[power] + h / 3.0 * jerk[power];
    }
    for power in 0..4 {
        velocity[power + 1] = velocity[power] + 0.25 * h * acceleration[power];
    }
    let largest = |list: &[f64]| list.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    [largest(&velocity), largest(&acceleration), largest(&jerk)]
}

/// Bounds of a polynomial on an interval, and where its extremes lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extremes {
    /// No value is below.
    pub low: f64,
    /// No value is above.
    pub high: f64,
    /// Where the lowest value that was evaluated lies.
    pub low_at: f64,
    /// Where the highest value that was evaluated lies.
    pub high_at: f64,
}

/// As [`enclosure`], off by at most `tolerance` (and 1e-14 of the sum of the terms, the resolution of `f64`).
pub fn tight_enclosure(coefficients: &Coefficients, order: usize, s0: f64, s1: f64, tolerance: f64) -> (f64, f64) {
    let found = extremes(coefficients, order, s0, s1, tolerance);
    (found.low, found.high)
}

/// Lowest and highest value of the `order`-th derivative on `[s0, s1]` by branch and bound over [`enclosure`]s.
///
/// The bounds hold; each is at most `tolerance` (as in [`tight_enclosure`]) beyond the value at its place, unless rounding
/// is larger than that.
pub fn extremes(coefficients: &Coefficients, order: usize, s0: f64, s1: f64, tolerance: f64) -> Extremes {
    // Quadratic convergence: 40 halvings exhaust the resolution of f64 on any interval.
    const MOST_HALVINGS: usize = 40;
    // Where rounding is larger than the tolerance halving never ends by itself; bounds hold wherever it stops.
    const MOST_CURVE_PARTS: usize = 4096;
    let tolerance = tolerance.max(1e-14 * magnitude(coefficients, order, s0.abs().max(s1.abs())));
    let mut known = Known::at(coefficients, order, s0);
    known.add(coefficients, order, s1);
    let (mut low, mut high) = (known.low, known.high);
    // Of every depth one part waits at most: no allocation.
    let mut open = [(0.0, 0.0, 0); MOST_HALVINGS + 1];
    open[0] = (s0, s1, MOST_HALVINGS);
    let (mut waiting, mut parts) = (1, 0);
    while waiting > 0 {
        waiting -= 1;
        let (from, to, depth) = open[waiting];
        parts += 1;
        let bounds = enclosure(coefficients, order, from, to);
        if depth == 0
            || parts > MOST_CURVE_PARTS
            || (known.low - bounds.0 <= tolerance && bounds.1 - known.high <= tolerance)
        {
            (low, high) = (low.min(bounds.0), high.max(bounds.1));
            continue;
        }
        let middle = f64::midpoint(from, to);
        known.add(coefficients, order, middle);
        open[waiting] = (middle, to, depth - 1);
        open[waiting + 1] = (from, middle, depth - 1);
        waiting += 2;
    }
    Extremes { low, high, low_at: known.low_at, high_at: known.high_at }
}

/// Extremes among the values evaluated so far.
struct Known {
    low: f64,
    high: f64,
    low_at: f64,
    high_at: f64,
}

impl Known {
    fn at(coefficients: &Coefficients, order: usize, s: f64) -> Self {
        let value = evaluate(coefficients, order, s);
        Self { low: value, high: value, low_at: s, high_at: s }
    }

    fn add(&mut self, coefficients: &Coefficients, order: usize, s: f64) {
        let value = evaluate(coefficients, order, s);
        if value < self.low {
            (self.low, self.low_at) = (value, s);
        }
        if value > self.high {
            (self.high, self.high_at) = (value, s);
        }
    }
}

/// Sum of the absolute terms of the `order`-th derivative at `s ≥ 0`: what rounding is relative to.
fn magnitude(coefficients: &Coefficients, order: usize, s: f64) -> f64 {
    evaluate(&coefficients.map(f64::abs), order, s)
}

/// Factors that turn coefficients of the `order`-th derivative on the unit interval into Bernstein form, before the sums:
/// falling factorials by binomial coefficients.
const TO_BERNSTEIN: [[f64; MAX_DEGREE + 1]; MAX_DEGREE + 1] = [
    [1.0, 0.2, 0.1, 0.1, 0.2, 1.0],
    [1.0, 0.5, 0.5, 1.0, 5.0, 0.0],
    [2.0, 2.0, 4.0, 20.0, 0.0, 0.0],
    [6.0, 12.0, 60.0, 0.0, 0.0, 0.0],
    [24.0, 120.0, 0.0, 0.0, 0.0, 0.0],
    [120.0, 0.0, 0.0, 0.0, 0.0, 0.0],
];

/// Bernstein coefficients on `[s0, s1]` of the `order`-th derivative, and their degree.
#[inline]
fn bernstein(coefficients: &Coefficients, order: usize, s0: f64, s1: f64) -> ([f64; MAX_DEGREE + 1], usize) {
    // Loops of known length: bounds are asked for far more often than anything else.
    match order {
        0 => (bernstein_of::<0>(coefficients, s0, s1), 5),
        1 => (bernstein_of::<1>(coefficients, s0, s1), 4),
        2 => (bernstein_of::<2>(coefficients, s0, s1), 3),
        3 => (bernstein_of::<3>(coefficients, s0, s1), 2),
        4 => (bernstein_of::<4>(coefficients, s0, s1), 1),
        5 => (bernstein_of::<5>(coefficients, s0, s1), 0),
        _ => ([0.0; MAX_DEGREE + 1], 0),
    }
}

fn bernstein_of<const ORDER: usize>(coefficients: &Coefficients, s0: f64, s1: f64) -> [f64; MAX_DEGREE + 1] {
    let degree = MAX_DEGREE - ORDER;
    let shifted = if s0 == 0.0 { *coefficients } else { taylor(coefficients, s0) };
    // On the unit interval b_i = Σ_k C(i, k) / C(degree, k) a_k: a scaling, then Pascal's triangle.
    let mut list = [0.0; MAX_DEGREE + 1];
    let mut width = 1.0;
    for power in 0..=degree {
        list[power] = shifted[power + ORDER] * (width * TO_BERNSTEIN[ORDER][power]);
        width *= s1 - s0;
    }
    for row in 1..=degree {
        for power in (row..=degree).rev() {
            list[power] += list[power - 1];
        }
    }
    list
}

/// Coefficients of powers of s − `s0`, by repeated synthetic division.
fn taylor(coefficients: &Coefficients, s0: f64) -> Coefficients {
    let mut list = *coefficients;
    for lowest in 0..MAX_DEGREE {
        for power in (lowest..MAX_DEGREE).rev() {
            list[power] += s0 * list[power + 1];
        }
    }
    list
}
