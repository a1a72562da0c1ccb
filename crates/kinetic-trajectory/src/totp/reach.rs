//! The fastest squared path speed at every grid point: backward and forward pass of TOPP-RA (Pham and Pham 2018).
//!
//! Every step asks for the largest (and smallest) x₀ from which some x₁ of a given range is allowed: a linear program in
//! two variables. For a given x₀ the rows leave x₁ an interval whose width is a concave, piecewise linear function of
//! x₀. Its outermost zeros are what is asked; Newton's method from outside reaches one in as many steps as it passes kinks.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use pulp::{Arch, NullaryFnOnce};

use super::row::Range;
use super::rows::{Block, Joints, Rows};
use super::stage::Grid;
use crate::lanes::{Lanes, WIDTH};

/// How far inside the controllable set the profile stays: at its very corner x₁ is known to the rounding of two nearly
/// parallel rows.
const STEP_INSIDE: f64 = 1e-9;

/// Steps of Newton's method; a step passes at least one kink, and a handful is usual.
const STEPS: usize = 64;

/// Where two rows meet over a stretch of x₀ the width there is zero but for this part of the squared speeds.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// A speed at an end that is outside its range by less than this part is moved into it: what reserves take.
pub(crate) const SPEED_TOLERANCE: f64 = 1e-8;

/// Why there is no profile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Blocked {
    /// No speed at the beginning of this stage leads to the end.
    Stage(usize),
    /// The speed at the start is outside this range.
    Start(Range),
    /// The time for it is over.
    Over,
}

/// At every end of a stage (one more than stages).
#[derive(Debug)]
pub(crate) struct Profile {
    /// Squared path speed.
    pub(crate) squares: Vec<f64>,
    /// Squared path speeds from which the rest of the path can be held.
    pub(crate) ranges: Vec<Range>,
}

/// The fastest profile from the squared speed `ends[0]` to `ends[1]`.
pub(crate) fn profile(grid: &Grid<'_>, ends: Range) -> Result<Profile, Blocked> {
    Arch::new().dispatch(Passes { grid, ends })
}

/// Both passes over the grid.
struct Passes<'a, 'b> {
    grid: &'a Grid<'b>,
    ends: Range,
}

impl NullaryFnOnce for Passes<'_, '_> {
    type Output = Result<Profile, Blocked>;

    #[inline(always)]
    fn call(self) -> Result<Profile, Blocked> {
        let Self { grid, ends } = self;
        let joints = Joints::all(&grid.limits);
        let mut rows = Rows::for_stages(grid.stages.len(), joints.len());
        let ranges = controllable_ranges(grid, ends[1], &joints, &mut rows)?;
        let start = inside(ends[0], ranges[0]).ok_or(Blocked::Start(ranges[0]))?;
        let mut squares = Vec::with_capacity(ranges.len());
        squares.push(start);
        for index in 0..grid.stages.len() {
            if grid.watch.check_at(index).is_err() {
                return Err(Blocked::Over);
            }
            squares.push(reachable(rows.steep(), squares[index], ranges[index + 1]));
            rows.drop_stage();
        }
        Ok(Profile { squares, ranges })
    }
}

/// A squared speed in its range, if it is there to the tolerance.
fn inside(square: f64, [low, high]: Range) -> Option<f64> {
    let part = 2.0 * SPEED_TOLERANCE;
    (square >= low * (1.0 - part) && square <= high * (1.0 + part)).then(|| square.clamp(low, high))
}

/// Backward pass: the squared speeds at every grid point from which the end can be reached.
#[inline(always)]
fn controllable_ranges(grid: &Grid<'_>, end: f64, joints: &[Joints], rows: &mut Rows) -> Result<Vec<Range>, Blocked> {
    let count = grid.stages.len();
    let mut ranges = vec![[end; 2]; count + 1];
    for (index, stage) in grid.stages.iter().enumerate().rev() {
        if grid.watch.check_at(index).is_err() {
            return Err(Blocked::Over);
        }
        grid.push_rows(stage, joints, rows);
        let fastest = rows.fastest[1];
        if index + 1 == count {
            ranges[count] = [inside(end, [0.0, fastest]).unwrap_or(end); 2];
        }
        ranges[index + 1][1] = ranges[index + 1][1].min(fastest);
        let cap = if stage.starts_at_rest && index > 0 { 0.0 } else { rows.fastest[0] };
        ranges[index] =
            controllable(rows, cap, ranges[index + 1], stage.further.is_empty()).ok_or(Blocked::Stage(index))?;
    }
    Ok(ranges)
}

#[inline(always)]
fn controllable(rows: &Rows, cap: f64, end: Range, can_stand: bool) -> Option<Range> {
    let mut start = [0.0, cap];
    for row in &rows.flat {
        let bounds = [row.low / row.at_start, row.high / row.at_start];
        start[0] = start[0].max(bounds[0].min(bounds[1]));
        start[1] = start[1].min(bounds[0].max(bounds[1]));
    }
    if start[0] > start[1] || end[0] > end[1] {
        return None;
    }
    let stands = can_stand && start[0] == 0.0 && end[0] == 0.0;
    let high = outermost(rows.steep(), start[1], end, start)?;
    // Standing still is allowed by the limits of all joints.
    let low = if stands { 0.0 } else { outermost(rows.steep(), start[0], end, start)? };
    let inside = [low * (1.0 + STEP_INSIDE), high * (1.0 - STEP_INSIDE)];
    Some(if inside[0] <= inside[1] { inside } else { [low, high.max(low)] })
}

/// The feasible x₀ nearest to `from`, which is an end of `start`.
#[inline(always)]
fn outermost(rows: &[Block], from: f64, end: Range, start: Range) -> Option<f64> {
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
#[inline(always)]
fn width(rows: &[Block], x: f64, end: Range) -> (f64, f64) {
    let at = Lanes::splat(x);
    let (mut low, mut low_slope) = (Lanes::splat(end[0]), Lanes::splat(0.0));
    let (mut high, mut high_slope) = (Lanes::splat(end[1]), Lanes::splat(0.0));
    for row in rows {
        let change = row.at_start * at;
        let (under, over) = (row.low - change, row.high - change);
        for lane in 0..WIDTH {
            let (raises, lowers) = (under.0[lane] > low.0[lane], over.0[lane] < high.0[lane]);
            low.0[lane] = if raises { under.0[lane] } else { low.0[lane] };
            low_slope.0[lane] = if raises { row.at_start.0[lane] } else { low_slope.0[lane] };
            high.0[lane] = if lowers { over.0[lane] } else { high.0[lane] };
            high_slope.0[lane] = if lowers { row.at_start.0[lane] } else { high_slope.0[lane] };
        }
    }
    let (mut lowest, mut highest) = (0, 0);
    for lane in 1..WIDTH {
        lowest = if low.0[lane] > low.0[lowest] { lane } else { lowest };
        highest = if high.0[lane] < high.0[highest] { lane } else { highest };
    }
    (high.0[highest] - low.0[lowest], low_slope.0[lowest] - high_slope.0[highest])
}

/// Forward pass: the largest x₁ of `end` that is allowed from x₀ = `x`.
#[inline(always)]
fn reachable(rows: &[Block], x: f64, end: Range) -> f64 {
    let mut most = Lanes::splat(end[1]);
    for row in rows {
        most = most.min(row.high - row.at_start * Lanes::splat(x));
    }
    most.smallest().max(end[0])
}
