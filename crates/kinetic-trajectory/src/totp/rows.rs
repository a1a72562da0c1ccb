//! What limits the squared path speeds at the ends of a stage.
//!
//! With x = ṡ² linear in s on the interval, s̈ = (x₁ − x₀) / 2Δ is constant, and the acceleration of a joint is
//! γ′(s) s̈ + γ″(s) x(s): a polynomial of s whose Bernstein coefficients are linear in x₀ and x₁. A polynomial lies between
//! its smallest and largest Bernstein coefficient, so that rows on these hold the limit on the whole interval, and not at
//! grid points alone as in Pham and Pham 2018. The coefficients at both ends are the accelerations there.
//!
//! Four joints go side by side ([`lanes`](crate::lanes)): these loops take a good part of the time of the law.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use kinetic_core::Limits;
use kinetic_core::curve::MAX_DEGREE;

use super::row::{FLAT, Range, Row};
use super::stage::{Grid, Stage};
use crate::curve_element::CurveElement;
use crate::lanes::{Lanes, Mask, WIDTH};
use crate::quick_check::columns;

/// Rows of a joint on a stage of a cubic, about.
const ROWS_PER_JOINT: usize = 3;

/// Four rows `low ≤ x₁ + at_start · x₀ ≤ high`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    pub(crate) at_start: Lanes,
    pub(crate) low: Lanes,
    pub(crate) high: Lanes,
}

/// Four joints and their limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Joints {
    pub(crate) first: usize,
    pub(crate) acceleration: Lanes,
    pub(crate) velocity: Lanes,
    /// 1 by the velocity.
    pub(crate) slowness: Lanes,
}

impl Joints {
    /// All joints; the last four reach back into those before, if need be, and without a joint the last one stands.
    pub(crate) fn all(limits: &Limits) -> Vec<Self> {
        let dof = limits.dof();
        let four = |begin: usize| {
            let first = begin.min(dof.saturating_sub(WIDTH));
            let lanes = |list: &[f64]| Lanes(std::array::from_fn(|lane| list[(first + lane).min(dof - 1)]));
            let (acceleration, velocity) = (lanes(&limits.acceleration), lanes(&limits.velocity));
            Self { first, acceleration, velocity, slowness: velocity.inverse() }
        };
        (0..dof).step_by(WIDTH).map(four).collect()
    }
}

/// The rows of stages: those that bound x₁, kept by the backward pass for the forward pass, last in, first out. Of the stage
/// that came last those that bound x₀ alone, too.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    steep: Vec<Block>,
    /// Where those of each stage begin.
    begins: Vec<usize>,
    pub(crate) flat: Vec<Row>,
    /// Largest squared path speeds at both ends that velocity limits allow.
    pub(crate) fastest: Range,
    /// Bounds on |γ′| at both ends, four joints each.
    slopes: Vec<[Lanes; 2]>,
    shape: Shape,
}

/// The coefficients of an element, power by power, four joints each.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    element: Option<usize>,
    columns: Vec<[Lanes; MAX_DEGREE + 1]>,
}

impl Shape {
    /// Stages of one element follow each other: mostly it is the one before.
    #[inline(always)]
    pub(crate) fn of(&mut self, index: usize, element: &CurveElement, joints: &[Joints]) -> &[[Lanes; MAX_DEGREE + 1]] {
        if self.element != Some(index) {
            self.element = Some(index);
            self.columns.clear();
            for four in joints {
                self.columns.push(columns(&element.shape, four.first));
            }
        }
        &self.columns
    }
}

impl Rows {
    /// Room for that many stages and fours of joints.
    pub(crate) fn for_stages(stages: usize, fours: usize) -> Self {
        let steep = Vec::with_capacity(ROWS_PER_JOINT * fours * stages);
        Self { steep, begins: Vec::with_capacity(stages), ..Self::default() }
    }

    /// Those that bound x₁ of the stage that came last of all that are left.
    #[inline(always)]
    pub(crate) fn steep(&self) -> &[Block] {
        &self.steep[self.begins.last().copied().unwrap_or(0)..]
    }

    pub(crate) fn drop_stage(&mut self) {
        self.steep.truncate(self.begins.pop().unwrap_or(0));
    }

    #[inline(always)]
    fn begin(&mut self) {
        self.begins.push(self.steep.len());
        self.flat.clear();
        self.slopes.clear();
    }

