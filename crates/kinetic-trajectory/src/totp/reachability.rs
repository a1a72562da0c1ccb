//! Controllable and reachable sets of squared path speeds: backward and forward pass of TOPP-RA (Pham and Pham 2018).
//!
//! Every step asks for the largest (and smallest) x₀ from which some x₁ of a given range is allowed: a linear program in
//! two variables. For a given x₀ the rows leave x₁ an interval whose width is a concave, piecewise linear function of
//! x₀. Its outermost zeros are what is asked; Newton's method from outside reaches one in as many steps as it passes kinks.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use pulp::NullaryFnOnce;

use super::row::SpeedRange;
use super::rows::{JointBounds, Rows, Steep};
use super::stage::StageGrid;
use super::width::{Plain, Registers};
use crate::lanes::Lanes;
use crate::tolerance::CONTROLLABLE_SET_MARGIN;

/// Steps of Newton's method; a step passes at least one kink, and a handful is usual.
const MAX_REACHABLE_SET_NEWTON_STEPS: usize = 64;

/// Where two rows meet over a range of x₀ the width there is zero but for this part of the squared speeds.
const WIDTH_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// A speed at an end that is outside its range by less than this part is moved into it: what reserves take.
pub(crate) const END_SPEED_TOLERANCE: f64 = 1e-8;

/// Why there is no profile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Blocked {
    /// No speed at the beginning of this stage leads to the end.
    Stage(usize),
    /// The speed at the start is outside this range.
    Start(SpeedRange),
    /// The time for it is over.
    Over,
}

/// At every end of a stage (one more than stages).
#[derive(Debug)]
pub(crate) struct Profile {
    /// Squared path speed.
    pub(crate) squares: Vec<f64>,
    /// Squared path speeds from which the rest of the path can be held.
    pub(crate) ranges: Vec<SpeedRange>,
}

/// The fastest profile from the squared speed `ends[0]` to `ends[1]`.
pub(crate) fn profile(grid: &StageGrid<'_>, ends: SpeedRange) -> Result<Profile, Blocked> {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return simd.vectorize(Passes { grid, ends, registers: simd });
    }
    Passes { grid, ends, registers: Plain }.call()
}

/// Both passes over the grid.
struct Passes<'a, 'b, R> {
    grid: &'a StageGrid<'b>,
    ends: SpeedRange,
    registers: R,
}

impl<R: Registers> NullaryFnOnce for Passes<'_, '_, R> {
    type Output = Result<Profile, Blocked>;

    #[inline(always)]
    fn call(self) -> Result<Profile, Blocked> {
        let Self { grid, ends, registers } = self;
        let joints = JointBounds::all(&grid.limits);
        let mut rows = Rows::default();
        let ranges = controllable_ranges(registers, grid, ends[1], &joints, &mut rows)?;
        let start = inside(ends[0], ranges[0]).ok_or(Blocked::Start(ranges[0]))?;
        let mut squares = Vec::with_capacity(ranges.len());
        squares.push(start);
        for (index, stage) in grid.stages.iter().enumerate() {
            if grid.watch.check_at(index).is_err() {
                return Err(Blocked::Over);
            }
            // Made anew: that is quicker than to store them until now.
            grid.rows_of(stage, &joints, &mut rows);
            let (start, end) = (squares[index], ranges[index + 1]);
            let mut most = reachable(rows.steep(), start, end);
            if rows.add_velocity_rows(&joints, [start, most]) {
                most = reachable(rows.steep(), start, end);
            }
            squares.push(most);
        }
        Ok(Profile { squares, ranges })
    }
}

/// A squared speed in its range, if it is there to the tolerance.
fn inside(square: f64, [low, high]: SpeedRange) -> Option<f64> {
    let part = 2.0 * END_SPEED_TOLERANCE;
    (square >= low * (1.0 - part) && square <= high * (1.0 + part)).then(|| square.clamp(low, high))
}

