//! The fastest squared path speed at every grid point: backward and forward pass of TOPP-RA (Pham and Pham 2018).
//!
//! Every step asks for the largest (and smallest) x₀ from which some x₁ of a given range is allowed: a linear program in
//! two variables. For a given x₀ the rows leave x₁ an interval whose width is a concave, piecewise linear function of
//! x₀. Its outermost zeros are what is asked; Newton's method from outside reaches one in as many steps as it passes kinks.

use super::stage::{Grid, Row, Rows, Stage};

/// How far inside the controllable set the profile stays: at its very corner x₁ is known to the rounding of two nearly
/// parallel rows.
const STEP_INSIDE: f64 = 1e-9;

/// Steps of Newton's method; a step passes at least one kink, and a handful is usual.
const STEPS: usize = 64;

/// Where two rows meet over a stretch of x₀ the width there is zero but for this part of the squared speeds.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// A speed at an end that is outside its range by less than this part is moved into it: what reserves take.
pub(crate) const SPEED_TOLERANCE: f64 = 1e-8;

/// Lowest and highest squared path speed.
pub(crate) type Range = [f64; 2];

/// Why there is no profile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Blocked {
    /// No speed at the beginning of this stage leads to the end.
    Stage(usize),
    /// The speed at the start is outside this range.
    Start(Range),
}

/// Squared path speed at every end of a stage (one more than stages), from `ends[0]` to `ends[1]`.
pub(crate) fn profile(grid: &Grid<'_>, ends: Range) -> Result<Vec<f64>, Blocked> {
    let fastest = grid.stages.last().map_or(0.0, |stage| stage.fastest[1]);
    let mut bounds = UpperBounds::default();
    let ranges = controllable_ranges(grid, inside(ends[1], [0.0, fastest]).unwrap_or(ends[1]), &mut bounds)?;
    let start = inside(ends[0], ranges[0]).ok_or(Blocked::Start(ranges[0]))?;
    let mut x = Vec::with_capacity(ranges.len());
    x.push(start);
    for index in 0..grid.stages.len() {
        x.push(reachable(bounds.last(), x[index], ranges[index + 1]));
        bounds.drop_last();
    }
    Ok(x)
}

/// What the rows of each stage say of the largest x₁, kept by the backward pass for the forward pass: last in, first out.
#[derive(Default)]
struct UpperBounds {
    /// `high` and `at_start` of rows.
    bounds: Vec<[f64; 2]>,
    /// Where those of each stage begin.
    begins: Vec<usize>,
}

impl UpperBounds {
    fn push(&mut self, rows: &[Row]) {
        self.begins.push(self.bounds.len());
        self.bounds.extend(rows.iter().map(|row| [row.high, row.at_start]));
    }

    /// Those of the stage that was pushed last of all that are left.
    fn last(&self) -> &[[f64; 2]] {
        &self.bounds[self.begins.last().copied().unwrap_or(0)..]
    }

    fn drop_last(&mut self) {
        self.bounds.truncate(self.begins.pop().unwrap_or(0));
    }
}

/// A squared speed in its range, if it is there to the tolerance.
fn inside(square: f64, [low, high]: Range) -> Option<f64> {
    let part = 2.0 * SPEED_TOLERANCE;
    (square >= low * (1.0 - part) && square <= high * (1.0 + part)).then(|| square.clamp(low, high))
}

/// Backward pass: the squared speeds at every grid point from which the end can be reached.
fn controllable_ranges(grid: &Grid<'_>, end: f64, bounds: &mut UpperBounds) -> Result<Vec<Range>, Blocked> {
    let count = grid.stages.len();
    let mut ranges = vec![[end; 2]; count + 1];
    let mut rows = Rows::default();
    for (index, stage) in grid.stages.iter().enumerate().rev() {
        let mut cap = stage.fastest[0];
        if index > 0 {
            cap = cap.min(grid.stages[index - 1].fastest[1]);
        }
        if stage.starts_at_rest && index > 0 {
            cap = 0.0;
        }
        grid.rows_into(stage, &mut rows);
        bounds.push(&rows.steep);
        ranges[index] = controllable(&rows, stage, cap, ranges[index + 1]).ok_or(Blocked::Stage(index))?;
    }
    Ok(ranges)
}

fn controllable(rows: &Rows, stage: &Stage, cap: f64, end: Range) -> Option<Range> {
    let end = [end[0], end[1].min(stage.fastest[1])];
    let mut start = [0.0, cap];
    for row in &rows.flat {
        let bounds = [row.low / row.at_start, row.high / row.at_start];
        start[0] = start[0].max(bounds[0].min(bounds[1]));
        start[1] = start[1].min(bounds[0].max(bounds[1]));
    }
    if start[0] > start[1] || end[0] > end[1] {
        return None;
    }
    let high = outermost(&rows.steep, start[1], end, start)?;
    let low = outermost(&rows.steep, start[0], end, start)?;
    let inside = [low * (1.0 + STEP_INSIDE), high * (1.0 - STEP_INSIDE)];
    Some(if inside[0] <= inside[1] { inside } else { [low, high.max(low)] })
}

/// The feasible x₀ nearest to `from`, which is an end of `start`.
fn outermost(rows: &[Row], from: f64, end: Range, start: Range) -> Option<f64> {
    let mut x = from;
    for _ in 0..STEPS {
        let (width, slope) = width(rows, x, end);
        if width >= -ROUNDING * (x + end[1]) {
            return Some(x);
        }
        let next = x - width / slope;
        // A width that does not grow towards the other end is negative everywhere.
        if !(next >= start[0] && next <= start[1]) || next == x {
            return (next == x).then_some(x);
        }
        x = next;
    }
    Some(x)
}

/// Width of the interval that the rows leave x₁ at x₀ = `x`, and its derivative.
fn width(rows: &[Row], x: f64, end: Range) -> (f64, f64) {
    let (mut low, mut low_slope) = (end[0], 0.0);
    let (mut high, mut high_slope) = (end[1], 0.0);
    for row in rows {
        let (under, over) = (row.low - row.at_start * x, row.high - row.at_start * x);
        if under > low {
            (low, low_slope) = (under, -row.at_start);
        }
        if over < high {
            (high, high_slope) = (over, -row.at_start);
        }
    }
    (high - low, high_slope - low_slope)
}

/// Forward pass: the largest x₁ of `end` that is allowed from x₀ = `x`.
fn reachable(bounds: &[[f64; 2]], x: f64, end: Range) -> f64 {
    bounds.iter().map(|[high, at_start]| high - at_start * x).fold(end[1], f64::min).max(end[0])
}