    #[inline(always)]
    fn push(&mut self, row: Row) {
        if row.is_flat {
            self.flat.push(row);
        } else {
            let [at_start, low, high] = [row.at_start, row.low, row.high].map(Lanes::splat);
            self.steep.push(Block { at_start, low, high });
        }
    }

    /// |`at_start` · x₀ + `at_end` · x₁| ≤ `limit` of four joints.
    #[inline(always)]
    fn push_block(&mut self, at_start: Lanes, at_end: Lanes, limit: Lanes) {
        let scale = at_end.inverse();
        let high = limit * scale.abs();
        let mut block = Block { at_start: at_start * scale, low: Lanes::splat(0.0) - high, high };
        let flat = at_end.abs().at_most(at_start.abs() * Lanes::splat(FLAT));
        if !flat.is_none() {
            self.flatten(&mut block, flat, at_start, limit);
        }
        self.steep.push(block);
    }

    /// Takes rows without x₁ out of a block.
    #[cold]
    #[inline(never)]
    fn flatten(&mut self, block: &mut Block, flat: Mask, at_start: Lanes, limit: Lanes) {
        for lane in (0..WIDTH).filter(|lane| flat.0[*lane] != 0) {
            let (low, high) = (-limit.0[lane], limit.0[lane]);
            self.flat.push(Row { at_start: at_start.0[lane], low, high, is_flat: true });
            (block.at_start.0[lane], block.low.0[lane], block.high.0[lane]) = (0.0, f64::NEG_INFINITY, f64::INFINITY);
        }
    }
}

impl Grid<'_> {
    /// Adds the rows of a stage.
    #[inline(always)]
    pub(crate) fn push_rows(&self, stage: &Stage, joints: &[Joints], rows: &mut Rows) {
        rows.begin();
        if stage.acceleration.is_finite() {
            let slope = 1.0 / (2.0 * stage.length);
            rows.push(Row::new(-slope, slope, -stage.acceleration, stage.acceleration));
            rows.fastest = [stage.fastest; 2];
            return;
        }
        let element = &self.elements[stage.element];
        match self.degrees[stage.element] {
            0 | 1 => rows.push_joints::<1>(element, stage, joints),
            2 => rows.push_joints::<2>(element, stage, joints),
            3 => rows.push_joints::<3>(element, stage, joints),
            4 => rows.push_joints::<4>(element, stage, joints),
            _ => rows.push_joints::<5>(element, stage, joints),
        }
        self.further[stage.further.clone()].iter().for_each(|row| rows.push(*row));
    }
}

/// Four joints on one stage: γ′ and γ″ by Bernstein coefficients. The degree is known when this is compiled.
struct LocalShape<const DEGREE: usize> {
    length: f64,
    /// Bernstein coefficients of γ′, of degree `DEGREE − 1`.
    tangents: [Lanes; MAX_DEGREE],
    /// Bernstein coefficients of γ″, of degree `DEGREE − 2`.
    curvatures: [Lanes; MAX_DEGREE],
}

impl<const DEGREE: usize> LocalShape<DEGREE> {
    #[inline(always)]
    fn new(shape: &[Lanes; MAX_DEGREE + 1], offset: f64, length: f64) -> Self {
        let (mut local, at) = (*shape, Lanes::splat(offset));
        // As `shifted`, but for the position.
        for lowest in 0..DEGREE {
            for power in (lowest.max(1)..DEGREE).rev() {
                local[power] += at * local[power + 1];
            }
        }
        let zero = Lanes::splat(0.0);
        let (mut tangents, mut curvatures) = ([zero; MAX_DEGREE], [zero; MAX_DEGREE]);
        let mut scale = 1.0;
        for power in 1..=DEGREE {
            tangents[power - 1] = Lanes::splat(power as f64) * local[power] * Lanes::splat(scale);
            scale *= length;
        }
        scale = 1.0;
        for power in 2..=DEGREE {
            curvatures[power - 2] = Lanes::splat((power * (power - 1)) as f64) * local[power] * Lanes::splat(scale);
            scale *= length;
        }
        to_bernstein(&mut tangents, DEGREE - 1);
        to_bernstein(&mut curvatures, DEGREE.saturating_sub(2));
        Self { length, tangents, curvatures }
    }