/// Backward pass: the squared speeds at every grid point from which the end can be reached.
#[inline(always)]
fn controllable_ranges<R: Registers>(
    registers: R,
    grid: &StageGrid<'_>,
    end: f64,
    joints: &[JointBounds],
    rows: &mut Rows,
) -> Result<Vec<SpeedRange>, Blocked> {
    let count = grid.stages.len();
    let mut ranges = vec![[end; 2]; count + 1];
    for (index, stage) in grid.stages.iter().enumerate().rev() {
        if grid.watch.check_at(index).is_err() {
            return Err(Blocked::Over);
        }
        grid.rows_of(stage, joints, rows);
        let fastest = rows.fastest[1];
        if index + 1 == count {
            ranges[count] = [inside(end, [0.0, fastest]).unwrap_or(end); 2];
        }
        ranges[index + 1][1] = ranges[index + 1][1].min(fastest);
        let cap = if stage.starts_at_rest && index > 0 { 0.0 } else { rows.fastest[0] };
        ranges[index] = controllable(registers, (rows, joints), cap, ranges[index + 1], stage.constraints.is_empty())
            .ok_or(Blocked::Stage(index))?;
    }
    Ok(ranges)
}

#[inline(always)]
fn controllable<R: Registers>(
    registers: R,
    (rows, joints): (&mut Rows, &[JointBounds]),
    cap: f64,
    end: SpeedRange,
    can_stand: bool,
) -> Option<SpeedRange> {
    let mut start = rows.flat_range([0.0, cap]);
    if start[0] > start[1] || end[0] > end[1] {
        return None;
    }
    let stands = can_stand && start[0] == 0.0 && end[0] == 0.0;
    let from = outside(registers, rows.steep(), start[1], end);
    let mut high = outermost(registers, rows.steep(), from, end, start)?;
    if rows.add_velocity_rows(joints, [high, end[1]]) {
        start = rows.flat_range(start);
        high = outermost(registers, rows.steep(), high.min(start[1]), end, start)?;
    }
    // Standing still is allowed by the limits of all joints.
    let low = if stands { 0.0 } else { outermost(registers, rows.steep(), start[0], end, start)? };
    let inside = [low * (1.0 + CONTROLLABLE_SET_MARGIN), high * (1.0 - CONTROLLABLE_SET_MARGIN)];
    Some(if inside[0] <= inside[1] { inside } else { [low, high.max(low)] })
}

/// A place from which Newton's method reaches the largest feasible x₀ in fewer steps than from `cap`: x₀ is rarely far from
/// the largest x₁, and as the width is concave, its tangent there is nowhere below it.
#[inline(always)]
fn outside<R: Registers>(registers: R, rows: Steep<'_>, cap: f64, end: SpeedRange) -> f64 {
    let near = end[1];
    if !(near < cap) {
        return cap;
    }
    let (width, slope) = registers.width(rows, near, end);
    match slope < 0.0 {
        true if width >= 0.0 => (near - width / slope).min(cap),
        true => near,
        false => cap,
    }
}

/// The feasible x₀ nearest to `from`, which is an end of `start`.
#[inline(always)]
fn outermost<R: Registers>(
    registers: R,
    rows: Steep<'_>,
    from: f64,
    end: SpeedRange,
    start: SpeedRange,
) -> Option<f64> {
    let mut x = from;
    for _ in 0..MAX_REACHABLE_SET_NEWTON_STEPS {
        let (width, slope) = registers.width(rows, x, end);
        if width >= -WIDTH_ROUNDING * (x + end[1]) {
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

/// Forward pass: the largest x₁ of `end` that is allowed from x₀ = `x`.
#[inline(always)]
fn reachable(rows: Steep<'_>, x: f64, end: SpeedRange) -> f64 {
    let mut most = Lanes::splat(end[1]);
    for row in rows.accelerations {
        most = most.min(row.most - row.at_start * Lanes::splat(x));
    }
    for row in rows.others {
        most = most.min(row.high - row.at_start * Lanes::splat(x));
    }
    most.smallest().max(end[0])
}