    /// |Bernstein coefficient of γ′ s̈ + γ″ x| ≤ limit, with γ″ x by the product rule of Bernstein polynomials.
    #[inline(always)]
    fn push_acceleration_rows(&self, limit: Lanes, rows: &mut Rows) {
        let order = DEGREE - 1;
        let per_length = Lanes::splat(0.5 / self.length);
        for index in 0..=order {
            let part = index as f64 / order.max(1) as f64;
            let slope = self.tangents[index] * per_length;
            let mut ends = [Lanes::splat(0.0) - slope, slope];
            if index > 0 {
                ends[1] += self.curvatures[index - 1] * Lanes::splat(part);
            }
            if index < order {
                ends[0] += self.curvatures[index] * Lanes::splat(1.0 - part);
            }
            rows.push_block(ends[0], ends[1], limit);
        }
    }

    /// Values at both ends of a line that |γ′| does not exceed: the line between the values of |γ′| there, raised by what
    /// the Bernstein coefficients lie above it.
    #[inline(always)]
    fn tangent_bounds(&self) -> [Lanes; 2] {
        let order = DEGREE - 1;
        let [start, end] = [self.tangents[0].abs(), self.tangents[order].abs()];
        let mut raise = Lanes::splat(0.0);
        for index in 1..order {
            let part = Lanes::splat(index as f64 / order.max(1) as f64);
            raise = raise.max(self.tangents[index].abs() - (start + part * (end - start)));
        }
        [start + raise, end + raise]
    }
}

impl Rows {
    #[inline(always)]
    fn push_joints<const DEGREE: usize>(&mut self, element: &CurveElement, stage: &Stage, joints: &[Joints]) {
        let mut slowest = [Lanes::splat(0.0); 2];
        self.shape.of(stage.element, element, joints);
        for (index, four) in joints.iter().enumerate() {
            let local = LocalShape::<DEGREE>::new(&self.shape.columns[index], stage.offset, stage.length);
            local.push_acceleration_rows(four.acceleration, self);
            let slopes = local.tangent_bounds();
            self.slopes.push(slopes);
            slowest = [slowest[0].max(slopes[0] * four.slowness), slowest[1].max(slopes[1] * four.slowness)];
        }
        self.fastest = [0, 1].map(|end| (1.0 / slowest[end].largest()).powi(2));
        let fastest = self.fastest[0].max(self.fastest[1]);
        for (index, four) in joints.iter().enumerate() {
            let steepest = self.slopes[index][0].max(self.slopes[index][1]);
            // As a rule one joint is near its limit.
            let far = (steepest * steepest * Lanes::splat(fastest)).at_most(four.velocity * four.velocity);
            if !far.is_all() {
                self.push_velocity_rows(index, four.velocity, far);
            }
        }
    }

    /// Of those of four joints that are not `far` from their velocity limits: γ′² x ≤ limit² inside, where a line from `start`
    /// to `end` bounds |γ′|. The cubic line² · x is at most its Bernstein coefficients, of which the outer two are the bounds on
    /// x₀ and x₁. Rows that these imply are left out.
    #[cold]
    #[inline(never)]
    fn push_velocity_rows(&mut self, index: usize, limits: Lanes, far: Mask) {
        let [starts, ends] = self.slopes[index];
        for lane in (0..WIDTH).filter(|lane| far.0[*lane] == 0) {
            let (start, end, high) = (starts.0[lane], ends.0[lane], 3.0 * limits.0[lane] * limits.0[lane]);
            for (at_start, at_end) in [(2.0 * start * end, start * start), (end * end, 2.0 * start * end)] {
                if at_start * self.fastest[0] + at_end * self.fastest[1] > high {
                    self.push(Row::new(at_start, at_end, f64::NEG_INFINITY, high));
                }
            }
        }
    }
}

/// Bernstein from power coefficients on the unit interval: `b_i = Σ_k C(i, k) / C(n, k) a_k`.
#[inline(always)]
fn to_bernstein(list: &mut [Lanes; MAX_DEGREE], degree: usize) {
    let mut binomial = 1.0;
    for power in 1..=degree {
        binomial *= (degree + 1 - power) as f64 / power as f64;
        list[power] = list[power] * Lanes::splat(1.0 / binomial);
    }
    for row in 1..=degree {
        for power in (row..=degree).rev() {
            let before = list[power - 1];
            list[power] += before;
        }
    }
}
